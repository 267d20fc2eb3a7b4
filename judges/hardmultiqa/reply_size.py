"""How long an honest reply may have to be: its cap must not cut a long list, wherever the answer holds one."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from metrics.hardmultiqa import Key

__all__ = ["longest_reply"]

_separator = re.compile(r"[\n,;/|•·]| (?:и|или|and|or) ")
_number = re.compile(r"[0-9]{1,3}")
_PROSE: Final = 20  # words without a separator; a longer stretch is taken for a list that has spaces alone
_QUOTE: Final = 100  # characters: the prompts ask for the shortest whole piece
_MOST: Final = 5_000  # elements; no reply may be longer than they make it (replies)
_TIMES_REFERENCE: Final = 4  # corrections of a text with so many mistakes


def longest_reply(key: Key, answer: str) -> str:
    """A made-up reply, of no verdict, that is about as long as an honest one about this answer can be.

    Every piece between separators is an element, quoted whole up to a bound, and as many as can be are matched; the
    JSON is indented, as some judges write it. Only the text's size is meant to be used.

    Args:
        key: the question with its reference.
        answer: what is judged.

    Returns:
        The reply; ``""`` for open questions, whose replies do not grow with the answer.
    """
    mark = {"mark": "0" * 16}
    if key.type == "open":
        return ""
    if key.type == "one-option-many-options":
        chosen = sorted(key.options) or [int(found) for found in dict.fromkeys(_number.findall(answer))]
        return _written(mark | {"chosen": chosen, "verdict": "incorrect"})
    quotes = list(itertools.islice(_pieces(answer), _MOST))
    if key.type == "mistakes":
        # A rewritten text is no list: commas part its clauses. Quotes may stand in the question instead.
        quotes = quotes[: _TIMES_REFERENCE * len(key.reference)]
        wrong = itertools.chain(_pieces(key.question), itertools.repeat(""))
        elements = [{"i": i, "quote": next(wrong), "correction": quote} for i, quote in enumerate(quotes, 1)]
    else:
        elements = [{"i": i, "quote": quote} for i, quote in enumerate(quotes, 1)]
    pairs = range(1, min(len(elements), len(key.reference)) + 1)
    matches = [{"element": number, "reference": number} for number in pairs]
    return _written(mark | {"elements": elements, "matches": matches})


def _pieces(text: str) -> Iterator[str]:
    for piece in _separator.split(text):
        words = piece.split()
        if len(words) > _PROSE:
            yield from words
        elif words:
            yield " ".join(words)[:_QUOTE]


def _written(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, indent=2)
