"""How often intervals after a fixed number of questions hold the truth: nominal 95%, wanted 93% to 97%.

    python -m simulations.fixed_coverage [--runs N] [--seed N]

Each line is a world with a known true difference (or rate), drawn ``--runs`` times. Clustered worlds also print what
happens when the clusters are ignored, and what the formula of arXiv 2411.00640 gives with a normal quantile. Two or
three minutes for 2,000 runs.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.decision.paired import paired_difference
from metrics.stats import Interval, share_interval

Floats = NDArray[np.float64]
Generator = np.random.Generator

RUNS: Final = 2_000
SEED: Final = 20_261_130
BAND: Final = (0.93, 0.97)


class World(NamedTuple):
    """Runs A and B, once drawn, over questions that may lie in clusters.

    Attributes:
        name: what it is like.
        truth: the true difference.
        draw: one value a question, of A and of B.
        clusters: for each question its cluster; None where questions are on their own.
    """

    name: str
    truth: float
    draw: Callable[[Generator], tuple[Floats, Floats]]
    clusters: Sequence[int] | None = None


class Rate(NamedTuple):
    """One run whose questions were each asked ``repeats`` times; question rates follow a beta distribution."""

    questions: int
    repeats: int
    truth: float
    correlation: float


def verdicts(generator: Generator, wins: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Pass or fail for A and B, where B wins and loses with these probabilities; half of the ties pass."""
    u = generator.random(len(wins))
    won, lost = u < wins, u > 1 - losses
    tied = ~(won | lost) & (generator.random(len(wins)) < 0.5)
    return (lost | tied).astype(np.float64), (won | tied).astype(np.float64)


def alone(questions: int, discordance: float, difference: float) -> World:
    """All-or-nothing verdicts of questions on their own."""
    wins = np.full(questions, (discordance + difference) / 2)
    losses = np.full(questions, (discordance - difference) / 2)
    name = f"{questions} questions, {discordance:.0%} discordant, difference {difference:g}"
    return World(name, difference, lambda generator: verdicts(generator, wins, losses))


def partial(questions: int, difference: float) -> World:
    """Partial scores: beta distributed ones of A, moved towards 1 for B on a part of the questions."""

    def draw(generator: Generator) -> tuple[Floats, Floats]:
        a = generator.beta(2, 2, questions)
        moved = generator.random(questions) < 4 * difference
        b = np.where(moved, a + (1 - a) * 0.5, a)
        noise = (generator.random(questions) - 0.5) * 2 * np.minimum(b, 1 - b)
        return a, b + noise * 0.5

    return World(f"{questions} questions, partial scores, difference {difference:g}", difference, draw)


def repeated(questions: int, repeats: int, difference: float) -> World:
    """Means over repeats: each question has a rate for A and another for B."""

    def draw(generator: Generator) -> tuple[Floats, Floats]:
        base = generator.beta(0.6, 0.6, questions) * (1 - 2 * abs(difference)) + max(0.0, -difference)
        shift = generator.random(questions) * 2 * difference
        passed = (generator.binomial(repeats, rate) / repeats for rate in (base, base + shift))
        a, b = passed
        return a, b

    return World(f"{questions} questions x {repeats} repeats, difference {difference:g}", difference, draw)


def clustered(sizes: Sequence[int], strength: float, difference: float, label: str) -> World:
    """Verdicts whose chances of a win rise and fall with their cluster, at 40% discordance.

    ``strength`` 1 is the most there can be: B wins a whole cluster's disagreements, or loses them.
    """
    codes = np.repeat(np.arange(len(sizes)), sizes)
    room = 0.2 - abs(difference) / 2

    def draw(generator: Generator) -> tuple[Floats, Floats]:
        shift = (room * strength * generator.choice([-1.0, 1.0], len(sizes)))[codes]
        return verdicts(generator, 0.2 + difference / 2 + shift, 0.2 - difference / 2 - shift)

    name = f"{label}, strength {strength:g}, difference {difference:g}"
    return World(name, difference, draw, [int(code) for code in codes])


def mixed_sizes(questions: int, seed: int = SEED) -> list[int]:
    """Cluster sizes drawn evenly from 5 to 90 until the questions are used up."""
    generator, sizes = np.random.default_rng(seed), list[int]()
    while sum(sizes) < questions:
        sizes.append(int(generator.integers(5, 91)))
    sizes[-1] -= sum(sizes) - questions
    return sizes if sizes[-1] >= 5 else [*sizes[:-2], sizes[-2] + sizes[-1]]


WORLDS: Final = (
    *(alone(n, 0.3, d) for n in (100, 300, 825, 1_260) for d in (0.0, 0.1)),
    alone(300, 0.1, 0.05),
    alone(1_260, 0.05, 0.0),
    *(partial(n, d) for n in (100, 825) for d in (0.0, 0.05)),
    *(repeated(n, k, d) for n in (100, 825) for k in (2, 4, 8) for d in (0.0, 0.05)),
)
CLUSTERED: Final = tuple(
    clustered(sizes, strength, difference, label)
    for label, sizes in (
        (f"825 in {len(mixed_sizes(825))} clusters of 5 to 90", mixed_sizes(825)),
        (f"1260 in {len(mixed_sizes(1_260))} clusters of 5 to 90", mixed_sizes(1_260)),
        ("825 in 165 clusters of 5", [5] * 165),
        ("1260 in 14 clusters of 90", [90] * 14),
    )
    for strength in (0.0, 0.3, 1.0)
    for difference in (0.0, 0.05)
)
RATES: Final = (
    *(Rate(n, 1, p, 0.0) for n in (100, 825, 1_260) for p in (0.1, 0.4, 0.8)),
    *(Rate(n, 4, p, c) for n in (100, 825) for p in (0.1, 0.4) for c in (0.3, 0.8)),
)


def holds(interval: Interval | None, truth: float) -> bool:
    """Whether an interval was made and holds the truth."""
    return interval is not None and interval.low <= truth <= interval.high


def coverage(world: World, runs: int, seed: int) -> tuple[float, float, float]:
    """Shares of runs whose interval holds the truth: unclustered, clustered, and the clustered formula as published."""
    generator = np.random.default_rng(seed)
    held = np.zeros(3)
    for _ in range(runs):
        a, b = world.draw(generator)
        found = paired_difference(a.tolist(), b.tolist(), clusters=world.clusters)
        held[0] += holds(found.interval, world.truth)
        if world.clusters is not None:
            held[1] += holds(found.interval_clustered, world.truth)
            half = 1.96 * published_error(b - a, np.array(world.clusters))
            held[2] += abs(found.value - world.truth) <= half
    plain, ours, published = (float(value) for value in held / runs)
    return plain, ours, published


def published_error(d: Floats, codes: NDArray[np.int64]) -> float:
    """The clustered standard error of arXiv 2411.00640."""
    sums = np.bincount(codes, weights=d - d.mean())
    return math.sqrt(float((sums**2).sum())) / len(d)


def rate_coverage(world: Rate, runs: int, seed: int) -> float:
    """Share of runs in which the interval of a run's own rate holds it."""
    generator, both = np.random.default_rng(seed), 1 / world.correlation - 1 if world.correlation else 0.0
    held = 0
    for _ in range(runs):
        rates = np.full(world.questions, world.truth)
        if both:
            rates = generator.beta(world.truth * both, (1 - world.truth) * both, world.questions)
        passed = generator.binomial(world.repeats, rates).astype(float).tolist()
        held += holds(share_interval(passed, [float(world.repeats)] * world.questions), world.truth)
    return held / runs


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the coverage of every world, and how many are outside the band."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    found: list[float] = []
    print(f"{options.runs} runs each, seed {options.seed}\n\none run, share_interval")
    for rate in RATES:
        found.append(rate_coverage(rate, options.runs, options.seed))
        print(
            f"  {rate.questions} questions x {rate.repeats}, rate {rate.truth:g}, correlation {rate.correlation:g}",
            end="",
        )
        print(f": {found[-1]:.3f}")
    print("\ntwo runs, paired_difference")
    for world in WORLDS:
        found.append(coverage(world, options.runs, options.seed)[0])
        print(f"  {world.name}: {found[-1]:.3f}")
    print("\ntwo runs, clusters: clustered | clusters ignored | formula of 2411.00640, normal quantile")
    for world in CLUSTERED:
        plain, ours, published = coverage(world, options.runs, options.seed)
        found.append(ours)
        print(f"  {world.name}: {ours:.3f} | {plain:.3f} | {published:.3f}")
    outside = sum(not BAND[0] <= share <= BAND[1] for share in found)
    print(f"\noutside {BAND[0]:.0%} to {BAND[1]:.0%}: {outside} of {len(found)}")


if __name__ == "__main__":
    main()
