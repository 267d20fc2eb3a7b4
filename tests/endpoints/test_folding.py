"""Chunks of a streamed answer, folded into the body that the server would have sent in one piece."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import DONE, chunk, cut, event, text, usage

from endpoints.folding import FoldedStream
from endpoints.reply import AbortedReplyError, BadReplyError, read_reply

WHOLE = event({"choices": [{"index": 0, "message": {"content": "да"}, "finish_reason": "stop"}]})
OVER_LINES = 'data: {"choices":\ndata: [{"delta": {"content": "да"},\ndata: "finish_reason": "stop"}]}\n\n'.encode()
DEEP = b'data: {"choices": [{"delta": {"content": %s1%s}}]}\n\n' % (b'[{"index": 0, "a": ' * 300, b"}]" * 300)
FAILED_CHOICE = event({"choices": [{"delta": {"content": "да"}, "finish_reason": "stop", "error": "engine died"}]})


def fold(*pieces):
    """Status and body."""
    folded = FoldedStream()
    for piece in pieces:
        folded.feed(piece)
    status, body = folded.finish()
    return status, json.loads(body)


def read(*pieces, kind="chat"):
    """The outcome that the body is read as."""
    status, body = fold(*pieces)
    assert status == 200
    return read_reply(kind, json.dumps(body).encode())


@given(st.lists(st.text()), st.lists(st.integers(0, 2**16)))
def test_texts_are_joined(pieces, places):
    """Any text in any chunks, whatever the bytes were cut at; half a surrogate pair meets its other half."""
    whole = "".join(pieces)
    outcome = read(*cut(b"".join(text(*pieces)), places))
    assert (outcome.status, outcome.finish_reason) == ("answered", "stop")
    assert outcome.text == whole
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (11, 7)


def test_surrogate_pair_in_two_chunks():
    """JSON escapes of the halves."""
    halves = [
        rb'data: {"choices": [{"delta": {"content": "\ud83d"}}]}',
        rb'data: {"choices": [{"delta": {"content": "\ude00"}}]}',
    ]
    assert read(b"\n\n".join(halves) + b"\n\n", chunk("stop")).text == "\U0001f600"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_apart(name):
    """Under either name, interleaved with empty contents."""
    pieces = [chunk(**{name: "ду", "content": None}), chunk(**{name: "мал", "content": ""}), chunk(content="да")]
    outcome = read(*pieces, chunk("stop"), DONE)
    assert (outcome.reasoning, outcome.text) == ("думал", "да")


def test_content_parts_are_chained():
    """Lists of parts in deltas, alone and beside texts."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "думал"}]}
    pieces = [chunk(content=""), chunk(content=[thinking]), chunk(content=[{"type": "text", "text": "д"}])]
    outcome = read(*pieces, chunk(content="а"), chunk(content=[{"type": "text", "text": "!"}]), chunk("stop"))
    assert (outcome.reasoning, outcome.text) == ("думал", "да!")


def test_parts_with_an_index_grow():
    """As one part."""
    parts = [{"type": "text", "index": 0, "text": piece} for piece in ("д", "а")]
    _, body = fold(*(chunk(content=[part]) for part in parts), chunk("stop"))
    assert body["choices"][0]["message"]["content"] == [{"type": "text", "index": 0, "text": "да"}]


def test_refusals_and_tool_calls_are_whole():
    """As they would be in one body."""
    calls = [
        [{"index": 0, "id": "a", "type": "function", "function": {"name": "find", "arguments": ""}}],
        [{"index": 1, "id": "b", "type": "function", "function": {"name": "get", "arguments": "{"}}],
        [{"index": 0, "function": {"arguments": '{"q": '}}],
        [{"index": 0, "id": "a", "function": {"arguments": "1}"}}, {"index": 1, "function": {"arguments": "}"}}],
    ]
    _, body = fold(
        *(chunk(tool_calls=call) for call in calls), chunk(refusal="Не "), chunk(refusal="буду"), chunk("tool_calls")
    )
    message = body["choices"][0]["message"]
    assert message["refusal"] == "Не буду"
    assert [call["function"] for call in message["tool_calls"]] == [
        {"name": "find", "arguments": '{"q": 1}'},
        {"name": "get", "arguments": "{}"},
    ]
    assert [(call["id"], call["type"]) for call in message["tool_calls"]] == [("a", "function"), ("b", "function")]
    assert body["choices"][0]["finish_reason"] == "tool_calls"


def test_completions_have_texts():
    """The other kind of generation; an empty text is one."""
    texts = [event({"choices": [{"index": 0, "text": piece, "finish_reason": None}]}) for piece in ("д", "", "а")]
    outcome = read(
        *texts, event({"choices": [{"index": 0, "text": "", "finish_reason": "length"}]}), DONE, kind="completion"
    )
    assert (outcome.text, outcome.finish_reason, outcome.truncated) == ("да", "length", True)


@pytest.mark.parametrize(
    "pieces",
    [
        [chunk(content="да"), chunk("stop", usage={"prompt_tokens": 3, "completion_tokens": 2}), DONE],
        [
            chunk(content="да"),
            event(
                {
                    "choices": [
                        {"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
                    ]
                }
            ),
        ],
        [chunk(content="да", usage={"prompt_tokens": 3, "completion_tokens": 1}), chunk("stop"), usage(3, 2), DONE],
        [chunk(content="да"), chunk("stop"), usage(3, 2), event({"choices": []}), DONE],
    ],
    ids=["in-the-last-chunk", "in-the-choice", "in-every-chunk", "in-a-chunk-of-its-own"],
)
def test_token_counts_are_found(pieces):
    """Wherever servers put them; the last ones count."""
    outcome = read(*pieces)
    assert (outcome.text, outcome.prompt_tokens, outcome.completion_tokens) == ("да", 3, 2)


def test_token_counts_may_be_missing():
    """None, never 0."""
    outcome = read(chunk(content="да"), chunk("stop"), DONE)
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (None, None)


@pytest.mark.parametrize(
    ("pieces", "content"),
    [
        ([chunk(role="assistant"), chunk("stop"), DONE], ""),
        ([chunk(content=None), chunk("content_filter"), DONE], ""),
        ([chunk(content="да"), chunk("stop")], "да"),
        ([chunk(content="д")[:-1], chunk("stop", content="а")[:-1], DONE], "да"),
        ([OVER_LINES], "да"),
        ([b": ping\n\n", chunk(content="да"), b"\n\n: ping\n\n", chunk("stop"), DONE], "да"),
        ([event({"choices": [], "prompt_filter_results": [1]}), chunk(content="да"), chunk("stop")], "да"),
        ([chunk("", content="д"), chunk("", content="а"), chunk("stop"), DONE], "да"),
        ([chunk("stop", content="да"), DONE, chunk(content="ещё")], "да"),
        ([chunk("stop", content="да"), b"data: [DONE]"], "да"),
        ([event({"choices": [{"index": 1, "delta": {"content": "нет"}}]}), chunk("stop", content="да")], "да"),
        ([WHOLE, DONE], "да"),
        ([chunk(content="д"), WHOLE], "да"),
    ],
    ids=[
        *("only-a-role", "null", "no-done", "without-empty-lines", "over-lines", "keep-alives", "no-choices-first"),
        *("empty-reasons", "after-done", "done-without-a-line-end", "another-choice", "one-whole-answer"),
        "the-whole-repeated",
    ],
)  # fmt: skip
def test_whole_answers(pieces, content):
    """Each form that servers give them."""
    assert read(*pieces).text == content


def whole(content, delta=None, reason=None):
    """A chunk with a message."""
    beside = {} if delta is None else {"delta": {"content": delta}}
    return event(
        {"choices": [{**beside, "message": {"role": "assistant", "content": content}, "finish_reason": reason}]}
    )


@pytest.mark.parametrize("empty", ["", None])
def test_messages_without_a_text_take_none_away(empty):
    """At the end, and beside every delta."""
    assert read(chunk(content="д"), chunk(content="а"), whole(empty, reason="stop"), DONE).text == "да"
    assert read(whole(empty, "д"), whole(empty, "а"), whole(empty, "", "stop"), DONE).text == "да"


def test_messages_beside_deltas_count_once():
    """As pieces, and as all that came so far; what was thought before stays."""
    assert read(whole("д", "д"), whole("а", "а", "stop")).text == "да"
    assert read(whole("д", "д"), whole("да", "а", "stop")).text == "да"
    outcome = read(chunk(reasoning="думал"), whole("д"), whole("да", reason="stop"))
    assert (outcome.text, outcome.reasoning) == ("да", "думал")


def test_messages_that_contradict_the_deltas_are_no_answer():
    """Which of them is the answer is not guessed."""
    with pytest.raises(AbortedReplyError, match="does not repeat"):
        read(whole("сло"), whole("во", reason="stop"), DONE)


@pytest.mark.parametrize("later", ["stop", "", "length"])
@pytest.mark.parametrize("blocking", ["content_filter", "SAFETY"])
def test_a_filters_reason_is_not_taken_back(blocking, later):
    """By the reason of a later chunk."""
    assert read(chunk(content="да"), chunk(blocking), chunk(later), DONE).status == "blocked"


def test_other_reasons_are_not_taken_back_either():
    """Neither a cut nor a generation that broke off."""
    assert read(chunk(content="да"), chunk("length"), chunk("stop"), DONE).truncated
    assert read(chunk("stop", content="да"), chunk("length"), DONE).truncated
    with pytest.raises(AbortedReplyError, match="network_error"):
        read(chunk(content="да"), chunk("network_error"), chunk("stop"), DONE)


def test_a_filters_result_is_not_taken_back():
    """By a later chunk in which the same filter found nothing."""
    found = [{"hate": {"filtered": True}}, {"hate": {"filtered": False}, "violence": {"filtered": False}}]
    pieces = [event({"choices": [{"delta": {"content": "да"}, "content_filter_results": one}]}) for one in found]
    outcome = read(*pieces, chunk("stop"), DONE)
    assert (outcome.status, outcome.error) == ("blocked", "content filter (hate)")


def test_a_prompt_that_a_filter_rejected_is_blocked():
    """As it is without streaming: a stream without choices lacks nothing then."""
    results = [{"prompt_index": 0, "content_filter_results": {"jailbreak": {"filtered": True}}}]
    outcome = read(event({"choices": [], "prompt_filter_results": results}), DONE)
    assert (outcome.status, outcome.error) == ("blocked", "prompt blocked: jailbreak")


def test_what_stands_beside_the_choices_stays_there():
    """A filter's words on the prompt, which some servers send instead of an answer, and those on the answer."""
    feedback = {"block_reason": "SAFETY"}
    _, body = fold(event({"choices": [], "prompt_feedback": feedback}), DONE)
    assert body["prompt_feedback"] == feedback
    assert "choices" not in body
    _, body = fold(event({"prompt_feedback": feedback}))
    assert body["prompt_feedback"] == feedback
    results = {"hate": {"filtered": True}}
    filtered = event({"choices": [{"delta": {}, "finish_reason": "content_filter", "content_filter_results": results}]})
    _, body = fold(chunk(content="да"), filtered, DONE)
    assert body["choices"][0]["content_filter_results"] == results


BROKEN = {
    "no-finish-reason": ([chunk(content="полови")], "no finish reason before the end of the connection"),
    "done-all-the-same": ([chunk(content="полови"), DONE], "no finish reason before its end"),
    "nothing": ([], "no finish reason"),
    "keep-alives-only": ([b": ping\n\n" * 3], "no finish reason"),
    "done-only": ([DONE], "no finish reason"),
    "half-an-event": ([chunk(content="полови"), chunk(content="на")[:30]], 'no JSON object: {"id"'),
    "half-a-last-event": ([chunk(content="да"), chunk("stop"), usage()[:30]], "no JSON object"),
    "not-json": ([chunk(content="да"), b"data: oops\n\n", chunk("stop"), DONE], "no JSON object: oops"),
    "not-utf-8": ([chunk(content="да"), b'data: {"a": "\xd0"}\n\n', chunk("stop"), DONE], "no JSON object"),
    "a-list": ([chunk(content="да"), b"data: [1]\n\n", chunk("stop"), DONE], "no JSON object: [1]"),
    "an-error": ([chunk(content="да"), event({"error": {"message": "engine died", "code": 500}}), DONE], "engine died"),
    "an-error-text": ([chunk(content="да"), event({"error": "engine died"})], "engine died"),
    "a-flat-error": ([chunk(content="да"), event({"object": "error", "message": "engine died"})], "engine died"),
    "an-error-after-the-end": ([chunk("stop", content="да"), event({"error": "upstream"}), DONE], "upstream"),
    "an-error-event": ([chunk(content="да"), b'event: error\ndata: {"message": "engine died"}\n\n'], "engine died"),
    "an-error-event-in-text": ([chunk("stop", content="да"), b"event: error\ndata: engine died\n\n"], "engine died"),
    "pings-only": ([chunk(content="да"), event({"type": "ping"})], "no finish reason"),
    "words-of-another-form": ([chunk(content="да"), event({"detail": "engine died"})], "engine died"),
    "an-error-in-the-choice": ([FAILED_CHOICE], "engine died"),
    "an-unknown-reason": ([chunk("network_error", content="да"), DONE], "network_error"),
    "too-deep-to-be-joined": ([DEEP, DEEP, chunk("stop"), DONE], "no JSON object"),
    "an-error-without-a-status": ([event({"error": {"message": "engine died", "code": "internal"}})], "engine died"),
}  # fmt: skip


@pytest.mark.parametrize(("pieces", "words"), BROKEN.values(), ids=BROKEN)
def test_broken_streams_are_no_answers(pieces, words):
    """Whatever was generated: each is a reply that is asked for again, in words that say why."""
    with pytest.raises(BadReplyError) as caught:
        read(*pieces)
    assert words in str(caught.value)


def test_what_breaks_off_is_aborted():
    """As in one body: the text is a fragment."""
    with pytest.raises(AbortedReplyError):
        read(chunk(content="полови"))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"error": {"message": "no such model", "code": 404}}, 404),
        ({"error": {"message": "slow down", "code": "429"}}, 429),
        ({"error": {"message": "no"}, "status": 503}, 503),
        ({"error": "no", "status_code": 400}, 400),
        ({"code": 503, "message": "loading", "detail": "no"}, 503),
        ({"object": "error", "message": "no", "code": 400}, 400),
        ({"error": {"message": "This model's maximum context length is 8192 tokens."}}, 400),
        ({"error": {"message": "too long", "code": "context_length_exceeded"}}, 400),
        ({"error": {"message": "no", "code": 1302}}, 200),
        ({"error": {"message": "no", "code": True}}, 200),
        ({"error": {"message": "no", "code": 200}}, 200),
        ({"error": {"message": "no", "code": "0000000404"}}, 200),
        ({"error": {"message": "no", "code": "000000404" + "0" * 5_000}}, 200),
        ({"error": "no"}, 200),
    ],
)
def test_errors_before_the_answer_have_their_status(error, status):
    """A server that has begun to stream can say it in no other way."""
    assert fold(chunk(role="assistant", content=""), event(error), DONE)[0] == status
    assert fold(event(error))[0] == status
    assert fold(chunk(content="да"), event(error))[0] == 200


@pytest.mark.parametrize("body", [b'{"choices": []}', b'\n {"a": "data: 1"}', b"[1]", b"<html>"])
def test_what_is_no_stream_is_handed_on(body):
    """Byte for byte."""
    folded = FoldedStream()
    for place in range(len(body)):
        folded.feed(body[place : place + 1])
    status, found = folded.finish()
    assert (status, found) == (200, body.lstrip())


def test_errors_of_llama_cpp_are_read():
    """They have a field of their own in place of data."""
    status, body = fold(b'error: {"code": 400, "message": "too long", "type": "exceed_context_size_error"}\n\n')
    assert (status, body["error"]["message"]) == (400, "too long")


def test_long_answers_are_folded_on_the_way():
    """A reasoning of a hundred thousand tokens is not kept as a hundred thousand objects."""
    folded = FoldedStream()
    for _ in range(10_000):
        folded.feed(chunk(reasoning="мысль "))
    assert len(folded._deltas) < 300
    folded.feed(chunk("stop", content="да"))
    message = json.loads(folded.finish()[1])["choices"][0]["message"]
    assert message == {"reasoning": "мысль " * 10_000, "content": "да"}


@given(st.binary(), st.lists(st.integers(0, 2**16)))
def test_any_bytes_are_an_answer_or_a_bad_one(body, places):
    """Nothing else is raised."""
    folded = FoldedStream()
    for piece in cut(body, places):
        folded.feed(piece)
    status, found = folded.finish()
    assert 200 <= status < 600
    with pytest.raises(BadReplyError):
        read_reply("chat", found)
