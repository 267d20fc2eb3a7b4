"""The table of the 58 instructions: what each asks for, the arguments it takes, and the function that checks it.

Nothing registers itself. A checker is a pure function of the answer, the arguments and the grader's readings. The
module is long because the table is.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from metrics.ifbench import (
    count,
    custom_tables,
    custom_texts,
    format_choices,
    format_lines,
    format_nesting,
    ratio,
    repeat,
    sentence,
    words_letters,
    words_places,
)
from metrics.ifbench.arguments import COUNT, PERCENT, PLACE, TEXT, Arguments, Kind
from metrics.ifbench.decisions import Readings
from metrics.ifbench.text import Text
from metrics.verdict import Verdict

__all__ = ["CHECKERS", "Check", "Checker"]

Check = Callable[[Text, Arguments, Readings], Verdict]


class Checker(NamedTuple):
    """The checker of one instruction.

    Attributes:
        id: ``family:name``.
        family: count, custom, format, ratio, repeat, sentence or words.
        description: one sentence that says what is asked, with its arguments in braces.
        kinds: argument name to kind; all are required.
        check: the verdict over a text, its arguments and a grader's readings.
    """

    id: str
    family: str
    description: str
    kinds: Mapping[str, Kind]
    check: Check

    def describe(self, arguments: Arguments) -> str:
        """The description with the arguments filled in."""
        return self.description.format(**arguments)


def _table(*rows: tuple[str, str, Check, dict[str, Kind]]) -> dict[str, Checker]:
    return {
        name: Checker(name, name.partition(":")[0], text, MappingProxyType(kinds), check)
        for name, text, check, kinds in rows
    }


CHECKERS: Final[Mapping[str, Checker]] = MappingProxyType(
    _table(
        (
            "count:conjunctions",
            "At least {small_n} different coordinating conjunctions occur.",
            count.conjunctions,
            {"small_n": COUNT},
        ),
        (
            "count:keywords_multiple",
            "{keyword1} occurs once, {keyword2} twice, {keyword3} three, {keyword4} five and {keyword5} seven times.",
            count.keywords_multiple,
            dict.fromkeys(count.KEYWORD_TIMES, TEXT),
        ),
        ("count:numbers", "Exactly {N} numbers occur.", count.numbers, {"N": COUNT}),
        (
            "count:person_names",
            "At least {N} different first names from the list of fifty occur.",
            count.person_names,
            {"N": COUNT},
        ),
        ("count:pronouns", "At least {N} pronouns occur.", count.pronouns, {"N": COUNT}),
        (
            "count:punctuation",
            "Every standard punctuation mark occurs, semicolon, colon and interrobang included.",
            count.punctuation,
            {},
        ),
        ("count:unique_word_count", "At least {N} different words occur.", count.unique_word_count, {"N": COUNT}),
        (
            "count:word_count_range",
            "There are {min_words} to {max_words} words.",
            count.word_count_range,
            {"min_words": COUNT, "max_words": COUNT},
        ),
        ("count:words_japanese", "Every word number {N} is in Japanese.", count.words_japanese, {"N": PLACE}),
        (
            "custom:character_reverse",
            "A sentence that names the national animal of the United States, its letters in reverse order.",
            custom_texts.character_reverse,
            {},
        ),
        (
            "custom:csv_city",
            "CSV with the columns ID, Country, City, Year, Count and seven rows, commas between.",
            custom_tables.csv_city,
            {},
        ),
        (
            "custom:csv_quotes",
            "Tab-delimited data with the columns StudentID, Subject, Grade, Semester, Score and three rows, every "
            "field in double quotes.",
            custom_tables.csv_quotes,
            {},
        ),
        (
            "custom:csv_special_character",
            "CSV with the columns ProductID, Category, Brand, Price, Stock and fourteen rows, one field with a special "
            "character in double quotes.",
            custom_tables.csv_special_character,
            {},
        ),
        (
            "custom:date_format_list",
            "The dates on which Napoleon's battles began, as YYYY-MM-DD, commas between, no explanation.",
            custom_tables.date_format_list,
            {},
        ),
        (
            "custom:european_capitals_sort",
            "The capitals of Europe north of 45 degrees, commas between, from north to south, without countries.",
            custom_tables.european_capitals_sort,
            {},
        ),
        (
            "custom:mcq_count_length",
            "Four multiple choice questions with five options each, labelled Question, each longer than the one "
            "before, no explanation.",
            custom_texts.mcq_count_length,
            {},
        ),
        (
            "custom:multiples",
            "Of the numbers from 10 to 50 only the multiples of 7 are printed.",
            custom_tables.multiples,
            {},
        ),
        (
            "custom:reverse_newline",
            "The countries of Africa in reverse alphabetical order, one a line.",
            custom_tables.reverse_newline,
            {},
        ),
        (
            "custom:sentence_alphabet",
            "A story of 26 sentences whose first words begin with A to Z in order.",
            custom_texts.sentence_alphabet,
            {},
        ),
        (
            "custom:word_reverse",
            "A sentence that names the national animal of the United States, its words in reverse order.",
            custom_texts.word_reverse,
            {},
        ),
        ("format:emoji", "Every sentence ends in an emoji.", format_lines.emoji, {}),
        ("format:line_indent", "Each line is indented further than the one before.", format_lines.line_indent, {}),
        (
            "format:list",
            "A list of items with {sep} in place of bullet points.",
            format_choices.marked_list,
            {"sep": TEXT},
        ),
        ("format:newline", "Each word stands on a line of its own.", format_lines.newline, {}),
        (
            "format:no_bullets_bullets",
            "At least two sentences that end in a full stop, then at least two bullets with *.",
            format_lines.no_bullets_bullets,
            {},
        ),
        ("format:no_whitespace", "There is no white space.", format_lines.no_whitespace, {}),
        (
            "format:options",
            "The answer is one of the options {options}, without explanation.",
            format_choices.options,
            {"options": TEXT},
        ),
        (
            "format:output_template",
            "Exactly this template is filled in: My Answer: ... My Conclusion: ... Future Outlook: ...",
            format_lines.output_template,
            {},
        ),
        (
            "format:parentheses",
            "Brackets, round, square and curly, are nested at least five levels deep.",
            format_nesting.parentheses,
            {},
        ),
        (
            "format:quote_unquote",
            "Every quotation is followed by an explanation outside quotes.",
            format_nesting.quote_unquote,
            {},
        ),
        (
            "format:quotes",
            "Quotations inside quotations, three levels or more, double and single marks in turn.",
            format_nesting.quotes,
            {},
        ),
        (
            "format:sub-bullets",
            "There are bullets with *, and under each at least one sub-bullet with -.",
            format_lines.sub_bullets,
            {},
        ),
        ("format:thesis", "Each section begins with a thesis in HTML italics.", format_lines.thesis, {}),
        ("format:title_case", "Every major word begins with a capital.", format_lines.title_case, {}),
        (
            "ratio:overlap",
            "{percentage}% of the trigrams, within two points, are shared with the reference text.",
            ratio.overlap,
            {"reference_text": TEXT, "percentage": PERCENT},
        ),
        (
            "ratio:sentence_balance",
            "Declarative, interrogative and exclamatory sentences are balanced.",
            ratio.sentence_balance,
            {},
        ),
        (
            "ratio:sentence_type",
            "There are two declarative sentences for each interrogative one.",
            ratio.sentence_type,
            {},
        ),
        (
            "ratio:sentence_words",
            "Three sentences with equally many characters and all different words.",
            ratio.sentence_words,
            {},
        ),
        (
            "ratio:stop_words",
            "Stop words are at most {percentage}% of all words.",
            ratio.stop_words,
            {"percentage": PERCENT},
        ),
        (
            "repeat:repeat_change",
            "The request is repeated with its first word changed, and not answered.",
            repeat.repeat_change,
            {"prompt_to_repeat": TEXT},
        ),
        ("repeat:repeat_simple", "The sentence of the instruction is all that is output.", repeat.repeat_simple, {}),
        (
            "repeat:repeat_span",
            "The words of the request from index {n_start} to {n_end} are copied, both included.",
            repeat.repeat_span,
            {"prompt_to_repeat": TEXT, "n_start": COUNT, "n_end": COUNT},
        ),
        (
            "sentence:alliteration_increment",
            "Each sentence has a longer run of alliterating words than the one before.",
            sentence.alliteration_increment,
            {},
        ),
        (
            "sentence:increment",
            "Each sentence has exactly {small_n} words more than the one before.",
            sentence.increment,
            {"small_n": COUNT},
        ),
        ("sentence:keyword", "{word} is in sentence {N}.", sentence.keyword, {"word": TEXT, "N": PLACE}),
        ("words:alphabet", "Each word begins with the next letter of the alphabet.", words_letters.alphabet, {}),
        ("words:consonants", "Each word has two consonants together.", words_letters.consonants, {}),
        (
            "words:keywords_specific_position",
            "{keyword} is word {m} of sentence {n}.",
            words_places.keywords_specific_position,
            {"keyword": TEXT, "n": PLACE, "m": PLACE},
        ),
        (
            "words:last_first",
            "Each sentence begins with the last word of the one before.",
            words_places.last_first,
            {},
        ),
        (
            "words:no_consecutive",
            "No two consecutive words begin with the same letter.",
            words_letters.no_consecutive,
            {},
        ),
        (
            "words:odd_even_syllables",
            "Words with odd and even numbers of syllables alternate.",
            words_letters.odd_even_syllables,
            {},
        ),
        (
            "words:palindrome",
            "At least ten one-word palindromes of five or more characters occur.",
            words_letters.palindrome,
            {},
        ),
        (
            "words:paragraph_last_first",
            "Each paragraph ends with the word that it begins with.",
            words_places.paragraph_last_first,
            {},
        ),
        ("words:prime_lengths", "The length of every word is a prime number.", words_letters.prime_lengths, {}),
        ("words:repeats", "No word is repeated more than {small_n} times.", words_letters.repeats, {"small_n": COUNT}),
        ("words:start_verb", "The answer starts with a verb.", words_places.start_verb, {}),
        ("words:vowel", "One paragraph with only three kinds of vowels.", words_letters.vowel, {}),
        (
            "words:words_position",
            "The second word and the last but one are {keyword}.",
            words_places.words_position,
            {"keyword": TEXT},
        ),
    )
)
