"""Helpers of one folder that tests of another use."""

import fcntl
import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time: a run of the tests is decided by the code alone. `make fuzz` searches further.
settings.register_profile("same-every-time", derandomize=True, deadline=None)
settings.load_profile("same-every-time")

# In the background of a script, or under nohup, these are ignored and children inherit that; a child of a process
# that handles them starts with the defaults, which the tests of Ctrl-C and hang-up need.
for _number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else lambda *_: None)

for _folder in (
    *("audit", "endpoints", "metrics", "metrics/ifbench", "metrics/sobhard", "runner", "tasks/hardmultiqa"),
    "tasks/sobhard",
):
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.fixture
def offline_lighteval():
    """LightEval's own command without the file that it fetches while it imports its built-in tasks, unless it is there.

    The file lies in LightEval's folder, which every process shares: the folder is locked meanwhile.
    """
    folder = Path(importlib.util.find_spec("lighteval").origin).parent / "tasks" / "tasks"
    path, lock = folder / "tinyBenchmarks.pkl", os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = not path.exists()
        path.touch()
        yield
        if made:
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)
