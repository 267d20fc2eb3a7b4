"""Every answer of a page: a row of the table each, and what opens behind it."""

import json
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

from report.answers import Shown, main_verdicts, right
from report.html.failures import failed_verdicts
from report.html.packing import chunks, packed
from report.html.view import RunView
from tasks.benchmark import Benchmark
from tasks.registry import benchmark

__all__ = ["Samples", "samples"]

_VALUES: Final = 40  # a label with more of them is no category
_START: Final = 140  # characters of an answer or a reason in the table

# Of each run: benchmark and question -> won, lost, tied or missing.
Kinds = Mapping[int, Mapping[tuple[str, Hashable], str]]


class Samples:
    """Answers as ``page.js`` reads them.

    Attributes:
        index: the table, packed.
        answers, prompts: packed lists of what opens behind a row; a prompt that several answers share is there once.
    """

    def __init__(self, runs: Sequence[RunView], kinds: Kinds) -> None:
        self._questions: dict[tuple[str, Hashable], int] = {}
        self._prompts: dict[str, int] = {}
        self._tasks: dict[str, int] = {}
        shown = [(run.number, one) for run in runs for one in run.answers]
        categories = _categories([one.labels for _, one in shown])
        rows = [self._row(number, one, categories, kinds.get(number, {})) for number, one in shown]
        self.answers, starts = chunks(_opened(one) for _, one in shown)
        self.prompts, prompt_starts = chunks(json.loads(text) for text in self._prompts)
        self.index = packed(
            {
                "rows": rows,
                "tasks": list(self._tasks),
                "runs": [run.run.name for run in runs],
                "categories": categories,
                "answers": starts,
                "prompts": prompt_starts,
            }
        )

    def _row(
        self, number: int, shown: Shown, categories: Sequence[str], kinds: Mapping[tuple[str, Hashable], str]
    ) -> dict[str, Any]:
        bench, record = benchmark(shown.task.benchmark), shown.record
        question = (bench.name, bench.metrics[0].question(record))
        verdicts = main_verdicts(bench, record)
        failed = failed_verdicts(bench, shown)
        row = {
            "run": number,
            "task": self._tasks.setdefault(str(shown.task), len(self._tasks)),
            "question": self._questions.setdefault(question, len(self._questions)),
            "repeat": record["repeat"],
            "prompt": self._prompts.setdefault(_json(shown.messages), len(self._prompts)),
            "name": shown.name,
            "verdict": {True: "right", False: "wrong", None: record["outcome"]}[right(shown)],
            "value": record["scores"].get(bench.metrics[0].name),
            "met": [sum(bool(verdict["passed"]) for verdict in verdicts), len(verdicts)],
            "checks": sorted({verdict["id"] for verdict in verdicts}),
            "failed": sorted({verdict["id"] for verdict in failed}),
            "codes": sorted({verdict["code"] for verdict in failed}),
            "labels": [_label(shown.labels.get(name)) for name in categories],
            "looks": _looks(shown),
            "length": len(shown.text),
            "why": _why(bench, shown)[:_START],
            "start": shown.text[:_START],
        }
        if kind := kinds.get(question):
            row["against"] = kind
        return row


def samples(runs: Sequence[RunView], kinds: Kinds) -> Samples:
    """The answers of a page's runs.

    Args:
        runs: of the page.
        kinds: of each run that is held against the first, who won which question.
    """
    return Samples(runs, kinds)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _categories(labels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Labels that sort answers into a few kinds."""
    values: dict[str, set[str]] = defaultdict(set)
    for of in labels:
        for name, value in of.items():
            values[name].add(_label(value))
    return sorted(name for name, found in values.items() if found - {""} and len(found) <= _VALUES)


def _label(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else _json(value)


def _looks(shown: Shown) -> list[str]:
    record = shown.record
    looks = [name for name in ("empty", "truncated", "unclosed_reasoning") if record.get(name)]
    return [*looks, *(["with_reasoning"] if shown.reasoning else [])]


def _why(bench: Benchmark, shown: Shown) -> str:
    """In a line: why there is no verdict, or why the first failed one says no."""
    if shown.record["error"]:
        return shown.record["error"]
    return next((verdict["reason"] for verdict in failed_verdicts(bench, shown)), "")


def _opened(shown: Shown) -> dict[str, Any]:
    record = shown.record
    return {
        "labels": {name: _label(value) for name, value in shown.labels.items()},
        "text": shown.text,
        "reasoning": shown.reasoning,
        "rest": shown.rest,
        "error": record["error"],
        "finish": shown.finish_reason,
        "tokens": list(shown.tokens),
        "scores": {name: value for name, value in record["scores"].items() if value is not None},
        "verdicts": [
            {name: verdict[name] for name in ("id", "grader", "passed", "code", "reason", "observed", "wanted")}
            for verdict in record["verdicts"]
        ],
        "scoring": shown.scoring,
        "judgement": dict(shown.judgement),
        "judging": dict(record["judging"]) if record["judging"] else {},
    }
