"""The checkers of IFBench: one text for all of them under every grader of our own, arguments drawn for each."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import tasks.ifbench
from metrics.ifbench.arguments import COUNT, PERCENT, PLACE, ArgumentsError
from metrics.ifbench.grading import OWN_GRADERS, Graders, check_kwargs
from metrics.ifbench.reasoning import split_reasoning
from metrics.ifbench.registry import CHECKERS
from metrics.verdict import Verdict
from proofs.fuzz.group import Check, Group, Input, wholesome
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import answer, sentence
from proofs.fuzz.values import spoiled, word

__all__ = ["IFBENCH"]

_GRADERS: Final = Graders({})
_REDRAWN: Final = 0.12
_SPOILED: Final = 0.03
_NAMES: Final = tuple(sorted({name for checker in CHECKERS.values() for name in checker.kinds}))


def _arguments(source: Random, instruction_id: str) -> Any:
    found: dict[str, Any] = {}
    for name, kind in CHECKERS[instruction_id].kinds.items():
        if kind is COUNT or kind is PLACE:
            found[name] = (
                source.choice((1, 1, 2, 3, 4.0, 6, 10, 10**9))
                if kind is PLACE
                else source.choice((0, 1, 2, 3, 5.0, 10))
            )
        elif kind is PERCENT:
            found[name] = source.choice((0, 1, 10, 33, 50, 75, 100))
        else:
            found[name] = source.choice((word(source), word(source), sentence(source), "A / B / C", "yes, no", "- "))
    return spoiled(source, found, _NAMES) if source.random() < _SPOILED else found


class _IFBench(Group):
    """See the module."""

    name = "ifbench"
    targets = tuple(CHECKERS)

    def __init__(self) -> None:
        self._arguments: dict[str, Any] = {}

    def fresh(self, source: Random) -> Input:
        return {"text": answer(source), "params": self._redrawn(source)}

    def seeds(self) -> list[Input]:
        # The labelled answers of the project, right and wrong ones.
        folder = Path(tasks.ifbench.__path__[0]) / "fixtures"
        lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
        rows = [row for row in map(json.loads, lines) if row["response"]]
        return [
            {"text": row["response"], "params": {row["instruction_id"]: json.loads(row["kwargs_json"])}} for row in rows
        ]

    def varied(self, source: Random, given: Input) -> Input:
        return {"text": edited(source, given["text"]), "params": {**self._redrawn(source), **given["params"]}}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        parted = split_reasoning(given["text"])
        texts = parted.answer, parted.trimmed
        for name, kwargs in given["params"].items():
            yield name, lambda name=name, kwargs=kwargs: _judged(name, kwargs, *texts)  # type: ignore[misc]

    def _redrawn(self, source: Random) -> dict[str, Any]:
        for name in CHECKERS:
            if name not in self._arguments or source.random() < _REDRAWN:
                self._arguments[name] = _arguments(source, name)
        return dict(self._arguments)


def _judged(instruction_id: str, kwargs: Any, text: str, trimmed: str) -> str:
    try:
        found = _GRADERS.verify_all(instruction_id, kwargs, text, trimmed)
    except ArgumentsError:
        return "refused"
    if tuple(found) != OWN_GRADERS:
        raise AssertionError(f"graders {', '.join(found)}")
    verdicts = [verdict for verdict in found.values() if isinstance(verdict, Verdict)]
    shapes = {wholesome(verdict) for verdict in verdicts}
    if any(verdict.code == "crash" for verdict in verdicts):
        raise AssertionError("a checker raised")
    if (
        verdicts[0].passed
        and not _GRADERS.verify(
            instruction_id, check_kwargs(instruction_id, kwargs), text, grader="fixes_only_loose"
        ).passed
    ):
        raise AssertionError("loose grading refuses what strict grading takes")
    return " | ".join(sorted(shapes))


IFBENCH: Final = _IFBench()
