"""IFBench as the runner sees it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metrics import ifbench
from metrics.ifbench.foreign import source_at
from metrics.ifbench.records import score_sample, unanswered_sample
from metrics.ifbench.summary import FAIL_UNDER, summarise
from tasks.benchmark import Benchmark, Options
from tasks.facts import read_facts
from tasks.ifbench.dataset import load_dataset

__all__ = ["BENCHMARK", "configure"]


def configure(options: Options) -> Mapping[str, Any]:
    """Make the graders of ``--grader NAME=PATH`` available, and say for the record which ones there are.

    Asked again with the same checkers (several runs in one process), it adds nothing.

    Raises:
        ValueError: a name that is taken or no plain word, a path without checkers, or checkers that cannot be loaded.
    """
    for name, path in options.graders:
        known = next((source for source in ifbench.sources() if source.name == name), None)
        if known is None or known != source_at(name, Path(path)):
            ifbench.add_grader(name, Path(path))
        try:
            ifbench.verify(_PROBE, {"N": 1}, "1", grader=f"{name}_strict")
        except ifbench.NotGradableError as error:
            raise ValueError(f"--grader {name}={path}: its checkers cannot be used: {error}") from error
    return {
        "graders": list(ifbench.graders()),
        "sources": [{"name": source.name, "identity": source.identity} for source in ifbench.sources()],
    }


# Any checker set has it; a set that cannot judge it cannot be loaded.
_PROBE = "count:numbers"

BENCHMARK = Benchmark(
    name="ifbench",
    facts=read_facts("ifbench"),
    subsets=("all",),
    modes=(),
    fewshots=(0,),
    datasets=("official", "builtin"),
    load_dataset=load_dataset,
    score=score_sample,
    unanswered=unanswered_sample,
    summarise=summarise,
    metric_names=FAIL_UNDER,
    table_axis=("family", ("loose_acc", "strict_acc")),
    options=frozenset({"grader"}),
    configure=configure,
)
