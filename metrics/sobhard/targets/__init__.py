"""The six target notations: an explicit table, and one call that gives a value or a refusal for any text."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from metrics.sobhard.extraction import unwrap
from metrics.sobhard.targets.json_text import parse_json, parse_jsonl
from metrics.sobhard.targets.line_text import parse_properties, parse_sqlinsert
from metrics.sobhard.targets.parsed import Parsed, TargetError
from metrics.sobhard.targets.toml_text import parse_toml
from metrics.sobhard.targets.yaml_text import parse_yaml
from metrics.sobhard.wording import bounded

__all__ = ["TARGETS", "Parsed", "Target", "parse"]


class Target(NamedTuple):
    """A notation that answers are written in.

    Attributes:
        id: name in ``meta.categories.target_format``.
        tag: the fence's tag, unless the row names another.
        typeless: every value is a string (or NULL), so that comparisons read numbers out of strings.
        read: turns a text into a value; may raise any exception, usually TargetError.
        fenced: whether a fence around the whole text is taken off first (contract, 3.4).
        description: one English sentence that says what is accepted.
    """

    id: str
    tag: str
    typeless: bool
    read: Callable[[str, int], Parsed]
    fenced: bool
    description: str


TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        target.id: target
        for target in (
            Target("json", "json", False, parse_json, True, "One JSON value; NaN, Infinity and repeated keys pass."),
            Target("jsonl", "jsonl", False, parse_jsonl, True, "One JSON value a line; no line is the empty list."),
            Target("yaml", "yaml", False, parse_yaml, True, "One YAML 1.1 document under PyYAML's safe schema."),
            Target("toml", "toml", False, parse_toml, True, "A TOML 1.0 document; an empty text is none."),
            Target(
                "properties", "properties", True, parse_properties, True, "Lines of key = value, without any escapes."
            ),
            Target(
                "sqlinsert",
                "sql",
                True,
                parse_sqlinsert,
                False,
                "One INSERT INTO records a line, all with the same columns; values are 'strings' or NULL.",
            ),
        )
    }
)


def parse(target: Target, text: str, usual: int = 0) -> Parsed:
    """Read a body (contract, section 4).

    Args:
        target: the notation.
        text: the body.
        usual: length of the reference, which the size limit of the slow YAML path starts from.

    Returns:
        The value, or None with a code and a reason. A document that reads as null is a failure too
        (``null-document``). No text raises.
    """
    try:
        parsed = target.read(unwrap(text) if target.fenced else text, usual)
    except TargetError as refusal:
        return Parsed(None, refusal.code, bounded(refusal.reason))
    except RecursionError:
        return Parsed(None, "too-deep", "the document nests too deeply to be read")
    except Exception as error:
        return Parsed(None, f"invalid-{target.id}", bounded(f"not {target.id}: {error}"))
    if parsed.value is None:
        return Parsed(None, "null-document", f"the document is null as {target.id}, which counts as not parsed")
    return parsed
