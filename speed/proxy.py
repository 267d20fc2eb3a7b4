"""A fixed piece of pure Python against which the speed of scoring is stated.

    python speed/proxy.py

A verdict a second says as much of the machine as of the scorer. So the speeds of this folder are ratios: units of
work done in the time of one *step*, both measured in turns in one process. A step is a part of one *pass*: what a
naive scorer does to a text, such as splitting, counting, searching and small dictionaries. It imports nothing of the
project and must never change, or the ratios of different versions stop being comparable.

Each benchmark says how many of its steps a pass has, so that its ratio starts where its targets were set.
For IFHardBench that are :data:`IFHARD_STEPS`: the project of 2026-11-30, 14:30 gives 0.375 verdicts a step on the
cases of ``speed/scoring_speed.py``, which is where its target of 0.50 comes from: a third more than that. On a
processor that others use too, the same project gives 0.34 to 0.40; so compare two versions at one time, in turns.
"""

import re
import statistics
import time
from collections.abc import Callable
from typing import Final, NamedTuple

IFHARD_STEPS: Final = 14.0
ROUNDS: Final = 41
SECONDS: Final = 0.04  # of either work a round, at least; short, so that both see the same machine

_TEXT: Final = """Утром город просыпается медленно. Трамваи идут по мокрым рельсам, и окна гаснут одно за другим!
- молоко, хлеб и сыр;
- two tickets (row 12);
- письмо, которое ждали 3 недели.

Кто откроет дверь первым? Никто не знает... The answer is 42, or perhaps 43; мы проверим это завтра."""

_mark = re.compile(r"[.!?…]+")
_item = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_digit = re.compile(r"\d+")


class Ratio(NamedTuple):
    """How much work is done in the time of a step.

    Attributes:
        median: of the rounds; the value to state.
        low: lower quartile of the rounds.
        high: upper quartile.
    """

    median: float
    low: float
    high: float


def _words(text: str) -> list[str]:
    return [word for token in text.split() if (word := token.strip(".,;:!?()-…").lower())]


def _counts(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _sentences(text: str) -> list[str]:
    return [piece for part in _mark.split(text) if (piece := part.strip())]


def _items(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if _item.match(line)]


def _told(name: str, found: int, wanted: int) -> dict[str, object]:
    return {"name": name, "passed": found >= wanted, "reason": f"at least {wanted} {name} required, {found} found"}


def one_pass() -> int:
    """The work itself, whose time is the unit; the number that it returns is always the same."""
    words, sentences, items = _words(_TEXT), _sentences(_TEXT), _items(_TEXT)
    counts = _counts(words)
    numbers = [int(found) for found in _digit.findall(_TEXT)]
    found = {
        "words": len(words),
        "unlike words": sum(1 for count in counts.values() if count == 1),
        "sentences": len(sentences),
        "items": len(items),
        "commas": _TEXT.count(","),
        "long sentences": sum(len(sentence.split()) > 4 for sentence in sentences),
        "numbers": sum(numbers),
    }
    return sum(number for name, number in found.items() if _told(name, number, 3)["passed"])


def _rate(work: Callable[[], int]) -> float:
    """Units of work a second of processor time."""
    done, start, spent = 0, time.process_time(), 0.0
    while not spent or spent < SECONDS:
        done += work()
        spent = time.process_time() - start
    return done / spent


def _passes() -> int:
    for _ in range(20):
        one_pass()
    return 20


def ratio(work: Callable[[], int], steps: float, rounds: int = ROUNDS) -> Ratio:
    """Units of work done in the time of a step.

    Args:
        work: does some and returns how many units it did; a call should take less than 0.04 s.
        steps: how many steps a pass has.
        rounds: how often the proxy and the work take turns.
    """
    work()
    found = [_rate(work) / (_rate(_passes) * steps) for _ in range(rounds)]
    low, median, high = statistics.quantiles(found, n=4)
    return Ratio(median, low, high)


if __name__ == "__main__":
    print(f"passes of the proxy a second: {statistics.median(_rate(_passes) for _ in range(ROUNDS)):,.0f}")
