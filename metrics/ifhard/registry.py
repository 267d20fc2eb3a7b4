"""The table of the 64 requirement types: verifier and parameters of each, side by side; nothing registers itself."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.ifhard import data_formats, lexical, logic, schema, sequences, structure, style
from metrics.ifhard import format as form
from metrics.ifhard.params import Params, ParamsError, value_of
from metrics.ifhard.schema import COUNTED, COUNTED_UNIT, KIND, FirstOf, Kind, Param, Reader, reader_of
from metrics.ifhard.text import Text
from metrics.reasons import prefixed
from metrics.verdict import Verdict

__all__ = ["CATEGORIES", "MAX_NESTING", "OVERRIDE", "Category", "winner_of"]

# An override may name an override; a chain longer than this is refused rather than followed.
MAX_NESTING: Final = 50
OVERRIDE: Final = "logic:override"
Winner = tuple[str, Callable[..., Verdict], tuple[Any, ...], str]


class Category(NamedTuple):
    """A requirement type.

    Attributes:
        id: ``family:name``.
        family: structure, lexical, style, format or logic.
        description: one English sentence that says when an answer passes; the verifier's own.
        params: the parameters that the verifier reads, in order; any other key is ignored.
        verify: gives the verdict on a text and the values of the parameters, as ``read`` gives them.
        read: reads a requirement's parameters; raises nothing but ParamsError, for bad parameters.
    """

    id: str
    family: str
    description: str
    params: tuple[Param | FirstOf, ...]
    verify: Callable[..., Verdict]
    read: Reader


def _int(name: str) -> Param:
    return Param(name, schema.INT)


def _string(name: str) -> Param:
    return Param(name, schema.STRING)


def _strings(name: str) -> Param:
    return Param(name, schema.STRINGS)


def _maybe(name: str, kind: schema.Kind, default: Any = None) -> Param:
    return Param(name, kind, optional=True, default=default)


def _folded(name: str) -> Param:
    return Param(name, schema.FOLDED)


def _all_folded(name: str) -> Param:
    return Param(name, schema.ALL_FOLDED)


_STEMS_OR_WORDS: Final = FirstOf((_all_folded("stems"), _all_folded("words")))


def _override(text: Text, winner: Winner) -> Verdict:
    """The winning rule of two is met: its verdict is the verdict. Codes: the winner's."""
    category, verify, values, path = winner
    try:
        return prefixed(("the overriding rule {}", category), verify(text, *values))
    except ParamsError as error:  # of a type that reads its parameters there
        raise error.within(parent=path) from None


def _read_winner(params: Params, name: str) -> Winner:
    """The rule that an override comes down to, what its verifier takes beside the text, and where that stands."""
    winner = value_of(params, name)
    if not isinstance(winner, Mapping):
        raise ParamsError("is not an object", name)
    for key in ("category", "params"):
        if key not in winner:
            raise ParamsError("is missing", f"{name}.{key}")
    category, inner, path = winner_of(params)
    try:
        return category, CATEGORIES[category].verify, CATEGORIES[category].read(inner), path
    except ParamsError as error:
        raise error.within(parent=path) from None


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


def _table(*rows: tuple[str, Callable[..., Verdict], tuple[Param | FirstOf, ...]]) -> dict[str, Category]:
    return {
        name: Category(
            name, name.partition(":")[0], _description(verify), params, verify, _READ_BY.get(name) or reader_of(params)
        )
        for name, verify, params in rows
    }


# A checksum's parameters are not read without a marker in the text: they go to the verifier as they are.
_READ_BY: Final[Mapping[str, Reader]] = {"structure:checksum": lambda params: (params,)}


def _description(verify: Callable[..., Verdict]) -> str:
    """What a verifier says of itself, but for its codes."""
    told = " ".join((verify.__doc__ or "").partition("\n\n")[0].split())
    return told.partition(" Codes: ")[0].replace("``", "")


CATEGORIES: Final[Mapping[str, Category]] = MappingProxyType(
    _table(
        ("structure:word_count", structure.word_count, (COUNTED,)),
        ("structure:sentence_count", structure.sentence_count, (COUNTED,)),
        ("structure:paragraph_count", structure.paragraph_count, (COUNTED,)),
        ("structure:char_count", structure.char_count, (COUNTED,)),
        ("structure:sentence_words", structure.sentence_words, (COUNTED_UNIT,)),
        ("structure:item_words", structure.item_words, (COUNTED_UNIT, KIND)),
        ("structure:paragraph_sentences", structure.paragraph_sentences, (COUNTED_UNIT,)),
        ("structure:ascending_sentences", structure.ascending_sentences, (schema.DIRECTION,)),
        (
            "structure:items_total_words",
            structure.items_total_words,
            (_int("factor"), _maybe("kind", schema.ANY, "bullet")),
        ),
        ("structure:item_words_ladder", structure.item_words_ladder, (_int("start"), schema.DIRECTION, KIND)),
        ("structure:first_line_count", structure.first_line_count, ()),
        ("structure:checksum", structure.checksum, (Param("kind", schema.CHECKSUM), schema.LETTER_OF_CHECKSUM)),
        ("structure:word_char_count", structure.word_char_count, (_int("words"), _int("chars"))),
        ("structure:mirror_sentences", structure.mirror_sentences, ()),
        (
            "lexical:include_keyword",
            lexical.include_keyword,
            (FirstOf((_all_folded("any_stems"), _folded("stem"), _folded("word"))),),
        ),
        ("lexical:include_all", lexical.include_all, (_STEMS_OR_WORDS,)),
        ("lexical:exclude_word", lexical.exclude_word, (_STEMS_OR_WORDS,)),
        ("lexical:starts_with", lexical.starts_with, (_string("phrase"),)),
        ("lexical:ends_with", lexical.ends_with, (_string("phrase"),)),
        ("lexical:nth_word", lexical.nth_word, (_int("n"), _string("word"))),
        ("lexical:nth_word_from_end", lexical.nth_word_from_end, (_int("n"), _string("word"))),
        ("lexical:acrostic", sequences.acrostic, (_string("word"), KIND)),
        ("lexical:sentence_acrostic", sequences.sentence_acrostic, (_string("word"),)),
        ("lexical:word_exact_count", lexical.word_exact_count, (_folded("stem"), _int("count"))),
        ("lexical:word_cap", lexical.word_cap, (_folded("stem"), _int("cap"))),
        ("lexical:ring_word", sequences.ring_word, ()),
        ("lexical:paragraph_echo", sequences.paragraph_echo, ()),
        ("lexical:item_chain", sequences.item_chain, (KIND,)),
        ("lexical:order_words", lexical.order_words, (_folded("stem_a"), _folded("stem_b"))),
        ("lexical:alpha_items", sequences.alpha_items, (KIND,)),
        ("lexical:exclude_phrases", lexical.exclude_phrases, (_all_folded("phrases"), _maybe("mode", schema.ANY))),
        ("lexical:quote_task", lexical.quote_task, (_string("text"),)),
        ("lexical:anadiplosis", sequences.anadiplosis, ()),
        ("lexical:epiphora", sequences.epiphora, (_maybe("unit", schema.ANY, "items"), KIND)),
        ("lexical:no_repeated_word", lexical.no_repeated_word, (_maybe("min_length", schema.INT, 4),)),
        ("style:forbid_letter", style.forbid_letter, (_string("letter"),)),
        ("style:forbid_letters", style.forbid_letters, (Param("letters", schema.LETTERS),)),
        ("style:no_commas", style.no_commas, ()),
        ("style:comma_count", style.comma_count, (COUNTED,)),
        ("style:no_caps", style.no_caps, ()),
        ("style:end_punctuation", style.end_punctuation, (_string("char"),)),
        ("style:sentence_initials", style.sentence_initials, ()),
        ("style:letter_start_count", style.letter_start_count, (_string("letter"), COUNTED)),
        ("style:anaphora", style.anaphora, ()),
        ("style:no_markdown", style.no_markdown, ()),
        ("style:max_word_length", style.max_word_length, (_int("max"),)),
        ("style:question_count", style.question_count, (COUNTED,)),
        ("style:exclamation_count", style.exclamation_count, (COUNTED,)),
        ("style:no_digits", style.no_digits, (schema.REPLACEMENT,)),
        ("style:no_latin", style.no_latin, (schema.REPLACEMENT,)),
        ("format:bullet_list", form.bullet_list, (COUNTED, schema.STRICT)),
        ("format:numbered_list", form.numbered_list, (COUNTED, schema.STRICT)),
        (
            "format:json_object",
            data_formats.json_object,
            (
                _strings("keys"),
                _maybe("max_words", schema.INT_OR_NULL),
                _maybe("no_commas_in_values", schema.FLAG, False),
            ),
        ),
        (
            "format:json_list_value",
            data_formats.json_list_value,
            (_strings("keys"), _string("list_key"), _int("list_items"), schema.WORDS_OF_OTHER_KEYS),
        ),
        ("format:json_array", data_formats.json_array, (_int("items"),)),
        ("format:csv_line", data_formats.csv_line, (_int("fields"),)),
        ("format:two_parts", form.two_parts, (_int("items"), _int("sentence_words"))),
        ("format:markdown_table", form.markdown_table, (_int("rows"), _int("cols"))),
        (
            "format:bold_words",
            form.bold_words,
            (
                _int("count"),
                _maybe("words_each", schema.INT_OR_NULL),
                _maybe("position", schema.INT_OR_NULL),
                _maybe("stems", schema.STRINGS_OR_NULL),
            ),
        ),
        ("format:line_length", form.line_length, (_int("max"), _maybe("count", schema.INT))),
        (
            "format:hashtags",
            form.hashtags,
            (_int("count"), _maybe("alpha", schema.FLAG, False), _maybe("echo_first", schema.FLAG, False)),
        ),
        ("logic:conditional_include", logic.conditional_include, (schema.HOLDS, _folded("stem"))),
        ("logic:conditional_format", logic.conditional_format, (schema.HOLDS, schema.THEN, schema.OTHERWISE)),
        (
            "logic:override",
            _override,
            (Param("winner", Kind("constraint", "an object with category and params", _read_winner)),),
        ),
    )
)
