"""Counts the answers and verdicts that differ between two runs, or between the repeats of one run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from audit.panel import Row

__all__ = ["Comparison", "compare_repeats", "compare_runs"]


@dataclass(slots=True)
class Comparison:
    """Counts from comparing two sets of answers to the same questions.

    Attributes:
        pairs: number of questions that have an answer and verdicts in both sets.
        unlike_prompts: number of pairs whose prompts differ; the answers of these pairs are not compared.
        unlike_answers: number of pairs whose graded answers differ.
        unlike_verdicts: for each grader, the number of constraints on which its two verdicts differ.
        verdicts: for each grader, the number of constraints that it judged in both sets.
        only_first, only_second: number of questions that are in the first set, or the second, alone.
        lost: number of questions that lack an answer or a verdict in at least one set.
    """

    pairs: int = 0
    unlike_prompts: int = 0
    unlike_answers: int = 0
    unlike_verdicts: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    only_first: int = 0
    only_second: int = 0
    lost: int = 0

    def add(self, first: Row, second: Row) -> None:
        """Compare two answers to one question and add the result to the counts."""
        if first.infrastructure or second.infrastructure:
            self.lost += 1
            return
        self.pairs += 1
        if first.prompt != second.prompt:
            self.unlike_prompts += 1
            return
        self.unlike_answers += first.response_sha256 != second.response_sha256
        # Constraints meet by place and id: sobhard's depend on the answer.
        ours, theirs = _by_place(first), _by_place(second)
        for place in sorted(ours.keys() & theirs.keys()):
            a, b = ours[place], theirs[place]
            for grader in sorted(a.keys() & b.keys()):
                if a[grader] is not None and b[grader] is not None:
                    self.verdicts[grader] += 1
                    self.unlike_verdicts[grader] += a[grader] != b[grader]


def _by_place(row: Row) -> dict[tuple[str, int], Mapping[str, bool | None]]:
    seen: Counter[str] = Counter()
    found = {}
    for graded in row.constraints:
        found[graded.instruction_id, seen[graded.instruction_id]] = graded.verdicts
        seen[graded.instruction_id] += 1
    return found


def compare_runs(first: Iterable[Row], second: Iterable[Row]) -> Comparison:
    """Compare two runs: each question and repeat of the first run with the same one of the second."""
    ours, theirs = ({(row.benchmark, row.prompt_key, row.repeat): row for row in rows} for rows in (first, second))
    result = Comparison(only_first=len(ours.keys() - theirs.keys()), only_second=len(theirs.keys() - ours.keys()))
    for place in sorted(ours.keys() & theirs.keys()):
        result.add(ours[place], theirs[place])
    return result


def compare_repeats(rows: Sequence[Row]) -> Comparison:
    """Compare the repeats within each run: every later repeat of a question with its first one."""
    firsts = {(row.run, row.benchmark, row.prompt_key): row for row in rows if row.repeat == 0}
    result = Comparison()
    for row in rows:
        if row.repeat > 0:
            first = firsts.get((row.run, row.benchmark, row.prompt_key))
            if first is None:
                result.only_second += 1
            else:
                result.add(first, row)
    return result
