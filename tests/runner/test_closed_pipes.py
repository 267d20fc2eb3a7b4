"""``python run_lighteval.py ... | head``: a reader that goes away costs words, never the run or its exit status."""

import json

import pytest
from closed_pipe import run_unread

from runner.exits import Exit

WITNESSES = "tasks/ifhard/data/witnesses.jsonl"


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--list-tasks"], Exit.COMPLETE),
        (["--help"], Exit.COMPLETE),
        (["--serve", "serving/one-gpu.yaml", "--dry-run"], None),
        (["--no-such-option"], Exit.USAGE),
    ],
    ids=["list-tasks", "help", "dry-run", "usage"],
)
def test_what_is_printed_at_once(arguments, expected, both):
    """The same exit status as with a reader, and no trace."""
    status, said = run_unread("run_lighteval.py", *arguments, both=both)
    assert status in ((Exit.COMPLETE, Exit.UNAVAILABLE) if expected is None else (expected,))
    assert "Traceback" not in said
    assert "BrokenPipeError" not in said


@pytest.mark.slow
@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
def test_prompts(both):
    """Those of ``--show-prompt``."""
    status, said = run_unread(
        "run_lighteval.py", "--task", "ifhard:all|0", "--show-prompt", "3", "--model", "m", both=both
    )
    assert status == Exit.COMPLETE
    assert "Traceback" not in said
    assert "BrokenPipeError" not in said


@pytest.mark.slow
@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
def test_a_run(tmp_path, both):
    """The table is lost on the terminal and kept in its file; the run is complete."""
    status, said = run_unread(
        "run_lighteval.py", "--task", "ifhard:all|0", "--max-samples", "2", "--responses", WITNESSES,
        "--output-dir", tmp_path, both=both,
    )  # fmt: skip
    assert status == Exit.COMPLETE
    assert "Traceback" not in said
    assert "BrokenPipeError" not in said
    [folder] = tmp_path.iterdir()
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["status"] == "complete"
    assert "sample_pass_rate" in (folder / "table.txt").read_text(encoding="utf-8")
