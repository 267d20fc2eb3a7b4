"""Datasets that are built at their first use: once, checked by digest, and never otherwise than recorded."""

import hashlib
import threading

import pytest

from tasks.benchmark import DatasetError, DatasetRequest
from tasks.built import built_folder
from tasks.facts import Built

BUILDER = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
folder.mkdir(parents=True)
log = pathlib.Path(__file__).with_name("log")
log.write_text(log.read_text() + "built\\n" if log.exists() else "built\\n")
time.sleep(%(wait)s)
(folder / "test.jsonl").write_text("a")
(folder / "shots.jsonl").write_text("b")
print("what it does", file=sys.stderr)
sys.exit(%(status)s)
"""


def digest(text):
    """As benchmark.yaml has it."""
    return hashlib.sha256(text.encode()).hexdigest()


RIGHT = {"test": digest("a"), "shots": digest("b")}


@pytest.fixture
def builder(tmp_path, monkeypatch):
    """A builder module of that behaviour; how often it ran."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def make(status=0, wait=0):
        (tmp_path / "some_builder.py").write_text(BUILDER % {"status": status, "wait": wait}, encoding="utf-8")
        log = tmp_path / "log"
        return lambda: len(log.read_text().splitlines()) if log.exists() else 0

    return make


def have(tmp_path, sha256=None):
    """The folder, by its digests."""
    request = DatasetRequest("builtin", tmp_path / "cache")
    return built_folder(request, "some", Built("some_builder", sha256 or RIGHT))


def test_it_is_built_once(tmp_path, builder, capfd):
    """And says so; what the builder says is heard."""
    runs = builder()
    folder = have(tmp_path)
    assert (folder / "test.jsonl").read_text() == "a"
    said = capfd.readouterr().err
    assert "some: building its dataset, once" in said
    assert "what it does" in said
    assert have(tmp_path) == folder
    assert runs() == 1
    assert capfd.readouterr().err == ""
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()] == [folder.name]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_folder_is_built_again(tmp_path, builder, damage):
    """Nothing is scored on what somebody edited."""
    runs = builder()
    file = have(tmp_path) / "shots.jsonl"
    if damage == "changed":
        file.write_text("other")
    else:
        file.unlink()
    assert (have(tmp_path) / "shots.jsonl").read_text() == "b"
    assert runs() == 2


def test_another_result_than_the_recorded_one_is_refused(tmp_path, builder):
    """Scores over it would not compare; nothing stays in the cache."""
    builder()
    with pytest.raises(DatasetError, match=r"its shots\.jsonl is not the recorded one"):
        have(tmp_path, RIGHT | {"shots": digest("c")})
    assert not [path for path in (tmp_path / "cache").iterdir() if path.is_dir()]


def test_what_a_killed_build_left_is_taken_away(tmp_path, builder):
    """It would stay in the cache for good, a hundred megabytes each time."""
    builder()
    folder = have(tmp_path)
    left = folder.with_name(f".{folder.name}-x1y2")
    (left / "made").mkdir(parents=True)
    (folder / "test.jsonl").unlink()
    have(tmp_path)
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()] == [folder.name]


def test_a_builder_that_fails_is_said_with_what_would_work(tmp_path, builder):
    """Another machine can build it."""
    builder(status=3)
    with pytest.raises(DatasetError, match=r"python -m some_builder --out DIR\nand bring the folder here: --dataset"):
        have(tmp_path)


def test_two_runs_at_once_build_it_once(tmp_path, builder, capfd):
    """The second one waits, and says for what."""
    runs = builder(wait=2)
    folders = []
    threads = [threading.Thread(target=lambda: folders.append(have(tmp_path))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 2
    assert runs() == 1
    assert "another run is preparing the dataset of some; waiting for it" in capfd.readouterr().err


def test_a_cache_that_cannot_be_written_is_named(tmp_path, builder):
    """A file stands where its folder should be."""
    builder()
    (tmp_path / "cache").write_text("")
    with pytest.raises(DatasetError, match="cannot be kept in"):
        have(tmp_path)
