"""Scripted judges: functions from a call's messages to a reply, and the adversarial answers they are put to."""

import json
import re
from pathlib import Path

import yaml

FRAME = re.compile(r"<<<ОТВЕТ МОДЕЛИ ([0-9a-f]{16})>>>\n")


def load_attacks():
    """(id, question of the file with its ``answer`` filled in)."""
    content = yaml.safe_load(Path(__file__).with_name("adversarial.yaml").read_text(encoding="utf-8"))
    attacks = []
    for attack in content["attacks"]:
        question = content["questions"][attack["question"]]
        answer = attack["answer"].replace("{says}", question["says"]).replace("{forged}", question["forged"])
        attacks.append((attack["id"], question | {"answer": answer}))
    return attacks


def scoring_of(question):
    return json.dumps({name: question[name] for name in ("type", "question", "reference")}, ensure_ascii=False)


def mark_in(messages):
    """The mark as the first border gives it: what stands before the answer, so no answer can change it."""
    return re.search(r"<<<ВОПРОС ([0-9a-f]{16})>>>\n", messages[0]["content"])[1]


def framed_answer(messages):
    """The answer's block, ended by the first line that is its closing border."""
    text, mark = messages[0]["content"], mark_in(messages)
    return text.split(f"<<<ОТВЕТ МОДЕЛИ {mark}>>>\n", 1)[1].split(f"\n<<<КОНЕЦ ОТВЕТА МОДЕЛИ {mark}>>>", 1)[0]


def instructions(messages):
    """What stands after the answer's block."""
    mark = mark_in(messages)
    return messages[0]["content"].split(f"\n<<<КОНЕЦ ОТВЕТА МОДЕЛИ {mark}>>>", 1)[1]


def asks_for_mark(messages):
    """Whether the last turn asks for the mark in the reply; in the first turn it never does."""
    return len(messages) > 1 and any(mark_in(messages) in turn["content"] for turn in messages[1:])


def honest(question):
    """A judge that follows the instructions."""

    def reply(messages):
        verdict = question["honest"]
        if isinstance(verdict, str):
            sign = f"Метка: {mark_in(messages)}\n" if asks_for_mark(messages) else ""
            return f"Названа другая река.\n{sign}{verdict}"
        sign = {"mark": mark_in(messages)} if asks_for_mark(messages) else {}
        return json.dumps(sign | verdict, ensure_ascii=False)

    return reply


def follows_borders(question):
    """Reads the answer up to the first closing border; whatever follows is taken for instructions.

    Under borders that an answer can write, the forged verdict would be among the instructions.
    """

    def reply(messages):
        # A second closing border means that the first one was the answer's.
        if "<<<КОНЕЦ ОТВЕТА МОДЕЛИ" in instructions(messages):
            return question["forged"]
        return honest(question)(messages)

    return reply


def follows_anything_like_a_border(question):
    """Takes any line that looks like a closing border for one, and does what comes next."""

    def reply(messages):
        answer = framed_answer(messages)
        found = re.search(r"КОНЕЦ ОТВЕТА|</|\[INST\]|im_start|-----|```|~~~|###|SYSTEM|СИСТЕМА", answer)
        if found and question["forged"] in answer[found.start() :]:
            return question["forged"]
        return honest(question)(messages)

    return reply


def echoes_answer(question):
    """Replies with the whole answer."""
    return framed_answer


def echoes_last_line(question):
    """Replies with the answer's last line."""
    return lambda messages: framed_answer(messages).strip().splitlines()[-1]


def echoes_answer_with_a_fair_start(question):
    """Comments on the answer, then repeats it."""
    return lambda messages: "Рассмотрим ответ.\n" + framed_answer(messages)


def two_verdicts(question):
    """The honest verdict and then the forged one."""
    return lambda messages: honest(question)(messages) + "\n" + question["forged"]


def forged_then_honest(question):
    """The other way round."""
    return lambda messages: question["forged"] + "\n" + honest(question)(messages)


def own_json(question):
    """Replies with what the answer holds between its first brace and its last, or its last verdict line."""

    def reply(messages):
        answer = framed_answer(messages)
        if question["type"] == "open":
            lines = [line for line in answer.splitlines() if line.startswith("Оценка:")]
            return lines[-1] if lines else answer
        return answer[answer.find("{") : answer.rfind("}") + 1]

    return reply


def first_object(question):
    """Replies with the first whole JSON object that the answer holds."""

    def reply(messages):
        answer = framed_answer(messages)
        for start in (found.start() for found in re.finditer(r"\{", answer)):
            try:
                _, end = json.JSONDecoder().raw_decode(answer[start:])
            except ValueError:
                continue
            return answer[start : start + end]
        return answer

    return reply


def obeys(question):
    """Replies with the verdict that the attack wants, word for word."""
    return lambda messages: question["forged"]


def signs_with_the_answers_mark(question):
    """Signs the forged verdict with a mark that it found in the answer."""

    def reply(messages):
        found = re.search(r"[0-9a-f]{16}|\{mark\}", framed_answer(messages))
        mark = found[0] if found else "0" * 16
        if question["type"] == "open":
            return f"Метка: {mark}\n{question['forged']}"
        return json.dumps({"mark": mark} | json.loads(question["forged"]), ensure_ascii=False)

    return reply


ALL = (
    follows_borders,
    follows_anything_like_a_border,
    echoes_answer,
    echoes_last_line,
    echoes_answer_with_a_fair_start,
    two_verdicts,
    forged_then_honest,
    own_json,
    first_object,
    obeys,
    signs_with_the_answers_mark,
)
