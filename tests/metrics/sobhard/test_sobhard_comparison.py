"""The type-strict comparison (contract, section 5), and what a person reads where two values part."""

import copy
import datetime
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.sobhard.comparison import NotComparable, compare
from metrics.sobhard.wording import place, shown

# answer, reference, kind with types kept, kind without (None: equal)
TABLE = [
    (1, 1, None, None),
    (1, 1.0, None, None),
    (True, True, None, None),
    (True, 1, "structure", "structure"),
    (1, True, "structure", "structure"),
    (False, 0, "structure", "structure"),
    (None, None, None, None),
    (None, 0, "structure", "structure"),
    (None, "", "structure", "structure"),
    ("1", 1, "structure", None),
    ("12.5", 12.5, "structure", None),
    ("a", "a", None, None),
    ("a", "A", "string", "string"),
    ("й", "\u0438\u0306", "string", "string"),
    ("a ", "a", "string", "string"),
    ("007", "7", "string", None),
    ("18.00", "18", "string", None),
    ("1e3", "1000", "string", None),
    ("nan", "NaN", "string", None),
    ("8_080", "8080", "string", None),
    ("٥", "5", "string", None),
    (" 5 ", "5", "string", None),
    ("+79161234567", "79161239567", "string", None),
    ("1" * 309, "2" * 310, "string", None),
    ("", "0", "string", "string"),
    ("0x10", "16", "string", "string"),
    ("5", "6", "string", "numeric"),
    (12345679, 12345678, None, None),
    (1000002, 1000000, "numeric", "numeric"),
    (1000001, 1000000, None, None),
    (9e-7, 2e-7, None, None),
    (3e-6, 1e-6, "numeric", "numeric"),
    (2024.002, 2024, None, None),
    (2024.003, 2024, "numeric", "numeric"),
    (math.nan, math.nan, None, None),
    (math.nan, 1.0, "numeric", "numeric"),
    (math.inf, math.inf, None, None),
    (math.inf, -math.inf, None, None),  # the tolerance is infinite too: as the contract has it
    (-0.0, 0.0, None, None),
    ([], {}, "structure", "structure"),
    ({}, [], "structure", "structure"),
    ([], None, "structure", "structure"),
    ("x", {}, "structure", "structure"),
    ((1, 2), [1, 2], "structure", "structure"),
    (datetime.date(2024, 5, 1), "2024-05-01", "structure", "structure"),
    (datetime.date(2024, 5, 1), datetime.date(2024, 5, 1), None, None),
    (datetime.date(2024, 5, 1), datetime.date(2024, 5, 2), "structure", "structure"),
    (b"hi", "hi", "structure", "structure"),
    ({"a"}, {"a": None}, "structure", "structure"),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None, None),
    ([1, 2], [2, 1], "numeric", "numeric"),
    ({1: "x"}, {"1": "x"}, "structure", "structure"),
    ({1: "x"}, {1.0: "x"}, None, None),
]


@pytest.mark.parametrize(
    ("pred", "gold", "strict", "coerced"), TABLE, ids=[f"{a!r:.20}~{b!r:.20}" for a, b, *_ in TABLE]
)
def test_type_table(pred, gold, strict, coerced):
    """The kind of difference with types kept and without; at the root and deep inside alike."""
    for coerce, wanted in ((False, strict), (True, coerced)):
        expected = set() if wanted is None else {wanted}
        assert set(compare(pred, gold, coerce).counts) == expected
        assert set(compare({"a": [0, pred]}, {"a": [0, gold]}, coerce).counts) == expected


@pytest.mark.parametrize("coerce", [False, True])
@pytest.mark.parametrize("pred", [10**320, 10**320 + 1, -(10**320)])
def test_integers_beyond_floats_cannot_be_compared(pred, coerce):
    """Even identical ones (contract, 11.2)."""
    with pytest.raises(NotComparable):
        compare({"x": pred}, {"x": 10**320}, coerce)


NO_DESCENT = [
    ({"a": "wrong", "extra": 1}, {"a": "right"}, {"structure": 1}),
    ([1, 2, 3], [9, 9], {"structure": 1}),
    ({"a": {"x": 1}, "b": "q"}, {"a": [1], "b": "w"}, {"structure": 1, "string": 1}),
]


@pytest.mark.parametrize(("pred", "gold", "counts"), NO_DESCENT)
def test_no_descent_below_a_structural_difference(pred, gold, counts):
    """One mismatch for the container, none for what is in it."""
    assert compare(pred, gold, False).counts == counts


REASONS = [
    ({"rows": [{}] * 17 + [{"price": "12.5"}]}, {"rows": [{}] * 17 + [{"price": 12.5}]},
     "rows[17].price: 12.5 expected, '12.5' found"),
    ({"a": 1}, {"a": 1, "b": 2, "c": 3}, "the document: missing keys 'b', 'c'"),
    ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, "a: extra key 'y'"),
    ([1, 2], [1], "the document: 1 element expected, 2 found"),
    ({"k": True}, {"k": 1}, "k: 1 expected, true found"),
    ({"k": None}, {"k": "x"}, "k: 'x' expected, null found"),
    ({"k": [1]}, {"k": {"a": 1}}, "k: an object with 1 key expected, an array of 1 element found"),
    ({"a.b": "x"}, {"a.b": "y"}, "['a.b']: 'y' expected, 'x' found"),
    ({"k": "a\u00a0b"}, {"k": "a b"}, "k: 'a b' expected, 'a\\xa0b' found"),
    ({"k": datetime.date(2024, 5, 1)}, {"k": "2024-05-01"}, "k: '2024-05-01' expected, a date (2024-05-01) found"),
    (["x" * 90 + "b" + "y" * 200], ["x" * 90 + "a" + "y" * 200],
     f"[0]: '{'x' * 15}a{'y' * 43}…' expected, '{'x' * 15}b{'y' * 43}…' from character 76 on found"),
    ({1: "x"}, {1: "y"}, "[1]: 'y' expected, 'x' found"),
]  # fmt: skip


@pytest.mark.parametrize(("pred", "gold", "reason"), REASONS, ids=[case[2][:40] for case in REASONS])
def test_the_first_difference_is_named_by_path_with_both_values(pred, gold, reason):
    """What a person sees."""
    first = compare(pred, gold, False).first
    assert first.reason == reason


def test_first_means_first_in_the_documents_order():
    """Of several of one kind, the one that the reference has first."""
    found = compare({"b": [1, {"x": "q"}], "a": "w"}, {"b": [1, {"x": "1"}], "a": "2"}, False)
    assert found.firsts["string"].path == ("b", 1, "x")
    assert found.counts == {"string": 2}


def test_an_answer_inside_itself_is_compared_as_far_as_the_reference_goes():
    """The reference is finite, so the comparison is."""
    pred = {"a": 1}
    pred["b"] = pred
    assert compare(pred, {"a": 1, "b": {"a": 1, "b": None}}, False).counts == {"structure": 1}


def test_depth_is_no_limit():
    """10,000 levels compare without recursion."""

    def nest(levels, leaf):
        value = leaf
        for _ in range(levels):
            value = [value]
        return value

    assert compare(nest(10_000, 1), nest(10_000, 1), False).equal
    assert compare(nest(10_000, 1), nest(10_000, 2), False).counts == {"numeric": 1}


PLACES = [
    ((), "the document"),
    (("a",), "a"),
    ((0,), "[0]"),
    (("a", 0, "b"), "a[0].b"),
    (("a b", "c"), "['a b'].c"),
    (((None,), "x"), "[null].x"),
    (tuple("abcdefghijklmno"), "….d.e.f.g.h.i.j.k.l.m.n.o"),
]


@pytest.mark.parametrize(("path", "text"), PLACES, ids=[text for _, text in PLACES])
def test_places(path, text):
    """Paths as people write them, the last dozen steps at most."""
    assert place(path) == text


def test_a_number_of_many_digits_can_be_shown():
    """Python refuses to print it; the reason does not fail for that."""
    assert "digits" in shown(1 << 20_000)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


@given(VALUES, st.booleans())
def test_everything_equals_itself(value, coerce):
    """Reflexive, and blind to key order at any depth."""

    def backwards(node):
        if isinstance(node, dict):
            return {key: backwards(node[key]) for key in reversed(node)}
        return [backwards(item) for item in node] if isinstance(node, list) else node

    assert compare(copy.deepcopy(value), value, coerce).equal
    assert compare(backwards(value), value, coerce).equal


@given(VALUES, VALUES)
def test_what_is_equal_with_types_is_equal_without(a, b):
    """Dropping types only forgives; and the verdict does not depend on the side."""
    strict, coerced = compare(a, b, False), compare(a, b, True)
    assert coerced.equal or not strict.equal
    assert strict.counts == compare(b, a, False).counts
