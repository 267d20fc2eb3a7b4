"""The check at the start of a run, and the token count before it."""

import asyncio
import socket
import threading

import pytest
from asking import LIMITS, chat, completion, endpoint
from fault_server import FaultServer, as_json, hang, raw, status

from endpoints.client import Endpoint
from endpoints.errors import EndpointError


def describe(url, model="tiny", *, must_be_listed=True, **options):
    """What the server at ``url`` says about ``model``."""

    async def main():
        async with endpoint(url, **options) as client:
            return await client.describe(model, must_be_listed=must_be_listed)

    return asyncio.run(main())


def count(url, *requests):
    """Token counts of the prompts, all asked for at once."""

    async def main():
        async with endpoint(url) as client:
            return await asyncio.gather(*(client.count_prompt_tokens(request) for request in requests))

    return asyncio.run(main())


def test_served_model_is_described():
    """The window, the list and the server's own entry come back."""
    entries = [{"id": "tiny", "max_model_len": 8192, "owned_by": "vllm"}, {"id": "other"}]
    with FaultServer(models={"data": entries}) as server:
        info = describe(server.url)
    assert (info.base_url, info.model, info.served) == (server.url, "tiny", ("tiny", "other"))
    assert info.max_model_len == 8192
    assert info.reported == entries[0]


@pytest.mark.parametrize(
    "entry", [{"id": "tiny"}, {"id": "tiny", "max_model_len": None}, {"id": "tiny", "max_model_len": 0}]
)
def test_unknown_window_is_none(entry):
    """A server that does not say its window has none that we know of."""
    with FaultServer(models={"data": [entry]}) as server:
        assert describe(server.url).max_model_len is None


def test_wrong_model_names_url_and_served_models():
    """The error line names the URL, the model asked for and those served."""
    entries = [{"id": "tiny"}, {"id": "Qwen/Qwen3"}]
    with FaultServer(models={"data": entries}) as server, pytest.raises(EndpointError) as caught:
        describe(server.url, "huge")
    assert str(caught.value) == (
        f"{server.url} does not serve the model 'huge'; it serves: tiny, Qwen/Qwen3 "
        "(--no-model-check asks for it all the same)"
    )


def test_long_list_of_models_is_cut():
    """Three hundred models do not fill the terminal."""
    entries = [{"id": f"m{number}"} for number in range(300)]
    many = pytest.raises(EndpointError, match=r"m0, m1, .*, m19 and 280 more \(")
    with FaultServer(models={"data": entries}) as server, many:
        describe(server.url, "huge")


def test_server_with_an_incomplete_list_may_serve_the_model():
    """Where the list need not hold the model, its absence is no error, and nothing is made up about it."""
    with FaultServer(models={"data": []}) as server:
        info = describe(server.url, "/path/of/a/model", must_be_listed=False)
    assert (info.served, info.max_model_len, info.reported) == ((), None, None)


LISTS = {
    "empty": as_json({"object": "list", "data": []}),
    "null": as_json({"object": "list", "data": None}),
    "absent": status(404, "Not Found"),
    "wildcard": as_json({"data": [{"id": "*"}]}),
    "of-another-form": as_json([{"name": "tiny"}]),
    "a-web-page": raw("<html>hello</html>", kind="html"),
    "forbidden": status(403, "no listing for this key"),
    "not-allowed": status(405, "GET"),
    "not-there-yet": status(501, "not implemented"),
    "hanging": hang,
}


@pytest.mark.parametrize("models", LISTS.values(), ids=LISTS)
def test_list_that_is_no_help_is_an_error_that_names_the_option(models):
    """With the option the same server is asked without it."""
    limit = 0.2 if models is hang else 60.0
    with FaultServer(models=models) as server:
        with pytest.raises(EndpointError) as caught:
            describe(server.url, check_s=limit)
        info = describe(server.url, must_be_listed=False, check_s=limit)
    assert "--no-model-check" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (info.model, info.max_model_len, info.reported) == ("tiny", None, None)


def test_window_is_learnt_from_the_tokenizer_where_there_is_no_list():
    """The list is one of several places that have it."""
    tokenize = as_json({"count": 1, "max_model_len": 4096})
    with FaultServer(models=status(404, "Not Found"), tokenize=tokenize) as server:
        info = describe(server.url, must_be_listed=False)
    assert (info.max_model_len, info.window_source) == (4096, "the reply of /tokenize")


def test_server_that_is_down_is_an_error_without_a_list_too():
    """Nobody could answer a request; the option is no help, and is not named."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        for listed in (True, False):
            with pytest.raises(EndpointError, match="connection refused") as caught:
                describe(url, must_be_listed=listed)
            assert "--no-model-check" not in str(caught.value)


def test_server_down_is_one_line_with_the_url():
    """Nobody listening on the port: the URL and the system's words."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(EndpointError) as caught:
            describe(url)
    assert (
        str(caught.value) == f"{url}: no list of models: cannot connect: connection refused (is the server up there?)"
    )


def test_unknown_host_is_one_line_with_the_url():
    """A name that does not resolve (RFC 6761 reserves .invalid) is told as such."""
    with pytest.raises(EndpointError, match=r"^http://nowhere\.invalid/v1: no list of models: cannot connect: "):
        describe("http://nowhere.invalid/v1")


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (raw("<html>hello</html>", kind="html"), "is this an OpenAI-compatible API"),
        (as_json({"object": "list"}), "is this an OpenAI-compatible API"),
        (as_json([1, 2]), "is this an OpenAI-compatible API"),
        (status(404, "Not Found"), "HTTP 404: Not Found"),
        (status(401, "Invalid API key"), "--api-key-env"),
        (status(503, "still loading"), "HTTP 503: still loading"),
    ],
    ids=["a-web-page", "no-data", "a-list", "404", "401", "503"],
)
def test_wrong_port_or_path_is_one_line(models, words):
    """Something else listens there: the line names the URL and says what came back."""
    with FaultServer(models=models) as server, pytest.raises(EndpointError) as caught:
        describe(server.url)
    assert server.url in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_port_that_does_not_speak_http():
    """A service of another protocol is told from a server that is down."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def greet():
            link, _ = other.accept()
            with link:
                link.recv(65536)
                link.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(EndpointError, match="not an HTTP response"):
            describe(f"http://127.0.0.1:{other.getsockname()[1]}/v1")
        thread.join()


def test_server_that_does_not_answer_the_check():
    """A server that accepts and stays silent is given up after the time of the check."""
    with FaultServer(models=hang) as server, pytest.raises(EndpointError, match=r"no answer within 0\.2 s"):
        describe(server.url, check_s=0.2)


def test_check_takes_ten_seconds_at_most_by_default():
    """The promise of the interface is the default."""
    assert Endpoint.__init__.__kwdefaults__["check_s"] == 10.0


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8001", "ftp://host/v1", "http://", "http://host:port/v1", "", "http://a b/v1"]
)
def test_unusable_url_is_refused_before_anything_is_sent(url):
    """A URL without http, host or number is named as it was typed."""
    with pytest.raises(EndpointError, match="is not an http or https URL") as caught:
        Endpoint(url, None)
    assert repr(url) in str(caught.value)


def test_password_in_the_url_is_refused_and_not_shown():
    """A password in the URL would end up in every log and results file."""
    with pytest.raises(EndpointError) as caught:
        Endpoint("http://user:s3cret@host/v1", None)
    assert "s3cret" not in str(caught.value)


def test_trailing_slash_does_not_matter():
    """The URL is kept without a trailing slash."""
    assert Endpoint("http://127.0.0.1:1/v1/", None).base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    "options",
    [{"concurrency": 0}, {"attempt_s": 0}, {"deadline_s": -1}, {"check_s": 0}, {"connect_s": 0}, {"grace_s": -1}],
)
def test_impossible_limits_are_refused(options):
    """Zero workers or no time at all would be a run that never ends or never starts."""
    with pytest.raises(ValueError, match=r"concurrency|time limits"):
        Endpoint("http://127.0.0.1:1/v1", None, **options)


def test_unopened_endpoint_says_how_to_open_it():
    """Asking outside of the async with statement is a plain error, not a failed sample."""
    client = Endpoint("http://127.0.0.1:1/v1", None, **LIMITS)
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(client.run([chat("вопрос")]))


def test_prompt_tokens_are_counted_with_the_template():
    """The chat template's arguments go along; a completion is counted as plain text. The path is beside /v1."""
    with FaultServer(tokenize=as_json({"count": 42, "max_model_len": 8192, "tokens": []})) as server:
        counts = count(
            server.url,
            chat("вопрос", extra_body={"chat_template_kwargs": {"enable_thinking": False}, "top_k": 1}),
            completion("Вопрос:"),
        )
    assert counts == [42, 42]
    assert sorted(server.tokenized, key=len) == [
        {"model": "tiny", "prompt": "Вопрос:", "add_special_tokens": True},
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "вопрос"}],
            "chat_template_kwargs": {"enable_thinking": False},
            "add_generation_prompt": True,
        },
    ]


def test_server_without_tokenize_gives_none_and_is_asked_no_more():
    """No such path: None for all, after a few questions at most."""
    with FaultServer() as server:
        assert count(server.url, *(chat(f"q{number}") for number in range(100))) == [None] * 100
    assert len(server.tokenized) <= 16


def test_prompt_that_tokenize_refuses_is_none_for_that_prompt_alone():
    """A prompt that the template refuses has no count; the next one has."""
    replies = iter([status(400, "roles must alternate"), as_json({"count": 5})])

    async def tokenize(server, request):
        return await next(replies)(server, request)

    async def main(url):
        async with endpoint(url) as client:
            return [await client.count_prompt_tokens(chat("а")), await client.count_prompt_tokens(chat("б"))]

    with FaultServer(tokenize=tokenize) as server:
        assert asyncio.run(main(server.url)) == [None, 5]


@pytest.mark.parametrize("reply", [raw("no"), as_json({"tokens": []}), as_json({"count": "5"}), as_json([5])])
def test_tokenize_of_another_kind_is_none(reply):
    """A path of that name that does something else counts as none."""
    with FaultServer(tokenize=reply) as server:
        assert count(server.url, chat("а")) == [None]


def test_tokenize_that_fails_is_retried_then_raised():
    """A failing count is a failing server: the run stops before it sends anything."""
    fails = pytest.raises(EndpointError, match=r"/tokenize: HTTP 500: down")
    with FaultServer(tokenize=status(500, "down")) as server, fails:
        count(server.url, chat("а"))
    assert len(server.tokenized) == 3
