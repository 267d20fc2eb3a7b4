"""``python -m builders.sobhard.corpus fetch``, ``report`` or ``licences``: the corpus by hand."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from builders.sobhard.corpus import CorpusError, default_cache, fetch
from builders.sobhard.corpus.report import report, with_licences
from endpoints.terminal import speak_utf8, survive_closed_pipes
from endpoints.user_cache import tell_stderr

__all__ = ["main"]

_README: Final = Path(__file__).parents[3] / "tasks" / "sobhard" / "README.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the corpus, report on it, or write its licences into the benchmark's README."""
    parser = argparse.ArgumentParser(prog="python -m builders.sobhard.corpus", description=main.__doc__)
    parser.add_argument("what", choices=["fetch", "report", "licences"])
    parser.add_argument("--corpus", default=None, help="builtin, or the folder of the fetched files; the user's cache")
    given = parser.parse_args(arguments)
    try:
        if given.what == "licences":
            _README.write_text(with_licences(_README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        elif given.corpus == "builtin":
            sys.stdout.write(report("builtin"))
        else:
            cache = Path(given.corpus) if given.corpus else default_cache()
            fetch(cache, tell_stderr)
            if given.what == "report":
                sys.stdout.write(report(cache, tell_stderr))
    except CorpusError as error:
        tell_stderr(str(error))
        return 1
    return 0


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
