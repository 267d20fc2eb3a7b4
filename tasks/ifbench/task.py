"""LightEval task module of IFBench.

``lighteval ... "ifbench:all|0" --custom-tasks tasks.ifbench.task`` finds TASKS_TABLE here.
"""

from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from metrics.ifbench.records import score, unanswered
from metrics.ifbench.summary import METRICS, summarise
from metrics.lighteval import record_metric
from tasks.configs import task_config
from tasks.facts import read_facts
from tasks.ifbench.dataset import BUILTIN, sample_of

__all__ = ["TASKS_TABLE", "make_tasks", "to_doc"]

# IFBench sets no cap. LightEval's own task allows 1,280 tokens, which ends most reasoning before it is an answer; this
# is IFHardBench's cap, so that one server setting serves both.
GENERATION_SIZE = read_facts("ifbench").tokens.answer["any"]
_METRIC = record_metric("IFBench", METRICS, score=score, unanswered=unanswered, summarise=summarise)


def to_doc(line: dict[str, Any], task_name: str) -> Doc:
    """A dataset row as a LightEval document; the prompt is the user turn as it stands.

    Args:
        line: row of a checked dataset folder, the arguments as a list of objects or as JSON text.
        task_name: ``ifbench:all``.
    """
    sample = sample_of(line)
    return Doc(
        query=line["prompt"],
        choices=[""],
        gold_index=0,
        specific={**sample._asdict(), "kind": "chat", "max_tokens": GENERATION_SIZE},
    )


def make_tasks(folder: Path) -> list[LightevalTaskConfig]:
    """The task config of ``ifbench:all`` over a dataset folder.

    Args:
        folder: of checked rows, as ``load_dataset`` makes it.
    """
    return [task_config("ifbench:all", to_doc, folder, _METRIC, size=GENERATION_SIZE)]


TASKS_TABLE = make_tasks(BUILTIN)
