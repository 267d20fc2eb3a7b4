"""How near two replicas come to the ideal, one of them dead from the middle on too: the client, vllm-router, stubs.

    python speed/replicas.py [--requests 1024] [--latency 2] [--places 32] [--router PATH] [--only whole|dead]

Each replica is a stub in a process of its own that answers in ``--latency`` seconds, ``--places`` requests at a time;
the others wait in it. The client has as many in flight as both have places. *whole*: all requests over both; the ideal
is requests / places of both * latency. *dead*: half a latency after half of the answers are there, one replica is
killed with all it works on, and the router is told as the run's supervision tells it; it stays dead. The ideal for what
is left is the requests without an answer then, over the places of one, times the latency, in whole rounds of which the
first is half done. Limits: 1.1 and 1.15 times the ideal. Prints
the times; exit status 1 where a limit is missed, an answer is lost, or the journal holds one twice.
"""

import argparse
import asyncio
import contextlib
import math
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from client_throughput import question, stub_process

from endpoints.client import Endpoint
from endpoints.journal import Journal, read_journal
from endpoints.outcome import Outcome
from endpoints.process import reserved_port
from endpoints.request import Request

WHOLE_LIMIT: Final = 1.1
DEAD_LIMIT: Final = 1.15
NOTICED_S: Final = 0.1  # supervision looks at its processes so often (endpoints/serving/supervision.py)
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextlib.contextmanager
def router(program: str, workers: Sequence[str], policy: str = "round_robin") -> Iterator[str]:
    """vllm-router before servers, ready; yields its URL."""
    with reserved_port() as port, reserved_port() as other:
        command = [program, "--host", "127.0.0.1", "--port", str(port), "--worker-urls", *workers]
        command += ["--policy", policy, "--prometheus-port", str(other)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                url = f"http://127.0.0.1:{port}"
                while not answers(url + "/v1/models"):
                    if process.poll() is not None:
                        raise SystemExit(f"{program} has ended with status {process.returncode}")
                    time.sleep(0.1)
                yield url
            finally:
                process.terminate()


def answers(url: str) -> bool:
    """Whether a GET has status 200."""
    try:
        with _direct.open(url, timeout=5.0):
            return True
    except OSError:
        return False


def remove(router_url: str, worker: str) -> None:
    """Tell the router that a server is gone."""
    query = urllib.parse.urlencode({"url": worker})
    with contextlib.suppress(urllib.error.HTTPError):
        _direct.open(urllib.request.Request(f"{router_url}/remove_worker?{query}", method="POST"), timeout=10.0).close()


async def ask(url: str, requests: Sequence[Request], journal: Path, concurrency: int, kill: "Killing | None") -> float:
    """Seconds that the requests take; from the killing on, if something is killed."""
    asked = time.monotonic()

    def arrived(request: Request, outcome: Outcome) -> None:
        if outcome.status != "answered":
            raise SystemExit(f"{request.sample_id}: {outcome.error}")
        if kill is not None:
            kill.saw_answer()

    with Journal(journal) as opened:
        async with Endpoint(f"{url}/v1", None, concurrency=concurrency) as endpoint:
            await endpoint.describe("stub")
            asked = time.monotonic()
            await endpoint.run(requests, opened, arrived)
    return time.monotonic() - (asked if kill is None else kill.at_s)


class Killing:
    """Kills a replica some seconds after so many answers are there, and has the router told.

    Attributes:
        at_s: when it did.
        more: answers that came in these seconds.
    """

    def __init__(
        self, process: "subprocess.Popen[str]", router_url: str, worker: str, after: int, wait_s: float
    ) -> None:
        self._process, self._router, self._worker, self._wait_s = process, router_url, worker, wait_s
        self._left = after
        self.at_s = math.inf
        self.more = 0

    def saw_answer(self) -> None:
        """One more answer is there."""
        self._left -= 1
        if not self._left:
            asyncio.get_running_loop().call_later(self._wait_s, self._kill)

    def _kill(self) -> None:
        self.at_s, self.more = time.monotonic(), -self._left
        self._process.kill()
        loop = asyncio.get_running_loop()
        loop.call_later(NOTICED_S, loop.run_in_executor, None, remove, self._router, self._worker)


def measure(options: argparse.Namespace, dead: bool) -> bool:
    """Whether a run keeps its limit; prints what it took."""
    count, places, latency_s = options.requests, options.places, options.latency
    with contextlib.ExitStack() as stack:
        stubs = [stack.enter_context(stub_process(latency_s, places=places)) for _ in range(2)]
        workers = [url.removesuffix("/v1") for url, _ in stubs]
        url = stack.enter_context(router(options.router, workers))
        journal = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "responses.jsonl"
        kill = Killing(stubs[1][1], url, workers[1], count // 2, latency_s / 2) if dead else None
        cpu = sum(os.times()[:2])
        took_s = asyncio.run(ask(url, [question(number) for number in range(count)], journal, 2 * places, kill))
        cpu_s = sum(os.times()[:2]) - cpu
        lines = read_journal(journal)
    left, ideal_s = count, math.ceil(count / (2 * places)) * latency_s
    if kill is not None:
        left = count - count // 2 - kill.more
        ideal_s = (math.ceil(left / places) - 0.5) * latency_s
    limit = DEAD_LIMIT if dead else WHOLE_LIMIT
    once = len(lines) == len({line.key for line in lines}) == count
    again = sum(line.outcome.attempts > 1 for line in lines)
    kept = bool(took_s <= limit * ideal_s) and once
    print(
        f"{'one replica dead' if dead else 'two replicas'}: {left} requests in {took_s:.2f} s, ideal {ideal_s:.2f} s, "
        f"ratio {took_s / ideal_s:.3f} (limit {limit}); {again} asked again, client CPU {cpu_s:.1f} s: "
        f"{'ok' if kept else 'MISSED'}",
        flush=True,
    )
    return kept


def main() -> int:
    """Command line; 0 where every limit is kept."""
    parser = argparse.ArgumentParser(description="Makespan over two replicas, one of them dead from the middle on.")
    parser.add_argument("--requests", type=int, default=1024)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds a stub takes for each answer")
    parser.add_argument("--places", type=int, default=32, help="answers that a stub works on at a time")
    parser.add_argument("--router", default="vllm-router", help="path of vllm-router")
    parser.add_argument("--only", choices=("whole", "dead"))
    options = parser.parse_args()
    kept = [measure(options, dead) for name, dead in (("whole", False), ("dead", True)) if options.only in (None, name)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
