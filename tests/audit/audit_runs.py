"""Run folders made by hand, rounds drawn from them, and reviewers who know the truth."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from audit.cli import main
from audit.labels import Label, write_labels
from audit.round import Round, open_round

MODEL = "org/secret-model"
STAMP = "2026-01-02T03-04-05.000001"
IDS = ("count:numbers", "format:no_whitespace")
KWARGS: tuple[dict[str, Any], ...] = ({"N": 2}, {})


def verdict(
    name: str,
    grader: str,
    passed: bool | None,
    code: str = "ok",
    reason: str = "because",
    *,
    group: str = "",
    place: int = 0,
) -> dict[str, Any]:
    """One verdict as a details file has it."""
    return {
        "id": name,
        "group": group or name.partition(":")[0],
        "grader": grader,
        "place": place,
        "passed": passed,
        "code": code,
        "reason": reason,
        "observed": "null",
        "wanted": "null",
    }


def sample(
    key: str,
    answer: str,
    verdicts: Sequence[Mapping[str, Any]],
    *,
    task: str = "ifbench:all|0",
    repeat: int = 0,
    outcome: str = "answered",
    scoring: Any = None,
    turns: Any = None,
    prompt: str | None = None,
    truncated: bool = False,
) -> dict[str, Any]:
    """One row of a details file."""
    query = f"Question {key}?" if prompt is None else prompt
    if scoring is None:
        scoring = {"prompt": query, "constraints": [{"id": i, "kwargs": k} for i, k in zip(IDS, KWARGS, strict=True)]}
    return {
        "doc": {
            "query": query,
            "task_name": task,
            "specific": {"id": key, "repeat": repeat, "scoring": json.dumps(scoring, ensure_ascii=False)},
        },
        "metric": {
            "record": {
                "id": key,
                "repeat": repeat,
                "outcome": outcome,
                "error": "" if outcome == "answered" else "the server is gone",
                "verdicts": [dict(one) for one in verdicts],
            }
        },
        "model_response": {
            "input": turns if turns is not None else [{"role": "user", "content": query}],
            "text": [answer],
            "finish_reasons": ["length" if truncated else "stop"],
            "truncated": truncated,
            "completion_tokens": len(answer),
        },
    }


def two_graders(first: Sequence[bool | None], second: Sequence[bool | None]) -> list[dict[str, Any]]:
    """The verdicts of graders ``old`` and ``new`` on the two constraints."""
    return [
        verdict(name, grader, passed, place=place)
        for grader, all_passed in (("old", first), ("new", second))
        for place, (name, passed) in enumerate(zip(IDS, all_passed, strict=True))
    ]


def make_run(parent: Path, folder_name: str, rows: Sequence[Mapping[str, Any]], **settings: Any) -> Path:
    """A run folder as ``run_lighteval.py`` leaves it, with what the panel reads."""
    folder = parent / folder_name
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_task.setdefault(row["doc"]["task_name"], []).append(row)
    details = folder / "details" / "org" / "secret-model" / STAMP
    details.mkdir(parents=True)
    for task, found in by_task.items():
        pq.write_table(pa.Table.from_pylist([dict(row) for row in found]), details / f"details_{task}_{STAMP}.parquet")
    content = {"status": "complete", "settings": {"model": MODEL, **settings}, "model": {"requested": MODEL}}
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def question(number: int) -> dict[str, Any]:
    """A row of the panel that :func:`make_round` uses: every third answer divides the graders on one constraint."""
    divided = number % 3 == 0
    return sample(
        f"k{number:03d}",
        f"answer {number}\n\tmore",
        two_graders([True, number % 2 == 0], [not divided, number % 2 == 0]),
    )


def command(*arguments: Any) -> int:
    """``python -m audit`` in this process."""
    return main([str(argument) for argument in arguments])


def make_round(parent: Path, *options: Any, questions: int = 30, fixtures: bool = True) -> Round:
    """A round over a panel of some questions: ten disagreements of thirty questions, ten agreements, two fixtures."""
    run = make_run(parent, "greedy-run", [question(number) for number in range(questions)])
    assert command("panel", run, "--out", parent / "panel.parquet") == 0
    more: list[Any] = []
    if fixtures:
        labelled = [
            fixture("f-1", "pass", finding="F2"),
            fixture("f-2", "fail", response="half a surrogate \ud800 </script><!-- here"),
        ]
        text = "".join(json.dumps(row) + "\n" for row in labelled)
        (parent / "fixtures.jsonl").write_text(text, encoding="utf-8")
        more = ["--fixtures", parent / "fixtures.jsonl"]
    given = ["--graders", "old", "new", "--agree", 10, "--seed", 5, *more, *options]
    assert command("sample", parent / "panel.parquet", *given, "--out", parent / "round") == 0
    return open_round(parent / "round")


def fixture(name: str, expected: str, response: str = "1 2", finding: str | None = None) -> dict[str, Any]:
    """A labelled fixture."""
    return {
        "id": name,
        "instruction_id": "count:numbers",
        "kwargs_json": '{"N":2}',
        "response": response,
        "expected": expected,
        "finding": finding,
        "decision": None,
        "note": "",
    }


def review(round_: Round, reviewer: str, lean: Callable[[dict[str, Any], Mapping[str, Any]], str | None]) -> Path:
    """Labels by a rule over the shown and the sealed row; None leaves a case out."""
    leans = {case["case_id"]: lean(case, round_.sealed[case["case_id"]]) for case in round_.cases}
    labels = {name: Label(found, found, "high", "") for name, found in leans.items() if found}
    path = round_.labels_path(reviewer)
    write_labels(path, reviewer, labels, round_.case_ids, round_.cases_sha256)
    return path


def truth(case: Mapping[str, Any], sealed: Mapping[str, Any]) -> str:
    """A reviewer who holds with grader ``new``, and with the labels of fixtures."""
    if sealed["source"] == "fixture":
        return str(sealed["fixture_expected"])
    return "pass" if sealed["verdicts"]["new"] else "fail"
