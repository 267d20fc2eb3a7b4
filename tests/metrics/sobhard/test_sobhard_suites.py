"""SOBHard's parsers and its schema constraint over public conformance suites: no difference that is not listed."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from sobhard_suites import CASES, SUITES, differences, same

LISTED = yaml.safe_load(Path(__file__).with_name("sobhard_suite_differences.yaml").read_text(encoding="utf-8"))
# How many cases each suite has at the commit that its archive holds.
SIZES = {"JSONTestSuite": 340, "toml-test": 709, "yaml-test-suite": 402, "JSON-Schema-Test-Suite": 1_299}


@pytest.mark.parametrize("suite", CASES)
def test_every_difference_is_listed_and_every_listed_one_is_there(suite):
    """A new difference fails, and so does an entry that no longer differs."""
    if not (SUITES / f"{suite}.tar.gz").exists():
        pytest.skip("the public suites are not at hand")
    count, found = differences(suite)
    listed = {(group["from"], case) for group in LISTED if group["suite"] == suite for case in group["cases"]}
    assert count == SIZES[suite]
    assert {key: value for key, value in found.items() if key not in listed} == {}
    assert listed - found.keys() == set()


def test_the_list_has_each_case_once_and_a_reason_for_it():
    """One reason a case; all fields and names known."""
    cases = Counter((group["suite"], group["from"], case) for group in LISTED for case in group["cases"])
    assert [case for case, count in cases.items() if count > 1] == []
    for group in LISTED:
        assert set(group) == {"suite", "from", "reason", "cases"}
        assert group["suite"] in CASES
        assert group["from"] in ("suite", "library")
        assert group["reason"].endswith(".")
        assert group["cases"]


def test_what_counts_as_the_same():
    """Types and order where asked, nan always, any depth."""
    deep = [1]
    for _ in range(5_000):
        deep = [deep]
    assert same(deep, deep)
    assert same({"a": float("nan")}, {"a": float("nan")})
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, strict=False)
    assert not same(1, True, strict=False)
    assert not same(1, 1.0)
    assert not same([1], [1, 2])
