"""SOBHard as the runner sees it."""

from collections.abc import Sequence
from typing import Any

from metrics.sobhard.records import score, unanswered
from metrics.sobhard.row_checks import check_scoring
from metrics.sobhard.rows import answer_size
from metrics.sobhard.summary import GROUPS, METRICS, summarise
from metrics.sobhard.unmeetable import unmeetable
from tasks.benchmark import Benchmark
from tasks.facts import read_facts
from tasks.sobhard.dataset import MOST_TURNS, SUBSETS, load_dataset, sample_of
from tasks.sobhard.export import export_answers

__all__ = ["BENCHMARK"]


def _notes(docs: Sequence[Any], fewshot: int) -> list[str]:
    from tasks.sobhard.sampler import history_notes

    return history_notes(docs, fewshot)


BENCHMARK = Benchmark(
    name="sobhard",
    facts=read_facts("sobhard"),
    subsets=SUBSETS,
    modes=(),
    fewshots=tuple(range(MOST_TURNS + 1)),
    datasets=("builtin", "builtin-small", "official"),
    load_dataset=load_dataset,
    score=score,
    unanswered=unanswered,
    sample_of=sample_of,
    check_scoring=check_scoring,
    summarise=summarise,
    metrics=METRICS,
    groups=GROUPS,
    cluster=("origin", "source document"),
    cells=("family", "difficulty"),
    table_axis=("family", ("sample_pass_rate", "format_pass_rate")),
    fine_axis=("constraint", ("pass_rate",)),
    answer_size=lambda sample: answer_size(sample.scoring),
    notes=_notes,
    export=export_answers,
    unmeetable=unmeetable,
)
