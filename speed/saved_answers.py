"""What one answer more costs a run of saved answers: kilobytes of peak memory, milliseconds of processor time.

    PYTHONPATH=. python speed/saved_answers.py [--answers 100000] [--checkout FOLDER] [--most-kb 20] [--most-ms 0.7]

Runs ``run_lighteval.py --task "ifhard:all|0" --responses FILE`` twice, each in a process of its own: over all questions
with so many repeats that there are at least as many answers as asked for, and over ten questions. Figures are the
difference of the two, divided by the number of answers: what every run needs (imports, the dataset) is not in them,
reading the file, verifying, summing up and writing the run folder are. The answers are the dataset's witnesses, each
with one more sentence that no other answer has, so that nothing can be remembered from an equal text; some
requirements fail by it, and have their reasons.

Processor time depends on the machine. Beside it stands how many verdicts the same core gives a second
(scoring_speed.py of this checkout), and their product, the number of verdicts that an answer costs: figures of two
machines compare by that. An answer has 4.4 requirements. ``--checkout`` measures another checkout with the packages of
this Python. Exit status 1 where ``--most-kb`` or ``--most-ms`` is exceeded, 2 where a run fails. Needs about 0.2 GB of
disk for 100,000 answers; measure on a quiet machine.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from scoring_speed import own_cases, rate  # noqa: E402  # beside this script, wherever it is called from

WITNESSES: Final = ROOT / "tasks" / "ifhard" / "data" / "witnesses.jsonl"
FEW: Final = 10  # questions of the small run


class Usage(NamedTuple):
    """Of one process.

    Attributes:
        peak_kb: most resident memory, in units of 1,024 bytes.
        cpu_s: processor time, system calls included.
    """

    peak_kb: float
    cpu_s: float


class Figures(NamedTuple):
    """Costs of one answer.

    Attributes:
        answers: of the large run.
        kb: peak memory, in units of 1,024 bytes.
        cpu_ms: processor time.
    """

    answers: int
    kb: float
    cpu_ms: float


def write_answers(path: Path, repeats: int, questions: int | None = None) -> int:
    """Write witnesses, each made unlike all others; the number of answers.

    Args:
        path: JSON Lines, for ``--responses``.
        repeats: answers a question.
        questions: the first so many; None for all.
    """
    lines = WITNESSES.read_text(encoding="utf-8").splitlines()[:questions]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(lines):
            witness = json.loads(line)
            for repeat in range(repeats):
                text = f"{witness['response']} Это ответ {number * repeats + repeat}."
                answer = {"task": witness["task"], "id": witness["id"], "repeat": repeat, "response": text}
                file.write(json.dumps(answer | {"finish_reason": "stop"}, ensure_ascii=False) + "\n")
    return len(lines) * repeats


_LAUNCHER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss, usage.ru_utime + usage.ru_stime]))
"""


def measure(checkout: Path, arguments: Sequence[str], folder: Path) -> Usage:
    """Run ``run_lighteval.py`` of a checkout and wait for it.

    Raises:
        RuntimeError: it did not end with status 0 or 4 (answers are missing); the message is its last words.
    """
    log = folder / "stderr.txt"
    command = [sys.executable, "run_lighteval.py", "--task", "ifhard:all|0", *arguments, "--output-dir", str(folder)]
    # Through a small process: what a process has used at most begins with the memory of the one that starts it.
    launch = [sys.executable, "-S", "-c", _LAUNCHER, *command]
    with log.open("wb") as words:
        ended = subprocess.run(
            launch, cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)}, stdout=subprocess.PIPE, stderr=words
        )
    exit_status, peak_kb, cpu_s = json.loads(ended.stdout)
    if exit_status not in (0, 4):
        raise RuntimeError(f"exit status {exit_status}: {log.read_text(encoding='utf-8')[-2000:]}")
    return Usage(peak_kb, cpu_s)


def costs(checkout: Path, answers: int) -> Figures:
    """Both runs, and their difference.

    Raises:
        RuntimeError: a run failed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = folder / "few.jsonl", folder / "many.jsonl"
        questions = write_answers(few, 1)
        repeats = max(1, math.ceil(answers / questions))
        total = write_answers(many, repeats)
        small = measure(checkout, ["--responses", str(few), "--max-samples", str(FEW)], folder)
        large = measure(checkout, ["--responses", str(many), "--full", "--repeats", str(repeats)], folder)
    more = total - FEW
    return Figures(total, (large.peak_kb - small.peak_kb) / more, (large.cpu_s - small.cpu_s) / more * 1e3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=100_000, help="at least so many, a whole number of repeats")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="what is measured")
    parser.add_argument("--most-kb", type=float, help="of peak memory an answer")
    parser.add_argument("--most-ms", type=float, help="of processor time an answer")
    options = parser.parse_args(arguments)
    try:
        found = costs(options.checkout.resolve(), options.answers)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    verdicts = rate(own_cases())
    print(f"answers: {found.answers:,}")
    print(f"peak memory an answer: {found.kb:.1f} KB")
    print(f"processor time an answer: {found.cpu_ms:.3f} ms")
    print(f"verdicts a second on this core: {verdicts:,.0f}")
    print(f"an answer costs as much processor time as {found.cpu_ms * verdicts / 1e3:.1f} verdicts")
    over = [
        f"{name} is over {most:g}"
        for name, value, most in (
            ("KB an answer", found.kb, options.most_kb),
            ("ms an answer", found.cpu_ms, options.most_ms),
        )
        if most is not None and value > most
    ]
    print("\n".join(over), end="\n" if over else "")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
