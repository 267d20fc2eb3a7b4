"""One pass through LightEval's pipeline with our tasks and our model."""

import contextlib
import copy
import itertools
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import datasets
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc, SamplingMethod

from metrics.record import Record
from runner.tracker import PlainMetricsLogger, Tracker
from tasks.names import TaskName

__all__ = ["LightevalRun"]


class LightevalRun:
    """A pipeline over some tasks.

    Args:
        configs: LightEval task configs of every benchmark in the run.
        tasks: in the order asked for; LightEval and its files know them by their names.
        model: the endpoint model.
        output_dir: run folder for the results JSON and the details.
        samples: samples by task, None for all; LightEval shuffles with its seed 42 and takes a prefix.
        repeats: answers a question.
    """

    def __init__(
        self,
        configs: Sequence[Any],
        tasks: Sequence[TaskName],
        model: LightevalModel,
        output_dir: Path,
        samples: Mapping[TaskName, int] | None,
        repeats: int,
    ) -> None:
        logging.getLogger("lighteval").setLevel(logging.ERROR)
        datasets.disable_progress_bars()  # the one bar that matters is ours
        table = ModuleType("tasks_of_this_run")
        table.TASKS_TABLE = list(configs)  # type: ignore[attr-defined]  # a module made here
        self.tasks = list(tasks)
        self.tracker = Tracker(output_dir=str(output_dir), save_details=True)
        self.tracker.metrics_logger = PlainMetricsLogger()
        with _only_our_tasks():
            self._pipeline = Pipeline(
                tasks=",".join(map(str, tasks)),
                pipeline_parameters=PipelineParameters(
                    launcher_type=ParallelismManager.CUSTOM,
                    custom_tasks_directory=table,
                    # It knows one number for all tasks; each prefix is cut to its own below.
                    max_samples=max(samples.values()) if samples is not None else None,
                    bootstrap_iters=0,
                ),
                evaluation_tracker=self.tracker,
                model=model,
            )
        self._order_and_repeat(samples, repeats)

    def _order_and_repeat(self, samples: Mapping[TaskName, int] | None, repeats: int) -> None:
        """LightEval keeps tasks in a set, so their order changes with the hash seed; ours does not."""
        sizes = {str(task): samples[task] if samples is not None else None for task in self.tasks}
        place = {name: i for i, name in enumerate(sizes)}
        configs = self.tracker.task_config_logger.tasks_configs
        self.tracker.task_config_logger.tasks_configs = {name: configs[name] for name in sizes}
        docs = self._pipeline.sampling_docs
        for method, found in docs.items():
            ordered = sorted(found, key=lambda doc: place[doc.task_name])
            ordered = [
                doc
                for name, of_task in itertools.groupby(ordered, key=lambda doc: doc.task_name)
                for doc in itertools.islice(of_task, sizes[name])
            ]
            docs[method] = [_repeat(doc, number) for doc in ordered for number in range(repeats)]

    @property
    def docs(self) -> list[Doc]:
        """Documents to be answered, tasks in the order asked for, repeats of a question together."""
        found: list[Doc] = self._pipeline.sampling_docs[SamplingMethod.GENERATIVE]
        return found

    def evaluate(self) -> dict[TaskName, list[Record]]:
        """Generate and score; records by task, in the order of the documents.

        Raises:
            EndpointError: the server cannot be had, or refuses the first request.
        """
        self._pipeline.evaluate()
        return {task: [detail.metric["record"] for detail in self._details(task)] for task in self.tasks}

    def _details(self, task: TaskName) -> Sequence[Any]:
        found: Sequence[Any] = self._pipeline.get_details()[str(task)]
        return found

    @property
    def retried(self) -> int:
        """Samples that took more than one request."""
        return sum(detail.model_response.attempts > 1 for task in self.tasks for detail in self._details(task))

    def pairs(self, task: TaskName) -> list[tuple[Doc, ModelResponse]]:
        """Documents of a task with their responses."""
        return [(detail.doc, detail.model_response) for detail in self._details(task)]

    def repeat_check(self, tasks: Mapping[TaskName, int | None]) -> tuple[int, int, int]:
        """How steady the repeats in some tasks are: questions answered more than once, of them with unlike texts, with
        unlike per-sample scores.

        Args:
            tasks: how many answers of each task are looked at, in the order of the documents; None for all.
        """
        texts: dict[str, set[str]] = defaultdict(set)
        scores: dict[str, set[str]] = defaultdict(set)
        times: Counter[str] = Counter()
        for detail in (detail for task, size in tasks.items() for detail in self._details(task)[:size]):
            record = detail.metric["record"]
            if record["outcome"] == "answered":
                times[record["id"]] += 1
                texts[record["id"]].add(detail.model_response.text[0])
                scores[record["id"]].add(json.dumps(record["scores"], sort_keys=True))
        several = [question for question, count in times.items() if count > 1]
        return (
            len(several),
            sum(len(texts[question]) > 1 for question in several),
            sum(len(scores[question]) > 1 for question in several),
        )

    def save(self, rows: Mapping[TaskName, Mapping[str, Any]]) -> None:
        """Write LightEval's results JSON and the details parquet.

        Args:
            rows: results row of each task.
        """
        self.tracker.metrics_logger.metric_aggregated = {str(task): dict(row) for task, row in rows.items()}
        self.tracker.save()


def _repeat(doc: Doc, number: int) -> Doc:
    if number == 0:
        return doc
    again = copy.copy(doc)
    again.specific = {**doc.specific, "repeat": number}
    return again


@contextlib.contextmanager
def _only_our_tasks() -> Iterator[None]:
    """Keep LightEval from importing its hundreds of built-in tasks: some need the network at import."""

    def none(*_: Any) -> dict[str, Any]:
        return {}

    with mock.patch.object(Registry, "_load_from_files", none), mock.patch.object(Registry, "_load_from_subdirs", none):
        yield
