"""What changes no verdict where it is not graded, and the shortcuts that must score zero."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from sobhard_questions import QUESTIONS, answer, fence

from metrics import sobhard

NAMES = sorted(QUESTIONS)


def verdicts(row, response):
    """Which constraints apply and pass."""
    found = sobhard.score(row, response).constraints
    return {name: None if one is None else one.passed for name, one in found.items()}


LINE_ENDINGS = ["\r\n", "\r"]
AROUND = ["", " ", "\n", "\t\n ", "\u00a0", "\u3000\n", "\u2028", "\r\n\r\n"]


@pytest.mark.parametrize("ending", LINE_ENDINGS, ids=["crlf", "cr"])
@pytest.mark.parametrize("name", NAMES)
def test_line_endings(name, ending):
    """All three line endings are one, in right answers and in wrong ones."""
    row = QUESTIONS[name]
    for response in (answer(row), answer(row).replace("1", "2"), "до\n" + answer(row)):
        assert verdicts(row, response.replace("\n", ending)) == verdicts(row, response)


@pytest.mark.parametrize("name", NAMES)
def test_a_byte_order_mark_at_the_very_front(name):
    """One is dropped; the pre-filter lets white space before it pass too."""
    row = QUESTIONS[name]
    for front in ("\ufeff", "\n \ufeff"):
        assert verdicts(row, front + answer(row)) == verdicts(row, answer(row))


@pytest.mark.parametrize("name", ["convert_json", "patch_toml", "convert_properties", "transform_jsonl"])
def test_a_byte_order_mark_inside_the_block(name):
    """Belongs to the document: JSON and TOML refuse it, in properties it joins the first key (contract, 11.2)."""
    row = QUESTIONS[name]
    found = verdicts(row, fence("\ufeff" + row["meta"]["reference"], row["meta"]["fence_tag"]))
    assert found["syn.parses_target"] is (name == "convert_properties")
    assert not all(passed for passed in found.values() if passed is not None)


@pytest.mark.parametrize("name", NAMES)
@given(st.sampled_from(AROUND), st.sampled_from(AROUND))
def test_white_space_around_the_block(name, before, after):
    """Any Unicode white space around the whole response is nothing."""
    row = QUESTIONS[name]
    assert verdicts(row, before + answer(row) + after) == verdicts(row, answer(row))


@pytest.mark.parametrize("name", NAMES)
def test_blank_lines_and_trailing_space_inside_the_block(name):
    """Around the document, in every notation; at the end of its lines where the notation does not keep it."""
    row = QUESTIONS[name]
    reference, tag = row["meta"]["reference"], row["meta"]["fence_tag"]
    padded = fence(f"\n\n{reference}\n \n", tag)
    assert verdicts(row, padded) == verdicts(row, answer(row))
    trailing = fence("\n".join(line + "  " for line in reference.split("\n")), tag)
    assert verdicts(row, trailing) == verdicts(row, answer(row))


def reversed_keys(value):
    if isinstance(value, dict):
        return {key: reversed_keys(entry) for key, entry in reversed(value.items())}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


WRITERS = {
    "json": lambda value: json.dumps(value, ensure_ascii=False),
    "jsonl": lambda value: "\n".join(json.dumps(record) for record in value),
    "yaml": lambda value: yaml.safe_dump(value, allow_unicode=True, sort_keys=False),
}
READERS = {
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.split("\n")],
    "yaml": yaml.safe_load,
}
KEY_ORDER_GRADED = {"diff_yaml"}


@pytest.mark.parametrize("name", [n for n in NAMES if n.rpartition("_")[2] in WRITERS and n not in KEY_ORDER_GRADED])
def test_key_order_is_not_graded(name):
    """Keys backwards at every depth, the reference's and a wrong answer's alike."""
    row, target = QUESTIONS[name], name.rpartition("_")[2]
    value = READERS[target](row["meta"]["reference"])
    assert verdicts(row, answer(row, WRITERS[target](reversed_keys(value)))) == verdicts(row, answer(row))
    wrong = value[1:] if isinstance(value, list) else dict(list(value.items())[1:])
    forwards = verdicts(row, answer(row, WRITERS[target](wrong)))
    assert verdicts(row, answer(row, WRITERS[target](reversed_keys(wrong)))) == forwards


def test_section_order_of_a_diff_is_graded():
    """The one family of these questions where it is, and only there by its own constraints."""
    row = QUESTIONS["diff_yaml"]
    found = verdicts(row, answer(row, WRITERS["yaml"](reversed_keys(yaml.safe_load(row["meta"]["reference"])))))
    assert [name for name, passed in found.items() if passed is False] == [
        "diff.top_level_form",
        "diff.sections_sorted",
    ]


EMPTY = {
    "json": ["{}", "[]"],
    "jsonl": [""],
    "yaml": ["{}", "[]"],
    "toml": [""],
    "properties": ["", "a = "],
    "sqlinsert": [""],
}


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_document_scores_zero(name):
    """In the right package, for every family."""
    row = QUESTIONS[name]
    for body in EMPTY[row["meta"]["categories"]["target_format"]]:
        assert sobhard.score(row, answer(row, body)).metrics["sample_pass_rate"] == 0.0


def source_in_target(row):
    """The input document in the target notation: as near to handing the input back as a parser takes."""
    checks = json.loads(row["meta"]["checks"])
    target = row["meta"]["categories"]["target_format"]
    if target in WRITERS:
        source = checks["source"]
        return WRITERS[target](source if target != "jsonl" or isinstance(source, list) else [source])
    return json.dumps(checks["source"], ensure_ascii=False)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("convert")])
def test_the_input_handed_back_scores_zero(name):
    """Converted or not, in the right package or bare."""
    row = QUESTIONS[name]
    raw = json.dumps(json.loads(row["meta"]["checks"])["source"], ensure_ascii=False)
    for body in (source_in_target(row), raw):
        for response in (answer(row, body), body):
            assert sobhard.score(row, response).metrics["sample_pass_rate"] == 0.0


HALF_FINISHED = [
    ("transform_jsonl", '{"sku": "A-1", "qty": 5, "price": "10"}\n{"sku": "C-3", "qty": 9, "price": "007"}'),
    ("transform_jsonl", '{"sku": "A-1", "qty": 5, "price": 10}\n{"sku": "C-3", "qty": 9, "price": 7}'),
    (
        "transform_yaml",
        "- {sku: B-2, qty: 1, price: '7'}\n- {sku: A-1, qty: 5, price: '10'}\n- {sku: C-3, qty: 9, price: '007'}",
    ),
    ("patch_toml", 'title = "новый"\nports = [80, 443]\n[db]\nhost = "h"\nuser = "u"'),
    ("repair_json", '{"user": {"name": "Ольга", "fax": ""}, "log": [{"m": "старт"}, {}], "n": 0, "x": []}'),
    ("applydiff_json", '{"host": "b", "port": 80, "flags": ["x", "z"]}'),
]


@pytest.mark.parametrize(("name", "body"), HALF_FINISHED, ids=[f"{n}-{i}" for i, (n, _) in enumerate(HALF_FINISHED)])
def test_a_chain_abandoned_halfway_scores_zero(name, body):
    """The document after some of the steps."""
    row = QUESTIONS[name]
    assert sobhard.score(row, answer(row, body)).metrics["sample_pass_rate"] == 0.0


@given(st.sampled_from(NAMES), st.none() | st.text(max_size=80))
def test_metrics_stay_inside_their_bounds(name, response):
    """Any text at all: every rate in [0, 1], whole rates 0 or 1, and 1 only if all constraints pass."""
    score = sobhard.score(QUESTIONS[name], response)
    assert list(score.metrics) == list(sobhard.METRICS)
    assert all(0.0 <= value <= 1.0 for value in score.metrics.values())
    whole = [value for metric, value in score.metrics.items() if metric != "constraint_pass_rate"]
    assert set(whole) <= {0.0, 1.0}
    if score.metrics["sample_pass_rate"] == 1.0:
        assert set(score.metrics.values()) == {1.0}
        assert all(verdict is None or verdict.passed for verdict in score.constraints.values())
