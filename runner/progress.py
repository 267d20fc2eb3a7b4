"""What a run is doing, for whoever waits: a bar on a terminal, elsewhere a line a minute."""

import asyncio
import contextlib
import functools
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from typing import Any, Final

from tqdm import tqdm

from endpoints.waiting import Waited
from runner.console import on_terminal, say, terminal_of_no_size
from runner.pace import Pace
from runner.waits import WaitLines, span, wait_phrase

__all__ = ["Progress"]

TICK_S: Final = 1.0
LINE_S: Final = 60.0
_COLUMNS: Final = 100
_ROWS: Final = 24
_FIRST: Final = 20  # answers after which the run says how long it will take
_FORMAT: Final = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"


class Progress:
    """Counts answers and verdicts apart, and shows them from :meth:`begin` to :meth:`close`.

    Args:
        answers: how many samples the run has.
        verdicts: how many of them are judged by a model.
        words: makes phrases to be shown beside the counts, the first of them the running score; empty ones are skipped.
        caveat: what may make the run shorter than its rate says; empty for nothing.
        clock: the time in seconds.
    """

    def __init__(
        self,
        answers: int,
        verdicts: int,
        words: Callable[[], Sequence[str]] = tuple,
        *,
        caveat: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._answers, self._verdicts = Pace(answers, clock), Pace(verdicts, clock)
        self._judged = verdicts > 0
        self._words = words
        self._caveat = caveat
        self._clock = clock
        self._unjudged = 0
        self._with_judge: dict[Hashable, float] = {}  # since when
        self._waits: dict[str, str] = {}  # beside the bar, by who keeps us waiting
        self._wait_lines: dict[str, WaitLines] = {}
        self._bar: tqdm | None = None  # type: ignore[type-arg]  # tqdm is generic to its stubs alone
        self._begun = self._foretold = False
        self._last_line = 0.0

    def begin(self, caveat: str = "") -> None:
        """The first request is about to be sent; ``caveat`` is added to the other one."""
        self._begun = True
        self._caveat += caveat
        self._answers.start()
        self._last_line = self._clock()
        if on_terminal():
            self._bar = tqdm(total=self._answers.total, desc="answers", bar_format=_FORMAT, **_size())
            self._draw()

    def arrived(self, *, fresh: bool, to_judge: Hashable = None, lost_verdict: bool = False) -> None:
        """An answer, or the word that there is none, has come.

        Args:
            fresh: whether it took time; an earlier session's answers do not.
            to_judge: what stands for it while it is with the judge; None where no judge gets it.
            lost_verdict: whether a judge would have got it, had there been an answer.
        """
        self._answers.add(fresh=fresh)
        self._verdicts.total -= lost_verdict
        if to_judge is not None:
            self._verdicts.start()
            self._with_judge[to_judge] = self._clock()

    def judged(self, which: Hashable, *, fresh: bool, verdict: bool = True) -> None:
        """The judge has done with an answer: it took a request or not (``fresh``), and gave a verdict or none."""
        del self._with_judge[which]
        self._verdicts.add(fresh=fresh)
        self._unjudged += not verdict

    def finished(self) -> None:
        """All is done about one sample."""
        if self._bar is not None:
            self._bar.update()
        self._foretell()

    def wait(self, who: str, waited: Sequence[Waited]) -> None:
        """Name the questions that have been waited for long; ``who`` is put before them, empty for the model."""
        if self._bar is None:
            lines = self._wait_lines.setdefault(who, WaitLines(functools.partial(self._say, who), self._clock))
            lines.tell(waited)
            return
        phrase = wait_phrase(waited)
        self._waits[who] = f"{who}{phrase}" if phrase else ""
        self._draw()

    def tick(self) -> None:
        """Time has passed: the bar is drawn anew, or the minute's line is written."""
        if not self._begun:
            return
        self._foretell()
        if self._bar is not None:
            self._draw()
        elif self._clock() - self._last_line >= LINE_S:
            self._last_line = self._clock()
            say(self.line())

    @contextlib.asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Tick every second for the length of the block."""

        async def tick() -> None:
            while True:
                await asyncio.sleep(TICK_S)
                self.tick()

        task = asyncio.create_task(tick())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def close(self) -> None:
        """The run has sent what it wanted, or ended early."""
        if self._bar is not None:
            self._draw()
            self._bar.close()
        elif self._begun:
            say(f"{self.line()}; {span(self._answers.elapsed_s)} in all")
        self._begun = False

    def line(self) -> str:
        """Everything in one line."""
        counts = [f"answers {self._answers.count}/{self._answers.total}"]
        counts += [f"judged {self._verdicts.count - self._unjudged}"] if self._judged else []
        return "; ".join(filter(None, (", ".join([*counts, *self._waiting()]), self._pace_in_line(), self._said())))

    def _said(self) -> str:
        return ", ".join(filter(None, [*self._words(), *self._waits.values()]))

    def _waiting(self) -> list[str]:
        if not self._with_judge:
            return []
        oldest = self._clock() - min(self._with_judge.values())
        return [f"{len(self._with_judge)} with the judge for {span(oldest)}"]

    def _pace(self) -> tuple[Pace, str]:
        """What decides how fast it goes on now, and what it counts."""
        if self._judged and not self._answers.left:
            return self._verdicts, "verdicts"
        return self._answers, "answers"

    def _pace_in_line(self) -> str:
        pace, noun = self._pace()
        more = self._left_s()
        return ", ".join(filter(None, (pace.phrase(noun), f"about {span(more)} more" if 0 < more < math.inf else "")))

    def _pace_beside_bar(self) -> str:
        more = self._left_s()
        shown = (self._pace()[0].phrase(), f"{span(more)} left" if 0 < more < math.inf else "")
        return ", ".join(filter(None, shown))

    def _left_s(self) -> float:
        """Answers and verdicts come side by side: the slower ones decide."""
        return max(self._answers.left_s, self._verdicts.left_s)

    def _foretell(self) -> None:
        """Say once how long the run will take."""
        seen = self._answers if self._answers.left else self._verdicts
        more = self._left_s()
        if self._foretold or seen.fresh < _FIRST or not 0 < more < math.inf:
            return
        self._foretold = True
        self._say("", f"at this rate about {span(more)} more{self._caveat}")

    def _say(self, who: str, line: str) -> None:
        if self._bar is not None:
            self._bar.clear()
        say(who + line)

    def _draw(self) -> None:
        if self._bar is None:
            return
        if self._judged:
            counts = f"answers {self._answers.count}/{self._answers.total}, judged"
            alone = self._with_judge and not self._answers.left
            self._bar.set_description_str("judging" if alone else counts, refresh=False)
        shown = [*self._waiting(), self._pace_beside_bar(), self._said()]
        self._bar.set_postfix_str(", ".join(filter(None, shown)), refresh=False)
        self._bar.refresh()


def _size() -> dict[str, Any]:
    """How large tqdm takes the terminal to be. In one of no columns or rows it would show no bar at all."""
    return {"ncols": _COLUMNS, "nrows": _ROWS} if terminal_of_no_size() else {"dynamic_ncols": True}
