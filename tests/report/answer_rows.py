"""Rows of details files as a run makes them: an outcome of the server, scored and written as the runner does it."""

import dataclasses
import json

from endpoints.answer_tasks import Scored
from endpoints.lighteval_response import to_response
from endpoints.outcome import Outcome
from endpoints.reasoning_marks import without_marks
from endpoints.request import Request
from judges.judgement import Judgement
from metrics.record import Answer, Sample
from tasks.names import TaskName
from tasks.registry import benchmark

IFHARD, SOBHARD, IFBENCH = "ifhard:all|0", "sobhard:all|0", "ifbench:all|0"
OPEN, PRETRAIN = "hardmultiqa:open:alignment|0", "hardmultiqa:open:pretrain|0"
SCORING = {
    "ifhard": [
        {"category": "structure:word_count", "family": "structure", "params": {"op": "eq", "value": 2}},
        {"category": "style:no_commas", "family": "style", "params": {}},
    ],
    "ifbench": {"prompt": "Say two numbers.", "constraints": [{"id": "count:numbers", "kwargs": {"N": 2}}]},
    "hardmultiqa": {"type": "open", "question": "Где?", "reference": ["Волга"], "cut": ["Вопрос:"]},
}
LABELS = {"ifhard": {"tier": "easy"}, "ifbench": {}, "hardmultiqa": {"type": "open", "topic": "География"}}


def answered(text="раз два", **more):
    """The outcome of a request that was answered."""
    given = {"finish_reason": "stop", "prompt_tokens": 10, "completion_tokens": 3, "attempts": 1, **more}
    return Outcome("answered", text, **given)


def judged(grade, *replies):
    """What became of judging an open question."""
    return Judgement("judged", {"grade": grade}, "stated", calls=len(replies), prompt_tokens=9, replies=replies)


def made_row(task=IFHARD, outcome=None, *, id="q0", repeat=0, judgement=None, marks=None, labels=None, prompt=None):
    """A row as the runner writes it.

    Args:
        outcome: what the server gave; a right answer if not given.
        judgement: the judge's, where one is asked.
        marks: of ``--reasoning-marks``.
        prompt: of a completion; None sends two chat turns.
    """
    name = TaskName.read(task).benchmark
    bench = benchmark(name)
    told = json.dumps(labels or LABELS[name], ensure_ascii=False)
    sample = Sample(id, repeat, json.dumps(SCORING[name], ensure_ascii=False), told)
    outcome = without_marks(outcome or answered(), marks)
    if outcome.status == "answered":
        record = bench.score(sample, Answer(outcome.text, outcome.truncated), judgement)
    else:
        record = bench.unanswered(sample, outcome.status, outcome.error or "")
    turns = ({"role": "system", "content": "Кратко."}, {"role": "user", "content": f"Вопрос {id}?"})
    asked = {"messages": turns, "prompt": None} if prompt is None else {"messages": None, "prompt": prompt}
    kind = "chat" if prompt is None else "completion"
    request = Request(task, id, repeat, kind, "model", max_tokens=9, sampling={}, extra_body={}, **asked)
    response = to_response(request, outcome, Scored(record, judgement.to_json() if judgement else ""))
    return {
        "doc": {"query": f"Вопрос {id}?", "task_name": task, "specific": sample._asdict()},
        "metric": {"record": record},
        "model_response": dataclasses.asdict(response),
    }
