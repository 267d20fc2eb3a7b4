"""The build proper: jobs in, validated questions out, the same ones for the same seed whatever the machine.

Stacks are planned one after the other, because each depends on what was used before; composing them is independent
work, done by worker processes in rounds. Every attempt has its own random stream, named after seed, job and attempt,
and the results of a round are taken in the order of the jobs, so the number of processes changes nothing.
"""

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final

from builders.ifhard.bank import BANK, Topic, load_bank
from builders.ifhard.catalogue import CATALOGUE, Variant, load_catalogue
from builders.ifhard.draft import InfeasibleError
from builders.ifhard.free_rate import above_bar, free_answers
from builders.ifhard.jobs import Job, Span, deal_jobs
from builders.ifhard.question import Question, make_question
from builders.ifhard.shots import load_shots
from builders.ifhard.stack import FLOOR_SPANNED, Plan, Quotas, plan_stack
from builders.ifhard.type_tables import FULL_SIZE, LEFT_OUT, SHARES
from builders.ifhard.validate import BuildError, check_question

__all__ = ["Built", "Sources", "Tally", "build_questions"]

ROUND: Final = 48
"""Jobs planned before their results are known."""
ATTEMPTS: Final = 60
"""Stacks tried for one job before the build is given up."""
ATTEMPTS_SPANNED: Final = 400
"""The same for a job of a set with a range of requirements of its own: large stacks often have no witness."""
FRAME_KEPT: Final = 40
"""Stacks after which such a job takes prose for its frame, where most stacks have a witness."""
CHOICES: Final = 3
"""Compositions tried for one stack: other keywords, letters and numbers may do."""


@dataclass(frozen=True)
class Sources:
    """Where the material is."""

    bank: Path = BANK
    catalogue: Path = CATALOGUE


@dataclass
class Tally:
    """What was tried: stacks, those given up by reason, and for each variant how often it was tried and given up."""

    stacks: int = 0
    discarded: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Built:
    """The questions of both splits in job order, and the tally of the test split's making."""

    test: list[Question]
    shots: list[Question]
    tally: Tally


@dataclass(frozen=True)
class _Order:
    """One attempt, as it is sent to a worker."""

    seed: str
    job: Job
    attempt: int
    frame: str
    keys: tuple[str, ...]


class Workshop:
    """What a worker holds: the bank, the catalogue and the free answers, read once."""

    def __init__(self, sources: Sources) -> None:
        self.topics: Mapping[str, Topic] = load_bank(sources.bank)
        self.catalogue: Mapping[str, Variant] = load_catalogue(sources.catalogue)
        self.free_answers: list[str] = free_answers()

    def work(self, order: _Order) -> Question | str:
        """The question, or the reason why there is none.

        Raises:
            BuildError: a question was composed that breaks a guarantee.
        """
        job, topic = order.job, self.topics[order.job.topic]
        reason = ""
        for choice in range(CHOICES):
            rng = Random(f"{order.seed}/{job.split}/{job.number}/{order.attempt}/{choice}")
            try:
                question = make_question(job, order.frame, order.keys, topic, self.catalogue, rng)
            except InfeasibleError as error:
                reason = reason or str(error)
                continue
            faults = check_question(question, topic)
            if faults:
                raise BuildError(f"{job.split} question {job.number}: {faults[0]}\n{question}")
            if not job.spanned or not above_bar(question.constraints, self.free_answers):
                return question
            reason = reason or "a requirement is met by chance"
        return reason


_workshop: Workshop | None = None


def _start_worker(sources: Sources) -> None:
    # A process pool has no other place for what each worker loads once.
    global _workshop
    _workshop = Workshop(sources)


def _work(order: _Order) -> Question | str:
    assert _workshop is not None, "the worker was not started"
    return _workshop.work(order)


Mapper = Callable[[Sequence[_Order]], Iterable[Question | str]]


@contextmanager
def _workers(sources: Sources, processes: int) -> Iterator[Mapper]:
    """Something that works on orders and yields their results in order, with one process or several."""
    if processes == 1:
        shop = Workshop(sources)
        yield lambda orders: map(shop.work, orders)
        return
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawning, _start_worker, (sources,)) as pool:
        yield lambda orders: pool.map(_work, orders, chunksize=4)


def _make_split(
    seed: str,
    jobs: Sequence[Job],
    quotas: Quotas,
    run: Mapper,
    tally: Tally,
    accept: Callable[[Question], bool],
    progress: Callable[[int], object],
) -> list[Question]:
    done: dict[int, Question] = {}
    attempts: Counter[int] = Counter()
    waiting = list(jobs)
    while waiting:
        # Topup jobs look at what the core jobs came to, so they wait until those are done.
        core = [job for job in waiting if job.frame is not None]
        batch = (core or waiting)[:ROUND]
        waiting = [job for job in waiting if job not in batch]
        orders = []
        for job in batch:
            attempt = attempts[job.number]
            frame, keys = _plan(seed, job, attempt, quotas)
            quotas.take(keys)
            orders.append(_Order(seed, job, attempt, frame, tuple(keys)))
        again = []
        for order, result in zip(orders, run(orders), strict=True):
            tally.stacks += 1
            tally.tried.update(order.keys)
            if isinstance(result, Question) and accept(result):
                done[order.job.number] = result
                progress(1)
                continue
            reason = "the same question or stack already exists" if isinstance(result, Question) else result
            tally.discarded[reason] += 1
            tally.failed.update(order.keys)
            quotas.give_back(order.keys)
            attempts[order.job.number] += 1
            limit = ATTEMPTS_SPANNED if order.job.spanned else ATTEMPTS
            if attempts[order.job.number] >= limit:
                raise BuildError(f"no question after {limit} stacks for {order.job}; last reason: {reason}")
            gives_way = order.job.spanned and attempts[order.job.number] == FRAME_KEPT
            again.append(replace(order.job, frame="prose") if gives_way else order.job)
        waiting = again + waiting
    return [done[job.number] for job in jobs]


def _plan(seed: str, job: Job, attempt: int, quotas: Quotas) -> Plan:
    return plan_stack(job, quotas, Random(f"{seed}/{job.split}/{job.number}/{attempt}/stack"))


def build_questions(
    seed: int,
    size: int,
    sources: Sources | None = None,
    processes: int = 1,
    progress: Callable[[int], object] = lambda count: None,
    span: Span | None = None,
) -> Built:
    """Make the questions of the test split, and read the examples.

    Args:
        seed: any integer; the shots are the same for all of them.
        size: number of test questions (1260 for a full build).
        sources: bank and catalogue; None takes those of the project.
        processes: worker processes; changes the speed only.
        progress: told the number of questions finished.
        span: how many requirements a question has; None for the mixture of the shipped set.

    Raises:
        BuildError: a question breaks a guarantee, or a job stays without a question.
    """
    sources = sources or Sources()
    bank = load_bank(sources.bank)
    shots = _checked_shots(bank, load_catalogue(sources.catalogue))
    shown = {_stack(question) for question in shots}
    ids = {question.base_id for question in shots}
    texts: set[tuple[str, ...]] = set()

    def is_new(question: Question) -> bool:
        text = (question.job.task, question.context, *question.lines)
        if question.base_id in ids or text in texts or _stack(question) in shown:
            return False
        ids.add(question.base_id)
        texts.add(text)
        return True

    name, tally = str(seed), Tally()
    jobs = deal_jobs(size, list(bank.values()), Random(f"{name}/test/jobs"), span)
    quotas = Quotas(_worth(jobs), LEFT_OUT, FLOOR_SPANNED) if span else Quotas(size, LEFT_OUT)
    with _workers(sources, processes) as run:
        return Built(_make_split(name, jobs, quotas, run, tally, is_new, progress), shots, tally)


def _checked_shots(bank: Mapping[str, Topic], catalogue: Mapping[str, Variant]) -> list[Question]:
    """The examples.

    Raises:
        BuildError: one breaks a guarantee.
    """
    shots = load_shots(bank, catalogue)
    for question, topic in shots:
        faults = check_question(question, topic)
        if faults:
            raise BuildError(f"shots question {question.job.number}: {faults[0]}\n{question}")
    return [question for question, _ in shots]


def _stack(question: Question) -> frozenset[str]:
    return frozenset(constraint["category"] for constraint in question.constraints)


def _worth(jobs: Sequence[Job]) -> int:
    """How many questions of the shipped set have as many requirements as the jobs together."""
    return max(1, round(sum(job.size for job in jobs) * FULL_SIZE / sum(SHARES.values())))
