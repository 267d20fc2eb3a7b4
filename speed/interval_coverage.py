"""How often confidence intervals of a share hold the true rate: by exact sums, and by simulation for repeats.

    PYTHONPATH=. python speed/interval_coverage.py [--trials N] [--seed N]

First part: n questions answered once, n from 4 to 50, p from 0.02 to 0.5. The coverage at each n and p is a sum over
all outcomes, nothing is drawn. Printed for each method: the least and greatest mean over p, for how many n the mean is
outside 93% to 97%, the least coverage at a single p, the mean over n of the least, and the mean width.

Second part: questions with repeats, whose rates follow a beta distribution, so that two answers to one question have a
given correlation; p is drawn evenly from 0.02 to 0.5. Printed: the share of trials in which the interval holds p, by
number of questions, for this package's interval; for the spread between questions alone; and for the wrong formula
that takes all answers as independent.

About a minute; ``--trials 20000`` for numbers to quote.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from metrics.stats import Interval, share_interval, wilson_interval

Floats = NDArray[np.float64]
Method = Callable[[int], tuple[Floats, Floats]]

LEVEL: Final = 0.95
TAIL: Final = (1 - LEVEL) / 2
Z: Final = 1.959963984540054
BAND: Final = (0.93, 0.97)
RATES: Final = np.linspace(0.02, 0.5, 961)
SIZES: Final = range(4, 51)
QUESTIONS: Final = (8, 12, 20, 30, 50)
CORRELATIONS: Final = (0.0, 0.1, 0.3, 0.6, 1.0)
REPEATS: Final[dict[str, Callable[[int], list[int]]]] = {
    "4 each": lambda n: [4] * n,
    "10 (or half) with 4, others 1": lambda n: [4 if i < min(10, n // 2) else 1 for i in range(n)],
    "a third with 4, others 1": lambda n: [4 if i < n // 3 else 1 for i in range(n)],
    "1, 2, 3, 4 in turn": lambda n: [1 + i % 4 for i in range(n)],
    "1 to 6 in turn": lambda n: [1 + i % 6 for i in range(n)],
}


# Methods: the ends for 0 to n passed of n


def own(n: int) -> tuple[Floats, Floats]:
    """What this package prints."""
    found = [share_interval([1.0] * x + [0.0] * (n - x), [1.0] * n, level=LEVEL) for x in range(n + 1)]
    return _ends([interval for interval in found if interval is not None])


def agresti_coull(n: int) -> tuple[Floats, Floats]:
    """Wald's interval after Z**2 / 2 passes and as many fails more."""
    size = n + Z**2
    centre = (np.arange(n + 1) + Z**2 / 2) / size
    half = Z * np.sqrt(centre * (1 - centre) / size)
    return np.maximum(0.0, centre - half), np.minimum(1.0, centre + half)


def clopper_pearson(n: int) -> tuple[Floats, Floats]:
    """Both tails at most TAIL."""
    return _by_tails(n, 1.0)


def mid_p(n: int) -> tuple[Floats, Floats]:
    """As Clopper and Pearson, with half of the probability of what was seen."""
    return _by_tails(n, 0.5)


def jeffreys(n: int) -> tuple[Floats, Floats]:
    """Quantiles of the beta distribution with x + 1/2 and n - x + 1/2; 0 and 1 are ends where nothing or all passed."""
    angles = np.linspace(0.0, math.pi / 2, 40_001)
    # With p = sin(angle)**2 that distribution has a smooth density.
    low, high = np.zeros(n + 1), np.ones(n + 1)
    for x in range(n + 1):
        mass = np.cumsum(np.sin(angles) ** (2 * x) * np.cos(angles) ** (2 * (n - x)))
        ends = np.sin(np.interp([TAIL, 1 - TAIL], mass / mass[-1], angles)) ** 2
        low[x] = ends[0] if x else 0.0
        high[x] = ends[1] if x < n else 1.0
    return low, high


def bootstrap(n: int) -> tuple[Floats, Floats]:
    """The percentile bootstrap with infinitely many resamples: quantiles of the binomial at the rate seen."""
    low, high = np.zeros(n + 1), np.zeros(n + 1)
    for x in range(n + 1):
        mass = np.cumsum(_binomial(n, np.array([x / n]))[0])
        low[x], high[x] = np.searchsorted(mass, TAIL) / n, np.searchsorted(mass, 1 - TAIL - 1e-12) / n
    return low, high


METHODS: Final[dict[str, Method]] = {
    "this package": own,
    "Jeffreys": jeffreys,
    "mid-P": mid_p,
    "Clopper-Pearson": clopper_pearson,
    "Agresti-Coull": agresti_coull,
    "percentile bootstrap": bootstrap,
}


def _ends(intervals: Sequence[Interval]) -> tuple[Floats, Floats]:
    return np.array([i.low for i in intervals]), np.array([i.high for i in intervals])


def _by_tails(n: int, own_share: float) -> tuple[Floats, Floats]:
    """Bisection for the rates at which a tail, with a share of the probability of x itself, has TAIL."""
    x = np.arange(n + 1)
    low, bottom, top = np.zeros(n + 1), np.zeros(n + 1), np.ones(n + 1)
    for _ in range(60):
        middle = (bottom + top) / 2
        mass = _binomial(n, middle)
        upper = mass[:, ::-1].cumsum(axis=1)[:, ::-1][x, x] - (1 - own_share) * mass[x, x]
        bottom, top = np.where(upper < TAIL, middle, bottom), np.where(upper < TAIL, top, middle)
    low[1:] = middle[1:]
    return low, 1 - low[::-1]


def _binomial(n: int, rates: Floats) -> Floats:
    """Probabilities of 0 to n passed, rates x (n + 1)."""
    ways = np.array([math.comb(n, x) for x in range(n + 1)], dtype=np.float64)
    x = np.arange(n + 1)
    return np.asarray(ways * rates[:, np.newaxis] ** x * (1 - rates[:, np.newaxis]) ** (n - x), dtype=np.float64)


# First part


def exact_coverage(method: Method, n: int, rates: Floats = RATES) -> tuple[Floats, Floats]:
    """Coverage, and mean width, at each rate."""
    low, high = method(n)
    mass = _binomial(n, rates)
    held = (low <= rates[:, np.newaxis]) & (rates[:, np.newaxis] <= high)
    return (mass * held).sum(axis=1), mass @ (high - low)


def print_exact() -> None:
    """The first part."""
    print("one answer a question, exact; p from 0.02 to 0.5, n from 4 to 50")
    print(f"  {'method':21}{'mean over p':>15}{'n outside':>11}{'least':>8}{'mean least':>12}{'width n=4, 10, 50':>22}")
    for name, method in METHODS.items():
        found = [exact_coverage(method, n) for n in SIZES]
        means, least = [float(c.mean()) for c, _ in found], [float(c.min()) for c, _ in found]
        outside = sum(not BAND[0] <= mean <= BAND[1] for mean in means)
        widths = ", ".join(f"{float(found[SIZES.index(n)][1].mean()):.3f}" for n in (4, 10, 50))
        span = f"{min(means):.4f} {max(means):.4f}"
        print(f"  {name:21}{span:>15}{outside:>11}{min(least):>8.3f}{sum(least) / len(least):>12.4f}{widths:>22}")
    print("  this package, least coverage over p by n: ", end="")
    print(", ".join(f"{n}: {float(exact_coverage(own, n)[0].min()):.3f}" for n in (4, 5, 6, 8, 10, 15, 20, 30, 40, 50)))
    print(f"  no method can hold 95% everywhere: of 4 at p = 0.02 none passes with probability {0.98**4:.3f}")


# Second part


def draw(generator: np.random.Generator, rate: float, repeats: Sequence[int], correlation: float) -> list[float]:
    """Passed answers a question: a beta-binomial."""
    n = len(repeats)
    if correlation == 0:
        rates = np.full(n, rate)
    elif correlation == 1:
        rates = (generator.random(n) < rate).astype(np.float64)
    else:
        both = 1 / correlation - 1
        rates = generator.beta(rate * both, (1 - rate) * both, n)
    return [float(count) for count in generator.binomial(np.array(repeats), rates)]


def between_alone(passed: Sequence[float], seen: Sequence[float]) -> Interval:
    """Wilson's interval with an effective size from the spread between questions alone, between the same two ends."""
    total, n = sum(seen), len(seen)
    share, alike = sum(passed) / total, sum(c * c for c in seen)
    squares = sum((s - share * c) ** 2 for s, c in zip(passed, seen, strict=True)) * n / (n - 1)
    spread = share * (1 - share)
    variance = min(alike, max(total, squares / spread)) if spread > 0 else alike
    return wilson_interval(share, total**2 / variance)


def simulate(repeats: Sequence[int], correlation: float, trials: int, seed: int) -> tuple[float, float, float]:
    """Coverage of this package's interval, of :func:`between_alone`, and of answers taken as independent."""
    generator = np.random.default_rng(seed)
    held = np.zeros(3)
    for _ in range(trials):
        rate = float(generator.uniform(0.02, 0.5))
        passed = draw(generator, rate, repeats, correlation)
        found: list[Any] = [share_interval(passed, repeats), between_alone(passed, repeats)]
        found.append(wilson_interval(sum(passed) / sum(repeats), sum(repeats)))
        held += [interval.low <= rate <= interval.high for interval in found]
    own_share, between, independent = (float(value) for value in held / trials)
    return own_share, between, independent


def print_simulated(trials: int, seed: int) -> None:
    """The second part."""
    print(f"\nrepeats, {trials} trials each, seed {seed}: coverage by number of questions {QUESTIONS}")
    names = ("this package", "between alone", "independent")
    print(f"  {'answers a question':31}{'correlation':>12}   " + "".join(f"{name:35}" for name in names))
    outside = []
    for label, repeats in REPEATS.items():
        for correlation in CORRELATIONS:
            found = [simulate(repeats(n), correlation, trials, seed) for n in QUESTIONS]
            cells = ["  ".join(f"{one[i]:.3f}" for one in found) for i in range(3)]
            print(f"  {label:31}{correlation:>12}   " + "".join(f"{cell:35}" for cell in cells))
            outside += [one[0] for one in found if not BAND[0] <= one[0] <= BAND[1]]
    print(f"  this package: {len(outside)} of {len(REPEATS) * len(CORRELATIONS) * len(QUESTIONS)} outside {BAND}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2_000, help="of each simulation")
    parser.add_argument("--seed", type=int, default=20_240_229)
    options = parser.parse_args(arguments)
    print_exact()
    print_simulated(options.trials, options.seed)


if __name__ == "__main__":
    main()
