"""The form in which MERA takes answers."""

import json

import pytest

from tasks.ifhard.dataset import BUILTIN
from tasks.ifhard.task import to_doc
from tasks.submission import harness_line, submission, submission_number


@pytest.mark.parametrize(
    ("meta", "number"), [({"id": 6}, 6), ({"id": 0}, 0), ({}, None), ({"id": None}, None), ({"id": True}, None)]
)
def test_a_number_is_an_integer(meta, number):
    """Whatever else stands there names no question."""
    assert submission_number(meta) == number


def test_a_document_carries_its_rows_number():
    """As the shipped set has them: test rows from 6 on."""
    with (BUILTIN / "test.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(next(file)) for _ in range(3)]
    assert [to_doc(row, "ifhard:all").specific["number"] for row in rows] == [row["meta"]["id"] for row in rows]
    assert to_doc({**rows[0], "meta": {**rows[0]["meta"], "id": None}}, "ifhard:all").specific["number"] is None


def test_the_first_answer_counts_and_leading_space_does_not():
    """Nothing but leading white space is dropped: reasoning is the official scorer's to remove."""
    line = harness_line(3, {"meta": {"id": 9}}, [{"role": "user", "content": "?"}], [" \n<think>а</think> б ", "в"])
    assert line["resps"] == [[" \n<think>а</think> б ", "в"]]
    assert json.loads(submission([line])) == {"data": {"test": [{"outputs": "<think>а</think> б ", "meta": {"id": 9}}]}}
