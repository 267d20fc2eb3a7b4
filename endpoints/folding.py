"""Folds a streamed answer into the body that the server would have sent had it not streamed.

So everything that reads a body (:mod:`endpoints.reply`) reads streams too, and the outcomes are the same.
"""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from endpoints.errors import is_context_overflow, one_line, server_words
from endpoints.event_stream import Event, EventReader
from endpoints.finish import Ending, ending, reason_words
from endpoints.shallow_json import read_json

__all__ = ["FoldedStream"]

_DONE: Final = b"[DONE]"
_KEPT_APART: Final = 256  # deltas; an object a token would take more memory than the text
# Fields of a delta that name something; other texts grow from chunk to chunk.
_NAMES: Final = frozenset({"role", "type", "id", "name", "format"})
# What a later chunk may say of the end, without taking back what an earlier one said: the greater stands.
_WEIGHT: Final[dict[Ending, int]] = {"end": 0, "cut": 1, "broken": 2, "blocked": 3}


class FoldedStream:
    """A streamed answer, fed in pieces of bytes.

    A stream that broke has an ``error`` in its body, beside what was generated: an event that is not JSON, an error
    that the server sent, or an end without a finish reason. An error before anything was generated is given the HTTP
    status that it names. A body that is no stream of events, since the server did not stream, is handed on as it is.

    Attributes:
        done: whether the server has said that nothing follows.
    """

    def __init__(self) -> None:
        self.done = False
        self._reader = EventReader()
        self._plain: list[bytes] | None = None  # the body of a server that does not stream after all
        self._started = False
        self._top: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._deltas: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._odd: Any = None  # an object with words for the user that is neither a chunk nor a known error

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if not self._started and piece.strip():
            self._started = True
            self._plain = [] if piece.lstrip()[:1] in (b"{", b"[", b"<") else None
        if self._plain is not None:
            self._plain.append(piece)
            return
        for event in self._reader.feed(piece):
            self._take(event)

    def finish(self) -> tuple[int, bytes]:
        """The HTTP status and the body of the answer, once all pieces were fed."""
        if self._plain is not None:
            return HTTPStatus.OK, b"".join(self._plain)
        for event in self._reader.end():
            self._take(event)
        error = self._top.get("error") or self._missing()
        if error and not self._generated():
            return _status_of(error), json.dumps({**self._top, "error": error}).encode("ascii")
        choice = {**self._choice, "index": 0}
        if self._deltas:
            choice["message"] = _joined("message", self._deltas)
        if self._texts:
            choice["text"] = "".join(self._texts)
        body = {"usage": self._choice.get("usage"), **self._top, "choices": [choice]}
        return HTTPStatus.OK, json.dumps(body | ({"error": error} if error else {})).encode("ascii")

    def _take(self, event: Event) -> None:
        if self.done or not event.data.strip():
            return
        if event.data.strip() == _DONE:
            self.done = True
            return
        try:
            chunk = read_json(event.data.decode("utf-8"))
        except ValueError:
            if b"\n" in event.data:  # events without the empty line between them
                for line in event.data.split(b"\n"):
                    self._take(Event(event.kind, line))
                return
            chunk = event.data.decode("utf-8", "replace")
        if event.kind == "error":
            self._fail(chunk.get("error") or chunk if isinstance(chunk, dict) else chunk)
        elif isinstance(chunk, dict):
            self._add(chunk)
        else:
            self._fail(f"an event of the stream is no JSON object: {one_line(str(chunk), 200)}")

    def _fail(self, error: Any) -> None:
        self._top.setdefault("error", error)

    def _add(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            # vLLM's own form has the status inside, others have it beside.
            beside = {name: chunk[name] for name in ("code", "status", "status_code") if name in chunk}
            error = chunk["error"]
            self._fail({**beside, **(error if isinstance(error, dict) else {"message": error})})
        elif chunk.get("object") == "error":
            self._fail(chunk)
        elif "choices" not in chunk and (chunk.get("message") or chunk.get("detail")):
            self._odd = chunk
        # What stands beside the choices, such as a filter's words on the prompt, stays there.
        self._top |= {name: value for name, value in chunk.items() if value and name not in ("choices", "error")}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._grow(choice)

    def _grow(self, choice: dict[str, Any]) -> None:
        delta, whole, text = choice.get("delta"), choice.get("message"), choice.get("text")
        if isinstance(delta, dict):
            self._deltas.append(delta)
            if len(self._deltas) >= _KEPT_APART:
                self._deltas = [_joined("message", self._deltas)]
        if isinstance(whole, dict):
            self._take_whole(whole, delta.get("content") if isinstance(delta, dict) else None)
        if isinstance(text, str):
            self._texts.append(text)
        told = {name: value for name, value in choice.items() if value and name not in ("delta", "message", "text")}
        if _weight(told.get("finish_reason")) < _weight(self._choice.get("finish_reason")):
            told.pop("finish_reason", None)
        filters, before = told.get("content_filter_results"), self._choice.get("content_filter_results")
        if isinstance(filters, dict) and isinstance(before, dict):
            told["content_filter_results"] = filters | {name: found for name, found in before.items() if _hit(found)}
        self._choice |= told

    def _take_whole(self, message: dict[str, Any], news: Any) -> None:
        """Take a message within the stream: it repeats all that came so far, or it has fields that no delta had.

        Args:
            message: it.
            news: content of the delta beside it.
        """
        sofar = _joined("message", self._deltas) if self._deltas else {}
        before, content = sofar.get("content"), message.get("content")
        given = {name: value for name, value in message.items() if value}
        repeats = isinstance(before, str) and isinstance(content, str) and content.startswith(before)
        if not before or repeats:
            self._deltas = [{**sofar, **given}]
        elif not content or content in (before, news):
            self._deltas = [{**given, **{name: value for name, value in sofar.items() if value}}]
        else:
            self._fail("a message within the stream does not repeat what came before it")

    def _generated(self) -> bool:
        """Whether there is a choice with something in it, or a reason for there being nothing."""
        return bool(
            self._choice.get("finish_reason")
            or any(self._texts)
            or any(value for delta in self._deltas for name, value in delta.items() if name != "role")
        )

    def _missing(self) -> Any:
        """What a stream without a known error lacks; None if it is whole."""
        if self._choice.get("finish_reason"):
            return None
        if self._odd is not None:
            return self._odd
        end = "its end" if self.done else "the end of the connection"
        return f"the stream has no finish reason before {end}"


def _weight(reason: Any) -> int:
    return _WEIGHT[ending(reason_words(reason))]


def _hit(result: Any) -> bool:
    return isinstance(result, dict) and result.get("filtered") is True


def _status_of(error: Any) -> int:
    """The HTTP status that an error within a stream would have had: 200 if it names none."""
    for place in (error, error.get("error")) if isinstance(error, dict) else ():
        for name in ("code", "status", "status_code"):
            value = str(place.get(name)) if isinstance(place, dict) else ""
            if len(value) == 3 and value.isascii() and value.isdigit() and 400 <= int(value) < 600:
                return int(value)
    words, code = server_words(json.dumps({"error": error}).encode("ascii"))
    return HTTPStatus.BAD_REQUEST if is_context_overflow(400, words, code) else HTTPStatus.OK


def _joined(name: str, values: Sequence[Any]) -> Any:
    """One field of several deltas: texts are joined, lists chained, objects merged; of anything else the last stands.

    Items of lists with the same ``index`` (tool calls, parts of a content) are one item that grows.
    """
    known = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in known):
        return "".join(known) if known and name not in _NAMES else (known[-1] if known else None)
    if all(isinstance(value, dict) for value in known):
        fields = dict.fromkeys(field for value in known for field in value)
        return {field: _joined(field, [value[field] for value in known if field in value]) for field in fields}
    if all(isinstance(value, list | str) for value in known):
        return _chained([item for value in known for item in ([value] if isinstance(value, str) else value)])
    return known[-1]


def _chained(items: Sequence[Any]) -> list[Any]:
    grown: dict[Any, list[Any]] = {}
    for place, item in enumerate(items):
        index = item.get("index") if isinstance(item, dict) else None
        grown.setdefault(("index", index) if isinstance(index, int) else ("place", place), []).append(item)
    return [_joined("", pieces) if len(pieces) > 1 else pieces[0] for pieces in grown.values()]
