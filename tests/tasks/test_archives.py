"""A dataset that is carried in one zip file."""

import zipfile

import pytest

from tasks.archives import opened
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.ifhard.dataset import BUILTIN, load_dataset

FILES = ("test.jsonl", "shots.jsonl")


def packed(path, top="", names=FILES):
    """The shipped set of IFHard as one file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(BUILTIN / name, f"{top}{name}")
    return path


def load(tmp_path, source):
    """By its path, copies under tmp_path."""
    return load_dataset(DatasetRequest(str(source), tmp_path / "cache"))


@pytest.mark.parametrize("top", ["", "ifhard/", "ifhard/data/"])
def test_a_zip_file_is_the_folder_in_it(tmp_path, top):
    """At its top, or as its only entry, as a folder that was zipped."""
    handle = load(tmp_path, packed(tmp_path / "set.zip", top))
    assert handle.prompts_sha256 == load(tmp_path, BUILTIN).prompts_sha256
    assert handle.shots == 5
    assert handle.name.endswith("set.zip")


def test_a_zip_file_without_questions_is_named(tmp_path):
    """The archive, not the folder it was unpacked to."""
    source = packed(tmp_path / "set.zip", names=FILES[1:])
    with pytest.raises(DatasetError, match=rf"--dataset {source}: no test"):
        load(tmp_path, source)


def test_a_bad_row_is_named_by_the_archive(tmp_path):
    """And the line."""
    source = tmp_path / "set.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("test.jsonl", "{}\n[")
    with pytest.raises(DatasetError, match=rf"{source}/test.jsonl, line 2: not JSON"):
        load(tmp_path, source)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive"])
def test_what_is_no_zip_file_is_said_to_be_none(tmp_path, content):
    """Cut off, empty, or another kind."""
    source = tmp_path / "set.zip"
    source.write_bytes(content)
    with pytest.raises(DatasetError, match="no zip file that can be read"):
        load(tmp_path, source)


def test_an_absent_zip_file_is_absent(tmp_path):
    """As any other path."""
    with pytest.raises(DatasetError, match="no such file or folder"):
        load(tmp_path, tmp_path / "set.zip")


def test_an_archive_writes_nothing_outside_its_folder(tmp_path):
    """Names with dots lead nowhere."""
    source = packed(tmp_path / "set.zip")
    with zipfile.ZipFile(source, "a") as archive:
        archive.writestr("../escaped.jsonl", "{}")
    with opened(source) as folder:
        assert not (folder.parent / "escaped.jsonl").exists()
