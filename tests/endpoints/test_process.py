"""Child servers: what they promise about readiness, early death, and never outliving the run.

The servers here are small Python programs. Each has a child of its own (as vLLM has), which keeps the log file of its
heartbeat open; "gone" is checked on both processes.
"""

import contextlib
import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from endpoints import supervisor
from endpoints.errors import EndpointError
from endpoints.process import ChildServer, ServerCommand, ServerFailed, on_free_port, reserved_port, tail

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 30.0

SERVER = """
import http.server, json, os, signal, subprocess, sys, time

port, notes, mode = int(sys.argv[1]), sys.argv[2], sys.argv[3]
child = "import time\\nwhile True: time.sleep(1)"
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = "import signal\\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\\n" + child
grandchild = subprocess.Popen([sys.executable, "-c", child], start_new_session=mode == "escape")
with open(notes + ".part", "w", encoding="utf-8") as out:
    json.dump({"server": os.getpid(), "grandchild": grandchild.pid, "token": os.environ.get("TOKEN"),
               "removed": "GONE" in os.environ, "cwd": os.getcwd()}, out)
os.rename(notes + ".part", notes)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"{}"
        self.send_response(503 if mode == "unready" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

print("приветствие сервера", flush=True)
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition becomes true within a generous time."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Path]:
    """Where the server writes its process ids; whatever a failed test leaves behind is killed."""
    path = tmp_path / "notes.json"
    yield path
    if path.exists():
        for pid in pids(path):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def pids(notes: Path) -> tuple[int, int]:
    """Process ids of the server and of its child."""
    told = json.loads(notes.read_text(encoding="utf-8"))
    return told["server"], told["grandchild"]


def command(tmp_path: Path, notes: Path, port: int, mode: str = "plain", **changes) -> ServerCommand:
    """Start of the tiny server; ``changes`` are fields of the command."""
    program = tmp_path / "server.py"
    program.write_text(SERVER, encoding="utf-8")
    settings = {"deadline_s": PATIENCE_S, "grace_s": 5.0, "name": "tiny server"} | changes
    return ServerCommand(
        argv=(sys.executable, str(program), str(port), str(notes), mode),
        ready_url=f"http://127.0.0.1:{port}/health",
        log_path=tmp_path / "logs" / "server.log",
        **settings,
    )


@contextlib.contextmanager
def taken_port() -> Iterator[int]:
    """A port that no server can bind, and on which nobody answers."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        yield other.getsockname()[1]


def gone(notes: Path) -> bool:
    """Whether neither the server nor its child runs."""
    return not any(running(pid) for pid in pids(notes))


class TestWithin:
    """The ordinary life: a ``with`` block."""

    def test_ready_inside_gone_outside(self, tmp_path, notes):
        """Inside the block the server answers; after it neither the server nor its child exists."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port)) as server:
            assert server.alive
            assert server.pid == pids(notes)[0]
            socket.create_connection(("127.0.0.1", port)).close()
        assert gone(notes)
        assert not server.alive
        assert server.exit_code == -signal.SIGTERM

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_gone_after_an_error_in_the_block(self, tmp_path, notes, error):
        """An exception in the block, Ctrl-C included, ends the server and is passed on."""
        with pytest.raises(error), reserved_port() as port, ChildServer(command(tmp_path, notes, port)):
            raise error
        assert gone(notes)

    def test_a_server_that_ignores_sigterm_is_killed(self, tmp_path, notes):
        """After the grace period the whole group gets SIGKILL."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, "stubborn", grace_s=0.2)) as server:
            assert server.alive
        assert gone(notes)
        assert server.exit_code == -signal.SIGKILL

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans can be adopted on Linux alone")
    def test_a_server_that_hangs_is_killed_at_once(self, tmp_path, notes):
        """``kill`` has no time of grace: a stopped process would not see SIGTERM at all."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, "stubborn", grace_s=600)) as server:
            os.kill(server.pid, signal.SIGSTOP)
            server.kill()
            assert server.exit_code == -signal.SIGKILL
        assert not any(map(running, pids(notes)))

    def test_an_end_is_known_before_that_of_the_children(self, tmp_path, notes):
        """A child that ignores SIGTERM holds up the clean-up, not the news."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, "stubborn", grace_s=600)) as server:
            assert not server.fell
            os.kill(server.pid, signal.SIGKILL)
            assert eventually(lambda: server.fell)
            assert server.exit_code == -signal.SIGKILL
            assert server.alive
            assert running(pids(notes)[1])
            server.kill()
            assert not server.alive
        assert not any(map(running, pids(notes)))

    def test_a_child_that_left_the_group_is_killed_too(self, tmp_path, notes):
        """A child of the server in a session of its own does not survive."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, "escape")):
            assert os.getpgid(pids(notes)[1]) != os.getpgid(pids(notes)[0])
        assert gone(notes)

    def test_environment_and_folder(self, tmp_path, notes, monkeypatch):
        """Variables are laid over the environment, None removes one, the working directory is the one asked for."""
        monkeypatch.setenv("GONE", "1")
        env = {"TOKEN": "ключ", "GONE": None}
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, env=env, cwd=tmp_path)):
            told = json.loads(notes.read_text(encoding="utf-8"))
        assert (told["token"], told["removed"], told["cwd"]) == ("ключ", False, str(tmp_path.resolve()))

    def test_stop_needs_no_start_and_may_be_repeated(self, tmp_path, notes):
        """Stopping is always safe."""
        with reserved_port() as port:
            server = ChildServer(command(tmp_path, notes, port))
            server.stop()
            server.start()
            server.wait_ready()
            server.stop()
            server.stop()
        assert gone(notes)

    def test_one_object_starts_once(self, tmp_path, notes):
        """A second start would lose the first server: it is refused."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port)) as server:
            with pytest.raises(RuntimeError, match="started before"):
                server.start()
            assert server.alive

    def test_several_side_by_side(self, tmp_path):
        """Servers may all be started before the first is waited for."""
        with contextlib.ExitStack() as stack:
            servers = []
            for number in range(3):
                port = stack.enter_context(reserved_port())
                folder = tmp_path / str(number)
                folder.mkdir()
                server = ChildServer(command(folder, folder / "notes.json", port))
                stack.callback(server.stop)
                server.start()
                servers.append(server)
            assert all(server.wait_ready() > 0 for server in servers)
            assert len({server.pid for server in servers}) == 3
        assert all(gone(tmp_path / str(number) / "notes.json") for number in range(3))


class TestFailures:
    """What cannot start or does not get ready says why, in one exception, and leaves nothing behind."""

    def test_unknown_program(self, tmp_path):
        """A program that does not exist is named."""
        wanted = ServerCommand(
            argv=("/nowhere/vllm", "serve"), ready_url="http://127.0.0.1:9/", log_path=tmp_path / "log", name="vLLM"
        )
        with pytest.raises(ServerFailed, match=r"vLLM cannot be started: .*/nowhere/vllm"), ChildServer(wanted):
            pytest.fail("entered")

    def test_early_death_shows_the_log(self, tmp_path):
        """A server that ends before it is ready: exit status, log file and its last lines are in the message."""
        wanted = ServerCommand(
            argv=(sys.executable, "-c", "print('строка один'); print('нет модели'); raise SystemExit(3)"),
            ready_url="http://127.0.0.1:9/",
            log_path=tmp_path / "server.log",
            deadline_s=PATIENCE_S,
        )
        with pytest.raises(ServerFailed) as caught, ChildServer(wanted):
            pytest.fail("entered")
        message = str(caught.value)
        assert "server ended before it was ready (exit status 3)" in message
        assert str(tmp_path / "server.log") in message
        assert message.endswith("строка один\nнет модели")
        assert not caught.value.address_in_use
        assert isinstance(caught.value, EndpointError)

    def test_killed_before_ready_names_the_signal(self, tmp_path):
        """A server ended by a signal (out of memory, say) is told apart from one that gave up."""
        wanted = ServerCommand(
            argv=(sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"),
            ready_url="http://127.0.0.1:9/",
            log_path=tmp_path / "server.log",
            deadline_s=PATIENCE_S,
        )
        with pytest.raises(ServerFailed, match=r"killed by SIGKILL.*is empty"), ChildServer(wanted):
            pytest.fail("entered")

    def test_children_of_a_server_that_died_early_are_ended(self, tmp_path, notes):
        """The server's child does not survive a server that dies by itself."""
        program = "import json,os,subprocess,sys; p=subprocess.Popen(['sleep','600']); "
        program += f"json.dump({{'server': os.getpid(), 'grandchild': p.pid}}, open({str(notes)!r}, 'w'))"
        wanted = ServerCommand(
            argv=(sys.executable, "-c", program),
            ready_url="http://127.0.0.1:9/",
            log_path=tmp_path / "server.log",
            deadline_s=PATIENCE_S,
        )
        with pytest.raises(ServerFailed, match="exit status 0"), ChildServer(wanted):
            pytest.fail("entered")
        assert gone(notes)

    def test_deadline(self, tmp_path, notes):
        """A server that answers, but never with 200, is given up at the deadline and ended."""
        with (
            reserved_port() as port,
            pytest.raises(ServerFailed, match=r"tiny server was not ready within 1\.5 s\. The last lines of "),
            ChildServer(command(tmp_path, notes, port, "unready", deadline_s=1.5)),
        ):
            pytest.fail("entered")
        assert gone(notes)

    def test_death_is_noticed_at_once(self, tmp_path, notes):
        """``alive`` turns false when the server dies within the block, and its children are ended."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port)) as server:
            os.kill(pids(notes)[0], signal.SIGKILL)
            assert eventually(lambda: not server.alive)
            assert server.exit_code == -signal.SIGKILL
            assert gone(notes)

    def test_a_failed_start_says_when_the_port_was_taken(self, tmp_path, notes):
        """The caller can tell a taken port, which another port mends, from other failures."""
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            with pytest.raises(ServerFailed) as caught, ChildServer(command(tmp_path, notes, port)) as server:
                # The stranger accepts connections but never answers: the server's death decides.
                pytest.fail(f"entered {server}")
        assert caught.value.address_in_use


class TestPorts:
    """Free ports, and what happens when one is taken nevertheless."""

    def test_reserved_port_can_be_bound_by_a_server(self, tmp_path, notes):
        """A server that sets SO_REUSEADDR gets the port; two reservations never agree."""
        with reserved_port() as first, reserved_port() as second:
            assert first != second
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", first))
                server.listen()

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone can hold a port for a server")
    def test_reserved_port_is_refused_to_others(self):
        """Another program that does not ask for reuse cannot take it."""
        with reserved_port() as port, socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))

    def test_reserved_port_is_outside_the_range_of_outgoing_connections(self):
        """No outgoing connection of this machine can get it by chance while the server loads."""
        with reserved_port() as port:
            assert 20_000 <= port < 32_000

    def test_another_port_is_tried(self, tmp_path, notes):
        """If the port is taken under the server's hands, the next one is used."""
        asked = []
        with taken_port() as taken:

            def make(port: int) -> ServerCommand:
                asked.append(port)
                return command(tmp_path, notes, taken if len(asked) == 1 else port)

            with on_free_port(make) as (server, port):
                assert server.alive
                assert port == asked[1]
        assert gone(notes)

    def test_gives_up_after_the_last_attempt(self, tmp_path, notes):
        """A port that is always taken ends in the server's own words."""
        with (
            taken_port() as taken,
            pytest.raises(ServerFailed, match="in use"),
            on_free_port(lambda _: command(tmp_path, notes, taken), attempts=2),
        ):
            pytest.fail("entered")

    def test_other_failures_are_not_repeated(self, tmp_path):
        """A server that fails for its own reasons is started once."""
        asked = []

        def make(port: int) -> ServerCommand:
            asked.append(port)
            return ServerCommand(argv=(sys.executable, "-c", "raise SystemExit(1)"), ready_url="http://127.0.0.1:9/",
                                 log_path=tmp_path / "log")  # fmt: skip

        with pytest.raises(ServerFailed, match="exit status 1"), on_free_port(make):
            pytest.fail("entered")
        assert len(asked) == 1


PARENT = """
import os, signal, sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from endpoints.process import ChildServer, ServerCommand, reserved_port

def life():
    with reserved_port() as port, ChildServer(ServerCommand(
        argv=({python!r}, {program!r}, str(port), {notes!r}, {mode!r}),
        ready_url=f"http://127.0.0.1:{{port}}/health", log_path=Path({log!r}), deadline_s=30, grace_s=2,
    )) as server:
        {fork}
        print(server._keeper.pid, flush=True)
        {end}

life()
"""
WAIT = "time.sleep(600)"
FORK = "os.fork() or time.sleep(600)"


class Run(contextlib.AbstractContextManager):
    """A run in a process of its own that holds a server; ``keeper`` is its supervisor's process id."""

    def __init__(self, tmp_path: Path, notes: Path, *, end: str = WAIT, fork: str = "", mode: str = "plain"):
        (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
        text = textwrap.dedent(PARENT).format(
            root=str(ROOT), python=sys.executable, program=str(tmp_path / "server.py"), notes=str(notes),
            log=str(tmp_path / "server.log"), end=end, fork=fork, mode=mode,
        )  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self.keeper = int(self.process.stdout.readline())

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


class TestParentDies:
    """The server dies with the run, however the run dies."""

    @pytest.mark.parametrize(
        "end",
        ["pass", "sys.exit(5)", "raise ValueError", "os._exit(0)", "os.abort()"],
        ids=["success", "exit", "error", "exit-at-once", "abort"],
    )
    def test_run_ends_by_itself(self, tmp_path, notes, end):
        """A run that returns, exits, fails or breaks off takes its server with it."""
        with Run(tmp_path, notes, end=end) as run:
            run.process.wait(PATIENCE_S)
            assert eventually(lambda: gone(notes))
            assert eventually(lambda: not running(run.keeper))

    @pytest.mark.parametrize("mode", ["plain", "stubborn"])
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
    def test_run_is_killed(self, tmp_path, notes, number, mode):
        """SIGTERM, Ctrl-C, a closed terminal and kill -9; the server may even ignore SIGTERM."""
        with Run(tmp_path, notes, mode=mode) as run:
            assert not gone(notes)
            run.process.send_signal(number)
            run.process.wait(PATIENCE_S)
            assert eventually(lambda: gone(notes))
            assert eventually(lambda: not running(run.keeper))

    def test_whole_group_of_the_run_is_killed(self, tmp_path, notes):
        """kill -9 of the run's process group does not reach the supervisor before its work is done."""
        with Run(tmp_path, notes) as run:
            os.killpg(run.process.pid, signal.SIGKILL)
            run.process.wait(PATIENCE_S)
            assert eventually(lambda: gone(notes))

    def test_run_is_killed_while_its_forked_child_lives(self, tmp_path, notes):
        """A forked child that still holds the pipe does not keep the server alive."""
        with Run(tmp_path, notes, fork=FORK) as run:
            run.process.kill()
            run.process.wait(PATIENCE_S)
            assert eventually(lambda: gone(notes))

    def test_run_stops_the_server_while_its_forked_child_lives(self, tmp_path, notes):
        """Stopping in order needs no end of file, which a forked child would hold back."""
        with Run(tmp_path, notes, fork=FORK, end="server.stop(); print(server.exit_code, flush=True)") as run:
            assert int(run.process.stdout.readline()) == -signal.SIGTERM
            assert gone(notes)


class TestSupervisorDies:
    """The supervisor may die too."""

    @pytest.mark.parametrize("mode", ["plain", "stubborn"])
    def test_supervisor_is_killed(self, tmp_path, notes, mode):
        """kill -9 of the supervisor ends the server and its child, and the run sees it."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port, mode)) as server:
            server._keeper.kill()
            assert eventually(lambda: not server.alive)
            assert eventually(lambda: gone(notes))
            assert server.exit_code == -signal.SIGKILL

    def test_supervisor_is_asked_to_end(self, tmp_path, notes):
        """SIGTERM to the supervisor ends the server in order."""
        with reserved_port() as port, ChildServer(command(tmp_path, notes, port)) as server:
            server._keeper.terminate()
            assert eventually(lambda: not server.alive)
            assert gone(notes)
            assert server.exit_code == -signal.SIGTERM

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone binds a process to its parent")
    def test_run_and_supervisor_are_killed_together(self, tmp_path, notes):
        """Even then the kernel ends the server itself."""
        with Run(tmp_path, notes) as run:
            os.kill(run.process.pid, signal.SIGSTOP)  # the run can do nothing any more
            os.kill(run.keeper, signal.SIGKILL)
            run.process.kill()
            run.process.wait(PATIENCE_S)
            assert eventually(lambda: not running(pids(notes)[0]))


class TestTail:
    """The end of a log."""

    @pytest.mark.parametrize(
        ("content", "shown"),
        [
            (b"", ""),
            (b"one\n\n  \ntwo\n", "one\ntwo"),
            (b"1%\r2%\r3%\n", "1%\n2%\n3%"),
            (b"\xff\xd0\xb0\n", "�а"),
            (b"".join(b"%d\n" % n for n in range(30)), "\n".join(str(n) for n in range(10, 30))),
        ],
        ids=["empty", "blank lines left out", "progress bars", "broken bytes", "twenty lines"],
    )
    def test_last_lines(self, tmp_path, content, shown):
        """Blank lines are left out, carriage returns end a line, any bytes are readable."""
        (tmp_path / "log").write_bytes(content)
        assert tail(tmp_path / "log") == shown

    def test_no_file(self, tmp_path):
        """A log that was never written is empty."""
        assert tail(tmp_path / "none") == ""

    def test_huge_log_is_not_read_whole(self, tmp_path):
        """At most the last 16 KiB are shown, even of one endless line."""
        (tmp_path / "log").write_bytes(b"x" * 1_000_000)
        assert len(tail(tmp_path / "log")) == 16_384


def test_a_server_tells_its_own_url(tmp_path, notes):
    """Without a ready URL it is asked where it says it is; what else it prints is in the log."""
    start = command(tmp_path, notes, 0, "plain")
    with reserved_port() as port:
        teller = (
            f"import json, os, sys; print(json.dumps(dict(url='http://127.0.0.1:{port}')), flush=True); os.dup2(2, 1); "
            f"os.execv(sys.executable, [sys.executable, {start.argv[1]!r}, '{port}', {str(notes)!r}, 'plain'])"
        )
        start = dataclasses.replace(start, argv=(sys.executable, "-c", teller), ready_url=None)
        server = ChildServer(start)
        assert server.ready_url is None
        with server:
            assert server.url == f"http://127.0.0.1:{port}"
            assert server.ready_url == f"http://127.0.0.1:{port}/health"
        assert gone(notes)
        assert "url" not in start.log_path.read_text("utf-8")


def test_supervisor_needs_the_standard_library_alone():
    """It starts without site-packages and never imports the project."""
    code = (
        "import runpy, sys; runpy.run_path(sys.argv[1], run_name='loaded'); "
        "print(sorted(n for n in sys.modules if n.split('.')[0] not in sys.stdlib_module_names and n != '__main__'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, supervisor.__file__], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
