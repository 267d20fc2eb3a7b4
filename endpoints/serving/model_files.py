"""Reads a model's ``config.json`` and the size of its weights: in a folder, in the Hub's cache or on the Hub."""

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from endpoints.errors import EndpointError, one_line
from endpoints.serving.model_facts import ModelFacts, facts_of

__all__ = ["read_model"]

_HUB_TIMEOUT_S: Final = 10.0
_INDEX: Final = "model.safetensors.index.json"


def read_model(name: str) -> ModelFacts:
    """What there is to know of a model.

    Args:
        name: its folder, or its name on the Hub; what the Hub's cache on this machine has is not asked for again.

    Raises:
        EndpointError: its config or the size of its weights cannot be had.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        found = facts_of(name, _config(folder / "config.json"), _weights_in(folder, whole=True))
        return dataclasses.replace(found, folder=str(folder.absolute()))
    if name.startswith(("/", "./", "../", "~")):
        raise EndpointError(f"{name}: no such folder")
    return _from_hub(name)


def _from_hub(name: str) -> ModelFacts:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        path = _fetched(name, "config.json")
        size = _weights_in(path.parent, whole=False)
        if size is None:
            try:
                size = _total(_fetched(name, _INDEX))
            except LocalEntryNotFoundError:  # a kind of the next one that says nothing of the Hub
                raise
            except EntryNotFoundError:  # one file holds all of them
                listed = HfApi().model_info(name, files_metadata=True, timeout=_HUB_TIMEOUT_S).siblings or ()
                size = _sum_of({file.rfilename: file.size or 0 for file in listed})
    except EndpointError:
        raise
    except Exception as error:  # the Hub's client raises many unrelated classes; all mean the same here
        raise EndpointError(
            f"{name}: its config.json and the size of its weights cannot be had from the Hugging Face Hub "
            f"({type(error).__name__}: {one_line(str(error), 200)}). Check the name, the network and HF_TOKEN, "
            "or name the model's folder"
        ) from error
    return facts_of(name, _config(path), size)


def _fetched(name: str, file: str) -> Path:
    """A file of a model, from the Hub's cache if it is there."""
    from huggingface_hub import hf_hub_download, try_to_load_from_cache

    cached = try_to_load_from_cache(name, file)
    return Path(cached if isinstance(cached, str) else hf_hub_download(name, file, etag_timeout=_HUB_TIMEOUT_S))


def _config(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EndpointError(f"{path}: {error.strerror or error}; a model's folder has a config.json") from error
    except ValueError as error:
        raise EndpointError(f"{path} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise EndpointError(f"{path} holds no JSON object")
    return content


def _weights_in(folder: Path, *, whole: bool) -> int | None:
    """Bytes of the weights in a folder; None if they are not all there.

    Args:
        folder: the folder.
        whole: the weights are nowhere else; what its index says and what lies there are both taken.
    """
    files = {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}
    if _INDEX in files:
        return _total(folder / _INDEX)
    found = _sum_of(files)
    if whole and found is None:
        raise EndpointError(f"{folder}: no weights there (*.safetensors or pytorch_model*.bin)")
    return found


def _total(index: Path) -> int:
    try:
        return int(json.loads(index.read_text(encoding="utf-8"))["metadata"]["total_size"])
    except (ValueError, KeyError, TypeError) as error:
        raise EndpointError(
            f"{index} does not tell the size of the weights ({type(error).__name__}: {error})"
        ) from error


def _sum_of(files: Mapping[str, int]) -> int | None:
    """Sum of the sizes of the files of weights, of which some repositories hold several sets; None without any."""
    for pattern in (r"model.*\.safetensors", r"(?!consolidated)[^/]*\.safetensors", r"pytorch_model.*\.bin"):
        found = [size for name, size in files.items() if re.fullmatch(pattern, name)]
        if found:
            return sum(found)
    return None
