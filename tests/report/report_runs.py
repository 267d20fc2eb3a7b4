"""Run folders as ``run_lighteval.py`` leaves them, of records that the benchmarks' own scorers made."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from audit_runs import STAMP

from judges.judgement import Judgement
from metrics.hardmultiqa.records import score as score_hardmultiqa
from metrics.ifhard.records import score as score_ifhard
from metrics.ifhard.records import unanswered as unanswered_ifhard
from metrics.record import Answer, Sample
from report.cli import main

CONSTRAINTS = json.dumps(
    [
        {"category": "structure:word_count", "family": "structure", "params": {"op": "eq", "value": 2}},
        {"category": "style:no_commas", "family": "style", "params": {}},
    ]
)
# What is met: both requirements, the number of words alone, no commas alone, neither; nothing was said.
ANSWERS = {"+": "раз два", "c": "раз, два", "w": "раз два три", "-": "раз, два, три", "e": ""}
MISSING = {"?": "failed", "!": "blocked", "0": "not_asked", "/": "unscored"}
TASK = "ifhard:all|0"


def command(*arguments):
    """``python -m report`` in this process."""
    return main([str(argument) for argument in arguments])


def compared(tmp_path, *arguments):
    """The JSON of ``report compare``."""
    assert command("compare", *arguments, "--json", tmp_path / "compared.json") == 0
    return json.loads((tmp_path / "compared.json").read_text(encoding="utf-8"))


def row(record, task, prompt=None, text="x"):
    """A row of a details file."""
    query = f"Вопрос {record['id']}?" if prompt is None else prompt
    return {
        "doc": {"query": query, "task_name": task, "specific": {"id": record["id"], "repeat": record["repeat"]}},
        "metric": {"record": record},
        "model_response": {"text": [text], "input": [{"role": "user", "content": query}]},
    }


def write_run(folder, rows, *, tasks=None, status="complete", **content):
    """A run's folder.

    Args:
        rows: of the details files.
        tasks: that were asked for; those of the rows if not given.
        content: of ``run.json``; what is not given is as in any run of the same kind.
    """
    by_task = {}
    for one in rows:
        by_task.setdefault(one["doc"]["task_name"], []).append(one)
    details = Path(folder) / "details" / "org" / "model" / STAMP
    details.mkdir(parents=True)
    for task, found in by_task.items():
        pq.write_table(pa.Table.from_pylist(found), details / f"details_{task}_{STAMP}.parquet")
    benchmarks = {task.partition(":")[0] for task in by_task}
    entry = {"name": "builtin", "sha256": "a" * 64, "prompts_sha256": "b" * 64, "shots_sha256": "c" * 64}
    usual = {
        "status": status,
        "settings": {"model": "org/model", "full": True, "tasks": tasks or list(by_task), "temperature": 0.0},
        "datasets": {name: entry | {"scorer_version": "2-1"} for name in benchmarks},
        "sampling": {"temperature": 0.0, "seed": None, "max_new_tokens": None},
        "judge": {"model": "judge", "prompts": {"hardmultiqa": "prompts 1"}} if "hardmultiqa" in benchmarks else None,
    }
    for name, value in content.items():
        both = isinstance(usual.get(name), dict) and isinstance(value, dict)
        usual[name] = {**usual[name], **value} if both else value
    (Path(folder) / "run.json").write_text(json.dumps(usual), encoding="utf-8")
    return Path(folder)


def ifhard_rows(marks, *, labels=None, task=TASK, repeat=0, prompt=None):
    """A row for each mark of a text: see ANSWERS and MISSING; ``.`` is a question that was not asked for.

    Args:
        labels: (number of the question) -> further labels of it.
        prompt: (number of the question) -> how it was asked.
    """
    rows = []
    for number, mark in enumerate(marks):
        told = {"tier": "easy", **(labels(number) if labels else {})}
        sample = Sample(f"q{number:03d}", repeat, CONSTRAINTS, json.dumps(told))
        asked = prompt(number) if prompt else None
        if mark in MISSING:
            rows.append(row(unanswered_ifhard(sample, MISSING[mark], "HTTP 500"), task, asked, ""))
        elif mark != ".":
            rows.append(row(score_ifhard(sample, Answer(ANSWERS[mark])), task, asked, ANSWERS[mark]))
    return rows


def ifhard_run(folder, marks, *, labels=None, prompt=None, **content):
    """A run's folder over as many questions as there are marks; several texts are repeats."""
    texts = [marks] if isinstance(marks, str) else marks
    rows = [
        one
        for repeat, text in enumerate(texts)
        for one in ifhard_rows(text, labels=labels, repeat=repeat, prompt=prompt)
    ]
    settings = {"repeats": len(texts), **content.pop("settings", {})}
    return write_run(folder, rows, settings=settings, **content)


def open_row(number, grade, task="hardmultiqa:open:alignment|0"):
    """An open question of HardMultiQA with the judge's grade; None for a reply that nobody can read."""
    scoring = json.dumps({"type": "open", "question": "Где?", "reference": ["Волга"]}, ensure_ascii=False)
    judgement = Judgement("unjudged", error="unreadable") if grade is None else Judgement("judged", {"grade": grade})
    sample = Sample(f"q{number:03d}", 0, scoring, json.dumps({"type": "open", "topic": ""}))
    return row(score_hardmultiqa(sample, Answer("Ока"), judgement), task)


def list_row(number, found, task="hardmultiqa:strict-list:alignment|0"):
    """A question for a list of two, of which ``found`` were named, and nothing else."""
    scoring = json.dumps({"type": "strict-list", "question": "Что?", "reference": ["а", "б"]}, ensure_ascii=False)
    verdict = {
        "elements": [{"i": i + 1} for i in range(found)],
        "matches": [{"element": i + 1, "reference": i + 1} for i in range(found)],
    }
    sample = Sample(f"q{number:03d}", 0, scoring, json.dumps({"type": "strict-list", "topic": ""}))
    return row(score_hardmultiqa(sample, Answer("а"), Judgement("judged", verdict)), task)
