"""The sample set of this project: complete, consistent with itself, and its facts can be looked up."""

import json
import re
from collections import Counter
from pathlib import Path

import datasets
import pytest

from metrics.hardmultiqa import decide, parse_key, question_options
from tasks.benchmark import DatasetRequest
from tasks.folders import config_name
from tasks.hardmultiqa.dataset import BUILTIN, HardMultiQALoader, load_dataset
from tasks.hardmultiqa.names import OPTIONS, TASK_VALUES, TYPES
from tasks.hardmultiqa.rows import read_question

SPLITS = {"test": 8, "fewshot": 5}
ROWS = {
    split: [json.loads(line) for line in (BUILTIN / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]
    for split in SPLITS
}
QUESTIONS = [read_question(row) for split in SPLITS for row in ROWS[split]]
IDS = [f"{question.kind}-{question.id}" for question in QUESTIONS]


def test_it_loads():
    """All of it passes the checks that any dataset passes."""
    handle = load_dataset(DatasetRequest("builtin", Path("/nonexistent")))
    assert handle.questions["hardmultiqa:all:pretrain"] == 40
    assert handle.shots == 5


@pytest.mark.parametrize(("split", "least"), SPLITS.items())
def test_every_type_is_there(split, least):
    """At least eight questions and exactly five demonstrations a type."""
    counts = Counter(row["task"] for row in ROWS[split])
    assert set(counts) == set(TASK_VALUES.values())
    assert all(count >= least if split == "test" else count == least for count in counts.values())


def test_rows_are_in_the_form_that_is_kept():
    """So the shipped files need no copy."""
    for split in SPLITS:
        for row in ROWS[split]:
            assert read_question(row).row() == row


def test_the_card_belongs_to_the_files():
    """Changed data with an old card would be answered from a cache."""
    texts = {split: (BUILTIN / f"{split}.jsonl").read_text(encoding="utf-8") for split in SPLITS}
    assert (BUILTIN / "README.md").read_text(encoding="utf-8") == HardMultiQALoader.card(texts)


def test_a_card_names_the_splits_that_are_there(tmp_path, monkeypatch):
    """Other content, another config: no cache mistakes one set for another."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    names = set()
    for value in (1, 2):
        text = json.dumps({"a": value}) + "\n"
        (tmp_path / "test.jsonl").write_text(text, encoding="utf-8")
        (tmp_path / "README.md").write_text(HardMultiQALoader.card({"test": text, "fewshot": ""}), encoding="utf-8")
        names.add(config_name(tmp_path))
        loaded = datasets.load_dataset(str(tmp_path), config_name(tmp_path), cache_dir=str(tmp_path / "cache"))
        assert dict(loaded) == {"test": loaded["test"]}
        assert loaded["test"][0] == {"a": value}
    assert len(names) == 2


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_wording(question):
    """Plain Russian in one alphabet, no stray space, and the question says what form its answer takes."""
    tasks = {
        OPTIONS: "В ответе укажи только их номера.",
        "open": "Дай короткий однозначный ответ.",
        "strict-list": "лишние элементы считаются ошибкой.",
        "not-strict-list": "дополнительные верные элементы ошибкой не считаются.",
        "mistakes": "Найди в тексте фактические ошибки и исправь каждую",
    }
    assert tasks[question.kind] in question.text
    for text in (question.text, *question.reference):
        assert text == text.strip()
        assert "  " not in text
        assert not re.search("[А-Яа-яЁё][A-Za-z]|[A-Za-z][А-Яа-яЁё]", text)
        assert text.count("«") == text.count("»")


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_references_fit_their_type(question):
    """Options: neither none nor all. Lists: several elements. Mistakes: a correction each, and the text holds it."""
    if question.kind == OPTIONS:
        options = question_options(question.text)
        assert 0 < len(question.reference) < len(options)
        key = parse_key(question.scoring())
        assert decide(", ".join(question.reference), key.options) == key.right_options
    if question.kind == "open":
        assert len(question.reference) == 1
        assert question.reference[0].lower() not in question.text.lower()
    if question.kind in ("strict-list", "not-strict-list"):
        assert len(question.reference) > 1
    if question.kind == "mistakes":
        for correction in question.reference:
            wrong, arrow, right = correction.partition(" → ")
            assert arrow
            assert wrong != right


def test_no_question_is_asked_twice():
    """Also not in another type."""
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS)
    assert all(Counter(question.kind for question in QUESTIONS)[kind] >= 13 for kind in TYPES)


def test_every_fact_can_be_looked_up():
    """``facts.md`` has each question's fact and article, and nothing else."""
    lines = (BUILTIN / "facts.md").read_text(encoding="utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| [0-9a-f]{12} ", line)
    ]
    assert [row[0] for row in cells] == [question.id for question in QUESTIONS]
    assert [row[1] for row in cells] == [TASK_VALUES[question.kind] for question in QUESTIONS]
    for _, _, fact, article in cells:
        assert fact.endswith(".")
        assert article.startswith("«")
