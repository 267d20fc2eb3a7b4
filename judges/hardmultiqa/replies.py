"""Reading a judge's reply: exactly the declared form, then checked against answer and reference.

What is not so is unreadable, never guessed: JSON types reply with one JSON object and white space around it at most;
open questions with text whose last line is the verdict, in any spelling that can mean one verdict alone: Markdown,
quotes, case, spaces, minus signs and a full stop do not matter. JSON in a fence, prose around it, other keys, keys
given twice, other spellings of its vocabulary, look-alike letters, and verdicts that code can prove wrong are
unreadable.

Elements of mistakes: the correction must stand in the answer, since it is what the answer is worth. The quoted mistake
may stand in the question instead: an answer that gives the corrected text alone repeats no mistake, and its correction
is one all the same. An element without a correction must be quoted from the answer, and matches nothing; one whose
correction repeats the quote is no correction.

What makes two elements one is their place, not their text: see ``_distinct``.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from judges.hardmultiqa.signature import has_verdict
from metrics.hardmultiqa import Key, fold, occurs, places

__all__ = ["MAX_TOKENS", "UnreadableReply", "read_reply", "response_format"]

# Cap on a reply by type. With a window of 8,192 tokens 4,096 of answer and the prompt still fit beside the longest.
MAX_TOKENS: Final = {
    "one-option-many-options": 256,
    "open": 512,
    "strict-list": 2_048,
    "not-strict-list": 2_048,
    "mistakes": 2_048,
}
_LONGEST_REPLY: Final = 200_000  # characters
_GRADES: Final = {"1": 1, "+1": 1, "-1": -1, "0": 0}
_verdict_line = re.compile(r"(?:итоговая )?оценка ?: ?(\+?1|-1|0)\.?").fullmatch
# Markdown, quotes and brackets say nothing in a line; signs that are drawn as a minus are one before a digit.
_DECORATION: Final = str.maketrans("", "", "*_`~#>|\"'«»“”„[]")
_minus = re.compile("[\u2010\u2012\u2013\u2212](?=[0-9])")
_ELEMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "strict-list": ("quote",),
    "not-strict-list": ("quote",),
    "mistakes": ("quote", "correction"),
}
_INTEGER: Final = {"type": "integer"}
_STRING: Final = {"type": "string"}


class UnreadableReply(ValueError):  # noqa: N818 (the name says what happened)
    """A reply that is no verdict.

    Attributes:
        code: stable machine name, kebab-case.
        args: one English phrase; it quotes nothing either, so that a run's errors can be counted by it.
        note: what was wrong, in Russian for the judge: fixed words and numbers, no text of reply or answer.
    """

    def __init__(self, code: str, reason: str, note: str) -> None:
        self.code = code
        self.note = note
        super().__init__(reason)


def response_format(kind: str, signed: bool) -> dict[str, Any] | None:
    """Structured output for vLLM: the reply's JSON schema; None for open questions, whose reply is text.

    Args:
        kind: question type.
        signed: whether the reply must hold the mark. The schema does not give its value: to write it the judge must
            have read the instructions.
    """
    if kind == "open":
        return None
    if kind == "one-option-many-options":
        verdict = {"type": "string", "enum": ["correct", "incorrect"]}
        fields: dict[str, Any] = {"chosen": {"type": "array", "items": _INTEGER}, "verdict": verdict}
    else:
        element = _object({"i": _INTEGER, **dict.fromkeys(_ELEMENT[kind], _STRING)})
        match = _object({"element": _INTEGER, "reference": _INTEGER})
        fields = {"elements": {"type": "array", "items": element}, "matches": {"type": "array", "items": match}}
    if signed:
        fields = {"mark": _STRING, **fields}
    name = f"hardmultiqa_{kind.replace('-', '_')}"
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": _object(fields)}}


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


def read_reply(key: Key, answer: str, reply: str, mark: str | None = None) -> dict[str, Any]:
    """The verdict that a reply holds, in the form of metrics.hardmultiqa.scoring.

    Args:
        key: the question with its reference.
        answer: what was judged.
        reply: the judge's text, any string.
        mark: what the reply must hold (framing.mark_of), None where it need not be signed (signature.needs_mark).

    Raises:
        UnreadableReply: it holds no verdict.
    """
    if len(reply) > _LONGEST_REPLY:
        raise UnreadableReply("too-long", f"the reply has over {_LONGEST_REPLY} characters", "он слишком длинный")
    if key.type == "open":
        return {"grade": _grade(reply, mark)}
    names = {"chosen", "verdict"} if key.type == "one-option-many-options" else {"elements", "matches"}
    found = _fields(_json_object(reply), names if mark is None else {*names, "mark"}, "JSON-объект")
    if mark is not None and found["mark"] != mark:
        raise UnreadableReply("wrong-mark", "the reply does not hold the mark", 'в поле "mark" стоит не та метка')
    return _choice(key, found) if key.type == "one-option-many-options" else _pairs(key, answer, found)


# Open questions


def _grade(reply: str, mark: str | None) -> int:
    raw = reply.splitlines()
    lines = [_bare(line) for line in raw]
    while lines and not lines[-1].strip("-=. "):  # an ended fence or emphasis, a rule, a blank line
        lines.pop()
    found = _verdict_line(lines[-1]) if lines else None
    if found is None:
        note = "последняя строка должна быть ровно «Оценка: 1», «Оценка: -1» или «Оценка: 0»"
        raise UnreadableReply("no-verdict-line", "the last line is no verdict", note)
    rest = len(lines) - 1
    if mark is not None:
        while rest and not lines[rest - 1]:
            rest -= 1
        if not rest or lines[rest - 1].replace(" ", "").removesuffix(".") != f"метка:{mark}":
            note = "предпоследней строкой должна стоять метка, как указано в задании"
            raise UnreadableReply("wrong-mark", "the reply does not hold the mark", note)
        rest -= 1
    if has_verdict("\n".join(raw[:rest])):
        note = "слово «оценка» с числом должно встретиться один раз, в последней строке"
        raise UnreadableReply("two-verdicts", "the reply holds more than one verdict", note)
    return _GRADES[found[1]]


def _bare(line: str) -> str:
    """A line of a reply without what has no meaning there; look-alike letters stay other letters."""
    flat = unicodedata.normalize("NFKC", line)
    visible = "".join(sign for sign in flat if unicodedata.category(sign) != "Cf").translate(_DECORATION)
    return " ".join(_minus.sub("-", visible).casefold().split())


# JSON


def _json_object(reply: str) -> dict[str, Any]:
    note = "нужен один JSON-объект, без текста вокруг и без обратных кавычек"
    try:
        found = json.loads(reply, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except UnreadableReply:
        raise
    except (ValueError, RecursionError):
        raise UnreadableReply("not-json", "the reply is not JSON", note) from None
    if not isinstance(found, dict):
        raise UnreadableReply("not-an-object", f"the reply is a JSON {type(found).__name__}, not an object", note)
    return found


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableReply("duplicate-key", "a key of the reply's JSON stands twice", "ключ в JSON повторён")
    return found


def _no_constant(name: str) -> None:
    raise UnreadableReply("not-json", "the reply is not JSON", "в JSON недопустимое число")


def _fields(found: Any, names: set[str], what: str) -> dict[str, Any]:
    if not isinstance(found, dict) or set(found) != names:
        wanted = ", ".join(sorted(names))
        raise UnreadableReply("wrong-keys", f"keys {wanted} required", f"{what}: нужны ровно ключи {wanted}")
    return found


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableReply("wrong-type", f"{name} is not a list", f'"{name}" должен быть списком')
    return value


def _whole(value: Any, name: str) -> int:
    # True is an int to Python, 1.0 is not one here.
    if type(value) is not int:
        raise UnreadableReply(
            "wrong-type", f"{name} holds something other than whole numbers", f'"{name}": нужно целое'
        )
    return value


# Options


def _choice(key: Key, found: Mapping[str, Any]) -> dict[str, Any]:
    chosen = [_whole(number, "chosen") for number in _list(found["chosen"], "chosen")]
    if found["verdict"] not in ("correct", "incorrect"):
        note = '"verdict" должен быть "correct" или "incorrect"'
        raise UnreadableReply("wrong-vocabulary", "the verdict is neither correct nor incorrect", note)
    if len(set(chosen)) != len(chosen):
        raise UnreadableReply("used-twice", "an option stands twice in chosen", 'номер в "chosen" повторён')
    known = set(key.options) if key.options else None
    if any(number not in known if known is not None else number < 1 for number in chosen):
        raise UnreadableReply("no-such-option", "chosen names an option that is not there", 'в "chosen" чужой номер')
    if (set(chosen) == key.right_options) != (found["verdict"] == "correct"):
        raise UnreadableReply(
            "contradiction", "verdict and chosen options contradict each other", '"verdict" противоречит "chosen"'
        )
    return {"chosen": sorted(chosen), "verdict": found["verdict"]}


# Lists and mistakes


def _pairs(key: Key, answer: str, found: Mapping[str, Any]) -> dict[str, Any]:
    elements, merged_into = _elements(key, answer, _list(found["elements"], "elements"))
    pairs: list[tuple[int, int]] = []
    matched: set[int] = set()  # numbers as the reply has them
    paired: set[tuple[int, int]] = set()
    for entry in _list(found["matches"], "matches"):
        match = _fields(entry, {"element", "reference"}, 'запись в "matches"')
        element, reference = _whole(match["element"], "element"), _whole(match["reference"], "reference")
        if element not in merged_into:
            note = f'в "matches" стоит элемент {_shown(element)}, которого нет в "elements"'
            raise UnreadableReply("no-such-element", "a match names an element that is not there", note)
        if not 1 <= reference <= len(key.reference):
            note = f'в "matches" стоит номер эталона {_shown(reference)}, а в эталоне их {len(key.reference)}'
            raise UnreadableReply("no-such-reference", "a match names a reference element that is not there", note)
        pairs.append((merged_into[element], reference))
        # One place quoted twice, and both times the same pair, is one pair.
        if element not in matched and pairs[-1] in paired:
            pairs.pop()
        matched.add(element)
        paired.add((merged_into[element], reference))
    matches = [{"element": element, "reference": reference} for element, reference in pairs]
    _one_to_one(matches)
    if key.type == "mistakes":
        bare = {element["i"] for element in elements if not element["correction"]}
        if any(match["element"] in bare for match in matches):
            note = "элемент без исправления не может быть парой"
            raise UnreadableReply("nothing-corrected", "a match names an element without a correction", note)
    return {"elements": elements, "matches": matches}


class _Entry(NamedTuple):
    """An element of a reply: its number, its folded quote and, for mistakes, its folded correction."""

    number: int
    quote: str
    correction: str


def _elements(key: Key, answer: str, entries: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """Distinct elements, and where each number of the reply went."""
    texts = _ELEMENT[key.type]
    folded_answer = fold(answer)
    folded_question = fold(key.question)
    elements: dict[int, dict[str, Any]] = {}
    found: list[_Entry] = []
    for entry in entries:
        element = _fields(entry, {"i", *texts}, 'запись в "elements"')
        number = _whole(element["i"], "i")
        if number < 1 or number in elements:
            raise UnreadableReply(
                "bad-numbers", "elements are not numbered 1, 2, 3", 'номера "i" должны быть 1, 2, 3 …'
            )
        if not all(isinstance(element[name], str) for name in texts):
            raise UnreadableReply("wrong-type", "a quote is not a text", "цитаты должны быть строками")
        _check_quotes(element, folded_answer, folded_question)
        elements[number] = {"i": number, **{name: element[name] for name in texts}}
        found.append(_Entry(number, fold(element["quote"]), fold(element.get("correction", ""))))
    merged_into = _distinct(found, folded_answer, folded_question if key.type == "mistakes" else "")
    return [element for number, element in elements.items() if merged_into[number] == number], merged_into


def _distinct(entries: Sequence[_Entry], answer: str, question: str) -> dict[int, int]:
    """Which elements stand for themselves, and which for another one that stands at the same place.

    Equal elements of a list are as many as the answer has places of them; a place inside a longer element's is that
    one's. Equal corrections are as many as the places of their quotes in the question's text, or in the answer if the
    question lacks the quote: quotes of one place may be cut differently, and an answer repeats its corrections.

    Args:
        entries: of the reply.
        answer, question: folded; the question is empty for lists, whose places are the answer's.
    """
    merged_into: dict[int, int] = {}
    firsts: dict[tuple[str, str], int] = {}
    taken: dict[tuple[str, int], int] = {}  # by correction and position: the element that stands there
    ahead: dict[tuple[str, str], Iterator[tuple[int, int]]] = {}
    for number, quote, correction in sorted(entries, key=lambda entry: -len(entry.quote)):
        name = (quote, correction)
        text, space = (question, f"?{correction}") if occurs(quote, question) else (answer, f"!{correction}")
        owners: list[int] = []
        for start, end in ahead.setdefault(name, places(quote, text)):
            at = [taken[space, place] for place in range(start, end) if (space, place) in taken]
            if not at:
                taken.update(dict.fromkeys(((space, place) for place in range(start, end)), number))
                firsts.setdefault(name, number)
                break
            owners.append(at[0])
        else:
            # Another text at a taken place is an element of its own in a list, which may name parts of one phrase.
            number_of_place = owners[0] if owners and (question and correction) else number
            merged_into[number] = firsts.setdefault(name, number_of_place)
            continue
        merged_into[number] = number
    return merged_into


def _check_quotes(element: Mapping[str, Any], answer: str, question: str) -> None:
    """Quotes stand where they are said to be, as whole words; a mistake's also in the question (see the module)."""
    correction = element.get("correction")
    number = _shown(element["i"])
    if correction and fold(correction) == fold(element["quote"]):
        note = f'элемент {number}: "correction" повторяет "quote", это не исправление'
        raise UnreadableReply("nothing-corrected", "a correction repeats its quote", note)
    if correction and not occurs(correction, answer):
        note = f'элемент {number}: "correction" не встречается в ответе модели дословно'
        raise UnreadableReply("not-in-answer", "a correction is not in the answer", note)
    if not occurs(element["quote"], answer) and not (correction and occurs(element["quote"], question)):
        where = "ни в ответе модели, ни в вопросе" if correction else "в ответе модели"
        note = f'элемент {number}: "quote" не встречается {where} дословно'
        raise UnreadableReply("not-in-answer", "a quote is not in the answer", note)


def _one_to_one(matches: Sequence[Mapping[str, int]]) -> None:
    for side, what in (("element", "элемент ответа"), ("reference", "элемент эталона")):
        used = [match[side] for match in matches]
        if len(set(used)) != len(used):
            note = f'{what} стоит в "matches" больше одного раза (одинаковые элементы считаются одним)'
            raise UnreadableReply("used-twice", f"a {side} is matched more than once", note)


def _shown(number: int) -> str:
    """A number as a note may hold it: a long one could spell anything."""
    return str(number) if abs(number) < 10_000 else "с большим номером"
