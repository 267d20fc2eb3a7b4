"""The details file: whatever the rows hold, it is written, and nothing that is finished is lost."""

import dataclasses
import json
from typing import Any

import pytest
from fault_server import FaultServer, answer
from hypothesis import given
from hypothesis import strategies as st
from mini import right
from pyarrow import parquet

import metrics.ifhard.records
from runner import details
from runner.details import write_details


@dataclasses.dataclass
class Detail:
    """A row as LightEval has it."""

    metric: Any
    doc: Any


def written(path, values):
    write_details(path / "d.parquet", [Detail(value, {"id": str(number)}) for number, value in enumerate(values)])
    assert not (path / "d.tmp").exists()
    rows = parquet.read_table(path / "d.parquet").to_pylist()
    assert [row["doc"]["id"] for row in rows] == [str(number) for number in range(len(values))]
    return [row["metric"] for row in rows]


def test_rows_with_one_type_each_are_kept_as_they_are(tmp_path):
    """Nulls and empty lists in early pieces included."""
    values = [{"a": None, "b": []}, {"a": 1, "b": [{"c": None}]}, {"a": 2, "b": [{"c": "x"}]}]
    assert written(tmp_path, values) == values


@pytest.mark.parametrize(
    ("values", "stored"),
    [
        ([1, "x"], ["1", '"x"']),
        ([{"a": 1, "b": 2}, {"a": "x", "b": 3}], [{"a": "1", "b": 2}, {"a": '"x"', "b": 3}]),
        ([[1], {"a": 1}, None], ["[1]", '{"a": 1}', None]),
        ([[1, None], ["x"]], [["1", None], ['"x"']]),
        ([True, 1], ["true", "1"]),
        ([2**63, 1], [str(2**63), "1"]),
        ([{}, {}], ["{}", "{}"]),
        ([{1: 2}, {}], ['{"1": 2}', "{}"]),
        ([{"a": "x\ud800"}, {"a": "y"}], [{"a": "x\\ud800"}, {"a": "y"}]),
        ([{"a\ud800": 1}], [{"a\\ud800": 1}]),
        ([{"t": (1j,)}], [{"t": ['"1j"']}]),
    ],
)
@pytest.mark.parametrize("apart", [False, True], ids=["in one piece", "in pieces of one row"])
def test_a_field_without_one_type_becomes_json_text(tmp_path, monkeypatch, values, stored, apart):
    """That field alone; the other fields of the row keep their types."""
    if apart:
        monkeypatch.setattr(details, "_ROWS", 1)
    assert written(tmp_path, values) == stored


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(json_values, min_size=1, max_size=5))
def test_any_json_is_written(tmp_path_factory, values):
    """Never an error, and one row a sample."""
    written(tmp_path_factory.mktemp("details"), values)


def test_a_reason_that_no_file_can_hold_does_not_end_the_run(command, monkeypatch):
    """Values of unlike types and half surrogate pairs in a record: the run is complete, its details are readable."""
    real = metrics.ifhard.records.verdict_record

    def odd(check_id, group, grader, place, verdict):
        record = real(check_id, group, grader, place, verdict)
        return record | {"reason": "\ud800", "observed": place if place else "null"}

    monkeypatch.setattr("metrics.ifhard.records.verdict_record", odd)
    with FaultServer(answer(right(4))) as server:
        result = command("--max-samples", "2", server=server)
    assert result.code == 0
    rows = parquet.read_table(result.files("details_*.parquet")[0]).to_pylist()
    assert {v["reason"] for row in rows for v in row["metric"]["record"]["verdicts"]} == {"\\ud800"}
    assert json.loads(rows[0]["metric"]["record"]["verdicts"][1]["observed"]) == 1
