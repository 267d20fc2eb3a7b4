"""``python -m tasks.sobhard.build.equivalence``: sets of other seeds beside the shipped one, in figures."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from builders.sobhard.build import BuildError, Built, build
from builders.sobhard.corpus import CorpusError, default_cache, fetch, load_documents
from builders.sobhard.dataset_files import SHIPPED_SEED
from builders.sobhard.report import composition, source_lengths
from builders.sobhard.solvers import SOLVERS
from endpoints.terminal import speak_utf8, survive_closed_pipes
from endpoints.user_cache import tell_stderr
from metrics.sobhard import score

__all__ = ["figures", "main"]

_HEAD = ("seed", "characters of source", "of answer", "rules a question", "from held-back documents", *SOLVERS)


def figures(built: Built) -> list[str]:
    """Mean lengths and rules of a set, the share of new documents, and what the scripted solvers score."""
    test = built.test
    rates = [fmean(score(row, solve(row)).metrics["sample_pass_rate"] for row in test) for solve in SOLVERS.values()]
    return [
        f"{fmean(source_lengths(built).values()):,.0f}",
        f"{fmean(len(row['meta']['reference']) for row in test):,.0f}",
        f"{fmean(len(composition(row)) for row in test):.2f}",
        f"{built.held_back / len(test):.0%}",
        *(f"{rate:.3f}" for rate in rates),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a set for each seed, and print a Markdown table of their figures.

    Exit status: 0 printed, 3 the corpus cannot be had or gives no set.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.build.equivalence", description=main.__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[SHIPPED_SEED, 1, 2, 3, 4])
    parser.add_argument("--corpus", type=Path, default=default_cache())
    options = parser.parse_args(arguments)
    try:
        fetch(options.corpus, tell_stderr)
        documents = load_documents(options.corpus)
        sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n")
        for seed in options.seeds:
            built = build(documents, seed, private=seed != SHIPPED_SEED)
            sys.stdout.write(f"| {' | '.join([str(seed), *figures(built)])} |\n")
            sys.stdout.flush()
    except (BuildError, CorpusError) as error:
        tell_stderr(str(error))
        return 3
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
