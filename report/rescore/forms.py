"""A run that was scored again, as JSON and as lines for a terminal."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from endpoints.errors import one_line
from metrics.headlines import NO_SPREAD
from metrics.reasons import nouns
from metrics.record import VerdictRecord
from metrics.summary import Headline
from report.comparison.changes import Change
from report.comparison.forms import change_form
from report.forms import ends_form
from report.rescore.rescored import RescoredTask, VerdictChange
from report.rescore.rescoring import Rescored
from report.wording import aligned, interval_words

__all__ = ["rescored_form", "rescored_lines"]

_EXAMPLES: Final = 3  # of one way in which a requirement's verdict changed
_GROUPS: Final = 20  # ways that are shown
_WORDS: Final = 160  # characters of a reason
_KINDS: Final = ("verdict", "code", "words")


def rescored_form(found: Rescored) -> dict[str, Any]:
    """What ``report rescore`` writes: ``{"run", "source", "scorers", "tasks", "notes"}``, every change in full."""
    return {
        "run": found.run.name,
        "source": found.source,
        "scorers": {name: {"then": then, "now": now} for name, (then, now) in found.scorers.items()},
        "tasks": {str(task.task): _task_form(task) for task in found.tasks},
        "notes": found.notes,
    }


def _task_form(task: RescoredTask) -> dict[str, Any]:
    headlines: dict[str, dict[str, Any]] = {one.name: {"before": None, "after": _headline(one)} for one in task.after}
    for one in task.before:
        headlines.setdefault(one.name, {"after": None})["before"] = _headline(one)
    for moved in task.differences:
        headlines.setdefault(moved.name, {})["change"] = change_form(moved)
    return {
        "answers": task.answers[0],
        "missing": task.answers[1],
        "verdicts": sum(task.verdicts.values()),
        "changed": {kind: len(task.of_kind(kind)) for kind in _KINDS},
        "changed_answers": len({one.answer for one in task.of_kind("verdict")}),
        "requirements": _requirements(task),
        "changes": [
            {
                "id": one.answer,
                "requirement": one.requirement,
                "grader": one.grader,
                "place": one.place,
                "kind": one.kind,
                "before": _verdict(one.before),
                "after": _verdict(one.after),
            }
            for one in task.changes
        ],
        "outcomes": [{"id": a, "before": b, "after": c, "error": why} for a, b, c, why in task.outcomes],
        "unreadable": [{"problem": problem, "ids": ids} for problem, ids in task.unreadable.items()],
        "values": dict(task.values),
        "headlines": headlines,
        "recorded": {name: {"run_json": then, "verdicts": now} for name, (then, now) in task.recorded.items()},
    }


def _headline(one: Headline) -> dict[str, Any]:
    return {
        "value": one.value,
        "interval": ends_form(one.interval),
        "method": one.method,
        "n": one.n,
        "bounds": None if one.bounds is None else list(one.bounds),
        "note": one.note,
    }


def _verdict(verdict: VerdictRecord | None) -> dict[str, Any] | None:
    told = ("passed", "code", "reason", "observed", "wanted")
    return None if verdict is None else {name: verdict[name] for name in told}  # type: ignore[literal-required]


def _requirements(task: RescoredTask) -> list[dict[str, Any]]:
    """By grader and requirement: how many verdicts there are, and how many of them changed in which way."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for one in task.changes:
        key = (one.grader, one.requirement)
        row = found.setdefault(
            key, {"grader": key[0], "requirement": key[1], "verdicts": task.verdicts.get(key, 0), "moves": {}}
        )
        way = one.move if one.kind == "verdict" else f"other {one.kind}"
        row["moves"][way] = row["moves"].get(way, 0) + 1
    return [found[key] for key in sorted(found)]


# Lines


def rescored_lines(found: Rescored) -> Iterator[str]:
    """The lines on a run; the command makes texts of strangers in them harmless."""
    where = "its details files" if found.source == "details" else "its journal"
    yield f"{found.run.name}: {found.run.config}, scored again from {where}; the run is as it was"
    for name, (then, now) in found.scorers.items():
        yield f"  scorer of {name}: {now} now, {then or 'not told'} then"
    yield from (f"  note: {note}" for note in found.notes)
    for task in found.tasks:
        yield ""
        yield from _task_lines(task, many=len({one.grader for one in task.changes}) > 1)


def _task_lines(task: RescoredTask, *, many: bool) -> Iterator[str]:
    total, missing = task.answers
    without = f" ({missing} without an answer)" if missing else ""
    changed = task.of_kind("verdict")
    told = f"{len(changed)} of {sum(task.verdicts.values())} verdicts changed" if task.before else "no earlier verdicts"
    several = f", in {nouns(len({one.answer for one in changed}), 'answer')}" if changed else ""
    yield f"{task.task}: {nouns(total, 'answer')}{without}, {told}{several}"
    for problem, ids in task.unreadable.items():
        yield (
            f"  not scored: {nouns(len(ids), 'answer')} whose question, as the run stored it, this version cannot read "
            f"({one_line(problem, _WORDS)}): {_ids(ids)}; --responses scores over a dataset of this version"
        )
    yield from _outcomes(task)
    rows: list[tuple[str, ...]] = [("requirement", "verdicts", "now passed", "now failed", "other")]
    rows += [_counts(row, many) for row in _requirements(task) if any("->" in move for move in row["moves"])]
    yield from aligned(rows) if len(rows) > 1 else ()
    yield from _why(changed, many)
    for kind, what in (("code", "another code of its reason"), ("words", "other words or values in its reason")):
        if same := task.of_kind(kind):
            yield f"  {nouns(len(same), 'verdict')} as before with {what}"
            yield from _why(same, many) if kind == "code" else ()
    if task.values:
        listed = ", ".join(f"{name} of {count}" for name, count in task.values.items())
        yield f"  values of answers that changed: {listed}"
    yield from _headlines(task)


def _outcomes(task: RescoredTask) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    unread = {name for ids in task.unreadable.values() for name in ids}
    for one in task.outcomes:
        if one.answer not in unread:
            groups[one.before, one.after, one.error].append(one.answer)
    for (before, after, error), ids in groups.items():
        why = f" ({one_line(error, _WORDS)})" if error else ""
        yield f"  {before} then, {after} now: {nouns(len(ids), 'answer')}{why}: {_ids(ids)}"


def _counts(row: dict[str, Any], many: bool) -> tuple[str, ...]:
    moves = {move: count for move, count in row["moves"].items() if "->" in move}
    ends = [sum(count for move, count in moves.items() if move.endswith(f"> {end}")) for end in ("passed", "failed")]
    counts = (row["verdicts"], *ends, sum(moves.values()) - sum(ends))
    return (_title(row["grader"], row["requirement"], many), *map(str, counts))


def _title(grader: str, requirement: str, many: bool) -> str:
    return f"{requirement} by {grader}" if many else requirement


def _why(changes: Sequence[VerdictChange], many: bool) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[VerdictChange]] = defaultdict(list)
    for one in changes:
        codes = " -> ".join("none" if verdict is None else verdict["code"] for verdict in (one.before, one.after))
        groups[_title(one.grader, one.requirement, many), one.move, codes].append(one)
    ranked = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    for (title, move, codes), of in ranked[:_GROUPS]:
        yield f"  {title}, {move}: {len(of)} ({codes})"
        for one in of[:_EXAMPLES]:
            words = (
                "-" if verdict is None else one_line(verdict["reason"], _WORDS) for verdict in (one.before, one.after)
            )
            yield f"    {one.answer}: {' -> '.join(words)}"
    if len(ranked) > _GROUPS:
        yield f"  and {len(ranked) - _GROUPS} more ways (--json has all)"


def _ids(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _EXAMPLES} more (--json has all)" if len(ids) > _EXAMPLES else ""
    return ", ".join(ids[:_EXAMPLES]) + more


def _headlines(task: RescoredTask) -> Iterator[str]:
    then = {one.name: one for one in task.before}
    moved = {one.name: one for one in task.differences}
    if not task.before:
        yield from aligned([("metric", "value", "95% interval"), *((one.name, *_value(one)) for one in task.after)])
        yield from _doubts(task)
        return
    rows = [("metric", "before", "95% interval", "after", "95% interval", "difference", "95% interval")]
    rows += [
        (one.name, *_value(then.get(one.name)), *_value(one), *_difference(moved.get(one.name))) for one in task.after
    ]
    yield from aligned(rows)
    yield "  differences are exact for these answers; their intervals, paired, are for questions like these"
    yield from _doubts(task)
    for name, (stored, given) in task.recorded.items():
        said = f"run.json has {name} {_number(stored)}"
        yield f"  note: {said}, the stored verdicts give {_number(given)} by the present formulas"


def _doubts(task: RescoredTask) -> Iterator[str]:
    """What the present intervals do not show."""
    for one in task.after:
        if one.interval is not None and one.interval.low == one.interval.high:
            yield f"  {one.name}: {NO_SPREAD}"
    rows = [("metric", "at least", "at most")]
    rows += [(one.name, *(f"{end:.4f}" for end in one.bounds)) for one in task.after if one.bounds is not None]  # type: ignore[misc]
    if len(rows) > 1:
        yield "  INCOMPLETE: the present values, whatever the answers without a verdict are worth:"
        yield from (f"  {line}" for line in aligned(rows))


def _difference(moved: Change | None) -> tuple[str, str]:
    if moved is None or moved.found is None:
        return "n/a", ""
    return f"{moved.found.value:+.4f}", interval_words(moved.interval)


def _value(one: Headline | None) -> tuple[str, str]:
    if one is None or one.value is None:
        return "n/a", ""
    low, high = one.interval if one.interval is not None else (None, None)
    return f"{one.value:.4f}", "" if low is None else f"[{low:.4f}, {high:.4f}]"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
