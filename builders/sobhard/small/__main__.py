"""``python -m tasks.sobhard.small --out DIR``: the small set, the same bytes every time."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from builders.sobhard.dataset_files import lines, witness_lines, write_files
from builders.sobhard.small.build import build
from endpoints.terminal import speak_utf8, survive_closed_pipes
from tasks.sobhard.dataset import SOBHardLoader

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write ``test.jsonl``, ``shots.jsonl``, ``witnesses.jsonl`` and the card.

    Raises:
        RecipeError: a recipe gives a broken question.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.small", description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder, made if absent")
    folder: Path = parser.parse_args(arguments).out
    test, shots = build()
    splits = {"test": lines(test), "shots": lines(shots)}
    files = {f"{name}.jsonl": text for name, text in (splits | {"witnesses": witness_lines(test)}).items()}
    files["README.md"] = SOBHardLoader.card(splits)
    write_files({name: text.encode() for name, text in files.items()}, folder)
    sys.stderr.write(f"{len(test)} questions in {folder.absolute()}: {', '.join(files)}\n")
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
