"""Bodies of good responses, and those that only look like one (see also the faults of the client)."""

import json

import pytest
from fault_server import body_of
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.reply import BadReplyError, read_reply


def chat_body(message, **choice):
    """A chat response with this message."""
    return json.dumps({"choices": [{"message": message, **choice}]}).encode()


def test_content_in_parts_is_joined():
    """Typed parts, as some gateways return them: the text parts are the answer, a part of another type is not."""
    parts = [{"type": "text", "text": "да, "}, {"type": "thinking", "text": "?"}, {"type": "text", "text": "нет"}, 3]
    assert read_reply("chat", chat_body({"content": parts})).text == "да, нет"


@pytest.mark.parametrize(
    ("parts", "text", "reasoning"),
    [
        ([{"type": "output_text", "text": "да", "annotations": []}], "да", None),
        ([{"type": "output_text", "text": "да, "}, {"type": "text", "text": "нет"}], "да, нет", None),
        ([{"text": "да"}], "да", None),
        (["да, ", "нет"], "да, нет", None),
        ([{"type": "text", "text": {"value": "да", "annotations": []}}], "да", None),
        ([{"type": "text", "content": "да"}], "да", None),
        ([{"type": "markdown", "text": "да"}, {"type": "image_url", "image_url": {"url": "x"}}], "да", None),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "хм"}]}, {"type": "text", "text": "да"}],
            "да",
            "хм",
        ),
        ([{"type": "thinking", "thinking": "хм", "signature": "x"}, {"type": "text", "text": "да"}], "да", "хм"),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "хм"}]}, "да"], "да", "хм"),
        ([{"type": "thinking", "thinking": "хм"}], "", "хм"),
        ([{"type": "redacted_thinking", "data": "x"}], "", None),
        ([{"type": "text", "text": ""}], "", None),
        ([], "", None),
    ],
)
def test_parts_that_hold_a_text_are_read(parts, text, reasoning):
    """Whatever their type; a part of reasoning is the trace and never the answer."""
    outcome = read_reply("chat", chat_body({"content": parts}))
    assert (outcome.text, outcome.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([{"type": "image_url", "image_url": {"url": "x"}}], "types: image_url"),
        ([{"type": "input_audio"}, {"type": ["text"]}], "types: input_audio, dict"),
        ([{}], "types: dict"),
        ([3, None], "types: int, NoneType"),
        ([[["да"]]], "types: list"),
        ([{"type": "text", "text": 5}], "'text' holds no text"),
        ([{"type": "text", "text": "да"}, {"type": "output_text", "text": None}], "'output_text' holds no text"),
    ],
)
def test_parts_in_which_nothing_is_understood_are_no_empty_answer(parts, words):
    """The body is bad and says which parts came; so is a part that should hold a text and does not."""
    with pytest.raises(BadReplyError, match=words):
        read_reply("chat", chat_body({"content": parts}))


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": "хм", "reasoning_details": [{"type": "reasoning.text", "text": "хм"}]},
        {"reasoning": [{"type": "text", "text": "хм"}]},
        {"reasoning": None, "reasoning_details": [{"type": "reasoning.summary", "summary": "хм"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "хм", "signature": "x"}]},
        {"thinking": "хм"},
    ],
)
def test_reasoning_apart_is_read_from_any_usual_field(fields):
    """So that thinking which was switched off is noticed whatever the server calls it."""
    outcome = read_reply("chat", chat_body({"content": "да", **fields}))
    assert (outcome.text, outcome.reasoning) == ("да", "хм")


def test_reasoning_that_cannot_be_read_is_none():
    """An encrypted trace, an odd value."""
    for value in ([{"type": "reasoning.encrypted", "data": "x"}], [], 3, True, {}):
        assert read_reply("chat", chat_body({"content": "да", "reasoning_details": value})).reasoning is None


def test_message_without_content_is_an_empty_answer():
    """The server says nothing of a text that it withheld."""
    assert read_reply("chat", chat_body({"role": "assistant", "tool_calls": []})).text == ""


def test_first_choice_counts():
    """One answer is asked for; of several, the first is taken."""
    body = {"choices": [{"text": "первый"}, {"text": "второй"}]}
    assert read_reply("completion", json.dumps(body).encode()).text == "первый"


@pytest.mark.parametrize("choice", [{}, {"text": None}, {"text": 5}, {"message": {"content": "да"}}])
def test_completion_without_text_is_no_answer(choice):
    """A chat response to a completion request is a fault, not an empty answer."""
    with pytest.raises(BadReplyError, match="no text"):
        read_reply("completion", json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize(
    "usage",
    [None, [], *({"prompt_tokens": odd, "completion_tokens": odd} for odd in ("11", True, None, -1, 2**64, 1.5))],
)
def test_odd_usage_is_unknown(usage):
    """A count that no text can have, or that no file can hold, is as if it were not given; the answer stands."""
    outcome = read_reply("chat", json.dumps(body_of("да") | {"usage": usage}).encode())
    assert (outcome.text, outcome.prompt_tokens, outcome.completion_tokens) == ("да", None, None)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"completion_tokens_details": {"reasoning_tokens": 5}}, 5),
        ({"reasoning_tokens": 6}, 6),
        ({"reasoning_tokens": 6, "completion_tokens_details": {"reasoning_tokens": 5}}, 5),
        ({"reasoning_tokens": 6, "completion_tokens_details": {"audio_tokens": 1}}, 6),
        ({"reasoning_tokens": 6, "completion_tokens_details": None}, 6),
        ({"completion_tokens_details": {"reasoning_tokens": True}}, None),
        ({}, None),
    ],
)
def test_reasoning_tokens_stand_in_either_place(usage, tokens):
    """OpenAI's details first, then the usage itself."""
    outcome = read_reply("chat", json.dumps(body_of("да") | {"usage": usage}).encode())
    assert (outcome.reasoning_tokens, outcome.attempts) == (tokens, 1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the body is not JSON: (empty)"),
        (b"<html>\n502", "the body is not JSON: <html> 502"),
        (b'{"choices": [], "detail": "no GPU"}', "the body has no choices: no GPU"),
        (b'{"choices": [{}]}', "the first choice has no message"),
        (b'{"choices": [{"message": {"content": 5}}]}', "the message content is of type int"),
    ],
)
def test_a_bad_body_is_told_in_words(body, words):
    """With the beginning of what came instead."""
    with pytest.raises(BadReplyError) as caught:
        read_reply("chat", body)
    assert str(caught.value) == words


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "eos_token", "MAX_TOKENS", None])
def test_known_finish_reason_is_kept_as_it_was_spelled(reason):
    """The journal and the table show the server's own word."""
    assert read_reply("chat", json.dumps(body_of("да", finish_reason=reason)).encode()).finish_reason == reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("choices", "message", "content", "text", "usage", "reasoning", "type", "finish_reason", "error"),
                    *("refusal", "tool_calls", "content_filter_results", "promptFeedback", "prompt_filter_results"),
                ]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.sampled_from(["chat", "completion"]), st.binary(max_size=100) | JSON.map(lambda v: json.dumps(v).encode()))
def test_any_body_is_an_answer_or_a_named_fault(kind, body):
    """No body raises anything else."""
    try:
        found = read_reply(kind, body).status
    except BadReplyError as fault:
        found = str(fault)
    assert found
