"""The repeat check: how many answers and verdicts differ between two runs of one set, or the repeats of one run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.record import Record
from report.errors import ReportError
from report.loading import Answer, Loaded
from report.wording import aligned
from runs.sameness import unlike
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["Check", "check_form", "check_lines", "check_repeats", "check_runs"]


@dataclass(slots=True)
class Check:
    """How steady answers are.

    Attributes:
        pairs: answers to one question that were held against each other.
        unlike_answers: pairs whose answers differ, reasoning aside.
        unlike_scores: pairs whose headline values differ.
        verdicts: verdicts held against each other, by (grader, type).
        flipped: of them those that differ.
        unlike_prompts: pairs whose questions were put in other words; nothing else of them is counted.
        lost: pairs without an answer or a verdict on one side.
        only_first, only_second: answers that have no counterpart.
        notes: what differs between the runs besides their answers.
    """

    pairs: int = 0
    unlike_answers: int = 0
    unlike_scores: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    flipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    unlike_prompts: int = 0
    lost: int = 0
    only_first: int = 0
    only_second: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, first: Answer, second: Answer, score: str) -> None:
        """Hold two answers to one question against each other.

        Args:
            first, second: the answers.
            score: name of the headline that they are scored by.
        """
        if any(answer.record["outcome"] != "answered" for answer in (first, second)):
            self.lost += 1
        elif first.prompt != second.prompt:
            self.unlike_prompts += 1
        else:
            self.pairs += 1
            self.unlike_answers += first.text != second.text
            ours, theirs = (answer.record["scores"].get(score) for answer in (first, second))
            self.unlike_scores += ours != theirs
            self._add_verdicts(first.record, second.record)

    def _add_verdicts(self, first: Record, second: Record) -> None:
        ours, theirs = _by_place(first), _by_place(second)
        for grader, name, place in sorted(ours.keys() & theirs.keys()):
            a, b = ours[grader, name, place], theirs[grader, name, place]
            if a is not None and b is not None:
                self.verdicts[grader, name] += 1
                self.flipped[grader, name] += a != b


def _by_place(record: Record) -> dict[tuple[str, str, int], bool | None]:
    """Verdicts by grader, type, and which of that type: SOBHard's places depend on the answer."""
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for verdict in record["verdicts"]:
        key = verdict["grader"], verdict["id"]
        found[*key, seen[key]] = verdict["passed"]
        seen[key] += 1
    return found


def check_runs(first: Loaded, second: Loaded) -> dict[TaskName, Check]:
    """Hold each answer of a run against the same question's and repeat's answer of another.

    Raises:
        ReportError: they have no task in common.
    """
    tasks = [task for task in first.tasks if task in second.tasks]
    if not tasks:
        raise ReportError(f"{first.run.name} and {second.run.name} have no task in common")
    found = {}
    for task in tasks:
        ours, theirs = (_by_repeat(run.tasks[task]) for run in (first, second))
        check = Check(
            only_first=len(ours.keys() - theirs.keys()),
            only_second=len(theirs.keys() - ours.keys()),
            notes=[f"the runs differ in {one}" for one in unlike(first.run, second.run, task)],
        )
        if first.run.folder.resolve() == second.run.folder.resolve():
            check.notes.append("both are the same folder")
        for key in sorted(ours.keys() & theirs.keys()):
            check.add(ours[key], theirs[key], _score(task))
        found[task] = check
    return found


def check_repeats(loaded: Loaded) -> dict[TaskName, Check]:
    """Hold each later answer to a question against the first one.

    Raises:
        ReportError: the run has no repeats.
    """
    found = {}
    for task, answers in loaded.tasks.items():
        check = Check()
        held = _by_repeat(answers)
        for question, repeat in sorted(held):
            if repeat and (first := held.get((question, 0))) is not None:
                check.add(first, held[question, repeat], _score(task))
            elif repeat:
                check.only_second += 1
        found[task] = check
    if not any(answer.record["repeat"] for answers in loaded.tasks.values() for answer in answers):
        raise ReportError(f"{loaded.run.folder} has no repeats: name a second run, or run it with --repeats 2")
    return found


def _by_repeat(answers: Iterable[Answer]) -> dict[tuple[Any, int], Answer]:
    return {(answer.question, answer.record["repeat"] or 0): answer for answer in answers}


def _score(task: TaskName) -> str:
    return benchmark(task.benchmark).metrics[0].name


def check_lines(found: Mapping[TaskName, Check], title: str) -> Iterator[str]:
    """The lines that report a check."""
    for task, check in found.items():
        yield (
            f"{task}, {title}: {check.unlike_answers} of {check.pairs} answers differ, {check.unlike_scores} differ in "
            f"{_score(task)}"
        )
        yield from (f"  note: {note}" for note in check.notes)
        for count, words in (
            (check.unlike_prompts, "questions were asked in other words and are not compared"),
            (check.lost, "questions have no answer or no verdict on one side"),
            (check.only_first, "answers are in the first alone"),
            (check.only_second, "answers are in the second alone"),
        ):
            if count:
                yield f"  {count} {words}"
        graders = sorted({grader for grader, _ in check.verdicts})
        for grader in graders:
            seen, flipped = (
                sum(n for (of, _), n in part.items() if of == grader) for part in (check.verdicts, check.flipped)
            )
            yield f"  {grader}: {flipped} of {seen} verdicts flip"
        yield from _types(check, graders)


def _types(check: Check, graders: Sequence[str]) -> Iterator[str]:
    """A row for each type of which a verdict flips, the steadiest last; a column for each grader."""
    names = {name for _, name in check.flipped if any(check.flipped[grader, name] for grader in graders)}
    rows = [("type", *graders)]
    for name in sorted(names, key=lambda name: (-sum(check.flipped[grader, name] for grader in graders), name)):
        cells = (f"{check.flipped[grader, name]} of {check.verdicts[grader, name]}" for grader in graders)
        rows.append((name, *cells))
    if names:
        yield from (f"  {line}" for line in aligned(rows))


def check_form(runs: Sequence[str], found: Mapping[TaskName, Check]) -> dict[str, Any]:
    """What ``report repeats --json`` writes."""
    return {"runs": list(runs), "tasks": {str(task): _form(check) for task, check in found.items()}}


def _form(check: Check) -> dict[str, Any]:
    by_grader: dict[str, dict[str, dict[str, int]]] = {}
    for (grader, name), count in sorted(check.verdicts.items()):
        by_grader.setdefault(grader, {})[name] = {"verdicts": count, "flipped": check.flipped[grader, name]}
    return {
        "answers": {"compared": check.pairs, "differ": check.unlike_answers, "scores_differ": check.unlike_scores},
        "verdicts": {"compared": check.verdicts.total(), "flipped": check.flipped.total()},
        "types": by_grader,
        "unlike_prompts": check.unlike_prompts,
        "missing": check.lost,
        "only_first": check.only_first,
        "only_second": check.only_second,
        "notes": check.notes,
    }
