"""What holds for every string: totality, agreement with plain re-tellings of the contract, line endings, bounds."""

import json
import re

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from ifhard_tables import COUNTS, any_params, good_params, texts

from metrics import ifhard
from metrics.ifhard import text as primitives
from metrics.ifhard.counts import meets, read_count
from metrics.ifhard.params import ParamsError
from metrics.ifhard.verification import judge, read_requirement

CATEGORIES = sorted(ifhard.CATEGORIES)
each_category = pytest.mark.parametrize("category", CATEGORIES)
# Building parameters for an override draws a whole category; slow data is no fault of the code under test.
quick = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_wholesome(verdict):
    """A verdict that can be stored and read: bounded, printable, kebab-case, and true to its code."""
    assert isinstance(verdict.passed, bool)
    assert verdict.passed == (verdict.code == "ok")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", verdict.code)
    assert 0 < len(verdict.reason) <= 600
    assert verdict.reason.isprintable()
    assert_small(verdict.told)
    stored = json.dumps([verdict.observed, verdict.wanted], ensure_ascii=False, allow_nan=False)
    assert len(stored.encode("utf-8")) <= 600


def assert_small(kept):
    """What a verdict keeps until its reason is read is short and constant: no answer, no object of the caller's."""
    if isinstance(kept, tuple):
        for part in kept:
            assert_small(part)
    else:
        assert callable(kept) or type(kept) in (int, str)
        assert callable(kept) or len(str(kept)) <= 600


def refusal(category, params):
    """The error of the check at loading, or None."""
    try:
        ifhard.check_params(category, params)
    except ParamsError as error:
        return error
    return None


@each_category
@quick
@given(data=st.data(), text=texts())
def test_any_text_gets_a_verdict(category, data, text):
    """Accepted parameters never raise and never turn out invalid, whatever the text; the same again is the same."""
    params = data.draw(good_params(category))
    ifhard.check_params(category, params)
    verdict = ifhard.verify(category, params, text)
    assert_wholesome(verdict)
    assert verdict.code not in ("invalid-params", "unknown-category")
    assert ifhard.verify(category, params, text, "en") == verdict


@each_category
@quick
@given(data=st.data(), text=texts())
def test_any_params_get_a_verdict(category, data, text):
    """Parameters of any shape never raise while scoring; what the check refuses never passes."""
    params = data.draw(any_params(category))
    verdict = ifhard.verify(category, params, text)
    assert_wholesome(verdict)
    error = refusal(category, params)
    if error:
        assert error.category == category
        assert not verdict.passed
    else:
        assert verdict.code != "invalid-params"


@given(category=st.text() | st.none() | st.integers() | st.lists(st.text()), text=texts())
def test_unknown_categories_fail(category, text):
    """A category that is not registered fails with its own code."""
    assume(category not in CATEGORIES)
    verdict = ifhard.verify(category, {}, text)
    assert_wholesome(verdict)
    assert verdict.code == "unknown-category"


def test_none_is_the_empty_text():
    """None, as some servers send it, is scored as the empty text."""
    for category, params in (
        ("style:no_commas", {}),
        ("structure:word_count", {"value": 1}),
        ("style:end_punctuation", {"char": "."}),
    ):
        assert ifhard.verify(category, params, None) == ifhard.verify(category, params, "")


# Line endings. CR LF counts as two characters (6.1), and the marks that exclude_phrases skips at the start hold LF but
# not CR (6.2): these three may change. Everything else is blind to the difference, for parameters without line ends.
CRLF_CHANGES = {"structure:char_count", "structure:word_char_count", "lexical:exclude_phrases"}
DELEGATES = {"logic:override"}  # as its winner
# A line that ends in a bare marker becomes markup when a space follows it (6.3).
TRAILING_SPACE_CHANGES = {"style:no_markdown"}


def strings_in(value):
    """All strings inside parameters."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings_in(inner)


@pytest.mark.parametrize("category", sorted(set(CATEGORIES) - CRLF_CHANGES - DELEGATES))
@quick
@given(data=st.data(), text=texts())
def test_crlf_for_lf_changes_no_verdict(category, data, text):
    """A server that writes CR LF gets the verdicts of one that writes LF."""
    params = data.draw(good_params(category))
    assume("\r" not in text)
    assume(not any("\n" in string or "\r" in string for string in strings_in(params)))
    assert (
        ifhard.verify(category, params, text).code == ifhard.verify(category, params, text.replace("\n", "\r\n")).code
    )


@pytest.mark.parametrize("category", sorted(set(CATEGORIES) - TRAILING_SPACE_CHANGES - DELEGATES))
@quick
@given(data=st.data(), text=texts(), tail=st.text(" \n\t\r\u00a0\u2028", min_size=1, max_size=5))
def test_trailing_white_space_changes_no_verdict(category, data, text, tail):
    """White space after the answer is of no account, even where the text is not trimmed first."""
    params = data.draw(good_params(category))
    # A ban on white space itself, or a match with it, is the one thing that white space can touch.
    assume(not any(char.isspace() for string in strings_in(params) for char in string))
    # CR LF is one boundary: half of it in the text and half in the tail would join.
    assume(not (text.endswith("\r") and tail.startswith("\n")))
    assert ifhard.verify(category, params, text).passed == ifhard.verify(category, params, text + tail).passed


def test_line_ends_that_do_count():
    """The named exceptions: characters, opening marks before a break, and a bare marker with a space after it."""
    assert ifhard.verify("structure:char_count", {"value": 5}, "да\nну").passed
    assert not ifhard.verify("structure:char_count", {"value": 5}, "да\r\nну").passed
    assert not ifhard.verify("lexical:exclude_phrases", {"phrases": ["да"], "mode": "start"}, "«\nда»").passed
    assert ifhard.verify("lexical:exclude_phrases", {"phrases": ["да"], "mode": "start"}, "«\r\nда»").passed
    assert ifhard.verify("style:no_markdown", {}, "да\n-").passed
    assert not ifhard.verify("style:no_markdown", {}, "да\n- ").passed


# Plain re-tellings of section 4, character by character, against the fast ones.

TERMINATORS = ".!?…"


def letter_like(char):
    """4.4."""
    return char.isalnum() and not char.isdecimal()


def plain_sentences(text):
    """4.8, as it is worded."""
    pieces, start, i = [], 0, 0
    while i < len(text):
        if text[i] not in TERMINATORS:
            i += 1
            continue
        end = i
        while end < len(text) and text[end] in TERMINATORS:
            end += 1
        effective = end == len(text) or text[end].isspace()
        if text[i:end] == "." and not (i >= 2 and letter_like(text[i - 1]) and letter_like(text[i - 2])):
            effective = False
        if effective:
            pieces.append(text[start:end])
            start = end
        i = end
    pieces.append(text[start:])
    return [piece.strip() for piece in pieces if piece.strip()]


def plain_words(text):
    """4.6, as it is worded."""
    words, word = [], ""
    for char in [*text, " "]:
        if char.isspace():
            if any(c.isalnum() for c in word):
                words.append(word)
            word = ""
        else:
            word += char
    return words


def plain_paragraphs(text):
    """4.9: lines between line feeds, blank ones apart."""
    paragraphs, lines = [], []
    for line in [*text.strip().split("\n"), ""]:
        if line.strip():
            lines.append(line)
        elif lines:
            paragraphs.append("\n".join(lines).strip())
            lines = []
    return paragraphs


def plain_items(text):
    """4.10, with the contract's marker as a regular expression over whole raw lines."""
    pattern = re.compile(r"\s*([-*•]|\d+[.)])\s+(\S.*)", re.DOTALL)
    matches = [pattern.fullmatch(line) for line in text.splitlines()]
    return [(m.group(1) in "-*•", m.group(2).strip()) for m in matches if m]


@given(texts())
def test_sentences_as_worded(text):
    """The scan by runs finds the sentences of the wording."""
    assert primitives.sentences_of(text) == plain_sentences(text)


@given(texts())
def test_words_and_cores_as_worded(text):
    """Cores are the folded, stripped words, one each, and never empty."""
    words = primitives.words_of(text)
    assert words == plain_words(text)
    cores = [word.lower().replace("ё", "е").strip(" .,;:!?()[]{}<>*_`|/\\-\"'…«»„“—–") for word in words]
    assert primitives.cores_of(text) == cores
    assert all(cores)


@given(texts())
def test_paragraphs_as_worded(text):
    """Splitting at blank-line stretches leaves the paragraphs of the wording."""
    assert primitives.paragraphs_of(text) == plain_paragraphs(text)


@given(texts())
def test_items_as_worded(text):
    """Items are the raw lines that the marker fits."""
    assert primitives.items_of(text) == plain_items(text)


@given(texts(), st.sampled_from(["", "кот", "к", "е", "ёж", "а б", "\n", "кот\n", "(2)"]) | st.text(max_size=3))
def test_stem_search_as_worded(text, stem):
    """One substring search finds what a look at every word finds."""
    stem = primitives.fold(stem)
    cores = primitives.cores_of(text)
    answer = primitives.Text(text)
    assert answer.stem_count(stem) == sum(core.startswith(stem) for core in cores)
    assert (answer.stem_at(stem) >= 0) == any(core.startswith(stem) for core in cores)
    assert answer.has_core(stem) == (stem in cores)


@given(texts(), st.sampled_from(["кот", "к", "е", "дом", ""]), st.sampled_from(["коти", "м", "еж", "дом", ""]))
def test_stem_places_compare_as_words_do(text, first, second):
    """The place of a hit stands for the index of its word."""
    cores = primitives.cores_of(text)
    answer = primitives.Text(text)
    places = [next((i for i, core in enumerate(cores) if core.startswith(stem)), -1) for stem in (first, second)]
    found = answer.stem_at(first), answer.stem_at(second)
    assert (found[0] < found[1]) == (places[0] < places[1])
    assert (found[0] == found[1]) == (places[0] == places[1])


@given(COUNTS, st.integers(0, 12))
def test_counts_as_worded(spec, observed):
    """Section 5, written out."""
    number = {key: int(spec[key]) for key in ("value", "min", "max") if key in spec}
    expected = {
        "eq": lambda: observed == number["value"],
        "ne": lambda: observed != number["value"],
        "le": lambda: observed <= number["value"],
        "lt": lambda: observed < number["value"],
        "ge": lambda: observed >= number["value"],
        "gt": lambda: observed > number["value"],
        "between": lambda: number["min"] <= observed <= number["max"],
    }[spec.get("op", "eq")]()
    assert meets(observed, read_count(spec)) == expected


def plain_answer(raw):
    """Section 3, step by step."""
    close = re.search(r"</think>", raw, re.IGNORECASE)
    text = raw[close.end() :] if close else raw
    text = re.sub(r"<think>.*?</think>", "", text, flags=re.IGNORECASE | re.DOTALL)
    return re.sub(r"</?think>", "", text, flags=re.IGNORECASE).strip()


TAGS = st.lists(
    st.sampled_from(["<think>", "</think>", "<THINK>", "</Thin\u212a>", "<", "/", "think>", "a", "б\n", " "]),
    max_size=14,
)


@given(TAGS.map("".join) | texts())
@example("</think><think>a<think>b</think>c<think>d")
def test_reasoning_as_worded(raw):
    """The linear pass removes what the contract's steps remove; nothing is left to remove from a clean answer."""
    parts = ifhard.split_reasoning(raw)
    assert parts.answer == plain_answer(raw)
    without_last_close = re.split(r"</think>", raw, flags=re.IGNORECASE)[-1]
    assert parts.unclosed == bool(re.search(r"<think>", without_last_close, re.IGNORECASE))


# Bounds.

MILLION = 1_000_000
LONG = {
    "full stops": ".",
    "spaces": " ",
    "line feeds": "\n",
    "open brackets": "[",
    "open braces": '{"a":',
    "one word": "ы",
    "sentences": "ой. ",
    "initials": "а. ",
    "bullets": "- а\n",
    "bold": "**а** ",
    "digits": "1",
    "carriage returns": "\r",
    "lone surrogates": "\ud800",
    "open tags": "<think>",
    "quotes and commas": '"а,б",',
}
SAMPLE_PARAMS = {
    "int": 3,
    "int-or-null": 1,
    "string": "ко",
    "strings": ["ко", "ёж"],
    "strings-or-null": ["ко"],
    "letters": "щъ",
    "any": "any",
    "flag": True,
    "choice": "sentences",
    "branch": {"shape": "sentences", "value": 3},
    "constraint": {"category": "structure:paragraph_sentences", "params": {"op": "ge", "value": 1}},
}


def sample_params(category):
    """One set of plain parameters of a category, with every optional one."""
    params = {}
    for entry in ifhard.CATEGORIES[category].params:
        param = getattr(entry, "options", (entry,))[0]
        params |= {param.name: SAMPLE_PARAMS[param.kind.name]} if param.name else {"op": "ge", "value": 1}
    return params


@pytest.mark.parametrize("name", LONG)
def test_a_million_characters(name):
    """Every category has a bounded verdict for a million characters of one thing; a pass over them is a pass."""
    raw = (LONG[name] * (MILLION // len(LONG[name]) + 1))[:MILLION]
    answer = ifhard.split_reasoning(raw).answer
    assert len(answer) <= MILLION
    text = primitives.Text(raw)
    for category in CATEGORIES:
        verdict = judge(read_requirement(category, sample_params(category)), text)
        assert_wholesome(verdict)
        assert verdict.code != "invalid-params"


def test_extremes_by_name():
    """Deep brackets and huge integers fail with codes of their own, in texts and in parameters."""
    assert ifhard.verify("format:json_array", {"items": 1}, "[" * 100_000).code == "json-too-deep"
    assert ifhard.verify("format:json_object", {"keys": []}, '{"a":' * 100_000).code == "json-too-deep"
    digits = "9" * 5_000
    entry = '[{"пункт": "кот", "слов": %s}]'
    assert ifhard.verify("format:json_array", {"items": 1}, entry % digits).code == "invalid-json"
    assert ifhard.verify("format:json_array", {"items": 1}, entry % digits[:4_300]).code == "wrong-count"
    assert ifhard.verify("structure:first_line_count", {}, f"{digits}\nкот").code == "unreadable-number"
    assert ifhard.verify("structure:first_line_count", {}, f"{digits[:4_300]}\nкот").code == "wrong-count"
    assert ifhard.verify("structure:checksum", {"kind": "words"}, f"кот ({digits})").code == "unreadable-number"
    assert ifhard.verify("structure:checksum", {"kind": "words"}, f"кот ({digits[:4_300]})").code == "wrong-count"
    for huge in (10**5_000, -(10**5_000), 1e300):
        assert ifhard.verify("structure:word_count", {"op": "le", "value": huge}, "кот").passed == (huge > 0)
    assert ifhard.verify("structure:word_count", {"value": digits}, "кот").code == "invalid-params"


def test_long_csv_fields():
    """A field of 131,072 characters is read, one more is an error, whatever limit other code has set."""
    field = '"а,' + "б" * 131_070 + '"'
    assert ifhard.verify("format:csv_line", {"fields": 2}, f"{field},в").passed
    assert ifhard.verify("format:csv_line", {"fields": 2}, f'{field[:-1]}б",в').code == "invalid-csv"


def test_endless_overrides_are_refused():
    """An override of itself ends in an error, not in a loop."""
    loop = {"category": "logic:override", "params": {}}
    loop["params"]["winner"] = loop
    assert ifhard.verify("logic:override", loop["params"], "кот").code == "invalid-params"
    with pytest.raises(ParamsError, match="overrides"):
        ifhard.check_params("logic:override", loop["params"])
