"""Short ways to ask in the tests of the client."""

import asyncio
import contextlib
import random
import resource
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fault_server import FaultServer

from endpoints.client import Endpoint
from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.request import Request
from endpoints.retry import RetryPolicy

# Milliseconds where the defaults are seconds; generous limits, since no test may depend on the speed of the machine.
QUICK = RetryPolicy(max_attempts=3, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)
LIMITS: dict[str, Any] = {"attempt_s": 60.0, "deadline_s": 120.0, "check_s": 60.0, "retry": QUICK}


def chat(said: str, **changes: Any) -> Request:
    """A chat request whose sample id is its prompt."""
    fields: dict[str, Any] = {
        "task": "ifhard:all",
        "sample_id": said,
        "repeat": 0,
        "kind": "chat",
        "model": "tiny",
        "messages": ({"role": "user", "content": said},),
        "prompt": None,
        "max_tokens": 64,
        "sampling": {"temperature": 0.0},
        "extra_body": {},
    }
    return Request(**(fields | changes))


def completion(said: str, **changes: Any) -> Request:
    """A completion request whose sample id is its prompt."""
    return chat(said, **({"kind": "completion", "messages": None, "prompt": said} | changes))


def questions(count: int) -> list[Request]:
    """Requests q0, q1, ..."""
    return [chat(f"q{number}") for number in range(count)]


@contextlib.contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Meanwhile no file of this process may grow beyond ``size`` bytes: the nearest thing to a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def endpoint(server: FaultServer | str, **options: Any) -> Endpoint:
    """An endpoint with short waits."""
    url = server if isinstance(server, str) else server.url
    return Endpoint(url, None, rng=random.Random(7), **(LIMITS | options))


def ask(
    server: FaultServer | str,
    requests: Sequence[Request],
    *,
    journal: Path | None = None,
    on_outcome: Any = None,
    **options: Any,
) -> list[Outcome]:
    """Runs the requests in an event loop of their own."""

    async def main() -> list[Outcome]:
        async with endpoint(server, **options) as client:
            if journal is None:
                return await client.run(requests, None, on_outcome)
            with Journal(journal) as opened:
                return await client.run(requests, opened, on_outcome)

    return asyncio.run(main())


def ask_one(server: FaultServer | str, request: Request, **options: Any) -> Outcome:
    """The outcome of a single request."""
    (outcome,) = ask(server, [request], **options)
    return outcome
