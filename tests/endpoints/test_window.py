"""The server's window: found in its list of models, its tokenizer, or its first refusal."""

import asyncio
import itertools

import pytest
from asking import ask, chat, completion, endpoint, questions
from fault_server import FaultServer, answer, as_json, prompt_of, status

from endpoints.journal import Journal
from endpoints.planning import Fitter
from endpoints.window import Window, listed_window, named_prompt_tokens, named_window, tokenizer_window


@pytest.mark.parametrize(
    ("entry", "tokens", "source"),
    [
        ({"max_model_len": 8192}, 8192, "'max_model_len' in the list of models"),
        ({"context_length": 131072, "top_provider": {"context_length": 65536}}, 65536, "'top_provider.context_length'"),
        ({"context_window": "32768"}, 32768, "'context_window'"),
        ({"max_context_length": 8192, "loaded_context_length": 4096}, 4096, "'loaded_context_length'"),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 1024}}, 2048, "'meta.n_ctx'"),
        ({"max_model_len": None, "context_length": 4096}, 4096, "'context_length'"),
        ({"max_model_len": 0, "metadata": {"context_length": True}}, None, ""),
        ({"context_length": "much", "max_model_len": -1, "meta": [1]}, None, ""),
        ({}, None, ""),
    ],
)
def test_entry_gives_the_window_under_any_usual_name(entry, tokens, source):
    """The least of several; a value that is no positive integer is none."""
    found = listed_window({"m": entry}, "m")
    assert (found.tokens if found else None) == tokens
    assert source in (found.source if found else "")


def test_adapter_has_the_window_of_its_parent():
    """By the parent's id or by its path, through several steps; a circle or a gap is no window."""
    base = {"root": "/models/base", "max_model_len": 8192}
    listing = {"base": base, "lora": {"parent": "base", "root": "/loras/a", "max_model_len": None}}
    assert listed_window(listing, "lora") == Window(8192, "'max_model_len' of its parent 'base' in the list of models")
    assert listed_window(listing | {"lora": {"parent": "/models/base"}}, "lora").tokens == 8192
    assert listed_window(listing | {"second": {"parent": "lora"}}, "second").tokens == 8192
    assert listed_window(listing | {"lora": {"parent": "base", "max_model_len": 4096}}, "lora").tokens == 4096
    for parent in ("lora", "gone", None, 7, ""):
        assert listed_window({"lora": {"parent": parent}, "base": base}, "lora") is None
    assert listed_window(listing, "gone") is None


def describe(server):
    """What the server says about its model."""

    async def main():
        async with endpoint(server) as client:
            return await client.describe("tiny")

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("entry", "tokenize", "window", "asked"),
    [
        ({"id": "tiny", "context_length": 512}, as_json({"count": 1, "max_model_len": 1024}), 512, 0),
        ({"id": "tiny"}, as_json({"count": 1, "max_model_len": 1024}), 1024, 1),
        ({"id": "tiny"}, as_json({"count": 1}), None, 1),
        ({"id": "tiny"}, as_json([1]), None, 1),
        ({"id": "tiny"}, status(500), None, 1),
        ({"id": "tiny"}, None, None, 1),
    ],
)
def test_tokenizer_is_asked_where_the_list_says_nothing(entry, tokenize, window, asked):
    """Once; a server without it, or one that fails, has no known window, which is no error."""
    with FaultServer(models={"data": [entry]}, tokenize=tokenize) as server:
        info = describe(server)
    assert (info.max_model_len, len(server.tokenized)) == (window, asked)
    assert bool(info.window_source) is (window is not None)


def test_body_of_the_tokenizer_may_be_anything():
    """Only an object with a positive integer has a window."""
    assert tokenizer_window(b'{"max_model_len": 64}') == Window(64, "the reply of /tokenize")
    for body in (b"", b"null", b"{}", b'{"max_model_len": true}', b"[" * 10_000):
        assert tokenizer_window(body) is None


@pytest.mark.parametrize(
    ("message", "window", "prompt"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (9000 in the "
            "messages, 100 in the completion).",
            8192,
            9000,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 "
            "tokens and your request has 120 input tokens (9000 > 8192 - 120).",
            8192,
            120,
        ),
        ("The decoder prompt (length 9123) is longer than the maximum model length of 8192.", 8192, 9123),
        ("You passed 9001 input tokens, but the model's context length is only 8192.", 8192, 9001),
        ("Input length (9000) exceeds model's maximum context length (8192).", 8192, None),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192, 9000),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096, None),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 120 `inputs` tokens and 8000", 4096, 120),
        ("This model's maximum context length is 131,072 tokens.", 131072, None),
        ("max_model_len is 8192", 8192, None),
        ("Your input exceeds the context window of this model.", None, None),
        ("context length exceeded by 5 percent", None, None),
    ],
)
def test_numbers_in_the_words_of_a_refusal(message, window, prompt):
    """vLLM, SGLang, llama.cpp, TGI, OpenAI."""
    assert (named_window(message), named_prompt_tokens(message)) == (window, prompt)


WINDOW = 1000


async def strict(server, request):
    """A server with a window of 1,000 tokens, one a byte, that names it only when it refuses."""
    body = await request.json()
    size = len(prompt_of(body).encode())
    if size + body["max_tokens"] > WINDOW:
        words = f"This model's maximum context length is {WINDOW} tokens and your request has {size} input tokens."
        return await status(400, words)(server, request)
    return await answer("да", "completion")(server, request)


class Exact:
    """Counts as the strict server does, or not at all."""

    def __init__(self, known=True):
        self.known = known

    async def count_prompt_tokens(self, request):
        return len(request.prompt.encode()) if self.known else None


def ask_fitted(server, requests, fitter, journal=None, **options):
    """Runs the requests with this fitter."""

    async def main():
        async with endpoint(server, **options) as client:
            if journal is None:
                return await client.run(requests, fitter=fitter)
            with Journal(journal) as opened:
                return await client.run(requests, opened, fitter=fitter)

    return asyncio.run(main())


@pytest.mark.parametrize("known", [True, False], ids=["tokenizer", "estimate"])
@pytest.mark.parametrize("concurrency", [1, 8])
def test_first_refusal_teaches_the_window_to_all(known, concurrency):
    """Nobody fails for a cap: those in flight are sent again with a lower one, the rest is sent with it at once."""
    learnt = []
    fitter = Fitter(None, Exact(known), learnt.append)
    requests = [completion(f"{number:03d}" + "x" * 300, max_tokens=4000) for number in range(40)]
    with FaultServer(strict) as server:
        outcomes = ask_fitted(server, requests, fitter, concurrency=concurrency)
    assert {o.status for o in outcomes} == {"answered"}
    assert learnt == [WINDOW]
    assert fitter.learnt == WINDOW
    assert fitter.shortened >= 40
    refused = sum(body["max_tokens"] == 4000 for body in server.bodies)
    assert 1 <= refused <= concurrency
    if known:
        assert len(server.bodies) == 40 + refused
        assert {body["max_tokens"] for body in server.bodies} == {4000, WINDOW - 303}


@pytest.mark.parametrize(("place", "code"), [("beside", 200), ("flat", 200), ("choice", 200), ("beside", 500)])
def test_refusal_under_another_status_teaches_the_window_too(place, code):
    """In the error, as vLLM's flat one, or in an empty choice. It is not sent again as it is."""

    async def hiding(server, request):
        body = await request.json()
        if len(prompt_of(body).encode()) + body["max_tokens"] <= WINDOW:
            return await answer("да", "completion")(server, request)
        error = {"message": f"This model's maximum context length is {WINDOW} tokens.", "code": 400}
        told = {
            "beside": {"error": error},
            "flat": {"object": "error", **error},
            "choice": {"choices": [{"text": "", "finish_reason": "error", "error": error}]},
        }
        return await as_json(told[place], code)(server, request)

    learnt = []
    requests = [completion(f"{number}" + "x" * 300, max_tokens=4000) for number in range(5)]
    with FaultServer(hiding) as server:
        outcomes = ask_fitted(server, requests, Fitter(None, Exact(), learnt.append), concurrency=1)
    assert ({o.status for o in outcomes}, learnt, len(server.bodies)) == ({"answered"}, [WINDOW], 6)


def test_prompt_that_cannot_fit_fails_by_itself():
    """It keeps the server's words if it was sent, and is not asked if the window was known by then."""
    long = [completion(letter * 2000, max_tokens=10) for letter in "ab"]
    with FaultServer(strict) as server:
        outcomes = ask_fitted(server, [*long, completion("c", max_tokens=10)], Fitter(None, Exact()), concurrency=1)
    assert [(o.status, o.error_code) for o in outcomes] == [
        ("failed", "context-overflow"),
        ("not_asked", "does-not-fit"),
        ("answered", None),
    ]
    assert len(server.bodies) == 2


def test_refusal_that_names_no_window_is_sent_once():
    """Nothing can be learnt from it."""
    refuse = status(400, "Your input exceeds the context window of this model.")
    with FaultServer(answer("да", "completion"), {"a": [refuse]}) as server:
        outcomes = ask_fitted(server, [completion("a"), completion("b")], Fitter(None, Exact()), concurrency=1)
    assert [o.error_code for o in outcomes] == ["context-overflow", None]
    assert server.asked["a"] == 1


def test_server_that_refuses_every_cap_is_not_asked_for_ever():
    """Two further tries at most, whatever it names."""
    turn = itertools.count(900, -100)

    async def shrink(server, request):
        return await status(400, f"maximum context length is {next(turn)} tokens")(server, request)

    with FaultServer(shrink) as server:
        (outcome,) = ask_fitted(server, [completion("a", max_tokens=4000)], Fitter(None, Exact()))
    assert outcome.error_code == "context-overflow"
    assert len(server.bodies) == 3


@pytest.mark.parametrize("known", [True, False], ids=["tokenizer", "estimate"])
def test_refitted_answers_are_in_the_journal_and_not_asked_again(known, tmp_path):
    """Each under the request that was answered: a second run finds them, at most behind a refusal of one size."""
    requests = [completion(f"{number}" + "x" * 300, max_tokens=4000) for number in range(6)]
    with FaultServer(strict) as server:
        ask_fitted(server, requests, Fitter(None, Exact(known)), tmp_path / "j", concurrency=1)
        before = len(server.bodies)
        outcomes = ask_fitted(server, requests, Fitter(None, Exact(known)), tmp_path / "j", concurrency=1)
        again = server.bodies[before:]
    assert all(o.from_journal for o in outcomes)
    assert all(body["max_tokens"] + 301 > WINDOW for body in again)


def test_chat_without_a_fitter_is_as_before():
    """An overflow is an outcome."""
    with FaultServer(status(400, "maximum context length is 10 tokens")) as server:
        assert {o.error_code for o in ask(server, [chat("q"), *questions(2)])} == {"context-overflow"}
    assert len(server.bodies) == 3
