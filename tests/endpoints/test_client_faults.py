"""One request, and everything that a server may do to it."""

import asyncio
import json
import time
from email.utils import formatdate

import pytest
from asking import QUICK, ask, ask_one, chat, completion, questions
from fault_server import FaultServer, answer, as_json, body_of, disconnect, hang, raw, reset, status, truncated

from endpoints.client import Endpoint
from endpoints.errors import EndpointError, RequestRefused
from endpoints.retry import RetryPolicy


def serve(*script, **options):
    """A server that answers the prompt "вопрос" by this script and everything else well."""
    return FaultServer(scripts={"вопрос": script}, **options)


# Anything that a second attempt may mend: name, reply, code after the last attempt, words of the error.
PASSING = [
    pytest.param(status(429, "slow down"), "rate-limited", "HTTP 429: slow down", id="429"),
    pytest.param(status(408, "late"), "server-error", "HTTP 408: late", id="408"),
    pytest.param(status(409, "busy"), "server-error", "HTTP 409: busy", id="409"),
    pytest.param(status(500, "EngineCore died"), "server-error", "HTTP 500: EngineCore died", id="500"),
    pytest.param(raw("<h1>Bad  gateway</h1>", 502), "server-error", "HTTP 502: <h1>Bad gateway</h1>", id="502"),
    pytest.param(status(503, "loading"), "server-error", "HTTP 503: loading", id="503"),
    pytest.param(reset, "connection", "connection lost: connection reset by peer", id="reset"),
    pytest.param(disconnect, "connection", "connection lost: Server disconnected", id="closed"),
    pytest.param(truncated, "bad-body", "the body ended early", id="truncated"),
    pytest.param(
        raw("{}", headers={"Content-Encoding": "gzip"}), "bad-body", "cannot be unpacked", id="not-packed-as-said"
    ),
    pytest.param(raw("{}", headers={"Content-Encoding": "br"}), "bad-body", "cannot be unpacked", id="unknown-packing"),
    pytest.param(raw("", 200), "bad-body", "the body is not JSON: (empty)", id="empty-body"),
    pytest.param(raw("<html>proxy</html>"), "bad-body", "the body is not JSON: <html>proxy</html>", id="not-json"),
    pytest.param(raw(json.dumps(body_of("да"))[:40]), "bad-body", "the body is not JSON: {", id="half-json"),
    pytest.param(as_json({"choices": []}), "bad-body", "the body has no choices", id="no-choices"),
    pytest.param(as_json({"error": {"message": "upstream"}}), "bad-body", "no choices: upstream", id="error-with-200"),
    pytest.param(as_json(["да"]), "bad-body", "the body has no choices", id="a-list"),
    pytest.param(as_json({"choices": [{"index": 0}]}), "bad-body", "no message", id="no-message"),
    pytest.param(answer("да", content=3), "bad-body", "content is of type int", id="content-of-another-type"),
    pytest.param(answer("полови", finish_reason="abort"), "aborted", "broke the generation off", id="aborted"),
    pytest.param(answer("полови", finish_reason="network_error"), "aborted", "'network_error'", id="unknown-reason"),
    pytest.param(
        as_json(body_of("полови") | {"error": {"message": "upstream"}}), "aborted", "upstream", id="error-too"
    ),
]


@pytest.mark.parametrize(("fault", "code", "words"), PASSING)
def test_passing_fault_is_mended_by_another_attempt(fault, code, words):
    """After the fault the request is sent again and its answer kept; the outcome tells of both attempts."""
    with serve(fault, answer("да")) as server:
        outcome = ask_one(server, chat("вопрос"))
    assert (outcome.status, outcome.text, outcome.attempts) == ("answered", "да", 2)
    assert (outcome.error, outcome.error_code) == (None, None)
    assert server.bodies[0] == server.bodies[1]


@pytest.mark.parametrize(("fault", "code", "words"), PASSING)
def test_lasting_fault_fails_the_sample_with_the_reason(fault, code, words):
    """After the last attempt the sample is failed, under a stable code and in the server's words, and has no text."""
    with serve(fault) as server:
        outcome = ask_one(server, chat("вопрос"))
    assert (outcome.status, outcome.text, outcome.attempts) == ("failed", "", 3)
    assert outcome.error_code == code
    assert words in outcome.error
    assert "\n" not in outcome.error
    assert server.asked["вопрос"] == 3


class Recorded(RetryPolicy):
    """A policy that notes what it was asked and never waits long."""

    heard: list[tuple[int, float | None]] = []  # noqa: RUF012 (each test sets its own)

    def wait_s(self, failed_attempts, retry_after, rng):
        self.heard.append((failed_attempts, retry_after))
        return 0.0


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ({"Retry-After": "7"}, 7, 7),
        ({"Retry-After": "0.25"}, 0.25, 0.25),
        ({"retry-after-ms": "1500"}, 1.5, 1.5),
        ({"Retry-After": "in an hour"}, 3000, 3600),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0, 0),
    ],
    ids=["seconds", "fraction", "milliseconds", "date", "date-in-the-past"],
)
@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_reaches_the_policy(header, low, high, code, monkeypatch):
    """What the server asks for is what the wait is computed from, for either form of the header."""
    if header.get("Retry-After") == "in an hour":  # from now on, not from when the tests were collected
        header = {"Retry-After": formatdate(time.time() + 3600, usegmt=True)}
    monkeypatch.setattr(Recorded, "heard", [])
    with serve(status(code, "wait", header), answer("да")) as server:
        outcome = ask_one(server, chat("вопрос"), retry=Recorded())
    assert outcome.attempts == 2
    ((attempts, asked),) = Recorded.heard
    assert attempts == 1
    assert low <= asked <= high


def test_read_timeout_is_retried():
    """An attempt that outlasts its limit is given up, and the next one may succeed."""
    with serve(hang, answer("да")) as server:
        outcome = ask_one(server, chat("вопрос"), attempt_s=0.2)
    assert (outcome.status, outcome.text, outcome.attempts) == ("answered", "да", 2)


def test_request_that_never_returns_fails_by_name():
    """A hanging request ends as failed, with the limit in its words; the others are answered."""
    with serve(hang) as server:
        outcomes = ask(server, [chat("вопрос"), chat("а"), chat("б")], attempt_s=0.2)
    assert [(o.status, o.error_code, o.attempts) for o in outcomes] == [
        ("failed", "timeout", 3),
        ("answered", None, 1),
        ("answered", None, 1),
    ]
    assert outcomes[0].error == "no answer within 0.2 s; --request-timeout sets that limit"


def test_deadline_covers_all_attempts_together():
    """No attempt is started that the deadline leaves no time for, however many the policy allows."""
    patient = RetryPolicy(max_attempts=50, base_s=3600.0, cap_s=3600.0)
    with serve(status(500, "down")) as server:
        outcome = ask_one(server, chat("вопрос"), retry=patient, deadline_s=1.0)
    assert outcome.status == "failed"
    assert outcome.attempts == server.asked["вопрос"] == 1
    assert outcome.error == "HTTP 500: down; no time left for another attempt within 1 s"


def test_single_attempt_is_bounded_by_the_deadline():
    """A deadline below the limit of an attempt ends the attempt."""
    with serve(hang) as server:
        outcome = ask_one(server, chat("вопрос"), attempt_s=60.0, deadline_s=0.2)
    assert (outcome.status, outcome.error_code, outcome.attempts) == ("failed", "timeout", 1)
    assert "--request-timeout" not in outcome.error  # which is not what ended it


OVERFLOWS = [
    pytest.param(
        "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (9000 in the messages, "
        "100 in the completion). Please reduce the length of the messages or completion.",
        None,
        ("8192", "9000"),
        id="vllm-requested",
    ),
    pytest.param(
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 "
        "tokens and your request has 120 input tokens (9000 > 8192 - 120).",
        400,
        ("8192", "120"),
        id="vllm-max-tokens",
    ),
    pytest.param(
        "The decoder prompt (length 9123) is longer than the maximum model length of 8192.",
        400,
        ("9123", "8192"),
        id="vllm-prompt",
    ),
    pytest.param(
        "Your input of 130000 tokens is too long.", "context_length_exceeded", ("130000",), id="openai-code-alone"
    ),
    pytest.param("Your input exceeds the context window of this model.", None, (), id="openai-window"),
]


@pytest.mark.parametrize(("message", "code", "numbers"), OVERFLOWS)
@pytest.mark.parametrize("position", ["first", "later"])
def test_context_overflow_fails_once_with_the_numbers(message, code, numbers, position):
    """An overflow is sent once, keeps the server's words, and stops nobody else: not even as the first response."""
    questions = ["вопрос", "другой"] if position == "first" else ["другой", "вопрос"]
    with serve(status(400, message, error_code=code)) as server:
        outcomes = dict(zip(questions, ask(server, [chat(q) for q in questions], concurrency=1), strict=True))
    failed = outcomes["вопрос"]
    assert (failed.status, failed.error_code, failed.attempts) == ("failed", "context-overflow", 1)
    assert failed.error == f"HTTP 400: {message}"
    assert all(number in failed.error for number in numbers)
    assert outcomes["другой"].status == "answered"
    assert server.asked["вопрос"] == 1


@pytest.mark.parametrize("content", [None, "", "  \n"], ids=["null", "empty", "blank"])
def test_null_content_is_an_empty_answer(content):
    """An answer without content is answered, with the text as it came: whether it is empty is the scorer's matter."""
    with serve(answer(content, reasoning="думал, думал")) as server:
        outcome = ask_one(server, chat("вопрос"))
    assert (outcome.status, outcome.text, outcome.attempts) == ("answered", content or "", 1)
    assert outcome.reasoning == "думал, думал"


def test_both_names_of_the_reasoning_field_are_one():
    """``reasoning`` and ``reasoning_content`` give the same outcome; null and absent give None."""
    replies = [
        answer("да", reasoning="след"),
        answer("да", reasoning_content="след"),
        answer("да", reasoning=None, reasoning_content="след"),
        answer("да", reasoning="след", reasoning_content=None),
    ]
    plain = [answer("да"), answer("да", reasoning=None), answer("да", reasoning="")]
    names = [f"q{number}" for number in range(len(replies) + len(plain))]
    with FaultServer(scripts={name: [reply] for name, reply in zip(names, replies + plain, strict=True)}) as server:
        outcomes = ask(server, [chat(name) for name in names])
    assert [o.reasoning for o in outcomes] == ["след"] * 4 + [None] * 3
    assert len(set(outcomes[:4])) == 1
    assert {o.text for o in outcomes} == {"да"}


@pytest.mark.parametrize("kind", ["chat", "completion"])
def test_finish_reason_and_usage_are_kept(kind):
    """A cut answer is an answer, marked as truncated, with the server's token counts, for both kinds of call."""
    build = chat if kind == "chat" else completion
    with serve(answer("раз два", kind, finish_reason="length")) as server:
        outcome = ask_one(server, build("вопрос"))
    assert (outcome.status, outcome.text, outcome.finish_reason) == ("answered", "раз два", "length")
    assert outcome.truncated
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (11, 7)


def test_missing_usage_is_none():
    """Counts that the server does not give are None, never 0."""
    body = body_of("да")
    del body["usage"]
    body["choices"][0]["finish_reason"] = None
    with serve(as_json(body)) as server:
        outcome = ask_one(server, chat("вопрос"))
    assert (outcome.prompt_tokens, outcome.completion_tokens, outcome.finish_reason) == (None, None, None)
    assert not outcome.truncated


def test_chat_goes_over_the_wire_as_given():
    """The chat path gets the messages, the cap, the sampling fields and the extra body, and nothing else."""
    request = chat(
        "вопрос",
        sampling={"temperature": 0.5, "seed": 3, "stop": ["\n\n"]},
        extra_body={"chat_template_kwargs": {"a": 1}},
    )
    with FaultServer() as server:
        ask_one(server, request)
    assert server.paths == ["/v1/chat/completions"]
    assert server.bodies == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "вопрос"}],
            "max_tokens": 64,
            "temperature": 0.5,
            "seed": 3,
            "stop": ["\n\n"],
            "chat_template_kwargs": {"a": 1},
        }
    ]


def test_completion_goes_to_its_own_path_without_an_empty_stop():
    """A completion is a prompt on ``/completions``; an empty ``stop`` is not sent."""
    with FaultServer(default=answer("нет", "completion")) as server:
        outcome = ask_one(server, completion("Вопрос: где?\nОтвет:", sampling={"temperature": 0.0, "stop": []}))
    assert outcome.text == "нет"
    assert server.paths == ["/v1/completions"]
    assert server.bodies == [{"model": "tiny", "prompt": "Вопрос: где?\nОтвет:", "max_tokens": 64, "temperature": 0.0}]


def test_key_is_sent_as_bearer():
    """The key goes into the Authorization header."""

    async def main(url):
        async with Endpoint(url, "s3cret", retry=QUICK) as client:
            await client.run([chat("вопрос")])

    with FaultServer() as server:
        asyncio.run(main(server.url))
    assert server.headers[0]["Authorization"] == "Bearer s3cret"


def test_lone_surrogate_becomes_the_replacement_character():
    """A lone surrogate in an answer, which nothing can store, is replaced; a pair is the character it stands for."""
    text = json.dumps(body_of("X")).replace('"X"', r'"a\ud83d b\ud83d\ude00"')
    with serve(raw(text)) as server:
        outcome = ask_one(server, chat("вопрос"))
    assert outcome.text == "a\ufffd b\U0001f600"


def test_refusal_names_status_words_hint_and_sample():
    """The exception for a refused first request carries what the user needs, on one line."""
    words = "Conversation roles must alternate user/assistant/user/assistant/..."
    with serve(status(400, words)) as server, pytest.raises(RequestRefused) as caught:
        ask_one(server, chat("вопрос"))
    refused = caught.value
    assert isinstance(refused, EndpointError)
    assert (refused.status, refused.server_message, refused.sample_id) == (400, words, "вопрос")
    assert "alternate" in refused.hint
    assert "--system-prompt" in refused.hint
    assert server.url in str(refused)
    assert words in str(refused)
    assert "\n" not in str(refused)
    assert server.asked["вопрос"] == 1


@pytest.mark.parametrize(
    ("code", "words", "hint"),
    [
        (400, "System role not supported", "--system-prompt"),
        (404, "The model `small` does not exist.", "--model"),
        (401, "Incorrect API key provided", "--api-key-env"),
        (403, "forbidden", "--api-key-env"),
        (404, "Not Found", "--base-url"),
        (422, "Unrecognized field top_k", "--chat-template-kwargs"),
    ],
)
def test_hint_follows_the_words(code, words, hint):
    """Each known refusal says which option to change."""
    with serve(status(code, words)) as server, pytest.raises(RequestRefused, match=hint):
        ask_one(server, chat("вопрос"))


@pytest.mark.parametrize("code", [400, 422, 500])
def test_template_that_raises_stops_the_run_at_the_second_question(code):
    """llama.cpp answers 500 to it: not retried, and it concerns all once another question meets it."""
    words = "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."
    with FaultServer(status(code, words)) as server:
        with pytest.raises(RequestRefused, match="--system-prompt"):
            ask(server, questions(40), concurrency=1)
        assert sum(server.asked.values()) == 2


@pytest.mark.parametrize("code", [400, 500])
def test_template_that_raises_later_costs_one_question_and_has_the_hint(code):
    """Another question was answered: the failure itself says what to change."""
    refuse = status(code, "System role not supported")
    with FaultServer(scripts={"q3": [refuse]}) as server:
        outcomes = ask(server, questions(6), concurrency=1)
        assert set(server.asked.values()) == {1}
    assert [o.status for o in outcomes] == ["answered"] * 3 + ["failed"] + ["answered"] * 2
    assert outcomes[3].error_code == "refused"
    assert outcomes[3].error == (
        f"HTTP {code}: System role not supported "
        "(hint: the model's chat template has no system role: drop --system-prompt)"
    )


def test_redirect_is_refused_with_the_new_address():
    """A redirect is not followed (a POST would lose its body): the user is told the address."""
    with (
        serve(raw("", 302, {"Location": "https://elsewhere/v1"})) as server,
        pytest.raises(RequestRefused, match="redirects to https://elsewhere/v1"),
    ):
        ask_one(server, chat("вопрос"))


def test_too_large_a_body_is_one_samples_matter():
    """A 413 fails its own sample and lets the run go on, even before any answer."""
    with serve(status(413, "request entity too large")) as server:
        outcomes = ask(server, [chat("вопрос"), chat("а")], concurrency=1)
    assert [(o.status, o.error_code) for o in outcomes] == [("failed", "refused"), ("answered", None)]


@pytest.mark.parametrize("code", [400, 422])
def test_refusals_of_single_prompts_do_not_lose_a_server_that_answers(code):
    """However many follow one another: a server that reads the prompts is there, and may answer the next."""
    refuse = {f"q{number}": [status(code, f"bad request {number}")] for number in range(1, 7)}
    with FaultServer(answer("да"), refuse) as server:
        outcomes = ask(server, questions(8), concurrency=1)
    assert [outcome.status for outcome in outcomes] == ["answered", *["failed"] * 6, "answered"]
