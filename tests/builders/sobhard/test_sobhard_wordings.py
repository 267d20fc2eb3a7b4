"""The wordings: whole, of one form, the same for a seed everywhere, and partly held back."""

import os
import re
import string
import subprocess
import sys

import pytest
import yaml

from builders.sobhard.operations import EXECUTED, SCHEMA_KINDS
from builders.sobhard.rows import complete, session, single
from builders.sobhard.small.build import RECIPES
from builders.sobhard.wording import POOLS, Words, held_back, program_text, table, words_of
from metrics.sobhard.targets import TARGETS
from tasks.sobhard.prompts import render

TEXTS = table()
QUESTIONS = yaml.safe_load((RECIPES / "questions.yaml").read_text(encoding="utf-8"))["questions"]
DOCUMENTS = yaml.safe_load((RECIPES / "documents.yaml").read_text(encoding="utf-8"))
each_text = pytest.mark.parametrize("key", TEXTS)


def slots(text):
    """Names of the slots of a text; an escaped brace is none."""
    return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name is not None})


def literal(text):
    """A text without its slots: what they hold is not ours."""
    return "".join(part for part, _, _, _ in string.Formatter().parse(text))


def whole(text):
    """A text without the text that ends it: what a path is, or what becomes of records without a partner."""
    return text.removesuffix(" {paths}").removesuffix(" {rest}")


@each_text
def test_a_text_has_four_wordings_or_more_that_differ(key):
    """And one of them is held back, never the first."""
    assert len(TEXTS[key]) >= 4
    assert len({" ".join(text.lower().split()) for text in TEXTS[key]}) == len(TEXTS[key])
    assert held_back(key)
    assert held_back(key) <= set(range(1, len(TEXTS[key])))


@each_text
def test_all_wordings_have_the_form_of_the_first(key):
    """The same slots, the same last mark, Russian letters, no stray space, no word in letters of two alphabets."""
    for text in TEXTS[key]:
        assert slots(text) == slots(TEXTS[key][0])
        end = whole(text)[-1]
        assert end in ".:"
        assert end == whole(TEXTS[key][0])[-1]
        assert re.search("[а-яё]", text)
        assert text == text.strip()
        assert not re.search(r"  | \n|\n | [.,;:)»]|[(«] ", text)
        assert text.count("(") == text.count(")")
        assert text.count("«") == text.count("»")
        assert not re.search(r"[a-zA-Z][а-яёА-ЯЁ]|[а-яёА-ЯЁ][a-zA-Z]", literal(text))


@each_text
def test_what_the_first_names_every_other_names(key):
    """Latin names, numbers and marks of the first wording are the same in all; numbers in words are not compared."""

    def marks(text):
        found = re.findall(r"[A-Za-z_]{2,}|[$\[\]]", literal(text))
        return set(found) - {"snake_case", "camelCase"}

    for text in TEXTS[key]:
        assert marks(text) == marks(TEXTS[key][0])


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("rules.sort_numeric", "чис.*(порядок прежний|прежний порядок|в том порядке|порядок .* не меняй)"),
        ("rules.sort_text", "строк.*кодам|кодов символов.*(порядок|порядке)"),
        ("rules.sort_keys", "кодов символов"),
        ("rules.group_records", "кодов символов.*(прежнем порядке|в каком они шли)"),
        ("rules.count_by", "кодов символов"),
        ("rules.pivot_levels", "кодов символов"),
        ("rules.dedup_records", "перв|предыдущих"),
        ("rules.numbers_from_strings", "нули|нулей"),
        ("rules.numbers_from_strings", "минус"),
        ("rules.drop_empty", "опусте"),
        ("rules.drop_empty", "null"),
        ("rules.flatten", "с нуля"),
        ("rules.unflatten", "с нуля"),
        ("rules.melt", "порядке.*«metric».*«value»"),
        ("edits.paths", "нуля|0"),
        ("edits.diff", "кодов символов"),
        ("edits.diff", "индекс"),
        ("edits.diff", "целиком"),
        ("edits.diff", "сменило тип"),
        ("edits.apply_diff", "removed.*changed.*added"),
        ("edits.apply_diff", "больших к меньшим.*меньших к большим"),
        ("edits.template", "пуст(ая|ой) строк"),
        ("edits.extract", "null"),
        ("schemas.schema", "кодов символов"),
        ("schemas.union", "перво"),
        ("schemas.enum", "кодов символов"),
        ("schemas.oneOf", "компактном JSON"),
        ("formats.packaging", "3 и 3.0"),
        ("formats.packaging", "1e-6"),
        ("formats.packaging", "посимвольно"),
        ("formats.sqlinsert", "удваивается.*NULL"),
        ("edits.join", "перв(ая|ую) запис"),
        ("edits.join", "нескольк|снова|другой"),
        ("edits.rest_keep_append", "прочие|други|остальны|иных"),
        ("edits.rest_drop_append", "прочие|други|остальны|иных"),
        ("edits.patch", "ещё нет, оно добавляется"),
        ("edits.apply_diff", "после записи changed"),
        ("schemas.union", "required.*по возрастанию"),
        ("formats.yaml", "yes, no, on, off"),
    ],
    ids=range(39),
)
def test_every_wording_states_the_convention(key, said):
    """What is graded and what a reader could do in two ways is in all of them."""
    for text in TEXTS[key]:
        assert re.search(said, text.replace("\n", " ")), text


def test_every_thing_that_can_be_asked_has_its_text():
    """Rules, operations, kinds, targets, families."""
    rules = {key.removeprefix("rules.") for key in TEXTS if key.startswith("rules.")}
    assert {rule for rule in EXECUTED if rule not in ("filter_records", "sort_records")} <= rules
    assert {f"filter_{op}" for op in ("gt", "lt", "eq", "ne")} | {"sort_numeric", "sort_text"} <= rules
    assert {f"schemas.{kind}" for kind in SCHEMA_KINDS} <= set(TEXTS)
    assert {f"formats.{target}" for target in TARGETS} <= set(TEXTS)


def test_one_is_said_in_the_singular():
    """One field of a record, one record of a group."""
    steps = [
        {"rule": "project_fields", "params": {"fields": ["a"]}},
        {"rule": "top_n_per_group", "params": {"field": "a", "n": 1}},
    ]
    said = program_text(Words(), steps)
    assert said.startswith("Примени правила по порядку:")
    assert program_text(Words(), steps[:1]).startswith("Примени правило:")
    assert "1. Оставь в каждой записи только поле «a»." in said
    assert "2. Из записей с одинаковым значением поля «a» оставь только первую." in said


def test_the_shipped_pool_never_has_what_is_held_back():
    """Over many seeds: the shipped pool gives all but the held-back ones, the private pool gives all."""
    for key in ("rules.sort_keys", "tasks.convert", "formats.toml"):
        given = {pool: {Words(seed, pool).text(key) for seed in range(60)} for pool in POOLS}
        hidden = {TEXTS[key][number] for number in held_back(key)}
        assert given["shipped"] == set(TEXTS[key]) - hidden
        assert given["private"] == set(TEXTS[key])
    with pytest.raises(ValueError, match="no pool of wordings: public"):
        Words(1, "public")


def test_a_seed_gives_the_same_words_in_any_interpreter():
    """No hash seed, no order of import."""
    code = "from builders.sobhard.wording import Words; print([Words(7).text(f'tasks.{k}') for k in ('diff', 'patch')])"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "3",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    assert said.decode().strip() == str([Words(7).text(f"tasks.{key}") for key in ("diff", "patch")])
    assert Words().text("tasks.diff") == words_of({}).text("tasks.diff") == TEXTS["tasks.diff"][0]


@pytest.mark.parametrize("seed", range(6))
def test_the_small_set_in_other_words_is_as_right(seed):
    """Every question of the small set, in six choices of words of the private pool: whole, without an empty slot."""
    test, shots = [], []
    for recipe in QUESTIONS:
        worded = {**recipe, "words": seed, "pool": "private"}
        if recipe["family"] == "session":
            *earlier, graded = session(worded, DOCUMENTS, len(shots) + 1)
            shots += earlier
            test.append(graded)
        else:
            test.append(single(worded, DOCUMENTS))
    complete(test, shots)
    for row, recipe in zip(test, QUESTIONS, strict=True):
        inputs = row["inputs"]
        for part in ("task", "format", "question"):
            assert "{}" not in inputs[part]
            assert "  " not in inputs[part]
        assert f"меткой {row['meta']['fence_tag']}" in render(row)
        for path in recipe.get("paths", ()):
            assert f"- {path}" in inputs["question"]


def test_an_empty_list_gets_its_bounds_by_words():
    """Only where the schema has one."""
    recipe = {"family": "schema_gen", "difficulty": "easy", "style": "casual", "source": "json", "target": "json"}
    recipe |= {"document": "d", "schema_kind": "bounds"}
    sentence = "У пустого списка minItems и maxItems равны 0."
    assert single(recipe, {"d": {"a": [[]]}})["inputs"]["question"].endswith(sentence)
    assert sentence not in single(recipe, {"d": {"a": [1]}})["inputs"]["question"]
    assert sentence not in single({**recipe, "schema_kind": "union"}, {"d": {"a": []}})["inputs"]["question"]
