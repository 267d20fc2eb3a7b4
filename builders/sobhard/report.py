"""What a built set holds, in figures: for its ``build.json``, its README, and whoever compares two sets."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean, median
from typing import Any, Final

from builders.sobhard.build import Built
from builders.sobhard.checks import stands_in_input
from metrics.sobhard import answer_text, score
from metrics.sobhard.row_checks import DIFFICULTIES

__all__ = ["composition", "constraint_counts", "source_lengths", "summary"]

Row = Mapping[str, Any]
_CATEGORIES: Final = ("family", "difficulty", "source_format", "target_format", "length_tier", "prompt_style")
_LONG: Final = 12_000  # characters


def summary(built: Built, seed: int) -> dict[str, Any]:
    """Counts of a set's questions, documents, turns and rules; lengths are characters, see ``source_lengths``."""
    test = built.test
    lengths = source_lengths(built)
    files = Counter(row["meta"]["categories"]["origin"] for row in test)
    pairs = [(row, lengths[row["meta"]["id"]]) for row in test]
    return {
        "seed": seed,
        "rows": {"test": len(test), "shots": len(built.shots)},
        "categories": {name: _counted(row["meta"]["categories"][name] for row in test) for name in _CATEGORIES},
        "tiers": {
            difficulty: _counted(_of(row, "length_tier") for row in test if _of(row, "difficulty") == difficulty)
            for difficulty in DIFFICULTIES
        },
        "mean_input": {
            difficulty: round(fmean(length for row, length in pairs if _of(row, "difficulty") == difficulty))
            for difficulty in DIFFICULTIES
        },
        "over_12000": sum(length > _LONG for _, length in pairs),
        "longest": max(length for _, length in pairs),
        "answer_longer_than_source": sum(len(row["meta"]["reference"]) > length for row, length in pairs),
        "answer_in_input": sum(map(stands_in_input, test)),
        "files": {"used": len(files), "median": median(files.values()), "most": max(files.values())},
        "documents": len(built.documents),
        "turns": _turns([*built.shots, *test]),
        "rules": _counted(step["rule"] for row in test for step in composition(row)),
        "constraints": constraint_counts(test),
        "held_back": built.held_back,
    }


def _of(row: Row, name: str) -> str:
    value: str = row["meta"]["categories"][name]
    return value


def _counted(values: Iterable[Any]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def source_lengths(built: Built) -> dict[int, int]:
    """Characters of the source document of each graded row, by id: of a conversation, the one its first turn shows."""
    first = {
        row["meta"]["dialogue_id"]: len(row["inputs"]["input_data"])
        for row in built.shots
        if row["meta"]["turn_index"] == 1
    }
    return {
        row["meta"]["id"]: first.get(row["meta"]["dialogue_id"], len(row["inputs"]["input_data"])) for row in built.test
    }


def composition(row: Row) -> list[Mapping[str, Any]]:
    """The rules that a question goes through."""
    steps: list[Mapping[str, Any]] = json.loads(row["meta"]["task_meta"]).get("program", [])
    return steps


def _turns(rows: Iterable[Row]) -> dict[str, int]:
    return _counted(
        json.loads(row["meta"]["task_meta"])["turn_family"] for row in rows if row["meta"]["turn_index"] is not None
    )


def constraint_counts(test: Iterable[Row]) -> dict[str, int]:
    """How often each constraint applies to a reference."""
    counts: Counter[str] = Counter()
    for row in test:
        verdicts = score(row, answer_text(dict(row))).constraints
        counts.update(name for name, verdict in verdicts.items() if verdict is not None)
    return dict(counts)
