"""The HTTP layer under the OpenAI client: aiohttp behind the client's transport interface.

The client's own transports are not used. The pool of the default one, httpcore's, scans all connections at every
event, so its cost grows with the square of the concurrency. ``DefaultAioHttpClient`` reports a reset connection as a
timeout and gives no access to the sockets; their keep-alive probes are needed to notice, while a server works on a long
answer, that its machine has vanished or that a firewall has dropped the connection.
"""

import asyncio
import contextlib
import os
import resource
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Final

import aiohttp
import httpx2

from endpoints.errors import EndpointError
from endpoints.event_stream import looks_like_events
from endpoints.folding import FoldedStream
from endpoints.url import without_password

__all__ = ["AiohttpTransport", "ReplyTooLongError", "allow_connections", "connections_allowed"]

# Servers built on uvicorn (vLLM, transformers serve) close a connection that was idle for 5 s; one that we drop
# first cannot be closed under a request being sent.
_IDLE_S: Final = 4.0
# A dead peer is noticed after 60 + 4 * 15 = 120 s of silence.
_KEEPALIVE: Final[tuple[tuple[str, int], ...]] = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))

# Headers that no longer hold once the body is decompressed.
_OF_THE_TRANSFER: Final = (b"content-encoding", b"content-length", b"transfer-encoding")
# A server may keep a connection open behind the last event.
_REST_S: Final = 1.0
_OTHER_FILES: Final = 256  # journal, libraries, data sets
# A million tokens in events of their own take about as much; a reply beyond it comes from a server that does not end.
_MOST_MIB: Final = 256


class ReplyTooLongError(httpx2.RemoteProtocolError):
    """A response goes on beyond every answer that a model gives."""


def _probed_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


def connections_allowed() -> int:
    """Most connections for which this machine allows the open files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if hard == resource.RLIM_INFINITY else max(0, hard - _OTHER_FILES)


def allow_connections(count: int) -> None:
    """Raise the process's soft limit on open files if it is too low for ``count`` connections.

    Raises:
        EndpointError: the hard limit is too low too.
    """
    wanted = count + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise EndpointError(f"{count} connections need {wanted} open files, this machine allows {hard} (ulimit -n)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends each request over aiohttp and reads its whole body; a streamed answer is folded into one body.

    It opens a connection whenever none is idle, so the number of callers bounds the number of connections. It limits
    only the time to connect; the caller limits other times (``asyncio.timeout``).

    Args:
        connect_s: most seconds to open a connection.
        proxy: URL of an HTTP proxy; None for none.
    """

    def __init__(self, *, connect_s: float, proxy: str | None = None) -> None:
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_s)
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    def _open(self, *, secure: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=0,
            keepalive_timeout=_IDLE_S,
            socket_factory=_probed_socket,
            # aiohttp's own context is made when it is imported and would not see a later SSL_CERT_FILE.
            ssl=ssl.create_default_context() if secure else True,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            proxy=self._proxy,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request`` and read the response.

        Raises:
            httpx2.ConnectError: no connection could be opened; the message is the system's.
            httpx2.ReadError: the connection broke before the response was complete.
            httpx2.RemoteProtocolError: the response is not HTTP, or its body is too short or far too long.
        """
        if self._session is None:
            self._session = self._open(secure=request.url.scheme == "https")
        try:
            async with self._session.request(
                request.method,
                str(request.url),
                headers=request.headers.multi_items(),
                data=request.content or None,
                allow_redirects=False,
            ) as response:
                return await _read(response, request)
        except (aiohttp.ClientError, OSError, asyncio.TimeoutError) as error:  # noqa: UP041 (aiohttp's base class)
            raise _as_httpx(error, request, self._proxy) from error

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: aiohttp.ClientResponse, request: httpx2.Request) -> httpx2.Response:
    """The whole response. The stream of an answer becomes the body that the answer would have had in one piece."""
    folded = FoldedStream()
    if response.status == HTTPStatus.OK and response.content_type == "text/event-stream":
        async for piece in _pieces(response, request):
            folded.feed(piece)
            if folded.done:
                await _read_rest(response)
                break
    else:
        body = b"".join([piece async for piece in _pieces(response, request)])
        if response.status != HTTPStatus.OK or not looks_like_events(body):
            headers = [(name, value) for name, value in response.raw_headers if name.lower() not in _OF_THE_TRANSFER]
            return httpx2.Response(response.status, headers=headers, content=body, request=request)
        folded.feed(body)
    status, body = folded.finish()
    return httpx2.Response(status, headers={"Content-Type": "application/json"}, content=body, request=request)


async def _pieces(response: aiohttp.ClientResponse, request: httpx2.Request) -> AsyncIterator[bytes]:
    """The body's pieces, decompressed."""
    left = _MOST_MIB << 20
    async for piece in response.content.iter_any():
        left -= len(piece)
        if left < 0:
            raise ReplyTooLongError(f"the reply has over {_MOST_MIB} MiB and goes on", request=request)
        yield piece


async def _read_rest(response: aiohttp.ClientResponse) -> None:
    """Read what follows the end of an answer: usually nothing, and the connection can be used again."""
    with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError):
        async with asyncio.timeout(_REST_S):
            async for _ in response.content.iter_any():
                pass


def _as_httpx(error: Exception, request: httpx2.Request, proxy: str | None) -> httpx2.RequestError:
    kind: type[httpx2.RequestError] = httpx2.ReadError
    words = _system_words(error)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        kind = httpx2.ConnectError
    elif "Can not decode content-encoding" in str(error):  # aiohttp's words, in errors of several types
        kind, words = httpx2.RemoteProtocolError, "the body cannot be unpacked as its Content-Encoding says"
    elif isinstance(error, aiohttp.ClientPayloadError):
        kind, words = httpx2.RemoteProtocolError, "the body ended early"
    elif isinstance(error, aiohttp.ClientResponseError):
        kind, words = httpx2.RemoteProtocolError, f"not an HTTP response: {error.message}"
    if isinstance(error, aiohttp.ClientSSLError):
        words = _tls_words(error, request.url.host)
    if proxy is not None:
        words += f" (through the proxy {without_password(proxy)} that the environment names; NO_PROXY excepts a host)"
    return kind(words, request=request)


_OTHER_HOST: Final = frozenset({62, 64})  # OpenSSL: the certificate is for another name, for another address


def _tls_words(error: Any, host: str) -> str:
    """What went wrong when the encrypted connection was made; Python reports it with the errno of another error."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        if cause.verify_code in _OTHER_HOST:
            return f"TLS: the server's certificate is not for the host name {host} ({cause.verify_message})"
        return (
            f"TLS: the server's certificate is not trusted ({cause.verify_message}); "
            "if it should be, name the file of its authority in SSL_CERT_FILE"
        )
    reason = str(getattr(cause, "reason", None) or cause).replace("_", " ").lower()
    if any(words in reason for words in ("wrong version number", "http request", "record layer failure")):
        return f"TLS: the server speaks plain HTTP there: write http:// instead of https:// ({reason})"
    return f"TLS: no encrypted connection could be made ({reason})"


def _system_words(error: Any) -> str:
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number).lower()
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
