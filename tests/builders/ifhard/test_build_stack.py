"""Stacks: sound, concentrated, free of contradiction, and led by what is lacking."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.ifhard.frames import FRAMES, LISTS, TERMINAL
from builders.ifhard.jobs import Job
from builders.ifhard.stack import Quotas, category_of, family_of, plan_stack, quota_of
from builders.ifhard.type_tables import FULL_SIZE, HARD, LEFT_OUT, RULES, SHARES, compatible

# Pairs that contradict each other or double each other, found by thinking, not by reading the table.
CONTRADICTIONS = [
    ("style:no_commas/plain", "style:comma_count/exact"),
    ("style:no_commas/plain", "structure:checksum/commas"),
    ("style:no_commas/plain", "format:csv_line/plain"),
    ("style:no_caps/plain", "lexical:quote_task/plain"),
    ("style:no_markdown/plain", "format:bullet_list/strict"),
    ("style:no_markdown/plain", "format:bold_words/plain"),
    ("style:no_markdown/plain", "format:hashtags/plain"),
    ("style:no_digits/numeral_words", "format:numbered_list/strict"),
    ("style:no_digits/numeral_words", "structure:first_line_count/plain"),
    ("style:no_digits/numeral_words", "structure:checksum/words"),
    ("style:no_digits/numeral_words", "format:json_array/plain"),
    ("style:no_latin/cyrillic_terms", "format:json_list_value/plain"),
    ("structure:word_count/exact", "structure:word_char_count/exact"),
    ("structure:char_count/exact", "structure:word_char_count/exact"),
    ("structure:sentence_count/exact", "lexical:sentence_acrostic/plain"),
    ("structure:sentence_count/exact", "format:hashtags/plain"),
    ("structure:sentence_count/exact", "structure:checksum/commas"),
    ("structure:sentence_count/exact", "lexical:quote_task/plain"),
    ("structure:sentence_count/exact", "logic:override/sentence_count"),
    ("structure:paragraph_count/exact", "structure:first_line_count/plain"),
    ("structure:paragraph_count/exact", "format:line_length/max"),
    ("structure:sentence_words/exact", "structure:ascending_sentences/asc"),
    ("structure:ascending_sentences/asc", "structure:mirror_sentences/plain"),
    ("lexical:acrostic/plain", "lexical:alpha_items/plain"),
    ("lexical:acrostic/plain", "format:bullet_list/strict"),
    ("lexical:ring_word/plain", "format:hashtags/plain"),
    ("lexical:ring_word/plain", "lexical:quote_task/plain"),
    ("lexical:ends_with/plain", "structure:checksum/words"),
    ("lexical:ends_with/plain", "format:hashtags/plain"),
    ("lexical:starts_with/plain", "lexical:quote_task/plain"),
    ("lexical:starts_with/plain", "structure:first_line_count/plain"),
    ("lexical:nth_word_from_end/plain", "structure:checksum/words"),
    ("lexical:sentence_acrostic/plain", "style:sentence_initials/plain"),
    ("format:bullet_list/strict", "format:numbered_list/strict"),
    ("format:bullet_list/strict", "format:hashtags/plain"),
    ("format:json_object/plain", "format:markdown_table/plain"),
    ("style:forbid_letter/one", "style:forbid_letters/several"),
    ("logic:conditional_include/plain@true", "logic:override/word_count"),
]


def never_together(one, other):
    left, right = RULES[one], RULES[other]
    return not (left.frames & right.frames) or not compatible(left, right)


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS, ids=lambda key: key)
def test_contradictions_are_never_drawn_together(one, other):
    """Two requirements that no answer meets together, or that say one thing twice, never share a stack."""
    assert never_together(one, other)
    assert never_together(other, one)


def test_compatibility_does_not_exclude_everything():
    """The counterpart of the list above: neighbours that belong together are allowed."""
    for one, other in [
        ("structure:word_count/exact", "style:forbid_letter/one"),
        ("structure:paragraph_count/exact", "structure:paragraph_sentences/exact"),
        ("structure:checksum/commas", "structure:word_count/exact"),
        ("format:bullet_list/strict", "lexical:alpha_items/plain"),
        ("lexical:quote_task/plain", "structure:word_count/exact"),
    ]:
        assert compatible(RULES[one], RULES[other]), (one, other)


def make_job(frame, size, with_context):
    return Job("test", 0, "home", "Опиши дом.", "spec", 0, frame, size, with_context)


jobs = st.builds(
    make_job,
    st.sampled_from(["prose", "bullets", "numbers", None]),
    st.integers(3, 6),
    st.booleans(),
) | st.builds(make_job, st.sampled_from(sorted(TERMINAL)), st.integers(3, 5), st.booleans())


@given(jobs, st.integers(0, 10**6))
def test_every_stack_is_sound(job, seed):
    """For any job and seed: the right size, no type twice, two families, an amount of text, one or two hard ones."""
    frame, keys = plan_stack(job, Quotas(1260, LEFT_OUT), Random(seed))
    rules = [RULES[key] for key in keys]
    assert frame in FRAMES
    assert job.frame in (None, frame)
    assert len(keys) == job.size
    assert all(frame in rule.frames for rule in rules)
    assert len({family_of(key) for key in keys}) >= 2
    assert len({category_of(key) for key in keys}) == len(keys)
    assert any(rule.pins for rule in rules), "the amount of text is open"
    assert 1 <= sum(rule.ease < HARD for rule in rules) <= 2
    assert all(compatible(a, b) for place, a in enumerate(rules) for b in rules[place + 1 :])
    assert job.with_context or not any("@" in key for key in keys)
    assert sum(category_of(key).startswith("logic:") for key in keys) <= 1
    assert not LEFT_OUT & {category_of(key) for key in keys}
    if frame in LISTS:
        assert any("items" in rule.brings for rule in rules), "nothing asks for a list"
    if frame in TERMINAL:
        assert sum("shape" in rule.groups for rule in rules) == 1


def test_draws_follow_the_deficit():
    """A type that lacks uses is drawn more often than those that have theirs."""
    quotas = Quotas(1260)
    lacking = "lexical:ring_word"
    for key in RULES:
        if category_of(key) != lacking:
            quotas.uses[quota_of(key)] = round(quotas.targets[quota_of(key)])
    job = make_job("prose", 5, False)
    hits = sum(
        any(category_of(key) == lacking for key in plan_stack(job, quotas, Random(seed))[1]) for seed in range(40)
    )
    assert hits > 20


def test_topup_serves_the_type_furthest_below_the_minimum():
    """A topup question holds one of the three types that need it most."""
    quotas = Quotas(1260)
    quotas.uses.update({name: round(target) for name, target in quotas.targets.items()})
    for name in ("lexical:ring_word", "lexical:acrostic", "style:anaphora"):
        quotas.uses[name] = 3
    assert set(quotas.rarest()[:3]) == {"lexical:ring_word", "lexical:acrostic", "style:anaphora"}
    for seed in range(10):
        _, keys = plan_stack(make_job(None, 4, False), quotas, Random(seed))
        assert {"lexical:ring_word", "lexical:acrostic", "style:anaphora"} & set(map(category_of, keys))


def test_a_stack_that_is_given_back_leaves_no_trace():
    """A stack without a witness does not count as use."""
    quotas = Quotas(100)
    before = {name: quotas.wanting(name) for name in quotas.targets}
    keys = ["style:no_caps/plain", "logic:conditional_include/plain@true"]
    quotas.take(keys)
    assert quotas.wanting("style:no_caps") < before["style:no_caps"]
    assert quotas.wanting("logic:conditional_include@false") == before["logic:conditional_include@false"]
    quotas.give_back(keys)
    assert {name: quotas.wanting(name) for name in quotas.targets} == before


def test_the_shares_add_up_to_the_requirements_of_a_full_build():
    """The uses that are aimed at are as many as a full build has room for."""
    assert sum(SHARES.values()) == pytest.approx(FULL_SIZE * 4.43, rel=0.02)
