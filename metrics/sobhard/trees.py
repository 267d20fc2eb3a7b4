"""Answer against reference beyond equality: lists in another order, changed leaves (SOBHard contract, 6.2, 6.3)."""

from collections import Counter
from collections.abc import Hashable
from typing import Any, Final

from metrics.sobhard.values import MAX_NODES, Size, TooLargeError, canonical, measure

__all__ = ["leaf_counts", "reordered_list"]

_NO_TEXT: Final = ""  # no JSON text is empty


def leaf_counts(value: Any) -> Counter[str]:
    """How often each scalar occurs, by a text as exact as JSON's; strings stand as ``"`` and the string.

    Raises:
        TypeError, ValueError: a leaf without JSON text (a date, bytes, a set, an integer of over 4,300 digits).
    """
    leaves: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is str:
            leaves.append('"' + node)
        elif kind is int or kind is float or kind is bool or node is None:
            leaves.append(repr(node))  # tells apart what JSON texts tell apart, and is faster
        elif kind is dict:
            stack.extend(node.values())
        elif kind is list:
            stack.extend(node)
        else:
            leaves.append(canonical(node))
    return Counter(leaves)


def reordered_list(pred: Any, gold: Any, shared: bool = False) -> tuple[Hashable, ...] | None:
    """The place of a list that holds the reference's elements in another order, or None.

    Args:
        pred: the answer.
        gold: the reference.
        shared: whether aliases make the answer too large to be written out.

    Raises:
        TypeError: objects whose keys cannot be sorted, or values without JSON text.
        TooLargeError: shared parts would have to be written out too often.
    """
    texts = _SharedTexts() if shared else None
    stack: list[tuple[Any, Any, tuple[Hashable, ...]]] = [(pred, gold, ())]
    while stack:
        a, b, path = stack.pop()
        if type(a) is dict and type(b) is dict and a.keys() == b.keys():
            stack.extend(
                (a[key], part, (*path, key if isinstance(key, str) else (key,)))
                for key, part in b.items()
                if type(part) is dict or type(part) is list
            )
        elif type(a) is list and type(b) is list and len(a) == len(b):
            texts_a = texts.of(a, b) if texts else [canonical(item) for item in a]
            texts_b = [canonical(item) for item in b]
            if texts_a == texts_b:
                continue  # equal element by element, so nothing below is in another order
            if Counter(texts_a) == Counter(texts_b):
                return path
            stack.extend(
                (a[i], part, (*path, i))
                for i, part in enumerate(b)
                if (type(part) is dict or type(part) is list) and texts_a[i] != texts_b[i]
            )
    return None


class _SharedTexts:
    """Canonical texts of an answer's elements whose parts are shared, within a budget."""

    def __init__(self) -> None:
        self._sizes: dict[int, Size] = {}
        self._left = MAX_NODES

    def of(self, elements: list[Any], wanted: list[Any]) -> list[str]:
        """One text an element; an element larger than any wanted one gets a text that none has."""
        limit = max((size.nodes for item in wanted if (size := measure(item))), default=0)
        texts = []
        for item in elements:
            size = measure(item, self._sizes)
            if size is None or size.nodes > limit:
                texts.append(_NO_TEXT)
                continue
            self._left -= size.nodes
            if self._left < 0:
                raise TooLargeError(f"aliases repeat parts of the answer in more than {MAX_NODES} places")
            texts.append(canonical(item))
        return texts
