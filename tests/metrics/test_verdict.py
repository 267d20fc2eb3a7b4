"""A verdict whose reason is not yet put into words is, to whoever looks at it, the tuple of its five values."""

import copy
import json
import pickle

import pytest

from metrics.reasons import KEPT, failed, passed, prefixed, quoted
from metrics.record import verdict_record
from metrics.verdict import Verdict
from metrics.wording import worded

WORD = "слово"
UNWORDED = failed("wrong-word", ("word {} must be {}, found {}", 3, (quoted, WORD), (quoted, "дело")), "дело", WORD)
WORDED = Verdict(False, "wrong-word", 'word 3 must be "слово", found "дело"', "дело", WORD)
VALUES = (False, "wrong-word", 'word 3 must be "слово", found "дело"', "дело", WORD)


def test_reason_is_the_same_at_every_reading():
    """Reading keeps nothing and changes nothing."""
    kept = UNWORDED.told
    assert [UNWORDED.reason for _ in range(3)] == [VALUES[2]] * 3
    assert UNWORDED.told is kept
    assert type(UNWORDED.reason) is str


def test_equality_and_hash_are_of_the_values():
    """With a verdict in words, with a plain tuple on either side, in lists and as a key."""
    assert UNWORDED == WORDED
    assert VALUES == UNWORDED
    assert UNWORDED == VALUES
    assert [UNWORDED] == [WORDED]
    assert hash(UNWORDED) == hash(WORDED) == hash(VALUES)
    assert {UNWORDED: 1}[WORDED] == 1
    for other in (WORDED._replace(reason="another"), VALUES[:4], None, "x"):
        assert other != UNWORDED
        assert not other == UNWORDED  # noqa: SIM201  # both operators are the class's own
    assert sorted([UNWORDED, WORDED]) == [VALUES, VALUES]
    assert UNWORDED <= WORDED < (True,)
    assert UNWORDED >= WORDED > (False,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_in_words(protocol):
    """Another process needs nothing of this one to read it."""
    text = pickle.dumps(UNWORDED, protocol)
    assert b"quoted" not in text
    loaded = pickle.loads(text)
    assert type(loaded) is Verdict
    assert loaded == UNWORDED
    assert loaded.told == loaded.reason


@pytest.mark.parametrize("made", [copy.copy(UNWORDED), copy.deepcopy(UNWORDED), Verdict._make(UNWORDED), UNWORDED * 1])
def test_copies_are_equal(made):
    """However it is copied."""
    assert made == WORDED


def test_read_as_a_tuple():
    """Unpacked, indexed, sliced, searched, joined."""
    passed_, code, reason, *rest = UNWORDED
    assert (passed_, code, reason, *rest) == VALUES
    assert (*UNWORDED,) == tuple(UNWORDED) == VALUES
    assert [UNWORDED[place] for place in (0, 2, -3)] == [False, VALUES[2], VALUES[2]]
    assert UNWORDED[1:3] == VALUES[1:3]
    assert len(UNWORDED) == 5
    assert VALUES[2] in UNWORDED
    assert UNWORDED.index(VALUES[2]) == 2
    assert UNWORDED.count(VALUES[2]) == 1
    assert (0, *VALUES) == (0,) + UNWORDED  # noqa: RUF005  # the operator is what is tested
    assert (*VALUES, 0) == UNWORDED + (0,)  # noqa: RUF005
    assert 2 * UNWORDED == VALUES * 2


def test_read_by_name():
    """Fields, repr, JSON, pattern, and a changed copy."""
    assert UNWORDED._fields == ("passed", "code", "reason", "observed", "wanted")
    assert UNWORDED._asdict() == dict(zip(UNWORDED._fields, VALUES, strict=True))
    assert repr(UNWORDED) == repr(WORDED)
    assert repr(passed("да", 1)) == "Verdict(passed=True, code='ok', reason='да', observed=1, wanted=None)"
    assert json.loads(json.dumps(UNWORDED)) == list(VALUES)
    match UNWORDED:
        case Verdict(passed=False, reason=reason):
            assert reason == VALUES[2]
        case _:
            pytest.fail("no match")
    assert UNWORDED._replace(code="other") == (False, "other", *VALUES[2:])
    assert UNWORDED._replace(reason="другое").reason == "другое"
    with pytest.raises(ValueError, match="told"):
        UNWORDED._replace(told="x")


def test_records_hold_words():
    """What is stored is JSON, the same for both."""
    stored = verdict_record("lexical:nth_word", "lexical", "ifhard", 0, UNWORDED)
    assert stored == verdict_record("lexical:nth_word", "lexical", "ifhard", 0, WORDED)
    assert type(stored["reason"]) is str
    assert json.loads(json.dumps(stored)) == stored


def test_reasons_within_reasons():
    """A prefix, and code points where the values look alike, are parts as well; braces of the answer are only text."""
    assert prefixed(("rule {}", 2), UNWORDED).reason == f"rule 2: {VALUES[2]}"
    assert prefixed("rule", UNWORDED)[3:] == VALUES[3:]
    assert failed("x", ("found {}", (quoted, "{}{0}")), "{", "}").reason == 'found "{}{0}"'
    alike = failed("x", ("found {}", (quoted, "кoт")), "кoт", "кот")
    assert alike.reason == 'found "кoт" (they look alike: wanted U+043E, found U+006F)'
    assert worded("as {} is") == "as {} is"


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (("{:quoted} and {:quoted}", "а", "b\n"), '"а" and "b\\n"'),
        (("{:other line} and {:other line}", 1, 2), "1 other line and 2 other lines"),
        (("{} of {}", 3, "x"), "3 of x"),
        (("{}: {}", (quoted, "x"), (max, 3, 4)), '"x": 4'),
        (("100% of {{}} and '{}' or \"{}\"\n\\", 1, 2), "100% of {} and '1' or \"2\"\n\\"),
        (("no field",), "no field"),
        ((quoted, "x"), '"x"'),
        (("{:it's \"}", 2), "2 it's \"s"),
        ("{} stays", "{} stays"),
    ],
)
def test_wording(reason, sentence):
    """Fields are quoted, counted, put in or called; everything else of a template is text."""
    assert worded(reason) == sentence


@pytest.mark.parametrize("reason", [("{} and {}", 1), ("{}", 1, 2)])
def test_parts_must_fit(reason):
    """A part too many or too few is a fault of the checker, and is told."""
    with pytest.raises(TypeError):
        worded(reason)


def test_a_kept_fragment_is_quoted_like_the_whole():
    """Those characters that a verdict keeps show what the whole would."""
    for size in (0, 59, 60, 61, 62, 1_000):
        for text in ("я" * size, "\n" * size, "я" * (size - 1) + "\n"):
            assert quoted(text[:KEPT]) == quoted(text)
