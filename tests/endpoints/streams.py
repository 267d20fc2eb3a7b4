"""Streamed answers for the fault server."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any, Literal

from aiohttp import web
from fault_server import FaultServer, Reply

DONE = b"data: [DONE]\n\n"


def event(value: Any) -> bytes:
    """A value as one event."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(finish_reason: Any = None, usage: Any = None, **delta: Any) -> bytes:
    """One chunk of a chat answer, as vLLM sends it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return event({"id": "r-1", "object": "chat.completion.chunk", "choices": [choice], "usage": usage})


def usage(prompt: int = 11, completion: int = 7) -> bytes:
    """The chunk that ``include_usage`` asks for."""
    return event({"id": "r-1", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}})


def text(*pieces: str, finish_reason: str = "stop") -> list[bytes]:
    """A whole chat answer."""
    first = chunk(role="assistant", content="")
    return [first, *(chunk(content=piece) for piece in pieces), chunk(finish_reason), usage(), DONE]


def stream(
    *pieces: bytes,
    end: Literal["whole", "abort", "open"] = "whole",
    kind: str = "text/event-stream",
    headers: dict[str, str] | None = None,
) -> Reply:
    """These pieces one after another; then the end, a broken connection, or silence."""

    async def reply(server: FaultServer, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind, **(headers or {})})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        if end == "open":
            await asyncio.Event().wait()
        if end == "abort":
            assert request.transport is not None
            request.transport.abort()
        return response

    return reply


def cut(body: bytes, places: Sequence[int]) -> list[bytes]:
    """A body cut at some places."""
    bounds = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    return [body[start:end] for start, end in itertools.pairwise(bounds)]
