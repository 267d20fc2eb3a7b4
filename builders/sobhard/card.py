"""``python -m tasks.sobhard.build.card DIR``: figures and examples of a built set, for the README of the benchmark."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from endpoints.terminal import speak_utf8, survive_closed_pipes
from metrics.sobhard.row_checks import DIFFICULTIES

__all__ = ["FIGURES", "README", "examples", "figures", "main", "with_figures"]

_FOLDER: Final = Path(__file__).parents[2] / "tasks" / "sobhard"
README: Final = _FOLDER / "README.md"
FIGURES: Final = _FOLDER / "built.json"
_EXAMPLES: Final = _FOLDER / "EXAMPLES.md"
_START: Final = "<!-- figures of the built set: python -m tasks.sobhard.build.card DIR -->\n"
_END: Final = "<!-- end of the figures -->\n"
_LINES: Final = 12  # of a document that an example shows
_WIDTH: Final = 800  # characters of its lines
_HEAD: Final = """# One question of each family

The demonstrations of the shipped set, and the first turn of its first conversation; documents and answers are shortened
(…). Their files and licences are in the [README](README.md).
"""


def figures(built: Mapping[str, Any]) -> str:
    """The README's tables, from a set's ``build.json``."""
    categories, tiers, files = built["categories"], built["tiers"], built["files"]
    total = built["rows"]["test"]
    lines = [
        "| difficulty | questions | short / medium / long | mean characters of source |",
        "|---|---|---|---|",
        *(
            f"| {name} | {sum(tiers[name].values())} | {_tiers(tiers[name])} | {built['mean_input'][name]:,} |"
            for name in DIFFICULTIES
        ),
        "",
        "| | |",
        "|---|---|",
        f"| source notations | {_listed(categories['source_format'])} |",
        f"| target notations | {_listed(categories['target_format'])} |",
        f"| registers | {_listed(categories['prompt_style'])} |",
        f"| rules | {_listed(built['rules'])} |",
        f"| documents | {built['documents']} of {files['used']} files |",
        f"| questions a file | median {files['median']:g}, at most {files['most']} |",
        f"| sources over 12,000 characters | {built['over_12000']} of {total}; the longest {built['longest']:,} |",
        f"| answers longer than the source | {built['answer_longer_than_source']} |",
        f"| answers that stand in the input | {built['answer_in_input']} |",
        f"| conversations | 75 of 268 turns: {_listed(built['turns'])} |",
        f"| constraints met by references | {sum(built['constraints'].values()):,} |",
    ]
    return "\n".join(lines) + "\n"


def _tiers(counts: Mapping[str, int]) -> str:
    return " / ".join(str(counts.get(name, 0)) for name in ("short", "medium", "long"))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def with_figures(readme: str, built: Mapping[str, Any]) -> str:
    """The README with the figures of a set.

    Raises:
        ValueError: it has no place for them.
    """
    start, end = readme.index(_START) + len(_START), readme.index(_END)
    return f"{readme[:start]}\n{figures(built)}\n{readme[end:]}"


def examples(shots: Iterable[Mapping[str, Any]]) -> str:
    """A question of each family, shortened."""
    parts = [_HEAD]
    seen = set()
    for row in shots:
        family = row["meta"]["categories"]["family"]
        if family not in seen:
            seen.add(family)
            parts.append(f"## {family}\n\n{_prompt(row)}\n\nAnswer:\n\n{_quoted(row['outputs'])}\n")
    return "\n".join(parts)


def _prompt(row: Mapping[str, Any]) -> str:
    text = {name: _shortened(block) if name == "input_data" else block for name, block in row["inputs"].items()}
    return _quoted(row["instruction"].format(**text))


def _quoted(text: str) -> str:
    return f"````text\n{_shortened(text, 3 * _LINES)}\n````"


def _shortened(text: str, most: int = _LINES) -> str:
    lines = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in text.split("\n")]
    return "\n".join([*lines[: most - 2], "…", *lines[-1:]] if len(lines) > most else lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the figures and examples of a built set into the benchmark's folder."""
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.build.card", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="of the built set")
    folder: Path = parser.parse_args(arguments).folder
    if not (folder / "build.json").is_file():
        parser.error(f"{folder} holds no build.json: name the folder of a built set")
    text = (folder / "build.json").read_text(encoding="utf-8")
    with (folder / "shots.jsonl").open(encoding="utf-8") as stream:
        shots = [json.loads(line) for line in stream]
    for path, content in (
        (FIGURES, text),
        (README, with_figures(README.read_text(encoding="utf-8"), json.loads(text))),
        (_EXAMPLES, examples(shots)),
    ):
        path.write_text(content, encoding="utf-8", newline="\n")
        sys.stderr.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
