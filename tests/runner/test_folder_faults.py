"""What a run folder is after a full disk, a wrong clock, a kill in the midst of writing, and a session beside it."""

import datetime
import errno
import json
import os

import pytest
from asking import file_size_limit
from fault_server import FaultServer
from replies import know_all

import runner.tracker
from endpoints.journal import Journal, JournalError
from runner.exits import Exit, UsageError
from runner.folder import lock_folder
from runner.run import read_record
from runs.files import write_text
from runs.folder import count_samples, open_run


def errors(result):
    """The lines that say what is wrong."""
    return [line for line in result.err.splitlines() if line.startswith("error: ")]


def no_space(path):
    """What a full disk raises, without a name as it does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


class Past(datetime.datetime):
    """A clock that is three days behind."""

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.now(tz) - datetime.timedelta(days=3)


def test_the_details_of_a_resume_are_the_newest_whatever_the_clock_says(command, monkeypatch):
    """Readers take the newest by its name; the clock may have been set back, or be of another time zone."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        monkeypatch.setattr(runner.tracker, "datetime", Past)
        more = command("--resume", str(first.run_dir), "--max-samples", "5")
        again = command("--resume", str(first.run_dir), "--max-samples", "7")
    assert [more.code, again.code] == [Exit.COMPLETE] * 2
    (details,) = open_run(first.run_dir).details.values()
    assert count_samples(details) == 7
    newest = max(first.files("results_*.json"))
    assert json.loads(newest.read_text("utf-8"))["results"]["ifhard:all|0"]["n_total"] == 7


def test_a_results_file_of_another_name_is_passed_over(command):
    """Somebody has kept a copy there."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "2", server=server)
        (results,) = first.files("results_*.json")
        results.with_name("results_old.json").write_bytes(results.read_bytes())
        more = command("--resume", str(first.run_dir), "--max-samples", "3")
    assert more.code == Exit.COMPLETE
    (details,) = open_run(first.run_dir).details.values()
    assert count_samples(details) == 3


def test_a_date_without_a_fraction_has_one_in_the_name(command, monkeypatch):
    """One file in a million would have a name that no reader knows."""

    class Even(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.now(tz).replace(microsecond=0)

    monkeypatch.setattr(runner.tracker, "datetime", Even)
    with FaultServer(know_all) as server:
        result = command("--max-samples", "2", server=server)
    assert len(open_run(result.run_dir).details) == 1


def test_what_a_killed_session_had_begun_to_write_is_removed(command):
    """The next results are written beside nothing unfinished."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "2", server=server)
        for part in ("details/tiny/2026-01-01T00-00-00.000001/details_x.tmp", "results/tiny/results_x.json.tmp"):
            path = first.run_dir / part
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a part", encoding="utf-8")
        command("--resume", str(first.run_dir))
    assert first.files("*.tmp") == []
    assert not (first.run_dir / "details/tiny/2026-01-01T00-00-00.000001").exists()


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path):
    """Nothing unfinished is left, and the error names the file."""
    path = tmp_path / "table.txt"
    write_text(path, "before")
    with file_size_limit(100), pytest.raises(OSError, match=r"table\.txt") as caught:
        write_text(path, "after " * 100)
    assert caught.value.errno == errno.EFBIG
    assert path.read_text("utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_at_the_end_is_one_line_and_loses_nothing(command, monkeypatch):
    """The table of the session before stays, run.json says that this one was stopped, and a resume asks nothing."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        table = (first.run_dir / "table.txt").read_text("utf-8")
        with monkeypatch.context() as patch:
            patch.setattr("runner.report.write_text", lambda path, _: no_space(path))
            full = command("--resume", str(first.run_dir), "--max-samples", "5")
        asked = len(server.bodies)
        again = command("--resume", str(first.run_dir))
    assert full.code == Exit.INCOMPLETE
    assert errors(full) == [f"error: {first.run_dir / 'table.txt'}: No space left on device"]
    assert f"--resume {first.run_dir}" in full.err
    assert again.code == Exit.COMPLETE
    assert len(server.bodies) == asked
    assert table != (first.run_dir / "table.txt").read_text("utf-8")


def test_a_disk_that_is_full_before_the_first_answer_is_no_bad_usage(command, monkeypatch):
    """Status 3: there was no place to write to."""

    def failing(journal, _):
        raise JournalError(f"{journal.path}: cannot be written: full") from OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Journal, "_write", failing)
    with FaultServer(know_all) as server:
        result = command("--max-samples", "3", server=server)
    assert result.code == Exit.UNAVAILABLE
    assert len(errors(result)) == 1


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_asked(command, tmp_path):
    """The lock is the first file that a resume opens."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        (first.run_dir / ".lock").unlink()
        (first.run_dir / ".lock").mkdir()
        before = (first.run_dir / "run.json").read_bytes()
        again = command("--resume", str(first.run_dir), "--full")
        assert len(server.bodies) == 3
    assert again.code == Exit.USAGE
    assert errors(again) == [f"error: {first.run_dir} cannot be written to: Is a directory"]
    assert (first.run_dir / "run.json").read_bytes() == before
    with pytest.raises(UsageError, match="cannot be written to"):
        lock_folder(tmp_path / "nowhere")


def test_a_resume_goes_by_what_the_session_before_it_left(command, monkeypatch):
    """A session that ends between the reading of run.json and the lock has the last word."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)

        def lock_late(run_dir):
            content = read_record(run_dir)
            content["model"]["max_model_len"] = 4096
            (run_dir / "run.json").write_text(json.dumps(content), encoding="utf-8")
            return lock_folder(run_dir)

        monkeypatch.setattr("runner.run.lock_folder", lock_late)
        again = command("--resume", str(first.run_dir), "--full")
    assert again.code == Exit.USAGE
    assert "the server's window was 4096 tokens" in again.err
