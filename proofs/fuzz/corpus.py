"""Inputs that are kept, a file a group: each fault that was found, and for each target an input for each outcome."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from proofs.fuzz.session import Case

__all__ = ["CORPUS", "added", "cases"]

CORPUS: Final = Path(__file__).with_name("corpus")
_MOST: Final = 8  # outcomes of one target; faults are kept all


def cases(group: str, folder: Path = CORPUS) -> list[Case]:
    """The kept inputs of a group."""
    path = folder / f"{group}.jsonl"
    if not path.exists():
        return []
    lines = (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)
    return [Case(group, line["target"], line["shows"], line["input"]) for line in lines]


def added(group: str, found: Iterable[Case], folder: Path = CORPUS) -> int:
    """Keep further inputs, sorted by target; the number that was new."""
    known = cases(group, folder)
    seen = {(case.target, case.shows) for case in known}
    counts = Counter(case.target for case in known)
    new = 0
    for case in found:
        is_fault = case.shows.startswith("fault ")
        if (case.target, case.shows) in seen or (counts[case.target] >= _MOST and not is_fault):
            continue
        known.append(case)
        seen.add((case.target, case.shows))
        counts[case.target] += 1
        new += 1
    if new:
        folder.mkdir(exist_ok=True)
        known.sort(key=lambda case: (case.target, case.shows))
        # ASCII: a lone surrogate has no UTF-8 form, and an odd character no look.
        lines = (json.dumps({"target": c.target, "shows": c.shows, "input": c.given}) + "\n" for c in known)
        (folder / f"{group}.jsonl").write_text("".join(lines), encoding="utf-8")
    return new
