"""What the table says."""

import dataclasses

import pytest

from metrics.stats import Interval
from metrics.summary import Counts, Headline, Summary
from runner.table import TaskResult, render_table
from tasks.names import TaskName


def make(counts, headlines, **changes):
    tiers = {"tier": {"easy": {"n": 4, "sample_pass_rate": 0.5, "constraint_pass_rate": None}}}
    fields = {
        "name": TaskName("ifhard", "all"),
        "summary": Summary(headlines, counts, tiers),
        "available": 1260,
        "questions": 10,
        "repeats": 1,
        "smoke": True,
        "dataset": "builtin, test sha256 0123456789ab",
        "scorer": "1-0",
        "axis": ("tier", ("sample_pass_rate", "constraint_pass_rate")),
    } | changes
    return render_table({"Model": "m", "Generation": "greedy"}, [TaskResult(**fields)], [], [])


FULL = Counts(total=10, answered=10, failed=0, not_asked=0, unscored=0, empty=0, truncated=3, unclosed_reasoning=1)
PART = Counts(total=10, answered=7, failed=2, not_asked=1, unscored=0, empty=1, truncated=0, unclosed_reasoning=0)


def test_a_complete_smoke_run():
    """Interval, coverage, shares, the smoke mark and what the score is comparable with."""
    text = make(FULL, (Headline("sample_pass_rate", 0.3, Interval(0.1, 0.6), 10),))
    assert "SMOKE RUN of 10 of 1260 questions" in text
    assert "INCOMPLETE" not in text
    assert "0.3000" in text
    assert "[0.1000, 0.6000]" in text
    assert "10/10 (100.0%)" in text
    assert "3 truncated at the token cap (30.0%)" in text
    assert "1 with unclosed reasoning (10.0%)" in text
    assert "comparable with: dataset builtin, test sha256 0123456789ab; scorer 1-0" in text


@pytest.mark.parametrize(("interval", "said"), [((1.0, 1.0), True), ((0.9, 1.0), False), (None, False)])
def test_an_interval_without_width_is_told(interval, said):
    """All questions of a bootstrap agree: the point is no certainty. Comparisons say so too."""
    ends = None if interval is None else Interval(*interval)
    headlines = (
        Headline("sample_pass_rate", 1.0, Interval(0.7, 1.0), 10, method="Wilson"),
        Headline("balance_score", 1.0, ends, 10, method="bootstrap"),
    )
    words = "  balance_score: all resamples agree, so that its interval shows none of the doubt that remains"
    assert (words in make(FULL, headlines).splitlines()) == said


def test_an_incomplete_run_shows_bounds():
    """Below full coverage the row shows both bounds and the word INCOMPLETE."""
    text = make(PART, (Headline("sample_pass_rate", 3 / 7, Interval(0.1, 0.8), 7, bounds=(0.3, 0.6)),), smoke=False)
    assert "INCOMPLETE: 0.3000 to 0.6000, missing samples taken as 0 and as 1" in text
    assert "7/10 (70.0%)" in text
    assert "2 failed, 1 not asked, 0 not scored" in text
    assert "10 of 1260 questions" in text
    assert "hint:" not in text


def test_an_undefined_value_is_not_a_number():
    """n/a with the reason, never 0."""
    text = make(FULL, (Headline("balance_score", None, None, 10, note="no requirement type has 5 verdicts yet"),))
    row = next(line for line in text.splitlines() if "balance_score" in line)
    assert "n/a" in row
    assert "no requirement type has 5 verdicts yet" in row
    assert "0.0000" not in row
    tier = next(line for line in text.splitlines() if line.strip().startswith("easy"))
    assert tier.split() == ["easy", "4", "0.5000", "n/a"]


@pytest.mark.parametrize(
    ("questions", "shown"), [(1260, "4.3 points"), (825, "5.3 points"), (100, "15.3 points"), (1, "larger than any")]
)
def test_the_power_line(questions, shown):
    """2.80 times the root of the discordance over the number of questions."""
    counts = dataclasses.replace(FULL, total=questions, answered=questions)
    text = make(counts, (Headline("sample_pass_rate", 0.3, Interval(0.1, 0.6), 10),), questions=questions)
    assert f"two runs over {questions} questions show at 80%: {shown} (30% discordance)" in text


@pytest.mark.parametrize(("answered", "repeats", "over"), [(60, 1, 60), (60, 2, 30), (61, 2, 31), (0, 1, None)])
def test_the_power_line_counts_questions_with_a_verdict(answered, repeats, over):
    """What has no verdict shows no difference."""
    counts = dataclasses.replace(PART, total=1260 * repeats, answered=answered)
    text = make(counts, (Headline("sample_pass_rate", None, None, 0),), questions=1260, repeats=repeats)
    assert ("two runs over" in text) is (over is not None)
    assert over is None or f"two runs over {over} questions" in text
