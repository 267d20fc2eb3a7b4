"""``python -m report COMMAND``: reads arguments; ``commands.py`` does what they name."""

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from report import commands
from report.errors import Exit, ReportError
from runs.files import FileError

__all__ = ["main"]

_EXAMPLES: Final = """\
examples:
  python -m report runs                                                 # what there is in results, newest first
  python -m report show results/RUN --failed 5                          # why its answers failed
  python -m report html results/RUN -o report.html                      # the same and all numbers: one page
  python -m report compare results/BASELINE results/RUN                 # differences, with paired intervals
  python -m report gate results/RUN --against results/BASELINE --max-drop 0.02 --junit gate.xml
  python -m report repeats results/RUN results/SAME_AGAIN               # or one run that has --repeats
  python -m report power --difference 0.03                              # how many questions that takes
  python -m report export results/RUN --form eee -o DIR                 # or hub, mera: forms that others read
  python -m report rescore results/RUN                                  # its answers by the present scorers

exit status: 0 done, and for a gate no larger drop is established; 1 the gate's drop is established;
2 bad usage, no run's folder, or runs that do not compare; 3 the command broke; 130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ReportError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    try:
        arguments = _parser().parse_args(argv)
        command: Any = arguments.command
        status = int(command(arguments))
        sys.stdout.flush()  # a full disk shows here, not when Python ends
        return status
    except (ReportError, FileError) as error:
        _say(str(error))
        return Exit.USAGE
    except OSError as error:
        _say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return Exit.BROKEN
    except Exception:  # Python's own status would be 1, which a gate fails with
        traceback.print_exc()
        sys.stderr.write("error: the command broke, on a damaged run or by a fault of its own\n")
        return Exit.BROKEN
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _say(error: str) -> None:
    from report.printable import one_line

    sys.stderr.write(f"error: {one_line(error)}\n")  # names and values of strangers are in it


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m report",
        description="Read finished runs: their answers, how they compare, how steady they are.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for add in (
        _compare_arguments,
        _gate_arguments,
        _power_arguments,
        _repeats_arguments,
        _runs_arguments,
        _export_arguments,
        _rescore_arguments,
    ):
        command = add(parsers)
        command.add_argument(
            "--json", metavar="FILE", help="write the numbers there; - for standard output, without words"
        )
    _show_arguments(parsers)  # pages, no numbers
    _html_arguments(parsers)
    return parser


def _compare_arguments(parsers: Any) -> argparse.ArgumentParser:
    compare: argparse.ArgumentParser = parsers.add_parser("compare", help="runs over the same questions: what differs")
    compare.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the baseline, then one run or more")
    _common_argument(compare)
    _name_argument(compare)
    compare.set_defaults(command=commands.compare_command)
    return compare


def _html_arguments(parsers: Any) -> None:
    html: argparse.ArgumentParser = parsers.add_parser("html", help="one page that opens anywhere: numbers and answers")
    html.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the first one is the baseline of the others")
    html.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the page to write")
    _common_argument(html)
    _name_argument(html)
    html.set_defaults(command=commands.html_command)


def _gate_arguments(parsers: Any) -> argparse.ArgumentParser:
    gate: argparse.ArgumentParser = parsers.add_parser(
        "gate", help="fail when a run is worse than its baseline for sure"
    )
    gate.add_argument("run", type=Path, metavar="RUN", help="the run that must not be worse")
    gate.add_argument("--against", type=Path, required=True, metavar="BASELINE")
    gate.add_argument(
        "--max-drop", type=_share, required=True, metavar="D", help="largest drop that passes: 0.02 is 2 points"
    )
    gate.add_argument(
        "--metric", action="append", default=[], metavar="NAME", help="default: the first headline of each task"
    )
    gate.add_argument("--junit", type=Path, metavar="FILE", help="write what CI servers show")
    _common_argument(gate)
    gate.set_defaults(command=commands.gate_command)
    return gate


def _power_arguments(parsers: Any) -> argparse.ArgumentParser:
    power: argparse.ArgumentParser = parsers.add_parser("power", help="how large a run must be to show a difference")
    power.add_argument("--difference", type=_share, required=True, metavar="D", help="0.03 is 3 points")
    power.add_argument(
        "--discordance",
        type=_share,
        metavar="R",
        help="share of questions on which the runs disagree; default: 0.3, or D if that is larger",
    )
    power.add_argument("--within", type=_share, default=1.0, metavar="W", help="share of it that repeats average out")
    power.add_argument("--questions", type=_number_of("questions"), metavar="N", help="size of your own set")
    power.set_defaults(command=commands.power_command)
    return power


def _repeats_arguments(parsers: Any) -> argparse.ArgumentParser:
    repeats: argparse.ArgumentParser = parsers.add_parser("repeats", help="how many answers and verdicts differ")
    repeats.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="two runs, or one that has --repeats")
    _name_argument(repeats)
    repeats.set_defaults(command=commands.repeats_command)
    return repeats


def _runs_arguments(parsers: Any) -> argparse.ArgumentParser:
    runs: argparse.ArgumentParser = parsers.add_parser("runs", help="the runs of a folder, newest first")
    runs.add_argument("folder", nargs="?", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    runs.set_defaults(command=commands.runs_command)
    return runs


def _show_arguments(parsers: Any) -> argparse.ArgumentParser:
    show: argparse.ArgumentParser = parsers.add_parser("show", help="answers of a run: prompt, text, each verdict")
    show.add_argument("run", type=Path, metavar="RUN", help="its folder")
    show.add_argument(
        "--failed",
        nargs="?",
        type=_number_of("answers (RUN stands before --failed)"),
        const=0,
        metavar="N",
        help="answers without full marks; the first N",
    )
    show.add_argument(
        "--category",
        action="append",
        default=[],
        metavar="X",
        help="a requirement or its family, a label of the question (tier, family, topic...), a code of failure, "
        "blocked, truncated...; KIND=X where X is of several kinds; twice: both",
    )
    show.add_argument(
        "--id",
        action="append",
        default=[],
        metavar="ID",
        help="a question's id or its beginning; its texts are shown whole",
    )
    show.add_argument(
        "--search",
        default="",
        metavar="TEXT",
        help="answers with this text in prompt, answer, reasoning, verdicts or the judge's replies",
    )
    show.add_argument("--reasoning", action="store_true", help="unfold the reasoning")
    show.add_argument("--whole", action="store_true", help="leave nothing out of long texts")
    show.set_defaults(command=commands.show_command)
    return show


def _export_arguments(parsers: Any) -> argparse.ArgumentParser:
    from report.export import FORMS

    export: argparse.ArgumentParser = parsers.add_parser(
        "export", help="write a run in a form that others read; nothing is sent anywhere"
    )
    export.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="one run; for mera one of each benchmark")
    export.add_argument("--form", choices=FORMS, required=True, help="Hub results, Every Eval Ever, MERA")
    export.add_argument("-o", type=Path, required=True, metavar="DIR", dest="out", help="folder for the files")
    export.add_argument("--model-id", metavar="ORG/NAME", help="the model in eee; default: the run's name of it")
    export.set_defaults(command=commands.export_command)
    return export


def _rescore_arguments(parsers: Any) -> argparse.ArgumentParser:
    again: argparse.ArgumentParser = parsers.add_parser(
        "rescore", help="a run's answers by the present scorers: which verdicts change, how far the headlines move"
    )
    again.add_argument("run", type=Path, metavar="RUN", help="its folder; nothing is written into it")
    again.set_defaults(command=commands.rescore_command)
    return again


def _common_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--common",
        action="store_true",
        help="compare the questions that both asked in the same words, whatever else differs but scorer and judge",
    )


def _name_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="name in the tables, once for each run in order; default: the run's --name, or its folder's",
    )


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share between 0 and 1 (2 points are 0.02)")
    return value


def _number_of(what: str) -> Callable[[str], int]:
    """What reads a number of such things, at least one."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text)):
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {what}")
        return int(text)

    return read
