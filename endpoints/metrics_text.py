"""What a vLLM server says of its load: its ``/metrics``, in Prometheus' text format.

Names and meanings are those of vLLM's own metrics. A server of several engines gives a value for each: counts are
added, of shares the largest is taken. Of another program's metrics nothing is believed.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from endpoints.reply import BadReplyError

__all__ = ["COUNTERS", "Reading", "read_load", "samples", "together"]

# A sample: name, labels (quoted values may hold braces and escaped quotes), value; a time or an exemplar may follow.
# Possessive: a line of a million blanks is looked at once.
_SAMPLE: Final = re.compile(
    r'([a-zA-Z_:][a-zA-Z0-9_:]*+)(?:[ \t]*+\{(?:[^"}]|"(?:[^"\\]|\\.)*+")*+\})?'
    r"[ \t]++([^ \t]++)(?:[ \t]++-?[0-9.]++)?(?:[ \t]++#.*)?[ \t]*+"
)
_RUNNING: Final = "vllm:num_requests_running"
_WAITING: Final = "vllm:num_requests_waiting"
_PREEMPTED: Final = "vllm:num_preemptions_total"
_GENERATED: Final = "vllm:generation_tokens_total"
# The name before vLLM 0.9 comes second.
_KV: Final = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
_QUERIES: Final = ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total")
_HITS: Final = ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total")
# A server tells thousands of lines, most of them of histograms, and is asked while answers arrive: what is not read is
# passed over.
_READ: Final = (_RUNNING, _WAITING, _PREEMPTED, _GENERATED, *_KV, *_QUERIES, *_HITS)
# Fields of a reading that only grow while a server lives.
COUNTERS: Final = ("preempted", "generated", "prefix_queries", "prefix_hits")


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at a server. What it does not tell is None; counters are since its start.

    Attributes:
        running: requests that it works on.
        waiting: requests that wait for their turn in it.
        kv_use: share of its KV cache in use, from 0 to 1.
        preempted: how often it put a running request back for want of KV cache.
        generated: tokens that it generated.
        prefix_queries, prefix_hits: prompt tokens that it looked up in its prefix cache, and found there.
    """

    running: float
    waiting: float
    kv_use: float | None = None
    preempted: float | None = None
    generated: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None


def samples(text: str, beginnings: tuple[str, ...] = ("",)) -> Iterator[tuple[str, float]]:
    """The names and finite values of the samples of a text; lines of another form are passed over.

    Args:
        text: in Prometheus' text format.
        beginnings: of the names that are wanted.
    """
    for whole in text.splitlines():
        line = whole.lstrip(" \t")
        found = _SAMPLE.fullmatch(line) if line.startswith(beginnings) else None
        if found is None:
            continue
        try:
            value = float(found[2])
        except ValueError:
            continue
        if math.isfinite(value):
            yield found[1], value


def read_load(body: bytes) -> Reading:
    """Read the body of ``/metrics``.

    Raises:
        BadReplyError: it does not say how many requests run and wait, as vLLM does.
    """
    values: dict[str, list[float]] = {}
    for name, value in samples(body.decode("utf-8", errors="replace"), _READ):
        values.setdefault(name, []).append(value)

    def total(*names: str) -> float | None:
        found = next((sum(values[name]) for name in names if name in values), None)
        return found if found is not None and math.isfinite(found) else None

    running, waiting = total(_RUNNING), total(_WAITING)
    if running is None or waiting is None or min(running, waiting) < 0:
        raise BadReplyError("the answer does not say how many requests run and wait, as vLLM's metrics do")
    shares = next((values[name] for name in _KV if name in values), None)
    return Reading(
        running=running,
        waiting=waiting,
        kv_use=None if shares is None else min(max(*shares, 0.0), 1.0),
        preempted=total(_PREEMPTED),
        generated=total(_GENERATED),
        prefix_queries=total(*_QUERIES),
        prefix_hits=total(*_HITS),
    )


def together(readings: Sequence[Reading]) -> Reading:
    """The load of several servers as that of one; what one of them does not tell is not told."""

    def all_of(name: str) -> list[float] | None:
        values = [getattr(reading, name) for reading in readings]
        return None if None in values else values

    shares = all_of("kv_use")
    sums = {name: None if (values := all_of(name)) is None else sum(values) for name in COUNTERS}
    return Reading(
        running=sum(reading.running for reading in readings),
        waiting=sum(reading.waiting for reading in readings),
        kv_use=None if shares is None else max(shares),
        **sums,
    )
