"""The 48 questions that the instructions leave open, and how each grader reads them: one table.

The questions, their numbers and both readings are those of the IFBench notes, section 5, with an ``A`` before the
number, since an earlier audit numbers other questions the same way. ``fixes_only`` takes the official reading
everywhere, ``proposed`` the proposed one where there is one. A checker never asks which grader it serves: it gets
:class:`Readings`, whose fields are the switches. The table itself is ``decisions.yaml``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

__all__ = ["DECISIONS", "OFFICIAL", "PROPOSED", "Decision", "Readings", "Switch", "readings_of"]


class Readings(NamedTuple):
    """The value of every switch, for one grader; the table below says which decision each belongs to."""

    line_breaks_end_sentences: bool
    hyphens_join_in_ranges: bool
    prime_parts: bool
    digits_in_names: bool
    punctuation: tuple[str, ...]
    japanese_needs_position: bool
    japanese_exempts_numerals: bool
    csv_in_fence: bool
    accents_are_special: bool
    list_may_end_in_stop: bool
    optional_capitals: tuple[str, ...]
    bold_question_labels: bool
    words_around_multiples: bool
    african_list_complete: bool
    markers_between_items: bool
    bare_option_letters: bool
    bold_inside_labels: bool
    bracket_kinds: int
    blocks_are_sections: bool
    thesis_alone: bool
    minor_preposition_letters: int
    overlap_of_words: bool
    case_is_a_change: bool
    y_only_before_vowels: bool
    numerals_need_clusters: bool
    headings_are_paragraphs: bool
    distinct_palindromes: bool
    numeral_palindromes: bool
    least_vowel_kinds: int


class Switch(NamedTuple):
    """A field of :class:`Readings` with its value under either reading."""

    name: str
    official: Any
    proposed: Any


class Decision(NamedTuple):
    """A decision between two readings of an instruction.

    Attributes:
        id: ``AD`` followed by the decision's number.
        ids: ids of the instructions that it concerns.
        question: the question that the instruction's wording leaves open.
        official: the official reading.
        proposed: the proposed reading, or "" where both graders take the official one.
        switches: the switches by which the two readings differ; empty if they do not.
    """

    id: str
    ids: tuple[str, ...]
    question: str
    official: str
    proposed: str = ""
    switches: tuple[Switch, ...] = ()


def _read(entry: Mapping[str, Any]) -> Decision:
    switches = [Switch(name, *map(_frozen, values)) for name, values in entry.get("switches", {}).items()]
    return Decision(
        entry["id"],
        tuple(entry["ids"]),
        entry["question"],
        entry["official"],
        entry.get("proposed", ""),
        tuple(switches),
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


DECISIONS: Final[tuple[Decision, ...]] = tuple(
    map(_read, yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")))
)


def readings_of(proposed: Iterable[str] = ()) -> Readings:
    """The switches when the named decisions take the proposed reading and all others the official one.

    Raises:
        KeyError: a name is that of no decision, or of one without a proposed reading.
    """
    chosen = set(proposed)
    unknown = chosen - {decision.id for decision in DECISIONS if decision.switches}
    if unknown:
        raise KeyError(f"no decision with a proposed reading: {', '.join(sorted(unknown))}")
    values = {
        switch.name: switch.proposed if decision.id in chosen else switch.official
        for decision in DECISIONS
        for switch in decision.switches
    }
    return Readings(**values)


OFFICIAL: Final = readings_of()
PROPOSED: Final = readings_of(decision.id for decision in DECISIONS if decision.switches)
