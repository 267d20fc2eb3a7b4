"""Events in a stream of bytes, by the standard's rules and examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import cut

from endpoints.event_stream import EventReader, looks_like_events


def events(*pieces):
    """Kind and data of every event."""
    reader = EventReader()
    found = [event for piece in pieces for event in reader.feed(piece)]
    return [(event.kind, event.data.decode()) for event in (*found, *reader.end())]


EXAMPLES = {
    # From the standard's section 9.2.6 and its examples in 9.2.7.
    "several lines": (b"data: YHOO\ndata: +2\ndata: 10\n\n", [("", "YHOO\n+2\n10")]),
    "a comment, an id, no space": (
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        [("", "first event"), ("", "second event"), ("", " third event")],
    ),
    "data without a value": (b"data\n\ndata\ndata\n\n", [("", ""), ("", "\n")]),
    "one space is no part": (b"data:test\n\ndata: test\n\n", [("", "test"), ("", "test")]),
    "types": (b"event: add\ndata: 1\n\ndata: 2\n\nevent: remove\n\ndata: 3\n\n", [("add", "1"), ("", "2"), ("", "3")]),
    "mark of byte order": (b"\xef\xbb\xbfdata: 1\n\n", [("", "1")]),
    "unknown fields": (b"retry: 10\nfoo: bar\nDATA: no\n data: no\ndata: 1\n\n", [("", "1")]),
    "colons in the data": (b'data: {"a": "b:c"}\n\n', [("", '{"a": "b:c"}')]),
    "keep-alives": (b":\n\n: ping\n\ndata: 1\n: in between\ndata: 2\n\n:\n\n", [("", "1\n2")]),
    "only empty lines": (b"\n\n\r\n\r\r", []),
    "llama.cpp's errors": (b'error: {"code": 400}\n\ndata: 1\n\n', [("error", '{"code": 400}'), ("", "1")]),
    # Unlike the standard: servers forget the last empty line, or even the line end.
    "no last empty line": (b"data: 1\n\ndata: 2\n", [("", "1"), ("", "2")]),
    "no last line end": (b"data: 1\n\ndata: 2", [("", "1"), ("", "2")]),
    "other line ends of Unicode are text": ("data: а\u2028б\x85в\x0b\n\n".encode(), [("", "а\u2028б\x85в\x0b")]),
}


@pytest.mark.parametrize(("body", "expected"), EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_events_are_read(body, expected, line_end):
    """Under each line end, whole and byte by byte."""
    body = body.replace(b"\n", line_end)
    if line_end != b"\n":
        body = body.replace(b"\r\r\n", b"\r\n")
    assert events(body) == expected
    assert events(*(body[i : i + 1] for i in range(len(body)))) == expected


@given(st.text(st.sampled_from("data: x\r\n\ufeffж")), st.lists(st.integers(0, 2**16)))
def test_cuts_do_not_matter(text, places):
    """Anywhere, within a character or a line end too."""
    body = text.encode()
    assert events(*cut(body, places)) == events(body)


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1)), st.data())
def test_what_was_sent_is_read(texts, data):
    """Whatever the texts hold, under the server's own line end."""
    end = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    body = b"".join(b"data: " + text.encode() + end + end for text in texts)
    assert events(*cut(body, data.draw(st.lists(st.integers(0, 2**16))))) == [("", text) for text in texts]


@pytest.mark.parametrize(
    "body", [b"data: {}", b"data:{}", b": ping\n\n", b"event: x", b"\n\nid: 1", b"\xef\xbb\xbfdata:"]
)
def test_a_stream_is_known_by_its_start(body):
    """Under a wrong content type."""
    assert looks_like_events(body)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"data": 1}', b"[]", b"<html>", b"datas: 1", b"\n{"])
def test_other_bodies_are_no_stream(body):
    """JSON and web pages."""
    assert not looks_like_events(body)
