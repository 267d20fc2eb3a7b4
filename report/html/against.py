"""The runs of a page held against its first one: what moved, and who won which question."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from report.comparison.comparing import Comparison, compare
from report.comparison.pairing import pairs_of
from report.comparison.wording import comparison_lines
from report.errors import ReportError
from report.html.view import RunView
from report.loading import Loaded, load_runs
from runs.files import FileError

__all__ = ["KINDS", "Against", "against_first"]

KINDS = ("won", "lost", "tied", "missing")


class Against(NamedTuple):
    """One run against the first.

    Attributes:
        run: its number on the page.
        comparisons: one a task; empty where the runs do not compare.
        words: for each of them what ``report compare`` prints.
        refusal: why they do not compare; empty where they do.
    """

    run: int
    comparisons: list[Comparison]
    words: list[str]
    refusal: str

    def kinds(self) -> dict[tuple[str, Hashable], str]:
        """Who won: benchmark and question -> one of KINDS."""
        return {
            (one.pair.task.benchmark, question): kind
            for one in self.comparisons
            for kind in KINDS
            for question in getattr(one.questions, kind)
        }


def against_first(runs: Sequence[RunView], common: bool = False) -> list[Against]:
    """Every run but the first against it; what does not compare says why, and does not stop the others.

    Args:
        runs: of the page.
        common: as for :func:`report.comparison.pairing.pairs_of`.
    """
    if len(runs) < 2:
        return []
    refusals: dict[int, str] = {}
    loaded = {run.number: one for run in runs if (one := _loaded(run, refusals)) is not None}
    first, *others = [run.number for run in runs]
    for number in others:
        if first in refusals:
            refusals[number] = refusals[first]
        elif number in loaded:
            try:
                pairs_of(loaded[first], loaded[number], common)
            except ReportError as error:
                refusals[number] = str(error)
    good = [number for number in others if number not in refusals]
    found = compare(loaded[first], [loaded[number] for number in good], common) if good else []
    words = {number: _words(of, len(good)) for number, of in zip(good, found, strict=True)}
    comparisons = dict(zip(good, found, strict=True))
    return [
        Against(number, comparisons.get(number, []), words.get(number, []), refusals.get(number, ""))
        for number in others
    ]


def _loaded(run: RunView, refusals: dict[int, str]) -> Loaded | None:
    try:
        [one] = load_runs([run.run.folder], [run.run.name])
    except (ReportError, FileError) as error:
        refusals[run.number] = str(error)
        return None
    return one


def _words(comparisons: Sequence[Comparison], runs: int) -> list[str]:
    return ["\n".join(comparison_lines(one, runs)) for one in comparisons]
