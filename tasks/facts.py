"""What is fixed of a benchmark, beside its code: ``tasks/<name>/benchmark.yaml``, read and checked."""

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

__all__ = ["NEWEST", "Asset", "Built", "Card", "Facts", "FactsError", "Official", "Shipped", "Tokens", "read_facts"]

# An official dataset that no commit is pinned of: the Hub's newest one is taken, and the run records which it was.
NEWEST: Final = "newest, recorded"
_EXACT: Final = ConfigDict(extra="forbid")
_Line = Annotated[str, Field(pattern=r"^\S.*\S$")]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Revision = Annotated[str, Field(pattern=rf"^([0-9a-f]{{40}}|{NEWEST})$")]
_Version = Annotated[str, Field(pattern=r"^[0-9]+-[0-9]+$")]


class FactsError(ValueError):
    """A ``benchmark.yaml`` that cannot be used; the message names the file and the key."""


@dataclass(frozen=True, slots=True, config=_EXACT)
class Built:
    """How a dataset is made that is not kept with the project.

    Attributes:
        module: the command that writes its files, ``python -m MODULE --out FOLDER``.
        sha256: of the file of each split.
    """

    module: str
    sha256: Mapping[str, _Digest]


@dataclass(frozen=True, slots=True, config=_EXACT)
class Shipped:
    """A dataset that this project brings along, or builds at its first use.

    Attributes:
        rows: number of rows by split.
        note: a sentence that belongs under every table over it, or empty.
        built: where it is built.
    """

    rows: Mapping[str, int]
    note: str
    built: Built | None = None


@dataclass(frozen=True, slots=True, config=_EXACT)
class Official:
    """The benchmark's own dataset, on the Hugging Face Hub.

    Attributes:
        dataset: its id.
        revision: hash of the commit that is read, or NEWEST.
        advice: what to do where it cannot be read: a sentence, or two.
    """

    dataset: str
    revision: _Revision
    advice: str

    @property
    def pinned(self) -> str | None:
        """The commit that is read, None for the newest."""
        return None if self.revision == NEWEST else self.revision


@dataclass(frozen=True, slots=True, config=_EXACT)
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
    sha256: _Digest


@dataclass(frozen=True, slots=True, config=_EXACT)
class Tokens:
    """How long questions and answers may be.

    Attributes:
        prompt: tokens that a server has to have room for in front of an answer, demonstrations included; of the rare
            longer prompts the answers are capped.
        answer: most new tokens of an answer, by the mode of the task, or as ``any`` where tasks have no modes.
    """

    prompt: int
    answer: Mapping[str, int]


@dataclass(frozen=True, slots=True, config=_EXACT)
class Card:
    """What the card of a dataset folder says.

    Attributes:
        languages: of the questions.
        text: in Markdown.
    """

    languages: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, config=_EXACT)
class Facts:
    """The content of a ``benchmark.yaml``; every key must be there, and no other.

    Attributes:
        title: as people write the benchmark's name.
        measures: one line.
        scorer_version: ``N-X``; N changes when old and new scores no longer compare.
        default_dataset: what is used without ``--dataset``.
        smoke_samples: samples of a run without ``--max-samples`` and ``--full``.
        part_smoke_samples: the same for each part of a task that is run in parts; 0 where none is.
        tokens: how long questions and answers may be.
        shipped: datasets by the name that ``--dataset`` takes.
        official: the benchmark's own dataset.
        assets: files of other projects that scores rest on.
        card: of every dataset folder.
    """

    title: str
    measures: _Line
    scorer_version: _Version
    default_dataset: str
    smoke_samples: int
    part_smoke_samples: int
    tokens: Tokens
    shipped: Mapping[str, Shipped]
    official: Official
    assets: tuple[Asset, ...]
    card: Card


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
        # As JSON: strict about numbers, truth values and texts, while lists may become tuples.
        content = json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")))
        return TypeAdapter(Facts).validate_json(content, strict=True)
    except ValidationError as error:
        raise FactsError(f"{path}: {_words(error.errors()[0])}") from None
    except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
        raise FactsError(f"{path}: {error}") from error


def _words(error: ErrorDetails) -> str:
    place = re.sub(r"\.(\d+)", r"[\1]", ".".join(map(str, error["loc"])))
    found = {"missing": "is missing", "unexpected_keyword_argument": "is unknown"}.get(error["type"])
    if found is None:
        found = f"must hold something else: {error['msg']}, found {error['input']!r}"
    return f"key {place!r} {found}" if place else error["msg"]
