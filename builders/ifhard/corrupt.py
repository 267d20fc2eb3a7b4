"""Targeted corruption: for each requirement type, one small spoiling of a passing answer that its rule must reject.

A verifier that lets its corruption through would let a model through as well. The same table breaks witnesses for
tests of the whole scoring path (see :mod:`builders.ifhard.damage`).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from builders.ifhard.edits import filler, insert, replace, starts, swap
from metrics.ifhard.text import first_letter, fold, items_of, sentences_of, words_of

__all__ = ["CORRUPTIONS", "corrupt"]

Params = Mapping[str, Any]
Corruption = Callable[[str, Params], str]

_EXTRA_SENTENCE: Final = " Вот и всё."


def _upper(spec: Params) -> int:
    """The largest number that a count specification allows."""
    return int(spec["max"] if spec.get("op") == "between" else spec["value"])


def _each(params: Params) -> Params:
    spec = params.get("each", params)
    assert isinstance(spec, Mapping)
    return spec


def _more_words(text: str, params: Params) -> str:
    return insert(text, filler(text), _upper(params) - len(words_of(text)) + 1)


def _more_chars(text: str, params: Params) -> str:
    return insert(text, filler(text), (_upper(params) - len(text.strip())) // 5 + 1)


def _longer_unit(text: str, params: Params) -> str:
    return insert(text, filler(text), _upper(_each(params)))


def _one_word(text: str, params: Params) -> str:
    return insert(text, filler(text))


def _more_sentences(text: str, params: Params) -> str:
    return text + _EXTRA_SENTENCE * (_upper(params) - len(sentences_of(text)) + 1)


def _one_sentence(text: str, params: Params) -> str:
    return text + _EXTRA_SENTENCE


def _one_paragraph(text: str, params: Params) -> str:
    return text + "\n\n" + _EXTRA_SENTENCE.strip()


def _first_again(text: str, params: Params) -> str:
    return f"{text} {sentences_of(text)[0]}"


def _opened(text: str, params: Params) -> str:
    return f"{filler(text).capitalize()} {text}"


def _closed(text: str, params: Params) -> str:
    return f"{text} {filler(text)}"


def _wrong_first_line(text: str, params: Params) -> str:
    number, rest = text.split("\n", 1)
    return f"{int(number) + 1}\n{rest}"


def _wrong_mark(text: str, params: Params) -> str:
    return re.sub(r"\((\d+)\)$", lambda match: f"({int(match.group(1)) + 1})", text)


def _without_keyword(text: str, params: Params) -> str:
    stems = params.get("any_stems") or ([params["stem"]] if "stem" in params else None)
    if stems is None:
        return replace(text, lambda core: core == fold(str(params["word"])))
    return replace(text, lambda core: any(starts(stem)(core) for stem in stems))


def _without_one(text: str, params: Params) -> str:
    if "stems" in params:
        return replace(text, starts(params["stems"][0]))
    return replace(text, lambda core: core == fold(str(params["words"][0])))


def _with_banned_word(text: str, params: Params) -> str:
    return insert(text, (params.get("stems") or params["words"])[0])


def _swapped_nth(text: str, params: Params) -> str:
    place = int(params["n"])
    return swap(text, place - 1)


def _swapped_from_end(text: str, params: Params) -> str:
    return swap(text, len(words_of(text)) - int(params["n"]))


def _first_item_again(text: str, params: Params) -> str:
    first = next(line for line in text.splitlines() if items_of(line))
    return f"{text}\n{first}"


def _one_hit_less(text: str, params: Params) -> str:
    return replace(text, starts(params["stem"]), limit=1)


def _over_cap(text: str, params: Params) -> str:
    return insert(text, str(params["stem"]), int(params["cap"]) + 1)


def _echo_lost(text: str, params: Params) -> str:
    return text.replace("\n\n", f" {filler(text)}\n\n", 1)


def _chain_broken(text: str, params: Params) -> str:
    lines = text.splitlines()
    _, payload = items_of(lines[1])[0]
    other = filler(text, not_letter=first_letter(payload) or "")
    return "\n".join([f"{lines[0]} {other}", *lines[1:]])


def _order_lost(text: str, params: Params) -> str:
    return replace(text, starts(params["stem_a"]))


def _lines_reversed(text: str, params: Params) -> str:
    return "\n".join(reversed(text.splitlines()))


def _with_phrase(text: str, params: Params) -> str:
    return insert(text, str(params["phrases"][0]))


def _first_line_lost(text: str, params: Params) -> str:
    return text.split("\n", 1)[1]


def _with_letter(text: str, params: Params) -> str:
    return insert(text, str(params.get("letter") or params["letters"][0]))


def _with_comma(text: str, params: Params) -> str:
    return insert(text, ",")


def _more_commas(text: str, params: Params) -> str:
    return insert(text, ",", _upper(params) - text.count(",") + 1)


def _with_capital(text: str, params: Params) -> str:
    return re.sub(r"[а-яё]", lambda match: match.group().upper(), text, count=1)


def _more_on_letter(text: str, params: Params) -> str:
    return insert(text, str(params["letter"]), _upper(params) + 1)


def _marked(text: str, params: Params) -> str:
    return f"# {text}"


def _long_word(text: str, params: Params) -> str:
    return insert(text, "достопримечательность")


def _question(text: str, params: Params) -> str:
    return f"{text} Правда?"


def _exclamation(text: str, params: Params) -> str:
    return f"{text} Ура!"


def _digit(text: str, params: Params) -> str:
    return insert(text, "5")


def _latin(text: str, params: Params) -> str:
    return insert(text, "ok")


def _bullet(text: str, params: Params) -> str:
    return f"{text}\n- {filler(text)}"


def _number(text: str, params: Params) -> str:
    return f"{text}\n9. {filler(text)}"


def _other_key(text: str, params: Params) -> str:
    return text.replace(f'"{params["keys"][0]}":', '"иначе":', 1)


def _wrong_count(text: str, params: Params) -> str:
    return re.sub(r'"слов": (\d+)', lambda match: f'"слов": {int(match.group(1)) + 1}', text, count=1)


def _one_field(text: str, params: Params) -> str:
    return f"{text}, {filler(text)}"


def _last_line_lost(text: str, params: Params) -> str:
    return text.rsplit("\n", 1)[0]


def _bold_lost(text: str, params: Params) -> str:
    return text.replace("**", "", 2)


def _long_line(text: str, params: Params) -> str:
    head, *rest = text.split("\n")
    return "\n".join([head + f" {filler(text)}" * (int(params["max"]) // 6 + 1), *rest])


def _one_tag(text: str, params: Params) -> str:
    return f"{text} #ещё"


def _conditional_include(text: str, params: Params) -> str:
    return replace(text, starts(params["stem"])) if params["holds"] else insert(text, str(params["stem"]))


def _conditional_format(text: str, params: Params) -> str:
    branch = params["then"] if params["holds"] else params["otherwise"]
    spoil: Mapping[str, Corruption] = {
        "bullet_list": _bullet,
        "numbered_list": _number,
        "sentences": _one_sentence,
        "paragraphs": _one_paragraph,
    }
    return spoil[branch["shape"]](text, params)


def _override(text: str, params: Params) -> str:
    winner = params["winner"]
    return corrupt(winner["category"], winner["params"], text)


CORRUPTIONS: Final[Mapping[str, Corruption]] = {
    "structure:word_count": _more_words,
    "structure:sentence_count": _more_sentences,
    "structure:paragraph_count": _one_paragraph,
    "structure:char_count": _more_chars,
    "structure:sentence_words": _longer_unit,
    "structure:item_words": _longer_unit,
    "structure:paragraph_sentences": _one_sentence,
    "structure:ascending_sentences": _first_again,
    "structure:items_total_words": _one_word,
    "structure:item_words_ladder": _one_word,
    "structure:first_line_count": _wrong_first_line,
    "structure:checksum": _wrong_mark,
    "structure:word_char_count": _one_word,
    "structure:mirror_sentences": _opened,
    "lexical:include_keyword": _without_keyword,
    "lexical:include_all": _without_one,
    "lexical:exclude_word": _with_banned_word,
    "lexical:starts_with": _opened,
    "lexical:ends_with": _closed,
    "lexical:nth_word": _swapped_nth,
    "lexical:nth_word_from_end": _swapped_from_end,
    "lexical:acrostic": _first_item_again,
    "lexical:sentence_acrostic": _one_sentence,
    "lexical:word_exact_count": _one_hit_less,
    "lexical:word_cap": _over_cap,
    "lexical:ring_word": _closed,
    "lexical:paragraph_echo": _echo_lost,
    "lexical:item_chain": _chain_broken,
    "lexical:order_words": _order_lost,
    "lexical:alpha_items": _lines_reversed,
    "lexical:exclude_phrases": _with_phrase,
    "lexical:quote_task": _first_line_lost,
    "lexical:anadiplosis": _one_sentence,
    "lexical:epiphora": _closed,
    "style:forbid_letter": _with_letter,
    "style:forbid_letters": _with_letter,
    "style:no_commas": _with_comma,
    "style:comma_count": _more_commas,
    "style:no_caps": _with_capital,
    "style:end_punctuation": _closed,
    "style:sentence_initials": _first_again,
    "style:letter_start_count": _more_on_letter,
    "style:anaphora": _opened,
    "style:no_markdown": _marked,
    "style:max_word_length": _long_word,
    "style:question_count": _question,
    "style:exclamation_count": _exclamation,
    "style:no_digits": _digit,
    "style:no_latin": _latin,
    "format:bullet_list": _bullet,
    "format:numbered_list": _number,
    "format:json_object": _other_key,
    "format:json_list_value": _other_key,
    "format:json_array": _wrong_count,
    "format:csv_line": _one_field,
    "format:two_parts": _closed,
    "format:markdown_table": _last_line_lost,
    "format:bold_words": _bold_lost,
    "format:line_length": _long_line,
    "format:hashtags": _one_tag,
    "logic:conditional_include": _conditional_include,
    "logic:conditional_format": _conditional_format,
    "logic:override": _override,
}


def corrupt(category: str, params: Params, text: str) -> str:
    """Spoil an answer that meets a requirement so that it no longer does.

    Args:
        category: a type of CORRUPTIONS.
        params: its parameters as the scorer reads them.
        text: an answer that meets it.

    Raises:
        KeyError: no corruption is known for the category.
    """
    return CORRUPTIONS[category](text, params)
