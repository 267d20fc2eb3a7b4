"""What happens while answers arrive: each is scored or judged at once, and the bar shows the running score."""

import asyncio
import functools
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tqdm import tqdm

from endpoints.answer_tasks import Scored
from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from endpoints.waiting import Waited
from judges.judgement import Judgement, Judging
from metrics.record import Answer, Record, Sample
from runner.console import on_terminal, say
from runner.judging import RunJudge, RunJudges
from runner.reasoning import ReasoningWatch
from runner.waits import WaitLines, wait_phrase
from tasks.benchmark import Benchmark
from tasks.names import TaskName

__all__ = ["LiveScores"]

_JUDGE = "the judge: "


class LiveScores:
    """Progress bar with rate, time left, running pass rate and failures.

    Args:
        benchmarks: by name.
        total: samples of the run.
        judges: the judges of the run.
        reasoning: looks at the reasoning of the answers.
        threaded: score in a thread, so that generation goes on meanwhile. One thread: the verifiers are pure Python,
            more would only take turns. Where nothing is generated there is nothing to hold up.
    """

    def __init__(
        self,
        benchmarks: Mapping[str, Benchmark],
        total: int,
        judges: RunJudges,
        reasoning: ReasoningWatch,
        *,
        threaded: bool = True,
    ) -> None:
        self._benchmarks = benchmarks
        self._judges = judges
        self._reasoning = reasoning
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring") if threaded else None
        self._bar = tqdm(total=total, desc="answers", unit="q", smoothing=0.1, dynamic_ncols=True)
        self._passed = 0.0
        self._scored = self._failed = self._blocked = self._kept = self._unjudged = 0
        self._waits: dict[str, str] = {}  # beside the bar, by who keeps us waiting
        self._lines = {who: WaitLines(functools.partial(self._say, who)) for who in ("", _JUDGE)}

    def __enter__(self) -> "LiveScores":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._bar.close()

    def on_answer(self, doc: Any, outcome: Any) -> Coroutine[Any, Any, Scored] | Scored:
        """Called on the event loop with each outcome; returns the scored answer, or the work that will give it."""
        self._bar.update()
        name = TaskName.read(doc.task_name).benchmark
        bench, sample = self._benchmarks[name], Sample.of(doc.specific)
        if outcome.status != "answered":
            self._blocked += outcome.status == "blocked"
            self._failed += outcome.status != "blocked"
            self._show()
            return self.unasked(doc, outcome)
        self._kept += outcome.from_journal
        arrived = _Arrived(bench, sample, Answer(outcome.text, outcome.truncated), self._reasoning.saw(outcome))
        judge = self._judges.of(name)
        if bench.judging is not None and judge is not None:
            return self._judged(arrived, judge, bench.judging, doc.task_name)
        if self._pool is None:
            return self._finished(arrived, _score(arrived))
        return self._in_thread(arrived, self._pool)

    def unasked(self, doc: Any, outcome: Any) -> Scored:
        """The record of a sample without an answer; the bar does not count it."""
        bench = self._benchmarks[TaskName.read(doc.task_name).benchmark]
        return Scored(bench.unanswered(Sample.of(doc.specific), outcome.status, outcome.error or ""))

    def on_waiting(self, waited: Sequence[Waited]) -> None:
        """Name the questions that the model has not answered for long."""
        self._name("", waited)

    def on_judge_waiting(self, waited: Sequence[Waited]) -> None:
        """Name the answers that a judge has not judged for long."""
        self._name(_JUDGE, waited)

    def _name(self, who: str, waited: Sequence[Waited]) -> None:
        if not on_terminal():
            self._lines[who].tell(waited)
            return
        phrase = wait_phrase(waited)
        self._waits[who] = f", {who}{phrase}" if phrase else ""
        self._show()
        self._bar.refresh()

    def _say(self, who: str, line: str) -> None:
        self._bar.clear()
        say(who + line)

    async def _in_thread(self, arrived: "_Arrived", pool: ThreadPoolExecutor) -> Scored:
        return self._finished(arrived, await asyncio.get_running_loop().run_in_executor(pool, _score, arrived))

    async def _judged(self, arrived: "_Arrived", judge: RunJudge, judging: Judging, task: str) -> Scored:
        try:
            judgement = await judging.judge(arrived.sample, arrived.answer, judge.ask(task, arrived.sample))
        except (EndpointError, JournalError):
            raise  # the judge refuses everything, or nothing can be kept: no use in going on
        except Exception as error:
            judgement = Judgement("failed", error=f"judging raised {type(error).__name__}: {error}")
        return self._finished(arrived, _score(arrived, judgement), judgement.to_json())

    def _finished(self, arrived: "_Arrived", record: Record, judgement: str = "") -> Scored:
        record["with_reasoning"], record["marked_reasoning"] = arrived.reasoning
        value = record["scores"].get(arrived.bench.metric_names[0])
        if value is not None:
            self._scored += 1
            self._passed += value
        self._unjudged += record["outcome"] == "unjudged"
        self._show()
        return Scored(record, judgement)

    def _show(self) -> None:
        rate = f"pass rate {self._passed / self._scored:.3f}, " if self._scored else ""
        kept = f", {self._kept} kept" if self._kept else ""
        unjudged = f", {self._unjudged} not judged" if self._unjudged else ""
        blocked = f", {self._blocked} blocked" if self._blocked else ""
        marks = self._reasoning.postfix
        waits = "".join(self._waits.values())
        ended = f"{rate}{self._failed} without answer{blocked}{unjudged}{kept}"
        self._bar.set_postfix_str(f"{ended}{marks}{waits}", refresh=False)


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
