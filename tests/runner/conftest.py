"""A dataset, a server that answers it rightly, and the command line in this process."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mini import write_dataset

import endpoints.model
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from runner.cli import main

MODEL = "tiny"
QUICK = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)


@dataclass
class Result:
    """One command: its exit status and what it left."""

    code: int
    out: str
    err: str
    run_dir: Path | None

    @property
    def run(self) -> dict[str, Any]:
        """The run.json."""
        assert self.run_dir is not None
        return json.loads((self.run_dir / "run.json").read_text(encoding="utf-8"))

    @property
    def journal(self) -> list[dict[str, Any]]:
        """The lines of the journal."""
        assert self.run_dir is not None
        return [
            json.loads(line) for line in (self.run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()
        ]

    def row(self, task: str = "ifhard:all|0") -> dict[str, Any]:
        """A task's results row."""
        return self.run["tasks"][task]

    def files(self, pattern: str) -> list[Path]:
        """Files of the run folder."""
        assert self.run_dir is not None
        return sorted(self.run_dir.rglob(pattern))


@pytest.fixture(scope="session")
def dataset(tmp_path_factory) -> Path:
    """Forty questions and five shots."""
    return write_dataset(tmp_path_factory.mktemp("data") / "mini")


@pytest.fixture
def command(tmp_path, capsys, monkeypatch, dataset):
    """Run a command: ``command("--task", ..., server=server)``; retries wait milliseconds."""
    monkeypatch.setattr(endpoints.model, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    # Normalised copies of datasets stay out of the user's own cache.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(
        *arguments: str, server: Any = None, task: str | None = "ifhard:all|0", data: Path | None = dataset
    ) -> Result:
        given = list(arguments)
        resumed = "--resume" in given
        if not resumed:
            given += ["--output-dir", str(tmp_path / "out")]
            given += ["--task", task] if task else []
            given += ["--dataset", str(data)] if data else []
            given += (
                ["--model", MODEL, "--base-url", server if isinstance(server, str) else server.url] if server else []
            )
        before = set((tmp_path / "out").glob("*"))
        code = main(given)
        captured = capsys.readouterr()
        new = sorted(set((tmp_path / "out").glob("*")) - before)
        run_dir = Path(given[given.index("--resume") + 1]) if resumed else (new[0] if new else None)
        return Result(int(code), captured.out, captured.err, run_dir)

    return run
