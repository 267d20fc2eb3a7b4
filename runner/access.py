"""Keys and headers of a run's servers: their values come from the environment."""

import os
from collections.abc import Mapping

from endpoints.access import Access
from endpoints.defaults import ATTEMPT_S
from endpoints.headers import HeaderError, read_headers
from runner.exits import UsageError
from runner.settings import Settings

__all__ = ["api_key", "judge_access", "model_access", "read_key"]


def api_key(settings: Settings) -> str:
    """The API key of the model's server.

    Raises:
        UsageError: see read_key.
    """
    return read_key(settings.api_key_env, "--api-key-env")


def read_key(variable: str, option: str) -> str:
    """Read an API key from an environment variable.

    Args:
        variable: the variable's name; only the default one, OPENAI_API_KEY, may be unset.
        option: the argument that names the variable, for messages.

    Returns:
        the key; ``EMPTY`` if the default variable is unset, since a vLLM that wants no key accepts any.

    Raises:
        UsageError: the named variable is not set, or its value cannot be sent in an HTTP header.
    """
    value = os.environ.get(variable, "").strip()
    if not value and variable != "OPENAI_API_KEY":
        raise UsageError(f"{option} {variable}: this environment variable is not set")
    if not value.isascii() or not value.isprintable():
        raise UsageError(f"the key in {variable} holds characters that no HTTP header can carry")
    return value or "EMPTY"


def model_access(settings: Settings) -> Access:
    """How the model's server is talked to.

    Raises:
        UsageError: the value of a header cannot be had.
    """
    return _access(settings, _headers("--header", settings.headers))


def judge_access(settings: Settings) -> Access:
    """How the judge's server is talked to.

    Raises:
        UsageError: the value of a header cannot be had.
    """
    return _access(settings, _headers("--judge-header", settings.judge_headers))


def _access(settings: Settings, headers: Mapping[str, str]) -> Access:
    return Access(headers, settings.request_timeout or ATTEMPT_S, settings.stream, not settings.no_model_check)


def _headers(option: str, variables: Mapping[str, str]) -> dict[str, str]:
    try:
        return read_headers(variables, os.environ)
    except HeaderError as error:
        raise UsageError(f"{option} {error}") from None
