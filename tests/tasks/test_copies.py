"""A copy of the user's rows: what LightEval sees of them is what was checked, whatever the values look like."""

import json

import datasets
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lighteval.tasks.lighteval_task import LightevalTask
from pyarrow import parquet

from tasks import loading
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.folders import config_name, unpacked
from tasks.registry import BENCHMARK_NAMES, benchmark

FOLDERS = {name: loading.Path(loading.__file__).parent / name / "data" for name in BENCHMARK_NAMES}
ROWS = {
    name: [
        row
        for row in (
            json.loads(line) for line in (folder / "test.jsonl").read_text(encoding="utf-8").split("\n")[:40] if line
        )
        if row.get("task", "open") == "open" and not (row.get("meta") or {}).get("dialogue_id")
    ]
    for name, folder in FOLDERS.items()
}
DATES = ["2026-11-30", "2026-11-30T12:00:00", "2026-11-30 12:00:00Z", "12:30:01"]


def load(folder, name, rows):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return benchmark(name).load_dataset(DatasetRequest(str(path), folder / "cache"))


def seen(handle, name, folder):
    """Rows as LightEval hands them on, and its documents."""
    config = benchmark(name).make_tasks(handle)[0]
    config.num_fewshots, config.full_name = 0, f"{config.name}|0"
    task = LightevalTask(config)
    task.dataset = datasets.load_dataset(
        str(handle.folder), config_name(handle.folder), cache_dir=str(folder / "arrow")
    )
    return [unpacked(line) for line in task.dataset["test"]], task.get_docs()


def kept(handle):
    return [json.loads(line) for line in (handle.folder / "test.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]


PLACES = {
    "ifhard": ("inputs", "question"),
    "sobhard": ("inputs", "question"),
    "hardmultiqa": ("question",),
    "ifbench": ("prompt",),
}


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_texts_that_look_like_dates_stay_texts(tmp_path, monkeypatch, name, date):
    """Where every question is a date, and every id a number."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hub")
    row = json.loads(json.dumps(ROWS[name][0]))
    *outer, last = PLACES[name]
    target = row
    for step in outer:
        target = target[step]
    target[last] = date
    if name == "ifbench":
        row["key"] = "2026-11-30"
    handle = load(tmp_path, name, [row])
    rows, docs = seen(handle, name, tmp_path)
    assert rows == kept(handle)
    assert date in docs[0].query
    if name == "ifbench":
        assert docs[0].specific["id"] == "2026-11-30"


ODD = [
    [1, "1"], [None, {}], [[], [[]]], [{}, {"a": None}], [2**63, -(2**200)], ["1", "2"], [True, 0], [0.1, 1e308],
    [[1, "x"], {"a": [None]}], ["\u2028\x00\ufeff", "\x85"], ["2026-11-30"] * 2,
]  # fmt: skip


@pytest.mark.parametrize("values", ODD, ids=ascii)
def test_fields_that_nobody_reads_may_hold_anything(tmp_path, monkeypatch, values):
    """Mixed types, nulls, empty lists in lists, integers of any size: they neither change nor stop a run."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hub")
    rows = [json.loads(json.dumps(row)) | {"note": value} for row, value in zip(ROWS["ifhard"], values, strict=False)]
    for row, value in zip(rows, values, strict=True):
        row["meta"]["categories"]["more"] = value
    handle = load(tmp_path, "ifhard", rows)
    found, docs = seen(handle, "ifhard", tmp_path)
    assert found == kept(handle)
    assert [row["note"] for row in found] == values
    more = {doc.specific["id"]: json.loads(doc.specific["labels"])["more"] for doc in docs}
    assert [more[row["meta"]["base_id"]] for row in rows] == values


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(DATES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(json_values, min_size=2, max_size=2))
def test_what_lighteval_sees_is_what_was_checked(tmp_path_factory, values):
    """Any JSON in, the same JSON out."""
    folder = tmp_path_factory.mktemp("copy")
    handle = load(folder, "ifhard", [row | {"note": value} for row, value in zip(ROWS["ifhard"], values, strict=False)])
    rows, _ = seen(handle, "ifhard", folder)
    assert rows == kept(handle)
    assert [row["note"] for row in rows] == values


def test_half_a_surrogate_pair_is_refused_with_its_place(tmp_path):
    """It can be neither sent nor stored."""
    with pytest.raises(DatasetError, match=r"row 1, note\.a\[0\]: holds half a surrogate pair"):
        load(tmp_path, "ifhard", [ROWS["ifhard"][0] | {"note": {"a": ["\ud800"]}}])


def test_dates_of_a_parquet_file_are_kept_as_texts(tmp_path):
    """In a field that nothing reads they are no reason to refuse the rows."""
    from datetime import date

    rows = [json.loads(json.dumps(row)) | {"made": date(2026, 11, 30)} for row in ROWS["ifhard"][:2]]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "test.parquet")
    handle = benchmark("ifhard").load_dataset(DatasetRequest(str(tmp_path), tmp_path / "cache"))
    assert [row["made"] for row in kept(handle)] == ["2026-11-30"] * 2


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_shipped_rows_need_no_copy(tmp_path, name):
    """What is guessed of their types is right."""
    folder = FOLDERS[name]
    loaded = datasets.load_dataset(str(folder), config_name(folder), cache_dir=str(tmp_path))
    for split in loaded:
        lines = (folder / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
        assert [dict(row) for row in loaded[split]] == [json.loads(line) for line in lines]
