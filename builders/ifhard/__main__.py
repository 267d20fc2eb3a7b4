"""``python -m tasks.ifhard.build [--seed N] [--requirements 7-12] --out DIR``: write a complete, validated dataset.

Files: ``test.jsonl`` (outputs blank), ``shots.jsonl`` (outputs filled), ``witnesses.jsonl`` (a passing answer to
every test question, in the form that ``--responses`` scores), ``build.json`` (seed, counts, distributions, what was
discarded) and ``SHA256SUMS``.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tqdm import tqdm

from builders.ifhard.jobs import MOST, Span
from builders.ifhard.type_tables import FULL_SIZE
from endpoints.terminal import speak_utf8, survive_closed_pipes

SHIPPED_SEED: Final = 1


def _span(text: str) -> Span:
    try:
        return Span.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    try:
        if int(text) >= 1:
            return int(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text!r}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the build.

    Returns:
        0 on success, 1 if a question breaks a guarantee (nothing is written then), 2 if OR-tools is not installed.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.ifhard.build", description="Build the IFHardBench dataset.")
    parser.add_argument(
        "--seed",
        type=int,
        default=SHIPPED_SEED,
        help=f"any integer; the same seed gives the same bytes (default {SHIPPED_SEED}, that of the shipped set)",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the files, made if it is not there")
    parser.add_argument("--size", type=_count, default=FULL_SIZE, help=f"test questions (default {FULL_SIZE})")
    parser.add_argument(
        "--requirements",
        type=_span,
        metavar="RANGE",
        help=f"requirements a question, evenly spread: a range within 1-{MOST} or one number, as 7-{MOST}; such a set "
        "prefers requirements that pull against each other (default: 3 to 6 as in the shipped set)",
    )
    parser.add_argument("--processes", type=int, default=2, help="worker processes; changes the speed only (default 2)")
    options = parser.parse_args(argv)
    try:
        # They choose sentences by OR-tools, a part of the installation that only this command needs.
        from builders.ifhard.dataset_files import make_files, write_files
        from builders.ifhard.pipeline import build_questions
        from builders.ifhard.validate import BuildError
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ortools":
            raise
        sys.stderr.write(f"{parser.prog}: OR-tools is not installed: pip install -r requirements-build.txt\n")
        return 2
    try:
        with tqdm(total=options.size, unit="question", file=sys.stderr) as bar:
            built = build_questions(
                options.seed, options.size, None, options.processes, bar.update, options.requirements
            )
        files = make_files(built, options.seed, options.requirements)
    except BuildError as error:
        sys.stderr.write(f"build stopped: {error}\n")
        return 1
    write_files(files, options.out)
    sys.stderr.write(f"{options.size} questions in {options.out.absolute()}: {', '.join(files)}\n")
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main())
