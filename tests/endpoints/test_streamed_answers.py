"""The client and a server that streams: the outcomes are the same, and broken streams are asked for again."""

import gzip

import pytest
from asking import ask, ask_one, chat, completion
from fault_server import FaultServer, answer, as_json, status
from streams import DONE, chunk, event, stream, text, usage

from endpoints.access import Access
from endpoints.errors import RequestRefused, hint_for
from endpoints.journal import read_journal
from endpoints.model_config import config_from_environment

WITH_USAGE = {"stream": True, "stream_options": {"include_usage": True}}


def serve(*script, **options):
    """A server that answers the prompt "вопрос" by this script."""
    return FaultServer(scripts={"вопрос": script}, **options)


@pytest.mark.parametrize("streamed", [True, False], ids=["asked", "unasked"])
@pytest.mark.parametrize(
    "reply",
    [
        stream(*text("д", "а")),
        stream(b"".join(text("д", "а"))),
        stream(*(bytes([byte]) for byte in b"".join(text("д", "а")))),
        stream(*text("д", "а"), kind="application/json"),
        stream(*text("д", "а"), kind="text/plain"),
        stream(*text("д", "а"), kind="text/event-stream; charset=utf-8"),
        stream(gzip.compress(b"".join(text("д", "а"))), headers={"Content-Encoding": "gzip"}),
        stream(*text("д", "а"), end="open"),
        answer("да"),
    ],
    ids=["chunks", "at-once", "bytes", "as-json", "as-text", "charset", "compressed", "left-open", "no-stream"],
)
def test_streamed_answer_is_the_same_outcome(reply, streamed, monkeypatch):
    """However it comes, and whether or not a stream was asked for."""
    monkeypatch.setattr("endpoints.transport._REST_S", 0.02)
    with serve(reply) as server:
        outcome = ask_one(server, chat("вопрос"), streamed=streamed)
        plain = ask_one(server, chat("вопрос"), streamed=streamed)
    assert outcome == plain
    assert (outcome.text, outcome.finish_reason, outcome.prompt_tokens, outcome.completion_tokens) == (
        "да",
        "stop",
        11,
        7,
    )
    assert outcome.attempts == 1
    assert server.bodies[0] == chat("вопрос").body() | (WITH_USAGE if streamed else {})


LONG = b"x" * (3 << 20)


@pytest.mark.parametrize("streamed", [True, False], ids=["asked", "unasked"])
@pytest.mark.parametrize(
    "reply",
    [
        stream(*[event({"choices": [{"index": 0, "delta": {"content": "x" * 1000}}]})] * 3000),
        stream(LONG),
        stream(LONG, kind="application/json"),
        stream(gzip.compress(LONG), headers={"Content-Encoding": "gzip"}),
        stream(gzip.compress(LONG), kind="application/json", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["events", "one-line", "no-stream", "packed-stream", "packed"],
)
def test_reply_without_end_is_cut_off(reply, streamed, monkeypatch):
    """It is a failure of its own question, and is not asked for again: the server would send as much."""
    monkeypatch.setattr("endpoints.transport._MOST_MIB", 2)
    with serve(reply) as server:
        outcome = ask_one(server, chat("вопрос"), streamed=streamed)
    assert (outcome.error_code, outcome.attempts) == ("bad-body", 1)
    assert "the reply has over 2 MiB and goes on" in outcome.error
    assert len(server.bodies) == 1


def test_completions_are_streamed_too():
    """On their own path."""
    texts = [
        event({"choices": [{"index": 0, "text": piece, "finish_reason": end}]})
        for piece, end in [("д", None), ("а", "stop")]
    ]
    with FaultServer(stream(*texts, usage(), DONE)) as server:
        outcome = ask_one(server, completion("вопрос"), streamed=True)
    assert (outcome.text, outcome.prompt_tokens) == ("да", 11)
    assert server.paths == ["/v1/completions"]


def test_journal_does_not_tell_how_answers_came(tmp_path):
    """A run begun with streams goes on without them, and the other way round."""
    request, path = chat("вопрос"), tmp_path / "journal.jsonl"
    with serve(stream(*text("д", "а"))) as server:
        ask_one(server, request, journal=path, streamed=True)
        again = ask_one(server, request, journal=path)
    assert len(server.bodies) == 1
    with serve(answer("да")) as server:
        ask_one(server, request, journal=tmp_path / "other.jsonl")
    assert path.read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert again.from_journal
    assert [line.key for line in read_journal(path)] == [request.key()]


FAULTS = {
    "no-finish-reason": (stream(chunk(content="полови")), "aborted", "no finish reason before the end"),
    "no-finish-reason-but-done": (stream(chunk(content="полови"), DONE), "aborted", "no finish reason before its end"),
    "broken-connection": (stream(chunk(content="полови"), end="abort"), "bad-body", "the body ended early"),
    "broken-before-its-end": (stream(*text("да")[:-1], end="abort"), "bad-body", "the body ended early"),
    "empty": (stream(), "bad-body", "no finish reason"),
    "no-json": (
        stream(chunk(content="да"), b"data: {oops\n\n", chunk("stop"), DONE),
        "aborted",
        "no JSON object: {oops",
    ),
    "error": (stream(chunk(content="да"), event({"error": {"message": "engine died"}})), "aborted", "engine died"),
    "error-first": (stream(event({"error": {"message": "engine died"}}), DONE), "bad-body", "engine died"),
    "error-first-500": (stream(event({"error": {"message": "died", "code": 500}})), "server-error", "HTTP 500: died"),
    "error-first-429": (stream(event({"error": {"message": "slow", "code": 429}})), "rate-limited", "HTTP 429: slow"),
    "error-event": (stream(chunk(content="да"), b"event: error\ndata: died\n\n"), "aborted", "died"),
    "unknown-reason": (stream(chunk(content="да"), chunk("abort"), DONE), "aborted", "'abort'"),
}


@pytest.mark.parametrize(("fault", "code", "words"), FAULTS.values(), ids=FAULTS)
def test_broken_stream_is_asked_for_again(fault, code, words):
    """The next attempt mends it; a lasting fault fails the sample in words that say why, without a text."""
    with serve(fault, stream(*text("да"))) as server:
        mended = ask_one(server, chat("вопрос"), streamed=True)
    with serve(fault) as server:
        lasting = ask_one(server, chat("вопрос"), streamed=True)
    assert (mended.status, mended.text, mended.attempts) == ("answered", "да", 2)
    assert (lasting.status, lasting.text, lasting.attempts, lasting.error_code) == ("failed", "", 3, code)
    assert words in lasting.error
    assert "\n" not in lasting.error


def test_silent_stream_ends_at_the_limit():
    """Chunks that came before do not prolong it."""
    with serve(stream(chunk(content="полови"), end="open")) as server:
        outcome = ask_one(server, chat("вопрос"), streamed=True, attempt_s=0.2)
    assert (outcome.status, outcome.error_code) == ("failed", "timeout")


def test_overflow_within_a_stream_is_sent_once():
    """It is told from a fault that another attempt may mend."""
    words = "This model's maximum context length is 8192 tokens."
    with serve(stream(event({"error": {"message": words, "code": 400}}), DONE)) as server:
        outcome = ask_one(server, chat("вопрос"), streamed=True)
    assert (outcome.error_code, outcome.attempts, outcome.error) == ("context-overflow", 1, f"HTTP 400: {words}")


REFUSALS = [
    (400, "Unrecognized request argument supplied: stream_options"),
    (422, "[{'type': 'extra_forbidden', 'loc': ['body', 'stream_options'], 'msg': 'Extra inputs are not permitted'}]"),
    (400, "unknown field"),
    (400, "include_usage is not supported by this model"),
    (400, "Bad Request"),
    (422, "Unprocessable Entity"),
]


@pytest.mark.parametrize(("code", "words"), REFUSALS)
def test_server_that_refuses_to_count_is_asked_without(code, words):
    """Once for each request under way, then never more; the answers have no counts."""

    async def strict(server, request):
        refuses = "stream_options" in await request.json()
        return await (status(code, words) if refuses else stream(*text("да")[:-2], DONE))(server, request)

    with FaultServer(strict) as server:
        outcomes = ask(server, [chat(f"q{n}") for n in range(5)], concurrency=1, streamed=True)
    assert [(o.text, o.prompt_tokens, o.attempts) for o in outcomes] == [("да", None, 1)] * 5
    assert ["stream_options" in body for body in server.bodies] == [True] + [False] * 5


def test_refusal_of_another_field_is_a_refusal():
    """The user is told of it as ever."""
    with FaultServer(status(400, "unknown field: top_k")) as server, pytest.raises(RequestRefused, match="top_k"):
        ask(server, [chat("а"), chat("б")], concurrency=1, streamed=True)


def test_later_refusals_are_not_suspected():
    """Once the field was taken, a refusal in other words is about the request and sent once."""
    with FaultServer(stream(*text("да")), {"вопрос": [status(400, "Bad Request")]}) as server:
        outcomes = ask(server, [chat("а"), chat("вопрос")], concurrency=1, streamed=True)
    assert [o.status for o in outcomes] == ["answered", "failed"]
    assert server.asked["вопрос"] == 1


def test_a_request_that_is_refused_either_way_leaves_the_counts():
    """The next answer has them."""
    with FaultServer(stream(*text("да")), {"вопрос": [status(400, "Bad Request")]}) as server:
        outcomes = ask(server, [chat("вопрос"), chat("а")], concurrency=1, streamed=True)
    assert [(o.status, o.prompt_tokens) for o in outcomes] == [("failed", None), ("answered", 11)]


def test_connection_is_used_again():
    """A stream that was read to its end leaves it free."""
    ports = set()

    async def noted(server, request):
        ports.add(request.transport.get_extra_info("peername"))
        return await stream(*text("да"))(server, request)

    with FaultServer(noted) as server:
        ask(server, [chat(f"q{n}") for n in range(5)], concurrency=1, streamed=True)
    assert len(ports) == 1


@pytest.mark.parametrize(
    "words",
    [
        "This model only support stream mode, please enable the stream parameter to access the model.",
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "Stream must be set to true",
        "Non-streaming is not supported",
        "Streaming is required for this model",
        "stream=false is not supported",
        "'stream': false is unsupported here",
        "only streaming requests are accepted",
        "This endpoint requires stream=true",
        "Please set stream to true.",
        "`stream` != `true` is not supported",
    ],
)
def test_server_that_only_streams_gets_the_hint(words):
    """In the wordings of gateways."""
    assert "add --stream" in hint_for(400, words)
    with FaultServer(status(400, words)) as server, pytest.raises(RequestRefused, match="add --stream"):
        ask_one(server, chat("вопрос"))


@pytest.mark.parametrize(
    "reply",
    [as_json({"error": {"message": "only stream mode is supported"}}), status(500, "only stream mode is supported")],
    ids=["with-200", "with-500"],
)
def test_failed_sample_has_the_hint_too(reply):
    """Not every server has a status of its own for it; where a stream was asked for, there is nothing to add."""
    with serve(reply) as server:
        plain, streamed = (ask_one(server, chat("вопрос"), streamed=streamed) for streamed in (False, True))
    assert plain.error.endswith("; the server only streams its answers: add --stream")
    assert "--stream" not in streamed.error


@pytest.mark.parametrize(
    "words",
    [
        "Streaming is not supported for this model",
        "This model does not support streaming",
        "stream is not supported",
        "Streaming has been disabled",
        "stream must be false",
    ],
)
def test_server_that_does_not_stream_gets_the_other_hint(words):
    """The option is the user's to drop."""
    assert "drop --stream" in hint_for(400, words)


@pytest.mark.parametrize(
    "words", ["upstream must be reachable", "only one upstream", "Unrecognized field top_k", "the model does not exist"]
)
def test_other_words_are_not_about_streams(words):
    """Upstream servers are another thing."""
    assert "--stream" not in (hint_for(400, words) or "")


def test_access_says_it(tmp_path):
    """The options of an endpoint; LightEval's command line takes it from the environment."""
    assert Access(streamed=True).options()["streamed"]
    assert config_from_environment("m", {"ENDPOINT_STREAM": "1"}).access.streamed
    assert not config_from_environment("m", {}).access.streamed


@pytest.mark.parametrize(
    ("pieces", "words", "said"),
    [
        ([chunk(content="Полов"), chunk("content_filter")], "finish_reason 'content_filter'", "Полов"),
        ([chunk(refusal="I'm "), chunk(refusal="sorry."), chunk("stop")], "refusal: I'm sorry.", ""),
        (
            [
                chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": "get_thing", "arguments": ""}}]),
                chunk(tool_calls=[{"index": 0, "function": {"arguments": "{}"}}]),
                chunk("tool_calls"),
            ],
            "tool call: get_thing",
            "",
        ),
    ],
)
def test_streamed_reply_is_blocked_as_a_whole_one_is(pieces, words, said):
    """Whatever came before the filter set in."""
    with serve(stream(chunk(role="assistant", content=""), *pieces, usage(), DONE)) as server:
        outcome = ask_one(server, chat("вопрос"), streamed=True)
    assert (outcome.status, outcome.error, outcome.text) == ("blocked", words, said)
    assert outcome.completion_tokens == 7
