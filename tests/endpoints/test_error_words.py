"""The server's words: found in the body, put on one line, understood."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.errors import hint_for, is_context_overflow, one_line, server_words
from endpoints.template_refusals import conversation_hint


@pytest.mark.parametrize(
    ("body", "words", "code"),
    [
        ({"error": {"message": "too big", "code": "context_length_exceeded"}}, "too big", "context_length_exceeded"),
        ({"error": {"message": "too big", "code": 400}}, "too big", None),
        (
            {"error": {"message": "big", "type": "exceed_context_size_error", "code": 400}},
            "big",
            "exceed_context_size_error",
        ),
        ({"object": "error", "message": "flat", "code": 400}, "flat", None),
        ({"object": "error", "message": "flat", "code": "x"}, "flat", "x"),
        ({"error": "plain"}, "plain", None),
        ({"detail": "Not Found"}, "Not Found", None),
        ({"detail": [{"loc": ["body", "n"], "msg": "мало"}]}, '[{"loc": ["body", "n"], "msg": "мало"}]', None),
        ({"other": 1}, '{"other": 1}', None),
        ({"error": None, "message": "behind"}, "behind", None),
        ("a string", "a string", None),
        ([1, 2], "[1, 2]", None),
        (None, "null", None),
    ],
)
def test_words_of_a_json_body(body, words, code):
    """The shapes in use, and the body itself where the shape is unknown."""
    assert server_words(json.dumps(body, ensure_ascii=False).encode()) == (words, code)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "(empty body)"),
        (b" \r\n", "(empty body)"),
        (b"<h1>502</h1>\r\n\tBad  Gateway", "<h1>502</h1> Bad Gateway"),
        (b"\xff\xfe oops", "\ufffd\ufffd oops"),
        (b"[" * 100_000, "[" * 599 + "…"),
    ],
    ids=["empty", "blank", "html", "not-utf8", "brackets"],
)
def test_words_of_any_other_body(body, words):
    """Plain text on one line, never longer than 600 characters."""
    assert server_words(body) == (words, None)


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_any_body_has_words(body):
    """Whatever comes: one line, not empty, at most 600 characters."""
    words, _ = server_words(body)
    assert words
    assert len(words) <= 600
    assert len(words.splitlines()) == 1


def test_numbers_at_the_end_of_a_usual_message_are_kept():
    """The limit leaves room for the longest wording known."""
    message = "x" * 500 + " 8192 tokens"
    assert one_line(message) == message


@pytest.mark.parametrize(
    ("status", "message", "code", "overflow"),
    [
        (400, "Input length (9000) exceeds model's maximum context length (8192).", None, True),
        (400, "You passed 9001 input tokens, but the model's context length is only 8192.", None, True),
        (400, "the request exceeds the available context size (4096 tokens)", None, True),
        (400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).", None, True),
        (413, "prompt exceeds the context window", None, True),
        (422, "max_model_len is 8192", None, True),
        (400, "anything", "context_length_exceeded", True),
        (500, "anything", "context_length_exceeded", True),
        (500, "maximum context length", None, False),
        (401, "maximum context length", None, False),
        (400, "Conversation roles must alternate", None, False),
        (400, "max_tokens must be at least 1, got 0", None, False),
        (400, "top_p must be in (0, 1]", "invalid_value", False),
    ],
)
def test_overflow_is_told_from_other_refusals(status, message, code, overflow):
    """By its code, or by the words for the window with a status that servers use for it."""
    assert is_context_overflow(status, message, code) is overflow


def test_unknown_refusal_has_no_hint():
    """Better no hint than a wrong one."""
    assert hint_for(400, "top_p must be in (0, 1]") is None


ORDER, SYSTEM, BASE = "in this order", "no system role", "base model"


@pytest.mark.parametrize(
    ("message", "part"),
    [
        # Templates' own words, as vLLM and SGLang hand them on.
        ("Conversation roles must alternate user/assistant/user/assistant/...", ORDER),
        (
            "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
            ORDER,
        ),
        (
            "Only user and assistant roles are supported, with the exception of an initial optional system message!",
            ORDER,
        ),
        ("System message must be at the beginning.", ORDER),
        ("No user query found in messages.", ORDER),
        ("A conversation must start with a user prompt", ORDER),
        ("First message must be from user", ORDER),
        ("System role not supported", SYSTEM),
        ("Only user and assistant roles are supported!", SYSTEM),
        ("Only user, model and assistant roles are supported", SYSTEM),
        ("System messages are not supported by this template", SYSTEM),
        ("This model does not support system messages.", SYSTEM),
        ("This model doesn't support a system prompt", SYSTEM),
        # mistral-common under vLLM.
        ("Unexpected role 'system' after role 'assistant'", ORDER),
        ("Expected last role User or Tool (or Assistant with prefix) for serving but got assistant", ORDER),
        # llama.cpp.
        ("Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...", ORDER),
        ("Jinja Exception: System role not supported at row 1, column 61:", SYSTEM),
        ("Jinja Exception: Unexpected message", "refuses this conversation"),
        # TGI.
        ("Template error: invalid operation: Conversation roles must alternate (in <string>:1)", ORDER),
        ("Template error: syntax error: System role not supported (in <string>:1)", SYSTEM),
        ("Template error: template not found", BASE),
        # Ollama, LM Studio and others.
        ('invalid role: "developer"', SYSTEM),
        ("messages[0].role must be 'user' or 'assistant'", SYSTEM),
        ("messages.0.role: Input should be 'user' or 'assistant'", SYSTEM),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", SYSTEM),
        ("two consecutive user messages are not allowed", ORDER),
        ("gemma:2b does not support chat", BASE),
        ("default chat template is no longer allowed, so you must provide a chat template", BASE),
    ],
)
def test_what_a_template_refuses_has_its_hint(message, part):
    """In the words of each server, and under whatever status."""
    for status in (400, 422, 500):
        assert part in (hint_for(status, message) or "")


@pytest.mark.parametrize(
    "message",
    [
        "top_p must be in (0, 1]",
        "Incorrect API key provided",
        "The model `small` does not exist.",
        "Unrecognized field top_k",
        "Extra inputs are not permitted: chat_template_kwargs",
        "max_tokens must be at least 1, got 0",
        "the operating system ran out of memory",
        "Internal Server Error",
    ],
)
def test_other_refusals_have_no_hint_on_the_conversation(message):
    """Advice on the system prompt would lead astray."""
    assert conversation_hint(message) is None
