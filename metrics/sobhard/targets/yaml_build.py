"""From YAML events to values, as PyYAML's safe constructor builds them, without recursion.

Both of PyYAML's parsers give the same events. What is kept of its constructor: YAML 1.1's implicit types, repeated
keys (the last value wins), merge keys, aliases as one shared object, self-reference, the tags of the safe schema.
"""

from typing import Any, Final, NamedTuple

import yaml

from metrics.sobhard.targets.parsed import Parsed, TargetError

__all__ = ["MAX_DEPTH", "Builder", "Span"]

MAX_DEPTH: Final = 490  # levels; where the pure loader meets Python's recursion limit from a shallow stack
_MAX_MERGED: Final = 500_000  # entries that merge keys may copy
_MAX_SEXAGESIMAL: Final = 2_400  # parts of 1:2:3, about as long as the longest decimal integer

_PREFIX: Final = "tag:yaml.org,2002:"
_MERGE: Final = object()  # a plain <<
_VALUE: Final = object()  # a plain =
_NO_KEY: Final = object()

_SCALARS: Final = yaml.constructor.SafeConstructor()
_SCALAR_BUILDERS: Final = {
    _PREFIX + "null": _SCALARS.construct_yaml_null,
    _PREFIX + "bool": _SCALARS.construct_yaml_bool,
    _PREFIX + "int": _SCALARS.construct_yaml_int,
    _PREFIX + "float": _SCALARS.construct_yaml_float,
    _PREFIX + "binary": _SCALARS.construct_yaml_binary,
    _PREFIX + "timestamp": _SCALARS.construct_yaml_timestamp,
    _PREFIX + "str": _SCALARS.construct_yaml_str,
}
_BLOCK_STYLES: Final = ("|", ">")
_SEQUENCE_TAGS: Final = (None, "!", _PREFIX + "seq", _PREFIX + "omap", _PREFIX + "pairs")
_MAPPING_TAGS: Final = (None, "!", _PREFIX + "map", _PREFIX + "set")
# First character of a plain scalar -> (tag, match) in the order in which they are tried.
_IMPLICIT: Final = {
    first: tuple((tag, pattern.match) for tag, pattern in resolvers)
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Span(NamedTuple):
    """Where a scalar stands: character offsets, the end excluded, and its style ('', ', ", | or >)."""

    start: int
    end: int
    style: str


class _Frame:
    """A collection under construction.

    Attributes:
        items: a list or a dict that takes the children.
        target: what the parent holds; another object than ``items`` for sets and pairs.
        key: key of the mapping's entry whose value comes next.
        flow: whether it stands in brackets.
        merges: values of merge keys, in order.
        pairs: whether the children become (key, value) pairs.
    """

    __slots__ = ("flow", "items", "key", "merges", "pairs", "target")

    def __init__(self, items: Any, target: Any, flow: bool, pairs: bool = False) -> None:
        self.items = items
        self.target = target
        self.flow = flow
        self.key: Any = _NO_KEY
        self.merges: list[Any] = []
        self.pairs = pairs


class Builder:
    """Reads one document from a parser.

    Attributes:
        spans: of the scalars read so far, in order; without ``with_spans`` of block scalars alone.
        doubtful: whether something was met that libyaml reads in its own way: in a flow collection a plain scalar
            with a question mark or a tag, or an empty key; a lone ``!``; a scalar with a tag or an anchor whose own
            start is needed.
    """

    def __init__(self, parser: Any, with_spans: bool = False) -> None:
        self._next = parser.get_event
        self._with_spans = with_spans
        self._anchors: dict[str, Any] = {}
        self._plain: dict[str, Any] = {}
        self._merged = 0
        self._shared = False
        self.spans: list[Span] = []
        self.doubtful = False

    def document(self) -> Parsed:
        """The value of the only document; None for an empty stream.

        Raises:
            TargetError: what parses but has no value in the safe schema, too deep nesting, a second document.
            yaml.YAMLError: no YAML. Any other exception of a scalar's conversion means the same.
        """
        self._next()  # the start of the stream
        if type(self._next()) is yaml.StreamEndEvent:
            return Parsed(None)
        value = self._node()
        self._next()  # the end of the document
        if type(self._next()) is not yaml.StreamEndEvent:
            raise TargetError("several-documents", "more than one YAML document")
        return Parsed(value, shared=self._shared)

    def _node(self) -> Any:
        """The root node's value."""
        stack: list[_Frame] = []
        frame: _Frame | None = None
        while True:
            event = self._next()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value = self._scalar(event)
                if frame is not None and frame.flow and not event.style:
                    text = event.value
                    if "?" in text or event.tag or (not text and frame.key is _NO_KEY and type(frame.items) is dict):
                        self.doubtful = True
            elif kind is yaml.AliasEvent:
                value = self._alias(event)
            elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
                if frame is not None:
                    if frame.key is _NO_KEY and type(frame.items) is dict:
                        raise TargetError("unhashable-key", f"line {event.start_mark.line + 1}: a key is a collection")
                    stack.append(frame)
                    if len(stack) >= MAX_DEPTH:
                        raise TargetError("too-deep", f"more than {MAX_DEPTH} levels of YAML collections")
                frame = self._open(event, kind is yaml.SequenceStartEvent)
                continue
            else:
                assert frame is not None  # the parser closes only what it opened
                self._close(frame, stack)
                value = frame.target
                frame = stack.pop() if stack else None
            if frame is None:
                if value is _MERGE or value is _VALUE:
                    raise _unknown(value)
                return value
            items = frame.items
            if value is _MERGE or value is _VALUE or type(items) is list or frame.key is _NO_KEY or frame.key is _MERGE:
                self._place(frame, value)
            else:
                items[frame.key] = value
                frame.key = _NO_KEY

    def _place(self, frame: _Frame, value: Any) -> None:
        items = frame.items
        if type(items) is list:
            if value is _MERGE or value is _VALUE:
                raise _unknown(value)
            items.append(value)
        elif frame.key is _NO_KEY:
            if type(value) in (dict, list, set):
                raise TargetError("unhashable-key", "a key is an alias of a collection")
            frame.key = "=" if value is _VALUE else value
        else:
            if value is _MERGE or value is _VALUE:
                raise _unknown(value)
            if frame.key is _MERGE:
                frame.merges.append(value)
            else:
                items[frame.key] = value
            frame.key = _NO_KEY

    def _open(self, event: Any, is_sequence: bool) -> _Frame:
        tag = event.tag
        if tag not in (_SEQUENCE_TAGS if is_sequence else _MAPPING_TAGS):
            raise TargetError("unknown-tag", f"line {event.start_mark.line + 1}: the tag {tag} fits no collection here")
        if is_sequence:
            target: Any = []
            pairs = tag in _SEQUENCE_TAGS[3:]
            frame = _Frame([] if pairs else target, target, event.flow_style, pairs)
        else:
            items: dict[Any, Any] = {}
            frame = _Frame(items, set() if tag == _MAPPING_TAGS[3] else items, event.flow_style)
        self._anchor(event, frame.target)
        return frame

    def _close(self, frame: _Frame, stack: list[_Frame]) -> None:
        if frame.merges:
            self._merge(frame, stack)
        if frame.pairs:
            for item in frame.items:
                if type(item) is not dict or len(item) != 1:
                    raise TargetError(
                        "unknown-tag", "an ordered map or list of pairs takes mappings of one entry alone"
                    )
                frame.target.extend(item.items())
        elif type(frame.target) is set:
            frame.target.update(frame.items)

    def _merge(self, frame: _Frame, stack: list[_Frame]) -> None:
        """Put merged entries before the own ones, which win; the first of several merged mappings wins over the rest.

        That is YAML's rule and PyYAML's up to 6.0.3; later ones decide by the identity of key objects.
        """
        own = dict(frame.items)
        frame.items.clear()
        for merged in frame.merges:
            if type(merged) is list and any(outer.target is merged for outer in stack):
                raise TargetError("invalid-yaml", "a merge key takes the list that it stands in")
            for mapping in reversed(merged) if type(merged) is list else (merged,):
                if type(mapping) is not dict:
                    raise TargetError("invalid-yaml", "a merge key takes a mapping or a list of mappings")
                self._merged += len(mapping)
                if self._merged > _MAX_MERGED:
                    raise TargetError("too-large", f"merge keys copy more than {_MAX_MERGED} entries")
                frame.items.update(own if mapping is frame.items else mapping)
        frame.items.update(own)

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise TargetError(
                "invalid-yaml", f"line {event.start_mark.line + 1}: the alias *{event.anchor} has no anchor"
            )
        self._shared = True
        return self._anchors[event.anchor]

    def _anchor(self, event: Any, value: Any) -> None:
        if event.anchor is not None:
            if event.anchor in self._anchors:
                raise TargetError("invalid-yaml", f"line {event.start_mark.line + 1}: the anchor &{event.anchor} again")
            self._anchors[event.anchor] = value

    def _scalar(self, event: Any) -> Any:
        text, style, tag, anchor = event.value, event.style, event.tag, event.anchor
        if self._with_spans or style in _BLOCK_STYLES:
            self.spans.append(Span(event.start_mark.index, event.end_mark.index, style or ""))
        if tag is None and anchor is None:
            return text if style else self._resolved(text)
        if tag == "!" or style in _BLOCK_STYLES or (style and self._with_spans):
            self.doubtful = True
        if tag is not None and tag != "!":
            value = _construct(tag, text)
        else:
            value = self._resolved(text) if event.implicit[0] else text
        self._anchor(event, value)
        return value

    def _resolved(self, text: str) -> Any:
        value = self._plain.get(text, _NO_KEY)
        if value is _NO_KEY:
            value = self._plain[text] = _resolve(text)
        return value


def _resolve(text: str) -> Any:
    """The value of a plain scalar."""
    for tag, match in _IMPLICIT.get(text[:1], ()):
        if match(text):
            return _construct(tag, text)
    return text


def _construct(tag: str, text: str) -> Any:
    if tag == _PREFIX + "merge":
        return _MERGE
    if tag == _PREFIX + "value":
        return _VALUE
    build = _SCALAR_BUILDERS.get(tag)
    if build is None:
        raise TargetError("unknown-tag", f"the tag {tag} has no meaning here")
    if tag == _PREFIX + "int" and text.count(":") > _MAX_SEXAGESIMAL:
        raise TargetError("invalid-yaml", f"a number of more than {_MAX_SEXAGESIMAL} base-60 parts")
    return build(yaml.ScalarNode(tag, text))


def _unknown(value: Any) -> TargetError:
    return TargetError("unknown-tag", f"a plain {'<<' if value is _MERGE else '='} is no value")
