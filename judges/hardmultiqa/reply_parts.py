"""What the readers of all replies share: what an unreadable reply is, and strict JSON."""

import json
from typing import Any

__all__ = ["UnreadableReply", "fields_of", "json_object", "list_of", "whole_number"]


class UnreadableReply(ValueError):  # noqa: N818 (the name says what happened)
    """A reply that is no verdict.

    Attributes:
        code: stable machine name, kebab-case.
        args: one English phrase; it quotes nothing either, so that a run's errors can be counted by it.
        note: what was wrong, in Russian for the judge: fixed words and numbers, no text of reply or answer.
    """

    def __init__(self, code: str, reason: str, note: str) -> None:
        self.code = code
        self.note = note
        super().__init__(reason)


def json_object(reply: str) -> dict[str, Any]:
    """The one JSON object that a reply is.

    Raises:
        UnreadableReply: it is something else, or a key stands twice.
    """
    note = "нужен один JSON-объект, без текста вокруг и без обратных кавычек"
    try:
        found = json.loads(reply, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except UnreadableReply:
        raise
    except (ValueError, RecursionError):
        raise UnreadableReply("not-json", "the reply is not JSON", note) from None
    if not isinstance(found, dict):
        raise UnreadableReply("not-an-object", f"the reply is a JSON {type(found).__name__}, not an object", note)
    return found


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableReply("duplicate-key", "a key of the reply's JSON stands twice", "ключ в JSON повторён")
    return found


def _no_constant(name: str) -> None:
    raise UnreadableReply("not-json", "the reply is not JSON", "в JSON недопустимое число")


def fields_of(found: Any, names: set[str], what: str) -> dict[str, Any]:
    """An object that has these keys and no others.

    Args:
        found: any JSON value.
        names: the keys.
        what: it is, in Russian for the judge.

    Raises:
        UnreadableReply: it is no object, or has other keys.
    """
    if not isinstance(found, dict) or set(found) != names:
        wanted = ", ".join(sorted(names))
        raise UnreadableReply("wrong-keys", f"keys {wanted} required", f"{what}: нужны ровно ключи {wanted}")
    return found


def list_of(value: Any, name: str) -> list[Any]:
    """A value that is a list.

    Raises:
        UnreadableReply: it is none; ``name`` is its key.
    """
    if not isinstance(value, list):
        raise UnreadableReply("wrong-type", f"{name} is not a list", f'"{name}" должен быть списком')
    return value


def whole_number(value: Any, name: str) -> int:
    """A value that is a whole number.

    Raises:
        UnreadableReply: it is none; ``name`` is its key.
    """
    # True is an int to Python, 1.0 is not one here.
    if type(value) is not int:
        raise UnreadableReply(
            "wrong-type", f"{name} holds something other than whole numbers", f'"{name}": нужно целое'
        )
    return value
