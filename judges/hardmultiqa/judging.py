"""Judging one answer: fixed verdicts, calls, repairs."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from judges.hardmultiqa.framing import compose, mark_of, repair_turns
from judges.hardmultiqa.prompt_files import PromptSet, builtin_prompts, load_prompts
from judges.hardmultiqa.replies import COPIED, MAX_TOKENS, UnreadableReply, read_reply, response_format
from judges.judgement import Ask, JudgeCall, Judgement, JudgeReply, JudgeUnavailable
from metrics.hardmultiqa import Key, empty_verdict, parse_key, score_verdict, split_answer

__all__ = ["ATTEMPTS", "DEFAULT_MODEL", "judge", "prompts_identity", "prompts_sha256", "use_prompts"]

DEFAULT_MODEL: Final = "Qwen/Qwen3.5-35B-A3B"
ATTEMPTS: Final = 3

_chosen: list[PromptSet] = []  # what use_prompts put in place of this project's prompts: none or one


def use_prompts(path: str | None) -> None:
    """Judge by the prompts of a folder from now on; None goes back to this project's own.

    Raises:
        PromptsError: the folder does not hold usable prompts of all five types; nothing is changed.
    """
    _chosen[:] = [load_prompts(Path(path), path)] if path is not None else []


def _prompts() -> PromptSet:
    return _chosen[0] if _chosen else builtin_prompts()


def prompts_identity() -> str:
    """One phrase that says which prompts are in use."""
    return _prompts().identity


def prompts_sha256() -> str:
    """Hex digest of the prompts in use."""
    return _prompts().sha256


async def judge(specific: Mapping[str, Any], text: str | None, ask: Ask) -> Judgement:
    """Judge one answer; the answer is the same at every attempt.

    A run has three attempts. Where all three of an earlier run are in the journal and unreadable, a resumed run has
    three more: the same replies would leave the answer unjudged for good.

    Args:
        specific: of the document; ``scoring`` is read.
        text: raw generation; reasoning, and what a base model goes on with, are cut first.
        ask: puts one call to the judge.

    Returns:
        A judgement; no text and no reply raises.

    Raises:
        RowError: the scoring key cannot be read, which is checked when data is loaded.
    """
    key = parse_key(specific["scoring"])
    answer = split_answer(text, key.cut).text
    if not answer:
        verdict = empty_verdict(key)
        return Judgement("judged", verdict, reason=f"empty answer: {score_verdict(key, verdict).reason}")
    replies: list[JudgeReply] = []
    problem = ""
    for number in itertools.count(1):
        try:
            verdict = await _round(key, answer, ask, number, replies)
        except JudgeUnavailable as error:
            return _judgement("failed", {}, "", f"the judge gave no reply: {error}", replies)
        except UnreadableReply as error:
            problem = str(error)
        else:
            return _judgement("judged", verdict, score_verdict(key, verdict).reason, "", replies)
        if not replies[-1].kept:
            break
    what = f"no readable verdict in {len(replies)} attempts; the last: {problem}"
    return _judgement("unjudged", {}, "", what, replies)


async def _round(key: Key, answer: str, ask: Ask, number: int, replies: list[JudgeReply]) -> dict[str, Any]:
    """The verdict of the first readable reply of ``ATTEMPTS``; every reply is added to ``replies``.

    Raises:
        JudgeUnavailable: the endpoint gave none.
        UnreadableReply: none is readable; what is wrong with the last.
    """
    mark = mark_of(key, answer)
    messages = compose(_prompts().templates[key.type], key, answer, mark)
    signed = False
    attempt = 1
    while True:
        call = JudgeCall(messages, MAX_TOKENS[key.type], response_format(key.type, signed), attempt, number)
        reply = await ask(call)
        replies.append(reply)
        try:
            return _read(key, answer, reply, mark, signed)
        except UnreadableReply as error:
            if attempt == ATTEMPTS:
                raise
            attempt += 1
            signed = signed or error.code == COPIED
            messages += repair_turns(error.note)


def _read(key: Key, answer: str, reply: JudgeReply, mark: str, signed: bool) -> dict[str, Any]:
    if reply.truncated:
        raise UnreadableReply(
            "truncated", "the reply ended at its token cap", "он оборвался, пиши короче, цитаты бери самые короткие"
        )
    return read_reply(key, answer, reply.text, mark, signed)


def _judgement(
    status: Any, verdict: Mapping[str, Any], reason: str, error: str, replies: list[JudgeReply]
) -> Judgement:
    return Judgement(
        status,
        verdict,
        reason,
        error,
        calls=len(replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        completion_tokens=sum(reply.completion_tokens for reply in replies),
        replies=tuple(reply.text for reply in replies),
    )
