"""What the generator knows of one requirement type: one row of the tables of this package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from builders.ifhard.draft import Ask, Draft
from builders.ifhard.frames import FRAMES, LISTS

__all__ = [
    "ALL",
    "BULLETS",
    "GLUED",
    "LAST",
    "LIST",
    "NUMBERS",
    "PROSE",
    "SENTENCES",
    "TEXT",
    "Corruption",
    "Demand",
    "Params",
    "Rule",
    "Type",
    "rule",
]

Params = Mapping[str, Any]
Corruption = Callable[[str, Params], str]
Step = Callable[[Draft, Ask], None]

PROSE: Final = frozenset({"prose"})
LIST: Final = LISTS
BULLETS: Final = frozenset({"bullets"})
NUMBERS: Final = frozenset({"numbers"})
TEXT: Final = PROSE | LIST
ALL: Final = FRAMES
# The list inside a JSON string is written with «\\n», which glues the last word of an item to the next marker: rules
# about whole words would read «чай\\n-» there.
GLUED: Final = frozenset({"jsonlist"})
SENTENCES: Final = "line task"
"""What rules about every sentence cannot stand beside."""
LAST: Final = 99
"""Turn of the types that leave much choice."""


@dataclass(frozen=True)
class Rule:
    """How one variant behaves beside others in a stack.

    Attributes:
        frames: frames it can live in.
        ease: predicted share of answers of a mid-size model that meet it, 0..1.
        pins: whether it says how much text is needed.
        groups: exclusive groups; two members of one never meet.
        brings: what it puts into the answer that other rules may bar.
        bars: what it cannot stand beside.
        weight: how often it is taken, relative to the other variants of its type.
        tells: tags (of :data:`builders.ifhard.catalogue.BESIDE`) of what all other wordings may take for granted.
        sentence_items: whether list items have to be sentences beside it: the bank's phrases seldom offer it.
    """

    frames: frozenset[str]
    ease: float
    pins: bool
    groups: frozenset[str]
    brings: frozenset[str]
    bars: frozenset[str]
    weight: float
    tells: frozenset[str]
    sentence_items: bool


# What the words mean.
# Groups: words, chars, commas (an exact total of them); sentences, paragraphs, items (an exact number of them);
# paragraphs-sentences (sentences and their division fixed twice); order (an order of items); unit-words (the words of
# each sentence or item); paragraph-words (words at the edges of paragraphs); opening, closing (what the text starts or
# ends with); first-words, last-words, nth (words in given places); the rest are named after what they are about.
# Brought: filter (a restriction of every sentence, which breaks chains); rare (a demand that few sentences meet);
# line (a line or mark that is neither sentence nor item); task (the task quoted); first-line (something before the
# text); many (several sentences); items; paragraphs; lines (line breaks that are no paragraphs); digits; markup.
# Told: list (what an item is); bullets (items have no numbers); items, sentences, paragraphs (how many there are,
# two or more); counted (words or characters of the whole answer are counted); lower (no capitals); digitless (no
# digits); stops (ends of sentences are looked at); tagged (there is a line of hashtags).
def rule(
    frames: frozenset[str],
    ease: float,
    groups: str = "",
    *,
    brings: str = "",
    bars: str = "",
    pins: bool = False,
    weight: float = 1.0,
    tells: str = "",
    sentence_items: bool = False,
) -> Rule:
    """A rule; sets of words are written as one string with spaces between."""
    return Rule(
        frames=frames,
        ease=ease,
        pins=pins,
        groups=frozenset(groups.split()),
        brings=frozenset(brings.split()),
        bars=frozenset(bars.split()),
        weight=weight,
        tells=frozenset(tells.split()),
        sentence_items=sentence_items,
    )


class Demand(NamedTuple):
    """What a type does while a witness is composed: steps, run in this order for the whole stack, or None.

    Attributes:
        fix: texts that stand in the answer whatever is chosen (a quoted task, JSON keys).
        narrow: choose parameters that restrict every unit, as far as the pool bears it.
        shape: say how many sentences, paragraphs or items there are.
        place: restrict single slots, relate slots, fix sums; the layout is known.
        aim: ask for totals that are chosen from what a random filling has.
        settle: the units are chosen: read off what is left, embolden.
        seal: the text is complete but for a number that counts it.
    """

    fix: Step | None = None
    narrow: Step | None = None
    shape: Step | None = None
    place: Step | None = None
    aim: Step | None = None
    settle: Step | None = None
    seal: Step | None = None


NO_DEMAND: Final = Demand()


@dataclass(frozen=True, kw_only=True)
class Type:
    """One requirement type.

    Attributes:
        share: uses that a full build (:data:`builders.ifhard.type_tables.FULL_SIZE` questions) aims at.
        rules: neighbours policy of each variant that is built, by the variant's name in the wordings; a conditional
            has two, ``name@true`` and ``name@false``, by the branch that the context picks. Empty for a type without
            wordings.
        demand: what it asks of a witness.
        corrupt: spoils an answer that meets the requirement (text and parameters in, text out) so that it no longer
            does; None for an override, which is spoiled as its winner is.
        not_built: variants of the wordings that have no rule, each with the reason.
        left_out: why no question has the type; empty if questions have it.
        turn: its turn within a step of composing, the lowest first: types that leave the least choice go first.
        said_numbers, said_words: what its wordings say or quote by convention, and what is no parameter.
        spelled: parameters whose number a wording may say in words: name to a pattern of such words.
    """

    share: int = 0
    rules: Mapping[str, Rule] = field(default_factory=dict)
    demand: Demand = NO_DEMAND
    corrupt: Corruption | None
    not_built: Mapping[str, str] = field(default_factory=dict)
    left_out: str = ""
    turn: int = LAST
    said_numbers: frozenset[int] = frozenset()
    said_words: frozenset[str] = frozenset()
    spelled: Mapping[str, str] = field(default_factory=dict)
