"""The dry run: prints a plan's commands and mistakes, and has the installed server's parser check the options."""

import contextlib
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from endpoints.serving.checks import check_plan, remarks
from endpoints.serving.commands import Launch, plan_launches, program_of, shown_command
from endpoints.serving.plan import ServingPlan
from endpoints.serving.ray_cluster import look
from endpoints.serving.script_answer import script_answer

__all__ = ["ParserAnswer", "ask_parsers", "dry_run", "interpreter_of"]

_PROBE: Final = Path(__file__).with_name("probe.py")
# Importing vLLM takes 10 s on an idle machine and minutes on a cold network disk.
_PROBE_S: Final = 600.0
_SHEBANG_BYTES: Final = 512
_PACKAGES: Final[Mapping[str, str]] = {"vllm": "vLLM", "router": "vllm-router"}


@dataclass(frozen=True, slots=True)
class ParserAnswer:
    """The result of checking the options of some launches.

    Attributes:
        sentence: the result in one line, for people.
        refused: whether a parser refuses the options, so that the server would not start.
    """

    sentence: str
    refused: bool = False


def dry_run(plan: ServingPlan, show: Callable[[str], None]) -> bool:
    """Print every command of a plan and every mistake that can be found; no server is started.

    Args:
        plan: the serving plan.
        show: prints one line.

    Returns:
        Whether no mistake was found. Options that no parser could check are reported as unchecked, not as mistakes.
    """
    problems = check_plan(plan, ask_cluster=look)
    launches: tuple[Launch, ...] = ()
    with contextlib.suppress(ValueError):  # the checks have said it
        launches = plan_launches(plan)
    for launch in launches:
        show(f"{launch.name}: {shown_command(launch)}")
    for line in remarks(plan):
        show(f"note: {line}")
    for problem in problems:
        show(f"problem: {problem}")
    answers = ask_parsers(launches)
    for answer in answers:
        show(f"{'problem: ' if answer.refused else ''}{answer.sentence}")
    return not problems and not any(answer.refused for answer in answers)


def ask_parsers(launches: Sequence[Launch]) -> tuple[ParserAnswer, ...]:
    """Have the installed vLLM and vllm-router parse the options of their launches.

    One process is started for each interpreter and program; it makes the parser but no engine.
    """
    groups: dict[tuple[str | None, str], list[Launch]] = defaultdict(list)
    for launch in launches:
        groups[interpreter_of(launch), launch.kind].append(launch)
    answers: list[ParserAnswer] = []
    for (python, kind), members in groups.items():
        names = ", ".join(launch.name for launch in members)
        if python is None:
            answers.append(ParserAnswer(f"{names}: no {_PACKAGES[kind]} found, so its options were not checked"))
        else:
            answers += _ask(python, kind, members, names)
    return tuple(answers)


def interpreter_of(launch: Launch) -> str | None:
    """Path of the Python in whose environment a launch's program is installed; None if it cannot be found."""
    program = program_of(launch)
    if program is None:
        return None
    if Path(program).name.startswith("python"):
        return program
    try:
        with Path(program).open("rb") as script:
            first = script.read(_SHEBANG_BYTES).partition(b"\n")[0].decode("utf-8", "replace")
    except OSError:
        return None
    named = first.removeprefix("#!").strip() if first.startswith("#!") else ""
    if Path(named).name.startswith("python") and os.access(named, os.X_OK):
        return named
    beside = Path(program).resolve().with_name("python")
    return str(beside) if os.access(beside, os.X_OK) else None


def _ask(python: str, kind: str, members: Sequence[Launch], names: str) -> list[ParserAnswer]:
    package = _PACKAGES[kind]
    told = _probe(python, {"kind": kind, "commands": [list(launch.options) for launch in members]}, members[0])
    if isinstance(told, str):
        return [ParserAnswer(f"{names}: the parser of {package} could not be asked ({told})")]
    if "missing" in told:
        return [ParserAnswer(f"{names}: {package} is not installed beside {python}, so its options were not checked")]
    where = f"{package} {told['version']}".strip()
    refusals = [
        ParserAnswer(f"{launch.name}: {where} refuses its options: {why}", refused=True)
        for launch, why in zip(members, told["answers"], strict=True)
        if why is not None
    ]
    return refusals or [ParserAnswer(f"{names}: options accepted by {where}")]


def _probe(python: str, question: Mapping[str, Any], launch: Launch) -> dict[str, Any] | str:
    """The probe's answer as an object, or a phrase that says why there is none."""
    return script_answer([python, str(_PROBE)], launch.env, _PROBE_S, question)
