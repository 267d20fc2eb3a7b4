"""A value lies within its own interval and its own bounds, however unevenly a run was answered."""

import pytest
from hypothesis import given, settings
from made_records import BLOCKS, PLANS, plan_of, record, records_of

from tasks.registry import BENCHMARK_NAMES, benchmark

CLOSE = 1e-9  # of a share; sums in another order


def check(summary):
    """Every headline of a summary."""
    for headline in summary.headlines:
        if headline.bounds is not None:
            low, high = headline.bounds
            assert 0 <= low <= high <= 1, headline
        if headline.value is None:
            assert headline.interval is None, headline
            continue
        assert 0 <= headline.value <= 1, headline
        if headline.bounds is not None:
            assert low - CLOSE <= headline.value <= high + CLOSE, headline
        if headline.interval is not None:
            low, high = headline.interval
            assert -CLOSE <= low <= high <= 1 + CLOSE, headline
            assert low - CLOSE <= headline.value <= high + CLOSE, headline


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_half_of_the_questions_answered_more_often(name):
    """Ten questions answered four times and passed, ten answered once and failed: 40 of 50 answers pass."""
    bad = 2 if name != "hardmultiqa" else 1
    records = [record(name, number, repeat, 0, 0) for number in range(10) for repeat in range(4)]
    records += [record(name, number, 0, 0, bad) for number in range(10, 20)]
    summary = benchmark(name).summarise(records)
    main = summary.headlines[0]
    assert main.value == pytest.approx(0.8)
    assert main.interval.low < 0.8 < main.interval.high
    check(summary)
    # The other repeats of the last ten questions are missing.
    lost = [record(name, number, repeat, 0, -1) for number in range(10, 20) for repeat in range(1, 4)]
    summary = benchmark(name).summarise(records + lost)
    assert summary.headlines[0].value == pytest.approx(0.8)
    assert summary.headlines[0].bounds == (pytest.approx(40 / 80), pytest.approx(70 / 80))
    assert summary.headlines[0].coverage == (50, 80)
    check(summary)


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
@settings(max_examples=60)
@given(plan=PLANS)
def test_values_lie_within_their_intervals_and_bounds(name, plan):
    """Any outcomes, any numbers of repeats."""
    check(benchmark(name).summarise(records_of(name, plan)))


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
@settings(max_examples=60)
@given(blocks=BLOCKS)
def test_values_lie_within_their_intervals_where_outcomes_go_with_repeats(name, blocks):
    """Many like questions, answered unevenly often: the interval is narrow, and still around its value."""
    check(benchmark(name).summarise(records_of(name, plan_of(blocks))))
