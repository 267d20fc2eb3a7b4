"""The library's validators with a meter in them, and the metaschema as one flat schema."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import referencing
import referencing.exceptions
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY

from metrics.sobhard.schema_costs import PRICES, REFERENCES, UNEVALUATED, SchemaError, Survey
from metrics.sobhard.targets.parsed import on_fresh_stack
from metrics.sobhard.values import CONTAINERS
from metrics.sobhard.wording import clip, place, shown

__all__ = ["check", "is_valid", "keywords"]

_METASCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"
_MAX_FRAMES: Final = 800  # of the thousand that Python allows: schemas nested some 75 deep fit
_LOOKS: Final = 8  # schemas applied between two looks at the stack; each takes five frames at most
_WRITTEN: Final = 400  # characters of an error's message that take a step to write


@functools.cache
def keywords() -> frozenset[str]:
    """Every keyword of draft 2020-12 that the library looks at."""
    return frozenset(Draft202012Validator.VALIDATORS)


def check(schema: Any, budget: int) -> None:
    """Whether a value is a schema of draft 2020-12.

    Raises:
        SchemaError: it is none.
    """
    meter = _Meter(Survey(1, 1, frozenset()), budget, formats=("regex",))
    validator = _metered(Draft202012Validator)(flat_metaschema(), registry=referencing.Registry(), format_checker=meter)
    error = next(validator.iter_errors(schema), None)
    if error is not None:
        found = f"at {place(tuple(error.absolute_path))}, {shown(error.instance)} breaks the rule {error.validator}"
        raise SchemaError("invalid-schema", f"no schema of draft 2020-12: {found}")


def is_valid(schema: Any, instance: Any, survey: Survey, budget: int) -> bool:
    """Whether a schema accepts a value.

    Raises:
        SchemaError: a reference leads outside or nowhere, or the budget is spent.
    """
    validator = _metered(Draft202012Validator)(
        schema, registry=referencing.Registry(), format_checker=_Meter(survey, budget)
    )
    try:
        return bool(validator.is_valid(instance))
    except referencing.exceptions.Unresolvable as error:
        cause = error.__cause__ if isinstance(error.__cause__, referencing.exceptions.Unresolvable) else error
        where = clip(str(cause.ref))
        if type(cause) is referencing.exceptions.Unresolvable:
            raise SchemaError("foreign-reference", f"the reference {where} leads outside the schema") from None
        raise SchemaError("invalid-schema", f"the reference {where} leads nowhere") from None


class _Meter(FormatChecker):
    """Counts steps. The library hands its format checker on from validator to validator, so all of them count here.

    Values are not checked for formats, as in the official scorer; only patterns of schemas are (``regex``).
    """

    def __init__(self, survey: Survey, budget: int, formats: tuple[str, ...] = ()) -> None:
        super().__init__(formats)
        self.survey = survey
        self._budget = self._left = budget
        self._entered = 0
        self.gathering = 0  # what each application costs more while unevaluated keywords look at a value
        self._lengths: dict[int, tuple[int, Any]] = {}  # with their values: so that no id is used again
        self.validators: dict[tuple[int, int], tuple[Any, Any, Any]] = {}

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises:
            SchemaError: there were too many.
        """
        self._left -= steps
        if self._left < 0:
            raise SchemaError("too-costly", f"validation takes more than {self._budget} steps")

    def enter(self, schema: Any) -> None:
        """Count the application of a schema, and the look at each of its keywords, known or not.

        Raises:
            SchemaError: there were too many, or they stand too deep inside each other.
        """
        self.spend(1 + self.gathering + (len(schema) // 20 if isinstance(schema, dict) else 0))
        self._entered += 1
        if self._entered % _LOOKS == 0 and _is_deep():
            reason = "schemas apply inside each other too deeply, as where a reference leads to itself"
            raise SchemaError("too-costly", reason)

    def check(self, instance: object, format: str) -> None:
        """Check a format, after counting what compiling a pattern of that length may take.

        Python keeps compiled patterns: on the library's deep stack some would compile only if they had before.
        """
        self.spend(len(instance) // 5 if isinstance(instance, str) else 0)
        on_fresh_stack(lambda text: FormatChecker.check(self, text, format), instance)

    def written(self, value: Any) -> int:
        """The price of a value in an error's message."""
        if not isinstance(value, CONTAINERS):
            return len(value) // _WRITTEN if isinstance(value, str) else 0
        known = self._lengths.get(id(value))
        if known is None:
            known = self._lengths[id(value)] = len(repr(value)), value
        return known[0] // _WRITTEN


def _is_deep() -> bool:
    """Whether the stack is about to end. What the library calls in Rust would not raise there but panic."""
    try:
        sys._getframe(_MAX_FRAMES)
    except ValueError:
        return False
    return True


Keyword = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


@functools.cache
def _metered(library: Any) -> Any:
    """A validator class of the library whose every step is counted.

    A schema that names another draft inside is applied by the validators of that draft, as the library does.
    """
    metered = extend(library, {name: _priced(name, keyword) for name, keyword in library.VALIDATORS.items()})

    def evolve(self: Any, **changes: Any) -> Any:
        meter, schema = self.format_checker, changes.get("schema", self.schema)
        meter.enter(schema)
        resolver = changes.get("_resolver", self._resolver)
        key = id(schema), id(resolver)
        known = meter.validators.get(key)
        if known is None:
            kind = validator_for(schema, default=metered)
            made = (kind if kind is metered else _metered(kind))(
                schema, registry=self._registry, format_checker=meter, _resolver=resolver
            )
            known = meter.validators[key] = made, schema, resolver  # the last two: so that no id is used again
        return known[0]

    metered.evolve = evolve
    return metered


def _priced(name: str, keyword: Keyword) -> Keyword:
    price = PRICES.get(name)
    refers = name in REFERENCES
    gathers = name in UNEVALUATED
    branches = name in ("anyOf", "oneOf", "not", "if")
    if name == "additionalProperties":
        keyword = _in_order(keyword)

    def priced(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        meter = validator.format_checker
        gathering = meter.survey.gathered(instance) if gathers else 0
        if price is not None:
            meter.spend(1 + gathering + price(value, instance))
        elif refers:
            meter.spend(1 + meter.survey.reference)
        elif branches:
            refused = sum(branch is False for branch in (value if isinstance(value, list) else [value]))
            meter.spend(1 + refused * (1 + meter.written(instance)))
        elif name == "additionalProperties":
            meter.spend(_told_apart(schema, instance))
        else:
            meter.spend(len(value) // 8 if isinstance(value, list) else 0)
        meter.gathering += gathering
        try:
            for error in keyword(validator, value, instance, schema) or ():
                # New errors and those of the schema false hold the instance in words; all others were counted below.
                if not error.path and not error.schema_path:
                    meter.spend(1 + meter.written(instance) + meter.written(value))
                yield error
        finally:
            meter.gathering -= gathering

    return priced


def _told_apart(schema: Mapping[str, Any], instance: Any) -> int:
    """The price of finding the additional properties."""
    if not isinstance(instance, dict):
        return 0
    patterns = schema.get("patternProperties")
    searched = 1 + PRICES["patternProperties"](patterns, instance) if isinstance(patterns, dict) else 0
    return len(instance) // 5 + searched


def _in_order(keyword: Keyword) -> Keyword:
    """``additionalProperties`` a property at a time: the library takes them in a set's order, which changes by run."""

    def ordered(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if not isinstance(instance, dict) or not isinstance(value, dict):
            yield from keyword(validator, value, instance, schema) or ()
            return
        for name, entry in instance.items():
            yield from keyword(validator, value, {name: entry}, schema) or ()

    return ordered


@functools.cache
def flat_metaschema() -> Mapping[str, Any]:
    """The library's metaschema with its vocabularies in one schema: the same rules in a sixth of the steps."""
    root = REGISTRY.contents(_METASCHEMA)
    parts = [REGISTRY.contents(f"{_METASCHEMA.rpartition('/')[0]}/{part['$ref']}") for part in root["allOf"]]
    flat: dict[str, Any] = {"type": root["type"], "properties": {}, "$defs": {}}
    for part in (*parts, root):
        for group in ("properties", "$defs"):
            flat[group].update(_rebased(part.get(group, {})))
    return flat


def _rebased(value: Any) -> Any:
    """References to any vocabulary's parts, and to the metaschema itself, as references within the flat one."""
    if isinstance(value, list):
        return [_rebased(item) for item in value]
    if not isinstance(value, dict):
        return value
    rebased = {key: _rebased(entry) for key, entry in value.items()}
    if isinstance(value.get("$ref"), str):
        rebased["$ref"] = "#" + value["$ref"].partition("#")[2]
    if isinstance(value.get("$dynamicRef"), str):
        del rebased["$dynamicRef"]
        rebased["$ref"] = "#"
    return rebased
