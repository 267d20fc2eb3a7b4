"""Caps are fitted to the server's window before anything is sent."""

import asyncio
from dataclasses import replace

import pytest

from endpoints.planning import Fitter, plan_requests
from endpoints.request import Request


class Counter:
    """Counts a token per three bytes, and remembers who was counted."""

    def __init__(self, known: bool = True) -> None:
        self.known, self.counted = known, []

    async def count_prompt_tokens(self, request: Request) -> int | None:
        self.counted.append(request.sample_id)
        return (
            len((request.prompt or "".join(m["content"] for m in request.messages or ())).encode()) // 3
            if self.known
            else None
        )


def request(sample_id: str, size: int, cap: int = 1000) -> Request:
    return Request("t:all", sample_id, 0, "completion", "m", None, "x" * size, cap, {}, {})


def plan(requests, window, counter):
    return asyncio.run(plan_requests(requests, window, counter))


def test_what_fits_byte_for_byte_is_not_counted():
    """A token is at least a byte, so most prompts need no call to the tokenizer."""
    counter = Counter()
    found = plan([request("a", 3000, 1000), request("b", 10)], 4000, counter)
    assert counter.counted == []
    assert [r.max_tokens for r in found.requests] == [1000, 1000]
    assert found.rejected == {}
    assert found.shortened == 0


def test_the_cap_is_cut_to_what_the_window_leaves():
    """3,300 bytes are 1,100 tokens here; a window of 2,000 leaves 900."""
    found = plan([request("a", 3300, 1000)], 2000, Counter())
    assert found.requests[0].max_tokens == 900
    assert found.shortened == 1
    assert found.counted == {0: 1100}


def test_a_prompt_that_fills_the_window_is_named_and_not_sent():
    """A window of 1,100 leaves nothing behind 1,100 prompt tokens."""
    found = plan([request("a", 3300), request("b", 30)], 1100, Counter())
    assert found.requests[0] is None
    assert found.requests[1] is not None
    outcome = found.rejected[0]
    assert outcome.status == "not_asked"
    assert outcome.error_code == "does-not-fit"
    assert "1100 prompt tokens" in (outcome.error or "")
    assert "1100" in (outcome.error or "")


def test_a_server_without_a_tokenizer_gets_an_estimate():
    """Half a token a byte: 3,000 bytes count as about 1,500."""
    found = plan([request("a", 3000, 1000), request("b", 6000, 1000)], 2000, Counter(known=False))
    assert found.requests[0].max_tokens == 500
    assert found.requests[1] is None
    assert "estimated" in (found.rejected[1].error or "")
    assert found.counted == {}


def test_requests_that_come_one_by_one_are_fitted_by_exact_counts_alone():
    """A cap that was lowered on an estimate may cut a reply that had room."""
    fitted = asyncio.run(Fitter(2000, Counter(), planned=False).fit(request("a", 3300, 1000)))
    assert fitted.max_tokens == 900
    alike = request("a", 6000, 1000)
    assert asyncio.run(Fitter(2000, Counter(known=False), planned=False).fit(alike)) is alike
    rejected = asyncio.run(Fitter(1100, Counter(), planned=False).fit(request("a", 3300)))
    assert rejected.error_code == "does-not-fit"


def test_an_unknown_window_changes_nothing():
    """Without a context length the task's cap stands."""
    counter = Counter()
    wanted = request("a", 10**6, 16384)
    found = plan([wanted], None, counter)
    assert (found.requests, found.rejected, found.shortened) == ([wanted], {}, 0)
    assert counter.counted == []
    assert found.notes([wanted], 1) == []


@pytest.mark.parametrize("content", ["д" * 500, "\ud800" * 500, "🙂" * 200])
def test_chat_prompts_are_measured_in_bytes(content):
    """Cyrillic, lone surrogates and emoji never raise and never count for less than their characters."""
    chat = replace(
        request("a", 1), kind="chat", prompt=None, messages=({"role": "user", "content": content},), max_tokens=100
    )
    counter = Counter(known=False)
    found = plan([chat], 400, counter)
    assert counter.counted == ["a"]
    assert len(found.requests) == 1
