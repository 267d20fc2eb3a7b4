"""Records of all four benchmarks, made by the benchmarks' own functions: any outcomes, repeats and cut answers."""

import functools
import importlib
import json

from hypothesis import strategies as st
from sobhard_questions import QUESTIONS, answer

from judges.judgement import Judgement
from metrics.ifbench import Graders
from metrics.ifbench.records import score as score_ifbench
from metrics.ifbench.records import scoring_key as ifbench_key
from metrics.ifbench.records import unanswered as unanswered_ifbench
from metrics.record import Answer, Sample
from metrics.sobhard.rows import labels, scoring_key
from tasks.registry import BENCHMARK_NAMES, benchmark

LOST = ("failed", "not_asked", "blocked", "unscored")


def _ifhard():
    words = {
        "category": "structure:word_count",
        "family": "structure",
        "params": {"op": "eq", "value": 2},
        "is_terminal": False,
    }
    commas = {"category": "style:no_commas", "family": "style", "params": {}, "is_terminal": False}
    texts = ("раз два", "раз, два", "раз, два, три", "", "<think>раз")
    for tier, constraints in (("easy", [words, commas]), ("hard", [commas])):
        sample = Sample("q", 0, json.dumps(constraints), json.dumps({"tier": tier}))
        yield sample, [(Answer(text), None) for text in texts]


def _sobhard():
    for name in ("convert_json", "patch_toml"):
        row = QUESTIONS[name]
        right = answer(row)
        texts = (right, right.replace("8080", "1"), "нет", "", f"trace</think>{right}")
        yield Sample("q", 0, scoring_key(row), labels(row)), [(Answer(text), None) for text in texts]


def _hardmultiqa():
    verdicts = {
        "open": (["Волга"], [{"grade": 1}, {"grade": -1}, {"grade": 0}]),
        "one-option-many-options": (
            ["1"],
            [{"chosen": [1], "verdict": "correct"}, {"chosen": [2], "verdict": "incorrect"}],
        ),
        "strict-list": (
            ["а", "б"],
            [{"elements": [{"i": 1}], "matches": [{"element": 1, "reference": 1}]}, {"elements": [], "matches": []}],
        ),
    }
    for kind, (reference, given) in verdicts.items():
        scoring = {"type": kind, "question": "Где?\n1) Тут\n2) Там", "reference": reference}
        sample = Sample("q", 0, json.dumps(scoring, ensure_ascii=False), json.dumps({"type": kind, "topic": ""}))
        judgements = [Judgement("judged", verdict, calls=1, prompt_tokens=9) for verdict in given]
        judgements += [Judgement("unjudged", error="unreadable", calls=3), Judgement("failed", error="503")]
        yield sample, [(Answer("1"), judgement) for judgement in judgements]


def _ifbench():
    texts = ("yes", "yes\nyes", "a b", "", "<think>yes")
    for ids in (("format:no_whitespace", "format:newline"), ("format:no_whitespace",)):
        row = {"key": "q", "prompt": "p", "instruction_id_list": list(ids), "kwargs": [{} for _ in ids]}
        yield Sample("q", 0, ifbench_key(row), "{}"), [(Answer(text), None) for text in texts]


_MAKERS = {"ifhard": _ifhard, "sobhard": _sobhard, "hardmultiqa": _hardmultiqa, "ifbench": _ifbench}


@functools.cache
def pool(name):
    """For each kind of question of a benchmark: the records that an answer to it can have."""
    assert set(_MAKERS) == set(BENCHMARK_NAMES)
    found = benchmark(name)
    score, unanswered = found.score, found.unanswered
    if name == "ifbench":  # checkers of other projects take seconds to start
        own = Graders({})
        score = functools.partial(score_ifbench, graders=own)
        unanswered = functools.partial(unanswered_ifbench, graders=own)
    return [
        [score(sample, given, judgement) for given, judgement in answers]
        + [unanswered(sample, outcome, "HTTP 500") for outcome in LOST]
        for sample, answers in _MAKERS[name]()
    ]


def record(name, question, repeat, kind, variant, truncated=False):
    """A record of the pool as that of one question's repeat; a cut answer is one that is there."""
    records = pool(name)[kind % len(pool(name))]
    chosen = records[variant % len(records)]
    known = {"truncated": truncated} if chosen["truncated"] is not None else {}
    return {**chosen, "id": f"q{question:03d}", "repeat": repeat, **known}


def records_of(name, plan):
    """Records of a plan: for each question its kind and, for each repeat, (variant, whether the answer is cut)."""
    return [
        record(name, question, repeat, kind, variant, truncated)
        for question, (kind, repeats) in enumerate(plan)
        for repeat, (variant, truncated) in enumerate(repeats)
    ]


PLANS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=14,
)


# Blocks of like questions: kind, variant, how many questions, how often each was answered. Uneven numbers of answers
# that go with the outcome are what a careless interval gets wrong.
BLOCKS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 7), st.integers(1, 15), st.integers(1, 8)), min_size=2, max_size=4
)


def plan_of(blocks):
    """The plan of some blocks."""
    return [
        (kind, [(variant, False)] * repeats) for kind, variant, questions, repeats in blocks for _ in range(questions)
    ]


def metric_of(name):
    """The benchmark's metric in LightEval's terms."""
    (metric,) = importlib.import_module(f"tasks.{name}.task").TASKS_TABLE[0].metrics
    return metric


def corpus_row(name, records):
    """What LightEval's corpus metric gives."""
    found = metric_of(name).get_corpus_aggregations()
    return found["record"](records)
