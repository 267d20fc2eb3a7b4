"""One answer of a run as lines: what was asked and said, each verdict with its reason, the judge's work."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from rich.text import Text

from metrics.reasons import nouns
from metrics.record import VerdictRecord
from report.answers import Shown, right
from report.printable import one_line, printable
from report.show.paging import Page
from report.show.selection import found_in, pattern
from tasks.registry import benchmark

__all__ = ["Manner", "ending_word", "shortened", "show_answer"]

_LONGEST: Final = 4_000  # characters of a text that is not shortened
_HEAD, _AROUND, _TAIL = (
    2_400,
    400,
    1_200,
)  # characters that are left of a longer one: its ends, and each side of a match
_TURNS: Final = 3  # messages that are shown one by one; of more only the first, if the system's, and the last
_WORDS: Final[Mapping[str, str]] = {
    "failed": "NO ANSWER",
    "not_asked": "NOT ASKED",
    "unscored": "NOT SCORED",
    "unjudged": "UNJUDGED",
    "blocked": "BLOCKED",
}
_VERDICTS: Final = {True: "right", False: "WRONG", None: "NO VERDICT"}
_STYLES: Final = {"WRONG": "bold red", "right": "bold green"}
_MARKS: Final = {True: ("pass", "green"), False: ("FAIL", "bold red"), None: (" n/a", "yellow")}


class Manner(NamedTuple):
    """How much of an answer is shown.

    Attributes:
        whole: whether long texts are shown to their last character.
        reasoning: whether the reasoning is unfolded.
        search: a text that is marked where it occurs, and that no shortening leaves out; "" for none.
    """

    whole: bool = False
    reasoning: bool = False
    search: str = ""


def ending_word(shown: Shown) -> str:
    """What became of an answer, in one word or two: ``right``, ``WRONG``, ``BLOCKED``, ``NOT ASKED``...

    It is not ``FAILED``: in the run's table that is a request without an answer.
    """
    missing = _WORDS.get(shown.record["outcome"])
    return missing if missing is not None else _VERDICTS[right(shown)]


def show_answer(page: Page, shown: Shown, place: str, manner: Manner) -> None:
    """Write one answer.

    Args:
        page: where it is written.
        shown: the answer.
        place: its place among those that are shown: ``3 of 12``.
        manner: how much of it.
    """
    word = ending_word(shown)
    title = Text.assemble(
        f"── {place} · {shown.task} · {one_line(shown.name)} · ", (word, _STYLES.get(word, "bold yellow"))
    )
    title.stylize("bold")
    page.line(title)
    for name, value in _facts(shown, manner):
        page.line(Text.assemble((f"{name}: ", "bold"), one_line(value)))
    for role, text in _turns(shown.messages, manner):
        _body(page, role, text, manner)
    if reference := "\n".join(shown.references):
        _body(page, "reference", reference, manner)
    if shown.reasoning:
        size = nouns(len(shown.reasoning), "character")
        if manner.reasoning:
            _body(page, f"reasoning ({size})", shown.reasoning, manner)
        else:
            page.line(Text(f"reasoning: {size} (--reasoning shows them)", "dim"))
    _body(page, _answer_title(shown), shown.text, manner)
    if shown.rest:
        _body(page, f"not scored: what follows the answer ({nouns(len(shown.rest), 'character')})", shown.rest, manner)
    page.line(Text("verdicts", "bold"))
    for line in _verdict_lines(shown.record["verdicts"]):
        page.line(line)
    _judge(page, shown, manner)
    page.line()


def _facts(shown: Shown, manner: Manner) -> Iterator[tuple[str, str]]:
    record = shown.record
    if record["error"]:
        yield "why", record["error"]
    if shown.labels:
        yield "labels", " · ".join(f"{name} {value}" for name, value in shown.labels.items() if value not in ("", None))
    scores = {spec.name: record["scores"].get(spec.name) for spec in benchmark(shown.task.benchmark).metrics}
    known = [f"{name} {value:.4g}" for name, value in scores.items() if value is not None]
    if known:
        yield "scores", " · ".join(known)
    if manner.search:
        yield "found in", ", ".join(found_in(shown, manner.search))


def _turns(messages: Sequence[tuple[str, str]], manner: Manner) -> Iterator[tuple[str, str]]:
    """The messages; of many only the first, if it is the system's, and the last, with a word on the rest."""
    if manner.whole or len(messages) <= _TURNS:
        yield from messages
        return
    first = 1 if messages[0][0] == "system" else 0
    yield from messages[:first]
    folded = messages[first:-1]
    size = nouns(sum(len(text) for _, text in folded), "character")
    yield f"{nouns(len(folded), 'message')} before the last ({size}; --whole shows them)", ""
    yield messages[-1]


def _answer_title(shown: Shown) -> str:
    record, (prompt, completion) = shown.record, shown.tokens
    looks = [name.replace("_", " ") for name in ("empty", "truncated", "unclosed_reasoning") if record.get(name)]
    told = [nouns(len(shown.text), "character")]
    if shown.finish_reason:
        told.append(f"finish reason {one_line(shown.finish_reason)}")
    told += _tokens(prompt, completion)
    return f"answer ({', '.join([*told, *looks])})"


def _tokens(prompt: int | None, completion: int | None) -> list[str]:
    """A phrase on the tokens that are known of, or none."""
    counts = [f"{n} {what} tokens" for n, what in ((prompt, "prompt"), (completion, "completion")) if n is not None]
    return [" and ".join(counts)] if counts else []


def _body(page: Page, title: str, text: str, manner: Manner) -> None:
    page.line(Text(one_line(title), "bold"))
    if text:
        mark = pattern(printable(manner.search)) if manner.search else None
        page.quoted(printable(text if manner.whole else shortened(text, manner.search)), mark)


def shortened(text: str, search: str = "") -> str:
    """A long text without its middle, but for a place where it holds ``search``; what is left out is counted."""
    if len(text) <= _LONGEST:
        return text
    kept = [(0, _HEAD), (len(text) - _TAIL, len(text))]
    found = pattern(search).search(text) if search else None
    if found is not None:
        kept.append((max(found.start() - _AROUND, 0), min(found.end() + _AROUND, len(text))))
    pieces, end = [], 0
    for start, stop in sorted(kept):
        if start > end:
            pieces.append(f"\n… {nouns(start - end, 'character')} left out (--whole shows them) …\n")
        pieces.append(text[max(start, end) : stop])
        end = max(end, stop)
    return "".join(pieces)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _verdict_lines(verdicts: Sequence[VerdictRecord]) -> Iterator[Text]:
    """One line a requirement; graders that say the same of it share one, and are named where there are several."""
    several = len({verdict["grader"] for verdict in verdicts}) > 1
    lines: dict[tuple[Any, ...], list[str]] = {}
    for verdict in verdicts:
        said = (verdict["place"], verdict["id"], verdict["passed"], verdict["code"], verdict["reason"])
        lines.setdefault(said, []).append(verdict["grader"])
    width = max((len(one_line(verdict["id"])) for verdict in verdicts), default=0)
    for (_, name, passed, code, reason), graders in sorted(lines.items(), key=lambda item: item[0][0]):
        mark, style = _MARKS[passed]
        told = "" if passed else f"[{one_line(code)}] "
        by = f" ({', '.join(map(one_line, graders))})" if several else ""
        yield Text.assemble(
            "  ", (mark, style), f"  {one_line(name).ljust(width)}  {told}{one_line(reason)}", (by, "dim")
        )


def _judge(page: Page, shown: Shown, manner: Manner) -> None:
    effort, judgement = shown.record.get("judging"), shown.judgement
    if effort is None and not judgement:
        return
    told = []
    if effort is not None:
        told = [effort["status"], nouns(effort["calls"], "call")]
        # Earlier versions counted no tokens here.
        told += _tokens(effort.get("prompt_tokens"), effort.get("completion_tokens"))
        told += [f"the {name} says {effort[name]}" for name in ("rule", "judge") if effort.get(name) is not None]
    page.line(Text.assemble(("judge: ", "bold"), one_line(", ".join(told))))
    for name in ("error", "reason"):
        if judgement.get(name):
            page.line(f"  {name}: {one_line(str(judgement[name]))}")
    if judgement.get("verdict"):
        _body(page, "the judge's verdict", _json(judgement["verdict"]), manner)
    for number, reply in enumerate(judgement.get("replies") or (), start=1):
        _body(page, f"reply {number}", str(reply), manner)
