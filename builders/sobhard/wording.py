"""The Russian of the questions: work, packaging, operations. A question's words and its checks come from one recipe.

Every text has several wordings of one meaning, in ``wordings/``; ``Words`` says which one a question has.
"""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from builders.sobhard.operations import NEW, OLD
from metrics.sobhard.targets import TARGETS

__all__ = [
    "NOTATION_NAMES",
    "POOLS",
    "Words",
    "apply_diff_text",
    "diff_text",
    "format_text",
    "held_back",
    "join_text",
    "ops_text",
    "paths_text",
    "program_text",
    "schema_text",
    "table",
    "template_text",
    "words_of",
]

NOTATION_NAMES: Final[Mapping[str, str]] = {
    "csv": "CSV",
    "fwf": "таблица фиксированной ширины",
    "html": "таблица HTML",
    "ini": "INI",
    "json": "JSON",
    "jsonc": "JSONC",
    "jsonl": "JSONL",
    "logline": "журнал",
    "mdtable": "таблица Markdown",
    "properties": "properties",
    "scsv": "CSV с точкой с запятой",
    "sqlinsert": "SQL INSERT",
    "toml": "TOML",
    "tsv": "TSV",
    "xml": "XML",
    "yaml": "YAML",
}

SHIPPED, PRIVATE = POOLS = ("shipped", "private")
_FOLDER: Final = Path(__file__).with_name("wordings")
_DRAW: Final = "held back 1"  # another text draws other wordings to hold back
_SHARE: Final = 4  # of so many wordings of a text, one is held back


@functools.cache
def table() -> Mapping[str, tuple[str, ...]]:
    """The wordings of every text, by ``file.key``; the first of each is the small set's."""
    texts: dict[str, tuple[str, ...]] = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        for key, wordings in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            texts[f"{path.stem}.{key}"] = tuple(wordings)
    return texts


def _place(*parts: object) -> int:
    """A number that depends on the parts alone, whatever the interpreter's hash seed."""
    return int.from_bytes(hashlib.sha256(":".join(map(str, parts)).encode()).digest()[:8])


@functools.cache
def held_back(key: str) -> frozenset[int]:
    """The wordings of a text that no shipped set has: the last quarter of all but the first, in a drawn order."""
    count = len(table()[key])
    drawn = sorted(range(1, count), key=lambda number: _place(_DRAW, key, number))
    return frozenset(drawn[len(drawn) - count // _SHARE :])


class Words:
    """The wordings of a question."""

    def __init__(self, seed: int | None = None, pool: str = SHIPPED) -> None:
        """Choose them.

        Args:
            seed: of the question; None takes the first wording of every text.
            pool: ``shipped`` leaves out what is held back, ``private`` draws from all.

        Raises:
            ValueError: no such pool.
        """
        if pool not in POOLS:
            raise ValueError(f"no pool of wordings: {pool}")
        self._seed, self._pool = seed, pool

    def text(self, key: str, /, **slots: object) -> str:
        """A text with its slots filled.

        Raises:
            KeyError: no such text, or a slot that is not given.
        """
        wordings = table()[key]
        if self._seed is None:
            return wordings[0].format(**slots)
        hidden = held_back(key) if self._pool == SHIPPED else frozenset()
        allowed = [wording for number, wording in enumerate(wordings) if number not in hidden]
        return allowed[_place(self._seed, key) % len(allowed)].format(**slots)


def words_of(recipe: Mapping[str, Any]) -> Words:
    """The wordings a recipe chooses: its ``words`` is their seed, its ``pool`` where they come from.

    Raises:
        ValueError: as ``Words``.
    """
    return Words(recipe.get("words"), recipe.get("pool", SHIPPED))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def format_text(words: Words, target: str) -> str:
    """Packaging and comparison rules of a target notation."""
    rules = words.text(f"formats.{target}")
    return words.text("formats.packaging", tag=TARGETS[target].tag, name=NOTATION_NAMES[target], rules=rules)


def program_text(words: Words, program: Sequence[Mapping[str, Any]], lead: str = "program") -> str:
    """Steps of a program, numbered, under one of the leads ``program``, ``then`` and ``first``."""
    steps = [_rule(words, step["rule"], step.get("params", {})) for step in program]
    one = "_one" if len(steps) == 1 else ""
    return f"{words.text(f'rules.{lead}{one}')}\n{_numbered(steps)}"


def _rule(words: Words, rule: str, params: Mapping[str, Any]) -> str:
    if rule == "filter_records":
        return words.text(f"rules.filter_{params['op']}", field=params["field"], value=_json(params["value"]))
    if rule == "sort_records":
        return words.text(f"rules.sort_{'numeric' if params['numeric'] else 'text'}", field=params["field"])
    if rule == "top_n_per_group" and params["n"] == 1:
        rule = "dedup_records"  # the same in other words, and no "первые 1"
    if "fields" in params:
        rule = "project_one" if rule == "project_fields" and len(params["fields"]) == 1 else rule
        return words.text(f"rules.{rule}", fields=", ".join(f"«{name}»" for name in params["fields"]))
    return words.text(f"rules.{rule}", **params)


def ops_text(words: Words, ops: Sequence[Mapping[str, Any]]) -> str:
    """Operations of a patch, numbered; each is applied to the result of the one before."""
    lines = [words.text(f"edits.{op['op']}", path=op["path"], value=_json(op.get("value"))) for op in ops]
    return f"{_with_paths(words, 'patch')}\n{_numbered(lines)}"


def _with_paths(words: Words, key: str, **slots: object) -> str:
    """A text that ends in what a path is."""
    return words.text(f"edits.{key}", paths=words.text("edits.paths"), **slots)


def paths_text(words: Words, paths: Sequence[str]) -> str:
    """Paths to extract."""
    return _with_paths(words, "extract") + "\n" + "\n".join(f"- {path}" for path in paths)


def diff_text(words: Words) -> str:
    """The form of a change object."""
    return _with_paths(words, "diff", old=OLD, new=NEW)


def apply_diff_text(words: Words) -> str:
    """How a change object is applied."""
    return _with_paths(words, "apply_diff")


def template_text(words: Words) -> str:
    """How a template is filled."""
    return _with_paths(words, "template")


def join_text(words: Words, join: Mapping[str, Any]) -> str:
    """The rules of a merge: the texts go by the side whose order is kept and the fate of either side's rest."""
    first, second = ("B", "A") if join["order"] == "B" else ("A", "B")
    stays = {"A": join["unmatched_a"] == "keep", "B": join["unmatched_b"] == "append"}
    fate = f"{'keep' if stays[first] else 'drop'}_{'append' if stays[second] else 'drop'}"
    rest = words.text(f"edits.rest_{fate}", first=first, second=second)
    return words.text("edits.join", key=join["key"], first=first, second=second, winner=join["winner"], rest=rest)


def schema_text(words: Words, kind: str, has_empty: bool = False) -> str:
    """How a schema is derived; ``has_empty``: an empty list of the document gets bounds."""
    text = words.text("schemas.schema", items=words.text(f"schemas.{kind}"))
    return f"{text} {words.text('schemas.empty')}" if has_empty else text
