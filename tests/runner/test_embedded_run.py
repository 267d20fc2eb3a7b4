"""The README's main command: real questions, the embedded real model, real scores."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.embedded
@pytest.mark.slow
def test_the_embedded_model_answers_and_is_scored(tmp_path):
    """Exit 0, a table that names the short default answers, two real answers in the journal."""
    arguments = ["--task", "ifhard:all|0", "--model", "embedded", "--max-samples", "2", "--max-new-tokens", "48"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments, "--output-dir", "out"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "SmolLM2-135M-Instruct (embedded)" in done.stdout
    assert "at most 48 new tokens" in done.stdout
    (run_dir,) = (tmp_path / "out").iterdir()
    lines = [json.loads(line) for line in (run_dir / "responses.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2
    assert all(line["response"].strip() and line["completion_tokens"] > 0 for line in lines)
    row = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]["ifhard:all|0"]
    assert row["n_answered"] == 2
    assert row["constraint_pass_rate"] is not None
