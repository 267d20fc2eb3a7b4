"""The order in which requests that are all known beforehand are sent, for a short tail and a cache that is hit.

The rule, for requests in the order in which they came:

1. Requests that begin alike, for ``SHARED`` characters or more, go out together, so that the server still has their
   beginning in its prefix cache. A beginning that more than ``HOT`` of them share, such as demonstrations, is in use
   all the time and needs no help: of these, longer beginnings are looked at.
2. The longest expected answers go first (:func:`expected_lengths`): a long answer that is begun last is waited for
   alone. What goes out together goes with its longest.
3. What is alike keeps the order in which it came. So an order changes only where it can help.

The order changes neither requests nor journal keys nor results.
"""

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

from endpoints.journal_lines import JournalLine
from endpoints.request import Request

__all__ = ["HOT", "SHARED", "Order", "expected_lengths", "sending_order"]

SHARED: Final = 1_000  # characters, some 300 tokens: shorter beginnings are read in no time
HOT: Final = 32  # requests


class Order(NamedTuple):
    """An order of requests.

    Attributes:
        places: of the requests, in the order in which they are sent.
        longest_first: whether of those without an answer some were expected to get a longer one than others.
    """

    places: list[int]
    longest_first: bool


def sending_order(
    requests: Sequence[Request], sizes: Sequence[int | None], earlier: Sequence[JournalLine] = ()
) -> Order:
    """The order in which requests are sent; see the module's text.

    Args:
        requests: in the order in which they came, with the caps that their tasks ask for.
        sizes: tokens that each answer needs by what is known of its question; None where nothing is.
        earlier: answers that are at hand, of these requests and of others.
    """
    expected = expected_lengths(requests, sizes, earlier)
    groups = [sorted(group, key=lambda place: (-expected[place], place)) for group in _groups(requests)]
    groups.sort(key=lambda group: (-expected[group[0]], min(group)))
    answered = {(line.task, line.sample_id, line.repeat) for line in earlier}
    still_open = {
        length
        for request, length in zip(requests, expected, strict=True)
        if (request.task, request.sample_id, request.repeat) not in answered
    }
    return Order([place for group in groups for place in group], len(still_open) > 1)


def expected_lengths(
    requests: Sequence[Request], sizes: Sequence[int | None], earlier: Sequence[JournalLine] = ()
) -> list[float]:
    """How long each answer is expected to be, in tokens; meant for comparing them with each other.

    That is the mean of the same question's earlier answers (other repeats, or a session before a resume). Without any
    it is the question's size, or the request's cap if that is less or no size is known, stretched as the task's earlier
    answers were: by their tokens over their sizes.

    Args:
        requests, sizes, earlier: see :func:`sending_order`.
    """
    capped = {
        _question(request): min(size or request.max_tokens, request.max_tokens)
        for request, size in zip(requests, sizes, strict=True)
    }
    found: dict[_Question, list[int]] = {}
    for line in earlier:
        if line.outcome.completion_tokens and (line.task, line.sample_id) in capped:
            found.setdefault((line.task, line.sample_id), []).append(line.outcome.completion_tokens)
    means = {question: sum(tokens) / len(tokens) for question, tokens in found.items()}
    stretched = {
        task: sum(mean for (other, _), mean in means.items() if other == task)
        / sum(capped[question] for question in means if question[0] == task)
        for task in {task for task, _ in means}
    }
    return [
        means.get(question, capped[question] * stretched.get(question[0], 1.0)) for question in map(_question, requests)
    ]


_Question = tuple[str, str]  # task and sample id; repeats share them


def _question(request: Request) -> _Question:
    return request.task, request.sample_id


def _groups(requests: Sequence[Request]) -> list[list[int]]:
    """Places of requests that begin alike; whatever is alone is a group of its own."""
    texts = [_text(request) for request in requests]
    places = sorted(range(len(texts)), key=lambda place: texts[place])
    # What all of a sorted stretch share is the least of what neighbours share.
    shared = [_shared(texts[one], texts[other]) for one, other in itertools.pairwise(places)]
    groups: list[list[int]] = []
    open_stretches = [(0, len(places), 0)] if places else []  # from, to, and characters that are in use all the time
    while open_stretches:
        start, end, hot = open_stretches.pop()
        cuts = [i + 1 for i in range(start, end - 1) if shared[i] < hot + SHARED]
        for first, last in zip([start, *cuts], [*cuts, end], strict=True):
            if last - first <= HOT:
                groups.append(places[first:last])
            else:
                open_stretches.append((first, last, min(shared[first : last - 1])))
    return groups


def _text(request: Request) -> str:
    """What the server reads, from its start: texts that begin alike here do so there."""
    if request.prompt is not None:
        return request.prompt
    return "".join(f"\x1e{turn['role']}\x1f{turn['content']}" for turn in request.messages or ())


def _shared(one: str, other: str) -> int:
    """Number of characters that two texts have in common from their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
