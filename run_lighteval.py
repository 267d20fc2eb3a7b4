"""Command line of the package: ``python run_lighteval.py --help``."""

import sys

from runner.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
