"""One mutant of code that runs only while modules are imported: a process of its own imports them with the mutant.

    python -m proofs.mutation.cold FILE

``FILE`` holds the room, the mutant's key and the tests to run, as JSON; the test that fails is printed as JSON.
"""

import importlib.abc
import importlib.machinery
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from proofs.mutation.mutants import Mutant, mutants_of
from proofs.mutation.rooms import TOP, Room
from proofs.mutation.session import Result, Session, with_session

FAILED = "(the modules cannot be imported)"


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles another text in place of the file's, and keeps no bytecode of it."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source.encode(), self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the mutated module, before anything else does."""

    def __init__(self, mutant: Mutant) -> None:
        self.path = str(TOP / mutant.module)
        self.name = Path(self.path.removesuffix("/__init__.py")).stem
        self.source = mutant.source()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.rpartition(".")[2] != self.name:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or found.origin != self.path:
            return None
        return spec_from_file_location(fullname, self.path, loader=_Loader(fullname, self.path, self.source))


def trial(room: Room, mutant: Mutant, tests: Sequence[str], limit: float) -> Result:
    """Tests in a process that imports the mutant; ``limit`` in seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "asked.json"
        asked.write_text(json.dumps({"tests": tests, "key": mutant.key, "room": room}), encoding="utf-8")
        command = [sys.executable, "-m", "proofs.mutation.cold", str(asked)]
        bound = int(limit) + 30  # imports and collecting come on top
        done = subprocess.run(
            command,
            cwd=TOP,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (bound, bound)),
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
    if done.returncode < 0:
        return Result("out of time", "", seconds)
    lines = done.stdout.splitlines()
    failed = json.loads(lines[-1]) if done.returncode == 0 and lines else FAILED
    return Result("killed" if failed else "survived", failed, seconds)


def main(arguments: Sequence[str]) -> None:
    """Import with the mutant, run the tests, print which one fails."""
    asked = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    room = Room(asked["room"][0], *map(tuple, asked["room"][1:]))
    module = asked["key"].partition("|")[0]
    sys.meta_path.insert(0, _Finder(next(one for one in mutants_of(module) if one.key == asked["key"])))
    failed: list[str] = []

    def work(session: Session) -> None:
        failed.append(session.run(asked["tests"]))

    with_session(room, work)
    print("\n" + json.dumps(failed[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
