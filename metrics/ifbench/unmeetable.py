"""Constraints of an IFBench row that no answer can meet under our graders (IFBench notes, section 3)."""

import json
from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from typing import Any, Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.count import KEYWORD_TIMES, keyword_occurrences
from metrics.ifbench.format_choices import split_options
from metrics.ifbench.grading import check_kwargs
from metrics.ifbench.word_lists import CONJUNCTIONS, PERSON_NAMES
from metrics.ifbench.words import fold, joined_words

__all__ = ["unmeetable"]


def unmeetable(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The key of a checked row, and why no answer meets it; no reasons where none is known."""
    kwargs = json.loads(row["kwargs"]) if isinstance(row["kwargs"], str) else row["kwargs"]
    given = [(name, check_kwargs(name, of)) for name, of in zip(row["instruction_id_list"], kwargs, strict=True)]
    alone = [f"{name}: {why}" for name, arguments in given if name in _ALONE and (why := _ALONE[name](arguments))]
    return row["key"], alone or [why for pair in combinations(given, 2) if (why := _together(*pair))]


def _together(one: tuple[str, Arguments], two: tuple[str, Arguments]) -> str:
    """What two constraints want of one number, where they contradict each other."""
    ranges = [_words(*one), _words(*two)]
    if one[0] == two[0] == "count:numbers" and one[1] != two[1]:
        return f"count:numbers wants exactly {one[1]['N']} numbers and exactly {two[1]['N']}"
    for (low, name), (_, other, high) in ((ranges[0][:2], ranges[1]), (ranges[1][:2], ranges[0])):
        if low > high:
            return f"{name} wants at least {low} words, {other} at most {high}"
    return ""


def _words(name: str, arguments: Arguments) -> tuple[int, str, float]:
    """The least words of an answer, who wants them, and the most."""
    if name == "count:word_count_range":
        return arguments["min_words"], name, arguments["max_words"]
    return arguments["N"] if name == "count:unique_word_count" else 0, name, float("inf")


def _range(arguments: Arguments) -> str:
    low, high = arguments["min_words"], arguments["max_words"]
    return f"min_words {low} is above max_words {high}" if low > high else ""


def _at_most(name: str, most: int, noun: str) -> Callable[[Arguments], str]:
    return lambda arguments: f"{name} is {arguments[name]}, and there are {most} {noun}" * (arguments[name] > most)


def _keywords(arguments: Arguments) -> str:
    for (name, times), (other, fewer) in permutations(KEYWORD_TIMES.items(), 2):
        within = keyword_occurrences(fold(arguments[name].strip()), arguments[other])
        if within * times > fewer:
            return f"{name} {arguments[name]!r}, {times} times, holds {other} {arguments[other]!r}, {fewer} times"
    return ""


def _span(arguments: Arguments) -> str:
    words, start, end = len(arguments["prompt_to_repeat"].split()), arguments["n_start"], arguments["n_end"]
    return "" if start <= end and start < words else f"words {start} to {end} of {words} are none"


def _overlap(arguments: Arguments) -> str:
    text, share = arguments["reference_text"], arguments["percentage"]
    return f"reference_text {text!r} has no three characters to share" if len(text) < 3 and share > 2 else ""


def _keyword(arguments: Arguments) -> str:
    words = joined_words(fold(arguments["keyword"]))
    return "" if len(words) == 1 else f"keyword {arguments['keyword']!r} is {len(words)} words, and one must be it"


def _separator(arguments: Arguments) -> str:
    return "sep goes over a line break, and items are looked for line by line" * ("\n" in arguments["sep"].strip())


# Why no answer meets a constraint with these arguments; empty where that is not known.
_ALONE: Final[Mapping[str, Callable[[Arguments], str]]] = {
    "count:word_count_range": _range,
    "count:conjunctions": _at_most("small_n", len(CONJUNCTIONS), "coordinating conjunctions"),
    "count:person_names": _at_most("N", len(PERSON_NAMES), "listed names"),
    "count:keywords_multiple": _keywords,
    "words:repeats": lambda arguments: "" if arguments["small_n"] else "small_n is 0, so no word may occur",
    "words:words_position": _keyword,
    "repeat:repeat_span": _span,
    "ratio:overlap": _overlap,
    "format:options": lambda arguments: "" if split_options(arguments["options"]) else "there is no option",
    "format:list": _separator,
}
