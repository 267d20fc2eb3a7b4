"""How often a judge is wrong: labelled answers (calibration.yaml), its verdicts on them, error rates by type."""

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from judges.hardmultiqa.judging import judge
from judges.hardmultiqa.prompt_files import PromptSet
from judges.judgement import Ask, Judgement
from metrics.hardmultiqa import TYPES, Key, Scored, parse_key, score_verdict
from metrics.record import Answer, Sample
from metrics.stats import wilson_interval

__all__ = ["CASES", "Case", "Finding", "calibrate", "expected_verdict", "load_cases", "render"]

CASES: Final = Path(__file__).with_name("calibration.yaml")
_HEADER: Final = ("type", "cases", "judged", "wrong", "error rate", "95% interval", "mean shift", "unjudged", "calls")


@dataclass(frozen=True, slots=True)
class Case:
    """One answer with its label.

    Attributes:
        id: stable name.
        kind: what is special about the answer (``right``, ``refusing``, ``duplicates``...).
        sample: as a document's, for the judge.
        answer: what is judged.
        label: what a judge should make of it.
    """

    id: str
    kind: str
    sample: Sample
    answer: str
    label: Scored

    @property
    def type(self) -> str:
        """The question's type."""
        return parse_key(self.sample.scoring).type


@dataclass(frozen=True, slots=True)
class Finding:
    """A case and what the judge made of it; ``scored`` is None without a verdict."""

    case: Case
    judgement: Judgement
    scored: Scored | None

    @property
    def wrong(self) -> bool:
        """Whether there is a verdict that does not have the label's worth (for open questions: its grade)."""
        if self.scored is None:
            return False
        if self.case.type == "open":
            return bool(self.scored.observed != self.case.label.observed)
        return not math.isclose(self.scored.score, self.case.label.score)


def load_cases(path: Path = CASES) -> list[Case]:
    """Read labelled answers.

    Raises:
        ValueError, KeyError: the file is not of the form of calibration.yaml, or an id occurs twice.
    """
    cases = []
    for group in yaml.safe_load(path.read_text(encoding="utf-8")):
        scoring = json.dumps({name: group[name] for name in ("type", "question", "reference")}, ensure_ascii=False)
        key = parse_key(scoring)
        for entry in group["answers"]:
            label = score_verdict(key, expected_verdict(key, entry["expected"]))
            sample = Sample(entry["id"], 0, scoring, "{}")
            cases.append(Case(entry["id"], entry["kind"], sample, entry["answer"], label))
    if len({case.id for case in cases}) != len(cases):
        raise ValueError(f"{path}: an id occurs twice")
    return cases


def expected_verdict(key: Key, expected: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict that a label stands for; elements and pairs are numbered through, since counts alone are labelled."""
    if key.type == "open":
        return {"grade": expected["grade"]}
    if key.type == "one-option-many-options":
        right = frozenset(expected["chosen"]) == key.right_options
        return {"chosen": expected["chosen"], "verdict": "correct" if right else "incorrect"}
    return {
        "elements": [{"i": number} for number in range(1, expected["elements"] + 1)],
        "matches": [{"element": number, "reference": number} for number in range(1, expected["matches"] + 1)],
    }


async def calibrate(
    cases: Sequence[Case], ask_for: Callable[[str], Ask], prompts: PromptSet | None = None
) -> list[Finding]:
    """Have every case judged, all at once; the order of the findings is that of the cases.

    Args:
        cases: labelled answers.
        ask_for: case id -> way to put calls about it; it limits how many are in flight.
        prompts: what the judge reads; None takes this project's own.
    """

    async def one(case: Case) -> Finding:
        judgement = await judge(case.sample, Answer(case.answer), ask_for(case.id), prompts=prompts)
        if judgement.status != "judged":
            return Finding(case, judgement, None)
        return Finding(case, judgement, score_verdict(parse_key(case.sample.scoring), judgement.verdict))

    return list(await asyncio.gather(*(one(case) for case in cases)))


def render(findings: Sequence[Finding]) -> str:
    """A table of error rates by type, the cases judged wrong, and those without a verdict."""
    rows: list[tuple[str, ...]] = [_HEADER]
    rows += [_row(kind, [f for f in findings if f.case.type == kind]) for kind in TYPES]
    rows.append(_row("all", findings))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if not i else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines.append("mean shift: the judge's score minus the label's; above zero the judge is too kind")
    lines += [
        f"wrong: {f.case.id} ({f.case.kind}): labelled {f.case.label.score:.2f} ({f.case.label.reason}), "
        f"judged {f.scored.score:.2f} ({f.scored.reason})"
        for f in findings
        if f.scored is not None and f.wrong
    ]
    lines += [f"unjudged: {f.case.id} ({f.case.kind}): {f.judgement.error}" for f in findings if f.scored is None]
    return "\n".join(lines) + "\n"


def _row(name: str, findings: Sequence[Finding]) -> tuple[str, ...]:
    judged = [finding for finding in findings if finding.scored is not None]
    calls = sum(finding.judgement.calls for finding in findings)
    counts = (str(len(findings)), str(len(judged)))
    unjudged = f"{(len(findings) - len(judged)) / len(findings):.1%}" if findings else "n/a"
    if not judged:
        return (name, *counts, "0", "n/a", "n/a", "n/a", unjudged, str(calls))
    wrong = sum(finding.wrong for finding in judged)
    low, high = wilson_interval(wrong / len(judged), len(judged))
    shift = sum(f.scored.score - f.case.label.score for f in judged if f.scored is not None) / len(judged)
    rate, interval = f"{wrong / len(judged):.1%}", f"[{low:.1%}, {high:.1%}]"
    return (name, *counts, str(wrong), rate, interval, f"{shift:+.3f}", unjudged, str(calls))
