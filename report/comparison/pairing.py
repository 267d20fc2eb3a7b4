"""Two runs' answers to the same questions of one task."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from metrics.record import Record, labels_of
from report.errors import ReportError
from report.loading import Answer, Loaded
from runs.sameness import unlike
from tasks.benchmark import Benchmark
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["Pair", "clusters_of", "pairs_of"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs' answers to the same questions of one task.

    Attributes:
        task: the task.
        bench: its benchmark.
        names: of the runs, the baseline first.
        questions: those that both were asked, in order.
        records: of each run, its records by question.
        clusters: for each question what it moves together with; None where no two questions do.
        notes: what the reader must know: what differs though it should not, what was left out.
    """

    task: TaskName
    bench: Benchmark
    names: tuple[str, str]
    questions: list[Hashable]
    records: tuple[dict[Hashable, list[Record]], dict[Hashable, list[Record]]]
    clusters: list[Hashable] | None
    notes: list[str]

    @property
    def repeats(self) -> tuple[int, int]:
        """The most answers that each run has to a question."""
        first, second = (max(map(len, found.values()), default=0) for found in self.records)
        return first, second


def pairs_of(first: Loaded, second: Loaded, common: bool) -> list[Pair]:
    """Pair two runs, task by task.

    Args:
        first: the baseline.
        second: what is compared with it.
        common: take the questions that both asked in the same words, whatever else differs but scorer and judge.

    Raises:
        ReportError: the runs do not compare; every reason is named.
    """
    tasks = _counterparts(first, second)
    paired = {str(task) for of in tasks for task in of}
    alone = sorted({str(task) for run in (first, second) for task in run.tasks} - paired)
    if not tasks or (not common and (alone or any(ours != theirs for ours, theirs in tasks))):
        held = " and ".join(", ".join(map(str, run.tasks)) for run in (first, second))
        raise _refusal(first, second, [f"tasks: {held}"], curable=bool(tasks))
    notes = [f"only one of the runs has {', '.join(alone)}"] if alone else []
    return [_pair(first, second, of, common, notes) for of in tasks]


def _counterparts(first: Loaded, second: Loaded) -> list[tuple[TaskName, TaskName]]:
    """Each task of the first run with the same one of the second, else with one that asks questions in the same way."""
    found = [(task, task) for task in first.tasks if task in second.tasks]
    left = [task for task in second.tasks if task not in first.tasks]
    for task in first.tasks:
        kin = [other for other in left if _way(other) == _way(task)]
        if task not in second.tasks and kin:
            found.append((task, kin[0]))
            left.remove(kin[0])
    return found


def _way(task: TaskName) -> tuple[str, str | None, int]:
    return task.benchmark, task.mode, task.fewshot


def _pair(first: Loaded, second: Loaded, tasks: tuple[TaskName, TaskName], common: bool, notes: Sequence[str]) -> Pair:
    task = tasks[0]
    bench = benchmark(task.benchmark)
    found = unlike(first.run, second.run, task)
    a, b = (_by_question(run.tasks[of]) for run, of in zip((first, second), tasks, strict=True))
    both = sorted(a.keys() & b.keys())  # type: ignore[type-var]  # of one type each
    reworded = {question for question in both if {x.prompt for x in a[question]} != {x.prompt for x in b[question]}}
    reasons = [str(one) for one in found]
    if tasks[0] != tasks[1]:
        reasons.append(f"tasks: {tasks[0]} and {tasks[1]}")
    alone = len(a.keys() - b.keys()), len(b.keys() - a.keys())
    if any(alone):
        reasons.append(f"questions: {len(a)} and {len(b)}, {len(both)} of them in both")
    if reworded and not any(one.what in ("dataset", "prompts") for one in found):
        reasons.append(f"prompts: {len(reworded)} questions are asked in other words")
    if reasons and not (common and all(one.curable for one in found)):
        raise _refusal(first, second, [f"{reason} ({task})" for reason in reasons], all(one.curable for one in found))
    questions = [question for question in both if question not in reworded]
    if not questions:
        raise _refusal(first, second, [f"no question of {task} is asked in both in the same words"], curable=False)
    told = list(notes)
    if reasons:
        told.append(
            f"compared over the {len(questions)} common questions alone; the runs differ in {'; '.join(reasons)}"
        )
    records = tuple({question: [x.record for x in held[question]] for question in questions} for held in (a, b))
    for name, held_records in zip((first.run.name, second.run.name), records, strict=True):
        if all(record["outcome"] == "unscored" for of in held_records.values() for record in of):
            raise ReportError(f"{name} has no scores of {task}: its dataset holds no references")
    if first.run.folder.resolve() == second.run.folder.resolve():
        told.append("both are the same folder")
    for loaded in (first, second):
        if loaded.run.status != "complete":
            told.append(f"{loaded.run.name}: its run is {loaded.run.status}")
    return Pair(
        task=task,
        bench=bench,
        names=(first.run.name, second.run.name),
        questions=questions,
        records=(records[0], records[1]),
        clusters=clusters_of(bench, questions, records),
        notes=told,
    )


def _refusal(first: Loaded, second: Loaded, reasons: Sequence[str], curable: bool) -> ReportError:
    cure = "; --common compares the questions that both asked in the same words" if curable else ""
    return ReportError(f"{first.run.name} and {second.run.name} do not compare: {'; '.join(reasons)}{cure}")


def _by_question(answers: Sequence[Answer]) -> dict[Hashable, list[Answer]]:
    found: dict[Hashable, list[Answer]] = defaultdict(list)
    for answer in answers:
        found[answer.question].append(answer)
    return dict(found)


def clusters_of(
    bench: Benchmark, questions: Sequence[Hashable], records: Sequence[dict[Hashable, list[Record]]]
) -> list[Hashable] | None:
    """For each question what it moves together with, by a label of its records; None where no two questions do."""
    if bench.cluster is None:
        return None
    label, found = bench.cluster[0], []
    for question in questions:
        told = (labels_of(record).get(label) for of in records for record in of[question])
        known = next((value for value in told if value not in (None, "", "?")), None)
        # A question that tells nothing stands for itself.
        found.append(("alone", question) if known is None else ("shared", str(known)))
    return list(found) if len(set(found)) < len(found) else None
