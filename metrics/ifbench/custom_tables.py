"""The ``custom`` checkers that ask for a table or a list of fixed content (IFBench notes, section 3)."""

import re
import unicodedata
from datetime import date
from typing import Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.delimited import Field, records_of
from metrics.ifbench.layout import strip_fence
from metrics.ifbench.text import Text
from metrics.ifbench.verdict_shapes import at_least, exactly
from metrics.ifbench.word_lists import AFRICAN_STATES, COUNTRY_OF_NAME, COUNTRY_OF_SECOND_NAME
from metrics.ifbench.words import base_letters, fold, has_letter, numeral_spans, split_words
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = [
    "csv_city",
    "csv_quotes",
    "csv_special_character",
    "date_format_list",
    "european_capitals_sort",
    "multiples",
    "reverse_newline",
]

_CITY_COLUMNS: Final = ("ID", "Country", "City", "Year", "Count")
_STUDENT_COLUMNS: Final = ("StudentID", "Subject", "Grade", "Semester", "Score")
_PRODUCT_COLUMNS: Final = ("ProductID", "Category", "Brand", "Price", "Stock")


def _table(
    text: Text, readings: Readings, delimiter: str, columns: tuple[str, ...], rows: int, spaced: bool
) -> tuple[list[list[Field]], Verdict]:
    """Read a table, and check its shape: the column names, then ``rows`` rows with as many fields.

    Args:
        text: the answer.
        readings: the grader's readings.
        delimiter: the character between fields.
        columns: the column names.
        rows: number of rows that must follow the column names.
        spaced: whether white space may stand around a column name.
    """
    records = records_of(strip_fence(text.raw) if readings.csv_in_fence else text.raw, delimiter)
    names = [field.value.strip() if spaced else field.value for field in records[0]]
    if tuple(names) != columns:
        reason = ("the first line must name {}", ", ".join(columns))
        return records, failed("wrong-header", reason, clip(",".join(names)))
    verdict = exactly(len(records) - 1, rows, "row")
    if not verdict.passed:
        return records, verdict
    for place, record in enumerate(records[1:], 1):
        if len(record) != len(columns):
            fields = ("row {} must have {} fields, {} found", place, len(columns), len(record))
            return records, failed("wrong-fields", fields, len(record), len(columns))
    return records, verdict


def csv_city(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The five columns and seven rows, commas between.

    Codes: ``ok``, ``wrong-header``, ``too-few``, ``too-many``, ``wrong-fields``.
    """
    return _table(text, readings, ",", _CITY_COLUMNS, 7, spaced=False)[1]


def csv_quotes(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The five columns and three rows, tabs between, every field in double quotes.

    Codes: as :func:`csv_city`, and ``unquoted``.
    """
    records, verdict = _table(text, readings, "\t", _STUDENT_COLUMNS, 3, spaced=True)
    bare = next((field for record in records for field in record if not field.quoted), None)
    if verdict.passed and bare is not None:
        return failed("unquoted", ("the field {:quoted} is not in double quotes", bare.value[:KEPT]), clip(bare.value))
    return verdict


def _is_special(char: str, accents: bool) -> bool:
    """Whether a character is neither word character nor white space; or a letter with an accent, if those count."""
    if accents and char.isalpha() and not char.isascii():
        return True
    return not (char.isalnum() or char == "_" or char.isspace())


def csv_special_character(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The five columns and fourteen rows, commas between, one quoted field with a special character.

    Codes: as :func:`csv_city`, and ``no-special-field``.
    """
    records, verdict = _table(text, readings, ",", _PRODUCT_COLUMNS, 14, spaced=True)
    special = (
        field
        for record in records[1:]
        for field in record
        if field.quoted and any(_is_special(char, readings.accents_are_special) for char in field.value)
    )
    if verdict.passed and next(special, None) is None:
        return failed("no-special-field", "no quoted field holds a special character", 0, ">= 1")
    return verdict


# The years in which Napoleon led troops in battle: Toulon to Waterloo.
_FIRST_YEAR: Final = 1793
_LAST_YEAR: Final = 1815
_iso_date = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})").fullmatch


def _list_of(text: Text, readings: Readings) -> str:
    """The answer trimmed, without a closing full stop where that may stand (AD16)."""
    return text.raw.strip().removesuffix("." if readings.list_may_end_in_stop else "")


def _battle_date(item: str) -> date | None:
    """The calendar date that an item writes in the wanted form, if it is one."""
    found = _iso_date(item.strip())
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def date_format_list(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """Dates between commas, each a real one from the years of his battles.

    Codes: ``ok``, ``not-a-date``, ``wrong-year``.
    """
    items = _list_of(text, readings).split(",")
    for place, item in enumerate(items, 1):
        day = _battle_date(item)
        if day is None:
            no_date = ("item {}, {:quoted}, is no date YYYY-MM-DD", place, item.strip()[:KEPT])
            return failed("not-a-date", no_date, place)
        if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            said = "item {} is of {}, his battles were from {} to {}"
            reason = (said, place, day.year, _FIRST_YEAR, _LAST_YEAR)
            return failed("wrong-year", reason, day.year, f"{_FIRST_YEAR}..{_LAST_YEAR}")
    return passed(("each of {} items is a date of the time", len(items)), len(items))


# Capitals north of 45 degrees, from north to south. Astana (51.2 degrees) may stand in its place under AD17.
_CAPITALS: Final = (
    *("Reykjavik", "Helsinki", "Oslo", "Tallinn", "Stockholm", "Riga", "Moscow", "Copenhagen", "Vilnius", "Minsk"),
    *("Dublin", "Berlin", "Amsterdam", "Warsaw", "London", "Astana", "Brussels", "Kyiv", "Prague", "Luxembourg"),
    *("Paris", "Vienna", "Bratislava", "Budapest", "Vaduz", "Chisinau", "Bern", "Ljubljana", "Zagreb"),
)
_DISPUTED: Final = frozenset({"Astana"})
_OTHER_SPELLINGS: Final = {"Kiev": "Kyiv", "Berne": "Bern"}
_accents = re.compile(r"[\u0300-\u036f]+")


def european_capitals_sort(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The 28 capitals in order, commas between; accents may be left out.

    Codes: ``ok``, ``wrong-capital``, ``too-few``, ``too-many``.
    """
    plain = _accents.sub("", unicodedata.normalize("NFD", _list_of(text, readings)))
    names = [name.strip() for name in plain.split(",") if name.strip()]
    given = [_OTHER_SPELLINGS.get(name, name) for name in names]
    optional = _DISPUTED.intersection(given, readings.optional_capitals)
    order = [name for name in _CAPITALS if name not in _DISPUTED or name in optional]
    for place, (found, wanted) in enumerate(zip(given, order, strict=False), 1):
        if found != wanted:
            reason = ("capital {} must be {}, {:quoted} found", place, wanted, found[:KEPT])
            return failed("wrong-capital", reason, clip(found), wanted)
    return exactly(len(given), len(order), "capital")


_MULTIPLES: Final = tuple(str(number) for number in range(14, 51, 7))
_MINUS: Final = "-\u2212"


def _signed(prose: str, start: int, end: int) -> str:
    """A numeral with its sign; a hyphen after something other than white space or a bracket is none."""
    sign = prose[start - 1 : start]
    before = prose[start - 2 : start - 1] if start > 1 else ""
    return (
        prose[start - 1 : end]
        if sign in tuple(_MINUS) and (not before or before in " \t\n([{,;:")
        else prose[start:end]
    )


def multiples(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """The numerals are 14, 21, 28, 35, 42 and 49, in order.

    Codes: ``ok``, ``wrong-numbers``, ``words-around``.
    """
    given = tuple(_signed(text.prose, *span) for span in numeral_spans(text.prose))
    if given != _MULTIPLES:
        shown = clip(", ".join(given[:12]))
        reason = ("{} required, {} found", ", ".join(_MULTIPLES), shown or "no number")
        return failed("wrong-numbers", reason, shown)
    others = [word for word in text.words if has_letter(word) and word.lower() != "and"]
    if others and not readings.words_around_multiples:
        around = ("only numbers are to be printed, {:quoted} found", others[0][:KEPT])
        return failed("words-around", around, clip(others[0]))
    return passed("the numbers are the multiples of 7", len(given), len(_MULTIPLES))


_AFRICAN_LINES: Final = 52
_list_marker = re.compile(r"\s*(?:\d{1,3}[.):]|[-*+\u2022\u2023\u25e6\u2013])\s+").match
# What parts two names of one country, and what may lead in the second one.
_between_names = re.compile(
    r"[()\[\]/;]|\s[-\u2013\u2014]\s|,(?=\s?(?:formerly|previously|also|or|aka|a\.k\.a)\b)|\sor\s", re.I
)
_lead_in = re.compile(r"(?:(?:also|formerly|previously|now|once|or|officially|aka|a\.k\.a|known|called|as) )+").match


def _name_key(name: str) -> str:
    """A name as names are compared: its words in base letters, markup aside."""
    return " ".join(split_words(base_letters(fold(name).replace("&", " and "))))


class _Named(NamedTuple):
    """A line of the list: its names, one or more, and the country that they all are of, if there is one."""

    names: list[str]
    country: str | None


def _named_country(line: str) -> _Named:
    """What a line names, list marker aside; a second name stands in brackets or behind a sign or word."""
    marker = _list_marker(line)
    rest = line[marker.end() :] if marker else line
    whole = _name_key(rest)
    keys = [key for part in _between_names.split(rest) if (key := _name_key(part))]
    names = [key[lead.end() :] if (lead := _lead_in(key)) else key for key in keys]
    if len(names) < 2 or whole in COUNTRY_OF_NAME:
        return _Named([whole, *filter(COUNTRY_OF_NAME.get, names)], COUNTRY_OF_NAME.get(whole))
    countries = {COUNTRY_OF_NAME.get(name) or COUNTRY_OF_SECOND_NAME.get(name) for name in names[1:]}
    # Congo alone is either of the two: what stands beside it says which.
    if names[0] != "congo" or not countries <= {COUNTRY_OF_NAME["congo"], COUNTRY_OF_NAME["zaire"]}:
        countries.add(COUNTRY_OF_NAME.get(names[0]))
    return _Named(names, countries.pop() if len(countries) == 1 else None)


def _rises_at(lines: list[list[str]]) -> int:
    """The first place where no name of a line can stand below the line before, or -1; any name of a line will do."""
    above = None
    for place, names in enumerate(lines):
        # The Gambia may stand under T or under G.
        fitting = [key for name in names for key in (name, name.removeprefix("the ")) if above is None or key <= above]
        if not fitting:
            return place
        above = max(fitting)
    return -1


def reverse_newline(text: Text, _: Arguments, readings: Readings) -> Verdict:
    """From the line of Zimbabwe on, one African country a line, none twice, names in falling order.

    Codes: ``ok``, ``no-zimbabwe``, ``not-a-country``, ``named-twice``, ``wrong-order``, ``too-few``, ``missing``.
    """
    lines = [named for line in text.lines if any((named := _named_country(line)).names)]
    start = next((place for place, line in enumerate(lines) if line.country == "zimbabwe"), None)
    if start is None:
        return failed("no-zimbabwe", "no line names Zimbabwe, the first country in reverse order")
    listed = lines[start:]
    seen: set[str] = set()
    for (name, *_names), country in listed:
        if country is None:
            return failed("not-a-country", ("{:quoted} is no country of Africa", name[:KEPT]), clip(name))
        if country in seen:
            return failed("named-twice", ("{} is named twice", country), country)
        seen.add(country)
    rise = _rises_at([line.names for line in listed])
    if rise > 0:
        below, above = listed[rise].names[0], listed[rise - 1].names[0]
        return failed("wrong-order", ("{:quoted} stands below {:quoted}", below[:KEPT], above[:KEPT]), below)
    missing = sorted(AFRICAN_STATES - seen)
    if readings.african_list_complete and missing:
        return failed("missing", ("{} countries are missing, among them {}", len(missing), missing[0]), missing[0])
    return at_least(len(listed), _AFRICAN_LINES, "line")
