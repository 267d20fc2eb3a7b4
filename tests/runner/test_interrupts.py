"""Runs that are stopped: by Ctrl-C, by SIGTERM, by kill -9 at any moment."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fault_server import FaultServer, answer, prompt_of
from mini import right, write_dataset, write_responses, wrong
from replies import number_of

import metrics.ifhard.records
from runner.cli import main

ROOT = Path(__file__).resolve().parents[2]
COUNT = 100


def start(tmp_path, *arguments):
    """The command line in a process of its own."""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HOME": str(tmp_path / "hf")}
    return subprocess.Popen(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_run(tmp_path, server, *more):
    data = write_dataset(tmp_path / "data", COUNT)
    return start(
        tmp_path,
        *("--task", "ifhard:all|0", "--model", "tiny", "--base-url", server.url),
        *("--dataset", str(data), "--full", "--output-dir", str(tmp_path / "out"), "--concurrency", "4", *more),
    )


def wait_for_answers(server, process, count):
    """Until the server has been asked ``count`` times, or the process is gone."""
    while len(server.bodies) < count and process.poll() is None:
        time.sleep(0.01)


def the_run(tmp_path):
    (run_dir,) = (tmp_path / "out").iterdir()
    return run_dir


def expected(number):
    return right(number) if number % 3 else wrong(number)


async def slow(server, request):
    """A known answer after a moment, so that a signal finds work in flight."""
    import asyncio

    await asyncio.sleep(0.02)
    return await answer(expected(number_of(prompt_of(await request.json()))))(server, request)


@pytest.mark.parametrize(
    ("number", "status", "ignored"),
    [
        pytest.param(signal.SIGINT, 130, False, id="ctrl-c"),
        pytest.param(signal.SIGTERM, 143, False, id="sigterm"),
        pytest.param(signal.SIGTERM, 143, True, id="sigterm-in-the-background"),
    ],
)
def test_an_interrupted_run_says_how_to_go_on(tmp_path, number, status, ignored):
    """Exit 130 (143), a valid run.json, the command to resume; finished answers are kept."""
    with FaultServer(slow) as server:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if ignored else signal.getsignal(signal.SIGINT)
        process = first_run(tmp_path, server)
        signal.signal(signal.SIGINT, before)
        wait_for_answers(server, process, 20)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
        assert process.returncode == status, said
        run_dir = the_run(tmp_path)
        assert f"--resume {run_dir}" in said
        assert "Traceback" not in said
        assert json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["status"] == "interrupted"
        kept = (run_dir / "responses.jsonl").read_text(encoding="utf-8").count('"answered"')
        assert kept >= 10


@pytest.mark.slow
def test_kill_9_at_random_moments_loses_and_repeats_nothing(tmp_path, monkeypatch):
    """Ten kills of one 100-question run, then the same totals as an unbroken scoring of the same answers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    chance = random.Random(20)
    # Nine of the runs are forked from a process that has imported LightEval already.
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload(["runner.assembly"])
    with FaultServer(slow) as server:
        first = first_run(tmp_path, server)
        wait_for_answers(server, first, 1 + chance.randrange(8))
        first.kill()
        first.communicate(timeout=120)
        run_dir = the_run(tmp_path)
        for _ in range(9):
            wanted = len(server.bodies) + 1 + chance.randrange(8)
            process = forked.Process(target=main, args=(["--resume", str(run_dir)],))
            process.start()
            while len(server.bodies) < wanted and process.is_alive():
                time.sleep(0.001)
            time.sleep(chance.random() * 0.02)
            process.kill()
            process.join(120)
            assert process.exitcode == -signal.SIGKILL
        assert main(["--resume", str(run_dir)]) == 0
    lines = [json.loads(line) for line in (run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(line["id"] for line in lines) == [f"t{number:03d}" for number in range(COUNT)]
    assert all(line["response"] == expected(int(line["id"][1:])) for line in lines)
    row = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]["ifhard:all|0"]
    saved = ["--responses", str(run_dir / "responses.jsonl"), "--dataset", str(tmp_path / "data")]
    assert main(["--task", "ifhard:all|0", "--full", *saved, "--output-dir", str(tmp_path / "again")]) == 0
    (scored,) = (tmp_path / "again").iterdir()
    assert json.loads((scored / "run.json").read_text(encoding="utf-8"))["tasks"]["ifhard:all|0"] == row
    assert row["sample_pass_rate"] == sum(bool(n % 3) for n in range(COUNT)) / COUNT


@pytest.mark.slow
def test_locale_hash_seed_and_folder_change_no_byte(tmp_path):
    """The same answers under LC_ALL=C, two hash seeds and two working directories: the same rows and table."""
    data = write_dataset(tmp_path / "data", 30)
    answers = tmp_path / "answers.jsonl"
    write_responses(answers, {number: expected(number) for number in range(30)})
    seen = []
    arguments = ["--task", "ifhard:hard|0,ifhard:all|0", "--full", "--responses", str(answers), "--dataset", str(data)]
    for name, locale, hash_seed in (("a", "C", "1"), ("b", "C.UTF-8", "2")):
        folder = tmp_path / name
        folder.mkdir()
        subprocess.run(
            [sys.executable, str(ROOT / "run_lighteval.py"), *arguments, "--output-dir", "out"],
            cwd=folder,
            env=os.environ | {"LC_ALL": locale, "PYTHONHASHSEED": hash_seed, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            check=True,
            capture_output=True,
        )
        (run_dir,) = (folder / "out").iterdir()
        run = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))
        seen.append((json.dumps(run["tasks"], ensure_ascii=False), (run_dir / "table.txt").read_bytes()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_of_saved_answers_stops_at_once(command, tmp_path, monkeypatch, number, status):
    """Scoring on the event loop leaves the signal its turn: the answers behind it are not scored."""
    genuine, scored = metrics.ifhard.records.score_constraints, []

    def counted(constraints, response):
        scored.append(response)
        if len(scored) == 5:
            signal.raise_signal(number)
        return genuine(constraints, response)

    monkeypatch.setattr(metrics.ifhard.records, "score_constraints", counted)
    answers = tmp_path / "answers.jsonl"
    write_responses(answers, {n: right(n) for n in range(40)})
    result = command("--full", "--responses", str(answers))
    assert result.code == status
    assert len(scored) <= 6
