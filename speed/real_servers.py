"""What the scripts share that measure whole runs against real servers: a file's servers, a run, its figures.

A run is ``run_lighteval.py`` in a process of its own, with journal, scoring and run folder, as a user starts it.
"""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from endpoints.process import reserved_port
from endpoints.serving import Served, ServingPlan, read_serving, serve

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "serving" / "cpu.yaml"
# Answers of a fixed length, whatever they say.
WHOLE_ANSWERS: Final = ("--extra-body", '{"ignore_eos": true}')


@dataclasses.dataclass(frozen=True, slots=True)
class RunFigures:
    """Of one run.

    Attributes:
        answers: how many answers have a count of their tokens.
        tokens: completion tokens of them.
        active_s: seconds from the first request to the last answer or verdict.
        whole_s: seconds that the command took.
        load: what the run says of its servers, by role (``server_load`` in ``run.json``).
    """

    answers: int
    tokens: int
    active_s: float
    whole_s: float
    load: dict[str, Any]

    @property
    def rate(self) -> float:
        """Completion tokens a second, from the first request to the last answer or verdict."""
        return self.tokens / self.active_s

    @property
    def whole_rate(self) -> float:
        """Completion tokens a second of the whole command."""
        return self.tokens / self.whole_s

    def settled(self) -> str:
        """The numbers in flight at the end, for the model and the judge."""
        return "/".join(str(load["concurrency"]["limit"]) for load in self.load.values())


def changed(
    plan: ServingPlan,
    *,
    judge: bool = True,
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    **keys: Any,
) -> ServingPlan:
    """A plan with further options, further variables and other keys in each entry; the judge if it is wanted."""
    entries = {
        entry.role: dataclasses.replace(
            entry, extra_args=(*entry.extra_args, *args), env={**entry.env, **(env or {})}, **keys
        )
        for entry in plan.entries()
        if judge or entry.role == "model"
    }
    return ServingPlan(plan.path, **entries)


def part_of_cores(parts: int) -> dict[str, str]:
    """Variables that give a vLLM on the CPU a part of this machine's cores, beside others that have theirs."""
    return {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // parts))}


@contextlib.contextmanager
def servers(plan: ServingPlan, logs: Path) -> Iterator[Served]:
    """The servers of a plan on ports that are free, whatever its file says, for the length of the block.

    Raises:
        EndpointError: they do not start.
    """
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(reserved_port()) for _ in plan.entries()]
    moved = {e.role: dataclasses.replace(e, port=port) for e, port in zip(plan.entries(), ports, strict=True)}
    with serve(ServingPlan(plan.path, **moved), logs, tell) as served:
        yield served


def tell(line: str) -> None:
    """A line that is no figure."""
    print(line, file=sys.stderr, flush=True)


def of_file(path: Path) -> ServingPlan:
    """The plan of a serving file; it has a model.

    Raises:
        ServingFileError: it cannot be used.
        SystemExit: it has no model.
    """
    plan = read_serving(path)
    if plan.model is None:
        raise SystemExit(f"{path} has no entry model")
    return plan


def run(served: Served, arguments: Sequence[str], results: Path, answers: int) -> RunFigures:
    """Run ``run_lighteval.py`` against servers, and wait for it.

    Args:
        served: the servers.
        arguments: what is run, the number of requests in flight, and so on.
        results: folder for its run folder.
        answers: how many there are to be.

    Raises:
        SystemExit: they are not. Verdicts may be missing: small models judge badly.
    """
    before = set(results.glob("*"))
    command = [sys.executable, str(ROOT / "run_lighteval.py"), "--model", str(served.model_name)]
    command += ["--base-url", str(served.model_base_url), "--output-dir", str(results), *arguments]
    if served.judge_base_url is not None:
        command += ["--judge-model", str(served.judge_name), "--judge-base-url", served.judge_base_url]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    whole_s = time.monotonic() - began
    made = set(results.glob("*")) - before
    found = figures(made.pop(), whole_s) if made and done.returncode in (0, 4) else None
    if found is None or found.answers != answers:
        raise SystemExit(f"the run ended with status {done.returncode}:\n{done.stderr[-3000:]}")
    return found


def figures(folder: Path, whole_s: float) -> RunFigures:
    """The figures of a finished run, by its folder.

    The run counts the seconds to the last answer. Verdicts are written to a file of their own, as answers are, each as
    it arrives: what comes after the last answer is told by the times of the two files.
    """
    content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    answers, verdicts = folder / "responses.jsonl", folder / "judgements.jsonl"
    tokens, rate = content["tokens"], content["tokens"]["completion_per_second"]
    answers_s = tokens["completion"] / rate if rate else 0.0
    after_s = max(0.0, verdicts.stat().st_mtime - answers.stat().st_mtime) if verdicts.exists() else 0.0
    return RunFigures(
        tokens["counted"], tokens["completion"] or 0, answers_s + after_s, whole_s, content["server_load"]
    )
