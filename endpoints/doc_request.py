"""Makes the request for one of LightEval's documents."""

from typing import Any

from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.requests import Doc

from endpoints.model_config import EndpointModelConfig
from endpoints.request import Request

__all__ = ["doc_request"]


def doc_request(doc: Doc, config: EndpointModelConfig, prompts: PromptManager, most: int | None) -> Request:
    """The request for one document.

    Args:
        doc: its ``specific`` may hold what :class:`endpoints.model.EndpointModel` says.
        config: the settings of the model.
        prompts: makes the chat turns.
        most: the cap on the answer in tokens; None for the task's own.

    Raises:
        ValueError: neither the settings nor the task set a cap.
    """
    specific = doc.specific or {}
    kind = specific.get("kind", "chat")
    repeat = int(specific.get("repeat", 0))
    extra = dict(config.extra_body)
    if config.chat_template_kwargs and kind == "chat":
        extra["chat_template_kwargs"] = config.chat_template_kwargs
    cap = most or specific.get("max_tokens") or doc.generation_size
    if not cap:
        raise ValueError(f"task {doc.task_name} sets no generation size; give a cap (--max-new-tokens)")
    return Request(
        task=doc.task_name,
        sample_id=str(specific.get("id", doc.id)),
        repeat=repeat,
        kind=kind,
        model=config.request_model,
        messages=tuple(prompts.prepare_prompt_api(doc)) if kind == "chat" else None,
        prompt=None if kind == "chat" else doc.query,
        max_tokens=int(cap),
        sampling=_sampling(doc, config, repeat),
        extra_body=extra,
    )


def _sampling(doc: Doc, config: EndpointModelConfig, repeat: int) -> dict[str, Any]:
    sampling: dict[str, Any] = {"temperature": config.generation_parameters.temperature}
    for name in ("seed", "top_p"):
        value = getattr(config.generation_parameters, name)
        if value is not None:
            sampling[name] = value
    if "seed" in sampling:
        sampling["seed"] += repeat  # one seed for all would sample one answer again and again
    if doc.stop_sequences:
        sampling["stop"] = list(doc.stop_sequences)
    return sampling
