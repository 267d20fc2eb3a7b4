"""Helpers of one folder that tests of another use."""

import signal
import sys
from pathlib import Path

# In the background of a script SIGINT is ignored, and children inherit that; the tests of Ctrl-C need it alive.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.insert(0, str(Path(__file__).parent / "endpoints"))
