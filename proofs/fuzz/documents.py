"""Documents of the six notations that SOBHard's answers are written in: valid ones, to be broken at a place."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from proofs.fuzz.pieces import ENGLISH, ODD, RUSSIAN
from proofs.fuzz.values import nested

__all__ = ["NOTATIONS", "document", "schema", "tree"]

_SCALARS: Final = (
    None,
    True,
    False,
    0,
    1,
    -7,
    3.5,
    1e21,
    0.1,
    "",
    "1",
    "007",
    "null",
    "да",
    "it's",
    'a"b',
    "a: b",
    "# c",
    "- d",
    "x\ny",
    "2024-05-01",
)
_DEPTH: Final = 3


def _scalar(source: Random) -> Any:
    kind = source.random()
    if kind < 0.5:
        return source.choice(_SCALARS)
    return source.choice(RUSSIAN if kind < 0.8 else ENGLISH) if kind < 0.95 else source.choice(ODD[-30:])


def _key(source: Random) -> str:
    return (
        source.choice(ENGLISH if source.random() < 0.6 else RUSSIAN) if source.random() < 0.9 else str(_scalar(source))
    )


def tree(source: Random, depth: int = _DEPTH) -> Any:
    """A JSON value of at most so many levels."""
    kind = source.random()
    if depth and kind < 0.4:
        return {_key(source): tree(source, depth - 1) for _ in range(source.randrange(4))}
    if depth and kind < 0.6:
        return [tree(source, depth - 1) for _ in range(source.randrange(4))]
    return _scalar(source)


def _table(source: Random) -> dict[str, Any]:
    return {_key(source): tree(source, _DEPTH - 1) for _ in range(source.randrange(1, 5))}


def _json(source: Random) -> str:
    if source.random() < 0.03:
        return nested(source)
    indent = source.choice((None, None, 1, 2))
    return json.dumps(tree(source), ensure_ascii=source.random() < 0.2, indent=indent)


def _jsonl(source: Random) -> str:
    return "\n".join(json.dumps(_table(source), ensure_ascii=False) for _ in range(source.randrange(4)))


def _plain(source: Random, value: Any) -> str:
    """A scalar of YAML in one of its styles."""
    if not isinstance(value, str):
        return json.dumps(value)
    style = source.random()
    if style < 0.3:
        return "'" + value.replace("'", "''") + "'"
    if style < 0.5 or "\n" in value:
        return json.dumps(value, ensure_ascii=False)
    return value or "''"


def _yaml_lines(source: Random, value: Any, pad: str) -> list[str]:
    if isinstance(value, dict) and value:
        rows: list[str] = []
        for key, inner in value.items():
            rows += _yaml_entry(source, f"{pad}{_plain(source, key)}:", inner, pad)
        return rows
    if isinstance(value, list) and value:
        rows = []
        for inner in value:
            rows += _yaml_entry(source, f"{pad}-", inner, pad)
        return rows
    return [pad + (json.dumps(value) if isinstance(value, dict | list) else _plain(source, value))]


def _yaml_entry(source: Random, start: str, value: Any, pad: str) -> list[str]:
    kind = source.random()
    if kind < 0.05:
        start += source.choice((" &a", " !!str", " &b", " !!int", " !x"))
    elif kind < 0.08:
        return [f"{start} {source.choice(('*a', '*b', '|', '>-', '|+', '<<: *a'))}", f"{pad}  x"][
            : source.choice((1, 2))
        ]
    if isinstance(value, dict | list) and value and source.random() < 0.8:
        return [start, *_yaml_lines(source, value, pad + "  ")]
    if isinstance(value, dict | list):
        return [f"{start} {json.dumps(value, ensure_ascii=False)}"]
    if isinstance(value, str) and "\n" in value and source.random() < 0.5:
        return [
            f"{start} {source.choice(('|', '|-', '>', '>+', '|2'))}",
            *(f"{pad}  {line}" for line in value.split("\n")),
        ]
    return [f"{start} {_plain(source, value)}{source.choice(('', '', '', ' # c'))}"]


def _yaml(source: Random) -> str:
    text = "\n".join(_yaml_lines(source, tree(source), ""))
    return source.choice(("---\n", "%YAML 1.1\n---\n", "", "", "", "", "\n")) + text


def _toml_value(source: Random, value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(k)} = {_toml_value(source, v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(source, inner) for inner in value) + source.choice(("", "", ",")) + "]"
    if value is None:
        return source.choice(("1979-05-27T07:32:00Z", "07:32:00", "1979-05-27", "inf", "nan", "0x1F", "0o7", "1_000"))
    if isinstance(value, str):
        form = source.random()
        if form < 0.15 and "'" not in value and "\n" not in value:
            return f"'{value}'"
        return f'"""{value}"""' if form < 0.25 and '"' not in value else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _toml_key(key: str) -> str:
    return key if key.isascii() and key.isalnum() else json.dumps(key, ensure_ascii=False)


def _toml(source: Random) -> str:
    rows = [f"{_toml_key(key)} = {_toml_value(source, value)}" for key, value in _table(source).items()]
    for _ in range(source.randrange(3)):
        name = ".".join(_toml_key(_key(source)) for _ in range(source.choice((1, 1, 2))))
        rows.append(f"[{name}]" if source.random() < 0.7 else f"[[{name}]]")
        rows += [f"{_toml_key(key)} = {_toml_value(source, value)}" for key, value in _table(source).items()]
    return "\n".join(rows)


def _properties(source: Random) -> str:
    joint = source.choice((" = ", "=", ": ", " "))
    rows = [f"{_key(source)}.{_key(source)}{joint}{_scalar(source)}" for _ in range(source.randrange(1, 6))]
    return "\n".join([*rows, *source.choices(("# c", "! c", "", "a = b\\", "a\\=b = c"), k=source.randrange(2))])


def _sqlinsert(source: Random) -> str:
    columns = [_key(source) for _ in range(source.randrange(1, 4))]
    rows = []
    for _ in range(source.randrange(1, 4)):
        cells = [_scalar(source) for _ in columns]
        shown = ["NULL" if cell is None else "'" + str(cell).replace("'", "''") + "'" for cell in cells]
        rows.append(f"INSERT INTO records ({', '.join(columns)}) VALUES ({', '.join(shown)});")
    return "\n".join(rows)


NOTATIONS: Final[Mapping[str, Callable[[Random], str]]] = {
    "json": _json,
    "jsonl": _jsonl,
    "yaml": _yaml,
    "toml": _toml,
    "properties": _properties,
    "sqlinsert": _sqlinsert,
}


def document(source: Random, notation: str) -> str:
    """A valid document of a notation, as a rule."""
    return NOTATIONS[notation](source)


_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null", ["string", "null"], "any", 1)
_BOUNDS: Final = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "exclusiveMaximum",
    "multipleOf",
    "minProperties",
    "minContains",
)
_INSIDE: Final = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_PATTERNS: Final = ("^a", "(a+)+$", "(", "[а-я]+", ".*.*.*x", "\\d{1,9}", "(?i)a", "^(\\w+\\s?)*$", "a{1,99999}")
_REFERENCES: Final = ("#", "#/$defs/a", "#a", "#/properties/a", "http://x/y", "file:///x", "", "#/$defs/%61", "#/x/y")


def schema(source: Random, depth: int = 3) -> Any:
    """A JSON Schema: many keywords, some against their own rules."""
    if source.random() < 0.06:
        return source.choice((True, False, None, 1, "x", []))
    found: dict[str, Any] = {"type": source.choice(_TYPES)} if source.random() < 0.7 else {}
    for _ in range(source.randrange(4)):
        kind = source.random()
        if kind < 0.3 and depth:
            found["properties"] = {_key(source): schema(source, depth - 1) for _ in range(source.randrange(3))}
            found["required"] = sorted(found["properties"]) if source.random() < 0.7 else [_key(source)]
        elif kind < 0.45 and depth:
            found[source.choice(_INSIDE)] = schema(source, depth - 1)
        elif kind < 0.6 and depth:
            found[source.choice(_LISTS)] = [schema(source, depth - 1) for _ in range(source.randrange(3))]
        elif kind < 0.7:
            found[source.choice(_BOUNDS)] = source.choice((0, 1, 2, 5, -1, 0.1, 1e308, "1", None))
        elif kind < 0.78:
            found["pattern" if source.random() < 0.6 else "format"] = source.choice(_PATTERNS)
        elif kind < 0.86 and depth:
            name = source.choice(("$defs", "patternProperties", "dependentSchemas", "definitions"))
            found[name] = {source.choice(("a", *_PATTERNS)): schema(source, depth - 1)}
        elif kind < 0.94:
            found[source.choice(("$ref", "$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema"))] = (
                source.choice(_REFERENCES)
            )
        else:
            found[source.choice(("enum", "const", "uniqueItems"))] = source.choice(
                ([1, "a"], [], True, [[1], [True]], "a")
            )
    return found
