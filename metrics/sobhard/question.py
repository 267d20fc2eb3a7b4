"""A question ready to be scored: its reference parsed, its data decoded, what it expects computed once and kept."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from metrics.sobhard import operations, schemas
from metrics.sobhard.operations import OperationError
from metrics.sobhard.shapes import of_each_shape
from metrics.sobhard.targets import Parsed, Target, parse
from metrics.sobhard.trees import leaf_counts

__all__ = ["FAMILIES", "SESSION", "Expected", "Question"]

SESSION: Final = "session"
FAMILIES: Final = (
    "convert",
    "extract",
    "repair",
    "transform",
    "schema_gen",
    "patch",
    "diff",
    "apply_diff",
    "merge",
    "template",
    SESSION,
)
_SIZE_FACTOR: Final = 8
_SIZE_FLOOR: Final = 200_000


class Expected(NamedTuple):
    """What a family's check compares with: a value, or why the question's own data gives none."""

    value: Any = None
    problem: str = ""


class Question:
    """A row as the constraints see it.

    Attributes:
        family: the graded family; for a session the family of its turn.
        is_session: whether the row is a turn of a conversation.
        cell: ``family/difficulty`` as balance_score groups it.
        target: the notation; None on a blanked row alone.
        tag: the tag that the fence must have.
        blanked: no reference and no outputs: nothing can be scored.
        task_meta, checks: decoded objects.
        reference: the reference's text; may be empty.
    """

    def __init__(
        self,
        *,
        family: str,
        cell: str,
        target: Target | None,
        tag: str,
        reference: str,
        outputs: str,
        task_meta: Mapping[str, Any],
        checks: Mapping[str, Any],
        blanked: bool,
    ) -> None:
        self.is_session = family == SESSION
        self.family = str(task_meta.get("turn_family") or "") if self.is_session else family
        self.cell = cell
        self.target = target
        self.tag = tag
        self.blanked = blanked
        self.task_meta = task_meta
        self.checks = checks
        self.reference = reference
        self._outputs = outputs

    @property
    def typeless(self) -> bool:
        """Whether the target keeps no types, so that strings are compared as numbers where they read as such."""
        return self.target is not None and self.target.typeless

    @property
    def size_limit(self) -> int:
        """Longest body in characters that is parsed: eight times the reference, at least 200,000."""
        return max(_SIZE_FACTOR * self.usual_size, _SIZE_FLOOR)

    @property
    def usual_size(self) -> int:
        """Length of the reference in characters."""
        return len(self.reference or self._outputs)

    def parse(self, body: str) -> Parsed:
        """A body in the question's notation."""
        if self.target is None:
            return Parsed(None, "no-target", "the row names no target notation")
        if len(body) > self.size_limit:
            return Parsed(None, "too-large", f"the body has {len(body)} characters, at most {self.size_limit} are read")
        return parse(self.target, body, self.usual_size)

    @cached_property
    def parsed_reference(self) -> Parsed:
        """``reference`` as an answer of these words parses."""
        return self.parse(self.reference)

    @cached_property
    def gold(self) -> Any:
        """The reference's value: of ``reference``, or of ``outputs`` if that does not parse; None without one."""
        if self.reference and self.parsed_reference.value is not None:
            return self.parsed_reference.value
        return parse(self.target, self._outputs, self.usual_size).value if self.target and self._outputs else None

    @cached_property
    def gold_leaves(self) -> Counter[str]:
        """Leaves of the reference, see trees.leaf_counts, which says what raises."""
        return leaf_counts(self.gold)

    # What the row's checks hold (contract, 1.4).

    @cached_property
    def source(self) -> Any:
        """The input document, under either of its names."""
        found = self.checks.get("source")
        return self.checks.get("source_canonical") if found is None else found

    @property
    def source_b(self) -> Any:
        """The second document, the change object or the template."""
        return self.checks.get("source_b")

    @property
    def derived(self) -> Any:
        """The document after the rewrite steps; None for none."""
        return self.checks.get("derived")

    @property
    def described(self) -> Any:
        """``derived``, or ``source`` without it: what schemas describe and records are taken from."""
        return self.source if self.derived is None else self.derived

    @cached_property
    def prev_state(self) -> Any:
        """The state just before a session's turn."""
        found = self.checks.get("prev_state")
        return self.source if found is None else found

    def gate(self, constraint: str) -> bool:
        """Whether the row switches a gated constraint on."""
        return bool((self.checks.get("gates") or {}).get(constraint, False))

    @cached_property
    def shapes(self) -> Any:
        """What is described, with one element of each shape in its arrays."""
        return of_each_shape(self.described)

    # What the answer must equal, by family; each is computed at the first answer.

    @cached_property
    def patched(self) -> Expected:
        """The source after the patch."""
        return self._derived_or(lambda: operations.apply_ops(self.source, self.task_meta["ops"]))

    @cached_property
    def changed(self) -> Expected:
        """Version 1 after the change object."""
        return self._derived_or(lambda: operations.apply_changes(self.source, self.source_b))

    @cached_property
    def joined(self) -> Expected:
        """The records of A and B joined."""
        return self._derived_or(lambda: operations.join_records(self.source, self.source_b, self.task_meta["join"]))

    @cached_property
    def difference(self) -> Expected:
        """The change object between two versions."""
        return _expect(lambda: operations.structural_diff(self.source, self.source_b))

    @cached_property
    def schema(self) -> Expected:
        """The schema of the described document."""
        return _expect(lambda: schemas.infer(self.described, self.task_meta.get("schema_kind") or schemas.MINIMAL))

    @cached_property
    def rendered(self) -> Expected:
        """One string a record of the template."""
        return _expect(self._render)

    def _render(self) -> list[str]:
        if not isinstance(self.described, list):
            raise OperationError("the records are no list")
        return [operations.render(self.source_b, record) for record in self.described]

    def _derived_or(self, compute: Callable[[], Any]) -> Expected:
        return Expected(self.derived) if self.derived is not None else _expect(compute)


def _expect(compute: Callable[[], Any]) -> Expected:
    try:
        return Expected(compute())
    except Exception as error:  # the row's data; the contract fails the constraint
        return Expected(None, f"{type(error).__name__}: {error}")
