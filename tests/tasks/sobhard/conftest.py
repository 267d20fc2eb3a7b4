"""The command line in this process, its retries waiting milliseconds."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

import endpoints.model
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from runner.cli import main

QUICK = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)


@dataclass
class SobResult:
    """One command: its exit status and what it left."""

    code: int
    out: str
    err: str
    run_dir: Path | None

    def row(self, task):
        """A task's results row."""
        return json.loads((self.run_dir / "run.json").read_text(encoding="utf-8"))["tasks"][task]


@pytest.fixture
def sob(tmp_path, capsys, monkeypatch):
    """Run a command over a dataset, ``builtin-small`` unless another is given."""
    monkeypatch.setattr(endpoints.model, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*arguments, task="sobhard:all|0", data="builtin-small", server=None):
        given = [*arguments, "--task", task, "--output-dir", str(tmp_path / "out")]
        given += ["--dataset", str(data)] if data is not None else []
        given += ["--model", "tiny", "--base-url", server.url] if server is not None else []
        before = set((tmp_path / "out").glob("*"))
        code = main(given)
        captured = capsys.readouterr()
        new = sorted(set((tmp_path / "out").glob("*")) - before)
        return SobResult(int(code), captured.out, captured.err, new[0] if new else None)

    return run
