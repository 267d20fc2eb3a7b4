"""The judge's messages: question, reference and answer in blocks whose borders hold what the answer does not.

Every border carries a mark: the beginning of the SHA-256 of answer, question, reference and a counter. The counter is
raised until none of the three texts holds the mark, so no line inside a block reads as a border; and since the mark
depends on the answer's text, no answer holds its own. Equal inputs give equal messages.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

from metrics.hardmultiqa import LIST_TYPES, Key, fold

__all__ = ["STAND_IN", "compose", "mark_of", "repair_turns"]

_MARK_LENGTH: Final = 16  # hex digits
# A judge's unreadable reply is not shown to it again: it may be the answer's own words.
STAND_IN: Final = "(вердикт не прочитан)"
_NAMES: Final = {
    "question": ("ВОПРОС", "КОНЕЦ ВОПРОСА"),
    "reference": ("ЭТАЛОН", "КОНЕЦ ЭТАЛОНА"),
    "answer": ("ОТВЕТ МОДЕЛИ", "КОНЕЦ ОТВЕТА МОДЕЛИ"),
}
_slots = re.compile(r"\{(question|reference|answer|mark)\}")


def mark_of(key: Key, answer: str) -> str:
    """The mark of one answer to one question: 16 hex digits that none of the texts holds."""
    texts = (answer, key.question, *key.reference)
    joined = "\0".join(texts)
    folded = fold(joined)
    counter = 0
    while True:
        # Lone surrogates have no UTF-8 form, and an answer may hold anything.
        seed = f"{joined}\0{counter}".encode("utf-8", "surrogatepass")
        mark = hashlib.sha256(seed).hexdigest()[:_MARK_LENGTH]
        if mark not in folded:
            return mark
        counter += 1


def compose(template: str, key: Key, answer: str, mark: str, more: str = "") -> tuple[Mapping[str, str], ...]:
    """The first request's messages: one user turn, blocks first, instructions after them.

    Args:
        template: text of the question type (prompt_files).
        key: the question with its reference.
        answer: what is judged.
        mark: of both (mark_of).
        more: what is asked besides, behind the template's own instructions.
    """
    filled = {
        "question": _block("question", key.question, mark),
        "reference": _block("reference", _reference(key), mark),
        "answer": _block("answer", answer, mark),
        "mark": mark,
    }
    # One pass: a placeholder inside an answer stays text.
    text = _slots.sub(lambda slot: filled[slot[1]], template).strip()
    if more:
        text += f"\n\n{more}"
    return ({"role": "user", "content": text},)


def repair_turns(note: str, more: str = "") -> tuple[Mapping[str, str], ...]:
    """What is added to the messages after an unreadable reply.

    Args:
        note: Russian, of fixed words and numbers: neither the reply nor the answer is quoted, so that neither can
            give instructions from here.
        more: what was asked besides (compose), said again.
    """
    asked = f"Вердикт не прочитан: {note}. Проверь тот же ответ модели ещё раз и соблюди формат в точности."
    if more:
        asked += f" {more}"
    return ({"role": "assistant", "content": STAND_IN}, {"role": "user", "content": asked})


def _block(name: str, text: str, mark: str) -> str:
    opening, closing = _NAMES[name]
    return f"<<<{opening} {mark}>>>\n{text}\n<<<{closing} {mark}>>>"


def _reference(key: Key) -> str:
    elements = [" ".join(element.split()) for element in key.reference]
    if key.type in LIST_TYPES:
        return "\n".join(f"{number}. {element}" for number, element in enumerate(elements, 1))
    return ", ".join(elements) if key.type == "one-option-many-options" else "\n".join(elements)
