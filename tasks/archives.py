"""A dataset that came as one file: the folder in a zip archive."""

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.benchmark import DatasetError

__all__ = ["opened"]


@contextmanager
def opened(source: Path) -> Iterator[Path]:
    """The folder that a zip file holds, at its top or as its only entry, for as long as the block lasts.

    Any other path is given back as it is.

    Raises:
        DatasetError: the archive cannot be read; messages of the block name the archive, not the folder.
    """
    if source.suffix != ".zip" or not source.is_file():
        yield source
        return
    with tempfile.TemporaryDirectory() as work:
        try:
            with zipfile.ZipFile(source) as archive:
                archive.extractall(work)
        except (OSError, RuntimeError, ValueError, NotImplementedError, zipfile.BadZipFile) as error:
            raise DatasetError(f"--dataset {source}: no zip file that can be read ({error})") from error
        entries = list(Path(work).iterdir())
        folder = entries[0] if len(entries) == 1 and entries[0].is_dir() else Path(work)
        try:
            yield folder
        except DatasetError as error:
            raise DatasetError(str(error).replace(str(folder), str(source))) from None
