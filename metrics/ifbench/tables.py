"""The word lists that the checkers compare with, each with its source.

Words are in lower case with straight apostrophes, as :func:`metrics.ifbench.words.fold` leaves them, unless the
entry says otherwise.
"""

from typing import Final

__all__ = [
    "CONJUNCTIONS",
    "MINOR_PREPOSITIONS",
    "MINOR_WORDS",
    "PERSON_NAMES",
    "PRONOUNS",
    "PRONOUN_PHRASES",
    "STOP_WORDS",
    "word_set",
]


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set: how lists are written down here."""
    return frozenset(words.split())


# The coordinating conjunctions of English grammar.
CONJUNCTIONS: Final = word_set("and but for nor or so yet")

# The fifty names that the prompts of count:person_names print.
PERSON_NAMES: Final = word_set("""
Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin
Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria
Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella
Jonathan
""")

# Pronouns by kind, as English grammars list them (IFBench notes, count:pronouns).
PRONOUNS: Final = word_set(  # personal, and their older forms
    "i me you he him she her it we us they them thou thee ye "
    # possessive
    "my mine your yours his hers its our ours their theirs thy thine "
    # reflexive
    "myself yourself himself herself itself oneself ourself ourselves yourselves themself themselves thyself "
    # demonstrative
    "this that these those "
    # interrogative and relative
    "who whom whose which what whoever whomever whosoever whichever whatever whatsoever "
    # indefinite
    "all another any anybody anyone anything both each either everybody everyone everything few many most neither "
    "nobody none no-one nothing one others several some somebody someone something"
)
# Two words that are one pronoun.
PRONOUN_PHRASES: Final = frozenset({("no", "one"), ("one", "another"), ("each", "other")})

# Title case: articles and coordinating conjunctions, and prepositions of up to four letters (the shorter the surer).
MINOR_WORDS: Final = CONJUNCTIONS | {"a", "an", "the"}
MINOR_PREPOSITIONS: Final = word_set(
    "as at by for in of off on out per pro to up via "
    "amid atop down from into like near onto over past plus than till unto upon with"
)

# The English stop words of NLTK's corpus, 198 entries (stopwords.zip of 2024, as llama-index-core 0.14 carries it).
STOP_WORDS: Final = word_set("""
a about above after again against ain all am an and any are aren aren't as at be because been before being below
between both but by can couldn couldn't d did didn didn't do does doesn doesn't doing don don't down during each
few for from further had hadn hadn't has hasn hasn't have haven haven't having he he'd he'll he's her here hers
herself him himself his how i i'd i'll i'm i've if in into is isn isn't it it'd it'll it's its itself just ll m
ma me mightn mightn't more most mustn mustn't my myself needn needn't no nor not now o of off on once only or
other our ours ourselves out over own re s same shan shan't she she'd she'll she's should should've shouldn
shouldn't so some such t than that that'll the their theirs them themselves then there these they they'd they'll
they're they've this those through to too under until up ve very was wasn wasn't we we'd we'll we're we've were
weren weren't what when where which while who whom why will with won won't wouldn wouldn't y you you'd you'll
you're you've your yours yourself yourselves
""")
