"""Command line of the package: ``python run_lighteval.py --help``."""

import sys


def main() -> int:
    """Run the command with the arguments of this process and return its exit status."""
    from endpoints.terminal import survive_closed_pipes
    from runner.cli import main as run

    survive_closed_pipes()
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
