"""Requests: their key, their body, and what is no request."""

import os
import subprocess
import sys

import pytest
from asking import chat, completion
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.errors import ERROR_CODES
from endpoints.outcome import Outcome, storable

SAME = chat("вопрос")


@pytest.mark.parametrize(
    "other",
    [
        chat("вопрос", task="ifhard:easy"),
        chat("вопрос", sample_id="другой"),
        chat("вопрос", repeat=1),
        chat("вопрос", model="huge"),
        chat("вопрос!", sample_id="вопрос"),
        chat("вопрос", messages=({"role": "system", "content": "вопрос"},)),
        chat("вопрос", messages=({"role": "user", "content": "вопрос"},) * 2),
        chat("вопрос", max_tokens=65),
        chat("вопрос", sampling={"temperature": 0.1}),
        chat("вопрос", sampling={"temperature": 0.0, "seed": 1}),
        chat("вопрос", sampling={"temperature": 0.0, "stop": ["\n"]}),
        chat("вопрос", extra_body={"chat_template_kwargs": {"enable_thinking": False}}),
        completion("вопрос"),
    ],
    ids=lambda request: f"{request.kind}-{request.task}-{request.repeat}",
)
def test_whatever_differs_changes_the_key(other):
    """Task, sample, repeat, kind, model, text, cap, sampling and extra body are all in the key."""
    assert other.key() != SAME.key()


def test_what_does_not_matter_leaves_the_key():
    """The order of fields and an empty stop list mean nothing to the server."""
    one = chat("вопрос", sampling={"temperature": 0.0, "seed": 1}, extra_body={"a": {"x": 1, "y": 2}})
    two = chat("вопрос", sampling={"seed": 1, "stop": [], "temperature": 0.0}, extra_body={"a": {"y": 2, "x": 1}})
    assert one.key() == two.key()


def test_key_is_the_same_in_every_process():
    """Another hash seed and locale give the same key, or no run could be resumed."""
    script = (
        "from endpoints.request import Request;"
        "turns = ({'role': 'user', 'content': 'вопрос'},);"
        "print(Request('ifhard:all', 'вопрос', 0, 'chat', 'tiny', turns, None, 64, {'temperature': 0.0}, {}).key())"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert keys == {SAME.key()}


def test_key_is_pinned():
    """A change of this value makes every journal of users unusable: raise KEY_VERSION on purpose, not by accident."""
    assert SAME.key() == "846df811732c6b084c67d430396e7d52fe78403bfdb88a59b64d31a5f6a94833"


@settings(deadline=None)
@given(st.text(), st.integers(0, 9))
def test_any_text_has_a_key(text, repeat):
    """64 hexadecimal digits, for lone surrogates as well."""
    key = chat("x", sample_id=text + "\ud800", repeat=repeat, messages=({"role": "user", "content": text},)).key()
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_value_that_json_does_not_know_has_no_key(value):
    """NaN would be sent as something that is not JSON."""
    with pytest.raises(ValueError, match="JSON"):
        chat("вопрос", sampling={"temperature": value}).key()


@pytest.mark.parametrize(
    ("build", "changes", "says"),
    [
        (chat, {"messages": ()}, "takes messages and no prompt"),
        (chat, {"messages": None}, "takes messages and no prompt"),
        (chat, {"prompt": "x"}, "takes messages and no prompt"),
        (completion, {"prompt": None}, "takes a prompt and no messages"),
        (completion, {"messages": ({"role": "user", "content": "x"},)}, "takes a prompt and no messages"),
        (chat, {"max_tokens": 0}, "max_tokens is 0"),
        (chat, {"sampling": {"n": 2}}, "given twice: n"),
        (chat, {"extra_body": {"stream": True}}, "given twice: stream"),
        (chat, {"extra_body": {"model": "other"}}, "given twice: model"),
        (chat, {"sampling": {"top_k": 1}, "extra_body": {"top_k": 2}}, "given twice: top_k"),
    ],
)
def test_request_that_makes_no_sense_is_refused(build, changes, says):
    """A request that could not be sent as meant is refused when it is made, naming task and sample."""
    with pytest.raises(ValueError, match=says) as caught:
        build("вопрос", **changes)
    assert "вопрос" in str(caught.value)


def test_empty_prompt_of_a_completion_is_a_prompt():
    """An empty text to go on from is legal."""
    assert completion("").body()["prompt"] == ""


@settings(deadline=None)
@given(st.text())
def test_storable_changes_nothing_that_can_be_stored(text):
    """Text without lone surrogates is the same text."""
    assert storable(text) == text


@settings(deadline=None)
@given(st.text(alphabet=st.characters(min_codepoint=0xD7FF, max_codepoint=0xE000)))
def test_storable_text_can_be_stored(text):
    """Every lone surrogate becomes one U+FFFD, nothing else changes, and the result has a UTF-8 form."""
    stored = storable(text)
    assert stored.encode("utf-8").decode("utf-8") == stored
    assert len(stored) == len(text)
    assert all(
        new == (old if not "\ud800" <= old <= "\udfff" else "\ufffd") for old, new in zip(text, stored, strict=True)
    )


def test_outcomes_are_told_apart():
    """Three statuses, and the failure's words are storable."""
    failed = Outcome.failure("timeout", "x\ud800", 3)
    assert (failed.status, failed.text, failed.error, failed.error_code, failed.attempts) == (
        "failed",
        "",
        "x\ufffd",
        "timeout",
        3,
    )
    unasked = Outcome.unasked("the run ended")
    assert (unasked.status, unasked.text, unasked.attempts, unasked.error) == (
        "not_asked",
        "",
        0,
        "the run ended",
    )
    assert failed.error_code in ERROR_CODES
