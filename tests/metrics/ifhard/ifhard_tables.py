"""Reading the tables under ``cases/`` and making parameters that fit a category's schema."""

from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from metrics.ifhard import CATEGORIES
from metrics.ifhard.schema import FirstOf, Param

CASES = Path(__file__).with_name("cases")
FAMILIES = ("structure", "lexical", "style", "format", "logic")
# The vectors of the benchmark's official scorer stand beside the checkout, where they exist at all.
VECTORS = Path(__file__).parents[4] / "shared" / "vectors" / "ifhard_public.jsonl"


def table(name: str) -> Any:
    """One YAML table."""
    return yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


def verdict_cases() -> list[tuple[str, dict[str, Any]]]:
    """Every hand-made verdict case, with its category."""
    return [(category, case) for family in FAMILIES for category, cases in table(family).items() for case in cases]


# Pieces that the rules look at, so that random texts reach more than the first check.
_WORDLIKE = """
. ! ? … , ; : ( ) (2) (12) « » " ' ” “ - — • * ** *** _ __ ` ``` ```json # ## > + | |---| 1. 2) 25 ² ½ ① Ⅳ 🙂 №
кот Кот КОТ котик дом Ёж ёж еж Елка мир а я ы cat Wi-Fi кто-то т. е. г. И. 3,5 #кот #ёж [ ] { } \\
<think> </think> пункт слов
"""
FRAGMENTS = (
    *_WORDLIKE.split(),
    *(" ", "  ", "\n", "\n\n", "\n \n", "\r\n", "\r", "\t", "\x0b", "\x1f", "\x85", "\u00a0", "\u2028", "\u2029"),
    *("\u200b", "\ufeff", "\u00ad", "\u0301", "\u0306", "\u0308", "\ud800", "\udfff", "\x00", "İ", "Σ", "ẞ"),
    *('{"кот": "дом"}', '[{"пункт": "кот", "слов": 1}]', '"а, б",в', "- кот\n- дом\n", "1. кот\n"),
    "|а|б|\n|---|---|\n",
)


def texts() -> st.SearchStrategy[str]:
    """Any string at all, lone surrogates included, and strings of pieces that matter."""
    anything = st.text(st.characters(codec=None, categories=None), max_size=60)
    pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=25)
    return anything | pieces.map("".join) | pieces.map(" ".join)


NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.booleans(),
    st.floats(-3, 9),
    st.integers(0, 9).map(str),
    st.sampled_from([10**30, -(10**9), " 3 "]),
)
STRINGS = st.sampled_from(
    ["", "кот", "Кот", "ко", "ёж", "еж", "а", "я", ".", "!", "кот ", "а б", "\n", "\ud800", "İ", "ΑΣ"]
) | st.text(max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=True) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=5,
)
COUNTS = st.one_of(
    st.fixed_dictionaries({"value": NUMBERS}, optional={"op": st.sampled_from(["eq", "ne", "le", "lt", "ge", "gt"])}),
    st.fixed_dictionaries({"op": st.just("between"), "min": NUMBERS, "max": NUMBERS}),
)


def branches() -> st.SearchStrategy[dict[str, Any]]:
    """Branches of conditional_format."""
    shapes = st.sampled_from(["bullet_list", "numbered_list", "sentences", "paragraphs"])
    return st.builds(
        lambda count, rest: {**count, **rest},
        COUNTS,
        st.fixed_dictionaries({"shape": shapes}, optional={"strict": JSON}),
    )


def winners() -> st.SearchStrategy[dict[str, Any]]:
    """Winners of override, at times overrides themselves."""
    plain = st.sampled_from(sorted(set(CATEGORIES) - {"logic:override"})).flatmap(
        lambda category: good_params(category).map(lambda params: {"category": category, "params": params})
    )
    return st.recursive(
        plain, lambda inner: inner.map(lambda w: {"category": "logic:override", "params": {"winner": w}}), max_leaves=2
    )


def _value(param: Param) -> st.SearchStrategy[Any]:
    """Values of a parameter's kind."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "int": NUMBERS,
        "int-or-null": st.none() | NUMBERS,
        "string": STRINGS,
        "strings": st.lists(STRINGS, max_size=3),
        "strings-or-null": st.none() | st.lists(STRINGS, max_size=3),
        "letters": STRINGS | st.lists(STRINGS, max_size=3),
        "any": st.sampled_from(["any", "bullet", "numbered", "desc", "start", "items"]) | JSON,
        "flag": st.booleans() | JSON,
        "choice": st.sampled_from(["commas", "letter_words", "sentences", "words"]),
        "branch": st.deferred(branches),
        "constraint": st.deferred(winners),
        "count": COUNTS,
        "unit-count": COUNTS | COUNTS.map(lambda count: {"each": count}),
    }
    return kinds[param.kind.name]


def good_params(category: str) -> st.SearchStrategy[dict[str, Any]]:
    """Parameters that the contract accepts for a category, extra keys among them."""

    @st.composite
    def draw_params(draw: st.DrawFn) -> dict[str, Any]:
        params: dict[str, Any] = {"extra": draw(JSON)}
        for entry in CATEGORIES[category].params:
            if isinstance(entry, FirstOf):
                chosen = draw(st.sets(st.sampled_from(entry.options), min_size=0 if entry.optional else 1))
                params |= {param.name: draw(_value(param)) for param in sorted(chosen, key=lambda param: param.name)}
            elif not entry.name:
                params |= draw(_value(entry))
            elif not entry.optional or draw(st.booleans()):
                params[entry.name] = draw(_value(entry))
        return params

    return draw_params()


def any_params(category: str) -> st.SearchStrategy[Any]:
    """Objects that use a category's own parameter names, with values of any JSON type or left out; and any JSON."""
    names = {"op", "value", "min", "max", "each"}
    for entry in CATEGORIES[category].params:
        names |= {param.name for param in (entry.options if isinstance(entry, FirstOf) else (entry,)) if param.name}
    values = (
        JSON
        | NUMBERS
        | COUNTS
        | st.sampled_from(["eq", "between", "words", "sentences"])
        | st.lists(STRINGS, max_size=3)
    )
    spoiled = st.builds(
        lambda params, name, value: {**params, name: value},
        good_params(category),
        st.sampled_from(sorted(names)),
        values,
    )
    return st.fixed_dictionaries({}, optional=dict.fromkeys(sorted(names), values)) | spoiled | JSON
