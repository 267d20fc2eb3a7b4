"""The models of Every Eval Ever: the one that answered and the one that judged, as far as a run knows them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from report.errors import ReportError
from report.results import Judge, public_name
from runs.folder import Run

__all__ = ["UNSPECIFIED", "judge_info", "model_info", "model_name"]

# Stands where the form wants a name that no run has; the form's own word for it, "unknown", is refused as a folder.
UNSPECIFIED: Final = "unspecified"
_UNKNOWN: Final = "unknown"
_EMBEDDED: Final = "HuggingFaceTB/SmolLM2-135M-Instruct"
# Who owns a model, in a server's list of models -> the engine that says so.
_ENGINES: Final = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp"}
_MODEL_ID: Final = re.compile(r"[^/\s]+(/[^/\s]+)+")


def model_name(run: Run, given: str | None) -> str:
    """The name of the model that answered: as given, or the run's; of a path its last part.

    Raises:
        ReportError: the given one is no ``ORG/NAME``.
    """
    if given is not None:
        if not _MODEL_ID.fullmatch(given):
            raise ReportError(f"--model-id {given!r}: ORG/NAME is wanted, as in {_EMBEDDED}")
        return given
    settings = run.settings
    if settings.get("model") == "embedded":
        return _EMBEDDED
    saved = settings.get("name") if settings.get("responses") else None
    return public_name(str(saved or run.content.get("model", {}).get("requested") or settings.get("model") or "model"))


def model_info(run: Run, model: str) -> dict[str, Any]:
    """What is known of the model that answered.

    Args:
        run: the run.
        model: its name.
    """
    embedded = run.settings.get("model") == "embedded"
    info = _info(model, run.content.get("model", {}).get("reported"))
    info["developer"] = model.partition("/")[0] if "/" in model else UNSPECIFIED
    if embedded or run.settings.get("serve"):
        info["additional_details"]["deployment_type"] = "self_deployed"
    if embedded:
        info["additional_details"]["model_availability"] = "open_weights"
    return info


def judge_info(judge: Judge) -> dict[str, Any]:
    """What is known of the model that judged."""
    return _info(judge.model, judge.entry.get("reported"))


def _info(model: str, reported: Mapping[str, Any] | None) -> dict[str, Any]:
    info: dict[str, Any] = {"name": model.rpartition("/")[2], "id": model}
    if engine := _ENGINES.get(str((reported or {}).get("owned_by")).lower()):
        info["inference_engine"] = {"name": engine}
    return {**info, "additional_details": {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN}}
