"""Starts ``python -m audit``; the commands are in :mod:`audit.cli`."""

import sys

from audit.cli import main
from endpoints.terminal import speak_utf8, survive_closed_pipes

if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main(sys.argv[1:]))
