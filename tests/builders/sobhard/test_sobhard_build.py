"""A whole set from the project's own documents: complete, proven, the same bytes everywhere, and fit to be run."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from builders.sobhard.__main__ import main
from builders.sobhard.card import FIGURES, README, figures, with_figures
from builders.sobhard.checks import problem_of, shortcuts, stands_in_input
from builders.sobhard.plan import demonstrations
from metrics.sobhard.summary import CELLS
from tasks.benchmark import DatasetRequest
from tasks.facts import read_facts
from tasks.sobhard.dataset import load_dataset

ROOT = Path(__file__).resolve().parents[3]
BUILD = (sys.executable, "-m", "tasks.sobhard.build", "--corpus", "builtin", "--out")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a set, made by the command."""
    folder = tmp_path_factory.mktemp("built")
    assert main(["--corpus", "builtin", "--out", str(folder)]) == 0
    return folder


def rows(folder, split):
    """Rows of a split."""
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_there_is_a_question_of_each_cell_and_its_conversations_are_whole(built):
    """Demonstrations, earlier turns, graded rows without a shown answer."""
    test, shots = rows(built, "test"), rows(built, "shots")
    cells = Counter("{family}/{difficulty}".format(**row["meta"]["categories"]) for row in test)
    assert cells == dict.fromkeys(CELLS, 1)
    talks = Counter(row["meta"]["dialogue_id"] for row in shots)
    assert talks.pop(None) == len(demonstrations(1))
    graded = {row["meta"]["dialogue_id"]: row["meta"]["n_turns"] for row in test if row["meta"]["n_turns"]}
    assert talks == {dialogue: turns - 1 for dialogue, turns in graded.items()}
    assert not any(row["outputs"] for row in test)
    assert all(row["outputs"] for row in shots)
    numbers = [row["meta"]["id"] for row in [*shots, *test]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len({row["meta"]["base_id"] for row in [*shots, *test]}) == len(numbers)


def test_references_pass_shortcuts_do_not_and_no_answer_is_shown(built):
    """Every promise that the card makes of a question."""
    test, shots = rows(built, "test"), rows(built, "shots")
    shown = [text for row in shots for text in (row["outputs"], *row["inputs"].values())]
    for row in test:
        assert problem_of(row) == ""
        assert len(list(shortcuts(row))) >= 3
        assert not any(row["meta"]["reference"] in text for text in shown)
    assert sum(map(stands_in_input, test)) <= 9


def changed(row, reference, program, source):
    """A transform question with another reference, rules and source."""
    meta = row["meta"] | {
        "reference": reference,
        "reference_sha256": "",
        "fence_tag": "json",
        "task_meta": json.dumps({"program": program}),
        "checks": json.dumps({"source": source}),
        "categories": row["meta"]["categories"] | {"target_format": "json", "source_format": "json"},
    }
    return row | {"meta": meta, "inputs": row["inputs"] | {"input_data": json.dumps(source)}}


SORT = {"rule": "sort_keys", "params": {}}
CAMEL = {"rule": "camel_keys", "params": {}}


@pytest.mark.parametrize(
    ("reference", "program", "source", "problem"),
    [
        ('{"a": 1, "b": 2}', [SORT], {"b": 2, "a": 1}, ""),
        ('{"b": 2, "a": 1}', [SORT], {"b": 2, "a": 1}, "the reference fails transform.rule_applied"),
        ('{"a": 1, "b": 2}', [SORT], {"a": 1, "b": 2}, "the input handed back passes"),
        ('{"aB": 1, "c": 2}', [CAMEL, SORT], {"a_b": 1, "c": 2}, "a chain left early passes"),
    ],
)
def test_a_wrong_reference_and_a_shortcut_that_passes_are_found_out(built, reference, program, source, problem):
    """Each by its name; a sound question by none."""
    row = next(row for row in rows(built, "test") if row["meta"]["categories"]["family"] == "transform")
    assert problem_of(changed(row, reference, program, source)) == problem


def test_neither_hash_seed_nor_locale_changes_a_byte(built, tmp_path):
    """A process of its own, in another language, with another order of sets."""
    env = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*BUILD, str(tmp_path / "other")], env=env, cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    digests = [
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        for folder in (built, tmp_path / "other")
    ]
    assert digests[0] == digests[1]


def test_a_built_set_is_a_dataset_and_so_is_its_zip_file(built, tmp_path):
    """One digest, from the folder, from the file, and as the checksums say."""
    handles = [
        load_dataset(DatasetRequest(str(source), tmp_path / "cache")) for source in (built, built / "sobhard.zip")
    ]
    sums = dict(reversed(line.split("  ")) for line in (built / "SHA256SUMS").read_text().splitlines())
    assert {handle.sha256 for handle in handles} == {sums["test.jsonl"]}
    assert {handle.shots_sha256 for handle in handles} == {sums["shots.jsonl"]}
    assert handles[0].questions["sobhard:all"] == len(CELLS)


def test_another_seed_is_another_set(built, tmp_path):
    """Of the same cells."""
    assert main(["--corpus", "builtin", "--seed", "5", "--out", str(tmp_path)]) == 0
    assert {row["meta"]["base_id"] for row in rows(tmp_path, "test")}.isdisjoint(
        row["meta"]["base_id"] for row in rows(built, "test")
    )


def test_a_corpus_that_cannot_be_had_is_exit_3_with_what_would_work(tmp_path, capsys, monkeypatch):
    """No package index within reach."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip"))
    assert main(["--corpus", str(tmp_path / "corpus"), "--out", str(tmp_path / "out")]) == 3
    assert "--corpus builtin" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_card_has_the_figures_of_the_built_set():
    """And the recorded rows are those of the figures."""
    recorded = json.loads(FIGURES.read_text(encoding="utf-8"))
    readme = README.read_text(encoding="utf-8")
    assert with_figures(readme, recorded) == readme
    assert figures(recorded) in readme
    assert recorded["rows"] == read_facts("sobhard").shipped["builtin"].rows == {"test": 825, "shots": 203}
    # The counts of the benchmark's description.
    assert recorded["tiers"]["easy"] == {"long": 80, "medium": 145, "short": 50}
    assert recorded["tiers"]["medium"] == {"long": 175, "medium": 100}
    assert recorded["tiers"]["hard"] == {"long": 245, "medium": 30}
    assert sum(recorded["constraints"].values()) == 8_985
    assert recorded["turns"] == {"patch": 165, "transform": 103}
    assert recorded["answer_in_input"] <= 9
    assert recorded["files"]["most"] <= 93
    assert recorded["over_12000"] * 2 < 825 < recorded["answer_longer_than_source"] * 4
