"""The catalogue: requirement types, their variants, wordings and parameters, read from YAML.

A variant's wording and its parameters are filled from the same slots, so a number cannot be one thing to
the model and another to the scorer; :mod:`builders.ifhard.readback` reads the finished sentence once more
all the same.
"""

import functools
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

__all__ = ["BESIDE", "CATALOGUE", "DEFINED", "FAMILIES", "CatalogueError", "Variant", "load_catalogue", "plural_form"]

CATALOGUE = Path(__file__).with_name("wordings")
FAMILIES: tuple[str, ...] = ("structure", "lexical", "style", "format", "logic")
KINDS = frozenset(
    {"int", "word", "stem", "letter", "text", "clause", "flag", "word_list", "stem_list", "letter_list", "text_list"}
)
BESIDE = frozenset(
    {
        "list",
        "bullets",
        "items",
        "sentence",
        "sentences",
        "word",
        "paragraphs",
        "lower",
        "counted",
        "listed",
        "numbered",
        "tagged",
        "digitless",
        "stops",
        "same",
        "same_a",
        "same_b",
    }
)
"""What a wording may look at beside itself; the header of ``structure.yaml`` says what each means."""
DEFINED = frozenset({"list", "sentence", "word"})
"""Those of them that one line of a question explains for all lines after it."""
_SLOT = re.compile(r"\{(\w+)(?:\+(\w+))?((?:\|[^{}|]*)*)\}")
_OPTION = re.compile(r"\[((?:[+-]\w+)+):([^\[\]]*)\]")
_TAG = re.compile(r"([+-])(\w+)")


class CatalogueError(ValueError):
    """A catalogue entry that cannot be used; the message names category and variant."""


def plural_form(n: int, forms: Sequence[str]) -> str:
    """The form that agrees with ``n``: of three as in Russian (after 1, 2 and 5), of two as in English."""
    if len(forms) == 2:
        return forms[0] if n == 1 else forms[1]
    if n % 10 == 1 and n % 100 != 11:
        return forms[0]
    if n % 10 in {2, 3, 4} and n % 100 not in {12, 13, 14}:
        return forms[1]
    return forms[2]


def _shown(value: Any, last_joint: str) -> str:
    """A slot's value as people read it; a list is «а», «б» и «в»."""
    if not isinstance(value, list):
        return str(value)
    quoted = [f"«{item}»" for item in value]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {last_joint} {quoted[-1]}"


def _fill_text(template: str, values: Mapping[str, Any], last_joint: str) -> str:
    def put(match: re.Match[str]) -> str:
        name, joint, forms = match.groups()
        value = values[name]
        return plural_form(value, forms[1:].split("|")) if forms else _shown(value, joint or last_joint)

    return _SLOT.sub(put, template)


def _pick_options(template: str, beside: Set[str]) -> str:
    """Keep the bracketed parts whose conditions hold, without the brackets, and drop the others; inner ones first."""

    def keep(match: re.Match[str]) -> str:
        tags, text = match.groups()
        return text if all((tag in beside) == (sign == "+") for sign, tag in _TAG.findall(tags)) else ""

    while _OPTION.search(template):
        template = _OPTION.sub(keep, template)
    return template


def _same(values: Mapping[str, Any]) -> Set[str]:
    """A tag for each word that is its own stem: a wording then names it once."""
    ends = ("", "_a", "_b")
    return {f"same{end}" for end in ends if f"word{end}" in values and values[f"word{end}"] == values.get(f"stem{end}")}


def _fill_params(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _fill_params(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_fill_params(value, values) for value in template]
    if isinstance(template, str):
        alone = _SLOT.fullmatch(template)
        return values[alone.group(1)] if alone and not alone.group(3) else _fill_text(template, values, "и")
    return template


@dataclass(frozen=True)
class Variant:
    """One parameter shape of a requirement type.

    Attributes:
        category: ``family:name``.
        name: variant name, unique within the category.
        terminal: whether the requirement fixes the shape of the whole answer.
        slots: slot name to kind (one of KINDS).
        template: the params with ``"{slot}"`` placeholders.
        ru, en: wordings.
    """

    category: str
    name: str
    terminal: bool
    slots: Mapping[str, str]
    template: Mapping[str, Any]
    ru: tuple[str, ...]
    en: str

    @property
    def key(self) -> str:
        """``family:name/variant``, the name of the variant in tables and reports."""
        return f"{self.category}/{self.name}"

    @property
    def family(self) -> str:
        """The part of the category before the colon."""
        return self.category.partition(":")[0]

    def params(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the scorer reads, for these slot values."""
        filled = _fill_params(dict(self.template), values)
        assert isinstance(filled, dict)
        return filled

    def wording(self, index: int, values: Mapping[str, Any], beside: Set[str] = frozenset()) -> str:
        """The ``index``-th Russian wording for these slot values, beside what is named (tags of BESIDE)."""
        return _fill_text(_pick_options(self.ru[index], beside | _same(values)), values, "и")

    def defines(self, index: int) -> frozenset[str]:
        """What the ``index``-th wording explains unless it is explained already (tags of DEFINED)."""
        return frozenset(tag for tag in DEFINED if f"[-{tag}:" in self.ru[index])

    def mirror(self, values: Mapping[str, Any]) -> str:
        """The English mirror for these slot values."""
        return _fill_text(self.en, values, "and")


def _check(variant: Variant) -> Variant:
    unknown = set(variant.slots.values()) - KINDS
    if unknown:
        raise CatalogueError(f"{variant.key}: unknown slot kind {sorted(unknown)[0]!r}")
    if not 3 <= len(variant.ru) <= 5:
        raise CatalogueError(f"{variant.key}: {len(variant.ru)} wordings, three to five required")
    for text in (*variant.ru, variant.en):
        for tag in re.findall(r"(?<=[+-])\w+", " ".join(re.findall(r"\[((?:[+-]\w+)+):", text))):
            if tag not in BESIDE:
                raise CatalogueError(f"{variant.key}: wording looks for the unknown tag {tag!r}")
        if re.search(r"[\[\]]", _pick_options(text, frozenset()) + _pick_options(text, BESIDE)):
            raise CatalogueError(f"{variant.key}: stray bracket in a wording")
        for name, _, forms in _SLOT.findall(text):
            if name not in variant.slots:
                raise CatalogueError(f"{variant.key}: wording names the unknown slot {name!r}")
            if forms and variant.slots[name] != "int":
                raise CatalogueError(f"{variant.key}: plural forms for the slot {name!r}, which is no number")
            if forms and forms.count("|") not in {2, 3}:
                raise CatalogueError(f"{variant.key}: {name!r} needs two or three plural forms")
        if re.search(r"[{}]", _SLOT.sub("", text)):
            raise CatalogueError(f"{variant.key}: stray brace in a wording")
    return variant


@functools.cache
def load_catalogue(folder: Path = CATALOGUE) -> Mapping[str, Variant]:
    """Read every variant, keyed by ``family:name/variant``, in file order; a folder is read once.

    Raises:
        CatalogueError: an entry is malformed.
    """
    found: dict[str, Variant] = {}
    for family in FAMILIES:
        data = yaml.safe_load((folder / f"{family}.yaml").read_text(encoding="utf-8"))
        for category, entry in data.items():
            if not category.startswith(f"{family}:"):
                raise CatalogueError(f"{family}.yaml: {category!r} belongs to another family")
            for name, body in entry["variants"].items():
                variant = Variant(
                    category=category,
                    name=str(name),
                    terminal=entry["terminal"],
                    slots=dict(body["slots"] or {}),
                    template=dict(body["params"] or {}),
                    ru=tuple(body["ru"]),
                    en=body["en"],
                )
                found[variant.key] = _check(variant)
    return MappingProxyType(found)
