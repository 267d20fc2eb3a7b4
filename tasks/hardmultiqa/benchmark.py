"""HardMultiQA as the runner sees it."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judges.hardmultiqa import judging, load_prompts
from metrics.hardmultiqa.answers import part_answer
from metrics.hardmultiqa.records import score, unanswered
from metrics.hardmultiqa.scoring_key import parse_key
from metrics.hardmultiqa.summary import GROUPS, METRICS, summarise
from tasks.benchmark import Benchmark, Options
from tasks.facts import read_facts
from tasks.hardmultiqa.dataset import SHOTS, load_dataset, sample_of
from tasks.hardmultiqa.names import ALIASES, MODES, SUBSETS, TYPES

__all__ = ["BENCHMARK"]


def _configure(benchmark: Benchmark, options: Options) -> tuple[Benchmark, Mapping[str, Any]]:
    """Take other judge prompts where asked; what is in use stands in ``run.json``.

    Raises:
        ValueError: the folder does not hold usable prompts.
    """
    folder = options.judge_prompts
    try:
        judged = judging(load_prompts(Path(folder), folder)) if folder is not None else judging()
    except ValueError as error:
        raise ValueError(f"--judge-prompts {folder}: {error}") from error
    return dataclasses.replace(benchmark, judging=judged), {"judge_prompts": judged.identity}


BENCHMARK = Benchmark(
    name="hardmultiqa",
    facts=read_facts("hardmultiqa"),
    subsets=SUBSETS,
    modes=MODES,
    fewshots=(0, SHOTS),
    datasets=("builtin", "official"),
    load_dataset=load_dataset,
    score=score,
    unanswered=unanswered,
    sample_of=sample_of,
    check_scoring=parse_key,
    summarise=summarise,
    metrics=METRICS,
    groups=GROUPS,
    cells=("type",),
    table_axis=("type", (METRICS[0].name,)),
    fine_axis=("type", (METRICS[0].name, "full_marks")),
    parts={"all": TYPES},
    subset_aliases=ALIASES,
    options=frozenset({"column_map", "judge"}),
    configure=_configure,
    judging=judging(),
    part_answer=part_answer,
)
