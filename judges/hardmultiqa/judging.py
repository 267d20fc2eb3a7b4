"""Judging one answer: fixed verdicts, calls, repairs."""

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from endpoints.reasoning_marks import mark_of as mark_of_reasoning
from judges.hardmultiqa.framing import compose, mark_of, repair_turns
from judges.hardmultiqa.prompt_files import PromptSet, builtin_prompts
from judges.hardmultiqa.replies import MAX_TOKENS, UnreadableReply, read_reply, response_format
from judges.hardmultiqa.reply_size import longest_reply
from judges.hardmultiqa.signature import needs_mark, signature_request
from judges.judgement import Ask, JudgeCall, Judgement, JudgeReply, JudgeUnavailable, Judging, Limit
from judges.reply_watch import WINDOW_ADVICE
from metrics.hardmultiqa import Key, empty_verdict, parse_key, score_verdict, split_answer
from metrics.reasons import nouns
from metrics.record import Answer, Sample

__all__ = ["ATTEMPTS", "DEFAULT_MODEL", "judge", "judging", "read_again"]

DEFAULT_MODEL: Final = "Qwen/Qwen3.5-35B-A3B"
ATTEMPTS: Final = 3
# Codes of replies in another form than the declared one: one kind, whatever the question's type.
_FORM: Final = frozenset({"not-json", "not-an-object", "duplicate-key", "wrong-keys", "wrong-type", "no-verdict-line"})
_SHORTER: Final = "он оборвался, пиши короче, цитаты бери самые короткие"


def judging(prompts: PromptSet | None = None) -> Judging:
    """How HardMultiQA is judged.

    Args:
        prompts: what the judge reads; None takes this project's own.
    """
    chosen = prompts or builtin_prompts()
    asking, reading = functools.partial(judge, prompts=chosen), functools.partial(read_again, prompts=chosen)
    return Judging(DEFAULT_MODEL, asking, chosen.identity, reading)


async def judge(sample: Sample, given: Answer, ask: Ask, *, prompts: PromptSet | None = None) -> Judgement:
    """Judge one answer; the answer is the same at every attempt.

    A run has three attempts. Where all three of an earlier run are in the journal and unreadable, a resumed run has
    three more: the same replies would leave the answer unjudged for good.

    Args:
        sample: the question; ``scoring`` is read.
        given: what the model said; reasoning, and what a base model goes on with, are cut first.
        ask: puts one call to the judge.
        prompts: what the judge reads; None takes this project's own.

    Returns:
        A judgement; no text and no reply raises.

    Raises:
        RowError: the scoring key cannot be read, which is checked when data is loaded.
    """
    key = parse_key(sample.scoring)
    answer = split_answer(given.text, key.cut).text
    if not answer:
        return _empty(key)
    prompts = prompts or builtin_prompts()
    replies: list[JudgeReply] = []
    problem = ""
    for number in itertools.count(1):
        try:
            verdict = await _round(key, answer, prompts, ask, number, replies)
        except JudgeUnavailable as error:
            return _judgement("failed", {}, "", f"the judge gave no reply: {error}", replies)
        except UnreadableReply as error:
            problem = str(error)
        else:
            return _judgement("judged", verdict, score_verdict(key, verdict).reason, "", replies)
        if not replies[-1].kept:
            break
    return _unreadable(problem, replies)


def read_again(
    sample: Sample, given: Answer, replies: Sequence[JudgeReply], *, prompts: PromptSet | None = None
) -> Judgement:
    """The judgement of replies that are at hand: of the first that can be read; nobody is asked.

    Args:
        sample, given: as for :func:`judge`.
        replies: to this answer, in the order in which they came.
        prompts: by which they were asked for; None for this project's own.

    Raises:
        RowError: the scoring key cannot be read.
    """
    key = parse_key(sample.scoring)
    answer = split_answer(given.text, key.cut).text
    if not answer:
        return _empty(key)
    structured = key.type != "open" or (prompts or builtin_prompts()).open_json is not None
    mark = mark_of(key, answer) if needs_mark(answer) else None
    problem = ""
    for number, reply in enumerate(replies, start=1):
        try:
            verdict = _read(key, answer, reply, mark, structured=structured)
        except UnreadableReply as error:
            problem = str(error)
        else:
            return _judgement("judged", verdict, score_verdict(key, verdict).reason, "", list(replies[:number]))
    if not replies:
        return Judgement("failed", error="there is no reply of the judge")
    return _unreadable(problem, list(replies))


def _empty(key: Key) -> Judgement:
    verdict = empty_verdict(key)
    return Judgement("judged", verdict, reason=f"empty answer: {score_verdict(key, verdict).reason}")


def _unreadable(problem: str, replies: list[JudgeReply]) -> Judgement:
    what = f"no readable verdict in {nouns(len(replies), 'attempt')}; the last: {problem}"
    return _judgement("unjudged", {}, "", what, replies)


class _Talk(NamedTuple):
    """The turns of a conversation with the judge, and what they ask besides: a signature, or nothing."""

    turns: tuple[Mapping[str, str], ...]
    request: str

    def repaired(self, note: str) -> "_Talk":
        return self._replace(turns=self.turns + repair_turns(note, self.request))


async def _round(
    key: Key, answer: str, prompts: PromptSet, ask: Ask, number: int, replies: list[JudgeReply]
) -> dict[str, Any]:
    """The verdict of the first readable reply of ``ATTEMPTS``; every reply is added to ``replies``.

    Raises:
        JudgeUnavailable: the endpoint gave none.
        UnreadableReply: none is readable; what is wrong with the last.
    """
    mark = mark_of(key, answer)
    signed = needs_mark(answer)

    def talk(template: str, *, in_text: bool) -> _Talk:
        request = f"{signature_request(mark, in_text=in_text)}." if signed else ""
        return _Talk(compose(template, key, answer, mark, request), request)

    in_text = key.type == "open"
    main, plain = talk(prompts.templates[key.type], in_text=in_text), None
    if in_text and prompts.open_json is not None:
        main, plain = talk(prompts.open_json, in_text=False), main
    form = None if in_text and plain is None else response_format(key.type, signed)
    longest = longest_reply(key, answer)
    attempt = 1
    while True:
        other = None if plain is None else plain.turns
        call = JudgeCall(main.turns, MAX_TOKENS[key.type], form, attempt, number, longest, other)
        reply = await ask(call)
        replies.append(reply)
        try:
            verdict = _read(key, answer, reply, mark if signed else None, structured=form is not None)
        except UnreadableReply as error:
            if _give_up(reply, error) or attempt == ATTEMPTS:
                raise
            attempt += 1
            main = main.repaired(error.note)
            plain = None if plain is None else plain.repaired(error.note)
        else:
            if reply.watch is not None:
                reply.watch.readable()
            return verdict


def _give_up(reply: JudgeReply, error: UnreadableReply) -> bool:
    """Whether the judge's replies have been unreadable in this way for so long that a repair is not worth a call."""
    if reply.watch is None or reply.kept:
        return False
    reply.watch.unreadable("form" if error.code in _FORM else error.code)
    return reply.watch.hopeless


def _read(key: Key, answer: str, reply: JudgeReply, mark: str | None, *, structured: bool) -> dict[str, Any]:
    if reply.reasoned and not reply.text.strip():
        raise UnreadableReply(
            "thinking",
            "the judge's reply holds reasoning and no text, and reasoning is no verdict: "
            "--judge-chat-template-kwargs switches thinking off, --judge-max-tokens leaves room for it",
            "в нём только рассуждения; ответь сразу, без рассуждений",
        )
    if reply.truncated:
        raise UnreadableReply(reply.limit, _cut(reply.limit, reply.cap), _SHORTER)
    try:
        return read_reply(key, answer, reply.text, mark, structured=structured and not reply.plain)
    except UnreadableReply as error:
        if error.code not in {*_FORM, "two-verdicts"} or not _thinks_aloud(reply.text):
            raise
        raise UnreadableReply(
            "marks",
            "the judge's reply holds its reasoning, in marks that nobody cut: serve the judge with its "
            "--reasoning-parser, or switch thinking off by --judge-chat-template-kwargs",
            "в нём есть рассуждения; ответь сразу, без рассуждений",
        ) from None


def _thinks_aloud(reply: str) -> bool:
    """Whether a reply begins with reasoning in known marks."""
    return reply.lstrip().startswith("<think>") or "</think>" in reply or mark_of_reasoning(reply) is not None


def _cut(limit: Limit, cap: int) -> str:
    """Which limit cut a reply, and what mends it."""
    if limit == "window":
        return f"the reply was cut at the end of the judge's window: {WINDOW_ADVICE}"
    if limit == "server":
        return "the reply was cut by the judge's server, at a limit of its own"
    return f"the reply was cut at its cap{f' of {cap} tokens' if cap else ''}: --judge-max-tokens raises it"


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
