"""The table of the fifteen source notations: description, reader, writer and the convention a prompt states.

Nothing registers itself. What a prompt says and what the reader does stand side by side: a change of one is a change of
the other.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from builders.sobhard.sources.conventions import HEADER_ROW, with_layout
from builders.sobhard.sources.delimited import read_delimited, write_delimited
from builders.sobhard.sources.fixed import read_fwf, write_fwf
from builders.sobhard.sources.html_table import read_html, write_html
from builders.sobhard.sources.json_family import (
    read_json,
    read_jsonc,
    read_jsonl,
    write_json,
    write_jsonc,
    write_jsonl,
)
from builders.sobhard.sources.logline import read_logline, write_logline
from builders.sobhard.sources.markdown import read_mdtable, write_mdtable
from builders.sobhard.sources.model import (
    PLAIN,
    Layout,
    LayoutError,
    SourceRefused,
    Value,
    checked,
    prepared,
    refuse,
    same_value,
)
from builders.sobhard.sources.pairs import read_ini, read_properties, write_ini, write_properties
from builders.sobhard.sources.toml_source import read_toml, write_toml
from builders.sobhard.sources.xml_source import read_xml, write_xml
from builders.sobhard.sources.yaml_source import read_yaml, write_yaml

__all__ = ["NOTATIONS", "Notation", "convention", "read", "write"]


class Notation(NamedTuple):
    """A source notation.

    Attributes:
        id: its name in a row's ``source_format``.
        description: one English sentence on what a document is.
        shape: ``records`` (list of objects of strings), ``lines`` (list of any values), ``map`` (object of strings),
            ``sections`` (object of objects of strings), ``element`` (object with one key, strings at the leaves),
            ``object`` (any values under string keys) or ``any``.
        typed: whether numbers, booleans and null are told from strings.
        layout: the fields of ``Layout`` that it follows.
        read: the value of a document that ``prepared`` has passed.
        write: a document of a value, or a refusal; ``write`` below reads it back.
        convention: two or three Russian sentences for a prompt, without a layout.
    """

    id: str
    description: str
    shape: str
    typed: bool
    layout: tuple[str, ...]
    read: Callable[[str, Layout], Value]
    write: Callable[[Value, Layout], str]
    convention: str


def _delimited(name: str, delimiter: str, english: str, russian: str) -> Notation:
    """csv, tsv and scsv: one convention, three delimiters."""
    return Notation(
        name,
        f"A table with {english} between the fields, quoted where need be.",
        "records",
        False,
        ("names", "comment"),
        partial(read_delimited, delimiter),
        partial(write_delimited, delimiter),
        f"Поля разделены {russian}, {HEADER_ROW}; все значения — строки, "
        "пробелы внутри полей значимы, пустое поле — пустая строка. Поле может стоять в двойных кавычках: тогда внутри "
        "допустимы разделитель и перевод строки, а удвоенная кавычка означает одну. Пустые строки пропускаются.",
    )


_TABLE: Final = (
    _delimited("csv", ",", "a comma", "запятыми"),
    Notation(
        "fwf",
        "A table whose columns are places in the line.",
        "records",
        False,
        ("columns", "comment"),
        read_fwf,
        write_fwf,
        "Таблица с колонками фиксированной ширины: в первой строке имена колонок, разделённые двумя пробелами или "
        "больше; колонка начинается там же, где её имя, и кончается перед началом следующей, последняя — в конце "
        "строки. Каждая следующая строка — запись; пробелы по краям значений отбрасываются, пустое место — пустая "
        "строка, все значения — строки. Пустые строки пропускаются.",
    ),
    Notation(
        "html",
        "One HTML table.",
        "records",
        False,
        (),
        read_html,
        write_html,
        "Одна таблица HTML: первая строка — имена колонок, каждая следующая — запись, все значения — строки. Значение "
        "ячейки — её текст: теги и комментарии отбрасываются, <br> даёт перевод строки, ссылки на символы вроде &amp; "
        "раскрываются. Пробелы и переводы строк в самой разметке сводятся к одному пробелу, по краям отбрасываются.",
    ),
    Notation(
        "ini",
        "Sections of key and value pairs.",
        "sections",
        False,
        (),
        read_ini,
        write_ini,
        "Каждая секция [имя] — объект, её пары — строки; ключ отделён от значения первым знаком = или :, пробелы по "
        "краям ключа и значения отбрасываются, регистр сохраняется. Комментарий — только целая строка, которая "
        "начинается с # или ;, кавычки и остальные символы значения остаются как есть. Повторный ключ заменяет "
        "прежнее значение, секция, названная ещё раз, продолжает прежнюю.",
    ),
    Notation(
        "json",
        "One JSON value.",
        "any",
        True,
        (),
        read_json,
        write_json,
        "Документ — одно значение JSON: типы значений берутся как записаны, число с дробной частью или порядком — "
        "вещественное, иначе целое. Escape-последовательности в строках раскрываются, порядок элементов в списках "
        "сохраняется.",
    ),
    Notation(
        "jsonc",
        "One JSON value with comments.",
        "any",
        True,
        ("notes",),
        read_jsonc,
        write_jsonc,
        "Документ — одно значение JSON, в котором вне строк могут стоять комментарии: от // до конца строки и между "
        "/* и */. Комментарии отбрасываются, запятая после последнего элемента списка или объекта допустима и ничего "
        "не значит; в остальном это обычный JSON.",
    ),
    Notation(
        "jsonl",
        "One JSON value a line.",
        "lines",
        True,
        (),
        read_jsonl,
        write_jsonl,
        "Каждая строка — одно значение JSON, документ целиком — список этих значений в порядке строк. Пустые строки "
        "пропускаются.",
    ),
    Notation(
        "logline",
        "A log, one record a line.",
        "records",
        False,
        ("pattern", "comment"),
        read_logline,
        write_logline,
        "Каждая строка журнала — запись из пар ключ=значение через пробел, все значения — строки. Значение в двойных "
        "кавычках может содержать пробелы, escape-последовательности в нём те же, что в JSON; значение без кавычек "
        "берётся как есть до ближайшего пробела, ничего после знака = — пустая строка. Пустые строки пропускаются.",
    ),
    Notation(
        "mdtable",
        "One Markdown pipe table.",
        "records",
        False,
        (),
        read_mdtable,
        write_mdtable,
        "Таблица Markdown: первая строка — имена колонок, вторая — черта из дефисов, каждая следующая — запись; все "
        "значения — строки, пробелы по краям ячеек отбрасываются. Сочетание \\| внутри ячейки означает символ |; "
        "остальная разметка (выделение, ссылки, код, сущности) остаётся частью значения как есть.",
    ),
    Notation(
        "properties",
        "Lines of a key, an equals sign and a value.",
        "map",
        False,
        (),
        read_properties,
        write_properties,
        "Каждая строка — пара: ключ до первого знака =, после него значение; пробелы по краям отбрасываются, все "
        "значения — строки. Строки, начинающиеся с # или !, и пустые пропускаются. Escape-последовательности не "
        "раскрываются: \\n и \\u0041 остаются теми же символами, что записаны.",
    ),
    _delimited("scsv", ";", "a semicolon", "точкой с запятой"),
    Notation(
        "toml",
        "A TOML 1.0 document without dates.",
        "object",
        True,
        (),
        read_toml,
        write_toml,
        "Документ TOML 1.0 — объект: [секция] и ключи через точку задают вложенные объекты, [[секция]] добавляет "
        "объект в список. Строки, целые и вещественные числа, true и false сохраняют свой тип; "
        "escape-последовательности раскрываются в строках в двойных кавычках, в одинарных — нет; комментарии "
        "отбрасываются.",
    ),
    _delimited("tsv", "\t", "a tab", "символом табуляции"),
    Notation(
        "xml",
        "An XML document without mixed content and declarations.",
        "element",
        False,
        ("attributes",),
        read_xml,
        write_xml,
        "Документ — объект с одним ключом, именем корня. Элемент без атрибутов и вложенных элементов — строка; любой "
        "другой — объект: атрибуты и вложенные элементы под своими именами (одноимённые вложенные — списком), непустой "
        "текст элемента с атрибутами — под ключом text. Имена берутся как записаны, с префиксами, xmlns — обычный "
        "атрибут; комментарии, пробелы и переводы строк по краям текста отбрасываются.",
    ),
    Notation(
        "yaml",
        "One YAML document without tags, anchors and scalars whose type depends on the version.",
        "any",
        True,
        (),
        read_yaml,
        write_yaml,
        "Документ YAML: без кавычек true и false — логические значения, null, ~ и пустое место — null, десятичная "
        "запись числа — число (целое, а с точкой — вещественное), всё остальное — строка. Значение в кавычках и "
        "текстовый блок — всегда строка; комментарии отбрасываются.",
    ),
)

NOTATIONS: Final[Mapping[str, Notation]] = MappingProxyType({notation.id: notation for notation in _TABLE})


def _checked_layout(notation: Notation, layout: Layout) -> Layout:
    """The layout, once it is known to say nothing that the notation would not follow."""
    for field, value in layout._asdict().items():
        if value and field not in notation.layout:
            raise LayoutError(f"{notation.id} follows no {field}")
    return layout


def read(notation: str, text: str, layout: Layout = PLAIN) -> Value:
    """The value of a document in ``notation``, read the one way the notation's convention says.

    A leading U+FEFF is dropped and CRLF is LF before anything else. Every string gets a value or a refusal.

    Args:
        notation: a key of ``NOTATIONS``.
        text: the document.
        layout: what the convention needs beyond the notation's name.

    Raises:
        SourceRefused: the document has no reading, or more than one.
        KeyError: no such notation.
        LayoutError: the layout describes no documents, or the notation does not follow it.
    """
    chosen = NOTATIONS[notation]
    return chosen.read(prepared(text), _checked_layout(chosen, layout))


def write(notation: str, value: Value, layout: Layout = PLAIN) -> str:
    """A document in ``notation`` that ``read`` gives back as ``value``, key order aside; it is read back to make sure.

    Args:
        notation: a key of ``NOTATIONS``.
        value: plain JSON data.
        layout: as for ``read``.

    Raises:
        SourceRefused: not-representable, or one of ``checked`` where the value is no JSON data a document may hold.
        KeyError, LayoutError: as for ``read``.
    """
    chosen = NOTATIONS[notation]
    text = chosen.write(checked(value), _checked_layout(chosen, layout))
    try:
        back = read(notation, text, layout)
    except SourceRefused as refusal:
        return refuse("not-representable", f"{notation} does not hold the value: {refusal.reason}")
    if not same_value(back, value):
        refuse("not-representable", f"{notation} reads the value back as another")
    return text


def convention(notation: str, layout: Layout = PLAIN) -> str:
    """The reading convention of ``notation`` for a prompt, in Russian: what ``read`` does with the same layout.

    Raises:
        KeyError, LayoutError: as for ``read``.
    """
    chosen = NOTATIONS[notation]
    return with_layout(chosen.convention, _checked_layout(chosen, layout))
