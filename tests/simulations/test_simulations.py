"""A small share of the simulations: enough to see that what fails there fails here. The scripts give the figures."""

import math

import pytest

from simulations import cells, fixed_coverage, looks, rejection

SEED = 20_261_130


@pytest.mark.parametrize(
    "world",
    [
        fixed_coverage.alone(300, 0.3, 0.1),
        fixed_coverage.partial(100, 0.05),
        fixed_coverage.repeated(100, 4, 0.05),
    ],
    ids=lambda world: world.name,
)
def test_intervals_of_questions_alone(world):
    """300 runs: 95%, give or take three standard errors of 1.3%."""
    assert 0.91 <= fixed_coverage.coverage(world, 300, SEED)[0] <= 0.99


@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_intervals_of_clusters(strength):
    """The clustered interval holds the truth; one that ignores 16 clusters of 5 to 90 questions does not."""
    world = fixed_coverage.clustered(fixed_coverage.mixed_sizes(825), strength, 0.05, "mixed")
    ignored, ours, _ = fixed_coverage.coverage(world, 300, SEED)
    assert 0.91 <= ours <= 0.99
    assert ignored < 0.85


def test_intervals_of_one_run():
    """A rate, from repeats."""
    assert 0.91 <= fixed_coverage.rate_coverage(fixed_coverage.Rate(100, 4, 0.4, 0.3), 300, SEED) <= 0.99


def test_clusters_of_5_to_90():
    """Sizes add up, and each is within its bounds."""
    sizes = fixed_coverage.mixed_sizes(825)
    assert sum(sizes) == 825
    assert all(5 <= size <= 94 for size in sizes)


@pytest.mark.parametrize("discordant", [50, 77, 100, 200])
def test_sizes_of_mcnemar(discordant):
    """Exact sums: mid-p between 3.5% and 7%, the exact value never above 5%."""
    mid, exact = rejection.size(discordant)
    assert 0.035 <= mid <= 0.07
    assert exact <= 0.05


def test_sizes_of_the_specification():
    """2.2, 6.5 and 5.6% of the mid-p value; 2.2, 3.3 and 4.0% of the exact one."""
    assert [rejection.size(n) for n in (10, 50, 200)] == [
        pytest.approx(sizes, abs=0.001) for sizes in ((0.0215, 0.0215), (0.065, 0.033), (0.056, 0.040))
    ]


def test_holm_keeps_the_family():
    """11 types that share answers: a false rejection in few of 150 runs."""
    assert max(rejection.family_wise(11, True, 150, SEED)) <= 0.09


def test_mcnemar_of_whole_clusters():
    """300 runs in 16 clusters of 5 to 90: the exact value keeps its level, one that ignores them rejects most."""
    ours, plain = rejection.in_clusters(fixed_coverage.mixed_sizes(825), 1.0, True, 300, SEED)
    assert ours.p_exact <= ours.p_mid <= 0.09
    assert plain.p_exact > 0.5


def test_a_set_that_is_looked_at_after_every_answer():
    """25 runs each of 1,260: the truth is missed in two at most, with and without failed questions."""
    assert looks.share_missed(0.3, 25, SEED, looks.FAILED) <= 0.08
    assert looks.mean_missed(looks.SCORES["beta(2, 3)"], 25, SEED, looks.FAILED) <= 0.08


def test_equal_runs_are_seldom_decided_and_the_naive_rule_fails():
    """The same 100 draws: E-values decide few, 1.96 standard errors a quarter or more."""
    found = looks.decisions(looks.Sides(0.15, 0.15), 100, SEED)
    assert found.two_sided <= 0.08
    assert found.better <= 0.08
    assert found.naive >= 0.25


@pytest.mark.parametrize(("sides", "answers"), [(looks.Sides(0.2, 0.1), 300), (looks.Sides(0.3, 0.1), 100)])
def test_a_difference_is_decided_early(sides, answers):
    """10 points and 20, over 60 runs: all decided, and soon."""
    found = looks.decisions(sides, 60, SEED)
    assert found.two_sided == 1
    assert not found.two_sided_wrong
    assert found.two_sided_answers <= answers


def test_clusters_mislead_evidence_about_the_population_alone():
    """20 runs: equal runs are decided, and the set's own difference is inside its interval."""
    decided, missed = looks.clusters_misled(looks.CLUSTERED[-1], 20, SEED)
    assert decided > 0.3
    assert missed <= 0.05


@pytest.mark.parametrize("world", cells.WORLDS, ids=lambda world: world.name)
def test_an_order_that_is_even_over_cells(world):
    """Neither run of a pair is better, and of 30 pairs four at most are wrong at any look."""
    met = [math.fsum(size * rate for size, rate in zip(world.sizes, of, strict=True)) for of in world[2:]]
    assert met[0] == pytest.approx(met[1])
    assert max(cells.wrong(world, 30, SEED)) <= 4 / 30


@pytest.mark.parametrize("script", [fixed_coverage, rejection, looks, cells])
def test_the_scripts_run(script, monkeypatch, capsys):
    """Each prints its parts, on worlds cut to the first few."""
    for name in ("WORLDS", "CLUSTERED", "RATES", "PAIRS", "TYPES", "CLUSTERS"):
        if hasattr(script, name):
            monkeypatch.setattr(script, name, getattr(script, name)[:1])
    for name in ("SHARES", "SCORES"):
        if hasattr(script, name):
            monkeypatch.setattr(script, name, dict(list(getattr(script, name).items())[:1]))
    script.main(["--runs", "5"])
    assert len(capsys.readouterr().out.splitlines()) > 5
