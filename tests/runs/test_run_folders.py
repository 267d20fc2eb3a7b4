"""Run folders, and files that are not what they should be."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from audit_runs import STAMP, make_run, sample, two_graders

from runs.files import FileError, read_json, read_jsonl, write_json
from runs.folder import open_run, open_runs, samples
from runs.records import in_present_form

PASS = two_graders([True, True], [True, True])


@pytest.mark.parametrize(
    ("text", "words"),
    [('{"a": 1}\n\n{', "line 3 is not JSON"), ("[]", "line 1 is not a JSON object"), ("\udcff", "cannot be read")],
)
def test_lines_that_are_no_rows(tmp_path, text, words):
    """Named with file and number."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError, match=words):
        read_jsonl(path)


@pytest.mark.parametrize(("text", "words"), [("{", "is not JSON"), ("[]", "is not a JSON object")])
def test_files_that_are_no_objects(tmp_path, text, words):
    """Named."""
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=words):
        read_json(tmp_path / "x.json")
    with pytest.raises(FileError, match="cannot be read"):
        read_json(tmp_path / "absent.json")


def test_a_run_given_twice_is_numbered_on_request(tmp_path):
    """Otherwise the names must differ."""
    run = make_run(tmp_path, "run", [sample("a", "x", PASS)])
    with pytest.raises(FileError, match="2 runs are named run"):
        open_runs([run, run])
    assert [one.name for one in open_runs([run, run, run], numbered=True)] == ["run", "run (2)", "run (3)"]
    assert [one.name for one in open_runs([run, run], ["a", "a"], numbered=True)] == ["a", "a (2)"]


def test_a_broken_details_file_is_named(tmp_path):
    """Cut, of another program, or with records of no version: one line with the path."""
    run = make_run(tmp_path, "run", [sample("a", "x", PASS)])
    (path,) = open_run(run).details.values()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=f"{STAMP}.parquet cannot be read"):
        list(samples(path))
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(FileError, match="no details file of LightEval"):
        list(samples(path))
    odd = sample("a", "x", [{"id": "count:numbers", "passed": True}])
    pq.write_table(pa.Table.from_pylist([odd]), path)
    with pytest.raises(FileError, match="question a: a record of no version: KeyError: 'family'"):
        list(samples(path))


def test_records_of_this_version_stay_as_they_are():
    """Nothing is lost, nothing is added."""
    record = {"id": "q", "verdicts": PASS, "judging": {"status": "judged"}, "scores": {"x": 1.0}}
    assert in_present_form(record, "ifbench") == record


def test_what_judging_took_was_a_verdict_once():
    """Up to 0.1; it is the record's own field now, and the verdict's group is the question's type."""
    effort = {"status": "judged", "calls": 2, "rule": None, "judge": "wrong"}
    kept = {"passed": False, "code": "c", "reason": "r", "observed": "-1", "wanted": "null"}
    entry = {**kept, "id": "judge", "family": "judge", "observed": json.dumps(effort)}
    old = {"id": "q", "verdicts": [{**kept, "id": "open", "family": "answer"}, entry]}
    found = in_present_form(old, "hardmultiqa")
    assert found["judging"] == effort
    assert found["verdicts"] == [{**kept, "id": "open", "group": "open", "grader": "hardmultiqa", "place": 0}]


def test_graders_were_families_once():
    """IFBench up to 0.1; places are counted grader by grader, families are those of the instruction."""
    kept = {"passed": True, "code": "ok", "reason": "r", "observed": "null", "wanted": "null"}
    old = [{**kept, "id": name, "family": of} for of in ("new", "old") for name in ("count:a", "format:b", "count:a")]
    found = in_present_form({"id": "q", "verdicts": old}, "ifbench")["verdicts"]
    assert [(v["grader"], v["group"], v["place"]) for v in found] == [
        (grader, group, place) for grader in ("new", "old") for place, group in enumerate(("count", "format", "count"))
    ]


def test_what_is_written_never_takes_the_place_of_a_link_or_a_device(tmp_path):
    """As in ``--json /dev/stdout``: root's rename would leave a file there. The file behind a link is replaced."""
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "folder" / "file.json"
    os.mkfifo(pipe)
    file.parent.mkdir()
    file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_json(pipe, {"a": 1})
    assert json.loads(os.read(reader, 100)) == {"a": 1}
    os.close(reader)
    assert pipe.is_fifo()
    write_json(link, {"a": 2})
    assert link.is_symlink()
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 2}
    with pytest.raises(IsADirectoryError):
        write_json(file.parent, {"a": 3})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file.json", "folder", "link", "pipe"]
