"""How often each requirement type should be used, and which types are not built."""

from collections.abc import Mapping
from typing import Final

__all__ = ["FULL_SIZE", "HOLDS", "LEFT_OUT", "MINIMUM", "SHARES"]

FULL_SIZE: Final = 1260
"""Test questions of a full build."""
HOLDS: Final = 0.69
"""Share of conditionals whose condition holds."""
MINIMUM: Final = 14
"""Uses that every type of a full build has at least."""

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

LEFT_OUT: Final[frozenset[str]] = frozenset({"style:no_markdown", "lexical:anadiplosis"})
"""Types that are not built, the worst of all.

``style:no_markdown``: 0.80 of the unconstrained answers meet it (the bar is 0.15), and it has no parameter to tighten.
``lexical:anadiplosis``: a topic has some 20 chains of three sentences and 4 to 10 of five; one stack in seven that held
it had a witness (0.14; 0.29 in the easiest company), the lowest share of all types, and the witnesses were alike.
"""
