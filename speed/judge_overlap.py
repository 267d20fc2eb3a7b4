"""How well judging overlaps with generating: a whole run against a stub model and a stub judge of fixed latency.

    python speed/judge_overlap.py [--samples 640] [--latency 2] [--concurrency 64]

Prints the time from the model's first request to the judge's last reply beside the longer stage alone
(samples / concurrency * latency); one after the other they would take twice that. Limit: 1.2 times. Exit status 1 where
it is missed, or where an answer was not judged. Measure on a quiet machine.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from client_throughput import figures_of, stub

LIMIT = 1.2
ROOT = Path(__file__).resolve().parent.parent


def write_questions(folder: Path, count: int) -> None:
    """A dataset of open questions in the benchmark's schema."""
    rows = [{"task": "open", "question": f"Какое число стоит под номером {n}?", "answer": str(n)} for n in range(count)]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / "test.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


def main() -> int:
    """Command line; 0 where the limit is kept."""
    parser = argparse.ArgumentParser(description="Overlap of generating and judging.")
    parser.add_argument("--samples", type=int, default=640)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds that each stub takes for each answer")
    parser.add_argument("--concurrency", type=int, default=64, help="of each stage")
    options = parser.parse_args()
    flight = str(options.concurrency)
    with (
        tempfile.TemporaryDirectory() as folder,
        stub(options.latency, "Ответ: 7") as model,
        stub(options.latency, "Сверил.\nОценка: 1") as judge,
    ):
        write_questions(Path(folder), options.samples)
        command = [
            *(sys.executable, str(ROOT / "run_lighteval.py"), "--task", "hardmultiqa:open:alignment|0", "--full"),
            *("--dataset", folder, "--output-dir", f"{folder}/out", "--model", "stub", "--base-url", model),
            *("--judge-model", "stub", "--judge-base-url", judge, "--concurrency", flight),
            *("--judge-concurrency", flight),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stderr)
            return 1
        took_s = figures_of(judge)["last"] - figures_of(model)["first"]
    longer_s = options.samples / options.concurrency * options.latency
    ratio = took_s / longer_s
    print(
        f"{options.samples} samples, {flight} in flight at each stage: {took_s:.2f} s from the first request to the "
        f"last verdict, the longer stage alone {longer_s:.2f} s, ratio {ratio:.3f} (limit {LIMIT}): "
        f"{'ok' if ratio <= LIMIT else 'MISSED'}"
    )
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
