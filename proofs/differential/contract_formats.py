"""Formats in the IFHardBench contract (6.4), each read a second time by the wording of its row."""

import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from proofs.differential.contract_text import (
    core,
    cores,
    fold,
    is_blank,
    item,
    items,
    meets,
    raw_lines,
    sentences,
    split_at_blank_lines,
    trim,
    without_strip_signs_but,
    word_count,
    words,
)

__all__ = ["FORMATS", "Params", "counted_list"]

Params = Mapping[str, Any]


def counted_list(text: str, params: Params, kind: str) -> bool:
    """A list of bullets or of numbers."""
    lines = [line for line in raw_lines(text) if not is_blank(line)]
    met = meets(len(items(text, kind)), params)
    if not params.get("strict", True):
        return met
    return met and bool(lines) and all((item(line) or ("",))[0] == kind for line in lines)


_FENCE: Final = re.compile(r"```(?:json)?\s*(.*?)\n?\s*```", re.DOTALL)


def _payload(text: str) -> Any:
    whole = trim(text)
    found = _FENCE.fullmatch(whole)
    return json.loads(trim(found[1]) if found else whole)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not is_blank(value)


def _json_object(text: str, params: Params) -> bool:
    keys, most = list(params["keys"]), params.get("max_words")
    most = None if most is None else int(most)
    found = _payload(text)
    if not isinstance(found, dict) or set(found) != set(keys):
        return False
    values = list(found.values())
    return (
        all(map(_is_text, values))
        and (most is None or all(word_count(value) <= most for value in values))
        and not (params.get("no_commas_in_values", False) and any("," in value for value in values))
    )


def _json_list_value(text: str, params: Params) -> bool:
    keys, list_key, wanted = list(params["keys"]), params["list_key"], int(params["list_items"])
    others = [key for key in keys if key != list_key]
    most = int(params["max_words"]) if others else 0
    found = _payload(text)
    if not isinstance(found, dict) or set(found) != set(keys) or not all(map(_is_text, found.values())):
        return False
    if list_key in found:
        lines = [line for line in raw_lines(found[list_key]) if not is_blank(line)]
        if len(lines) != wanted or not all((item(line) or ("",))[0] == "bullet" for line in lines):
            return False
    return all(word_count(found[key]) <= most for key in others)


def _json_array(text: str, params: Params) -> bool:
    wanted, found = int(params["items"]), _payload(text)
    if not isinstance(found, list) or len(found) != wanted:
        return False
    return all(
        isinstance(entry, dict)
        and set(entry) == {"пункт", "слов"}
        and _is_text(entry["пункт"])
        and type(entry["слов"]) is int
        and entry["слов"] == word_count(entry["пункт"])
        for entry in found
    )


def _csv_line(text: str, params: Params) -> bool:
    wanted, whole = int(params["fields"]), trim(text)
    if "\n" in whole or '"' not in whole:
        return False
    records = list(csv.reader(io.StringIO(whole, newline=""), skipinitialspace=True))
    if len(records) != 1 or len(records[0]) != wanted:
        return False
    return not any(map(is_blank, records[0])) and sum("," in field for field in records[0]) == 1


def _two_parts(text: str, params: Params) -> bool:
    wanted, length = int(params["items"]), int(params["sentence_words"])
    whole = trim(text)
    head = split_at_blank_lines(whole)[0]
    tail = trim(whole[len(head) :])
    if not tail or is_blank(head):
        return False
    lines = [line for line in raw_lines(head) if not is_blank(line)]
    return (
        len(lines) == wanted
        and all((item(line) or ("",))[0] == "bullet" for line in lines)
        and not items(tail, "any")
        and len(sentences(tail)) == 1
        and word_count(tail) == length
    )


def _markdown_table(text: str, params: Params) -> bool:
    rows, cols = int(params["rows"]), int(params["cols"])
    lines = [trim(line) for line in raw_lines(text) if not is_blank(line)]
    if len(lines) != rows + 2 or len(lines) < 2:
        return False
    if not all(len(line) > 1 and line[0] == "|" and line[-1] == "|" for line in lines):
        return False
    cells = [[trim(cell) for cell in line[1:-1].split("|")] for line in lines]
    ruled = all(re.fullmatch(":?-{3,}:?", cell) for cell in cells[1])
    return (
        all(len(line) == cols for line in cells)
        and ruled
        and all(cell for number, line in enumerate(cells) if number != 1 for cell in line)
    )


def _bold_words(text: str, params: Params) -> bool:
    wanted, spans, place = int(params["count"]), [], 0
    each, position, stems = params.get("words_each"), params.get("position"), params.get("stems")
    each, position = (None if value is None else int(value) for value in (each, position))
    while place < len(text):
        found = re.match(r"\*\*([^*\n]+)\*\*", text[place:])
        if found:
            spans.append(found[1])
        place += found.end() if found else 1
    if len(spans) != wanted or text.count("**") != 2 * wanted:
        return False
    if each is not None and any(word_count(span) != each for span in spans):
        return False
    if position is not None:
        tokens = words(text)
        if not 1 <= position <= len(tokens):
            return False
        if not re.fullmatch(r"\*\*[^*]+\*\*", without_strip_signs_but(tokens[position - 1], "*")):
            return False
    if stems is None:
        return True
    left = [fold(stem) for stem in stems]
    for span in spans:
        used = next((stem for stem in left if core(span).startswith(stem)), None)
        if used is None:
            return False
        left.remove(used)
    return len(spans) == len(stems)


def _line_length(text: str, params: Params) -> bool:
    most = int(params["max"])
    lines = raw_lines(trim(text))
    if "count" in params and int(params["count"]) != sum(not is_blank(line) for line in lines):
        return False
    return bool(lines) and all(len(_right_trimmed(line)) <= most for line in lines)


def _right_trimmed(line: str) -> str:
    while line and is_blank(line[-1]):
        line = line[:-1]
    return line


def _hashtags(text: str, params: Params) -> bool:
    wanted = int(params["count"])
    lines = [line for line in raw_lines(text) if not is_blank(line)]
    if not lines:
        return False
    tags = trim(lines[-1]).split(" ")
    if not all(re.fullmatch("#[а-яА-ЯёЁ]+", tag) for tag in tags) or len(tags) != wanted:
        return False
    folded = [fold(tag[1:]) for tag in tags]
    if params.get("alpha", False) and any(a > b for a, b in itertools.pairwise(folded)):
        return False
    before = cores("\n".join(lines[:-1]))
    return not params.get("echo_first", False) or (bool(before) and before[0] == folded[-1])


FORMATS: Final[Mapping[str, Callable[[str, Params], bool]]] = {
    "format:bullet_list": lambda text, params: counted_list(text, params, "bullet"),
    "format:numbered_list": lambda text, params: counted_list(text, params, "numbered"),
    "format:json_object": _json_object,
    "format:json_list_value": _json_list_value,
    "format:json_array": _json_array,
    "format:csv_line": _csv_line,
    "format:two_parts": _two_parts,
    "format:markdown_table": _markdown_table,
    "format:bold_words": _bold_words,
    "format:line_length": _line_length,
    "format:hashtags": _hashtags,
}
