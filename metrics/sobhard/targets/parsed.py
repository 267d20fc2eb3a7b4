"""What a target parser gives back, and the two ways to stop it."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

__all__ = ["Parsed", "TargetError", "on_empty_stack", "on_fresh_stack"]

A = TypeVar("A")
T = TypeVar("T")


class Parsed(NamedTuple):
    """A body after parsing.

    Attributes:
        value: in the canonical model: dict (ordered), list, str, int, float, bool, None, and the odd types of YAML
            and TOML (dates, times, bytes, set, tuple); None is a failure.
        code: ``ok``, or why there is no value.
        reason: one English sentence, empty for a value.
        shared: whether one part of the value may stand in several places (YAML aliases), even inside itself; any
            other value is a tree no larger than its text.
    """

    value: Any
    code: str = "ok"
    reason: str = ""
    shared: bool = False


class TargetError(ValueError):
    """A text that the notation gives no value to.

    Attributes:
        code: stable kebab-case name.
        reason: one English sentence.
    """

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(reason)


def on_fresh_stack(function: Callable[[A], T], argument: A) -> T:
    """``function(argument)``; if the caller's stack is too deep for it, once more in a thread, whose stack is empty.

    So the depth at which a reader gives up does not depend on who calls it.
    """
    try:
        return function(argument)
    except RecursionError:
        return on_empty_stack(function, argument)


def on_empty_stack(function: Callable[[A], T], argument: A) -> T:
    """``function(argument)`` in a thread, whose stack is empty."""
    outcome: list[T | BaseException] = []

    def attempt() -> None:
        try:
            outcome.append(function(argument))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    found = outcome[0]
    if isinstance(found, BaseException):
        raise found
    return found
