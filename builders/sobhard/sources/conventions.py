"""What a layout changes in the convention a prompt states, in Russian."""

from typing import Final

from builders.sobhard.sources.model import Column, Layout

__all__ = ["HEADER_ROW", "with_layout"]

# The words of the delimited notations that column names of a layout replace.
HEADER_ROW: Final = "первая строка — имена колонок, каждая следующая — запись"


def with_layout(convention: str, layout: Layout) -> str:
    """A notation's convention as the layout has it; layouts of writing alone change nothing."""
    if layout.names:
        convention = convention.replace(
            HEADER_ROW, "каждая строка — запись, строки с именами нет; колонки по порядку: " + ", ".join(layout.names)
        )
    elif layout.columns:
        convention = _fixed_columns(layout.columns)
    elif layout.pattern:
        convention = _log_pattern(layout.pattern)
    if layout.comment:
        convention += f" Строки, которые начинаются с {layout.comment}, пропускаются."
    return convention


def _fixed_columns(columns: tuple[Column, ...]) -> str:
    places = "; ".join(
        f"{name} — с {start + 1} до конца строки" if end is None else f"{name} — {start + 1}–{end}"
        for name, start, end in columns
    )
    return (
        "Таблица с колонками фиксированной ширины без строки с именами, каждая строка — запись. Колонки по номерам "
        f"символов, считая с единицы: {places}. Пробелы по краям значений отбрасываются, пустое место — пустая строка, "
        "все значения — строки. Пустые строки пропускаются."
    )


def _log_pattern(pattern: str) -> str:
    return (
        f"Каждая строка журнала — запись вида {pattern}, где имя в угловых скобках — поле, а символы между полями — "
        "разделители. Поле кончается перед первым разделителем, который за ним следует, последнее — в конце строки; "
        "пробелы по краям полей отбрасываются, все значения — строки. Пустые строки пропускаются."
    )
