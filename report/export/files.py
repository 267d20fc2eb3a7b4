"""Files of an export: the same run gives the same bytes, and no file of another run is replaced."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from report.errors import ReportError

__all__ = ["Export", "put_all", "zipped"]

_OLDEST: Final = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can hold
_PLAIN_FILE: Final = 0o100644 << 16
_UNIX: Final = 3


class Export(NamedTuple):
    """What an export is made of.

    Attributes:
        files: contents by the path below the folder of the export, in the order they are written.
        notes: sentences for whoever hands the files on.
    """

    files: Mapping[str, bytes]
    notes: tuple[str, ...]


def put_all(out: Path, made: Export, advice: str = "") -> list[Path]:
    """Write the files; one that is there already with the same content is no hindrance.

    Args:
        out: where they go.
        made: the files.
        advice: what else helps where a file of another content is there.

    Raises:
        ReportError: a file is there with another content, and nothing was written; or a file cannot be written.
    """
    paths = {out / name: data for name, data in made.files.items()}
    try:
        for path, data in paths.items():
            if path.exists() and path.read_bytes() != data:
                raise ReportError(f"{path} is there with another content: move it away, or give another -o DIR{advice}")
        for path, data in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.tmp")
            beside.write_bytes(data)
            beside.replace(path)
    except OSError as error:
        raise ReportError(f"-o {out}: {error.strerror or error}: {error.filename}") from None
    return list(paths)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip file, the same bytes for the same files: no times, no owner's rights of this machine."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _OLDEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = _UNIX, _PLAIN_FILE
            archive.writestr(entry, data)
    return packed.getvalue()
