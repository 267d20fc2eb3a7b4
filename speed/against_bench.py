"""A whole run beside ``vllm bench serve``: output tokens a second of both, from one real server, in turn.

    python speed/against_bench.py [--serve serving/cpu.yaml] [--questions 40] [--cap 96] [--in-flight 16] [--pairs 3]

Starts the model of the serving file (by default the small model on vLLM's CPU build; the file says how that is
installed) with the prefix cache off, and runs the two in turn: the benchmark, then ``run_lighteval.py``, and again.
Both send the first questions of ``ifhard`` in the same order, greedily, with the same number in flight. Answers are as
long as the cap (``ignore_eos``). The benchmark always streams its answers; the run does so with ``--stream`` only.

*Active* is from the first request to the last answer, as each of the two counts it. *Whole* is the command, with
imports, and for the run with reading the dataset, scoring and the run folder. Prints each pair and the medians. Exit
status 1 where the median ratio of the active rates is below ``LEAST``. Measure on a quiet machine.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from real_servers import FILE, ROOT, WHOLE_ANSWERS, changed, of_file, run, servers

from endpoints.client import Endpoint
from endpoints.request import Request
from endpoints.serving import Served

LEAST: Final = 0.95
TASK: Final = "ifhard:all|0"
# The module's own command line fails where vLLM is not installed under the name `vllm`. Its dataset of prompts needs
# pandas, to read lines of JSON; vLLM does not bring it along.
BENCH: Final = """
import argparse, json, types
import vllm.benchmarks.datasets.datasets as datasets
from vllm.benchmarks.serve import add_cli_args, main

def read_json(path_or_buf, lines):
    with open(path_or_buf, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    series = [types.SimpleNamespace(to_dict=row.copy) for row in rows]
    return types.SimpleNamespace(columns=list(rows[0]), iterrows=lambda: enumerate(series))

try:
    import pandas
except ImportError:
    datasets.pd = types.SimpleNamespace(read_json=read_json)
parser = argparse.ArgumentParser()
add_cli_args(parser)
main(parser.parse_args())
"""


class Rates(NamedTuple):
    """Output tokens a second of one of the two: of its active time, and of its whole command."""

    active: float
    whole: float


class Pair(NamedTuple):
    """The benchmark, and the run after it."""

    bench: Rates
    ours: Rates

    @property
    def active(self) -> float:
        """The run's rate over the benchmark's, active."""
        return self.ours.active / self.bench.active

    @property
    def whole(self) -> float:
        """The same of the whole commands."""
        return self.ours.whole / self.bench.whole


def summary(pairs: Sequence[Pair]) -> tuple[list[str], bool]:
    """The lines of a table over pairs, and whether the median ratio is large enough."""
    lines = ["pair   bench active  run active  ratio   bench whole  run whole  ratio"]
    for number, pair in enumerate(pairs, 1):
        lines.append(
            f"{number:4}   {pair.bench.active:12.2f}  {pair.ours.active:10.2f}  {pair.active:5.3f}"
            f"   {pair.bench.whole:11.2f}  {pair.ours.whole:9.2f}  {pair.whole:5.3f}"
        )
    active, whole = sorted(pair.active for pair in pairs), sorted(pair.whole for pair in pairs)
    middle = statistics.median(active)
    kept = middle >= LEAST
    lines.append(
        f"median ratio: active {middle:.3f} ({active[0]:.3f} to {active[-1]:.3f}; at least {LEAST}): "
        f"{'ok' if kept else 'MISSED'}; "
        f"whole command {statistics.median(whole):.3f} ({whole[0]:.3f} to {whole[-1]:.3f})"
    )
    return lines, kept


def arguments(options: argparse.Namespace) -> list[str]:
    """What the run is asked for, but for its servers."""
    return [
        *("--task", TASK, "--max-samples", str(options.questions), "--max-new-tokens", str(options.cap)),
        *("--concurrency", str(options.in_flight), *WHOLE_ANSWERS, *(["--stream"] if options.stream else [])),
    ]


def prompts(options: argparse.Namespace, folder: Path) -> list[str]:
    """The questions that the run will send, in its order."""
    path = folder / "requests.jsonl"
    command = [sys.executable, str(ROOT / "run_lighteval.py"), "--model", "m", "--emit-requests", str(path)]
    asked = [word for word in arguments(options) if word != "--stream"]
    subprocess.run([*command, *asked], check=True, capture_output=True)
    bodies = [json.loads(line)["body"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(len(body["messages"]) == 1 and body["max_tokens"] == options.cap for body in bodies)
    return [body["messages"][0]["content"] for body in bodies]


async def warm(served: Served, texts: Sequence[str]) -> None:
    """Ask some questions beforehand, for a few tokens each."""
    name = str(served.model_name)
    requests = [
        Request("warm", str(i), 0, "chat", name, ({"role": "user", "content": text},), None, 8, {}, {})
        for i, text in enumerate(texts)
    ]
    async with Endpoint(str(served.model_base_url), None, concurrency=len(texts)) as endpoint:
        await endpoint.describe(name)
        await endpoint.run(requests, None)


def bench(served: Served, python: str, tokenizer: str, dataset: Path, options: argparse.Namespace) -> Rates:
    """Run the benchmark.

    Raises:
        SystemExit: it failed, or some of its requests did.
    """
    result = dataset.with_name("bench.json")
    command = [
        *(python, "-P", "-c", BENCH, "--backend", "openai-chat", "--endpoint", "/v1/chat/completions"),
        *("--base-url", str(served.model_base_url).removesuffix("/v1"), "--model", str(served.model_name)),
        *("--tokenizer", tokenizer, "--dataset-name", "custom", "--dataset-path", str(dataset), "--disable-shuffle"),
        *("--skip-chat-template", "--custom-output-len", str(options.cap), "--num-prompts", str(options.questions)),
        *("--max-concurrency", str(options.in_flight), "--ignore-eos", "--temperature", "0", "--disable-tqdm"),
        *("--save-result", "--result-dir", str(result.parent), "--result-filename", result.name),
    ]
    result.unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    began = time.monotonic()
    done = subprocess.run(
        command, env=environment | {"HF_HUB_OFFLINE": "1"}, cwd=result.parent, capture_output=True, text=True
    )
    whole_s = time.monotonic() - began
    if done.returncode or not result.exists():
        raise SystemExit(f"the benchmark ended with status {done.returncode}:\n{done.stderr[-3000:]}")
    found = json.loads(result.read_text(encoding="utf-8"))
    tokens = options.questions * options.cap
    if (found["completed"], found["total_output_tokens"]) != (options.questions, tokens):
        raise SystemExit(f"the benchmark has {found['completed']} answers, {found['total_output_tokens']} tokens")
    return Rates(found["output_throughput"], tokens / whole_s)


def main() -> int:
    """Command line; 0 where the limit is kept."""
    parser = argparse.ArgumentParser(description="A whole run beside vllm bench serve.")
    parser.add_argument("--serve", type=Path, default=FILE, metavar="FILE", help="its model is served")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--cap", type=int, default=96, help="tokens of each answer")
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--stream", action="store_true", help="the run streams its answers too")
    options = parser.parse_args()
    plan = changed(of_file(options.serve), judge=False, args=["--no-enable-prefix-caching"])
    assert plan.model is not None
    pairs: list[Pair] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = prompts(options, folder)
        dataset = folder / "prompts.jsonl"
        dataset.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts), encoding="utf-8")
        with servers(plan, folder / "logs") as served:
            asyncio.run(warm(served, texts[:8]))
            for number in range(options.pairs):
                python, model = plan.model.python or sys.executable, str(Path(plan.model.model).expanduser())
                theirs = bench(served, python, model, dataset, options)
                found = run(served, arguments(options), folder / "results", options.questions)
                pairs.append(Pair(theirs, Rates(found.rate, found.whole_rate)))
                print(summary(pairs)[0][number + 1], file=sys.stderr, flush=True)
    lines, kept = summary(pairs)
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
