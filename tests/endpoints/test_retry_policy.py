"""Backoff, jitter and Retry-After, without a server."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.retry import RetryPolicy, is_retried, retry_after_s

POLICY = RetryPolicy(max_attempts=5, base_s=1.0, cap_s=6.0, retry_after_cap_s=20.0)


class Highest(random.Random):
    """Jitter at its upper end."""

    def uniform(self, a, b):
        return b


@pytest.mark.parametrize(("failed", "bound"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 6.0), (2000, 6.0)])
def test_bound_of_the_wait_doubles_up_to_the_cap(failed, bound):
    """1, 2, 4 seconds, then the cap."""
    assert POLICY.wait_s(failed, None, Highest()) == bound


@settings(deadline=None)
@given(st.integers(1, 5000), st.integers())
def test_jitter_is_full(failed, seed):
    """The wait lies between nothing and the bound."""
    assert 0.0 <= POLICY.wait_s(failed, None, random.Random(seed)) <= POLICY.wait_s(failed, None, Highest())


def test_jitter_spreads_the_waits():
    """Requests that failed together do not come back together, and a seed repeats the waits."""
    draw = random.Random(1)
    waits = [POLICY.wait_s(1, None, draw) for _ in range(100)]
    assert len(set(waits)) == 100
    assert min(waits) < 0.1
    assert max(waits) > 0.9
    again = random.Random(1)
    assert waits == [POLICY.wait_s(1, None, again) for _ in range(100)]


@pytest.mark.parametrize(("asked", "low"), [(0.0, 0.0), (7.0, 7.0), (20.0, 20.0), (9999.0, 20.0)])
def test_server_is_waited_for_as_long_as_it_asks_within_the_cap(asked, low):
    """Never shorter than asked, up to the cap, and the jitter is on top."""
    assert low <= POLICY.wait_s(1, asked, random.Random(3)) <= low + 1.0
    assert POLICY.wait_s(4, asked, Highest()) == low + 1.0


def test_longest_waiting_is_the_sum_of_the_bounds():
    """Four waits between five attempts: 1 + 2 + 4 + 6."""
    assert POLICY.longest_waiting_s() == 13.0
    assert RetryPolicy(max_attempts=1).longest_waiting_s() == 0.0


@pytest.mark.parametrize(
    "fields", [{"max_attempts": 0}, {"base_s": -1.0}, {"cap_s": -0.1}, {"retry_after_cap_s": -5.0}]
)
def test_impossible_policy_is_refused(fields):
    """No attempt, or a wait into the past."""
    with pytest.raises(ValueError, match=r"at least 1|negative"):
        RetryPolicy(**fields)


@pytest.mark.parametrize(
    ("status", "again"),
    [(408, True), (409, True), (429, True), (500, True), (502, True), (503, True), (504, True), (529, True)]
    + [(status, False) for status in (301, 400, 401, 403, 404, 413, 422)],
)
def test_retried_statuses(status, again):
    """408, 409, 429 and every 5xx."""
    assert is_retried(status) is again


NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"}, 60.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 06 Nov 1994 11:50:37 +0300"}, 60.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:50:37 -0000"}, 60.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Sun, 99 Nov 99999 08:49:37 GMT"}, None),
    ],
)
def test_retry_after_in_both_forms(headers, seconds):
    """Seconds, milliseconds and dates are read; nonsense is as if nothing were asked."""
    assert retry_after_s(headers, NOW) == seconds


@settings(deadline=None)
@given(st.text())
def test_any_header_is_survived(value):
    """Whatever a server writes, the wait is none or not negative."""
    asked = retry_after_s({"retry-after": value}, NOW)
    assert asked is None or asked >= 0.0
