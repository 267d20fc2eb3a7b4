"""SOBHard's parsers and its schema constraint over public conformance suites: no difference that is not listed."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from sobhard_suites import CASES, SUITES, Refusal, differences, same

LISTED = yaml.safe_load(Path(__file__).with_name("sobhard_suite_differences.yaml").read_text(encoding="utf-8"))
# How many cases each suite has at the commit that its archive holds.
SIZES = {"JSONTestSuite": 340, "toml-test": 709, "yaml-test-suite": 402, "JSON-Schema-Test-Suite": 1_299}
# Codes of ours that say what a library refuses.
THE_LIBRARY_SAYS = (
    "invalid-toml",
    "invalid-yaml",
    "several-documents",
    "unknown-tag",
    "unhashable-key",
    "invalid-schema",
)


@pytest.mark.parametrize("suite", CASES)
def test_every_difference_is_listed_and_every_listed_one_is_there(suite):
    """A new difference fails, one that is no more, and one that has another cause than the list says."""
    if not SUITES.exists():
        pytest.skip("the public suites are not at hand")
    count, found = differences(suite)
    assert count == SIZES[suite]
    groups = {(group["from"], case): group for group in LISTED if group["suite"] == suite for case in group["cases"]}
    assert {key: difference.ours for key, difference in found.items()} == {
        key: group["ours"] for key, group in groups.items()
    }
    for key, group in groups.items():
        words = group.get("library", "")
        assert words in found[key].library, key
        if group["ours"] in THE_LIBRARY_SAYS:
            assert words, f"{key}: the list does not say how the library refuses it"


def test_the_list_has_each_case_once_and_a_reason_for_it():
    """One reason a case; all fields and names known."""
    cases = Counter((group["suite"], group["from"], case) for group in LISTED for case in group["cases"])
    assert [case for case, count in cases.items() if count > 1] == []
    reasons = Counter((group["suite"], group["from"], group["reason"]) for group in LISTED)
    assert [reason for reason, count in reasons.items() if count > 1] == []
    for group in LISTED:
        assert set(group) - {"library"} == {"suite", "from", "ours", "reason", "cases"}
        assert group["suite"] in CASES
        assert group["from"] in ("suite", "library")
        assert group["reason"].endswith((".", ".)"))
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
    assert not same({1: 2}, {True: 2})
    assert same([Refusal("invalid-yaml")], [Refusal("not YAML")])
    assert not same(Refusal("no"), ("no",))
    assert not same([1], [1, 2])
