"""LightEval task module of SOBHard.

``lighteval ... "sobhard:all|0" --custom-tasks tasks.sobhard.task`` finds TASKS_TABLE here, over the small set that is
committed in this project.
"""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig

from metrics.lighteval import record_metric
from metrics.sobhard.records import score, unanswered
from metrics.sobhard.summary import METRICS, summarise
from tasks.configs import task_config
from tasks.facts import read_facts
from tasks.names import TaskName
from tasks.sobhard.dataset import BUILTIN_SMALL, SUBSETS, read_history, sample_of
from tasks.sobhard.history import History
from tasks.sobhard.prompts import render
from tasks.sobhard.sampler import SessionDoc
from tasks.submission import submission_number

__all__ = ["GENERATION_SIZE", "STOP", "TASKS_TABLE", "make_tasks", "to_doc"]

# Contract, section 2.4: greedy, at most 65,536 new tokens, these stop strings.
GENERATION_SIZE = read_facts("sobhard").tokens.answer["any"]
STOP = ("<|eot_id|>", "<|im_end|>", "</s>")
_METRIC = record_metric("SOBHard", METRICS, score=score, unanswered=unanswered, summarise=summarise)


def to_doc(line: Mapping[str, Any], task_name: str, history: Callable[[], History]) -> SessionDoc | None:
    """A dataset row as a LightEval document with its conversation, or None when it is not of the subset.

    Args:
        line: row of a checked dataset folder.
        task_name: ``sobhard:<subset>``.
        history: gives the conversations of the row's dataset.
    """
    # LightEval's pool of examples: these documents bring their own turns, so it stays empty.
    sample = None if line.get("__few_shots") else sample_of(line, TaskName.read(task_name))
    if sample is None:
        return None
    doc = SessionDoc(
        query=render(line),
        choices=[""],
        gold_index=0,
        specific={
            **sample._asdict(),
            "kind": "chat",
            "max_tokens": GENERATION_SIZE,
            "number": submission_number(line["meta"]),
        },
    )
    doc.turns = history().turns(line)
    doc.row = {name: value for name, value in line.items() if not name.startswith("__")}
    return doc


def make_tasks(folder: Path) -> list[LightevalTaskConfig]:
    """Task configs of ``sobhard:all``, the eleven families and the three difficulties over a dataset folder.

    Args:
        folder: of checked rows, as ``load_dataset`` makes it.
    """
    history = functools.cache(lambda: read_history(folder))

    def sobhard_prompt(line: dict[str, Any], task_name: str) -> SessionDoc | None:
        return to_doc(line, task_name, history)

    # Shots are asked for at N > 0 and thrown away (sampler.SessionDoc): any split that every dataset has will do.
    return [
        task_config(f"sobhard:{subset}", sobhard_prompt, folder, _METRIC, size=GENERATION_SIZE, stop=STOP, shots="test")
        for subset in SUBSETS
    ]


TASKS_TABLE = make_tasks(BUILTIN_SMALL)
