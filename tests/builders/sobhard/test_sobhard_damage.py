"""Wrong answers made on purpose: each constraint refuses its own, whatever the family and the target."""

import json
import random
from itertools import islice

import pytest
from sobhard_docs import split_rows

from builders.sobhard.damage import main, wrong_answers
from builders.sobhard.rows import fenced
from builders.sobhard.spoilers import SPOILERS, Spoiled
from metrics import sobhard
from metrics.sobhard.targets import TARGETS, parse
from tasks.sobhard.dataset import BUILTIN_SMALL

TEST = split_rows("test")


def test_every_constraint_refuses_something():
    """All 31, over the small set."""
    refused = {wrong.constraint for row in TEST for wrong in wrong_answers(random.Random(1), row)}
    assert refused == set(sobhard.CONSTRAINTS)


@pytest.mark.parametrize("row", TEST, ids=lambda row: row["meta"]["base_id"])
def test_each_question_refuses_five_wrong_answers_by_name(row):
    """The constraint that an answer breaks is among those that fail."""
    found = list(islice(wrong_answers(random.Random(7), row), 5))
    assert len({wrong.constraint for wrong in found}) == 5
    for wrong in found:
        score = sobhard.score(row, wrong.answer)
        assert not score.constraints[wrong.constraint].passed
        assert score.metrics["sample_pass_rate"] == 0.0


@pytest.mark.parametrize("name", SPOILERS)
def test_a_spoiler_leaves_the_value_as_it_was(name):
    """Whoever takes one answer and no more has not spoiled what the next constraint starts from."""
    for row in TEST:
        meta = row["meta"]
        value = parse(TARGETS[meta["categories"]["target_format"]], meta["reference"]).value
        spoiled = Spoiled(random.Random(1), row, value, json.loads(meta["task_meta"]), json.loads(meta["checks"]))
        if sobhard.score(row, fenced(row, meta["reference"])).constraints[name] is not None:
            answers = SPOILERS[name](spoiled)
            next(answers, None)
            answers.close()
            assert json.dumps(value) == json.dumps(parse(TARGETS[spoiled.target], meta["reference"]).value)


def test_the_same_seed_gives_the_same_answers():
    """And another one others."""
    one, same, other = (list(wrong_answers(random.Random(seed), TEST[0])) for seed in (3, 3, 4))
    assert one == same != other


def test_the_command_counts_what_was_refused(capsys):
    """Over a built set."""
    assert main([str(BUILTIN_SMALL), "--limit", "4"]) == 0
    assert "    20 wrong answers refused\n" in capsys.readouterr().out


def test_the_command_names_a_question_that_refuses_too_little(tmp_path, capsys, monkeypatch):
    """Exit status 1."""
    monkeypatch.setattr("builders.sobhard.damage._EACH", 99)
    (tmp_path / "test.jsonl").write_text(json.dumps(TEST[0]) + "\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert f"question {TEST[0]['meta']['id']} refuses" in capsys.readouterr().out


def test_an_answer_is_fenced_with_the_tag_of_its_row():
    """As the prompt demands."""
    assert fenced(TEST[0], "x") == f"```{TEST[0]['meta']['fence_tag']}\nx\n```"
