"""Runs on servers whose list of models does not name the model."""

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, as_json, status
from replies import know_all

from runner.exits import Exit

LISTS = {
    "empty": as_json({"data": []}),
    "absent": status(404, "Not Found"),
    "wildcard": as_json({"data": [{"id": "*"}]}),
}


@pytest.mark.parametrize("models", LISTS.values(), ids=LISTS)
def test_the_error_names_the_option_and_the_option_mends_it(command, models):
    """A resume needs not repeat it."""
    with FaultServer(know_all, models=models) as server:
        refused = command(server=server)
        first = command("--no-model-check", "--max-samples", "2", server=server)
        again = command("--resume", str(first.run_dir), "--max-samples", "3")
    assert [r.code for r in (refused, first, again)] == [Exit.UNAVAILABLE, Exit.COMPLETE, Exit.COMPLETE]
    assert "--no-model-check" in refused.err
    assert refused.run_dir is None
    assert again.run["model"]["reported"] is None


def test_a_resume_may_begin_to_need_it(command):
    """The server may have been replaced by a gateway."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "2", server=server)
        server._models = LISTS["absent"]
        refused = command("--resume", str(first.run_dir), "--max-samples", "3")
        again = command("--resume", str(first.run_dir), "--max-samples", "3", "--no-model-check")
    assert [r.code for r in (refused, again)] == [Exit.UNAVAILABLE, Exit.COMPLETE]
    assert len(server.bodies) == 3


def test_a_wrong_name_is_still_the_servers_to_refuse(command):
    """Its words end the run with the first request."""
    with FaultServer(status(404, "The model `tiny` does not exist."), models=LISTS["absent"]) as server:
        result = command("--no-model-check", "--full", "--concurrency", "2", server=server)
    assert result.code == Exit.UNAVAILABLE
    assert "--model must be a name that the server" in result.err
    assert len(server.bodies) <= 2


def test_the_judges_list_is_covered_by_it(command):
    """And the judge's error names it too."""
    given = ("--dataset", "builtin", "--full", "--judge-model", "tiny")
    kwargs = {"task": "hardmultiqa:all:alignment|0", "data": None}
    with FaultServer(servers.model) as model, FaultServer(servers.judge, models=LISTS["wildcard"]) as judge:
        refused = command(*given, "--judge-base-url", judge.url, server=model, **kwargs)
        result = command(*given, "--judge-base-url", judge.url, "--no-model-check", server=model, **kwargs)
    assert [refused.code, result.code] == [Exit.UNAVAILABLE, Exit.COMPLETE]
    assert "the judge: " in refused.err
    assert "--no-model-check" in refused.err


@pytest.mark.parametrize(("task", "warned"), [("ifhard:all|0", True), ("hardmultiqa:all:alignment|0", False)])
def test_beside_saved_answers_it_is_for_a_judge_alone(command, tmp_path, task, warned):
    """Where nothing judges, it is said to change nothing."""
    saved = tmp_path / "answers.jsonl"
    saved.write_text('{"task": "ifhard:all", "id": "t000", "response": "да"}\n', encoding="utf-8")
    judge = ["--judge-base-url", "http://127.0.0.1:9/v1"] if not warned else []
    result = command("--responses", str(saved), "--model", "m", "--no-model-check", *judge, task=task)
    assert ("--no-model-check changes nothing" in result.err) == warned
