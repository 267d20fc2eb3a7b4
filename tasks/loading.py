"""Datasets, had and checked: what every benchmark does alike. Its own rules stand in its ``dataset.py``.

Whatever the source, the runner ends up with one local folder of ``<split>.jsonl`` whose rows were checked, so that a
bad row stops the run before a single token is generated.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from tasks.archives import opened
from tasks.benchmark import DatasetError, DatasetHandle, DatasetRequest
from tasks.built import built_folder
from tasks.facts import Facts, read_facts
from tasks.folders import file_sha256, render_card, write_copy
from tasks.hub import download
from tasks.rows import Row, check_rows, check_storable, file_of, find_splits, read_rows

__all__ = ["DatasetLoader", "Splits"]

Splits: TypeAlias = Mapping[str, Sequence[dict[str, Any]]]


class DatasetLoader(ABC):
    """One dataset of one benchmark, from its name to a folder of checked rows.

    Args:
        request: which dataset.

    Attributes:
        benchmark: name.
        shots: the split of few-shot examples, or earlier turns; empty where there is none.
        test_files: names, without endings, that files of questions have.
        hub_test: the Hub's name of the split of questions.
        sorted_keys: whether the keys of kept rows stand in alphabetical order.
        ids_across_splits: whether an id must be unique in the whole dataset, not in its split alone.
    """

    benchmark: ClassVar[str]
    shots: ClassVar[str] = "shots"
    test_files: ClassVar[tuple[str, ...]] = ("test",)
    hub_test: ClassVar[str] = "test"
    sorted_keys: ClassVar[bool] = True
    ids_across_splits: ClassVar[bool] = False

    def __init__(self, request: DatasetRequest) -> None:
        self.request = request

    @classmethod
    def facts(cls) -> Facts:
        """What is fixed of the benchmark."""
        return read_facts(cls.benchmark)

    @classmethod
    def shipped(cls) -> Path:
        """The folder of the dataset that this project brings along."""
        return Path(__file__).parent / cls.benchmark / "data"

    @classmethod
    def files(cls) -> dict[str, tuple[str, ...]]:
        """Names, without endings, of the files of each split, the evaluated one first."""
        return {"test": cls.test_files} | ({cls.shots: (cls.shots,)} if cls.shots else {})

    @classmethod
    def card(cls, texts: Mapping[str, str], suffix: str = ".jsonl") -> str:
        """README.md of a dataset folder; the arguments are render_card's."""
        return render_card(cls.benchmark, texts, cls.facts().card, suffix)

    @classmethod
    def load(cls, request: DatasetRequest) -> DatasetHandle:
        """Make a dataset available locally and check every row.

        Args:
            request: its name is that of a shipped dataset, ``official``, or a path: as find_splits takes it, or a zip
                file of one. Its cache folder is made only when a copy is needed.

        Raises:
            DatasetError: it cannot be had, or a row is bad (the row is named).
        """
        return cls(request)._load()

    def _load(self) -> DatasetHandle:
        name, facts = self.request.name, self.facts()
        shipped = facts.shipped.get(name)
        if shipped is not None and shipped.built is None:
            rows = self._of_folder(self.shipped())
            return self._handle(self.shipped(), self.checked(rows), None, shipped.note)
        revision = None
        if shipped is not None and shipped.built is not None:
            rows = self._of_folder(built_folder(self.request, self.benchmark, shipped.built))
        elif name == "official":
            wanted = {split: self.hub_test if split == "test" else split for split in self.files()}
            found = self.request.revision or facts.official.pinned
            revision, of_hub = download(facts.official.dataset, wanted.values(), found, facts.official.advice)
            rows = {split: of_hub[wanted[split]] for split in wanted}
        else:
            with opened(Path(name)) as source:
                rows = _read(find_splits(source, self.files(), [*facts.shipped, "official"]))
        checked = self.checked(rows)
        texts = {split: "".join(map(self._line, checked[split])) for split in checked}
        folder = write_copy(self.request.cache, self.benchmark, texts, self.card(texts, ".parquet"))
        return self._handle(folder, checked, revision, shipped.note if shipped is not None else "")

    def _of_folder(self, folder: Path) -> dict[str, list[dict[str, Any]]]:
        """The rows of a folder that holds ``<split>.jsonl`` of this project."""
        paths = {split: [folder / f"{split}.jsonl"] for split in self.files()}
        if not paths["test"][0].is_file():
            raise DatasetError(f"--dataset {self.request.name}: the data is not in this checkout")
        return _read(paths)

    def _line(self, row: Row) -> str:
        # A Parquet file may hold what JSON cannot, such as dates, in fields that nothing reads.
        return json.dumps(row, ensure_ascii=False, sort_keys=self.sorted_keys, default=str) + "\n"

    def checked(self, rows: Splits) -> dict[str, list[dict[str, Any]]]:
        """All rows in the form that is kept on disk, once they are known to be good, each and together.

        Raises:
            DatasetError: they are not.
        """
        if not rows["test"]:
            wanted = f"{file_of(self.test_files[0])} holds one a question"
            raise DatasetError(f"--dataset {self.request.name}: its test split has no rows; {wanted}")
        checked = {split: self.read_split(rows[split], split) for split in self.files()}
        self._check_ids(checked)
        return checked

    def _check_ids(self, splits: Splits) -> None:
        seen: dict[Hashable, str] = {}
        for split, rows in splits.items():
            for number, row in enumerate(rows, start=1):
                ident, place = self.row_id(row, split), f"{split} row {number}"
                key = ident if self.ids_across_splits else (split, ident)
                if ident is not None and key in seen:
                    raise DatasetError(f"{self.request.name}: {seen[key]} and {place} share the id {ident!r}")
                seen[key] = place

    def _handle(self, folder: Path, splits: Splits, revision: str | None, note: str = "") -> DatasetHandle:
        digest = hashlib.sha256()
        for prompt in self.prompts(splits):
            digest.update(json.dumps(prompt).encode("ascii"))
        shots = file_sha256(folder / f"{self.shots}.jsonl") if self.shots else hashlib.sha256().hexdigest()
        known: dict[str, Any] = {"shots": len(splits.get(self.shots, ())), "note": note}
        return DatasetHandle(
            name=self.request.name,
            folder=folder,
            sha256=file_sha256(folder / "test.jsonl"),
            prompts_sha256=digest.hexdigest(),
            revision=revision,
            shots_sha256=shots,
            shots_file=file_of(self.shots),
            **known | self.details(splits),
        )

    def where(self, split: str) -> str:
        """The dataset and a split of it, for messages."""
        return f"{self.request.name} {split}"

    def read_split(self, rows: Sequence[Row], split: str) -> list[dict[str, Any]]:
        """The rows of a split, checked one by one.

        Raises:
            DatasetError: rows are bad.
        """

        def kept(row: Row) -> dict[str, Any]:
            found = self.read_row(row, split)
            check_storable(found)
            return found

        return check_rows(rows, self.where(split), kept)

    @abstractmethod
    def read_row(self, row: Row, split: str) -> dict[str, Any]:
        """A row in the form that is kept on disk, once it is known to hold what prompt and scorer read.

        Raises:
            RowError: it does not.
        """

    @abstractmethod
    def row_id(self, row: Row, split: str) -> str | None:
        """What names a checked row; None for one that needs no name."""

    @abstractmethod
    def prompts(self, splits: Splits) -> Iterable[Any]:
        """JSON values that change whenever a prompt does."""

    @abstractmethod
    def details(self, splits: Splits) -> dict[str, Any]:
        """Fields of the handle: ``questions``, and those that differ from what every benchmark has."""


def _read(paths: Mapping[str, Sequence[Path]]) -> dict[str, list[dict[str, Any]]]:
    return {split: [row for path in of_split for row in read_rows(path)] for split, of_split in paths.items()}
