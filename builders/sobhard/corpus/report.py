"""What the corpus holds, for people: licences for the benchmark's README, counts and refusals for the card."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from builders.sobhard.corpus.dirt import Dirt, dirt, total
from builders.sobhard.corpus.documents import Corpus, survey
from builders.sobhard.corpus.model import Document, Refusal
from builders.sobhard.corpus.pins import load_files, load_packages, load_refused
from builders.sobhard.plan import TIERS, tier_of
from builders.sobhard.sources import NOTATIONS

__all__ = ["LICENCES_END", "LICENCES_START", "document_counts", "licence_table", "report", "with_licences"]

LICENCES_START: Final = "<!-- licences of the corpus: python -m builders.sobhard.corpus licences -->"
LICENCES_END: Final = "<!-- end of the licences -->"


def licence_table() -> str:
    """A Markdown table of the packages, each with its licence as it declares it and the number of its files."""
    lines = ["| package | version | files | licence |", "|---|---|---|---|"]
    for package in sorted(load_packages(), key=lambda package: package.name.lower()):
        licence = f"{package.licence}; {package.note}" if package.note else package.licence
        lines.append(f"| {package.name} | {package.version} | {len(package.files)} | {licence} |")
    return "\n".join(lines) + "\n"


def with_licences(readme: str) -> str:
    """The README with the table between its two marks.

    Raises:
        ValueError: a mark is not there.
    """
    head, start, rest = readme.partition(LICENCES_START)
    _, end, tail = rest.partition(LICENCES_END)
    if not start or not end:
        raise ValueError("the README has no marks for the licences of the corpus")
    return f"{head}{start}\n\n{licence_table()}\n{end}{tail}"


def document_counts(documents: Sequence[Document]) -> str:
    """Markdown tables: documents by notation and length, and by kind of dirt."""
    lines = [f"| notation | documents | {' | '.join(TIERS)} |", "|---|---|---|---|---|"]
    for name in (*NOTATIONS, "all"):
        sizes = [len(document.text) for document in documents if name in (document.notation, "all")]
        if sizes:
            tiers = Counter(map(tier_of, sizes))
            lines.append(f"| {name} | {len(sizes)} | {' | '.join(str(tiers[tier]) for tier in TIERS)} |")
    found = [dirt(document) for document in documents]
    summed = total(found)
    lines += ["", "| dirt | documents | in all |", "|---|---|---|"]
    for field, count in zip(Dirt._fields, summed, strict=True):
        holding = sum(getattr(one, field) > 0 for one in found)
        lines.append(f"| {field.replace('_', ' ')} | {holding} | {count} |")
    return "\n".join(lines) + "\n"


def report(corpus: Corpus, progress: Callable[[str], None] = lambda line: None) -> str:
    """Counts of the documents of a corpus and every refusal with its reason.

    Raises:
        CorpusError: a file is missing or another one.
    """
    documents, refused = survey(corpus, progress)
    lines = [f"{len(documents)} documents, {sum(document.held_back for document in documents)} of them held back", ""]
    lines += [document_counts(documents)]
    if corpus != "builtin":
        packages = load_packages()
        size = sum(package.size for package in packages)
        lines += [f"{len(load_files())} files of {len(packages)} wheels, {size / 1e6:.1f} MB to fetch", ""]
        refused = [*refused, *load_refused()]
    return "\n".join([*lines, *_refusals(refused)]) + "\n"


def _refusals(refused: Iterable[Refusal]) -> list[str]:
    lines = [f"{one.id}: {one.code}: {one.reason}" for one in sorted(refused)]
    return [f"refused: {len(lines)}", *lines]
