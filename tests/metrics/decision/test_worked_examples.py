"""The worked examples of ``docs/statistics.md``: what the page says is what the functions give."""

from pathlib import Path

import pytest

from metrics.decision.evidence import PairedEvidence
from metrics.decision.paired import holm, mcnemar, paired_difference, variance_split
from metrics.decision.power import questions_needed, repeats_needed, smallest_difference
from metrics.decision.sequences import MeanOfSet, ShareOfSet
from metrics.decision.swaps import mcnemar_clustered
from metrics.stats import share_interval, wilson_interval

PAGE = " ".join((Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8").split())


def points(interval):
    """An interval in points, as the page writes it."""
    return "{:.1f} to {:.1f}".format(*(100 * end for end in interval))


def percent(interval):
    """An interval in per cent, as the page writes it."""
    return "{:.1f}% to {:.1f}%".format(*(100 * end for end in interval))


def paired(won, lost, tied, **more):
    """Two runs of verdicts."""
    return paired_difference([0.0] * won + [1.0] * (lost + tied), [1.0] * won + [0.0] * lost + [1.0] * tied, **more)


def evidence(won, lost, tied):
    """Verdicts of two runs, in any order."""
    found = PairedEvidence()
    for a, b in [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * tied:
        found.add(a, b)
    return found


def test_one_run():
    """Wilson's intervals."""
    assert percent(share_interval([1] * 60 + [0] * 140, [1] * 200)) in PAGE
    assert f"None of 4 passed: 0% to {100 * share_interval([0] * 4, [1] * 4).high:.1f}%" in PAGE
    assert percent(share_interval([2] * 30 + [1] * 20 + [0] * 50, [2] * 100)) in PAGE
    assert percent(wilson_interval(0.4, 200)) in PAGE


def test_two_runs():
    """Differences, clusters and tests."""
    found = paired(220, 158, 882)
    assert f"difference is {100 * found.value:.1f} points, the interval {points(found.interval)}" in PAGE
    assert "mid-p {:.4f}, exact {:.4f}".format(*mcnemar(220, 158)) in PAGE
    assert f"up to {100 * paired(0, 0, 1_260).interval.high:.1f} points on 1,260" in PAGE
    assert f"up to {100 * paired(0, 0, 300).interval.high:.1f} on 300" in PAGE
    b = [float(index < [6, 4, 2, 0, 3][document % 5]) for document in range(55) for index in range(15)]
    found = paired_difference([0.0] * 825, b, clusters=[index // 15 for index in range(825)])
    assert f"{points(found.interval)} points. By documents: {points(found.interval_clustered)}." in PAGE
    shared = mcnemar_clustered([1] * 20 + [-1] * 4, [index // 4 for index in range(24)])
    assert f"20 to 4, exact {mcnemar(20, 4).p_exact:.4f}." in PAGE
    assert f"14 are as far apart, which is {shared.p_exact:.2f}." in PAGE
    assert shared.p_exact == pytest.approx(14 / 64)
    assert holm([0.004, 0.03, 0.02]) == pytest.approx([0.012, 0.04, 0.04])
    assert "become 0.012, 0.04 and 0.04" in PAGE


def test_repeats_and_power():
    """The split of the variance, and what a number of questions shows."""
    split = variance_split([[1, 0], [1, 1], [0, 0], [0, 1]])
    assert (split.within, round(split.between, 3), split.share_within, split.repeats_enough) == (0.25, 0.042, 0.75, 5)
    shown = [round(100 * smallest_difference(questions), 1) for questions in (1_260, 825, 100)]
    assert "1,260 questions show {} points, 825 show {}, 100 show {}.".format(*shown) in PAGE
    assert f"3 points need {questions_needed(0.03):,} questions" in PAGE
    assert (repeats_needed(0.04, 1_260, within=0.5), repeats_needed(0.02, 1_260, within=0.5)) == (2, None)


def test_a_watched_run():
    """Sequences and evidence."""
    share, mean = ShareOfSet(1_260), MeanOfSet(825)
    for index in range(200):
        share.add(index < 60)
    for index in range(100):
        mean.add([0, 0.5, 1, 0.25][index % 4])
    assert percent(share.interval) in PAGE
    assert percent(mean.interval) in PAGE
    assert f"2^8 / 9 = {evidence(8, 0, 0).two_sided:.0f}" in PAGE
    found, less = evidence(40, 16, 130), evidence(40, 18, 130)
    assert f"any number of ties: {found.two_sided:.0f}," in PAGE
    assert "between {:.1f} and {:.0f} points".format(*(100 * end for end in found.interval)) in PAGE
    assert (found.decision, less.decision, less.beats) == ("better", None, True)
    assert f"has {less.better:.1f} and is decided" in PAGE
