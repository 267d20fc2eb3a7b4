"""Starts ``python -m report``; the commands are in :mod:`report.cli`."""

import sys

from endpoints.terminal import speak_utf8, survive_closed_pipes
from report.cli import main

if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main(sys.argv[1:]))
