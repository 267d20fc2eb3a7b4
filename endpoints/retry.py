"""When a request is sent again, and how long to wait before that."""

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

    The wait before retry k (1-based) is uniform between 0 and ``base_s * 2 ** (k - 1)``, at most ``cap_s``. Where the
    server says how long to wait, its figure (at most ``retry_after_cap_s``) is waited, plus a uniform part of
    ``base_s`` so that the waiting requests do not all come back in the same moment.

    Attributes:
        max_attempts: requests sent at most, the first included.
        base_s: bound of the first wait, seconds.
        cap_s: bound of any wait of our own, seconds.
        retry_after_cap_s: longest wait taken from a server, seconds.

    Raises:
        ValueError: no attempt at all, or a negative time.
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
            failed_attempts: attempts so far.
            retry_after: seconds the server asked for, None if it did not.
            rng: source of the jitter.
        """
        if retry_after is not None:
            return min(retry_after, self.retry_after_cap_s) + rng.uniform(0.0, self.base_s)
        # The exponent is bounded: 2.0 ** 2000 would overflow.
        return rng.uniform(0.0, min(self.base_s * 2.0 ** min(failed_attempts - 1, 60), self.cap_s))

    def longest_waiting_s(self) -> float:
        """Upper bound on the waits of one request to a server that asks for none, seconds."""
        return sum(min(self.base_s * 2.0 ** min(k, 60), self.cap_s) for k in range(self.max_attempts - 1))


def is_retried(status: int) -> bool:
    """Whether a request that got this HTTP status is worth sending again: 408, 409, 429 and 5xx."""
    return status in _RETRIED_4XX or status >= 500


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait (``Retry-After``, either form, or ``retry-after-ms``).

    Args:
        headers: response headers, looked up by lower-case name.
        now: seconds since the epoch, for the date form.

    Returns:
        At least 0 (a date in the past); None where nothing readable is asked.
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
