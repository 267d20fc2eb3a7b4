"""Token totals in run.json and in the table."""

import json
import re
from types import SimpleNamespace

import pytest
from fault_server import FaultServer, as_json, body_of, prompt_of
from mini import right, write_responses
from replies import number_of

from runner.exits import Exit
from runner.tokens import token_phrase, token_totals


def response(prompt, completion, reasoning=None, outcome="answered"):
    """What the totals read of a response."""
    return SimpleNamespace(
        outcome=outcome, prompt_tokens=prompt, completion_tokens=completion, reasoning_tokens=reasoning
    )


@pytest.mark.parametrize(
    ("responses", "generated", "phrase"),
    [
        ([response(3, 4), response(5, 6)], (10, 4.0), "8 prompt, 10 completion, 2.5 completion tokens a second"),
        ([response(3, 4, 0), response(5, 6, 2)], None, "8 prompt, 10 completion (2 of them reasoning)"),
        (
            [response(3, 4), response(None, None), response(9, 9, 9, outcome="failed")],
            None,
            "3 prompt, 4 completion, counted by the server for 1 of 2 answers",
        ),
        ([response(3, None)], None, "3 prompt, counted by the server for 0 of 1 answers"),
        ([response(0, 0)], (0, 1.0), "0 prompt, 0 completion"),
        ([response(3, 4)], (4, 0.0), "3 prompt, 4 completion"),
        ([response(None, None)], (0, 3.0), None),
        ([], None, None),
    ],
)
def test_totals_are_worded(responses, generated, phrase):
    """Failed requests count nothing; what no answer has is left out; no division by zero."""
    assert token_phrase(token_totals(responses, generated)) == phrase


def counting(where):
    """A server that counts 11 prompt tokens, 7 completion tokens and 5 of reasoning, under one of two names."""

    async def reply(server, request):
        body = body_of(right(number_of(prompt_of(await request.json()))))
        body["usage"] |= {"reasoning_tokens": 5} if where == "flat" else {where: {"reasoning_tokens": 5}}
        return await as_json(body)(server, request)

    return reply


@pytest.mark.parametrize("where", ["flat", "completion_tokens_details"])
def test_a_run_has_token_totals_and_a_speed(command, where):
    """A resume sums over all answers; its speed is that of what it generated itself."""
    with FaultServer(counting(where)) as server:
        first = command("--max-samples", "4", server=server)
        grown = command("--resume", str(first.run_dir), "--max-samples", "10")
        idle = command("--resume", str(first.run_dir))
    assert grown.code == Exit.COMPLETE
    assert idle.run["tokens"] == {
        "prompt": 110,
        "completion": 70,
        "reasoning": 50,
        "answers": 10,
        "counted": 10,
        "completion_per_second": None,
    }
    assert "Tokens: 44 prompt, 28 completion (20 of them reasoning), " in first.out
    assert re.search(
        r"Tokens: 110 prompt, 70 completion \(50 of them reasoning\), [0-9.]+ completion tokens a", grown.out
    )
    assert "Tokens: 110 prompt, 70 completion (50 of them reasoning)\n" in idle.out
    assert {line["reasoning_tokens"] for line in idle.journal} == {5}


def test_answers_without_counts_have_no_line(command, tmp_path):
    """Saved answers that nobody counted: no total, not zero."""
    answers = write_responses(tmp_path / "a.jsonl", {number: right(number) for number in range(40)})
    result = command("--full", "--responses", str(answers))
    assert "Tokens:" not in result.out
    assert result.run["tokens"]["completion"] is None
    assert json.dumps(result.run["tokens"])
