"""What holds for every answer whatsoever."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ifbench_cases import arguments, texts

from metrics import ifbench
from metrics.ifbench.text import Text

PAIRS = (("fixes_only", "fixes_only_loose"), ("proposed", "proposed_loose"))


@pytest.mark.parametrize("instruction_id", ifbench.CHECKERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_string_gets_a_verdict(instruction_id, data):
    """No string makes a checker raise; a verdict has a code and one printable line of reason."""
    kwargs = data.draw(arguments(instruction_id))
    answer = data.draw(texts())
    for strict, loose in PAIRS:
        verdict = ifbench.verify(instruction_id, kwargs, answer, grader=strict)
        assert verdict.code != "crash", verdict
        assert (verdict.code == "ok") == verdict.passed
        assert verdict.reason.encode("utf-8")
        assert len(verdict.reason) < 700
        assert "\n" not in verdict.reason
        # Loose grading accepts whatever strict grading accepts.
        assert ifbench.verify(instruction_id, kwargs, answer, grader=loose).passed >= verdict.passed
        assert ifbench.verify(instruction_id, kwargs, answer, grader=strict) == verdict


@settings(max_examples=200, deadline=None)
@given(texts())
def test_loose_variants_come_from_the_answer(answer):
    """At most eight texts, none blank, none twice, the answer first; cutting never adds a character."""
    variants = list(ifbench.loose_variants(answer))
    assert len(variants) <= 8
    assert len(set(variants)) == len(variants)
    assert all(variant.strip() for variant in variants)
    assert variants[:1] == ([answer] if answer.strip() else [])
    assert all(len(variant) <= len(answer) for variant in variants)


@settings(max_examples=200, deadline=None)
@given(texts(), st.booleans())
def test_sentences_take_nothing_from_the_text(answer, line_breaks_end):
    """Sentences stand in the text in order, none without a word, and hold all its words."""
    text = Text(answer)
    sentences = text.sentences(line_breaks_end)
    place = 0
    for sentence in sentences:
        place = text.prose.index(sentence.text, place) + len(sentence.text)
        assert any(map(str.isalnum, sentence.text))
        assert sentence.mark in ("", ".", "!", "?")
    words = sum(map(str.isalnum, text.prose))
    assert sum(char.isalnum() for sentence in sentences for char in sentence.text) == words


@settings(max_examples=200, deadline=None)
@given(texts())
def test_words_are_runs_of_the_prose(answer):
    """Words stand in the prose in order, and no letter or digit is lost, keycap emoji aside."""
    text = Text(answer)
    place = 0
    for word in text.words:
        place = text.prose.index(word, place) + len(word)
    keycaps = text.prose.count("\u20e3")
    lost = sum(map(str.isalnum, text.prose)) - sum(char.isalnum() for word in text.words for char in word)
    assert 0 <= lost <= keycaps


@settings(max_examples=150, deadline=None)
@given(texts(), st.sampled_from(["\n", " \n", "\n\n"]))
def test_blank_lines_at_the_end_change_no_count(answer, end):
    """Word and sentence counts do not see what white space follows the answer."""
    assert Text(answer).words == Text(answer + end).words
    assert len(Text(answer).sentences(False)) == len(Text(answer + end).sentences(False))
