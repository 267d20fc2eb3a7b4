"""One small build and the committed one, shared by the tests of the generator."""

import json
from pathlib import Path

import pytest

from builders.ifhard.bank import load_bank
from builders.ifhard.catalogue import load_catalogue
from builders.ifhard.pipeline import build_questions

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tasks" / "ifhard" / "data"


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def bank():
    return load_bank()


@pytest.fixture(scope="session")
def catalogue():
    return load_catalogue()


@pytest.fixture(scope="session")
def built():
    """Seventy questions of seed 5 and their shots."""
    return build_questions(5, 70)


@pytest.fixture(scope="session")
def committed():
    """Rows and witnesses of the dataset in the repository."""
    witnesses = {line["id"]: line["response"] for line in read_lines(DATA / "witnesses.jsonl")}
    return read_lines(DATA / "test.jsonl"), read_lines(DATA / "shots.jsonl"), witnesses
