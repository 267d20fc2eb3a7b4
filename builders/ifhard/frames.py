"""The shapes an answer can have, and the one function that turns chosen units into the answer's text.

The composer adds nothing of its own: a frame supplies list markers, table pipes and JSON or CSV framing, and
around the body may stand a first line (the task, or a number), a line of hashtags, or a mark in brackets, each
of which some requirement of the stack asks for.
"""

import json
from collections.abc import Callable, Sequence
from typing import Final

from builders.ifhard.bank import Unit, measure
from builders.ifhard.draft import Draft

__all__ = ["FRAMES", "LISTS", "TERMINAL", "framing", "render"]

LISTS: Final = frozenset({"bullets", "numbers"})
TERMINAL: Final = frozenset({"json", "jsonlist", "array", "csv", "table", "parts"})
FRAMES: Final = frozenset({"prose"}) | LISTS | TERMINAL
# Frames whose slots are list items, cells, values or fields rather than sentences.


def _prose(draft: Draft, texts: Sequence[str]) -> str:
    joint = "\n" if draft.lines else " "
    parts, start = [], 0
    for size in draft.paragraphs:
        parts.append(joint.join(texts[start : start + size]))
        start += size
    return "\n\n".join(parts)


def _bullets(draft: Draft, texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _numbers(draft: Draft, texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def _json(draft: Draft, texts: Sequence[str]) -> str:
    return json.dumps(dict(zip(draft.extra["keys"], texts, strict=True)), ensure_ascii=False, indent=2)


def _jsonlist(draft: Draft, texts: Sequence[str]) -> str:
    """The list items come last among the slots; the other values fill the remaining keys in order."""
    items = draft.extra["list_items"]
    plain, listed = list(texts[:-items]), texts[-items:]
    values = {
        key: "\n".join(f"- {text}" for text in listed) if key == draft.extra["list_key"] else plain.pop(0)
        for key in draft.extra["keys"]
    }
    return json.dumps(values, ensure_ascii=False, indent=2)


def _array(draft: Draft, texts: Sequence[str]) -> str:
    entries = [{"пункт": text, "слов": measure(text).words} for text in texts]
    return json.dumps(entries, ensure_ascii=False, indent=2)


def _csv(draft: Draft, texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' if "," in text else text for text in texts)


def _table(draft: Draft, texts: Sequence[str]) -> str:
    cols = draft.extra["cols"]
    rows = [texts[start : start + cols] for start in range(0, len(texts), cols)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * cols)
    return "\n".join(lines)


def _parts(draft: Draft, texts: Sequence[str]) -> str:
    return _bullets(draft, texts[:-1]) + "\n\n" + texts[-1]


_BODIES: Final[dict[str, Callable[[Draft, Sequence[str]], str]]] = {
    "prose": _prose,
    "bullets": _bullets,
    "numbers": _numbers,
    "json": _json,
    "jsonlist": _jsonlist,
    "array": _array,
    "csv": _csv,
    "table": _table,
    "parts": _parts,
}


def render(draft: Draft, texts: Sequence[str]) -> str:
    """The whole answer for these slot texts (already lower-cased or emboldened where the stack asks for it)."""
    body = _BODIES[draft.frame](draft, texts)
    if draft.head:
        body = f"{draft.head}\n{body}"
    if draft.tags:
        body = f"{body}\n{' '.join(f'#{tag}' for tag in draft.tags)}"
    if draft.mark:
        body = f"{body} ({draft.mark})"
    return body


# Stands for a slot's text while the framing is measured: one letter, one word, and no rule asks for it.
_DUMMY: Final = "ъ"


def framing(draft: Draft) -> Unit:
    """What the framing alone contributes: its words and cores, characters and commas, the slots' dummies taken out.

    Counts are exact as long as every slot adds to them independently, which all frames guarantee (a field of a
    CSV line that needs quotes is accounted for by ``extra_chars``).
    """
    whole = measure(render(draft, [_DUMMY] * draft.n))
    cores = tuple(core for core in whole.cores if core != _DUMMY)
    return Unit(
        text=whole.text,
        cores=cores,
        initial=whole.initial,
        words=whole.words - draft.n,
        chars=whole.chars - draft.n + draft.extra_chars,
        commas=whole.commas,
        end=whole.end,
        longest=max((sum(map(str.isalpha, core)) for core in cores), default=0),
    )
