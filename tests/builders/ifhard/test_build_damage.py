"""Damage by rule: what was broken is recorded, and the scorer finds exactly that."""

import json

import pytest

from builders.ifhard import damage as tool
from builders.ifhard.damage import damage, expectation
from builders.ifhard.dataset_files import make_files, write_files
from metrics.ifhard import score


@pytest.fixture(scope="module")
def folder(built, tmp_path_factory):
    out = tmp_path_factory.mktemp("set")
    write_files(make_files(built, 5), out)
    return out


@pytest.fixture(scope="module")
def material(folder):
    rows = [json.loads(line) for line in (folder / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [json.loads(line) for line in (folder / "witnesses.jsonl").read_text(encoding="utf-8").splitlines()]
    return rows, {line["id"]: line["response"] for line in lines}


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_scorer_finds_the_recorded_share(material, share):
    """The rates that the tool expects are those that the scorer gives, for no, some and all questions broken."""
    rows, witnesses = material
    damaged = damage(rows, witnesses, share, seed=1)
    expected = expectation(damaged)
    scores = [score(row, item.response) for row, item in zip(rows, damaged, strict=True)]
    assert expected["broken"] == round(share * 70)
    assert expected["sample_pass_rate"] == 1 - round(share * 70) / 70
    assert sum(result.sample_pass_rate for result in scores) / 70 == pytest.approx(expected["sample_pass_rate"])
    assert sum(result.constraint_pass_rate for result in scores) / 70 == pytest.approx(expected["constraint_pass_rate"])


def test_the_broken_requirement_is_named_and_fails(material):
    """The requirement recorded as broken is one that the scorer fails."""
    rows, witnesses = material
    for row, item in zip(rows, damage(rows, witnesses, 1.0, seed=2), strict=True):
        result = score(row, item.response)
        failed = {
            category for category, verdict in zip(result.categories, result.verdicts, strict=True) if not verdict.passed
        }
        assert item.broken in failed


def test_the_seed_draws_the_questions(material):
    """The same seed damages the same answers, another seed others."""
    rows, witnesses = material
    assert damage(rows, witnesses, 0.5, seed=1) == damage(rows, witnesses, 0.5, seed=1)
    assert damage(rows, witnesses, 0.5, seed=1) != damage(rows, witnesses, 0.5, seed=2)


def test_the_command_writes_answers_and_expectation(folder, tmp_path, capsys):
    """The command leaves answers that --responses scores, and beside them what to expect."""
    out = tmp_path / "answers.jsonl"
    assert tool.main(["--dataset", str(folder), "--share", "0.5", "--seed", "4", "--out", str(out)]) == 0
    assert capsys.readouterr().err == f"70 answers in {out}, what to expect of them in answers.jsonl.expected.json\n"
    answers = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    expected = json.loads((tmp_path / "answers.jsonl.expected.json").read_text(encoding="utf-8"))
    assert len(answers) == 70
    assert {answer["task"] for answer in answers} == {"ifhard:all"}
    assert expected["broken"] == len(expected["broken_requirements"]) == 35
