"""Defines the arguments of ``run_lighteval.py``."""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from endpoints.access import positive_seconds
from endpoints.defaults import ATTEMPT_S, BASE_URL, CONCURRENCY, JUDGE_BASE_URL
from endpoints.embedded import EmbeddedServer
from endpoints.reasoning_marks import MARKS, marks_named
from endpoints.serving.gpus import given_gpus, gpu_numbers
from runner.console import command_name
from runner.exits import UsageError
from runner.settings import AUTO

__all__ = ["build_parser"]

_EXAMPLES = """\
examples:
  {command} --task "ifhard:all|0" --model embedded
  {command} --task "ifhard:all|0" --model NAME --base-url http://127.0.0.1:8001/v1 --full
  {command} --task "ifhard:all|0" --responses answers.jsonl --full
  {command} --resume results/RUN

exit status: 0 complete; 1 --fail-under not met; 2 bad usage; 3 endpoint or dataset not to be had;
4 some samples have no valid answer or verdict; 130 interrupted (resumable)
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < least:
        bound = f"at least {least}" if least else "0 or more"
        raise argparse.ArgumentTypeError(f"must be {bound}, found {number}")
    return number


def _positive(text: str) -> int:
    return _whole(text, 1)


def _in_flight(text: str) -> int | str:
    return text if text == AUTO else _positive(text)


def _not_negative(text: str) -> int:
    return _whole(text, 0)


def _temperature(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be 0 or more, found {text}")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text} is too large")
    return number


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return fields


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_once)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate could not be recorded
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("must be a JSON object")
    return value


def _by(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """A type of arguments that a function of the package reads, with the words of its ValueErrors."""

    def value(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value


def build_parser() -> argparse.ArgumentParser:
    """Make the parser. Arguments that are not given are None, and ``list_tasks`` is False."""
    command = command_name()
    parser = _Parser(
        prog=command,
        description="Score a model on this package's benchmarks through LightEval.",
        epilog=_EXAMPLES.format(command=command),
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
    what.add_argument(
        "--dataset",
        metavar="builtin|builtin-small|official|PATH",
        help="default: the benchmark's own (sobhard: built at the first use)",
    )
    what.add_argument(
        "--stop-when",
        metavar="RULE",
        help="end as soon as it is certain, at level 5%%: halfwidth=0.05[:METRIC], above=V[:METRIC], below=V[:METRIC], "
        "beats=RUN_DIR, differs=RUN_DIR; --resume RUN --full goes on",
    )
    what.add_argument("--repeats", type=_positive, metavar="N", help="answers a question (default 1)")
    what.add_argument("--name", metavar="NAME", help="what to call the run, in its folder, table and audits")
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
        "--header",
        action="append",
        metavar="NAME=ENV_VARIABLE",
        help="HTTP header of every request, its value from the environment; repeatable",
    )
    model.add_argument(
        "--no-model-check",
        action="store_true",
        default=None,
        help="for a server whose list of models is empty, absent or incomplete; the judge's too",
    )
    model.add_argument(
        "--stream",
        action="store_true",
        default=None,
        help="for a server that only streams its answers; the judge's too",
    )
    model.add_argument(
        "--request-timeout",
        type=_by(positive_seconds),
        metavar="SECONDS",
        help=f"most that an attempt at a request may take, the judge's too (default {ATTEMPT_S:g})",
    )
    model.add_argument(
        "--concurrency",
        type=_in_flight,
        metavar="N|auto",
        help="requests in flight; auto, the default, follows the server's /metrics, and is "
        f"{CONCURRENCY} where it has none (embedded {EmbeddedServer.concurrency})",
    )
    model.add_argument(
        "--responses", metavar="FILE.jsonl", help="score saved answers or a batch's results, no model at all"
    )
    model.add_argument(
        "--emit-requests",
        metavar="FILE",
        help="write the requests for a batch API or vLLM's run-batch and exit; needs no server",
    )
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
    sampling.add_argument(
        "--extra-body",
        type=_json_object,
        metavar="JSON",
        help="""further fields of every request, e.g. '{"top_k": 20, "reasoning_effort": "low"}'""",
    )
    sampling.add_argument(
        "--reasoning-marks",
        type=_by(marks_named),
        metavar="NAME",
        help=f"cut reasoning in these marks: {', '.join(MARKS)}",
    )
    judge = parser.add_argument_group("judge, for tasks whose answers another model judges")
    judge.add_argument("--judge-model", metavar="NAME", help="default: the benchmark's own")
    judge.add_argument("--judge-base-url", metavar="URL", help=f"its server (default {JUDGE_BASE_URL})")
    judge.add_argument("--judge-api-key-env", metavar="VAR", help="default OPENAI_API_KEY; unset is fine")
    judge.add_argument(
        "--judge-header", action="append", metavar="NAME=ENV_VARIABLE", help="HTTP header of every request to it"
    )
    judge.add_argument(
        "--judge-concurrency", type=_in_flight, metavar="N|auto", help="requests to it in flight (default auto)"
    )
    judge.add_argument(
        "--judge-max-tokens", type=_positive, metavar="N", help="cap on each reply (default: the type's)"
    )
    judge.add_argument(
        "--judge-chat-template-kwargs",
        type=_json_object,
        metavar="JSON",
        help="variables of its chat template; enable_thinking is false unless given",
    )
    judge.add_argument(
        "--judge-extra-body", type=_json_object, metavar="JSON", help="further fields of every request to it"
    )
    judge.add_argument("--judge-prompts", metavar="DIR", help="other prompts than this package's")
    special = parser.add_argument_group("for some benchmarks")
    special.add_argument(
        "--column-map", action="append", metavar="FIELD=COLUMN", help="hardmultiqa: how the dataset names its columns"
    )
    special.add_argument(
        "--grader",
        action="append",
        metavar="NAME=PATH",
        help="ifbench: grade by the checkers in that checkout too; their code runs as you, without network and with "
        "limits on memory and time",
    )
    serving = parser.add_argument_group("serving")
    serving.add_argument(
        "--serve",
        metavar="CONFIG.yaml|auto",
        help="start the model's server, and the judge's, for the length of the run; auto chooses how, by their configs "
        "and the GPUs' memory",
    )
    serving.add_argument(
        "--gpus", type=_by(gpu_numbers), metavar="LIST", help="with --serve auto: which GPUs, such as 0-7 or 0,2"
    )
    serving.add_argument(
        "--gpu-memory",
        type=_by(given_gpus),
        metavar="GIB",
        help="with --serve auto: the GPUs' memory where nvidia-smi cannot say it, such as 80, 4x80 or 2x24,2x80",
    )
    serving.add_argument(
        "--vllm-python", metavar="PATH", help="with --serve auto: Python of vLLM's environment (default: vllm on PATH)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output-dir", metavar="DIR", help="folder of run folders (default results)")
    output.add_argument("--resume", metavar="RUN_DIR", help="go on with a stopped run; needs no other argument")
    output.add_argument(
        "--fail-under", action="append", metavar="METRIC=VALUE", help="exit 1 if a task's metric is lower"
    )
    add(
        "--dry-run",
        action="store_true",
        default=None,
        help="tell what would be sent and whether it fits, and exit; with --serve: check the file, print the commands; "
        "with --serve auto: print the file alone",
    )
    add("--list-tasks", action="store_true", help="print every task name and exit")
    add(
        "--show-prompt",
        type=_positive,
        metavar="N",
        help="print the prompts of the first N samples and exit; needs no server",
    )
    return parser
