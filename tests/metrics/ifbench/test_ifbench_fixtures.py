"""The labelled answers: our own, and the public ones where they are at hand."""

import hashlib
import json
import re
from pathlib import Path

import pytest
import yaml
from ifbench_cases import CONTESTED, FIXTURES, VECTORS, by_instruction, expected, own_fixtures, rows

from metrics import ifbench

OWN = own_fixtures()
FIELDS = (
    "id",
    "family",
    "name",
    "instruction_id",
    "kwargs_json",
    "response",
    "expected",
    "finding",
    "decision",
    "note",
    "content_sha256",
)


@pytest.mark.parametrize("grader", ["fixes_only", "proposed"])
@pytest.mark.parametrize("row", OWN, ids=[row["name"] for row in OWN])
def test_fixture_gets_its_label(row, grader):
    """Each grader gives the label that the fixture states for it, by a verdict and not by a crash."""
    verdict = ifbench.verify(row["instruction_id"], json.loads(row["kwargs_json"]), row["response"], grader=grader)
    assert verdict.passed == expected(row, grader), verdict
    assert verdict.code != "crash"


REASONS = yaml.safe_load(Path(__file__).with_name("fixture_reasons.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", REASONS, ids=[f"{case['name']} {case['code']}" for case in REASONS])
def test_fixture_gets_its_reason(case):
    """The sentence that says why, and the values that it speaks of."""
    row = next(row for row in OWN if row["name"] == case["name"])
    verdict = ifbench.verify(
        row["instruction_id"], json.loads(row["kwargs_json"]), row["response"], grader=case["grader"]
    )
    assert (verdict.code, verdict.reason) == (case["code"], case["reason"])
    values = json.loads(json.dumps([verdict.observed, verdict.wanted]))
    assert values == [case.get("observed"), case.get("wanted")]


@pytest.mark.parametrize("grader", ["fixes_only", "proposed", "proposed_loose"])
@pytest.mark.parametrize("code", [0xAD, 0x200B, 0x200C, 0x200E, 0x2060, 0x2066, 0xFE00, 0xFEFF, 0xE0100], ids=hex)
def test_what_nothing_shows_changes_no_verdict(code, grader):
    """At either end, in every word, before every line, around every sign; in the arguments as in the answer."""
    unseen, moved = chr(code), []
    for row in OWN:
        kwargs, answer = json.loads(row["kwargs_json"]), row["response"]
        plain = ifbench.verify(row["instruction_id"], kwargs, answer, grader=grader)
        hidden = {name: unseen.join(value) if isinstance(value, str) else value for name, value in kwargs.items()}
        cases = [(kwargs, f"{unseen}{answer}{unseen}"), (kwargs, unseen.join(answer)), (hidden, answer)]
        found = [ifbench.verify(row["instruction_id"], *case, grader=grader).passed for case in cases]
        if found != [plain.passed] * len(cases):
            moved.append((row["name"], plain.passed, found))
    assert moved == []


@pytest.mark.parametrize("joiner", ["\u200d", "\ufe0e", "\ufe0f"], ids=ascii)
def test_what_makes_emoji_does_nothing_elsewhere(joiner):
    """A joiner or a selector at either end, and behind each letter and each mark."""
    for row in OWN:
        kwargs, answer = json.loads(row["kwargs_json"]), row["response"]
        inside = re.sub(r"(?<=[\w.,!?*-])(?![\ufe0f\u20e3])", joiner, answer)
        found = {
            ifbench.verify(row["instruction_id"], kwargs, text).passed
            for text in (answer, inside, joiner + answer, answer + joiner if answer[-1:].isascii() else answer)
        }
        assert len(found) == 1, row["name"]


@pytest.mark.parametrize("instruction_id", ifbench.CHECKERS)
def test_an_answer_that_nothing_shows_is_blank(instruction_id):
    """It follows no instruction, whatever that forbids."""
    row = next(row for row in OWN if row["instruction_id"] == instruction_id)
    for grader in ("fixes_only", "proposed_loose"):
        verdict = ifbench.verify(instruction_id, json.loads(row["kwargs_json"]), "\u200b\n\ufeff", grader=grader)
        assert verdict.code == "blank-answer"


@pytest.mark.timeout(60)  # ends what a quadratic pattern would not
@pytest.mark.parametrize("tail", [" " * 200_000 + "x", "," + " " * 200_000, " or" * 60_000, "(" * 200_000])
def test_long_country_lines_are_read_in_time(tail):
    """A line is read once, whatever stands between its names."""
    assert not ifbench.verify("custom:reverse_newline", {}, "Zimbabwe" + tail).passed


def test_fixtures_have_the_published_shape():
    """Fields, order of fields, and identifiers that are made of the content."""
    for row in OWN:
        assert tuple(row) == FIELDS
        content = "\n".join((row["instruction_id"], row["kwargs_json"], row["response"]))
        assert row["content_sha256"] == hashlib.sha256(content.encode("utf-8")).hexdigest(), row["name"]
        assert row["id"] == f"{row['family']}-{row['content_sha256'][:12]}"
        assert row["family"] == row["instruction_id"].partition(":")[0]
        assert row["kwargs_json"] == json.dumps(
            json.loads(row["kwargs_json"]), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )


def test_fixtures_are_distinct_and_many():
    """At least 143, no content and no name twice."""
    assert len(OWN) >= 143
    assert len({row["content_sha256"] for row in OWN}) == len(OWN)
    assert len({row["name"] for row in OWN}) == len(OWN)


@pytest.mark.parametrize(("instruction_id", "found"), by_instruction(OWN), ids=list(ifbench.CHECKERS))
def test_each_instruction_has_both_directions(instruction_id, found):
    """A checker that always passes, or always fails, is caught."""
    assert {row["expected"] for row in found} == {"pass", "fail"}


def test_every_finding_and_decision_has_a_fixture():
    """117 findings and 48 decisions, each shown by an answer."""
    assert {row["finding"] for row in OWN} - {None} == {f"AF{number}" for number in range(1, 118)}
    assert {row["decision"] for row in OWN} - {None} == {decision.id for decision in ifbench.DECISIONS}


def test_decisions_name_the_instructions_of_their_fixtures():
    """A fixture that hangs on a decision is of an instruction that the decision names."""
    ids = {decision.id: decision.ids for decision in ifbench.DECISIONS}
    for row in OWN:
        if row["decision"]:
            assert row["instruction_id"] in ids[row["decision"]], row["name"]


def test_notes_state_the_proposed_reading_where_it_differs():
    """The note's closing words are the label that the proposed grader is held to, and only where it differs."""
    for row in OWN:
        stated = re.search(r"\[proposed: (pass|fail)\]\Z", row["note"])
        assert (stated is not None) == ("[proposed" in row["note"])
        if stated:
            assert stated.group(1) != row["expected"], row["name"]
            assert row["decision"], row["name"]


@pytest.mark.parametrize("field", ["finding", "decision"])
def test_the_tables_point_at_the_fixtures(field):
    """The README names, for each finding and decision, its instructions and exactly its fixtures."""
    lines = (FIXTURES.parent / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| A")]
    table = {row[0]: (row[1], set(row[-1].split(", "))) for row in cells}
    for name in {row[field] for row in OWN} - {None}:
        of_it = [row for row in OWN if row[field] == name]
        assert table[name][1] == {row["name"] for row in of_it}
        assert {row["instruction_id"] for row in of_it} <= set(table[name][0].split(", "))


@pytest.mark.skipif(not VECTORS.is_file(), reason="the public labelled answers are not beside this checkout")
@pytest.mark.parametrize("grader", ["fixes_only", "proposed"])
def test_public_labels(grader):
    """No verdict differs from the public labels, contested ones aside."""
    wrong = [
        (row["name"], verdict.reason)
        for row in rows(VECTORS)
        if row["id"] not in CONTESTED
        for verdict in [
            ifbench.verify(row["instruction_id"], json.loads(row["kwargs_json"]), row["response"], grader=grader)
        ]
        if verdict.passed != expected(row, grader)
    ]
    assert wrong == []
