"""The committed set is what the generator builds: the same bytes from the default seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.ifhard.dataset import BUILTIN

ROOT = Path(__file__).resolve().parents[3]
FILES = ("test.jsonl", "shots.jsonl", "witnesses.jsonl", "build.json", "SHA256SUMS", "README.md")


@pytest.mark.slow
def test_a_rebuild_gives_the_committed_bytes(tmp_path):
    """Under another locale and hash seed, in another folder."""
    done = subprocess.run(
        [sys.executable, "-m", "builders.ifhard", "--out", str(tmp_path / "set")],
        cwd=ROOT,
        env=os.environ | {"LC_ALL": "C", "PYTHONHASHSEED": "77"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"1260 questions in {tmp_path / 'set'}: test.jsonl, shots.jsonl, " in done.stderr
    for name in FILES:
        assert (tmp_path / "set" / name).read_bytes() == (BUILTIN / name).read_bytes(), name
