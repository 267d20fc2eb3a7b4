"""Dealing out a build: exact marginals whatever is composed later."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.ifhard.jobs import deal, deal_jobs


@pytest.fixture(scope="module")
def jobs(bank):
    return deal_jobs(1260, list(bank.values()), Random("any"))


def test_deal_rounds_by_largest_remainder():
    """What is left over goes to the values with the largest remainders, the table's order deciding ties."""
    assert deal({"a": 1, "b": 1, "c": 1}, 4) == ["a", "a", "b", "c"]
    assert deal({"a": 0.55, "b": 0.45}, 10) == ["a"] * 6 + ["b"] * 4
    assert deal({"a": 3, "b": 1}, 0) == []


@given(st.dictionaries(st.text(max_size=3), st.floats(0.1, 50), min_size=1), st.integers(0, 200))
def test_deal_is_within_one_of_the_exact_share(shares, count):
    """No value is dealt a whole card more or less than its share, and none is lost."""
    dealt = Counter(deal(shares, count))
    assert sum(dealt.values()) == count
    whole = sum(shares.values())
    assert all(abs(dealt[value] - count * share / whole) < 1 + 1e-6 for value, share in shares.items())


def test_sizes_have_the_mean_of_the_benchmark(jobs):
    """Stacks have 3 to 6 requirements, 4.43 on average."""
    sizes = Counter(job.size for job in jobs)
    assert set(sizes) == {3, 4, 5, 6}
    assert sum(size * count for size, count in sizes.items()) / 1260 == pytest.approx(4.43, abs=0.05)


def test_background_paragraphs_are_717_and_all_forty_templates_are_used(jobs):
    """Backgrounds are as many as dealt, and no prompt template is left unused."""
    assert sum(job.with_context for job in jobs) == 717
    assert len({(job.style, job.wording, job.with_context) for job in jobs}) == 40


def test_the_twenty_wordings_are_even(jobs):
    """Each prompt wording is used equally often."""
    assert set(Counter((job.style, job.wording) for job in jobs).values()) == {63}


def test_the_tasks_are_even(jobs):
    """The uses of two tasks differ by one at most."""
    uses = Counter((job.topic, job.task) for job in jobs)
    assert len(uses) == 81
    assert set(uses.values()) == {15, 16}


def test_fixed_shapes_are_as_many_as_in_the_official_set(jobs):
    """210 of 1260 answers have a fixed shape."""
    shapes = [job.frame for job in jobs if job.frame not in {"prose", "bullets", "numbers", None}]
    assert len(shapes) == pytest.approx(210, abs=3)


def test_a_tenth_is_topup(jobs):
    """One question in ten serves a rare type."""
    assert Counter(job.stratum for job in jobs) == {"core": 1134, "topup": 126}


def test_the_attributes_are_dealt_anew_for_another_seed(bank):
    """The deal depends on the seed, and on nothing else."""
    topics = list(bank.values())
    assert deal_jobs(60, topics, Random("a")) == deal_jobs(60, topics, Random("a"))
    assert deal_jobs(60, topics, Random("a")) != deal_jobs(60, topics, Random("b"))
