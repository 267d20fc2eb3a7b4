"""Ends a run as soon as its answer is certain (``--stop-when``), and says what is certain of it.

The formulas are those of :mod:`metrics.decision`. They hold at every look if the order of the questions was
drawn beforehand and nothing but its completed prefix is looked at: answers that arrive first are the short ones.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from endpoints.answer_tasks import Scored
from metrics.headlines import question_value
from metrics.record import Record
from runner.baseline import read_baseline
from runner.console import say
from runner.exits import UsageError
from runner.live import LiveScores
from runner.question_order import Question, drawn_order, question_of
from runner.settings import Settings
from runner.stop_evidence import Evidence, OfPairs, OfSet
from runner.stop_rule import ORDER_SEED, StopRule, read_rule
from tasks.benchmark import Benchmark, DatasetHandle

__all__ = ["Stopping", "open_stopping"]


class Stopping:
    """Looks at the completed prefix of the drawn order after every answer, until the rule is met.

    Args:
        rule: when the run may end.
        order: its questions.
        answers: how many answers each question gets.
        evidence: what is made of them.
        seed: of the order.
        goes_on: whether the run goes on when the rule is met.
        recorded: ``run.json`` of the run that is resumed; empty for a new one.

    Attributes:
        enough: set once the rule is met, unless the run goes on.
    """

    def __init__(
        self,
        rule: StopRule,
        order: Sequence[Question],
        answers: Mapping[Question, int],
        evidence: Evidence,
        *,
        seed: int,
        goes_on: bool,
        recorded: Mapping[str, Any],
    ) -> None:
        self.enough = asyncio.Event()
        self._rule, self._order, self._answers, self._evidence = rule, order, answers, evidence
        self._seed, self._goes_on = seed, goes_on
        self._records: dict[Question, list[Record]] = {question: [] for question in order}
        self._looked_at = 0  # questions of the prefix
        self._met: tuple[int, str] | None = None  # by how many questions, and what is certain since
        stopped = not goes_on and recorded.get("stopped")
        # By whose answers an earlier session was stopped.
        self._decided = frozenset(order[: recorded["stop_rule"]["questions"]] if stopped else ())

    def watch(self, live: LiveScores, doc: Any, outcome: Any) -> Coroutine[Any, Any, Scored] | Scored:
        """Have an answer scored, and look at it then; arguments and result are those of ``live.on_answer``."""
        if outcome.status == "not_asked" and self.enough.is_set():
            return live.unasked(doc, outcome)
        work = live.on_answer(doc, outcome)
        if outcome.status == "not_asked" and outcome.error_code == "server-gone":
            return work  # its turn is still to come, in a resume
        if not isinstance(work, Scored):
            return self._later(doc, work)
        self.saw(doc, work.record)
        return work

    async def _later(self, doc: Any, work: Coroutine[Any, Any, Scored]) -> Scored:
        scored = await work
        self.saw(doc, scored.record)
        return scored

    def saw(self, doc: Any, record: Record) -> None:
        """Take in one scored answer, or what stands for a missing one; to be called on the event loop."""
        question = question_of(doc)
        self._records[question].append(record)
        while not self.enough.is_set() and self._looked_at < len(self._order):
            question = self._order[self._looked_at]
            records = self._records[question]
            if len(records) < self._answers[question]:
                return
            self._evidence.add(question, question_value(self._rule.spec, records))
            self._looked_at += 1
            self._look()

    def _look(self) -> None:
        verdict = self._evidence.verdict() if self._met is None else ""
        if not verdict:
            return
        self._met = self._looked_at, verdict
        # At the last question there is nothing left to be saved.
        if not self._goes_on and self._looked_at < len(self._order):
            self.enough.set()
            by = self._counted(self._looked_at)
            say(f"--stop-when {self._rule.text}: {verdict}, by {by}; no further request is sent")

    def places(self, docs: Sequence[Any]) -> list[int]:
        """Places of documents in the drawn order, repeats of a question together."""
        rank = {question: place for place, question in enumerate(self._order)}
        return sorted(range(len(docs)), key=lambda place: rank[question_of(docs[place])])

    def decided(self, doc: Any) -> bool:
        """Whether a document is of a question that stopped the run which is resumed.

        The others, of which some may have answers, are looked at when the decision has been made again, or not been.
        """
        return question_of(doc) in self._decided

    def needed(self, docs: Sequence[Any]) -> list[Any]:
        """Of the documents those that a resume of this run must have the answers to."""
        return [doc for doc in docs if not self._decided or self.decided(doc)]

    @property
    def kept(self) -> frozenset[Question] | None:
        """The questions that a run which was stopped reports on; None for one that went to its end."""
        return frozenset(self._order[: self._looked_at]) if self.enough.is_set() else None

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says: whether the run was stopped, and what its rule came to."""
        interval = list(self._evidence.interval)
        after = self._count(self._looked_at)
        stopped = {"rule": self._rule.text, "after": after, "interval": interval, "level": self._evidence.level}
        return {
            "stopped": stopped if self.enough.is_set() else None,
            "stop_rule": {
                "rule": self._rule.text,
                "metric": self._rule.spec.name,
                "order_seed": self._seed,
                "questions": self._looked_at,
                "of": len(self._order),
                "answers": after,
                "interval": interval,
                "level": self._evidence.level,
                "met_after": None if self._met is None else self._count(self._met[0]),
                "found": None if self._met is None else self._met[1],
            },
        }

    def lines(self) -> list[str]:
        """Lines of the table."""
        rule = f"--stop-when {self._rule.text} (order of questions: seed {self._seed})"
        if self._met is None:
            lines = [f"  {rule}: not certain by {self._counted(self._looked_at)}"]
        else:
            lines = [f"  {rule}: {self._met[1]}, by {self._counted(self._met[0])}"]
        level = f"{self._evidence.level:.0%}"
        lines += [f"  valid at every look, level {level}: {words}" for words in self._evidence.words()]
        if self.enough.is_set():
            lines.append(
                "  the intervals in the table are for a number of questions fixed beforehand: this one was not"
            )
        return lines

    def _count(self, questions: int) -> int:
        return sum(self._answers[question] for question in self._order[:questions])

    def _counted(self, questions: int) -> str:
        answers = self._count(questions)
        of = f"{questions} of {len(self._order)} questions"
        return f"the answers to {of}" if answers == questions else f"{answers} answers to {of}"


def open_stopping(
    settings: Settings,
    docs: Sequence[Any],
    benchmarks: Mapping[str, Benchmark],
    handles: Mapping[str, DatasetHandle],
    content: Mapping[str, Any],
    recorded: Mapping[str, Any],
) -> Stopping:
    """The rule of a run, before anything is sent.

    Args:
        settings: of the run; they hold a rule.
        docs: all its documents.
        benchmarks, handles: by benchmark name.
        content: what ``run.json`` will say of the run: its settings, datasets, options and judges.
        recorded: what it says of a run that is resumed; empty for a new one.

    Raises:
        UsageError: the dataset has no references, or the run to compare with is missing or does not compare.
    """
    rule, (task,) = read_rule(settings.stop_when or "", settings.tasks), settings.tasks
    bench, handle = benchmarks[task.benchmark], handles[task.benchmark]
    if not handle.graded:
        raise UsageError("--stop-when: this dataset's references are withheld, so there is no score to look at")
    seed = ORDER_SEED if settings.shuffle_seed is None else settings.shuffle_seed
    order, answers = drawn_order(docs, bench.cells, seed), Counter(map(question_of, docs))
    evidence: Evidence
    if rule.baseline is None:
        evidence = OfSet(rule, len(order), settings.repeats == 1)
    else:
        parts = [part for part in bench.run_as(task) if handle.questions[part.plain]]
        baseline = read_baseline(rule.baseline, rule.spec, task, parts, content)
        lacking = [question for question in order if question not in baseline]
        if lacking:
            raise UsageError(
                f"--stop-when: {rule.baseline} does not compare with this run: it was not asked {len(lacking)} of the "
                f"{len(order)} questions, such as {lacking[0][1]}"
            )
        evidence = OfPairs(rule, len(order), baseline, bench.cluster[1] if bench.cluster is not None else "")
    return Stopping(rule, order, answers, evidence, seed=seed, goes_on=settings.past_stop, recorded=recorded)
