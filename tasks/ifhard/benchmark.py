"""IFHardBench as the runner sees it."""

from metrics.ifhard.reasoning import split_reasoning
from metrics.ifhard.records import score, unanswered
from metrics.ifhard.scoring_key import check_scoring
from metrics.ifhard.summary import GROUPS, METRICS, summarise
from metrics.ifhard.unmeetable import unmeetable
from metrics.reasoning import Reasoning
from tasks.benchmark import Benchmark
from tasks.facts import read_facts
from tasks.ifhard.dataset import load_dataset, sample_of

__all__ = ["BENCHMARK"]


BENCHMARK = Benchmark(
    name="ifhard",
    facts=read_facts("ifhard"),
    subsets=("all", "easy", "medium", "hard", "expert"),
    modes=(),
    fewshots=(0, 1, 2, 3, 4, 5),
    datasets=("builtin", "official"),
    load_dataset=load_dataset,
    score=score,
    unanswered=unanswered,
    sample_of=sample_of,
    check_scoring=check_scoring,
    summarise=summarise,
    metrics=METRICS,
    groups=GROUPS,
    cluster=("task", "task text"),
    part_answer=lambda scoring, text: Reasoning(*split_reasoning(text)),
    cells=("tier",),
    table_axis=("tier", ("sample_pass_rate", "constraint_pass_rate")),
    fine_axis=("type", ("pass_rate",)),
    unmeetable=unmeetable,
)
