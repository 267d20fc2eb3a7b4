"""A question in the making: what the composer knows while it turns a stack into a witness."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from builders.ifhard.bank import Keyword, Probe, Topic, Unit, measure
from builders.ifhard.catalogue import Variant
from metrics.ifhard.text import fold

__all__ = ["Aim", "Ask", "Draft", "Equal", "InfeasibleError", "Link", "Rising", "Sum"]

Test = Callable[[Unit], bool]
Weight = Callable[[Unit], int]


class InfeasibleError(Exception):
    """This stack cannot be composed with these choices; the message is the reason that is counted."""


@dataclass
class Ask:
    """One requirement in the making: a variant and the slot values chosen so far."""

    variant: Variant
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sum:
    """The weights of the chosen units over some slots (None: all) add up to low..high."""

    weight: Weight
    low: int
    high: int
    slots: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Aim:
    """A total still to be chosen, somewhere in low..high (``constant``, the share of the framing, included).

    A random filling of the slots proposes a value; ``put`` tells the requirement and answers with the range
    that the total then has to lie in.
    """

    weight: Weight
    constant: int
    low: int
    high: int
    put: Callable[[int], tuple[int, int]]


@dataclass(frozen=True)
class Rising:
    """The weights rise strictly from slot to slot (or fall strictly)."""

    weight: Weight
    falling: bool = False


@dataclass(frozen=True)
class Equal:
    """Two slots hold units of equal weight."""

    weight: Weight
    left: int
    right: int


@dataclass(frozen=True)
class Link:
    """In each pair of neighbouring slots the left unit's key equals the right unit's other key."""

    left: Callable[[Unit], str]
    right: Callable[[Unit], str]


@dataclass
class Draft:
    """Everything chosen so far for one attempt at one question.

    Attributes:
        topic, task, rng: where the material comes from, the task line, the attempt's own randomness.
        frame: one of :data:`builders.ifhard.frames.FRAMES`.
        asks: the stack, in the order of the question.
        probe, holds: what the conditional (if any) looks at, and whether the background mentions it.
        kind: what the slots take in general, ``sentence`` or ``phrase``; ``kinds``: the same for each slot.
        want_n: how many slots, if a requirement says so; n_low, n_high: between which numbers at any rate.
        wishes: ranges that the number of slots should lie in where it can, the first ones first.
        paragraph_options: for each rule about paragraphs, the numbers of them that suit it.
        per_paragraph: how many sentences each paragraph has, if a rule says so.
        paragraphs: sizes of the paragraphs of a prose answer.
        extra: numbers and keys of a fixed shape (``keys``, ``rows``, ``cols``, ``list_items``...).
        head: what stands on a first line of its own; tags: words of a closing line of hashtags; mark: what is appended
            in brackets.
        lower, lines: write everything in lower case; put each sentence on a line of its own.
        extra_chars: characters that are added after the units are chosen (asterisks, quotation marks).
        tests: what every unit must satisfy; ``places``: what the units of one slot must.
        sums, aims, relations, distinct_initials: what the chosen units must satisfy together.
        used_words: keywords that requirements have taken.
        units, texts: the choice, and its texts as they will stand in the answer.
    """

    topic: Topic
    task: str
    rng: Random
    frame: str
    asks: list[Ask]
    probe: Probe | None = None
    holds: bool = False
    kind: str = "sentence"
    want_n: int | None = None
    n_low: int = 1
    n_high: int = 12
    wishes: list[tuple[int, int]] = field(default_factory=list)
    paragraph_options: list[tuple[int, ...]] = field(default_factory=list)
    per_paragraph: int | None = None
    kinds: list[str] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    head: str = ""
    tags: list[str] = field(default_factory=list)
    mark: str = ""
    lower: bool = False
    lines: bool = False
    extra_chars: int = 0
    tests: list[Test] = field(default_factory=list)
    places: dict[int, list[Test]] = field(default_factory=dict)
    sums: list[Sum] = field(default_factory=list)
    aims: list[Aim] = field(default_factory=list)
    relations: list[Rising | Equal | Link] = field(default_factory=list)
    distinct_initials: bool = False
    used_words: list[Keyword] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    _pools: dict[str, tuple[int, list[Unit]]] = field(default_factory=dict, init=False, repr=False)

    def has(self, *keys: str) -> bool:
        """Whether the stack holds one of these variants (``family:name/variant``) or categories."""
        return any(ask.variant.key in keys or ask.variant.category in keys for ask in self.asks)

    @property
    def n(self) -> int:
        """Number of slots."""
        return len(self.kinds)

    @property
    def fixed(self) -> list[Unit]:
        """Texts of the answer that no slot supplies and that rules nevertheless read."""
        keys = [*self.extra.get("keys", [])]
        return [measure(text) for text in ([self.head] if self.head and not self.head.isdigit() else []) + keys]

    def material(self, kind: str) -> tuple[Unit, ...]:
        """All bank units of a kind."""
        return self.topic.sentences if kind == "sentence" else self.topic.phrases

    def pool(self, kind: str) -> list[Unit]:
        """The bank units of a kind that pass every global test; a test is made once of each, and stays."""
        tried, units = self._pools.get(kind, (0, list(self.material(kind))))
        for test in self.tests[tried:]:
            units = [unit for unit in units if test(unit)]
        self._pools[kind] = len(self.tests), units
        return list(units)

    def accepts(self, text: str) -> bool:
        """Whether a text from elsewhere (a hashtag's word) passes every global test."""
        unit = measure(text)
        return all(test(unit) for test in self.tests)

    def keep(self, test: Test, share: float = 0.0) -> bool:
        """Add a global test if the fixed texts pass and at least ``share`` of the pool stays; tell whether it was."""
        if not all(test(unit) for unit in self.fixed):
            return False
        for kind in (self.kind, "sentence") if self.frame == "parts" else (self.kind,):
            if sum(map(test, self.pool(kind))) < share * len(self.material(kind)):
                return False
        self.tests.append(test)
        return True

    def choose_kept(self, options: Iterable[Any], test_for: Callable[[Any], Test], share: float, reason: str) -> Any:
        """The first option (shuffled) whose test leaves enough of the pool; adds the test.

        Raises:
            InfeasibleError: no option does.
        """
        shuffled = list(options)
        self.rng.shuffle(shuffled)
        for option in shuffled:
            if self.keep(test_for(option), share):
                return option
        raise InfeasibleError(reason)

    def between(self, low: int, high: int) -> None:
        """Narrow the number of slots.

        Raises:
            InfeasibleError: nothing is left.
        """
        self.n_low, self.n_high = max(self.n_low, low), min(self.n_high, high)
        if self.n_low > self.n_high:
            raise InfeasibleError("the numbers of sentences or items do not fit together")

    def count(self, at_least: int = 1) -> int:
        """Settle the number of slots within the bounds, by the wishes that can be met.

        Raises:
            InfeasibleError: no number is left.
        """
        low, high = max(self.n_low, at_least), self.n_high
        if self.want_n is not None:
            low, high = max(low, self.want_n), min(high, self.want_n)
        if low > high:
            raise InfeasibleError("the numbers of sentences or items do not fit together")
        for wished_low, wished_high in (*self.wishes, (4, 8)):
            if wished_low <= high and low <= wished_high:
                low, high = max(low, wished_low), min(high, wished_high)
        return self.rng.randint(low, high)

    def at(self, slot: int, test: Test) -> None:
        """Demand something of the unit in one slot (negative: from the end)."""
        self.places.setdefault(slot % self.n, []).append(test)

    def candidates(self, slot: int) -> list[Unit]:
        """Units that pass the global tests and those of the slot."""
        tests = self.places.get(slot, [])
        return [unit for unit in self.pool(self.kinds[slot]) if all(test(unit) for test in tests)]

    def keywords(self, count: int, kind: str, at_least: int = 1) -> list[Keyword]:
        """Draw keywords that the task and the fixed texts do not hold and the pool does.

        Raises:
            InfeasibleError: too few.
        """
        pool = self.pool(kind)
        taken = [fold(other.stem) for other in self.used_words]
        stranger = [measure(self.task), *self.fixed]
        free = [
            word
            for word in self.topic.keywords
            if not any(unit.hits(word.stem) for unit in stranger)
            and not any(fold(word.stem).startswith(stem) or stem.startswith(fold(word.stem)) for stem in taken)
            and sum(unit.hits(word.stem) > 0 for unit in pool) >= at_least
        ]
        if len(free) < count:
            raise InfeasibleError("too few keywords left in the pool")
        chosen = self.rng.sample(free, count)
        self.used_words.extend(chosen)
        return chosen
