"""URLs, proxies and encrypted connections: what is refused, and in which words."""

import asyncio
import re
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from asking import chat, completion, endpoint
from fault_server import FaultServer, as_json, raw, status

from endpoints.client import Endpoint
from endpoints.errors import EndpointError
from endpoints.url import checked_url, proxy_for, without_password
from runner.cli import main
from runner.exits import Exit


def describe(url):
    """The error line about the server at ``url``."""

    async def ask():
        async with endpoint(url) as client:
            await client.describe("tiny")

    with pytest.raises(EndpointError) as caught:
        asyncio.run(ask())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("url", "root", "query"),
    [
        ("http://h/v1", "http://h/v1", ""),
        ("http://h/v1/", "http://h/v1", ""),
        ("https://h/v1/?api-version=1&a=%20", "https://h/v1", "api-version=1&a=%20"),
        ("http://[::1]:8001/v1?", "http://[::1]:8001/v1", ""),
        ("https://модель.example/v1", "https://модель.example/v1", ""),
    ],
)
def test_url_is_split(url, root, query):
    """The query is apart, the last slash is gone."""
    assert checked_url(url) == (root, query)


BAD = ["127.0.0.1:8001/v1", "localhost/v1", "ftp://h/v1", "//h/v1", "http://h/v1#top", "http://h/v1#", "http://h/v 1"]
BAD += [
    f"http://h/v1{mark}" for mark in (" ", "\u00a0", "\u200b", "\ufeff", "\u00ad", "\u2060", "\u3164", "\n", "\x00")
]


@pytest.mark.parametrize("url", BAD)
@pytest.mark.parametrize("option", ["--base-url", "--judge-base-url"])
def test_unusable_url_is_bad_usage(url, option, capsys):
    """Exit 2 before anything is imported or sent; the line names the option and shows what cannot be seen."""
    task = "ifhard:all|0" if option == "--base-url" else "hardmultiqa:all:alignment|0"
    assert main(["--task", task, "--model", "tiny", option, url]) == Exit.USAGE
    said = capsys.readouterr().err
    assert option in said
    assert repr(url) in said


def test_query_goes_along_with_every_request():
    """List, count, chat and completion; the base path stays."""
    seen = []

    def noting(reply):
        async def inner(server, request):
            seen.append((request.path, request.query_string))
            return await reply(server, request)

        return inner

    answer = as_json({"choices": [{"message": {"content": "да"}, "text": "да", "finish_reason": "stop"}]})
    models = noting(as_json({"data": [{"id": "tiny", "max_model_len": 9}]}))

    async def ask(url):
        async with endpoint(url) as client:
            await client.describe("tiny")
            await client.count_prompt_tokens(chat("q"))
            return await client.run([chat("q"), completion("q")])

    with FaultServer(noting(answer), models=models, tokenize=noting(as_json({"count": 3}))) as server:
        outcomes = asyncio.run(ask(server.url + "/?api-version=1&x=a%20b"))
    assert [o.text for o in outcomes] == ["да", "да"]
    assert sorted(path for path, _ in seen) == ["/tokenize", "/v1/chat/completions", "/v1/completions", "/v1/models"]
    assert {query.replace("+", "%20") for _, query in seen} <= {"api-version=1&x=a%20b", "api-version=1&x=a b"}


@pytest.mark.parametrize(
    ("listed", "url", "direct"),
    [
        ("10.0.0.0/8", "http://10.1.2.3:8000/v1", True),
        ("10.0.0.0/8", "http://11.1.2.3:8000/v1", False),
        ("fd00::/8", "http://[fd00::5]:8000/v1", True),
        ("[fd00::5]", "http://[fd00::5]:8000/v1", True),
        ("[fd00::5]:8000", "http://[fd00::5]:8000/v1", True),
        ("[fd00::5]:8001", "http://[fd00::5]:8000/v1", False),
        ("fd00::5", "http://[fd00::5]/v1", True),
        ("gpu.example:8000", "http://gpu.example:8000/v1", True),
        ("gpu.example:8000", "http://gpu.example:8001/v1", False),
        ("gpu.example:443", "https://gpu.example/v1", True),
        ("*.example", "http://gpu.example/v1", True),
        (".example", "http://gpu.example/v1", True),
        ("example", "http://gpu.example./v1", True),
        ("ample", "http://gpu.example/v1", False),
        ("gpu-*.example", "http://gpu-7.example/v1", True),
        ("10.1.*", "http://10.1.2.3/v1", True),
        ("other, GPU.Example", "http://gpu.example/v1", True),
        ("other gpu.example", "http://gpu.example/v1", True),
        ("*", "http://gpu.example/v1", True),
        ("", "http://gpu.example/v1", False),
        (",/,[:", "http://gpu.example/v1", False),
    ],
)
def test_no_proxy_is_read_as_people_write_it(listed, url, direct, monkeypatch):
    """Networks, ports, wildcards, bracketed addresses, either case."""
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.setenv(name, "http://user:s3cret@proxy.example:3128")
    monkeypatch.setenv("no_proxy", listed)
    assert (proxy_for(url) is None) is direct


def test_proxy_is_named_in_the_error_without_its_password(monkeypatch):
    """Whether it cannot be reached or answers with an error of its own."""
    with socket.socket() as unused, FaultServer() as server:
        unused.bind(("127.0.0.1", 0))
        for port in (unused.getsockname()[1], server.port):
            monkeypatch.setenv("http_proxy", f"http://user:s3cret@127.0.0.1:{port}")
            monkeypatch.setenv("no_proxy", "")
            said = describe("http://gpu.example/v0")
            assert f"through the proxy http://127.0.0.1:{port} that the environment names" in said
            assert "s3cret" not in said
    assert without_password("user:s3cret@proxy:3128") == "http://proxy:3128"


@pytest.mark.parametrize("reply", [raw("<html>hello</html>", kind="html"), as_json({"hello": 1})])
def test_good_status_of_a_wrong_path_has_the_hint(reply):
    """A page in place of the list: the URL may lack /v1."""
    with FaultServer(models=reply) as server:
        assert "it usually ends in /v1" not in describe(server.url)
        assert "it usually ends in /v1" in describe(server.url + "/.")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for elsewhere.example that nobody has signed but itself."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    made = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 -subj /CN=x -keyout k.pem -out c.pem"
    )
    names = ["-addext", "subjectAltName=DNS:elsewhere.example"]
    subprocess.run(["openssl", *made.split(), *names], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def tls_port(certificate):
    """The port of a server that shows this certificate to three callers at most."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "c.pem", certificate / "k.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            while True:
                try:
                    link, _ = listening.accept()
                except OSError:
                    return
                try:
                    context.wrap_socket(link, server_side=True).close()
                except OSError:
                    link.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def test_untrusted_certificate_is_called_so(tls_port):
    """With the variable that can name its authority; no word of a server that is down."""
    said = describe(f"https://127.0.0.1:{tls_port}/v1")
    assert "certificate is not trusted (self" in said
    assert "SSL_CERT_FILE" in said
    assert "not permitted" not in said
    assert "is the server up" not in said


def test_certificate_of_another_host_is_called_so(tls_port, certificate, monkeypatch):
    """Trusted by SSL_CERT_FILE, but not for this host."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "c.pem"))
    said = describe(f"https://127.0.0.1:{tls_port}/v1")
    assert "certificate is not for the host name 127.0.0.1" in said


def test_plain_http_behind_https_is_called_so():
    """And which scheme to write."""
    with FaultServer() as server:
        said = describe(server.url.replace("http:", "https:"))
    assert "speaks plain HTTP there: write http://" in said
    assert not re.search("not permitted|is the server up", said)


def test_password_is_refused_before_anything():
    """As before."""
    with pytest.raises(EndpointError, match="holds a password"):
        Endpoint("http://u:p@h/v1?x=1", None)


def test_status_of_a_server_without_proxy_names_none():
    """No proxy, no word of one."""
    with FaultServer(models=status(503, "loading")) as server:
        assert "proxy" not in describe(server.url)
