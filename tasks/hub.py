"""Datasets of the Hugging Face Hub at one revision: a known one, or the newest, which is looked up once."""

import socket
from collections.abc import Iterable
from typing import Any

from tasks.benchmark import DatasetError

__all__ = ["download"]

_TIMEOUT_S = 10.0


def download(
    dataset: str, splits: Iterable[str], revision: str | None, advice: str
) -> tuple[str, dict[str, list[dict[str, Any]]]]:
    """Rows of a Hub dataset.

    Args:
        dataset: the dataset's id.
        splits: names of the splits wanted.
        revision: hash of a commit; None takes the newest.
        advice: one or two sentences that say what to do if the dataset cannot be read.

    Returns:
        the revision, and the rows by split.

    Raises:
        DatasetError: the dataset cannot be read.
    """
    import datasets
    from huggingface_hub import HfApi

    try:
        found = revision or HfApi().dataset_info(dataset, timeout=_TIMEOUT_S).sha
        if found is None:
            raise ValueError("the Hub names no revision")
        loaded = datasets.load_dataset(dataset, revision=found)
        return found, {split: [dict(row) for row in loaded[split]] for split in splits}
    except Exception as error:
        # The Hub client raises many unrelated classes (HTTP, offline mode, access, schema); all mean the same here.
        first_line = (str(error).strip() or "no message").splitlines()[0]
        raise DatasetError(
            f"--dataset official: {dataset} cannot be read from the Hugging Face Hub "
            f"({type(error).__name__}: {first_line}). {_reason(error)}{advice}"
        ) from error


def _reason(error: BaseException | None) -> str:
    """What the user can do about the kind of an error, or of the one behind it; empty for a kind that is not known."""
    import httpx

    while error is not None:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status in (401, 403, 404):
            return "It may be private: request access and set HF_TOKEN. "
        if isinstance(error, httpx.TransportError | ConnectionError | TimeoutError | socket.gaierror):
            return "The Hub was not reached: check the network, the proxy, HF_ENDPOINT and HF_HUB_OFFLINE. "
        error = error.__cause__ or error.__context__
    return ""
