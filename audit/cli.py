"""``python -m audit panel|sample|review|estimate``: reads arguments and runs the command they name."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from audit.errors import AuditError, Exit
from audit.statistics import RESAMPLES, SEED
from endpoints.defaults import BASE_URL, CONCURRENCY
from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from runs.files import FileError

__all__ = ["main"]

_EXAMPLES = """\
in order:
  python -m audit panel results/RUN... --out panel.parquet
  python -m report repeats results/RUN results/OTHER_RUN
  python -m audit sample panel.parquet --graders lighteval_strict proposed --agree 100 \\
      --fixtures tasks/ifbench/fixtures --seed 7 --out round1
  python -m audit review round1 --reviewer A --model NAME --base-url http://127.0.0.1:8002/v1
  python -m audit review round1 --reviewer B --html page.html
  python -m audit review round1 --import labels_B.jsonl
  python -m audit estimate round1

exit status: 0 complete; 2 bad usage or files; 3 endpoint or published files not to be had;
4 some cases have no label; 130 interrupted (a review goes on where it stopped)
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AuditError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    try:
        arguments = _parser().parse_args(argv)
        command: Any = arguments.command
        return int(command(arguments))
    except (AuditError, FileError) as error:
        _warn(f"error: {error}")
        return Exit.USAGE
    except (EndpointError, JournalError) as error:
        _warn(f"error: {error}")
        return Exit.UNAVAILABLE
    except KeyboardInterrupt:
        _warn("interrupted; the same command goes on")
        return Exit.INTERRUPTED


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _warn(line: str) -> None:
    sys.stderr.write(line + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m audit",
        description="Measure checkers: a panel of verdicts, blinded review, error rates with intervals.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _panel_arguments(commands)
    _sample_arguments(commands)
    _review_arguments(commands)
    _estimate_arguments(commands)
    return parser


def _panel_arguments(commands: Any) -> None:
    panel = commands.add_parser("panel", help="runs -> one table of verdicts")
    panel.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folder of run_lighteval.py")
    panel.add_argument("--out", type=Path, required=True, metavar="FILE.parquet")
    panel.set_defaults(command=_panel)
    panel.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="name in the tables, once for each run in order; default: the run's --name, or its folder's",
    )


def _sample_arguments(commands: Any) -> None:
    sample = commands.add_parser("sample", help="draw the cases of a review round")
    sample.add_argument("panel", type=Path)
    sample.add_argument("--graders", nargs="+", required=True, metavar="NAME", help="two to compare, or one alone")
    sample.add_argument("--agree", type=_count, metavar="N", help="two graders: N random agreements")
    sample.add_argument("--disagree", type=_count, metavar="N", help="two graders: at most N; default every one")
    sample.add_argument("--passed", type=_count, metavar="N", help="one grader: N random passes")
    sample.add_argument("--failed", type=_count, metavar="N", help="one grader: N random fails")
    sample.add_argument("--fixtures", type=Path, metavar="PATH", help="labelled fixtures to mix in (file or folder)")
    sample.add_argument("--fixture-sample", type=_count, metavar="N", help="N random ones of these; default every one")
    sample.add_argument("--run", action="append", default=[], metavar="NAME", help="only this run of the panel")
    sample.add_argument("--benchmark", action="append", default=[], metavar="NAME", help="only this benchmark")
    sample.add_argument("--round", type=_count, default=1, metavar="N", help="number of the round")
    sample.add_argument("--seed", type=_count, required=True)
    sample.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    sample.set_defaults(command=_sample)


def _review_arguments(commands: Any) -> None:
    review = commands.add_parser("review", help="label the cases of a round, blind")
    review.add_argument("round", type=Path)
    review.add_argument("--reviewer", metavar="NAME", help="such as A or B")
    way = review.add_mutually_exclusive_group(required=True)
    way.add_argument("--model", metavar="NAME", help="let a model label them")
    way.add_argument("--html", type=Path, metavar="FILE", help="write a page for a person")
    way.add_argument("--import", dest="labels", type=Path, metavar="FILE", help="take in the labels of a page")
    review.add_argument("--replace", action="store_true", help="--import: over other labels of the same reviewer")
    review.add_argument("--base-url", default=BASE_URL)
    review.add_argument("--api-key-env", default="OPENAI_API_KEY", metavar="VARIABLE")
    review.add_argument("--concurrency", type=_positive, default=CONCURRENCY)
    review.add_argument("--max-tokens", type=_positive, default=1024)
    review.add_argument("--attempts", type=_positive, default=3, help="replies asked for until one can be read")
    review.add_argument("--temperature", type=float, default=0.0)
    review.add_argument("--seed", type=int)
    review.add_argument("--chat-template-kwargs", type=_json_object, default={}, metavar="JSON")
    review.add_argument("--no-schema", action="store_true", help="do not send the JSON schema of the reply")
    review.set_defaults(command=_review)


def _estimate_arguments(commands: Any) -> None:
    estimate = commands.add_parser("estimate", help="agreement, error rates and intervals of a round")
    estimate.add_argument("round", nargs="?", type=Path)
    estimate.add_argument("--labels", nargs="+", type=Path, metavar="FILE", help="default: the labels_*.jsonl there")
    estimate.add_argument("--published", metavar="FOLDER|HUB_ID", help="the published form of an audit instead")
    estimate.add_argument("--revision", help="--published: revision on the Hub")
    estimate.add_argument(
        "--graders",
        nargs="+",
        metavar="NAME",
        help="--published: columns that hold graders' verdicts; default: those that its description documents",
    )
    estimate.add_argument("--round-number", type=int, metavar="N", help="--published: one round alone")
    estimate.add_argument("--seed", type=_count, default=SEED, help="seed of the bootstrap's random generator")
    estimate.add_argument("--resamples", type=_positive, default=RESAMPLES)
    estimate.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there as well")
    estimate.set_defaults(command=_estimate)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"{value} is below {least}")
    return value


def _count(text: str) -> int:
    return _whole(text, 0)


def _positive(text: str) -> int:
    return _whole(text, 1)


def _json_object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("a JSON object is needed")
    return value


def _panel(arguments: argparse.Namespace) -> int:
    from audit.panel import build_panel
    from audit.panel_parquet import write_panel
    from audit.report import panel_lines

    panel = build_panel(arguments.runs, arguments.name)
    write_panel(arguments.out, panel)
    _say(f"{arguments.out}: {len(panel.rows)} responses, {sum(len(row.constraints) for row in panel.rows)} constraints")
    for line in panel_lines(panel):
        _say(line)
    return Exit.COMPLETE


def _sample(arguments: argparse.Namespace) -> int:
    from audit.fixtures import read_fixtures
    from audit.panel_parquet import read_panel
    from audit.round import save_round
    from audit.sampling import GENERATOR, Plan, draw_round
    from audit.wording import LOOSE_NOTE, is_loose
    from runs.files import sha256_of

    plan = Plan(
        graders=tuple(arguments.graders),
        sizes=_sizes(arguments),
        seed=arguments.seed,
        number=arguments.round,
        runs=tuple(arguments.run),
        benchmarks=tuple(arguments.benchmark),
        fixtures=arguments.fixture_sample,
    )
    fixtures = read_fixtures(arguments.fixtures) if arguments.fixtures else []
    panel = read_panel(arguments.panel)
    draw = draw_round(panel, plan, fixtures)
    about = {
        "round": plan.number,
        "seed": plan.seed,
        "generator": GENERATOR,
        "graders": list(plan.graders),
        "panel_graders": list(panel.graders),
        "sizes": plan.sizes,
        "runs": list(plan.runs),
        "benchmarks": list(plan.benchmarks),
        "left_out": draw.left_out,
        "panel": arguments.panel.name,
        "panel_sha256": sha256_of(arguments.panel),
    }
    made = save_round(arguments.out, draw.cases, draw.sealed, draw.strata, about)
    for row in draw.strata:
        _say(f"  {row['stratum']}: {row['sampled']} cases of a population of {row['population']}")
    for why, count in draw.left_out.items():
        if count:
            _say(f"  left out, {why}: {count}")
    loose = [grader for grader in plan.graders if is_loose(grader)]
    if loose:
        _say(f"  {', '.join(loose)}: {LOOSE_NOTE}")
    _say(f"{arguments.out}: {len(made.cases)} cases, seed {plan.seed}")
    _say(f"SHA-256 of the case list: {made.cases_sha256}")
    return Exit.COMPLETE


def _sizes(arguments: argparse.Namespace) -> dict[str, int | None]:
    pair = {"disagree": arguments.disagree, "agree": arguments.agree}
    alone = {"failed": arguments.failed, "passed": arguments.passed}
    if len(arguments.graders) == 2:
        if arguments.agree is None or any(value is not None for value in alone.values()):
            raise AuditError("two graders take --agree N (and --disagree N), not --passed or --failed")
        return pair
    if None in alone.values() or any(value is not None for value in pair.values()):
        raise AuditError("one grader takes --passed N and --failed N, not --agree or --disagree")
    return alone


def _review(arguments: argparse.Namespace) -> int:
    from audit.review_command import import_labels, review_by_model, write_page
    from audit.round import open_round

    round_ = open_round(arguments.round)
    if arguments.labels is not None:
        left = import_labels(round_, arguments.labels, arguments.reviewer, replace=arguments.replace, say=_say)
    elif not arguments.reviewer:
        raise AuditError("--reviewer is needed: whose labels these will be")
    elif arguments.html is not None:
        write_page(round_, arguments.reviewer, arguments.html, _say)
        left = 0
    else:
        left = review_by_model(round_, arguments, os.environ.get(arguments.api_key_env), _say)
    return Exit.INCOMPLETE if left else Exit.COMPLETE


def _estimate(arguments: argparse.Namespace) -> int:
    from audit.estimate_command import estimate_published, estimate_reviewed

    if (arguments.round is None) == (arguments.published is None):
        raise AuditError("a round's folder is needed, or --published FOLDER|HUB_ID")
    if arguments.published is not None:
        found, complete = estimate_published(arguments, _say, _warn)
    else:
        found, complete = estimate_reviewed(arguments, _say)
    if arguments.json is not None:
        from runs.files import write_json

        write_json(arguments.json, found)
    return Exit.COMPLETE if complete else Exit.INCOMPLETE
