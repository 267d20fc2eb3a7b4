"""A requirement that another one implies is found; one that only looks related is not."""

import json

import pytest

from builders.ifhard.implied import implied


def pair(one, other):
    return [{"category": category, "params": params} for category, params in (one, other)]


STEM = ("lexical:include_keyword", {"stem": "плед"})
EXACT = ("lexical:include_keyword", {"word": "пледы"})
ANY = ("lexical:include_keyword", {"any_stems": ["чай", "плед"]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (STEM, EXACT),
        (STEM, ("lexical:starts_with", {"phrase": "Мой плед"})),
        (STEM, ("lexical:ends_with", {"phrase": "мой старый плед"})),
        (STEM, ("lexical:nth_word", {"n": 3, "word": "плед"})),
        (STEM, ("lexical:nth_word_from_end", {"n": 3, "word": "пледом"})),
        (STEM, ("lexical:word_exact_count", {"stem": "плед", "count": 2})),
        (STEM, ("lexical:order_words", {"stem_a": "чай", "stem_b": "плед"})),
        (STEM, ("lexical:quote_task", {"text": "Опиши свой плед."})),
        (STEM, ("format:json_object", {"keys": ["плед", "чай"]})),
        (STEM, ("format:bold_words", {"count": 1, "stems": ["плед"]})),
        (STEM, ("logic:conditional_include", {"holds": True, "stem": "плед"})),
        (ANY, STEM),
        (EXACT, ("lexical:include_all", {"words": ["чай", "Пледы"]})),
        (("lexical:include_all", {"stems": ["чай", "плед"]}), STEM),
        (("lexical:include_all", {"words": ["чай", "плед"]}), ("lexical:nth_word", {"n": 2, "word": "чай"})),
        (("logic:conditional_include", {"holds": True, "stem": "плед"}), EXACT),
        (("logic:conditional_include", {"holds": False, "stem": "плед"}), ("style:forbid_letter", {"letter": "д"})),
        (("logic:conditional_include", {"holds": False, "stem": "плед"}), ("lexical:exclude_word", {"stems": ["пл"]})),
        (("lexical:exclude_word", {"words": ["на", "и"]}), ("lexical:exclude_phrases", {"phrases": ["на"]})),
        (("lexical:exclude_word", {"words": ["по", "и"]}), ("lexical:exclude_word", {"stems": ["по"]})),
        (("lexical:exclude_word", {"stems": ["при", "за"]}), ("style:forbid_letters", {"letters": ["р", "ж"]})),
        (("lexical:exclude_phrases", {"phrases": ["ст"]}), ("style:forbid_letter", {"letter": "с"})),
        (("lexical:word_cap", {"stem": "по", "cap": 1}), ("lexical:exclude_phrases", {"phrases": ["по"]})),
        (
            ("style:letter_start_count", {"letter": "в", "op": "le", "value": 2}),
            ("style:forbid_letter", {"letter": "в"}),
        ),
    ],
)
def test_what_is_implied_is_found_in_either_order(one, other):
    """The requirement that asks for nothing is named."""
    for constraints in (pair(one, other), pair(other, one)):
        assert any(found.startswith(f"{one[0]}: ") for found in implied(constraints))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (STEM, ("lexical:include_keyword", {"word": "чай"})),
        (EXACT, ("lexical:starts_with", {"phrase": "Мои пледы"})),  # the answer may go on with «пледышко»
        (EXACT, ("lexical:ends_with", {"phrase": "пледы мои"})),
        (STEM, ("logic:conditional_include", {"holds": False, "stem": "плед"})),
        (("lexical:word_cap", {"stem": "п", "cap": 1}), ("lexical:exclude_word", {"stems": ["по"]})),
        (("lexical:exclude_word", {"words": ["на"]}), ("lexical:word_cap", {"stem": "на", "cap": 1})),
        (("lexical:exclude_word", {"words": ["на"]}), ("style:forbid_letter", {"letter": "о"})),
        (("structure:word_count", {"op": "eq", "value": 9}), ("structure:char_count", {"op": "eq", "value": 60})),
    ],
)
def test_what_still_asks_for_something_is_kept(one, other):
    """Related is not implied."""
    assert implied(pair(one, other)) == []


SIX_OR_SEVEN = ("structure:sentence_words", {"each": {"op": "between", "min": 6, "max": 7}})
TWO_OR_THREE = ("structure:item_words", {"each": {"op": "between", "min": 2, "max": 3}, "kind": "any"})
BRANCHES = {"then": {"shape": "paragraphs", "value": 2}, "otherwise": {"shape": "bullet_list", "value": 4}}


@pytest.mark.parametrize(
    ("units", "low", "high"),
    [
        ([("structure:sentence_count", {"value": 5}), SIX_OR_SEVEN], 30, 35),
        ([("lexical:sentence_acrostic", {"word": "город"}), SIX_OR_SEVEN], 30, 35),
        (
            [
                ("structure:paragraph_count", {"value": 5}),
                ("structure:paragraph_sentences", {"each": {"value": 2}}),
                SIX_OR_SEVEN,
            ],
            60,
            70,
        ),
        (
            [
                ("logic:override", {"winner": {"category": "structure:sentence_count", "params": {"value": 4}}}),
                SIX_OR_SEVEN,
            ],
            24,
            28,
        ),
        # A number before an item is a word; a bullet is none.
        ([("format:numbered_list", {"value": 4, "strict": True}), TWO_OR_THREE], 8, 16),
        ([("lexical:acrostic", {"word": "сосна", "kind": "any"}), TWO_OR_THREE], 10, 20),
        ([("logic:conditional_format", {"holds": False, **BRANCHES}), TWO_OR_THREE], 8, 16),
    ],
)
def test_a_total_of_words_follows_from_the_units_and_the_words_of_each(units, low, high):
    """A total that is as wide is implied, one that is narrower at either end is not."""

    def found(least, most):
        total = ("structure:word_count", {"op": "between", "min": least, "max": most})
        return implied([{"category": category, "params": params} for category, params in (*units, total)])

    assert [line.partition(": ")[0] for line in found(low, high)] == ["structure:word_count"]
    assert found(low + 1, high) == found(low, high - 1) == []


def test_both_letters_of_the_fold_leave_no_e():
    """With «е» and «ё» banned no word has either; without «е» alone a «ё» is left, and words equal either."""
    words = ("lexical:exclude_word", {"words": ["не", "и"]})
    assert implied(pair(("style:forbid_letter", {"letter": "е"}), words)) == []
    assert implied(pair(("style:forbid_letters", {"letters": ["е", "ё"]}), words)) != []


def test_no_committed_question_asks_twice(committed):
    """Each requirement of each question asks for something that the others leave open."""
    test, shots, _ = committed
    assert [found for row in (*test, *shots) for found in implied(json.loads(row["meta"]["constraints"]))] == []


def test_a_count_that_the_build_never_asks_for_is_named():
    """At least five words are not taken for exactly five."""
    many = {"category": "structure:word_count", "params": {"op": "ge", "value": 5}}
    with pytest.raises(ValueError, match="no count with ge"):
        implied([many, *pair(("structure:sentence_count", {"value": 1}), SIX_OR_SEVEN)])
