"""The code side of the catalogue: what a stack may hold, and how often.

For every variant that is built there is one :class:`Rule`: the frames it lives in, how likely a mid-size model
is to meet it, whether it pins how much text is needed, and what it cannot stand beside. Two rules are compatible
if they share no exclusive group and neither bars what the other brings. A catalogue variant without a rule is
not built; each such variant has its reason in NOT_BUILT.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from builders.ifhard.demands.logic import BRANCHES

__all__ = ["HARD", "NOT_BUILT", "RULES", "Rule", "compatible"]

HARD: Final = 0.5
"""A requirement that a mid-size model meets less often than this is a hard one."""

PROSE: Final = frozenset({"prose"})
LIST: Final = frozenset({"bullets", "numbers"})
BULLETS: Final = frozenset({"bullets"})
NUMBERS: Final = frozenset({"numbers"})
TEXT: Final = PROSE | LIST
SHAPES: Final = frozenset({"json", "jsonlist", "array", "csv", "table", "parts"})
ALL: Final = TEXT | SHAPES
# The list inside a JSON string is written with «\\n», which glues the last word of an item to the next marker: rules
# about whole words would read «чай\\n-» there.
GLUED: Final = frozenset({"jsonlist"})


@dataclass(frozen=True)
class Rule:
    """How one variant behaves in a stack.

    Attributes:
        frames: frames it can live in.
        ease: predicted share of answers of a mid-size model that meet it, 0..1.
        pins: whether it says how much text is needed.
        groups: exclusive groups; two members of one never meet.
        brings: what it puts into the answer that other rules may bar.
        bars: what it cannot stand beside.
        weight: how often it is taken, relative to the other variants of its category.
    """

    frames: frozenset[str]
    ease: float
    pins: bool = False
    groups: frozenset[str] = frozenset()
    brings: frozenset[str] = frozenset()
    bars: frozenset[str] = frozenset()
    weight: float = 1.0


def _rule(
    frames: frozenset[str],
    ease: float,
    groups: str = "",
    *,
    brings: str = "",
    bars: str = "",
    pins: bool = False,
    weight: float = 1.0,
) -> Rule:
    return Rule(
        frames=frames,
        ease=ease,
        pins=pins,
        groups=frozenset(groups.split()),
        brings=frozenset(brings.split()),
        bars=frozenset(bars.split()),
        weight=weight,
    )


def _branches() -> dict[str, Rule]:
    """Both branches of every conditional format, each with the shape that it makes of the answer."""
    found = {}
    for variant, shapes in BRANCHES.items():
        for holds, shape in zip((True, False), shapes, strict=True):
            groups, frames, brings = {
                "bullets": ("items", BULLETS, "items markup"),
                "numbers": ("items", NUMBERS, "items markup digits"),
                "sentences": ("sentences paragraphs-sentences", PROSE, ""),
                "paragraphs": ("paragraphs", PROSE, "paragraphs"),
            }[shape]
            found[f"logic:conditional_format/{variant}@{str(holds).lower()}"] = _rule(
                frames,
                0.8 if holds else 0.7,
                f"logic {groups}",
                brings=brings,
                bars="line task lines" if shape == "paragraphs" else "line task",
                pins=True,
            )
    return found


# What the words mean.
# Groups: words, chars, commas (an exact total of them); sentences, paragraphs, items (an exact number of them);
# paragraphs-sentences (sentences and their division fixed twice); order (an order of items); unit-words (the words of
# each sentence or item); paragraph-words (words at the edges of paragraphs); opening, closing (what the text starts or
# ends with); first-words, last-words, nth (words in given places); the rest are named after what they are about.
# Brought: filter (a restriction of every sentence, which breaks chains); rare (a demand that few sentences meet);
# line (a line or mark that is neither sentence nor item); task (the task quoted); first-line (something before the
# text); many (several sentences); items; paragraphs; lines (line breaks that are no paragraphs); digits; markup.
_SENTENCES: Final = "line task"

RULES: Final[Mapping[str, Rule]] = {
    # structure
    "structure:word_count/exact": _rule(ALL - {"array", "jsonlist", "json"}, 0.3, "words", pins=True, weight=2),
    "structure:word_count/between": _rule(TEXT, 0.55, "words", pins=True),
    "structure:word_count/at_most": _rule(PROSE, 0.6, "words sentences", pins=True, weight=0.5, bars="many"),
    "structure:sentence_count/exact": _rule(PROSE, 0.8, "sentences paragraphs-sentences", pins=True, bars=_SENTENCES),
    "structure:sentence_count/between": _rule(
        PROSE, 0.9, "sentences paragraphs-sentences", pins=True, bars=_SENTENCES, weight=0.25
    ),
    "structure:sentence_count/at_most": _rule(
        PROSE, 0.92, "sentences paragraphs-sentences", pins=True, bars=_SENTENCES, weight=0.25
    ),
    "structure:paragraph_count/exact": _rule(
        PROSE, 0.85, "paragraphs", pins=True, brings="paragraphs", bars="line task lines"
    ),
    "structure:char_count/exact": _rule(TEXT | {"parts"}, 0.04, "chars", pins=True),
    "structure:char_count/between": _rule(TEXT | {"parts"}, 0.35, "chars", pins=True),
    "structure:sentence_words/exact": _rule(PROSE, 0.35, "unit-words words", bars=_SENTENCES),
    "structure:sentence_words/between": _rule(PROSE, 0.6, "unit-words", bars=_SENTENCES),
    "structure:item_words/exact": _rule(LIST | {"parts"}, 0.6, "unit-words words", brings="items", bars="line"),
    "structure:item_words/between": _rule(LIST, 0.75, "unit-words", brings="items", bars="line", weight=0.7),
    "structure:paragraph_sentences/exact": _rule(
        PROSE, 0.75, "paragraphs-sentences", brings="paragraphs many", bars="line task lines"
    ),
    "structure:ascending_sentences/asc": _rule(PROSE, 0.4, "unit-words", brings="many", bars=_SENTENCES),
    "structure:ascending_sentences/desc": _rule(PROSE, 0.35, "unit-words", brings="many", bars=_SENTENCES),
    "structure:items_total_words/bullet": _rule(BULLETS, 0.25, "words unit-words", brings="items", bars="line"),
    "structure:items_total_words/numbered": _rule(NUMBERS, 0.2, "words unit-words", brings="items", bars="line"),
    "structure:item_words_ladder/asc": _rule(LIST, 0.45, "words unit-words order", brings="items", bars="line"),
    "structure:item_words_ladder/desc": _rule(LIST, 0.4, "words unit-words order", brings="items", bars="line"),
    "structure:first_line_count/plain": _rule(
        PROSE, 0.25, "words opening", brings="line digits first-line", bars="lines paragraphs"
    ),
    "structure:checksum/commas": _rule(
        PROSE, 0.45, "commas closing", brings="line digits", bars="paragraphs lines", weight=2
    ),
    "structure:checksum/letter_words": _rule(
        PROSE, 0.3, "closing", brings="line digits", bars="paragraphs lines", weight=2
    ),
    "structure:checksum/sentences": _rule(
        PROSE, 0.75, "closing", brings="line digits", bars="paragraphs lines task", weight=0.4
    ),
    "structure:checksum/words": _rule(
        PROSE, 0.2, "words closing", brings="line digits", bars="paragraphs lines", weight=8
    ),
    "structure:word_char_count/exact": _rule(TEXT, 0.02, "words chars", pins=True),
    "structure:mirror_sentences/plain": _rule(PROSE, 0.4, "unit-words", brings="many", bars=_SENTENCES),
    # lexical
    "lexical:include_keyword/stem": _rule(ALL, 0.97, "keyword", weight=2, brings="rare"),
    "lexical:include_keyword/any": _rule(TEXT, 0.97, "keyword", weight=0.5, brings="rare"),
    "lexical:include_keyword/exact": _rule(ALL - GLUED, 0.95, "keyword", brings="rare"),
    "lexical:include_all/stems": _rule(TEXT | {"table", "parts", "json"}, 0.92, "keyword", brings="rare"),
    "lexical:include_all/words": _rule(TEXT | {"table", "parts", "json"}, 0.9, "keyword", brings="rare"),
    "lexical:exclude_word/words": _rule(ALL - GLUED, 0.6, "small-words", brings="filter"),
    "lexical:exclude_word/beginnings": _rule(ALL, 0.35, "small-words beginnings", brings="filter"),
    "lexical:starts_with/plain": _rule(PROSE, 0.93, "opening first-words", bars="task first-line"),
    "lexical:ends_with/plain": _rule(PROSE, 0.88, "closing last-words"),
    "lexical:nth_word/plain": _rule(PROSE, 0.45, "nth first-words", bars="task first-line"),
    "lexical:nth_word_from_end/plain": _rule(PROSE, 0.35, "closing nth last-words"),
    "lexical:acrostic/plain": _rule(LIST, 0.55, "items order", pins=True, brings="items", bars="line task"),
    "lexical:sentence_acrostic/plain": _rule(
        PROSE, 0.5, "sentences initials paragraphs-sentences opening", pins=True, bars="line task lines"
    ),
    "lexical:word_exact_count/stem": _rule(TEXT, 0.65, "exact-word", brings="rare"),
    "lexical:word_cap/prefix": _rule(TEXT | {"table"}, 0.5, "start-letter beginnings"),
    "lexical:ring_word/plain": _rule(PROSE, 0.5, "opening closing", bars="task first-line line"),
    "lexical:paragraph_echo/plain": _rule(PROSE, 0.55, "paragraph-words", brings="paragraphs", bars="line task lines"),
    "lexical:item_chain/plain": _rule(LIST, 0.3, "order", brings="items", bars="line task"),
    "lexical:order_words/plain": _rule(TEXT, 0.93, "order-words", brings="rare"),
    "lexical:alpha_items/plain": _rule(LIST, 0.7, "order", brings="items", bars="line task"),
    "lexical:exclude_phrases/anywhere": _rule(ALL - {"array"}, 0.1, "letter-pairs", brings="filter"),
    "lexical:exclude_phrases/anywhere_one": _rule(ALL - {"array"}, 0.2, "letter-pairs", brings="filter"),
    "lexical:quote_task/plain": _rule(PROSE, 0.9, "opening", brings="task first-line", bars="lines paragraphs"),
    "lexical:anadiplosis/plain": _rule(PROSE, 0.3, "initials unit-words opening", bars="line task filter rare"),
    "lexical:epiphora/items": _rule(LIST, 0.55, "order", brings="items", bars="line task"),
    "lexical:epiphora/paragraphs": _rule(PROSE, 0.5, "paragraph-words", brings="paragraphs", bars="line task lines"),
    # style
    "style:forbid_letter/one": _rule(ALL, 0.2, "letters", brings="filter"),
    "style:forbid_letter/letter_e": _rule(ALL, 0.06, "letters", weight=0.12, brings="filter"),
    "style:forbid_letters/several": _rule(ALL, 0.12, "letters", brings="filter"),
    "style:no_commas/plain": _rule(TEXT | {"table", "parts"}, 0.75, "commas"),
    "style:comma_count/exact": _rule(TEXT | {"table", "parts"}, 0.4, "commas"),
    "style:comma_count/between": _rule(TEXT, 0.55, "commas", weight=0.4),
    "style:comma_count/at_most": _rule(PROSE, 0.7, "commas", brings="many", weight=0.3),
    "style:no_caps/plain": _rule(ALL, 0.85, bars="task"),
    "style:end_punctuation/mark": _rule(PROSE | {"parts"}, 0.9, "closing-mark", bars="line", brings="filter"),
    "style:sentence_initials/plain": _rule(PROSE, 0.6, "initials", brings="many", bars=_SENTENCES),
    "style:letter_start_count/exact": _rule(TEXT | {"table", "parts"}, 0.3, "start-letter"),
    "style:letter_start_count/between": _rule(TEXT, 0.5, "start-letter", weight=0.4),
    "style:letter_start_count/at_most": _rule(PROSE, 0.55, "start-letter", brings="many", weight=0.3),
    "style:anaphora/plain": _rule(
        PROSE, 0.7, "opening initials paragraph-words", brings="paragraphs", bars="line task lines"
    ),
    "style:no_markdown/plain": _rule(PROSE, 0.95, bars="markup"),
    "style:max_word_length/plain": _rule(ALL - GLUED - {"array"}, 0.35, "short-words", bars="task", brings="filter"),
    "style:question_count/exact": _rule(PROSE, 0.8, "questions", brings="filter many", bars="task"),
    "style:exclamation_count/exact": _rule(PROSE, 0.85, "exclamations", brings="filter many", bars="task"),
    "style:no_digits/numeral_words": _rule(
        ALL - GLUED - {"numbers", "array"}, 0.85, "numerals", bars="digits", brings="rare"
    ),
    "style:no_latin/cyrillic_terms": _rule(ALL - GLUED, 0.88, "terms", brings="rare"),
    # format
    "format:bullet_list/strict": _rule(BULLETS, 0.95, "items", pins=True, brings="items markup", bars="line task"),
    "format:numbered_list/strict": _rule(
        NUMBERS, 0.95, "items", pins=True, brings="items markup digits", bars="line task"
    ),
    "format:json_object/plain": _rule(frozenset({"json"}), 0.85, "shape", pins=True, weight=0.5),
    "format:json_object/max_words": _rule(frozenset({"json"}), 0.75, "shape", pins=True),
    "format:json_object/no_commas": _rule(frozenset({"json"}), 0.75, "shape", pins=True, weight=0.5),
    "format:json_object/max_words_no_commas": _rule(frozenset({"json"}), 0.7, "shape", pins=True),
    "format:json_list_value/plain": _rule(frozenset({"jsonlist"}), 0.55, "shape", pins=True),
    "format:json_array/plain": _rule(frozenset({"array"}), 0.65, "shape", pins=True, brings="digits"),
    "format:csv_line/plain": _rule(frozenset({"csv"}), 0.5, "shape", pins=True),
    "format:two_parts/plain": _rule(frozenset({"parts"}), 0.5, "shape", pins=True, brings="items markup"),
    "format:markdown_table/plain": _rule(frozenset({"table"}), 0.8, "shape", pins=True, brings="markup"),
    "format:bold_words/plain": _rule(TEXT, 0.85, "bold", brings="markup", bars="lines"),
    "format:bold_words/words_each": _rule(TEXT, 0.75, "bold", brings="markup", bars="lines"),
    "format:bold_words/position": _rule(PROSE, 0.4, "bold nth", brings="markup", bars="lines first-line task"),
    "format:bold_words/stems": _rule(TEXT, 0.8, "bold keyword", brings="rare markup", bars="lines"),
    "format:line_length/max": _rule(TEXT, 0.4, "line-length", brings="lines", bars="task line"),
    "format:line_length/lines": _rule(
        PROSE, 0.35, "line-length sentences items", pins=True, brings="lines", bars="task line"
    ),
    "format:hashtags/plain": _rule(PROSE, 0.8, "closing", brings="line markup", bars="paragraphs"),
    "format:hashtags/alpha": _rule(PROSE, 0.65, "closing", brings="line markup", bars="paragraphs"),
    "format:hashtags/echo_first": _rule(
        PROSE, 0.55, "closing opening", brings="line markup", bars="paragraphs task", weight=2
    ),
    # logic; "@true" and "@false" say which branch the context picks
    "logic:conditional_include/plain@true": _rule(ALL, 0.9, "logic", brings="rare"),
    "logic:conditional_include/plain@false": _rule(ALL, 0.93, "logic"),
    **_branches(),
    "logic:override/sentence_count": _rule(
        PROSE, 0.75, "logic sentences paragraphs-sentences", pins=True, bars="line task"
    ),
    "logic:override/bullet_list": _rule(
        BULLETS, 0.9, "logic items", pins=True, brings="items markup", bars="line task"
    ),
    "logic:override/numbered_list": _rule(
        NUMBERS, 0.9, "logic items", pins=True, brings="items markup digits", bars="line task"
    ),
    "logic:override/comma_count": _rule(TEXT, 0.35, "logic commas"),
    "logic:override/paragraph_count": _rule(
        PROSE, 0.8, "logic paragraphs", pins=True, brings="paragraphs", bars="line task lines"
    ),
    "logic:override/word_count": _rule(TEXT, 0.28, "logic words", pins=True),
}

NOT_BUILT: Final[Mapping[str, str]] = {
    "style:end_punctuation/ellipsis": "the bank has no sentence that ends so",
    "lexical:exclude_phrases/start": "free answers pass it: no list of openings covers most of them",
    "format:bullet_list/with_text": "the shape with text around the list is not composed",
    "format:numbered_list/with_text": "the shape with text around the list is not composed",
}


def compatible(one: Rule, other: Rule) -> bool:
    """Whether two rules may stand in one stack."""
    return not (one.groups & other.groups or one.brings & other.bars or other.brings & one.bars)
