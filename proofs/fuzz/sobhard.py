"""SOBHard: rows and answers under the constraints, texts under the six parsers, schemas and values."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import tasks.sobhard
from metrics.row_error import RowError
from metrics.sobhard.constraints import CONSTRAINTS, LAYERS, Constraint, evaluate
from metrics.sobhard.context import Context, Packaging, parsed_body
from metrics.sobhard.extraction import unpack
from metrics.sobhard.row_checks import check_scoring
from metrics.sobhard.rows import question, scoring_key
from metrics.sobhard.schema_validation import SchemaError, accepts
from metrics.sobhard.targets import TARGETS, parse
from proofs.fuzz.documents import NOTATIONS, document, schema
from proofs.fuzz.group import Check, Group, Input, wholesome
from proofs.fuzz.mutation import edited, soup
from proofs.fuzz.prose import answer
from proofs.fuzz.values import anything, nested, spoiled

__all__ = ["NOTATION_TEXTS", "SCHEMAS", "SOBHARD"]

_ROWS: Final = "data/test.jsonl"
_TURNS: Final = 12  # inputs one after another with one row: to prepare a row takes longer than to judge an answer
_REPEATED: Final = 60  # how often the records of a long row stand there
_NAMES: Final = (
    *(
        "source",
        "source_b",
        "derived",
        "gates",
        "program",
        "rule",
        "params",
        "field",
        "op",
        "value",
        "path",
        "join",
        "key",
    ),
    *(
        "winner",
        "order",
        "paths",
        "absent",
        "ops",
        "session",
        "turn_index",
        "schema_kind",
        "added",
        "removed",
        "changed",
    ),
    *("было", "стало", "has_escape", "fields", "n", "numeric", "source_canonical", "prev_state", "unmatched_a"),
)
_ROWS_TARGET: Final = "rows"


@cache
def _rows() -> tuple[dict[str, Any], ...]:
    """The rows of the committed set, each with the fields that a score depends on."""
    path = Path(tasks.sobhard.__path__[0]) / _ROWS
    return tuple(json.loads(scoring_key(json.loads(line))) for line in path.read_text("utf-8").splitlines())


def _drawn_row(source: Random) -> dict[str, Any]:
    """A row as it is; with a place of its data spoiled; with another notation; or with a long reference."""
    families = sorted({row["family"] for row in _rows()})
    family = source.choice(families)
    row = dict(source.choice([row for row in _rows() if row["family"] == family]))
    kind = source.random()
    if kind < 0.3:
        name = source.choice(("checks", "task_meta"))
        row[name] = json.dumps(spoiled(source, json.loads(row[name] or "{}"), _NAMES))
    elif kind < 0.36:
        row["target_format"] = source.choice(tuple(TARGETS))
        row["reference"], row["outputs"], row["fence_tag"] = document(source, row["target_format"]), "", ""
    elif kind < 0.38:
        row["reference"], row["outputs"] = _long(row["target_format"], source), ""
    elif kind < 0.40:
        name = source.choice(tuple(row))
        row[name] = edited(source, row[name])
    return row


def _long(notation: str, source: Random) -> str:
    """A document of some thousand characters."""
    if notation in ("json", "toml"):
        rows = ",\n".join(f'{{"n": {n}, "имя": "запись {n}"}}' for n in range(_REPEATED))
        return f"r = [{rows}]".replace('":', '" =') if notation == "toml" else f"[{rows}]"
    if notation == "yaml":
        return "\n".join(f"- n: {n}\n  имя: запись {n}" for n in range(_REPEATED))
    return "\n".join(document(source, notation) for _ in range(_REPEATED))


class _SOBHard(Group):
    """Answers to rows, under every constraint that applies."""

    name = "sobhard"
    targets = (_ROWS_TARGET, *CONSTRAINTS)

    def __init__(self) -> None:
        self._row = ""
        self._answer = ""
        self._notation = "json"
        self._left = 0

    def fresh(self, source: Random) -> Input:
        if not self._left:
            row = _drawn_row(source)
            self._row, self._left = json.dumps(row, ensure_ascii=False), _TURNS
            self._notation = row["target_format"] if row["target_format"] in NOTATIONS else "json"
            self._answer = row["outputs"] or f"```{row['fence_tag']}\n{row['reference']}\n```"
        self._left -= 1
        return {"text": self._text(source), "row": self._row}

    def varied(self, source: Random, given: Input) -> Input:
        return {**given, "text": edited(source, given["text"], (self._answer,))}

    def _text(self, source: Random) -> str:
        kind = source.random()
        if kind < 0.08:
            return self._answer
        if kind < 0.7:
            return edited(source, self._answer, (self._answer,))
        if kind < 0.92:
            made = (
                json.dumps(schema(source))
                if '"schema_gen"' in self._row and kind < 0.85
                else document(source, self._notation)
            )
            return f"```{source.choice((self._notation, 'sql', '', 'json'))}\n{made}\n```"
        return answer(source)

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        try:
            asked = question(given["row"])
            if asked.blanked or asked.gold is None:
                raise RowError("no reference")
        except RowError:
            yield _ROWS_TARGET, lambda: _checked(given["row"])
            return
        yield _ROWS_TARGET, lambda: _checked(given["row"])
        packaging = Packaging(asked, unpack(given["text"].lstrip(), asked.tag))
        context = Context(asked, parsed_body(asked, packaging.package))
        for name, constraint in CONSTRAINTS.items():
            read = packaging if constraint.layer == LAYERS[0] else context
            yield name, lambda constraint=constraint, read=read: _judged(constraint, read)  # type: ignore[misc]


def _checked(row: str) -> str:
    """A row is taken or refused by name, and no answer's verdict raises either way."""
    try:
        check_scoring(row)
    except RowError as error:
        return f"refused {error.args[0]!s:.40}"
    return "taken"


def _judged(constraint: Constraint, read: Packaging | Context) -> str:
    verdict = evaluate(constraint, read)
    return "" if verdict is None else wholesome(verdict)


class _Notations(Group):
    """Texts of the six notations, each for its own parser."""

    name = "notations"
    targets = tuple(TARGETS)

    def fresh(self, source: Random) -> Input:
        notation = source.choice(self.targets)
        kind = source.random()
        text = soup(source) if kind < 0.05 else document(source, notation)
        return {"text": text if kind > 0.5 else edited(source, text), "notation": notation}

    def varied(self, source: Random, given: Input) -> Input:
        notation = source.choice(self.targets) if source.random() < 0.05 else given["notation"]
        return {"text": edited(source, given["text"], (document(source, notation),)), "notation": notation}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        notation = given["notation"]
        yield notation, lambda: _parsed(notation, given["text"])


def _parsed(notation: str, text: str) -> str:
    found = parse(TARGETS[notation], text)
    if found.value is not None:
        return f"ok {type(found.value).__name__} {found.shared}"
    if not found.reason or not found.reason.isprintable() or len(found.reason) > 700:
        raise AssertionError(f"a reason that cannot be printed: {found.reason[:1_000]!a}")
    return f"{found.code} {found.reason[:40]}"


class _Schemas(Group):
    """Schemas as answers in the notations that keep types, each with a value that it may accept."""

    name = "schemas"
    targets = ("validation",)

    def fresh(self, source: Random) -> Input:
        text = nested(source) if source.random() < 0.01 else json.dumps(schema(source))
        notation = "yaml" if source.random() < 0.2 else "json"
        text = _aliased(source, text) if notation == "yaml" else text
        return {
            "text": text if source.random() < 0.7 else edited(source, text),
            "notation": notation,
            "value": anything(source, 3),
        }

    def varied(self, source: Random, given: Input) -> Input:
        value = anything(source, 3) if source.random() < 0.5 else given["value"]
        return {**given, "text": edited(source, given["text"]), "value": value}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        found = parse(TARGETS[given["notation"]], given["text"]).value
        yield "validation", lambda: _accepted(found, given["value"])


def _aliased(source: Random, text: str) -> str:
    """An object of JSON in which some values are aliases of earlier ones, as YAML has them."""
    for name in "ab"[: source.choice((0, 1, 1, 2))]:
        places = [place + 2 for place in range(len(text)) if text.startswith(": ", place)]
        if len(places) > 1:
            first, *later = sorted(source.sample(places, min(len(places), source.choice((2, 2, 3)))))
            for number, place in reversed(list(enumerate(later))):
                text = f'{text[:place]}*{name}, "{name}{number}": {text[place:]}'
            text = f"{text[:first]}&{name} {text[first:]}"
    return text


def _accepted(found: Any, value: Any) -> str:
    """Whether the schema accepts the value, or why it cannot be used."""
    try:
        return f"accepts {accepts(found, value)}"
    except SchemaError as error:
        return f"{error.code} {error!s:.60}"


SOBHARD: Final = _SOBHard()
NOTATION_TEXTS: Final = _Notations()
SCHEMAS: Final = _Schemas()
