"""Prefix-cache hits of two real vLLM servers behind vllm-router, by the router's policy and by the order of sending.

    python speed/router_policy.py [--serve serving/cpu.yaml] [--layers 1] [--rounds 3] [--policies round_robin ...]

Starts the model of the serving file twice (by default vLLM's CPU build; the file says how that is installed), each with
a prefix cache of ``BLOCKS`` blocks, puts vllm-router in front and runs ``run_lighteval.py`` over

- *documents*: 40 made-up documents of some 1,500 tokens with four questions each, which begin with their document; a
  cache holds a third of the documents;
- *demonstrations*: the 40 questions of ``hardmultiqa``'s sample set, each after five demonstrations of its type, of
  which there are five; a cache holds all of them.

*Own* is the run's own order (``endpoints/sending_order.py``), *shuffled* another one in each round. Caches are emptied
before each trial. Prints for each trial the share of prompt tokens that were in the caches, by the servers' own
counters, how evenly the two were asked, and the seconds from the first request to the last answer; then for each policy
and order the median and the spread. The models keep ``--layers`` layers, untrained (0: as they are), since hits do not
depend on what they say. A stub stands in for the judge.
"""

import argparse
import dataclasses
import statistics
import sys
import tempfile
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from client_throughput import stub
from concurrency_real import shallow, write_rows
from real_servers import FILE, WHOLE_ANSWERS, changed, of_file, part_of_cores, run, servers
from replicas import router

from endpoints.metrics_text import Reading, read_load
from endpoints.serving import Served

POLICIES: Final = ("round_robin", "cache_aware", "power_of_two", "consistent_hash", "sticky_least_loaded", "random")
ORDERS: Final = ("own", "shuffled")
BLOCKS: Final = 160  # of 128 tokens on a CPU
DOCUMENTS, QUESTIONS = 40, 4
RECORDS: Final = 42  # lines of a document
IN_FLIGHT: Final = 16
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Workload:
    """A task, and how many questions it has; the dataset is a name, or None for the documents."""

    task: str
    questions: int
    dataset: str | None = None


WORKLOADS: Final = {
    "documents": Workload("hardmultiqa:open:alignment|0", DOCUMENTS * QUESTIONS),
    "demonstrations": Workload("hardmultiqa:all:alignment|5", 40, "builtin"),
}


class Hits(NamedTuple):
    """What servers looked up and found in their prefix caches between two looks at them.

    Attributes:
        share: of the prompt tokens, those that were found; 0 where nothing was looked up.
        balance: share of the prompt tokens that went to the server that was given more, from 0.5 for two servers.
    """

    share: float
    balance: float


def hits(before: Sequence[Reading], after: Sequence[Reading]) -> Hits:
    """The hits of servers between two looks at each."""
    queries = [(b.prefix_queries or 0) - (a.prefix_queries or 0) for a, b in zip(before, after, strict=True)]
    found = [(b.prefix_hits or 0) - (a.prefix_hits or 0) for a, b in zip(before, after, strict=True)]
    total = sum(queries)
    return Hits(sum(found) / total, max(queries) / total) if total else Hits(0.0, 0.0)


def write_documents(folder: Path) -> None:
    """A dataset of questions that begin with a document each; those of one document stand apart from each other."""
    rows = []
    for question in range(QUESTIONS):
        for number in range(DOCUMENTS):
            masses = [(37 * number + 101 * line) % 900 + 100 for line in range(RECORDS)]
            lines = [f"Склад {number}, полка {line}: изделие, масса {mass} кг." for line, mass in enumerate(masses)]
            asked = 5 * question + 1
            text = "\n".join([*lines, f"Какова масса изделия на полке {asked}? Ответь одним числом."])
            rows.append({"task": "open", "question": text, "answer": str(masses[asked])})
    write_rows(folder / "test.jsonl", rows)


def look(workers: Sequence[str]) -> list[Reading]:
    """What each server says of its load."""
    readings = []
    for worker in workers:
        with _direct.open(f"{worker}/metrics", timeout=30.0) as answer:
            readings.append(read_load(answer.read()))
    return readings


def empty_caches(workers: Sequence[str]) -> None:
    """Empty the servers' prefix caches; they offer it in vLLM's development mode."""
    for worker in workers:
        _direct.open(urllib.request.Request(f"{worker}/reset_prefix_cache", method="POST"), timeout=30.0).close()


def table(found: Mapping[tuple[str, str], Sequence[float]]) -> list[str]:
    """Lines with the median share and its spread, by policy and order."""
    return [
        f"  {policy:20} {order:9} {statistics.median(shares):6.1%}"
        f"  ({min(shares):.1%} to {max(shares):.1%}, {len(shares)})"
        for (policy, order), shares in found.items()
    ]


def measure(served: Served, program: str, judge: str, name: str, options: argparse.Namespace) -> list[str]:
    """Run all trials of a workload; the lines of its table."""
    workload, workers = WORKLOADS[name], served.record["workers"]["model"]
    found: dict[tuple[str, str], list[float]] = {(p, order): [] for p in options.policies for order in options.orders}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_documents(folder)
        for number in range(options.rounds):
            for policy, order in found:
                arguments = [
                    *("--task", workload.task, "--dataset", workload.dataset or str(folder), "--full"),
                    *("--max-new-tokens", "16", "--concurrency", str(IN_FLIGHT), *WHOLE_ANSWERS),
                    *(["--shuffle-seed", str(number)] if order == "shuffled" else []),
                ]
                with router(program, workers, policy) as url:
                    empty_caches(workers)
                    before = look(workers)
                    asked = dataclasses.replace(
                        served, model_base_url=f"{url}/v1", judge_base_url=judge, judge_name="stub"
                    )
                    took = run(asked, arguments, folder / "out", workload.questions)
                    of_trial = hits(before, look(workers))
                found[policy, order].append(of_trial.share)
                print(
                    f"{name}, {policy}, {order}: {of_trial.share:.1%} of prompt tokens from the caches, "
                    f"{of_trial.balance:.0%} of all to one server, {took.active_s:.1f} s",
                    flush=True,
                )
    return [f"{name}:", *table(found)]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Prefix-cache hits by router policy and order.")
    parser.add_argument("--serve", type=Path, default=FILE, metavar="FILE", help="its model is served twice")
    parser.add_argument("--layers", type=int, default=1, help="of the model; 0: as it is")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--policies", nargs="+", default=list(POLICIES))
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=list(ORDERS))
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    options = parser.parse_args()
    plan = changed(
        shallow(of_file(options.serve), options.layers),
        judge=False,
        args=["--enable-prefix-caching", f"--num-gpu-blocks-override={BLOCKS}"],
        env={"VLLM_SERVER_DEV_MODE": "1", **part_of_cores(2)},
        replicas=2,
    )
    assert plan.model is not None
    program = str(Path(plan.model.python).expanduser().with_name("vllm-router")) if plan.model.python else "vllm-router"
    tables = []
    with (
        tempfile.TemporaryDirectory() as logs,
        stub(0.0, "Сверил.\nОценка: 1") as judge,
        servers(plan, Path(logs)) as served,
    ):
        for name in options.only:
            tables += measure(served, program, judge, name, options)
    print("\n".join(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
