"""A look after every answer where the order of questions is even over cells: is the level of 5% still held?

    python -m simulations.cells [--runs N] [--seed N]

The formulas assume a simple random order; ``--stop-when`` draws one that gives each stretch its share of every tier or
cell. Runs of 420 questions in cells, and pairs of such runs of which neither is better. Ten minutes for 2,000 runs.
"""

import argparse
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.decision.order import even_order
from metrics.decision.sequences import DifferenceOfSet, MeanOfSet, ShareOfSet
from simulations.looks import LEVEL, ever_decided, ever_missed, generators

Generator = np.random.Generator

RUNS: Final = 2_000
SEED: Final = 20_261_130
REPEATS: Final = 4  # answers behind a partial score


class World(NamedTuple):
    """Two runs over questions in cells.

    Attributes:
        name: what it is like.
        sizes: questions of each cell.
        first: chance that the first run passes a question of the cell.
        second: likewise of the second run, whose mean over all questions is the same.
    """

    name: str
    sizes: Sequence[int]
    first: Sequence[float]
    second: Sequence[float]

    def passed(self, generator: Generator, of: Sequence[float]) -> NDArray[np.bool_]:
        """Verdicts of a run, cell by cell."""
        return generator.random(sum(self.sizes)) < np.repeat(of, self.sizes)

    def order(self, seed: int) -> list[int]:
        """Places of the questions as they are asked."""
        cells = np.repeat(np.arange(len(self.sizes)), self.sizes).tolist()
        return even_order({place: (f"{cell:03}",) for place, cell in enumerate(cells)}, seed)


class Wrong(NamedTuple):
    """Shares of runs that were wrong at some look.

    Attributes:
        share: the set's share of passes was missed.
        differs: of two runs, neither better, one was found better.
        better: the second one was found better by the claim of that alone.
        mean: the set's mean of partial scores was missed.
        difference: the set's own difference of two runs was missed.
    """

    share: float
    differs: float
    better: float
    mean: float
    difference: float


def _alike(name: str, sizes: Sequence[int], rates: Sequence[float]) -> World:
    return World(name, sizes, rates, rates)


WORLDS: Final = (
    _alike("four cells alike, 40%", [105] * 4, [0.4] * 4),
    _alike("four cells, 90% 50% 30% 10%", [105] * 4, [0.9, 0.5, 0.3, 0.1]),
    _alike("four cells, 100% 70% 30% 0%", [105] * 4, [1.0, 0.7, 0.3, 0.0]),
    _alike("four cells, 100% 100% 0% 0%", [105] * 4, [1.0, 1.0, 0.0, 0.0]),
    _alike("cells of 252, 84, 63 and 21, 20% 50% 70% 90%", [252, 84, 63, 21], [0.2, 0.5, 0.7, 0.9]),
    _alike("84 cells of 5, from 0% to 100%", [5] * 84, np.linspace(0.0, 1.0, 84).tolist()),
    World("two cells won, two lost, by 30 points", [105] * 4, [0.6, 0.6, 0.3, 0.3], [0.3, 0.3, 0.6, 0.6]),
)


def wrong(world: World, runs: int, seed: int) -> Wrong:
    """How often a run of this world, or a pair of them, is wrong at some look.

    Partial scores and the set's own difference, which take longer, are looked at in a fifth of the runs.
    """
    found, of_set = np.zeros(3), np.zeros(2)
    few = max(1, runs // 5)
    for run, generator in enumerate(generators(runs, seed)):
        order = world.order(seed + run)
        first, second = (world.passed(generator, of)[order] for of in (world.first, world.second))
        missed = ever_missed(ShareOfSet(len(order), LEVEL), zip(second.tolist()), float(second.mean()))
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        found += [missed, *ever_decided(pairs)]
        if run < few:
            scores = generator.binomial(REPEATS, np.repeat(world.second, world.sizes)[order]) / REPEATS
            of_set += [
                ever_missed(MeanOfSet(len(order), LEVEL), zip(scores.tolist()), float(scores.mean())),
                ever_missed(DifferenceOfSet(len(order), LEVEL), pairs, float(second.mean() - first.mean())),
            ]
    share, differs, better = (float(one) for one in found / runs)
    mean, difference = (float(one) for one in of_set / few)
    return Wrong(share, differs, better, mean, difference)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print every world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="of each world; a fifth of them for the last two figures"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    print(f"{options.runs} runs each, seed {options.seed}, a look after every answer, level {LEVEL:.0%}; at some look")
    print("  the set's share was missed")
    print('  | of two runs, neither better, one was found better by "differs"')
    print('  | by "B is better"')
    print("  | the set's mean of partial scores was missed")
    print("  | the set's difference was missed\n")
    for world in WORLDS:
        shares = (f"{share:.1%}" for share in wrong(world, options.runs, options.seed))
        print(f"  {world.name}: {' | '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
