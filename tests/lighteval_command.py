"""LightEval's own command, ``lighteval custom``, with this project's model file and task modules."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["lighteval_custom", "lighteval_results"]

MODEL_FILE = Path(__file__).resolve().parents[1] / "endpoints" / "model.py"


def lighteval_custom(
    folder: Path, model: str, tasks: str, *options: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, which must be a good one; use it with the fixture ``offline_lighteval``.

    Args:
        folder: that it runs in; its results go to ``theirs`` there.
        model: name of the model.
        tasks: as LightEval takes them, of one benchmark of ours.
        options: further ones.
        environment: variables that the model file reads, beside those of this process.
    """
    command = [str(Path(sys.executable).with_name("lighteval")), "custom", model, str(MODEL_FILE), tasks]
    module = f"tasks.{tasks.partition(':')[0]}.task"
    done = subprocess.run(
        [*command, "--custom-tasks", module, "--output-dir", str(folder / "theirs"), *options],
        cwd=folder, env=os.environ | environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def lighteval_results(folder: Path, task: str) -> dict[str, Any]:
    """The values of one task that the run in a folder wrote."""
    (path,) = (folder / "theirs").rglob("results_*.json")
    row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["results"][task]
    return row
