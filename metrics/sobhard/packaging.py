"""Constraints 1 to 8: the fence, the parse, and the comparison with the reference (SOBHard contract, section 6)."""

from collections.abc import Callable

from metrics.sobhard.comparison import Kind
from metrics.sobhard.context import Context, Packaging
from metrics.sobhard.wording import clip, failed, nouns, passed, quoted
from metrics.verdict import Verdict

__all__ = [
    "fence_exactly_one",
    "fence_present",
    "fence_tag_correct",
    "matches_reference",
    "nothing_outside_fence",
    "parses_target",
]

_MAX_TAGS = 5


def fence_present(packaging: Packaging) -> Verdict:
    """At least one block. Codes: ``ok``, ``no-block``, ``unclosed-block``."""
    package = packaging.package
    if package.blocks:
        return passed(f"{nouns(len(package.blocks), 'fenced block')} found", len(package.blocks), ">= 1")
    if package.unclosed is not None:
        return failed(
            "unclosed-block", f"the fence of line {package.line(package.unclosed)} is never closed", 0, ">= 1"
        )
    return failed("no-block", f"no fenced block in {nouns(len(package.text), 'character')}", 0, ">= 1")


def fence_exactly_one(packaging: Packaging) -> Verdict:
    """One block and no lone fence. Codes: ``ok``, ``no-block``, ``unclosed-block``, ``several-blocks``."""
    package = packaging.package
    count = len(package.blocks)
    if package.unclosed is not None:
        reason = (
            f"the fence of line {package.line(package.unclosed)} is never closed, beside {nouns(count, 'whole block')}"
        )
        return failed("unclosed-block", reason, count, 1)
    if count == 1:
        return passed("exactly one fenced block", 1, 1)
    if not count:
        return failed("no-block", "one fenced block required, none found", 0, 1)
    lines = ", ".join(str(package.line(block.at)) for block in package.blocks[:_MAX_TAGS])
    more = ", …" if count > _MAX_TAGS else ""
    return failed("several-blocks", f"one fenced block required, {count} found, at lines {lines}{more}", count, 1)


def fence_tag_correct(packaging: Packaging) -> Verdict:
    """Every block carries the row's tag, case and all. Codes: ``ok``, ``no-tag``, ``wrong-tag``."""
    wanted = packaging.question.tag
    for block in packaging.package.blocks:
        if block.tag != wanted:
            found = quoted(block.tag) if block.tag else "none"
            reason = f"the tag {quoted(wanted)} required, {found} found at line {packaging.package.line(block.at)}"
            return failed("wrong-tag" if block.tag else "no-tag", reason, clip(block.tag), wanted)
    return passed(f"the tag is {quoted(wanted)}", wanted, wanted)


def nothing_outside_fence(packaging: Packaging) -> Verdict:
    """Nothing but white space outside the blocks. Codes: ``ok``, ``text-outside``."""
    outside, at = packaging.package.outside, packaging.package.outside_at
    if at is None:
        return passed("nothing stands outside the block", 0, 0)
    line = packaging.package.line(at)
    reason = f"{nouns(len(outside), 'character')} outside the block, from line {line} on: {quoted(outside)}"
    return failed("text-outside", reason, len(outside), 0)


def parses_target(context: Context) -> Verdict:
    """The body is a document of the target notation, and not null.

    Codes: ``ok``, and those of the notation's parser, ``null-document``, ``empty-response``, ``too-large``.
    """
    parsed = context.parsed
    target = context.question.target
    name = target.id if target else "nothing"
    if parsed.value is None:
        return failed(parsed.code, parsed.reason, None, name)
    return passed(f"the body parses as {name}", name, name)


def matches_reference(kind: Kind, code: str, what: str, description: str) -> Callable[[Context], Verdict]:
    """The check that the answer differs from the reference in no place by this kind.

    Args:
        kind: the kind of difference.
        code: code of the failing verdict.
        what: the places that differ or do not, in the plural.
        description: one sentence that says when an answer passes.
    """

    def check(context: Context) -> Verdict:
        found = context.to_reference
        count = found.counts.get(kind, 0)
        if not count:
            return passed(f"no difference in {what} from the reference", 0, 0)
        first = found.firsts[kind]
        more = f" ({nouns(count, 'difference')} in all)" if count > 1 else ""
        return failed(code, f"{first.reason}{more}", first.observed, first.wanted)

    check.__doc__ = description
    return check
