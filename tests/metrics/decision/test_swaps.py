"""McNemar's test by whole clusters: by hand, by brute force, and as McNemar's where questions are on their own."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.decision.paired import mcnemar
from metrics.decision.swaps import mcnemar_clustered

SIGNS = st.lists(st.sampled_from([-1, 0, 1]), max_size=40)


@pytest.mark.parametrize(
    ("counts", "exact", "mid"),
    [
        # 8 outcomes of three coins: sums of 6 and -6 are the most extreme.
        ((1, 2, 3), 2 / 8, 1 / 8),
        # A sum of 4; 6 and 4 come once on each side.
        ((-1, 2, 3), 4 / 8, 3 / 8),
        # A sum of 2; it comes three times on each side, 6 once.
        ((2, -2, 2), 8 / 8, 5 / 8),
        ((4,), 1.0, 0.5),
        ((3, -3), 1.0, 1.0),
        ((0, 0), 1.0, 1.0),
        ((), 1.0, 1.0),
    ],
)
def test_by_hand(counts, exact, mid):
    """Won less lost of each cluster; ties and a question won and lost within a cluster change nothing."""
    signs, clusters = [], []
    for cluster, count in enumerate(counts):
        of = [1 if count > 0 else -1] * abs(count) + [0, 1, -1]
        signs += of
        clusters += [f"cluster {cluster}"] * len(of)
    found = mcnemar_clustered(signs, clusters)
    assert found.p_exact == pytest.approx(exact)
    assert found.p_mid == pytest.approx(mid)


@given(SIGNS)
def test_questions_on_their_own_are_mcnemars(signs):
    """Each its own cluster."""
    found = mcnemar_clustered(signs, range(len(signs)))
    assert found == pytest.approx(mcnemar(signs.count(1), signs.count(-1)))


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.integers(0, 7)), min_size=1, max_size=30))
def test_by_all_swaps(pairs):
    """Every way to swap eight clusters, counted; turned round, and in another order, it is the same."""
    signs, clusters = zip(*pairs, strict=True)
    counts = [sum(sign for sign, of in pairs if of == cluster) for cluster in range(8)]
    sums = [abs(sum(c * s for c, s in zip(counts, swap, strict=True))) for swap in itertools.product((1, -1), repeat=8)]
    seen = abs(sum(counts))
    found = mcnemar_clustered(signs, clusters)
    assert found.p_exact == pytest.approx(sum(one >= seen for one in sums) / 256)
    assert found == pytest.approx(mcnemar_clustered([-sign for sign in signs], clusters))
    assert found == pytest.approx(mcnemar_clustered(signs[::-1], clusters[::-1]))


def test_many_clusters():
    """A thousand of up to nine questions: fast, and the values are probabilities."""
    signs, clusters = [1, -1, 1] * 2_000, [number // 6 for number in range(6_000)]
    found = mcnemar_clustered(signs, clusters)
    assert 0 <= found.p_mid <= found.p_exact < 1e-200
    assert mcnemar_clustered([1, -1] * 3_000, [number // 3 for number in range(6_000)]) == (1.0, 1.0)


def test_what_is_no_pair_is_refused():
    """A cluster for each question."""
    with pytest.raises(ValueError, match="a cluster for each question is needed, got 1 for 2"):
        mcnemar_clustered([1, 0], ["a"])
