"""What the scorer writes: nothing, unless the program that calls it wants logs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CALLS = """
import json, sys
from metrics import ifhard
bad = [("no:such", {}), ("structure:word_count", {"op": "eq"}), ("structure:word_count", None)]
constraints = [{"category": name, "family": "structure", "params": params} for name, params in bad]
for _ in range(3):
    for name, params in bad:
        assert not ifhard.verify(name, params, "Тихий вечер.").passed
    assert ifhard.score({"meta": {"constraints": json.dumps(constraints)}}, "Тихий вечер.").sample_pass_rate == 0
"""


@pytest.mark.parametrize(("setup", "lines"), [("", 0), ("import logging; logging.basicConfig()", 18)])
def test_a_bad_row_prints_nothing_unless_logs_are_wanted(setup, lines):
    """The contract's warning goes to the log alone (section 7): three bad requirements, twice, three times."""
    done = subprocess.run([sys.executable, "-c", setup + CALLS], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == lines
