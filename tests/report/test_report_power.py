"""How large a run must be."""

import json

import pytest
from report_runs import command


def planned(capsys, *arguments):
    """The JSON of ``report power``."""
    assert command("power", *arguments, "--json", "-") == 0
    return json.loads(capsys.readouterr().out)


def test_questions(capsys):
    """Three points at 30% discordance: 0.3 * (2.8016 / 0.03)**2 = 2616.3."""
    found = planned(capsys, "--difference", 0.03)
    assert found["questions"] == 2617
    assert found["discordance"] == 0.3
    assert found["sets"]["ifhard builtin"]["smallest_difference"] == pytest.approx(
        2.8016 * (0.3 / 1260) ** 0.5, abs=1e-5
    )
    # At best, each answer more divides the variance: 2617 / 1260.
    assert found["repeats"]["ifhard builtin"] == 3
    assert planned(capsys, "--difference", 0.03, "--discordance", 0.1)["questions"] == 873


def test_repeats_help_with_their_part_alone(capsys):
    """1,260 questions allow a variance of 0.1445: with 0.15 that repeats leave alone none are enough."""
    options = ["--difference", 0.03, "--questions", 1260]
    assert planned(capsys, *options)["repeats"] == {"yours": 3}
    assert planned(capsys, *options, "--within", 0.5)["repeats"] == {"yours": None}
    # 0.3 * (0.4 + 0.6 / K) <= 0.1445 from K = 7.35 on.
    assert planned(capsys, *options, "--within", 0.6)["repeats"] == {"yours": 8}


def test_words(capsys):
    """All of it in a few lines."""
    assert command("power", "--difference", 0.03, "--questions", 1260, "--within", 0.5) == 0
    said = capsys.readouterr().out
    assert "a difference of 3.0 points" in said
    assert "2617 questions find it at 80%" in said
    assert "none are enough" in said
