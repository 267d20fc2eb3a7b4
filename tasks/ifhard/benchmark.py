"""IFHardBench as the runner sees it."""

from metrics.ifhard.records import score_sample, unanswered_sample
from metrics.ifhard.summary import HEADLINES, summarise
from tasks.benchmark import Benchmark
from tasks.facts import read_facts
from tasks.ifhard.dataset import load_dataset

__all__ = ["BENCHMARK"]


BENCHMARK = Benchmark(
    name="ifhard",
    facts=read_facts("ifhard"),
    subsets=("all", "easy", "medium", "hard", "expert"),
    modes=(),
    fewshots=(0, 1, 2, 3, 4, 5),
    datasets=("builtin", "official"),
    load_dataset=load_dataset,
    score=score_sample,
    unanswered=unanswered_sample,
    summarise=summarise,
    metric_names=HEADLINES[:3],
    table_axis=("tier", ("sample_pass_rate", "constraint_pass_rate")),
)
