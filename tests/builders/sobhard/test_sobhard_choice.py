"""Which document a question is about: the tier holds, use is spread, what is shown whole is kept apart."""

import random
from collections import Counter

import pytest

from builders.sobhard.choose import MOST_USES, TALKED_ABOUT, Chooser
from builders.sobhard.corpus import load_documents
from builders.sobhard.plan import TIERS, Slot, plan

SLOTS = plan(1)


@pytest.fixture(scope="module")
def documents():
    """The project's own."""
    return load_documents("builtin")


@pytest.fixture
def chooser(documents):
    """Of these documents, none of them used."""
    return Chooser(documents, 1)


def slot(**wanted):
    """The first slot of the plan that is so."""
    return next(entry for entry in SLOTS if all(getattr(entry, name) == value for name, value in wanted.items()))


@pytest.mark.parametrize("tier", TIERS)
def test_a_document_fits_the_tier(chooser, tier):
    """In the notation it is shown in, which changes its length."""
    low, high = TIERS[tier]
    found = list(chooser.candidates(random.Random(1), slot(tier=tier, family="extract")))
    assert found
    assert all(low <= shown.length < high for shown in found)
    assert len({shown.notation for shown in found}) > 3


def test_the_order_is_one_of_chance_and_the_same_for_a_seed(chooser):
    """Two draws of one seed are equal, those of two are not."""
    entry = slot(family="extract", tier="medium")
    draws = [[shown[:2] for shown in chooser.candidates(random.Random(seed), entry)] for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert sorted(one.id + notation for one, notation in draws[0]) == sorted(one.id + name for one, name in draws[2])


def test_documents_of_conversations_are_kept_from_who_could_answer_with_them(chooser):
    """And from one another's families."""
    talked = {
        shown.document.id for shown in chooser.candidates(random.Random(1), slot(family="session", tier="medium"))
    }
    assert talked
    for family in TALKED_ABOUT:
        for tier in TIERS:
            try:
                entry = slot(family=family, tier=tier)
            except StopIteration:
                continue
            assert not talked & {shown.document.id for shown in chooser.candidates(random.Random(1), entry)}


def test_a_document_shown_whole_is_kept_apart_from_then_on(chooser):
    """As those of demonstrations are."""
    entry = slot(family="transform", tier="short", target="json")
    first = next(iter(chooser.candidates(random.Random(1), entry)))
    chooser.take(entry, first, first.length, apart=True)
    assert first.document.id not in {shown.document.id for shown in chooser.candidates(random.Random(1), entry)}


def test_a_conversion_is_asked_once(chooser):
    """Document and notations are all there is to it."""
    entry = slot(family="convert", tier="medium", target="json")
    first = next(iter(chooser.candidates(random.Random(1), entry)))
    chooser.take(entry, first, first.length)
    assert first not in list(chooser.candidates(random.Random(1), entry))


def test_no_file_is_behind_more_questions_than_the_bound(chooser):
    """It is left out once it is reached."""
    entry = slot(family="extract", tier="medium")
    first = next(iter(chooser.candidates(random.Random(1), entry)))
    for _ in range(MOST_USES):
        chooser.take(entry, first, first.length)
    assert first.document.origin not in {shown.document.origin for shown in chooser.candidates(random.Random(1), entry)}


def test_a_rarely_used_file_comes_before_one_that_was_used_often(documents):
    """By chance, not always."""
    entry = slot(family="extract", tier="medium")
    firsts: Counter[str] = Counter()
    for seed in range(60):
        chooser = Chooser(documents, 1)
        for used in list(chooser.candidates(random.Random(0), entry))[:5]:
            for _ in range(40):
                chooser.uses[used.document.origin] += 1
        firsts[next(iter(chooser.candidates(random.Random(seed), entry))).document.origin] += 1
    often = {shown.document.origin for shown in list(Chooser(documents, 1).candidates(random.Random(0), entry))[:5]}
    assert sum(firsts[origin] for origin in often) < 20


def test_lists_are_not_asked_for_as_objects(chooser):
    """A target that holds no list gets a document that is none, where the answer is the document."""
    entry = slot(family="convert", target="toml")
    found = list(chooser.candidates(random.Random(1), entry))
    assert found
    assert all(isinstance(shown.document.value, dict) for shown in found)
    wide = Slot(0, "extract", "easy", "casual", "medium", "json")
    assert any(isinstance(shown.document.value, list) for shown in chooser.candidates(random.Random(1), wide))
