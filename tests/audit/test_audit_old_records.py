"""The audit counts verdicts and nothing else, in records of this version and in those of versions up to 0.1."""

import dataclasses
import json

import pytest
from audit_runs import make_run

from audit.panel import build_panel
from judges.judgement import Judgement
from metrics.hardmultiqa.records import score as score_hardmultiqa
from metrics.ifbench import Graders
from metrics.ifbench.records import score as score_ifbench
from metrics.ifbench.records import scoring_key
from metrics.ifhard.records import score as score_ifhard
from metrics.record import Answer, Sample
from metrics.sobhard.records import score as score_sobhard
from metrics.sobhard.rows import labels
from metrics.sobhard.rows import scoring_key as sobhard_key
from tasks.registry import BENCHMARK_NAMES


def hardmultiqa_record(grade=-1):
    scoring = json.dumps({"type": "open", "question": "Где?", "reference": ["Волга"]}, ensure_ascii=False)
    judgement = Judgement("judged", {"grade": grade}, calls=2, prompt_tokens=7, completion_tokens=3)
    return scoring, score_hardmultiqa(Sample("q", 0, scoring, '{"type": "open"}'), Answer("Ока"), judgement)


def ifhard_record():
    scoring = json.dumps(
        [
            {"category": "style:comma_count", "family": "style", "params": {"op": "eq", "value": 3}},
            {"category": "style:no_digits", "family": "style", "params": {}},
        ]
    )
    return scoring, score_ifhard(Sample("q", 0, scoring, '{"tier": "easy"}'), Answer("Ока"))


def sobhard_record():
    from sobhard_questions import QUESTIONS

    row = QUESTIONS["convert_json"]
    return sobhard_key(row), score_sobhard(Sample("q", 0, sobhard_key(row), labels(row)), Answer("Ока"))


def ifbench_record():
    row = {
        "key": "q",
        "prompt": "p",
        # The same instruction twice: only the place tells them apart.
        "instruction_id_list": ["count:numbers", "format:no_whitespace", "count:numbers"],
        "kwargs": [{"N": 1}, {}, {"N": 2}],
    }
    scoring = scoring_key(row)
    return scoring, score_ifbench(Sample("q", 0, scoring, "{}"), Answer("1 2"), graders=Graders({}))


MADE = {
    "ifhard": ifhard_record,
    "sobhard": sobhard_record,
    "hardmultiqa": hardmultiqa_record,
    "ifbench": ifbench_record,
}


def old_form(benchmark, record):
    """The verdicts as versions up to 0.1 stored them: ``family`` alone, and an entry on what judging took."""
    found = []
    for verdict in record["verdicts"]:
        old = {name: value for name, value in verdict.items() if name not in ("group", "grader", "place")}
        family = verdict["grader"] if benchmark == "ifbench" else verdict["group"]
        found.append({**old, "family": "answer" if benchmark == "hardmultiqa" else family})
    if benchmark == "hardmultiqa":
        judging = record["judging"]
        entry = {
            "id": "judge",
            "family": "judge",
            "passed": True,
            "code": "ok",
            "reason": "judged at call 2",
            "observed": json.dumps(judging),
            "wanted": "null",
        }
        found.append(entry)
    return found


def stored(benchmark, scoring, record, verdicts):
    """A row of a details file."""
    return {
        "doc": {
            "query": "Вопрос?",
            "task_name": f"{benchmark}:all|0",
            "specific": {"id": record["id"], "repeat": 0, "scoring": scoring},
        },
        "metric": {
            "record": {
                "id": record["id"],
                "repeat": 0,
                "outcome": record["outcome"],
                "error": record["error"],
                "verdicts": verdicts,
            }
        },
        "model_response": {
            "input": [{"role": "user", "content": "Вопрос?"}],
            "text": ["1 2"],
            "finish_reasons": ["stop"],
            "truncated": False,
            "completion_tokens": 3,
        },
    }


def test_one_wrong_judged_answer_is_one_audited_verdict(tmp_path):
    """A judge that did its work is no requirement that was met."""
    scoring, record = hardmultiqa_record()
    rows = [stored("hardmultiqa", scoring, record, record["verdicts"])]
    (row,) = build_panel([make_run(tmp_path, "run", rows)]).rows
    (graded,) = row.constraints
    assert graded.instruction_id == "open"
    assert graded.verdicts == {"hardmultiqa": False}


def test_every_benchmark_is_here():
    """A new one is read by the audit too."""
    assert set(MADE) == set(BENCHMARK_NAMES)


@pytest.mark.parametrize("benchmark", BENCHMARK_NAMES)
def test_old_and_new_records_give_the_same_rows(tmp_path, benchmark):
    """Verdicts, reasons and graders of a run do not depend on the version that scored it."""
    scoring, record = MADE[benchmark]()
    rows = {}
    for form, verdicts in (("new", record["verdicts"]), ("old", old_form(benchmark, record))):
        folder = make_run(tmp_path / form, "run", [stored(benchmark, scoring, record, verdicts)])
        rows[form] = [dataclasses.asdict(row) for row in build_panel([folder]).rows]
    assert rows["old"] == rows["new"]
    (row,) = rows["new"]
    names = {verdict["grader"] for verdict in record["verdicts"]}
    assert {name for graded in row["constraints"] for name in graded["verdicts"]} == names
    assert sum(len(graded["verdicts"]) for graded in row["constraints"]) == len(record["verdicts"])
    wanted = [verdict["passed"] for verdict in record["verdicts"]]
    if len(names) == 1:
        assert [passed for graded in row["constraints"] for passed in graded["verdicts"].values()] == wanted
