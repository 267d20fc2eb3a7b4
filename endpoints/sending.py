"""Sends single HTTP requests to an OpenAI-compatible server: the OpenAI client, with retries of our own."""

import asyncio
import json
import math
import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import httpx2
import openai

from endpoints.endpoint_run import Patience
from endpoints.errors import EndpointError
from endpoints.failure import Failure, connection_failure, reply_failure, status_failure
from endpoints.reply import BadReplyError
from endpoints.retry import RetryPolicy
from endpoints.transport import AiohttpTransport
from endpoints.upkeep import upkeep_of
from endpoints.url import checked_url, proxy_for

__all__ = ["Sender"]

T = TypeVar("T")

_DEADLINE_S: Final = 3600.0
_LIMIT_NOTE: Final = "--request-timeout sets that limit"


class Sender:
    """A server to which requests can be sent between :meth:`open` and :meth:`close`.

    The OpenAI client sends each request once; the retries are ours (:mod:`endpoints.retry`). Where this process looks
    after the server (:mod:`endpoints.upkeep`), requests wait while it is down, and an attempt during which it fell
    counts neither as an attempt nor towards a deadline.

    Args:
        base_url: URL of the API; a query in it goes along with every request.
        api_key: bearer key; None or empty for a server that wants none.
        headers: further HTTP headers of every request; no message shows their values, nor the key.
        attempt_s: most seconds from sending one attempt to the last byte of its answer.
        deadline_s: most seconds of one request, all its attempts and waits together; None for twice ``attempt_s``, and
            an hour at least.
        connect_s: most seconds to open a connection.
        retry: how often a request is sent again, and the waits before that.
        rng: random generator of the waits' jitter.

    Attributes:
        base_url: URL of the API, without a query.
        proxy: URL of the proxy that the environment names for it; None without one.

    Raises:
        EndpointError: ``base_url`` is not a usable http(s) URL.
        ValueError: a time is not positive.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        headers: Mapping[str, str],
        attempt_s: float,
        deadline_s: float | None,
        connect_s: float,
        retry: RetryPolicy,
        rng: random.Random,
    ) -> None:
        self._attempt_s = attempt_s
        self._deadline_s = max(2 * attempt_s, _DEADLINE_S) if deadline_s is None else deadline_s
        if min(attempt_s, self._deadline_s, connect_s) <= 0:
            raise ValueError("time limits must be positive")
        self.base_url, self._query = checked_url(base_url)
        try:
            httpx2.URL(self.base_url)
        except httpx2.InvalidURL:
            raise EndpointError(f"{base_url!r} is not an http or https URL such as http://127.0.0.1:8001/v1") from None
        self.proxy = proxy_for(self.base_url)
        self._api_key = api_key or "EMPTY"  # the OpenAI client insists on one
        self._connect_s = connect_s
        self._headers = dict(headers)
        self._secrets = tuple(filter(None, (api_key, *self._headers.values())))
        self._retry = retry
        self._rng = rng
        self._client: openai.AsyncOpenAI | None = None

    def open(self) -> None:
        """Get ready to send on the running event loop."""
        transport = AiohttpTransport(connect_s=self._connect_s, proxy=self.proxy)
        self._client = openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._api_key,
            max_retries=0,
            default_headers=self._headers,
            http_client=httpx2.AsyncClient(transport=transport, timeout=None),
        )

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def opened(self) -> openai.AsyncOpenAI:
        """The OpenAI client.

        Raises:
            RuntimeError: it is not open.
        """
        if self._client is None:
            raise RuntimeError("the endpoint is not open: use it in an async with statement")
        return self._client

    async def send(
        self, path: str, body: Mapping[str, Any], read: Callable[[bytes], T], patience: Patience
    ) -> tuple[T, int] | Failure:
        """Send a request until it is answered or fails for good.

        It fails for good when no retry can mend the failure, at the last attempt, at the deadline, or once no further
        request is sent. A server that was looked after and is lost for good is given up at once.
        """
        content = json.dumps(body, allow_nan=False).encode("ascii")
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._deadline_s
        attempts = 0
        while True:
            attempts += 1
            left_s = deadline - clock()
            result, lost_s = await self._attempt(path, content, read, min(self._attempt_s, left_s), patience)
            deadline += lost_s
            if not isinstance(result, Failure):
                return result, attempts
            if result.code == "timeout":
                patience.timed_out()
                if self._attempt_s <= left_s:
                    result = result.noting(_LIMIT_NOTE)
            if not result.retried or attempts >= self._retry.max_attempts:
                return result.after(attempts)
            wait_s = self._retry.wait_s(attempts, result.retry_after, self._rng)
            if clock() + wait_s >= deadline:
                return result.after(attempts, f"no time left for another attempt within {self._deadline_s:g} s")
            if not await patience.pause(wait_s):
                return result.after(attempts, f"no further attempt: {patience.closed}")

    async def attempt(
        self, path: str, content: bytes | None, read: Callable[[bytes], T], limit_s: float
    ) -> T | Failure:
        """Send a request once.

        Args:
            path: path under the API's URL, or a whole URL.
            content: the JSON body; None for a GET.
            read: reads the body of a response with status 200; it raises BadReplyError for one that it cannot read.
            limit_s: most seconds to the last byte of the response.
        """
        return (await self._attempt(path, content, read, limit_s, None))[0]

    async def look(self, url: str, read: Callable[[bytes], T], limit_s: float) -> T | Failure:
        """GET a URL once, now: unlike :meth:`attempt`, without waiting for a server that is looked after.

        Args:
            url: path under the API's URL, or a whole URL.
            read, limit_s: as in :meth:`attempt`.
        """
        result = await self._exchange(url, None, read, limit_s)
        return result.without(self._secrets) if isinstance(result, Failure) else result

    async def _attempt(
        self,
        path: str,
        content: bytes | None,
        read: Callable[[bytes], T],
        limit_s: float,
        patience: Patience | None,
    ) -> tuple[T | Failure, float]:
        """Send a request once, and again for each time that a server which is looked after fell meanwhile.

        Returns:
            what came of it, and the number of seconds that falls took.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        upkeep = upkeep_of(self.base_url)

        def closed() -> bool:
            return patience is not None and bool(patience.closed)

        while True:
            falls = 0
            if upkeep is not None:
                await upkeep.settled(-math.inf, closed)
                if upkeep.gone:
                    if patience is not None:
                        patience.give_up()
                    return Failure("server-gone", upkeep.gone, retried=False), clock() - began
                falls = upkeep.falls
            sent = clock()
            result = await self._exchange(path, content, read, limit_s)
            if not isinstance(result, Failure):
                return result, sent - began
            if upkeep is not None and result.retried and result.code != "rate-limited":
                await upkeep.settled(time.monotonic(), closed)
                if upkeep.gone or (upkeep.falls > falls and not closed()):
                    continue
            return result.without(self._secrets), sent - began

    async def _exchange(
        self, path: str, content: bytes | None, read: Callable[[bytes], T], limit_s: float
    ) -> T | Failure:
        client = self.opened()
        if self._query:
            path = f"{path}?{self._query}"
        try:
            async with asyncio.timeout(limit_s):
                # The plain response: building the client's typed objects would double the cost of a request.
                if content is None:
                    response = await client.get(path, cast_to=httpx2.Response)
                else:
                    response = await client.post(path, cast_to=httpx2.Response, content=content)
            return read(response.content)
        except TimeoutError:
            return Failure("timeout", f"no answer within {limit_s:g} s", retried=True)
        except openai.APIStatusError as error:
            return status_failure(error.response, time.time())
        except openai.APIConnectionError as error:
            return connection_failure(error)
        except BadReplyError as error:
            return reply_failure(error)
