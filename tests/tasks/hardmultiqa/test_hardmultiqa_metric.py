"""The metric under LightEval's own command line: who is asked, what is not asked, what a fault becomes."""

import contextlib
import dataclasses
import functools
import json
import math
from types import SimpleNamespace

import pytest
from lighteval.metrics import apply_metric

from endpoints.errors import EndpointError
from endpoints.lighteval_response import EndpointResponse
from judges import environment
from judges.environment import JudgeSettings
from judges.hardmultiqa.judging import DEFAULT_MODEL
from judges.judgement import Judgement, JudgeReply, JudgeUnavailable
from metrics.hardmultiqa.records import score
from metrics.record import Answer, Sample
from tasks.hardmultiqa.dataset import BUILTIN, demonstrations
from tasks.hardmultiqa.task import TASKS_TABLE, to_doc

(HARDMULTIQA_METRIC,) = TASKS_TABLE[0].metrics
SHOTS = demonstrations(BUILTIN)


def docs(kind, count):
    """Documents of a type."""
    lines = (BUILTIN / "test.jsonl").read_text(encoding="utf-8").splitlines()
    found = [to_doc(json.loads(line), f"hardmultiqa:{kind}:alignment", SHOTS) for line in lines]
    kept = [doc for doc in found if doc is not None][:count]
    for doc in kept:
        doc.task_name = f"hardmultiqa:{kind}:alignment|0"
    return kept


class ScriptedJudge:
    """Takes answers with the word ``верно`` for right; ``нем`` silences its endpoint, ``сбой`` is a bug."""

    def __init__(self, monkeypatch):
        self.opened = []
        self.asked = []
        monkeypatch.setattr(environment, "open_judge", self.open)

    @contextlib.asynccontextmanager
    async def open(self, *arguments):
        self.opened.append(arguments)
        yield SimpleNamespace(ask=self.ask)

    def ask(self, task, sample_id, repeat):
        self.asked.append((task, sample_id, repeat))

        async def put(call):
            text = call.messages[0]["content"]
            if "нем" in text.split("ЗАДАНИЕ")[0]:
                raise JudgeUnavailable("503: устал")
            if "сбой" in text.split("ЗАДАНИЕ")[0]:
                raise ZeroDivisionError("ours")
            return JudgeReply("Сверил.\nОценка: " + ("1" if "верно" in text.split("ЗАДАНИЕ")[0] else "-1"), 100, 5)

        return put


def scored_response(doc, text, judgement):
    """A response that carries its record, as the runner makes it."""
    response = EndpointResponse(text=[text])
    response.record = score(Sample.of(doc.specific), Answer(text), judgement)
    return response


def records(found, responses):
    """What LightEval keeps of the samples."""
    return [entry["record"] for entry in apply_metric(responses, found, [HARDMULTIQA_METRIC])]


@pytest.fixture
def scripted(monkeypatch):
    for name in environment.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    return ScriptedJudge(monkeypatch)


def test_answers_without_a_judgement_are_judged_together(scripted):
    """One judge for all of a task, at the default address, and scores in order."""
    found = docs("open", 3)
    scored = records(found, [EndpointResponse(text=[text]) for text in ("верно", "мимо", "верно")])
    assert [record["scores"]["hardmultiqa_judge"] for record in scored] == [1.0, 0.0, 1.0]
    assert scripted.opened == [("http://127.0.0.1:8002/v1", "Qwen/Qwen3.5-35B-A3B", None, 64, None)]
    assert scripted.asked == [("hardmultiqa:open:alignment|0", doc.specific["id"], 0) for doc in found]


def test_judged_answers_are_not_judged_again(scripted):
    """The runner has done it: the response's record is the metric's, and no judge is opened."""
    found = docs("open", 1)
    response = scored_response(found[0], "мимо", Judgement("judged", {"grade": 1}, calls=1))
    (record,) = records(found, [response])
    assert record is response.record
    assert record["scores"]["hardmultiqa_judge"] == 1.0
    assert scripted.opened == []


def test_only_answers_without_a_record_are_judged(scripted):
    """Each judgement stays with its own answer."""
    found = docs("open", 3)
    kept = scored_response(found[1], "мимо", Judgement("judged", {"grade": 1}, calls=1))
    scored = records(found, [EndpointResponse(text=["мимо"]), kept, EndpointResponse(text=["верно"])])
    assert [record["scores"]["hardmultiqa_judge"] for record in scored] == [0.0, 1.0, 1.0]
    assert [name for _, name, _ in scripted.asked] == [found[0].specific["id"], found[2].specific["id"]]


def test_samples_without_an_answer_are_not_judged(scripted):
    """A failure is a failure, not a wrong answer."""
    responses = [
        EndpointResponse(text=[""], outcome="failed", error="500"),
        EndpointResponse(text=[""], outcome="not_asked", error="gone"),
    ]
    scored = records(docs("open", 2), responses)
    assert [(record["outcome"], record["error"]) for record in scored] == [("failed", "500"), ("not_asked", "gone")]
    assert all(record["scores"]["hardmultiqa_judge"] is None for record in scored)
    assert scripted.opened == []


def test_a_silent_judge_leaves_the_sample_unjudged(scripted):
    """Never 0 or 1."""
    scored = records(docs("open", 2), [EndpointResponse(text=[text]) for text in ("нем", "верно")])
    assert [record["outcome"] for record in scored] == ["unjudged", "answered"]
    assert "503" in scored[0]["error"]


def test_a_bug_in_judging_costs_one_sample(scripted):
    """It is named there; the others are judged."""
    scored = records(docs("open", 2), [EndpointResponse(text=[text]) for text in ("сбой", "верно")])
    assert [record["outcome"] for record in scored] == ["unjudged", "answered"]
    assert scored[0]["error"] == "judging raised ZeroDivisionError: ours"


def test_a_judgement_that_cannot_be_scored_is_our_fault(scripted, monkeypatch):
    """Named on the sample; the others are scored."""
    verdicts = iter([{"grade": "a"}, {"grade": 1}])

    async def judge(sample, answer, ask):
        return Judgement("judged", next(verdicts))

    judging = HARDMULTIQA_METRIC.sample_level_fn.judge_all.args[0]
    spoiled = functools.partial(environment.judge_all, dataclasses.replace(judging, judge=judge))
    monkeypatch.setattr(type(HARDMULTIQA_METRIC.sample_level_fn), "judge_all", staticmethod(spoiled))
    scored = records(docs("open", 2), [EndpointResponse(text=[text]) for text in "ab"])
    assert [record["outcome"] for record in scored] == ["unscored", "answered"]
    assert "scorer raised" in scored[0]["error"]


def test_no_judge_is_an_error(monkeypatch):
    """LightEval's command line must not print a score without one."""

    @contextlib.asynccontextmanager
    async def unreachable(*_):
        raise EndpointError("no server at http://127.0.0.1:8002/v1")
        yield

    monkeypatch.setattr(environment, "open_judge", unreachable)
    with pytest.raises(EndpointError, match="8002"):
        records(docs("open", 1), [EndpointResponse(text=["верно"])])


def test_settings_from_the_environment(tmp_path):
    """Every variable, and the defaults where one is absent or empty."""
    given = {
        "JUDGE_BASE_URL": "http://judge/v1",
        "JUDGE_MODEL": "tiny",
        "JUDGE_API_KEY": "key",
        "JUDGE_CONCURRENCY": "7",
        "JUDGE_JOURNAL": str(tmp_path / "j.jsonl"),
    }
    assert set(given) == set(environment.ENVIRONMENT)
    assert JudgeSettings.from_environment(given, DEFAULT_MODEL) == JudgeSettings(
        "http://judge/v1", "tiny", "key", 7, tmp_path / "j.jsonl"
    )
    default = JudgeSettings("http://127.0.0.1:8002/v1", "Qwen/Qwen3.5-35B-A3B", None, 64, None)
    assert JudgeSettings.from_environment({}, DEFAULT_MODEL) == default
    assert JudgeSettings.from_environment(dict.fromkeys(given, ""), DEFAULT_MODEL) == default


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "٣"])
def test_a_concurrency_that_is_no_number(value):
    """The variable is named."""
    with pytest.raises(ValueError, match=f"JUDGE_CONCURRENCY='{value}'"):
        JudgeSettings.from_environment({"JUDGE_CONCURRENCY": value}, DEFAULT_MODEL)


def test_tasks_share_their_metric_names(scripted):
    """LightEval's averages count a name that a task lacks as 0.0; what a type has not is undefined instead."""
    corpus = HARDMULTIQA_METRIC.get_corpus_aggregations()["record"]
    found = docs("one-option-many-options", 1)
    nothing = Judgement("judged", {"chosen": [], "verdict": "incorrect"})
    options = corpus(records(found, [scored_response(found[0], "", nothing)]))
    opened = corpus(records(docs("open", 1), [EndpointResponse(text=["мимо"])]))
    assert set(options) == set(opened)
    assert math.isnan(options["open_wrong_share"])
    assert (opened["open_wrong_share"], opened["hardmultiqa_judge"]) == (1.0, 0.0)
    assert all(type(value) is float for value in opened.values())
