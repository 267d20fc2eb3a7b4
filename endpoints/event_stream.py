"""Reads a stream of server-sent events, by the WHATWG HTML standard, section 9.2.6."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Event", "EventReader", "looks_like_events"]

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BOM: Final = b"\xef\xbb\xbf"
_STARTS: Final = (b"data:", b"event:", b"id:", b"retry:", b"error:", b":")


class Event(NamedTuple):
    """One event.

    Attributes:
        kind: its type; empty if the server named none.
        data: its data, in UTF-8.
    """

    kind: str
    data: bytes


def looks_like_events(body: bytes) -> bool:
    """Whether a body starts as a stream of events does, whatever its content type says."""
    return body[:64].removeprefix(_BOM).lstrip().startswith(_STARTS)


class EventReader:
    """Reads events from pieces of bytes, wherever these were cut.

    Unlike the standard it also takes a last event that has no empty line behind it, since several servers end so, and
    a field ``error``, which is llama.cpp's form of an event of that type.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # pieces of a line that has not ended yet
        self._started = False
        self._after_cr = False
        self._kind = ""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece."""
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a line end
            self._after_cr = False
        self._after_cr = self._after_cr or piece.endswith(b"\r")
        head, *lines = _LINE_END.split(piece)
        self._rest.append(head)
        for line in lines:
            yield from self._take(self._rest_taken())
            self._rest.append(line)

    def end(self) -> Iterator[Event]:
        """The event that the end of the stream cut short, if there is one."""
        yield from self._take(self._rest_taken())
        yield from self._take(b"")

    def _rest_taken(self) -> bytes:
        line = b"".join(self._rest)
        self._rest.clear()
        return line

    def _take(self, line: bytes) -> Iterator[Event]:
        if not self._started:
            line, self._started = line.removeprefix(_BOM), True
        if not line:
            if self._data:
                yield Event(self._kind, b"\n".join(self._data))
            self._kind, self._data = "", []
            return
        field, _, value = line.partition(b":")  # a comment is a field without a name
        value = value.removeprefix(b" ")
        if field in (b"data", b"error"):
            self._data.append(value)
            self._kind = self._kind if field == b"data" else "error"
        elif field == b"event":
            self._kind = value.decode("utf-8", "replace")
