"""The trials of one room, in a process of its own; ``python -m proofs.mutation`` starts it.

    python -m proofs.mutation.work ROOM FOLDER

``FOLDER/sample.json`` names the mutants; results go to ``FOLDER/ROOM.jsonl`` one by one, and what stands there is not
tried again. What the tests run is kept in ``FOLDER/ROOM.recording.json`` while no file of the room changes.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from proofs.mutation import cold, rooms
from proofs.mutation.mutants import Mutant, mutants_of
from proofs.mutation.session import Recording, Session, limit_of, with_session


def _digest(room: rooms.Room) -> str:
    """Of the room's modules and tests, and of the tables beside these."""
    files = [rooms.TOP / name for name in (*room.modules, *room.tests)]
    tables = {path for test in room.tests for path in (rooms.TOP / test).parent.rglob("*.yaml")}
    digest = hashlib.sha256()
    for path in sorted({*files, *tables}):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _recording(session: Session, room: rooms.Room, path: Path) -> Recording:
    digest = _digest(room)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if kept.get("digest") != digest:
        kept = {"digest": digest, "recording": session.record(room)._asdict()}
        path.write_text(json.dumps(kept), encoding="utf-8")
    return Recording(**kept["recording"])


def _tried(session: Session, room: rooms.Room, recording: Recording, mutant: Mutant) -> dict[str, object]:
    tests = recording.tests(mutant.module, mutant.lines)
    result = session.trial(mutant, tests, limit_of(recording, tests))
    if result.outcome in {"not reached", "not applied"} and recording.lines.get(mutant.module):
        # It may run while modules are imported: the tests of its module may see what comes of it.
        tests = recording.tests(mutant.module, (1, max(map(int, recording.lines[mutant.module]))))
        found = cold.trial(room, mutant, tests, limit_of(recording, tests))
        result = result if found.outcome == "survived" else found
    before, after = mutant.change()
    place = {"module": mutant.module, "function": mutant.function, "line": mutant.lines[0]}
    return {"key": mutant.key, **place, "before": before, "after": after, "asked": len(tests), **result._asdict()}


def tried(room: rooms.Room, mutants: Sequence[Mutant], folder: Path) -> None:
    """Tries mutants of a room; a line of ``FOLDER/ROOM.jsonl`` for each.

    Raises:
        RuntimeError: tests fail without a mutant, or cannot be collected.
    """

    def work(session: Session) -> None:
        recording = _recording(session, room, folder / f"{room.name}.recording.json")
        if recording.failed:
            raise RuntimeError(f"tests fail without any mutant: {recording.failed}")
        with (folder / f"{room.name}.jsonl").open("a", encoding="utf-8") as file:
            for mutant in mutants:
                file.write(json.dumps(_tried(session, room, recording, mutant), ensure_ascii=False) + "\n")
                file.flush()

    with_session(room, work)


def main(arguments: Sequence[str]) -> None:
    """Try what is not tried yet."""
    room, folder = rooms.read()[arguments[0]], Path(arguments[1])
    keys = set(json.loads((folder / "sample.json").read_text(encoding="utf-8")))
    results = folder / f"{room.name}.jsonl"
    if results.exists():
        keys -= {json.loads(line)["key"] for line in results.read_text(encoding="utf-8").splitlines()}
    if mutants := [mutant for module in room.modules for mutant in mutants_of(module) if mutant.key in keys]:
        tried(room, mutants, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
