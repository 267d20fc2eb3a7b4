"""The table of the 31 constraints: layer, when each applies, when it passes (SOBHard contract, section 6)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.sobhard import families as fam
from metrics.sobhard import packaging as pack
from metrics.sobhard import replays as replay
from metrics.sobhard.comparison import NotComparable
from metrics.sobhard.context import Context, Packaging
from metrics.sobhard.values import TooLargeError
from metrics.sobhard.wording import clip, failed
from metrics.verdict import Verdict

__all__ = ["CONSTRAINTS", "LAYERS", "PROGRAM_FAMILIES", "Constraint", "evaluate", "of_document", "of_packaging"]

LAYERS: Final = ("pack", "syn", "val", "family")
PROGRAM_FAMILIES: Final = frozenset({"transform", "repair", "extract", "merge", "patch"})

Gate = Callable[[Context], Any]  # read by its truth value; a gate that raises is closed
_PACKAGING: Final = LAYERS[0]  # the layer whose constraints read a Packaging; all others read a Context


class Constraint(NamedTuple):
    """A constraint.

    Attributes:
        id: ``layer-or-family.name``.
        layer: pack, syn, val or family.
        description: one English sentence that says when an answer passes; the check's own.
        applies: whether the constraint is graded on an answer.
        check: the verdict; what it raises fails the constraint.

    Those of the layer pack read a Packaging, all others a Context.
    """

    id: str
    layer: str
    description: str
    applies: Callable[[Any], Any]
    check: Callable[[Any], Verdict]


def _always(_: object) -> bool:
    return True


def _has_block(packaging: Packaging) -> bool:
    return bool(packaging.package.blocks)


def _comparable(context: Context) -> bool:
    return context.has_value and context.question.gold is not None


def _family(name: str, *more: Gate) -> Gate:
    """Parsed answers of a family, under further conditions."""
    return lambda context: (
        context.question.family == name and context.has_value and all(condition(context) for condition in more)
    )


def _with(*names: str) -> Gate:
    """None of these properties of the question is None."""
    return lambda context: all(getattr(context.question, name) is not None for name in names)


def _told(name: str) -> Gate:
    """The question's task_meta holds something under the name."""
    return lambda context: context.question.task_meta.get(name)


def _gated(constraint: str) -> Gate:
    return lambda context: context.question.gate(constraint)


def _object(context: Context) -> bool:
    return isinstance(context.pred, dict)


def _array(context: Context) -> bool:
    return isinstance(context.pred, list)


def _program(context: Context) -> bool:
    question = context.question
    return question.family in PROGRAM_FAMILIES and bool(question.task_meta.get("program")) and context.has_value


def _program_and_reference(context: Context) -> bool:
    return _program(context) and context.question.gold is not None


def _no_escape(context: Context) -> bool:
    return not context.question.task_meta.get("has_escape")


def _later_turn(context: Context) -> bool:
    session = context.question.task_meta.get("session") or {}
    return context.question.is_session and context.has_value and session.get("turn_index", 1) > 1


_MERGE: Final = _family("merge", _with("source", "source_b"), _told("join"))


def _table(*rows: tuple[str, Callable[[Any], Any], Callable[[Any], Verdict]]) -> dict[str, Constraint]:
    return {name: Constraint(name, _layer(name), _description(check), applies, check) for name, applies, check in rows}


def _layer(name: str) -> str:
    prefix = name.partition(".")[0]
    return prefix if prefix in LAYERS else "family"


def _description(check: Callable[[Context], Verdict]) -> str:
    """What a check says of itself, but for its codes."""
    told = " ".join((check.__doc__ or "").partition("\n\n")[0].split())
    return told.partition(" Codes: ")[0].replace("``", "")


CONSTRAINTS: Final[Mapping[str, Constraint]] = MappingProxyType(
    _table(
        ("pack.fence_present", _always, pack.fence_present),
        ("pack.fence_exactly_one", _always, pack.fence_exactly_one),
        ("pack.fence_tag_correct", _has_block, pack.fence_tag_correct),
        ("pack.nothing_outside_fence", _always, pack.nothing_outside_fence),
        ("syn.parses_target", _always, pack.parses_target),
        (
            "val.structure_match",
            _comparable,
            pack.matches_reference(
                "structure", "structure-differs", "structure", "Keys, lengths and types are the reference's."
            ),
        ),
        (
            "val.numeric_within_tol",
            _comparable,
            pack.matches_reference(
                "numeric", "number-differs", "numbers", "Numbers are the reference's, within a millionth."
            ),
        ),
        (
            "val.strings_byte_exact",
            _comparable,
            pack.matches_reference(
                "string", "string-differs", "strings", "Strings are the reference's, code point by code point."
            ),
        ),
        (
            "convert.lossless_vs_source",
            _family("convert", _with("source"), _gated("convert.lossless_vs_source")),
            fam.lossless_vs_source,
        ),
        ("extract.keys_exact", _family("extract", _object), fam.keys_exact),
        ("extract.is_object", _family("extract"), fam.is_object),
        ("extract.absent_paths_null", _family("extract", _object, _told("absent")), fam.absent_paths_null),
        ("repair.data_intact", _family("repair", _with("described"), _gated("repair.data_intact")), fam.data_intact),
        ("transform.rule_applied", _program, fam.rule_applied),
        ("transform.list_order_preserved", _program_and_reference, fam.list_order_preserved),
        ("transform.values_unchanged", _program_and_reference, fam.values_unchanged),
        ("template.record_count", _family("template", _with("described")), replay.record_count),
        ("template.no_placeholder_left", _family("template", _array, _no_escape), replay.no_placeholder_left),
        ("template.rendered_exact", _family("template", _with("source_b", "described")), replay.rendered_exact),
        ("applydiff.result_exact", _family("apply_diff", _with("source", "source_b")), replay.changes_applied),
        ("patch.ops_applied", _family("patch", _with("source"), _told("ops")), replay.ops_applied),
        ("merge.join_exact", _MERGE, replay.join_exact),
        ("merge.record_count", _MERGE, replay.join_record_count),
        ("diff.matches_pair", _family("diff", _with("source", "source_b")), replay.diff_matches_pair),
        ("diff.top_level_form", _family("diff"), replay.diff_top_level_form),
        ("diff.sections_sorted", _family("diff", _object), replay.diff_sections_sorted),
        ("schema.required_sorted", _family("schema_gen"), replay.required_sorted),
        (
            "schema.validates_source",
            _family("schema_gen", _with("described"), _gated("schema.validates_source")),
            replay.validates_source,
        ),
        ("schema.type_mapping_exact", _family("schema_gen", _with("described")), replay.type_mapping_exact),
        ("schema.no_extra_keywords", _family("schema_gen"), replay.no_extra_keywords),
        ("session.no_restatement", _later_turn, fam.no_restatement),
    )
)


_OF_PACKAGING: Final = tuple(constraint for constraint in CONSTRAINTS.values() if constraint.layer == _PACKAGING)
_OF_DOCUMENT: Final = tuple(constraint for constraint in CONSTRAINTS.values() if constraint.layer != _PACKAGING)


def of_packaging(packaging: Packaging) -> dict[str, Verdict | None]:
    """The verdicts on what stands around a document, by constraint; they come first in the contract's order."""
    return {constraint.id: evaluate(constraint, packaging) for constraint in _OF_PACKAGING}


def of_document(context: Context) -> dict[str, Verdict | None]:
    """The verdicts on a document, by constraint; the same whatever stands around it."""
    return {constraint.id: evaluate(constraint, context) for constraint in _OF_DOCUMENT}


def evaluate(constraint: Constraint, answer: Packaging | Context) -> Verdict | None:
    """One constraint on one answer; None where it does not apply. Never raises.

    Codes beside the check's own: ``not-comparable`` (numbers beyond floats), ``too-large`` (aliases),
    ``cannot-check`` (the check met what it has no rule for, which the contract counts as failed).
    """
    try:
        if not constraint.applies(answer):
            return None
    except Exception:  # the contract's rule: a gate that raises is closed
        return None
    try:
        return constraint.check(answer)
    except NotComparable as error:
        return failed("not-comparable", str(error))
    except TooLargeError as error:
        return failed("too-large", str(error))
    except Exception as error:  # the contract's rule: a check that raises has failed
        return failed("cannot-check", f"the answer cannot be checked: {type(error).__name__}: {clip(str(error))}")
