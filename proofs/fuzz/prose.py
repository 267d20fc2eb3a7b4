"""Answers in Russian and English, of the shapes that rules look at: lists, tables, quotes, headings, numbers."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from proofs.fuzz.mutation import edited, long_run, soup
from proofs.fuzz.pieces import ABBREVIATIONS, ENGLISH, ODD, RUSSIAN

__all__ = ["answer", "sentence", "words"]

_ENDS: Final = (".", ".", ".", ".", "!", "?", "…", "...", "?!", "", ":", ";", '."', "».", ".)")
_GAPS: Final = ("\n\n", "\n\n", "\n", "\n", "\n\n\n", "\r\n\r\n", " ", "\n \n", "\n***\n", "\n---\n", "\u2028")
_QUOTES: Final = (
    ('"', '"'),
    ("«", "»"),
    ("“", "”"),
    ("„", "“"),
    ("'", "'"),
    ("(", ")"),
    ("**", "**"),
    ("*", "*"),
    ("`", "`"),
)


def words(source: Random, count: int) -> list[str]:
    """Words of one language, now and then something else."""
    found = source.choices(RUSSIAN if source.random() < 0.6 else ENGLISH, k=count)
    if source.random() < 0.3:
        odd = source.choice(
            (source.choice(ODD), source.choice(ABBREVIATIONS), str(source.randrange(-30, 3_000)), "3,5")
        )
        found[source.randrange(count)] = odd
    return found


def sentence(source: Random) -> str:
    """A sentence of up to eleven words."""
    found = words(source, source.randrange(1, 12))
    kind = source.random()
    if kind < 0.25:
        found[source.randrange(len(found))] += ","
    elif kind < 0.4:
        left, right = source.choice(_QUOTES)
        at = source.randrange(len(found))
        found[at] = f"{left}{found[at]}{right}"
    text = " ".join(found)
    return (text[:1].upper() + text[1:] if source.random() < 0.9 else text) + source.choice(_ENDS)


def _paragraph(source: Random) -> str:
    return " ".join(sentence(source) for _ in range(source.randrange(1, 4)))


def _items(source: Random) -> str:
    mark = source.choice(("- ", "* ", "+ ", "• ", "{}. ", "{}) ", "({}) ", "{}.", "- [ ] ", "  - ", "A) ", "{}\\. "))
    start = source.choice((1, 1, 1, 0, 2, 99))
    rows = [
        mark.format(start + n) + " ".join(words(source, source.randrange(1, 5))) for n in range(source.randrange(1, 5))
    ]
    if source.random() < 0.2:
        rows.insert(source.randrange(len(rows)), source.choice(("  - " + sentence(source), "\t* x", "", "x")))
    return "\n".join(rows)


def _table(source: Random) -> str:
    columns = source.randrange(1, 4)
    rows = [[source.choice(words(source, 1)) for _ in range(columns)] for _ in range(source.randrange(1, 4))]
    rows.insert(1, [source.choice(("---", ":--", "-", ":-:"))] * (columns if source.random() < 0.9 else columns + 1))
    edge = source.choice(("|", "|", ""))
    return "\n".join(f"{edge}{'|'.join(row)}{edge}" for row in rows)


def _line(source: Random) -> str:
    joint = source.choice((",", ", ", ";", "\t", " ", "|", "…", "—", " - "))
    return joint.join(
        source.choice(('"{}"', "{}", "{}", "«{}»")).format(word) for word in words(source, source.randrange(1, 8))
    )


def _json(source: Random) -> str:
    pairs = [f'"{word}": {_value(source)}' for word in words(source, source.randrange(1, 4))]
    text = (
        "{" + ", ".join(pairs) + "}" if source.random() < 0.6 else "[" + ", ".join(_value(source) for _ in pairs) + "]"
    )
    return f"```json\n{text}\n```" if source.random() < 0.3 else text


def _value(source: Random) -> str:
    word = source.choice(RUSSIAN)
    return source.choice(
        (f'"{word}"', f'"{word}, {word}"', "1", "null", f'["{word}", "а"]', f'{{"пункт": "{word}", "слов": 1}}')
    )


def _line_of_marks(source: Random) -> str:
    return source.choice(
        ("# {}", "## {}", "**{}**", "> {}", "#{}", "<b>{}</b>", "{}:", "Вопрос: {}?", "[{}]", "{{{}}}", "<<{}>>")
    ).format(" ".join(words(source, source.randrange(1, 4))))


def _thought(source: Random) -> str:
    left, right = source.choice(
        (("<think>", "</think>"), ("<THINK>", "</Think>"), ("", "</think>"), ("<think>", ""), ("[THINK]", "[/THINK]"))
    )
    return f"{left}{sentence(source)}{right}"


def _echo(source: Random) -> str:
    """Words that come back: rings, chains, repeated beginnings and ends."""
    first, second = words(source, 1)[0], words(source, 1)[0]
    form = source.choice(
        ("{0} {1}. {1} {0}.", "{0} {1} {0}.", "{0} {1}. {0} {1}!", "{1} {0}, {0}. {0}", "#{0} #{1}", "{0}\n{0}\n{1}")
    )
    return form.format(first, second)


_BLOCKS: Final[Sequence[Callable[[Random], str]]] = (
    *(_paragraph,) * 5,
    *(_items,) * 3,
    *(_line, _line_of_marks, _echo) * 2,
    *(_table, _json, _thought, soup),
)


def answer(source: Random) -> str:
    """An answer of one to five blocks; one in five edited, one in five hundred very long."""
    gap = source.choice(_GAPS)
    kinds = source.choices(_BLOCKS, k=source.choice((1, 1, 1, 1, 2, 2, 3, 5)))
    text = gap.join(kind(source) for kind in kinds)
    chance = source.random()
    if chance < 0.002:
        at = source.randrange(len(text) + 1)
        return text[:at] + long_run(source) + text[at:]
    return edited(source, text) if chance < 0.2 else text
