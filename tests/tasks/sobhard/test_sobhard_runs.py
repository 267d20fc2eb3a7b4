"""Whole runs of the small set: saved answers, a server that errs, LightEval's own command."""

import json
from pathlib import Path

import pytest
from fault_server import FaultServer, answer, as_json, prompt_of, status
from lighteval_command import lighteval_custom, lighteval_results
from sobhard_docs import split_rows, value_damaged, witnesses

from metrics.sobhard.scoring import METRICS
from tasks.sobhard.dataset import BUILTIN_SMALL
from tasks.sobhard.prompts import render

ROOT = Path(__file__).resolve().parents[3]
TASK = "sobhard:all|0"
SIX = (*METRICS, "balance_score")


def save(path, answers):
    """A responses file."""
    lines = [{"task": "sobhard:all", "id": ident, "response": text} for ident, text in answers.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_every_witness_scores_one(sob):
    """The shipped answers, by every metric, in every family."""
    result = sob("--full", "--responses", str(BUILTIN_SMALL / "witnesses.jsonl"))
    assert result.code == 0, result.err
    row = result.row(TASK)
    assert {row[name] for name in SIX} == {1.0}
    assert row["n_total"] == 33
    assert "not the official questions" in result.out


def test_damaged_answers_lower_exactly_what_they_break(sob, tmp_path):
    """Every third with one wrong character, every third in a wrong fence."""
    answers = {
        ident: (text, value_damaged(text), text.replace("```", "```x", 1))[number % 3]
        for number, (ident, text) in enumerate(witnesses().items())
    }
    row = sob("--full", "--responses", str(save(tmp_path / "a.jsonl", answers))).row(TASK)
    assert row["sample_pass_rate"] == pytest.approx(11 / 33)
    assert row["format_pass_rate"] == pytest.approx(22 / 33)
    assert row["content_pass_rate"] == pytest.approx(22 / 33)
    # One cell in three at 1, the others at the floor of 0.01.
    assert row["balance_score"] == pytest.approx(0.01 ** (2 / 3))


def test_a_default_that_cannot_be_built_is_exit_3(sob, tmp_path, monkeypatch):
    """No package index: what is missing, and the commands that work."""
    for name in ("XDG_CACHE_HOME", "PIP_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    result = sob("--responses", str(BUILTIN_SMALL / "witnesses.jsonl"), data=None)
    assert result.code == 3
    assert "python -m tasks.sobhard.build --out DIR" in result.err


def test_reasoning_before_the_answer_is_cut_and_the_official_value_shown(sob, tmp_path):
    """A trace without its opening tag: right by the product's rule, wrong by the official one; both are printed."""
    answers = {ident: f"Думаю.\n</think>\n{text}" for ident, text in witnesses().items()}
    result = sob("--full", "--responses", str(save(tmp_path / "a.jsonl", answers)))
    assert result.row(TASK)["sample_pass_rate"] == 1.0
    assert "33 of 33 answers score otherwise" in result.out


def test_a_server_that_errs_leaves_samples_without_a_verdict(sob):
    """Right answers to all but one question, which is refused: coverage below one, exit 4, nothing scored as empty."""
    right = witnesses()
    by_prompt = {render(row): right[row["meta"]["base_id"]] for row in split_rows("test")}
    first = next(iter(by_prompt))

    async def know_all(server, request):
        return await answer(by_prompt[prompt_of(await request.json())])(server, request)

    with FaultServer(know_all, {first: [status(500)]}) as server:
        result = sob("--full", server=server)
    assert result.code == 4
    row = result.row(TASK)
    assert row["sample_pass_rate"] == 1.0
    assert (row["n_answered"], row["n_failed"]) == (32, 1)
    assert "INCOMPLETE" in result.out


async def count_characters(server, request):
    """A tokenizer of one token a character."""
    count = sum(len(message["content"]) for message in (await request.json())["messages"])
    return await as_json({"count": count, "max_model_len": 5_000, "tokens": []})(server, request)


def test_a_conversation_that_cannot_fit_is_named_before_anything_is_sent(sob):
    """With the whole history two of three are too long for the window; with a bound of one turn all fit."""
    models = {"object": "list", "data": [{"id": "tiny", "max_model_len": 5_000}]}
    for bound, fitting in ((0, 1), (1, 3)):
        with FaultServer(answer("нет"), models=models, tokenize=count_characters) as server:
            result = sob("--full", task=f"sobhard:session|{bound}", server=server)
            caps = [body["max_tokens"] for body in server.bodies]
        assert len(caps) == fitting
        assert all(0 < cap < 5_000 for cap in caps)
        assert result.code == (0 if fitting == 3 else 4)
        assert ("2 of 3 questions do not fit the server's window of 5000 tokens" in result.out) == (fitting == 1)


@pytest.mark.slow
def test_lighteval_custom_gives_the_same_scores(sob, tmp_path, offline_lighteval):
    """``--custom-tasks tasks.sobhard.task`` over the same answers, with a bound that cuts: every shared value."""
    answers = {
        ident: value_damaged(text) if number % 3 == 0 else text
        for number, (ident, text) in enumerate(witnesses().items())
    }
    saved = save(tmp_path / "answers.jsonl", answers)
    task = "sobhard:all|2"
    expected = sob("--full", "--responses", str(saved), task=task).row(task)
    theirs = lighteval_custom(tmp_path, "saved", task, "--save-details", ENDPOINT_RESPONSES=str(saved))
    row = lighteval_results(tmp_path, task)
    shared = [name for name in row if name in expected]
    assert {*SIX, "sample_pass_rate_ci_low", "coverage", "empty_share", "truncated_share"} <= set(shared)
    for name in shared:
        assert row[name] == expected[name] or (expected[name] is None and row[name] != row[name]), name
    assert row["sample_pass_rate"] == pytest.approx(22 / 33)
    assert theirs.stderr.count("earlier turns are not replayed") + theirs.stdout.count("are not replayed") == 2
    assert len(list((tmp_path / "theirs").rglob("details_*.parquet"))) == 1
