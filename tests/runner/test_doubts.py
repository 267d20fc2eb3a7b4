"""Rows that no answer can meet: known by kind, never said of a row that an answer meets, one line a dataset."""

import json
from itertools import combinations
from pathlib import Path

import pytest
import yaml
from fault_server import FaultServer
from hypothesis import given
from hypothesis import strategies as st
from mini import row
from replies import know_all

from metrics import ifbench, ifhard
from metrics.ifbench import unmeetable as of_ifbench
from metrics.ifhard import unmeetable as of_ifhard
from runner.doubts import doubts_of_rows
from tasks import loading
from tasks.registry import benchmark

# The hand-made cases of the verifiers.
CASES_OF_RULES = Path(__file__).parents[1] / "metrics" / "ifhard" / "cases"
FAMILIES = ("structure", "lexical", "style", "format", "logic")


def reasons(*requirements):
    key = [{"category": name, "family": name.split(":")[0], "params": params} for name, params in requirements]
    for entry in key:
        ifhard.check_params(entry["category"], entry["params"])  # such rows can be scored, so nothing refuses them
    return of_ifhard.unmeetable({"meta": {"base_id": "x", "constraints": key}})[1]


WORDS, SENTENCES = "structure:word_count", "structure:sentence_count"
ALONE = [
    (WORDS, {"op": "between", "min": 5, "max": 3}, "wants 5..3 words"),
    (WORDS, {"value": -1}, "wants -1 words"),
    (WORDS, {"op": "lt", "value": 0}, "wants < 0 words"),
    (WORDS, {"value": True}, "value is true, not a number"),
    (WORDS, {"op": "between", "min": False, "max": 3}, "min is false"),
    (SENTENCES, {"op": "lt", "value": 1}, "wants < 1 sentences"),
    ("structure:char_count", {"value": 0}, "wants 0 characters"),
    ("structure:sentence_words", {"each": {"op": "le", "value": -2}}, "wants <= -2 words in each sentence"),
    ("structure:sentence_words", {"each": {"value": True}}, "value is true"),
    ("structure:item_words", {"value": 2, "kind": "dashes"}, "kind 'dashes' is none of"),
    ("structure:items_total_words", {"factor": -1}, "factor is -1"),
    ("structure:item_words_ladder", {"start": -1}, "start is -1"),
    ("structure:word_char_count", {"words": 5, "chars": 3}, "wants 3 characters, but"),
    ("structure:word_char_count", {"words": True, "chars": 9}, "words is true"),
    ("lexical:include_keyword", {"any_stems": []}, "the list of stems is empty"),
    ("lexical:include_keyword", {"stem": "два слова"}, "no word can start with 'два слова'"),
    ("lexical:include_keyword", {"word": "кот."}, "no word can be 'кот.'"),
    ("lexical:include_keyword", {"any_stems": ["а б", " в"]}, "no word can start with 'а б'"),
    ("lexical:include_all", {"stems": ["кот", "(пёс"]}, "no word can start with '(пёс'"),
    ("lexical:include_all", {"words": ["кот", ""]}, "no word can be ''"),
    ("lexical:nth_word", {"n": 0, "word": "кот"}, "n is 0, below 1"),
    ("lexical:nth_word_from_end", {"n": 1, "word": "!"}, "no word can be '!'"),
    ("lexical:word_exact_count", {"stem": "кот", "count": -1}, "count is -1"),
    ("lexical:word_cap", {"stem": "кот", "cap": -1}, "cap is -1"),
    ("lexical:order_words", {"stem_a": "кот", "stem_b": "кот"}, "none stands before"),
    ("lexical:order_words", {"stem_a": "котик", "stem_b": "кот"}, "none stands before"),
    ("lexical:exclude_phrases", {"phrases": ["а", ""]}, "an empty phrase"),
    ("lexical:exclude_phrases", {"phrases": [""], "mode": "start"}, "an empty phrase"),
    ("lexical:quote_task", {"text": "раз\nдва"}, "has 2 lines"),
    ("lexical:quote_task", {"text": " "}, "has 0 lines"),
    ("lexical:acrostic", {"word": "а1"}, "'1' is no letter"),
    ("lexical:sentence_acrostic", {"word": ""}, "wants 0 sentences"),
    ("style:forbid_letter", {"letter": ""}, "an empty letter"),
    ("style:forbid_letters", {"letters": ["а", ""]}, "an empty letter"),
    ("style:end_punctuation", {"char": ""}, "no text ends with"),
    ("style:end_punctuation", {"char": "?!"}, "no text ends with"),
    ("style:end_punctuation", {"char": " "}, "no text ends with"),
    ("style:letter_start_count", {"letter": "ко", "value": 2}, "no word can be of the words that start with ко"),
    ("style:letter_start_count", {"letter": "", "op": "ge", "value": 1}, "no word can be"),
    ("style:max_word_length", {"max": -1}, "max is -1"),
    ("style:no_digits", {"any_words": []}, "the list of words is empty"),
    ("style:no_latin", {"any_stems": ["а б"]}, "no word can start with"),
    ("format:bullet_list", {"value": 0}, "none is allowed"),
    ("format:numbered_list", {"op": "lt", "value": 1}, "none is allowed"),
    ("format:json_object", {"keys": ["а"], "max_words": -1}, "max_words is -1"),
    ("format:json_list_value", {"keys": ["а"], "list_key": "а", "list_items": 0}, "list_items is 0"),
    ("format:json_array", {"items": -1}, "items is -1"),
    ("format:json_array", {"items": True}, "items is true"),
    ("format:csv_line", {"fields": 0}, "fields is 0"),
    ("format:two_parts", {"items": 0, "sentence_words": 3}, "items is 0"),
    ("format:markdown_table", {"rows": 1, "cols": 0}, "cols is 0"),
    ("format:bold_words", {"count": -1}, "count is -1"),
    ("format:bold_words", {"count": 2, "stems": ["а"]}, "1 stems for 2 bold spans"),
    ("format:bold_words", {"count": 1, "position": 0}, "position is 0"),
    ("format:bold_words", {"count": 1, "words_each": -1}, "words_each is -1"),
    ("format:line_length", {"max": 0}, "max is 0"),
    ("format:line_length", {"max": 9, "count": 0}, "count is 0"),
    ("format:hashtags", {"count": 0}, "count is 0"),
    ("logic:conditional_include", {"holds": True, "stem": "а б"}, "no word can start with"),
    ("logic:conditional_format", {"holds": False, "then": {}, "otherwise": {"shape": "sentences", "value": 0}},
     "wants 0 sentences"),
    ("logic:override", {"winner": {"category": "style:forbid_letter", "params": {"letter": ""}}}, "an empty letter"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "params", "says"), ALONE, ids=[f"{c}-{json.dumps(p)}" for c, p, _ in ALONE])
def test_values_that_no_answer_meets(category, params, says):
    """The requirement is named, and why."""
    (reason,) = reasons((category, params))
    assert category in reason or category.startswith("logic:")
    assert says in reason


def include(stem):
    return ("lexical:include_keyword", {"stem": stem})


TOGETHER = [
    ([(SENTENCES, {"op": "ge", "value": 5}), (SENTENCES, {"op": "le", "value": 3})],
     "structure:sentence_count wants <= 3 sentences, but structure:sentence_count wants >= 5 sentences"),
    ([(WORDS, {"value": 5}), (WORDS, {"op": "ne", "value": 5})], "but others want neither"),
    ([(WORDS, {"op": "le", "value": 9}), (SENTENCES, {"value": 5}),
      ("structure:sentence_words", {"each": {"op": "ge", "value": 3}})], "wants <= 9 words, but"),
    ([(WORDS, {"op": "ge", "value": 99}), (SENTENCES, {"value": 5}),
      ("structure:sentence_words", {"each": {"op": "le", "value": 3}})], "wants >= 99 words, but"),
    ([(WORDS, {"op": "ge", "value": 10}), ("structure:char_count", {"op": "lt", "value": 19})],
     "wants < 19 characters"),
    ([(WORDS, {"value": 2}), ("lexical:nth_word", {"n": 3, "word": "кот"})], "wants 2 words, but lexical:nth_word"),
    ([("style:no_commas", {}), ("style:comma_count", {"value": 2})], "wants 0 commas"),
    ([("style:no_commas", {}), ("format:csv_line", {"fields": 2})], "wants 0 commas"),
    ([("style:no_markdown", {}), ("format:bullet_list", {"value": 3})], "wants 0 bullet items"),
    ([("style:no_markdown", {}), ("format:bold_words", {"count": 1})], "wants 0 bold spans"),
    ([("structure:mirror_sentences", {}), (SENTENCES, {"value": 1})], "1 sentences"),
    ([("style:end_punctuation", {"char": "?"}), ("style:question_count", {"value": 0})], "wants 0 questions"),
    ([include("кот"), ("lexical:exclude_word", {"stems": ["ко"]})], "wants 0 words that start with ко, but"),
    ([include("кот"), ("lexical:word_cap", {"stem": "кот", "cap": 0})], "wants <= 0 words that start with кот"),
    ([include("кот"), ("style:letter_start_count", {"letter": "к", "value": 0})], "wants 0 words that start with к"),
    ([include("ёж"), ("logic:conditional_include", {"holds": False, "stem": "еж"})],
     "wants 0 words that start with еж"),
    ([("lexical:exclude_word", {"stems": [""]}), (WORDS, {"value": 2})], "wants 2 words"),
    ([include("кот"), ("style:forbid_letter", {"letter": "О"})], "wants 'кот', and 'о' is forbidden"),
    ([("lexical:starts_with", {"phrase": "Итак, да"}), ("style:no_commas", {})], "and ',' is forbidden"),
    ([("lexical:ends_with", {"phrase": "в 9"}), ("style:no_digits", {})], "which style:no_digits forbids"),
    ([("structure:checksum", {"kind": "words"}), ("style:no_digits", {})], "wants a number"),
    ([include("wi-fi"), ("style:no_latin", {})], "which style:no_latin forbids"),
    ([("lexical:quote_task", {"text": "Опиши"}), ("style:no_caps", {})], "which style:no_caps forbids"),
    ([include("лес"), ("style:forbid_letters", {"letters": "её"})], "and 'е' is forbidden"),
    ([("lexical:acrostic", {"word": "дом"}), ("style:forbid_letter", {"letter": "м"})], "wants 'м'"),
    ([("lexical:nth_word", {"n": 1, "word": "кот"}), ("lexical:nth_word", {"n": 1, "word": "пёс"})], "where"),
    ([("lexical:starts_with", {"phrase": "Утро"}), ("lexical:starts_with", {"phrase": "Вечер"})], "where"),
    ([("style:end_punctuation", {"char": "."}), ("style:end_punctuation", {"char": "!"})], "where"),
    ([("lexical:exclude_phrases", {"phrases": ["кот"]}), include("котик")], "and 'кот' is forbidden"),
    ([("lexical:exclude_word", {"words": ["Кот"]}), ("lexical:nth_word", {"n": 1, "word": "кот"})], "forbids"),
]  # fmt: skip


@pytest.mark.parametrize(("requirements", "says"), TOGETHER, ids=[says for _, says in TOGETHER])
def test_requirements_that_no_answer_meets_together(requirements, says):
    """In whichever order they stand; each alone is fine."""
    for order in (requirements, requirements[::-1]):
        found = reasons(*order)
        assert found
    assert any(says in reason for reason in [*reasons(*requirements), *found])
    for requirement in requirements:
        assert reasons(requirement) == []


FINE = [
    [(WORDS, {"value": 0})],
    [include("лес"), ("style:forbid_letter", {"letter": "е"})],  # лёс
    [include("ёж"), ("style:forbid_letter", {"letter": "ё"})],  # еж
    [include(""), (WORDS, {"value": 1})],
    [("style:forbid_letters", {"letters": ""})],
    [("lexical:include_all", {"stems": []})],
    [("lexical:starts_with", {"phrase": "Утро"}), ("lexical:starts_with", {"phrase": "утро было"})],
    [("format:bullet_list", {"value": 0, "strict": False})],
    [("structure:item_words", {"value": 0})],
    [("format:json_object", {"keys": []})],
    [("lexical:exclude_word", {"words": ["кот"]}), include("кот")],
    [("lexical:order_words", {"stem_a": "кот", "stem_b": "котик"})],
]  # fmt: skip


@pytest.mark.parametrize("requirements", FINE, ids=str)
def test_what_can_be_met_is_not_doubted(requirements):
    """The edge of each rule."""
    assert reasons(*requirements) == []


CASES = [
    (category, case["params"], case["text"])
    for family in FAMILIES
    for category, cases in yaml.safe_load((CASES_OF_RULES / f"{family}.yaml").read_text(encoding="utf-8")).items()
    for case in cases
    if case["code"] == "ok" and case["text"].strip()
]


def test_whatever_an_answer_meets_is_not_doubted():
    """Every passing case of the verifiers, and every two that one text passes."""
    met = {}
    for category, params, text in CASES:
        found = reasons((category, params))
        truth = any(" is true, not" in reason or " is false, not" in reason for reason in found)
        assert not found or truth, (category, params, found)
        if not truth:
            met.setdefault(text, []).append((category, params))
    several = [pair for of in met.values() for pair in combinations(of, 2)]
    assert len(several) > 100
    assert [pair for pair in several if reasons(*pair)] == []


counts = st.fixed_dictionaries(
    {"op": st.sampled_from(["eq", "ne", "le", "lt", "ge", "gt"]), "value": st.integers(-2, 9)}
)
letters = st.sampled_from(["", "к", "ко", "кот", "е", "ё", "а б", "."])
requirement = st.one_of(
    st.tuples(
        st.sampled_from([WORDS, SENTENCES, "structure:char_count", "style:comma_count", "style:question_count"]), counts
    ),
    st.tuples(st.just("structure:sentence_words"), counts),
    st.tuples(
        st.sampled_from(["format:bullet_list"]), st.builds(lambda c, s: c | {"strict": s}, counts, st.booleans())
    ),
    st.tuples(st.just("style:letter_start_count"), st.builds(lambda c, x: c | {"letter": x}, counts, letters)),
    st.tuples(st.just("lexical:include_keyword"), st.builds(lambda x: {"stem": x}, letters)),
    st.tuples(st.just("lexical:exclude_word"), st.builds(lambda x: {"stems": [x]}, letters)),
    st.tuples(st.just("lexical:word_cap"), st.builds(lambda x, n: {"stem": x, "cap": n}, letters, st.integers(-1, 3))),
    st.tuples(st.just("lexical:nth_word"), st.builds(lambda x, n: {"word": x, "n": n}, letters, st.integers(-1, 3))),
    st.tuples(st.just("lexical:starts_with"), st.builds(lambda x: {"phrase": x}, letters)),
    st.tuples(st.just("style:forbid_letters"), st.builds(lambda *x: {"letters": [*x]}, letters, letters)),
    st.tuples(st.just("style:end_punctuation"), st.builds(lambda x: {"char": x}, st.sampled_from([".", "?", "", "к"]))),
    st.tuples(
        st.sampled_from(["style:no_commas", "style:no_caps", "style:no_digits", "style:no_markdown"]), st.just({})
    ),
)


@given(st.lists(requirement, min_size=1, max_size=3), st.text("кот еёбК.,?!\n-", min_size=1, max_size=12))
def test_a_doubt_is_a_proof(requirements, text):
    """No text whatsoever meets a row that is doubted."""
    if text.strip() and all(ifhard.verify(name, params, text).passed for name, params in requirements):
        assert reasons(*requirements) == []


def of_bench(*constraints):
    ids, kwargs = [name for name, _ in constraints], [given for _, given in constraints]
    return of_ifbench.unmeetable({"key": "7", "instruction_id_list": ids, "kwargs": json.dumps(kwargs)})[1]


FIVE = dict(zip(("keyword1", "keyword2", "keyword3", "keyword4", "keyword5"), "abcde", strict=True))


@pytest.mark.parametrize(
    ("constraints", "says"),
    [
        ([("count:word_count_range", {"min_words": 9, "max_words": 3})], "min_words 9 is above max_words 3"),
        ([("count:conjunctions", {"small_n": 8})], "there are 7 coordinating"),
        ([("count:person_names", {"N": 51})], "there are 50 listed names"),
        ([("count:keywords_multiple", FIVE | {"keyword2": "A"})], "holds keyword1"),
        ([("count:keywords_multiple", FIVE | {"keyword5": "b c"})], "holds keyword2 'b', 2 times"),
        ([("words:repeats", {"small_n": 0})], "no word may occur"),
        ([("words:words_position", {"keyword": "two words"})], "is 2 words"),
        ([("words:words_position", {"keyword": "!"})], "is 0 words"),
        ([("repeat:repeat_span", {"prompt_to_repeat": "a b c", "n_start": 2, "n_end": 1})], "are none"),
        ([("repeat:repeat_span", {"prompt_to_repeat": "a b c", "n_start": 3, "n_end": 9})], "of 3 are none"),
        ([("ratio:overlap", {"reference_text": "ab", "percentage": 50})], "no three characters"),
        ([("format:options", {"options": "/ /"})], "there is no option"),
        ([("format:list", {"sep": "-\n-"})], "over a line break"),
        ([("count:numbers", {"N": 1}), ("count:numbers", {"N": 2})], "exactly 1 numbers and exactly 2"),
        ([("count:word_count_range", {"min_words": 1, "max_words": 9}), ("count:unique_word_count", {"N": 10})],
         "at most 9"),
        ([("count:word_count_range", {"min_words": 1, "max_words": 9}),
          ("count:word_count_range", {"min_words": 10, "max_words": 12})], "wants at least 10 words"),
    ],
)  # fmt: skip
def test_ifbench_constraints_that_no_answer_meets(constraints, says):
    """Alone and together, in either order."""
    assert says in of_bench(*constraints)[0]
    assert of_bench(*constraints[::-1])


def test_an_ifbench_constraint_that_a_fixture_meets_is_not_doubted():
    """Over every labelled answer that some own grader passes."""
    folder = Path(loading.__file__).parent / "ifbench" / "fixtures"
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text(encoding="utf-8").split("\n") if line]
    seen = 0
    for case in map(json.loads, lines):
        kwargs = json.loads(case["kwargs_json"])
        if "pass" in (case["expected"], *(["pass"] if "[" in case["note"] else [])):
            seen += 1
            assert of_bench((case["instruction_id"], kwargs)) == [], case["id"]
    assert seen > 150
    assert ifbench.GRADERS


@pytest.mark.parametrize("name", ["ifhard", "ifbench", "sobhard"])
def test_shipped_rows_are_not_doubted(name):
    """A warning would be about our own mistake."""
    path = Path(loading.__file__).parent / name / "data" / "test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert doubts_of_rows(benchmark(name).unmeetable, name, rows) is None


def test_a_sobhard_row_that_its_own_reference_fails_is_doubted():
    """Every answer that is right by the reference is wrong by the row's own data, and the other way round."""
    path = Path(loading.__file__).parent / "sobhard" / "data" / "test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    changed = next(of for of in rows if of["meta"]["categories"]["family"] == "template")
    changed["meta"] |= {"reference": '["другое"]', "reference_sha256": ""}
    line = doubts_of_rows(benchmark("sobhard").unmeetable, "x", [changed])
    assert line is not None
    assert "its own reference fails" in line


def test_a_run_says_it_once_and_under_the_table(command, tmp_path):
    """Split, row number, id, requirement, reason; the first rows and a count. The run goes on."""
    rows = [row(number) for number in range(8)]
    for number in (1, 2, 4, 5, 7):
        key = json.loads(rows[number]["meta"]["constraints"])
        key.append({"category": "style:forbid_letter", "family": "style", "params": {"letter": ""}})
        rows[number]["meta"]["constraints"] = json.dumps(key)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "test.jsonl").write_text("".join(json.dumps(of) + "\n" for of in rows), encoding="utf-8")
    with FaultServer(know_all) as server:
        result = command("--full", server=server, data=tmp_path / "set")
    line = (
        f"--dataset {tmp_path / 'set'}: no answer can meet 5 of 8 rows of the test split: "
        "row 2 (t001), style:forbid_letter: an empty letter is forbidden, and every text holds it; row 3 (t002), "
    )
    assert result.code == 0
    assert result.err.count(f"warning: {line}") == 1
    assert "row 5 (t004)" in result.err
    assert "; and 2 more rows\n" in result.err
    assert f"note: {line}" in result.out
