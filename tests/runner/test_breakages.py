"""Ways to break a run that people found, each kind once."""

import json
import os

import pytest
from fault_server import FaultServer, answer, prompt_of, status
from mini import right, row, write_dataset, write_responses, wrong
from replies import know_all, number_of

from metrics.ifhard.records import score
from metrics.ifhard.summary import summarise
from metrics.record import Answer, Sample
from runner.exits import Exit


def test_repeats_draw_with_seeds_of_their_own(command):
    """One seed for all repeats would count one answer four times."""
    with FaultServer(know_all) as server:
        command("--max-samples", "1", "--temperature", "0.6", "--seed", "10", "--repeats", "4", server=server)
        assert sorted(body["seed"] for body in server.bodies) == [10, 11, 12, 13]


def test_few_shot_examples_are_never_taken_from_the_evaluated_questions(command, tmp_path):
    """Too few shots, none, or blank ones: exit 3 before anything is sent."""
    data = write_dataset(tmp_path / "few", 8)
    lines = (data / "shots.jsonl").read_text(encoding="utf-8").splitlines()
    with FaultServer(know_all) as server:
        (data / "shots.jsonl").write_text(lines[0] + "\n", encoding="utf-8")
        short = command("--full", server=server, data=data, task="ifhard:all|2")
        (data / "shots.jsonl").write_text(json.dumps(row(900)) + "\n", encoding="utf-8")
        blank = command("--full", server=server, data=data, task="ifhard:all|1")
        (data / "shots.jsonl").unlink()
        none = command("--full", server=server, data=data, task="ifhard:all|1")
        assert server.bodies == []
    assert [short.code, blank.code, none.code] == [Exit.UNAVAILABLE] * 3
    assert "only 1 few-shot" in short.err
    assert "blank" in blank.err
    assert "only 0 few-shot" in none.err


def test_the_interval_belongs_to_its_value():
    """Unequal repeats: the mean over samples lies within its own interval."""
    two = [{"category": "structure:word_count", "family": "structure", "params": {"value": 2}, "is_terminal": False}]
    records = []
    for question in range(50):
        for repeat in range(4):
            text = ("раз два" if repeat == 0 else "") if question < 27 else "раз"
            records.append(score(Sample(str(question), repeat, json.dumps(two), '{"tier": "easy"}'), Answer(text)))
    headline = summarise(records).headline("constraint_pass_rate")
    assert headline.value == pytest.approx(27 / (27 + 92))
    assert headline.interval.low < headline.value < headline.interval.high


def test_a_run_can_only_grow(command):
    """A smaller resume would replace the whole result by a part of it."""
    with FaultServer(know_all) as server:
        whole = command("--full", server=server)
        less = command("--resume", str(whole.run_dir), "--max-samples", "5")
        again = command("--resume", str(whole.run_dir))
    assert less.code == Exit.USAGE
    assert "can only grow" in less.err
    assert again.row() == whole.row()
    assert again.row()["n_total"] == 40


def test_a_second_process_leaves_a_run_alone(command):
    """Refused before it writes a word into run.json."""
    from runner.folder import lock_folder

    with FaultServer(know_all) as server:
        first = command("--max-samples", "5", server=server)
        before = (first.run_dir / "run.json").read_bytes()
        with lock_folder(first.run_dir):
            second = command("--resume", str(first.run_dir), "--full")
        assert (first.run_dir / "run.json").read_bytes() == before
    assert second.code == Exit.USAGE
    assert "another process" in second.err


def test_a_sample_that_is_always_refused_does_not_block_a_resume(command):
    """Answers in the journal prove that the server takes such requests."""

    async def picky(server, request):
        if number_of(prompt_of(await request.json())) == 3:
            return await status(400, "content policy violation")(server, request)
        return await know_all(server, request)

    with FaultServer(picky) as server:
        first = command("--full", "--concurrency", "1", server=server)
        again = command("--resume", str(first.run_dir))
    assert [first.code, again.code] == [Exit.INCOMPLETE] * 2
    assert again.row()["n_failed"] == 1
    assert again.row()["n_answered"] == 39


def test_a_resume_with_other_shots_or_another_window_is_refused(command, tmp_path):
    """Both would ask for every answer again."""
    data = write_dataset(tmp_path / "shots", 6)
    with FaultServer(know_all) as server:
        run = command("--full", server=server, data=data, task="ifhard:all|2")
        lines = (data / "shots.jsonl").read_text(encoding="utf-8").splitlines()
        (data / "shots.jsonl").write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
        other_shots = command("--resume", str(run.run_dir))
        (data / "shots.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        server._models = {"object": "list", "data": [{"id": "tiny", "max_model_len": 4096}]}
        other_window = command("--resume", str(run.run_dir))
    assert other_shots.code == Exit.USAGE
    assert "few-shot examples of ifhard have changed" in other_shots.err
    assert other_window.code == Exit.USAGE
    assert "8192" in other_window.err
    assert "4096" in other_window.err


def test_a_journal_of_two_shot_counts_serves_both(command):
    """|0 and |2 of the same questions are two answers, not one twice."""
    with FaultServer(know_all) as server:
        run = command("--full", server=server, task="ifhard:all|0,ifhard:all|2")
    again = command("--full", "--responses", str(run.run_dir / "responses.jsonl"), task="ifhard:all|0,ifhard:all|2")
    assert again.code == Exit.COMPLETE
    assert again.run["tasks"] == run.run["tasks"]


def test_saved_answers_that_change_or_are_left_over_are_named(command, tmp_path):
    """A resume of other answers is refused; answers nobody asked for are counted."""
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) for n in range(40)})
    first = command("--max-samples", "30", "--responses", str(answers))
    assert "10 of 40 saved answers belong to no sample of this run" in first.out
    write_responses(answers, {n: wrong(n) for n in range(40)})
    again = command("--resume", str(first.run_dir))
    assert again.code == Exit.USAGE
    assert "has changed" in again.err


def test_a_run_is_resumed_from_another_folder(command, tmp_path, monkeypatch, dataset):
    """Paths are kept whole."""
    monkeypatch.chdir(dataset.parent)
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server, data=dataset.name)
        monkeypatch.chdir(tmp_path)
        again = command("--resume", str(first.run_dir), "--full")
    assert again.code == Exit.COMPLETE
    assert again.row()["n_total"] == 40


@pytest.mark.parametrize("model", ["../../up", "..", "a/../../b", "/models/x", "м" * 300])
def test_no_model_name_writes_outside_the_run_folder(command, model, tmp_path):
    """Results and details stay where the table says they are."""
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) for n in range(40)})
    result = command("--full", "--responses", str(answers), "--model", model)
    assert result.code == Exit.COMPLETE
    assert len(result.files("results_*.json")) == 1
    assert len(result.files("details_*.parquet")) == 1
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside <= {"r.jsonl", "out", "cache"}


def test_an_unusable_output_folder_is_one_line_and_not_status_1(command, tmp_path, monkeypatch):
    """Status 1 means --fail-under and nothing else."""
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with FaultServer(know_all) as server:
        result = command("--full", server=server)
        assert server.bodies == []
    assert result.code == Exit.USAGE
    assert "Traceback" not in result.err
    assert f"--output-dir {tmp_path / 'out'}: " in result.err


def test_a_bug_of_ours_is_reported_and_not_status_1(command, monkeypatch):
    """The traceback is for the report."""
    monkeypatch.setattr("runner.report.report", lambda *_, **__: 1 / 0)
    with FaultServer(know_all) as server:
        result = command("--full", server=server)
    assert result.code == Exit.INCOMPLETE
    assert "please report" in result.err
    assert "ZeroDivisionError" in result.err
    assert result.run["status"] == "stopped"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "-1"], "0 or more"),
        (["--chat-template-kwargs", '{"a": NaN}'], "NaN"),
        (["--fail-under", "sample_pass_rate=nan"], "METRIC=VALUE"),
        (["--fail-under", "empty_share=0.1"], "sample_pass_rate"),
        (["--dataset", ""], "--dataset is empty"),
        (["--system-prompt", "x", "--output-dir", ""], "--output-dir is empty"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(capsys, arguments, says):
    """Exit 2 with the reason."""
    from runner.cli import main

    assert main(["--task", "ifhard:all|0", "--model", "m", *arguments]) == Exit.USAGE
    assert says in capsys.readouterr().err


def test_a_key_that_no_header_can_carry_is_refused(command, monkeypatch):
    """A trailing newline is cut, another alphabet is an error; the key is not shown."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1\n")
    with FaultServer(know_all) as server:
        assert command("--max-samples", "1", server=server).code == Exit.COMPLETE
        assert server.headers[0]["Authorization"] == "Bearer sk-1"
        monkeypatch.setenv("OPENAI_API_KEY", "ключ")
        refused = command("--max-samples", "1", server=server)
    assert refused.code == Exit.USAGE
    assert "ключ" not in refused.err


def test_a_subset_without_questions_is_an_error(command, tmp_path):
    """Not an empty result."""
    data = write_dataset(tmp_path / "easy", 1)
    with FaultServer(know_all) as server:
        result = command("--full", server=server, data=data, task="ifhard:expert|0")
    assert result.code == Exit.UNAVAILABLE
    assert "no question" in result.err
    assert result.run_dir is None


def test_absurd_token_counts_break_no_file(command):
    """A count that no integer column holds is no count."""
    body = {
        "choices": [{"index": 0, "finish_reason": None, "message": {"role": "assistant", "content": "да"}}],
        "usage": {"prompt_tokens": 10**30, "completion_tokens": 1},
    }
    from fault_server import as_json

    with FaultServer(as_json(body)) as server:
        result = command("--max-samples", "2", server=server)
    assert result.code == Exit.COMPLETE
    assert len(result.files("details_*.parquet")) == 1


def test_an_undefined_value_has_no_bounds(command):
    """0.0000 to 0.0000 would be a promise."""
    with FaultServer(status(503, "busy")) as server:
        result = command("--max-samples", "3", server=server)
    assert result.code == Exit.INCOMPLETE
    line = next(line for line in result.out.splitlines() if "balance_score" in line)
    assert "n/a" in line
    assert "INCOMPLETE" not in line


def test_a_closed_or_narrow_stdout_costs_only_the_words(tmp_path, dataset):
    """The run is complete on disk whatever the terminal can show."""
    import subprocess
    import sys
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) for n in range(40)})
    command = [sys.executable, str(root / "run_lighteval.py"), "--task", "ifhard:all|0", "--full", "--model", "модель"]
    command += ["--responses", str(answers), "--dataset", str(dataset), "--output-dir", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0, said
    (run_dir,) = (tmp_path / "out").iterdir()
    assert json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["status"] == "complete"


def test_a_retried_request_is_counted(command):
    """In run.json, beside the failures."""
    turns = {}

    async def second_time(server, request):
        number = number_of(prompt_of(await request.json()))
        turns[number] = turns.get(number, 0) + 1
        reply = answer(right(number)) if turns[number] > 1 else status(500, "once")
        return await reply(server, request)

    with FaultServer(second_time) as server:
        result = command("--max-samples", "3", server=server)
    assert result.run["retried"] == 3
    assert result.run["model"]["reported"]["id"] == "tiny"
