"""What is said of the lines that a journal held before."""

import pytest
from asking import chat

from endpoints.journal import Journal
from endpoints.journal_notes import journal_notes
from endpoints.outcome import Outcome

YES = Outcome(status="answered", text="да", attempts=1)
NO = Outcome.failure("timeout", "late", 3)
ASKED = [chat("q0"), chat("q1")]


def notes(path, lines, *, asked=ASKED, tail=b"", cut=0, **options):
    """The sentences on a journal of these lines."""
    with Journal(path) as journal:
        for request, outcome in lines:
            journal.append(request, outcome)
    body = path.read_bytes()
    path.write_bytes(body[: len(body) - cut] + tail)
    with Journal(path) as journal:
        return journal_notes(journal, asked, asked, **options)


@pytest.mark.parametrize("lines", [[], [(ASKED[0], YES)], [(ASKED[0], NO), (ASKED[0], YES), (ASKED[1], NO)]])
def test_a_journal_of_this_run_is_no_news(tmp_path, lines):
    """Empty, answered, failed and answered."""
    assert notes(tmp_path / "j", lines) == []


def test_a_repaired_last_line_is_said(tmp_path):
    """A half-written one with its size; a whole one is kept."""
    assert notes(tmp_path / "a", [(ASKED[0], YES)], tail=b'{"key": "ab') == [
        "a: an unfinished last line of 11 bytes was cut off; it is asked for again"
    ]
    assert notes(tmp_path / "b", [(ASKED[0], YES)], cut=1) == [
        "b: the last line had no line end; it is whole, and kept"
    ]
    assert notes(tmp_path / "b", []) == []


def test_lines_of_other_tasks_are_named(tmp_path):
    """The commonest first; failed ones too."""
    others = [(chat(f"q{n}", task=task), YES) for task in ("sobhard:all|0", "a", "b", "c") for n in range(2)]
    lines = [(ASKED[0], YES), *others, (chat("q9", task="sobhard:all|0"), NO)]
    assert notes(tmp_path / "j", lines) == [
        "j: 9 lines of tasks that this run does not have, not used: sobhard:all|0 (3), a (2), b (2) and 1 more"
    ]


def test_lines_of_other_questions_are_counted(tmp_path):
    """And of further repeats."""
    assert notes(tmp_path / "a", [(chat("q7"), YES)]) == [
        "a: 1 line of questions that this run does not have, not used"
    ]
    assert notes(tmp_path / "b", [(chat("q7"), YES), (chat("q0", repeat=1), YES)]) == [
        "b: 2 lines of questions that this run does not have, not used"
    ]


def test_answers_to_other_requests_are_counted(tmp_path):
    """Of another model, say; failures are asked for again whoever met them."""
    lines = [(chat("q0", model="huge"), YES), (chat("q1", max_tokens=3), YES), (chat("q1", model="huge"), NO)]
    (said,) = notes(tmp_path / "a", lines)
    assert said.startswith("a: 2 lines with answers to this run's questions as another run asked them")
    assert notes(tmp_path / "b", lines, all_planned=False) == []
