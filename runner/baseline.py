"""The finished run that ``--stop-when beats=`` and ``differs=`` compare with: whether it compares, and its values."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from metrics.headlines import MetricSpec, question_value
from metrics.record import Record
from runner.exits import UsageError
from runner.question_order import Question
from runs.files import FileError
from runs.folder import Run, open_run, samples
from runs.sameness import unlike
from tasks.names import TaskName

__all__ = ["read_baseline"]

_ENDED: Final = ("complete", "incomplete")
# What must be the same; a model may be compared with itself at another temperature.
_SAME: Final = ("dataset", "prompts", "scorer", "judge")


def read_baseline(
    folder: Path, spec: MetricSpec, task: TaskName, parts: Sequence[TaskName], content: Mapping[str, Any]
) -> dict[Question, float | None]:
    """The value of each question of a finished run: the mean over its answers, None where one is missing.

    Args:
        folder: of the run.
        spec: the metric.
        task: of the run that is compared with it.
        parts: the tasks that it is run as.
        content: what ``run.json`` will say of that run: its settings, datasets, options and judges.

    Raises:
        UsageError: the folder holds no finished run, or one that does not compare; what differs is named.
    """
    try:
        run = open_run(folder)
        if run.content.get("stopped"):
            raise UsageError(f"--stop-when: {folder} was stopped early itself; let it go on (--resume {folder} --full)")
        if run.status not in _ENDED:
            raise UsageError(f"--stop-when: {folder} has not ended ({run.status}); let it go on (--resume {folder})")
        this = Run(Path(), "this run", "", content, {})
        differences = [str(one) for one in unlike(run, this, task) if one.what in _SAME]
        lacking = [str(part) for part in parts if str(part) not in run.details]
        if lacking:
            differences.insert(0, f"it has no task {lacking[0]}, it has {', '.join(run.details)}")
        if differences:
            raise UsageError(f"--stop-when: {folder} does not compare with this run: {'; '.join(differences)}")
        records: dict[Question, list[Record]] = defaultdict(list)
        for part in map(str, parts):
            for sample in samples(run.details[part]):
                records[part, sample.record["id"]].append(cast(Record, sample.record))
    except FileError as error:
        raise UsageError(f"--stop-when: {error}") from error
    # What is not there may be anything; a question that was not asked at all is none of that run's.
    return {
        question: question_value(spec, of)
        for question, of in records.items()
        if any(record["outcome"] != "not_asked" for record in of)
    }
