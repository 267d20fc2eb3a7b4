"""LightEval task configs over a dataset folder: what the benchmarks' configs have in common."""

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig

from tasks.folders import config_name, unpacked

__all__ = ["task_config"]


def task_config(
    name: str,
    prompt_function: Callable[..., Any],
    folder: Path,
    metric: Any,
    *,
    size: int,
    stop: Sequence[str] = (),
    shots: str | None = None,
) -> LightevalTaskConfig:
    """The config of one task.

    Args:
        name: the task's name without its few-shot part.
        prompt_function: (row, task name) -> document, or None for a row of another task.
        folder: of checked rows, as ``load_dataset`` makes it; its split ``test`` is asked.
        metric: of :func:`metrics.lighteval.record_metric`.
        size: the most new tokens of an answer.
        stop: strings that end an answer.
        shots: split of few-shot examples; without it LightEval would take them from the evaluated questions.
    """

    @functools.wraps(prompt_function)
    def document(line: Mapping[str, Any], task_name: str) -> Any:
        return prompt_function(unpacked(line), task_name)

    return LightevalTaskConfig(
        name=name,
        prompt_function=document,
        hf_repo=str(folder),
        hf_subset=config_name(folder),
        hf_avail_splits=list(dict.fromkeys(["test", shots or "test"])),
        evaluation_splits=["test"],
        few_shots_split=shots,
        few_shots_select="sequential" if shots is not None else None,
        metrics=[metric],
        generation_size=size,
        stop_sequence=list(stop),
        version=1,
    )
