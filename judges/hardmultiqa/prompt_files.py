"""Judge prompts: one text file a question type, checked, with an identity for results.

A file is a template with ``{question}``, ``{reference}`` and ``{answer}``, each once, and ``{mark}`` (the label of the
blocks' borders) as often as wanted. The three are replaced by whole blocks, borders included (framing), so other
prompts cannot lose the framing. Instructions must follow the answer. Other braces are plain text.
"""

import functools
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from metrics.hardmultiqa import TYPES

__all__ = ["BUILTIN", "PROMPTS_VERSION", "PromptSet", "PromptsError", "builtin_prompts", "load_prompts"]

# Raised with every change of a prompt, of the framing or of the way replies are read.
PROMPTS_VERSION: Final = "6"
BUILTIN: Final = Path(__file__).with_name("prompts")
_OPEN_JSON: Final = "open-json"
_SLOTS: Final = ("question", "reference", "answer")
_slot_names = re.compile(r"\{([a-zA-Z_]+)\}").findall


class PromptsError(ValueError):
    """A folder of judge prompts cannot be used; the message says which file and why."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Prompts of all types.

    Attributes:
        templates: text by question type.
        open_json: text of open questions whose reply is a JSON object; None where the folder has none.
        sha256: hex digest of all of them, names included, line ends as LF.
        source: the folder as it was given, None for this project's own.
    """

    templates: Mapping[str, str]
    sha256: str
    source: str | None
    open_json: str | None = None

    @property
    def identity(self) -> str:
        """One phrase for table and ``run.json``: scores by other prompts do not compare."""
        if self.source is None:
            return f"prompts {PROMPTS_VERSION} sha256 {self.sha256[:12]} (this project's)"
        return f"prompts from {self.source} sha256 {self.sha256[:12]}"


@functools.cache
def builtin_prompts() -> PromptSet:
    """This project's prompts."""
    return load_prompts(BUILTIN, None)


def load_prompts(folder: Path, source: str | None) -> PromptSet:
    """Read and check a folder of prompts, ``<type>.txt`` for each of the five types, and maybe ``open-json.txt``.

    ``open-json.txt`` replaces the part of ``open.txt`` from ``Формат:`` on, where the judge's server takes schemas. If
    that part was changed and ``open-json.txt`` is still this project's, what was written counts: the line is asked for.

    Args:
        folder: where they are.
        source: how the folder is named in results, None for this project's own.

    Raises:
        PromptsError: a file is missing, unreadable or not UTF-8, lacks a placeholder or has one twice, has an unknown
            one, or has no text after the answer.
    """
    templates: dict[str, str] = {}
    digest = hashlib.sha256()
    for kind in TYPES:
        path = folder / f"{kind}.txt"
        templates[kind] = _read(path)
        digest.update(f"{kind}\0{templates[kind]}\0".encode())
    form = _open_form(folder / f"{_OPEN_JSON}.txt")
    if form is None:
        return PromptSet(templates, digest.hexdigest(), source)
    digest.update(f"{_OPEN_JSON}\0{form}\0".encode())
    before, *more = re.split(r"^(?=Формат:)", templates["open"], flags=re.MULTILINE)
    if len(more) != 1:
        raise PromptsError(f"{folder / 'open.txt'}: one line must begin with 'Формат:' for {_OPEN_JSON}.txt to replace")
    if (
        source is not None
        and form == _text(BUILTIN / f"{_OPEN_JSON}.txt")
        and not _read(BUILTIN / "open.txt").endswith(more[0])
    ):
        # The copied folder says something new in the part that the copied form would replace.
        return PromptSet(templates, digest.hexdigest(), source)
    return PromptSet(templates, digest.hexdigest(), source, before + form)


def _open_form(path: Path) -> str | None:
    """What an open question's reply has to be as JSON, None where there is no such file."""
    if not path.exists():
        return None
    text = _text(path)
    if not text.strip() or set(_slot_names(text)) - {"mark"}:
        raise PromptsError(f"{path}: the form of the reply in words, without placeholders, is needed")
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        names = ", ".join(f"{kind}.txt" for kind in TYPES)
        raise PromptsError(f"{path} is missing; a folder of judge prompts holds {names}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PromptsError(f"{path}: {error}") from error


def _read(path: Path) -> str:
    text = _text(path)
    found = _slot_names(text)
    for slot in _SLOTS:
        if found.count(slot) != 1:
            raise PromptsError(f"{path}: {{{slot}}} must occur once, found {found.count(slot)} times")
    unknown = sorted(set(found) - {*_SLOTS, "mark"})
    if unknown:
        raise PromptsError(f"{path}: unknown placeholders {', '.join(f'{{{name}}}' for name in unknown)}")
    if found.index("answer") < max(found.index(slot) for slot in _SLOTS):
        raise PromptsError(f"{path}: {{answer}} must stand after {{question}} and {{reference}}")
    if not text.rpartition("{answer}")[2].strip():
        raise PromptsError(f"{path}: instructions must follow {{answer}}")
    return text
