"""The whole build: files, schema, and the same bytes whatever the machine's mood."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from builders.ifhard import __main__ as command
from builders.ifhard import pipeline
from builders.ifhard.dataset_files import TIERS, make_files, tiers_of
from builders.ifhard.pipeline import build_questions
from builders.ifhard.question import difficulty
from builders.ifhard.validate import BuildError
from tasks.ifhard.prompts import render

ROOT = Path(__file__).parents[3]
NAMES = {"test.jsonl", "shots.jsonl", "witnesses.jsonl", "build.json", "SHA256SUMS", "README.md"}


@pytest.fixture(scope="module")
def files(built):
    return make_files(built, 5)


@pytest.fixture(scope="module")
def other():
    """Twenty questions of another seed."""
    return build_questions(6, 20)


def rows_of(files, name):
    return [json.loads(line) for line in files[name].splitlines()]


def test_the_files_and_their_checksums(files):
    """A build has six files, and SHA256SUMS names the four with data."""
    assert set(files) == NAMES
    for line in files["SHA256SUMS"].splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(files[name].encode()).hexdigest() == digest
    assert len(files["SHA256SUMS"].splitlines()) == 4


def test_rows_have_the_schema_of_the_contract(files):
    """IFHardBench contract, section 1: the fields, their nesting and their order."""
    for row in (*rows_of(files, "test.jsonl"), *rows_of(files, "shots.jsonl")):
        assert list(row) == ["instruction", "inputs", "outputs", "meta"]
        assert list(row["inputs"]) == ["question", "constraints", "context"]
        assert list(row["meta"]) == ["id", "base_id", "constraints", "categories", "annotation"]
        assert list(row["meta"]["categories"]) == [
            "language", "tier", "length_tier", "n_constraints", "constraint_families", "prompt_style", "topic",
            "stratum",
        ]  # fmt: skip
        assert row["meta"]["annotation"] == {"is_solvable": None, "language_correctness": None}
        constraints = json.loads(row["meta"]["constraints"])
        assert all(list(item) == ["category", "family", "params", "is_terminal"] for item in constraints)
        categories = row["meta"]["categories"]
        assert categories["n_constraints"] == len(constraints)
        assert set(categories["constraint_families"].split(",")) == {item["family"] for item in constraints}
        assert categories["length_tier"] == ("long" if row["inputs"]["context"] else "short")
        lines = row["inputs"]["constraints"].split("\n")
        assert len(lines) == len(constraints)
        assert all(line.startswith("- ") for line in lines)
        assert ("{context}" in row["instruction"]) == bool(row["inputs"]["context"])
        assert "{" not in render(row).replace("{context}", "")


def test_ids_run_over_both_splits_and_outputs_are_filled_in_shots_only(files):
    """Ids are 1, 2, ... without a gap, and no test row carries its answer."""
    test, shots = rows_of(files, "test.jsonl"), rows_of(files, "shots.jsonl")
    assert [row["meta"]["id"] for row in (*shots, *test)] == list(range(1, 76))
    assert all(row["outputs"] == "" for row in test)
    assert all(row["outputs"] for row in shots)


def test_base_ids_are_twelve_hexadecimal_digits_and_answer_the_witnesses(files):
    """Every test row has its witness, in the order of the rows and in the form of --responses."""
    test, witnesses = rows_of(files, "test.jsonl"), rows_of(files, "witnesses.jsonl")
    assert [row["meta"]["base_id"] for row in test] == [line["id"] for line in witnesses]
    assert all(len(line["id"]) == 12 and int(line["id"], 16) >= 0 for line in witnesses)
    assert {line["task"] for line in witnesses} == {"ifhard:all"}


def test_tiers_are_quarters_in_the_order_of_difficulty(built):
    """Tiers are equal in size, and no easier tier holds a harder question."""
    tiers = tiers_of(built.test)
    assert sorted(Counter(tiers).values()) == [17, 17, 18, 18]
    levels = {tier: [q.difficulty for q, own in zip(built.test, tiers, strict=True) if own == tier] for tier in TIERS}
    for easier, harder in pairwise(TIERS):
        assert max(levels[easier]) <= min(levels[harder])


def test_difficulty_is_the_sum_over_the_stack():
    """Difficulty adds up minus the logarithm of each requirement's ease."""
    constraint = {"category": "style:no_caps", "params": {}}
    assert difficulty(["style:no_caps/plain"], [constraint]) == pytest.approx(0.1625, abs=1e-4)  # -ln 0.85
    twice = difficulty(["style:no_caps/plain", "style:no_commas/plain"], [constraint, constraint])
    assert twice == pytest.approx(0.1625 + 0.2877, abs=1e-4)  # -ln 0.75


def test_a_frequent_letter_is_harder_to_avoid():
    """Difficulty knows which forbidden letter costs more."""
    levels = [
        difficulty(["style:forbid_letter/one"], [{"category": "style:forbid_letter", "params": {"letter": letter}}])
        for letter in "што"
    ]
    assert levels == sorted(set(levels))


def test_the_report_counts_what_is_in_the_files(files):
    """build.json counts the rows themselves, and every stack tried is a question or discarded."""
    report = json.loads(files["build.json"])
    test = rows_of(files, "test.jsonl")
    categories = Counter(item["category"] for row in test for item in json.loads(row["meta"]["constraints"]))
    assert report["categories"] == dict(categories)
    assert report["test"] == len(test) == 70
    assert report["with_context"] == sum(bool(row["inputs"]["context"]) for row in test)
    assert report["stacks_tried"] == 70 + sum(report["discarded"].values())


@pytest.mark.slow
def test_hash_seed_locale_and_processes_change_no_byte(other, tmp_path):
    """The command under another hash seed, locale, time zone and number of processes writes what was made here."""
    subprocess.run(
        [sys.executable, "-m", "builders.ifhard", "--seed", "6", "--size", "20", "--processes", "2",
         "--out", str(tmp_path / "set")],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "2", "LC_ALL": "C", "TZ": "Asia/Tokyo"},
        check=True, capture_output=True,
    )  # fmt: skip
    written = {path.name: path.read_bytes() for path in (tmp_path / "set").iterdir()}
    assert set(written) == NAMES
    assert written == {name: text.encode() for name, text in make_files(other, 6).items()}
    assert b"\r" not in written["test.jsonl"]


def test_another_seed_gives_another_set(built, other):
    """A private set shares no question with one of another seed."""
    assert not {q.base_id for q in other.test} & {q.base_id for q in built.test}


def test_a_failing_build_writes_nothing_and_says_why(tmp_path, monkeypatch, capsys):
    """A broken guarantee ends the command with status 1, its reason, and no file."""

    def fail(*arguments):
        raise BuildError("test question 3: structure:word_count: the witness fails")

    monkeypatch.setattr(pipeline, "build_questions", fail)
    assert command.main(["--seed", "1", "--size", "5", "--out", str(tmp_path / "out")]) == 1
    assert not (tmp_path / "out").exists()
    assert "build stopped: test question 3" in capsys.readouterr().err
