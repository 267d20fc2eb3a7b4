"""Puts a page together: what is said of runs, the plots, every answer, the style and the script."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from report.comparison.comparing import level_of
from report.html.against import KINDS, Against, against_first
from report.html.failures import failures
from report.html.heat import grid
from report.html.lengths import Bin, length_rates
from report.html.numbers import fine_rates, headlines, looks, outcomes
from report.html.plots import COLOURS, heat_plot, length_plot
from report.html.samples import samples
from report.html.view import RunView, TaskView
from report.printable import printable
from report.results import asked_of, generation_facts
from report.wording import interval_words
from tasks.names import TaskName

__all__ = ["page", "render"]

_ASSETS: Final = Path(__file__).parent


def page(runs: Sequence[RunView], common: bool = False) -> str:
    """The page of some runs: the same text for the same runs.

    Args:
        runs: the first one is the baseline of the others.
        common: as for :func:`report.comparison.pairing.pairs_of`.
    """
    against = against_first(runs, common)
    names = list(dict.fromkeys(name for run in runs for name in run.tasks))
    return render(
        runs=[_run(run) for run in runs],
        tasks=[_task(number, name, runs) for number, name in enumerate(names)],
        against=[_against(one, runs, sum(not other.refusal for other in against)) for one in against],
        kinds=KINDS,
        data=samples(runs, {one.run: one.kinds() for one in against}),
    )


def render(**content: Any) -> str:
    """Fill the template; every text is escaped, and what nobody would see in it is marked."""
    environment = Environment(
        loader=FileSystemLoader(_ASSETS, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda found: printable(found) if isinstance(found, str) and not isinstance(found, Markup) else found,
    )
    environment.filters |= {"points": _points, "percent": _percent, "difference": interval_words}
    script = (_ASSETS / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    style = (_ASSETS / "page.css").read_text(encoding="utf-8")
    return environment.get_template("page.html").render(
        style=Markup(style), script=Markup(script), script_digest=digest, **content
    )


def _points(value: float | None) -> str:
    """A number as the run's table has it."""
    return "n/a" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f}%"


def _run(run: RunView) -> dict[str, Any]:
    content = run.run.content
    table = run.run.folder / "table.txt"
    return {
        "number": run.number,
        "colour": run.number % COLOURS,
        "name": run.run.name,
        "model": run.run.config,
        "status": run.run.status,
        "whole": run.run.status == "complete" and not content.get("stopped"),
        "facts": list(_facts(run)),
        "table": table.read_text(encoding="utf-8", errors="replace") if table.is_file() else "",
        "answers": len(run.answers),
    }


def _facts(view: RunView) -> Iterator[tuple[str, str]]:
    """What a reader must know to place the numbers: (name, value)."""
    run = view.run
    for task in (task for task, of in view.tasks.items() if of.row):
        asked, whole = asked_of(run, task)
        if whole not in (None, asked):
            yield str(task), f"a sample, {asked} of {whole} questions"
    if stopped := run.content.get("stopped"):
        yield "stopped early", f"by {stopped['rule']} after {stopped.get('after', 'some')} answers"
    yield from ((name.replace("_", " "), value) for name, value in generation_facts(run))
    for name, entry in sorted(run.content.get("datasets", {}).items()):
        revision = f", revision {entry['revision'][:12]}" if entry.get("revision") else ""
        yield (
            name,
            f"{entry.get('name')}{revision}, sha256 {str(entry.get('sha256'))[:12]}, "
            f"scorer {entry.get('scorer_version')}",
        )
    for judge in run.judges:
        yield "judge", str(judge.get("model") or "named in run.json")


def _task(number: int, name: TaskName, runs: Sequence[RunView]) -> dict[str, Any]:
    held = [(run, run.tasks[name]) for run in runs if name in run.tasks]
    fine = [fine_rates(task) for _, task in held]
    axis, values = held[0][1].bench.fine_axis
    return {
        "number": number,
        "name": str(name),
        "title": held[0][1].bench.title,
        "runs": [_task_of_run(number, run, task) for run, task in held],
        "headlines": _by_metric(held),
        "incomplete": any(one.told.bounds for _, task in held for one in headlines(task)),
        # IFHardBench calls the types of its requirements types, HardMultiQA those of its questions.
        "axis": f"requirement {axis}" if axis == "type" and "family" in held[0][1].bench.groups else axis,
        "values": values,
        "fine": [(label, [of.get(label, {}) for of in fine]) for label in sorted({one for of in fine for one in of})],
        "lengths": list(_length_plots(number, held)),
        "failures": [(run.number, failures(task)) for run, task in held],
    }


def _task_of_run(number: int, run: RunView, task: TaskView) -> dict[str, Any]:
    cells = grid(task)
    return {
        "run": run.number,
        "outcomes": outcomes(task),
        "looks": looks(task),
        "finish": sorted(((run.run.content.get("finish_reasons") or {}).get(str(task.name)) or {}).items()),
        "grid": cells,
        "heat": Markup(heat_plot(f"heat-{number}-{run.number}", cells)) if cells else "",
        "scored": bool(task.row),
    }


def _by_metric(held: Sequence[tuple[RunView, TaskView]]) -> list[tuple[str, list[tuple[int, Any]]]]:
    """Metric -> (run's number, headline) of each run that has it."""
    found: dict[str, list[tuple[int, Any]]] = {}
    for run, task in held:
        for one in headlines(task):
            found.setdefault(one.told.name, []).append((run.number, one))
    return list(found.items())


def _length_plots(number: int, held: Sequence[tuple[RunView, TaskView]]) -> Iterator[dict[str, Any]]:
    rates = [(run.number, length_rates(task)) for run, task in held]
    for kind, what in (("whole", "answers that are right"), ("single", "requirements met")):
        series: list[tuple[int, Sequence[Bin]]] = [(run, bins) for run, of in rates if (bins := getattr(of, kind))]
        if series:
            name = f"length-{number}-{kind}"
            yield {"what": what, "svg": Markup(length_plot(name, series, what)), "series": series}


def _against(one: Against, runs: Sequence[RunView], compared: int) -> dict[str, Any]:
    return {
        "level": f"{100 * level_of(compared):.4g}%",
        "run": one.run,
        "name": runs[one.run].run.name,
        "refusal": one.refusal,
        "tasks": [
            {
                "name": str(found.pair.task),
                "notes": found.pair.notes,
                "metric": found.questions.metric,
                "counts": {kind: len(getattr(found.questions, kind)) for kind in KINDS},
                "questions": len(found.pair.questions),
                "changes": found.changes,
                "p_holm": found.p_holm,
                "words": words,
            }
            for found, words in zip(one.comparisons, one.words, strict=True)
        ],
    }
