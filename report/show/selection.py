"""Which answers of a run are wanted: the failed ones, those of a category, an id, a word in them."""

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from metrics.record import OUTCOMES
from report.answers import Shown, failed
from report.errors import ReportError
from report.loading import spoken
from tasks.registry import benchmark

__all__ = ["Wanted", "categories", "fold", "found_in", "pattern", "select", "why_none"]

_LOOKS: Final = ("empty", "truncated", "unclosed_reasoning", "with_reasoning", "marked_reasoning")
_MISSING: Final = tuple(outcome for outcome in OUTCOMES if outcome != "answered")
_ALWAYS: Final[Mapping[str, Sequence[str]]] = {"outcome": _MISSING, "look": _LOOKS}  # though no answer may have them
_FEW: Final = 8  # values of a kind that a message names; half of them where there are more
_LONG: Final = 60  # characters
_Test = Callable[[Shown], bool]


class Wanted(NamedTuple):
    """What the answers must be; all of it must hold.

    Attributes:
        failed: whether they failed (:func:`report.answers.failed`).
        categories: see :func:`categories`; each ``VALUE`` or ``KIND=VALUE``.
        ids: an id, ``id#repeat``, the name that ``report compare`` gives a question, or the beginning of one; one of
            them must be the answer's.
        search: a text that must occur in what is shown; case does not matter.
    """

    failed: bool = False
    categories: Sequence[str] = ()
    ids: Sequence[str] = ()
    search: str = ""


def categories(shown: Shown) -> Iterator[tuple[str, str]]:
    """What an answer can be chosen by: (kind, value).

    The kinds are the labels of the question (tier, family, topic...), ``requirement`` and ``group`` of its verdicts,
    ``code`` of those that failed, ``outcome`` of a missing answer, ``look`` (empty, truncated...), and ``task name``.
    """
    record = shown.record
    for kind, value in shown.labels.items():
        for one in value if isinstance(value, list) else [value]:
            text = "" if one is None else str(one)
            # A list of names stands as one text in the labels.
            parts = text.split(",") if "," in text and not re.search(r"\s", text) else []
            yield from ((kind, part) for part in (text, *parts) if part)
    for verdict in record["verdicts"]:
        yield "requirement", verdict["id"]
        yield "group", verdict["group"]
        if verdict["passed"] is False:
            yield "code", verdict["code"]
    if record["outcome"] != "answered":
        yield "outcome", record["outcome"]
    yield from (("look", look) for look in _LOOKS if record.get(look))
    yield "task name", str(shown.task)


def select(found: Sequence[Shown], wanted: Wanted) -> list[Shown]:
    """The answers that are wanted, in their order.

    Raises:
        ReportError: no answer at all has an id or a category; the message names the nearest and what there is.
    """
    tests = list(_tests(found, wanted).values())
    return [shown for shown in found if all(test(shown) for test in tests)]


def why_none(found: Sequence[Shown], wanted: Wanted) -> str:
    """How many answers each wish alone leaves, for wishes that together leave none; which answers cannot fail."""
    counts = [f"{sum(map(test, found))} match {name}" for name, test in _tests(found, wanted).items()]
    said = f"no answer matches: of {len(found)}, {', '.join(counts)}"
    endings = Counter(shown.record["outcome"] for shown in found)
    if wanted.failed:
        of = ((endings[outcome], outcome) for outcome in _MISSING if endings[outcome])
        said += "".join(f"; {count} {outcome.replace('_', ' ')}: --category {outcome}" for count, outcome in of)
    if "failed" in map(_name, wanted.categories):
        said += "; it means failed requests, --failed means answers that are not right"
    return said


def found_in(shown: Shown, search: str) -> list[str]:
    """Where a text occurs: prompt, answer, reasoning, verdicts, judge."""
    text = fold(search)
    judge = [str(reply) for reply in shown.judgement.get("replies") or ()]
    places: Mapping[str, Sequence[str]] = {
        "prompt": [content for _, content in shown.messages],
        "answer": [shown.text, shown.rest],
        "reasoning": [shown.reasoning],
        "verdicts": [verdict["reason"] for verdict in shown.record["verdicts"]] + [shown.record["error"]],
        "judge": [*judge, str(shown.judgement.get("reason") or "")],
    }
    return [place for place, texts in places.items() if any(text in fold(one or "") for one in texts)]


def fold(text: str) -> str:
    """The text for comparing without case; composed and decomposed letters are the same."""
    return unicodedata.normalize("NFC", text).casefold()


def pattern(search: str) -> re.Pattern[str]:
    """Finds a text as :func:`fold` compares it, but for letters whose other case is two (ß)."""
    letters = ({letter, unicodedata.normalize("NFD", letter)} for letter in unicodedata.normalize("NFC", search))
    return re.compile("".join(f"(?:{'|'.join(map(re.escape, sorted(of)))})" for of in letters), re.IGNORECASE)


def _tests(found: Sequence[Shown], wanted: Wanted) -> dict[str, _Test]:
    tests: dict[str, _Test] = {"--failed": failed} if wanted.failed else {}
    if wanted.ids:
        places = {place for one in wanted.ids for place in _places_of(found, one)}
        tests["--id"] = lambda shown: shown.place in places
    for category in wanted.categories:
        tests[f"--category {category}"] = _of_category(found, category)
    if wanted.search:
        tests[f"--search {wanted.search}"] = lambda shown: bool(found_in(shown, wanted.search))
    return tests


def _places_of(found: Sequence[Shown], wanted: str) -> list[int]:
    """The answers of that id; of the only one that begins so where none is it.

    Raises:
        ReportError: there is none, or more than one begins so.
    """
    names = {shown.place: _names(shown) for shown in found}
    exact = [place for place, of in names.items() if wanted in of]
    if exact:
        return exact
    begin = [place for place, of in names.items() if any(name.startswith(wanted) for name in of)]
    ids = sorted({found[place].record["id"] for place in begin})
    if len(ids) == 1:
        return begin
    near = ids or difflib.get_close_matches(wanted, sorted({shown.record["id"] for shown in found}), n=3, cutoff=0.5)
    if ids:
        raise ReportError(f"{len(ids)} ids begin with {wanted!r}: {_some(near)}")
    hint = f"nearest: {_some(near)}" if near else f"the first of {len(found)} is {found[0].name}"
    raise ReportError(f"no answer has the id {wanted!r}; {hint}")


def _names(shown: Shown) -> set[str]:
    question = benchmark(shown.task.benchmark).metrics[0].question(shown.record)
    return {str(shown.record["id"]), shown.name, spoken(question)}


def _of_category(found: Sequence[Shown], wanted: str) -> _Test:
    kind, equals, value = wanted.partition("=")
    kinds = {*_ALWAYS, *(name for shown in found for name, _ in categories(shown))}
    if not equals or kind not in kinds:
        kind, value = "", wanted
    name = _name(value)

    def of(shown: Shown) -> bool:
        return any(name in _spellings(one) for of, one in categories(shown) if kind in ("", of))

    # That nothing was blocked or truncated is an answer, no wrong name.
    always = {_name(one) for of_kind in ([kind] if kind else _ALWAYS) for one in _ALWAYS.get(of_kind, ())}
    if name not in always and not any(map(of, found)):
        raise ReportError(f"no question or answer has the category {wanted!r}; {_what_there_is(found, name)}")
    return of


def _spellings(value: str) -> set[str]:
    """A value, and the name of a requirement without its family."""
    return {_name(value), _name(value.rpartition(":")[2])}


def _name(text: str) -> str:
    return re.sub(r"[-_\s]+", "_", fold(text).strip())


def _what_there_is(found: Sequence[Shown], name: str) -> str:
    """The nearest names, and the values of each kind: all of a few, some of many, of texts only how many there are."""
    values: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for shown in found:
        for kind, value in categories(shown):
            values[kind][value] = None
    spelled = {spelling: value for of in values.values() for value in of for spelling in _spellings(value)}
    near = [spelled[match] for match in difflib.get_close_matches(name, spelled, n=3, cutoff=0.6)]
    nearest = f"nearest: {', '.join(dict.fromkeys(near))}; " if near else ""
    return f"{nearest}there are: " + "; ".join(f"{kind} {_some(sorted(of))}" for kind, of in sorted(values.items()))


def _some(values: Sequence[str]) -> str:
    if len(values) > _FEW and any(re.search(r"\s", value) for value in values):
        return f"({len(values)} texts)"
    names = [value for value in values if "," not in value]
    shown = names if len(names) <= _FEW else names[: _FEW // 2]
    more = f"... ({len(names)})" if len(names) > len(shown) else ""
    return ", ".join(value if len(value) <= _LONG else value[: _LONG - 1] + "…" for value in shown) + more
