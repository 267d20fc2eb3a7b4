"""The journal of a run (``responses.jsonl``): each response is written to it when it arrives.

The lines are those of :mod:`endpoints.journal_lines`. :meth:`Journal.append` hands a line to the operating system in
one write before it returns, so a killed process loses no line. A background thread has the lines written to the disk
every second, so a power cut loses the lines of one second at most.
"""

import fcntl
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from endpoints.journal_lines import FIELDS, STATUSES, JournalError, JournalLine, read_journal, records, to_line
from endpoints.outcome import Outcome
from endpoints.request import Request

__all__ = ["FIELDS", "Journal", "JournalError", "JournalLine", "read_journal", "sync_folder"]

SYNC_EVERY_S: Final = 0.5


class Journal:
    """An open journal, to which only this process appends; the answers that it already held can be looked up.

    Opening makes the file if it does not exist (its folder must), locks it, and repairs a last line that has no line
    end: a complete record is kept, an incomplete one is cut off. All lines before it are kept.

    Args:
        path: path of the journal.
        sync_every_s: number of seconds between two calls of ``fsync``.
        fsync: writes a file to the disk, given its descriptor.

    Attributes:
        path: path of the journal.
        cut_bytes: number of bytes of the incomplete line that was cut off on opening; 0 if there was none.
        repair: what was done to the last line on opening, a phrase; empty if nothing was.
        loaded: task, sample id and repeat of each line that was there on opening, by its key.

    Raises:
        JournalError: the file cannot be opened, another process has locked it, a line before the last one is no
            record, or the file is no journal (it is then left unchanged).
    """

    def __init__(
        self, path: Path, *, sync_every_s: float = SYNC_EVERY_S, fsync: Callable[[int], None] = os.fsync
    ) -> None:
        self.path = path
        self.cut_bytes = 0
        self.repair = ""
        self.loaded: dict[str, tuple[str, str, int]] = {}
        self._answered: dict[str, Outcome] = {}
        self._sync_every_s = sync_every_s
        self._fsync = fsync
        self._lock = threading.Lock()
        self._error: OSError | None = None
        self._dirty = threading.Event()
        self._closing = threading.Event()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise JournalError(f"{path}: cannot be opened: {error.strerror or error}") from error
        try:
            self._take_lock()
            self._load()
        except BaseException:
            os.close(self._fd)
            raise
        self._open = True
        _close_in_forked_children(self)
        self._thread = threading.Thread(target=self._sync_forever, name=f"fsync {path.name}", daemon=True)
        self._thread.start()

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(f"{self.path}: another run is writing to it; wait for it to end or stop it") from None
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be locked: {error.strerror or error}") from error

    def _load(self) -> None:
        size, ended = 0, True
        try:
            with os.fdopen(os.dup(self._fd), "rb") as file:
                for record, end, whole in records(file, self.path):
                    self._remember(record.key, record.outcome)
                    self.loaded[record.key] = (record.task, record.sample_id, record.repeat)
                    size, ended = end, whole
            self.cut_bytes = os.fstat(self._fd).st_size - size
            if self.cut_bytes:
                os.ftruncate(self._fd, size)
                self.repair = f"an unfinished last line of {self.cut_bytes} bytes was cut off; it is asked for again"
            if not ended:
                os.write(self._fd, b"\n")
                self.repair = "the last line had no line end; it is whole, and kept"
            self._fsync(self._fd)
            sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be read or repaired: {error.strerror or error}") from error

    def _remember(self, key: str, outcome: Outcome) -> None:
        # What is no answer is asked for again, and so is what only an older version took for one.
        if outcome.is_answer:
            self._answered[key] = outcome

    def __len__(self) -> int:
        """Number of requests that the journal has an answer to."""
        return len(self._answered)

    def __contains__(self, key: object) -> bool:
        return key in self._answered

    def get(self, key: str) -> Outcome | None:
        """The answer to the request with this key; None if there is none, or only failures and blocked replies."""
        return self._answered.get(key)

    def answers(self) -> list[JournalLine]:
        """The answers that the journal held when it was opened, as its lines."""
        return [
            JournalLine(key, *place, self._answered[key]) for key, place in self.loaded.items() if key in self._answered
        ]

    def append(self, request: Request, outcome: Outcome, *, key: str | None = None) -> None:
        """Write one outcome. When this returns, the operating system has it.

        Args:
            request: the request.
            outcome: its outcome; not ``not_asked``.
            key: ``request.key()``, if the caller has computed it; None to compute it here.

        Raises:
            JournalError: the line could not be written, or an earlier line could not be written to the disk (it may be
                full). Lines that were on the disk before stay readable.
            ValueError: the outcome is ``not_asked``, or the journal holds an answer to the request already.
        """
        if outcome.status not in STATUSES:
            raise ValueError(f"a {outcome.status} outcome is not journalled")
        key = request.key() if key is None else key
        if key in self._answered:
            raise ValueError(f"{request.task} {request.sample_id}: answered already")
        line = to_line(request, key, outcome)
        with self._lock:
            self._check()
            self._write(line)
        self._remember(key, outcome)
        self._dirty.set()

    def _write(self, line: bytes) -> None:
        start = os.fstat(self._fd).st_size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            self._error = error
            # Best effort: the next opening repairs a torn tail as well.
            try:
                os.ftruncate(self._fd, start)
            except OSError as second:
                error.add_note(f"nor could the half-written line be cut: {second}")
            self._check()

    def _check(self) -> None:
        if not self._open:
            raise JournalError(f"{self.path}: is closed")
        if self._error is not None:
            raise JournalError(
                f"{self.path}: cannot be written: {self._error.strerror or self._error}"
            ) from self._error

    def _sync_forever(self) -> None:
        while not self._closing.wait(self._sync_every_s):
            if self._dirty.is_set():
                self._dirty.clear()
                try:
                    self._fsync(self._fd)
                except OSError as error:
                    self._error = error
                    return

    def sync(self) -> None:
        """Have every line written to the disk before this returns.

        Raises:
            JournalError: a line could not be written to the disk, or an earlier write has failed.
        """
        self._check()
        self._dirty.clear()
        try:
            self._fsync(self._fd)
        except OSError as error:
            self._error = error
            self._check()

    def close(self) -> None:
        """Have every line written to the disk, and unlock the file. A second call does nothing.

        Raises:
            JournalError: a line could not be written to the disk. The file is closed nevertheless.
        """
        if not self._open:
            return
        self._closing.set()
        self._thread.join()
        try:
            self.sync()
        finally:
            self._open = False
            os.close(self._fd)

    def _abandon(self) -> None:
        if self._open:
            self._open = False
            os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files written to the disk.

    Raises:
        OSError: they cannot be.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# A forked child shares the lock with us. Were it to outlive a killed run, the run could not be resumed, so a child
# closes its copy at once; closing does not unlock while we still hold ours.
_open_journals: weakref.WeakSet[Journal] = weakref.WeakSet()
_hooked = threading.Event()


def _close_in_forked_children(journal: Journal) -> None:
    _open_journals.add(journal)
    if not _hooked.is_set():
        _hooked.set()
        os.register_at_fork(after_in_child=_forget_after_fork)


def _forget_after_fork() -> None:
    for journal in tuple(_open_journals):
        journal._abandon()
