"""What is fixed of a benchmark, beside its code: ``tasks/<name>/benchmark.yaml``, read and checked."""

import functools
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import yaml

__all__ = ["NEWEST", "Asset", "Card", "Facts", "FactsError", "Official", "Shipped", "read_facts"]

# An official dataset that no commit is pinned of: the Hub's newest one is taken, and the run records which it was.
NEWEST: Final = "newest, recorded"


class FactsError(ValueError):
    """A ``benchmark.yaml`` that cannot be used; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A dataset that this project brings along.

    Attributes:
        rows: number of rows by split.
        note: a sentence that belongs under every table over it, or empty.
    """

    rows: Mapping[str, int]
    note: str


@dataclass(frozen=True, slots=True)
class Official:
    """The benchmark's own dataset, on the Hugging Face Hub.

    Attributes:
        dataset: its id.
        revision: hash of the commit that is read, or NEWEST.
        advice: what to do where it cannot be read: a sentence, or two.
    """

    dataset: str
    revision: str
    advice: str

    @property
    def pinned(self) -> str | None:
        """The commit that is read, None for the newest."""
        return None if self.revision == NEWEST else self.revision


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of another project that scores rest on; any other content is refused.

    Attributes:
        package: on the Python package index.
        release: of the package.
        path: of the file, inside the installed package.
        sha256: hex digest of its bytes.
    """

    package: str
    release: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Card:
    """What the card of a dataset folder says.

    Attributes:
        languages: of the questions.
        text: in Markdown.
    """

    languages: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The content of a ``benchmark.yaml``; every key must be there, and no other.

    Attributes:
        title: as people write the benchmark's name.
        measures: one line.
        scorer_version: ``N-X``; N changes when old and new scores no longer compare.
        default_dataset: what is used without ``--dataset``.
        smoke_samples: samples of a run without ``--max-samples`` and ``--full``.
        part_smoke_samples: the same for each part of a task that is run in parts; 0 where none is.
        shipped: datasets by the name that ``--dataset`` takes.
        official: the benchmark's own dataset.
        assets: files of other projects that scores rest on.
        card: of every dataset folder.
    """

    title: str
    measures: str
    scorer_version: str
    default_dataset: str
    smoke_samples: int
    part_smoke_samples: int
    shipped: Mapping[str, Shipped]
    official: Official
    assets: tuple[Asset, ...]
    card: Card


_FORMS: Final[Mapping[str, tuple[str, str]]] = {
    "measures": (r"\S.*\S", "one line"),
    "scorer_version": (r"[0-9]+-[0-9]+", "two numbers, as 1-0"),
    "official.revision": (rf"[0-9a-f]{{40}}|{NEWEST}", f"the hash of a commit (40 hex digits), or: {NEWEST}"),
    "assets.sha256": (r"[0-9a-f]{64}", "64 hex digits"),
}


@functools.cache
def read_facts(name: str) -> Facts:
    """What is fixed of a benchmark.

    Raises:
        FactsError: its file cannot be used.
    """
    return load_facts(Path(__file__).parent / name / "benchmark.yaml")


def load_facts(path: Path) -> Facts:
    """The facts that a file holds.

    Raises:
        FactsError: it cannot be read, a key is unknown, missing or of the wrong kind.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise FactsError(f"{path}: {error}") from error
    try:
        facts: Facts = _value(Facts, content, "")
    except FactsError as error:
        raise FactsError(f"{path}: {error}") from None
    return facts


def _value(kind: Any, value: Any, place: str) -> Any:
    """A value of the kind that an annotation names, made of plain YAML."""
    if is_dataclass(kind):
        return _record(kind, value, place)
    outer, inner = typing.get_origin(kind), typing.get_args(kind)
    if outer is tuple:
        entries = _plain(list, value, place)
        return tuple(_value(inner[0], entry, f"{place}[{number}]") for number, entry in enumerate(entries))
    if outer is not None:
        entries = _plain(dict, value, place)
        return types.MappingProxyType(
            {key: _value(inner[1], entry, f"{place}.{key}") for key, entry in entries.items()}
        )
    found = _plain(kind, value, place)
    pattern, words = _FORMS.get(re.sub(r"\[\d+\]", "", place), ("(?s).*", ""))
    if isinstance(found, str) and not re.fullmatch(pattern, found):
        raise FactsError(f"key {place!r} must be {words}, found {found!r}")
    return found


def _record(kind: Any, value: Any, place: str) -> Any:
    entries = _plain(dict, value, place)
    hints = typing.get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    inside = {name: f"{place}.{name}" if place else name for name in [*names, *map(str, entries)]}
    for name in entries:
        if name not in names:
            raise FactsError(f"key {inside[str(name)]!r} is unknown")
    for name in names:
        if name not in entries:
            raise FactsError(f"key {inside[name]!r} is missing")
    return kind(**{name: _value(hints[name], entries[name], inside[name]) for name in names})


def _plain(kind: type, value: Any, place: str) -> Any:
    if type(value) is not kind:  # neither a truth value for a number nor a date for a text
        where = f"key {place!r}" if place else "the file"
        raise FactsError(f"{where} must hold a value of type {kind.__name__}, found {type(value).__name__}")
    return value
