"""What happens while answers arrive: each is scored or judged at once, and the bar shows the running score."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tqdm import tqdm

from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from judges.judgement import Judgement
from runner.judging import RunJudge
from tasks.benchmark import Benchmark, Judging

__all__ = ["LiveScores"]


class LiveScores:
    """Progress bar with rate, time left, running pass rate and failures.

    One scoring thread: the verifiers are pure Python, more threads would only take turns. The
    verdicts are remembered by the benchmark, so the metrics do not compute them again.

    Args:
        benchmarks: by name; one without a scorer at hand (an ungraded dataset) is left out.
        total: samples of the run.
        judge: for benchmarks whose answers are judged.
    """

    def __init__(self, benchmarks: Mapping[str, Benchmark], total: int, judge: RunJudge | None = None) -> None:
        self._benchmarks = benchmarks
        self._judge = judge
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")
        self._bar = tqdm(total=total, desc="answers", unit="q", smoothing=0.1, dynamic_ncols=True)
        self._passed = 0.0
        self._scored = self._failed = self._kept = self._unjudged = 0

    def __enter__(self) -> "LiveScores":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._bar.close()

    def on_answer(self, doc: Any, outcome: Any) -> "Coroutine[Any, Any, str | None] | None":
        """Called on the event loop with each outcome; returns the scoring or judging to wait for, if any."""
        self._bar.update()
        if outcome.status != "answered":
            self._failed += 1
            self._show()
            return None
        self._kept += outcome.from_journal
        found = self._benchmarks.get(doc.task_name.partition(":")[0])
        if found is None:
            self._show()
            return None
        if found.judging is not None and self._judge is not None:
            return self._judged(self._judge, found.judging, found.metric_names[0], doc, outcome)
        return self._score(found, doc, outcome)

    async def _score(self, found: Benchmark, doc: Any, outcome: Any) -> None:
        loop = asyncio.get_running_loop()
        try:
            record = await loop.run_in_executor(self._pool, found.score, doc.specific, outcome.text, outcome.truncated)
        except Exception:
            # A fault of the scorer: the metric meets it again, names the sample and counts it as unscored.
            return
        self._count(record["scores"][found.metric_names[0]])

    async def _judged(self, judge: RunJudge, judging: Judging, metric: str, doc: Any, outcome: Any) -> str:
        try:
            judgement = await judging.judge(doc.specific, outcome.text, judge.ask(doc))
        except (EndpointError, JournalError):
            raise  # the judge refuses everything, or nothing can be kept: no use in going on
        except Exception as error:
            judgement = Judgement("failed", error=f"judging raised {type(error).__name__}: {error}")
        if judgement.status == "judged":
            try:
                self._count(judging.score(doc.specific, outcome.text, outcome.truncated, judgement)["scores"][metric])
            except Exception:
                self._show()  # as in _score
        else:
            self._unjudged += 1
            self._show()
        return judgement.to_json()

    def _count(self, value: float | None) -> None:
        if value is not None:
            self._scored += 1
            self._passed += value
        self._show()

    def _show(self) -> None:
        rate = f"pass rate {self._passed / self._scored:.3f}, " if self._scored else ""
        kept = f", {self._kept} kept" if self._kept else ""
        unjudged = f", {self._unjudged} not judged" if self._unjudged else ""
        self._bar.set_postfix_str(f"{rate}{self._failed} without answer{unjudged}{kept}", refresh=False)
