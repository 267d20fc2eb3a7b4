"""``python -m tasks.sobhard.small --out DIR``: the small set, the same bytes every time."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.sobhard.small.build import build
from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.sobhard import answer_text
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
    splits = {"test": _lines(test), "shots": _lines(shots)}
    witnesses = [{"task": "sobhard:all", "id": row["meta"]["base_id"], "response": answer_text(row)} for row in test]
    files = {f"{name}.jsonl": text for name, text in (splits | {"witnesses": _lines(witnesses)}).items()}
    folder.mkdir(parents=True, exist_ok=True)
    files["README.md"] = SOBHardLoader.card(splits)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    sys.stderr.write(f"{len(test)} questions in {folder.absolute()}: {', '.join(files)}\n")
    return 0


def _lines(entries: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
