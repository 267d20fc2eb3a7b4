"""IFHardBench as the runner sees it."""

from typing import Any

from metrics.ifhard.samples import score_sample, unanswered_sample
from metrics.ifhard.summary import HEADLINES, SCORER_VERSION, summarise
from tasks.benchmark import Benchmark, DatasetHandle
from tasks.ifhard.dataset import load_dataset

__all__ = ["BENCHMARK"]


def _make_tasks(handle: DatasetHandle) -> list[Any]:
    from tasks.ifhard.task import make_tasks

    return make_tasks(handle.folder)


BENCHMARK = Benchmark(
    name="ifhard",
    title="IFHardBench",
    subsets=("all", "easy", "medium", "hard", "expert"),
    modes=(),
    fewshots=(0, 1, 2, 3, 4, 5),
    datasets=("builtin", "official"),
    default_dataset="builtin",
    smoke_samples=10,
    scorer_version=SCORER_VERSION,
    task_module="tasks.ifhard.task",
    load_dataset=load_dataset,
    make_tasks=_make_tasks,
    score=score_sample,
    unanswered=unanswered_sample,
    summarise=summarise,
    metric_names=HEADLINES[:3],
    table_axis=("tier", ("sample_pass_rate", "constraint_pass_rate")),
)
