"""YAML 1.1 as a target, read as PyYAML's pure safe loader reads it, mostly at the speed of its C parser.

The C parser (libyaml) and the pure one agree on most texts. Where they do not, and how the pure one's verdict is
kept (a differential test holds it):

- A tab between tokens or inside a plain scalar ends every pure parse. Libyaml takes it, so a text with tabs that it
  accepts is accepted only if each tab stands in a quoted scalar, below the head of a block scalar, or in a comment.
- Other line breaks (NEL, LS, PS), directives and escapes for surrogate halves go to the pure parser.
- In flow collections the pure parser ends a plain scalar at a question mark, and reads ``{a:}`` as a key without a
  value; libyaml does neither. A plain scalar with a question mark in a flow collection goes to the pure parser.
- So does a block scalar whose head holds more than indicators and a comment, and a few rare forms (Builder.doubtful).
- So does what libyaml refuses although it holds a tab, which it forbids in the indentation of block scalars, or one of
  the two forms of flow collections.

The pure parser takes 8 microseconds a character, so such a text has a size limit of its own.
"""

import re
from typing import Any, Final

import yaml

from metrics.sobhard.targets.parsed import Parsed, TargetError
from metrics.sobhard.targets.yaml_build import MAX_DEPTH, Builder, Span

__all__ = ["parse_yaml"]

_PURE_LIMIT: Final = 60_000  # characters, or a quarter more than the reference if that is longer
_OTHER_BREAKS: Final = ("\x85", "\u2028", "\u2029", "\ufeff")
_half_escape = re.compile(r"\\u[dD][89a-fA-F]|\\U").search
_missing_value = re.compile(r":[,\[\]{}]").search
_head = re.compile(r"[|>][-+1-9]*+(?: ++(?:#.*+)?)?$", re.MULTILINE).match
_deep_start = re.compile(rf"[\[{{](?:\s*+[\[{{]){{{MAX_DEPTH}}}").search
# Without libyaml every text takes the slow way.
_parser: Final[Any] = yaml.cyaml.CParser if yaml.__with_libyaml__ else None  # type: ignore[attr-defined]
_tabs = re.compile(r"\t").finditer


def parse_yaml(text: str, usual: int) -> Parsed:
    """One YAML document.

    Codes: ``invalid-yaml``, ``several-documents``, ``unknown-tag``, ``unhashable-key``, ``too-deep``, ``too-large``
    (a text of tens of thousands of characters that only the slow parser can judge, a deviation).
    """
    if _parser is None or _needs_pure(text):
        return _pure(text, usual)
    try:
        builder = Builder(_parser(text), with_spans="\t" in text)
        parsed = builder.document()
    except yaml.MarkedYAMLError as error:
        if _refused_by_one(text):
            return _pure(text, usual)
        raise TargetError("invalid-yaml", f"not YAML: {_cause(error)}") from None
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise TargetError("invalid-yaml", f"not YAML: {' '.join(str(error).split())}") from None
    if builder.doubtful or any(span.style in ("|", ">") and not _head(text, span.start) for span in builder.spans):
        return _pure(text, usual)
    if "\t" in text:
        _check_tabs(text, builder.spans)
    return parsed


def _needs_pure(text: str) -> bool:
    return (
        any(mark in text for mark in _OTHER_BREAKS)
        or text.startswith("%")
        or "\n%" in text
        or ("\\" in text and _half_escape(text) is not None)
    )


def _refused_by_one(text: str) -> bool:
    """Whether a text that libyaml refuses may please the pure parser."""
    return "\t" in text or ("?" in text and ("[" in text or "{" in text)) or _missing_value(text) is not None


def _pure(text: str, usual: int) -> Parsed:
    limit = max(_PURE_LIMIT, usual + usual // 4)
    if len(text) > limit:
        raise TargetError(
            "too-large", f"a YAML text with rare characters may have {limit} characters, this has {len(text)}"
        )
    if _deep_start(text):  # the pure scanner takes quadratic time to find that out
        raise TargetError("too-deep", f"more than {MAX_DEPTH} levels of YAML collections")
    try:
        return Builder(yaml.SafeLoader(text)).document()
    except yaml.MarkedYAMLError as error:
        raise TargetError("invalid-yaml", f"not YAML: {_cause(error)}") from None
    except yaml.YAMLError as error:
        raise TargetError("invalid-yaml", f"not YAML: {' '.join(str(error).split())}") from None


def _cause(error: Any) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{where}{error.problem or error.context}"


def _check_tabs(text: str, spans: list[Span]) -> None:
    """Refuse a tab that the pure parser stops at; ``spans`` are the scalars in order."""
    index = 0
    for tab in _tabs(text):
        at = tab.start()
        while index < len(spans) and spans[index].end <= at:
            index += 1
        if index < len(spans) and spans[index].start <= at:
            span = spans[index]
            allowed = span.style in ("'", '"')
            if span.style in ("|", ">"):
                # The head of a block scalar ends with its line; a comment may stand there.
                head_end = text.find("\n", span.start)
                allowed = 0 <= head_end < at or "#" in text[span.start : at]
        else:
            begin = max(text.rfind("\n", 0, at) + 1, spans[index - 1].end if index else 0)
            allowed = "#" in text[begin:at]
        if not allowed:
            line = text.count("\n", 0, at) + 1
            raise TargetError("invalid-yaml", f"not YAML: line {line} has a tab between its tokens")
