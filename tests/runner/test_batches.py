"""Requests written as a batch, answered by a stub, and read back: the verdicts of a live run."""

import functools
import json
import shlex
import urllib.error
import urllib.request

import hardmultiqa_servers as servers
import pyarrow.parquet as parquet
import pytest
from asking import file_size_limit
from fault_server import FaultServer, answer, as_json, body_of, prompt_of, status
from mini import right, wrong
from replies import know_all, number_of
from sobhard_docs import split_rows, witnesses

import judges.asking
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from runner.cli import main
from runner.exits import Exit
from tasks.sobhard.prompts import render

MODEL = ("--model", "tiny")
NO_WINDOW = {"object": "list", "data": [{"id": "tiny"}]}
SPECIAL = {
    1: answer(wrong(1)),
    2: answer(right(2) + " и ещё", finish_reason="length"),
    3: answer(None, reasoning="думаю"),
    4: answer("<think>так</think>" + right(4)),
    5: answer("нет", finish_reason="content_filter"),
    6: answer(None, refusal="не могу"),
    7: status(400, "Conversation roles must alternate"),
    8: as_json(body_of("x", finish_reason="network_error")),
}


async def knowing(server, request):
    """Right answers, and one of each other kind of reply."""
    number = number_of(prompt_of(await request.json()))
    return await SPECIAL.get(number, know_all)(server, request)


def requests_of(path):
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def stub(server, path, results, skip=()):
    """What a batch API does: each request to its path, results in another order, failures among them."""
    lines = []
    for number, line in enumerate(requests_of(path)):
        if number in skip:
            continue
        data = json.dumps(line["body"]).encode()
        url = server.url.removesuffix("/v1") + line["url"]
        asked = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=line["method"])
        try:
            with urllib.request.urlopen(asked) as reply:
                code, body = reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            code, body = error.code, json.load(error)
        response = {"status_code": code, "request_id": f"r{number}", "body": body}
        lines.append({"id": f"b{number}", "custom_id": line["custom_id"], "response": response, "error": None})
    with results.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in reversed(lines))
    return results


def records(result):
    """Every sample's record and what was answered, by task, question and repeat; an attempt more changes neither."""
    found = {}
    for path in result.files("details_*.parquet"):
        for detail in parquet.read_table(path).to_pylist():
            task, own = detail["doc"]["task_name"], detail["doc"]["specific"]
            said = (detail["model_response"]["text"], detail["model_response"]["reasonings"])
            found[task, own["id"], own["repeat"]] = (detail["metric"]["record"], said)
    return found


def same(live, read):
    """Whether two runs say the same of the same answers."""
    assert read.code == live.code, read.err
    for name in ("tasks", "blocked", "finish_reasons", "marked_reasoning", "errors"):
        assert read.run[name] == live.run[name], name
    assert records(read) == records(live)
    return True


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("ifhard:all|2", ()),
        ("ifhard:all|0,ifhard:easy|0", ("--system-prompt", "Кратко.")),
        ("ifhard:hard|0", ("--repeats", "2", "--temperature", "0.5", "--seed", "7", "--extra-body", '{"top_k": 5}')),
    ],
)
def test_a_batch_gives_the_verdicts_of_the_run(command, tmp_path, task, options):
    """The same bodies, and from the same replies the same records, counts, values and words."""
    path = tmp_path / "batch.jsonl"
    with FaultServer(knowing, models=NO_WINDOW) as server:
        live = command("--full", *options, server=server, task=task)
        sent = {json.dumps(body) for body in server.bodies}
        made = command("--full", *options, *MODEL, "--emit-requests", str(path), task=task)
        assert made.code == Exit.COMPLETE, made.err
        assert made.run_dir is None
        results = stub(server, path, tmp_path / "results.jsonl")
    lines = requests_of(path)
    assert {json.dumps(line["body"]) for line in lines} == sent
    assert len({line["custom_id"] for line in lines}) == len(lines)
    read = command("--full", *options, "--responses", str(results), task=task)
    assert same(live, read)
    assert read.run["answers"] == {"from": "batch results", "models": ["tiny"]}
    assert "come from a file" in read.run["sampling"]["note"]
    assert live.run["answers"] is None
    # A part of the batch's questions is read from the same file.
    assert command("--responses", str(results), task="ifhard:hard|" + task[-1]).row("ifhard:hard|" + task[-1])[
        "n_total"
    ]


def test_the_printed_command_reads_the_results(command, tmp_path, capsys):
    """It holds what was given, names the results, and asks for no server."""
    path = tmp_path / "мой batch.jsonl"
    options = ("--full", "--max-new-tokens", "77", *MODEL, "--base-url", "http://127.0.0.1:9/v1")
    made = command(*options, "--emit-requests", str(path))
    assert made.code == Exit.COMPLETE
    assert "--base-url changes nothing" in made.err
    assert f"{path}: 40 requests to /v1/chat/completions, " in made.out
    assert "answers are capped at 77 new tokens (--max-new-tokens); no server was asked for its window" in made.out
    (vllm,) = (line for line in made.out.splitlines() if "vllm run-batch" in line)
    results = shlex.split(vllm)[shlex.split(vllm).index("-o") + 1]
    with FaultServer(know_all) as server:
        stub(server, path, tmp_path / results)
    (again,) = (line for line in made.out.splitlines() if "--responses" in line)
    words = shlex.split(again)
    assert main(words[words.index("--full") :]) == Exit.COMPLETE
    assert "1.0000" in capsys.readouterr().out


def test_the_tasks_own_cap_is_named(command, tmp_path):
    """The same that a server without a known window is sent."""
    made = command("--max-samples", "1", *MODEL, "--emit-requests", str(tmp_path / "b.jsonl"))
    (line,) = requests_of(tmp_path / "b.jsonl")
    assert f"capped at {line['body']['max_tokens']} new tokens (the tasks' own cap)" in made.out


def test_what_is_missing_goes_into_a_further_batch(command, tmp_path):
    """Failed, blocked and missing results are asked again; both results in one file complete the run."""
    first, second, results = (tmp_path / name for name in ("1.jsonl", "2.jsonl", "results.jsonl"))
    command("--full", *MODEL, "--emit-requests", str(first))
    with FaultServer(knowing) as server:
        stub(server, first, results, skip={0, 1})
    part = command("--full", "--responses", str(results))
    assert part.code == Exit.INCOMPLETE
    assert part.row()["n_failed"] == 2
    assert part.row()["n_blocked"] == 2
    assert part.row()["n_not_asked"] == 2
    assert "HTTP 400: Conversation roles must alternate" in part.err
    rest = command("--full", *MODEL, "--emit-requests", str(second), "--responses", str(results))
    assert "34 of 40 answers are in" in rest.out
    assert len(requests_of(second)) == 6
    assert {line["custom_id"] for line in requests_of(second)} < {line["custom_id"] for line in requests_of(first)}
    with FaultServer(know_all) as server:
        stub(server, second, results)
    whole = command("--full", "--responses", str(results))
    assert whole.code == Exit.COMPLETE
    nothing = command("--full", *MODEL, "--emit-requests", str(tmp_path / "3.jsonl"), "--responses", str(results))
    assert nothing.code == Exit.COMPLETE
    assert "nothing is left to be asked" in nothing.out
    assert not (tmp_path / "3.jsonl").exists()


def test_results_of_other_questions_are_counted(command, tmp_path):
    """Another number of shots asks otherwise: nothing is scored, and that is said."""
    path, results = tmp_path / "b.jsonl", tmp_path / "results.jsonl"
    command("--max-samples", "3", *MODEL, "--emit-requests", str(path))
    with FaultServer(know_all) as server:
        stub(server, path, results)
    read = command("--max-samples", "3", "--responses", str(results), task="ifhard:all|1")
    assert read.code == Exit.INCOMPLETE
    assert read.row("ifhard:all|1")["n_not_asked"] == 3
    assert "3 of 3 saved answers belong to no sample of this run" in read.out


TASKS = ("hardmultiqa:all:alignment|0", "hardmultiqa:all:pretrain|5")


@pytest.mark.parametrize("tasks", [TASKS[:1], TASKS])
def test_answers_by_batch_are_judged_live(command, tmp_path, monkeypatch, tasks):
    """Chats and completions go into files of their own; the judge is asked when the results are read."""
    quick = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=quick))
    given = {"task": ",".join(tasks), "data": None}
    made = command("--full", "--dataset", "builtin", *MODEL, "--emit-requests", str(tmp_path / "b.jsonl"), **given)
    assert made.code == Exit.COMPLETE, made.err
    assert "the judge is asked then" in made.out
    names = ["b.jsonl"] if len(tasks) == 1 else ["b-1.jsonl", "b-2.jsonl"]
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == names
    assert ("run-batch takes no requests to /v1/completions" in made.out) == (len(tasks) > 1)
    with FaultServer(servers.model) as model:
        for name in names:
            assert len({line["url"] for line in requests_of(tmp_path / name)}) == 1
            stub(model, tmp_path / name, tmp_path / "results")
    with FaultServer(servers.judge) as judge:
        options = ("--judge-model", "tiny", "--judge-base-url", judge.url)
        read = command("--full", "--dataset", "builtin", *options, "--responses", str(tmp_path / "results"), **given)
        assert judge.bodies
    assert read.code == Exit.COMPLETE, read.err
    for task in tasks:
        assert read.row(task)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_conversations_go_whole(command, tmp_path):
    """Earlier turns are in the body as a live run sends them."""
    by_prompt = {render(row): witnesses()[row["meta"]["base_id"]] for row in split_rows("test")}

    async def know(server, request):
        return await answer(by_prompt[prompt_of(await request.json())])(server, request)

    given = {"task": "sobhard:all|0,sobhard:all|2", "data": "builtin-small"}
    with FaultServer(know, models=NO_WINDOW) as server:
        live = command("--full", server=server, **given)
        sent = {json.dumps(body) for body in server.bodies}
        command("--full", *MODEL, "--emit-requests", str(tmp_path / "b.jsonl"), **given)
        stub(server, tmp_path / "b.jsonl", tmp_path / "r.jsonl")
    lines = requests_of(tmp_path / "b.jsonl")
    assert {json.dumps(line["body"]) for line in lines} == sent
    assert max(len(line["body"]["messages"]) for line in lines) > 1
    assert same(live, command("--full", "--responses", str(tmp_path / "r.jsonl"), **given))


def test_the_same_arguments_write_the_same_bytes(command, tmp_path):
    """Whatever order the questions would be sent in."""
    paths = [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    for path, more in zip(paths, ([], ["--shuffle-seed", "3"]), strict=True):
        command(*MODEL, "--emit-requests", str(path), *more)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_full_disk_leaves_no_part(command, tmp_path):
    """Exit 3, and neither the file nor one beside it."""
    with file_size_limit(2000):
        made = command("--full", *MODEL, "--emit-requests", str(tmp_path / "b.jsonl"))
    assert made.code == Exit.UNAVAILABLE
    assert "File too large" in made.err
    assert not list(tmp_path.glob("b*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--emit-requests", "FILE", "--model", "m"), "FOLDER/file: it is there already"),
        (("--emit-requests", "NOWHERE/b.jsonl", "--model", "m"), "there is no folder FOLDER/nowhere"),
        (("--emit-requests", "NEW"), "needs --model NAME"),
        (("--emit-requests", "NEW", "--responses", "FILE"), "needs --model NAME"),
        (("--emit-requests", "NEW", "--model", "embedded"), "needs --model NAME"),
        (("--emit-requests", "", "--model", "m"), "--emit-requests is empty"),
        (("--emit-requests", "NEW", "--model", "m", "--show-prompt", "1"), "drop --show-prompt"),
        (("--emit-requests", "NEW", "--model", "m", "--stop-when", "above=0.5"), "drop --stop-when"),
        (("--emit-requests", "NEW", "--model", "m", "--fail-under", "sample_pass_rate=1"), "drop --fail-under"),
        (("--emit-requests", "NEW", "--resume", "FOLDER"), "drop --resume"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments, says, tmp_path, capsys):
    """Exit 2 before anything slow; a file that is there stays as it is."""
    (tmp_path / "file").write_text("paid for", encoding="utf-8")

    names = {"FILE": "file", "NEW": "new.jsonl", "FOLDER": ".", "NOWHERE/b.jsonl": "nowhere/b.jsonl"}
    task = [] if "--resume" in arguments else ["--task", "ifhard:all|0"]
    assert main([*task, *(str(tmp_path / names[text]) if text in names else text for text in arguments)]) == Exit.USAGE
    assert says.replace("FOLDER", str(tmp_path)) in capsys.readouterr().err
    assert (tmp_path / "file").read_text(encoding="utf-8") == "paid for"
    assert not (tmp_path / "new.jsonl").exists()
