"""How large a run must be to show a difference: questions, and answers a question."""

from collections.abc import Iterator, Sequence
from typing import Any

from metrics.decision.power import DISCORDANCE, questions_needed, repeats_needed, smallest_difference
from report.errors import ReportError
from report.wording import aligned, points, seen_points
from tasks.registry import BENCHMARK_NAMES, benchmark

__all__ = ["plan", "plan_lines", "set_sizes"]


def set_sizes() -> dict[str, int]:
    """Questions of the sets that this package brings along, by benchmark and name."""
    return {
        f"{name} {dataset}": shipped.rows["test"]
        for name in BENCHMARK_NAMES
        for dataset, shipped in benchmark(name).facts.shipped.items()
    }


def plan(
    difference: float, discordance: float | None, within: float, sizes: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """What it takes to show a difference at 80%.

    Args:
        difference: the true difference that is to be found, a share.
        discordance: the share of questions on which the runs disagree; None for the usual one, or for as much as the
            difference needs.
        within: the share of that disagreement which is one run disagreeing with its own repeats.
        sizes: names and numbers of questions of sets.

    Raises:
        ReportError: a number out of its range, or a difference that such a discordance does not allow.
    """
    if discordance is None:
        discordance = max(DISCORDANCE, difference)
    if discordance < difference:
        raise ReportError(
            f"runs that disagree on {discordance:.1%} of the questions cannot differ by {points(difference)}: "
            f"--discordance {difference:g} is the least that allows it"
        )
    try:
        needed = questions_needed(difference, discordance)
        sets = {
            name: {
                "questions": size,
                "smallest_difference": smallest_difference(size, discordance),
                "repeats": repeats_needed(difference, size, discordance, within=within),
            }
            for name, size in sizes
        }
    except ValueError as error:
        raise ReportError(str(error)) from None
    except OverflowError:
        raise ReportError("the numbers given lead to others that are too large to be reckoned with") from None
    return {
        "difference": abs(difference),
        "discordance": discordance,
        "within": within,
        "questions": needed,
        "repeats": {name: found["repeats"] for name, found in sets.items()},
        "sets": sets,
    }


def plan_lines(found: dict[str, Any]) -> Iterator[str]:
    """The lines that report a plan."""
    yield (
        f"a difference of {points(found['difference'])} between two runs over the same questions, "
        f"{found['discordance']:.0%} discordance, two-sided at 5%: {found['questions']} questions find it at 80%, "
        "one answer each"
    )
    rows = [("set", "questions", "smallest difference", "repeats needed")]
    for name, one in found["sets"].items():
        repeats = "none are enough" if one["repeats"] is None else str(one["repeats"])
        rows.append((name, str(one["questions"]), seen_points(one["smallest_difference"]), repeats))
    yield from aligned(rows)
    least = "at best, if all" if found["within"] == 1 else f"if {found['within']:.0%}"
    yield (
        f"  repeats: answers a question in both runs, {least} of the disagreement is one model disagreeing with itself "
        "(--within; compare shows that share for runs with --repeats)"
    )
