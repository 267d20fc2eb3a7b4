"""How near ``--concurrency auto`` comes to the best fixed number, on simulated GPU servers, in virtual time.

    python speed/concurrency_auto.py [--share 1.0]

A server works in steps, as vLLM does. A step takes ``BASE_S`` seconds, ``SEQUENCE_S`` for each running request,
``CONTEXT_S`` for each token of their contexts, and ``PROMPT_S`` for each token of prompts, of which a step reads at
most ``BUDGET``. At most ``places`` requests run; each holds its context in the KV cache of ``kv`` tokens. A request is
let in when its prompt fits into what is free. When the cache is full, the youngest is put back: its prompt will be read
again, and what it had generated.

Each workload is run at each fixed number of ``FIXED`` and with the controller, which sees the server once a second.
Prints the makespans in seconds; exit status 1 where auto is more than ``NEAR`` times the best fixed number on a
workload of ``NEAR_ON``, or more than ``FAR`` times on any.
"""

import argparse
import random
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from endpoints.concurrency import Controller, Observation
from endpoints.defaults import CONCURRENCY, MOST_AUTO

BASE_S: Final = 0.012
SEQUENCE_S: Final = 4e-5
CONTEXT_S: Final = 2e-8
PROMPT_S: Final = 4e-5
BUDGET: Final = 8192
FIXED: Final = (8, 16, 32, 64, 128, 256)
NEAR, FAR = 1.05, 1.10


@dataclass(slots=True)
class Job:
    """A request: tokens of its prompt, of its answer, and what is done of them."""

    prompt: int
    answer: int
    unread: int = 0
    done: int = 0
    verdict: "Job | None" = None

    @property
    def context(self) -> int:
        """Tokens that it holds in the KV cache once all of them are read."""
        return self.prompt + self.done


@dataclass(slots=True)
class Server:
    """A simulated server; see the module's text."""

    places: int
    kv: int
    now_s: float = 0.0
    running: list[Job] = field(default_factory=list)
    waiting: deque[Job] = field(default_factory=deque)
    preempted: int = 0
    generated: int = 0

    @property
    def in_flight(self) -> int:
        """Requests that it has."""
        return len(self.running) + len(self.waiting)

    def used(self) -> int:
        """Tokens in the KV cache."""
        return sum(job.context - job.unread for job in self.running)

    def send(self, job: Job) -> None:
        """Give it a request."""
        job.unread = job.context
        self.waiting.append(job)

    def step(self) -> list[Job]:
        """Work for one step; returns the requests that it finished."""
        used = self.used()
        budget = BUDGET
        for job in self.running:
            budget -= (read := min(job.unread, budget))
            job.unread -= read
            used += read
        while self.waiting and len(self.running) < self.places and budget > 0:
            job = self.waiting[0]
            if used + job.unread > self.kv and self.running:
                break
            self.waiting.popleft()
            budget -= (read := min(job.unread, budget))
            job.unread -= read
            used += read
            self.running.append(job)
        while used + len(self.running) > self.kv and len(self.running) > 1:
            job = self.running.pop()
            used -= job.context - job.unread
            job.unread = job.context
            self.waiting.appendleft(job)
            self.preempted += 1
        self.now_s += BASE_S + SEQUENCE_S * len(self.running) + CONTEXT_S * used + PROMPT_S * (BUDGET - budget)
        for job in self.running:
            if not job.unread:
                job.done += 1
                self.generated += 1
        finished = [job for job in self.running if job.done >= job.answer]
        if finished:
            self.running = [job for job in self.running if job.done < job.answer]
        return finished


class Limit:
    """How many requests go to a server: a fixed number, or the controller's."""

    def __init__(self, server: Server, fixed: int | None) -> None:
        self._server = server
        self._controller = None if fixed is not None else Controller(CONCURRENCY, MOST_AUTO)
        self.now = fixed if fixed is not None else CONCURRENCY
        self._seen = (0.0, 0, 0)

    def look(self) -> None:
        """Once a second: let the controller see the server."""
        server = self._server
        at_s, preempted, generated = self._seen
        if self._controller is None or server.now_s < at_s + 1:
            return
        self._seen = (server.now_s, server.preempted, server.generated)
        self.now = self._controller.observe(
            Observation(
                seconds=server.now_s - at_s,
                in_flight=server.in_flight,
                running=len(server.running),
                waiting=len(server.waiting),
                kv_use=min(1.0, server.used() / server.kv),
                preempted=server.preempted - preempted,
                generated=server.generated - generated,
            )
        )


def makespan(jobs: Sequence[Job], server: Server, fixed: int | None, judge: Server | None = None) -> tuple[float, str]:
    """Seconds until everything is done, and the numbers in flight at the end."""
    queues = {"model": deque(jobs), "judge": deque[Job]()}
    servers = {"model": server} | ({"judge": judge} if judge is not None else {})
    limits = {role: Limit(found, fixed) for role, found in servers.items()}
    settled = dict.fromkeys(servers, 0)
    while True:
        for role, found in servers.items():
            limits[role].look()
            while queues[role] and found.in_flight < limits[role].now:
                found.send(queues[role].popleft())
            if queues[role]:
                settled[role] = limits[role].now
        busy = [role for role, found in servers.items() if found.in_flight]
        if not busy:
            return max(found.now_s for found in servers.values()), "/".join(map(str, settled.values()))
        role = min(busy, key=lambda role: servers[role].now_s)
        for job in servers[role].step():
            if job.verdict is not None and judge is not None:
                judge.now_s = judge.now_s if judge.in_flight else max(judge.now_s, server.now_s)
                queues["judge"].append(job.verdict)


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests and the server they go to; ``judge`` is the server of a judge."""

    count: int
    prompt: tuple[int, int]
    answer: tuple[int, int]
    places: int
    kv: int
    verdict: tuple[int, int] | None = None

    def jobs(self, share: float, rng: random.Random) -> list[Job]:
        """A share of its requests."""
        made = []
        for _ in range(max(1, round(self.count * share))):
            verdict = Job(900, rng.randint(*self.verdict)) if self.verdict else None
            made.append(Job(rng.randint(*self.prompt), rng.randint(*self.answer), verdict=verdict))
        return made

    def run(self, share: float, fixed: int | None) -> tuple[float, str]:
        """The makespan at a fixed number, or with the controller, and the numbers in flight at the end."""
        judge = Server(self.places, self.kv) if self.verdict else None
        jobs = self.jobs(share, random.Random(7))
        return makespan(jobs, Server(self.places, self.kv), fixed, judge)


WORKLOADS: Final = {
    "short prompts, short answers": Workload(12_000, (60, 200), (20, 400), 256, 400_000),
    "long SOBHard prompts": Workload(1_000, (4_000, 30_000), (200, 3_000), 256, 900_000),
    "hardmultiqa with judge": Workload(6_000, (100, 400), (50, 600), 256, 300_000, (40, 300)),
    "a small KV cache": Workload(1_500, (200, 2_000), (500, 4_000), 256, 60_000),
    "long prompts in a small KV cache": Workload(600, (4_000, 30_000), (200, 3_000), 256, 120_000),
    "long answers in a tiny KV cache": Workload(400, (500, 3_000), (500, 8_000), 256, 40_000),
    "few places": Workload(2_000, (60, 400), (100, 800), 16, 400_000),
    "more places than are of use": Workload(8_000, (60, 400), (100, 1_200), 1024, 4_000_000),
}
NEAR_ON: Final = tuple(WORKLOADS)[:3]


def compare(share: float) -> Iterator[tuple[str, dict[int, float], float, str]]:
    """For each workload its name, the makespans of fixed numbers, that of auto, and what auto settled on."""
    for name, workload in WORKLOADS.items():
        fixed = {number: workload.run(share, number)[0] for number in FIXED}
        yield name, fixed, *workload.run(share, None)


def main() -> int:
    """Command line; 0 where the limits are kept."""
    parser = argparse.ArgumentParser(description="auto against fixed numbers, simulated")
    parser.add_argument("--share", type=float, default=1.0, help="of each workload's requests")
    missed = False
    for name, fixed, auto, settled in compare(parser.parse_args().share):
        best = min(fixed.values())
        limit = NEAR if name in NEAR_ON else FAR
        missed = missed or auto > best * limit
        shown = ", ".join(f"{number}: {seconds:.0f}" for number, seconds in fixed.items())
        word = "ok" if auto <= best * limit else "MISSED"
        print(f"{name}: {shown}; auto {auto:.0f} s at {settled}, {auto / best:.3f} of the best (limit {limit}): {word}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
