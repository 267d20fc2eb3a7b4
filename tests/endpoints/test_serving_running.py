"""Servers that a serving file starts: ready together, gone together, whatever happens."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from serving_fakes import PATIENCE_S, eventually, fakes, post

from endpoints.errors import EndpointError
from endpoints.serving import serve
from endpoints.serving.__main__ import main
from endpoints.serving.diagnosis import cause, causes, last_line

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made(tmp_path):
    """Stand-ins for servers."""
    with fakes(tmp_path) as found:
        yield found


class TestServed:
    """The ordinary life."""

    def test_both_are_ready_inside_and_gone_outside(self, made, tmp_path):
        """Addresses, names, logs, record and lines of a model and a judge."""
        lines = []
        plan = made.plan(model=made.entry(0, served_model_name="m"), judge=made.entry(1, gpus=[3]))
        with serve(plan, tmp_path / "logs", lines.append) as served:
            assert post(served.model_base_url) == str(made.ports[0])
            assert post(served.judge_base_url) == str(made.ports[1])
            assert served.model_base_url == f"http://127.0.0.1:{made.ports[0]}/v1"
            assert (served.model_name, served.judge_name) == ("m", "org/model-1")
            assert made.told(made.ports[1])["gpus"] == "3"
            assert served.lost() == ()
            assert served.pids() == {
                role: made.told(port)["pids"][0] for role, port in zip(("model", "judge"), made.ports, strict=False)
            }
            assert not made.gone()
        assert made.gone()
        assert served.logs == {name: tmp_path / "logs" / f"{name}.log" for name in ("model", "judge")}
        assert "Loading weights" in served.logs["judge"].read_text(encoding="utf-8")
        assert served.record["file"] == str(plan.path)
        assert set(served.record["commands"]) == {"model", "judge"}
        assert {role: len(urls) for role, urls in served.record["workers"].items()} == {"model": 1, "judge": 1}
        assert lines[0].startswith(f"model: starting at http://127.0.0.1:{made.ports[0]}, no GPU, log ")
        assert lines[1].startswith(f"judge: starting at http://127.0.0.1:{made.ports[1]}, GPU 3, log ")
        assert {line.partition(" after ")[0] for line in lines[2:4]} == {"model: ready", "judge: ready"}
        assert lines[4:] == ["stopping model, judge"]

    def test_judge_alone(self, made, tmp_path):
        """An absent entry has no address."""
        plan = made.plan(judge=made.entry(0))
        with serve(plan, tmp_path / "logs", lambda _: None) as served:
            assert served.model_base_url is None
            assert served.model_name is None
            assert post(served.judge_base_url) == str(made.ports[0])

    def test_replicas_behind_a_router(self, made, tmp_path):
        """Requests to the entry's port reach every replica, on GPUs of its own; the router starts last."""
        lines = []
        router = {"command": made.command()}
        plan = made.plan(model=made.entry(0, replicas=2, gpus=[0, 1, 2, 3], tensor_parallel_size=2, router=router))
        with serve(plan, tmp_path / "logs", lines.append) as served:
            answered = {int(post(served.model_base_url)) for _ in range(4)}
            assert answered == set(made.started()) - {made.ports[0]}
            assert sorted(served.record["workers"]["model"]) == [
                f"http://127.0.0.1:{port}" for port in sorted(answered)
            ]
            assert sorted(made.told(port)["gpus"] for port in answered) == ["0,1", "2,3"]
        assert made.gone()
        router_starts = next(n for n, line in enumerate(lines) if line.startswith("model router: starting"))
        assert sum("ready after" in line for line in lines[:router_starts]) == 2

    def test_servers_on_one_gpu_start_in_turn(self, made, tmp_path):
        """The judge is started when the model is ready."""
        lines = []
        keys = {"gpus": [0], "gpu_memory_utilization": 0.4}
        plan = made.plan(model=made.entry(0, **keys), judge=made.entry(1, **keys))
        with serve(plan, tmp_path / "logs", lines.append):
            pass
        assert [line.split()[:2] for line in lines[:4]] == [
            ["model:", "starting"], ["model:", "ready"], ["judge:", "starting"], ["judge:", "ready"]
        ]  # fmt: skip

    def test_logs_of_an_earlier_start_are_kept(self, made, tmp_path):
        """A resumed run writes beside what its first part left."""
        plan = made.plan(model=made.entry(0))
        logs = tmp_path / "logs"
        logs.mkdir()
        (logs / "model.log").write_text("earlier", encoding="utf-8")
        (logs / "model.2.log").write_text("later", encoding="utf-8")
        with serve(plan, logs, lambda _: None) as served:
            assert served.logs["model"] == logs / "model.3.log"
        assert (logs / "model.log").read_text(encoding="utf-8") == "earlier"

    def test_a_file_may_be_served_twice_in_a_row(self, made, tmp_path):
        """The port of the servers that have just ended is no obstacle."""
        plan = made.plan(model=made.entry(0))
        for _ in range(2):
            with serve(plan, tmp_path / "logs", lambda _: None) as served:
                post(served.model_base_url)

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_gone_after_an_error_in_the_block(self, made, tmp_path, error):
        """An exception in the block, Ctrl-C included, ends all servers and is passed on."""
        plan = made.plan(model=made.entry(0), judge=made.entry(1))
        with pytest.raises(error), serve(plan, tmp_path / "logs", lambda _: None):
            raise error
        assert len(made.started()) == 2
        assert made.gone()


class TestNotReady:
    """What does not become ready is said with the end of its log; nothing stays behind."""

    def test_death_stops_the_others(self, made, tmp_path):
        """Exit status, the cause from further up in the log, its last lines, and who was stopped with it."""
        plan = made.plan(model=made.entry(0, "slow"), judge=made.entry(1, "die"))
        with pytest.raises(EndpointError) as caught, serve(plan, tmp_path / "logs", lambda _: None):
            pytest.fail("entered")
        message = str(caught.value)
        assert message.startswith("judge ended before it was ready (exit status 7). The last lines of ")
        assert str(tmp_path / "logs" / "judge.log") in message
        assert "\nExceptions named in its log:\n  ValueError: the model has no weights\n" in message
        assert message.endswith("\nStopped with it: model")
        assert made.gone()

    def test_deadline(self, made, tmp_path):
        """Each entry has its own; progress is shown meanwhile, with the last line of the log."""
        lines = []
        plan = made.plan(model=made.entry(0), judge=made.entry(1, "slow", deadline_s=6))
        with (
            pytest.raises(EndpointError, match=r"judge was not ready within 6 s\. The last lines of "),
            serve(plan, tmp_path / "logs", lines.append, progress_s=0.5),
        ):
            pytest.fail("entered")
        assert any(re.fullmatch(r"judge: starting for \d s: Loading weights", line) for line in lines)
        assert made.gone()

    def test_waiting_is_shown(self, made, tmp_path):
        """A router says whom it waits for."""
        lines = []
        entry = made.entry(0, "slow", replicas=2, deadline_s=2, router={"command": made.command()})
        with (
            pytest.raises(EndpointError, match="model replica"),
            serve(made.plan(model=entry), tmp_path / "logs", lines.append, progress_s=0.5),
        ):
            pytest.fail("entered")
        assert "model router: waits for model replica 1, model replica 2" in lines
        assert made.gone()

    def test_program_that_cannot_be_run(self, made, tmp_path):
        """Known only at the start: the servers before it are stopped."""
        broken = tmp_path / "broken"
        broken.write_text("#!/nowhere/interpreter\n", encoding="utf-8")
        broken.chmod(0o755)
        plan = made.plan(model=made.entry(0, "slow"), judge=made.entry(1, command=[str(broken)]))
        with (
            pytest.raises(EndpointError, match="judge cannot be started"),
            serve(plan, tmp_path / "logs", lambda _: None),
        ):
            pytest.fail("entered")
        assert made.gone()

    def test_known_problems_start_nothing(self, made, tmp_path):
        """All of them in one error, and no log folder."""
        plan = made.plan(model=made.entry(0, gpus=[0], tensor_parallel_size=2), judge=made.entry(0))
        with pytest.raises(EndpointError) as caught, serve(plan, tmp_path / "logs", lambda _: None):
            pytest.fail("entered")
        assert len(str(caught.value).splitlines()) == 3
        assert made.started() == []
        assert not (tmp_path / "logs").exists()


class TestEnds:
    """A process that serves is ended: its servers, their children and their process groups are gone."""

    @pytest.mark.parametrize("mode", ["slow", "plain"], ids=["in start-up", "ready"])
    @pytest.mark.parametrize(
        ("number", "status"),
        [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
        ids=["Ctrl-C", "SIGTERM", "SIGKILL"],
    )
    def test_signals(self, made, tmp_path, mode, number, status):
        """Ctrl-C, SIGTERM and kill -9, while the servers load and after."""
        path = made.write(model=made.entry(0, mode), judge=made.entry(1, mode))
        with subprocess.Popen(
            [sys.executable, "-m", "endpoints.serving", str(path), "--log-dir", str(tmp_path / "logs")],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as run:
            lines = iter(run.stderr.readline, "")
            if mode == "plain":
                assert any("Ctrl-C stops the servers" in line for line in lines)
            assert eventually(lambda: len(made.started()) == 2)
            run.send_signal(number)
            assert run.wait(PATIENCE_S) == status
            assert eventually(made.gone) if number == signal.SIGKILL else made.gone()

    def test_a_server_is_lost(self, made, tmp_path):
        """Served by hand, a death with no restart left ends the rest: status 3."""
        plan = made.write(model=made.entry(0, restarts=0), judge=made.entry(1))
        with subprocess.Popen(
            [sys.executable, "-m", "endpoints.serving", str(plan), "--log-dir", str(tmp_path / "logs")],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        ) as run:
            assert any("Ctrl-C stops the servers" in line for line in iter(run.stderr.readline, ""))
            made.kill(made.ports[0])
            assert "no server of the model is left: model is given up after 0 restarts" in run.stderr.read()
            assert run.wait(PATIENCE_S) == 3
        assert made.gone()

    def test_kill_9_after_a_restart(self, made, tmp_path):
        """What was started again ends with us too."""
        path = made.write(model=made.entry(0, restart_wait_s=0.1))
        with subprocess.Popen(
            [sys.executable, "-m", "endpoints.serving", str(path), "--log-dir", str(tmp_path / "logs")],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as run:
            lines = iter(run.stderr.readline, "")
            assert any("Ctrl-C stops the servers" in line for line in lines)
            made.kill(made.ports[0])
            assert any("ready again" in line for line in lines)
            run.send_signal(signal.SIGKILL)
            assert run.wait(PATIENCE_S) == -9
        assert made.starts(made.ports[0]) == 2
        assert eventually(made.gone)

    def test_cannot_start(self, made, tmp_path, capsys):
        """Status 3 and the reason."""
        path = made.write(model=made.entry(0, "die"))
        handler = signal.getsignal(signal.SIGTERM)
        try:
            assert main([str(path), "--log-dir", str(tmp_path / "logs")]) == 3
        finally:
            signal.signal(signal.SIGTERM, handler)
        assert "model ended before it was ready (exit status 7)" in capsys.readouterr().err


class TestDiagnosis:
    """What a log says."""

    def test_causes(self, tmp_path):
        """Exceptions in their order, once each, colours removed; what only repeats a death is left out."""
        log = tmp_path / "vllm.log"
        log.write_text(
            "\x1b[31m(EngineCore pid=7) ERROR 11-29 [core.py:900] ValueError: no available memory\x1b[0m\n"
            "(EngineCore pid=7) ValueError: no available memory\n"
            "(Worker pid=8) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"
            "INFO nothing\n"
            "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.\n",
            encoding="utf-8",
        )
        assert causes(log) == (
            "ValueError: no available memory",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
        )

    def test_wrong_setting(self, tmp_path):
        """What pydantic says of a setting stands on its second line."""
        log = tmp_path / "vllm.log"
        log.write_text(
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
            "  Value error, max_model_len (9) is greater than 8 [type=value_error, input_value=ArgsKwargs(())]\n"
            "    For further information visit the site\n",
            encoding="utf-8",
        )
        assert causes(log) == ("Value error: max_model_len (9) is greater than 8",)

    def test_no_log(self, tmp_path):
        """A log that was never written names nothing."""
        assert causes(tmp_path / "none") == ()
        assert last_line(tmp_path / "none") == ""

    def test_last_line(self, tmp_path):
        """Without colours, and cut."""
        (tmp_path / "log").write_text("first\n\x1b[2mlast " + "x" * 300 + "\x1b[0m\n\n", encoding="utf-8")
        assert last_line(tmp_path / "log", 10) == "last xxxx…"

    def test_last_line_that_tells_something(self, tmp_path):
        """That it was asked for its health is no news."""
        look = 'INFO:     127.0.0.1:4242 - "GET /health HTTP/1.1" 200 OK\n'
        (tmp_path / "log").write_text("last words\n" + look * 5, encoding="utf-8")
        assert last_line(tmp_path / "log") == "last words"
        (tmp_path / "log").write_text(look, encoding="utf-8")
        assert last_line(tmp_path / "log") == ""

    def test_cause_of_a_death_is_near_the_end(self, tmp_path):
        """What a server wrote long before it died was about single requests."""
        log = tmp_path / "log"
        log.write_text("ValueError: one bad request\n" + "INFO nothing\n" * 2000, encoding="utf-8")
        assert cause(log) == ""
        with log.open("a", encoding="utf-8") as stream:
            stream.write("torch.OutOfMemoryError: CUDA out of memory\n")
        assert cause(log) == "torch.OutOfMemoryError: CUDA out of memory"
