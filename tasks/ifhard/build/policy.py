"""The code side of the catalogue: what a stack may hold, and how often.

For every variant that is built there is one :class:`Rule`: the frames it lives in, how likely a mid-size model
is to meet it, whether it pins how much text is needed, and what it cannot stand beside. Two rules are compatible
if they share no exclusive group and neither bars what the other brings. A catalogue variant without a rule is
not built; each such variant has its reason in NOT_BUILT.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tasks.ifhard.build.demands.logic import BRANCHES

__all__ = ["HARD", "NOT_BUILT", "RULES", "SHARES", "Rule", "compatible"]

HARD: Final = 0.5
"""A requirement that a mid-size model meets less often than this is a hard one."""

PROSE: Final = frozenset({"prose"})
LIST: Final = frozenset({"bullets", "numbers"})
BULLETS: Final = frozenset({"bullets"})
NUMBERS: Final = frozenset({"numbers"})
TEXT: Final = PROSE | LIST
SHAPES: Final = frozenset({"json", "jsonlist", "array", "csv", "table", "parts"})
ALL: Final = TEXT | SHAPES


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
        branch: for conditionals, whether it fits where the condition holds (True) or not (False); None: either.
    """

    frames: frozenset[str]
    ease: float
    pins: bool = False
    groups: frozenset[str] = frozenset()
    brings: frozenset[str] = frozenset()
    bars: frozenset[str] = frozenset()
    weight: float = 1.0
    branch: bool | None = None


def _rule(
    frames: frozenset[str],
    ease: float,
    groups: str = "",
    *,
    brings: str = "",
    bars: str = "",
    pins: bool = False,
    weight: float = 1.0,
    branch: bool | None = None,
) -> Rule:
    return Rule(
        frames=frames,
        ease=ease,
        pins=pins,
        groups=frozenset(groups.split()),
        brings=frozenset(brings.split()),
        bars=frozenset(bars.split()),
        weight=weight,
        branch=branch,
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
# Groups: words/chars/commas (an exact total), sentences (their number), paragraphs-sentences (their number and size
# would be fixed twice), items (number of list items), order (an order of items), unit-words (words of each sentence
# or item), opening/closing (how the text starts or ends), initials, letters, logic, keyword, nth, bold, punctuation.
# Things brought: line (a line or mark that is neither sentence nor item), task (the task quoted), digits, markup,
# latin, syntax (framing with commas and quotes), lines (line breaks that are not paragraphs), paragraphs, hash.
_SENTENCES: Final = "line task"

RULES: Final[Mapping[str, Rule]] = {
    # structure
    "structure:word_count/exact": _rule(ALL - {"array", "jsonlist", "json"}, 0.3, "words", pins=True, weight=2),
    "structure:word_count/between": _rule(TEXT, 0.55, "words", pins=True),
    "structure:word_count/at_most": _rule(PROSE, 0.6, "words sentences", pins=True, weight=0.5, bars="many"),
    "structure:sentence_count/exact": _rule(
        PROSE, 0.8, "sentences paragraphs-sentences", pins=True, bars=_SENTENCES
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
    "structure:item_words_ladder/asc": _rule(LIST, 0.45, "words unit-words", brings="items", bars="line"),
    "structure:item_words_ladder/desc": _rule(LIST, 0.4, "words unit-words", brings="items", bars="line"),
    "structure:first_line_count/plain": _rule(
        PROSE, 0.25, "words opening", brings="line digits first-line", bars="lines paragraphs"
    ),
    "structure:checksum/commas": _rule(PROSE, 0.45, "commas closing", brings="line digits", bars="paragraphs lines"),
    "structure:checksum/letter_words": _rule(PROSE, 0.3, "closing", brings="line digits", bars="paragraphs lines"),
    "structure:checksum/sentences": _rule(PROSE, 0.75, "closing", brings="line digits", bars="paragraphs lines task"),
    "structure:checksum/words": _rule(PROSE, 0.2, "words closing", brings="line digits", bars="paragraphs lines"),
    "structure:word_char_count/exact": _rule(TEXT, 0.02, "words chars", pins=True),
    "structure:mirror_sentences/plain": _rule(PROSE, 0.4, "unit-words", brings="many", bars=_SENTENCES),
    # lexical
    "lexical:include_keyword/stem": _rule(ALL - {"array"}, 0.97, "keyword", weight=2),
    "lexical:include_keyword/any": _rule(TEXT, 0.97, "keyword", weight=0.5),
    "lexical:include_keyword/exact": _rule(ALL, 0.95, "keyword"),
    "lexical:include_all/stems": _rule(TEXT | {"table", "parts", "json"}, 0.92, "keyword"),
    "lexical:include_all/words": _rule(TEXT | {"table", "parts", "json"}, 0.9, "keyword"),
    "lexical:exclude_word/words": _rule(ALL, 0.6, "small-words"),
    "lexical:exclude_word/beginnings": _rule(ALL, 0.35, "small-words beginnings"),
    "lexical:starts_with/plain": _rule(PROSE, 0.93, "opening first-words", bars="task first-line"),
    "lexical:ends_with/plain": _rule(PROSE, 0.88, "closing last-words"),
    "lexical:nth_word/plain": _rule(PROSE, 0.45, "nth first-words", bars="task first-line"),
    "lexical:nth_word_from_end/plain": _rule(PROSE, 0.35, "closing nth last-words"),
    "lexical:acrostic/plain": _rule(LIST, 0.55, "items order", pins=True, brings="items", bars="line task"),
    "lexical:sentence_acrostic/plain": _rule(
        PROSE, 0.5, "sentences initials paragraphs-sentences opening", pins=True, bars="line task lines"
    ),
    "lexical:word_exact_count/stem": _rule(TEXT, 0.65, "exact-word"),
    "lexical:word_cap/prefix": _rule(TEXT | {"table"}, 0.5, "start-letter beginnings"),
    "lexical:ring_word/plain": _rule(PROSE, 0.5, "opening closing", bars="task first-line line"),
    "lexical:paragraph_echo/plain": _rule(
        PROSE, 0.55, "paragraph-words", brings="paragraphs", bars="line task lines"
    ),
    "lexical:item_chain/plain": _rule(LIST, 0.3, "order", brings="items", bars="line task"),
    "lexical:order_words/plain": _rule(TEXT, 0.93, "order-words"),
    "lexical:alpha_items/plain": _rule(LIST, 0.7, "order", brings="items", bars="line task"),
    "lexical:exclude_phrases/anywhere": _rule(ALL - {"array"}, 0.1, "letter-pairs"),
    "lexical:exclude_phrases/anywhere_one": _rule(ALL - {"array"}, 0.2, "letter-pairs"),
    "lexical:quote_task/plain": _rule(PROSE, 0.9, "opening", brings="task first-line", bars="lines paragraphs"),
    "lexical:anadiplosis/plain": _rule(PROSE, 0.3, "initials unit-words opening", brings="chain", bars="line task"),
    "lexical:epiphora/items": _rule(LIST, 0.55, "order", brings="items", bars="line task"),
    "lexical:epiphora/paragraphs": _rule(
        PROSE, 0.5, "paragraph-words", brings="paragraphs", bars="line task lines"
    ),
    # style
    "style:forbid_letter/one": _rule(ALL, 0.2, "letters"),
    "style:forbid_letter/letter_e": _rule(ALL, 0.06, "letters", weight=0.12),
    "style:forbid_letters/several": _rule(ALL, 0.12, "letters"),
    "style:no_commas/plain": _rule(TEXT | {"table", "parts"}, 0.75, "commas"),
    "style:comma_count/exact": _rule(TEXT | {"table", "parts"}, 0.4, "commas", weight=2),
    "style:comma_count/between": _rule(TEXT, 0.55, "commas", weight=0.7),
    "style:comma_count/at_most": _rule(PROSE, 0.7, "commas", brings="many", weight=0.5),
    "style:no_caps/plain": _rule(ALL, 0.85, bars="task"),
    "style:end_punctuation/mark": _rule(PROSE | {"parts"}, 0.9, "closing-mark", bars="closing-line line"),
    "style:sentence_initials/plain": _rule(PROSE, 0.6, "initials", brings="many", bars=_SENTENCES),
    "style:letter_start_count/exact": _rule(TEXT | {"table", "parts"}, 0.3, "start-letter", weight=2),
    "style:letter_start_count/between": _rule(TEXT, 0.5, "start-letter", weight=0.7),
    "style:letter_start_count/at_most": _rule(PROSE, 0.45, "start-letter", brings="many", weight=0.7),
    "style:anaphora/plain": _rule(
        PROSE, 0.7, "opening initials paragraph-words", brings="paragraphs", bars="line task lines"
    ),
    "style:no_markdown/plain": _rule(PROSE, 0.95, bars="markup"),
    "style:max_word_length/plain": _rule(ALL - {"array"}, 0.35, "short-words", bars="task"),
    "style:question_count/exact": _rule(PROSE, 0.8, "questions", brings="many", bars="task"),
    "style:exclamation_count/exact": _rule(PROSE, 0.85, "exclamations", brings="many", bars="task"),
    "style:no_digits/numeral_words": _rule(ALL - {"numbers", "array"}, 0.85, "numerals", bars="digits"),
    "style:no_latin/cyrillic_terms": _rule(ALL - {"jsonlist"}, 0.88, "terms"),
    # format
    "format:bullet_list/strict": _rule(BULLETS, 0.95, "items", pins=True, brings="items markup", bars="line task"),
    "format:numbered_list/strict": _rule(
        NUMBERS, 0.95, "items", pins=True, brings="items markup digits", bars="line task"
    ),
    "format:json_object/plain": _rule(frozenset({"json"}), 0.85, "shape", pins=True, weight=0.5),
    "format:json_object/max_words": _rule(frozenset({"json"}), 0.75, "shape", pins=True),
    "format:json_object/no_commas": _rule(frozenset({"json"}), 0.75, "shape", pins=True, weight=0.5),
    "format:json_object/max_words_no_commas": _rule(frozenset({"json"}), 0.7, "shape", pins=True),
    "format:json_list_value/plain": _rule(frozenset({"jsonlist"}), 0.45, "shape", pins=True),
    "format:json_array/plain": _rule(frozenset({"array"}), 0.65, "shape", pins=True, brings="digits"),
    "format:csv_line/plain": _rule(frozenset({"csv"}), 0.5, "shape", pins=True),
    "format:two_parts/plain": _rule(frozenset({"parts"}), 0.5, "shape", pins=True, brings="items markup"),
    "format:markdown_table/plain": _rule(frozenset({"table"}), 0.8, "shape", pins=True, brings="markup"),
    "format:bold_words/plain": _rule(TEXT, 0.85, "bold", brings="markup", bars="lines"),
    "format:bold_words/words_each": _rule(TEXT, 0.75, "bold", brings="markup", bars="lines"),
    "format:bold_words/position": _rule(PROSE, 0.4, "bold nth", brings="markup", bars="lines first-line task"),
    "format:bold_words/stems": _rule(TEXT, 0.8, "bold keyword", brings="markup", bars="lines"),
    "format:line_length/max": _rule(TEXT, 0.4, "line-length", brings="lines", bars="task line"),
    "format:line_length/lines": _rule(
        PROSE, 0.35, "line-length sentences items", pins=True, brings="lines", bars="task line"
    ),
    "format:hashtags/plain": _rule(PROSE, 0.8, "closing", brings="line markup hash", bars="paragraphs"),
    "format:hashtags/alpha": _rule(PROSE, 0.65, "closing", brings="line markup hash", bars="paragraphs"),
    "format:hashtags/echo_first": _rule(
        PROSE, 0.55, "closing opening", brings="line markup hash", bars="paragraphs task"
    ),
    # logic; "@true" and "@false" say which branch the context picks
    "logic:conditional_include/plain@true": _rule(ALL - {"array"}, 0.9, "logic"),
    "logic:conditional_include/plain@false": _rule(ALL - {"array"}, 0.93, "logic"),
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
    "structure:sentence_count/between": "a range of sentence counts is met by habit",
    "structure:sentence_count/at_most": "one or two sentences leave too little text for a stack",
    "style:end_punctuation/ellipsis": "the bank has no sentence that ends so",
    "lexical:exclude_phrases/start": "free answers pass it: no list of openings covers most of them",
    "format:bullet_list/with_text": "the shape with text around the list is not composed",
    "format:numbered_list/with_text": "the shape with text around the list is not composed",
}

SHARES: Final[Mapping[str, float]] = {
    "structure:word_count": 160,
    "structure:sentence_count": 190,
    "structure:paragraph_count": 120,
    "structure:char_count": 110,
    "structure:sentence_words": 80,
    "structure:item_words": 90,
    "structure:paragraph_sentences": 100,
    "structure:ascending_sentences": 70,
    "structure:items_total_words": 50,
    "structure:first_line_count": 70,
    "structure:item_words_ladder": 50,
    "structure:checksum": 110,
    "structure:word_char_count": 60,
    "structure:mirror_sentences": 70,
    "lexical:include_keyword": 210,
    "lexical:include_all": 130,
    "lexical:exclude_word": 120,
    "lexical:starts_with": 110,
    "lexical:ends_with": 100,
    "lexical:nth_word": 90,
    "lexical:nth_word_from_end": 70,
    "lexical:acrostic": 60,
    "lexical:sentence_acrostic": 50,
    "lexical:word_exact_count": 120,
    "lexical:word_cap": 90,
    "lexical:ring_word": 50,
    "lexical:paragraph_echo": 60,
    "lexical:item_chain": 40,
    "lexical:order_words": 110,
    "lexical:alpha_items": 60,
    "lexical:exclude_phrases": 80,
    "lexical:quote_task": 70,
    "lexical:anadiplosis": 30,
    "lexical:epiphora": 40,
    "style:forbid_letter": 170,
    "style:forbid_letters": 80,
    "style:no_commas": 100,
    "style:comma_count": 110,
    "style:no_caps": 130,
    "style:end_punctuation": 100,
    "style:sentence_initials": 60,
    "style:letter_start_count": 110,
    "style:anaphora": 60,
    "style:no_markdown": 30,
    "style:max_word_length": 80,
    "style:question_count": 100,
    "style:exclamation_count": 100,
    "style:no_digits": 90,
    "style:no_latin": 70,
    "format:bullet_list": 110,
    "format:numbered_list": 90,
    "format:json_object": 50,
    "format:json_list_value": 26,
    "format:json_array": 34,
    "format:csv_line": 32,
    "format:two_parts": 32,
    "format:markdown_table": 36,
    "format:bold_words": 130,
    "format:line_length": 80,
    "format:hashtags": 90,
    "logic:conditional_include": 170,
    "logic:conditional_format": 140,
    "logic:override": 120,
}
"""Uses of each type that a full build of 1260 questions aims at."""


def compatible(one: Rule, other: Rule) -> bool:
    """Whether two rules may stand in one stack."""
    return not (one.groups & other.groups or one.brings & other.bars or other.brings & one.bars)
