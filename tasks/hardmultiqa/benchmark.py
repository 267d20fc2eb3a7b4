"""HardMultiQA as the runner sees it."""

from collections.abc import Mapping
from typing import Any

from judges.hardmultiqa.judging import DEFAULT_MODEL, judge, prompts_identity, use_prompts
from judges.judgement import Judgement
from metrics.hardmultiqa.records import score_judged, unanswered_sample
from metrics.hardmultiqa.summary import HEADLINES, LOWER_IS_BETTER, summarise
from metrics.record import Record
from tasks.benchmark import Benchmark, Judging, Options
from tasks.facts import read_facts
from tasks.hardmultiqa.dataset import SHOTS, load_dataset
from tasks.hardmultiqa.names import ALIASES, MODES, SUBSETS, TYPES

__all__ = ["BENCHMARK"]


def _configure(options: Options) -> Mapping[str, Any]:
    """Take other judge prompts where asked; what is in use stands in ``run.json``.

    Raises:
        ValueError: the folder does not hold usable prompts.
    """
    use_prompts(options.judge_prompts)
    return {"judge_prompts": prompts_identity()}


def _without_judge(specific: Mapping[str, Any], response: str | None, truncated: bool) -> Record:
    """An answer that no judge was asked about is never right or wrong."""
    return score_judged(specific, response, truncated, Judgement("failed", error="no judge was asked"))


BENCHMARK = Benchmark(
    name="hardmultiqa",
    facts=read_facts("hardmultiqa"),
    subsets=SUBSETS,
    modes=MODES,
    fewshots=(0, SHOTS),
    datasets=("builtin", "official"),
    load_dataset=load_dataset,
    score=_without_judge,
    unanswered=unanswered_sample,
    summarise=summarise,
    metric_names=tuple(name for name in HEADLINES if name not in LOWER_IS_BETTER),
    table_axis=("type", HEADLINES[:1]),
    parts={"all": TYPES},
    subset_aliases=ALIASES,
    options=frozenset({"column_map", "judge"}),
    configure=_configure,
    judging=Judging(default_model=DEFAULT_MODEL, judge=judge, score=score_judged, identity=prompts_identity),
)
