"""How often tests of two equal runs reject at 5%: McNemar's values, the same with clusters, Holm's correction.

    python -m simulations.rejection [--runs N] [--seed N]

First part: exact sums over all outcomes at each number of discordant pairs, nothing is drawn. Second: runs of 1,260
questions without a difference. Third: families of tests, one a requirement type, that share questions (each has three
different types), with no type moved or with half of them moved; printed is how often a type that did not move is
rejected. Fourth: questions that move together in clusters, by McNemar's test and by the one that swaps whole clusters;
runs that are alike, and runs that are equal on average alone, one being much better in a fifth of the clusters and a
little worse in the rest. A minute.
"""

import argparse
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from scipy import stats

from metrics.decision.paired import McNemar, holm, mcnemar
from metrics.decision.swaps import mcnemar_clustered
from simulations.fixed_coverage import mixed_sizes, verdicts

RUNS: Final = 2_000
SEED: Final = 20_261_130
LEVEL: Final = 0.05
QUESTIONS: Final = 1_260
TYPES: Final = (11, 61)  # SOBHard's families, IFHard's requirement types

CLUSTERS: Final = (
    ("825 in 16 clusters of 5 to 90", mixed_sizes(825)),
    ("1260 in 23 clusters of 5 to 90", mixed_sizes(1_260)),
    ("825 in 165 clusters of 5", [5] * 165),
    ("1260 in 14 clusters of 90", [90] * 14),
)

tested = cache(mcnemar)


def size(discordant: int) -> McNemar:
    """The chance of rejecting, with so many discordant pairs and no difference, of the mid-p and the exact value."""
    smaller = range(discordant // 2 + 1)  # of won and lost; the p values grow with it
    mid = bisect_right(smaller, LEVEL, key=lambda count: tested(count, discordant - count).p_mid)
    exact = bisect_right(smaller, LEVEL, key=lambda count: tested(count, discordant - count).p_exact)
    return McNemar(*(2 * float(stats.binom.cdf(rejected - 1, discordant, 0.5)) for rejected in (mid, exact)))


def rejections(runs: int, seed: int, discordance: float = 0.3) -> McNemar:
    """Shares of runs without a difference that are rejected."""
    generator = np.random.default_rng(seed)
    discordant = generator.binomial(QUESTIONS, discordance, runs)
    found = [
        tested(int(won), int(n - won)) for n, won in zip(discordant, generator.binomial(discordant, 0.5), strict=True)
    ]
    mid, exact = ((np.array(values) <= LEVEL).mean() for values in zip(*found, strict=True))
    return McNemar(float(mid), float(exact))


def family_wise(types: int, moved: bool, runs: int, seed: int) -> McNemar:
    """Shares of runs in which Holm rejects a type that did not move, from mid-p and from exact values."""
    generator = np.random.default_rng(seed)
    effects = np.where(np.arange(types) < types // 2, 0.8, 0.5) if moved else np.full(types, 0.5)
    false = np.zeros(2)
    for _ in range(runs):
        of_question = np.argpartition(generator.random((QUESTIONS, types)), 3, axis=1)[:, :3]
        # One draw a question decides all of its types: verdicts of one answer move together.
        u, discordant = generator.random(QUESTIONS), generator.random(QUESTIONS) < 0.3
        won = (u[:, np.newaxis] < effects[of_question]) & discordant[:, np.newaxis]
        lost = (u[:, np.newaxis] >= effects[of_question]) & discordant[:, np.newaxis]
        wins = np.bincount(of_question[won], minlength=types)
        losses = np.bincount(of_question[lost], minlength=types)
        found = [tested(int(w), int(x)) for w, x in zip(wins, losses, strict=True)]
        for index, ps in enumerate(zip(*found, strict=True)):
            unmoved = np.array(holm(ps))[effects == 0.5]
            false[index] += bool((unmoved <= LEVEL).any())
    mid, exact = (float(share) for share in false / runs)
    return McNemar(mid, exact)


def in_clusters(sizes: Sequence[int], strength: float, alike: bool, runs: int, seed: int) -> tuple[McNemar, McNemar]:
    """Shares of runs without a difference that are rejected: by whole clusters, and as if there were none.

    Args:
        sizes: of the clusters.
        strength: how much B's chances of a win rise and fall with the cluster, at 40% discordance; 1 is the most.
        alike: whether A is as likely to be better in a cluster as B is, and by as much.
        runs, seed: of the simulation.
    """
    generator, codes = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    found = np.zeros(4)
    for _ in range(runs):
        better = generator.random(len(sizes)) < (0.5 if alike else 0.2)
        shift = 0.2 * strength * np.where(better, 1.0, -1.0 if alike else -0.25)[codes]
        a, b = verdicts(generator, 0.2 + shift, 0.2 - shift)
        signs = (b - a).astype(int).tolist()
        ps = *mcnemar_clustered(signs, codes.tolist()), *tested(signs.count(1), signs.count(-1))
        found += [p <= LEVEL for p in ps]
    shares = (found / runs).tolist()
    return McNemar(*shares[:2]), McNemar(*shares[2:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    print("discordant pairs, no difference, exact sums: mid-p, exact")
    for discordant in (10, 50, 100, 200, 500):
        print("  {}: {:.1%}, {:.1%}".format(discordant, *size(discordant)))
    sizes = [size(discordant) for discordant in range(50, 501)]
    mid, exact = zip(*sizes, strict=True)
    print(f"  50 to 500: mid-p {min(mid):.2%} to {max(mid):.2%}, exact {min(exact):.2%} to {max(exact):.2%}")
    print(f"\n{options.runs} runs of {QUESTIONS}, 30% discordant, seed {options.seed}: mid-p, exact")
    print("  {:.1%}, {:.1%}".format(*rejections(options.runs, options.seed)))
    print("\nHolm, a false rejection in a family: from mid-p, from exact values")
    for types in TYPES:
        for moved in (False, True):
            found = family_wise(types, moved, options.runs, options.seed)
            print("  {} types, {} moved: {:.1%}, {:.1%}".format(types, "half" if moved else "none", *found))
    print("\nclusters, 40% discordant: whole clusters swapped, mid-p, exact | McNemar's mid-p, exact")
    for label, of in CLUSTERS:
        for alike in (True, False):
            for strength in (0.0, 0.3, 1.0):
                ours, plain = in_clusters(of, strength, alike, options.runs, options.seed)
                how = "alike" if alike else "equal on average"
                print(f"  {label}, {how}, strength {strength:g}: ", end="")
                print("{:.1%}, {:.1%} | {:.1%}, {:.1%}".format(*ours, *plain), flush=True)


if __name__ == "__main__":
    main()
