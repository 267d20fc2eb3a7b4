"""Replies of a judge of HardMultiQA, for each type of question."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from judges.hardmultiqa.framing import mark_of
from judges.hardmultiqa.replies import UnreadableReply, read_reply
from metrics.hardmultiqa.scoring_key import TYPES, Key, parse_key
from metrics.row_error import RowError
from proofs.fuzz.group import Check, Group, Input
from proofs.fuzz.mutation import edited
from proofs.fuzz.prose import sentence, words
from proofs.fuzz.values import nested, spoiled

__all__ = ["REPLIES"]

_NAMES: Final = (
    "mark",
    "chosen",
    "verdict",
    "elements",
    "matches",
    "i",
    "quote",
    "correction",
    "element",
    "reference",
    "grade",
    "explanation",
)
_OPTIONS: Final = TYPES[0]
_LINES: Final = (
    *(
        "Оценка: 1",
        "Оценка: -1",
        "Оценка: 0",
        "**Оценка: 1**",
        "Итоговая оценка: +1.",
        "оценка : −1",
        "Оценка: 2",
        "Оценка 1",
    ),
    *(
        "\nОценка: 1\n---",
        "Grade: 1",
        "Оценка: 1 из 1",
        "Oценка: 1",
        "> Оценка: 0",
        "Оценка:\u200b 1",
        "```\nОценка: 1\n```",
    ),
)


def _question(source: Random) -> tuple[str, str]:
    """A scoring key and an answer."""
    kind = source.choice(TYPES)
    if kind == _OPTIONS:
        options = "\n".join(f"{n}) {' '.join(words(source, 2))}" for n in range(1, 5))
        key: dict[str, Any] = {"type": kind, "question": f"Что?\n{options}", "reference": [source.choice("1234")]}
    else:
        elements = [" ".join(words(source, source.randrange(1, 3))) for _ in range(source.randrange(1, 4))]
        key = {"type": kind, "question": sentence(source), "reference": elements}
    answer = " ".join((sentence(source), *key["reference"], sentence(source)))
    if source.random() < 0.05:
        key = spoiled(source, key, ("type", "question", "reference", "cut"))
    return json.dumps(key), answer


def _reply(source: Random, key: Key, answer: str, mark: str | None) -> str:
    if key.type == "open":
        if source.random() < 0.6:
            signed = f"\nМетка: {mark}" if mark is not None and source.random() < 0.8 else ""
            return f"{sentence(source)}{signed}\n{source.choice(_LINES)}"
        found: Any = {"explanation": sentence(source), "grade": source.choice((1, -1, 0, 2, True))}
    elif key.type == _OPTIONS:
        found = {
            "chosen": [source.randrange(0, 6) for _ in range(source.randrange(3))],
            "verdict": source.choice(("correct", "incorrect")),
        }
    else:
        found = {"elements": [], "matches": []}
        spoken = answer.split()
        for number in range(1, source.randrange(1, 5)):
            at = source.randrange(len(spoken))
            element = {"i": number, "quote": " ".join(spoken[at : at + source.randrange(1, 4)])}
            if key.type == "mistakes":
                element["correction"] = source.choice(("", source.choice(spoken), source.choice(spoken)))
            found["elements"].append(element)
            if source.random() < 0.7:
                found["matches"].append({"element": number, "reference": source.randrange(0, len(key.reference) + 2)})
    if mark is not None:
        found = {"mark": mark, **found}
    if source.random() < 0.25:
        found = spoiled(source, found, _NAMES)
    text = json.dumps(found, ensure_ascii=False)
    return f"```json\n{text}\n```" if source.random() < 0.05 else text


class _Replies(Group):
    """See the module; a question is asked for several inputs."""

    name = "judge"
    targets = ("key", *TYPES)

    def __init__(self) -> None:
        self._left = 0
        self._asked = ("", "")

    def fresh(self, source: Random) -> Input:
        if not self._left:
            self._asked, self._left = _question(source), 8
        self._left -= 1
        scoring, answer = self._asked
        signed, structured = source.random() < 0.5, source.random() < 0.5
        try:
            key = parse_key(scoring)
        except RowError:
            text = ""
        else:
            kind = source.random()
            mark = mark_of(key, answer) if signed else None
            text = nested(source) if kind < 0.01 else _reply(source, key, answer, mark)
            text = edited(source, text) if kind > 0.8 else text
        return {"text": text, "key": scoring, "answer": answer, "signed": signed, "structured": structured}

    def varied(self, source: Random, given: Input) -> Input:
        if source.random() < 0.2:
            return {**given, "answer": edited(source, given["answer"], (given["text"],))}
        return {**given, "text": edited(source, given["text"], (given["answer"],)), "structured": source.random() < 0.5}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        try:
            key = parse_key(given["key"])
        except RowError:
            yield "key", lambda: "refused"
            return
        yield key.type, lambda: _read(key, given)


def _read(key: Key, given: Input) -> str:
    mark = mark_of(key, given["answer"]) if given["signed"] else None
    try:
        found = read_reply(key, given["answer"], given["text"], mark, structured=given["structured"])
    except UnreadableReply as error:
        if not error.note or not error.note.isprintable():
            raise AssertionError("a note that cannot be printed") from None
        return error.code
    return "read " + " ".join(sorted(name for name, value in found.items() if value))


REPLIES: Final = _Replies()
