"""MERA: the zip file that a submission takes, and one with the logs behind it.

``submission.zip`` holds ``IFHardBench.json`` and ``SOB-Hard.json``, whichever were run: by these names MERA finds them,
and under any other a file scores nothing, without a word. A file has every question of the test split once
(:mod:`tasks.submission`); a part of the set is refused. MERA scores the answers against its own questions, so answers
to another set score nothing either: that is said, loudly, and not refused, since a copy of the official set is a path.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from report.answers import Shown, shown_answers
from report.errors import ReportError
from report.export.files import Export, zipped
from report.results import finished_tasks, questions_of
from runs.folder import Run
from tasks.submission import harness_line, jsonl, submission

__all__ = ["mera_export"]


class _Set(NamedTuple):
    """A set of MERA's.

    Attributes:
        file: its name in a submission.
        questions: of the test split (contracts, section 1).
    """

    file: str
    questions: int


_SETS: Final[Mapping[str, _Set]] = {
    "ifhard": _Set("IFHardBench.json", 1260),
    "sobhard": _Set("SOB-Hard.json", 825),
}
# An answer that the scorer could not take, or that has no reference to be scored by, is an answer.
_ANSWERS: Final = ("answered", "unscored")


def mera_export(runs: Sequence[Run]) -> Export:
    """Both zip files.

    Args:
        runs: one for each of MERA's benchmarks, or one with both.

    Raises:
        ReportError: a run has none of them, or one that another has too; questions are missing or twice there; or the
            run is of a version that did not keep the questions' numbers.
        FileError: the details cannot be read.
    """
    owners: dict[str, Run] = {}
    notes: list[str] = []
    for run in runs:
        names = list(dict.fromkeys(task.benchmark for task in finished_tasks(run)))
        others = [name for name in names if name not in _SETS]
        if len(others) == len(names):
            raise ReportError(f"{run.folder}: MERA has no {', '.join(others)}: it takes {', '.join(_SETS)}")
        notes += [f"{name} is left out: MERA has none" for name in others]
        for name in (name for name in names if name in _SETS):
            if name in owners:
                raise ReportError(f"{name} is in {owners[name].folder} and in {run.folder}: which one counts?")
            owners[name] = run
    submitted: dict[str, bytes] = {}
    logs: dict[str, bytes] = {}
    for name, run in sorted(owners.items()):
        shown = _answers(run, name)
        lines = [_line(number, answers) for number, answers in sorted(shown.items())]
        submitted[_SETS[name].file] = submission(lines).encode()
        logs |= _logs(run, name, jsonl(lines))
        found = questions_of(run, name)
        if found.official is None:
            notes.append(
                f"{name}: WARNING: the answers are to {found.words}; MERA scores them against its own questions. "
                "--dataset official asks those"
            )
    return Export({"submission.zip": zipped(submitted), "logs.zip": zipped(logs)}, tuple(notes))


def _answers(run: Run, name: str) -> dict[int, list[Shown]]:
    """The answers to each question by its number, the one that counts first."""
    found: dict[int | str, list[Shown]] = {}  # by its id where it has no number
    missing = Counter[str]()
    for shown in shown_answers(run):
        if shown.task.benchmark != name:
            continue
        if shown.record["outcome"] not in _ANSWERS:
            missing[shown.record["outcome"]] += shown.record["repeat"] == 0
            continue
        question = shown.record["id"] if shown.number is None else shown.number
        _add(run, question, found.setdefault(question, []), shown)
    found = {question: answers for question, answers in found.items() if answers[0].record["repeat"] == 0}
    _check_size(run, name, len(found), missing)
    numbered = {question: answers for question, answers in found.items() if isinstance(question, int)}
    for question, answers in found.items():
        if question not in numbered:
            raise ReportError(
                f"{run.folder}: question {question} of {answers[0].task} has no number (meta.id), by which MERA knows "
                "it: its dataset gives none, or the run is of an earlier version (then score its answers again, "
                "--responses FILE)"
            )
    return numbered


def _check_size(run: Run, name: str, size: int, missing: Mapping[str, int]) -> None:
    """Check that a whole set was answered: ``size`` questions, and ``missing`` ones by the outcome they ended in."""
    wanted = _SETS[name].questions
    if size > wanted:
        raise ReportError(
            f"{run.folder}: {size:,} questions of {name} have an answer, and MERA's set has {wanted:,}: --dataset "
            "official asks those"
        )
    if size < wanted:
        told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in sorted(missing.items()) if count)
        ended = f" ({told})" if told else ""
        raise ReportError(
            f"{run.folder}: {size:,} of {wanted:,} questions of {name} have an answer{ended}: MERA takes the whole "
            f"set; python run_lighteval.py --resume {run.folder} --full asks the rest"
        )


def _add(run: Run, question: int | str, answers: list[Shown], shown: Shown) -> None:
    """Add a further answer to a question.

    Raises:
        ReportError: it is one to the same repeat, of another task or another question of the same number.
    """
    for other in answers:
        if other.record["repeat"] == shown.record["repeat"]:
            raise ReportError(
                f"{run.folder}: question {question} is answered by {other.task} {other.name} and by {shown.task} "
                f"{shown.name}: which one counts?"
            )
    answers.append(shown)
    answers.sort(key=lambda one: one.record["repeat"])


def _line(number: int, answers: Sequence[Shown]) -> dict[str, Any]:
    first = answers[0]
    sent = [{"role": role, "content": text} for role, text in first.messages]
    doc = {"meta": {"id": number, "base_id": first.record["id"]}}
    return harness_line(number, doc, sent, [one.raw for one in answers])


def _logs(run: Run, name: str, samples: str) -> dict[str, bytes]:
    """What stands behind the answers: each with what was sent, the run's own record, and its table."""
    kept = {f"{name}/samples_{re.sub('.json$', '', _SETS[name].file)}.jsonl": samples.encode()}
    for file in ("run.json", "table.txt"):
        path = run.folder / file
        if path.is_file():
            kept[f"{name}/{file}"] = path.read_bytes()
    return kept
