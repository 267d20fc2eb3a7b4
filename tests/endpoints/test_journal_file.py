"""The journal as a file: lines, repair, lock, and what a failing disk does."""

import errno
import json
import os
import subprocess
import sys
import threading
import time

import pytest
from asking import chat, file_size_limit
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoints.journal import FIELDS, Journal, JournalError, read_journal
from endpoints.journal_lines import read_whole_lines, to_line
from endpoints.outcome import Outcome


def answered(text="да", **fields):
    """An answered outcome of one attempt."""
    return Outcome(status="answered", text=text, attempts=1, **fields)


FAILED = Outcome.failure("server-error", "HTTP 500: down", 7)


@pytest.fixture
def path(tmp_path):
    """Where the journal goes."""
    return tmp_path / "responses.jsonl"


@pytest.fixture
def filled(path):
    """A journal of three answers."""
    with Journal(path) as journal:
        for name in ("а", "б", "в"):
            journal.append(chat(name), answered(name * 3))
    return path


def test_line_holds_every_field(path):
    """The fields, their order and their values are those of the interface; text is readable as it is."""
    outcome = answered("да\u2028нет", reasoning="след", finish_reason="length", prompt_tokens=11, completion_tokens=7)
    with Journal(path) as journal:
        journal.append(chat("вопрос", repeat=2), outcome)
    data = path.read_bytes()
    assert "да\u2028нет".encode() in data
    (line,) = data.split(b"\n")[:-1]
    fields = json.loads(line)
    assert tuple(fields) == FIELDS
    assert fields == {
        "key": chat("вопрос", repeat=2).key(),
        "task": "ifhard:all",
        "id": "вопрос",
        "repeat": 2,
        "status": "answered",
        "response": "да\u2028нет",
        "reasoning": "след",
        "finish_reason": "length",
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "attempts": 1,
        "error": None,
        "error_code": None,
    }


def test_others_may_read_the_file(path):
    """As any file is made, less what the user's mask takes; nobody runs it."""
    mask = os.umask(0)
    try:
        Journal(path).close()
    finally:
        os.umask(mask)
    assert oct(path.stat().st_mode & 0o777) == "0o644"


def test_answers_come_back_as_they_were(path):
    """A reopened journal gives the outcome again, marked as read from it; failures are on record, not answers."""
    outcome = answered(
        "да", reasoning="след", finish_reason="stop", prompt_tokens=1, completion_tokens=2, reasoning_tokens=1
    )
    with Journal(path) as journal:
        journal.append(chat("а"), outcome)
        journal.append(chat("б"), FAILED)
    with Journal(path) as journal:
        assert len(journal) == 1
        assert chat("а").key() in journal
        assert chat("б").key() not in journal
        found = journal.get(chat("а").key())
        assert (found.text, found.reasoning, found.finish_reason) == ("да", "след", "stop")
        assert (found.prompt_tokens, found.completion_tokens, found.attempts) == (1, 2, 1)
        assert found.reasoning_tokens == 1
        assert found.from_journal
        assert not outcome.from_journal
        assert journal.get(chat("б").key()) is None
        assert journal.cut_bytes == 0


def test_fragment_that_an_older_version_took_for_an_answer_is_asked_for_again(path):
    """Its finish reason is no known end; the answer that comes now takes its place."""
    with Journal(path) as journal:
        journal.append(chat("а"), answered("полови", finish_reason="network_error"))
        assert journal.get(chat("а").key()) is None
        journal.append(chat("а"), answered("да", finish_reason="stop"))
    with Journal(path) as journal:
        assert journal.get(chat("а").key()).text == "да"


def test_answer_takes_the_place_of_a_failure_and_keeps_it(path):
    """Whatever the order of the lines, an answer counts."""
    with Journal(path) as journal:
        journal.append(chat("а"), FAILED)
        journal.append(chat("а"), answered("да"))
        assert journal.get(chat("а").key()).text == "да"
    with path.open("ab") as file:
        file.write(to_line(chat("а"), chat("а").key(), FAILED))
    with Journal(path) as journal:
        assert journal.get(chat("а").key()).text == "да"


def test_of_two_answers_the_last_counts(path):
    """Duplicate keys in a file, however they came there, give the last answer, once."""
    key = chat("а").key()
    path.write_bytes(b"".join(to_line(chat("а"), key, answered(text)) for text in ("первый", "второй")))
    with Journal(path) as journal:
        assert journal.get(key).text == "второй"
        assert len(journal) == 1


def test_second_answer_to_a_key_is_refused(filled):
    """The journal itself never holds an answer twice."""
    with Journal(filled) as journal, pytest.raises(ValueError, match="answered already"):
        journal.append(chat("а"), answered("опять"))
    assert len(read_journal(filled)) == 3


def test_not_asked_is_not_journalled(path):
    """What was never sent leaves no line."""
    with Journal(path) as journal, pytest.raises(ValueError, match="not_asked"):
        journal.append(chat("а"), Outcome.unasked("the run ended"))
    assert path.read_bytes() == b""


@settings(deadline=None)
@given(text=st.text(), reasoning=st.none() | st.text(), name=st.text())
def test_any_text_is_one_line_and_comes_back(tmp_path_factory, text, reasoning, name):
    """Line ends, NUL, U+2028, BOM and quotes stay inside the line and return unchanged."""
    path = tmp_path_factory.mktemp("journal") / "responses.jsonl"
    with Journal(path, fsync=lambda _: None) as journal:
        journal.append(chat("а", sample_id=name), answered(text, reasoning=reasoning))
    assert path.read_bytes().count(b"\n") == 1
    (record,) = read_journal(path)
    assert (record.sample_id, record.outcome.text, record.outcome.reasoning) == (name, text, reasoning)


def test_lone_surrogates_do_not_stop_the_journal(path):
    """Text that has no UTF-8 form is stored with the replacement character."""
    with Journal(path) as journal:
        journal.append(chat("а", sample_id="\udc80"), answered("x\ud800y"))
    (record,) = read_journal(path)
    assert (record.sample_id, record.outcome.text) == ("\ufffd", "x\ufffdy")


def test_every_cut_of_the_last_line_is_repaired(filled):
    """Whatever byte a kill stops at: the lines before are kept, the next answer goes on a line of its own."""
    whole = filled.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for end in range(start, len(whole)):
        filled.write_bytes(whole[:end])
        with Journal(filled, fsync=lambda _: None) as journal:
            kept = end == len(whole) - 1  # only the line end is missing: the record is whole
            assert len(journal) == (3 if kept else 2)
            assert journal.cut_bytes == (0 if kept else end - start)
            journal.append(chat("г"), answered("г"))
        assert [record.sample_id for record in read_journal(filled)] == ["а", "б", *(["в"] if kept else []), "г"]


def test_zero_bytes_behind_the_last_line_are_cut(filled):
    """A power cut may leave a file longer than what was written."""
    whole = filled.read_bytes()
    filled.write_bytes(whole + bytes(500))
    with Journal(filled) as journal:
        assert journal.cut_bytes == 500
    assert filled.read_bytes() == whole


def test_reading_alone_changes_nothing(filled):
    """A reader leaves a half-written last line out, and in the file."""
    torn = filled.read_bytes()[:-20]
    filled.write_bytes(torn)
    assert [record.sample_id for record in read_journal(filled)] == ["а", "б"]
    found, torn_off = read_whole_lines(filled)
    assert (found, torn_off) == (read_journal(filled), len(torn.rpartition(b"\n")[2]))
    assert filled.read_bytes() == torn


def broken(change):
    """A line of the journal after ``change`` of its fields."""
    fields = json.loads(to_line(chat("а"), chat("а").key(), answered()))
    change(fields)
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "not JSON"),
        (b"garbage", "not JSON"),
        (b'{"key": "', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (broken(lambda f: f.pop("response")), "no field 'response'"),
        (broken(lambda f: f.update(repeat="0")), "field 'repeat' is of type str"),
        (broken(lambda f: f.update(attempts=True)), "field 'attempts' is of type bool"),
        (broken(lambda f: f.update(response=None)), "field 'response' is of type NoneType"),
        (broken(lambda f: f.update(status="not_asked")), "neither answered nor failed"),
        (broken(lambda f: f.update(error_code="?")), "unknown error code '?'"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_broken_line_before_the_last_is_named(filled, line, says):
    """A line that no interruption explains stops the run with its number, and the file stays as it is."""
    lines = filled.read_bytes().split(b"\n")
    spoiled = b"\n".join([lines[0], line, *lines[2:]])
    filled.write_bytes(spoiled)
    for opening in (Journal, read_journal):
        with pytest.raises(JournalError, match=r"responses\.jsonl: line 2 is broken: ") as caught:
            opening(filled)
        assert says in str(caught.value)
    assert filled.read_bytes() == spoiled


def test_further_fields_are_ignored(path):
    """A newer version may add fields."""
    path.write_bytes(broken(lambda f: f.update(more=[1])) + b"\n")
    with Journal(path) as journal:
        assert len(journal) == 1


@pytest.mark.parametrize("content", [b"some notes of mine", b'{"task": "t", "id": "1", "response": "x"}', b"{"])
def test_foreign_file_is_not_cut(path, content):
    """A file that is no journal is refused, not repaired away; a lone brace may be the start of a line of ours."""
    path.write_bytes(content)
    if content == b"{":
        Journal(path).close()
        assert path.read_bytes() == b""
    else:
        with pytest.raises(JournalError, match="line 1 is broken"):
            Journal(path)
        assert path.read_bytes() == content


@pytest.mark.parametrize("place", ["missing/responses.jsonl", "."], ids=["no-folder", "a-folder"])
def test_unusable_place_is_named(tmp_path, place):
    """A path that cannot be a file is a plain error."""
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(tmp_path / place)


def test_missing_file_cannot_be_read(path):
    """Reading does not create."""
    with pytest.raises(JournalError, match="cannot be read"):
        read_journal(path)
    assert not path.exists()


def test_second_writer_is_refused(filled):
    """One writer at a time: the second is told so and harms nothing; after the first has closed, it may."""
    first = Journal(filled)
    before = filled.read_bytes()
    with pytest.raises(JournalError, match="another run is writing to it"):
        Journal(filled)
    assert filled.read_bytes() == before
    first.append(chat("г"), answered())
    first.close()
    with Journal(filled) as journal:
        assert len(journal) == 4


HOLDER = """
import os, sys
from pathlib import Path
from endpoints.journal import Journal
journal = Journal(Path(sys.argv[1]))
if sys.argv[2] == "fork" and os.fork() == 0:
    print("held", flush=True)
    sys.stdin.read()
    os._exit(0)
if sys.argv[2] == "fork":
    os.wait4(-1, os.WNOHANG)
else:
    print("held", flush=True)
sys.stdin.read(1)
os._exit(9)
"""


def hold(path, how):
    """A process that holds the journal until it reads a byte, then ends without closing anything."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), how],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "held\n"
    return holder


def test_lock_holds_between_processes_and_dies_with_its_holder(path):
    """Another process is refused while the first lives, however that one ends."""
    holder = hold(path, "alone")
    with pytest.raises(JournalError, match="another run is writing to it"):
        Journal(path)
    holder.kill()
    holder.communicate()
    Journal(path).close()


def test_forked_child_does_not_keep_the_lock(path):
    """A worker process that outlives a killed run does not keep the run from being resumed."""
    holder = hold(path, "fork")
    os.kill(holder.pid, 9)
    holder.wait()
    Journal(path).close()  # the child still waits for its input
    holder.communicate()


WRITER = """
import sys
from pathlib import Path
from asking import chat
from endpoints.journal import Journal
from endpoints.outcome import Outcome
journal = Journal(Path(sys.argv[1]))
for number in range(1_000_000):
    journal.append(chat(f"q{number}"), Outcome(status="answered", text="слово " * (number % 300), attempts=1))
    print(number, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 40, 333])
def test_killed_writer_loses_nothing_that_was_acknowledged(path, lines):
    """kill -9 in the midst of appending: every append that returned is in the file, and the file opens."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    for _ in range(lines):
        writer.stdout.readline()
    writer.kill()
    rest, _ = writer.communicate()
    acknowledged = lines + len(rest.split())
    with Journal(path) as journal:
        assert len(journal) in (acknowledged, acknowledged + 1)
    records = read_journal(path)
    assert [record.sample_id for record in records] == [f"q{number}" for number in range(len(records))]
    assert all(record.outcome.text == "слово " * (n % 300) for n, record in enumerate(records))


def test_full_disk_is_an_error_and_leaves_whole_lines(filled):
    """A line that does not fit raises, is cut again, and the journal takes nothing more."""
    whole = filled.read_bytes()
    journal = Journal(filled)
    with file_size_limit(len(whole) + 100):
        with pytest.raises(JournalError, match=r"responses\.jsonl: cannot be written: ") as caught:
            journal.append(chat("г"), answered("длинный ответ " * 50))
        assert isinstance(caught.value.__cause__, OSError)
    assert filled.read_bytes() == whole
    assert chat("г").key() not in journal
    with pytest.raises(JournalError, match="cannot be written"):
        journal.append(chat("д"), answered())
    with pytest.raises(JournalError, match="cannot be written"):
        journal.close()
    with Journal(filled) as again:
        assert len(again) == 3


class Disk:
    """An fsync that counts its calls and fails when told to."""

    def __init__(self):
        self.calls = 0
        self.full = False
        self.called = threading.Event()

    def __call__(self, descriptor):
        self.calls += 1
        self.called.set()
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_disk_error_in_the_background_reaches_the_next_append(path):
    """An error of the background thread is not swallowed."""
    disk = Disk()
    journal = Journal(path, sync_every_s=0.001, fsync=disk)
    disk.full = True

    def go_on():
        for number in range(10_000):  # the first append wakes the thread; one of the next meets its error
            journal.append(chat(f"q{number}"), answered())
            time.sleep(0.001)

    with pytest.raises(JournalError, match="No space left on device"):
        go_on()
    with pytest.raises(JournalError, match="No space left on device"):
        journal.close()


def test_disk_error_reaches_close(path):
    """Nor is an error lost when nothing more is appended."""
    disk = Disk()
    journal = Journal(path, sync_every_s=3600.0, fsync=disk)
    journal.append(chat("а"), answered())
    disk.full = True
    with pytest.raises(JournalError, match="No space left on device"):
        journal.close()
    Journal(path).close()  # closed and unlocked all the same


def test_lines_reach_the_disk_in_batches_without_close(path):
    """Appending alone brings the lines to the disk, many at a time."""
    disk = Disk()
    with Journal(path, sync_every_s=0.001, fsync=disk) as journal:
        at_start = disk.calls
        disk.called.clear()
        journal.append(chat("а"), answered())
        assert disk.called.wait(60)
        assert disk.calls > at_start
    slow = Disk()
    with Journal(path, sync_every_s=3600.0, fsync=slow) as journal:
        at_start = slow.calls
        for number in range(100):
            journal.append(chat(f"q{number}"), answered())
        assert slow.calls == at_start
        journal.sync()
        assert slow.calls == at_start + 1


def test_default_interval_is_within_a_second():
    """The promise of the interface is the default."""
    assert 0 < Journal.__init__.__kwdefaults__["sync_every_s"] <= 1.0


def test_closing_twice_is_harmless_and_appending_after_it_is_not(path):
    """A closed journal takes nothing."""
    journal = Journal(path)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        journal.append(chat("а"), answered())
