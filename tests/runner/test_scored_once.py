"""An answer of a run is verified once: progress, metric, details, table and exports read the same record."""

import json
from collections import Counter

import hardmultiqa_servers as servers
import pyarrow.parquet as pq
import pytest
from fault_server import FaultServer, answer
from mini import write_dataset

import metrics.hardmultiqa.records
import metrics.ifhard.records
import metrics.sobhard.records
import tasks.ifbench.dataset
import tasks.ifhard.dataset
from metrics.summary import flat
from runner.exits import Exit
from tasks.registry import benchmark
from tasks.sobhard.dataset import BUILTIN_SMALL

MANY = 2_000


@pytest.fixture
def counted(monkeypatch):
    """``counted(module, name)``: calls of the module's function by the text of its last argument."""

    def watch(module, name):
        calls = Counter()
        real = getattr(module, name)

        def counting(*arguments, **named):
            calls[str(arguments[-1])] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(module, name, counting)
        return calls

    return watch


def written(path, lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_2000_saved_answers_are_verified_2000_times(command, tmp_path, counted):
    """Of a benchmark without repeats."""
    data = write_dataset(tmp_path / "many", MANY)
    lines = [
        {"task": "ifhard:all", "id": f"t{number:03d}", "response": f"ответ номер {number}."} for number in range(MANY)
    ]
    calls = counted(metrics.ifhard.records, "score_constraints")
    result = command("--full", "--responses", str(written(tmp_path / "r.jsonl", lines)), data=data)
    assert result.code == Exit.COMPLETE
    assert result.row()["n_answered"] == MANY
    assert calls == {line["response"]: 1 for line in lines}


def test_2000_repeats_are_verified_2000_times(command, tmp_path, counted):
    """Of a benchmark that scores a text twice where reasoning is cut from it, and once where none is."""
    witnesses = BUILTIN_SMALL / "witnesses.jsonl"
    ids = [json.loads(line)["id"] for line in witnesses.read_text(encoding="utf-8").splitlines()]
    repeats = -(-MANY // len(ids))
    lines = [
        {"task": "sobhard:all", "id": name, "repeat": repeat, "response": f'```json\n{{"{name}": {repeat}}}\n```'}
        for name in ids
        for repeat in range(repeats)
    ]
    calls = counted(metrics.sobhard.records, "score_question")
    saved = str(written(tmp_path / "r.jsonl", lines))
    result = command(
        *("--full", "--repeats", str(repeats), "--dataset", "builtin-small", "--responses", saved),
        task="sobhard:all|0",
        data=None,
    )
    assert result.code == Exit.COMPLETE, result.err
    assert result.row("sobhard:all|0")["n_answered"] == len(lines) >= MANY
    assert calls == {line["response"]: 1 for line in lines}


def test_a_judged_answer_is_judged_once_and_scored_once(command, counted):
    """One call of the judge and one score each, in the run and in what is written after it."""
    task = "hardmultiqa:all:alignment|0"
    calls = counted(metrics.hardmultiqa.records, "score_verdict")
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        there = ["--dataset", "builtin", "--full", "--judge-model", "tiny", "--judge-base-url", judge.url]
        result = command(*there, server=model, task=task, data=None)
        assert result.code == Exit.COMPLETE
        assert len(judge.bodies) == len(servers.QUESTIONS)
    assert sum(calls.values()) == len(servers.QUESTIONS)
    effort = [value for name, value in result.row(task).items() if name.startswith("judging/") and name[-5:] == "calls"]
    assert sum(effort) == len(servers.QUESTIONS)


def records_in(result, task):
    """The records of a task's details file."""
    (path,) = [path for path in result.files("details_*.parquet") if f"details_{task}_" in path.name]
    return [row["metric"]["record"] for row in pq.read_table(path).to_pylist()]


def results_row(result, task):
    (path,) = result.files("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))["results"][task]


WITNESSES = {
    "ifhard": ("builtin", tasks.ifhard.dataset.BUILTIN),
    "sobhard": ("builtin-small", BUILTIN_SMALL),
    "ifbench": ("builtin", tasks.ifbench.dataset.BUILTIN),
}


@pytest.mark.parametrize("name", WITNESSES)
def test_files_of_a_run_hold_the_flat_summary_of_its_records(command, name, tmp_path):
    """run.json and LightEval's results: the one flat form of what the details hold."""
    task = f"{name}:all|0"
    dataset, folder = WITNESSES[name]
    lines = [json.loads(line) for line in (folder / "witnesses.jsonl").read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines):
        line["response"] = "" if number % 5 == 1 else line["response"]
        line["finish_reason"] = "length" if number % 3 == 0 else "stop"
    saved = str(written(tmp_path / "r.jsonl", lines))
    result = command("--max-samples", "12", "--dataset", dataset, "--responses", saved, task=task, data=None)
    assert result.code == Exit.COMPLETE, result.err
    wanted = json.loads(json.dumps(flat(benchmark(name).summarise(records_in(result, task)))))
    assert result.row(task) == results_row(result, task) == wanted
    assert 0 < wanted["truncated_share"] < 1


def test_cut_answers_without_a_verdict_count_as_cut_in_every_file(command):
    """One judged and two unjudged answers, all of them cut: a share of 1 in run.json and in LightEval's results."""
    task = "hardmultiqa:open:alignment|0"
    seen = []

    async def judge_one(server, request):
        text = (await request.json())["messages"][0]["content"]
        seen.append(text)
        reply = "Сверил.\nОценка: 1" if text == seen[0] else "не знаю"
        return await answer(reply)(server, request)

    with FaultServer(answer("Волга", finish_reason="length")) as model, FaultServer(judge_one) as judge:
        result = command(
            *("--dataset", "builtin", "--max-samples", "3", "--judge-model", "tiny", "--judge-base-url", judge.url),
            server=model,
            task=task,
            data=None,
        )
    assert result.code == Exit.INCOMPLETE
    row = result.row(task)
    assert (row["n_answered"], row["n_unjudged"], row["n_truncated"]) == (1, 2, 3)
    assert row["truncated_share"] == 1.0
    wanted = json.loads(json.dumps(flat(benchmark("hardmultiqa").summarise(records_in(result, task)))))
    assert row == results_row(result, task) == wanted
