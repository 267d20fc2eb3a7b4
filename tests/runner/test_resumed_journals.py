"""Runs that go on with a journal that was damaged, or that holds lines of others."""

import asyncio
import json

from fault_server import FaultServer
from replies import know_all

from runner.exits import Exit
from runner.judging import RunJudges
from runner.settings import Settings
from tasks.names import TaskName


def journal_of(result):
    """Where a run's journal is."""
    return result.run_dir / "responses.jsonl"


def test_a_resume_says_what_it_repaired_and_asks_that_again(command):
    """On stderr before anything is sent, and under the table."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        whole = journal_of(first).read_bytes()
        journal_of(first).write_bytes(whole[:-20])
        again = command("--resume", str(first.run_dir))
        quiet = command("--resume", str(first.run_dir))
    assert again.code == Exit.COMPLETE
    assert len(server.bodies) == 4
    assert "note: responses.jsonl: an unfinished last line of " in again.out
    assert "responses.jsonl: " not in first.out + quiet.out


def test_lines_of_others_are_said_and_change_nothing(command):
    """Those of another model's run, of another benchmark, and of both in one journal."""
    with FaultServer(know_all, models={"data": [{"id": "tiny"}, {"id": "huge"}]}) as server:
        first = command("--max-samples", "3", server=server)
        other = command(*("--max-samples", "5", "--model", "huge", "--base-url", server.url), server=None)
        lines = journal_of(other).read_text(encoding="utf-8").splitlines()
        foreign = json.dumps({**json.loads(lines[0]), "key": "0" * 64, "task": "sobhard:all|0"}, ensure_ascii=False)
        with journal_of(first).open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in (*lines, foreign)))
        before = len(server.bodies)
        again = command("--resume", str(first.run_dir))
    assert again.code == Exit.COMPLETE
    assert len(server.bodies) == before
    assert "responses.jsonl: 1 line of tasks that this run does not have, not used: sobhard:all|0 (1)" in again.out
    assert "responses.jsonl: 2 lines of questions that this run does not have, not used" in again.out
    assert "responses.jsonl: 3 lines with answers to this run's questions as another run asked them" in again.out
    assert again.row() == first.row()


def test_an_enlarged_run_and_a_lowered_cap_are_no_news(command):
    """The lines are the run's own."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        more = command("--resume", str(first.run_dir), "--full")
        lower = command("--resume", str(first.run_dir), "--max-new-tokens", "50")
    assert [r.code for r in (first, more, lower)] == [Exit.COMPLETE] * 3
    assert "not used" not in more.out + lower.out


def test_a_repaired_journal_of_the_judge_is_said(tmp_path, capsys):
    """It is opened when the first answer is to be judged."""
    path = tmp_path / "judgements.jsonl"
    path.write_bytes(b'{"key": "ab')
    judges = RunJudges(Settings(tasks=(TaskName("ifhard", "all"),), model="m"), {})

    async def main():
        async with judges.opened(path):
            pass

    asyncio.run(main())
    said = capsys.readouterr().err
    assert "judgements.jsonl: an unfinished last line of 11 bytes was cut off; it is asked for again" in said
