"""Saved answers instead of a server."""

import gzip
import json

import pytest

from endpoints.saved import ResponsesError, SavedResponses


def write(path, *entries):
    path.write_text("".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in entries), encoding="utf-8")
    return path


def too_deep(levels):
    """A result of a batch that Python can read and may not be able to write again."""
    error = "[" * levels + "1" + "]" * levels
    return f'{{"custom_id": "ifhard-{"0" * 40}", "response": null, "error": {error}}}'


def test_answers_are_found_by_task_id_and_repeat(tmp_path):
    """Extra fields are used where present, a null response is an empty answer."""
    saved = SavedResponses(
        write(
            tmp_path / "r.jsonl",
            {"task": "ifhard:all", "id": "a", "response": "раз", "finish_reason": "length", "reasoning": "hm"},
            {"task": "ifhard:all|0", "id": "b", "response": None},
            {"task": "ifhard:all", "id": "a", "repeat": 1, "response": "два"},
            "",
        )
    )
    assert len(saved) == 3
    first = saved.outcome("ifhard:all", "a", 0)
    assert (first.status, first.text, first.truncated, first.reasoning) == ("answered", "раз", True, "hm")
    assert saved.outcome("ifhard:all", "a", 1).text == "два"
    assert saved.outcome("ifhard:easy", "b", 0).text == ""
    missing = saved.outcome("ifhard:all", "c", 0)
    assert missing.status == "not_asked"
    assert "r.jsonl holds no answer" in (missing.error or "")
    assert saved.unused == 0


def test_lone_surrogates_are_stored_as_replacement_characters(tmp_path):
    """The same rule as for a server's answer."""
    saved = SavedResponses(write(tmp_path / "r.jsonl", r'{"task": "t", "id": "a", "response": "x\ud800y"}'))
    assert saved.outcome("t", "a", 0).text == "x\ufffdy"


def test_a_journal_is_a_responses_file(tmp_path):
    """Failed lines are passed over: they hold no answer."""
    saved = SavedResponses(
        write(
            tmp_path / "r.jsonl",
            {"task": "t", "id": "a", "status": "failed", "response": "", "error": "500"},
            {"task": "t", "id": "a", "status": "answered", "response": "да"},
        )
    )
    assert saved.outcome("t", "a", 0).text == "да"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        *((too_deep(levels), "nested too deeply") for levels in (300, 987, 990)),
        ("[]", "expected an object"),
        ('{"task": "t", "id": 5, "response": ""}', "strings"),
        ('{"task": "t", "id": "a"}', "response"),
        ('{"task": "t", "id": "a", "response": 5}', "response"),
        ('{"task": "t", "id": "a", "response": "", "repeat": "x"}', "repeat"),
        ('{"task": "t", "id": "x", "response": "again"}', "line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, says):
    """Which line, and what is wrong with it."""
    good = '{"task": "t", "id": "x", "response": ""}'
    with pytest.raises(ResponsesError, match="line 2") as caught:
        SavedResponses(write(tmp_path / "r.jsonl", good, line))
    assert says in str(caught.value)


def test_a_missing_or_undecodable_file_is_named(tmp_path):
    """Not an empty set of answers."""
    with pytest.raises(ResponsesError, match=r"none\.jsonl"):
        SavedResponses(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(ResponsesError, match=r"latin\.jsonl"):
        SavedResponses(tmp_path / "latin.jsonl")


def test_answers_of_another_mode_do_not_serve(tmp_path):
    """Another subset has the same questions; another mode asks them in another way."""
    path = tmp_path / "answers.jsonl"
    path.write_text('{"task": "bench:open:pretrain", "id": "a", "response": "да"}\n', encoding="utf-8")
    saved = SavedResponses(path)
    assert saved.outcome("bench:all:pretrain|5", "a", 0).text == "да"
    assert saved.outcome("bench:open:alignment|0", "a", 0).status == "not_asked"


def test_saved_fragment_is_no_answer(tmp_path):
    """A text whose finish reason is no known end fails by that name; an answer behind it in a journal stands."""
    line = {"task": "t", "id": "a", "response": "полови", "finish_reason": "network_error"}
    whole = line | {"response": "да", "finish_reason": "stop"}
    alone = SavedResponses(write(tmp_path / "r.jsonl", line)).outcome("t", "a", 0)
    assert (alone.status, alone.error_code, alone.text) == ("failed", "aborted", "")
    assert "network_error" in (alone.error or "")
    for lines in ([line, whole], [whole, line]):
        assert SavedResponses(write(tmp_path / "r.jsonl", *lines)).outcome("t", "a", 0).text == "да"


@pytest.mark.parametrize("count", [-1, 2**64, 10**400])
def test_counts_that_no_file_can_hold(tmp_path, count):
    """Refused at once: the run would break when it writes its details, after the last answer."""
    path = tmp_path / "saved.jsonl"
    line = {"task": "ifhard:all", "id": "q", "response": "x", "completion_tokens": count}
    path.write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(ResponsesError, match='line 1: "completion_tokens" is no number of tokens'):
        SavedResponses(path)


def test_a_packed_file_is_named_as_such(tmp_path):
    """Batch services hand out packed files."""
    path = tmp_path / "saved.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(ResponsesError, match="no UTF-8 text, but packed: unpack it first"):
        SavedResponses(path)


@pytest.mark.parametrize("field", ["status", "prompt_tokens", "custom_id"])
def test_a_megabyte_in_a_field_is_not_repeated(tmp_path, field):
    """Messages stay a line that a terminal shows."""
    path = tmp_path / "saved.jsonl"
    line = {"task": "ifhard:all", "id": "q", "response": "x", field: "x" * 1_000_000}
    path.write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(ResponsesError, match="line 1") as caught:
        SavedResponses(path)
    assert len(str(caught.value)) < 400 + len(str(path))
