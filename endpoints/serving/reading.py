"""Reads a serving file strictly: an unknown key, a wrong type and a key given twice are errors."""

import difflib
import math
import re
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from endpoints.serving.plan import DEFAULT_PORTS, ROLES, Role, RouterPlan, ServerPlan, ServingPlan

__all__ = ["LEGAL_KEYS", "ROUTER_KEYS", "ServingFileError", "find_serving", "parse_serving", "read_serving"]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LAST_PORT: Final = 65_535
# A port, a metrics port and replicas' ports are looked for above the entry's own.
_MOST_REPLICAS: Final = 256
_MERGE_TAG: Final = "tag:yaml.org,2002:merge"


class ServingFileError(ValueError):
    """The serving file cannot be used; the message names the file and every problem in it."""


def find_serving(path: Path) -> Path:
    """Find the serving file that a path names.

    Returns:
        the path itself, with one exception: if the path is ``serving/NAME`` and does not exist, but this package has a
        ready serving file of that name, the path of the ready file.
    """
    ready = Path(__file__).resolve().parents[2] / path
    if len(path.parts) == 2 and path.parts[0] == "serving" and not path.exists() and ready.is_file():
        return ready
    return path


class _Strict(yaml.SafeLoader):
    """YAML's safe loader that refuses a key given twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE_TAG:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable) or key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} is given twice, or is no plain value", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _whole(low: int, high: int | None = None) -> Callable[[Any], int]:
    wanted = f"a whole number from {low} up" if high is None else f"a whole number from {low} to {high}"

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            raise ValueError(wanted)
        return value

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError("a text that is not empty")
    return value


def _path_or_name(value: Any) -> str:
    """A text; a leading ``~`` is replaced by the user's home folder."""
    text = _text(value)
    return str(Path(text).expanduser()) if text.startswith("~") else text


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_text(value),)
    if isinstance(value, list) and value and all(isinstance(name, str) and name.strip() for name in value):
        return tuple(value)
    raise ValueError("a text or a list of texts")


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ValueError("a number above 0, at most 1")
    return float(value)


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError("a number of seconds above 0")
    return float(value)


def _gpus(value: Any) -> tuple[int, ...]:
    numbers = isinstance(value, list) and all(type(gpu) is int and gpu >= 0 for gpu in value)
    if not numbers or len(set(value)) < len(value):
        raise ValueError("a list of different GPU numbers such as [0, 1], or [] for none")
    return tuple(value)


def _argument(value: Any) -> str:
    # An unquoted 8 or 0.5 means its text; what `yes` or `null` means is not ours to guess.
    if isinstance(value, bool) or not isinstance(value, str | int | float) or "\0" in str(value):
        raise ValueError("a list of arguments, each a text or a number")
    return str(value)


def _arguments(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("a list of arguments, each a text or a number")
    return tuple(_argument(item) for item in value)


def _command(value: Any) -> tuple[str, ...]:
    arguments = _arguments(value)
    if not arguments or not arguments[0].strip():
        raise ValueError("a list that starts with a program")
    return (_path_or_name(arguments[0]), *arguments[1:])


def _variables(value: Any) -> dict[str, str | None]:
    wanted = "a mapping from variable names to texts or numbers (quote true and false; null removes a variable)"
    if not isinstance(value, dict):
        raise ValueError(wanted)
    read: dict[str, str | None] = {}
    for name, content in value.items():
        scalar = content is None or (isinstance(content, str | int | float) and not isinstance(content, bool))
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name) or not scalar or "\0" in str(content):
            raise ValueError(wanted)
        read[name] = None if content is None else str(content)
    return read


def _placement(value: Any) -> str:
    if value != "ray":
        raise ValueError("ray, or left out for this machine")
    return "ray"


def _amounts(value: Any) -> dict[str, float]:
    wanted = "a mapping from names of resources to amounts above 0 such as {gpu_slot: 1}"
    if not isinstance(value, dict) or not value:
        raise ValueError(wanted)
    for name, amount in value.items():
        number = isinstance(amount, int | float) and not isinstance(amount, bool) and 0 < amount < math.inf
        # Ray would take "a=b" too; its own command line could not give it.
        if not isinstance(name, str) or not name.strip() or "=" in name or "\0" in name or not number:
            raise ValueError(wanted)
    return {name: float(amount) for name, amount in value.items()}


_Reader = Callable[[Any], Any]

_ROUTER: Final[Mapping[str, _Reader]] = {
    "port": _whole(1, _LAST_PORT),
    "command": _command,
    "policy": _text,
    "extra_args": _arguments,
}
_ENTRY: Final[Mapping[str, _Reader]] = {
    "model": _path_or_name,
    "served_model_name": _names,
    "port": _whole(1, _LAST_PORT),
    "host": _text,
    "gpus": _gpus,
    "tensor_parallel_size": _whole(1),
    "pipeline_parallel_size": _whole(1),
    "data_parallel_size": _whole(1),
    "max_model_len": _whole(1),
    "max_num_seqs": _whole(1),
    "dtype": _text,
    "gpu_memory_utilization": _share,
    "reasoning_parser": _text,
    "distributed_executor_backend": _text,
    "trust_remote_code": _flag,
    "extra_args": _arguments,
    "env": _variables,
    "python": _path_or_name,
    "command": _command,
    "replicas": _whole(1, _MOST_REPLICAS),
    "deadline_s": _seconds,
    "restarts": _whole(0),
    "restart_wait_s": _seconds,
    "hung_after_s": _seconds,
    "placement": _placement,
    "resources": _amounts,
    "ray_address": _text,
}
_ROUTER_KEY: Final = "router"
LEGAL_KEYS: Final[tuple[str, ...]] = (*_ENTRY, _ROUTER_KEY)
ROUTER_KEYS: Final[tuple[str, ...]] = tuple(_ROUTER)


def read_serving(path: Path) -> ServingPlan:
    """Read a serving file.

    Args:
        path: a YAML file with an entry ``model``, an entry ``judge``, or both; their keys are the attributes of
            :class:`~endpoints.serving.plan.ServerPlan`.

    Raises:
        ServingFileError: the file cannot be read, or a key in it is unknown, missing or has a value of a wrong type;
            the message lists every problem, with the key and the values that are legal there.
    """
    try:
        return parse_serving(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise ServingFileError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ServingFileError(f"{path} is not a YAML file: {error}") from error


def parse_serving(text: str, path: Path) -> ServingPlan:
    """Read the text of a serving file.

    Args:
        text: the text.
        path: the file's path, for messages and the plan.

    Raises:
        ServingFileError: as :func:`read_serving`.
    """
    try:
        content = yaml.load(text, Loader=_Strict)
    except (yaml.YAMLError, RecursionError) as error:
        raise ServingFileError(f"{path} is not a YAML file: {' '.join(str(error).split())}") from error
    problems: list[str] = []
    entries = _mapping(content, "the file", ROLES, problems)
    if not problems and not entries:
        problems.append("the file has neither an entry 'model' nor an entry 'judge'")
    plans = {role: _entry(role, entries[role], problems) for role in ROLES if role in entries}
    if problems:
        raise ServingFileError("\n".join([f"{path} cannot be used:", *(f"  - {problem}" for problem in problems)]))
    return ServingPlan(path, plans.get("model"), plans.get("judge"))


def _mapping(value: Any, where: str, legal: tuple[str, ...], problems: list[str]) -> dict[str, Any]:
    """The known keys of a mapping; each other key is added to the problems."""
    if not isinstance(value, dict):
        problems.append(f"{where} must be a mapping with keys among {', '.join(legal)}, not {_shown(value)}")
        return {}
    for key in value:
        if key not in legal:
            near = difflib.get_close_matches(str(key), legal, n=1)
            guess = f" (did you mean {near[0]!r}?)" if near else ""
            problems.append(f"{where}: unknown key {key!r}{guess}; legal keys: {', '.join(legal)}")
    return {key: content for key, content in value.items() if key in legal}


def _entry(role: Role, value: Any, problems: list[str]) -> ServerPlan | None:
    found = _mapping(value, role, LEGAL_KEYS, problems)
    values = _values(found, _ENTRY, role, problems)
    if isinstance(value, dict) and "model" not in found:
        problems.append(f"{role}: the key 'model' (a Hub name or a folder) is missing")
    if _ROUTER_KEY in found:
        inner = _mapping(found[_ROUTER_KEY], f"{role}: router", ROUTER_KEYS, problems)
        values[_ROUTER_KEY] = RouterPlan(**_values(inner, _ROUTER, f"{role}: router", problems))
    if "model" not in values:
        return None
    return ServerPlan(role=role, **{"port": DEFAULT_PORTS[role], **values})


def _values(
    found: Mapping[str, Any], readers: Mapping[str, _Reader], where: str, problems: list[str]
) -> dict[str, Any]:
    values = {}
    for key, reader in readers.items():
        if key in found:
            try:
                values[key] = reader(found[key])
            except ValueError as error:
                problems.append(f"{where}: {key} must be {error}, not {_shown(found[key])}")
    return values


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"{value!r:.80}"
