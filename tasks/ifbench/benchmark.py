"""IFBench as the runner sees it."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from metrics import ifbench
from metrics.ifbench.reasoning import split_reasoning
from metrics.ifbench.records import check_scoring, score, unanswered
from metrics.ifbench.summary import GROUPS, METRICS, metrics_of, summarise
from metrics.ifbench.unmeetable import unmeetable
from metrics.reasoning import Reasoning
from tasks.benchmark import Benchmark, Options
from tasks.facts import read_facts
from tasks.ifbench.dataset import load_dataset, sample_of

__all__ = ["BENCHMARK", "configure"]


def configure(benchmark: Benchmark, options: Options) -> tuple[Benchmark, Mapping[str, Any]]:
    """Take the graders of ``--grader NAME=PATH`` beside those at hand, and say for the record which ones there are.

    For each of these it says under what precautions the other project's code runs, in ``notes``.

    Raises:
        ValueError: a name that is taken or no plain word, a path without checkers, or checkers that cannot be loaded.
    """
    graders = ifbench.default_graders()
    notes = []
    for name, path in options.graders:
        try:
            graders = graders.adding(name, path)
            graders.verify(_PROBE, {"N": 1}, "1", grader=f"{name}_strict")
            notes += graders.precautions(name)
        except (ValueError, ifbench.NotGradableError) as error:
            raise ValueError(f"--grader {name}={path}: its checkers cannot be used: {error}") from error
    configured = dataclasses.replace(
        benchmark,
        score=functools.partial(score, graders=graders),
        unanswered=functools.partial(unanswered, graders=graders),
    )
    said: dict[str, Any] = {
        "graders": list(graders.names),
        "sources": [{"name": source.name, "identity": source.identity} for source in graders.sources],
    }
    return configured, said | ({"notes": notes} if notes else {})


def _part_answer(scoring: str, text: str) -> Reasoning:
    parted = split_reasoning(text)
    return Reasoning(parted.answer, parted.trace, parted.unclosed)


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
    score=score,
    unanswered=unanswered,
    sample_of=sample_of,
    check_scoring=check_scoring,
    summarise=summarise,
    metrics=METRICS,
    metrics_of=metrics_of,
    groups=GROUPS,
    table_axis=("family", ("loose_acc", "strict_acc")),
    fine_axis=("instruction", ("loose_acc", "strict_acc")),
    main_grader="proposed_loose",
    options=frozenset({"grader"}),
    configure=configure,
    part_answer=_part_answer,
    unmeetable=unmeetable,
)
