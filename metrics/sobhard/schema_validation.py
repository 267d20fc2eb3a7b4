"""A JSON Schema validator for draft 2020-12, bounded, that opens nothing (SOBHard contract, constraint 28 and 11.4).

Small rather than general: it answers yes or no. References resolve inside the schema alone, patterns are matched only
where a bound of their cost is known, and every step is counted; whatever breaks a bound does not validate.
"""

from collections.abc import Callable, Mapping, Sized
from fractions import Fraction
from typing import Any, Final
from urllib.parse import unquote

from metrics.sobhard.schema_shape import compile_pattern, search_cost, shape_problem, subschemas
from metrics.sobhard.values import is_number
from metrics.sobhard.wording import clip

__all__ = ["SchemaError", "accepts"]

_MAX_STEPS: Final = 300_000
_MAX_DEPTH: Final = 150  # of schemas applied inside each other
_MAX_SEARCH: Final = 1_000_000.0  # estimated steps of one pattern search


class SchemaError(ValueError):
    """The schema is invalid, refers outside itself, or would take too long to apply.

    Attributes:
        code: ``invalid-schema``, ``foreign-reference``, ``costly-pattern``, ``unsupported-keyword``, ``too-costly``.
    """

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        super().__init__(reason)


def accepts(schema: Any, instance: Any) -> bool:
    """Whether a schema accepts a JSON value.

    Raises:
        SchemaError: the schema cannot be used.
    """
    problem = shape_problem(schema)
    if problem:
        raise SchemaError("invalid-schema", problem)
    return _Validator(schema).valid(schema, instance)


class _Validator:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = _MAX_STEPS
        self._depth = 0

    def spend(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left < 0:
            raise SchemaError("too-costly", f"validation takes more than {_MAX_STEPS} steps")

    def valid(self, schema: Any, instance: Any) -> bool:
        """One schema against one value."""
        self.spend()
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            raise SchemaError("invalid-schema", "a reference leads to something that is no schema")
        if self._depth >= _MAX_DEPTH:
            raise SchemaError("too-costly", f"more than {_MAX_DEPTH} schemas apply inside each other")
        self._depth += 1
        for key, value in schema.items():
            self.spend()
            check = _KEYWORDS.get(key) if isinstance(key, str) else None
            if check is not None and not check(self, value, instance, schema):
                self._depth -= 1
                return False
        self._depth -= 1
        return True

    def resolve(self, reference: str) -> Any:
        """The schema inside the root that a reference names."""
        base, _, fragment = reference.partition("#")
        own = self._root.get("$id") if isinstance(self._root, dict) else None
        if base and base != (own.partition("#")[0] if isinstance(own, str) else None):
            raise SchemaError("foreign-reference", f"the reference {clip(reference)} leads outside the schema")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchored(fragment)
        target = self._root
        for part in fragment.split("/")[1:]:
            self.spend()
            name = part.replace("~1", "/").replace("~0", "~")
            try:
                target = target[int(name)] if isinstance(target, list) else target[name]
            except (LookupError, TypeError, ValueError):
                raise SchemaError("invalid-schema", f"the reference {clip(reference)} leads nowhere") from None
        return target

    def _anchored(self, name: str) -> Any:
        seen: set[int] = set()
        stack = [self._root]
        while stack:
            current = stack.pop()
            if not isinstance(current, dict) or id(current) in seen:
                continue
            self.spend()
            seen.add(id(current))
            if name in (current.get("$anchor"), current.get("$dynamicAnchor")):
                return current
            stack.extend(subschemas(current))
        raise SchemaError("invalid-schema", f"the anchor {clip(name)} is not there")

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern occurs in a text."""
        cost = search_cost(pattern, len(text))
        if cost > _MAX_SEARCH:
            raise SchemaError("costly-pattern", f"the pattern {clip(pattern)} may take too long")
        self.spend(1 + int(cost / 50))
        compiled = compile_pattern(pattern)
        if compiled is None:
            raise SchemaError("invalid-schema", f"the pattern {clip(pattern)} is not valid")
        return compiled.search(text) is not None

    def equal(self, a: Any, b: Any) -> bool:
        """JSON equality: booleans are no numbers, 1 is 1.0."""
        self.spend()
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(self.equal, a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self.equal(value, b[key]) for key, value in a.items())
        if isinstance(a, bool) or isinstance(b, bool):
            return a is b
        return bool(a == b)

    def distinct(self, values: list[Any]) -> bool:
        """Whether no two values are equal."""
        return not any(self.equal(a, b) for i, a in enumerate(values) for b in values[:i])


Check = Callable[[_Validator, Any, Any, dict[Any, Any]], bool]


def _has_type(name: str, value: Any) -> bool:
    if name == "integer":
        return type(value) is int or (type(value) is float and value.is_integer())
    if name == "number":
        return is_number(value)
    kinds = {"array": list, "boolean": bool, "null": type(None), "object": dict, "string": str}
    return isinstance(value, kinds[name])


def _type(v: _Validator, names: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return any(_has_type(name, value) for name in ([names] if isinstance(names, str) else names))


def _properties(v: _Validator, named: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return not isinstance(value, dict) or all(v.valid(sub, value[key]) for key, sub in named.items() if key in value)


def _pattern_properties(v: _Validator, patterns: Any, value: Any, schema: dict[Any, Any]) -> bool:
    if not isinstance(value, dict):
        return True
    return all(
        v.valid(sub, entry)
        for pattern, sub in patterns.items()
        for key, entry in value.items()
        if v.matches(pattern, key)
    )


def _additional(v: _Validator, rest: Any, value: Any, schema: dict[Any, Any]) -> bool:
    if not isinstance(value, dict):
        return True
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in value if key not in named and not any(v.matches(pattern, key) for pattern in patterns)]
    return all(v.valid(rest, value[key]) for key in extra)


def _names(v: _Validator, rule: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return not isinstance(value, dict) or all(v.valid(rule, key) for key in value)


def _required(v: _Validator, names: Any, value: Any, schema: dict[Any, Any]) -> bool:
    v.spend(len(names) // 10)
    return not isinstance(value, dict) or all(name in value for name in names)


def _dependent_required(v: _Validator, rules: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return not isinstance(value, dict) or all(
        name in value for key, names in rules.items() if key in value for name in names
    )


def _dependent_schemas(v: _Validator, rules: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return not isinstance(value, dict) or all(v.valid(sub, value) for key, sub in rules.items() if key in value)


def _prefix_items(v: _Validator, subs: Any, value: Any, schema: dict[Any, Any]) -> bool:
    return not isinstance(value, list) or all(v.valid(sub, item) for sub, item in zip(subs, value, strict=False))


def _items(v: _Validator, sub: Any, value: Any, schema: dict[Any, Any]) -> bool:
    start = len(schema.get("prefixItems", []))
    return not isinstance(value, list) or all(v.valid(sub, item) for item in value[start:])


def _contains(v: _Validator, sub: Any, value: Any, schema: dict[Any, Any]) -> bool:
    if not isinstance(value, list):
        return True
    found = sum(v.valid(sub, item) for item in value)
    return bool(schema.get("minContains", 1) <= found <= schema.get("maxContains", found))


def _if(v: _Validator, condition: Any, value: Any, schema: dict[Any, Any]) -> bool:
    branch = "then" if v.valid(condition, value) else "else"
    return branch not in schema or v.valid(schema[branch], value)


def _multiple_of(v: _Validator, step: Any, value: Any, schema: dict[Any, Any]) -> bool:
    if not is_number(value):
        return True
    if isinstance(step, float):
        quotient = value / step
        try:
            return bool(int(quotient) == quotient)
        except OverflowError:
            return Fraction(value) % Fraction(step) == 0
    return bool(value % step == 0)


def _unsupported(v: _Validator, value: Any, instance: Any, schema: dict[Any, Any]) -> bool:
    raise SchemaError("unsupported-keyword", "unevaluatedItems and unevaluatedProperties are not read here")


def _number(holds: Callable[[Any, Any], bool]) -> Check:
    return lambda v, limit, value, schema: not is_number(value) or holds(value, limit)


def _size(kind: type[Sized], holds: Callable[[int, Any], bool]) -> Check:
    return lambda v, limit, value, schema: not isinstance(value, kind) or holds(len(value), limit)


_KEYWORDS: Final[Mapping[str, Check]] = {
    "$ref": lambda v, reference, value, schema: v.valid(v.resolve(reference), value),
    "$dynamicRef": lambda v, reference, value, schema: v.valid(v.resolve(reference), value),
    "type": _type,
    "const": lambda v, wanted, value, schema: v.equal(value, wanted),
    "enum": lambda v, wanted, value, schema: any(v.equal(value, entry) for entry in wanted),
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "allOf": lambda v, subs, value, schema: all(v.valid(sub, value) for sub in subs),
    "anyOf": lambda v, subs, value, schema: any(v.valid(sub, value) for sub in subs),
    "oneOf": lambda v, subs, value, schema: sum(v.valid(sub, value) for sub in subs) == 1,
    "not": lambda v, sub, value, schema: not v.valid(sub, value),
    "if": _if,
    "unevaluatedItems": _unsupported,
    "unevaluatedProperties": _unsupported,
    "minimum": _number(lambda value, limit: value >= limit),
    "maximum": _number(lambda value, limit: value <= limit),
    "exclusiveMinimum": _number(lambda value, limit: value > limit),
    "exclusiveMaximum": _number(lambda value, limit: value < limit),
    "multipleOf": _multiple_of,
    "minLength": _size(str, lambda size, limit: size >= limit),
    "maxLength": _size(str, lambda size, limit: size <= limit),
    "pattern": lambda v, pattern, value, schema: not isinstance(value, str) or v.matches(pattern, value),
    "minItems": _size(list, lambda size, limit: size >= limit),
    "maxItems": _size(list, lambda size, limit: size <= limit),
    "uniqueItems": lambda v, wanted, value, schema: not wanted or not isinstance(value, list) or v.distinct(value),
    "minProperties": _size(dict, lambda size, limit: size >= limit),
    "maxProperties": _size(dict, lambda size, limit: size <= limit),
}
