"""What happens while answers arrive: each is scored at once, off the event loop, and the bar shows the pass rate."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tqdm import tqdm

from tasks.benchmark import Benchmark

__all__ = ["LiveScores"]


class LiveScores:
    """Progress bar with rate, time left, running pass rate and failures.

    One scoring thread: the verifiers are pure Python, more threads would only take turns. The
    verdicts are remembered by the benchmark, so the metrics do not compute them again.

    Args:
        benchmarks: by name.
        total: samples of the run.
    """

    def __init__(self, benchmarks: Mapping[str, Benchmark], total: int) -> None:
        self._benchmarks = benchmarks
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")
        self._bar = tqdm(total=total, desc="answers", unit="q", smoothing=0.1, dynamic_ncols=True)
        self._passed = 0.0
        self._scored = self._failed = self._kept = 0

    def __enter__(self) -> "LiveScores":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._bar.close()

    def on_answer(self, doc: Any, outcome: Any) -> "asyncio.Future[None] | None":
        """Called on the event loop with each outcome; returns the scoring to wait for, if any."""
        self._bar.update()
        if outcome.status != "answered":
            self._failed += 1
            self._show()
            return None
        self._kept += outcome.from_journal
        return asyncio.ensure_future(self._score(doc, outcome))

    async def _score(self, doc: Any, outcome: Any) -> None:
        found = self._benchmarks[doc.task_name.partition(":")[0]]
        loop = asyncio.get_running_loop()
        try:
            record = await loop.run_in_executor(self._pool, found.score, doc.specific, outcome.text, outcome.truncated)
        except Exception:
            # A fault of the scorer: the metric meets it again, names the sample and counts it as unscored.
            return
        self._scored += 1
        self._passed += record["scores"][found.metric_names[0]] or 0.0
        self._show()

    def _show(self) -> None:
        rate = f"{self._passed / self._scored:.3f}" if self._scored else "-"
        kept = f", {self._kept} kept" if self._kept else ""
        self._bar.set_postfix_str(f"pass rate {rate}, {self._failed} without answer{kept}", refresh=False)
