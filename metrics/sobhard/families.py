"""Constraints 9 to 16 and 31: convert, repair, extract, rewrite programs, session (SOBHard contract, section 6)."""

from collections.abc import Hashable

from metrics.sobhard import rules
from metrics.sobhard.comparison import compare
from metrics.sobhard.context import Context
from metrics.sobhard.outcomes import MAX_LISTED, equal, listed, too_large
from metrics.sobhard.trees import leaf_counts, reordered_list
from metrics.sobhard.wording import clip, failed, nouns, passed, place, quoted, shown
from metrics.verdict import Verdict

__all__ = [
    "absent_paths_null",
    "data_intact",
    "is_object",
    "keys_exact",
    "list_order_preserved",
    "lossless_vs_source",
    "no_restatement",
    "rule_applied",
    "values_unchanged",
]


# Convert and repair ---------------------------------------------------------------------------------------------------


def lossless_vs_source(context: Context) -> Verdict:
    """The answer holds the source's data, types aside. Codes: ``ok``, ``differs``."""
    return equal(compare(context.pred, context.question.source, True), "the source")


def data_intact(context: Context) -> Verdict:
    """The answer holds the repaired document's data, types aside. Codes: ``ok``, ``differs``."""
    return equal(compare(context.pred, context.question.described, True), "the intact document")


# Extract --------------------------------------------------------------------------------------------------------------


def keys_exact(context: Context) -> Verdict:
    """The keys are the asked paths as given. Codes: ``ok``, ``wrong-keys``."""
    paths = context.question.task_meta["paths"]
    missing = [path for path in paths if path not in context.pred]
    extra = [key for key in context.pred if key not in set(paths)]
    if not missing and not extra:
        return passed(f"the keys are the {nouns(len(paths), 'path')} asked for", len(context.pred), len(paths))
    parts = [f"{word} {listed(keys)}" for word, keys in (("missing", missing), ("extra", extra)) if keys]
    return failed(
        "wrong-keys", f"the keys must be the paths as given: {'; '.join(parts)}", len(context.pred), len(paths)
    )


def is_object(context: Context) -> Verdict:
    """The answer is an object. Codes: ``ok``, ``not-an-object``."""
    if isinstance(context.pred, dict):
        return passed("the answer is an object")
    return failed("not-an-object", f"an object required, found {shown(context.pred)}", shown(context.pred), "an object")


def absent_paths_null(context: Context) -> Verdict:
    """Paths that lead nowhere are there, with null. Codes: ``ok``, ``absent-path-missing``, ``absent-path-filled``."""
    for path in context.question.task_meta["absent"]:
        if path not in context.pred:
            return failed(
                "absent-path-missing", f"{quoted(path)} leads nowhere and must be a key with null", None, "null"
            )
        if context.pred[path] is not None:
            value = shown(context.pred[path])
            return failed(
                "absent-path-filled", f"{quoted(path)} leads nowhere, null required, {value} found", value, "null"
            )
    return passed("every path that leads nowhere holds null")


# Rewrite programs -----------------------------------------------------------------------------------------------------


def rule_applied(context: Context) -> Verdict:
    """The answer has the property of every step. Codes: ``ok``, ``rule-broken``, ``too-large``."""
    program = context.question.task_meta["program"]
    names = {step["rule"] for step in program[rules.start_index(program) :]}
    if (context.is_endless and names & rules.WALKING) or (context.is_too_large and names - rules.SHARING_SAFE):
        raise too_large()
    broken = rules.broken_rule(program, context.pred)
    if broken is None:
        return passed("every step's property holds")
    number, rule, problem = broken
    return failed("rule-broken", f"step {number}, {clip(rule)}: {problem}", None, clip(rule))


def list_order_preserved(context: Context) -> Verdict:
    """No list holds the reference's elements in another order. Codes: ``ok``, ``reordered``, ``too-large``."""
    if context.is_endless:
        raise too_large()
    path: tuple[Hashable, ...] | None = reordered_list(context.pred, context.question.gold, context.is_too_large)
    if path is None:
        return passed("no list differs by its order alone")
    return failed("reordered", f"{place(path)}: the right elements in another order", place(path), None)


def values_unchanged(context: Context) -> Verdict:
    """The scalars are the reference's, as written, no tolerance. Codes: ``ok``, ``values-changed``, ``too-large``."""
    wanted = context.question.gold_leaves
    if context.is_too_large:
        if context.size is None or context.size.leaves == wanted.total():
            raise too_large()
        reason = f"{wanted.total()} values required, {clip(str(context.size.leaves))} found through aliases"
        return failed("values-changed", reason, None, wanted.total())
    found = leaf_counts(context.pred)
    if found == wanted:
        return passed(f"the same {nouns(wanted.total(), 'value')} as in the reference", wanted.total(), wanted.total())
    parts = [
        f"{word} {', '.join(map(_leaf, list(names)[:MAX_LISTED]))}"
        for word, names in (("missing", wanted - found), ("extra", found - wanted))
        if names
    ]
    return failed("values-changed", f"values as written: {'; '.join(parts)}", found.total(), wanted.total())


def _leaf(text: str) -> str:
    return f"'{clip(text[1:])}'" if text.startswith('"') else clip(text)


# Session --------------------------------------------------------------------------------------------------------------


def no_restatement(context: Context) -> Verdict:
    """The answer is neither the state on the table nor the one the turn starts from. Codes: ``ok``, ``restated``."""
    question = context.question
    for what, state in (
        ("the state on the table", question.prev_state),
        ("the turn's starting state", question.source),
    ):
        if state is not None and compare(context.pred, state, question.typeless).equal:
            return failed("restated", f"the answer restates {what}")
    return passed("the answer is a new state")
