"""Decides whether a request is sent again, and how long to wait before that."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["RetryPolicy", "is_retried", "retry_after_s"]

_RETRIED_4XX: Final = frozenset({408, 409, 429})
_SECONDS: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with full jitter.

    The wait before retry k (from 1) is drawn uniformly between 0 and ``base_s * 2 ** (k - 1)`` seconds, or ``cap_s`` if
    that is less. If the server asks for a wait, the wait is what it asks for, ``retry_after_cap_s`` at most, and a
    further time drawn uniformly between 0 and ``base_s``, so that the requests are not all sent at the same moment.

    Attributes:
        max_attempts: most attempts at a request, the first included.
        base_s: upper bound of the first wait, in seconds.
        cap_s: upper bound of every wait that the server did not ask for, in seconds.
        retry_after_cap_s: upper bound of a wait that the server asked for, in seconds.

    Raises:
        ValueError: ``max_attempts`` is below 1, or a time is negative.
    """

    max_attempts: int = 7
    base_s: float = 0.5
    cap_s: float = 30.0
    retry_after_cap_s: float = 60.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts is {self.max_attempts}, at least 1 is needed")
        if min(self.base_s, self.cap_s, self.retry_after_cap_s) < 0:
            raise ValueError("waiting times cannot be negative")

    def wait_s(self, failed_attempts: int, retry_after: float | None, rng: random.Random) -> float:
        """Seconds to wait after ``failed_attempts`` (at least 1) attempts have failed.

        Args:
            failed_attempts: number of attempts so far.
            retry_after: number of seconds that the server asked to wait; None if it asked for none.
            rng: random generator of the jitter.
        """
        if retry_after is not None:
            return min(retry_after, self.retry_after_cap_s) + rng.uniform(0.0, self.base_s)
        # The exponent is bounded: 2.0 ** 2000 would overflow.
        return rng.uniform(0.0, min(self.base_s * 2.0 ** min(failed_attempts - 1, 60), self.cap_s))

    def longest_waiting_s(self) -> float:
        """Upper bound of all waits of one request together, in seconds, if the server asks for no wait."""
        return sum(min(self.base_s * 2.0 ** min(k, 60), self.cap_s) for k in range(self.max_attempts - 1))


def is_retried(status: int) -> bool:
    """Whether a request that got this HTTP status is sent again: 408, 409, 429 and 5xx."""
    return status in _RETRIED_4XX or status >= 500


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Read how many seconds the server asks to wait, from ``Retry-After`` (a number or a date) or ``retry-after-ms``.

    Args:
        headers: the response's headers, by lower-case name.
        now: the time in seconds since the epoch, for a date.

    Returns:
        the number of seconds, 0 for a date in the past; None if no header can be read.
    """
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _SECONDS.fullmatch(milliseconds):
        return float(milliseconds) / 1000.0
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if moment.tzinfo is None:  # "-0000": RFC 5322 for UTC without a place
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
