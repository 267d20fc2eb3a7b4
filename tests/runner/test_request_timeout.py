"""How long an attempt at a request may take."""

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, hang
from replies import know_all

from endpoints.client import Endpoint
from endpoints.model_config import config_from_environment
from runner.cli import main
from runner.exits import Exit


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "30m", "", "1e999"])
def test_what_is_no_time_is_refused(text, capsys):
    """By the option's name."""
    assert main(["--task", "ifhard:all|0", "--model", "m", "--request-timeout", text]) == Exit.USAGE
    assert "--request-timeout" in capsys.readouterr().err


@pytest.mark.parametrize(("attempt_s", "deadline_s"), [(1800.0, 3600.0), (10.0, 3600.0), (7200.0, 14400.0)])
def test_a_second_attempt_has_time(attempt_s, deadline_s):
    """A long limit of one attempt makes the whole request's longer."""
    assert Endpoint("http://127.0.0.1:1/v1", None, attempt_s=attempt_s)._sender._deadline_s == deadline_s


def test_a_server_that_hangs_costs_the_time_that_was_given(command):
    """The question fails by name, with the option in its words; a resume may allow another time."""

    async def some(server, request):
        return await (know_all if server.healed else hang)(server, request)

    with FaultServer(some) as server:
        server.healed = False
        first = command("--max-samples", "1", "--request-timeout", "0.3", server=server)
        server.healed = True
        again = command("--resume", str(first.run_dir), "--request-timeout", "60")
    assert [first.code, again.code] == [Exit.INCOMPLETE, Exit.COMPLETE]
    assert "1 failed: no answer within 0.3 s; --request-timeout sets that limit (" in first.err
    assert again.run["settings"]["request_timeout"] == 60


def test_the_judge_has_the_same_limit(command):
    """An unjudged answer says why."""
    with FaultServer(servers.model) as model, FaultServer(hang) as judge:
        result = command(
            *("--dataset", "builtin", "--max-samples", "1", "--judge-model", "tiny", "--judge-base-url", judge.url),
            *("--request-timeout", "0.3", "--judge-concurrency", "1"),
            server=model,
            task="hardmultiqa:open:alignment|0",
            data=None,
        )
    assert result.code == Exit.INCOMPLETE
    assert "no answer within 0.3 s" in result.err


def test_lightevals_command_line_takes_it_from_the_environment():
    """In seconds; other texts are refused by the variable's name."""
    assert config_from_environment("m", {}).access.attempt_s == 1800
    assert config_from_environment("m", {"ENDPOINT_REQUEST_TIMEOUT": "5"}).access.attempt_s == 5
    with pytest.raises(ValueError, match=r"ENDPOINT_REQUEST_TIMEOUT='soon' cannot be read"):
        config_from_environment("m", {"ENDPOINT_REQUEST_TIMEOUT": "soon"})
