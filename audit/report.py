"""Words estimates and panels as lines for a terminal."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from audit.estimates import GENERATOR, Estimate, GraderEstimate, Rate
from audit.panel import Panel, Row
from audit.statistics import Interval, Kappa
from audit.wording import LOOSE_NOTE, is_loose

__all__ = ["estimate_lines", "panel_lines"]


_NAMED: Final = 10  # fixtures on one line


def estimate_lines(found: Estimate, *, title: str) -> Iterator[str]:
    """The lines that report the estimates of a round."""
    yield f"{title}: {_label_count(found)}"
    if len(found.reviewers) == 1:
        yield "  one reviewer: the leans stand for the consensus, and there is no kappa"
    for name, kappa in found.kappas.items():
        yield f"  kappa of {name}: {_kappa(kappa)}"
    rows = [("grader", "wrong", "95% bootstrap", "95% score", "false pass", "false fail", "decided")]
    rows += [
        (
            one.grader,
            _percent(one.error.value),
            _interval(one.error.bootstrap),
            _interval(one.error.score),
            _with_interval(one.false_pass),
            _with_interval(one.false_fail),
            _decided(one),
        )
        for one in found.graders
    ]
    yield from _table(rows)
    for one in found.graders:
        if one.undefined:
            yield f"  {one.grader}: no rate: {one.undefined}"
    yield from _strata(found.graders)
    loose = [one.grader for one in found.graders if is_loose(one.grader)]
    if loose:
        yield f"  {', '.join(loose)}: {LOOSE_NOTE}"
    decided, against = found.fixtures
    if decided:
        more = f" and {len(against) - _NAMED} more (estimate.json)" if len(against) > _NAMED else ""
        named = f": {', '.join(against[:_NAMED])}{more}" if against else ""
        yield f"  fixtures: the consensus contradicts {len(against)} of {decided} labels{named}"
    yield f"  bootstrap: {found.resamples} resamples within strata, {GENERATOR}, seed {found.seed}; score: Wilson"


def _label_count(found: Estimate) -> str:
    """How many cases there are, how many have a label of every reviewer, and how many of them are decided."""
    if not found.labelled and found.decided:
        return f"{found.cases} cases, {found.decided} decided; the reviewers' leans are not given"
    by = " and ".join(found.reviewers)
    return f"{found.cases} cases, {found.labelled} labelled by {by}, {found.decided} decided"


def _decided(one: GraderEstimate) -> str:
    """How many of the cases that weigh in a grader's rate have a consensus and a verdict of the grader."""
    weighing = [count for count in one.strata if count.population]
    return f"{sum(count.decided for count in weighing)} of {sum(count.cases for count in weighing)}"


def _strata(graders: Sequence[GraderEstimate]) -> Iterator[str]:
    rows: list[tuple[str, ...]]
    rows = [("grader", "stratum", "population", "cases", "decided", "no verdict", "false passes", "false fails")]
    for one in graders:
        for count in one.strata:
            if count.cases or count.population:
                numbers = (count.population, count.cases, count.decided, count.no_verdict)
                wrong = (count.false_passes, count.false_fails)
                rows.append((one.grader, count.name, *(str(number) for number in (*numbers, *wrong))))
    yield from _table(rows)


def _kappa(kappa: Kappa) -> str:
    if kappa.value is not None:
        shares = f"observed {kappa.observed:.3f}, by chance {kappa.expected:.3f}"
        return f"{kappa.value:.3f} over {kappa.cases} cases ({shares})"
    why = "both reviewers gave one and the same label throughout" if kappa.cases else "no case has two labels"
    return f"undefined over {kappa.cases} cases: {why}"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.2f}%"


def _interval(interval: Interval | None) -> str:
    return "undefined" if interval is None else f"[{100 * interval.low:.2f}, {100 * interval.high:.2f}]"


def _with_interval(rate: Rate) -> str:
    return _percent(rate.value) if rate.bootstrap is None else f"{_percent(rate.value)} {_interval(rate.bootstrap)}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def panel_lines(panel: Panel) -> Iterator[str]:
    """The lines that describe a panel: a table of its runs, and one of its graders and how they differ."""
    rows: list[tuple[str, ...]]
    rows = [("config", "run", "responses", "infrastructure", "truncated", "unclosed", "degenerate")]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in panel.rows:
        groups.setdefault((row.config, row.run), []).append(row)
    for (config, run), members in groups.items():
        flags = (
            sum(row.infrastructure for row in members),
            sum(row.truncated for row in members),
            sum(row.extraction != "ok" for row in members),
            sum(row.degenerate for row in members),
        )
        rows.append((config, run, str(len(members)), *(str(flag) for flag in flags)))
    yield from _table(rows)
    graded = [graded for row in panel.rows if not row.infrastructure for graded in row.constraints]
    passed, judged, crashed = Counter[str](), Counter[str](), Counter[str]()
    for one in graded:
        crashed.update(one.crashed)
        for grader, verdict in one.verdicts.items():
            judged[grader] += verdict is not None
            passed[grader] += verdict is True
    # One column a grader, by its number: how many verdicts of both differ.
    numbers = range(1, len(panel.graders) + 1) if len(panel.graders) > 1 else ()
    counts = [("", "grader", "verdicts", "passed", "crashes", "not judged", *(f"vs {n}" for n in numbers))]
    unlike = _unlike(panel.graders, [one.verdicts for one in graded])
    for number, grader in enumerate(panel.graders, 1):
        asked = sum(grader in one.verdicts for one in graded)
        share = f"{passed[grader]} ({100 * passed[grader] / judged[grader]:.1f}%)" if judged[grader] else "n/a"
        numbers_of = (str(judged[grader]), share, str(crashed[grader]), str(asked - judged[grader]))
        others = (unlike[grader, other] for other in panel.graders) if numbers else ()
        counts.append((str(number), grader, *numbers_of, *others))
    yield from _table(counts)
    if numbers:
        yield "  vs N: verdicts that differ from those of grader N, of all that both graders have"
    for note in panel.notes:
        yield f"  note: {note}"


def _unlike(graders: Sequence[str], verdicts: Sequence[Mapping[str, bool | None]]) -> dict[tuple[str, str], str]:
    """For each pair of graders, the number of verdicts on which they differ, of those that both have."""
    found = {(grader, grader): "-" for grader in graders}
    for first, second in combinations(graders, 2):
        pairs = [(one.get(first), one.get(second)) for one in verdicts]
        both = [pair for pair in pairs if None not in pair]
        shown = f"{sum(a != b for a, b in both)}/{len(both)}" if both else "n/a"
        found[first, second] = found[second, first] = shown
    return found
