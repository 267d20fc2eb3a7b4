"""A run's model and LightEval's pipeline over its tasks, from its settings; importing this imports LightEval."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lighteval.models.model_input import GenerationParameters

from endpoints.access import Access
from endpoints.model import EndpointModel
from endpoints.model_config import EndpointModelConfig
from metrics.record import Sample
from runner.access import api_key, model_access
from runner.answer_source import AnswerSource
from runner.lighteval_run import LightevalRun
from runner.settings import Settings
from tasks.benchmark import Benchmark, DatasetHandle
from tasks.names import TaskName
from tasks.registry import run_as, smoke_samples

__all__ = ["make_model", "make_run"]


def make_model(
    settings: Settings,
    benchmarks: Mapping[str, Benchmark],
    server: AnswerSource,
    journal: Path | None,
    earlier_limits: Sequence[Any],
) -> EndpointModel:
    """The LightEval model of a run.

    Args:
        settings: of the run.
        benchmarks: by name.
        server: what answers.
        journal: where finished answers are kept; None keeps none.
        earlier_limits: pairs of a cap and a window under which the journal may hold answers.

    Raises:
        UsageError: a server is asked, and its key or the value of a header cannot be had.
    """
    asks = server.base_url is not None and server.kept is None
    saved = str(server.kept) if server.kept is not None else settings.responses
    config = EndpointModelConfig(
        model_name=server.filed_as,
        served_name=server.served_name,
        base_url=server.base_url or "",
        max_new_tokens=settings.max_new_tokens or server.default_cap,
        chat_template_kwargs=dict(settings.chat_template_kwargs),
        extra_body=dict(settings.extra_body),
        system_prompt=settings.system_prompt,
        reasoning_marks=settings.reasoning_marks,
        generation_parameters=GenerationParameters(temperature=settings.temperature, seed=settings.seed),
        api_key=api_key(settings) if asks else "EMPTY",
        access=model_access(settings) if asks else Access(),
        concurrency=settings.concurrency if isinstance(settings.concurrency, int) else server.concurrency,
        window=server.window,
        earlier_limits=[tuple(pair) for pair in earlier_limits],
        shuffle_seed=settings.shuffle_seed,
        journal_path=str(journal) if saved is None and journal is not None else None,
        responses_path=saved,
    )
    model = EndpointModel(config, strict=False)
    model.size_of = lambda doc: benchmarks[TaskName.read(doc.task_name).benchmark].answer_size(Sample.of(doc.specific))
    return model


def make_run(
    settings: Settings,
    benchmarks: Mapping[str, Benchmark],
    handles: Mapping[str, DatasetHandle],
    model: EndpointModel,
    output_dir: Path,
) -> LightevalRun:
    """LightEval's pipeline over the tasks of a run.

    Args:
        settings: of the run.
        benchmarks, handles: by benchmark name.
        model: what answers.
        output_dir: where LightEval writes its files.
    """
    configs = [config for name, handle in handles.items() for config in benchmarks[name].make_tasks(handle)]
    # A part of a task may have no question in a dataset of the user's.
    tasks = [task for task in run_as(settings.tasks) if handles[task.benchmark].questions[task.plain]]
    smoke = smoke_samples(settings.tasks)
    samples = None if settings.full else {task: settings.max_samples or smoke[task] for task in tasks}
    return LightevalRun(configs, tasks, model, output_dir, samples, settings.repeats)
