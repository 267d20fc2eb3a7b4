"""What the order of sending does to a run's length and to prefix-cache hits, on simulated servers, in virtual time.

    python speed/sending_order.py [--draws 20] [--sobhard FOLDER]

*Makespan.* 300 questions whose answers have log-normal lengths: a median of 1,000 tokens, ``sigma`` of the logarithm,
at most 32,768. A server has so many places; each generates one token in 20 ms, whatever the others do. What is known
of a length beforehand is the length times a log-normal error, then its class (powers of two). Prints the mean over the
draws of the makespan divided by the least possible one (the larger of all tokens over the places, and the longest
answer), for the order of arrival and for that of ``endpoints.sending_order``, and how much longer arrival takes. With
``--sobhard`` also over the questions of a dataset folder of SOBHard, where each answer is its reference (half a token
for each character, at most the cap), in five shuffled orders and in that of ``endpoints.sending_order``.

*Prefix cache.* 75 documents of 6,000 tokens with four questions each, and 5 sets of demonstrations of 1,500 tokens
with 60 questions each, in a shuffled order. The server reads a prompt at once, answers in 500 tokens, and keeps the
beginnings that it read last, as many as its cache has tokens for. Prints the share of prompt tokens that were there.

Exit status 1 where an order of the run's own takes longer than arrival on the average, or hits less.
"""

import argparse
import heapq
import json
import math
import random
import sys
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from endpoints.request import Request
from endpoints.sending_order import sending_order
from metrics.sobhard.rows import answer_size, scoring_key
from tasks.facts import read_facts
from tasks.sobhard.prompts import render

QUESTIONS: Final = 300
MEDIAN: Final = 1_000
MOST: Final = 32_768
TOKEN_S: Final = 0.02
CHARACTERS: Final = 3  # a token


class Prompt(NamedTuple):
    """A question with a beginning that others share: its name, its tokens, and tokens of its own."""

    beginning: str
    shared: int
    own: int


def request(number: int, text: str, most: int = MOST) -> Request:
    """A chat request, its answer capped."""
    return Request("t", f"q{number}", 0, "chat", "m", ({"role": "user", "content": text},), None, most, {}, {})


def makespan(lengths: Sequence[int], places: int) -> float:
    """Seconds until the last answer, if they are begun in this order."""
    free = [0.0] * places
    for length in lengths:
        heapq.heapreplace(free, free[0] + length * TOKEN_S)
    return max(free)


def spans(rng: random.Random, sigma: float, error: float, places: int) -> tuple[float, float]:
    """The makespans in the order of arrival and in the run's own, over the least possible one."""
    lengths = [max(1, min(MOST, round(rng.lognormvariate(math.log(MEDIAN), sigma)))) for _ in range(QUESTIONS)]
    sizes = [1 << round(length * rng.lognormvariate(0.0, error)).bit_length() for length in lengths]
    order = sending_order([request(i, f"q{i}") for i in range(QUESTIONS)], sizes).places
    least = max(sum(lengths) / places, max(lengths)) * TOKEN_S
    return makespan(lengths, places) / least, makespan([lengths[place] for place in order], places) / least


def hits(prompts: Sequence[Prompt], cache: int, places: int) -> float:
    """Share of prompt tokens that the cache holds when their question is begun.

    A beginning that a running question uses is not put out; all answers take the same time, so places free in turn.
    """
    kept: OrderedDict[str, int] = OrderedDict()
    running: list[str] = []
    found = 0
    for prompt in prompts:
        if len(running) == places:
            running.pop(0)
        found += prompt.shared if prompt.beginning in kept else 0
        kept[prompt.beginning] = prompt.shared
        kept.move_to_end(prompt.beginning)
        running.append(prompt.beginning)
        for old in [name for name in kept if name not in running]:
            if sum(kept.values()) <= cache:
                break
            del kept[old]
    return found / sum(prompt.shared + prompt.own for prompt in prompts)


def mixed_prompts(rng: random.Random) -> tuple[list[Prompt], list[Request]]:
    """The questions of the second measurement, in the order of arrival."""
    prompts = [Prompt(f"document {number:03} ", 6_000, 100) for number in range(75) for _ in range(4)]
    prompts += [Prompt(f"examples {number:03} ", 1_500, 200) for number in range(5) for _ in range(60)]
    rng.shuffle(prompts)
    texts = [(p.beginning * p.shared)[: p.shared * CHARACTERS] + f"{i}" for i, p in enumerate(prompts)]
    return prompts, [request(i, text) for i, text in enumerate(texts)]


def by_reference(folder: Path) -> None:
    """Print the makespans of a SOBHard dataset, over the least possible ones."""
    rows = [json.loads(line) for line in (folder / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    cap = read_facts("sobhard").tokens.answer["any"]
    lengths = [min(cap, len(row["meta"]["reference"]) // 2 + 50) for row in rows]
    started = time.process_time()
    sizes = [answer_size(scoring_key(row)) for row in rows]
    order = sending_order([request(i, render(row), cap) for i, row in enumerate(rows)], sizes).places
    print(f"{len(rows)} SOBHard questions, put in order in {time.process_time() - started:.2f} s of CPU")
    for places in (32, 64):
        least = max(sum(lengths) / places, max(lengths)) * TOKEN_S
        shuffled = [random.Random(seed).sample(lengths, len(lengths)) for seed in range(5)]
        arrival = ", ".join(f"{makespan(one, places) / least:.2f}" for one in shuffled)
        own = makespan([lengths[place] for place in order], places) / least
        print(f"{places} places: arrival {arrival}; own order {own:.2f}")


def main() -> int:
    """Command line; 0 where the run's own order is never the worse one."""
    parser = argparse.ArgumentParser(description="Makespan and prefix-cache hits by the order of sending.")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sobhard", type=Path, metavar="FOLDER", help="a SOBHard dataset, such as the built-in set")
    options = parser.parse_args()
    draws, worse = options.draws, 0
    for sigma in (0.8, 1.2, 1.6):
        for places in (16, 32, 64):
            for error in (0.0, 0.5, 1.0):
                found = [
                    spans(random.Random(f"{sigma} {places} {draw}"), sigma, error, places) for draw in range(draws)
                ]
                arrival, own = (sum(column) / draws for column in zip(*found, strict=True))
                longer = [one / other for one, other in found]
                worse += own > arrival
                print(
                    f"sigma {sigma}, {places:2} places, error {error}: arrival {arrival:.3f}, own order {own:.3f}; "
                    f"arrival takes {sum(longer) / draws:.2f} times as long ({min(longer):.2f} to {max(longer):.2f})"
                )
    if options.sobhard is not None:
        by_reference(options.sobhard)
    prompts, requests = mixed_prompts(random.Random(0))
    order = sending_order(requests, [None] * len(requests)).places
    for cache in (100_000, 200_000, 400_000, 800_000):
        arrival = hits(prompts, cache, 32)
        own = hits([prompts[place] for place in order], cache, 32)
        worse += own < arrival
        print(f"cache of {cache} tokens, 32 places: hits {arrival:.0%} by arrival, {own:.0%} in the run's own order")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
