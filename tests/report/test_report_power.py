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


def test_a_difference_needs_its_discordance(capsys):
    """Runs that disagree on 30% cannot differ by 50 points; where no discordance is given it is as large as needed."""
    assert planned(capsys, "--difference", 0.5)["discordance"] == 0.5
    assert planned(capsys, "--difference", 0.5, "--discordance", 0.5)["questions"] == 16  # 2.8016**2 / 0.5 = 15.7
    assert planned(capsys, "--difference", 1)["questions"] == 8  # 2.8016**2 = 7.8
    for discordance, share in ((0.3, "30.0%"), (0, "0.0%")):
        assert command("power", "--difference", 0.5, "--discordance", discordance) == 2
        said = capsys.readouterr().err
        assert f"disagree on {share} of the questions cannot differ by 50.0 points: --discordance 0.5 is" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ("--difference", "1e-300"),
        ("--difference", "5e-324"),
        ("--difference", "0.03", "--questions", "9" * 400),
        ("--difference", "1e-200", "--questions", "1"),
    ],
)
def test_numbers_beyond_all_counting(capsys, arguments):
    """One line, no traceback."""
    assert command("power", *arguments) == 2
    assert "too large" in capsys.readouterr().err


def test_one_question(capsys):
    """It shows nothing, not a difference of 280 points."""
    assert command("power", "--difference", 0.03, "--questions", 1) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.split()[0] == "yours")
    assert row.split() == ["yours", "1", "larger", "than", "any", "2617"]


def test_words(capsys):
    """All of it in a few lines."""
    assert command("power", "--difference", 0.03, "--questions", 1260, "--within", 0.5) == 0
    said = capsys.readouterr().out
    assert "a difference of 3.0 points" in said
    assert "2617 questions find it at 80%" in said
    assert "none are enough" in said
