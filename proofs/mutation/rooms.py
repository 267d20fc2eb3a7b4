"""Which modules are mutated, and which tests may see it (``rooms.yaml``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml

TOP: Final = Path(__file__).resolve().parents[2]


class Room(NamedTuple):
    """Files from the checkout's top, in alphabetical order.

    Attributes:
        name: what the table calls it.
        modules: the modules that are mutated.
        tests: the files of tests that are asked.
    """

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


def files(patterns: Sequence[str]) -> tuple[str, ...]:
    """Files of patterns; ``!PATTERN`` takes files out again.

    Raises:
        ValueError: a pattern matches nothing.
    """
    found: set[str] = set()
    for pattern in patterns:
        matched = {path.relative_to(TOP).as_posix() for path in TOP.glob(pattern.removeprefix("!")) if path.is_file()}
        if not matched:
            raise ValueError(f"no file matches {pattern!r}")
        found = found - matched if pattern.startswith("!") else found | matched
    return tuple(sorted(found))


def read() -> dict[str, Room]:
    """Rooms by name."""
    table = yaml.safe_load((Path(__file__).parent / "rooms.yaml").read_text(encoding="utf-8"))
    return {name: Room(name, files(room["modules"]), files(room["tests"])) for name, room in table.items()}
