"""Task names: ``benchmark:subset[:mode]|fewshot``."""

import pytest

from tasks.registry import TaskNameError, parse_task, split_task_list


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ifhard:all|0", "ifhard:all|0"),
        ("ifhard:all", "ifhard:all|0"),
        ("ifhard", "ifhard:all|0"),
        ("ifhard|3", "ifhard:all|3"),
        (" ifhard:expert|5 ", "ifhard:expert|5"),
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
