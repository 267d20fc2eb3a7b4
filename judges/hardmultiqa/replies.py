"""Reading a judge's reply: exactly the declared form, then checked against answer and reference.

What is not so is unreadable, never guessed: a reply is one JSON object and white space around it at most; about open
questions it may be a text whose last line is the verdict (open_reply). JSON in a fence, prose around it, other keys,
keys given twice, other spellings of its vocabulary, look-alike letters, and verdicts that code can prove wrong are
unreadable.

Elements of mistakes: the correction must stand in the answer, since it is what the answer is worth. The quoted mistake
may stand in the question instead: an answer that gives the corrected text alone repeats no mistake, and its correction
is one all the same. An element without a correction must be quoted from the answer, and matches nothing; one whose
correction repeats the quote is no correction.

What makes two elements one is their place, not their text: see ``_distinct``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from judges.hardmultiqa.open_reply import open_grade, open_schema
from judges.hardmultiqa.reply_parts import UnreadableReply, fields_of, json_object, list_of, whole_number
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
_ELEMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "strict-list": ("quote",),
    "not-strict-list": ("quote",),
    "mistakes": ("quote", "correction"),
}
_INTEGER: Final = {"type": "integer"}
_STRING: Final = {"type": "string"}


def response_format(kind: str, signed: bool) -> dict[str, Any]:
    """Structured output: the reply's JSON schema.

    Args:
        kind: question type.
        signed: whether the reply must hold the mark. The schema does not give its value: to write it the judge must
            have read the instructions.
    """
    if kind == "open":
        fields = open_schema()
    elif kind == "one-option-many-options":
        verdict = {"type": "string", "enum": ["correct", "incorrect"]}
        fields = {"chosen": {"type": "array", "items": _INTEGER}, "verdict": verdict}
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


def read_reply(
    key: Key, answer: str, reply: str, mark: str | None = None, *, structured: bool = False
) -> dict[str, Any]:
    """The verdict that a reply holds, in the form of metrics.hardmultiqa.scoring.

    Args:
        key: the question with its reference.
        answer: what was judged.
        reply: the judge's text, any string.
        mark: what the reply must hold (framing.mark_of), None where it need not be signed (signature.needs_mark).
        structured: whether the judge was asked about an open question for a JSON object; the others always are.

    Raises:
        UnreadableReply: it holds no verdict.
    """
    if len(reply) > _LONGEST_REPLY:
        raise UnreadableReply("too-long", f"the reply has over {_LONGEST_REPLY} characters", "он слишком длинный")
    if key.type == "open":
        return {"grade": open_grade(reply, mark, structured=structured)}
    names = {"chosen", "verdict"} if key.type == "one-option-many-options" else {"elements", "matches"}
    found = fields_of(json_object(reply), names if mark is None else {*names, "mark"}, "JSON-объект")
    if mark is not None and found["mark"] != mark:
        raise UnreadableReply("wrong-mark", "the reply does not hold the mark", 'в поле "mark" стоит не та метка')
    return _choice(key, found) if key.type == "one-option-many-options" else _pairs(key, answer, found)


# Options


def _choice(key: Key, found: Mapping[str, Any]) -> dict[str, Any]:
    chosen = [whole_number(number, "chosen") for number in list_of(found["chosen"], "chosen")]
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
    elements, merged_into = _elements(key, answer, list_of(found["elements"], "elements"))
    pairs: list[tuple[int, int]] = []
    matched: set[int] = set()  # numbers as the reply has them
    paired: set[tuple[int, int]] = set()
    for entry in list_of(found["matches"], "matches"):
        match = fields_of(entry, {"element", "reference"}, 'запись в "matches"')
        element, reference = whole_number(match["element"], "element"), whole_number(match["reference"], "reference")
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
        element = fields_of(entry, {"i", *texts}, 'запись в "elements"')
        number = whole_number(element["i"], "i")
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
    sides = (("element", "an element", "элемент ответа"), ("reference", "a reference", "элемент эталона"))
    for side, which, what in sides:
        used = [match[side] for match in matches]
        if len(set(used)) != len(used):
            note = f'{what} стоит в "matches" больше одного раза (одинаковые элементы считаются одним)'
            raise UnreadableReply("used-twice", f"{which} is matched more than once", note)


def _shown(number: int) -> str:
    """A number as a note may hold it: a long one could spell anything."""
    return str(number) if abs(number) < 10_000 else "с большим номером"
