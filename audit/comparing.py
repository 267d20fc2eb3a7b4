"""The repeat check: how many answers and verdicts differ between two runs, or between the repeats of one."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from audit.panel import Row

__all__ = ["Comparison", "compare_repeats", "compare_runs"]


@dataclass(slots=True)
class Comparison:
    """Two sets of answers to the same questions.

    Attributes:
        pairs: questions that both have, with an answer and verdicts on both sides.
        unlike_prompts: of these, asked in other words; their answers are not compared.
        unlike_answers: pairs whose graded answers differ.
        unlike_verdicts: by grader, constraints on which the verdicts differ.
        verdicts: by grader, constraints with a verdict on both sides.
        only_first, only_second: questions that one side alone has.
        lost: questions that a side has without an answer or a verdict.
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
        """Compare one pair."""
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
    """Each question and repeat of one run against the same of the other."""
    ours, theirs = ({(row.benchmark, row.prompt_key, row.repeat): row for row in rows} for rows in (first, second))
    result = Comparison(only_first=len(ours.keys() - theirs.keys()), only_second=len(theirs.keys() - ours.keys()))
    for place in sorted(ours.keys() & theirs.keys()):
        result.add(ours[place], theirs[place])
    return result


def compare_repeats(rows: Sequence[Row]) -> Comparison:
    """Every later repeat of a question against the first one of the same run."""
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
