"""One pytest session for a room: every test is collected once, every trial runs in a fork of it.

``record`` tells which tests run which lines, and what each costs. ``trial`` runs, with one mutant, the tests that run
its lines, cheapest first, until one fails. A fork has no test's traces, so that no order of trials matters.
"""

import gc
import json
import os
import resource
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import coverage
import pytest

from proofs.mutation.mutants import Mutant
from proofs.mutation.rooms import TOP, Room
from proofs.mutation.swap import Living, NotAppliedError

Outcome = Literal["killed", "out of time", "survived", "not reached", "not applied"]

EXAMPLES: Final = 30  # of a property, where a test asks for no number itself
BUDGET: Final = 10.0  # seconds of processor time: the tests asked about one mutant, as they were recorded
SLOWER: Final = 10  # times the tests' own time: then a mutant is out of time
START: Final = 3.0  # seconds of processor time on top of it: to make the mutant, to read fixtures and data at first
MEMORY: Final = 4 << 30  # bytes on top of what the session has
IDLE: Final = 120  # seconds of waiting without an end, counted while this process runs itself


class Result(NamedTuple):
    """What came of one mutant.

    Attributes:
        outcome: ``killed`` by a test; ``out of time``: over ten times the tests' time, or an endless wait;
            ``survived``; ``not reached`` by any test; ``not applied``: no function was found to change.
        test: what killed it.
        seconds: processor time.
    """

    outcome: Outcome
    test: str = ""
    seconds: float = 0.0


class Recording(NamedTuple):
    """What the tests do without a mutant.

    Attributes:
        seconds: processor time of each test that passed.
        failed: tests that failed.
        lines: file from the checkout's top -> line (as text) -> places in ``seconds`` of the tests that run it.
    """

    seconds: dict[str, float]
    failed: list[str]
    lines: dict[str, dict[str, list[int]]]

    def tests(self, module: str, lines: tuple[int, int], budget: float = BUDGET) -> list[str]:
        """Tests that run one of the lines, cheapest first, as many as the budget has room for, one at least."""
        of_file, names = self.lines.get(module, {}), list(self.seconds)
        reached = {names[place] for line in range(lines[0], lines[1] + 1) for place in of_file.get(str(line), ())}
        chosen: list[str] = []
        for test in sorted(reached, key=lambda one: (self.seconds[one], one)):
            budget -= self.seconds[test]
            if chosen and budget < 0:
                break
            chosen.append(test)
        return chosen


class Session:
    """A plugin of pytest: it runs ``work`` instead of the tests."""

    def __init__(self, work: Callable[["Session"], None]) -> None:
        self.work = work
        self.items: dict[str, pytest.Item] = {}
        self.living: Living
        self.failed = ""
        self._passed_alone: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Before a test's module is imported, after conftest.py: the same examples, no search for smaller ones."""
        import hypothesis  # pytest complains of plugins' modules that were there before it

        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        hypothesis.settings.register_profile(
            "mutants", derandomize=True, deadline=None, max_examples=EXAMPLES, phases=phases, database=None
        )
        hypothesis.settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """What is asked for, in place of the tests."""
        self.items = {item.nodeid: item for item in session.items}
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the first failure."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def run(self, tests: Sequence[str]) -> str:
        """Runs tests until one fails; its id, or nothing."""
        items = [self.items[test] for test in tests if test in self.items]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        return self.failed

    def record(self, room: Room) -> Recording:
        """All tests, with the lines that each runs."""
        told, _ = _forked(lambda: self._record(room), limit=None)
        if "seconds" not in told:
            raise RuntimeError(f"the tests of {room.name} end their process: {told}")
        return Recording(**told)

    def _record(self, room: Room) -> dict[str, Any]:
        seconds, failed = {}, []
        with tempfile.TemporaryDirectory() as folder:
            measured = coverage.Coverage(
                data_file=str(Path(folder) / "data"),
                config_file=False,
                include=[str(TOP / name) for name in room.modules],
            )
            measured.set_option(
                "run:disable_warnings", ["already-imported", "module-not-measured", "no-data-collected"]
            )
            measured.start()
            items = list(self.items.values())
            for item, following in zip(items, [*items[1:], None], strict=True):
                measured.switch_context(item.nodeid)
                began, self.failed = time.process_time(), ""
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    failed.append(item.nodeid)
                else:
                    seconds[item.nodeid] = round(time.process_time() - began, 4)
            measured.stop()
            data, places = measured.get_data(), {test: place for place, test in enumerate(seconds)}
            lines = {
                name: {
                    str(line): sorted(places[test] for test in tests if test in places)
                    for line, tests in data.contexts_by_lineno(str(TOP / name)).items()
                }
                for name in room.modules
            }
        return {"seconds": seconds, "failed": failed, "lines": lines}

    def trial(self, mutant: Mutant | None, tests: Sequence[str], limit: float) -> Result:
        """Tests with a mutant, or without; ``limit`` in seconds of processor time."""
        if not tests:
            return Result("not reached")

        def work() -> dict[str, Any]:
            if mutant is not None:
                try:
                    self.living.apply(mutant)
                except NotAppliedError as error:
                    return {"outcome": "not applied", "test": str(error)}
            failed = self.run(tests)
            return {"outcome": "killed" if failed else "survived", "test": failed}

        told, seconds = _forked(work, limit)
        if "broken" in told:
            raise RuntimeError(f"{mutant}: {told['broken']}")
        result = Result(told.get("outcome", "out of time"), told.get("test", ""), round(seconds, 2))
        if mutant is not None and result.outcome == "killed" and not self._passes_alone(result.test, limit):
            rest = [test for test in tests if test != result.test]
            return self.trial(mutant, rest, limit)
        return result

    def _passes_alone(self, test: str, limit: float) -> bool:
        """A test that fails without a mutant kills none."""
        if test not in self._passed_alone and self.trial(None, [test], limit).outcome == "survived":
            self._passed_alone.add(test)
        return test in self._passed_alone


def _forked(work: Callable[[], dict[str, Any]], limit: float | None) -> tuple[dict[str, Any], float]:
    """What ``work`` returns in a fork, and its processor time in seconds; nothing where it is ended at its limits."""
    reading, writing = os.pipe()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
                size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
                resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
            try:
                told = work()
            except BaseException as error:
                told = {"broken": f"{type(error).__name__}: {error}"}
            with os.fdopen(writing, "w") as pipe:
                json.dump(told, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    text, idle = b"", 0
    while True:
        if select.select([reading], [], [], 1.0)[0]:
            part = os.read(reading, 1 << 16)
            if not part:
                break
            text += part
        else:
            idle += 1
            if limit is not None and idle > IDLE + SLOWER * limit:
                os.kill(child, signal.SIGKILL)
    os.close(reading)
    os.waitpid(child, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(text) if text else {}), seconds


def limit_of(recording: Recording, tests: Iterable[str]) -> float:
    """Seconds of processor time after which a mutant is out of time."""
    return START + SLOWER * sum(recording.seconds[test] for test in tests)


def with_session(room: Room, work: Callable[[Session], None]) -> None:
    """Collects a room's tests and runs ``work`` with them.

    Raises:
        RuntimeError: a test file cannot be collected.
    """
    failures: list[BaseException] = []

    def guarded(session: Session) -> None:
        try:
            session.living = Living()
            gc.collect()
            gc.freeze()  # forks share what they never look at
            work(session)
        except BaseException as error:
            failures.append(error)

    with tempfile.TemporaryDirectory() as folder:
        without = [argument for plugin in ("cacheprovider", "xdist", "cov") for argument in ("-p", f"no:{plugin}")]
        temporary = ["-o", "tmp_path_retention_policy=none", f"--basetemp={folder}/tmp"]
        status = pytest.main(
            [*room.tests, "-q", "-s", *without, *temporary, "--rootdir", str(TOP)], plugins=[Session(guarded)]
        )
    if failures:
        raise failures[0]
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.TESTS_FAILED}:
        raise RuntimeError(f"the tests of {room.name} cannot be collected (pytest ends with {status})")
