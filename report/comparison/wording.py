"""Words comparisons as lines for a terminal."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

from metrics.decision.paired import VarianceSplit
from metrics.headlines import NO_SPREAD
from metrics.stats import LEVEL
from report.comparison.changes import Change
from report.comparison.comparing import Comparison, Group, level_of
from report.loading import spoken
from report.wording import aligned, interval_words, seen_points
from runs.folder import Run

__all__ = ["comparison_lines", "run_lines"]

_NAMED: Final = 8  # ids on one line
_MOVED: Final = 10  # groups shown where none moved for sure
_APART: Final = 0.2  # standard errors that differ by more are both shown


def run_lines(runs: Sequence[Run]) -> Iterator[str]:
    """What was compared: each run with its model."""
    rows = [("baseline" if i == 0 else f"run {i}", run.name, run.config) for i, run in enumerate(runs)]
    yield from aligned(rows)


def comparison_lines(one: Comparison, comparisons: int) -> Iterator[str]:
    """The lines on one task of one run against the baseline.

    Args:
        one: the comparison.
        comparisons: with how many runs the baseline is compared.
    """
    pair = one.pair
    yield f"{pair.task}: {pair.names[1]} against {pair.names[0]}, {len(pair.questions)} questions in both"
    yield from (f"  note: {note}" for note in pair.notes)
    level = f"{100 * level_of(comparisons):.4g}% interval"
    rows: list[tuple[str, ...]] = [("metric", "baseline", "run", "difference", level, "p (mid-p)", "p (exact)")]
    rows += [_cells(moved, one.p_holm.get(moved.name, {})) for moved in one.changes]
    if pair.clusters is not None:
        rows = [(*row, p) for row, p in zip(rows, ["p (clusters)", *_clustered(one)], strict=True)]
    yield from aligned(_filled(rows))
    yield from _footnotes(one, comparisons)
    yield from _questions(one)
    yield from _power(one)
    yield from (f"  repeats of {name}: {_split(split, one.questions.metric)}" for name, split in one.splits.items())
    yield from _groups(one, comparisons)


def _filled(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """A table without the columns that are empty below their titles: answers that are averaged have no p values."""
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    return [list(row) for row in zip(*columns, strict=True)]


def _split(split: VarianceSplit, metric: str) -> str:
    if split.share_within is None:
        return f"every answer has the same {metric}, so that they say nothing of its variance"
    return (
        f"{split.share_within:.0%} of the variance of its {metric} is between answers to one question; beyond "
        f"{split.repeats_enough} answers another one narrows the interval by less than 5%"
    )


def _cells(moved: Change, corrected: Mapping[str, float]) -> tuple[str, ...]:
    values = ["n/a" if value is None else f"{value:.4f}" for value in moved.values]
    if moved.found is None:
        return (moved.name, *values, "n/a", "", "", "")
    ps = [_p(corrected.get("p_mid", moved.p_mid)), _p(corrected.get("p_exact", moved.p_exact))]
    return (moved.name, *values, f"{moved.found.value:+.4f}", interval_words(moved.interval), *ps)


def _clustered(one: Comparison) -> Iterator[str]:
    """The exact p values of whole clusters, a metric each."""
    for moved in one.changes:
        yield _p(one.p_holm.get(moved.name, {}).get("p_exact_clustered", moved.p_exact_clustered))


def _footnotes(one: Comparison, comparisons: int) -> Iterator[str]:
    methods: dict[str, list[str]] = {}
    for moved in one.changes:
        if moved.found is not None:
            methods.setdefault(moved.method, []).append(moved.name)
    if methods:
        usual, *others = sorted(methods, key=lambda method: (-len(methods[method]), method))
        more = "".join(f"; {method} for {', '.join(methods[method])}" for method in others)
        yield f"  intervals: {usual}{more}"
    if one.pair.clusters is not None and one.pair.bench.cluster is not None:
        counts = f"{len(set(one.pair.clusters))} of them for {len(one.pair.clusters)} questions"
        by = f"{one.pair.bench.cluster[1]} ({counts})"
        if any(moved.p_mid is not None for moved in one.changes):
            yield f"  intervals and p (clusters) are clustered by {by}; the other p are not"
        else:
            yield f"  intervals are clustered by {by}"
    for moved in one.changes:
        found = moved.found
        if found is not None and found.se and found.se_clustered and abs(found.se_clustered / found.se - 1) > _APART:
            yield f"  {moved.name} if every question stood for itself: {interval_words(found.interval)}"
    unmoved = [moved.name for moved in one.changes if moved.found is not None and moved.found.se == 0 and _point(moved)]
    if unmoved:
        yield f"  {', '.join(unmoved)}: {NO_SPREAD}"
    if max(one.pair.repeats) > 1:
        counts = " and ".join(map(str, one.pair.repeats))
        yield f"  {counts} answers a question: each question is its answers' mean, and McNemar does not apply"
    if comparisons > 1:
        yield f"  {comparisons} runs against one baseline: intervals hold together at {LEVEL:.0%}, p values are Holm's"
    yield from _bounds(one)


def _point(moved: Change) -> bool:
    return moved.interval is not None and moved.interval.low == moved.interval.high


def _bounds(one: Comparison) -> Iterator[str]:
    """What the differences would be with the missing answers."""
    rows: list[tuple[str, ...]] = [("metric", "counted against", "counted for", "interval over both")]
    for moved in one.changes:
        if moved.bounds is not None:
            ends = (f"{end:+.4f}" for end in moved.bounds)
            rows.append((moved.name, *ends, interval_words(moved.outer)))
    if len(rows) > 1:
        yield f"  INCOMPLETE: differences with the missing answers counted against and for {one.pair.names[1]}:"
        yield from (f"  {line}" for line in aligned(rows))


def _questions(one: Comparison) -> Iterator[str]:
    found = one.questions
    yield (
        f"  questions, by {found.metric}: {len(found.won)} won, {len(found.lost)} lost, {len(found.tied)} tied, "
        f"{len(found.missing)} missing"
    )
    for what, questions in (("won", found.won), ("lost", found.lost), ("missing", found.missing)):
        if questions:
            yield f"    {what}: {_ids(questions)}"


def _ids(questions: Sequence[Hashable]) -> str:
    more = f" and {len(questions) - _NAMED} more (--json has all)" if len(questions) > _NAMED else ""
    return ", ".join(map(spoken, questions[:_NAMED])) + more


def _power(one: Comparison) -> Iterator[str]:
    discordance, observed = one.discordance
    if not math.isfinite(one.smallest):
        return
    how = "as observed" if observed else "usual of two models"
    yield (
        f"  the smallest difference of {one.questions.metric} that so many questions show at 80%: "
        f"{seen_points(one.smallest)} ({discordance:.1%} discordance, {how})"
    )


def _groups(one: Comparison, comparisons: int) -> Iterator[str]:
    groups = one.groups
    if not groups:
        return
    moved = sorted(
        (group for group in groups if group.p_clustered_holm <= 1 - LEVEL),
        key=lambda group: (group.p_clustered_holm, group.name),
    )
    tests = f"{len(groups)} groups" if comparisons == 1 else f"{len(groups)} groups and {comparisons} runs"
    over = "" if one.pair.clusters is None or one.pair.bench.cluster is None else f" by {one.pair.bench.cluster[1]}"
    how = f"sign tests{over}, Holm's correction for {tests}"
    yield f"  groups that moved ({how}):" if moved else f"  groups: none moved for sure ({how}); the least likely:"
    likely = sorted((group for group in groups if group.p < 1), key=lambda group: (group.p_clustered, group.name))
    shown = moved or likely[:_MOVED]
    rows: list[tuple[str, ...]] = [("group", "difference", "p", "p (Holm)", "questions")]
    rows += [_group(group) for group in shown]
    yield from (f"  {line}" for line in aligned(rows)) if shown else iter(("    every group is as it was",))


def _group(group: Group) -> tuple[str, ...]:
    ps = _p(group.p_clustered), _p(group.p_clustered_holm)
    return (group.name, f"{group.difference:+.4f}", *ps, str(group.questions))


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"
