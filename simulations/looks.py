"""A look after every answer: how often the truth is ever missed, or a wrong decision ever made, at a level of 5%.

    python -m simulations.looks [--runs N] [--seed N]

Runs of 1,260 questions. The intervals of a set's share and mean are looked at after each answer, over several kinds of
set; so is the evidence on which of two runs is better, with and without failed questions. A naive rule (stop as soon as
the difference is 1.96 standard errors from 0) sees the same draws. Last come 825 questions that move together in
clusters, where evidence about the population is wrong too often and the interval over the set is not. Twenty minutes
for 2,000 runs.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.decision.evidence import PairedEvidence
from metrics.decision.sequences import DifferenceOfSet, MeanOfSet, ShareOfSet
from simulations.fixed_coverage import World, clustered, mixed_sizes

Floats = NDArray[np.float64]
Generator = np.random.Generator

RUNS: Final = 2_000
SEED: Final = 20_261_130
QUESTIONS: Final = 1_260
LEVEL: Final = 0.05
FAILED: Final = 0.02  # of questions, where some fail
_ROUNDING: Final = 1e-9

SHARES: Final[Mapping[str, float]] = {"2%": 0.02, "10%": 0.1, "30%": 0.3, "50%": 0.5, "90%": 0.9}
SCORES: Final[Mapping[str, Callable[[Generator, int], Floats]]] = {
    "beta(2, 3)": lambda generator, n: generator.beta(2, 3, n),
    "beta(20, 5)": lambda generator, n: generator.beta(20, 5, n),
    "a third 0, a third 1, the rest even": lambda generator, n: np.clip(generator.random(n) * 3 - 1, 0, 1),
    "2% of 1, else 0": lambda generator, n: (generator.random(n) < 0.02).astype(np.float64),
}


class Sides(NamedTuple):
    """Chances that B wins or loses a question."""

    wins: float
    losses: float

    @property
    def difference(self) -> float:
        """B minus A."""
        return self.wins - self.losses


PAIRS: Final = (Sides(0.15, 0.15), Sides(0.175, 0.125), Sides(0.2, 0.1), Sides(0.3, 0.1), Sides(0.125, 0.175))
CLUSTERED: Final = tuple(
    clustered(sizes, strength, 0.0, label)
    for label, sizes in (("825 in 165 clusters of 5", [5] * 165), ("825 in 16 clusters of 5 to 90", mixed_sizes(825)))
    for strength in (0.0, 0.3, 1.0)
)


class Decided(NamedTuple):
    """Over simulated runs of two models.

    Attributes:
        two_sided: share decided by "differs".
        two_sided_wrong: share decided for the run that is not better.
        two_sided_answers: the median answer at which it was, over all runs; infinite if most were not decided.
        better: share decided by "B is better".
        better_answers: the median answer at which it was, likewise.
        naive: share stopped by the naive rule, with a look each 20 answers.
        naive_each: the same with a look after every answer.
    """

    two_sided: float
    two_sided_wrong: float
    two_sided_answers: float
    better: float
    better_answers: float
    naive: float
    naive_each: float


def share_missed(rate: float, runs: int, seed: int, failed: float = 0.0) -> float:
    """Share of runs whose interval of the set's share leaves out the truth at some look."""
    missed = 0
    for generator in generators(runs, seed):
        passed = generator.random(QUESTIONS) < rate
        missed += ever_missed(ShareOfSet(QUESTIONS, LEVEL), *_with_failed(passed, generator, failed))
    return missed / runs


def mean_missed(draw: Callable[[Generator, int], Floats], runs: int, seed: int, failed: float = 0.0) -> float:
    """Share of runs whose interval of the set's mean leaves out the truth at some look."""
    missed = 0
    for generator in generators(runs, seed):
        scores = draw(generator, QUESTIONS)
        missed += ever_missed(MeanOfSet(QUESTIONS, LEVEL), *_with_failed(scores, generator, failed))
    return missed / runs


def _with_failed(values: NDArray[Any], generator: Generator, failed: float) -> tuple[list[tuple[Any]], float]:
    """What is added one by one, None for a failed question, and the set's own mean."""
    lost = generator.random(len(values)) < failed
    added = [(None if gone else value,) for value, gone in zip(values.tolist(), lost.tolist(), strict=True)]
    return added, math.fsum(values) / len(values)


def ever_missed(
    sequence: ShareOfSet | MeanOfSet | DifferenceOfSet, added: Iterable[tuple[Any, ...]], truth: float
) -> bool:
    """Whether the interval leaves out the truth at some look, of a set whose questions are added one by one."""
    for one in added:
        sequence.add(*one)
        low, high = sequence.interval
        if not low - _ROUNDING <= truth <= high + _ROUNDING:
            return True
    return False


def ever_decided(pairs: Iterable[tuple[float, float]]) -> tuple[bool, bool]:
    """Whether "differs" and "B is better" are decided at some look."""
    evidence, differs, better = PairedEvidence(LEVEL), False, False
    for a, b in pairs:
        evidence.add(a, b)
        if a != b:  # a tie changes nothing
            differs = differs or evidence.decision is not None
            better = better or evidence.beats
    return differs, better


def decisions(sides: Sides, runs: int, seed: int, failed: float = 0.0) -> Decided:
    """What two models with these chances lead to."""
    found: list[tuple[float, bool, float]] = []
    naive, each = 0, 0
    for generator in generators(runs, seed):
        d = generator.choice([1.0, -1.0, 0.0], QUESTIONS, p=[sides.wins, sides.losses, 1 - sides.wins - sides.losses])
        lost = generator.random(QUESTIONS) < failed
        found.append(_decision(d, lost, sides))
        beyond = naive_beyond(d)
        naive += bool(beyond[19::20].any())
        each += bool(beyond[19:].any())
    differs, wrong, claimed = (np.array(column) for column in zip(*found, strict=True))
    return Decided(
        float(np.isfinite(differs).mean()),
        float(wrong.mean()),
        float(np.median(differs)),
        float(np.isfinite(claimed).mean()),
        float(np.median(claimed)),
        naive / runs,
        each / runs,
    )


def _decision(d: Floats, lost: NDArray[np.bool_], sides: Sides) -> tuple[float, bool, float]:
    """After how many answers "differs" is decided (infinite: never), whether wrongly, and when "B is better" is."""
    evidence, wrong = PairedEvidence(LEVEL), False
    differs = claimed = math.inf
    for count, (one, gone) in enumerate(zip(d.tolist(), lost.tolist(), strict=True), 1):
        a = float(one < 0 or (one == 0 and count % 2 == 0))  # of the ties every other one passes
        evidence.add(a, None if gone else a + one)
        if not (one or gone):
            continue  # a tie changes nothing
        if math.isinf(differs) and (decision := evidence.decision):
            differs = count
            wrong = (decision == "better") != (sides.difference > 0) or sides.difference == 0
        if math.isinf(claimed) and evidence.beats:
            claimed = count
        if differs < math.inf and claimed < math.inf:
            break
    return differs, wrong, claimed


def naive_beyond(d: Floats) -> NDArray[np.bool_]:
    """After each answer, whether the difference is more than 1.96 of its standard errors under the null from 0."""
    # For verdicts that is |won - lost| beyond 1.96 roots of won + lost, as in McNemar's test.
    return np.asarray(np.abs(np.cumsum(d)) > 1.96 * np.sqrt(np.cumsum(np.abs(d))))


def difference_missed(sides: Sides, runs: int, seed: int, each: int = 20) -> float:
    """Share of runs whose interval of the population's difference leaves out the truth, at a look each 20 answers."""
    missed = 0
    for generator in generators(runs, seed):
        d = generator.choice([1.0, -1.0, 0.0], QUESTIONS, p=[sides.wins, sides.losses, 1 - sides.wins - sides.losses])
        missed += any(not low <= sides.difference <= high for low, high in _intervals(d, each))
    return missed / runs


def _intervals(d: Floats, each: int) -> Iterator[tuple[float, float]]:
    evidence = PairedEvidence(LEVEL)
    for count, one in enumerate(d.tolist(), 1):
        evidence.add(float(one < 0), float(one > 0))
        if count % each == 0:
            yield evidence.interval


def clusters_misled(world: World, runs: int, seed: int) -> tuple[float, float]:
    """Shares of runs of a clustered world without a difference: decided by the evidence, the set's own one missed."""
    found = [_misled(world, generator) for generator in generators(runs, seed)]
    decided, missed = (sum(one) / runs for one in zip(*found, strict=True))
    return decided, missed


def _misled(world: World, generator: Generator) -> tuple[bool, bool]:
    a, b = world.draw(generator)
    order = generator.permutation(len(a))
    pairs = list(zip(a[order].tolist(), b[order].tolist(), strict=True))
    missed = ever_missed(DifferenceOfSet(len(a), LEVEL), pairs, float((b - a).mean()))
    return ever_decided(pairs)[0], missed


def generators(runs: int, seed: int) -> Iterator[Generator]:
    """One a run, so that any run can be drawn again by itself."""
    return (np.random.default_rng([seed, run]) for run in range(runs))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print every part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each evidence; shared among the kinds of set")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    runs, seed = options.runs, options.seed
    print(f"runs of {QUESTIONS}, seed {seed}, a look after every answer, level {LEVEL:.0%}")
    for failed in (0.0, FAILED):
        print(f"\nthe truth missed at some look, {failed:.0%} of questions failed")
        found = {name: share_missed(rate, runs // len(SHARES), seed, failed) for name, rate in SHARES.items()}
        found |= {name: mean_missed(draw, runs // len(SCORES), seed, failed) for name, draw in SCORES.items()}
        for name, share in found.items():
            print(f"  {'share' if name in SHARES else 'mean'} {name}: {share:.1%}", flush=True)
    print(
        f"\nwhich of two runs is better, {runs} runs: decided (wrongly), median answers | "
        "claim that B is better, median answers | naive rule"
    )
    for sides in PAIRS:
        for failed in (0.0, FAILED):
            got = decisions(sides, runs, seed, failed)
            print(
                f"  {sides.wins + sides.losses:.0%} discordant, difference {sides.difference:g}, {failed:.0%} failed: "
                f"{got.two_sided:.1%} ({got.two_sided_wrong:.1%}), {got.two_sided_answers:.0f} | {got.better:.1%}, "
                f"{got.better_answers:.0f} | {got.naive:.1%} each 20, {got.naive_each:.1%} each",
                flush=True,
            )
    print(f"\nthe population's difference outside its interval at some look, {runs // 5} runs, a look each 20 answers")
    for sides in PAIRS:
        print(f"  difference {sides.difference:g}: {difference_missed(sides, runs // 5, seed):.1%}", flush=True)
    print(f"\nclusters, no difference, {runs // 5} runs: decided all the same | the set's own difference missed")
    for world in CLUSTERED:
        print("  {}: {:.1%} | {:.1%}".format(world.name, *clusters_misled(world, runs // 5, seed)), flush=True)


if __name__ == "__main__":
    main()
