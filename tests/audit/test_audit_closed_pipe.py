"""``python -m audit ... | head``: files are written and exit statuses kept when nobody reads what is printed."""

import pytest
from audit_runs import make_round, make_run, sample, two_graders
from closed_pipe import run_unread

PASS = two_graders([True, True], [True, True])


def unread(*arguments, both):
    """Run a command of the audit; nothing may be said of the pipe."""
    status, said = run_unread("-m", "audit", *arguments, both=both)
    assert "Traceback" not in said
    assert "BrokenPipeError" not in said
    return status


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
def test_every_command(tmp_path, both):
    """Help, a panel, a draw, a page, an estimate of a round without labels."""
    rows = [sample("a", "x", PASS), sample("b", "y", PASS)]
    runs = [make_run(tmp_path, name, rows) for name in ("one", "two")]
    round_ = make_round(tmp_path)
    assert unread("--help", both=both) == 0
    assert unread("panel", "--help", both=both) == 0
    assert unread("panel", *runs, "--out", tmp_path / "both.parquet", both=both) == 0
    assert (tmp_path / "both.parquet").is_file()
    drawn = ("--graders", "old", "new", "--agree", "1", "--seed", "1", "--out", tmp_path / "drawn")
    assert unread("sample", tmp_path / "panel.parquet", *drawn, both=both) == 0
    assert (tmp_path / "drawn").is_dir()
    page = tmp_path / "page.html"
    assert unread("review", round_.folder, "--reviewer", "A", "--html", page, both=both) == 0
    assert page.is_file()
    assert unread("estimate", round_.folder, both=both) == 2
