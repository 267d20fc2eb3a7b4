"""Finish reasons: an end, a cut, or a generation that broke off."""

import json
import re

import pytest
from fault_server import body_of

from endpoints.finish import ending, reason_words
from endpoints.outcome import Outcome
from endpoints.reply import AbortedReplyError, read_reply

ENDS = [
    "stop",
    "STOP",
    "FINISH_REASON_STOP",
    "eos_token",
    "eosFound",
    "end_turn",
    "stop_sequence",
    "COMPLETE",
    "",
    None,
]
CUTS = [
    *("length", "max_tokens", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "max-tokens", "REASON_MAX_LEN"),
    *("model_length", "model_context_window_exceeded", "contextLengthReached", "limit", "repetition"),
]
BROKEN = [
    *("abort", "ABORT", "aborted", "cancelled", "error", "ERROR", "network_error", "timeout", "userStopped"),
    *("insufficient_system_resource", "OTHER", "FINISH_REASON_UNSPECIFIED", "MALFORMED_FUNCTION_CALL", "a new word"),
    *("content_filter_error", "safety_check_timeout", "moderation failed"),
]


@pytest.mark.parametrize("reason", ENDS)
def test_known_ends_are_whole_answers(reason):
    """Spellings of enumerations count too; no reason at all says nothing against the answer."""
    outcome = Outcome(status="answered", finish_reason=reason)
    assert (ending(reason), outcome.truncated, outcome.broken_off) == ("end", False, False)


@pytest.mark.parametrize("reason", CUTS)
def test_every_name_of_a_limit_is_a_cut(reason):
    """The cap, the window and the server's own stop of repetitions: the answer counts as truncated."""
    outcome = Outcome(status="answered", finish_reason=reason)
    assert (ending(reason), outcome.truncated, outcome.broken_off) == ("cut", True, False)


@pytest.mark.parametrize("reason", BROKEN)
def test_any_other_word_is_a_generation_that_broke_off(reason):
    """A word that nobody knows is no proof of an end."""
    assert ending(reason) == "broken"
    with pytest.raises(AbortedReplyError, match=re.escape(reason)):
        read_reply("chat", json.dumps(body_of("полови", finish_reason=reason)).encode())


@pytest.mark.parametrize(
    ("value", "word", "meaning"),
    [
        ({"type": "length", "length": 16}, "length", "cut"),
        ({"type": "stop", "matched": 2}, "stop", "end"),
        ({"reason": "MAX_TOKENS"}, "MAX_TOKENS", "cut"),
        ({"type": "abort", "message": "Out of memory"}, "abort", "broken"),
        ({}, None, "end"),
        ({"other": 1}, "{'other': 1}", "broken"),
        (7, "7", "broken"),
        (["stop"], "['stop']", "broken"),
    ],
)
def test_reason_that_is_no_string(value, word, meaning):
    """SGLang's own objects are read; a value that nothing is known of is no end."""
    assert reason_words(value) == word
    assert ending(word) == meaning


@pytest.mark.parametrize("kind", ["chat", "completion"])
@pytest.mark.parametrize("error", [{"message": "upstream died", "code": 502}, "upstream died"])
@pytest.mark.parametrize("place", ["body", "choice"])
def test_error_beside_a_text_makes_it_a_fragment(kind, error, place):
    """The words of the error are kept, even where the finish reason says stop."""
    body = body_of("полови", kind)
    (body if place == "body" else body["choices"][0])["error"] = error
    with pytest.raises(AbortedReplyError, match="upstream died"):
        read_reply(kind, json.dumps(body).encode())


def test_words_in_the_reason_are_kept():
    """SGLang says in the reason itself why it aborted."""
    body = body_of("полови")
    body["choices"][0]["finish_reason"] = {"type": "abort", "message": "Out of memory"}
    with pytest.raises(AbortedReplyError, match=r"finish_reason 'abort'\): Out of memory"):
        read_reply("chat", json.dumps(body).encode())


@pytest.mark.parametrize("nothing", [None, "", {}, [], False])
def test_empty_error_field_is_no_error(nothing):
    """Some servers send the field with every answer."""
    body = body_of("да") | {"error": nothing}
    body["choices"][0]["error"] = nothing
    assert read_reply("chat", json.dumps(body).encode()).text == "да"
