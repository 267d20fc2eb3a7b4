"""``python -m proofs.differential [--answers N] [--seed N]``: hold two readings against each other.

It prints what was compared, how often the readings part for a known reason, and which have no second reading. Exit
status 1: they part for another one.
"""

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Final

from proofs.differential import ifhard, sobhard
from proofs.differential.difference import Difference
from proofs.differential.explained import EXPLAINED, explanation

__all__ = ["Comparisons", "main"]

_SHOWN: Final = 20  # new differences


class Comparisons:
    """What was compared so far.

    Attributes:
        compared: readings held against each other, by target.
        known: differences with a reason, by its name.
        new: the other ones.
    """

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.new: list[Difference] = []

    def add(self, found: Iterator[tuple[str, Difference | None]]) -> None:
        """Count what was compared."""
        for target, difference in found:
            self.compared[target] += 1
            if difference is None:
                continue
            known = explanation(difference)
            if known is None:
                self.new.append(difference)
            else:
                self.known[known.name] += 1


def _operations(inputs: int, seed: int) -> Iterator[tuple[str, Difference | None]]:
    """Every operation of SOBHard with so many inputs; those that the builder refuses are no comparison."""
    for name in sobhard.OPERATIONS:
        source = Random(f"{seed} {name}")
        for _ in range(inputs):
            is_read, difference = sobhard.compared(name, source)
            if is_read:
                yield name, difference


def held(answers: int, seed: int) -> Comparisons:
    """Compare so many answers of IFHard, and as many inputs of all operations of SOBHard together."""
    found = Comparisons()
    for given in islice(ifhard.answers(Random(f"{seed} ifhard")), answers):
        found.add(ifhard.differences(given))
    found.add(_operations(-(-answers // len(sobhard.OPERATIONS)), seed))
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Run; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m proofs.differential", description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(given)
    found = held(asked.answers, asked.seed)
    for target, count in found.compared.items():
        print(f"{count:9,}  {target}")
    print(f"{found.compared.total():9,}  compared in all")
    for known in EXPLAINED:
        print(f"{found.known[known.name]:9,}  part by {known.name}: {known.reason}")
    for name, why in {**ifhard.WITHOUT, **sobhard.WITHOUT}.items():
        print(f"no second reading: {name}: {why}")
    for difference in found.new[:_SHOWN]:
        print(f"NEW {difference.target} {dict(difference.found)} {difference.code}: {dict(difference.given)!a}")
    print(f"{len(found.new)} differences without a reason")
    return 1 if found.new else 0


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # parameters that are no parameters are warned about, each time
    sys.exit(main())
