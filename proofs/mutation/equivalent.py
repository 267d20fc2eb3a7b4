"""Mutants that no test can kill, with the reason (``equivalent.yaml``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from proofs.mutation.mutants import Mutant

LIST: Final = Path(__file__).parent / "equivalent.yaml"
WORDS: Final = 4  # a reason has at least as many


class Entry(NamedTuple):
    """A change that changes nothing that anyone can see.

    Attributes:
        module: file from the checkout's top.
        function: as ``Mutant.function``.
        before: the changed lines, joined by spaces.
        after: what stands there instead.
        reason: why no test can tell.
    """

    module: str
    function: str
    before: str
    after: str
    reason: str


def read(path: Path = LIST) -> list[Entry]:
    """The list: module -> function -> entries.

    Raises:
        ValueError: an entry has no reason, or stands twice.
    """
    table = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    entries = [
        Entry(module, function, entry["before"], entry["after"], entry["reason"])
        for module, functions in table.items()
        for function, listed in functions.items()
        for entry in listed
    ]
    for entry in entries:
        if len(entry.reason.split()) < WORDS:
            raise ValueError(f"{entry.module} {entry.function}: {entry.before!r} has no reason")
    if len({entry[:4] for entry in entries}) < len(entries):
        raise ValueError("an entry stands twice")
    return entries


def matched(entries: Sequence[Entry], mutants: Sequence[Mutant]) -> dict[str, Entry]:
    """Key of a mutant -> its entry.

    Args:
        entries: of the list.
        mutants: all of the modules that the entries name.

    Raises:
        ValueError: an entry matches no mutant, so that its reason speaks of code that is no longer there.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        alike = [
            one
            for one in mutants
            if (one.module, one.function) == entry[:2]
            # Making a change takes a while: first whether it can be this one.
            and " ".join(one.before.split()) in entry.before
            and " ".join(one.after.split()) in entry.after
        ]
        keys = [one.key for one in alike if one.change() == (entry.before, entry.after)]
        if not keys:
            raise ValueError(f"no mutant is {entry.module} {entry.function}: {entry.before!r} -> {entry.after!r}")
        found |= dict.fromkeys(keys, entry)
    return found
