"""The other faults of a machine: each must end in one clear line and a status, and lose nothing.

Each trial disturbs a run, looks at what it said, takes the disturbance away, resumes the run, and holds it against an
unbroken one. A trial that this machine does not allow (mounting needs rights) is skipped with its reason.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proofs.faults.chains import Unbroken, asked_twice, at_the_end
from proofs.faults.disks import Skipped, read_only, small_disk
from proofs.faults.evidence import asked, journaled, outcome_of, run_folder
from proofs.faults.moments import Moment
from proofs.faults.scenarios import Place, Scenario
from proofs.faults.sessions import Ended, Starter, run_session

__all__ = ["DISK_TRIALS", "TRIALS", "Bench", "try_all"]

_USAGE, _UNAVAILABLE, _INCOMPLETE = 2, 3, 4
_FULL: Final = r"No space left on device"
_TOO_LARGE: Final = r"File too large"


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials need: a place with its servers, a scenario, its unbroken run, and how processes are started.

    Of a trial that has several cases, ``thorough`` tries all.
    """

    place: Place
    scenario: Scenario
    start: Starter
    whole: Unbroken
    thorough: bool = True

    @property
    def out(self) -> Path:
        """The folder of the run folders."""
        return self.place.folder / "out"

    @property
    def first(self) -> list[str]:
        """The command of a new run."""
        return [*self.scenario.arguments(self.place), "--output-dir", str(self.out)]

    def resume(self) -> list[str]:
        """The command that resumes the run."""
        return ["--resume", str(self.folder())]

    def folder(self) -> Path:
        """The run's folder."""
        found = run_folder(self.out)
        assert found is not None, f"no run in {self.out}"
        return found

    def run(
        self, arguments: Sequence[str], moment: Moment | None = None, *, then: str = "kill", clock_s: float = 0.0
    ) -> Ended:
        """One session of the run."""
        return run_session(self.start, self.place, arguments, moment, then=then, clock_s=clock_s)

    def begin(self) -> None:
        """A run that was killed in the midst of its answers."""
        ended = self.run(self.first, Moment("responses.jsonl write", turn=len(self.whole.wanted) // 3))
        assert ended.killed, ended.said

    def ends_well(self) -> list[str]:
        """Faults of the resumed run: an answer at hand that was asked for, or an end unlike the unbroken run's."""
        on_disk, before = journaled(self.folder()), asked(self.place)
        ended = self.run(self.resume())
        faults = asked_twice(asked(self.place).since(before), on_disk, self.whole, self.scenario)
        return faults + at_the_end(self.out, self.whole, ended)


def says(ended: Ended, status: int, *words: str) -> list[str]:
    """Faults of a refusal: another status, no line or more than one that begins with ``error:``, a traceback."""
    lines = [line for line in ended.said.splitlines() if line.startswith("error: ")]
    faults = [] if ended.status == status else [f"exit status {ended.status}, not {status}: {ended.said[-1500:]}"]
    faults += [f"the error is no single line: {lines}"] if len(lines) != 1 else []
    faults += [f"it does not say {found!r}: {lines}" for found in words if not re.search(found, "\n".join(lines))]
    return faults + (["a traceback"] if "Traceback" in ended.said else [])


# Where a disk becomes full, or a file too large, and the status that follows.
_PLACES: Final[tuple[tuple[str, int, int], ...]] = (
    ("run.json open", 0, _UNAVAILABLE),
    ("responses.jsonl open", 0, _UNAVAILABLE),
    ("logs make", 0, _UNAVAILABLE),
    ("responses.jsonl write", 0, _UNAVAILABLE),
    ("responses.jsonl write", 7, _INCOMPLETE),
    ("judgements.jsonl write", 5, _INCOMPLETE),
    ("results open", 0, _INCOMPLETE),
    ("details make", 0, _INCOMPLETE),
    ("table.txt open", 0, _INCOMPLETE),
    ("run.json open", -1, _INCOMPLETE),
)
_ONE: Final = {"fill": slice(4, 5), "limit": slice(8, 9)}


def _disturbed(bench: Bench, then: str, words: str) -> list[str]:
    """The disk is full, or files are limited, from each step on."""
    faults = []
    for step, place, status in _PLACES if bench.thorough else _PLACES[_ONE[then]]:
        if step not in bench.whole.steps:
            continue
        turn = place if place >= 0 else bench.whole.steps.count(step) + place
        ended = bench.run(bench.first, Moment(step, turn), then=then)
        # What fits into the last block of the disk, or is small, is still written: a later step then fails.
        statuses = {status, _INCOMPLETE} if status == _UNAVAILABLE else {status}
        found = says(ended, ended.status if ended.status in statuses else status, words)
        (bench.out / "filler").unlink(missing_ok=True)
        if run_folder(bench.out) is not None:
            found += bench.ends_well()
        elif "open" not in step:
            found.append("no run.json")
        faults += [f"at {step} {turn + 1}: {fault}" for fault in found]
        for path in bench.out.iterdir():
            shutil.rmtree(path)
    return faults


def full_disk(bench: Bench) -> list[str]:
    """The disk becomes full at each stage of a run."""
    with small_disk(bench.out):
        return _disturbed(bench, "fill", _FULL)


def file_size_limit(bench: Bench) -> list[str]:
    """Files may not grow beyond a size (``ulimit -f``), from each stage of a run on."""
    bench.out.mkdir()
    return _disturbed(bench, "limit", _TOO_LARGE)


def read_only_folder(bench: Bench) -> list[str]:
    """Where runs are made, and where one is resumed, is read-only."""
    bench.begin()
    before = _contents(bench.folder())
    with read_only(bench.out):
        faults = says(bench.run(bench.first), _USAGE, r"--output-dir .* cannot be written to")
        faults += says(bench.run(bench.resume()), _USAGE, r"cannot be written to: Read-only file system")
    faults += [] if _contents(bench.folder()) == before else ["the folder has changed"]
    return faults + bench.ends_well()


def clock_backwards(bench: Bench) -> list[str]:
    """A run is resumed two days before it began, killed, and resumed in the present."""
    bench.begin()
    bench.run(bench.resume(), clock_s=-2 * 86_400)
    faults = at_the_end(bench.out, bench.whole, None)
    smaller = [*bench.first, "--max-samples", "3"] if "--max-samples" in bench.first else []
    if not smaller or not bench.thorough:
        return faults + bench.ends_well()
    shutil.rmtree(bench.out)
    bench.run(smaller)
    count = bench.first[bench.first.index("--max-samples") + 1]
    ended = bench.run([*bench.resume(), "--max-samples", count], clock_s=-2 * 86_400)
    return faults + at_the_end(bench.out, bench.whole, ended) + bench.ends_well()


def second_run(bench: Bench) -> list[str]:
    """A run is resumed while it goes on, and while it is resumed."""
    faults: list[str] = []
    for resumes in (False, True) if bench.thorough else (False,):
        with running(bench, bench.resume() if resumes else bench.first):
            ended = bench.run(bench.resume())
            faults += says(ended, _USAGE, f"another process is working on {re.escape(str(bench.folder()))}")
    return faults + bench.ends_well()


@contextlib.contextmanager
def running(bench: Bench, arguments: Sequence[str]) -> Iterator[None]:
    """A session that goes on within the block, and is killed behind it."""
    said = bench.place.folder / "said-other"
    before = asked(bench.place)
    started = bench.start(None, arguments, said, {})
    try:
        while not asked(bench.place).since(before).arrived:
            assert started.status() is None, said.read_text("utf-8")
            time.sleep(0.005)
        assert started.process.pid is not None
        os.kill(started.process.pid, signal.SIGSTOP)
        yield
    finally:
        started.process.kill()
        while started.status() is None:
            time.sleep(0.005)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def other_journals(bench: Bench) -> list[str]:
    """A journal with lines that a later version has written, or that are no lines of a journal, is refused as it is."""
    bench.begin()
    path = bench.folder() / "responses.jsonl"
    mine = path.read_bytes()
    lines = mine.splitlines(keepends=True)
    line = json.loads(lines[1])
    faults = []
    for other, words in (
        ({**line, "status": "postponed"}, "status 'postponed'"),
        ({**line, "error_code": "new-code"}, "error code 'new-code'"),
        ({name: value for name, value in line.items() if name != "response"}, "no field 'response'"),
        ([1, 2], "not a JSON object"),
    )[: 4 if bench.thorough else 1]:
        changed = lines[0] + json.dumps(other).encode() + b"\n" + b"".join(lines[2:])
        path.write_bytes(changed)
        found = says(bench.run(bench.resume()), _USAGE, rf"responses\.jsonl: line 2 is broken: {words}|{words}")
        found += [] if path.read_bytes() == changed else ["the journal has changed"]
        faults += [f"{words}: {fault}" for fault in found]
    path.write_bytes(mine)
    return faults + bench.ends_well()


def other_keys(bench: Bench) -> list[str]:
    """A journal whose requests have the keys of another version, or that is another run's: said, kept, asked again."""
    bench.begin()
    path = bench.folder() / "responses.jsonl"
    old = [json.loads(line) | {"key": f"{number:064x}"} for number, line in enumerate(path.read_bytes().splitlines())]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in old), encoding="utf-8")
    kept = path.read_bytes()
    ended = bench.run(bench.resume())
    faults = [] if ended.status == bench.whole.status else [f"exit status {ended.status}: {ended.said[-1500:]}"]
    said = f"responses.jsonl: {len(old)} lines with answers to this run's questions as another run"
    faults += [] if said in ended.said else [f"not said: {said}"]
    faults += [] if path.read_bytes().startswith(kept) else ["lines of the journal are lost"]
    folder = bench.folder()
    there = outcome_of(folder).differences(bench.whole.outcome)
    return faults + [fault for fault in there if not fault.startswith("table.txt")]


# What is of the files that a scenario writes; the rest is the same for all.
DISK_TRIALS: Final[tuple[Callable[[Bench], list[str]], ...]] = (full_disk, file_size_limit)
TRIALS: Final = (
    *DISK_TRIALS,
    read_only_folder,
    clock_backwards,
    second_run,
    other_journals,
    other_keys,
)


def try_all(
    bench: Bench, tell: Callable[[str], None], trials: Sequence[Callable[[Bench], list[str]]] = TRIALS
) -> dict[str, list[str]]:
    """Faults by trial; a skipped one is only told of."""
    found = {}
    for trial in trials:
        name = trial.__name__.replace("_", " ")
        try:
            found[name] = trial(bench)
        except Skipped as reason:
            tell(f"{name}: skipped, {reason}")
            continue
        finally:
            shutil.rmtree(bench.out, ignore_errors=True)
        tell("\n".join([f"{name}: {len(found[name])} faults", *found[name]]))
    return found
