"""The table of the 64 requirement types: description, parameters and verifier of each, side by side.

Nothing registers itself. The module is long because the table is.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.ifhard import data_formats, lexical, logic, schema, sequences, structure, style
from metrics.ifhard import format as form
from metrics.ifhard.params import Params, ParamsError, value_of
from metrics.ifhard.schema import COUNTED, COUNTED_UNIT, KIND, FirstOf, Param
from metrics.ifhard.text import Text
from metrics.verdict import Verdict

__all__ = ["CATEGORIES", "MAX_NESTING", "OVERRIDE", "Category", "winner_of"]

# An override may name an override; a chain longer than this is refused rather than followed.
MAX_NESTING: Final = 50
OVERRIDE: Final = "logic:override"


class Category(NamedTuple):
    """A requirement type.

    Attributes:
        id: ``family:name``.
        family: structure, lexical, style, format or logic.
        description: one English sentence that says when an answer passes.
        params: the parameters that the verifier reads, in order; any other key is ignored.
        verify: gives the verdict on a text and parameters; raises nothing but ParamsError, for bad parameters.
    """

    id: str
    family: str
    description: str
    params: tuple[Param | FirstOf, ...]
    verify: Callable[[Text, Params], Verdict]


def _int(name: str) -> Param:
    return Param(name, schema.INT)


def _string(name: str) -> Param:
    return Param(name, schema.STRING)


def _strings(name: str) -> Param:
    return Param(name, schema.STRINGS)


def _maybe(name: str, kind: schema.Kind, default: Any = None) -> Param:
    return Param(name, kind, optional=True, default=default)


_STEMS_OR_WORDS: Final = FirstOf((_strings("stems"), _strings("words")))


def _override(text: Text, params: Params) -> Verdict:
    """The verdict of the winner alone. Codes: the winner's."""
    category, inner, path = winner_of(params)
    try:
        verdict = CATEGORIES[category].verify(text, inner)
    except ParamsError as error:
        raise error.within(parent=path) from None
    return verdict._replace(reason=f"the overriding rule {category}: {verdict.reason}")


def winner_of(params: Params) -> tuple[str, Params, str]:
    """The category and parameters that an override comes down to, and where they stand in its parameters."""
    path = ""
    for _ in range(MAX_NESTING):
        path = f"{path}.winner" if path else "winner"
        try:
            category, inner = value_of(params["winner"], "category"), value_of(params["winner"], "params")
        except ParamsError as error:
            raise error.within(parent=path) from None
        except (KeyError, TypeError, AttributeError):
            raise ParamsError("is missing or not an object", path) from None
        if not isinstance(category, str) or category not in CATEGORIES:
            raise ParamsError(f"is not a registered category: {ascii(category)[:60]}", f"{path}.category")
        path = f"{path}.params"
        if not isinstance(inner, Mapping):
            raise ParamsError("is not an object", path)
        if category != OVERRIDE:
            return category, inner, path
        params = inner
    raise ParamsError(f"nests more than {MAX_NESTING} overrides", "winner")


def _table(
    *rows: tuple[str, str, Callable[[Text, Params], Verdict], tuple[Param | FirstOf, ...]],
) -> dict[str, Category]:
    return {name: Category(name, name.partition(":")[0], text, params, verify) for name, text, verify, params in rows}


CATEGORIES: Final[Mapping[str, Category]] = MappingProxyType(
    _table(
        ("structure:word_count", "The number of words meets the count.", structure.word_count, (COUNTED,)),
        ("structure:sentence_count", "The number of sentences meets the count.", structure.sentence_count, (COUNTED,)),
        (
            "structure:paragraph_count",
            "The number of paragraphs meets the count.",
            structure.paragraph_count,
            (COUNTED,),
        ),
        (
            "structure:char_count",
            "The number of characters, spaces included, meets the count.",
            structure.char_count,
            (COUNTED,),
        ),
        (
            "structure:sentence_words",
            "There is a sentence, and the word count of each meets the count.",
            structure.sentence_words,
            (COUNTED_UNIT,),
        ),
        (
            "structure:item_words",
            "There is a list item, and the word count of each meets the count.",
            structure.item_words,
            (COUNTED_UNIT, KIND),
        ),
        (
            "structure:paragraph_sentences",
            "There is a paragraph, and the sentence count of each meets the count.",
            structure.paragraph_sentences,
            (COUNTED_UNIT,),
        ),
        (
            "structure:ascending_sentences",
            "At least two sentences, each longer in words than the one before (or shorter, for desc).",
            structure.ascending_sentences,
            (schema.DIRECTION,),
        ),
        (
            "structure:items_total_words",
            "The whole text has a fixed number of words for each of its list items.",
            structure.items_total_words,
            (_int("factor"), _maybe("kind", schema.ANY, "bullet")),
        ),
        (
            "structure:item_words_ladder",
            "At least two list items with start, start+1, ... words (or that sequence reversed, for desc).",
            structure.item_words_ladder,
            (_int("start"), schema.DIRECTION, KIND),
        ),
        (
            "structure:first_line_count",
            "The first line is a number: the word count of the rest.",
            structure.first_line_count,
            (),
        ),
        (
            "structure:checksum",
            "The text ends with a bracketed number: the count of its commas, words or sentences.",
            structure.checksum,
            (Param("kind", schema.CHECKSUM), schema.LETTER_OF_CHECKSUM),
        ),
        (
            "structure:word_char_count",
            "Exactly so many words and so many characters.",
            structure.word_char_count,
            (_int("words"), _int("chars")),
        ),
        (
            "structure:mirror_sentences",
            "At least two sentences, the first and the last with equally many words.",
            structure.mirror_sentences,
            (),
        ),
        (
            "lexical:include_keyword",
            "A word with the stem, or the very word, occurs.",
            lexical.include_keyword,
            (FirstOf((_strings("any_stems"), _string("stem"), _string("word"))),),
        ),
        ("lexical:include_all", "Each of the stems, or of the words, occurs.", lexical.include_all, (_STEMS_OR_WORDS,)),
        (
            "lexical:exclude_word",
            "None of the stems, or of the words, occurs.",
            lexical.exclude_word,
            (_STEMS_OR_WORDS,),
        ),
        ("lexical:starts_with", "The text starts with the phrase.", lexical.starts_with, (_string("phrase"),)),
        (
            "lexical:ends_with",
            "The text ends with the phrase, closing punctuation aside.",
            lexical.ends_with,
            (_string("phrase"),),
        ),
        ("lexical:nth_word", "Word n is the given word.", lexical.nth_word, (_int("n"), _string("word"))),
        (
            "lexical:nth_word_from_end",
            "Word n from the end is the given word.",
            lexical.nth_word_from_end,
            (_int("n"), _string("word")),
        ),
        (
            "lexical:acrostic",
            "First letters of the list items spell the word.",
            sequences.acrostic,
            (_string("word"), KIND),
        ),
        (
            "lexical:sentence_acrostic",
            "First letters of the sentences spell the word.",
            sequences.sentence_acrostic,
            (_string("word"),),
        ),
        (
            "lexical:word_exact_count",
            "Words with the stem occur exactly so many times.",
            lexical.word_exact_count,
            (_string("stem"), _int("count")),
        ),
        (
            "lexical:word_cap",
            "Words with the stem occur at most so many times.",
            lexical.word_cap,
            (_string("stem"), _int("cap")),
        ),
        (
            "lexical:ring_word",
            "At least two words, and the text ends with the word that it starts with.",
            sequences.ring_word,
            (),
        ),
        (
            "lexical:paragraph_echo",
            "The last paragraph repeats the word that ends the first.",
            sequences.paragraph_echo,
            (),
        ),
        (
            "lexical:item_chain",
            "Each list item starts with the letter that the last word of the item before starts with.",
            sequences.item_chain,
            (KIND,),
        ),
        (
            "lexical:order_words",
            "The first word with stem a stands before the first with stem b.",
            lexical.order_words,
            (_string("stem_a"), _string("stem_b")),
        ),
        (
            "lexical:alpha_items",
            "First letters of at least two list items strictly rise in the Russian alphabet.",
            sequences.alpha_items,
            (KIND,),
        ),
        (
            "lexical:exclude_phrases",
            "None of the phrases occurs, or opens the text (for mode start).",
            lexical.exclude_phrases,
            (_strings("phrases"), _maybe("mode", schema.ANY)),
        ),
        (
            "lexical:quote_task",
            "The first line is the given text, character for character.",
            lexical.quote_task,
            (_string("text"),),
        ),
        (
            "lexical:anadiplosis",
            "Each sentence starts with the word that ends the one before.",
            sequences.anadiplosis,
            (),
        ),
        (
            "lexical:epiphora",
            "At least two list items, or paragraphs, all end with the same word.",
            sequences.epiphora,
            (_maybe("unit", schema.ANY, "items"), KIND),
        ),
        (
            "lexical:no_repeated_word",
            "There is a word, and no word of the given length or more occurs twice.",
            lexical.no_repeated_word,
            (_maybe("min_length", schema.INT, 4),),
        ),
        ("style:forbid_letter", "The letter does not occur.", style.forbid_letter, (_string("letter"),)),
        (
            "style:forbid_letters",
            "None of the letters occurs.",
            style.forbid_letters,
            (Param("letters", schema.LETTERS),),
        ),
        ("style:no_commas", "No comma occurs.", style.no_commas, ()),
        ("style:comma_count", "The number of commas meets the count.", style.comma_count, (COUNTED,)),
        ("style:no_caps", "No capital letter occurs.", style.no_caps, ()),
        ("style:end_punctuation", "The last character is the given one.", style.end_punctuation, (_string("char"),)),
        (
            "style:sentence_initials",
            "At least two sentences, all with different first letters.",
            style.sentence_initials,
            (),
        ),
        (
            "style:letter_start_count",
            "The number of words that start with the letter meets the count.",
            style.letter_start_count,
            (_string("letter"), COUNTED),
        ),
        ("style:anaphora", "At least two paragraphs, all starting with the same word.", style.anaphora, ()),
        (
            "style:no_markdown",
            "No Markdown marks occur: asterisks, backticks, headings, quotations, list markers.",
            style.no_markdown,
            (),
        ),
        (
            "style:max_word_length",
            "There is a word, and none has more letters than the limit.",
            style.max_word_length,
            (_int("max"),),
        ),
        (
            "style:question_count",
            "The number of sentences that end with a question mark meets the count.",
            style.question_count,
            (COUNTED,),
        ),
        (
            "style:exclamation_count",
            "The number of sentences that end with an exclamation mark meets the count.",
            style.exclamation_count,
            (COUNTED,),
        ),
        (
            "style:no_digits",
            "No digit occurs, and one of the listed words or stems does, if any are listed.",
            style.no_digits,
            (schema.REPLACEMENT,),
        ),
        (
            "style:no_latin",
            "No Latin letter occurs, and one of the listed words or stems does, if any are listed.",
            style.no_latin,
            (schema.REPLACEMENT,),
        ),
        (
            "format:bullet_list",
            "The number of bullet items meets the count, and nothing else stands in the text unless strict is off.",
            form.bullet_list,
            (COUNTED, schema.STRICT),
        ),
        (
            "format:numbered_list",
            "The number of numbered items meets the count, and nothing else stands in the text unless strict is off.",
            form.numbered_list,
            (COUNTED, schema.STRICT),
        ),
        (
            "format:json_object",
            "The answer is a JSON object with exactly the keys and strings as values.",
            data_formats.json_object,
            (
                _strings("keys"),
                _maybe("max_words", schema.INT_OR_NULL),
                _maybe("no_commas_in_values", schema.FLAG, False),
            ),
        ),
        (
            "format:json_list_value",
            "The answer is a JSON object of strings, one of them a bullet list of the given length.",
            data_formats.json_list_value,
            (_strings("keys"), _string("list_key"), _int("list_items"), schema.WORDS_OF_OTHER_KEYS),
        ),
        (
            "format:json_array",
            "The answer is a JSON array of objects that state the word counts of their own texts.",
            data_formats.json_array,
            (_int("items"),),
        ),
        (
            "format:csv_line",
            "The answer is one CSV line, exactly one field of which holds a comma.",
            data_formats.csv_line,
            (_int("fields"),),
        ),
        (
            "format:two_parts",
            "The answer is a bullet list and, after a blank line, one sentence of a given length.",
            form.two_parts,
            (_int("items"), _int("sentence_words")),
        ),
        (
            "format:markdown_table",
            "The answer is a Markdown table of the given size.",
            form.markdown_table,
            (_int("rows"), _int("cols")),
        ),
        (
            "format:bold_words",
            "Exactly so many bold spans, if asked of a given length, place or stem.",
            form.bold_words,
            (
                _int("count"),
                _maybe("words_each", schema.INT_OR_NULL),
                _maybe("position", schema.INT_OR_NULL),
                _maybe("stems", schema.STRINGS_OR_NULL),
            ),
        ),
        (
            "format:line_length",
            "No line is longer than the limit, and so many lines are not blank, if asked.",
            form.line_length,
            (_int("max"), _maybe("count", schema.INT)),
        ),
        (
            "format:hashtags",
            "The last line is so many Russian hashtags, if asked in order or echoing the first word.",
            form.hashtags,
            (_int("count"), _maybe("alpha", schema.FLAG, False), _maybe("echo_first", schema.FLAG, False)),
        ),
        (
            "logic:conditional_include",
            "A word with the stem occurs if the condition holds, and does not otherwise.",
            logic.conditional_include,
            (schema.HOLDS, _string("stem")),
        ),
        (
            "logic:conditional_format",
            "The text has the one shape if the condition holds, and the other otherwise.",
            logic.conditional_format,
            (schema.HOLDS, schema.THEN, schema.OTHERWISE),
        ),
        ("logic:override", "The winning rule of two is met.", _override, (Param("winner", schema.WINNER),)),
    )
)
