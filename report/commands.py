"""The commands of ``python -m report``: each from its arguments to an exit status; it imports when it runs."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from report.errors import Exit, ReportError

__all__ = [
    "compare_command",
    "export_command",
    "gate_command",
    "html_command",
    "power_command",
    "repeats_command",
    "rescore_command",
    "runs_command",
    "show_command",
]


def _finish(arguments: argparse.Namespace, form: Any, lines: Sequence[str]) -> None:
    """Print the words, strangers' control characters spelled out, and write the JSON where it was asked for."""
    from report.forms import write_form
    from report.printable import one_line

    if arguments.json is not None:
        write_form(form, arguments.json)
    if arguments.json != "-":
        sys.stdout.write("".join(one_line(line) + "\n" for line in lines))


def compare_command(arguments: argparse.Namespace) -> Exit:
    """Compare runs with the first of them."""
    from report.comparison.comparing import compare
    from report.comparison.forms import comparison_form
    from report.comparison.wording import comparison_lines, run_lines
    from report.loading import load_runs

    if len(arguments.runs) < 2:
        raise ReportError(
            "two runs are compared, or more with the first one (python -m report repeats: the repeats of one)"
        )
    runs = load_runs(arguments.runs, arguments.name)
    found = compare(runs[0], runs[1:], arguments.common)
    lines = list(run_lines([loaded.run for loaded in runs]))
    for one in (one for of in found for one in of):
        lines += ["", *comparison_lines(one, len(found))]
    _finish(arguments, comparison_form([loaded.run.name for loaded in runs], found), lines)
    return Exit.DONE


def html_command(arguments: argparse.Namespace) -> Exit:
    """Write the page of some runs."""
    from report.html.page import page
    from report.html.view import views
    from runs.files import write_text

    text = page(views(arguments.runs, arguments.name), arguments.common)
    try:
        write_text(arguments.output, text)
    except OSError as error:
        raise ReportError(f"-o {arguments.output}: {error.strerror or error}") from None
    sys.stdout.write(f"{arguments.output}\n")
    return Exit.DONE


def gate_command(arguments: argparse.Namespace) -> Exit:
    """Fail when a run is worse than its baseline for sure."""
    from report.comparison.gating import gate, gate_form, write_junit
    from report.loading import load_runs

    try:
        baseline, run = load_runs([arguments.against, arguments.run])
        verdicts, notes = gate(run, baseline, arguments.max_drop, arguments.metric, arguments.common)
    except Exception as error:  # whatever it is: no file of an earlier run must stand for this one
        if arguments.junit is not None:
            write_junit(arguments.junit, [], str(error))
        raise
    if arguments.junit is not None:
        write_junit(arguments.junit, verdicts)
    lines = [*(f"note: {note}" for note in notes), *(verdict.words for verdict in verdicts)]
    _finish(arguments, gate_form((baseline.run.name, run.run.name), verdicts, notes), lines)
    return Exit.DROPPED if any(verdict.established for verdict in verdicts) else Exit.DONE


def power_command(arguments: argparse.Namespace) -> Exit:
    """Say how large a run must be to show a difference."""
    from report.comparison.planning import plan, plan_lines, set_sizes

    sizes = set_sizes() if arguments.questions is None else {"yours": arguments.questions}
    found = plan(arguments.difference, arguments.discordance, arguments.within, list(sizes.items()))
    _finish(arguments, found, list(plan_lines(found)))
    return Exit.DONE


def repeats_command(arguments: argparse.Namespace) -> Exit:
    """Count the answers and verdicts that differ between repeats."""
    from report.comparison.repeats import check_form, check_lines, check_repeats, check_runs
    from report.loading import load_runs

    if len(arguments.runs) > 2:
        raise ReportError("two runs are compared, or the repeats of one")
    runs = load_runs(arguments.runs, arguments.name)
    names = [loaded.run.name for loaded in runs]
    found = check_repeats(runs[0]) if len(runs) == 1 else check_runs(runs[0], runs[1])
    title = f"repeats of {names[0]}" if len(runs) == 1 else f"{names[0]} and {names[1]}"
    _finish(arguments, check_form(names, found), list(check_lines(found, title)))
    return Exit.DONE


def runs_command(arguments: argparse.Namespace) -> Exit:
    """List the runs of a folder."""
    from report.listing import list_runs, listing_form, listing_lines

    found = list_runs(arguments.folder)
    _finish(arguments, listing_form(arguments.folder, found), list(listing_lines(arguments.folder, found)))
    return Exit.DONE


def show_command(arguments: argparse.Namespace) -> Exit:
    """Show answers of a run."""
    from report.show.command import show
    from report.show.selection import Wanted
    from report.show.showing import Manner

    wanted = Wanted(arguments.failed is not None, arguments.category, arguments.id, arguments.search)
    manner = Manner(arguments.whole, arguments.reasoning, arguments.search)
    show(arguments.run, wanted, arguments.failed or None, manner)
    return Exit.DONE


def export_command(arguments: argparse.Namespace) -> Exit:
    """Write runs in a form that others read."""
    from report.export.exporting import export_runs

    made = export_runs(arguments.form, arguments.runs, arguments.out, arguments.model_id)
    lines = [*(f"wrote {path}" for path in made["files"]), *(f"note: {note}" for note in made["notes"])]
    _finish(arguments, made, lines)
    return Exit.DONE


def rescore_command(arguments: argparse.Namespace) -> Exit:
    """Score a run's answers with the present scorers."""
    from report.rescore.forms import rescored_form, rescored_lines
    from report.rescore.rescoring import rescore

    found = rescore(arguments.run)
    _finish(arguments, rescored_form(found), list(rescored_lines(found)))
    return Exit.DONE
