"""Turns arguments into settings, and checks them before anything slow is imported."""

import argparse
import functools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endpoints.defaults import BASE_URL
from endpoints.errors import EndpointError
from runner.console import say
from runner.exits import Exit, UsageError
from runner.given import fail_under_bounds, given_values
from runner.parser import build_parser
from runner.places import check_emitted, check_places
from runner.reasoning import text_for_false
from runner.serving import check_choosing, check_only, decide_servers, show_chosen
from runner.settings import AUTO, EMBEDDED, Settings, merge_resumed, option_of
from runner.stop_rule import ORDER_SEED, read_rule
from runs.shape import first_damage
from tasks.benchmark import DatasetError
from tasks.names import TaskName, TaskNameError
from tasks.registry import BENCHMARK_NAMES, benchmark, smoke_samples

if TYPE_CHECKING:
    from runner.unsent import Unsent

__all__ = ["main", "read_arguments"]

# Arguments that change nothing when answers come from a file.
_SERVER_ONLY = (
    "base_url",
    "headers",
    "concurrency",
    "max_new_tokens",
    "temperature",
    "seed",
    "shuffle_seed",
    "system_prompt",
    "chat_template_kwargs",
    "extra_body",
)
# What of it is about sending, and what makes no sense where nothing is sent.
_SENDING = ("base_url", "headers", "concurrency", "shuffle_seed")
_RUNS = ("resume", "show_prompt", "stop_when", "serve", "fail_under")
# They are for the judge's server as well.
_OF_BOTH = ("no_model_check", "request_timeout", "stream")
# Settings that only some benchmarks read, by the option these declare.
_OPTIONAL = {
    "judge": (
        "judge_model",
        "judge_base_url",
        "judge_api_key_env",
        "judge_headers",
        "judge_concurrency",
        "judge_prompts",
        "judge_max_tokens",
        "judge_chat_template_kwargs",
        "judge_extra_body",
    ),
    "column_map": ("column_map",),
    "grader": ("graders",),
}


def main(argv: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    try:
        _check_letters(argv)
        arguments = build_parser().parse_args(argv)
        if arguments.list_tasks:
            print_tasks()
            return Exit.COMPLETE
        checked = _check_serving(arguments) if arguments.dry_run else Exit.COMPLETE
        if arguments.dry_run and (arguments.serve == AUTO or (arguments.task is None and arguments.resume is None)):
            return checked
        settings, run_dir, warnings = read_arguments(arguments)
        for warning in warnings:
            say(f"warning: {warning}")
        check_places(settings, resumed=run_dir is not None)
    except (UsageError, TaskNameError) as error:
        say(f"error: {error}")
        return Exit.USAGE
    except (DatasetError, EndpointError) as error:
        say(f"error: {error}")
        return Exit.UNAVAILABLE
    try:
        from runner.run import execute
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    status = execute(
        settings,
        run_dir=run_dir,
        instead=_instead(arguments, settings, argv),
        command=list(argv),
        dry=arguments.dry_run is not None,
    )
    return status or checked


def _instead(arguments: argparse.Namespace, settings: Settings, argv: Sequence[str]) -> "Unsent | None":
    """What is done with the requests instead of sending them; None to send them."""
    from runner.unsent import show_prompts, write_batch

    if arguments.emit_requests is not None:
        return functools.partial(write_batch, settings=settings, path=Path(arguments.emit_requests), command=argv)
    return None if arguments.show_prompt is None else functools.partial(show_prompts, count=arguments.show_prompt)


def _check_letters(argv: Sequence[str]) -> None:
    """Every argument is text that can be stored and sent.

    Raises:
        UsageError: one is not UTF-8.
    """
    for number, text in enumerate(argv):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            option = argv[number - 1] if number and argv[number - 1].startswith("--") else "an argument"
            raise UsageError(f"{option}: {text!a} is not UTF-8")


def _check_serving(arguments: argparse.Namespace) -> Exit:
    """Of a dry run the part that is about its serving file."""
    if arguments.emit_requests is not None:
        raise UsageError("--emit-requests asks no server: drop --dry-run")
    given = given_values(arguments)
    check_choosing(given)
    if arguments.serve == AUTO:
        if "tasks" in given:
            _check_options(given, given["tasks"])
        return show_chosen(given if arguments.resume is None else _known(given, _recorded(Path(arguments.resume))))
    if arguments.serve is not None:
        return check_only(Path(given["serve"]))
    if arguments.task is None and arguments.resume is None:
        raise UsageError(
            "--dry-run tells what a run would send, or checks a serving file: give --task, --resume or --serve too"
        )
    return Exit.COMPLETE


def print_tasks() -> None:
    """Print every legal task name to stdout."""
    for name in BENCHMARK_NAMES:
        bench = benchmark(name)
        shots = ", ".join(f"|{number}" for number in bench.fewshots)
        sys.stdout.write(f"{bench.title}: few-shot {shots}, datasets {', '.join(bench.datasets)} or a path\n")
        for task in bench.tasks():
            sys.stdout.write(f"  {task.plain}\n")


def read_arguments(arguments: argparse.Namespace) -> tuple[Settings, Path | None, list[str]]:
    """Turn parsed arguments into the settings of a new or a resumed run.

    Returns:
        the settings, the folder to resume (None for a new run), and warnings for the user.

    Raises:
        UsageError, TaskNameError: an argument is wrong or contradicts another; the message says which.
    """
    given = given_values(arguments)
    emits = arguments.emit_requests is not None
    if emits:
        _check_emission(arguments)
    if arguments.resume is not None:
        run_dir = Path(arguments.resume)
        recorded = _recorded(run_dir)
        if arguments.fail_under is not None:
            given["fail_under"] = fail_under_bounds(arguments.fail_under, recorded.tasks)
        settings, warnings = _resumed(given, recorded, run_dir)
        return settings, run_dir, warnings
    settings, warnings = _new(given, without_model=arguments.show_prompt is not None, emits=emits)
    return settings, None, warnings


def _resumed(given: dict[str, Any], recorded: Settings, run_dir: Path) -> tuple[Settings, list[str]]:
    """Settings of a resumed run, and warnings."""
    _check_options(given, recorded.tasks)
    if "stop_when" in given:
        given["stop_when"] = read_rule(given["stop_when"], recorded.tasks).text
    if given.get("full") and recorded.stop_when is not None:
        given["past_stop"] = True
    smoke = max(smoke_samples(recorded.tasks).values())
    decide_servers(given, _known(given, recorded))
    warnings = _text_warnings(given) + _unused_warnings(given, recorded.responses, recorded.tasks)
    return merge_resumed(recorded, given, run_dir, smoke), warnings


def _known(given: Mapping[str, Any], recorded: Settings) -> dict[str, Any]:
    """What was given, and what its servers need to know besides of the run that is resumed."""
    known: dict[str, Any] = {"model": recorded.model}
    if recorded.responses is not None:
        known["responses"] = recorded.responses
    if given.get("serve") == AUTO:
        known |= {name: getattr(recorded, name) for name in ("tasks", "judge_model", "max_new_tokens")}
    return known | dict(given)


def _check_emission(arguments: argparse.Namespace) -> None:
    """Check that nothing beside ``--emit-requests`` asks for a run.

    Raises:
        UsageError: something does, or no model is named.
    """
    for name in _RUNS:
        if getattr(arguments, name) is not None:
            raise UsageError(f"--emit-requests writes requests and runs nothing: drop {option_of(name)}")
    if arguments.model in (None, EMBEDDED):
        raise UsageError("--emit-requests needs --model NAME: what the batch's service calls the model")
    check_emitted(Path(arguments.emit_requests))


def _new(given: dict[str, Any], *, without_model: bool, emits: bool) -> tuple[Settings, list[str]]:
    """Settings of a new run, and warnings.

    Args:
        given: what was given.
        without_model: whether nothing is asked, so that no model need be named.
        emits: whether the requests are written instead of sent.
    """
    if "tasks" not in given:
        raise UsageError('--task is needed, for example --task "ifhard:all|0" (--list-tasks shows all)')
    _check_options(given, given["tasks"])
    if "stop_when" in given:
        given["stop_when"] = read_rule(given["stop_when"], given["tasks"]).text
        given.setdefault("shuffle_seed", ORDER_SEED)
        if "max_samples" not in given:
            given["full"] = True  # the rule is about the whole set
    decide_servers(given, given, planned=not without_model)
    if "model" not in given:
        if "responses" not in given and not without_model:
            raise UsageError("--model is needed: the name the server serves it under, or 'embedded'")
        given["model"] = given.get("name", "responses")
    warnings = []
    if given.get("repeats", 1) > 1 and not given.get("temperature") and "responses" not in given:
        warnings.append("greedy answers are repeated: --repeats then measures only how steady the server is")
    warnings += _text_warnings(given)
    if given["model"] == EMBEDDED and "base_url" in given:
        raise UsageError("--model embedded starts its own server; drop --base-url, or give the name that server has")
    if given["model"] == EMBEDDED and (given.get("temperature") or "seed" in given):
        raise UsageError("the embedded model always answers greedily; drop --temperature and --seed")
    if given["model"] == EMBEDDED and given.get("extra_body"):
        raise UsageError("the embedded model's server knows no further fields; drop --extra-body")
    if emits:
        unused = [option_of(name) for name in (*_SENDING, *_OF_BOTH) if name in given]
        warnings += [f"no request is sent: {', '.join(unused)} changes nothing"] if unused else []
    if "responses" in given and not emits:
        warnings += _unused_warnings(given, given["responses"], given["tasks"])
    if "responses" in given or emits:
        given["base_url"] = None
    elif given["model"] != EMBEDDED:
        given.setdefault("base_url", BASE_URL)
    return Settings(**given), warnings


def _text_warnings(given: Mapping[str, Any]) -> list[str]:
    """Warnings of template variables that are a text where a truth value is meant."""
    return [
        f'{option_of(name)}: {variable} is the text "false", which templates take for true; write false without quotes'
        for name in ("chat_template_kwargs", "judge_chat_template_kwargs")
        if (variable := text_for_false(given.get(name, {})))
    ]


def _unused_warnings(given: Mapping[str, Any], responses: str | None, tasks: Sequence[TaskName]) -> list[str]:
    """A warning of what was given and changes nothing, since answers come from a file; none if they do not."""
    judged = any("judge" in benchmark(task.benchmark).options for task in tasks)
    ignored = [name for name in (*_SERVER_ONLY, *(() if judged else _OF_BOTH)) if name in given]
    if "stop_when" in given:  # the seed is of the order that the rule looks in
        ignored = [name for name in ignored if name != "shuffle_seed"]
    if responses is None or not ignored:
        return []
    return [f"answers come from {responses}: {', '.join(map(option_of, ignored))} changes nothing"]


def _check_options(given: Mapping[str, Any], tasks: Sequence[TaskName]) -> None:
    """Check that some task of the run reads each of the given options.

    Raises:
        UsageError: an option would have no effect.
    """
    taken = {option for task in tasks for option in benchmark(task.benchmark).options}
    for option, names in _OPTIONAL.items():
        found = [name for name in names if name in given]
        if found and option not in taken:
            takers = [name for name in BENCHMARK_NAMES if option in benchmark(name).options]
            raise UsageError(f"{option_of(found[0])} is for tasks of {' and '.join(takers) or 'no benchmark'} only")


def _recorded(run_dir: Path) -> Settings:
    path = run_dir / "run.json"
    if not run_dir.is_dir():
        what = "no folder" if run_dir.exists() else "no such folder"
        raise UsageError(f"--resume {run_dir}: {what}; name a folder that a run has made, such as results/RUN")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if damage := "sessions is missing" if "sessions" not in content else first_damage(content):
            raise TypeError(f"its {damage}")
        return Settings.from_json(content["settings"])
    except FileNotFoundError:
        raise UsageError(f"--resume {run_dir}: there is no run.json in it, so no run has made this folder") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"--resume {run_dir}: run.json cannot be read ({error})") from error
