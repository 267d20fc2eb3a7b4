"""Runs with a journal: resuming, kill -9, Ctrl-C, a full disk."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from asking import ask, chat, endpoint, file_size_limit, questions
from fault_server import FaultServer, answer, echo, hang, reset

from endpoints.journal import Journal, JournalError, read_journal
from endpoints.outcome import Outcome


def test_equal_requests_are_sent_once(tmp_path):
    """Two equal requests share one outcome, each is reported, and the journal has one line."""
    path = tmp_path / "responses.jsonl"
    heard = []
    with FaultServer() as server:
        outcomes = ask(
            server,
            [chat("q0"), chat("q1"), chat("q0")],
            journal=path,
            on_outcome=lambda request, outcome: heard.append(request.sample_id),
        )
    assert [o.text for o in outcomes] == ["re: q0", "re: q1", "re: q0"]
    assert sorted(heard) == ["q0", "q0", "q1"]
    assert server.asked == {"q0": 1, "q1": 1}
    assert len(read_journal(path)) == 2


def test_resumed_run_asks_only_the_rest(tmp_path):
    """Five, then all twelve: the first five come from the journal, unchanged and marked, seven are sent."""
    path = tmp_path / "responses.jsonl"
    with FaultServer() as server:
        first = ask(server, questions(5), journal=path)
    heard = []
    with FaultServer(answer("другой ответ")) as server:
        second = ask(
            server, questions(12), journal=path, on_outcome=lambda request, outcome: heard.append(request.sample_id)
        )
    assert sorted(server.asked) == sorted(f"q{number}" for number in range(5, 12))
    assert [o.text for o in second[:5]] == [o.text for o in first]
    assert [o.from_journal for o in second] == [True] * 5 + [False] * 7
    assert heard[:5] == ["q0", "q1", "q2", "q3", "q4"]
    assert len(read_journal(path)) == 12


def test_failed_samples_are_asked_again(tmp_path):
    """A failure is on record and asked again; its answer then takes its place."""
    path = tmp_path / "responses.jsonl"
    with FaultServer(scripts={"q1": [reset]}) as server:
        first = ask(server, questions(3), journal=path)
    assert [o.status for o in first] == ["answered", "failed", "answered"]
    with FaultServer() as server:
        second = ask(server, questions(3), journal=path)
    assert server.asked == {"q1": 1}
    assert [o.text for o in second] == ["re: q0", "re: q1", "re: q2"]
    lines = [(record.sample_id, record.outcome.status) for record in read_journal(path)]
    assert sorted(lines) == [("q0", "answered"), ("q1", "answered"), ("q1", "failed"), ("q2", "answered")]


def test_journal_holds_each_answer_before_the_caller_hears_of_it(tmp_path):
    """When the callback runs, the line can be read from the file."""
    path = tmp_path / "responses.jsonl"
    seen = []

    def look(request, outcome):
        seen.append(request.sample_id in [record.sample_id for record in read_journal(path)])

    with FaultServer() as server:
        ask(server, questions(10), journal=path, on_outcome=look)
    assert seen == [True] * 10


def test_full_disk_stops_the_run(tmp_path):
    """A journal that cannot grow ends the run with its name; every whole line before stays readable."""
    path = tmp_path / "responses.jsonl"
    with FaultServer() as server:
        ask(server, questions(5), journal=path)
        size = path.stat().st_size
        with file_size_limit(size + 400), pytest.raises(JournalError, match=r"responses\.jsonl: cannot be written: "):
            ask(server, questions(500), journal=path, concurrency=2)
    assert len(server.bodies) < 20
    assert path.stat().st_size <= size + 400
    assert path.read_bytes().endswith(b"\n")
    assert len(read_journal(path)) >= 5


RUNNER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from asking import chat, endpoint
from endpoints.journal import Journal

def told(request, outcome):
    print(request.sample_id, flush=True)

async def main():
    with Journal(Path(sys.argv[3])) as journal:
        async with endpoint(sys.argv[2], concurrency=4) as client:
            await client.run([chat(f"q{n}") for n in range(int(sys.argv[4]))], journal, told)

asyncio.run(main())
"""


def start_run(server, path, count):
    """The same run in a process of its own, which prints each sample as it is answered."""
    here = Path(__file__).resolve().parent
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", RUNNER, str(here), server.url, str(path), str(count)],
        cwd=here.parents[1],
        env=os.environ | {"PYTHONPATH": str(here.parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def steady(server, request):
    """An answer after a moment, so that a kill finds requests in flight."""
    await asyncio.sleep(0.002)
    return await echo(server, request)


@pytest.mark.parametrize("answers_before", [1, 17, 60])
def test_killed_run_resumes_without_asking_twice(answers_before, tmp_path):
    """kill -9 amid a run: every answer heard of is kept, none is asked twice, the totals are those of a whole run."""
    path = tmp_path / "responses.jsonl"
    with FaultServer(steady) as server:
        run = start_run(server, path, 100)
        heard = [run.stdout.readline().strip() for _ in range(answers_before)]
        run.kill()
        run.communicate()
        kept = {record.sample_id for record in read_journal(path)}
        assert set(heard) <= kept
    # Another one, since what the killed run has sent may still be on its way to the first.
    with FaultServer(steady) as server:
        outcomes = ask(server, questions(100), journal=path, concurrency=4)
    assert [o.text for o in outcomes] == [f"re: q{number}" for number in range(100)]
    lines = [record.sample_id for record in read_journal(path)]
    assert sorted(lines) == sorted(f"q{number}" for number in range(100))
    assert server.asked == dict.fromkeys({f"q{number}" for number in range(100)} - kept, 1)


def test_ctrl_c_leaves_a_whole_journal_and_no_warning(tmp_path):
    """SIGINT ends the process by KeyboardInterrupt; the journal is whole and nothing is left unclosed."""
    path = tmp_path / "responses.jsonl"
    with FaultServer(scripts={f"q{number}": [hang] for number in range(10, 100)}) as server:
        run = start_run(server, path, 100)
        heard = {run.stdout.readline().strip() for _ in range(10)}
        run.send_signal(signal.SIGINT)
        _, complaints = run.communicate()
    assert run.returncode == -signal.SIGINT or run.returncode == 1 or run.returncode == 130
    assert complaints.rstrip().endswith("KeyboardInterrupt")
    assert "nclosed" not in complaints
    assert "Warning" not in complaints
    assert {json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()} == heard
    assert path.read_bytes().endswith(b"\n")


def test_cancelled_run_cancels_its_requests(tmp_path):
    """A cancelled run leaves no task behind and its journal usable."""
    path = tmp_path / "responses.jsonl"

    async def main(server):
        with Journal(path) as journal:
            async with endpoint(server, concurrency=4) as client:
                run = asyncio.create_task(client.run(questions(20), journal))
                while server.in_flight < 4:
                    await asyncio.sleep(0.005)
                run.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await run
                assert asyncio.all_tasks() == {asyncio.current_task()}
            journal.append(chat("q0"), Outcome(status="answered", text="да", attempts=1))

    with FaultServer(hang) as server:
        asyncio.run(main(server))
    assert [record.outcome.text for record in read_journal(path)] == ["да"]
