"""What scoring needs of a row: made without LightEval, read again as strictly as rows are."""

import json

import pytest

from tasks.benchmark import DatasetRequest
from tasks.names import TaskName
from tasks.registry import BENCHMARK_NAMES, benchmark
from tasks.rows import read_rows

BUILTIN = {"ifhard": "builtin", "sobhard": "builtin-small", "hardmultiqa": "builtin", "ifbench": "builtin"}


def rows(name, tmp_path):
    handle = benchmark(name).load_dataset(DatasetRequest(BUILTIN[name], tmp_path))
    return handle, read_rows(handle.folder / "test.jsonl")


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_every_task_asks_as_many_questions_as_it_says(name, tmp_path):
    """Each once, with a scoring text that reads as its row did."""
    bench, (handle, found) = benchmark(name), rows(name, tmp_path)
    for task in bench.tasks():
        samples = [sample for row in found if (sample := bench.sample_of(row, task)) is not None]
        assert len({sample.id for sample in samples}) == len(samples) == handle.questions[task.plain]
    for sample in samples:
        bench.check_scoring(sample.scoring)
        assert isinstance(json.loads(sample.labels), dict)


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
@pytest.mark.parametrize("scoring", ["", "null", "7", "{}", "not JSON", '[{"a": 1}]', '{"type": "open"}'])
def test_texts_of_another_form_are_refused(name, scoring):
    """With an error that says so, never read as a question without requirements."""
    with pytest.raises(ValueError, match=r"\w"):
        benchmark(name).check_scoring(scoring)


@pytest.mark.parametrize("name", ["sobhard", "hardmultiqa", "ifbench"])
def test_a_field_that_is_missing_is_refused(name, tmp_path):
    """Whichever it is, of those that are always there."""
    bench, (_, found) = benchmark(name), rows(name, tmp_path)
    whole = json.loads(bench.sample_of(found[0], bench.tasks()[0]).scoring)
    for field in whole.keys() - {"cut"}:
        rest = {key: value for key, value in whole.items() if key != field}
        with pytest.raises(ValueError, match=r"\w"):
            bench.check_scoring(json.dumps(rest))


def test_a_field_too_many_is_refused(tmp_path):
    """SOBHard's text has a fixed form."""
    bench, (_, found) = benchmark("sobhard"), rows("sobhard", tmp_path)
    whole = json.loads(bench.sample_of(found[0], TaskName.read("sobhard:all")).scoring)
    with pytest.raises(ValueError, match="another form: later"):
        bench.check_scoring(json.dumps(whole | {"later": 1}))
