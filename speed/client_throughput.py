"""How much the client adds to a server's own time: requests against a stub of fixed latency on this machine.

    python speed/client_throughput.py [--requests 1024] [--latency 2] [--concurrency 256 64] [--repeats 1]

Prints, for each concurrency, the wall time beside the ideal one (requests / concurrency * latency), the client's CPU
time a request (journal included; the stub is a process of its own), and the most requests that the stub had at once.
Limits: at 256 in flight 1.4 times the ideal and 5 ms of CPU a request, at 64 in flight 1.1 times the ideal. Exit status
1 where one is missed. Measure on a quiet machine.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from endpoints.client import Endpoint
from endpoints.journal import Journal
from endpoints.request import Request

QUESTION = "Объясните, почему небо днём синее, а на закате красное; ответ дайте в пяти предложениях. " * 12
ANSWER = "Небо кажется синим, потому что короткие волны рассеиваются сильнее длинных. " * 20
CPU_LIMIT_MS = 5.0


def ratio_limit(concurrency: int) -> float:
    """Wall time allowed, as a multiple of the ideal one."""
    return 1.1 if concurrency <= 64 else 1.4


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement: seconds of wall time, milliseconds of client CPU a request, most requests in flight."""

    wall_s: float
    cpu_ms: float
    peak: int


class Stub(asyncio.Protocol):
    """The smallest HTTP server that answers each request the same after a while, so many at a time as it has places."""

    latency_s = 0.0
    places = sys.maxsize
    waiting: ClassVar[deque["Stub"]] = deque()
    in_flight = 0
    peak = 0
    first: float | None = None
    last: float | None = None
    response = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the connection."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        """Answers every whole request in the buffer, in a while."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            mark = head.find(b"content-length:")
            length = int(head[mark + 15 :].split(b"\r\n", 1)[0]) if mark >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            self.buffer = self.buffer[end + 4 + length :]
            if head.startswith(b"get /figures"):
                found = {"peak": Stub.peak, "first": Stub.first, "last": Stub.last}
                self.transport.write(_response(json.dumps(found).encode()))
                continue
            if head.startswith(b"post /tokenize"):
                self.transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                continue
            if head.startswith(b"get /health"):
                self.transport.write(_response(b"{}"))
                continue
            if head.startswith(b"get /v1/models"):
                self.transport.write(_response(b'{"data": [{"id": "stub"}]}'))
                continue
            Stub.first = Stub.first or time.time()
            Stub.waiting.append(self)
            Stub._begin()

    @classmethod
    def _begin(cls) -> None:
        while cls.waiting and cls.in_flight < cls.places:
            cls.in_flight += 1
            cls.peak = max(cls.peak, cls.in_flight)
            asyncio.get_running_loop().call_later(cls.latency_s, cls.waiting.popleft()._answer)

    def _answer(self) -> None:
        Stub.in_flight -= 1
        Stub.last = time.time()
        if not self.transport.is_closing():
            self.transport.write(Stub.response)
        Stub._begin()


def _response(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def serve(latency_s: float, answer: str, places: int) -> None:
    """Runs the stub on a free port, which it prints, until it is killed."""
    Stub.latency_s, Stub.places = latency_s, places
    choice = {"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 400, "completion_tokens": 500, "total_tokens": 900}
    Stub.response = _response(json.dumps({"id": "r-1", "choices": [choice], "usage": usage}).encode())
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def stub(latency_s: float, answer: str = ANSWER) -> Iterator[str]:
    """A stub in a process of its own; yields its base URL."""
    with stub_process(latency_s, answer) as (url, _):
        yield url


@contextlib.contextmanager
def stub_process(
    latency_s: float, answer: str = ANSWER, places: int = sys.maxsize
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The same with a number of places; yields its process too, which may be killed."""
    command = [sys.executable, __file__, "--serve", str(latency_s), "--answer", answer, "--places", str(places)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", process
        finally:
            process.kill()


def question(number: int) -> Request:
    """A chat request with a prompt of some 170 words."""
    turn = {"role": "user", "content": f"{number}. {QUESTION}"}
    sampling = {"temperature": 0.0}
    return Request("bench:all", f"q{number}", 0, "chat", "stub", (turn,), None, 1024, sampling, {})


async def ask(url: str, journal: Path, count: int, concurrency: int) -> tuple[float, float]:
    """Seconds of wall time and of CPU that ``count`` requests take."""
    requests = [question(number) for number in range(count)]
    with Journal(journal) as opened:
        async with Endpoint(url, None, concurrency=concurrency) as endpoint:
            await endpoint.describe("stub")  # as every run does first
            wall, cpu = time.perf_counter(), time.process_time()
            outcomes = await endpoint.run(requests, opened)
            took = time.perf_counter() - wall, time.process_time() - cpu
    assert all(outcome.text == ANSWER for outcome in outcomes)
    return took


def figures_of(url: str) -> dict[str, float]:
    """What a stub saw: most requests at once, times of its first request and its last answer in epoch seconds."""
    from urllib.request import ProxyHandler, build_opener

    with build_opener(ProxyHandler({})).open(url.removesuffix("/v1") + "/figures") as response:
        found: dict[str, float] = json.load(response)
    return found


def measure(count: int, concurrency: int, latency_s: float) -> Figures:
    """One run against a fresh stub, with a fresh journal."""
    with stub(latency_s) as url, tempfile.TemporaryDirectory() as folder:
        wall_s, cpu_s = asyncio.run(ask(url, Path(folder) / "responses.jsonl", count, concurrency))
        peak = figures_of(url)["peak"]
    return Figures(wall_s, cpu_s / count * 1000.0, int(peak))


def main() -> int:
    """Command line; 0 where every limit is kept."""
    parser = argparse.ArgumentParser(description="Throughput of the client against a stub of fixed latency.")
    parser.add_argument("--requests", type=int, default=1024)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds the stub takes for each answer")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[256, 64])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--serve", type=float, metavar="LATENCY", help=argparse.SUPPRESS)
    parser.add_argument("--answer", default=ANSWER, help=argparse.SUPPRESS)
    parser.add_argument("--places", type=int, default=sys.maxsize, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve, options.answer, options.places))
        return 0
    missed = 0
    for concurrency in options.concurrency:
        ideal_s = options.requests / concurrency * options.latency
        limit = ratio_limit(concurrency)
        for _ in range(options.repeats):
            found = measure(options.requests, concurrency, options.latency)
            ratio = found.wall_s / ideal_s
            kept = ratio <= limit and found.cpu_ms <= CPU_LIMIT_MS
            missed += not kept
            print(
                f"{options.requests} requests, {concurrency} in flight (peak {found.peak}): {found.wall_s:.2f} s, "
                f"ideal {ideal_s:.2f} s, ratio {ratio:.3f} (limit {limit}), "
                f"client CPU {found.cpu_ms:.2f} ms a request (limit {CPU_LIMIT_MS:g}): {'ok' if kept else 'MISSED'}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
