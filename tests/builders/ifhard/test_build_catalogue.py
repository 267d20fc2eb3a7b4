"""The catalogue: wordings and parameters come from the same slots, and malformed entries are refused."""

import re

import pytest
import yaml

from builders.ifhard.catalogue import BESIDE, FAMILIES, CatalogueError, Variant, load_catalogue, plural_form
from builders.ifhard.requirements import TYPES, format, lexical, logic, sequences, structure, style
from builders.ifhard.type_tables import LEFT_OUT, NOT_BUILT, RULES
from metrics.ifhard import CATEGORIES

RETIRED = "lexical:no_repeated_word"


@pytest.mark.parametrize(
    ("n", "form"),
    [(1, "слово"), (2, "слова"), (4, "слова"), (5, "слов"), (11, "слов"), (12, "слов"), (14, "слов"), (21, "слово"),
     (22, "слова"), (100, "слов"), (101, "слово"), (111, "слов"), (112, "слов"), (0, "слов")],
)  # fmt: skip
def test_russian_plural(n, form):
    """The noun agrees with the number as in Russian, the teens included."""
    assert plural_form(n, ("слово", "слова", "слов")) == form


@pytest.mark.parametrize(("n", "form"), [(1, "word"), (2, "words"), (21, "words"), (0, "words")])
def test_english_plural(n, form):
    """The noun agrees with the number as in English."""
    assert plural_form(n, ("word", "words")) == form


def make_variant(**changes):
    fields = {
        "category": "style:x",
        "name": "one",
        "terminal": False,
        "slots": {"n": "int", "words": "word_list"},
        "template": {"each": {"op": "eq", "value": "{n}"}, "words": "{words}", "label": "n={n}"},
        "ru": ("Ровно {n} {n|слово|слова|слов}: {words}.",) * 3,
        "en": "{n} {n|word|words}: {words}.",
    }
    return Variant(**{**fields, **changes})


def test_a_slot_alone_keeps_its_type_in_params():
    """A number stays a number and a list a list in what the scorer reads; inside other text they are text."""
    params = make_variant().params({"n": 3, "words": ["да", "нет"]})
    assert params == {"each": {"op": "eq", "value": 3}, "words": ["да", "нет"], "label": "n=3"}


@pytest.mark.parametrize(
    ("words", "shown"), [(["да"], "«да»"), (["да", "нет"], "«да» и «нет»"), (["а", "б", "в"], "«а», «б» и «в»")]
)
def test_lists_are_quoted_and_joined(words, shown):
    """A list is read as people write one, in Russian and in English."""
    assert make_variant().wording(0, {"n": 2, "words": words}) == f"Ровно 2 слова: {shown}."
    assert make_variant().mirror({"n": 1, "words": ["да"]}) == "1 word: «да»."


def write_catalogue(folder, **changes):
    body = {"slots": {"n": "int"}, "params": {"value": "{n}"}, "ru": ["{n}", "{n}", "{n}"], "en": "{n}", **changes}
    for family in FAMILIES:
        entries = {"style:x": {"terminal": False, "variants": {"one": body}}} if family == "style" else {}
        (folder / f"{family}.yaml").write_text(yaml.safe_dump(entries, allow_unicode=True), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slots": {"n": "number"}}, "unknown slot kind"),
        ({"ru": ["{n}"]}, "three to five"),
        ({"ru": ["{n}", "{n}", "{m}"]}, "unknown slot 'm'"),
        ({"slots": {"n": "word"}, "ru": ["{n|а|б|в}"] * 3}, "no number"),
        ({"ru": ["{n|а}"] * 3}, "plural forms"),
        ({"ru": ["{n", "{n}", "{n}"]}, "stray brace"),
    ],
)
def test_malformed_entries_are_refused_by_name(tmp_path, changes, message):
    """A mistake in a wording stops the build, with the variant and what is wrong."""
    write_catalogue(tmp_path, **changes)
    with pytest.raises(CatalogueError, match=rf"style:x/one: .*{message}"):
        load_catalogue(tmp_path)


def test_an_entry_of_another_family_is_refused(tmp_path):
    """A type stands in its own family's file alone."""
    write_catalogue(tmp_path)
    (tmp_path / "logic.yaml").write_text((tmp_path / "style.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(CatalogueError, match="another family"):
        load_catalogue(tmp_path)


def test_every_registered_type_but_the_retired_one_is_in_the_catalogue(catalogue):
    """No type of the scorer lacks wordings, and no wordings lack a type."""
    assert {variant.category for variant in catalogue.values()} == set(CATEGORIES) - {RETIRED}


def test_every_variant_is_built_or_has_a_reason_not_to(catalogue):
    """No variant of the wordings is forgotten: each has a rule or a reason, not both."""
    built = {key.partition("@")[0] for key in RULES}
    assert built | set(NOT_BUILT) == set(catalogue)
    assert not built & set(NOT_BUILT)


def test_there_is_one_row_for_each_registered_type():
    """The generator knows exactly the types of the registry, in its order, and no two modules claim one type."""
    assert list(TYPES) == list(CATEGORIES)
    assert sum(len(module.TYPES) for module in (structure, lexical, sequences, style, format, logic)) == len(TYPES)


@pytest.mark.parametrize("category", TYPES)
def test_a_row_is_whole(category, catalogue):
    """A type that questions have: a share, a rule, a demand and a corruption. One that they do not: a reason."""
    row = TYPES[category]
    if not row.left_out:
        assert row.share > 0
        assert row.rules
        assert any(step is not None for step in row.demand)
    assert (row.corrupt is None) == (category == "logic:override"), "an override is spoiled as its winner is"
    assert bool(row.rules) == any(variant.category == category for variant in catalogue.values())


def test_tags_of_rows_are_known_and_each_tag_is_looked_at(catalogue):
    """What a rule tells is a tag that wordings look at, and no tag is there for nothing."""
    assert all(rule.tells <= BESIDE for rule in RULES.values())
    wordings = " ".join(text for variant in catalogue.values() for text in variant.ru)
    assert {tag for tag in BESIDE if not re.search(rf"[+-]{tag}[:+-]", wordings)} == set()


def test_a_wording_names_a_word_that_is_its_own_stem_once():
    """Not «самокат» («самокат»): what is said of the stem is left out beside the word itself."""
    variant = make_variant(slots={"word": "word", "stem": "stem"}, ru=("«{word}»[-same: (на «{stem}»)].",) * 3)
    assert variant.wording(0, {"word": "кисточка", "stem": "кисточ"}) == "«кисточка» (на «кисточ»)."
    assert variant.wording(0, {"word": "самокат", "stem": "самокат"}) == "«самокат»."


def test_a_wording_tells_what_it_defines():
    """Later lines need not define it again."""
    variant = make_variant(ru=("Ровно {n}[-word: (по пробелам)].[+items-list: Пункт — строка.]",) * 3)
    assert variant.defines(0) == {"word"}


def test_sixty_one_types_are_built():
    """All of the registry but one that is retired and two that make poor questions."""
    assert len(set(TYPES) - LEFT_OUT) == 61


def test_terminal_types_are_those_of_the_contract(catalogue):
    """IFHardBench contract, 1: JSON object, JSON array, CSV line, markdown table, two parts; the JSON list likewise."""
    assert {variant.category for variant in catalogue.values() if variant.terminal} == {
        "format:json_object",
        "format:json_list_value",
        "format:json_array",
        "format:csv_line",
        "format:markdown_table",
        "format:two_parts",
    }
