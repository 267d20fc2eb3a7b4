"""Reading wordings back: every kind of disagreement with the parameters is found."""

import pytest

from builders.ifhard.readback import readback

NOTHING = frozenset()


def read(category, params, line, task="Опиши дом.", shown=NOTHING):
    return readback(category, params, line, task, shown)


EXACT = {"op": "eq", "value": 21}


@pytest.mark.parametrize(
    ("category", "params", "line"),
    [
        ("structure:word_count", EXACT, "Ровно 21 слово."),
        ("structure:word_count", {"op": "between", "min": 2, "max": 4}, "Слов — от 2 до 4."),
        ("structure:word_count", {"op": "le", "value": 5}, "Не больше 5 слов."),
        ("format:numbered_list", {"op": "eq", "value": 3}, "Ровно 3 пункта («1. », «2) »)."),
        ("style:forbid_letter", {"letter": "о"}, "Без буквы «о»; «ё» можно."),
        ("lexical:include_all", {"stems": ["плед", "чай"]}, "Слова на «плед» и «чай»."),
        ("lexical:nth_word_from_end", {"n": 4, "word": "дом"}, "Слово «дом» 4-е с конца, последнее — 1-е."),
        ("lexical:quote_task", {"text": "Опиши дом."}, "Повтори задание."),
        ("format:bold_words", {"count": 1, "position": 7}, "Единственное выделение — слово номер 7."),
    ],
)
def test_agreement(category, params, line):
    """A wording that says what the parameters say has no fault, numbers in words and conventions included."""
    assert read(category, params, line) == []


@pytest.mark.parametrize(
    ("category", "params", "line", "fault"),
    [
        ("structure:word_count", EXACT, "Ровно 20 слов.", "value = 21 is not in the wording"),
        ("structure:word_count", EXACT, "Ровно 21 слово, а не 7.", "number 7 is no parameter"),
        ("structure:word_count", EXACT, "Не больше 21 слова.", "nothing in the wording says op = 'eq'"),
        ("structure:word_count", {"op": "le", "value": 5}, "Ровно 5 слов.", "nothing in the wording says op = 'le'"),
        ("structure:word_count", {"op": "between", "min": 2, "max": 4}, "Ровно 2, 4.", "says op = 'between'"),
        ("style:forbid_letter", {"letter": "о"}, "Без буквы «а».", "letter = 'о' is not in the wording"),
        ("style:forbid_letter", {"letter": "о"}, "Без «о» и «у».", "«у» is no parameter"),
        ("lexical:include_all", {"stems": ["плед", "чай"]}, "Слова на «плед».", "stems = 'чай' is not in the wording"),
        ("structure:ascending_sentences", {"direction": "desc"}, "Всё длиннее.", "says direction = 'desc'"),
        ("lexical:epiphora", {"unit": "items"}, "Все абзацы.", "says unit = 'items'"),
        ("format:bold_words", {"count": 1, "position": 7}, "Выделено слово 7.", "count = 1 is not in the wording"),
        ("format:hashtags", {"count": 2, "alpha": True}, "В конце 2 хештега.", "says alpha = True"),
    ],
)
def test_disagreement_is_found(category, params, line, fault):
    """A wording that says another number, word or kind of limit is named with what is wrong."""
    assert any(fault in found for found in read(category, params, line)), read(category, params, line)


def test_both_branches_of_a_condition_are_read():
    """A fault in either branch is found."""
    params = {
        "holds": True,
        "then": {"shape": "bullet_list", "op": "eq", "value": 3},
        "otherwise": {"shape": "sentences", "op": "eq", "value": 6},
    }
    line = "Если в контексте упоминается дождь, ровно 3 строки с «-», иначе ровно 6 предложений."
    shown = frozenset({"упоминается дождь"})
    assert read("logic:conditional_format", params, line, shown=shown) == []
    swapped = {**params, "then": params["otherwise"], "otherwise": {**params["then"], "value": 4}}
    assert read("logic:conditional_format", swapped, line, shown=shown)


def test_numbers_and_quotation_marks_of_a_clause_are_not_the_rules():
    """What belongs to the condition's clause is not held against the rule."""
    line = "Если в контексте упоминается дом номер 5, напиши слово «плед»; ровно 2 раза."
    params = {"holds": True, "stem": "плед", "count": 2}
    assert read("lexical:include_keyword", params, line, shown=frozenset({"упоминается дом номер 5"})) == []
    assert read("lexical:include_keyword", params, line) != []
