"""The project's own tables: values worked out by hand from the contract, as data that another language could run."""

import re
from collections import Counter

import pytest
from ifhard_tables import FAMILIES, table, verdict_cases

from metrics import ifhard
from metrics.ifhard import text as primitives
from metrics.ifhard.counts import count_verdict, read_count

CASES = verdict_cases()


@pytest.mark.parametrize(("category", "case"), CASES, ids=[f"{name} - {case['is']}" for name, case in CASES])
def test_verdict(category, case):
    """Each case gets its code, passes exactly if that is ok, and says why in one sentence: in this one, where given."""
    verdict = ifhard.verify(category, case["params"], case["text"])
    assert verdict.code == case["code"], verdict.reason
    assert verdict.passed == (case["code"] == "ok")
    assert verdict.reason
    assert "\n" not in verdict.reason
    if "reason" in case:
        assert verdict.reason == case["reason"]
        assert (verdict.observed, verdict.wanted) == (case.get("observed"), case.get("wanted"))


def test_each_code_is_shown_with_its_reason():
    """The sentence, what was observed and what was wanted, once for every outcome of a category."""
    told = {(name, case["code"]) for name, case in CASES if "reason" in case}
    assert told == {(name, case["code"]) for name, case in CASES}


def test_params_of_the_cases_are_accepted():
    """The parameters shown are those that a dataset may hold: optional keys may be absent, odd values are legal."""
    refused = []
    for category, case in CASES:
        try:
            ifhard.check_params(category, case["params"])
        except ifhard.ParamsError as error:
            refused.append((case["is"], str(error)))
    assert refused == [("without a marker the kind is not read", "structure:checksum: parameter 'kind': is missing")]


def test_each_category_is_shown_both_ways():
    """At least eight cases a category, passing and failing."""
    counts = Counter(name for name, _ in CASES)
    assert set(counts) == set(ifhard.CATEGORIES)
    assert min(counts.values()) >= 8
    assert {(name, case["code"] == "ok") for name, case in CASES} == {
        (name, ok) for name in counts for ok in (True, False)
    }
    assert all(name.startswith(f"{family}:") for family in FAMILIES for name in table(family))


def test_cases_are_told_apart():
    """No two cases of a category have the same title or the same content."""
    assert len({(name, case["is"]) for name, case in CASES}) == len(CASES)
    assert len({(name, repr(case["params"]), case["text"]) for name, case in CASES}) == len(CASES)


def test_codes_are_kebab_case():
    """Codes are machine names."""
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", case["code"]) for _, case in CASES)


PRIMITIVES = {
    "words": primitives.words_of,
    "cores": primitives.cores_of,
    "sentences": primitives.sentences_of,
    "paragraphs": primitives.paragraphs_of,
    "bullets": lambda text: [payload for bullet, payload in primitives.items_of(text) if bullet],
    "numbered": lambda text: [payload for bullet, payload in primitives.items_of(text) if not bullet],
    "first_letter": primitives.first_letter,
    "closing_trim": primitives.closing_trim,
}
PRIMITIVE_CASES = [(name, case) for name, cases in table("primitives").items() for case in cases]


@pytest.mark.parametrize(
    ("name", "case"), PRIMITIVE_CASES, ids=[f"{name} - {case['is']}" for name, case in PRIMITIVE_CASES]
)
def test_primitive(name, case):
    """Words, sentences, paragraphs and items of a text are those that the contract says."""
    assert PRIMITIVES[name](case["text"]) == case["value"]


REASONING = table("reasoning")


@pytest.mark.parametrize("case", REASONING, ids=[case["is"] for case in REASONING])
def test_reasoning(case):
    """The answer, the trace and the open block of a raw generation."""
    parts = ifhard.split_reasoning(case["raw"])
    assert parts == (case["answer"], case["trace"], case["unclosed"])
    assert ifhard.strip_reasoning(case["raw"]) == case["answer"]


PARAMS = table("params")


@pytest.mark.parametrize(
    "case", PARAMS["accepted"], ids=[f"{case['category']} - {case['is']}" for case in PARAMS["accepted"]]
)
def test_accepted_params(case):
    """What the scorer reads is accepted, and then never called invalid."""
    ifhard.check_params(case["category"], case["params"])
    for text in ("", "Кот спит.", "- кот\n- дом", "Кот (1)", '{"а": "- кот"}'):
        assert ifhard.verify(case["category"], case["params"], text).code != "invalid-params"


@pytest.mark.parametrize(
    "case", PARAMS["refused"], ids=[f"{case['category']} - {case['is']}" for case in PARAMS["refused"]]
)
def test_refused_params(case):
    """What the scorer cannot read is refused with category and parameter named, and fails without raising."""
    with pytest.raises(ifhard.ParamsError) as caught:
        ifhard.check_params(case["category"], case["params"])
    assert caught.value.parameter == case["parameter"]
    assert caught.value.category.strip("'") == case["category"]
    assert str(caught.value) == case["says"]
    verdict = ifhard.verify(case["category"], case["params"], "Кот (1)")
    assert not verdict.passed
    assert verdict.code == ("invalid-params" if case["category"] in ifhard.CATEGORIES else "unknown-category")


def test_count_reasons_say_what_to_mend():
    """A count is reported as wanted and found, with the noun in the right number."""
    assert count_verdict("character", 487, read_count({"value": 492})) == (
        False,
        "too-few",
        "exactly 492 characters required, 487 found",
        487,
        492,
    )
    between = count_verdict("word", 3, read_count({"op": "between", "min": 1, "max": 2}))
    assert (between.reason, between.wanted) == ("1 to 2 words required, 3 found", "1..2")
    assert count_verdict("item", 1, read_count({"op": "ge", "value": 1})).reason == "at least 1 item required, 1 found"
    signs = {
        op: count_verdict("word", 5, read_count({"op": op, "value": 2})).wanted for op in ("ne", "le", "lt", "ge", "gt")
    }
    assert signs == {"ne": "!= 2", "le": "<= 2", "lt": "< 2", "ge": ">= 2", "gt": "> 2"}


def test_quotations_show_what_cannot_be_seen():
    """A fragment is cut to 60 characters, and invisible characters and lone surrogates are written out."""
    verdict = ifhard.verify("lexical:starts_with", {"phrase": "Вот так"}, "Вот\u00a0так\u200b\ud800 тут")
    assert verdict.reason == r'start "Вот так" required, found "Вот\xa0так\u200b\ud800 тут"'
    assert verdict.observed == r"Вот\xa0так\u200b\ud800 тут"
    long = ifhard.verify("lexical:nth_word", {"n": 1, "word": "д" * 99}, "ы" * 99)
    assert long.observed == "ы" * 59 + "…"
    assert long.wanted == "д" * 59 + "…"
    escaped = ifhard.verify("lexical:nth_word", {"n": 1, "word": "д"}, "ы" + "\ud800" * 59)
    assert escaped.observed == "ы" + r"\ud800" * 9 + r"\ud8…"
    exact = ifhard.verify("lexical:nth_word", {"n": 1, "word": "д"}, "ы" * 60)
    assert exact.observed == "ы" * 60


REASONS = [
    (
        "structure:sentence_words",
        {"each": {"value": 2}},
        "Кот спит. Пёс.",
        "sentence 2 has 1 word, exactly 2 words required",
    ),
    ("structure:checksum", {"kind": "words"}, "Кот (3)", "the closing marker says 3 words, 1 found"),
    ("lexical:nth_word", {"n": 1, "word": "дом"}, "Кот.", 'word 1 must be "дом", found "кот"'),
    ("lexical:include_keyword", {"stem": "пёс"}, "Кот.", 'a word that starts with "пёс" required, none found'),
    ("lexical:starts_with", {"phrase": "Дом"}, "Кот спит", 'start "Дом" required, found "Кот спит"'),
    ("lexical:ends_with", {"phrase": "дом"}, "Вот спит кот", 'end "дом" required, found "Вот спит кот"'),
    (
        "style:letter_start_count",
        {"letter": "к", "value": 2},
        "Кот.",
        'words starting with "к": exactly 2 words required, 1 found',
    ),
    ("style:forbid_letter", {"letter": "о"}, "Около", '"о" is forbidden and occurs 3 times'),
    ("style:no_caps", {}, "кот Барс", 'no capital letter allowed, found "Б"'),
    (
        "format:json_object",
        {"keys": ["а", "б"]},
        '{"а": "1", "в": "2"}',
        'the keys must be exactly [а, б]: missing "б" and extra "в"',
    ),
    ("format:bullet_list", {"value": 1}, "Вот:\n- кот", "only bullet items allowed, 1 other line found"),
    ("logic:conditional_include", {"holds": False, "stem": "кот"}, "Кот.", 'no word may start with "кот", found "кот"'),
    (
        "logic:override",
        {"winner": {"category": "style:no_commas", "params": {}}},
        "а,",
        "style:no_commas: no comma allowed, 1 found",
    ),
]


@pytest.mark.parametrize(("category", "params", "text", "reason"), REASONS, ids=[row[0] for row in REASONS])
def test_reasons_name_the_place(category, params, text, reason):
    """A person can mend the answer from the sentence alone."""
    assert reason in ifhard.verify(category, params, text).reason
