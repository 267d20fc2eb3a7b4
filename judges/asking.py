"""A judge behind an OpenAI-compatible endpoint, with a journal of its replies.

The journal (``judgements.jsonl``) is one of :mod:`endpoints.journal`: a reply is found again by the whole request, so
a resumed run asks only what it has no reply for, and another judge or other prompts ask anew. Where all the replies
that it finds for an answer are unreadable, it asks another round of them (judges.hardmultiqa.judging).
"""

import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

from endpoints.client import Endpoint, ServerInfo
from endpoints.journal import Journal
from endpoints.request import Request
from endpoints.stream import Stream
from judges.judgement import Ask, JudgeCall, JudgeReply, JudgeUnavailable

__all__ = ["Judge", "open_judge"]

# Greedy and without reasoning; servers whose template has no such switch ignore it.
_SAMPLING: Final = {"temperature": 0}
_TEMPLATE: Final = {"chat_template_kwargs": {"enable_thinking": False}}


class Judge:
    """An open judge.

    Attributes:
        model: name in requests.
        info: what its server said of itself.
    """

    def __init__(self, model: str, info: ServerInfo, stream: Stream) -> None:
        self.model = model
        self.info = info
        self._stream = stream

    def ask(self, task: str, sample_id: str, repeat: int) -> Ask:
        """The way to put calls about one answer.

        Args:
            task, sample_id, repeat: of the answer, for the journal.
        """

        async def put(call: JudgeCall) -> JudgeReply:
            extra: dict[str, Any] = dict(_TEMPLATE)
            if call.response_format is not None:
                extra["response_format"] = dict(call.response_format)
            request = Request(
                task=task,
                sample_id=sample_id,
                repeat=repeat,
                kind="chat",
                model=self.model,
                messages=call.messages,
                prompt=None,
                max_tokens=call.max_tokens,
                # The seed says nothing to greedy decoding; it tells the journal another round's call from the first's.
                sampling=_SAMPLING if call.round == 1 else {**_SAMPLING, "seed": call.round},
                extra_body=extra,
            )
            outcome = await self._stream.ask(request)
            if outcome.status != "answered":
                raise JudgeUnavailable(outcome.error or outcome.status)
            return JudgeReply(
                outcome.text,
                outcome.prompt_tokens or 0,
                outcome.completion_tokens or 0,
                outcome.truncated,
                outcome.from_journal,
            )

        return put


@contextlib.asynccontextmanager
async def open_judge(
    base_url: str, model: str, api_key: str | None, concurrency: int, journal: Journal | None
) -> AsyncIterator[Judge]:
    """A judge, checked to be there, for the length of the block.

    Args:
        base_url: of its API, ending in ``/v1``.
        model: the name its server knows it by.
        api_key: None for a server that wants none.
        concurrency: requests in flight.
        journal: of its replies, None for none; several judges may share one.

    Raises:
        EndpointError: it is not reachable, or does not serve the model.
    """
    async with Endpoint(base_url, api_key, concurrency=concurrency) as endpoint:
        info = await endpoint.describe(model)
        async with endpoint.stream(journal) as stream:
            yield Judge(model, info, stream)
