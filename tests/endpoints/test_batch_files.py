"""Files of batch APIs: what is written is what a server is sent, what is read is what its reply would have been."""

import json
from dataclasses import replace

import pytest
from asking import ask, ask_one, chat, completion
from fault_server import FaultServer, answer, as_json, body_of
from hypothesis import given
from hypothesis import strategies as st

from endpoints.batch_files import custom_id, is_custom_id, request_files, result_outcome
from endpoints.errors import ERROR_CODES
from endpoints.saved import ResponsesError, SavedResponses

TASK = "ifhard:all|0"


def written(requests):
    """The lines of all files, read."""
    return [json.loads(line) for file in request_files(requests) for line in file.lines]


def result(body, code=200, error=None, name=None):
    """A line of a result file, as OpenAI writes it."""
    response = {"status_code": code, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": name or custom_id(TASK, "a", 0), "response": response, "error": error}


def save(path, *lines):
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), encoding="utf-8")
    return SavedResponses(path)


NAMES = st.text(st.characters(blacklist_characters=":|"), max_size=30)


@given(NAMES, st.lists(NAMES, max_size=2), st.text(max_size=60), st.integers(0, 10**6))
def test_an_id_suits_every_service(family, parts, sample, repeat):
    """OpenAI's 64 characters, from the narrowest alphabet in use, for names and ids of any length and script."""
    name = custom_id(":".join([family, *parts]) + "|5", sample, repeat)
    assert len(name) <= 64
    assert is_custom_id(name)


def test_an_id_is_of_one_question():
    """Subsets share it, since they share the question; benchmarks, modes, shots, questions and repeats do not."""
    same = {custom_id(task, "a", 0) for task in ("ifhard:all|0", "ifhard:easy|0", "ifhard:all")}
    assert len(same) == 1
    tasks = (
        "ifhard:all|0",
        "ifhard:all|1",
        "sobhard:all|0",
        "hardmultiqa:all:pretrain|0",
        "hardmultiqa:all:alignment|0",
    )
    others = {custom_id(task, sample, repeat) for task in tasks for sample in ("a", "б") for repeat in (0, 1)}
    assert len(others) == 20
    assert custom_id("hardmultiqa:one-option-many-options:pretrain|5", "a", 11) == (
        custom_id("hardmultiqa:open:pretrain|5", "a", 11)
    )


def test_the_body_is_what_a_server_is_sent():
    """Field by field and in the same order, to the same path: messages, cap, stop, seed, fields of the user's."""
    requests = [
        chat("раз\u2028два", sampling={"temperature": 0.5, "seed": 3, "stop": ["</s>"]}),
        chat("q", sampling={"temperature": 0.0, "stop": []}, extra_body={"top_k": 5, "chat_template_kwargs": {"a": 1}}),
        completion("Вопрос: \x85"),
    ]
    with FaultServer(scripts={"Вопрос: \x85": [answer("да", kind="completion")]}) as server:
        ask(server, requests, concurrency=1)
        sent = [json.dumps(body) for body in server.bodies]
        paths = list(server.paths)
    lines = written(requests)
    assert [json.dumps(line["body"]) for line in lines] == sent
    assert [line["url"] for line in lines] == paths
    assert {line["method"] for line in lines} == {"POST"}
    assert all(line.isascii() and line.count(b"\n") == 1 for file in request_files(requests) for line in file.lines)


def test_a_file_keeps_the_limits_of_a_service():
    """One path, so many requests and bytes; nothing is lost between files."""
    requests = [chat(f"q{number}") for number in range(5)] + [completion("p")]
    files = request_files(requests, most_requests=2)
    assert [(file.path, len(file.lines)) for file in files] == [
        ("/v1/chat/completions", 2),
        ("/v1/chat/completions", 2),
        ("/v1/chat/completions", 1),
        ("/v1/completions", 1),
    ]
    size = len(request_files(requests[:1])[0].lines[0])
    small = request_files(requests[:5], most_bytes=2 * size)
    assert [len(file.lines) for file in small] == [2, 2, 1]
    assert all(file.size == sum(map(len, file.lines)) <= 2 * size for file in small)
    assert [line for file in small for line in file.lines] == request_files(requests[:5])[0].lines


def test_a_question_of_two_subsets_is_asked_once():
    """Unless they ask it differently, which one id could not tell apart."""
    first, second = (chat("q", task=f"ifhard:{subset}|0") for subset in ("all", "easy"))
    assert len(written([first, second])) == 1
    with pytest.raises(ValueError, match="different ways"):
        request_files([first, replace(second, max_tokens=9)])


REPLIES = {
    "answer": (body_of("да"), 200),
    "reasoning": (body_of("да", reasoning="думаю"), 200),
    "older reasoning": (body_of("да", reasoning_content="думаю"), 200),
    "parts": (body_of(None) | {"choices": [{"message": {"content": [{"type": "text", "text": "да"}]}}]}, 200),
    "empty": (body_of(None), 200),
    "cut": (body_of("да", finish_reason="length"), 200),
    "filtered": (body_of("да", finish_reason="content_filter"), 200),
    "refused by the model": (body_of(None, refusal="не могу"), 200),
    "tool call": (body_of(None, tool_calls=[{"function": {"name": "f"}}]), 200),
    "lone surrogate": (body_of("x\ud800y"), 200),
    "broken off": (body_of("да", finish_reason="network_error"), 200),
    "error beside the choices": (body_of("да") | {"error": {"message": "boom"}}, 200),
    "no choices": ({"choices": []}, 200),
    "a null": (None, 200),
    "overflow with 200": ({"error": {"message": "maximum context length is 8 tokens"}}, 200),
    "bad request": ({"error": {"message": "no such field", "code": "x"}}, 400),
    "moderation": ({"error": {"message": "rejected by content policy"}}, 400),
    "overflow": ({"error": {"message": "maximum context length is 8 tokens"}}, 400),
    "roles": ({"error": {"message": "Conversation roles must alternate user/assistant"}}, 400),
    "busy": ({"error": {"message": "slow down"}}, 429),
    "down": ({"detail": "oops"}, 503),
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_result_is_read_as_a_live_reply(name):
    """Answers, cuts, blocked replies and failures: the same outcome, word for word."""
    body, code = REPLIES[name]
    # The first question is answered: a server that only refuses ends a run.
    with FaultServer(as_json(body, code), {"warm up": [answer("да")]}) as server:
        live = ask(server, [chat("warm up"), chat("q")], concurrency=1)[1]
    assert result_outcome(result(body, code)) == replace(live, attempts=1)


def test_a_completion_is_read_as_one():
    """Its text stands in the choice itself."""
    with FaultServer(answer("да", kind="completion")) as server:
        live = ask_one(server, completion("q"))
    assert result_outcome(result(body_of("да", kind="completion"))) == live


# As vLLM 0.32's run-batch writes them: a refusal stands beside the response, whose body is null.
VLLM = {"error": {"message": "max_tokens=100000 is too large", "type": "BadRequestError", "param": None, "code": 400}}


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (result(None, 400, VLLM), "refused", "HTTP 400: max_tokens=100000 is too large"),
        (result(None, 400, "URL /v1/x was used."), "refused", "HTTP 400: URL /v1/x was used."),
        (
            {"response": None, "error": {"code": "batch_expired", "message": "could not be executed in time"}},
            "timeout",
            "batch_expired: could not be executed in time",
        ),
        (
            {"response": None, "error": {"code": "batch_cancelled", "message": "x"}},
            "server-error",
            "batch_cancelled: x",
        ),
        ({"response": None, "error": "boom"}, "server-error", "boom"),
        (result(body_of("да"), 200, {"message": "boom"}), "server-error", "boom"),
        ({"response": None, "error": None}, "bad-body", "neither a response nor an error"),
        ({"result": {"type": "succeeded"}}, "bad-body", "neither a response nor an error"),
        ({"response": "да", "error": None}, "bad-body", "neither a response nor an error"),
        (result({"message": "odd"}, 0), "bad-body", "status_code 0: odd"),
        (result({"message": "odd"}, "400"), "bad-body", "status_code '400': odd"),
        (result([1], 400), "refused", "HTTP 400: [1]"),
        (result("да"), "bad-body", "no choices"),
    ],
)
def test_what_is_no_reply_has_failed(line, code, words):
    """With the service's words; never an empty answer."""
    outcome = result_outcome(line)
    assert (outcome.status, outcome.error_code, outcome.text) == ("failed", code, "")
    assert words in (outcome.error or "")
    assert outcome.error_code in ERROR_CODES


FIELDS = st.sampled_from(["status_code", "body", "choices", "message", "error", "text"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(FIELDS, inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_any_line_has_an_outcome(response, error):
    """Whatever a service writes there."""
    assert result_outcome({"response": response, "error": error}).status in ("answered", "blocked", "failed")


def test_results_are_found_by_question(tmp_path):
    """In any order, beside plain lines; what no line holds is not asked, what no sample asks for is counted."""
    lines = [
        result(body_of("два") | {"model": "m-1"}, name=custom_id(TASK, "б" * 99, 1)),
        result(body_of("раз") | {"model": "m-2"}, name=custom_id(TASK, "a", 0)),
        result(body_of("три"), name=custom_id("sobhard:all|0", "a", 0)),
        {"task": "ifhard:all", "id": "plain", "response": "да"},
    ]
    saved = save(tmp_path / "r.jsonl", *lines)
    assert saved.outcome("ifhard:easy|0", "a", 0).text == "раз"
    assert saved.outcome(TASK, "б" * 99, 1).text == "два"
    assert saved.outcome(TASK, "plain", 0).text == "да"
    assert saved.outcome(TASK, "a", 1).status == saved.outcome("ifhard:all|2", "a", 0).status == "not_asked"
    assert (len(saved), saved.unused) == (4, 1)
    assert saved.models == {"m-1", "m-2", "tiny"}
    assert saved.origin == "saved answers and batch results"
    assert save(tmp_path / "b.jsonl", lines[0]).origin == "batch results"
    assert save(tmp_path / "p.jsonl", lines[3]).origin == save(tmp_path / "e.jsonl").origin == "saved answers"


def test_a_second_try_completes_the_first(tmp_path):
    """Failures and blocked replies give way to an answer, before or behind it; two answers contradict each other."""
    failed, blocked = result(None, 500, "boom"), result(body_of("", finish_reason="content_filter"))
    good = result(body_of("да"))
    for lines in ([failed, good], [good, failed], [blocked, good, failed], [failed, blocked, good]):
        assert save(tmp_path / "r.jsonl", *lines).outcome(TASK, "a", 0).text == "да"
    assert save(tmp_path / "r.jsonl", failed, failed).outcome(TASK, "a", 0).error == "HTTP 500: boom"
    with pytest.raises(ResponsesError, match=r"line 2: custom_id ifhard-\w+ was answered on line 1"):
        save(tmp_path / "r.jsonl", good, good)


def test_files_that_are_no_results_are_named(tmp_path):
    """The requests themselves; results of another program's requests."""
    with pytest.raises(ResponsesError, match=r"line 1: this is a request of a batch"):
        save(tmp_path / "r.jsonl", *written([chat("q")]))
    with pytest.raises(ResponsesError, match=r"line 2: custom_id 'request-1' is none that --emit-requests writes"):
        save(tmp_path / "r.jsonl", result(body_of("да")), result(body_of("да"), name="request-1"))
