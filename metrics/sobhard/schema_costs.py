"""What applying a schema may cost, in steps: one step is about what the library needs to apply one schema to one value.

Prices are bounds of what the library does inside one keyword, where that grows faster than the values it looks at.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from metrics.sobhard.pattern_costs import counted, search_cost
from metrics.sobhard.values import CONTAINERS, measure, walk
from metrics.sobhard.wording import clip

__all__ = ["MAX_STEPS", "PRICES", "REFERENCES", "UNEVALUATED", "SchemaError", "Survey", "search_steps"]

MAX_STEPS: Final = 100_000  # about a second at most
_MAX_PATTERN: Final = 1_000  # characters
_MAX_PATTERNS: Final = 200  # Python keeps 512 compiled
_MAX_SEARCH: Final = 1_000_000.0  # steps of one pattern search at most
_SEARCH_STEPS: Final = 200  # of a pattern search in one of ours
_CHEAP: Final = 20  # steps of ours that are not worth a closer count


class SchemaError(ValueError):
    """The schema is invalid, refers outside itself, or would take too long to apply.

    Attributes:
        code: ``invalid-schema``, ``foreign-reference``, ``costly-pattern``, ``too-costly``.
    """

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        super().__init__(reason)


class Survey(NamedTuple):
    """What of a schema, wherever it stands in it, makes the library's steps dear.

    Attributes:
        reference: steps that following one reference may take.
        branches: how often the search for evaluated parts may start anew out of our sight.
        patterns: those of properties' names.
    """

    reference: int
    branches: int
    patterns: frozenset[str]

    @classmethod
    def of(cls, schema: Any) -> "Survey":
        """The survey of a tree.

        Raises:
            SchemaError: there are too many patterns.
        """
        objects = [node for node in walk(schema) if type(node) is dict]
        patterns = frozenset(text for node in objects for text in _patterns(node.get("patternProperties")))
        if len(patterns | {text for node in objects if isinstance(text := node.get("pattern"), str)}) > _MAX_PATTERNS:
            raise SchemaError("costly-pattern", f"the schema has more than {_MAX_PATTERNS} different patterns")
        references = [text for node in objects for text in map(node.get, REFERENCES) if isinstance(text, str)]
        longest = max((text.count("/") for text in references), default=0)
        # The library looks through the whole schema for every anchor and $id, and for the base of all that has an $id.
        inner = any(isinstance(node.get("$id"), str) for node in objects if node is not schema)
        searched = inner or any(text != "#" and text[:2] != "#/" for text in references)
        named = sum(map(len, objects)) if searched else 0
        branches = 1 + sum(len(node) for node in objects if any(name in node for name in _UNSEEN))
        return cls(longest * longest // 50 + named * 3, branches, patterns)

    def gathered(self, instance: Any) -> int:
        """What each schema that is applied while ``unevaluated`` keywords look at a value may add to their work.

        They gather in one list, out of our sight, what all schemas of a place looked at, and search it for each part.
        """
        if type(instance) not in (dict, list):
            return 0
        searches = _searched_keys(dict.fromkeys(self.patterns), instance)
        return self.reference + self.branches * len(instance) ** 2 // 100 + searches


REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
UNEVALUATED: Final = ("unevaluatedItems", "unevaluatedProperties")
_UNSEEN: Final = ("dependentSchemas", "then", "else")


def _patterns(value: Any) -> Iterable[str]:
    return filter(lambda key: isinstance(key, str), value) if isinstance(value, dict) else ()


def search_steps(pattern: str, text: str) -> int:
    """The price of one search.

    Raises:
        SchemaError: the pattern is too long, or no bound of the search is known, or the bound is too high.
    """
    if len(pattern) > _MAX_PATTERN:
        raise SchemaError("costly-pattern", f"the pattern {clip(pattern)} has more than {_MAX_PATTERN} characters")
    cost = search_cost(pattern, len(text))
    price = cost / _SEARCH_STEPS
    if price > _CHEAP and (count := counted(pattern, text)):
        cost = min(cost, count.steps)
        price = min(price, count.steps / _SEARCH_STEPS + count.cells / 10)
    if cost > _MAX_SEARCH:
        raise SchemaError("costly-pattern", f"the pattern {clip(pattern)} may take too long")
    return int(price)


# Prices: (value of the keyword, instance) -> steps -------------------------------------------------------------------


def _searched_keys(patterns: Any, instance: Any) -> int:
    """Every pattern in every key."""
    if not isinstance(patterns, dict) or not isinstance(instance, dict):
        return 0
    keys = [key for key in instance if isinstance(key, str)]
    longest = max(map(len, keys), default=0)
    steps = 0
    for pattern in _patterns(patterns):
        steps += len(instance)
        if len(pattern) <= _MAX_PATTERN and search_cost(pattern, longest) <= _CHEAP * _SEARCH_STEPS:
            steps += int(search_cost(pattern, longest) / _SEARCH_STEPS) * len(keys)
            continue
        for key in keys:
            steps += search_steps(pattern, key)
            if steps > MAX_STEPS:
                return steps
    return steps


def _searched(pattern: Any, instance: Any) -> int:
    return search_steps(pattern, instance) if isinstance(pattern, str) and isinstance(instance, str) else 0


def _pairs(wanted: Any, instance: Any) -> int:
    """Values that sort are compared with their neighbours, all others pairwise and to the last of their parts."""
    if not wanted or not isinstance(instance, list):
        return 0
    if all(type(item) is str for item in instance) or all(type(item) in (int, float) for item in instance):
        return len(instance) // 10
    size = measure(instance)
    if size is None:
        return MAX_STEPS
    # Two containers take the library ten times as long to tell apart as two scalars.
    return len(instance) * ((size.nodes - size.leaves) // 8 + size.leaves // 50)


def _compared(wanted: Any, instance: Any) -> int:
    if not isinstance(instance, CONTAINERS):
        return len(wanted) // 10 if isinstance(wanted, list) else 0
    size = measure(wanted)
    return (size.nodes if size else MAX_STEPS) // 3


def _counted(value: Any, instance: Any) -> int:
    return len(value) // 20 if isinstance(value, list | dict) else 0


def _each(value: Any, instance: Any) -> int:
    return len(instance) // 10 if isinstance(instance, list | dict) else 0


def _listed(value: Any, instance: Any) -> int:
    if not isinstance(value, dict):
        return 0
    return (len(value) + sum(len(names) for names in value.values() if isinstance(names, list))) // 10


PRICES: Final[Mapping[str, Callable[[Any, Any], int]]] = {
    "pattern": _searched,
    "patternProperties": _searched_keys,
    "uniqueItems": _pairs,
    "const": _compared,
    "enum": _compared,
    **dict.fromkeys(("required", "properties", "dependentSchemas", "prefixItems"), _counted),
    **dict.fromkeys(("items", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"), _each),
    **dict.fromkeys(("dependentRequired", "dependencies"), _listed),
}
