"""What the parts of ``run.json`` and of records must be, where they are there: readers of all versions rely on it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from metrics.record import OUTCOMES

__all__ = ["first_damage", "record_damage"]

_MOST: Final = 10**30  # no number of a run is larger
_ANY: Final = "*"  # in a path: each item of an object or list


class _Kind(NamedTuple):
    """What a value must be.

    Attributes:
        words: the same in words, as "is no ..." goes on.
        fits: whether a value is one.
    """

    words: str
    fits: Callable[[Any], bool]

    def or_null(self) -> "_Kind":
        return _Kind(self.words, lambda value: value is None or self.fits(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST  # nan is not either


def _is_count(value: Any) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def _is_stop(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("rule"), str) and _is_count(value.get("after", 0))


def _is_grader(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str) and "identity" in value


def _is_json_object(value: Any) -> bool:
    try:
        return isinstance(json.loads(value), dict)
    except (TypeError, ValueError, RecursionError):
        return False


_OBJECT: Final = _Kind("object", lambda value: isinstance(value, dict))
_LIST: Final = _Kind("list", lambda value: isinstance(value, list))
_TEXT: Final = _Kind("text", lambda value: isinstance(value, str))
_TEXTS: Final = _Kind("list of texts", lambda value: isinstance(value, list) and all(map(_TEXT.fits, value)))
_NUMBER: Final = _Kind("number", _is_number)
_COUNT: Final = _Kind("whole number from 0 on", _is_count)
_POSITIVE: Final = _Kind("whole number from 1 on", lambda value: _is_count(value) and value > 0)
_FLAG: Final = _Kind("true or false", lambda value: isinstance(value, bool))
_TIME: Final = _Kind("time", _is_time)
_STOP: Final = _Kind("rule with its number of answers", _is_stop)
_GRADER: Final = _Kind("grader with name and identity", _is_grader)
_JUDGES: Final = _Kind("judge, nor a list of judges", lambda value: isinstance(value, dict | list))

# Paths, outer parts first. Of a part that readers only repeat nothing is said.
_SHAPE: Final[Sequence[tuple[tuple[str, ...], _Kind]]] = (
    (("status",), _TEXT),
    (("model",), _OBJECT),
    (("model", "requested"), _TEXT.or_null()),
    (("model", "max_model_len"), _COUNT.or_null()),
    (("settings", "tasks"), _TEXTS),
    (("settings", "repeats"), _POSITIVE),
    (("settings", "max_samples"), _COUNT.or_null()),
    (("settings", "full"), _FLAG),
    *((("settings", name), _TEXT.or_null()) for name in ("model", "name", "responses", "system_prompt", "dataset")),
    *((("settings", name), _TEXT.or_null()) for name in ("reasoning_marks", "judge_prompts", "serve")),
    *((("settings", name), _OBJECT.or_null()) for name in ("chat_template_kwargs", "extra_body", "column_map")),
    (("settings", "graders"), _TEXTS.or_null()),
    (("datasets",), _OBJECT),
    (("datasets", _ANY), _OBJECT),
    *((("datasets", _ANY, name), _TEXT.or_null()) for name in ("name", "sha256", "revision", "scorer_version")),
    (("datasets", _ANY, "questions"), _OBJECT),
    (("datasets", _ANY, "questions", _ANY), _COUNT),
    (("options",), _OBJECT),
    (("options", _ANY), _OBJECT),
    (("options", _ANY, "sources"), _LIST),
    (("options", _ANY, "sources", _ANY), _GRADER),
    (("sampling",), _OBJECT),
    *((("sampling", name), _NUMBER.or_null()) for name in ("temperature", "seed", "max_new_tokens")),
    (("versions",), _OBJECT),
    (("sessions",), _LIST),
    (("sessions", _ANY), _OBJECT),
    *((("sessions", _ANY, name), _TIME.or_null()) for name in ("started", "ended")),
    (("sessions", _ANY, "command"), _TEXTS),
    (("judge",), _JUDGES.or_null()),
    (("stopped",), _STOP.or_null()),
    (("finish_reasons",), _OBJECT),
    (("finish_reasons", _ANY), _OBJECT),
    (("finish_reasons", _ANY, _ANY), _COUNT),
    (("tasks",), _OBJECT),
    (("tasks", _ANY), _OBJECT),
)
_JUDGE: Final[Sequence[tuple[tuple[str, ...], _Kind]]] = (
    ((), _OBJECT),
    (("model",), _TEXT),
    (("prompts",), _OBJECT),
    (("prompts", _ANY), _TEXT),
)
_RECORD: Final[Sequence[tuple[tuple[str, ...], _Kind]]] = (
    (("id",), _TEXT),
    (("repeat",), _COUNT),
    (("outcome",), _Kind("known outcome", lambda value: value in OUTCOMES)),
    (("scores",), _OBJECT),
    (("scores", _ANY), _NUMBER.or_null()),
    (("labels",), _Kind("JSON object", _is_json_object)),
    (("verdicts",), _LIST),
    (("verdicts", _ANY), _OBJECT),
    *((("verdicts", _ANY, name), _TEXT) for name in ("id", "group", "grader", "code", "reason")),
)
# Values of a row by the ends of their names; others are numbers.
_ROW: Final = (
    ("_ci_method", _TEXT),
    ("_undefined_because", _TEXT),
    ("generated_only", _FLAG),
    ("unscored_ids", _TEXTS),
)


def first_damage(content: Mapping[str, Any]) -> str | None:
    """Which part is not what it must be, as in ``settings.repeats is no whole number: 'x'``; None if all are.

    Args:
        content: of ``run.json``.
    """
    return next(_damages(content), None)


def record_damage(record: Mapping[str, Any]) -> str | None:
    """The same of a scored record in the present form."""
    return next((words for path, kind in _RECORD for words in _wrong(record, path, kind)), None)


def _damages(content: Mapping[str, Any]) -> Iterator[str]:
    for path, kind in _SHAPE:
        yield from _wrong(content, path, kind)
    judge = content.get("judge")
    for entry in judge if isinstance(judge, list) else [judge] if judge is not None else []:
        for path, kind in _JUDGE:
            yield from _wrong(entry, path, kind, "judge")
    for task, row in (content.get("tasks") or {}).items():
        for name, value in row.items():
            yield from _wrong(value, (), _row_kind(name), f"tasks.{task}.{name}")


def _row_kind(name: str) -> _Kind:
    if name.startswith("n_"):
        return _COUNT
    return next((kind for end, kind in _ROW if name.endswith(end)), _NUMBER).or_null()


def _wrong(value: Any, path: Sequence[str], kind: _Kind, name: str = "") -> Iterator[str]:
    if not path:
        if not kind.fits(value):
            yield f"{name} is no {kind.words}: {_short(value)}"
        return
    held = dict(enumerate(value)) if isinstance(value, list) else value if isinstance(value, dict) else {}
    for key in held if path[0] == _ANY else [path[0]]:
        if key in held:
            yield from _wrong(held[key], path[1:], kind, f"{name}.{key}" if name else str(key))


def _short(value: Any) -> str:
    if value is None:
        return "null"
    shown = "a huge number" if isinstance(value, int) and abs(value) > _MOST else repr(value)
    return shown if len(shown) <= 40 else shown[:39] + "…"
