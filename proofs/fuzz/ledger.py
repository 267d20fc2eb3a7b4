"""How many inputs each target has had: one entry a run, committed, so that the totals are a fact."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from proofs.fuzz.session import Tally

__all__ = ["CHEAP_GOAL", "GOAL", "LEDGER", "Sum", "sums", "written"]

LEDGER: Final = Path(__file__).with_name("ledger.yaml")
GOAL: Final = 1_000_000
CHEAP_GOAL: Final = 10_000_000
_CHEAP_S: Final = 50e-6


class Sum(NamedTuple):
    """A target over all runs; times in seconds of processor time."""

    inputs: int
    faults: int
    mean_s: float
    slowest_s: float

    @property
    def goal(self) -> int:
        """The inputs that it is to have: ten million where one takes under 50 microseconds."""
        return CHEAP_GOAL if self.inputs and self.mean_s < _CHEAP_S else GOAL


def _runs(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load(path.read_text("utf-8")) or []) if path.exists() else []


def sums(path: Path = LEDGER) -> dict[str, Sum]:
    """The totals by target over all runs."""
    found: dict[str, Sum] = {}
    for run in _runs(path):
        for target, (inputs, faults, mean_us, slowest_s) in run["targets"].items():
            before = found.get(target, Sum(0, 0, 0.0, 0.0))
            total = before.inputs + inputs
            mean = (before.mean_s * before.inputs + mean_us * 1e-6 * inputs) / total if total else 0.0
            found[target] = Sum(total, before.faults + faults, mean, max(before.slowest_s, slowest_s))
    return found


def written(facts: Mapping[str, Any], tallies: Mapping[str, Tally], path: Path = LEDGER) -> None:
    """Write the entry of one run behind the others; an entry with the same facts gives way to it.

    Args:
        facts: date, commit, seed and processor seconds of the run.
        tallies: by target.
    """
    same = [name for name in facts if name != "processor_s"]
    others = [run for run in _runs(path) if any(str(run[name]) != str(facts[name]) for name in same)]
    targets = {
        name: [tally.inputs, tally.faults, round(tally.total_s / tally.inputs * 1e6, 1), round(tally.slowest_s, 3)]
        for name, tally in sorted(tallies.items())
        if tally.inputs
    }
    lines = [
        "# By target: inputs, faults, mean microseconds, slowest second; processor time. See proofs/fuzz/ledger.py.\n"
    ]
    for run in [*others, {**facts, "targets": targets}]:
        # Quoted: to YAML a date is no text, and some commits are numbers.
        head = ", ".join(f"{name}: {json.dumps(str(value))}" for name, value in run.items() if name != "targets")
        lines.append(
            f"- {{{head}, targets: {{\n"
            + "".join(f'  "{name}": {row},\n' for name, row in run["targets"].items())
            + "  }}\n"
        )
    path.write_text("".join(lines), encoding="utf-8")
