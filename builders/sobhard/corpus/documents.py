"""Reads the documents of a corpus, proves what each holds, and says in which other notations it can be shown."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from builders.sobhard import sources
from builders.sobhard.corpus.admission import refusal
from builders.sobhard.corpus.cutting import part_text
from builders.sobhard.corpus.fetching import checked_bytes
from builders.sobhard.corpus.model import CorpusError, Document, Refusal, is_held_back
from builders.sobhard.corpus.pins import BUILTIN, FILES, File, load_files
from builders.sobhard.sources import SourceRefused

__all__ = ["load_documents", "renderings", "survey"]

Corpus = Path | Literal["builtin"]

_rendered: dict[tuple[str, str], Mapping[str, str]] = {}  # by id and text


def load_documents(corpus: Corpus, progress: Callable[[str], None] = lambda line: None) -> list[Document]:
    """The admitted documents, sorted by id.

    Args:
        corpus: the cache that ``fetch`` filled, or ``builtin`` for the documents of this project, none held back.
        progress: called with one sentence about what takes long.

    Raises:
        CorpusError: a file is missing or another one, or a part of it is not there.
    """
    return survey(corpus, progress)[0]


def survey(corpus: Corpus, progress: Callable[[str], None] = lambda line: None) -> tuple[list[Document], list[Refusal]]:
    """The admitted documents and those left out, with the reason; both sorted by id.

    Raises:
        CorpusError: as ``load_documents``.
    """
    files = load_files(BUILTIN / FILES.name if corpus == "builtin" else FILES)
    progress(f"reading the documents of {len(files)} files")
    found: list[Document] = []
    refused: list[Refusal] = []
    for file in files:
        for entry in _documents(file, corpus):
            if isinstance(entry, Refusal):
                refused.append(entry)
            else:
                found.append(entry)
    found.sort(key=lambda document: document.id)
    refused.sort()
    progress(f"{len(found)} documents, {len(refused)} refused")
    return found, refused


def _documents(file: File, corpus: Corpus) -> Iterator[Document | Refusal]:
    text = _file_text(file, corpus)
    for part in file.parts:
        name = f"{file.id}#{part.name}" if part.name else file.id
        try:
            cut = part_text(file, part, text)
            value = sources.read(file.notation, cut, file.layout)
        except SourceRefused as error:
            yield Refusal(name, error.code, error.reason)
            continue
        layout = file.layout
        if file.notation == "xml":  # an edited copy is written with the attributes of the original
            layout = layout._replace(attributes=sources.xml_attributes(cut))
        held_back = corpus != "builtin" and is_held_back(name)
        document = Document(name, file.origin, file.notation, value, layout, cut, held_back)
        yield refusal(document) or document


def _file_text(file: File, corpus: Corpus) -> str:
    """The whole file, decoded, LF at line ends, without a byte-order mark."""
    if corpus == "builtin":
        data = (BUILTIN / file.path).read_bytes()
    else:
        found = checked_bytes(corpus, file)
        if found is None:
            raise CorpusError(f"{corpus} does not hold {file.origin}: fetch the corpus first, or use --corpus builtin")
        data = found
    return data.decode(file.encoding).removeprefix("\ufeff").replace("\r\n", "\n")


def renderings(document: Document) -> Mapping[str, str]:
    """The document in every notation that holds its value without a layout, by notation, its own left out.

    They are written once, then remembered: sets of several seeds are built from the same documents.
    """
    key = (document.id, document.text)
    if key not in _rendered:
        _rendered[key] = dict(_written(document))
    return _rendered[key]


def _written(document: Document) -> Iterator[tuple[str, str]]:
    for name in sources.NOTATIONS:
        if name != document.notation:
            try:
                yield name, sources.write(name, document.value)
            except SourceRefused:
                continue
