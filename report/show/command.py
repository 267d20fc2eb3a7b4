"""``report show``: the answers of one run that are wanted, on a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from metrics.reasons import nouns
from report.answers import Shown, shown_answers
from report.errors import ReportError
from report.printable import one_line
from report.show.paging import paged
from report.show.selection import Wanted, select, why_none
from report.show.showing import Manner, ending_word, show_answer
from runs.folder import ENDED, Run, open_run

__all__ = ["show"]

_FIRST: Final = 5  # answers shown where nothing was asked for in particular


def show(folder: Path, wanted: Wanted, most: int | None, manner: Manner) -> None:
    """Write the answers of a run that are wanted.

    Args:
        folder: the run's folder.
        wanted: which answers.
        most: how many of them at most; None for all, or for the first few where nothing is wanted in particular.
        manner: how much of each.

    Raises:
        FileError, ReportError: the run cannot be read, or has no answer of an id or category.
    """
    run = open_run(folder)
    found = list(shown_answers(run))
    if not found:
        raise ReportError(f"{folder}: its details hold no answers")
    chosen = select(found, wanted)
    if most is None and not any(wanted):
        most = _FIRST
    if wanted.ids:
        manner = manner._replace(whole=True)
    with paged() as page:
        for line in _heading(run, found):
            page.line(line)
        page.line()
        shown = chosen[:most]
        for number, answer in enumerate(shown, start=1):
            show_answer(page, answer, f"{number} of {len(chosen)}", manner)
        if not chosen:
            page.line(one_line(why_none(found, wanted)))
        elif len(shown) < len(chosen):
            page.line(_more(len(shown), len(chosen)))


def _heading(run: Run, found: Sequence[Shown]) -> Iterator[str]:
    """The run, and how the answers of each task ended."""
    yield one_line(f"{run.name}: {run.config}, run {run.status}")
    if run.status not in ENDED:
        yield "note: the run went on after its last table; these are the answers of that table"
    for task in dict.fromkeys(shown.task for shown in found):
        words = Counter(ending_word(shown) for shown in found if shown.task == task)
        counts = ", ".join(f"{count} {word.lower()}" for word, count in sorted(words.items()))
        yield f"{task}: {nouns(sum(words.values()), 'answer')}: {counts}"


def _more(shown: int, of: int) -> str:
    return (
        f"{shown} of {of} answers shown; choose by --failed [N], --category X (a requirement, tier, family, topic...), "
        "--id ID or --search TEXT; --whole and --reasoning show more of each"
    )
