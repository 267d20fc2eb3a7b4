"""What clients learn of servers that are looked after."""

import asyncio
import math

import pytest

from endpoints.upkeep import Upkeep, looked_after, upkeep_of


def settled(upkeep, since=-math.inf):
    """Whether a client need not wait."""

    async def at_once():
        waits = asyncio.ensure_future(upkeep.settled(since, lambda: False))
        await asyncio.sleep(0)
        done = waits.done()
        waits.cancel()
        return done

    return asyncio.run(at_once())


class TestUpkeep:
    """States of a server, of several, and of a router before them."""

    def test_one_server(self):
        """Up, down, up, gone."""
        upkeep = Upkeep(["model"])
        assert settled(upkeep)
        assert (upkeep.falls, upkeep.gone, upkeep.up) == (0, "", {"model"})
        upkeep.fell("model")
        assert not settled(upkeep)
        assert (upkeep.falls, upkeep.up) == (1, frozenset())
        upkeep.heard("model", 5.0)
        assert settled(upkeep)
        upkeep.fell("model")
        upkeep.lost("model", "it is broken")
        assert settled(upkeep)
        assert upkeep.gone == "it is broken"

    def test_each_that_is_up_must_have_been_heard_of(self):
        """After a failure a client waits for news of every server that may have caused it, and asks for them."""
        upkeep = Upkeep(["one", "two"])
        upkeep.heard("one", 10.0)
        upkeep.heard("two", 5.0)
        assert not upkeep.wants_look(0.0)
        assert not settled(upkeep, 7.0)
        assert upkeep.wants_look(5.0)
        assert not upkeep.wants_look(10.0)
        upkeep.fell("two")
        assert settled(upkeep, 7.0)

    def test_one_of_two_is_lost(self):
        """The other goes on; without it nothing does."""
        upkeep = Upkeep(["one", "two"])
        for name, gone in (("one", ""), ("two", "last words")):
            upkeep.fell(name)
            upkeep.lost(name, "last words")
            assert upkeep.gone == gone

    @pytest.mark.parametrize("name", ["router", "one"])
    def test_a_router(self, name):
        """Neither it nor the only server may be down; a lost router is the end of all."""
        upkeep = Upkeep(["one"], "router")
        assert upkeep.up == {"one"}
        upkeep.fell(name)
        assert not settled(upkeep)
        upkeep.lost(name, "why")
        assert upkeep.gone == "why"

    def test_nothing_is_waited_for_when_no_request_is_wanted(self):
        """``closed`` ends the wait."""
        upkeep = Upkeep(["model"])
        upkeep.fell("model")
        asyncio.run(upkeep.settled(-math.inf, lambda: True))


def test_found_by_url():
    """Within the block, however the URL ends; nobody looks after another one."""
    upkeep = Upkeep(["model"])
    with looked_after("http://127.0.0.1:9/v1/", upkeep):
        assert upkeep_of("http://127.0.0.1:9/v1") is upkeep
        assert upkeep_of("http://127.0.0.1:8/v1") is None
    assert upkeep_of("http://127.0.0.1:9/v1") is None
