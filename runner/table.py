"""The table a run prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics.decision.power import DISCORDANCE, smallest_difference
from metrics.headlines import NO_SPREAD
from metrics.summary import Headline, Summary
from tasks.names import TaskName

__all__ = ["TaskResult", "render_table"]


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What the table needs to know of one task.

    Attributes:
        name: name of the task.
        summary: its results.
        available: questions of the task's dataset; fewer were run in a partial run.
        questions: questions of this run.
        repeats: answers a question.
        smoke: neither --full nor --max-samples was given.
        dataset: identity phrase of the dataset.
        scorer: scorer version; where another model judges, which one by which prompts.
        axis: the breakdown to show, and the values of each of its labels.
        cut: what is said of truncated answers.
        remarks: lines on the answers.
        stopped: whether the run ended early, by its rule.
        looks: lines on what is certain however often one looked.
    """

    name: TaskName
    summary: Summary
    available: int
    questions: int
    repeats: int
    smoke: bool
    dataset: str
    scorer: str
    axis: tuple[str, tuple[str, ...]]
    cut: str = "truncated at the token cap"
    remarks: tuple[str, ...] = ()
    stopped: bool = False
    looks: tuple[str, ...] = ()


def render_table(
    heading: Mapping[str, str], tasks: Sequence[TaskResult], exports: Sequence[str], notes: Sequence[str]
) -> str:
    """Plain text: a block a task, headlines first.

    Args:
        heading: what answered, how, and what judged: the table's first lines.
        tasks: in the order of the run.
        exports: lines on tasks that have no score.
        notes: lines that concern the whole run.
    """
    lines = [f"{name}: {value}" for name, value in heading.items()]
    for task in tasks:
        lines += ["", *_task_lines(task)]
    if exports:
        lines += ["", *exports]
    if notes:
        lines += ["", *notes]
    return "\n".join(lines) + "\n"


def _task_lines(task: TaskResult) -> list[str]:
    summary, counts = task.summary, task.summary.counts
    marks = ["STOPPED EARLY"] if task.stopped else []
    if task.smoke:
        marks.append(f"SMOKE RUN of {task.questions} of {task.available} questions (--full for all)")
    elif task.questions < task.available:
        marks.append(f"{task.questions} of {task.available} questions")
    if task.repeats > 1:
        marks.append(f"{task.repeats} answers a question")
    if not counts.complete:
        marks.append("INCOMPLETE")
    lines = [" | ".join([str(task.name), *([", ".join(marks)] if marks else [])])]
    rows = [["metric", "value", "95% interval", "n", "coverage", ""]]
    rows += [
        _headline_cells(headline, headline.coverage or (counts.answered, counts.total))
        for headline in summary.headlines
    ]
    lines += _align(rows)
    lines += _methods(summary.headlines)
    lines += task.looks
    # Of repeats some may be missing: as many questions as their answers make.
    lines += _power(min(task.questions, -(-counts.answered // task.repeats)))
    lines += _shares(task)
    lines += _breakdown_lines(summary.breakdowns, *task.axis)
    lines += [f"  note: {note}" for note in summary.notes]
    lines.append(f"  comparable with: dataset {task.dataset}; scorer {task.scorer}")
    return lines


def _headline_cells(headline: Headline, coverage: tuple[int, int]) -> list[str]:
    interval = f"[{headline.interval[0]:.4f}, {headline.interval[1]:.4f}]" if headline.interval is not None else ""
    value = "n/a" if headline.value is None else f"{headline.value:.4f}"
    remark = headline.note
    if headline.bounds is not None:
        low, high = headline.bounds
        remark = "; ".join(
            filter(None, [f"INCOMPLETE: {low:.4f} to {high:.4f}, missing samples taken as 0 and as 1", remark])
        )
    known, total = coverage
    return [headline.name, value, interval, str(headline.n), f"{known}/{total} ({_percent(known, total)})", remark]


def _methods(headlines: Sequence[Headline]) -> list[str]:
    """What made the intervals: the commoner method alone, the other with its metrics; and which are but points."""
    names: dict[str, list[str]] = {}
    for headline in headlines:
        if headline.interval is not None:
            names.setdefault(headline.method, []).append(headline.name)
    if not names:
        return []
    usual, *others = sorted(names, key=lambda method: (-len(names[method]), method))
    more = "".join(f", {method} for {', '.join(names[method])}" for method in others)
    points = [one.name for one in headlines if one.interval is not None and one.interval.low == one.interval.high]
    return [f"  intervals over questions: {usual}{more}", *(f"  {name}: {NO_SPREAD}" for name in points)]


def _power(questions: int) -> list[str]:
    """What a comparison with another run could show over so many questions (``report compare`` says it of two runs)."""
    if not questions:
        return []
    smallest = smallest_difference(questions, DISCORDANCE)
    shown = f"{100 * smallest:.1f} points" if smallest <= 1 else "larger than any"
    over = f"two runs over {questions} questions"
    return [f"  smallest difference that {over} show at 80%: {shown} ({DISCORDANCE:.0%} discordance)"]


def _shares(task: TaskResult) -> list[str]:
    counts = task.summary.counts
    shares = (
        (counts.empty, "empty"),
        (counts.truncated, task.cut),
        (counts.unclosed_reasoning, "with unclosed reasoning"),
    )
    lines = ["  answers: " + ", ".join(f"{n} {what} ({_percent(n, counts.at_hand)})" for n, what in shares)]
    if not counts.complete:
        missing = f"{counts.failed} failed, {counts.not_asked} not asked, {counts.unscored} not scored"
        if counts.unjudged:
            missing += f", {counts.unjudged} UNJUDGED"
        if counts.blocked:
            missing += f", {counts.blocked} blocked"
        lines.append(f"  without a valid verdict: {missing}")
    return [*lines, *task.remarks]


def _breakdown_lines(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, float | None]]], axis: str, names: Sequence[str]
) -> list[str]:
    labels = breakdowns.get(axis, {})
    if not labels:
        return []
    rows = [[axis, "n", *names]]
    for label, values in labels.items():
        rates = [values[name] for name in names]
        rows.append([label, str(values["n"]), *("n/a" if rate is None else f"{rate:.4f}" for rate in rates)])
    return _align(rows)


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *rest = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        if row[-1] and len(rows[0]) == 6:
            rest[-1] = row[-1]  # remarks read better from the left
        lines.append(("  " + "  ".join([first, *rest])).rstrip())
    return lines


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "n/a"
