"""The lines of the questions as people read them: short, each rule said once, nothing said twice."""

import json
import re
from random import Random

import pytest

from builders.ifhard.catalogue import DEFINED
from builders.ifhard.surroundings import surroundings, worded
from builders.ifhard.type_tables import RULES

WORD = re.compile(r"по пробелам|между пробелами")
SENTENCE = re.compile(r"(?:сразу за словом|вплотную к слову) от двух букв")
ITEM = re.compile(r"(?:ункт|ждый) — строка ")
COUNTS_WORDS = ("structure:word_count", "structure:word_char_count", "structure:items_total_words")


def asked(row):
    """Each requirement with its line, without the hyphen."""
    lines = [line.removeprefix("- ") for line in row["inputs"]["constraints"].split("\n")]
    return list(zip(json.loads(row["meta"]["constraints"]), lines, strict=True))


@pytest.fixture(scope="module")
def rows(committed):
    test, shots, _ = committed
    return [*test, *shots]


def test_a_line_has_100_characters_on_average(rows):
    """The hyphen and space before it included."""
    lengths = [len(line) for row in rows for line in row["inputs"]["constraints"].split("\n")]
    assert sum(lengths) / len(lengths) <= 100
    assert max(lengths) <= 270


@pytest.mark.parametrize("rule", [WORD, SENTENCE, ITEM], ids=["word", "sentence", "item"])
def test_a_rule_of_counting_is_said_once_a_question(rows, rule):
    """Neither twice in two lines nor twice in one."""
    assert [row["meta"]["id"] for row in rows if len(rule.findall(row["inputs"]["constraints"])) > 1] == []


def test_who_counts_words_or_sentences_is_told_what_they_are(rows):
    """Every question that counts words says how; every one that counts sentences says where they end."""
    words = (*COUNTS_WORDS, "structure:sentence_words", "structure:item_words", "lexical:nth_word", "format:json_array")
    sentences = (
        "structure:sentence", "structure:paragraph_sentences", "structure:ascending", "structure:mirror",
        "lexical:sentence_acrostic", "style:sentence_initials",
    )  # fmt: skip
    for row in rows:
        categories = [item["category"] for item, _ in asked(row)]
        text = row["inputs"]["constraints"]
        if any(category.startswith(words) and not category.endswith("ladder") for category in categories):
            assert WORD.search(text), text
        if any(category.startswith(sentences) for category in categories):
            assert SENTENCE.search(text), text


def test_beside_list_numbers_every_count_of_words_says_whether_they_count(rows):
    """A list number is a word for the total and none for an item."""
    seen = 0
    for row in rows:
        pairs = asked(row)
        numbered = any(
            item["category"] == "format:numbered_list"
            or item["params"].get("winner", {}).get("category") == "format:numbered_list"
            for item, _ in pairs
        )
        for item, line in pairs:
            category = item["params"].get("winner", item)["category"]
            if numbered and category in (*COUNTS_WORDS, "structure:item_words", "structure:item_words_ladder"):
                assert "номер" in line, line
                seen += 1
    assert seen >= 20


def test_a_list_whose_kind_is_free_says_so_too(rows):
    """Whoever numbers such a list is told that numbers are words."""
    seen = 0
    for row in rows:
        if "«- » или «1. »" not in row["inputs"]["constraints"]:
            continue
        for item, line in asked(row):
            if item["params"].get("winner", item)["category"] in COUNTS_WORDS[:2]:
                assert "номер" in line, row["inputs"]["constraints"]
                seen += 1
    assert seen >= 1


def test_no_line_names_a_word_twice(rows):
    """Not «слово на «самокат» («самокат»)»."""
    for row in rows:
        for _, line in asked(row):
            assert not re.search(r"«([^«»]+)»[^«»]{0,12}\((?:[^«»()]*)«\1»", line), line


def test_mirrored_sentences_may_have_others_between_them(catalogue):
    """No wording reads as if the first and the last sentence were all."""
    variant = catalogue["structure:mirror_sentences/plain"]
    lines = [variant.wording(index, {}) for index in range(len(variant.ru))]
    assert "остальные любой длины" in lines[0]
    assert all("предложений" in line for line in lines)


def test_json_keys_come_from_the_task(rows, bank):
    """Every JSON question asks for keys of its own task, the list under the one that a list suits."""
    keys_of = {task: keys for topic in bank.values() for task, keys in topic.keys.items()}
    found = 0
    for row in rows:
        for item, _ in asked(row):
            if item["category"] in {"format:json_object", "format:json_list_value"}:
                own = keys_of[row["inputs"]["question"]]
                assert set(item["params"]["keys"]) <= set(own)
                assert item["params"].get("list_key", own[-1]) == own[-1]
                found += 1
    assert found >= 76


def test_words_of_several_parts_are_explained_where_they_matter(catalogue):
    """A word with a hyphen or slash is one word where letters are counted, and hides a demanded word elsewhere."""
    assert all("/" in text and "дефис" in text for text in catalogue["style:max_word_length/plain"].ru)
    for key in ("lexical:include_keyword/stem", "lexical:include_keyword/exact", "lexical:include_all/words"):
        assert all(re.search(r"отдельн|через дефис|не присоединяя", text) for text in catalogue[key].ru), key


def test_the_first_line_that_needs_a_rule_explains_it(catalogue):
    """Whatever the order of the lines."""
    keys = ["structure:sentence_words/exact", "structure:word_count/exact", "structure:sentence_count/exact"]
    values = [{"n": 5}, {"n": 20}, {"n": 4}]
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        stack = [keys[place] for place in order]
        lines = worded(
            "prose", stack, [catalogue[key] for key in stack], [values[place] for place in order], Random(str(order))
        )
        text = "\n".join(lines)
        assert len(WORD.findall(text)) == len(SENTENCE.findall(text)) == 1
        assert SENTENCE.search(lines[min(order.index(0), order.index(2))])
        assert WORD.search(lines[min(order.index(0), order.index(1))])


def test_every_wording_of_a_counting_rule_defines_what_it_counts(catalogue):
    """No wording leaves out what another one of its variant explains."""
    for variant in catalogue.values():
        defined = {variant.defines(index) for index in range(len(variant.ru))}
        assert len(defined) == 1, (variant.key, defined)
        assert min(defined) <= DEFINED


def test_what_stands_beside_a_requirement():
    """The frame and the neighbours, not the requirement itself."""
    keys = ["structure:word_count/exact", "format:numbered_list/strict", "style:no_caps/plain"]
    assert surroundings("numbers", keys, 0) == {"listed", "numbered", "list", "items", "lower"}
    assert surroundings("numbers", keys, 1) == {"listed", "numbered", "counted", "lower"}
    assert "tagged" in surroundings("prose", ["style:no_caps/plain", "format:hashtags/plain"], 0)
    assert all(not RULES[key].tells - {"tagged"} for key in ("format:hashtags/plain", "format:hashtags/alpha"))
