"""What stands beside a requirement, as far as its wording should know.

Read alone, a wording explains everything that it uses. In a stack some of that is said already: what a sentence or a
list item is, how many there are, that no letter is a capital. Wordings mark such parts (see the header of
``structure.yaml``), and this module tells which of them a stack makes needless.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from builders.ifhard.demands.logic import BRANCHES

__all__ = ["surroundings"]

_BRANCH_TAGS: Final[Mapping[str, str]] = {
    "bullets": "list bullets items",
    "numbers": "list items",
    "sentences": "sentences stops",
    "paragraphs": "paragraphs",
}
# What a requirement tells all its neighbours.
# list: what an item is; bullets: items have no numbers; items, sentences, paragraphs: how many there are, two at least;
# length: exactly how long the answer is; lower: no capitals; digitless, latinless: no digits, no Latin letters;
# stops: ends of sentences are looked at (every rule of _SENTENCES says so).
_TELLS: Final[Mapping[str, str]] = {
    "format:bullet_list/strict": "list bullets items",
    "format:numbered_list/strict": "list items",
    "format:two_parts/plain": "list bullets items",
    "logic:override/bullet_list": "list bullets items",
    "logic:override/numbered_list": "list items",
    "structure:items_total_words/bullet": "list bullets",
    "structure:items_total_words/numbered": "list",
    "lexical:acrostic/plain": "items",
    "structure:sentence_count/exact": "sentences",
    "structure:sentence_count/between": "sentences",
    "structure:paragraph_sentences/exact": "sentences",
    "logic:override/sentence_count": "sentences",
    "lexical:sentence_acrostic/plain": "sentences",
    "structure:paragraph_count/exact": "paragraphs",
    "logic:override/paragraph_count": "paragraphs",
    "structure:word_count/exact": "length",
    "structure:char_count/exact": "length",
    "structure:word_char_count/exact": "length",
    "logic:override/word_count": "length",
    "style:no_caps/plain": "lower",
    "style:no_digits/numeral_words": "digitless",
    "style:no_latin/cyrillic_terms": "latinless",
}
# What it explains to the neighbours that come after it: an explanation is given once, where it is first needed.
_ITEMS: Final = (
    "structure:item_words", "structure:item_words_ladder", "lexical:acrostic", "lexical:item_chain",
    "lexical:alpha_items", "lexical:epiphora/items",
)  # fmt: skip
_SENTENCES: Final = (
    "structure:sentence_count", "structure:sentence_words", "structure:paragraph_sentences",
    "structure:ascending_sentences", "structure:checksum/sentences", "structure:mirror_sentences",
    "lexical:sentence_acrostic", "lexical:anadiplosis", "style:sentence_initials", "logic:override/sentence_count",
)  # fmt: skip


def _is_one_of(key: str, names: Sequence[str]) -> bool:
    return key.startswith(tuple(f"{name}/" if "/" not in name else name for name in names))


def _tells(key: str) -> set[str]:
    """Tags for all neighbours; a conditional tells the shape that its context picks."""
    name, _, branch = key.partition("@")
    category, _, variant = name.partition("/")
    if category == "logic:conditional_format":
        return set(_BRANCH_TAGS[BRANCHES[variant][branch != "true"]].split())
    return set(_TELLS.get(name, "").split())


def surroundings(frame: str, keys: Sequence[str], place: int) -> frozenset[str]:
    """What the wording of one requirement may take for granted.

    Args:
        frame: shape of the answer, one of :data:`builders.ifhard.frames.FRAMES`.
        keys: the stack in the order of the question, keys of :data:`builders.ifhard.policy.RULES`.
        place: index of the requirement in it.

    Returns:
        Tags of :data:`builders.ifhard.catalogue.BESIDE`.
    """
    tags = {"listed"} if frame in {"bullets", "numbers", "parts"} else set()
    for other, key in enumerate(keys):
        if other != place:
            tags |= _tells(key)
            if _is_one_of(key, _SENTENCES):
                tags.add("stops")
    for key in keys[:place]:
        # Any marker will do for these items, while those of items_total_words are of one kind.
        if _is_one_of(key, _ITEMS) and not keys[place].startswith("structure:items_total_words"):
            tags.add("list")
        if _is_one_of(key, _SENTENCES):
            tags.add("sentence")
    return frozenset(tags)
