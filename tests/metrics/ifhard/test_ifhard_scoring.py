"""Scores of one answer and of a run, by hand; scoring keys and rows; what importing the package costs."""

import json
import logging
import math
import subprocess
import sys
from pathlib import Path

import pytest

from metrics import ifhard
from metrics.ifhard.scoring import balance, tally

NO_COMMAS = {"category": "style:no_commas", "family": "style", "params": {}, "is_terminal": False}
TWO_WORDS = {"category": "structure:word_count", "family": "structure", "params": {"value": 2}}
NO_DIGITS = {"category": "style:no_digits", "family": "style", "params": {}}
STACK = [NO_COMMAS, TWO_WORDS, NO_DIGITS]


def row(constraints, **meta):
    """A dataset row with its key as the dataset has it: JSON in a string."""
    return {"meta": {"constraints": json.dumps(constraints), **meta}}


def test_a_perfect_answer():
    """All requirements met: both rates are one, and the verdicts stand in stack order."""
    score = ifhard.score(row(STACK), "<think>5, 6</think>Кот спит.")
    assert score.categories == ["style:no_commas", "structure:word_count", "style:no_digits"]
    assert [verdict.passed for verdict in score.verdicts] == [True, True, True]
    assert (score.answer, score.trace, score.empty, score.unclosed_reasoning) == ("Кот спит.", "5, 6", False, False)
    assert (score.sample_pass_rate, score.constraint_pass_rate) == (1.0, 1.0)


def test_two_of_three():
    """One requirement missed: nothing of the first rate, two thirds of the second."""
    score = ifhard.score(row(STACK), "Кот, пёс.")
    assert [verdict.passed for verdict in score.verdicts] == [False, True, True]
    assert score.sample_pass_rate == 0.0
    assert score.constraint_pass_rate == pytest.approx(2 / 3, abs=1e-12)


@pytest.mark.parametrize(
    "raw", [None, "", " \n", "<think>Кот спит.</think>\n"], ids=["null", "nothing", "blank", "reasoning alone"]
)
def test_an_empty_answer(raw):
    """An empty answer has no share of requirements and fails, though some bans hold on it."""
    score = ifhard.score(row(STACK), raw)
    assert (score.answer, score.empty) == ("", True)
    assert (score.sample_pass_rate, score.constraint_pass_rate) == (0.0, None)
    assert [verdict.passed for verdict in score.verdicts] == [True, False, True]


def test_an_empty_answer_that_meets_everything_still_fails():
    """Silence is no way to follow bans."""
    assert ifhard.score(row([NO_COMMAS]), "").sample_pass_rate == 0.0


def test_an_open_block_is_scored_and_counted():
    """Reasoning that was cut off is scored as it stands and marked."""
    score = ifhard.score(row(STACK), "<think>Кот спит, 5")
    assert score.unclosed_reasoning
    assert score.answer == "Кот спит, 5"
    assert score.sample_pass_rate == 0.0


@pytest.mark.parametrize("raw", ["Кот спит.", ""], ids=["text", "empty"])
def test_no_requirements(raw):
    """Without requirements both rates are zero, not null, even for an empty answer."""
    score = ifhard.score(row([]), raw)
    assert (score.verdicts, score.sample_pass_rate, score.constraint_pass_rate) == ([], 0.0, 0.0)


def test_keys_in_every_form_score_alike():
    """A string or a list, nested or flattened."""
    scores = [
        ifhard.score(form, "Кот спит.")
        for form in (
            {"meta": {"constraints": STACK}},
            {"meta": {"constraints": json.dumps(STACK)}},
            {"meta.constraints": STACK},
            {"meta.constraints": json.dumps(STACK)},
        )
    ]
    assert all(score == scores[0] for score in scores)
    assert ifhard.score_constraints(ifhard.parse_constraints(STACK), "Кот спит.") == scores[0]


def test_the_requirements_of_a_stack_share_one_text():
    """A verdict in a stack equals the verdict alone, whatever was computed before it."""
    stack = [
        {"category": name, "family": name.split(":")[0], "params": params}
        for name, params in (
            ("structure:sentence_words", {"each": {"value": 2}}),
            ("structure:item_words", {"each": {"value": 2}}),
            ("lexical:include_keyword", {"stem": "кот"}),
            ("lexical:word_exact_count", {"stem": "кот", "count": 2}),
            ("structure:paragraph_count", {"value": 2}),
            ("structure:item_words", {"each": {"value": 2}, "kind": "numbered"}),
            ("lexical:ring_word", {}),
            ("format:line_length", {"max": 9}),
            ("format:hashtags", {"count": 1}),
        )
    ]
    text = "- Кот спит.\n- Котик ест.\n\nСпит кот."
    for order in (stack, stack[::-1]):
        score = ifhard.score(row(order), text)
        alone = [ifhard.verify(entry["category"], entry["params"], text) for entry in order]
        assert score.verdicts == alone
    assert {verdict.passed for verdict in alone} == {True, False}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "blank"),
        (" \n", "blank"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not a list"),
        ("null", "not a list"),
        (None, "not a list"),
        (5, "not a list"),
        ('["style:no_commas"]', "not an object"),
        ([{"family": "style", "params": {}}], "no category"),
        ([{"category": "style:no_commas", "params": {}}], "no family"),
        ([NO_COMMAS, {"category": None, "family": "style"}], "constraint 2 has no category"),
    ],
)
def test_keys_that_stop_the_run(value, problem):
    """A key that cannot be read is an error with the row named, never a question without requirements."""
    with pytest.raises(ifhard.ParamsError, match=problem) as caught:
        ifhard.parse_constraints(value)
    assert caught.value.parameter == "meta.constraints"
    with pytest.raises(ifhard.ParamsError, match=problem):
        ifhard.score({"meta": {"constraints": value}}, "Кот.")
    with pytest.raises(ifhard.ParamsError, match=f"^row a1b2.*{problem}"):
        ifhard.check_row({"meta": {"constraints": value, "base_id": "a1b2"}})


@pytest.mark.parametrize("bad", [{}, {"meta": {}}, {"meta": None}, {"inputs": {"question": "?"}}])
def test_rows_without_a_key(bad):
    """A row without a scoring key is an error."""
    with pytest.raises(ifhard.ParamsError, match=r"meta\.constraints"):
        ifhard.check_row(bad)


def test_a_legal_row_gives_its_constraints():
    """What is read is what is scored; an empty list is legal, and the terminal flag is carried."""
    constraints = ifhard.check_row(row([{**NO_COMMAS, "is_terminal": True}, TWO_WORDS]))
    assert constraints == [
        ("style:no_commas", "style", {}, True),
        ("structure:word_count", "structure", {"value": 2}, False),
    ]
    assert ifhard.check_row(row([])) == []


@pytest.mark.parametrize(
    ("meta", "name"),
    [({"base_id": "f00d", "id": 7}, "f00d"), ({"id": 7}, "7"), ({}, "without id")],
)
def test_a_bad_parameter_names_row_category_and_parameter(meta, name):
    """The error at loading says where to look."""
    bad = row(
        [NO_COMMAS, {"category": "lexical:nth_word", "family": "lexical", "params": {"n": "два", "word": "кот"}}],
        **meta,
    )
    with pytest.raises(ifhard.ParamsError) as caught:
        ifhard.check_row(bad)
    assert (caught.value.row, caught.value.category, caught.value.parameter) == (name, "lexical:nth_word", "n")
    assert str(caught.value).startswith(f"row {name}: lexical:nth_word: parameter 'n': is not an integer")


def test_flattened_rows_are_named_too():
    """A flattened row has its id under a dotted name."""
    with pytest.raises(ifhard.ParamsError, match="row f00d"):
        ifhard.check_row({"meta.base_id": "f00d", "meta.constraints": ""})


def test_bad_constraints_fail_while_scoring_and_are_logged(caplog):
    """Once scoring, an error is a fail with a warning, and the type still counts."""
    stack = [
        {"category": "structure:word_count", "family": "structure"},
        {"category": "structure:words", "family": "structure", "params": {}},
        {"category": "structure:word_count", "family": "other", "params": {"op": "EQ", "value": 2}},
        NO_COMMAS,
    ]
    with caplog.at_level(logging.WARNING, logger="metrics.ifhard"):
        score = ifhard.score(row(stack), "Кот спит.")
    assert [verdict.code for verdict in score.verdicts] == [
        "invalid-params",
        "unknown-category",
        "invalid-params",
        "ok",
    ]
    assert score.categories == [entry["category"] for entry in stack]
    assert score.constraint_pass_rate == 0.25
    assert len(caplog.records) == 3


def verdicts(**counts):
    """A question's verdicts: passed and failed counts by one-letter category."""
    return [(name, ok) for name, (passed, failed) in counts.items() for ok in [True] * passed + [False] * failed]


def test_a_run_by_hand():
    """Three questions: 1 of 1, 1 of 2, and an empty one that counts in the first mean and in the share alone."""
    samples = [(False, [("a", True)]), (False, [("a", True), ("b", False)]), (True, [("a", True), ("b", True)])]
    assert ifhard.aggregate(samples) == pytest.approx(
        {"sample_pass_rate": 1 / 3, "constraint_pass_rate": 0.75, "balance_score": 0.0, "empty_share": 1 / 3}, abs=1e-12
    )
    assert tally(samples) == {"a": (2, 2), "b": (0, 1)}


def test_objects_count_like_tuples():
    """Samples may be objects with lists, as results files hold them."""
    samples = [(False, verdicts(a=(4, 1))), (True, [])]
    objects = [
        {"empty": False, "verdicts": [list(pair) for pair in verdicts(a=(4, 1))]},
        {"empty": True, "verdicts": []},
    ]
    assert ifhard.aggregate(objects) == ifhard.aggregate(samples)
    assert ifhard.aggregate(iter(samples)) == ifhard.aggregate(samples)


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ({"a": (5, 0)}, 1.0),
        ({"a": (4, 0)}, 0.0),
        ({"a": (4, 1)}, 0.8),
        ({"a": (4, 1), "b": (1, 4)}, 0.4),
        ({"a": (4, 1), "b": (4, 0)}, 0.8),
        ({"a": (0, 5)}, 0.01),
        ({"a": (5, 0), "b": (0, 5)}, 0.1),
        ({"a": (1, 199)}, 0.01),
        ({"a": (3, 197)}, 0.015),
        ({"a": (8, 0), "b": (8, 0), "c": (1, 7)}, 0.5),
        ({}, 0.0),
    ],
)
def test_balance_by_hand(counts, value):
    """The geometric mean of rates of at least 0.01, over types of at least five verdicts: sqrt(0.8 * 0.2) = 0.4."""
    samples = [(False, verdicts(**counts))]
    assert ifhard.aggregate(samples)["balance_score"] == pytest.approx(value, abs=1e-12)
    found = balance(tally(samples))
    assert found == pytest.approx(value, abs=1e-12) if value else found is None


def test_verdicts_add_up_over_questions():
    """A type's five verdicts may stand in five questions; those of empty answers do not count."""
    samples = [(False, [("a", True)])] * 4 + [(False, [("a", False)]), (True, [("a", False)])]
    assert ifhard.aggregate(samples)["balance_score"] == pytest.approx(0.8, abs=1e-12)


def test_constraint_rate_gives_each_question_one_vote():
    """Macro, not micro: (1 + 0) / 2, not 1 / 5."""
    samples = [(False, [("a", True)]), (False, [("a", False)] * 4)]
    assert ifhard.aggregate(samples)["constraint_pass_rate"] == 0.5


def test_nothing_to_average_is_the_official_zero():
    """The contract's own values for runs without answers."""
    zeros = {"sample_pass_rate": 0.0, "constraint_pass_rate": 0.0, "balance_score": 0.0}
    assert ifhard.aggregate([]) == {**zeros, "empty_share": 0.0}
    assert ifhard.aggregate([(True, [("a", True)])]) == {**zeros, "empty_share": 1.0}
    assert ifhard.aggregate([(False, []), (False, [("a", True)])])["constraint_pass_rate"] == 0.5


def test_order_of_questions_does_not_matter():
    """Sums are exact, so a shuffled run has the same bytes."""
    samples = [(False, [("a", i % 3 == 0), ("b", i % 7 == 0), (f"c{i % 5}", True)]) for i in range(50)]
    assert ifhard.aggregate(samples) == ifhard.aggregate(samples[::-1])
    assert all(math.isfinite(value) for value in ifhard.aggregate(samples).values())


def test_the_registry_is_whole():
    """64 types in five families, each with a sentence and a verifier of its own; the table cannot be changed."""
    sizes = {"structure": 14, "lexical": 21, "style": 15, "format": 11, "logic": 3}
    families = [category.family for category in ifhard.CATEGORIES.values()]
    assert {family: families.count(family) for family in sizes} == sizes
    assert len(ifhard.CATEGORIES) == 64
    assert len({category.verify for category in ifhard.CATEGORIES.values()}) == 64
    assert all(name == category.id for name, category in ifhard.CATEGORIES.items())
    assert all(category.description.endswith(".") for category in ifhard.CATEGORIES.values())
    with pytest.raises(TypeError):
        ifhard.CATEGORIES["style:new"] = None


def test_importing_is_light():
    """The package loads without LightEval, torch or NumPy."""
    heavy = "[name for name in ('lighteval', 'torch', 'numpy') if name in sys.modules]"
    code = f"import sys; from metrics import ifhard; print({heavy})"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
