"""A model and a judge whose replies, and so the scores, are known by construction.

Of the sample set's questions the model gets right: every option; every second open answer; of a strict list all
elements but the last, and one too many; of a list that is not strict the first element; every mistake. It then goes on
with a question of its own, as base models do.
"""

import json
from fractions import Fraction

from aiohttp import web
from fault_server import body_of, prompt_of

from tasks.hardmultiqa.dataset import BUILTIN
from tasks.hardmultiqa.names import OPTIONS, TYPES
from tasks.hardmultiqa.rows import read_question

LINES = (BUILTIN / "test.jsonl").read_text(encoding="utf-8").splitlines()
QUESTIONS = [read_question(json.loads(line)) for line in LINES]
GOES_ON = "\n\nВопрос: Какая река длиннее?\nОтвет: Лена"


def _place(question):
    return [other for other in QUESTIONS if other.kind == question.kind].index(question)


def said(question):
    """The model's answer."""
    known = list(question.reference)
    if question.kind == OPTIONS:
        return ", ".join(known)
    if question.kind == "open":
        return known[0] if _place(question) % 2 == 0 else "Неизвестный ответ"
    if question.kind == "strict-list":
        return "; ".join([*known[:-1], "Атлантида"])
    return known[0] if question.kind == "not-strict-list" else "\n".join(known)


def worth(question):
    """The answer's score, by hand."""
    size = len(question.reference)
    return {
        OPTIONS: Fraction(1),
        "open": Fraction(1 - _place(question) % 2),
        "strict-list": Fraction(2 * (size - 1), size + size),
        "not-strict-list": Fraction(1, size),
        "mistakes": Fraction(1),
    }[question.kind]


def expected(kind=None):
    """Mean score of a type, or of all questions."""
    values = [worth(question) for question in QUESTIONS if kind in (None, question.kind)]
    return float(sum(values) / len(values))


def verdict(question):
    """What an honest judge says of the model's answer, in the declared form."""
    if question.kind == "open":
        return "Сверил с эталоном.\nОценка: " + ("1" if worth(question) else "-1")
    if question.kind == OPTIONS:
        return json.dumps({"chosen": [int(number) for number in question.reference], "verdict": "correct"})
    if question.kind == "mistakes":
        pairs = [correction.split(" → ") for correction in question.reference]
        found = [{"i": i, "quote": wrong, "correction": right} for i, (wrong, right) in enumerate(pairs, start=1)]
        right = len(found)
    else:
        found = [{"i": i, "quote": part} for i, part in enumerate(said(question).split("; "), start=1)]
        right = len(found) - (question.kind == "strict-list")
    matches = [{"element": i, "reference": i} for i in range(1, right + 1)]
    return json.dumps({"elements": found, "matches": matches}, ensure_ascii=False)


async def model(server, request):
    """Answers the last question of a prompt, in either mode."""
    prompt = prompt_of(await request.json())
    completion = not request.path.endswith("chat/completions")
    asked = prompt.rpartition("Вопрос: ")[2].removesuffix("\nОтвет:") if completion else prompt
    (question,) = (found for found in QUESTIONS if found.text == asked)
    text = f" {said(question)}{GOES_ON}" if completion else f"<think>Подумаю.</think>{said(question)}"
    return web.json_response(body_of(text, "completion" if completion else "chat"))


async def judge(server, request):
    """Judges honestly."""
    prompt = (await request.json())["messages"][0]["content"]
    (question,) = (found for found in QUESTIONS if found.text in prompt)
    assert said(question) in prompt
    assert "Какая река длиннее?" not in prompt
    assert "Подумаю" not in prompt
    return web.json_response(body_of(verdict(question)))


__all__ = ["GOES_ON", "QUESTIONS", "TYPES", "expected", "judge", "model", "said", "verdict", "worth"]
