"""What a search of a pattern may cost, and that ordinary patterns are judged as the library judges them."""

import random
import re

import pytest

from metrics.sobhard.pattern_costs import counted, search_cost
from metrics.sobhard.schema_validation import accepts


def test_pattern_costs():
    """Plain patterns are cheap on long strings; each open repetition multiplies by the length."""
    assert search_cost(r"^\d{4}-\d{2}$", 1_000) < 2_000
    assert search_cost(r"^[a-z)(]+$", 100) < 20_000
    assert search_cost(r"(?i)\+\*\?", 100) < 500
    assert search_cost("(a+)+", 10) == float("inf")
    assert search_cost("(?x)(a+) +", 10) == float("inf")
    assert search_cost(".*.*.*", 10_000) > 1e12
    assert search_cost(".{5000}x", 10_000) > 1e7


ORDINARY_PATTERNS = [
    (r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$", "konstantin.konstantinov@mail.department.example.org"),
    (r"^https?://[^\s/$.?#].[^\s]*$", "https://example.org/a/b/c?x=1"),
    (r"^\d+(\.\d+)*$", "12.3.45"),
    (r"^(\d+\.)+\d+$", "12.3.45"),
    (r"^[a-z]+(?:-[a-z]+)*$", "a-long-name-of-a-page-with-many-words-in-it"),
    (r"^(?:[0-9]{1,3}\.){3}[0-9]{1,3}$", "192.168.10.25"),
    (r"^((25[0-5]|2[0-4]\d|[01]?\d\d?)\.){3}(25[0-5]|2[0-4]\d|[01]?\d\d?)$", "192.168.10.25"),
    (r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "123e4567-e89b-12d3-a456-426614174000"),
    (r"^[А-ЯЁ][а-яё]+(?:-[А-ЯЁ][а-яё]+)?\s[А-ЯЁ][а-яё]+\s[А-ЯЁ][а-яё]+$", "Петров-Водкин Кузьма Сергеевич"),
    (r"^.*\S.*$", "words of a sentence " * 5),
    (r"^.+$", "a" * 10_000),
    (r"(?i)^(GET|POST|PUT|PATCH|DELETE)( /[a-z0-9]+)+$", "get /a /b1"),
    (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Passw0rd123"),
]


@pytest.mark.parametrize(("pattern", "text"), ORDINARY_PATTERNS, ids=range(len(ORDINARY_PATTERNS)))
def test_patterns_that_a_model_may_write_are_judged(pattern, text):
    """Repeated groups too, in values and in keys, on each of many texts."""
    assert accepts({"items": {"pattern": pattern}}, [text] * min(100, 20_000 // len(text)))
    assert accepts({"items": {"pattern": pattern}}, [text, "!\n" + text]) is bool(re.search(pattern, "!\n" + text))
    closed = {"patternProperties": {pattern: {"type": "string"}}, "additionalProperties": False}
    assert accepts(closed, {text: "x"})
    assert not accepts(closed, {text: 1})
    assert not accepts(closed, {"\n": "x"})


def ways(pattern, text):
    count = counted(pattern, text)
    return count and count.steps


def test_the_ways_of_a_search_are_counted():
    """By hand where it is short; doubled by every character where a repetition holds another."""
    assert ways("", "") == 1
    assert ways("a", "b") == 1 + 1  # each place is looked at, the end too
    assert ways("a", "a") == 2 + 1
    assert ways("^a", "ba") == 2 + 1 + 1
    assert ways("ab|ba", "a") == 4 + 3
    assert ways("^(a+)+$", "a" * 30 + "!") == ways("(?:a|a)*b", "a" * 60) == 10**9
    assert ways("^(a+)+$", "a" * 11) > 1.9 * ways("^(a+)+$", "a" * 10)
    assert ways("^(a+)+$", "b" * 30) < 200
    assert ways("^[^@]+@x$", "a" * 300) < 1_210
    assert ways(r"\d{2,4}", "12345") == ways("[0-9]{2,4}", "12345")


@pytest.mark.parametrize(
    "pattern", [r"(.)\1", "(?<=a)b", "(a*)*b", "(?P<x>a)(?(x)b|c)", "a{900}b{900}", "(" * 400, "["]
)
def test_what_is_not_counted(pattern):
    """Such a pattern keeps the wide bound, or has none."""
    assert counted(pattern, "aaa") is None
    assert counted(".", "a" * 1_000_000) is None


ATOMS = ["a", "b", "[ab]", ".", r"\w", "(?:a|b)", "(a|ab)", "(a+)", "(?:ab?)"]


@pytest.mark.parametrize("seed", range(3))
def test_no_search_takes_longer_than_its_count(seed):
    """Random nested repetitions: a search within the limit ends at once, so the count is no lower than its steps."""
    source = random.Random(seed)
    for _ in range(150):
        parts = [source.choice(ATOMS) + source.choice(["", "", "*", "+", "?", "+?", "{1,3}", "{2,}"]) for _ in range(3)]
        pattern = f"(?:{''.join(parts)}){source.choice(['*', '+', '{1,4}', ''])}{source.choice(['$', 'c', '!'])}"
        text = "".join(source.choice("aab") for _ in range(source.choice([5, 15, 30])))
        steps = ways(pattern, text)
        if steps is not None and steps <= 1_000_000:
            re.search(pattern, text)
