"""The ``format`` family, part two: answers that are data, JSON or CSV (IFHardBench contract, 6.4).

The answer is parsed as Python's own parsers do it; an answer that does not parse fails like any other.
"""

import csv
import json
from collections.abc import Sequence
from typing import Any, Final

from metrics.ifhard.format import bullets_alone
from metrics.ifhard.params import Params, clamp, read_strings
from metrics.ifhard.text import Text, words_of
from metrics.reasons import KEPT, clip, failed, passed, quoted
from metrics.verdict import Verdict
from metrics.wording import Reason

__all__ = [
    "csv_line",
    "json_array",
    "json_list_value",
    "json_object",
    "other_keys",
]

_FENCE: Final = "```"
_ITEM_KEYS: Final = {"пункт", "слов"}  # of json_array, whatever the question's language
_CSV_FIELD_LIMIT: Final = 131_072  # characters; fixed here so that no other code's csv.field_size_limit moves a verdict


def _json_payload(trimmed: str) -> tuple[Any, Verdict | None]:
    """The parsed JSON of a trimmed answer, one fence around it removed; or the verdict that it has none.

    Codes: ``invalid-json``, ``json-too-deep``.
    """
    body = trimmed
    if body.startswith(_FENCE) and body.endswith(_FENCE) and len(body) >= 2 * len(_FENCE):
        body = body[len(_FENCE) : -len(_FENCE)].removeprefix("json").strip()
    try:
        return json.loads(body), None
    except RecursionError:
        return None, failed("json-too-deep", "the answer nests JSON too deeply to be read")
    except ValueError as error:
        # A JSONDecodeError, or an integer with more digits than Python converts.
        cause = "huge number"
        if isinstance(error, json.JSONDecodeError):
            cause = f"{error.msg} at character {error.pos + 1}"
        return None, failed("invalid-json", ("the answer is no JSON text: {}", cause))


def _json_fields(trimmed: str, keys: Sequence[str]) -> tuple[dict[str, str], Verdict | None]:
    """The object of a trimmed answer if its keys are ``keys`` and its values are strings that are not blank.

    Codes: those of the payload, ``not-an-object``, ``wrong-keys``, ``not-a-string``, ``blank-value``.
    """
    payload, problem = _json_payload(trimmed)
    if problem:
        return {}, problem
    if not isinstance(payload, dict):
        return {}, failed("not-an-object", ("a JSON object required, found {}", _json_type(payload)))
    missing = [key for key in keys if key not in payload]
    extra = [key for key in payload if key not in keys]
    if missing or extra:
        wanted = clip(", ".join(keys[:20]))
        first = [(word, found[0][:KEPT]) for word, found in (("missing", missing), ("extra", extra)) if found]
        reason: Reason = ("the keys must be exactly [{}]: {}", wanted, (_wrong_keys, *first))
        return {}, failed("wrong-keys", reason, clip(", ".join(list(payload)[:20])), wanted)
    for key, value in payload.items():
        if not isinstance(value, str):
            reason = ("the value of {:quoted} must be a string, found {}", key, _json_type(value))
            return {}, failed("not-a-string", reason)
        if not value.strip():
            return {}, failed("blank-value", ("the value of {:quoted} is blank", key))
    return payload, None


def _wrong_keys(*first: tuple[str, str]) -> str:
    return " and ".join(f"{word} {quoted(key)}" for word, key in first)


def _json_type(value: object) -> str:
    if value is None:
        return "null"
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return names[type(value)]


def json_object(text: Text, keys: Sequence[str], limit: int | None, no_commas: object) -> Verdict:
    """A JSON object with exactly ``keys``, every value a string; optionally short values, or values without commas.

    Codes: ``ok``, those of the fields, ``too-many-words``, ``forbidden-comma``.
    """
    fields, problem = _json_fields(text.trimmed, keys)
    if problem:
        return problem
    for key, value in fields.items():
        if limit is not None and (problem := _value_words(key, value, limit)):
            return problem
        if no_commas and "," in value:
            return failed("forbidden-comma", ("the value of {:quoted} holds a comma", key), value.count(","), 0)
    reason = ("a JSON object with {:key}, as required", len(fields))
    return passed(reason, len(fields), len(fields))


def _value_words(key: str, value: str, limit: int) -> Verdict | None:
    words = len(words_of(value))
    if words <= limit:
        return None
    reason = ("the value of {:quoted} has {:word}, at most {} allowed", key, words, limit)
    return failed("too-many-words", reason, words, f"<= {limit}")


def json_list_value(text: Text, keys: Sequence[str], list_key: str, list_items: int, limit: int | None) -> Verdict:
    """A JSON object of strings: under ``list_key`` a bullet list of ``list_items``, elsewhere at most ``max_words``.

    ``max_words`` is read only if ``keys`` holds another key than ``list_key``; a ``list_key`` outside ``keys`` is
    never checked.

    Codes: ``ok``, those of the fields, ``too-few``, ``too-many``, ``other-lines``, ``too-many-words``.
    """
    fields, problem = _json_fields(text.trimmed, keys)
    if problem:
        return problem
    for key, value in fields.items():
        # Without other keys there is no limit, and none is needed.
        problem = bullets_alone(value, list_items) if key == list_key else _value_words(key, value, limit or 0)
        if problem:
            return problem
    reason = ("a JSON object with {:key} and its list, as required", len(fields))
    return passed(reason, len(fields), len(fields))


def other_keys(params: Params) -> bool:
    """Whether ``keys`` of json_list_value holds a key besides ``list_key``."""
    return any(key != params.get("list_key") for key in read_strings(params, "keys"))


def json_array(text: Text, items: int) -> Verdict:
    """A JSON array of ``items`` objects, each with a text under ``пункт`` and its word count under ``слов``.

    Codes: ``ok``, those of the payload, ``not-an-array``, ``too-few``, ``too-many``, ``not-an-object``,
    ``wrong-keys``, ``not-a-string``, ``blank-value``, ``not-an-integer``, ``wrong-count``.
    """
    payload, problem = _json_payload(text.trimmed)
    if problem:
        return problem
    if not isinstance(payload, list):
        return failed("not-an-array", ("a JSON array required, found {}", _json_type(payload)))
    if len(payload) != items:
        reason = ("exactly {:array element} required, {} found", items, len(payload))
        return failed("too-few" if len(payload) < items else "too-many", reason, len(payload), items)
    for place, entry in enumerate(payload, 1):
        problem = _array_entry(place, entry)
        if problem:
            return problem
    return passed(("a JSON array of length {} with right word counts", items), len(payload), items)


def _array_entry(place: int, entry: object) -> Verdict | None:
    if not isinstance(entry, dict):
        return failed("not-an-object", ("entry {} must be an object, found {}", place, _json_type(entry)))
    if entry.keys() != _ITEM_KEYS:
        found = clip(", ".join(list(entry)[:20]))
        reason = ("entry {} must have the keys пункт and слов alone, found [{}]", place, found)
        return failed("wrong-keys", reason, found)
    body, stated = entry["пункт"], entry["слов"]
    if not isinstance(body, str):
        return failed("not-a-string", ("пункт of entry {} must be a string, found {}", place, _json_type(body)))
    if not body.strip():
        return failed("blank-value", ("пункт of entry {} is blank", place))
    if type(stated) is not int:
        return failed("not-an-integer", ("слов of entry {} must be an integer, found {}", place, _json_type(stated)))
    words = len(words_of(body))
    if stated != words:
        shown = clamp(stated)
        return failed("wrong-count", ("entry {} says {:word}, {} found", place, shown, words), shown, words)
    return None


def csv_line(text: Text, count: int) -> Verdict:
    """One CSV record of ``fields`` fields, none blank, exactly one with a comma in it; a quote must occur.

    Codes: ``ok``, ``several-lines``, ``no-quotes``, ``invalid-csv``, ``too-few``, ``too-many``, ``blank-field``,
    ``wrong-commas``.
    """
    line = text.trimmed
    if "\n" in line:
        lines = line.count("\n") + 1
        return failed("several-lines", ("one line required, {} found", lines), lines, 1)
    if '"' not in line:
        return failed("no-quotes", "a field in double quotes required, none found")
    fields = _csv_fields(line)
    if fields is None:
        return failed("invalid-csv", "the line is not one CSV record")
    if len(fields) != count:
        reason = ("exactly {:field} required, {} found", count, len(fields))
        return failed("too-few" if len(fields) < count else "too-many", reason, len(fields), count)
    for place, field in enumerate(fields, 1):
        if not field.strip():
            return failed("blank-field", ("field {} is blank", place))
    commas = sum("," in field for field in fields)
    told = ("exactly 1 field with a comma in it required, {} found", commas)
    return passed(told, commas, 1) if commas == 1 else failed("wrong-commas", told, commas, 1)


def _csv_fields(line: str) -> list[str] | None:
    try:
        records = list(csv.reader([line], skipinitialspace=True))
    except csv.Error:
        return None
    if len(records) != 1 or any(len(field) > _CSV_FIELD_LIMIT for field in records[0]):
        return None
    return records[0]
