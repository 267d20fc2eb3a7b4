"""LightEval's own command line with our model file and task module: the same scores from the same answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lighteval_command import lighteval_custom, lighteval_results

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tasks" / "ifhard" / "data"


def answers(path: Path) -> Path:
    """Witnesses, every third with a comma and a digit thrown in."""
    lines = []
    for i, line in enumerate((DATA / "witnesses.jsonl").read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        entry["response"] = "7, " + entry["response"] if i % 3 == 0 else entry["response"]
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_lighteval_custom_agrees_with_the_runner(tmp_path, offline_lighteval):
    """Headlines, coverage and per-sample records, through ``--custom-tasks tasks.ifhard.task``."""
    saved = answers(tmp_path / "answers.jsonl")
    arguments = ["--task", "ifhard:all|0", "--max-samples", "30", "--responses", str(saved), "--output-dir", "ours"]
    ours = subprocess.run(
        [sys.executable, str(ROOT / "run_lighteval.py"), *arguments],
        cwd=tmp_path, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ours.returncode == 0, ours.stderr
    options = ["--max-samples", "30", "--save-details"]
    lighteval_custom(tmp_path, "saved", "ifhard:all|0", *options, ENDPOINT_RESPONSES=str(saved))

    (run_dir,) = (tmp_path / "ours").iterdir()
    expected = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["tasks"]["ifhard:all|0"]
    row = lighteval_results(tmp_path, "ifhard:all|0")
    shared = [name for name in row if name in expected]
    assert {"sample_pass_rate", "sample_pass_rate_ci_low", "constraint_pass_rate", "empty_share", "coverage"} <= set(
        shared
    )
    for name in shared:
        assert row[name] == expected[name] or (expected[name] is None and row[name] != row[name]), name
    assert 0 < row["sample_pass_rate"] < 1
    assert len(list((tmp_path / "theirs").rglob("details_*.parquet"))) == 1
