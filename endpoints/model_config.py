"""Settings of the endpoint model, from the runner or from the environment."""

import json
from collections.abc import Mapping
from typing import Any

from lighteval.models.abstract_model import ModelConfig
from lighteval.models.model_input import GenerationParameters
from pydantic import Field

from endpoints.access import Access, positive_seconds
from endpoints.defaults import ATTEMPT_S, BASE_URL, CONCURRENCY
from endpoints.headers import header_variables, read_headers
from endpoints.reasoning_marks import marks_named

__all__ = ["ENVIRONMENT", "EndpointModelConfig", "config_from_environment"]

# `lighteval custom` passes a model name and nothing else; these variables carry the rest.
ENVIRONMENT: Mapping[str, str] = {
    "ENDPOINT_BASE_URL": f"server, default {BASE_URL}",
    "OPENAI_API_KEY": "key sent to it, default EMPTY",
    "ENDPOINT_HEADERS": "further HTTP headers: NAME=VARIABLE, comma-separated; the variables hold the values",
    "ENDPOINT_REQUEST_TIMEOUT": f"seconds that an attempt at a request may take, default {ATTEMPT_S:g}",
    "ENDPOINT_STREAM": "1 to have answers streamed",
    "ENDPOINT_NO_MODEL_CHECK": "1 for a server whose list of models is empty, absent or incomplete",
    "ENDPOINT_CONCURRENCY": f"requests in flight, default {CONCURRENCY}",
    "ENDPOINT_MAX_NEW_TOKENS": "cap on each answer, default the task's own",
    "ENDPOINT_TEMPERATURE": "default 0",
    "ENDPOINT_SEED": "sampling seed",
    "ENDPOINT_SYSTEM_PROMPT": "system message",
    "ENDPOINT_CHAT_TEMPLATE_KWARGS": "JSON object for the chat template",
    "ENDPOINT_EXTRA_BODY": "JSON object: further fields of every request",
    "ENDPOINT_REASONING_MARKS": "name of the marks whose reasoning is cut off answers",
    "ENDPOINT_JOURNAL": "file that keeps finished answers; asked again, they are not sent again",
    "ENDPOINT_RESPONSES": "score these saved answers instead of asking a server",
}


class EndpointModelConfig(ModelConfig):
    """The settings that decide the answers, and those that decide how they are fetched.

    Fields marked ``exclude`` decide only how fast and from where answers are fetched; they are not written to the
    results file, which keeps the API key out of it. ``window`` is the context length in tokens, if it is known before
    the server is asked. ``earlier_limits`` holds pairs of ``max_new_tokens`` and ``window`` under which the journal may
    hold answers from before these were lowered; such answers are kept.
    """

    base_url: str = BASE_URL
    served_name: str | None = None
    max_new_tokens: int | None = None
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)
    extra_body: dict[str, Any] = Field(default_factory=dict)
    reasoning_marks: str | None = None
    api_key: str = Field("EMPTY", exclude=True, repr=False)
    access: Access = Field(default_factory=Access, exclude=True, repr=False)
    concurrency: int = Field(CONCURRENCY, exclude=True)
    window: int | None = Field(None, exclude=True)
    earlier_limits: list[tuple[int | None, int | None]] = Field(default_factory=list, exclude=True)
    shuffle_seed: int | None = Field(None, exclude=True)
    journal_path: str | None = Field(None, exclude=True)
    responses_path: str | None = Field(None, exclude=True)

    @property
    def request_model(self) -> str:
        """The model's id in requests; it may differ from the name under which results are filed."""
        return self.served_name or self.model_name


def config_from_environment(model_name: str, environment: Mapping[str, str]) -> EndpointModelConfig:
    """Settings for LightEval's own command line, which has no options for them.

    Args:
        model_name: the model's name on the command line of ``lighteval custom``.
        environment: the variables, usually ``os.environ``; ENVIRONMENT lists their names.

    Raises:
        ValueError: a value cannot be read; the message names the variable.
    """

    def read(name: str, convert: Any, default: Any) -> Any:
        text = environment.get(name)
        if text is None or text == "":
            return default
        try:
            return convert(text)
        except ValueError as error:
            raise ValueError(f"environment variable {name}={text!r} cannot be read: {error}") from error

    def fields(name: str) -> dict[str, Any]:
        value = read(name, json.loads, {})
        if not isinstance(value, dict):
            raise ValueError(f"environment variable {name} must hold a JSON object, found {value!r}")
        return value

    def headers(text: str) -> dict[str, str]:
        return read_headers(header_variables([part.strip() for part in text.split(",")]), environment)

    return EndpointModelConfig(
        model_name=model_name,
        base_url=read("ENDPOINT_BASE_URL", str, BASE_URL),
        max_new_tokens=read("ENDPOINT_MAX_NEW_TOKENS", int, None),
        chat_template_kwargs=fields("ENDPOINT_CHAT_TEMPLATE_KWARGS"),
        extra_body=fields("ENDPOINT_EXTRA_BODY"),
        system_prompt=read("ENDPOINT_SYSTEM_PROMPT", str, None),
        reasoning_marks=read("ENDPOINT_REASONING_MARKS", marks_named, None),
        generation_parameters=GenerationParameters(
            temperature=read("ENDPOINT_TEMPERATURE", float, 0.0), seed=read("ENDPOINT_SEED", int, None)
        ),
        api_key=read("OPENAI_API_KEY", str, "EMPTY"),
        access=Access(
            headers=read("ENDPOINT_HEADERS", headers, {}),
            attempt_s=read("ENDPOINT_REQUEST_TIMEOUT", positive_seconds, ATTEMPT_S),
            streamed=bool(environment.get("ENDPOINT_STREAM")),
            listed=not environment.get("ENDPOINT_NO_MODEL_CHECK"),
        ),
        window=None,
        shuffle_seed=None,
        concurrency=read("ENDPOINT_CONCURRENCY", int, CONCURRENCY),
        journal_path=read("ENDPOINT_JOURNAL", str, None),
        responses_path=read("ENDPOINT_RESPONSES", str, None),
    )
