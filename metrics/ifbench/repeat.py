"""The ``repeat`` family: copying parts of the prompt (IFBench notes, section 3)."""

from typing import Final

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.decisions import Readings
from metrics.ifbench.text import Text
from metrics.reasons import clip, failed, passed, quoted
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
        return failed(
            "other-change", f"the request must stay as it is after its first word; word {place} differs", place
        )
    same = given[0] == wanted[0] if readings.case_is_a_change else given[0].casefold() == wanted[0].casefold()
    if same:
        return failed("unchanged", f"the first word, {quoted(given[0])}, is not changed", clip(given[0]))
    return passed(f"{quoted(wanted[0])} became {quoted(given[0])}, all else is as it was", clip(given[0]))


def repeat_simple(text: Text, _: Arguments, __: Readings) -> Verdict:
    """The very sentence, case and outer white space aside.

    Codes: ``ok``, ``not-the-sentence``.
    """
    if text.raw.strip().lower() == THIS_SENTENCE.lower():
        return passed("the answer is the sentence asked for")
    return failed("not-the-sentence", f"{quoted(THIS_SENTENCE)} required", clip(text.raw.strip()))


def repeat_span(text: Text, arguments: Arguments, _: Readings) -> Verdict:
    """The words of the prompt from index ``n_start`` to ``n_end``, both included, counted from 0; case aside.

    Codes: ``ok``, ``other-words``.
    """
    wanted = arguments["prompt_to_repeat"].lower().split()[arguments["n_start"] : arguments["n_end"] + 1]
    given = text.raw.lower().split()
    if given == wanted:
        return passed(f"the {len(wanted)} words of the span", len(given), len(wanted))
    place = _first_difference(given, wanted) + 1
    return failed(
        "other-words", f"{quoted(' '.join(wanted))} required, word {place} differs", clip(" ".join(given[:12]))
    )
