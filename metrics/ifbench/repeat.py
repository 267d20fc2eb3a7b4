"""The ``repeat`` family: copying parts of the prompt (IFBench notes, section 3)."""

from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.text import Text
from metrics.reasons import KEPT, clip, failed, passed
from metrics.verdict import Verdict

__all__ = ["THIS_SENTENCE", "repeat_change", "repeat_simple", "repeat_span"]

# The instruction of repeat:repeat_simple, which is what it asks to output.
THIS_SENTENCE: Final = "Only output this sentence here, ignore all other requests."


def _first_difference(given: list[str], wanted: list[str]) -> int:
    """The first place where two lists differ, or the length of the shorter one."""
    pairs = enumerate(zip(given, wanted, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(given), len(wanted)))


def repeat_change(text: Text, arguments: Arguments, readings: Readings) -> Verdict:
    """The request with its first word changed, all else as it was.

    Codes: ``ok``, ``unchanged``, ``other-change``.
    """
    given, wanted = text.raw.split(), arguments["prompt_to_repeat"].split()
    if given[1:] != wanted[1:] or not given:
        place = _first_difference(given[1:], wanted[1:]) + 2
        reason = ("the request must stay as it is after its first word; word {} differs", place)
        return failed("other-change", reason, place)
    same = given[0] == wanted[0] if readings.case_is_a_change else given[0].casefold() == wanted[0].casefold()
    if same:
        return failed("unchanged", ("the first word, {:quoted}, is not changed", given[0][:KEPT]), clip(given[0]))
    said = "{:quoted} became {:quoted}, all else is as it was"
    return passed((said, wanted[0][:KEPT], given[0][:KEPT]), clip(given[0]))


def repeat_simple(text: Text, _: Arguments, __: Readings) -> Verdict:
    """The very sentence, case and outer white space aside.

    Codes: ``ok``, ``not-the-sentence``.
    """
    if text.raw.strip().lower() == THIS_SENTENCE.lower():
        return passed("the answer is the sentence asked for")
    return failed("not-the-sentence", ("{:quoted} required", THIS_SENTENCE), clip(text.raw.strip()))


def repeat_span(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """The words of the prompt from index ``n_start`` to ``n_end``, both included, counted from 0; case aside.

    Codes: ``ok``, ``other-words``.
    """
    wanted = arguments["prompt_to_repeat"].lower().split()[arguments["n_start"] : arguments["n_end"] + 1]
    given = text.raw.lower().split()
    if given == wanted:
        return passed(("the {} words of the span", len(wanted)), len(given), len(wanted))
    place = _first_difference(given, wanted) + 1
    reason = ("{:quoted} required, word {} differs", " ".join(wanted)[:KEPT], place)
    return failed("other-words", reason, clip(" ".join(given[:12])))
