"""LightEval task module of IFHardBench.

``lighteval ... "ifhard:all|0" --custom-tasks tasks.ifhard.task`` finds TASKS_TABLE here.
"""

import dataclasses
from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from metrics.ifhard.records import score, unanswered
from metrics.ifhard.summary import METRICS, summarise
from metrics.lighteval import record_metric
from tasks.configs import task_config
from tasks.facts import read_facts
from tasks.ifhard.dataset import BUILTIN, TIERS, sample_of
from tasks.ifhard.prompts import render
from tasks.names import TaskName
from tasks.submission import submission_number

__all__ = ["TASKS_TABLE", "make_tasks", "to_doc"]

# Contract, section 2.3: greedy, at most 16,384 new tokens, these stop strings.
GENERATION_SIZE = read_facts("ifhard").tokens.answer["any"]
STOP = ("<|eot_id|>", "<|im_end|>", "</s>")
_METRIC = record_metric("IFHard", METRICS, score=score, unanswered=unanswered, summarise=summarise)


def to_doc(line: dict[str, Any], task_name: str) -> Doc | None:
    """A dataset row as a LightEval document, or None when the tier is another one.

    Args:
        line: row of a checked dataset folder.
        task_name: ``ifhard:all`` or ``ifhard:<tier>``; few-shot rows are kept whatever their tier.
    """
    task = TaskName.read(task_name)
    sample = sample_of(line, dataclasses.replace(task, subset="all") if line.get("__few_shots") else task)
    if sample is None:
        return None
    return Doc(
        query=render(line),
        choices=[line.get("outputs") or ""],
        gold_index=0,
        specific={
            **sample._asdict(),
            "kind": "chat",
            "max_tokens": GENERATION_SIZE,
            "number": submission_number(line["meta"]),
        },
    )


def make_tasks(folder: Path) -> list[LightevalTaskConfig]:
    """Task configs of ``ifhard:all`` and the four tiers over a dataset folder.

    Args:
        folder: of checked rows, as ``load_dataset`` makes it.
    """
    return [
        task_config(f"ifhard:{subset}", to_doc, folder, _METRIC, size=GENERATION_SIZE, stop=STOP, shots="shots")
        for subset in ("all", *TIERS)
    ]


TASKS_TABLE = make_tasks(BUILTIN)
