"""Plots as SVG that goes into a page and takes its colours from the page's theme."""

import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from io import StringIO
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from report.html.heat import Grid
from report.html.lengths import Bin
from report.printable import one_line

__all__ = ["COLOURS", "heat_plot", "length_plot"]

COLOURS: Final = 6  # of runs; page.css has as many
_STEPS: Final = 20  # of a heat map's colour
_LABEL: Final = 26  # characters
_WIDE: Final = 10  # lengths that differ by more are on a logarithmic scale
_INK, _MUTED, _LINE = "#010203", "#010204", "#010205"
# What stands in a plot for a colour of the theme.
_THEME: Final = {
    _INK: "var(--ink)",
    _MUTED: "var(--muted)",
    _LINE: "var(--line)",
    **{f"#0a0b{i:02x}": f"var(--run-{i})" for i in range(COLOURS)},
    **{
        f"#0c0d{i:02x}": f"color-mix(in oklab, var(--heat-1) {100 * i // _STEPS}%, var(--heat-0))"
        for i in range(_STEPS + 1)
    },
}
_MARKERS: Final = "osD^vP"
# Names of users are no formulas, and letters stay letters.
_STYLE: Final[dict[str, Any]] = {
    "text.parse_math": False,
    "svg.fonttype": "none",
    "font.size": 10,
    "text.color": _INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _MUTED,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def _style(name: str) -> Iterator[None]:
    """The same settings whatever the user's are; ``name`` tells the ids of one plot from those of another."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # fonts are the browser's
    try:
        with matplotlib.rc_context(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            matplotlib.rcdefaults()
            settings: Any = matplotlib.rcParams
            settings.update(_STYLE, **{"svg.hashsalt": name})
            yield
    finally:
        log.setLevel(level)


def length_plot(name: str, series: Sequence[tuple[int, Sequence[Bin]]], what: str) -> str:
    """Rates over lengths: for each bin its span, its rate and the rate's interval.

    Args:
        name: unique among the page's plots.
        series: a run's number on the page, and its bins.
        what: is counted.
    """
    with _style(name):
        figure = Figure(figsize=(4.6, 2.9), layout="constrained")
        axes = figure.add_subplot()
        for place, (run, bins) in enumerate(series):
            _draw_bins(axes, run, bins, place)
        _length_axis(axes, [bound for _, bins in series for one in bins for bound in (one.low, one.high)])
        axes.set_ylim(-0.04, 1.04)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.grid(axis="y", color=_LINE, linewidth=0.8)
        axes.tick_params(which="both", length=0)
        axes.set_axisbelow(True)
        return _svg(figure, f"{what} against the length of answers")


def _draw_bins(axes: Any, run: int, bins: Sequence[Bin], place: int) -> None:
    colour = f"#0a0b{run % COLOURS:02x}"
    middles = [(max(one.low, 1) * max(one.high, 1)) ** 0.5 * (1 + 0.03 * place) for one in bins]
    rates = [one.rate for one in bins]
    ends = [[one.rate - one.interval.low for one in bins], [one.interval.high - one.rate for one in bins]]
    axes.hlines(rates, [max(one.low, 1) for one in bins], [one.high for one in bins], color=colour, alpha=0.35, lw=4)
    axes.errorbar(
        middles, rates, yerr=ends, color=colour, lw=1.2, elinewidth=1.2, capsize=2, marker=_MARKERS[run % COLOURS],
        markersize=4.5, clip_on=False,
    )  # fmt: skip


def _length_axis(axes: Any, bounds: Sequence[int]) -> None:
    low, high = max(min(bounds), 1), max(max(bounds), 2)
    if high > _WIDE * low:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(_round_lengths(low, high))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", "\u202f")))
    axes.set_xlabel("characters of the answer")


def _round_lengths(low: int, high: int) -> list[int]:
    found = [digit * 10**power for power in range(len(str(high))) for digit in (1, 2, 5)]
    within = [length for length in found if low <= length <= high]
    return within if len(within) <= 7 else [length for length in within if str(length)[0] == "1"]


def heat_plot(name: str, grid: Grid) -> str:
    """A heat map with each cell's rate, and how many it is over.

    Args:
        name: unique among the page's plots.
        grid: what is shown.
    """
    with _style(name):
        labels = [_short(row) for row in grid.rows]
        width = 0.085 * max(map(len, labels)) + 0.82 * len(grid.columns)
        figure = Figure(figsize=(max(width, 2.4), 0.44 * len(labels) + 0.4), layout="constrained")
        axes = figure.add_subplot()
        for y, row in enumerate(grid.rows):
            for x, column in enumerate(grid.columns):
                _draw_cell(axes, x, y, grid.cells.get((row, column)))
        axes.set_xlim(-0.5, len(grid.columns) - 0.5)
        axes.set_ylim(len(grid.rows) - 0.5, -0.5)
        axes.set_xticks(range(len(grid.columns)), [_short(column) for column in grid.columns])
        axes.set_yticks(range(len(labels)), labels)
        axes.xaxis.tick_top()
        axes.tick_params(which="both", length=0)
        axes.spines[:].set_visible(False)
        for label in axes.get_yticklabels():
            label.set_color(_INK)
        return _svg(figure, f"heat map of pass rates by {' and '.join(filter(None, (grid.axis, grid.across)))}")


def _draw_cell(axes: Any, x: int, y: int, cell: tuple[float, int] | None) -> None:
    if cell is None:
        axes.text(x, y, "–", ha="center", va="center", color=_MUTED)
        return
    rate, n = cell
    colour = f"#0c0d{round(rate * _STEPS):02x}"
    axes.fill([x - 0.48, x + 0.48, x + 0.48, x - 0.48], [y - 0.46, y - 0.46, y + 0.46, y + 0.46], color=colour, lw=0)
    axes.text(x, y - 0.12, f"{rate:.0%}", ha="center", va="center", color=_INK, fontsize=10.5)
    axes.text(x, y + 0.25, f"n {n}", ha="center", va="center", color=_INK, alpha=0.75, fontsize=8)


def _short(label: str) -> str:
    label = one_line(label)
    return label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"


def _svg(figure: Figure, title: str) -> str:
    """The figure's element without what names a program or a moment, in the colours of the theme."""
    file = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(file, format="svg", metadata=nothing)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<(metadata|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r' id="[a-z0-9]+_[0-9]+"', "", text)  # numbers that every plot counts anew; nothing refers to them
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", text)
    text = re.sub(r"#0[0-9a-f]{5}\b", lambda found: _THEME.get(found[0], found[0]), text)
    head = re.match(r"<svg [^>]*viewBox=\"([\d. ]+)\"[^>]*>", text)
    assert head is not None  # what matplotlib begins with
    width = float(head[1].split()[2])
    opened = (
        f'<svg viewBox="{head[1]}" style="max-width: {width / 0.72:.0f}px" role="img" aria-label="{escape(title)}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return opened + text[head.end() :]
