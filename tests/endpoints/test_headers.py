"""Further HTTP headers: which are refused, and that their values are sent everywhere and shown nowhere."""

import asyncio

import pytest
from asking import LIMITS, ask_one, chat
from fault_server import FaultServer, as_json, echo, status
from hypothesis import given
from hypothesis import strategies as st

from endpoints.access import Access
from endpoints.client import Endpoint
from endpoints.errors import EndpointError
from endpoints.headers import HeaderError, header_variables, read_headers
from endpoints.model_config import config_from_environment

SECRET = "tok-5f3a9c"


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["X-Key"], "X-Key: what follows = must name"),
        (["X-Key="], "X-Key: what follows = must name"),
        (["=VAR"], "expected NAME=ENV_VARIABLE"),
        ([""], "expected NAME=ENV_VARIABLE"),
        (["X Key=VAR"], "X: expected NAME=ENV_VARIABLE"),
        (["X-Ключ=VAR"], "X-: expected NAME=ENV_VARIABLE"),
        (["X-Key\r\nX-Other=VAR"], "X-Key: expected NAME=ENV_VARIABLE"),
        (["X-Key=1VAR"], "X-Key: what follows = must name"),
        (["X-Key=A B"], "X-Key: what follows = must name"),
        (["Content-Type=VAR"], "Content-Type: the HTTP client sets"),
        (["content-LENGTH=VAR"], "content-LENGTH: the HTTP client sets"),
        (["Transfer-Encoding=VAR"], "the HTTP client sets"),
        (["X-Key=A", "x-key=B"], "x-key: the header is given twice"),
    ],
)
def test_what_is_no_header_is_refused(texts, words):
    """By name."""
    with pytest.raises(HeaderError) as caught:
        header_variables(texts)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [f"Authorization: Bearer {SECRET}==", f"X-Key={SECRET}", f"X-Key: {SECRET}", f"X-Key={SECRET}=", f" {SECRET}"],
)
def test_a_value_given_by_mistake_is_not_repeated(text):
    """The message must not carry it into a log."""
    with pytest.raises(HeaderError) as caught:
        header_variables([text])
    assert SECRET not in str(caught.value)


def test_names_and_variables_are_read():
    """In their order and spelling."""
    given = ["X-Api-Key=KEY", "OpenAI-Organization=_org2", "x.y~z=A"]
    assert header_variables(given) == {"X-Api-Key": "KEY", "OpenAI-Organization": "_org2", "x.y~z": "A"}


@given(st.text())
def test_any_text_is_read_or_refused(text):
    """What is read is one header that can be sent."""
    try:
        found = header_variables([text])
    except HeaderError:
        return
    ((name, variable),) = found.items()
    assert f"{name}={variable}" == text
    assert (name + variable).isascii()


def test_values_come_from_the_environment_without_white_space_around_them():
    """A line end behind a key in a file of secrets is no part of it."""
    assert read_headers({"X": "A"}, {"A": f" {SECRET}\n"}) == {"X": SECRET}


@pytest.mark.parametrize("value", [None, "", " \n", "ключ", "a\nb", "a\tb", "a\x00b", "é"])
def test_a_value_that_is_not_there_or_cannot_be_sent_is_refused(value):
    """The message names header and variable, not the value."""
    with pytest.raises(HeaderError) as caught:
        read_headers({"X-Key": "VAR"}, {} if value is None else {"VAR": value})
    assert str(caught.value).startswith("X-Key: the ")
    assert "VAR" in str(caught.value)
    assert value is None or not value.strip() or value not in str(caught.value)


def test_they_reach_every_request():
    """The list of models, the tokenizer and both kinds of generation."""
    seen = {}

    def noted(reply):
        async def noting(server, request):
            seen[request.path] = request.headers.get("X-Route"), request.headers["Authorization"]
            return await reply(server, request)

        return noting

    async def main(url):
        access = Access(headers={"X-Route": SECRET})
        async with Endpoint(url, "s3cret", **(LIMITS | access.options())) as client:
            await client.describe("tiny")
            await client.count_prompt_tokens(chat("а"))
            await client.run([chat("а")])

    models = noted(as_json({"data": [{"id": "tiny"}]}))
    with FaultServer(noted(echo), models=models, tokenize=noted(as_json({"count": 3}))) as server:
        asyncio.run(main(server.url))
    assert seen == dict.fromkeys(("/v1/models", "/tokenize", "/v1/chat/completions"), (SECRET, "Bearer s3cret"))


def test_a_header_may_replace_the_bearer_key():
    """Some gateways want another scheme."""
    with FaultServer() as server:
        ask_one(server, chat("а"), headers={"authorization": "Basic abc"})
    assert [server.headers[0][name] for name in server.headers[0] if name.lower() == "authorization"] == ["Basic abc"]


def test_a_value_that_the_server_repeats_is_hidden():
    """In the outcome, in the error of a refusal, and in that of the check; so is the key."""
    words = f"invalid header {SECRET}"

    async def check(url):
        async with Endpoint(url, "s3cret", headers={"X-Key": SECRET}, **LIMITS) as client:
            await client.describe("tiny")

    with FaultServer(status(500, words), models=status(401, f"{words} or key s3cret")) as server:
        outcome = ask_one(server, chat("а"), headers={"X-Key": SECRET})
        with pytest.raises(EndpointError) as caught:
            asyncio.run(check(server.url))
    assert outcome.error == "HTTP 500: invalid header (hidden)"
    assert "invalid header (hidden) or key (hidden)" in str(caught.value)
    with FaultServer(status(400, words)) as server, pytest.raises(EndpointError) as caught:
        ask_one(server, chat("а"), headers={"X-Key": SECRET})
    assert SECRET not in str(caught.value)


def test_lightevals_command_line_takes_them_from_the_environment():
    """And its results file holds none of them."""
    environment = {"ENDPOINT_HEADERS": "X-Key=A, X-Other=B", "A": SECRET, "B": "b"}
    config = config_from_environment("m", environment)
    assert config.access.headers == {"X-Key": SECRET, "X-Other": "b"}
    assert SECRET not in repr(config) + config.model_dump_json()
    with pytest.raises(ValueError, match=r"ENDPOINT_HEADERS.*X-Key: the environment variable A is not set"):
        config_from_environment("m", {"ENDPOINT_HEADERS": "X-Key=A"})
