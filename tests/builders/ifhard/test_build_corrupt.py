"""Targeted corruption: for every type a passing answer and its spoiled twin, which the scorer must tell apart."""

import pytest

from builders.ifhard.corrupt import corrupt
from builders.ifhard.edits import filler, insert, replace, swap
from metrics.ifhard import CATEGORIES, verify

PROSE = "Утром тихо. Кот спит у окна, а я пью чай."
LIST = "- мягкий плед\n- тихий вечер дома"
PASSING = [
    ("structure:word_count", {"op": "eq", "value": 10}, PROSE),
    ("structure:word_count", {"op": "between", "min": 9, "max": 14}, PROSE),
    ("structure:word_count", {"op": "le", "value": 18}, PROSE),
    ("structure:sentence_count", {"op": "eq", "value": 2}, PROSE),
    ("structure:sentence_count", {"op": "le", "value": 4}, PROSE),
    ("structure:paragraph_count", {"op": "eq", "value": 2}, "Раз тихо.\n\nДва тихо."),
    ("structure:char_count", {"op": "eq", "value": 41}, PROSE),
    ("structure:char_count", {"op": "between", "min": 30, "max": 60}, PROSE),
    ("structure:sentence_words", {"each": {"op": "eq", "value": 2}}, "Утром тихо. Кот спит."),
    ("structure:sentence_words", {"each": {"op": "between", "min": 2, "max": 8}}, PROSE),
    ("structure:item_words", {"each": {"op": "between", "min": 2, "max": 3}, "kind": "any"}, LIST),
    ("structure:paragraph_sentences", {"each": {"op": "eq", "value": 1}}, "Раз тихо.\n\nДва тихо."),
    ("structure:ascending_sentences", {"direction": "asc"}, PROSE),
    ("structure:ascending_sentences", {"direction": "desc"}, "Кот спит у окна. Утром тихо."),
    ("structure:items_total_words", {"factor": 2, "kind": "bullet"}, "- мягкий плед\n- тихий вечер"),
    ("structure:item_words_ladder", {"start": 2, "kind": "any"}, LIST),
    ("structure:first_line_count", {}, "2\nУтром тихо."),
    ("structure:checksum", {"kind": "commas"}, "Кот, пёс и я. (1)"),
    ("structure:checksum", {"kind": "words"}, "Утром тихо. (2)"),
    ("structure:word_char_count", {"words": 2, "chars": 11}, "Утром тихо."),
    ("structure:mirror_sentences", {}, "Утром тихо. Кот спит."),
    ("lexical:include_keyword", {"stem": "кот"}, PROSE),
    ("lexical:include_keyword", {"any_stems": ["кот", "пёс"]}, PROSE),
    ("lexical:include_keyword", {"word": "чай"}, PROSE),
    ("lexical:include_all", {"stems": ["кот", "чай"]}, PROSE),
    ("lexical:include_all", {"words": ["окна", "чай"]}, PROSE),
    ("lexical:exclude_word", {"words": ["и", "в"]}, PROSE),
    ("lexical:exclude_word", {"stems": ["по", "пр"]}, PROSE),
    ("lexical:starts_with", {"phrase": "Утром тихо"}, PROSE),
    ("lexical:ends_with", {"phrase": "пью чай"}, PROSE),
    ("lexical:nth_word", {"n": 3, "word": "кот"}, PROSE),
    ("lexical:nth_word_from_end", {"n": 1, "word": "чай"}, PROSE),
    ("lexical:acrostic", {"word": "мт", "kind": "any"}, LIST),
    ("lexical:sentence_acrostic", {"word": "ук"}, PROSE),
    ("lexical:word_exact_count", {"stem": "кот", "count": 1}, PROSE),
    ("lexical:word_cap", {"stem": "п", "cap": 1}, PROSE),
    ("lexical:ring_word", {}, "Окно моет дождь, и я мою окно."),
    ("lexical:paragraph_echo", {}, "Вот мой дом.\n\nЛюблю дом и сад."),
    ("lexical:item_chain", {"kind": "any"}, "- чай и лимон\n- лампа"),
    ("lexical:order_words", {"stem_a": "кот", "stem_b": "чай"}, PROSE),
    ("lexical:alpha_items", {"kind": "any"}, LIST),
    ("lexical:exclude_phrases", {"phrases": ["ст"], "mode": "anywhere"}, PROSE),
    ("lexical:quote_task", {"text": "Опиши дом."}, "Опиши дом.\nДома тихо."),
    ("lexical:anadiplosis", {}, "Вот дом. Дом мой."),
    ("lexical:epiphora", {"unit": "items", "kind": "any"}, "- вечер дома\n- утро дома"),
    ("lexical:epiphora", {"unit": "paragraphs"}, "Я дома.\n\nКот дома."),
    ("lexical:no_repeated_word", {}, PROSE),
    ("lexical:no_repeated_word", {"min_length": 5}, PROSE),
    ("style:forbid_letter", {"letter": "ж"}, PROSE),
    ("style:forbid_letters", {"letters": ["ж", "щ"]}, PROSE),
    ("style:no_commas", {}, "Утром тихо."),
    ("style:comma_count", {"op": "between", "min": 1, "max": 3}, PROSE),
    ("style:no_caps", {}, "утром тихо."),
    ("style:end_punctuation", {"char": "!"}, "Утром тихо!"),
    ("style:sentence_initials", {}, PROSE),
    ("style:letter_start_count", {"letter": "п", "op": "between", "min": 1, "max": 2}, PROSE),
    ("style:anaphora", {}, "Утром тихо.\n\nУтром светло."),
    ("style:no_markdown", {}, PROSE),
    ("style:max_word_length", {"max": 6}, PROSE),
    ("style:question_count", {"op": "eq", "value": 1}, "Кто там? Кот."),
    ("style:exclamation_count", {"op": "eq", "value": 1}, "Как тихо! Кот спит."),
    ("style:no_digits", {"any_words": ["два"]}, "Два кота спят."),
    ("style:no_latin", {"any_stems": ["чат"]}, "Наш чат молчит."),
    ("format:bullet_list", {"op": "eq", "value": 2, "strict": True}, LIST),
    ("format:numbered_list", {"op": "eq", "value": 2, "strict": True}, "1. плед\n2. чай"),
    ("format:json_object", {"keys": ["утро", "день"]}, '{"утро": "чай", "день": "сад"}'),
    (
        "format:json_list_value",
        {"keys": ["утро", "день"], "list_key": "день", "list_items": 2, "max_words": 2},
        '{"утро": "чай", "день": "- сад\\n- дом"}',
    ),
    ("format:json_array", {"items": 1}, '[{"пункт": "тихий вечер", "слов": 2}]'),
    ("format:csv_line", {"fields": 2}, '"чай, горячий", плед'),
    ("format:two_parts", {"items": 2, "sentence_words": 2}, "- плед\n- чай\n\nУтром тихо."),
    ("format:markdown_table", {"rows": 1, "cols": 2}, "| а | б |\n|---|---|\n| в | г |"),
    ("format:bold_words", {"count": 1}, "Утром **тихо** дома."),
    ("format:line_length", {"max": 20}, "Утром тихо.\nКот спит."),
    ("format:hashtags", {"count": 2}, "Утром тихо.\n#чай #плед"),
    ("logic:conditional_include", {"holds": True, "stem": "кот"}, PROSE),
    ("logic:conditional_include", {"holds": False, "stem": "пёс"}, PROSE),
    (
        "logic:conditional_format",
        {"holds": True, "then": {"shape": "bullet_list", "value": 2}, "otherwise": {"shape": "sentences", "value": 5}},
        LIST,
    ),
    (
        "logic:conditional_format",
        {"holds": False, "then": {"shape": "bullet_list", "value": 5}, "otherwise": {"shape": "sentences", "value": 2}},
        PROSE,
    ),
    ("logic:override", {"winner": {"category": "style:no_commas", "params": {}}}, "Утром тихо."),
]


@pytest.mark.parametrize(
    ("category", "params", "text"), PASSING, ids=[f"{category}-{place}" for place, (category, *_) in enumerate(PASSING)]
)
def test_the_answer_passes_and_its_corruption_does_not(category, params, text):
    """Each corruption turns a passing answer into one that the scorer rejects."""
    assert verify(category, params, text).passed, verify(category, params, text).reason
    spoiled = corrupt(category, params, text)
    assert spoiled != text
    assert not verify(category, params, spoiled).passed


def test_every_type_has_a_case():
    """No type's corruption goes untested."""
    assert {category for category, *_ in PASSING} == set(CATEGORIES)


def test_an_unknown_type_has_no_corruption():
    """A type that the registry does not know is refused."""
    with pytest.raises(KeyError):
        corrupt("style:nothing", {}, "Да.")


def test_a_word_goes_between_two_words_of_the_content():
    """An insertion changes the content and leaves JSON or list marks around it whole."""
    assert insert('{"утро": "тихий вечер"}', "вот", 2) == '{"утро": "тихий вот вот вечер"}'
    assert insert("Чай.", "вот") == "Чай. вот"


def test_replacing_keeps_the_marks_around_a_word():
    """Only the word changes, and only as many words as asked."""
    assert replace("Вот **кот**, и котик.", lambda core: core.startswith("кот")) == "Вот **вдобавок**, и вдобавок."
    assert replace("Кот и кот.", lambda core: core == "кот", limit=1) == "вдобавок и кот."


def test_swapping_counts_words_only():
    """A place is counted as the scorer counts it: markers and dashes are no words."""
    assert swap("- Чай — это **дом**.", 2) == "- Чай — это **вдобавок**."


def test_the_filler_is_new_to_the_text():
    """What is put in is not in the text yet, and avoids a letter that would repair the answer."""
    assert filler("Вдобавок темно.") == "кстати"
    assert filler("Тихо.", not_letter="в") == "кстати"
