"""``report show``: the answers of one run that are wanted, on a page."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from metrics.reasons import nouns
from report.answers import Shown, main_verdicts, shown_answers
from report.errors import ReportError
from report.printable import one_line
from report.show.paging import paged
from report.show.selection import Wanted, select, why_none
from report.show.showing import Manner, ending_word, show_answer
from runs.folder import ENDED, Run, open_run
from tasks.registry import benchmark

__all__ = ["show"]

_FIRST: Final = 5  # answers shown where nothing was asked for in particular
_WORST: Final = 5  # requirements named as those least often met
_KINDS: Final = 2  # of requirements; of one kind the answers themselves say it


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
        if rarest := _least_met([shown for shown in found if shown.task == task]):
            yield f"  least often met: {rarest}"


def _least_met(answers: Sequence[Shown]) -> str:
    """The requirements that fail most often, each with how often it is met; empty where there is one kind or none."""
    met: dict[str, list[bool]] = defaultdict(list)
    for shown in answers:
        for verdict in main_verdicts(benchmark(shown.task.benchmark), shown.record):
            if verdict["passed"] is not None:
                met[verdict["id"]].append(verdict["passed"])
    worst = sorted((sum(of) / len(of), -len(of), name) for name, of in met.items() if not all(of))
    if len(met) < _KINDS:
        return ""
    return one_line(", ".join(f"{name} {sum(met[name])} of {len(met[name])}" for _, _, name in worst[:_WORST]))


def _more(shown: int, of: int) -> str:
    return (
        f"{shown} of {of} answers shown; choose by --failed [N], --category X (a requirement, tier, family, topic...), "
        "--id ID or --search TEXT; --whole and --reasoning show more of each"
    )
