"""What of a generation is graded, and what loops in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ifbench_cases import texts

from metrics.ifbench import is_degenerate, repeat_share, split_reasoning, strip_reasoning
from metrics.reasoning import cut_reasoning

OK, OPEN = "ok", "reasoning_unclosed"


@pytest.mark.parametrize(
    ("raw", "answer", "extraction", "unclosed", "first_tag"),
    [
        (None, "", OK, False, ""),
        ("", "", OK, False, ""),
        ("Plain.", "Plain.", OK, False, "Plain."),
        ("\n Plain. \n", "\n Plain. \n", OK, False, "\n Plain. \n"),
        ("<think>a</think>b", "b", OK, False, "b"),
        ("a</think>b", "b", OK, False, "b"),
        ("a</THINK>\n\nb", "\n\nb", OK, False, "\n\nb"),
        ("<think>a</think>b</think>c", "c", OK, False, "b</think>c"),
        ("<think>a</think>b<think>c</think>d", "d", OK, False, "b<think>c</think>d"),
        ("<think>the answer is b", "", OPEN, True, "<think>the answer is b"),
        ("Sure. <think>b", "", OPEN, True, "Sure. <think>b"),
        ("<think>a</think>b<think>c", "b<think>c", OK, True, "b<think>c"),
        ("<think>a</think>", "", OK, False, ""),
        ("<thinking>a</thinking>b", "<thinking>a</thinking>b", OK, False, "<thinking>a</thinking>b"),
    ],
    ids=[
        "none", "empty", "no tags", "white space stays", "a pair", "opening tag in the prompt", "capitals, line breaks",
        "two closing tags", "two pairs", "cut off inside", "cut off after a preface", "opened again",
        "nothing after it", "other tags",
    ],
)  # fmt: skip
def test_the_graded_text(raw, answer, extraction, unclosed, first_tag):
    """Contract, 6.1.1, over the product's rule: after the last closing tag; nothing where the reasoning is unclosed."""
    found = split_reasoning(raw)
    assert (found.answer, found.extraction, found.unclosed) == (answer, extraction, unclosed)
    assert found.first_tag == first_tag
    assert found.trimmed == answer.lstrip("\n")
    assert strip_reasoning(raw) == answer


def test_the_trace_is_kept_without_its_tags():
    """What was cut is stored, not scored."""
    assert split_reasoning("<think>\nfirst</think>no<think>second </think>yes").trace == "firstnosecond"
    assert split_reasoning("<think> on and on").trace == "on and on"


@settings(max_examples=200, deadline=None)
@given(texts(), st.lists(st.sampled_from(["<think>", "</think>", "x", "\n"]), max_size=8).map("".join))
def test_the_contracts_text_lies_within_the_products(tail, head):
    """The answer is never more than the product's rule leaves, and the same unless a closing tag is left in that."""
    raw = head + tail
    found = split_reasoning(raw)
    products = cut_reasoning(raw)
    assert (found.first_tag, found.unclosed) == (products.answer, products.unclosed)
    assert found.first_tag.endswith(found.answer)
    assert "</think>" not in found.answer.lower()
    if found.extraction == OPEN:
        assert found.answer == ""
        assert "</think>" not in raw.lower()
    else:
        assert (found.answer == found.first_tag) == ("</think>" not in found.first_tag.lower())


@pytest.mark.parametrize(
    ("response", "share"),
    [
        (None, 0.0),
        ("", 0.0),
        ("one two three", 0.0),
        ("one two three four", 0.0),
        ("a b c d a b c d", 1 / 5),
        ("go " * 9, 5 / 6),
        ("Go go GO, go! Go.", 1 / 2),
        ("... !!! ---", 0.0),
        ("<think>no no no no no no", 2 / 4),
    ],
    ids=["none", "empty", "three words", "four", "one of five", "a loop", "half", "no words", "reasoning counts"],
)
def test_repeat_share_by_hand(response, share):
    """Runs of four words that occurred before, over all runs; case and marks do not matter."""
    assert repeat_share(response) == pytest.approx(share)


def test_half_is_degenerate():
    """The flag starts at exactly one half."""
    assert is_degenerate(0.5)
    assert not is_degenerate(0.4999)
    assert is_degenerate(repeat_share("Go go GO, go! Go."))
