"""What checkers of other projects may not do: the network, memory without end, time without end, and lies."""

import json
import os
import socket
import time
from contextlib import closing
from pathlib import Path

import pytest
from ifbench_cases import RUNS_ITS_TEXT

from metrics import ifbench
from metrics.ifbench import foreign_process
from metrics.ifbench.foreign import ForeignCheckers, GraderFailedError, NotGradableError, Source, source_at
from metrics.ifbench.records import score, scoring_key
from metrics.ifbench.summary import summarise
from metrics.record import Answer, Sample

# The descriptors that answers leave by and questions come by are no secret to code in the same process.
ANSWERS = """import os
answers = [int(n) for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists(f"/proc/self/fd/{n}")]
def answer(data):
    for n in answers:
        try:
            os.write(n, data)
        except OSError:
            pass
"""


def _open(folder, registry=RUNS_ITS_TEXT, **limits):
    (folder / "instructions_registry.py").write_text(registry, encoding="utf-8")
    return ForeignCheckers(source_at("other", folder), **{"seconds": 1, "memory": 1 << 30, **limits})


def _judge(checkers, text):
    return checkers.judge("format:list", {}, [text])


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Checkers that run the answer as a program; each test may cost them their process."""
    with closing(_open(tmp_path_factory.mktemp("running"))) as found:
        yield found


@pytest.fixture
def offline(running):
    """The same, where the system lets code run without network."""
    _judge(running, "")
    if "warning" in running.precautions()[0]:
        pytest.skip(running.precautions()[0])
    return running


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("while True: pass", "took more than 1 seconds of processor time|gave no answer within 1 seconds"),
        ("import time; time.sleep(60)", "gave no answer within 1 seconds"),
        ("held = []\nwhile True: held.append(bytearray(1 << 26))", "asked for more memory than it may have"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended its process by SIGKILL"),
        ("import os; os.killpg(0, 9)", "ended its process by SIGKILL"),
        ("import sys; sys.exit(0)", "ended its process with status 0"),
        ("import os; os._exit(7)", "ended its process with status 7"),
        ("raise KeyboardInterrupt", "ended its process with status|ended its process by SIGINT"),
        (ANSWERS + "answer(b'nothing known\\n')", "gave an answer that"),
        (ANSWERS + "answer(b'{}\\n'); import time; time.sleep(60)", "gave an answer of no known form"),
        (ANSWERS + "answer(b'half a line'); import time; time.sleep(60)", "gave no answer within 1 seconds"),
        (ANSWERS + "while True: answer(b'x' * 4096)", "gave an answer without an end"),
        ("import os; os.closerange(3, 64)", "closed its answers|ended its process with status 1"),
    ],
)
def test_a_verdict_that_was_not_given_is_counted_as_that(running, program, why):
    """Endless, dead or lying: one verdict is lost, with the reason; the one before and the one after are not."""
    assert _judge(running, "").passed
    with pytest.raises(GraderFailedError, match=f"other: format:list: grader failed: it ({why})"):
        _judge(running, program)
    assert [_judge(running, text).code for text in ("", "passes = False")] == ["ok", "not-followed"]


def test_a_copy_of_the_process_has_no_say(running):
    """A checker that forks and lets both go on gives one verdict, not two."""
    program = "import os; child = os.fork(); passes = child != 0"
    assert [_judge(running, text).code for text in (program, "", "passes = False")] == ["ok", "ok", "not-followed"]


def test_what_checkers_start_ends_with_them(running, tmp_path):
    """A process that a checker leaves behind goes when the worker goes."""
    note = tmp_path / "pid"
    _judge(running, f"import subprocess; open({str(note)!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid))")
    running.close()
    pid = int(note.read_text(encoding="utf-8"))
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.01)
    assert not _runs(pid)


def _runs(pid):
    """Whether a process is there and no mere entry that nobody has read yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_long_question_to_a_stopped_process_ends_in_time(running):
    """The pipe is full long before the question is sent: writing has the same deadline."""
    stopping = "import os, subprocess; subprocess.Popen(['sh', '-c', f'sleep .2; kill -STOP {os.getpid()}'])"
    assert _judge(running, stopping).passed
    time.sleep(0.6)
    with pytest.raises(GraderFailedError, match="gave no answer within 1 seconds"):
        _judge(running, "#" * 2_000_000)
    assert _judge(running, "").passed


def test_descriptors_beyond_a_thousand_are_no_matter(running):
    """A run with a thousand connections has them."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("this system allows no more than a thousand descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1050)]
    try:
        running.close()
        assert _judge(running, "").passed
    finally:
        running.close()
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.create_connection(('127.0.0.1', {port}), 2)",
        "import socket; socket.create_connection(('localhost.example', 80), 2)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}/')",
        "import socket\ntry: socket.create_connection(('127.0.0.1', {port}))\nexcept OSError: raise RuntimeError",
    ],
)
def test_a_checker_that_opens_a_connection_gets_none(offline, program):
    """No verdict, with the missing network as its reason, also where the checker hides it; nobody is reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        with pytest.raises(
            NotGradableError, match="it asks for the network, and checkers run without network"
        ) as caught:
            _judge(offline, program.format(port=server.getsockname()[1]))
        with pytest.raises(BlockingIOError):
            server.accept()
    assert caught.value.code == "not-gradable"
    assert _judge(offline, "").passed


def test_a_checker_that_swallows_the_error_reaches_nobody_either(offline):
    """Its verdict is its own; a subprocess of it has no network either."""
    program = """import socket, subprocess, sys
code = "import socket; raise SystemExit(socket.socket().connect_ex(('127.0.0.1', {port})) == 0)"
own, theirs = socket.socket().connect_ex(('127.0.0.1', {port})), subprocess.run([sys.executable, "-c", code])
passes = own != 0 and theirs.returncode == 0"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert _judge(offline, program.format(port=server.getsockname()[1])).passed


def test_the_user_stays_who_it_was(offline):
    """Files of the user do not seem to be somebody else's."""
    assert _judge(offline, f"import os; passes = (os.geteuid(), os.getegid()) == {(os.geteuid(), os.getegid())}").passed


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("import urllib.request; urllib.request.urlopen('http://data.example/')", "asks for the network, and checkers"),
        (
            "import nltk; nltk.download('a_corpus'); nltk.data.find('corpora/a_corpus')",
            "a_corpus not found.*nothing is downloaded: checkers run without network",
        ),
        ("import os; os._exit(3)", "their code ended its process with status 3"),
        ("held = []\nwhile True: held.append(bytearray(1 << 26))", "asked for more memory than it may have"),
    ],
)
def test_checkers_that_cannot_be_loaded_say_why(offline, tmp_path, line, why):
    """Data that is fetched at import above all: the reason names the missing network."""
    with closing(_open(tmp_path, f"{line}\n{RUNS_ITS_TEXT}")) as checkers, pytest.raises(NotGradableError, match=why):
        _judge(checkers, "")


def test_a_system_that_keeps_its_network_open_is_a_loud_warning(tmp_path, monkeypatch):
    """Some containers allow no namespaces: the checkers work, and the user is told before anything else."""
    script = tmp_path / "worker.py"
    script.write_text(
        f"""import importlib.util
spec = importlib.util.spec_from_file_location("worker", {str(foreign_process._WORKER)!r})
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
worker._unshare = lambda flags: "Operation not permitted"
worker.main()
""",
        encoding="utf-8",
    )
    monkeypatch.setattr(foreign_process, "_WORKER", script)
    with closing(_open(tmp_path)) as checkers, socket.create_server(("127.0.0.1", 0)) as server:
        program = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)"
        assert _judge(checkers, program).passed
        assert checkers.precautions() == [
            "warning: --grader other: this system lets no code run without network (Operation not permitted): "
            "these checkers can reach the network",
            "--grader other runs code of another project as you, with your files in its reach; it gets at most 1 GiB "
            "of memory, at most 1 seconds a verdict",
        ]


def test_the_precautions_are_said(offline):
    """One line, at the point of use."""
    assert offline.precautions() == [
        "--grader other runs code of another project as you, with your files in its reach; it gets no network, at most "
        "1 GiB of memory, at most 1 seconds a verdict"
    ]


def test_the_limits_of_a_run_are_those_of_the_security_page():
    """8 GiB and a minute, unless something else is given."""
    said = ForeignCheckers(Source("other", "nowhere", "nowhere")).precautions()[-1]
    assert said.endswith("at most 8 GiB of memory, at most 60 seconds a verdict")


def test_a_run_counts_what_a_grader_failed_to_give(running):
    """No fail, no pass: left out of that grader's rates, named in a note; the others judge that answer as ever."""
    graders = ifbench.Graders({"other": running})
    row = {"key": "1", "prompt": "p", "instruction_id_list": ["format:list"], "kwargs": [{"sep": "-"}]}
    answers = ("import os; os._exit(3)", "passes = False", "")
    records = [
        score(
            Sample(str(number), 0, scoring_key(row), json.dumps({})), Answer(text or "passes = True"), graders=graders
        )
        for number, text in enumerate(answers)
    ]
    first = {verdict["grader"]: (verdict["passed"], verdict["code"]) for verdict in records[0]["verdicts"]}
    assert first["other_strict"] == first["other_loose"] == (None, "grader-failed")
    assert all(passed is not None for grader, (passed, _) in first.items() if not grader.startswith("other"))
    summary = summarise(records)
    tally = summary.breakdowns["grader"]["other_strict"]
    assert tally == {"n": 3, "passed": 1, "crashes": 0, "not_gradable": 0, "grader_failed": 1}
    headline = {one.name: one for one in summary.headlines}["instruction_level/other_strict"]
    assert (headline.value, headline.n, headline.note) == (0.5, 2, "constraints it cannot grade left out")
    assert any(
        note.startswith(
            "verdicts that a grader failed to give, left out: other_strict 1, other_loose 1 (other: format:list"
        )
        for note in summary.notes
    )
