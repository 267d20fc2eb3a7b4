"""Questions that are waited for long, as a person sees them."""

import asyncio

import pytest
from fault_server import FaultServer
from replies import know_all

import endpoints.waiting
import runner.live
import runner.progress
from endpoints.waiting import Waited
from runner.exits import Exit
from runner.waits import WaitLines, wait_phrase


def waited(*pairs):
    """Waits by question, in seconds."""
    return [Waited("ifhard:all|0", name, 0, seconds) for name, seconds in pairs]


def test_phrases_name_the_longest_wait():
    """With how long it is, and how many more there are."""
    assert wait_phrase([]) == ""
    assert wait_phrase(waited(("a", 61.0))) == "waiting for ifhard:all|0 a (61 s)"
    assert (
        wait_phrase(waited(("a", 150.0), ("b", 61.0), ("c", 60.5))) == "waiting for ifhard:all|0 a (2 min) and 2 more"
    )
    several = wait_phrase(waited(("a", 300.0), ("b", 61.0), ("c", 60.5)), 2)
    assert several == "waiting for ifhard:all|0 a (5 min), ifhard:all|0 b (61 s) and 1 more"
    assert wait_phrase([Waited("t", "a", 3, 61.0)]) == "waiting for t a repeat 3 (61 s)"


def test_lines_are_rare():
    """At most one a minute; a question comes again when its wait has doubled."""
    now, said = [0.0], []
    lines = WaitLines(said.append, clock=lambda: now[0])

    def at(seconds, *pairs):
        now[0] = seconds
        before = len(said)
        lines.tell(waited(*pairs))
        return said[before:]

    assert at(0, ("a", 61)) == ["waiting for ifhard:all|0 a (61 s)"]
    assert at(5, ("a", 66), ("b", 61)) == []
    assert at(60, ("a", 121), ("b", 116)) == ["waiting for ifhard:all|0 b (116 s)"]
    assert at(119, ("a", 180), ("b", 175)) == []
    assert at(120, ("a", 181), ("b", 176)) == ["waiting for ifhard:all|0 a (3 min)"]
    assert at(180, ("a", 241), ("b", 236)) == ["waiting for ifhard:all|0 b (4 min)"]
    assert at(240, ("a", 301)) == []
    assert at(300) == []


@pytest.mark.parametrize("terminal", [True, False])
def test_a_long_wait_is_named_while_it_lasts(command, monkeypatch, terminal):
    """Beside the bar of a terminal, in a line elsewhere."""
    monkeypatch.setattr(endpoints.waiting, "AFTER_S", 0.0)
    monkeypatch.setattr(endpoints.waiting, "EVERY_S", 0.01)
    monkeypatch.setattr(runner.progress, "on_terminal", lambda: terminal)
    told = []
    real = runner.live.LiveScores.on_waiting
    monkeypatch.setattr(
        runner.live.LiveScores, "on_waiting", lambda live, found: (real(live, found), told.extend(found))[0]
    )

    async def slow(server, request):
        while not told:
            await asyncio.sleep(0.005)
        return await know_all(server, request)

    with FaultServer(slow) as server:
        result = command("--max-samples", "1", server=server)
    assert result.code == Exit.COMPLETE
    name = f"ifhard:all|0 {result.journal[0]['id']}"
    beside = f"0 without answer, waiting for {name} (0 s)"
    assert (beside in result.err) == terminal
    assert (f"waiting for {name} (0 s)\n" in result.err) == (not terminal)
