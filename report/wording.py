"""Words that all commands use: points, intervals, columns."""

from collections.abc import Collection, Iterator, Sequence

from metrics.stats import Interval

__all__ = ["aligned", "interval_words", "points", "seen_points"]


def points(share: float) -> str:
    """A difference of shares in points."""
    return f"{100 * share:.1f} points"


def seen_points(share: float) -> str:
    """The smallest difference that can be seen, in points; a formula for large numbers of questions made it."""
    return points(share) if share <= 1 else "larger than any"


def interval_words(interval: Interval | None) -> str:
    """The ends with their signs; empty for none."""
    return "" if interval is None else f"[{interval.low:+.4f}, {interval.high:+.4f}]"


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> Iterator[str]:
    """Rows as lines, columns under each other; those with a number in ``left`` begin, the others end in line."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()
