"""``python -m judges.hardmultiqa.calibrate``: can this judge be trusted? Known answers, before GPU hours are spent.

Exit status: 0 all labelled answers have a verdict (right or wrong: read the table); 2 bad usage; 3 the judge could not
be had; 4 some answers have no verdict; 130 Ctrl-C.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from endpoints.defaults import CONCURRENCY, JUDGE_BASE_URL
from endpoints.errors import EndpointError
from endpoints.terminal import speak_utf8, survive_closed_pipes
from judges.asking import JudgeRequest, open_judge
from judges.hardmultiqa.calibration import Case, Finding, calibrate, load_cases, render
from judges.hardmultiqa.judging import DEFAULT_MODEL
from judges.hardmultiqa.prompt_files import PromptsError, PromptSet, builtin_prompts, load_prompts

__all__ = ["main"]

_TASK: Final = "hardmultiqa:calibration"
_KEY_VARIABLE: Final = "OPENAI_API_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the labelled set and print error rates; returns the exit status."""
    given = _parser().parse_args(arguments)
    try:
        folder: str | None = given.judge_prompts
        prompts = load_prompts(Path(folder), folder) if folder is not None else builtin_prompts()
    except PromptsError as error:
        sys.stderr.write(f"--judge-prompts: {error}\n")
        return 2
    key = os.environ.get(given.api_key_env, "").strip()
    problem = _key_problem(key, given.api_key_env)
    if problem:
        sys.stderr.write(f"--api-key-env: {problem}\n")
        return 2
    cases = load_cases()
    try:
        findings = asyncio.run(_judge_all(cases, given, key, prompts))
    except EndpointError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    except KeyboardInterrupt:
        return 130
    if not any(finding.judgement.calls for finding in findings):
        sys.stderr.write(f"{given.judge_base_url}: {findings[0].judgement.error}\n")
        return 3
    sys.stdout.write(f"Judge: {given.judge_model} at {given.judge_base_url}; {prompts.identity}\n\n{render(findings)}")
    return 4 if any(finding.scored is None for finding in findings) else 0


def _key_problem(key: str, variable: str) -> str:
    """Why a key cannot be sent, empty if it can; the default variable need not be set."""
    if not key and variable != _KEY_VARIABLE:
        return f"the environment variable {variable} is not set"
    if not key.isascii() or not key.isprintable():
        return f"the key in {variable} holds characters that no HTTP header can carry"
    return ""


async def _judge_all(cases: Sequence[Case], given: argparse.Namespace, key: str, prompts: PromptSet) -> list[Finding]:
    url, model, concurrency = given.judge_base_url, given.judge_model, given.judge_concurrency
    request = JudgeRequest(given.judge_max_tokens, given.judge_chat_template_kwargs)
    async with open_judge(url, model, key or None, concurrency, None, request) as judge:
        return await calibrate(cases, lambda case_id: judge.ask(_TASK, case_id, 0), prompts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m judges.hardmultiqa.calibrate", description="Error rates of a judge on labelled answers."
    )
    parser.add_argument("--judge-base-url", default=JUDGE_BASE_URL, help="API of the judge (%(default)s)")
    parser.add_argument("--judge-model", default=DEFAULT_MODEL, help="name its server knows it by (%(default)s)")
    parser.add_argument("--judge-prompts", metavar="PATH", help="folder of other prompts")
    parser.add_argument(
        "--judge-concurrency", type=_positive, default=CONCURRENCY, help="calls in flight (%(default)s)"
    )
    parser.add_argument("--judge-max-tokens", type=_positive, metavar="N", help="cap on each reply (the type's)")
    parser.add_argument(
        "--judge-chat-template-kwargs", type=_json_object, default={}, metavar="JSON", help="such as for thinking"
    )
    parser.add_argument("--api-key-env", default=_KEY_VARIABLE, help="variable that holds the key (%(default)s)")
    return parser


def _json_object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    return found


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main())
