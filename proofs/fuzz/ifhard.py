"""The requirement types of IFHardBench: one text for all of them, parameters drawn for each."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from metrics.ifhard.params import ParamsError
from metrics.ifhard.registry import CATEGORIES, OVERRIDE
from metrics.ifhard.schema import FirstOf, Param
from metrics.ifhard.text import Text
from metrics.ifhard.verification import check_params, judge, read_requirement
from proofs.fuzz.group import Check, Group, Input, wholesome
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import answer
from proofs.fuzz.values import anything, number, spoiled, word
from proofs.fuzz.witnesses import witnesses

__all__ = ["IFHARD", "drawn_params"]

_OPS: Final = ("eq", "ne", "le", "lt", "ge", "gt")
_WITNESSES: Final = 3  # every third witness is a seed
_REDRAWN: Final = 0.12  # share of types whose parameters change from one input to the next
_SPOILED: Final = 0.06  # share of parameters of another shape
_WINNERS: Final = tuple(name for name in CATEGORIES if name != OVERRIDE)
_NAMES: Final = (
    "op",
    "value",
    "min",
    "max",
    "each",
    "winner",
    "category",
    "params",
    "keys",
    "any_stems",
    "kind",
    "holds",
)


def _count(source: Random) -> dict[str, Any]:
    if source.random() < 0.25:
        return {"op": "between", "min": number(source), "max": number(source)}
    return {"op": source.choice(_OPS), "value": number(source)}


def _strings(source: Random) -> list[str]:
    return [word(source) for _ in range(source.choice((0, 1, 1, 2, 3)))]


def _branch(source: Random) -> dict[str, Any]:
    shape = source.choice(("bullet_list", "numbered_list", "sentences", "paragraphs"))
    return {"shape": shape, **_count(source), **({"strict": anything(source, 0)} if source.random() < 0.3 else {})}


def _winner(source: Random) -> dict[str, Any]:
    category = source.choice(_WINNERS)
    found = {"category": category, "params": drawn_params(source, category)}
    return {"category": OVERRIDE, "params": {"winner": found}} if source.random() < 0.1 else found


def _value(source: Random, param: Param) -> Any:
    """A value of the parameter's kind."""
    match param.kind.name:
        case "int":
            return number(source)
        case "int-or-null":
            return None if source.random() < 0.3 else number(source)
        case "string":
            return word(source)
        case "strings":
            return _strings(source)
        case "strings-or-null":
            return None if source.random() < 0.3 else _strings(source)
        case "letters":
            return word(source) if source.random() < 0.5 else _strings(source)
        case "any":
            names = ("any", "bullet", "numbered", "desc", "asc", "start", "items", "sentences", "paragraphs")
            return source.choice(names) if source.random() < 0.9 else anything(source)
        case "flag":
            return source.random() < 0.5 if source.random() < 0.9 else anything(source)
        case "choice":
            return source.choice(("commas", "letter_words", "sentences", "words"))
        case "branch":
            return _branch(source)
        case "constraint":
            return _winner(source)
        case "count":
            return _count(source)
        case "unit-count":
            return {"each": _count(source)} if source.random() < 0.7 else _count(source)
    raise ValueError(f"no values are known for the kind {param.kind.name}")


def drawn_params(source: Random, category: str) -> dict[str, Any]:
    """Parameters that a type takes."""
    params: dict[str, Any] = {}
    for entry in CATEGORIES[category].params:
        if isinstance(entry, FirstOf):
            if not entry.optional or source.random() < 0.6:
                chosen = source.choice(entry.options)
                params[chosen.name] = _value(source, chosen)
        elif not entry.name:
            params |= _value(source, entry)
        elif not entry.optional or source.random() < 0.6:
            params[entry.name] = _value(source, entry)
    return params


class _IFHard(Group):
    """See the module; parameters are kept for some inputs, since drawing them takes longer than judging."""

    name = "ifhard"
    targets = tuple(CATEGORIES)

    def __init__(self) -> None:
        self._params: dict[str, Any] = {}

    def fresh(self, source: Random) -> Input:
        return {"text": answer(source), "params": self._redrawn(source)}

    def seeds(self) -> list[Input]:
        # The generator's own answers, each with the requirements that it meets.
        return [{"text": text, "params": dict(requirements)} for text, requirements in witnesses()[::_WITNESSES]]

    def varied(self, source: Random, given: Input) -> Input:
        # A kept input has the parameters of the type that it was kept for.
        return {"text": edited(source, given["text"]), "params": {**self._redrawn(source), **given["params"]}}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        text = Text(given["text"])
        for category, params in given["params"].items():
            yield category, lambda category=category, params=params: _judged(category, params, text)  # type: ignore[misc]

    def _redrawn(self, source: Random) -> Mapping[str, Any]:
        for category in CATEGORIES:
            if category not in self._params or source.random() < _REDRAWN:
                params: Any = drawn_params(source, category)
                self._params[category] = spoiled(source, params, _NAMES) if source.random() < _SPOILED else params
        return dict(self._params)


def _judged(category: str, params: Any, text: Text) -> str:
    verdict = judge(read_requirement(category, params), text)
    shape = wholesome(verdict)
    if verdict.passed or verdict.code == "invalid-params":
        refused = False
        try:
            check_params(category, params)
        except ParamsError:
            refused = True
        if refused is verdict.passed:
            raise AssertionError(f"the check of parameters and the verdict {verdict.code!r} do not agree")
    return shape


IFHARD: Final = _IFHard()
