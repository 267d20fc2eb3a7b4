"""What the HTTP layer takes from the machine: proxies, open files, sockets."""

import asyncio
import resource
import socket

import httpx2
import pytest
from fault_server import FaultServer

import endpoints.transport
from endpoints.errors import EndpointError
from endpoints.transport import AiohttpTransport, allow_connections
from endpoints.url import proxy_for

PROXY = "http://proxy.example:3128"


@pytest.fixture
def proxied(monkeypatch):
    """An environment with a proxy for everything but one domain."""
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("http_proxy", PROXY)
    monkeypatch.setenv("https_proxy", PROXY)
    monkeypatch.setenv("no_proxy", "inside.example")


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.example/v1", PROXY),
        ("http://10.0.0.5:8000/v1", PROXY),
        ("http://gpu.inside.example:8000/v1", None),
        ("http://127.0.0.1:8001/v1", None),
        ("http://127.9.9.9/v1", None),
        ("http://[::1]:8001/v1", None),
        ("http://localhost:8001/v1", None),
    ],
)
@pytest.mark.usefixtures("proxied")
def test_proxy_of_the_environment_is_used_but_not_for_this_machine(url, proxy):
    """A local server is reached directly whatever the environment says."""
    assert proxy_for(url) == proxy


def test_without_a_proxy_there_is_none(monkeypatch):
    """Nothing set, nothing used."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert proxy_for("https://api.example/v1") is None


@pytest.fixture
def limits(monkeypatch):
    """A machine whose limits on open files the test sets; returns what the code sets."""
    state = {"now": (1024, 4096)}
    monkeypatch.setattr(resource, "getrlimit", lambda _: state["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: state.update(now=pair))
    return state


def test_low_limit_on_open_files_is_raised_as_far_as_needed(limits):
    """A thousand connections need more than the usual 1024 open files."""
    allow_connections(1000)
    assert limits["now"] == (1256, 4096)


def test_sufficient_limit_is_left_alone(limits):
    """The usual 64 connections change nothing; nor does an unlimited machine."""
    allow_connections(64)
    assert limits["now"] == (1024, 4096)
    limits["now"] = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    allow_connections(10_000)
    assert limits["now"] == (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@pytest.mark.usefixtures("limits")
def test_limit_that_cannot_be_raised_is_told_at_the_start():
    """Rather than failing samples one by one with "too many open files"."""
    with pytest.raises(EndpointError, match=r"5000 connections need 5256 open files, this machine allows 4096"):
        allow_connections(5000)


def test_sockets_probe_a_silent_peer(monkeypatch):
    """A connection that waits for a long answer is probed, so that a vanished machine is noticed."""
    made = []
    real = endpoints.transport._probed_socket

    def remember(address):
        made.append(real(address))
        return made[-1]

    async def main(url):
        transport = AiohttpTransport(connect_s=60.0)
        response = await transport.handle_async_request(httpx2.Request("GET", f"{url}/models"))
        assert response.status_code == 200
        (link,) = made
        assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
        assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
        await transport.aclose()
        await transport.aclose()

    monkeypatch.setattr(endpoints.transport, "_probed_socket", remember)
    with FaultServer() as server:
        asyncio.run(main(server.url))
