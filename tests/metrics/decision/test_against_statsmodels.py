"""The same quantities by statsmodels, where it has them."""

import warnings

import numpy as np
import pytest

from metrics.decision.paired import holm, mcnemar, paired_difference

with warnings.catch_warnings(action="ignore"):  # its own, as it is imported
    from statsmodels.regression import linear_model as regression
    from statsmodels.stats import contingency_tables as tables
    from statsmodels.stats import multitest

pytestmark = pytest.mark.filterwarnings("ignore")  # its own


def fit(d, **options):
    """The regression of differences on a constant."""
    return regression.OLS(d, np.ones(len(d))).fit(**options)


@pytest.mark.parametrize(("won", "lost"), [(0, 1), (10, 2), (31, 30), (400, 350)])
def test_mcnemar(won, lost):
    """The exact value."""
    found = tables.mcnemar([[5, lost], [won, 7]], exact=True)
    assert mcnemar(won, lost).p_exact == pytest.approx(found.pvalue)


def test_holm():
    """Random p values."""
    ps = np.random.default_rng(1).random(40) ** 3
    assert holm(ps.tolist()) == pytest.approx(multitest.multipletests(ps, method="holm")[1])


def test_errors():
    """The ordinary one; for equal clusters theirs with its correction; without it theirs is smaller."""
    generator = np.random.default_rng(2)
    a, b = (generator.random((2, 120)) < 0.5).astype(float)
    equal, unequal = np.repeat(np.arange(12), 10), np.repeat(np.arange(5), [5, 10, 15, 30, 60])
    assert paired_difference(a.tolist(), b.tolist()).se == pytest.approx(fit(b - a).bse[0])
    for groups in (equal, unequal):
        ours = paired_difference(a.tolist(), b.tolist(), clusters=groups.tolist()).se_clustered
        theirs = fit(b - a, cov_type="cluster", cov_kwds={"groups": groups}).bse[0]
        published = fit(b - a, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}).bse[0]
        assert ours > published
        if groups is equal:
            assert ours == pytest.approx(theirs)
