"""A server for the embedded model: ``transformers serve`` on the CPU, started and stopped by the run itself.

It speaks vLLM's protocol, so a run with the embedded model uses the same code as a run with a real server. In other
respects it differs from vLLM (transformers 5.24, continuous batching):

- it always generates greedily: it keeps the sampling settings of its first request, which this module sends, and
  ignores the temperature and seed of every later one;
- it accepts and ignores ``stop``, ``n`` and ``response_format``, and refuses fields that it does not know (422);
- it does not check that prompt and answer fit the model's window;
- a prompt that its cache cannot hold ends its worker; every later request then fails.
"""

import contextlib
import http.client
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from endpoints.embedded_model import SMOLLM2, prepare_model
from endpoints.process import ChildServer, ServerCommand, ServerFailed, on_free_port, tail

__all__ = ["EmbeddedServer", "serve_command"]

_HOST: Final = "127.0.0.1"
_DEADLINE_S: Final = 300.0
_WARM_UP_S: Final = 120.0
_MAX_THREADS: Final = 4

# A prompt that the cache cannot hold ends the server's worker for good, so the cache (72 blocks of 256 tokens) holds
# twice the window: room for a prompt whose length was only estimated. Requests that do not fit together wait for one
# another. Steps of at most 512 tokens keep the attention mask small. Without these bounds the server takes 60% of the
# machine's memory.
_BATCHING: Final = (
    "--continuous-batching",
    "--cb-num-blocks=72",
    "--cb-max-batch-tokens=512",
    "--cb-max-memory-percent=0.6",
)


def serve_command(model: Path, port: int, log_path: Path, deadline_s: float = _DEADLINE_S) -> ServerCommand:
    """The command that serves a model folder under the folder's name.

    The server uses the path that it was given as the model's id. It is therefore started in the folder's parent and
    given the folder's name, so that the id is the same on every machine.
    """
    return ServerCommand(
        argv=(
            *(sys.executable, "-P", "-m", "transformers.cli.transformers", "serve", model.name),
            *(f"--host={_HOST}", f"--port={port}", "--device=cpu", f"--dtype={SMOLLM2.dtype}"),
            *_BATCHING,
        ),
        ready_url=f"http://{_HOST}:{port}/health",
        log_path=log_path,
        env={
            "HF_HUB_OFFLINE": "1",
            "PYTHONUNBUFFERED": "1",
            "TOKENIZERS_PARALLELISM": "false",
            **_thread_settings(),
        },
        cwd=model.parent,
        deadline_s=deadline_s,
        name="the embedded model's server",
    )


def _thread_settings() -> dict[str, str]:
    """OpenMP settings for a small model that shares its machine; variables that the user has set are kept.

    A thread that waits in a loop takes a core from the thread it waits for: on a machine whose two cores were in use,
    layers took 20 times the CPU time. A model of this size gains nothing from more than a few threads.
    """
    wanted = {"OMP_WAIT_POLICY": "PASSIVE", "OMP_NUM_THREADS": str(min(_MAX_THREADS, os.cpu_count() or 1))}
    return {name: value for name, value in wanted.items() if name not in os.environ}


class EmbeddedServer:
    """The embedded model behind an OpenAI-compatible endpoint, for the length of a ``with`` block.

    Args:
        cache_dir: folder in which the model is kept; None for the user's cache.
        log_path: path of the server's log; None for a temporary file, which is deleted unless the server fails.
        notify: called with one sentence about each step that takes long; None writes it to standard error.

    Attributes:
        name: the model's name, for people.
        model_id: the model's id in requests.
        base_url: URL of the API, ending in ``/v1``; empty outside the block.
        context_length: the model's context length in tokens, prompt and answer together.
        concurrency: number of requests in flight at which the server is fastest.
        max_new_tokens: default cap on an answer, in tokens; a longer answer would take minutes on a CPU.
    """

    name: Final = SMOLLM2.name
    model_id: Final = SMOLLM2.name
    context_length: Final = 8192
    concurrency: Final = 8
    max_new_tokens: Final = 512

    def __init__(
        self,
        *,
        cache_dir: Path | None = None,
        log_path: Path | None = None,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        self.base_url = ""
        self.server: ChildServer | None = None
        self._cache_dir = cache_dir
        self._log_path = log_path
        self._notify = notify
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Prepare the model, start the server and have it generate one token.

        Raises:
            ModelUnavailable: the model is not in the cache and cannot be fetched.
            ServerFailed: the server does not start or cannot generate.
        """
        with contextlib.ExitStack() as stack:
            model = prepare_model(cache_dir=self._cache_dir, notify=self._notify)
            log_path = self._log_path or _temporary_log(stack)
            start = on_free_port(lambda port: serve_command(model, port, log_path))
            self.server, port = stack.enter_context(start)
            _warm_up(port, self.model_id, log_path)
            self.base_url = f"http://{_HOST}:{port}/v1"
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.base_url = ""
        self._stack.__exit__(kind, error, trace)


def _temporary_log(stack: contextlib.ExitStack) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="embedded-model-"))

    def clean(_kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, ServerFailed):  # its message names the file
            shutil.rmtree(folder, ignore_errors=True)
        return False

    stack.push(clean)
    return folder / "server.log"


def _warm_up(port: int, model_id: str, log_path: Path) -> None:
    """Have the server generate one greedy token: its first request starts its worker and fixes its sampling settings.

    Raises:
        ServerFailed: there is no answer, or its status is not 200.
    """
    body = {"model": model_id, "messages": [{"role": "user", "content": "?"}], "max_tokens": 1, "temperature": 0}
    connection = http.client.HTTPConnection(_HOST, port, timeout=_WARM_UP_S)
    try:
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        words = answer.read().decode("utf-8", "replace")
        if answer.status == http.HTTPStatus.OK:
            return
        problem = f"HTTP {answer.status}: {words[:500]}"
    except (OSError, http.client.HTTPException) as error:
        problem = repr(error)
    finally:
        connection.close()
    raise ServerFailed(
        f"the embedded model's server started but cannot generate ({problem}). "
        f"The last lines of {log_path}:\n{tail(log_path)}"
    )
