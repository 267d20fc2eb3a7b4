"""What happens while answers arrive: each is scored or judged at once, and counted for whoever waits."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from endpoints.answer_tasks import Scored
from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from endpoints.waiting import Waited
from judges.judgement import JudgeCall, Judgement, JudgeReply, Judging
from metrics.record import Answer, Record, Sample
from runner.judging import RunJudge, RunJudges
from runner.progress import Progress
from runner.reasoning import ReasoningWatch
from runner.running_rate import RunningRate
from tasks.benchmark import Benchmark
from tasks.names import TaskName

__all__ = ["LiveScores"]

_JUDGE = "the judge: "


class LiveScores:
    """Scores answers, has them judged, and shows how far the run is.

    Args:
        benchmarks: by name.
        docs: of the run.
        judges: the judges of the run.
        reasoning: looks at the reasoning of the answers.
        threaded: score in a thread, so that generation goes on meanwhile. One thread: the verifiers are pure Python,
            more would only take turns. Where nothing is generated there is nothing to hold up.
        caveat: see :class:`runner.progress.Progress`.
    """

    def __init__(
        self,
        benchmarks: Mapping[str, Benchmark],
        docs: Sequence[Any],
        judges: RunJudges,
        reasoning: ReasoningWatch,
        *,
        threaded: bool = True,
        caveat: str = "",
    ) -> None:
        self._benchmarks = benchmarks
        self._judges = judges
        self._reasoning = reasoning
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring") if threaded else None
        self._rate = RunningRate(benchmarks)
        self._left = len(docs)  # samples of which it is not known what comes of them
        self._missing = self._blocked = self._kept = self._unjudged = self._unscored = 0
        judged = sum(self._judging_of(doc) is not None for doc in docs)
        self.progress = Progress(len(docs), judged, self._words, caveat=caveat)

    def __enter__(self) -> "LiveScores":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self.progress.close()

    def begin(self, *, longest_first: bool) -> None:
        """The first request is about to be sent; whether those with long answers are sent first."""
        self._rate.longest_first = longest_first
        self.progress.begin("; likely less, long answers are asked for first" if longest_first else "")

    @contextlib.asynccontextmanager
    async def beside(self, companion: contextlib.AbstractAsyncContextManager[Any]) -> AsyncIterator[None]:
        """Keep what is shown alive for the length of the block, and something else open."""
        async with self.progress.ticking(), companion:
            yield

    def on_answer(self, doc: Any, outcome: Any) -> Coroutine[Any, Any, Scored] | Scored:
        """Called on the event loop with each outcome; returns the scored answer, or the work that will give it."""
        found = self._judging_of(doc)
        bench, sample = self._benchmark(doc), Sample.of(doc.specific)
        if outcome.status != "answered":
            self._blocked += outcome.status == "blocked"
            self._missing += outcome.status != "blocked"
            self.progress.arrived(fresh=outcome.attempts > 0, lost_verdict=found is not None)
            self._done(known=outcome.status != "not_asked" or outcome.error_code == "does-not-fit")
            return self.unasked(doc, outcome)
        self._kept += outcome.from_journal
        fresh = outcome.attempts > 0 and not outcome.from_journal
        arrived = _Arrived(bench, sample, Answer(outcome.text, outcome.truncated), self._reasoning.saw(outcome))
        if found is not None:
            self.progress.arrived(fresh=fresh, to_judge=(doc.task_name, sample.id, sample.repeat))
            return self._judged(arrived, *found, doc.task_name)
        self.progress.arrived(fresh=fresh)
        if self._pool is None:
            return self._finished(arrived, _score(arrived))
        return self._in_thread(arrived, self._pool)

    def unasked(self, doc: Any, outcome: Any) -> Scored:
        """The record of a sample without an answer; it is not counted."""
        bench = self._benchmark(doc)
        return Scored(bench.unanswered(Sample.of(doc.specific), outcome.status, outcome.error or ""))

    def on_waiting(self, waited: Sequence[Waited]) -> None:
        """Name the questions that the model has not answered for long."""
        self.progress.wait("", waited)

    def on_judge_waiting(self, waited: Sequence[Waited]) -> None:
        """Name the answers that a judge has not judged for long."""
        self.progress.wait(_JUDGE, waited)

    def _benchmark(self, doc: Any) -> Benchmark:
        return self._benchmarks[TaskName.read(doc.task_name).benchmark]

    def _judging_of(self, doc: Any) -> tuple[RunJudge, Judging] | None:
        """Which judge judges the answer to a document, and how; None where no model judges."""
        bench = self._benchmark(doc)
        judge = self._judges.of(bench.name)
        return None if bench.judging is None or judge is None else (judge, bench.judging)

    async def _in_thread(self, arrived: "_Arrived", pool: ThreadPoolExecutor) -> Scored:
        return self._finished(arrived, await asyncio.get_running_loop().run_in_executor(pool, _score, arrived))

    async def _judged(self, arrived: "_Arrived", judge: RunJudge, judging: Judging, task: str) -> Scored:
        put = judge.ask(task, arrived.sample)
        fresh = False

        async def ask(call: JudgeCall) -> JudgeReply:
            nonlocal fresh
            reply = await put(call)
            fresh = fresh or not reply.kept
            return reply

        try:
            judgement = await judging.judge(arrived.sample, arrived.answer, ask)
        except (EndpointError, JournalError):
            raise  # the judge refuses everything, or nothing can be kept: no use in going on
        except Exception as error:
            judgement = Judgement("failed", error=f"judging raised {type(error).__name__}: {error}")
        which = (task, arrived.sample.id, arrived.sample.repeat)
        self.progress.judged(which, fresh=fresh, verdict=judgement.status == "judged")
        return self._finished(arrived, _score(arrived, judgement), judgement.to_json())

    def _finished(self, arrived: "_Arrived", record: Record, judgement: str = "") -> Scored:
        record["with_reasoning"], record["marked_reasoning"] = arrived.reasoning
        self._rate.add(arrived.bench, record)
        self._unjudged += record["outcome"] == "unjudged"
        self._unscored += record["outcome"] == "unscored"
        self._done()
        return Scored(record, judgement)

    def _done(self, *, known: bool = True) -> None:
        """All is done about one sample; whether it is known what comes of it."""
        self._left -= known
        self.progress.finished()

    def _words(self) -> list[str]:
        """What is shown beside the counts: the running score, and what went wrong."""
        counts = {
            "blocked": self._blocked,
            "not judged": self._unjudged,
            "not scored": self._unscored,
            "kept": self._kept,
        }
        shown = [f"{count} {what}" for what, count in counts.items() if count]
        return [
            self._rate.phrase(whole=not self._left),
            f"{self._missing} without answer",
            *shown,
            self._reasoning.postfix,
        ]


class _Arrived(NamedTuple):
    """An answer on its way to its record, and what was seen of its reasoning: some, some that nobody cut."""

    bench: Benchmark
    sample: Sample
    answer: Answer
    reasoning: tuple[bool, bool]


def _score(arrived: _Arrived, judgement: Judgement | None = None) -> Record:
    """The record of an answer; a fault of the scorer is counted as such and does not end the run."""
    bench, sample, answer, _ = arrived
    try:
        return bench.score(sample, answer, judgement)
    except Exception as error:
        return bench.unanswered(sample, "unscored", f"scorer raised {type(error).__name__}: {error}")
