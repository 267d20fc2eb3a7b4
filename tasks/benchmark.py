"""What a benchmark tells the runner about itself, without importing LightEval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.record import Record
from metrics.summary import Summary

__all__ = ["Benchmark", "DatasetError", "DatasetHandle"]


class DatasetError(Exception):
    """A dataset cannot be had or holds a bad row; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class DatasetHandle:
    """A dataset that is on this machine and whose rows were checked.

    Attributes:
        name: as asked for: ``builtin``, ``official`` or a path.
        folder: local folder with the splits, in the form ``datasets.load_dataset`` takes.
        sha256: hex digest of the evaluation split's bytes.
        prompts_sha256: hex digest over ids and rendered prompts: changes with the templates' code too.
        revision: Hub revision, or None for local data.
        questions: rows of the evaluation split by task name (without the few-shot part).
        shots: few-shot examples at hand.
        shots_sha256: hex digest of their bytes.
    """

    name: str
    folder: Path
    sha256: str
    prompts_sha256: str
    revision: str | None
    questions: Mapping[str, int]
    shots: int
    shots_sha256: str

    def identity(self, fewshot: int) -> str:
        """One phrase that says what a score over this dataset is comparable with."""
        revision = f", revision {self.revision[:12]}" if self.revision is not None else ""
        shots = f", shots sha256 {self.shots_sha256[:12]}" if fewshot else ""
        return f"{self.name}{revision}, test sha256 {self.sha256[:12]}{shots}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark: names, defaults, and the functions the runner calls.

    Attributes:
        name: first part of its task names (``ifhard``).
        title: name for people.
        subsets: second parts; the first one is what the bare name means.
        modes: third parts, or empty when names have two parts.
        fewshots: legal numbers behind the bar.
        datasets: names that ``--dataset`` accepts besides a path.
        default_dataset: what is used without ``--dataset``.
        smoke_samples: samples of a run without ``--max-samples`` and ``--full``.
        scorer_version: ``N-X``; N changes when old and new scores no longer compare.
        task_module: importable LightEval task module.
        load_dataset: (name or path, cache folder, recorded revision or None) -> handle; raises DatasetError.
        make_tasks: handle -> LightEval task configs (imports LightEval).
        score: (specific of a doc, text or None, truncated) -> record; may raise on a scorer's bug.
        unanswered: (specific of a doc, outcome, error) -> record of a sample without a scored answer.
        summarise: records of one task -> summary.
        metric_names: headlines where higher is better, for ``--fail-under``; the first is also the live pass rate.
        table_axis: the breakdown that the table shows, with the values it shows of each label.
    """

    name: str
    title: str
    subsets: tuple[str, ...]
    modes: tuple[str, ...]
    fewshots: tuple[int, ...]
    datasets: tuple[str, ...]
    default_dataset: str
    smoke_samples: int
    scorer_version: str
    task_module: str
    load_dataset: Callable[[str, Path, str | None], DatasetHandle]
    make_tasks: Callable[[DatasetHandle], list[Any]]
    score: Callable[[Mapping[str, Any], str | None, bool], Record]
    unanswered: Callable[[Mapping[str, Any], str, str], Record]
    summarise: Callable[[Sequence[Record]], Summary]
    metric_names: tuple[str, ...]
    table_axis: tuple[str, tuple[str, ...]]

    def task_names(self) -> list[str]:
        """Every legal task name without its few-shot part."""
        if not self.modes:
            return [f"{self.name}:{subset}" for subset in self.subsets]
        return [f"{self.name}:{subset}:{mode}" for subset in self.subsets for mode in self.modes]
