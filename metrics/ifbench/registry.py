"""The table of the 58 instructions: what each asks for, the arguments it takes, and the function that checks it.

Nothing registers itself. A checker is a pure function of the answer, the arguments and the grader's readings. What each
asks for in words is in ``word_lists.yaml``.
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
from metrics.ifbench.word_lists import DESCRIPTIONS
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


def _table(*rows: tuple[str, Check, dict[str, Kind]]) -> dict[str, Checker]:
    return {
        name: Checker(name, name.partition(":")[0], DESCRIPTIONS[name], MappingProxyType(kinds), check)
        for name, check, kinds in rows
    }


CHECKERS: Final[Mapping[str, Checker]] = MappingProxyType(
    _table(
        ("count:conjunctions", count.conjunctions, {"small_n": COUNT}),
        ("count:keywords_multiple", count.keywords_multiple, dict.fromkeys(count.KEYWORD_TIMES, TEXT)),
        ("count:numbers", count.numbers, {"N": COUNT}),
        ("count:person_names", count.person_names, {"N": COUNT}),
        ("count:pronouns", count.pronouns, {"N": COUNT}),
        ("count:punctuation", count.punctuation, {}),
        ("count:unique_word_count", count.unique_word_count, {"N": COUNT}),
        ("count:word_count_range", count.word_count_range, {"min_words": COUNT, "max_words": COUNT}),
        ("count:words_japanese", count.words_japanese, {"N": PLACE}),
        ("custom:character_reverse", custom_texts.character_reverse, {}),
        ("custom:csv_city", custom_tables.csv_city, {}),
        ("custom:csv_quotes", custom_tables.csv_quotes, {}),
        ("custom:csv_special_character", custom_tables.csv_special_character, {}),
        ("custom:date_format_list", custom_tables.date_format_list, {}),
        ("custom:european_capitals_sort", custom_tables.european_capitals_sort, {}),
        ("custom:mcq_count_length", custom_texts.mcq_count_length, {}),
        ("custom:multiples", custom_tables.multiples, {}),
        ("custom:reverse_newline", custom_tables.reverse_newline, {}),
        ("custom:sentence_alphabet", custom_texts.sentence_alphabet, {}),
        ("custom:word_reverse", custom_texts.word_reverse, {}),
        ("format:emoji", format_lines.emoji, {}),
        ("format:line_indent", format_lines.line_indent, {}),
        ("format:list", format_choices.marked_list, {"sep": TEXT}),
        ("format:newline", format_lines.newline, {}),
        ("format:no_bullets_bullets", format_lines.no_bullets_bullets, {}),
        ("format:no_whitespace", format_lines.no_whitespace, {}),
        ("format:options", format_choices.options, {"options": TEXT}),
        ("format:output_template", format_lines.output_template, {}),
        ("format:parentheses", format_nesting.parentheses, {}),
        ("format:quote_unquote", format_nesting.quote_unquote, {}),
        ("format:quotes", format_nesting.quotes, {}),
        ("format:sub-bullets", format_lines.sub_bullets, {}),
        ("format:thesis", format_lines.thesis, {}),
        ("format:title_case", format_lines.title_case, {}),
        ("ratio:overlap", ratio.overlap, {"reference_text": TEXT, "percentage": PERCENT}),
        ("ratio:sentence_balance", ratio.sentence_balance, {}),
        ("ratio:sentence_type", ratio.sentence_type, {}),
        ("ratio:sentence_words", ratio.sentence_words, {}),
        ("ratio:stop_words", ratio.stop_words, {"percentage": PERCENT}),
        ("repeat:repeat_change", repeat.repeat_change, {"prompt_to_repeat": TEXT}),
        ("repeat:repeat_simple", repeat.repeat_simple, {}),
        ("repeat:repeat_span", repeat.repeat_span, {"prompt_to_repeat": TEXT, "n_start": COUNT, "n_end": COUNT}),
        ("sentence:alliteration_increment", sentence.alliteration_increment, {}),
        ("sentence:increment", sentence.increment, {"small_n": COUNT}),
        ("sentence:keyword", sentence.keyword, {"word": TEXT, "N": PLACE}),
        ("words:alphabet", words_letters.alphabet, {}),
        ("words:consonants", words_letters.consonants, {}),
        (
            "words:keywords_specific_position",
            words_places.keywords_specific_position,
            {"keyword": TEXT, "n": PLACE, "m": PLACE},
        ),
        ("words:last_first", words_places.last_first, {}),
        ("words:no_consecutive", words_letters.no_consecutive, {}),
        ("words:odd_even_syllables", words_letters.odd_even_syllables, {}),
        ("words:palindrome", words_letters.palindrome, {}),
        ("words:paragraph_last_first", words_places.paragraph_last_first, {}),
        ("words:prime_lengths", words_letters.prime_lengths, {}),
        ("words:repeats", words_letters.repeats, {"small_n": COUNT}),
        ("words:start_verb", words_places.start_verb, {}),
        ("words:vowel", words_letters.vowel, {}),
        ("words:words_position", words_places.words_position, {"keyword": TEXT}),
    )
)
