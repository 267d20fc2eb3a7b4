"""What a benchmark tells the runner about itself, without importing LightEval."""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judges.judgement import Judgement, Judging
from metrics.headlines import MetricSpec, Tally
from metrics.reasoning import Reasoning, cut_reasoning
from metrics.record import Answer, Record, Sample, Status
from metrics.summary import Summary
from tasks.facts import Facts
from tasks.names import TaskName

__all__ = ["Benchmark", "DatasetError", "DatasetHandle", "DatasetRequest", "Options"]


class DatasetError(Exception):
    """A dataset cannot be had or holds a bad row; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class DatasetRequest:
    """Which data a run wants.

    Attributes:
        name: ``builtin``, another name the benchmark knows, or a path.
        cache: the user's cache folder.
        revision: Hub revision that the resumed run recorded; None takes the pinned one, or the newest where none is.
        columns: names of the dataset's columns by the benchmark's own field names (``--column-map``).
    """

    name: str
    cache: Path
    revision: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetHandle:
    """A dataset that is on this machine and whose rows were checked.

    Attributes:
        name: as asked for: ``builtin``, ``official`` or a path.
        folder: local folder with the splits, in the form ``datasets.load_dataset`` takes.
        sha256: hex digest of the evaluation split's bytes.
        prompts_sha256: hex digest over ids and rendered prompts: changes with the templates' code too.
        revision: Hub revision that was read, or None for local data.
        questions: rows of the evaluation split by task name (without the few-shot part).
        shots: few-shot examples at hand.
        shots_sha256: hex digest of their bytes.
        shots_file: where they are looked for.
        graded: False where the rows hold no references: such a run generates only.
        note: a sentence about the data that belongs under the table, or empty.
        shots_always: whether the shots are part of prompts even at ``|0`` (earlier turns of conversations).
    """

    name: str
    folder: Path
    sha256: str
    prompts_sha256: str
    revision: str | None
    questions: Mapping[str, int]
    shots: int
    shots_sha256: str
    shots_file: str = ""
    graded: bool = True
    note: str = ""
    shots_always: bool = False

    def identity(self, fewshot: int) -> str:
        """One phrase that says what a score over this dataset is comparable with."""
        revision = f", revision {self.revision[:12]}" if self.revision is not None else ""
        shots = f", shots sha256 {self.shots_sha256[:12]}" if fewshot or self.shots_always else ""
        return f"{self.name}{revision}, test sha256 {self.sha256[:12]}{shots}"


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options that a benchmark reads itself, before its data is loaded.

    Attributes:
        graders: (name, path) of further checkers (``--grader NAME=PATH``).
        judge_prompts: folder of other judge prompts (``--judge-prompts PATH``).
    """

    graders: tuple[tuple[str, str], ...] = ()
    judge_prompts: str | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark: names, defaults, and the functions the runner calls.

    Attributes:
        name: first part of its task names (``ifhard``).
        facts: what its ``benchmark.yaml`` says.
        subsets: second parts; the first one is what the bare name means.
        modes: third parts, or empty when names have two parts.
        fewshots: legal numbers behind the bar.
        datasets: names that ``--dataset`` accepts besides a path.
        load_dataset: request -> handle; raises DatasetError.
        score: (sample, answer, judgement or None) -> record; may raise on a scorer's bug.
        unanswered: (sample, outcome, error) -> record of a sample without a scored answer.
        sample_of: (checked row, task) -> what scoring needs to know of it; None for a row that the task does not ask.
        check_scoring: reads a sample's ``scoring`` as strictly as rows are read; raises ValueError where another
            version left one that scoring would misread.
        summarise: records of one task -> summary.
        metrics: what the summary's headlines are; the first is also the live pass rate.
        metrics_of: (records) -> the metrics of these very records, where they can be more than ``metrics``.
        groups: what two runs are compared by besides their headlines: axis -> (record) -> its groups on that axis with
            what was met in each.
        cluster: the label that questions share which move together, and what it is called; None without one.
        cells: labels whose values make up a question's cell; an order of questions is drawn evenly over cells.
        table_axis: the breakdown that the table shows, with the values it shows of each label.
        fine_axis: the breakdown by what an answer had to meet (requirement type, constraint), likewise.
        main_grader: of several graders the one that the first metric is by; empty where there is one.
        parts: subsets that are run as several others and scored over the union of their samples.
        subset_aliases: other spellings of subsets.
        options: further command-line options it takes: ``column_map``, ``grader``, ``judge``.
        configure: (this benchmark, options) -> the benchmark with those options taken, and what ``run.json`` says of
            them; its ``notes`` are lines for the user too. Raises ValueError.
        judging: for answers that another model judges.
        part_answer: (scoring key, the model's text) -> the text that is scored, and what is cut from it before.
        answer_size: sample -> tokens that its answer needs, roughly; None where that is not known. It decides nothing
            but the order of sending.
        notes: (docs, few-shot number) -> warnings about what is going to be sent.
        unmeetable: checked row -> its id, and why no answer can meet what it asks for; no reasons where none is known.
        export: (run folder, [(doc, response)]) -> file with the answers of an ungraded run in the official form.
    """

    name: str
    facts: Facts
    subsets: tuple[str, ...]
    modes: tuple[str, ...]
    fewshots: tuple[int, ...]
    datasets: tuple[str, ...]
    load_dataset: Callable[[DatasetRequest], DatasetHandle]
    score: Callable[[Sample, Answer, Judgement | None], Record]
    unanswered: Callable[[Sample, Status, str], Record]
    sample_of: Callable[[Mapping[str, Any], TaskName], Sample | None]
    check_scoring: Callable[[str], object]
    summarise: Callable[[Sequence[Record]], Summary]
    metrics: tuple[MetricSpec, ...]
    table_axis: tuple[str, tuple[str, ...]]
    fine_axis: tuple[str, tuple[str, ...]] = ("", ())
    main_grader: str = ""
    cells: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subset_aliases: Mapping[str, str] = field(default_factory=dict)
    options: frozenset[str] = frozenset()
    configure: "Callable[[Benchmark, Options], tuple[Benchmark, Mapping[str, Any]]] | None" = None
    judging: Judging | None = None
    part_answer: Callable[[str, str], Reasoning] = lambda scoring, text: cut_reasoning(text)
    metrics_of: Callable[[Sequence[Record]], tuple[MetricSpec, ...]] | None = None
    groups: Mapping[str, Tally] = field(default_factory=dict)
    cluster: tuple[str, str] | None = None
    answer_size: Callable[[Sample], int | None] = lambda sample: None
    notes: Callable[[Sequence[Any], int], list[str]] | None = None
    unmeetable: Callable[[Mapping[str, Any]], tuple[str, list[str]]] | None = None
    export: Callable[[Path, Sequence[tuple[Any, Any]]], Path] | None = None

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Headlines where higher is better, for ``--fail-under``."""
        return tuple(spec.name for spec in self.metrics if spec.higher_is_better)

    @property
    def title(self) -> str:
        """As people write its name."""
        return self.facts.title

    @property
    def default_dataset(self) -> str:
        """What is used without ``--dataset``."""
        return self.facts.default_dataset

    @property
    def scorer_version(self) -> str:
        """``N-X``; N changes when old and new scores no longer compare."""
        return self.facts.scorer_version

    def tasks(self) -> list[TaskName]:
        """Every task there is, without few-shot examples."""
        return [TaskName(self.name, subset, mode) for subset in self.subsets for mode in self.modes or (None,)]

    def make_tasks(self, handle: DatasetHandle) -> list[Any]:
        """LightEval task configs over a dataset; imports LightEval."""
        made: list[Any] = importlib.import_module(f"tasks.{self.name}.task").make_tasks(handle.folder)
        return made

    def run_as(self, task: TaskName) -> tuple[TaskName, ...]:
        """The tasks that a task is run as: itself, or one for each of its parts."""
        parts = self.parts.get(task.subset, (task.subset,))
        return tuple(dataclasses.replace(task, subset=part) for part in parts)

    def smoke_samples_of(self, task: TaskName) -> int:
        """Samples, of each task it is run as, in a smoke run."""
        return self.facts.part_smoke_samples if task.subset in self.parts else self.facts.smoke_samples
