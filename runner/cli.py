"""Arguments of ``run_lighteval.py``. Nothing heavy is imported before they are known to be good."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from endpoints.defaults import BASE_URL, CONCURRENCY
from endpoints.embedded import EmbeddedServer
from runner.console import say
from runner.exits import Exit, UsageError
from runner.settings import EMBEDDED, Settings, merge_resumed
from tasks.registry import BENCHMARK_NAMES, TaskNameError, benchmark, parse_task, split_task_list

__all__ = ["main", "read_arguments"]

_EXAMPLES = """\
examples:
  python run_lighteval.py --task "ifhard:all|0" --model embedded
  python run_lighteval.py --task "ifhard:all|0" --model NAME --base-url http://127.0.0.1:8001/v1 --full
  python run_lighteval.py --task "ifhard:all|0" --responses answers.jsonl --full
  python run_lighteval.py --resume results/RUN

exit status: 0 complete; 1 --fail-under not met; 2 bad usage; 3 endpoint or dataset not to be had;
4 some samples have no valid answer or verdict; 130 interrupted (resumable)
"""
# Arguments that change nothing when answers come from a file.
_SERVER_ONLY = (
    "base_url",
    "concurrency",
    "max_new_tokens",
    "temperature",
    "seed",
    "shuffle_seed",
    "system_prompt",
    "chat_template_kwargs",
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def main(argv: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    try:
        arguments = _parser().parse_args(argv)
        _check_install()
        if arguments.list_tasks:
            print_tasks()
            return Exit.COMPLETE
        settings, run_dir, warnings = read_arguments(arguments)
        for warning in warnings:
            say(f"warning: {warning}")
    except (UsageError, TaskNameError) as error:
        say(f"error: {error}")
        return Exit.USAGE
    try:
        from runner.run import execute  # LightEval and torch take seconds to import
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return execute(settings, run_dir=run_dir, show_prompt=arguments.show_prompt, command=list(argv))


def print_tasks() -> None:
    """Every legal task name, on stdout."""
    for name in BENCHMARK_NAMES:
        found = benchmark(name)
        shots = f"|{found.fewshots[0]}" + (f" to |{found.fewshots[-1]}" if len(found.fewshots) > 1 else "")
        sys.stdout.write(f"{found.title}: few-shot {shots}, datasets {', '.join(found.datasets)} or a path\n")
        for task in found.task_names():
            sys.stdout.write(f"  {task}\n")


def read_arguments(arguments: argparse.Namespace) -> tuple[Settings, Path | None, list[str]]:
    """Settings of a new or resumed run.

    Returns:
        the settings, the folder to resume (None for a new run), and warnings for the user.

    Raises:
        UsageError, TaskNameError: the arguments cannot be run; the message says why.
    """
    given = _given(arguments)
    if arguments.resume is not None:
        run_dir = Path(arguments.resume)
        recorded = _recorded(run_dir)
        smoke = min(benchmark(task.partition(":")[0]).smoke_samples for task in recorded.tasks)
        return merge_resumed(recorded, given, run_dir, smoke), run_dir, []
    if "tasks" not in given:
        raise UsageError('--task is needed, for example --task "ifhard:all|0" (--list-tasks shows all)')
    if "model" not in given:
        if "responses" not in given and arguments.show_prompt is None:
            raise UsageError("--model is needed: the name the server serves it under, or 'embedded'")
        given["model"] = "responses"
    warnings = []
    if given.get("repeats", 1) > 1 and not given.get("temperature") and "responses" not in given:
        warnings.append("greedy answers are repeated: --repeats then measures only how steady the server is")
    if given["model"] == EMBEDDED and "base_url" in given:
        raise UsageError("--model embedded starts its own server; drop --base-url, or give the name that server has")
    if given["model"] == EMBEDDED and (given.get("temperature") or "seed" in given):
        raise UsageError("the embedded model always answers greedily; drop --temperature and --seed")
    if "responses" in given:
        ignored = [name for name in _SERVER_ONLY if name in given]
        if ignored:
            names = ", ".join("--" + name.replace("_", "-") for name in ignored)
            warnings.append(f"answers come from {given['responses']}: {names} changes nothing")
        given["base_url"] = None
    elif given["model"] != EMBEDDED:
        given.setdefault("base_url", BASE_URL)
    return Settings(**given), None, warnings


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments that stood on the command line, checked and under their settings' names."""
    values = {name: value for name, value in vars(arguments).items() if value is not None}
    for name, value in values.items():
        if value == "" and name not in ("system_prompt", "task"):
            raise UsageError(f"--{name.replace('_', '-')} is empty")
    for name in ("resume", "show_prompt", "list_tasks"):
        values.pop(name, None)
    if values.get("full") is False:
        del values["full"]
    if "task" in values:
        values["tasks"] = _tasks(values.pop("task"))
    if "fail_under" in values:
        values["fail_under"] = _bounds(values["fail_under"], values.get("tasks"))
    if "responses" in values and not Path(values["responses"]).is_file():
        raise UsageError(f"--responses {values['responses']}: no such file")
    for name in ("responses", "dataset"):
        if name in values and (name == "responses" or Path(values[name]).exists()):
            values[name] = str(Path(values[name]).absolute())  # a resume may start elsewhere
    if "max_samples" in values and "full" in values:
        raise UsageError("--max-samples and --full exclude each other")
    return values


def _tasks(lists: Sequence[str]) -> tuple[str, ...]:
    names = [str(parse_task(text)) for part in lists for text in split_task_list(part)]
    if not names:
        raise UsageError("--task is empty")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"task {name} is given twice")
    return tuple(names)


def _bounds(texts: Sequence[str], tasks: Sequence[str] | None) -> dict[str, float]:
    """``METRIC=VALUE`` pairs; a metric that no task of the run has is an error, not a bound that never bites."""
    benches = {name.partition(":")[0] for name in tasks} if tasks else set(BENCHMARK_NAMES)
    known = sorted({metric for bench in benches for metric in benchmark(bench).metric_names})
    bounds: dict[str, float] = {}
    for text in texts:
        metric, equals, number = text.partition("=")
        try:
            bounds[metric] = float(number)
        except ValueError:
            equals = ""
        if equals and not math.isfinite(bounds[metric]):
            equals = ""
        if not equals or metric not in known:
            raise UsageError(f"--fail-under {text!r}: expected METRIC=VALUE with a metric among {', '.join(known)}")
    return bounds


def _recorded(run_dir: Path) -> Settings:
    path = run_dir / "run.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content.get("sessions"), list) or not isinstance(content.get("datasets", {}), dict):
            raise TypeError("sessions or datasets are not what a run writes")
        return Settings.from_json(content["settings"])
    except FileNotFoundError:
        raise UsageError(f"cannot resume {run_dir}: there is no run.json in it") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"cannot resume {run_dir}: run.json cannot be read ({error})") from error


def _check_install() -> None:
    """``--custom-tasks tasks.ifhard.task`` must mean this checkout's tasks, not another package of that name."""
    import tasks

    ours = Path(__file__).resolve().parent.parent / "tasks"
    found = Path(tasks.__file__ or "").resolve().parent
    if found != ours:
        raise UsageError(
            f"the package 'tasks' is taken from {found}, not from {ours}: install this checkout with pip install -e ."
        )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _temperature(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def _not_negative(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("must be a JSON object")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="run_lighteval.py",
        description="Score a model on this package's benchmarks through LightEval.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    what = parser.add_argument_group("what to run")
    what.add_argument(
        "--task",
        action="append",
        metavar="NAME|SHOTS",
        help="benchmark:subset[:mode]|fewshot; repeatable, or comma-separated",
    )
    what.add_argument(
        "--max-samples", type=_positive, metavar="N", help="N samples a task (default: a smoke run of 10)"
    )
    what.add_argument("--full", action="store_true", default=None, help="every sample")
    what.add_argument("--dataset", metavar="builtin|official|PATH", help="default: the benchmark's own")
    what.add_argument("--repeats", type=_positive, metavar="N", help="answers a question (default 1)")
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model",
        metavar="NAME",
        help="name the server serves it under, or 'embedded': a small real model, no server needed",
    )
    model.add_argument("--base-url", metavar="URL", help=f"OpenAI-compatible server (default {BASE_URL})")
    model.add_argument(
        "--api-key-env", metavar="VAR", help="environment variable with the key (default OPENAI_API_KEY; unset is fine)"
    )
    model.add_argument(
        "--concurrency",
        type=_positive,
        metavar="N",
        help=f"requests in flight (default {CONCURRENCY}; embedded {EmbeddedServer.concurrency})",
    )
    model.add_argument("--responses", metavar="FILE.jsonl", help="score saved answers, no model at all")
    sampling = parser.add_argument_group("generation")
    sampling.add_argument(
        "--max-new-tokens",
        type=_positive,
        metavar="N",
        help=f"cap on each answer (default: the task's; embedded {EmbeddedServer.max_new_tokens})",
    )
    sampling.add_argument("--temperature", type=_temperature, metavar="T", help="default 0, greedy")
    sampling.add_argument("--seed", type=_not_negative, metavar="N", help="sampling seed sent to the server")
    sampling.add_argument("--shuffle-seed", type=_not_negative, metavar="N", help="send the questions in another order")
    sampling.add_argument("--system-prompt", metavar="TEXT")
    sampling.add_argument(
        "--chat-template-kwargs", type=_json_object, metavar="JSON", help="""e.g. '{"enable_thinking": false}'"""
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output-dir", metavar="DIR", help="folder of run folders (default results)")
    output.add_argument("--resume", metavar="RUN_DIR", help="go on with a stopped run; needs no other argument")
    output.add_argument(
        "--fail-under", action="append", metavar="METRIC=VALUE", help="exit 1 if a task's metric is lower"
    )
    add("--list-tasks", action="store_true", help="print every task name and exit")
    add(
        "--show-prompt",
        type=_positive,
        metavar="N",
        help="print the prompts of the first N samples and exit; needs no server",
    )
    return parser
