"""What the folder of a run and the notes of its servers say."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from endpoints.journal import JournalLine, read_journal
from proofs.faults.scenarios import Place
from runs.folder import open_run, samples

__all__ = ["Asked", "Outcome", "asked", "journaled", "left_running", "outcome_of", "run_folder", "twice_answered"]

_MARK: Final = re.compile(r"\bm([0-9a-f]{12})\b")
# What is another in every run: dates, speeds, what servers said of themselves.
_VOLATILE: Final = ("sessions", "server_load", "serving")
_VOLATILE_LINES: Final = ("Load: ", "Tokens: ")
_REPAIRED: Final = re.compile(r"note: \w+\.jsonl: (an unfinished last line|the last line had no line end)")


def journals(folder: Path) -> list[JournalLine]:
    """The lines of both journals of a run folder; a torn last one is none."""
    paths = (folder / name for name in ("responses.jsonl", "judgements.jsonl"))
    return [line for path in paths if path.exists() for line in read_journal(path)]


def journaled(folder: Path | None) -> Counter[str]:
    """How often the answer to each request, by its mark, stands in the run's journals."""
    lines = journals(folder) if folder is not None else []
    return Counter(_MARK.findall(line.outcome.text)[-1] for line in lines if line.outcome.is_answer)


def twice_answered(folder: Path) -> list[str]:
    """Keys that have more than one answer in the journals of a run."""
    keys = Counter(line.key for line in journals(folder) if line.outcome.is_answer)
    return sorted(key for key, count in keys.items() if count > 1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What servers noted: how often each request, by its mark, arrived and was answered in full."""

    arrived: Counter[str]
    answered: Counter[str]

    def since(self, before: "Asked") -> "Asked":
        """What came later than that."""
        return Asked(self.arrived - before.arrived, self.answered - before.answered)


def asked(place: Place) -> Asked:
    """All that the servers of a place have noted so far."""
    lines = [
        line.split() for path in sorted(place.notes.glob("*.requests")) for line in path.read_text("utf-8").splitlines()
    ]
    return Asked(*(Counter(mark for what, mark in lines if what == wanted) for wanted in ("arrived", "answered")))


def left_running(place: Place, token: str) -> list[int]:
    """Processes that run: servers by their own notes, and whatever has the token in its environment."""
    path = place.notes / "pids"
    noted = [int(line) for line in path.read_text("utf-8").split()] if path.exists() else []
    return sorted(
        {pid for pid in noted if _runs(pid)} | {pid for pid in _all_pids() if _has(pid, token) and _runs(pid)}
    )


def _all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _has(pid: int, token: str) -> bool:
    try:
        return token.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _runs(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def run_folder(output_dir: Path) -> Path | None:
    """The newest run folder that has a ``run.json``; None if there is none."""
    found = sorted(output_dir.glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return found[-1].parent if found else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished run says, without what is another in every run."""

    run: Mapping[str, Any]
    table: str
    details: Mapping[str, list[Any]]

    def decided(self, other: "Outcome") -> "Outcome":
        """This one without what a run that a rule ends has besides: answers that were under way at its end."""
        both = {
            task: {_place(row) for row in rows if _answered(row)}
            & {_place(row) for row in other.details.get(task, []) if _answered(row)}
            for task, rows in self.details.items()
        }
        details = {task: [row for row in rows if _place(row) in both[task]] for task, rows in self.details.items()}
        return Outcome({**self.run, "tokens": None}, self.table, details)

    def differences(self, other: "Outcome") -> list[str]:
        """Where two of them differ, a phrase each."""
        names = sorted(self.run.keys() | other.run.keys())
        found = [
            f"run.json: {name}: {self.run.get(name)} and {other.run.get(name)}"[:600]
            for name in names
            if self.run.get(name) != other.run.get(name)
        ]
        found += [
            f"details of {task}: {_first_difference(self.details.get(task, []), other.details.get(task, []))}"[:600]
            for task in sorted(self.details.keys() | other.details.keys())
            if self.details.get(task) != other.details.get(task)
        ]
        lines = zip(self.table.splitlines(), other.table.splitlines(), strict=False)
        if self.table != other.table:
            found.append(f"table.txt: {next((pair for pair in lines if pair[0] != pair[1]), 'one is longer')}"[:600])
        return found


def _answered(row: Any) -> bool:
    return bool(row[1]["outcome"] == "answered")


def _place(row: Any) -> tuple[str, int]:
    return row[1]["id"], row[1]["repeat"]


def _first_difference(rows: list[Any], others: list[Any]) -> str:
    if len(rows) != len(others):
        return f"{len(rows)} rows and {len(others)}"
    return next(f"row {number}: {a} and {b}" for number, (a, b) in enumerate(zip(rows, others, strict=True)) if a != b)


def outcome_of(folder: Path) -> Outcome:
    """Read a finished run."""
    run = open_run(folder)
    content = {name: value for name, value in run.content.items() if name not in _VOLATILE}
    content["tokens"] = {**content["tokens"], "completion_per_second": None}
    content["settings"] = {name: value for name, value in content["settings"].items() if name != "output_dir"}
    lines = (folder / "table.txt").read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(_VOLATILE_LINES) and not _REPAIRED.match(line)]
    details = {
        task: [json.loads(json.dumps([s.doc, s.record, _plain(s.response)], default=str)) for s in samples(path)]
        for task, path in run.details.items()
    }
    return Outcome(json.loads(json.dumps(content)), "\n".join(filter(None, kept)), details)


def _plain(response: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in response.items() if name != "from_journal"}
