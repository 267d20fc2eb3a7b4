"""``python -m tasks.sobhard.build --out DIR``: the full set, from real files, the same bytes for a seed."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from builders.sobhard.build import BuildError, build
from builders.sobhard.corpus import CorpusError, default_cache, fetch, load_documents
from builders.sobhard.dataset_files import SHIPPED_SEED, make_files, write_files
from builders.sobhard.plan import small_plan
from endpoints.terminal import speak_utf8, survive_closed_pipes
from endpoints.user_cache import tell_stderr

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the set and write test.jsonl, shots.jsonl, both in one zip file, counts, checksums and the card.

    Exit status: 0 written, 2 wrong arguments, 3 the corpus cannot be had or gives no set.
    """
    parser = argparse.ArgumentParser(prog="python -m tasks.sobhard.build", description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder, made if absent")
    parser.add_argument(
        "--seed", type=int, default=SHIPPED_SEED, help=f"default {SHIPPED_SEED}, that of the set whose sha256 is known"
    )
    parser.add_argument(
        "--corpus",
        metavar="CACHE|builtin",
        default=None,
        help=f"folder that keeps the fetched files (default {default_cache()}), or builtin: a small set from "
        "documents of this project, no network needed",
    )
    options = parser.parse_args(arguments)
    try:
        files = _files(options.seed, options.corpus)
    except (BuildError, CorpusError) as error:
        tell_stderr(str(error))
        return 3
    write_files(files, options.out)
    tell_stderr(f"{options.out.absolute()}: {', '.join(files)}")
    return 0


def _files(seed: int, corpus: str | None) -> dict[str, bytes]:
    if corpus == "builtin":
        documents, slots = load_documents("builtin", tell_stderr), small_plan(seed)
    else:
        cache = default_cache() if corpus is None else Path(corpus)
        fetch(cache, tell_stderr)
        documents, slots = load_documents(cache, tell_stderr), None
    with tqdm(unit="question", desc="building", mininterval=1) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        built = build(documents, seed, slots=slots, private=seed != SHIPPED_SEED, progress=progress)
    return make_files(built, seed)


if __name__ == "__main__":
    speak_utf8()
    survive_closed_pipes()
    raise SystemExit(main())
