"""Headers of a run: their values are sent to one server and stored nowhere."""

import functools

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer
from replies import know_all

import judges.asking
from endpoints.client import Endpoint
from runner.cli import main
from runner.exits import Exit

SECRET = "tok-5f3a9c"


@pytest.mark.parametrize("option", ["--header", "--judge-header"])
@pytest.mark.parametrize("text", ["X-Key", "X-Key=", "X Key=A", "Content-Length=A", f"X-Key={SECRET}"])
def test_a_wrong_header_is_bad_usage(option, text, capsys):
    """Before anything starts, and without what may be a value."""
    task = "hardmultiqa:all:alignment|0"
    assert main(["--task", task, "--model", "m", option, text]) == Exit.USAGE
    said = capsys.readouterr().err
    assert f"error: {option} " in said
    assert SECRET not in said


def test_a_variable_that_is_not_set_is_bad_usage(command, monkeypatch):
    """No folder is made, nothing is asked."""
    monkeypatch.delenv("ROUTE", raising=False)
    with FaultServer(know_all) as server:
        result = command("--header", "X-Route=ROUTE", server=server)
    assert (result.code, result.run_dir, server.bodies) == (Exit.USAGE, None, [])
    assert "error: --header X-Route: the environment variable ROUTE is not set" in result.err


def test_values_are_in_no_file_and_a_resume_reads_them_again(command, monkeypatch):
    """The names are recorded, the value of the day is sent."""
    monkeypatch.setenv("ROUTE", SECRET)
    with FaultServer(know_all) as server:
        first = command("--header", "X-Route=ROUTE", "--max-samples", "2", server=server)
        monkeypatch.setenv("ROUTE", "other-value")
        again = command("--resume", str(first.run_dir), "--max-samples", "3")
        monkeypatch.delenv("ROUTE")
        without = command("--resume", str(first.run_dir))
    assert [first.code, again.code, without.code] == [Exit.COMPLETE, Exit.COMPLETE, Exit.USAGE]
    assert [headers["x-route"] for headers in server.headers] == [SECRET, SECRET, "other-value"]
    assert again.run["settings"]["headers"] == {"X-Route": "ROUTE"}
    files = [path for path in first.run_dir.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in first.out + first.err


def test_each_server_gets_its_own(command, monkeypatch):
    """A secret of the model's server is not told to the judge's."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, check_s=60.0))
    monkeypatch.setenv("OURS", SECRET)
    monkeypatch.setenv("THEIRS", "judge-value")
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        result = command(
            *("--header", "X-Key=OURS", "--judge-header", "X-Key=THEIRS", "--dataset", "builtin", "--full"),
            *("--judge-model", "tiny", "--judge-base-url", judge.url),
            server=model,
            task="hardmultiqa:all:alignment|0",
            data=None,
        )
    assert result.code == Exit.COMPLETE
    assert {headers["x-key"] for headers in model.headers} == {SECRET}
    assert {headers["x-key"] for headers in judge.headers} == {"judge-value"}
