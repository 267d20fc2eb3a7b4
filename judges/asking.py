"""A judge behind an OpenAI-compatible endpoint, with a journal of its replies.

The journal (``judgements.jsonl``) is one of :mod:`endpoints.journal`: a reply is found again by the whole request, so
a resumed run asks only what it has no reply for, and another judge or other prompts ask anew. Where all the replies
that it finds for an answer are unreadable, it asks another round of them (judges.hardmultiqa.judging).
"""

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from endpoints.access import Access
from endpoints.client import Endpoint
from endpoints.errors import RequestRefused, one_line
from endpoints.gate import Gate
from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.request import Request
from endpoints.server_info import ServerInfo
from endpoints.waiting import OnWaiting
from judges.judgement import Ask, JudgeCall, JudgeReply, JudgeUnavailable
from judges.reply_cap import CappedStream, Sent
from judges.reply_watch import WINDOW_ADVICE, ReplyWatch

__all__ = ["TEMPLATE", "Judge", "JudgeRequest", "open_judge"]

# Greedy and without reasoning; servers whose template has no such switch ignore it.
_SAMPLING: Final = {"temperature": 0}
TEMPLATE: Final[Mapping[str, Any]] = {"enable_thinking": False}
Form: TypeAlias = Literal["json_schema", "json_object", "text"]
_FORMS: Final[tuple[Form, ...]] = get_args(Form)
# "HTTP 400: 'response_format.type' must be 'json_object' or 'text'", and the words of others for the same.
_form_refusal = re.compile(
    r"HTTP (?:400|415|422): .*(?:response.?format|json.?schema|json.?object|structured.?output|guided|grammar)",
    re.IGNORECASE | re.DOTALL,
)


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What the user wants of every request to a judge.

    Attributes:
        max_tokens: cap on each reply; None takes the benchmark's own.
        chat_template_kwargs: further variables of its chat template; thinking is off unless they say otherwise.
        extra_body: further fields of the body.
    """

    max_tokens: int | None = None
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """What every request has besides its messages."""
        return {"chat_template_kwargs": {**TEMPLATE, **self.chat_template_kwargs}, **self.extra_body}


class Judge:
    """An open judge.

    Attributes:
        model: name in requests.
        info: what its server said of itself.
        form: structured output that its server takes, as far as it is known.
    """

    def __init__(
        self, model: str, info: ServerInfo, stream: CappedStream, request: JudgeRequest, say: Callable[[str], None]
    ) -> None:
        self.model = model
        self.info = info
        self._stream = stream
        self.form: Form = "json_schema"
        self._request = request
        self._say = say
        self._watch = ReplyWatch(say)
        self._form_is_known = False
        self._first_of_form = asyncio.Lock()

    def ask(self, task: str, sample_id: str, repeat: int) -> Ask:
        """The way to put calls about one answer.

        Args:
            task, sample_id, repeat: of the answer, for the journal.
        """

        async def put(call: JudgeCall) -> JudgeReply:
            if call.response_format is None:
                return self._reply(await send(call, "text"))
            # A version without this call's object asked for the plain form: its replies are as good.
            kept = self._stream.known(request_of(call, "text")) if call.plain is not None else None
            if kept is not None:
                return self._reply(kept, plain=True)
            # The first of them goes alone: a server that lacks the form refuses one request, not all in flight.
            async with self._first_of_form:
                done = None if self._form_is_known else await self._send_in_form(lambda form: send(call, form))
            sent, form = done or await self._send_in_form(lambda form: send(call, form))
            return self._reply(sent, plain=form == "text" and call.plain is not None)

        async def send(call: JudgeCall, form: Form) -> Sent:
            return await self._stream.ask(request_of(call, form), call.longest, self._request.max_tokens)

        def request_of(call: JudgeCall, form: Form) -> Request:
            extra = self._request.fields()
            if form == "json_schema" and call.response_format is not None:
                extra["response_format"] = dict(call.response_format)
            elif form == "json_object":
                extra["response_format"] = {"type": "json_object"}
            return Request(
                task=task,
                sample_id=sample_id,
                repeat=repeat,
                kind="chat",
                model=self.model,
                messages=call.plain if form == "text" and call.plain is not None else call.messages,
                prompt=None,
                max_tokens=call.max_tokens,
                # The seed says nothing to greedy decoding; it tells the journal another round's call from the first's.
                sampling=_SAMPLING if call.round == 1 else {**_SAMPLING, "seed": call.round},
                extra_body=extra,
            )

        return put

    async def _send_in_form(self, send: Callable[[Form], Awaitable[Sent]]) -> tuple[Sent, Form]:
        """What a request with structured output comes to, in the best form that the server takes, and that form.

        Raises:
            EndpointError: the server refuses the request for another reason.
        """
        while True:
            form = self.form
            refusal: RequestRefused | None = None
            try:
                sent = await send(form)
                words = (sent.outcome.error or "") if sent.outcome.error_code == "refused" else ""
            except RequestRefused as error:
                refusal, words = error, f"HTTP {error.status}: {error.server_message}"
            if form == "text" or not _refuses_form(words):
                if refusal is not None:
                    raise refusal
                self._form_is_known = True  # or else the server has other troubles, which every call may meet at once
                return sent, form
            if self.form == form:
                self.form = _FORMS[_FORMS.index(form) + 1]
                self._say(
                    f"the judge: its server refuses response_format {form}; asking for {self.form} from here on. "
                    f"It said: {one_line(words, 200)}"
                )

    def _reply(self, sent: Sent, *, plain: bool = False) -> JudgeReply:
        outcome = sent.outcome
        if outcome.status != "answered":
            raise JudgeUnavailable(_why(outcome))
        return JudgeReply(
            outcome.text,
            outcome.prompt_tokens or 0,
            outcome.completion_tokens or 0,
            outcome.truncated,
            outcome.from_journal,
            outcome.reasoning is not None,
            self._watch,
            sent.limit,
            sent.cap,
            plain,
        )


def _why(outcome: Outcome) -> str:
    """Why there is no reply, in the server's words, and what can be done if it is of a known kind."""
    words = outcome.error or outcome.status
    if outcome.error_code == "does-not-fit":
        return f"question, reference and answer do not fit the judge's window: {words}; {WINDOW_ADVICE}"
    if outcome.error_code == "context-overflow":
        lower = ", or lower the cap on its replies by --judge-max-tokens"
        return f"prompt and reply do not fit the judge's window: {words}; {WINDOW_ADVICE}{lower}"
    if outcome.error_code == "refused":
        return f"its server refused this request: {words}"
    if outcome.error_code == "blocked":
        return f"its server withheld it ({words})"
    return words


def _refuses_form(words: str) -> bool:
    """Whether a server's refusal is of the structured output that was asked for."""
    return _form_refusal.match(words) is not None


@contextlib.asynccontextmanager
async def open_judge(
    base_url: str,
    model: str,
    api_key: str | None,
    concurrency: int | Gate,
    journal: Journal | None,
    request: JudgeRequest | None = None,
    say: Callable[[str], None] = _to_stderr,
    access: Access | None = None,
    on_waiting: OnWaiting | None = None,
    enough: asyncio.Event | None = None,
) -> AsyncIterator[Judge]:
    """A judge, checked to be there, for the length of the block.

    Args:
        base_url: of its API, ending in ``/v1``.
        model: the name its server knows it by.
        api_key: None for a server that wants none.
        concurrency: requests in flight, or a gate for them.
        journal: of its replies, None for none; several judges may share one.
        request: what the user wants of every request; None for nothing in particular.
        say: writes one line for the user.
        access: how its server is talked to; None for the usual way.
        on_waiting: told of answers that wait for it long (:class:`endpoints.waiting.WaitingList`); None for none.
        enough: once it is set, no further request is sent to it; None for all of them.

    Raises:
        EndpointError: it is not reachable, or does not serve the model.
    """
    access = access or Access()
    async with Endpoint(base_url, api_key, concurrency=concurrency, **access.options()) as endpoint:
        info = await endpoint.describe(model, must_be_listed=access.listed)
        async with endpoint.stream(journal, on_waiting, enough) as stream:
            capped = CappedStream(stream, endpoint, info.max_model_len)
            yield Judge(model, info, capped, request or JudgeRequest(), say)
