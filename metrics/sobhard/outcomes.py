"""Verdicts that several families build: a comparison with something computed, a question without sense, long lists."""

from typing import Any, Final

from metrics.sobhard.comparison import Comparison, compare
from metrics.sobhard.context import Context
from metrics.sobhard.question import Expected
from metrics.sobhard.values import MAX_NODES, TooLargeError
from metrics.sobhard.wording import failed, nouns, passed, shown
from metrics.verdict import Verdict

__all__ = ["MAX_LISTED", "as_expected", "broken", "equal", "listed", "too_large"]

MAX_LISTED: Final = 3


def equal(found: Comparison, what: str) -> Verdict:
    """The verdict of a comparison with what is expected. Codes: ``ok``, ``differs``."""
    first = found.first
    if first is None:
        return passed(f"equal to {what}", 0, 0)
    total = sum(found.counts.values())
    more = f" ({nouns(total, 'difference')} in all)" if total > 1 else ""
    return failed("differs", f"against {what}, {first.reason}{more}", first.observed, first.wanted)


def as_expected(context: Context, expected: Expected, what: str, coerce: bool) -> Verdict:
    """The same for a computed expectation. Codes: ``ok``, ``differs``, ``broken-question``."""
    if expected.problem:
        return broken(expected)
    return equal(compare(context.pred, expected.value, coerce), what)


def broken(expected: Expected) -> Verdict:
    """The failing verdict of a question whose own data gives no expectation. Code: ``broken-question``."""
    return failed("broken-question", f"the question's own data gives nothing to compare with: {expected.problem}")


def too_large() -> TooLargeError:
    """What a check raises where aliases make the answer too large for it."""
    return TooLargeError(f"aliases make the answer endless, or larger than {MAX_NODES} values")


def listed(names: list[Any]) -> str:
    """The first three of some values, and how many more there are."""
    text = ", ".join(shown(name) for name in names[:MAX_LISTED])
    return f"{text} and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else text
