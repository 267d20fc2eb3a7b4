"""Which requirements of a question other ones imply: each answer that meets those meets these as well.

The exclusive groups of the rules keep apart types that would say one thing twice. What is left depends on the
parameters: a word that may not occur anyway because its letter is banned, a beginning that a quoted closing phrase
brings along, a total that follows from the number of sentences and the length of each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from metrics.ifhard.counts import read_count
from metrics.ifhard.registry import OVERRIDE, winner_of
from metrics.ifhard.text import cores_of, fold

__all__ = ["implied"]

Params = Mapping[str, Any]
_CONDITIONAL_INCLUDE: Final = "logic:conditional_include"


class _Range(NamedTuple):
    """Whole numbers from low to high, both included."""

    low: int
    high: int

    def holds(self, other: "_Range") -> bool:
        return self.low <= other.low and other.high <= self.high

    def times(self, other: "_Range") -> "_Range":
        return _Range(self.low * other.low, self.high * other.high)


def _range(spec: Params) -> _Range:
    """The numbers that a count specification of the build allows: exactly, at most, between.

    Raises:
        ValueError: another operator, which the build has no wording for.
        ParamsError: no count specification.
    """
    count = read_count(spec)
    if count.op not in {"eq", "le", "between"}:
        raise ValueError(f"the build asks for no count with {count.op}")
    return _Range(0 if count.op == "le" else count.low, count.high)


@dataclass(frozen=True)
class _Facts:
    """What is true of the words of every answer that meets a requirement, all folded.

    Attributes:
        parts: strings that no word holds; ``starts``: none starts with; ``absent``: none is.
        opened: beginnings of words that occur; ``present``: words that occur.
    """

    parts: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()

    def has_start(self, stem: str) -> bool:
        """Whether a word that starts so occurs for certain."""
        return any(other.startswith(stem) for other in self.opened | self.present)

    def has_no_start(self, stem: str) -> bool:
        """Whether no word can start so."""
        return any(part in stem for part in self.parts) or any(stem.startswith(other) for other in self.starts)

    def has_no_word(self, word: str) -> bool:
        """Whether the word cannot occur."""
        return self.has_no_start(word) or word in self.absent

    def __or__(self, other: "_Facts") -> "_Facts":
        return _Facts(
            self.parts | other.parts,
            self.starts | other.starts,
            self.absent | other.absent,
            self.opened | other.opened,
            self.present | other.present,
        )


def _folded(values: Sequence[Any]) -> frozenset[str]:
    return frozenset(fold(str(value)) for value in values)


def _letters(params: Params) -> _Facts:
    letters = set(params.get("letters") or [params["letter"]])
    # Folding makes «ё» an «е»: only where both are banned no folded word has an «е».
    return _Facts(parts=frozenset(letters - ({"е", "ё"} if {"е", "ё"} - letters else {"ё"})))


def _opening(params: Params) -> _Facts:
    # The answer may go on within the phrase's last word.
    *whole, last = cores_of(params["phrase"])
    return _Facts(present=frozenset(whole), opened=frozenset({last}))


def _closing(params: Params) -> _Facts:
    # The phrase may begin within a word of the answer.
    return _Facts(present=frozenset(cores_of(params["phrase"])[1:]))


def _keyword(params: Params) -> _Facts:
    if "stem" in params:
        return _Facts(opened=_folded([params["stem"]]))
    return _Facts(present=_folded([params["word"]])) if "word" in params else _Facts()


def _condition(params: Params) -> _Facts:
    stem = _folded([params["stem"]])
    return _Facts(opened=stem) if params["holds"] else _Facts(starts=stem)


_FACTS: Final[Mapping[str, Callable[[Params], _Facts]]] = {
    "style:forbid_letter": _letters,
    "style:forbid_letters": _letters,
    "lexical:exclude_phrases": lambda params: _Facts(parts=_folded(params["phrases"])),
    "lexical:exclude_word": lambda params: _Facts(
        starts=_folded(params.get("stems", [])), absent=_folded(params.get("words", []))
    ),
    "lexical:include_keyword": _keyword,
    "lexical:include_all": lambda params: _Facts(
        opened=_folded(params.get("stems", [])), present=_folded(params.get("words", []))
    ),
    "lexical:word_exact_count": lambda params: _Facts(opened=_folded([params["stem"]])),
    "lexical:order_words": lambda params: _Facts(opened=_folded([params["stem_a"], params["stem_b"]])),
    "lexical:starts_with": _opening,
    "lexical:ends_with": _closing,
    "lexical:nth_word": lambda params: _Facts(present=_folded([params["word"]])),
    "lexical:nth_word_from_end": lambda params: _Facts(present=_folded([params["word"]])),
    "lexical:quote_task": lambda params: _Facts(present=frozenset(cores_of(params["text"]))),
    "format:json_object": lambda params: _Facts(present=_folded(params["keys"])),
    "format:json_list_value": lambda params: _Facts(present=_folded(params["keys"])),
    "format:bold_words": lambda params: _Facts(opened=_folded(params.get("stems", []))),
    _CONDITIONAL_INCLUDE: _condition,
}


def _demanded(category: str, params: Params, facts: _Facts) -> bool:
    """Whether a word that a requirement demands, or one of them, is there anyway."""
    stems, words = params.get("stems", []), params.get("words", [])
    if category == "lexical:include_keyword":
        stems, words = params.get("any_stems") or [params.get("stem")], [params.get("word")]
    elif category in {"style:no_digits", "style:no_latin"}:
        stems, words = params.get("any_stems", []), params.get("any_words", [])
    elif category == _CONDITIONAL_INCLUDE:
        stems = [params["stem"]] if params["holds"] else []
    elif category != "lexical:include_all":
        return False
    return any(facts.has_start(fold(stem)) for stem in stems if stem) or any(
        fold(word) in facts.present for word in words if word
    )


def _banned(category: str, params: Params, facts: _Facts) -> bool:
    """Whether something that a requirement bans or caps cannot occur anyway."""
    stems, words, parts = [], [], []
    if category == "lexical:exclude_word":
        stems, words = params.get("stems", []), params.get("words", [])
    elif category == "lexical:exclude_phrases":
        parts = params["phrases"]
    elif category == "lexical:word_cap":
        stems = [params["stem"]]
    elif category == "style:letter_start_count":
        stems = [params["letter"]]
    elif category == _CONDITIONAL_INCLUDE and not params["holds"]:
        stems = [params["stem"]]
    return (
        any(facts.has_no_start(fold(stem)) for stem in stems)
        or any(facts.has_no_word(fold(word)) for word in words)
        or any(other in fold(part) for part in parts for other in facts.parts)
    )


def _units(category: str, params: Params) -> tuple[str, _Range] | None:
    """The number of sentences or list items that a requirement fixes for the whole answer."""
    if category == "structure:sentence_count" or params.get("shape") == "sentences":
        return "sentences", _range(params)
    if category in {"format:bullet_list", "format:numbered_list"} or params.get("shape") in {
        "bullet_list",
        "numbered_list",
    }:
        return "items", _range(params)
    if category in {"lexical:sentence_acrostic", "lexical:acrostic"}:
        count = len(params["word"])
        return "sentences" if category.endswith("sentence_acrostic") else "items", _Range(count, count)
    return None


def _winner(category: str, params: Params) -> tuple[str, Params]:
    """What the verdict depends on: the winner of an override, the branch of a conditional format."""
    if category == OVERRIDE:
        category, params, _ = winner_of(params)
    if category == "logic:conditional_format":
        params = params["then"] if params["holds"] else params["otherwise"]
    return category, params


def _totals(pairs: Sequence[tuple[str, Params]]) -> list[_Range]:
    """Ranges that the number of words lies in by the number of sentences or items and the words of each."""
    counts = [found for category, params in pairs if (found := _units(category, params))]
    by_name = dict(pairs)
    if {"structure:paragraph_count", "structure:paragraph_sentences"} <= by_name.keys():
        paragraphs = _range(by_name["structure:paragraph_count"])
        each = by_name["structure:paragraph_sentences"]
        counts.append(("sentences", paragraphs.times(_range(each.get("each", each)))))
    totals = []
    for category, params in pairs:
        unit = {"structure:sentence_words": "sentences", "structure:item_words": "items"}.get(category)
        # A number before an item is a word of the answer and may stand there or not.
        marker = _Range(0, int(unit == "items"))
        for name, count in counts:
            if name == unit:
                words = _range(params.get("each", params))
                totals.append(count.times(_Range(words.low + marker.low, words.high + marker.high)))
    return totals


def implied(constraints: Sequence[Mapping[str, Any]]) -> list[str]:
    """The requirements that others imply, wholly or in a part that is listed (one of three banned words).

    Args:
        constraints: a scoring key as the build makes it.

    Returns:
        One sentence for each; empty if every requirement asks for something of its own.
    """
    pairs = [_winner(item["category"], item["params"]) for item in constraints]
    facts = [_FACTS[category](params) if category in _FACTS else _Facts() for category, params in pairs]
    faults = []
    for place, (category, params) in enumerate(pairs):
        known = _Facts()
        for other, fact in enumerate(facts):
            known |= fact if other != place else _Facts()
        if _demanded(category, params, known):
            faults.append(f"{category}: another requirement brings a demanded word along")
        elif _banned(category, params, known):
            faults.append(f"{category}: another requirement leaves nothing of what is banned")
        elif category == "structure:word_count" and any(map(_range(params).holds, _totals(pairs))):
            faults.append(f"{category}: the number of words follows from the units and the words of each")
    return faults
