"""Single requirements of IFHardBench with a value that no answer can meet."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from metrics.ifhard.counts import read_count
from metrics.ifhard.data_formats import other_keys
from metrics.ifhard.params import int_or_none, read_int, read_letters
from metrics.ifhard.text import cores_of, first_letter, fold

__all__ = ["fault_of", "hit_by_stem", "hit_by_word"]

_Params = Mapping[str, Any]

# The least value of a number, of requirements that need no more than that.
_LEAST: Final[Mapping[str, Mapping[str, int]]] = {
    "structure:items_total_words": {"factor": 0},
    "structure:item_words_ladder": {"start": 0},
    "structure:word_char_count": {"words": 0, "chars": 1},
    "lexical:nth_word": {"n": 1},
    "lexical:nth_word_from_end": {"n": 1},
    "lexical:word_exact_count": {"count": 0},
    "lexical:word_cap": {"cap": 0},
    "style:max_word_length": {"max": 0},
    "format:json_array": {"items": 0},
    "format:csv_line": {"fields": 1},
    "format:two_parts": {"items": 1, "sentence_words": 0},
    "format:markdown_table": {"rows": 0, "cols": 1},
    "format:bold_words": {"count": 0},
    "format:line_length": {"max": 1, "count": 1},
    "format:hashtags": {"count": 1},
}
_KINDS: Final = ("any", "bullet", "numbered")
_ITEM_RULES: Final[Mapping[str, str]] = {  # requirements that need list items, with their usual kind
    "structure:item_words": "any",
    "structure:items_total_words": "bullet",
    "structure:item_words_ladder": "any",
    "lexical:item_chain": "any",
    "lexical:alpha_items": "any",
    "lexical:acrostic": "any",
}


def fault_of(category: str, params: _Params) -> str:
    """Why no answer meets a requirement; empty where that is not known."""
    for name, least in _LEAST.get(category, {}).items():
        if name in params and read_int(params, name) < least:
            return f"{name} is {read_int(params, name)}, below {least}"
    if category in _ITEM_RULES and (kind := params.get("kind", _ITEM_RULES[category])) not in _KINDS:
        return f"kind {kind!r} is none of {', '.join(_KINDS)}, so there is no such item"
    check = _CHECKS.get(category)
    return check(params) if check is not None else ""


def hit_by_stem(stem: str) -> bool:
    """Whether a word can start with the stem: it has no white space, and no mark that words shed at their ends."""
    return cores_of(f"{stem}а") == [fold(stem) + "а"]


def hit_by_word(word: str) -> bool:
    """Whether a word can be this one."""
    return cores_of(word) == [fold(word)]


def _one_of(options: Sequence[str], hit: Callable[[str], bool], what: str) -> str:
    if not options:
        return f"the list of {what}s is empty, and one must occur"
    return "" if any(map(hit, options)) else f"no word can {_DOES[what]} {options[0]!r}"


_DOES: Final = {"stem": "start with", "word": "be"}


def _all_of(options: Sequence[str], hit: Callable[[str], bool], what: str) -> str:
    return next((f"no word can {_DOES[what]} {option!r}" for option in options if not hit(option)), "")


def _include(params: _Params) -> str:
    if "any_stems" in params:
        return _one_of(params["any_stems"], hit_by_stem, "stem")
    return _all_of([params["stem"]], hit_by_stem, "stem") if "stem" in params else _nth_word(params, strip=False)


def _include_all(params: _Params) -> str:
    if "stems" in params:
        return _all_of(params["stems"], hit_by_stem, "stem")
    return _all_of(params["words"], hit_by_word, "word")


def _nth_word(params: _Params, *, strip: bool = True) -> str:
    return _all_of([params["word"].strip() if strip else params["word"]], hit_by_word, "word")


def _exact_count(params: _Params) -> str:
    return _all_of([params["stem"]], hit_by_stem, "stem") if read_int(params, "count") > 0 else ""


def _order(params: _Params) -> str:
    first, second = params["stem_a"], params["stem_b"]
    if fold(first).startswith(fold(second)):
        return f"every word that starts with {first!r} starts with {second!r}, so none stands before"
    return _all_of([first, second], hit_by_stem, "stem")


def _phrases(params: _Params) -> str:
    return "an empty phrase is forbidden, and every text holds it" if "" in params["phrases"] else ""


def _letters(params: _Params) -> str:
    letters = [params["letter"]] if "letter" in params else read_letters(params, "letters")
    return "an empty letter is forbidden, and every text holds it" if "" in letters else ""


def _end(params: _Params) -> str:
    char = params["char"]
    return "" if len(char) == 1 and not char.isspace() else f"no text ends with the one character {char!r}"


def _spelled(params: _Params) -> str:
    for letter in fold(params["word"]):
        if first_letter(letter) != letter:
            return f"{letter!r} is no letter that a part can start with"
    return ""


def _quote(params: _Params) -> str:
    lines = params["text"].strip().splitlines()
    return "" if len(lines) == 1 else f"the text to be quoted in one line has {len(lines)} lines"


def _without(params: _Params) -> str:
    if "any_words" in params:
        return _one_of(params["any_words"], hit_by_word, "word")
    return _one_of(params["any_stems"], hit_by_stem, "stem") if "any_stems" in params else ""


def _json(params: _Params) -> str:
    limit = int_or_none(params, "max_words")
    return f"max_words is {limit}, below 0" if params["keys"] and limit is not None and limit < 0 else ""


def _json_list(params: _Params) -> str:
    if params["list_key"] in params["keys"] and read_int(params, "list_items") < 1:
        return f"list_items is {read_int(params, 'list_items')}, below 1"
    return _json(params) if other_keys(params) else ""


def _bold(params: _Params) -> str:
    count = read_int(params, "count")
    each, place, stems = int_or_none(params, "words_each"), int_or_none(params, "position"), params.get("stems")
    if each is not None and each < 0 < count:
        return f"words_each is {each}, below 0"
    if place is not None and (place < 1 or count < 1):
        return f"position is {place} among {count} bold spans"
    if stems is not None and len(stems) != count:
        return f"{len(stems)} stems for {count} bold spans"
    return ""


def _strict_list(params: _Params) -> str:
    count = read_count(params)
    none = count.high < (2 if count.op == "lt" else 1) and count.op in ("eq", "le", "lt", "between")
    return "nothing but list items may stand there, and none is allowed" if params.get("strict", True) and none else ""


_CHECKS: Final[Mapping[str, Callable[[_Params], str]]] = {
    "lexical:include_keyword": _include,
    "lexical:include_all": _include_all,
    "lexical:nth_word": _nth_word,
    "lexical:nth_word_from_end": _nth_word,
    "lexical:word_exact_count": _exact_count,
    "lexical:order_words": _order,
    "lexical:exclude_phrases": _phrases,
    "lexical:quote_task": _quote,
    "lexical:acrostic": _spelled,
    "lexical:sentence_acrostic": _spelled,
    "style:forbid_letter": _letters,
    "style:forbid_letters": _letters,
    "style:end_punctuation": _end,
    "style:no_digits": _without,
    "style:no_latin": _without,
    "format:json_object": _json,
    "format:json_list_value": _json_list,
    "format:bold_words": _bold,
    "format:bullet_list": _strict_list,
    "format:numbered_list": _strict_list,
}
