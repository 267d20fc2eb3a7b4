"""A local OpenAI-compatible server that misbehaves on demand.

It runs in a thread of its own on 127.0.0.1. A *reply* is a coroutine function of the server and the HTTP request; a
*script* is a list of replies to one and the same prompt (the last one repeats), so "429, then an answer" is
``[status(429), answer("да")]``.
"""

import asyncio
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self

from aiohttp import web

Reply = Callable[["FaultServer", web.Request], Awaitable[web.StreamResponse]]


def body_of(text: str | None, kind: str = "chat", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A well-formed response body."""
    said = {"message": {"role": "assistant", "content": text, **message}} if kind == "chat" else {"text": text}
    return {
        "id": "r-1",
        "object": "chat.completion" if kind == "chat" else "text_completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "finish_reason": finish_reason, **said}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def raw(body: bytes | str, code: int = 200, headers: Mapping[str, str] | None = None, kind: str = "json") -> Reply:
    """Exactly these bytes."""

    async def reply(server: "FaultServer", request: web.Request) -> web.StreamResponse:
        data = body.encode() if isinstance(body, str) else body
        return web.Response(body=data, status=code, headers=headers, content_type=f"application/{kind}")

    return reply


def as_json(value: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """This value as JSON."""
    return raw(json.dumps(value), code, headers)


def answer(text: str | None, kind: str = "chat", finish_reason: str = "stop", **message: Any) -> Reply:
    """A good answer."""
    return as_json(body_of(text, kind, finish_reason, **message))


def status(code: int, message: str = "no", headers: Mapping[str, str] | None = None, error_code: Any = None) -> Reply:
    """An HTTP error in OpenAI's shape."""
    return as_json({"error": {"message": message, "type": "x", "code": error_code}}, code, headers)


async def reset(server: "FaultServer", request: web.Request) -> web.StreamResponse:
    """The connection is reset instead of a response."""
    assert request.transport is not None
    link = request.transport.get_extra_info("socket")
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    return web.Response()


async def disconnect(server: "FaultServer", request: web.Request) -> web.StreamResponse:
    """The connection is closed instead of a response."""
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def hang(server: "FaultServer", request: web.Request) -> web.StreamResponse:
    """No response, ever."""
    await asyncio.Event().wait()
    raise AssertionError


async def truncated(server: "FaultServer", request: web.Request) -> web.StreamResponse:
    """Half of the body that the header announces, then the end of the connection."""
    whole = json.dumps(body_of("ответ")).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(whole)), "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    assert request.transport is not None
    request.transport.close()
    return response


async def echo(server: "FaultServer", request: web.Request) -> web.StreamResponse:
    """A good answer made of the prompt, so that a mix-up shows."""
    return await answer("re: " + prompt_of(await request.json()))(server, request)


def together(count: int) -> Reply:
    """A good answer once ``count`` requests are in flight at the same time; before that, none."""
    full = asyncio.Event()

    async def reply(server: "FaultServer", request: web.Request) -> web.StreamResponse:
        if server.in_flight >= count:
            full.set()
        await full.wait()
        return await echo(server, request)

    return reply


def prompt_of(body: Mapping[str, Any]) -> str:
    """The text of the last turn, or the prompt of a completion."""
    text = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    assert isinstance(text, str)
    return text


class FaultServer:
    """The server; use as a context manager.

    Args:
        default: reply to a prompt that has no script.
        scripts: replies by prompt.
        models: the body of ``/v1/models``, or a reply.
        tokenize: reply to ``/tokenize``; None for a server that has no such path.
        metrics: makes the body of ``/metrics``; None for a server that has no such path.
        dies_after: after this many responses it drops every connection and refuses new ones; None for never.
        port: to listen on, 0 for a free one.

    Attributes:
        bodies: every request body to a generating path, in the order of arrival.
        headers: their headers.
        asked: how often each prompt arrived.
        tokenized: every body to ``/tokenize``.
        in_flight: requests being served.
        peak: the most at any time.
    """

    def __init__(
        self,
        default: Reply = echo,
        scripts: Mapping[str, Sequence[Reply]] | None = None,
        *,
        models: Any = None,
        tokenize: Reply | None = None,
        metrics: Callable[[], str] | None = None,
        dies_after: int | None = None,
        port: int = 0,
    ) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []
        self.asked: Counter[str] = Counter()
        self.tokenized: list[dict[str, Any]] = []
        self.in_flight = 0
        self.peak = 0
        self._default = default
        self._scripts = dict(scripts or {})
        self._models = (
            models if models is not None else {"object": "list", "data": [{"id": "tiny", "max_model_len": 8192}]}
        )
        self._tokenize = tokenize
        self._metrics = metrics
        self._dies_after = dies_after
        self._served = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.port = port

    @property
    def url(self) -> str:
        """The base URL, ``/v1`` included."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._load)
        app.router.add_post("/tokenize", self._count)
        app.router.add_post("/v1/{kind:chat/completions|completions}", self._generate)
        self._runner = web.AppRunner(app, shutdown_timeout=0.01, access_log=None, handler_cancellation=True)
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=1024)
        await self._site.start()
        self.port = self._runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await self._runner.cleanup()

    async def _list_models(self, request: web.Request) -> web.StreamResponse:
        reply = self._models if callable(self._models) else as_json(self._models)
        return await reply(self, request)

    async def _health(self, request: web.Request) -> web.StreamResponse:
        return web.Response()

    async def _load(self, request: web.Request) -> web.StreamResponse:
        if self._metrics is None:
            return web.json_response({"detail": "Not Found"}, status=404)
        return web.Response(text=self._metrics())

    async def _count(self, request: web.Request) -> web.StreamResponse:
        self.tokenized.append(await request.json())
        if self._tokenize is None:
            return web.json_response({"detail": "Not Found"}, status=404)
        return await self._tokenize(self, request)

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            body = await request.json()
            prompt = prompt_of(body)
            turn = self.asked[prompt]
            self.asked[prompt] += 1
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
            self.paths.append(request.path)
            if self._served == self._dies_after:
                await self._die()
            script = self._scripts.get(prompt, (self._default,))
            response = await script[min(turn, len(script) - 1)](self, request)
        finally:
            self.in_flight -= 1
        self._served += 1
        return response

    async def _die(self) -> None:
        await self._site.stop()
        assert self._runner.server is not None
        for connection in list(self._runner.server.connections):
            if connection.transport is not None:
                connection.transport.abort()
