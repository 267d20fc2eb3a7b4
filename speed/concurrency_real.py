"""How near ``--concurrency auto`` comes to the best fixed number, in whole runs against real vLLM servers.

    python speed/concurrency_real.py [--serve serving/cpu.yaml] [--layers 1] [--share 1.0] [--only short long judged]

Starts the servers of the serving file (by default vLLM's CPU build; the file says how that is installed) and asks

- *short*: the questions of ``ifhard`` with the shortest prompts, answers of 64 tokens;
- *long*: the questions of SOBHard's built-in set with the shortest prompts (a median of 3,500 tokens of SmolLM2's),
  answers of 64 tokens, a KV cache of 1,280 blocks (163,840 tokens on a CPU);
- *judged*: open questions of ``hardmultiqa``, answers of 48 tokens, with a judge on a second server, replies of 32.

Even a small model takes a second of a CPU for each question, so that half a minute would be over before the number in
flight matters. So the servers keep ``--layers`` layers of it, with weights that nobody has trained (0: the model as it
is). What they say is noise of a fixed length; scheduler, batches, caches and metrics are vLLM's.

Each number of ``--fixed`` is tried once, then the best two and auto in turn, ``--rounds`` times. The time of a
trial is from the first request to the last answer or verdict. Prints every trial, and for each workload auto's median
over that of the better one of the two. Exit status 1 where that is more than ``NEAR``. Measure on a quiet machine.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from concurrency_auto import FIXED, NEAR
from judge_overlap import write_questions
from real_servers import FILE, ROOT, WHOLE_ANSWERS, RunFigures, changed, of_file, part_of_cores, run, servers

from endpoints.serving import ServingPlan
from endpoints.user_cache import default_cache
from tasks.benchmark import DatasetRequest
from tasks.ifhard.prompts import render as ifhard_prompt
from tasks.sobhard.dataset import SOBHardLoader
from tasks.sobhard.prompts import render as sobhard_prompt

AUTO: Final = "auto"


@dataclass(frozen=True, slots=True)
class Workload:
    """Questions, and the servers that they go to.

    Attributes:
        task: its full name.
        questions: how many.
        answer: tokens of each answer.
        write: writes so many questions to a folder, as a dataset.
        server: further options of vLLM.
        judged: whether a judge's server is needed.
    """

    task: str
    questions: int
    answer: int
    write: Callable[[Path, int], None]
    server: tuple[str, ...] = ()
    judged: bool = False

    def arguments(self, dataset: Path, number: int | str) -> list[str]:
        """What a run is asked for, with so many requests in flight."""
        judge = ["--judge-concurrency", str(number), "--judge-max-tokens", "32"] if self.judged else []
        judge += ["--judge-extra-body", WHOLE_ANSWERS[1]] if self.judged else []
        return [
            *("--task", self.task, "--dataset", str(dataset), "--full", "--max-new-tokens", str(self.answer)),
            *("--concurrency", str(number), *WHOLE_ANSWERS, *judge),
        ]


def shortest(rows: Sequence[dict[str, Any]], size: Callable[[dict[str, Any]], int], count: int) -> list[dict[str, Any]]:
    """The rows of the smallest size, so many, in their own order."""
    if count > len(rows):
        raise SystemExit(f"{count} questions are wanted, there are {len(rows)}")
    chosen = sorted(range(len(rows)), key=lambda place: (size(rows[place]), place))[:count]
    return [rows[place] for place in sorted(chosen)]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8", newline="\n")


def short_questions(folder: Path, count: int) -> None:
    """Questions of IFHardBench."""
    rows = rows_of(ROOT / "tasks" / "ifhard" / "data" / "test.jsonl")
    write_rows(folder / "test.jsonl", shortest(rows, lambda row: len(ifhard_prompt(row)), count))


def long_questions(folder: Path, count: int) -> None:
    """Questions of SOBHard that belong to no conversation."""
    built = SOBHardLoader.load(DatasetRequest("builtin", default_cache())).folder
    rows = [row for row in rows_of(built / "test.jsonl") if row["meta"]["dialogue_id"] is None]
    write_rows(folder / "test.jsonl", shortest(rows, lambda row: len(sobhard_prompt(row)), count))


WORKLOADS: Final = {
    "short": Workload("ifhard:all|0", 360, 64, short_questions),
    "long": Workload("sobhard:all|0", 100, 64, long_questions, ("--num-gpu-blocks-override=1280",)),
    "judged": Workload("hardmultiqa:open:alignment|0", 110, 48, write_questions, judged=True),
}


def shallow(plan: ServingPlan, layers: int) -> ServingPlan:
    """A plan whose models keep so many layers, untrained, and run as many requests at once as vLLM does by default."""
    if not layers:
        return plan
    overrides = json.dumps({"num_hidden_layers": layers})
    return changed(plan, args=["--load-format=dummy", f"--hf-overrides={overrides}"], max_num_seqs=256)


def best_two(times: Mapping[int, float]) -> list[int]:
    """The two numbers of the shortest times, the better one first."""
    return sorted(times, key=lambda number: (times[number], number))[:2]


def in_turn(numbers: Sequence[int | str], rounds: int) -> list[int | str]:
    """Each of the numbers once a round; each round begins with another one, so that none is always the last."""
    shifts = [turn % len(numbers) for turn in range(rounds)]
    return [number for shift in shifts for number in (*numbers[shift:], *numbers[:shift])]


def verdict(times: Mapping[int | str, Sequence[float]]) -> tuple[float, str]:
    """Auto's median time over the shortest median of the fixed numbers, and a line with the spreads."""
    medians = {number: statistics.median(found) for number, found in times.items()}
    best = min(seconds for number, seconds in medians.items() if number != AUTO)
    shown = "; ".join(
        f"{number}: {medians[number]:.1f} s ({min(found):.1f} to {max(found):.1f})" for number, found in times.items()
    )
    return medians[AUTO] / best, shown


def trial(found: RunFigures, name: str, number: int | str) -> float:
    """Print a trial; its time."""
    servers_said = "; ".join(
        f"{role} ran {load['running']['mean']:.0f}, {load['waiting']['mean']:.0f} waiting, "
        f"{load['preemptions']} preemptions, KV cache {load['kv_cache_use_max']:.0%}"
        for role, load in found.load.items()
        if load["running"] is not None
    )
    print(
        f"{name}, {number} in flight: {found.active_s:.1f} s, {found.rate:.0f} tokens a second, "
        f"settled on {found.settled()}; {servers_said}; the command {found.whole_s:.1f} s",
        flush=True,
    )
    return found.active_s


def measure(plan: ServingPlan, name: str, share: float, rounds: int, fixed: Sequence[int]) -> float:
    """Run all trials of a workload; auto's time over that of the best of the fixed numbers."""
    workload = WORKLOADS[name]
    count = max(1, round(workload.questions * share))
    options = ["--no-enable-prefix-caching", *workload.server]
    plan = changed(plan, judge=workload.judged, args=options, env=part_of_cores(2) if workload.judged else None)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        workload.write(folder, count)
        with servers(plan, folder / "logs") as served:

            def timed(number: int | str) -> float:
                return trial(run(served, workload.arguments(folder, number), folder / "out", count), name, number)

            once = {number: timed(number) for number in fixed}
            chosen: list[int | str] = [*best_two(once), AUTO]
            times: dict[int | str, list[float]] = {number: [] for number in chosen}
            for number in in_turn(chosen, rounds):
                times[number].append(timed(number))
    ratio, shown = verdict(times)
    print(f"{name}, in turn: {shown}; auto / best {ratio:.3f} (limit {NEAR}): {'ok' if ratio <= NEAR else 'MISSED'}")
    return ratio


def main() -> int:
    """Command line; 0 where the limit is kept."""
    parser = argparse.ArgumentParser(description="auto against fixed numbers, on real servers")
    parser.add_argument("--serve", type=Path, default=FILE, metavar="FILE", help="its model and its judge are served")
    parser.add_argument("--layers", type=int, default=1, help="of the models; 0: as they are")
    parser.add_argument("--share", type=float, default=1.0, help="of each workload's questions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fixed", type=int, nargs="+", default=list(FIXED), help="numbers in flight; at least two")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    options = parser.parse_args()
    plan = shallow(of_file(options.serve), options.layers)
    ratios = [measure(plan, name, options.share, options.rounds, options.fixed) for name in options.only]
    return 0 if all(ratio <= NEAR for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
