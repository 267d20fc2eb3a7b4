"""What a judge is asked, what it replies, what is made of the replies, and what a judged benchmark brings along."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

from judges.reply_watch import ReplyWatch
from metrics.record import Answer, Sample

__all__ = ["Ask", "JudgeCall", "JudgeReply", "JudgeUnavailable", "Judgement", "Judging", "Limit"]

Limit: TypeAlias = Literal["cap", "window", "server"]


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One request to a judge.

    Attributes:
        messages: chat turns.
        max_tokens: cap on the reply; raised where ``longest`` has more tokens.
        longest: a text of about the length that an honest reply may need; "" where the cap is enough for any.
        plain: turns for a judge whose server takes no structured output; None where they are the same.
        response_format: structured output wanted (``{"type": "json_schema", ...}``), or None for free text.
        attempt: 1 for the first, more after unreadable replies.
        round: 1; more where all attempts of an earlier run were unreadable, and a resumed run tries anew.
    """

    messages: tuple[Mapping[str, str], ...]
    max_tokens: int
    response_format: Mapping[str, Any] | None = None
    attempt: int = 1
    round: int = 1
    longest: str = ""
    plain: tuple[Mapping[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """What a judge said.

    Attributes:
        text: the reply as it came.
        prompt_tokens, completion_tokens: as the server counted, 0 where it did not say.
        truncated: whether a limit ended it.
        limit: which one, if one did: the cap on the reply, the judge's window, or a limit of the server's own.
        cap: cap that was sent, in tokens; 0 if it is not known.
        plain: whether the call's plain turns were put.
        kept: whether an earlier run got it, and this one found it in the journal.
        reasoned: whether the server returned reasoning apart from the text.
        watch: of the judge that replied; None where nobody watches.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    truncated: bool = False
    kept: bool = False
    reasoned: bool = False
    watch: ReplyWatch | None = None
    limit: Limit = "cap"
    cap: int = 0
    plain: bool = False


class JudgeUnavailable(Exception):  # noqa: N818 (the name says what happened)
    """The judge's endpoint gave no reply, after all retries; the message holds its words."""


Ask: TypeAlias = Callable[[JudgeCall], Awaitable[JudgeReply]]
"""Puts one call to a judge; raises JudgeUnavailable."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of judging one answer.

    Attributes:
        status: ``judged``; ``unjudged``: no readable reply after all attempts; ``failed``: the endpoint gave none.
        verdict: plain JSON values, checked by code; empty unless judged.
        reason: one English sentence that a person can act on.
        error: why it is not judged, empty otherwise.
        calls: requests that got a reply.
        prompt_tokens, completion_tokens: over all of them.
        replies: their texts, in order.
    """

    status: Literal["judged", "unjudged", "failed"]
    verdict: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    error: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    replies: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One line of JSON, as the details file keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "Judgement":
        """The judgement that :meth:`to_json` wrote; fields that its version did not have yet have their defaults.

        Raises:
            TypeError: it has no status.
        """
        found = {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
        return cls(**{**found, "replies": tuple(found.get("replies", ()))})


@dataclass(frozen=True, slots=True)
class Judging:
    """How a benchmark's answers are judged by another model.

    Attributes:
        default_model: name of the judge unless the user names another one.
        judge: (sample, answer, ask) -> judgement; never raises for any text or reply.
        identity: one phrase that says which prompts are used; scores by others do not compare.
        read_again: (sample, answer, replies) -> the judgement of replies that are at hand, in the order in which they
            came, by the present reading; nobody is asked. None: what was read then stands.
    """

    default_model: str
    judge: Callable[[Sample, Answer, Ask], Awaitable[Judgement]]
    identity: str
    read_again: Callable[[Sample, Answer, Sequence[JudgeReply]], Judgement] | None = None
