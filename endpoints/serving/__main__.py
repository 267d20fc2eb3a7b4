"""``python -m endpoints.serving FILE``: starts a serving file's servers until Ctrl-C; ``--dry-run`` only checks it.

Exit statuses: 0 the dry run found no mistake; 2 the file cannot be used; 3 a server could not be started, or died
more often than it may be started again, or the dry run found a mistake; 130 Ctrl-C; 143 SIGTERM.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from endpoints.errors import EndpointError
from endpoints.serving.dry_run import dry_run
from endpoints.serving.plan import ServingPlan
from endpoints.serving.reading import ServingFileError, find_serving, read_serving
from endpoints.serving.running import serve
from endpoints.terminal import speak_utf8, survive_closed_pipes

__all__ = ["main"]

_USAGE: Final = 2
_UNAVAILABLE: Final = 3
_INTERRUPTED: Final = 130
_TERMINATED: Final = 143
_LOOK_S: Final = 0.5


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m endpoints.serving", description="Serve the model and the judge of a serving file."
    )
    parser.add_argument("file", type=Path, help="serving file (YAML); ready ones are in serving/")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and check them; start nothing")
    parser.add_argument(
        "--log-dir", type=Path, default=Path("logs"), help="folder for the servers' logs (default logs)"
    )
    options = parser.parse_args(argv)
    try:
        plan = read_serving(find_serving(options.file))
        if options.dry_run:
            return 0 if dry_run(plan, _show) else _UNAVAILABLE
        _stay(plan, options.log_dir)
    except ServingFileError as error:
        _say(str(error))
        return _USAGE
    except EndpointError as error:
        _say(str(error))
        return _UNAVAILABLE
    except KeyboardInterrupt:
        return _INTERRUPTED


def _stay(plan: ServingPlan, log_dir: Path) -> NoReturn:
    """Keep the servers up until a signal ends this process.

    Raises:
        EndpointError: a server could not be started, or died more often than it may be started again.
    """
    signal.signal(signal.SIGTERM, _terminate)
    with serve(plan, log_dir, _say) as served:
        for what, name, url in (
            ("model", served.model_name, served.model_base_url),
            ("judge", served.judge_name, served.judge_base_url),
        ):
            if url is not None:
                _say(f"{what} {name} is served at {url}")
        _say("Ctrl-C stops the servers")
        while not served.lost():
            time.sleep(_LOOK_S)
        raise EndpointError("; ".join(served.lost()))


def _terminate(_number: int, _frame: object) -> NoReturn:
    sys.exit(_TERMINATED)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _show(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    sys.exit(main())
