"""Command line of the package: ``python run_lighteval.py --help``."""

import importlib.util
import sys
from pathlib import Path

# What the command imports; this file itself needs the standard library alone.
_PACKAGES = ("endpoints", "judges", "metrics", "runner", "runs", "tasks")


def main() -> int:
    """Run the command with the arguments of this process and return its exit status."""
    problem = _wrong_package()
    if problem is not None:
        sys.stderr.write(f"error: {problem}\n")
        return 2
    from endpoints.terminal import speak_utf8, survive_closed_pipes
    from runner.cli import main as run

    speak_utf8()
    survive_closed_pipes()
    return run(sys.argv[1:])


def _wrong_package() -> str | None:
    """What is wrong if one of our packages is not the one beside this file; None if all of them are.

    Other modules of these names come first when they lie in the working folder (``python -m run_lighteval``), in a
    folder of PYTHONPATH (the installed command, ``python -P``), or, without ``__init__.py``, in any folder that is
    looked into before an editable installation.
    """
    for name in _PACKAGES:
        ours = Path(__file__).resolve().with_name(name)
        spec = importlib.util.find_spec(name)
        if spec is None:
            return (
                f"the package '{name}' is not on Python's path: install this package, "
                f"or start python {Path(__file__).resolve()} without -P and PYTHONSAFEPATH"
            )
        places = spec.submodule_search_locations or [spec.origin or "?"]
        found = Path(next(iter(places)))
        if ours.is_dir() and found.resolve() != ours:
            return (
                f"the package '{name}' would be taken from {found}, not from {ours}: rename the former, or start "
                f"the command in another folder and without {found.parent} in PYTHONPATH"
            )
    return None


if __name__ == "__main__":
    sys.exit(main())
