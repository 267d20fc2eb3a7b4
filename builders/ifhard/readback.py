"""Reading a finished wording again: does it say what the scorer will check?

Wording and parameters come from the same slots, so this looks like checking a copy against itself. What it catches
is the mistake in a catalogue entry: a slot forgotten in one wording, two slots swapped, «не больше» where the
parameters say exactly, a number that no parameter knows.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from builders.ifhard.requirements import TYPES
from metrics.ifhard.text import fold

__all__ = ["readback"]

# Switches that a wording expresses in words rather than by quoting their value.
_SWITCHES: Final = frozenset(
    {"op", "kind", "mode", "direction", "unit", "shape", "strict", "holds", "category", "alpha", "echo_first",
     "no_commas_in_values"}
)  # fmt: skip
_CUES: Final[Mapping[tuple[str, Any], str]] = {
    ("op", "eq"): r"ровно",
    ("op", "le"): r"не больше|самое большее|не длиннее|больше не пиши",
    ("op", "between"): r"от \d+ до \d+|не меньше \d+ и не больше \d+|не короче \d+ и не длиннее \d+",
    ("kind", "bullet"): r"маркир|«- ?»",
    ("kind", "numbered"): r"нумер|номер|«1\.",
    ("kind", "commas"): r"запят",
    ("kind", "words"): r"слов",
    ("kind", "sentences"): r"предложени",
    ("kind", "letter_words"): r"начина|на букву",
    ("direction", "asc"): r"длиннее|больше|росло|растут|ещё на одно",
    ("direction", "desc"): r"короче|меньше|убыва",
    ("unit", "items"): r"пункт",
    ("unit", "paragraphs"): r"абзац",
    ("shape", "bullet_list"): r"«- ?»",
    ("shape", "numbered_list"): r"«1\.",
    ("shape", "sentences"): r"предложени",
    ("shape", "paragraphs"): r"абзац",
    ("mode", "anywhere"): r"внутри слова|ни в середине|ни одно слово не содержит",
    ("alpha", True): r"алфавит|словар|от «а» к «я»",
    ("echo_first", True): r"первое слово|с которого начинается",
    ("no_commas_in_values", True): r"запят",
}
_ALWAYS_SAID: Final = frozenset({"е", "ё"})
_QUOTED: Final = re.compile(r"«([^«»]*)»")


def _leaves(params: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(params, Mapping):
        for key, value in params.items():
            yield from _leaves(value, key)
    elif isinstance(params, list):
        for value in params:
            yield from _leaves(value, name)
    else:
        yield name, params


def readback(category: str, params: Mapping[str, Any], line: str, task: str, shown: frozenset[Any]) -> list[str]:
    """Compare a wording with the parameters of its requirement.

    Args:
        category, params: a type of the registry and its parameters, as the scorer reads them.
        line: the requirement as the model reads it.
        task: the task line, which ``lexical:quote_task`` refers to without repeating it.
        shown: slot values that a wording shows beside the parameters: the word for people, the clause of a
            condition, the number of a usual rule.

    Returns:
        What does not agree, one sentence each; empty if everything does.

    Raises:
        KeyError: there is no such type.
    """
    quoted = _QUOTED.findall(line)
    # Signs in quotation marks («1.», «-») and the clause of a condition are neither numbers nor words of the rule.
    plain = _QUOTED.sub(" ", line)
    for clause in sorted(value for value in shown if isinstance(value, str) and " " in value):
        plain = plain.replace(clause, " ")
    numbers = {int(number) for number in re.findall(r"\d+", plain)}
    faults, known_numbers, known_words = [], set(TYPES[category].said_numbers), set()
    for name, value in _leaves(params):
        if name in _SWITCHES:
            cue = _CUES.get((name, value))
            if cue is not None and not re.search(cue, line, re.IGNORECASE):
                faults.append(f"nothing in the wording says {name} = {value!r}")
        elif isinstance(value, str):
            known_words.add(value)
            if value != task and value not in quoted:
                faults.append(f"{name} = {value!r} is not in the wording")
        elif not isinstance(value, bool):
            known_numbers.add(value)
            spelled = TYPES[category].spelled.get(name)
            if value not in numbers and not (spelled and re.search(spelled, line, re.IGNORECASE)):
                faults.append(f"{name} = {value!r} is not in the wording")
    known_numbers |= {value for value in shown if isinstance(value, int)}
    known_words |= {value for value in shown if isinstance(value, str)}
    known_words |= _ALWAYS_SAID | TYPES[category].said_words
    faults += [f"the wording's number {number} is no parameter" for number in sorted(numbers - known_numbers)]
    faults += [
        f"the wording's «{word}» is no parameter"
        for word in quoted
        if re.search(r"[а-яё]", fold(word)) and word not in known_words
    ]
    return faults
