"""Which document a question is about, and in which notation it is shown.

Documents are drawn by chance, weighted: near the wanted length, seldom used so far, in a notation seldom shown so far.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from builders.sobhard.breaks import BREAKABLE
from builders.sobhard.corpus import Document, renderings
from builders.sobhard.plan import TIERS, Slot
from builders.sobhard.samplers.facts import places, records_of
from builders.sobhard.sources import Layout
from builders.sobhard.sources.model import PLAIN

__all__ = ["MOST_USES", "TALKED_ABOUT", "Chooser", "Shown"]

MOST_USES: Final = 93  # questions behind one file
_MEANS: Final = {"easy": 9_700, "medium": 14_000, "hard": 17_200}  # characters of input by difficulty
_LONGEST: Final = 62_000  # characters that one input at least is near
_NOTES, _LONGEST_NOTE = 8, 80  # comments in a document that is shown as JSONC, and characters of one
_PAIRED: Final = {"diff": 2.0, "merge": 1.05, "apply_diff": 1.1}  # length of the input against the document's
TALKED_ABOUT: Final = ("convert", "repair", "transform", "patch")  # families whose answer a conversation might show
_HELD_BACK: Final = 20.0  # how much likelier a document is that the shipped set never uses
_ABOUT_RECORDS: Final = ("merge", "template")
_UNUSED: Final = 6.0  # how much likelier a file is that no question has used yet
# How far files that were used often give way: 1 would level them, 0 let the liked ones run away.
_LEVELLING: Final = 0.35
_LIST_TARGETS: Final = ("jsonl", "sqlinsert")
_OBJECT_TARGETS: Final = ("toml", "properties")
_SAME_DOCUMENT: Final = ("convert", "patch", "apply_diff", "repair", "session")


class Shown(NamedTuple):
    """A document in a notation.

    Attributes:
        document: what is shown.
        notation: in which notation.
        layout: of the text.
        length: characters.
    """

    document: Document
    notation: str
    layout: Layout
    length: int


class Chooser:
    """Documents of a corpus, and how often each was used."""

    def __init__(self, documents: Iterable[Document], seed: int) -> None:
        self._shown = [shown for document in documents for shown in _ways(document)]
        self.uses: Counter[str] = Counter()
        self.notations: Counter[str] = Counter()
        # The few maps of strings are left to the questions that need them.
        rare = {shown.document.id for shown in self._shown if shown.notation == "properties"}
        self._talk = _drawn({shown.document.id for shown in self._shown} - rare, seed)
        self._asked: set[tuple[str, ...]] = set()
        self._lengths: dict[str, list[float]] = {name: [] for name in _MEANS}
        self._fame = _fame({shown.document.origin for shown in self._shown}, seed)

    def candidates(self, rng: random.Random, slot: Slot) -> Iterator[Shown]:
        """Documents for a slot, the likeliest first, by chance."""
        low, high = TIERS[slot.tier]
        wanted = self._wanted(rng, slot)
        factor = _PAIRED.get(slot.family, 1.0)
        keyed = []
        for shown in self._shown:
            length = shown.length * factor
            if not low <= length < high or not self._suits(slot, shown):
                continue
            far = abs(math.log(length / wanted))
            weight = math.exp(-6 * far) * self._fame[shown.document.origin]
            if shown.document.held_back:
                weight *= _HELD_BACK
            uses = self.uses[shown.document.origin]
            weight *= _UNUSED if not uses else 1 / (1 + uses) ** _LEVELLING
            weight /= (1 + self.notations[shown.notation]) ** 0.5
            keyed.append((rng.random() ** (1 / weight), shown.document.id, shown.notation, shown))
        for *_, shown in sorted(keyed, reverse=True, key=lambda entry: entry[:3]):
            yield shown

    def take(self, slot: Slot, shown: Shown, length: int, *, apart: bool = False) -> None:
        """Count a question that was made; ``apart``: the document is shown whole, and kept from who could answer it."""
        if apart:
            self._talk.add(shown.document.id)
        self.uses[shown.document.origin] += 1
        self.notations[shown.notation] += 1
        self._asked.add(_question(slot, shown))
        self._lengths[slot.difficulty].append(length)

    def _suits(self, slot: Slot, shown: Shown) -> bool:
        document = shown.document
        if self.uses[document.origin] >= MOST_USES or _question(slot, shown) in self._asked:
            return False
        if (slot.family == "session") != (document.id in self._talk) and slot.family in (*TALKED_ABOUT, "session"):
            return False
        if slot.family == "repair" and shown.notation not in BREAKABLE:
            return False
        if slot.family in _ABOUT_RECORDS and not records_of(document.value):
            return False
        return slot.family not in _SAME_DOCUMENT or _root_fits(slot.target, document.value)

    def _wanted(self, rng: random.Random, slot: Slot) -> float:
        """A length by chance from the slot's tier, so that the mean of the difficulty comes out."""
        low, high = TIERS[slot.tier]
        if slot.tier == "short":
            return rng.uniform(2_000, high)
        if slot.tier == "medium":
            return rng.uniform(*{"easy": (4_200, 8_800), "medium": (6_000, 9_900)}.get(slot.difficulty, (7_000, 9_900)))
        if slot.difficulty == "hard" and not self._lengths["hard"]:
            return _LONGEST
        length = rng.uniform(low, 12_000) if rng.random() < 0.23 else 12_000 + rng.expovariate(1 / 7_800)
        made = self._lengths[slot.difficulty]
        over = sum(made) - len(made) * _MEANS[slot.difficulty]
        return min(max(length - over / 12, 10_500), high * 0.97)


def _ways(document: Document) -> Iterator[Shown]:
    yield Shown(document, document.notation, document.layout, len(document.text))
    for notation, text in renderings(document).items():
        layout = Layout(notes=_notes(document)) if notation == "jsonc" else PLAIN
        yield Shown(document, notation, layout, len(text) + sum(map(len, layout.notes)))


def _notes(document: Document) -> tuple[str, ...]:
    """Comments as configuration files have them: entries of the document itself, switched off."""
    rng = random.Random(f"{document.id}/notes")
    found = [(place.last, place.value) for place in places(document.value) if not isinstance(place.value, dict | list)]
    off = [json.dumps({str(key): value}, ensure_ascii=False)[1:-1] for key, value in found]
    short = [line for line in off if len(line) <= _LONGEST_NOTE and "*/" not in line]
    return tuple(f"{line}," for line in rng.sample(short, min(_NOTES, len(short))))


def _root_fits(target: str, value: Any) -> bool:
    """Whether the root of a document is one that the target holds."""
    if target in _LIST_TARGETS:
        return isinstance(value, list)
    return isinstance(value, dict) if target in _OBJECT_TARGETS else True


def _question(slot: Slot, shown: Shown) -> tuple[str, ...]:
    """What no two questions of a family may share; only a conversion says nothing but document and notations."""
    more = (shown.notation, slot.target) if slot.family == "convert" else (str(slot.number),)
    return (slot.family, shown.document.id, *more)


def _drawn(ids: set[str], seed: int) -> set[str]:
    """Documents for conversations: a third."""
    order = sorted(ids)
    random.Random(f"{seed}/conversations").shuffle(order)
    return set(order[: len(order) // 3])


def _fame(origins: set[str], seed: int) -> Mapping[str, float]:
    """How much each file is liked: a few of them much."""
    rng = random.Random(f"{seed}/files")
    return {origin: rng.paretovariate(0.8) for origin in sorted(origins)}
