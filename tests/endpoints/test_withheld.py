"""Replies whose text the server withheld: filters, refusals, tool calls."""

import json

import pytest
from asking import ask, chat, questions
from fault_server import FaultServer, answer, as_json, body_of

from endpoints.finish import ending
from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.reply import read_reply
from endpoints.saved import SavedResponses

FILTERS = [
    *("content_filter", "CONTENT_FILTER", "content-filter", "content_filtered", "guardrail_intervened"),
    *("SAFETY", "FinishReason.SAFETY", "FINISH_REASON_SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"),
    *("content_filter: PROHIBITED_CONTENT", "refusal", "ERROR_TOXIC", "sensitive", "moderation"),
    *("content_policy_violation", "data_inspection_failed", "blocked", "LANGUAGE", "IMAGE_SAFETY", "unsafe"),
]
CALL = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}


@pytest.mark.parametrize("kind", ["chat", "completion"])
@pytest.mark.parametrize("text", ["", "Половина отв"])
@pytest.mark.parametrize("reason", FILTERS)
def test_every_word_of_a_filter_blocks_the_reply(reason, text, kind):
    """A text that came before the filter set in is kept, and is no answer."""
    outcome = read_reply(kind, json.dumps(body_of(text, kind, finish_reason=reason)).encode())
    assert (ending(reason), outcome.status, outcome.error_code) == ("blocked", "blocked", "blocked")
    assert outcome.error == f"finish_reason {reason!r}"
    assert (outcome.text, outcome.prompt_tokens, outcome.is_answer) == (text, 11, False)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"finish_reason": "content_filter", "message": {"content": None}}, "finish_reason 'content_filter'"),
        ({"finish_reason": "content_filter", "message": None}, "finish_reason 'content_filter'"),
        ({"finish_reason": "content_filter"}, "finish_reason 'content_filter'"),
        (
            {
                "finish_reason": "content_filter",
                "message": {"content": ""},
                "content_filter_results": {
                    "hate": {"filtered": False, "severity": "safe"},
                    "violence": {"filtered": True, "severity": "high"},
                },
            },
            "finish_reason 'content_filter' (violence)",
        ),
        (
            {
                "finish_reason": "stop",
                "message": {"content": "да"},
                "content_filter_results": {"violence": {"filtered": True}},
            },
            "content filter (violence)",
        ),
        (
            {"finish_reason": "stop", "native_finish_reason": "SAFETY", "message": {"content": ""}},
            "finish_reason 'SAFETY'",
        ),
        (
            {"finish_reason": {"type": "content_filter", "message": "toxic"}, "message": {"content": ""}},
            "finish_reason 'content_filter' (toxic)",
        ),
        (
            {"finish_reason": "content_filter", "message": {"content": ""}, "error": {"message": "policy 7"}},
            "finish_reason 'content_filter' (policy 7)",
        ),
        ({"message": {"content": None, "refusal": "I'm sorry."}}, "refusal: I'm sorry."),
        ({"message": {"content": "да", "refusal": "I'm\nsorry."}}, "refusal: I'm sorry."),
        ({"message": {"content": [{"type": "refusal", "refusal": "no"}]}}, "refusal: no"),
        ({"message": {"content": [{"type": "text", "text": "да"}, {"type": "refusal"}]}}, "refusal"),
        ({"message": {"content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls"}, "tool call: get_weather"),
        ({"message": {"content": "Сейчас.", "tool_calls": [CALL, CALL]}}, "tool call: get_weather"),
        ({"message": {"tool_calls": [{}]}}, "tool call"),
        ({"message": {"content": None, "function_call": {"name": "f", "arguments": ""}}}, "tool call: f"),
        ({"message": {"content": [{"type": "tool_use", "name": "f", "input": {}}]}}, "tool call: f"),
        ({"message": {"tool_calls": [{"type": "custom", "custom": {"name": "f", "input": "x"}}]}}, "tool call: f"),
        ({"message": {"content": None, "audio": {"id": "a", "data": "="}}}, "audio in place of a text"),
        ({"message": {"content": "", "images": [{"image_url": {"url": "x"}}]}}, "images in place of a text"),
        ({"message": {"content": None}, "finish_reason": "tool_calls"}, "finish_reason 'tool_calls'"),
        ({"message": {"content": " "}, "finish_reason": "function_call"}, "finish_reason 'function_call'"),
    ],
)
def test_what_blocks_a_reply_is_named_in_the_servers_words(choice, words):
    """Whatever shape the reply has; the reasoning that came with it is kept."""
    outcome = read_reply("chat", json.dumps({"choices": [choice]}).encode())
    assert (outcome.status, outcome.error) == ("blocked", words)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "да", "refusal": None, "tool_calls": [], "function_call": None, "audio": None, "annotations": None},
        {"content": "да", "images": [{"image_url": {"url": "x"}}]},
        {"content": "да", "refusal": "", "tool_calls": None, "function_call": {}},
        {"content": "да", "refusal": False, "tool_calls": {}},
    ],
)
@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls"])
def test_fields_that_every_reply_has_block_nothing(message, reason):
    """vLLM sends them empty with each answer; a text that a tool call is said to have ended is there all the same."""
    results = {"hate": {"filtered": False}, "protected_material_code": {"detected": True, "filtered": False}}
    body = {"choices": [{"message": message, "finish_reason": reason, "content_filter_results": results}]}
    outcome = read_reply("chat", json.dumps(body).encode())
    assert (outcome.status, outcome.text, outcome.error) == ("answered", "да", None)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("stop_reason", "refusal", "stop_reason 'refusal'"),
        ("native_finish_reason", "SAFETY", "finish_reason 'SAFETY'"),
        ("content_filter_result", {"hate": {"filtered": True}}, "content filter (hate)"),
        (
            "content_filter_results",
            {"custom_blocklists": [{"id": "ours", "filtered": True}]},
            "content filter (custom_blocklists)",
        ),
    ],
)
def test_a_filter_beside_a_usual_finish_reason_blocks_the_reply(field, value, words):
    """The text is the server's, or a part of an answer."""
    body = body_of("Извините, не могу ответить.")
    body["choices"][0][field] = value
    outcome = read_reply("chat", json.dumps(body).encode())
    assert (outcome.status, outcome.finish_reason, outcome.error) == ("blocked", "stop", words)


@pytest.mark.parametrize("reason", [None, 128009, "</s>", "\n\n", "end_turn"])
def test_stop_reasons_of_usual_answers_block_nothing(reason):
    """Null, a token's id or the stop string, as vLLM gives them."""
    body = body_of("да")
    body["choices"][0]["stop_reason"] = reason
    assert read_reply("chat", json.dumps(body).encode()).status == "answered"


@pytest.mark.parametrize("choices", [body_of("Извините, не могу ответить.")["choices"], [], None])
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("amazon-bedrock-guardrailAction", "INTERVENED", "amazon-bedrock-guardrailAction 'INTERVENED'"),
        ("guardrail-action", "GUARDRAIL_INTERVENED", "guardrail-action 'GUARDRAIL_INTERVENED'"),
        ("guardrail_action", "intervened", "guardrail_action 'intervened'"),
        ("outputSensitive", True, "outputSensitive"),
        ("output_sensitive", True, "output_sensitive"),
        ("input_sensitive", True, "input_sensitive"),
    ],
)
def test_a_filter_that_speaks_beside_the_choices_blocks_the_reply(field, value, words, choices):
    """Bedrock's and MiniMax's, which put words of their own in place of the answer, or nothing."""
    outcome = read_reply("chat", json.dumps({"choices": choices, field: value}).encode())
    assert (outcome.status, outcome.error) == ("blocked", words)


@pytest.mark.parametrize(
    "fields", [{"amazon-bedrock-guardrailAction": "NONE"}, {"input_sensitive": False, "output_sensitive": False}]
)
def test_a_filter_that_did_nothing_blocks_nothing(fields):
    """They send the fields with each answer."""
    assert read_reply("chat", json.dumps({**body_of("да"), **fields}).encode()).status == "answered"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, "prompt blocked: SAFETY"),
        (
            {
                "choices": [],
                "prompt_filter_results": [{"content_filter_results": {"jailbreak": {"filtered": True}}}],
            },
            "prompt blocked: jailbreak",
        ),
        (
            {
                "prompt_filter_results": [
                    {"content_filter_results": {"hate": {"filtered": False}}},
                    {"content_filter_results": {"violence": {"filtered": True}, "sexual": {"filtered": True}}},
                ],
            },
            "prompt blocked: violence, sexual",
        ),
        ({"choices": [], "prompt_feedback": {"block_reason": "OTHER"}}, "prompt blocked: OTHER"),
    ],
)
def test_a_response_without_choices_may_say_that_the_prompt_was_blocked(body, words):
    """Then it is no bad body: asking again at once gives the same."""
    outcome = read_reply("chat", json.dumps(body).encode())
    assert (outcome.status, outcome.error, outcome.text) == ("blocked", words, "")


def test_the_reasoning_of_a_blocked_reply_is_kept():
    """It is stored like any other."""
    body = body_of(None, finish_reason="content_filter", reasoning="думаю")
    assert read_reply("chat", json.dumps(body).encode()).reasoning == "думаю"


def test_a_blocked_reply_is_journalled_once_and_asked_again_by_the_next_run(tmp_path):
    """It is not retried, the server is alive by it, and a run that goes on asks for it as for whatever is missing."""
    path = tmp_path / "responses.jsonl"
    blocked = answer("Полов", finish_reason="content_filter")
    with FaultServer(scripts={"q1": [blocked, answer("да")]}) as server:
        first = ask(server, questions(3), journal=path)
        second = ask(server, questions(3), journal=path)
        assert dict(server.asked) == {"q0": 1, "q1": 2, "q2": 1}
    assert [outcome.status for outcome in first] == ["answered", "blocked", "answered"]
    assert (second[1].status, second[1].text) == ("answered", "да")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (line,) = [line for line in lines if line["status"] == "blocked"]
    assert (line["response"], line["error"], line["error_code"]) == (
        "Полов",
        "finish_reason 'content_filter'",
        "blocked",
    )


def test_a_server_that_blocks_everything_is_neither_lost_nor_refusing(tmp_path):
    """Every question is asked, once."""
    with FaultServer(as_json(body_of(None, refusal="no"))) as server:
        outcomes = ask(server, questions(40), concurrency=2)
        assert set(server.asked.values()) == {1}
    assert {(outcome.status, outcome.error) for outcome in outcomes} == {("blocked", "refusal: no")}


@pytest.mark.parametrize(
    ("text", "reason"), [("", "content_filter"), ("Полов", "content_filter"), ("", "tool_calls"), (" ", "tool_use")]
)
def test_blocked_reply_that_an_older_version_filed_as_an_answer_is_asked_again(tmp_path, text, reason):
    """Its line says how it ended."""
    path = tmp_path / "responses.jsonl"
    with Journal(path) as journal:
        journal.append(chat("q"), Outcome(status="answered", text=text, finish_reason=reason, attempts=1))
        assert chat("q").key() not in journal


def test_saved_blocked_replies_are_blocked(tmp_path):
    """From a journal by their status, from any other file by what the line holds; an answer on another line stands."""
    lines = [
        {"id": "a", "status": "blocked", "response": "Полов", "error": "refusal: no"},
        {"id": "b", "response": "", "finish_reason": "content_filter"},
        {"id": "c", "response": None, "refusal": "no"},
        {"id": "d", "response": None, "tool_calls": [CALL]},
        {"id": "f", "response": "Полов", "finish_reason": "stop", "stop_reason": "refusal"},
        {"id": "e", "status": "blocked", "response": "", "error": "refusal: no"},
        {"id": "e", "status": "answered", "response": "да"},
        {"id": "e", "status": "blocked", "response": "", "error": "refusal: no"},
    ]
    path = tmp_path / "saved.jsonl"
    path.write_text("".join(json.dumps({"task": "t", **line}) + "\n" for line in lines), encoding="utf-8")
    saved = SavedResponses(path)
    found = {name: saved.outcome("t", name, 0) for name in "abcdef"}
    assert {name: (outcome.status, outcome.error) for name, outcome in found.items()} == {
        "a": ("blocked", "refusal: no"),
        "b": ("blocked", "finish_reason 'content_filter'"),
        "c": ("blocked", "refusal: no"),
        "d": ("blocked", "tool call: get_weather"),
        "e": ("answered", None),
        "f": ("blocked", "stop_reason 'refusal'"),
    }
