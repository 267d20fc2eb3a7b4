"""Constraints 17 to 30: answers that the question's own data determines in full (SOBHard contract, section 6)."""

from typing import Final

from metrics.sobhard import schemas
from metrics.sobhard.context import Context
from metrics.sobhard.operations import SECTIONS
from metrics.sobhard.outcomes import as_expected, broken, too_large
from metrics.sobhard.schema_validation import SchemaError, accepts
from metrics.sobhard.wording import clip, failed, nouns, passed, quoted, shown
from metrics.verdict import Verdict

__all__ = [
    "changes_applied",
    "diff_matches_pair",
    "diff_sections_sorted",
    "diff_top_level_form",
    "join_exact",
    "join_record_count",
    "no_extra_keywords",
    "no_placeholder_left",
    "ops_applied",
    "record_count",
    "rendered_exact",
    "required_sorted",
    "type_mapping_exact",
    "validates_source",
]

_SLOT: Final = "${"


# Template -------------------------------------------------------------------------------------------------------------


def record_count(context: Context) -> Verdict:
    """An array of strings, one a record. Codes: ``ok``, ``not-strings``, ``wrong-count``."""
    records = context.question.described
    wanted = len(records) if isinstance(records, list) else 1
    pred = context.pred
    if not isinstance(pred, list):
        return failed("not-strings", f"an array of strings required, found {shown(pred)}", shown(pred), wanted)
    for number, line in enumerate(pred, 1):
        if not isinstance(line, str):
            return failed("not-strings", f"element {number} must be a string, found {shown(line)}", shown(line), wanted)
    reason = f"{nouns(wanted, 'string')} required, {len(pred)} found"
    return (
        passed(reason, len(pred), wanted) if len(pred) == wanted else failed("wrong-count", reason, len(pred), wanted)
    )


def no_placeholder_left(context: Context) -> Verdict:
    """No string holds an opened slot. Codes: ``ok``, ``placeholder-left``."""
    for number, line in enumerate(context.pred, 1):
        if isinstance(line, str) and _SLOT in line:
            slot = line[line.index(_SLOT) :]
            return failed("placeholder-left", f"element {number} still holds {quoted(slot)}", clip(slot), None)
    return passed("no slot is left")


def rendered_exact(context: Context) -> Verdict:
    """The strings are the template filled, record by record. Codes: ``ok``, ``differs``, ``broken-question``."""
    question = context.question
    return as_expected(context, question.rendered, "the filled template", question.typeless)


# Change object, patch, merge ------------------------------------------------------------------------------------------


def changes_applied(context: Context) -> Verdict:
    """Version 1 with the change object applied. Codes: ``ok``, ``differs``, ``broken-question``."""
    question = context.question
    return as_expected(context, question.changed, "version 1 after the changes", question.typeless)


def ops_applied(context: Context) -> Verdict:
    """The source with the operations applied. Codes: ``ok``, ``differs``, ``broken-question``."""
    question = context.question
    return as_expected(context, question.patched, "the source after the operations", question.typeless)


def join_exact(context: Context) -> Verdict:
    """The joined records. Codes: ``ok``, ``differs``, ``broken-question``."""
    question = context.question
    return as_expected(context, question.joined, "the joined records", question.typeless)


def join_record_count(context: Context) -> Verdict:
    """As many records as the join has. Codes: ``ok``, ``not-an-array``, ``wrong-count``, ``broken-question``."""
    joined = context.question.joined
    if joined.problem:
        return broken(joined)
    if not isinstance(context.pred, list):
        found = shown(context.pred)
        return failed("not-an-array", f"an array required, found {found}", found, len(joined.value))
    found_count, wanted = len(context.pred), len(joined.value)
    reason = f"{nouns(wanted, 'record')} required, {found_count} found"
    return (
        passed(reason, found_count, wanted)
        if found_count == wanted
        else failed("wrong-count", reason, found_count, wanted)
    )


# Diff -----------------------------------------------------------------------------------------------------------------


def diff_matches_pair(context: Context) -> Verdict:
    """The change object between both versions. Codes: ``ok``, ``differs``, ``broken-question``."""
    return as_expected(context, context.question.difference, "the versions' difference", False)


def diff_top_level_form(context: Context) -> Verdict:
    """An object of the three sections, in order. Codes: ``ok``, ``not-an-object``, ``wrong-sections``."""
    if not isinstance(context.pred, dict):
        found = shown(context.pred)
        return failed(
            "not-an-object", f"an object of three sections required, found {found}", found, ", ".join(SECTIONS)
        )
    names = list(context.pred)
    if names == list(SECTIONS):
        return passed("the three sections, in order")
    found = clip(", ".join(map(str, names[:10])))
    wanted = ", ".join(SECTIONS)
    return failed("wrong-sections", f"the sections must be {wanted} in this order, found {found}", found, wanted)


def diff_sections_sorted(context: Context) -> Verdict:
    """Paths of each section in code point order. Codes: ``ok``, ``unsorted``."""
    for name in SECTIONS:
        section = context.pred.get(name)
        if isinstance(section, dict):
            paths = list(section)
            ordered = sorted(paths)
            if paths != ordered:
                at = next(i for i, (a, b) in enumerate(zip(paths, ordered, strict=True)) if a != b)
                reason = f"{name}: {shown(paths[at])} stands where {shown(ordered[at])} must"
                return failed("unsorted", reason, shown(paths[at]), shown(ordered[at]))
    return passed("the paths of each section are in order")


# Schema ---------------------------------------------------------------------------------------------------------------


def required_sorted(context: Context) -> Verdict:
    """Every ``required`` list is sorted. Codes: ``ok``, ``unsorted``, ``too-large``."""
    if context.is_endless:
        raise too_large()
    listed = schemas.unsorted_required(context.pred, context.is_too_large)
    if listed is None:
        return passed("every list of required names is sorted")
    names = clip(", ".join(str(name) for name in listed[:20]))
    return failed("unsorted", f"a list of required names is not sorted: {names}", names, None)


def validates_source(context: Context) -> Verdict:
    """The schema accepts the document it describes.

    Codes: ``ok``, ``not-valid``, ``invalid-schema``, ``foreign-reference``, ``costly-pattern``, ``too-costly``.
    """
    try:
        valid = accepts(context.pred, context.question.described, context.question.shapes)
    except SchemaError as error:
        return failed(error.code, str(error))
    return (
        passed("the document is valid under the schema")
        if valid
        else failed("not-valid", "the document is not valid under the schema")
    )


def type_mapping_exact(context: Context) -> Verdict:
    """The schema is the inferred one. Codes: ``ok``, ``differs``, ``broken-question``."""
    return as_expected(context, context.question.schema, "the inferred schema", False)


def no_extra_keywords(context: Context) -> Verdict:
    """No keyword beyond those of the kind. Codes: ``ok``, ``extra-keyword``, ``too-large``."""
    if context.is_endless:
        raise too_large()
    kind = context.question.task_meta.get("schema_kind")
    allowed = schemas.ALLOWED.get(kind or schemas.MINIMAL, schemas.ALLOWED[schemas.MINIMAL])
    extra = next((key for key in schemas.keywords(context.pred) if key not in allowed), None)
    if extra is None:
        return passed("only the allowed keywords occur")
    return failed("extra-keyword", f"the keyword {quoted(str(extra))} is not allowed here", clip(str(extra)), None)
