"""What is known of requests before they are sent: the longest prompt, variables of the template that change nothing."""

import asyncio

import pytest
from asking import chat, endpoint
from fault_server import FaultServer, as_json, status

from endpoints.outlook import IdleKey, Outlook, idle_keys, kept_lines, longest_prompt
from endpoints.planning import Plan


def with_kwargs(**kwargs):
    """A request with variables of the chat template."""
    return chat("вопрос", extra_body={"chat_template_kwargs": kwargs})


def template(render):
    """``/tokenize`` of a server whose template makes text of messages and variables; a token a byte."""

    async def tokenize(server, request):
        body = await request.json()
        text = body["messages"][-1]["content"] + render(body.get("chat_template_kwargs", {}))
        tokens = list(text.encode())
        return await as_json({"count": len(tokens), "max_model_len": 8192, "tokens": tokens})(server, request)

    return tokenize


def qwen(variables):
    """Thinks unless told otherwise."""
    return "<think>" if variables.get("enable_thinking", True) is not False else "<think></think>"


def two_names(variables):
    """Either name switches thinking off."""
    off = variables.get("thinking") is False or variables.get("enable_thinking") is False
    return "<think></think>" if off else "<think>"


def budget(variables):
    """A budget matters only to one who thinks."""
    return f"<think {variables.get('budget', '')}>" if variables.get("thinking") else ""


def idle(render, standing=None, **kwargs):
    """What is found, and how many prompts were sent to the tokenizer."""

    async def ask(url):
        async with endpoint(url) as client:
            return await idle_keys(with_kwargs(**kwargs), client.tokenizer, standing)

    reply = render if asyncio.iscoroutinefunction(render) else template(render)
    with FaultServer(tokenize=reply) as server:
        found = asyncio.run(ask(server.url))
        assert server.bodies == []
        return found


CASES = {
    "read": (qwen, {"enable_thinking": False}, []),
    "of another name": (qwen, {"thinking": False}, [IdleKey("thinking", False, False)]),
    "the default": (qwen, {"enable_thinking": True}, [IdleKey("enable_thinking", True, True)]),
    "one of two": (qwen, {"enable_thinking": False, "x": 1}, [IdleKey("x", 1, False)]),
    "both needless to each other": (two_names, {"thinking": False, "enable_thinking": False}, []),
    "only beside another": (budget, {"thinking": True, "budget": 5}, []),
    "without the other": (budget, {"budget": 5}, [IdleKey("budget", 5, False)]),
    "none read": (budget, {"a": "x", "b": None}, [IdleKey("a", "x", False), IdleKey("b", None, False)]),
}


@pytest.mark.parametrize(("render", "kwargs", "found"), CASES.values(), ids=CASES)
def test_variables_that_change_nothing(render, kwargs, found):
    """Each is left out of all of them and tried alone: the same tokens both times, and it does nothing."""
    assert idle(render, **kwargs) == found


def test_what_is_sent_anyway_is_compared_with():
    """A judge gets enable_thinking false unasked: true changes that prompt, false repeats it."""
    standing = {"enable_thinking": False}
    assert idle(qwen, standing, enable_thinking=True) == []
    assert idle(qwen, standing, enable_thinking=False) == []
    assert idle(qwen, standing, enable_thinking=False, x=1) == [IdleKey("x", 1, False)]


@pytest.mark.parametrize(
    "tokenize",
    [status(404), status(500), as_json({"count": 7}), as_json({"tokens": []}), as_json({"tokens": "abc"}), as_json([])],
    ids=["no such path", "broken", "a count alone", "llama.cpp", "text", "list"],
)
def test_a_server_that_does_not_say_proves_nothing(tokenize):
    """None, and whatever it is, the run goes on."""
    assert idle(tokenize, enable_thinking=False) is None


def longest(texts, tokenize, counted=None):
    """The longest of some prompts: its id, tokens, whether they were counted."""
    requests = [chat(text, sample_id=str(number)) for number, text in enumerate(texts)]

    async def ask(url):
        async with endpoint(url) as client:
            plan = Plan(list(requests), {}, 0, counted or {})
            return await longest_prompt(Outlook(requests, plan, 8192, (), client.tokenizer))

    with FaultServer(tokenize=tokenize) as server:
        found = asyncio.run(ask(server.url))
        return found.request.sample_id, found.tokens, found.counted, len(server.tokenized)


def test_the_longest_prompt_is_counted_by_the_server():
    """The longest in tokens need not be the longest in bytes; what the plan has counted is not counted again."""

    async def letters(server, request):
        text = (await request.json())["messages"][-1]["content"]
        return await as_json({"count": len(text), "tokens": [ord(letter) for letter in text]})(server, request)

    texts = ["ж" * 300] * 20 + ["z" * 310] + ["y"] * 30
    name, tokens, counted, asked = longest(texts, letters)
    assert (name, tokens, counted) == ("20", 310, True)
    assert asked <= 16
    assert longest(["я", "юю"], letters, {0: 900, 1: 5}) == ("0", 900, True, 0)


def test_without_a_tokenizer_the_longest_prompt_is_an_estimate():
    """Half its bytes; the server is asked once."""
    assert longest(["a", "b" * 1000, "c"], None) == ("1", 532, False, 1)
    assert asyncio.run(longest_prompt(Outlook([], Plan([], {}, 0)))) is None


def test_a_journal_that_is_not_there_keeps_nothing(tmp_path):
    """Looking makes no file."""
    assert kept_lines(tmp_path / "responses.jsonl") == []
    assert not list(tmp_path.iterdir())
