"""Task names: ``benchmark:subset[:mode]|fewshot``."""

import re
from pathlib import Path

import pytest

from tasks.names import TaskName, TaskNameError, fewshot_number, split_task_list
from tasks.registry import BENCHMARK_NAMES, benchmark, parse_task


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ifhard:all|0", "ifhard:all|0"),
        ("ifhard:all", "ifhard:all|0"),
        ("ifhard", "ifhard:all|0"),
        ("ifhard|3", "ifhard:all|3"),
        (" ifhard:expert|5 ", "ifhard:expert|5"),
        ("ifhard:expert\\|5", "ifhard:expert|5"),
        ("ifhard\\|0", "ifhard:all|0"),
    ],
)
def test_legal_names_are_completed(text, expected):
    """Missing parts get their documented defaults."""
    assert str(parse_task(text)) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ifhard:al|0", "ifhard:all"),
        ("ifhrad:all|0", "ifhard:all"),
        ("ifhard:esay|0", "ifhard:easy"),
        ("ifhard:all|6", "0, 1, 2, 3, 4, 5"),
        ("ifhard:all|-1", "number"),
        ("ifhard:all|x", "number"),
        ("ifhard:all|" + "1" * 5000, "number"),
        ("ifhard:all|²", "number"),
        ("", "nearest"),
    ],
)
def test_illegal_names_are_refused_with_the_nearest_legal_one(text, says):
    """A slip of the finger is answered with what was probably meant."""
    with pytest.raises(TaskNameError, match=says):
        parse_task(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a:b|0,c:d|1", ["a:b|0", "c:d|1"]),
        ("a:b|0 , c:d|10", ["a:b|0", "c:d|10"]),
        ("a:one option, many options|0,c|5", ["a:one option, many options|0", "c|5"]),
        ("a:b", ["a:b"]),
        ("", []),
    ],
)
def test_a_list_is_split_only_behind_a_number(text, parts):
    """One type name holds a comma of its own."""
    assert split_task_list(text) == parts


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_a_name_is_read_as_it_is_printed(name):
    """Every task of every benchmark, with every number of examples: in full, without the number, and as parts."""
    found = benchmark(name)
    for task in found.tasks():
        for fewshot in found.fewshots:
            full = TaskName(task.benchmark, task.subset, task.mode, fewshot)
            assert str(full) == f"{task.plain}|{fewshot}"
            assert parse_task(str(full)) == TaskName.read(str(full)) == full
        assert parse_task(task.plain) == TaskName.read(task.plain) == task


@pytest.mark.parametrize("text", ["ifhard", "", "|0", "a:b:c:d", "a:b|x", "a:b|-1"])
def test_a_text_of_another_form_is_no_name(text):
    """Nothing is filled in where a name must be complete."""
    with pytest.raises(TaskNameError):
        TaskName.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "ifhard:",
        "ifhard:all:",
        ":all",
        "hardmultiqa:opne",
        "ifhard:all:pretrain",
        "ifbench::",
        "ifhard:all|1|0",
        "ifhard|1|0",
    ],
)
def test_a_part_too_few_or_too_many_is_no_task(text):
    """Whether a benchmark has modes is its own to say."""
    with pytest.raises(TaskNameError, match="nearest"):
        parse_task(text)


@pytest.mark.parametrize(("name", "number"), [("a:b|3", 3), ("a:b|0", 0), ("a:b:c|12", 12), ("a:b", 0), ("", 0)])
def test_a_document_knows_its_number_of_examples(name, number):
    """LightEval makes a document before it names it."""
    assert fewshot_number(name) == number


@pytest.mark.parametrize("page", ["README.md", *(f"tasks/{name}/README.md" for name in BENCHMARK_NAMES)])
def test_every_task_name_copied_from_a_page_works(page):
    """Tables of Markdown escape the bar; a copy of what stands there is read all the same."""
    text = (Path(__file__).resolve().parents[2] / page).read_text(encoding="utf-8")
    names = re.findall(r'--task[ =]"([^"]+)"', text)
    assert names
    for name in names:
        assert [parse_task(part) for part in split_task_list(name)]
