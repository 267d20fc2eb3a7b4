"""LightEval task module of HardMultiQA.

``lighteval ... "hardmultiqa:all:pretrain|5" --custom-tasks tasks.hardmultiqa.task`` finds TASKS_TABLE here. It is over
the sample set that this project ships; ``make_tasks`` makes a table over any checked dataset folder.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from judges.environment import judge_all
from judges.hardmultiqa import judging
from metrics.hardmultiqa.records import score, unanswered
from metrics.hardmultiqa.summary import METRICS, summarise
from metrics.lighteval import record_metric
from tasks.configs import task_config
from tasks.facts import read_facts
from tasks.hardmultiqa.dataset import BUILTIN, demonstrations, sample_of
from tasks.hardmultiqa.document import DemonstratedDoc, Pairs
from tasks.hardmultiqa.names import MODES, SUBSETS
from tasks.hardmultiqa.prompts import STOP, answer_text, completion_prompt
from tasks.hardmultiqa.rows import read_question
from tasks.names import TaskName

__all__ = ["TASKS_TABLE", "make_tasks", "to_doc"]

# New tokens of an answer, by mode; both modes are greedy.
GENERATION_SIZE: Final[Mapping[str, int]] = read_facts("hardmultiqa").tokens.answer
_STOP: Final[Mapping[str, tuple[str, ...]]] = {"pretrain": STOP, "alignment": ()}
_METRIC = record_metric(
    "HardMultiQA",
    METRICS,
    score=score,
    unanswered=unanswered,
    summarise=summarise,
    judge_all=functools.partial(judge_all, judging()),
)


def to_doc(line: dict[str, Any], task_name: str, shots: Mapping[str, Pairs]) -> Doc | None:
    """A dataset row as a LightEval document, or None when its type is another one.

    Args:
        line: row of a checked dataset folder.
        task_name: ``hardmultiqa:<all or type>:<mode>``.
        shots: demonstrations by type. LightEval's own few-shot pool stays empty: see ``document.py``.
    """
    task = TaskName.read(task_name)
    sample = None if line.get("__few_shots") else sample_of(line, task)
    if sample is None:
        return None
    question = read_question(line)
    pretrain = task.mode == "pretrain"
    return DemonstratedDoc(
        question=question.text,
        demonstrations=shots[question.kind],
        prompt=completion_prompt if pretrain else None,
        choices=[answer_text(question.kind, question.reference)],
        gold_index=0,
        specific={
            **sample._asdict(),
            "kind": "completion" if pretrain else "chat",
            "max_tokens": GENERATION_SIZE["pretrain" if pretrain else "alignment"],
        },
    )


def make_tasks(folder: Path) -> list[LightevalTaskConfig]:
    """Task configs of every subset in both modes over a dataset folder.

    Args:
        folder: of checked rows, as ``load_dataset`` makes it.
    """
    # Its name goes into the results file, its arguments do not.
    prompt_function = functools.partial(to_doc, shots=demonstrations(folder))
    return [
        task_config(
            f"hardmultiqa:{subset}:{mode}",
            prompt_function,
            folder,
            _METRIC,
            size=GENERATION_SIZE[mode],
            stop=_STOP[mode],
            shots="fewshot",
        )
        for subset in SUBSETS
        for mode in MODES
    ]


TASKS_TABLE = make_tasks(BUILTIN)
