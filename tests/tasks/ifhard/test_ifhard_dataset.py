"""Rows that an IFHardBench dataset cannot have: each ends the run before it starts, by name."""

import json

import pytest

from tasks.benchmark import DatasetError, DatasetRequest
from tasks.ifhard.dataset import BUILTIN, load_dataset

ROW = json.loads((BUILTIN / "test.jsonl").read_text(encoding="utf-8").partition("\n")[0])


def changed(**meta):
    return {**ROW, "meta": {**ROW["meta"], "base_id": "other", **meta}}


def load(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load_dataset(DatasetRequest(str(path), tmp_path / "cache"))


def test_good_rows(tmp_path):
    """The control: two questions."""
    assert load(tmp_path, ROW, changed()).questions["ifhard:all"] == 2


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (changed(base_id=""), "row 2, meta.base_id: must be a text that is not blank"),
        (changed(base_id=ROW["meta"]["base_id"]), "test row 1 and test row 2 share the id"),
        (changed(categories={"tier": "odd"}), "row 2, meta.categories.tier: must be one of easy"),
        (changed(categories="easy"), "row 2, meta.categories: must be an object"),
        (changed(constraints="["), "row 2, meta.constraints: "),
        (
            changed(constraints='[{"category": "style:odd", "family": "style", "params": {}}]'),
            "row 2, meta.constraints[0].params: 'style:odd': is not a registered category",
        ),
        ({**changed(), "inputs": {"question": "?"}}, "row 2, inputs.constraints: is missing"),
        ({**changed(), "instruction": "{x}"}, "row 2, instruction: has slots that no input fills"),
        ({**changed(), "instruction": "{question"}, "row 2, instruction: is no template"),
        ({**changed(), "instruction": "{question:d}"}, "row 2, instruction: is no template"),
        ({**changed(), "outputs": 3}, "row 2, outputs: must be a text"),
        ({**changed(), "outputs": "\ud800"}, "row 2, outputs: holds half a surrogate pair"),
        (
            {**changed(), "inputs": {**ROW["inputs"], "question": "\udfff"}},
            "row 2, inputs.question: holds half a surrogate pair",
        ),
    ],
)
def test_bad_rows_are_named(tmp_path, row, words):
    """File, row, and what is wrong."""
    with pytest.raises(DatasetError) as found:
        load(tmp_path, ROW, row)
    assert words in str(found.value)
