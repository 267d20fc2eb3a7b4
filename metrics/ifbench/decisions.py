"""The 48 questions that the instructions leave open, and how each grader reads them: one table.

The questions, their numbers and both readings are those of the IFBench notes, section 5, with an ``A`` before the
number, since an earlier audit numbers other questions the same way. ``fixes_only`` takes the official reading
everywhere, ``proposed`` the proposed one where there is one. A checker never asks which grader it serves: it gets
:class:`Readings`, whose fields are the switches named here. The module is long because the table is.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

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


_SENTENCE_IDS: Final = (
    "custom:sentence_alphabet",
    "format:emoji",
    "ratio:sentence_balance",
    "ratio:sentence_type",
    "ratio:sentence_words",
    "sentence:alliteration_increment",
    "sentence:increment",
    "sentence:keyword",
    "words:keywords_specific_position",
    "words:last_first",
)
_CSV_IDS: Final = ("custom:csv_city", "custom:csv_quotes", "custom:csv_special_character")
_BASIC_MARKS: Final = ("full stop", "comma", "exclamation mark", "question mark", "semicolon", "colon")
_ALL_MARKS: Final = (*_BASIC_MARKS, "apostrophe", "quotation mark", "parentheses", "hyphen or dash")

DECISIONS: Final[tuple[Decision, ...]] = (
    Decision(
        "AD1",
        _SENTENCE_IDS,
        "Is a sentence over where the line is?",
        "no, a heading and the sentence below it are one",
        "yes: blank lines, headings and list items end sentences",
        (Switch("line_breaks_end_sentences", False, True),),
    ),
    Decision(
        "AD2",
        ("count:word_count_range", "words:prime_lengths"),
        "How many words is a hyphenated compound?",
        "several where words are counted, one where lengths are measured",
        "one where words are counted; each part has a length of its own",
        (Switch("hyphens_join_in_ranges", False, True), Switch("prime_parts", False, True)),
    ),
    Decision("AD3", ("count:numbers",), "Is a number in letters a number?", "no, only digits count"),
    Decision(
        "AD4",
        ("count:numbers",),
        "Is there a number in H2O or Q4?",
        "yes",
        "no, digits in a name belong to the name",
        (Switch("digits_in_names", True, False),),
    ),
    Decision(
        "AD5", ("count:conjunctions",), "Is for, so or yet counted where it joins nothing?", "yes, by its form alone"
    ),
    Decision(
        "AD6",
        ("count:person_names",),
        "Is a listed name counted where it names a town or opens a sentence as a noun?",
        "yes, by its capital alone",
    ),
    Decision(
        "AD7", ("count:keywords_multiple", "sentence:keyword"), "Is a plural the keyword?", "no, only the word itself"
    ),
    Decision(
        "AD8",
        ("count:pronouns",),
        "Are that, this and all counted where they are no pronouns?",
        "yes, by their form alone",
    ),
    Decision(
        "AD9",
        ("count:punctuation",),
        "What is every standard punctuation mark?",
        "full stop, comma, exclamation and question mark, semicolon, colon and interrobang",
        "apostrophe, quotation marks, parentheses and a hyphen or dash too",
        (Switch("punctuation", _BASIC_MARKS, _ALL_MARKS),),
    ),
    Decision(
        "AD10",
        ("count:words_japanese",),
        "What if the text is too short to have an N-th word?",
        "it passes",
        "it fails",
        (Switch("japanese_needs_position", False, True),),
    ),
    Decision(
        "AD11",
        ("count:words_japanese",),
        "May the N-th word be a numeral?",
        "yes",
        "no, it must be Japanese",
        (Switch("japanese_exempts_numerals", True, False),),
    ),
    Decision(
        "AD12",
        _CSV_IDS,
        "May the table stand in a code fence?",
        "no",
        "yes, if nothing stands outside it",
        (Switch("csv_in_fence", False, True),),
    ),
    Decision("AD13", ("custom:csv_quotes",), "Do the column names need quotes too?", "yes"),
    Decision(
        "AD14",
        ("custom:csv_special_character",),
        "Is a letter with an accent a special character?",
        "no",
        "yes",
        (Switch("accents_are_special", False, True),),
    ),
    Decision("AD15", ("custom:date_format_list",), "How many dates are enough?", "one; completeness is not judged"),
    Decision(
        "AD16",
        ("custom:date_format_list", "custom:european_capitals_sort"),
        "May a full stop end the list?",
        "no",
        "yes",
        (Switch("list_may_end_in_stop", False, True),),
    ),
    Decision(
        "AD17",
        ("custom:european_capitals_sort",),
        "Does Astana belong to the list?",
        "no",
        "it may stand in its place or be left out",
        (Switch("optional_capitals", (), ("Astana",)),),
    ),
    Decision(
        "AD18",
        ("custom:mcq_count_length",),
        "May the label be bold?",
        "no",
        "yes",
        (Switch("bold_question_labels", False, True),),
    ),
    Decision(
        "AD19",
        ("custom:multiples",),
        "May words stand beside the multiples?",
        "yes, if they hold no number",
        "no, only multiples are to be printed",
        (Switch("words_around_multiples", True, False),),
    ),
    Decision(
        "AD20",
        ("custom:reverse_newline",),
        "How many countries may be missing?",
        "two: 52 lines are enough",
        "none of the 54 states of the United Nations; Western Sahara may stand or not",
        (Switch("african_list_complete", False, True),),
    ),
    Decision(
        "AD21",
        ("format:list",),
        "May the marker stand between two items of a line?",
        "yes",
        "no, it opens a line as a bullet does",
        (Switch("markers_between_items", True, False),),
    ),
    Decision("AD22", ("format:no_whitespace",), "Is a line break at the end white space?", "yes"),
    Decision(
        "AD23",
        ("format:options",),
        "Is B or B) the option b)?",
        "no",
        "yes, the letter decides",
        (Switch("bare_option_letters", False, True),),
    ),
    Decision(
        "AD24",
        ("format:output_template",),
        "May bold marks stand before a label's colon?",
        "no",
        "yes",
        (Switch("bold_inside_labels", False, True),),
    ),
    Decision("AD25", ("format:parentheses",), "Must five levels be closed, each by its own kind?", "yes"),
    Decision(
        "AD26",
        ("format:parentheses",),
        "Must round, square and curly brackets all occur?",
        "no",
        "yes",
        (Switch("bracket_kinds", 1, 3),),
    ),
    Decision("AD27", ("format:quote_unquote",), "What if nothing is quoted?", "it passes"),
    Decision(
        "AD28",
        ("format:thesis",),
        "What is a section where there is no heading?",
        "the whole text",
        "each block between blank lines",
        (Switch("blocks_are_sections", False, True),),
    ),
    Decision(
        "AD29",
        ("format:thesis",),
        "May a section be its thesis and nothing more?",
        "no",
        "yes",
        (Switch("thesis_alone", False, True),),
    ),
    Decision(
        "AD30",
        ("format:title_case",),
        "Which prepositions are minor words?",
        "those of up to three letters",
        "those of up to four letters",
        (Switch("minor_preposition_letters", 3, 4),),
    ),
    Decision(
        "AD31",
        ("ratio:overlap",),
        "Trigrams of characters or of words?",
        "characters, case kept",
        "words and marks, case folded",
        (Switch("overlap_of_words", False, True),),
    ),
    Decision("AD32", ("ratio:sentence_balance",), "Is balanced the same as equal?", "yes"),
    Decision("AD33", ("ratio:sentence_words",), "Are spaces and marks characters?", "yes"),
    Decision(
        "AD34",
        ("repeat:repeat_change",),
        "Is a word in other case another word?",
        "yes",
        "no",
        (Switch("case_is_a_change", True, False),),
    ),
    Decision("AD35", ("repeat:repeat_simple",), "Does case matter?", "no"),
    Decision("AD36", ("repeat:repeat_span",), "Is the first word number 0 or 1?", "0"),
    Decision(
        "AD37",
        ("sentence:alliteration_increment", "sentence:increment", "words:last_first"),
        "What if there is one sentence only?",
        "it passes",
    ),
    Decision("AD38", ("words:alphabet",), "May the first word begin anywhere in the alphabet?", "yes"),
    Decision(
        "AD39",
        ("words:consonants",),
        "When is y a consonant?",
        "always",
        "before a vowel only",
        (Switch("y_only_before_vowels", False, True),),
    ),
    Decision(
        "AD40",
        ("words:consonants",),
        "Does a numeral need a cluster?",
        "yes, so it fails",
        "no",
        (Switch("numerals_need_clusters", True, False),),
    ),
    Decision(
        "AD41",
        ("words:paragraph_last_first",),
        "Is a heading a paragraph?",
        "yes",
        "no",
        (Switch("headings_are_paragraphs", True, False),),
    ),
    Decision(
        "AD42",
        ("words:palindrome",),
        "Does a palindrome count again?",
        "yes",
        "no, ten different ones are wanted",
        (Switch("distinct_palindromes", False, True),),
    ),
    Decision(
        "AD43",
        ("words:palindrome",),
        "Is a numeral such as 12321 a palindrome?",
        "yes",
        "no",
        (Switch("numeral_palindromes", True, False),),
    ),
    Decision("AD44", ("words:prime_lengths",), "Is an apostrophe part of a length?", "no"),
    Decision(
        "AD45", ("words:repeats",), "How often may a word occur that is not to repeat more than N times?", "N times"
    ),
    Decision("AD46", ("words:start_verb",), "Are gerunds and participles verbs?", "yes"),
    Decision(
        "AD47",
        ("words:vowel",),
        "Are fewer than three kinds of vowels right?",
        "yes, three is the most",
        "no, exactly three are wanted",
        (Switch("least_vowel_kinds", 0, 3),),
    ),
    Decision("AD48", ("words:no_consecutive",), "Are the parts of a compound neighbours?", "no, it is one word"),
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
