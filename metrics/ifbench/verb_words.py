"""Words that the dictionary lists as verbs and that rarely are when a text starts with them."""

from collections.abc import Mapping
from typing import Final

from metrics.ifbench.tables import word_set

__all__ = ["NAMES", "NOT_AT_FIRST", "NOUNS_AT_FIRST", "NUMBERED"]

# Adverbs, prepositions, adjectives and calls. True: a verb all the same before an article or a pronoun.
NOT_AT_FIRST: Final[Mapping[str, bool]] = {
    **dict.fromkeys(
        word_set(
            "alright best both down even ever further hello hi how however indeed instead less lest like more much "
            "near no off ok okay out over own past please quite so still such then there though thus to true up very "
            "well what when while why yes yet"
        ),
        False,
    ),
    **dict.fromkeys(
        word_set(
            "back better dry empty forward free full last long low mine plain right round save second sound welcome"
        ),
        True,
    ),
}

# First names, and a month, that are verbs too.
NAMES: Final = word_set("bill chase chuck drew frank grace grant jack lance mark may nick pat pierce rob sue wade will")

# What a number usually follows: Step 1, Part 2.
NUMBERED: Final = word_set("act figure note number page part phase point question rank round section stage step table")

# Nouns that start a text as its subject far more often than as a command.
NOUNS_AT_FIRST: Final = word_set("""
    access action age air amount answer author balance beach bed benefit bit blood board boat bone bottom bound brain
    bridge camp case cat cause chance circle class cloud coast color colour concern condition content cost court
    credit crop crowd culture damage dawn diet doctor dog doubt dress drug dust earth edge effect egg evidence eye
    face factor fashion father fear feature felt field figure finger fire fish flood floor flower fog foot force
    frame fruit fuel function fund game garden gas gender glass grade grain grass ground group guest heat home honor
    horse house humor ice impact index influence interest iron issue job juice king labor lack land leaf left light
    line loan love luck machine man market mass master matter meal metal milk mind minute model moon mother motion
    mouth network noise nose number object oil overview page pain pair panel paper park part partner party pattern
    people pepper phone piece pilot plane plate pocket point police pool position pot power practice pressure price
    pride prime prize process product profit program progress purpose quarter queen question rain range rate reason
    result reward ring risk rock roof room root rope rose rule salt sand saw school season second section seed sense
    sentence service shadow ship shoe shore shoulder side sight silence silver skill skin sky smell smoke snow soap
    soil sound source space spirit sport spring staff stage star station steel stock stomach stone storm stream
    stress structure style subject sugar summer sun surface surprise task tax team thought thread thunder time title
    tone tongue tool top total toy traffic tree trial trouble truck type value version video voice volume wage wall
    war water wave weather weekend weight wheel wing winter witness wood word
    """)
