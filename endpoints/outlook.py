"""What can be said of a run's requests before any of them is sent."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from endpoints.journal_lines import JournalLine, read_journal
from endpoints.planning import TOKENS_PER_BYTE, Plan, prompt_bytes
from endpoints.request import Request
from endpoints.tokenizer import Tokenizer

__all__ = ["IdleKey", "LongestPrompt", "OnOutlook", "Outlook", "idle_keys", "kept_lines", "longest_prompt"]

_LONGEST: Final = 8  # texts whose tokens are counted, by each measure of length


@dataclass(frozen=True, slots=True)
class Outlook:
    """A run's requests, just before they are sent.

    Attributes:
        requests: as the tasks ask for them, in the order in which they are sent.
        plan: what the window leaves of them.
        window: the server's context length in tokens; None if it is not known.
        kept: places of the requests whose answers are at hand: in the journal, or in a file of saved answers.
        tokenizer: of the server that will be asked; None without one.
        notes: sentences for the user, who also gets them under the table.
    """

    requests: Sequence[Request]
    plan: Plan
    window: int | None = None
    kept: Collection[int] = ()
    tokenizer: Tokenizer | None = None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def unserved(cls, requests: Sequence[Request], window: int | None, kept: Collection[int]) -> "Outlook":
        """The outlook where no server is asked, or none is there yet: nothing is fitted.

        Args:
            requests: as the tasks ask for them.
            window: of the server that will be there, in tokens; None if it is not known.
            kept: see the attribute.
        """
        return cls(requests, Plan(list(requests), {}, 0), window, kept)


OnOutlook = Callable[[Outlook], Awaitable[None]]


class LongestPrompt(NamedTuple):
    """The longest prompt of a run.

    Attributes:
        request: which.
        tokens: how long, chat template included.
        counted: whether the server counted them; False for an estimate from the bytes.
    """

    request: Request
    tokens: int
    counted: bool


async def longest_prompt(outlook: Outlook) -> LongestPrompt | None:
    """The longest prompt; None without any.

    Whatever may come near the window was counted when the plan was made; of the others the longest texts are counted.
    """
    if not outlook.requests:
        return None
    counts: dict[int, int] = dict(outlook.plan.counted)
    for place in _longest_texts(outlook.requests) if outlook.tokenizer is not None else ():
        if place not in counts and outlook.tokenizer is not None:
            tokens = await outlook.tokenizer.tokens(outlook.requests[place])
            if tokens is None:
                break  # it will not say more of the next one
            counts[place] = len(tokens)
    if counts:
        place = max(counts, key=lambda place: counts[place])
        return LongestPrompt(outlook.requests[place], counts[place], True)
    longest = max(outlook.requests, key=prompt_bytes)
    return LongestPrompt(longest, int(prompt_bytes(longest) * TOKENS_PER_BYTE), False)


def _longest_texts(requests: Sequence[Request]) -> list[int]:
    """Places of the longest texts, by bytes and by characters: tokens lie between, as languages mix."""
    first: dict[Any, int] = {}
    for place, request in enumerate(requests):
        first.setdefault((request.task, request.sample_id), place)  # repeats have one prompt
    by_bytes = sorted(first.values(), key=lambda place: -prompt_bytes(requests[place]))
    by_letters = sorted(first.values(), key=lambda place: -_letters(requests[place]))
    return list(dict.fromkeys([*by_bytes[:_LONGEST], *by_letters[:_LONGEST]]))


def _letters(request: Request) -> int:
    return len(request.prompt or "") + sum(len(turn["content"]) for turn in request.messages or ())


class IdleKey(NamedTuple):
    """A variable of the chat template that changes nothing in a prompt.

    Attributes:
        name: its name.
        value: what was asked for.
        is_default: whether the template reads it, and does the same without it.
    """

    name: str
    value: Any
    is_default: bool


async def idle_keys(
    request: Request, tokenizer: Tokenizer, standing: Mapping[str, Any] | None = None
) -> list[IdleKey] | None:
    """Which variables of a request's ``chat_template_kwargs`` change nothing in its prompt, by the server's tokenizer.

    One that matters only beside another one, or that another one makes needless, does change something: each is left
    out of them all, and tried alone.

    Args:
        request: a chat request with the variables.
        tokenizer: of the server that gets it.
        standing: variables that are sent without being asked for; what repeats them is not looked at.

    Returns:
        The variables, or None if the server does not say what it makes of the prompt.
    """
    kwargs: Mapping[str, Any] = request.extra_body.get("chat_template_kwargs", {})
    standing = standing or {}

    async def rendered(variables: Mapping[str, Any]) -> tuple[int, ...] | None:
        body = {name: value for name, value in request.extra_body.items() if name != "chat_template_kwargs"}
        if variables:
            body["chat_template_kwargs"] = dict(variables)
        return await tokenizer.tokens(replace(request, extra_body=body))

    asked = {name: value for name, value in kwargs.items() if not (name in standing and _same(standing[name], value))}
    whole = await rendered(kwargs)
    bare = await rendered(standing) if whole is not None else None
    if whole is None or bare is None:
        return None
    idle = []
    for name, value in asked.items():
        others = {**standing, **{other: kwargs[other] for other in kwargs if other != name}}
        without = bare if len(kwargs) == 1 else await rendered(others)
        alone = whole if len(kwargs) == 1 else await rendered({**standing, name: value})
        if without is None or alone is None:
            return None
        if whole == without and alone == bare:
            other = await rendered({**kwargs, name: not value}) if isinstance(value, bool) else whole
            idle.append(IdleKey(name, value, other is not None and other != whole))
    return idle


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def kept_lines(path: Path) -> list[JournalLine]:
    """The lines of a journal that hold an answer; the file is not changed, and need not be there.

    Raises:
        JournalError: it cannot be read.
    """
    lines = read_journal(path) if path.exists() else []
    return [line for line in lines if line.outcome.is_answer]
