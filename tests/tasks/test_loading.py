"""What all loaders do alike: where rows are found, and how a bad one is reported."""

import json
import re
import socket

import httpx
import huggingface_hub
import pyarrow
import pytest
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from pyarrow import parquet

from tasks import loading
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.folders import config_name
from tasks.registry import BENCHMARK_NAMES, benchmark
from tasks.rows import read_rows

FOLDERS = {name: loading.Path(loading.__file__).parent / name / "data" for name in BENCHMARK_NAMES}
ROWS = {
    name: [json.loads(line) for line in (folder / "test.jsonl").read_text(encoding="utf-8").split("\n")[:40] if line]
    for name, folder in FOLDERS.items()
}
SHOTS = {"ifhard": "shots", "sobhard": "shots", "hardmultiqa": "fewshot", "ifbench": None}


def put(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def load(tmp_path, name, source):
    return benchmark(name).load_dataset(DatasetRequest(str(source), tmp_path / "cache"))


def plain(name):
    """Rows of one benchmark that stand alone: no earlier turns needed."""
    return [row for row in ROWS[name] if not (row.get("meta") or {}).get("dialogue_id")]


def spoiled(row, place, value):
    """A copy with one field set, or (``...``) taken out."""
    row = json.loads(json.dumps(row))
    *outer, last = place.split(".")
    target = row
    for step in outer:
        target = target[step]
    target[last] = value
    if value is ...:
        del target[last]
    return row


BAD = [
    ("ifhard", "instruction", 3),
    ("ifhard", "inputs", []),
    ("ifhard", "inputs.question", ...),
    ("ifhard", "meta.base_id", ...),
    ("ifhard", "meta.constraints", "["),
    ("ifhard", "meta", None),
    ("sobhard", "instruction", ...),
    ("sobhard", "inputs.question", 3),
    ("sobhard", "meta", "x"),
    ("sobhard", "meta.reference", 3),
    ("sobhard", "meta.reference_sha256", "0"),
    ("hardmultiqa", "task", "riddle"),
    ("hardmultiqa", "question", None),
    ("hardmultiqa", "answer", []),
    ("ifbench", "key", ...),
    ("ifbench", "prompt", 3),
    ("ifbench", "instruction_id_list", "x"),
    ("ifbench", "kwargs", "{"),
]


@pytest.mark.parametrize(("name", "place", "value"), BAD, ids=[f"{name}-{place}" for name, place, _ in BAD])
def test_bad_rows_are_reported_in_one_form(tmp_path, name, place, value):
    """``NAME SPLIT, row N, field: problem``, with the numbers of the other bad rows."""
    rows = plain(name)
    rows[2], rows[5] = spoiled(rows[2], place, value), spoiled(rows[5], place, value)
    path = put(tmp_path / "set" / "test.jsonl", rows)
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, name, path)
    message = re.escape(f"{path} test, row 3, {place}: ") + r".+ \(2 of \d+ rows are bad: 3, 6\)"
    assert re.fullmatch(message, str(caught.value)), caught.value
    assert not (tmp_path / "cache").exists()


def test_a_fault_without_a_word_for_it_is_still_the_rows(tmp_path, monkeypatch):
    """No traceback, and not a run over the other rows."""

    def odd(self, row, split):
        raise AttributeError("odd")

    monkeypatch.setattr("tasks.ifhard.dataset.IFHardLoader.read_row", odd)
    with pytest.raises(DatasetError, match=r"test, row 1: cannot be read \(AttributeError: odd\) \(3 of 3"):
        load(tmp_path, "ifhard", put(tmp_path / "rows.jsonl", ROWS["ifhard"][:3]))


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_every_benchmark_reads_every_layout(tmp_path, name):
    """A folder, its ``data``, the Hub's parts, a file by name, a folder's only file: one set, one copy."""
    rows = plain(name)
    sources = [
        put(tmp_path / "a" / "test.jsonl", rows).parent,
        put(tmp_path / "b" / "data" / "test.jsonl", rows).parent.parent,
        put(tmp_path / "c" / "any.jsonl", rows),
        put(tmp_path / "d" / "any.jsonl", rows).parent,
        put(tmp_path / "e" / "any.json", rows),
    ]
    for number, part in enumerate((rows[:7], rows[7:])):
        put(tmp_path / "f" / "data" / f"test-{number:05d}-of-00002.jsonl", part)
    handles = [load(tmp_path, name, source) for source in [*sources, tmp_path / "f"]]
    assert {handle.sha256 for handle in handles} == {handles[0].sha256}
    assert len({(handle.folder, config_name(handle.folder)) for handle in handles}) == 1
    assert next(iter(handles[0].questions.values())) == len(rows)


@pytest.mark.parametrize("name", ["ifhard", "sobhard", "ifbench"])
def test_nested_rows_may_come_as_parquet(tmp_path, name):
    """The Hub gives them so; the copy is the same as of JSON Lines."""
    rows = plain(name)
    first = load(tmp_path, name, put(tmp_path / "x" / "test.jsonl", rows))
    assert load(tmp_path, name, put(tmp_path / "y" / "test.parquet", rows)).sha256 == first.sha256


@pytest.mark.parametrize("name", [name for name, split in SHOTS.items() if split])
def test_examples_are_never_taken_for_questions(tmp_path, name):
    """A folder with nothing but few-shot rows has no test split; beside a file they are its examples."""
    split = SHOTS[name]
    shots = (FOLDERS[name] / f"{split}.jsonl").read_text(encoding="utf-8")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / f"{split}.jsonl").write_text(shots, encoding="utf-8")
    with pytest.raises(DatasetError, match="no test"):
        load(tmp_path, name, tmp_path / "set")
    handle = load(tmp_path, name, put(tmp_path / "set" / "any.jsonl", ROWS[name]))
    assert handle.shots_sha256 == load(tmp_path, name, FOLDERS[name]).shots_sha256


LETTERS = json.dumps({"question": "Где Волга?", "task": "open"}, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", b"{}\n\n" + LETTERS[:17], "line 3: not UTF-8"),
        ("a.jsonl", b"{}\r\n" + LETTERS[:18], "line 2: not JSON"),
        ("a.jsonl", b"\xef\xbb\xbf{}\n\xff\n{}", "line 2: not UTF-8"),
        ("a.json", b"{}\n{", "line 2: not JSON"),
        ("a.csv", "question,task\nГде?,open\nа".encode()[:-1], "line 3: not UTF-8"),
        ("a.csv", b'question,task\n"a,open\n', "line 2: not CSV"),
    ],
)
def test_a_file_that_was_cut_off_is_named_with_the_line(tmp_path, name, content, says):
    """In the middle of a letter, of an object, of a quoted value."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=re.escape(f"{path}, {says}")):
        read_rows(path)


def test_lines_end_as_any_system_ends_them(tmp_path):
    """The line breaks that JSON allows inside no text; other separators of Unicode stay in theirs."""
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"a": "\u2028\x85"}\r\n{"a": 2}\r{"a": 3}\n'.encode())
    assert read_rows(path) == [{"a": "\u2028\x85"}, {"a": 2}, {"a": 3}]


def refused(status):
    request = httpx.Request("GET", "https://hub.invalid/")
    return HfHubHTTPError("refused", response=httpx.Response(status, request=request))


PRIVATE, NETWORK = "may be private: request access and set HF_TOKEN", "was not reached: check the network"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (refused(401), PRIVATE),
        (refused(404), PRIVATE),
        (httpx.ConnectError("[Errno -3] Temporary failure in name resolution"), NETWORK),
        (socket.gaierror(-2, "Name or service not known"), NETWORK),
        (httpx.ReadTimeout("timed out"), NETWORK),
        (OfflineModeIsEnabled("offline"), NETWORK),
        (refused(503), None),
        (ValueError("the schema differs"), None),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("name", ["ifhard", "sobhard"])
def test_the_hub_error_says_the_remedy_of_its_own_cause(tmp_path, monkeypatch, name, wrapped, error, says):
    """A machine without a network is not told to ask for access, also where a library wraps the error."""

    def fail(*_, **__):
        if not wrapped:
            raise error
        try:
            raise error
        except Exception as cause:
            raise RuntimeError("cannot load") from cause

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", fail)
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, name, "official")
    assert {text for text in (PRIVATE, NETWORK) if text in str(caught.value)} == ({says} if says else set())
    assert "--dataset builtin" in str(caught.value)
