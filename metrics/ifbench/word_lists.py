"""The word lists that the checkers compare with; ``word_lists.yaml`` holds them, each with its source."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml

__all__ = [
    "AFRICAN_STATES",
    "CONJUNCTIONS",
    "COUNTRY_OF_NAME",
    "COUNTRY_OF_SECOND_NAME",
    "DESCRIPTIONS",
    "EMOJI_RANGES",
    "MINOR_PREPOSITIONS",
    "MINOR_WORDS",
    "NAMES",
    "NOT_AT_FIRST",
    "NOUNS_AT_FIRST",
    "NUMBERED",
    "PERSON_NAMES",
    "PRONOUNS",
    "PRONOUN_PHRASES",
    "STOP_WORDS",
    "listed",
    "word_set",
]


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set: how lists are written down here."""
    return frozenset(words.split())


_LISTS: Final[Mapping[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("word_lists.yaml").read_text(encoding="utf-8")
)


def listed(name: str) -> frozenset[str]:
    """The words of a list of ``word_lists.yaml``."""
    return word_set(_LISTS[name])


CONJUNCTIONS: Final = listed("conjunctions")
PERSON_NAMES: Final = listed("person_names")
PRONOUNS: Final = listed("pronouns")
# Two words that are one pronoun.
PRONOUN_PHRASES: Final = frozenset({("no", "one"), ("one", "another"), ("each", "other")})
# Title case.
MINOR_WORDS: Final = CONJUNCTIONS | {"a", "an", "the"}
MINOR_PREPOSITIONS: Final = listed("minor_prepositions")
STOP_WORDS: Final = listed("stop_words")

# Words that the dictionary lists as verbs and that rarely are when a text starts with them. True: a verb all the same
# before an article or a pronoun.
NOT_AT_FIRST: Final[Mapping[str, bool]] = {
    **dict.fromkeys(listed("never_verbs_at_first"), False),
    **dict.fromkeys(listed("verbs_before_articles"), True),
}
NAMES: Final = listed("verb_names")
NUMBERED: Final = listed("numbered")
NOUNS_AT_FIRST: Final = listed("nouns_at_first")

COUNTRY_OF_NAME: Final[Mapping[str, str]] = MappingProxyType(
    {name: country for country, others in _LISTS["africa"].items() for name in (country, *others)}
)
# Names that say a country beside another name of it, and not alone: capitals of the two Congos, former names.
COUNTRY_OF_SECOND_NAME: Final[Mapping[str, str]] = MappingProxyType(_LISTS["africa_second_names"])
AFRICAN_STATES: Final = frozenset(COUNTRY_OF_NAME.values()) - {"western sahara"}

DESCRIPTIONS: Final[Mapping[str, str]] = MappingProxyType(_LISTS["descriptions"])
EMOJI_RANGES: Final[str] = _LISTS["emoji_ranges"]
