"""Grading one answer against one instruction: the graders, strict and loose (IFBench notes, section 6)."""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from metrics.ifbench.arguments import Arguments, ArgumentsError, read_arguments, shown
from metrics.ifbench.decisions import OFFICIAL, PROPOSED, Readings
from metrics.ifbench.foreign import ForeignCheckers, NotGradableError, Source, lighteval_source, source_at
from metrics.ifbench.lexicon import ResourceError
from metrics.ifbench.registry import CHECKERS, Checker
from metrics.ifbench.text import text_of
from metrics.ifbench.words import visible
from metrics.reasons import failed, prefixed
from metrics.verdict import Verdict

__all__ = [
    "BLANK",
    "LONGEST_LOOSE",
    "OWN_GRADERS",
    "READINGS",
    "Constraint",
    "Graders",
    "check_kwargs",
    "default_graders",
    "loose_variants",
    "read_constraint",
    "verify",
    "verify_all",
]

logger = logging.getLogger(__name__)

READINGS: Final[Mapping[str, Readings]] = MappingProxyType({"fixes_only": OFFICIAL, "proposed": PROPOSED})
# Characters; over twice what the largest generation size of a task can give.
LONGEST_LOOSE: Final = 200_000
_LOOSE: Final = "_loose"
_STRICT: Final = "_strict"
OWN_GRADERS: Final = tuple(name + suffix for name in READINGS for suffix in ("", _LOOSE))
# A missing or blank answer fails every constraint without a checker being asked (6.1).
BLANK: Final = failed("blank-answer", "the answer is missing or blank")
# What a checker raises that has a clock of its own.
_OUT_OF_TIME: Final = "TimeoutError"


def _checker(instruction_id: str) -> Checker:
    checker = CHECKERS.get(instruction_id) if isinstance(instruction_id, str) else None
    if checker is None:
        raise ArgumentsError("is none of the 58 instructions", instruction_id=ascii(instruction_id)[:60])
    return checker


def check_kwargs(instruction_id: str, kwargs: Any, *, key: str = "") -> Arguments:
    """The arguments of one constraint as the checkers use them; for use when a dataset is loaded.

    Args:
        instruction_id: a key of CHECKERS.
        kwargs: the row's object, which is not changed; nulls count as absent, whole-number floats as integers.
        key: the row's key, for the message.

    Raises:
        ArgumentsError: an unknown instruction, or an argument that is missing, unknown or ill-typed (6.3).
    """
    try:
        return read_arguments(_checker(instruction_id).kinds, kwargs)
    except ArgumentsError as error:
        raise error.within(instruction_id=str(instruction_id), key=key) from None


class Constraint(NamedTuple):
    """A constraint whose arguments have been read, for any number of answers.

    Attributes:
        checker: what checks it, by this project's rules.
        arguments: as the row gives them, for the checkers of other projects.
        compared: as our own checkers compare them with an answer: visible and composed, as the answer is.
    """

    checker: Checker
    arguments: Arguments
    compared: Arguments


def read_constraint(instruction_id: str, kwargs: Any) -> Constraint:
    """Read a constraint once, for all answers to its question; arguments and errors are those of check_kwargs."""
    arguments = check_kwargs(instruction_id, kwargs)
    compared = {name: shown(value) if isinstance(value, str) else value for name, value in arguments.items()}
    return Constraint(_checker(instruction_id), arguments, compared)


def loose_variants(answer: str) -> Iterator[str]:
    """The texts that loose grading tries, in order, blank ones left out (6.2).

    The answer; without asterisks; without its first line, its last, both, outer white space cut; and these three
    without asterisks. Lines end at line feeds only.
    """
    lines = answer.split("\n")
    shorter = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    texts = (answer, answer.replace("*", ""), *shorter, *(text.replace("*", "") for text in shorter))
    return (text for text in dict.fromkeys(texts) if text.strip())


def _judge(constraint: Constraint, answer: str, readings: Readings) -> Verdict:
    """One verdict over one text. A checker that raises fails the text, and says so: code ``crash`` (6.3)."""
    checker, _, arguments = constraint
    try:
        text = text_of(answer)
        return checker.check(text, arguments, readings) if text.raw.strip() else BLANK
    except ResourceError:
        raise
    except Exception as error:
        logger.exception("%s raised", checker.id)
        return failed("crash", f"the checker raised {type(error).__name__}", type(error).__name__)


def _judge_loosely(constraint: Constraint, answer: str, readings: Readings) -> Verdict:
    """The first passing verdict over the loose variants, else that over the answer itself.

    Of an answer over LONGEST_LOOSE characters the variants are not tried, and the reason says so: a listed deviation
    from 6.2, for eight times the work on a runaway text would take seconds.
    """
    answer = visible(answer)
    strict: Verdict | None = None
    if len(answer) > LONGEST_LOOSE and answer.strip():
        verdict = _judge(constraint, answer, readings)
        return verdict if verdict.passed else verdict._replace(reason=f"{verdict.reason} (too long for loose variants)")
    for text in loose_variants(answer):
        verdict = _judge(constraint, text, readings)
        if verdict.passed:
            return verdict if text == answer else prefixed("with lines or asterisks cut", verdict)
        strict = strict or verdict
    return strict or BLANK


class _Own(NamedTuple):
    """A grader of this project."""

    judge: Callable[[Constraint, str, Readings], Verdict]
    readings: Readings


_OWN: Final[Mapping[str, _Own]] = MappingProxyType(
    {name: _Own(_judge, readings) for name, readings in READINGS.items()}
    | {name + _LOOSE: _Own(_judge_loosely, readings) for name, readings in READINGS.items()}
)


class Graders:
    """The graders at hand: our own, and those of other projects' checkers; a value that never changes.

    Args:
        foreign: other projects' checkers by the name that their graders begin with.

    Attributes:
        names: names of the graders, as ``verify`` takes them.
    """

    def __init__(self, foreign: Mapping[str, ForeignCheckers]) -> None:
        self._foreign = dict(foreign)
        self.names: tuple[str, ...] = (
            *OWN_GRADERS,
            *(name + suffix for name in self._foreign for suffix in (_STRICT, _LOOSE)),
        )

    @property
    def sources(self) -> list[Source]:
        """Where the checkers of other projects come from, for the record of a run."""
        return [checkers.source for checkers in self._foreign.values()]

    def precautions(self, name: str) -> list[str]:
        """Under what one project's checkers run, once they have been asked: see :meth:`ForeignCheckers.precautions`."""
        return self._foreign[name].precautions()

    def adding(self, name: str, path: str | Path) -> "Graders":
        """These graders with ``NAME_strict`` and ``NAME_loose`` of the checkers in a checkout.

        Raises:
            ValueError: the name is taken or no plain word, or the path holds no checkers.
        """
        if name in READINGS or name in self._foreign:
            raise ValueError(f"there are graders by the name of {name!r} already")
        return Graders(self._foreign | {name: ForeignCheckers(source_at(name, Path(path)))})

    def verify(
        self,
        instruction_id: str,
        kwargs: Any,
        response: str | None,
        *,
        prompt: str | None = None,
        grader: str = "proposed",
    ) -> Verdict:
        """Whether an answer follows one instruction, and why.

        Args:
            instruction_id: a key of CHECKERS.
            kwargs: the constraint's arguments, as the dataset row has them.
            response: the answer without its reasoning; it is not trimmed. None and blank answers fail.
            prompt: the prompt; the checkers of this project do not read it, checkers of others may.
            grader: one of ``names``.

        Returns:
            The verdict; never an exception for any string. Codes beside the checkers' own: ``blank-answer``, ``crash``.

        Raises:
            ArgumentsError: an unknown instruction, or arguments that it does not take (6.3).
            ValueError: an unknown grader.
            ResourceError: a dictionary that a checker needs is not installed.
            NotGradableError: another project's checkers cannot judge this instruction here, or failed
                under this answer.
        """
        return self.judge(read_constraint(instruction_id, kwargs), response, prompt=prompt, grader=grader)

    def judge(
        self, constraint: Constraint, response: str | None, *, prompt: str | None = None, grader: str = "proposed"
    ) -> Verdict:
        """What ``verify`` gives, for a constraint whose arguments have been read."""
        if grader not in self.names:
            raise ValueError(f"no grader {grader!r}; there are {', '.join(self.names)}")
        if response is None or not response.strip():
            return BLANK
        own = _OWN.get(grader)
        if own is not None:
            return own.judge(constraint, response, own.readings)
        texts = list(loose_variants(response)) if grader.endswith(_LOOSE) else [response]
        name = grader.removesuffix(_LOOSE).removesuffix(_STRICT)
        return self._foreign[name].judge(constraint.checker.id, constraint.arguments, texts, prompt or "")

    def verify_all(
        self, instruction_id: str, kwargs: Any, answer: str, trimmed: str, *, prompt: str = ""
    ) -> dict[str, Verdict | NotGradableError]:
        """One constraint under every grader, in their order; what ``verify`` gives for each, in less time.

        A strict pass is a loose pass, so the variants are tried where the strict verdict fails only.

        Args:
            instruction_id, kwargs: see :func:`verify`.
            answer: the text that is graded, for all but the proposed readings.
            trimmed: the text for the proposed readings (protocol decision APD1).
            prompt: for the checkers of other projects.

        Raises:
            ArgumentsError, ResourceError: see :func:`verify`.
        """
        return self.judge_all(read_constraint(instruction_id, kwargs), answer, trimmed, prompt=prompt)

    def judge_all(
        self, constraint: Constraint, answer: str, trimmed: str, *, prompt: str = ""
    ) -> dict[str, Verdict | NotGradableError]:
        """What ``verify_all`` gives, for a constraint whose arguments have been read."""
        found: dict[str, Verdict | NotGradableError] = {}
        for name in READINGS:
            text = trimmed if name == "proposed" else answer
            strict = self.judge(constraint, text, grader=name)
            found[name] = strict
            found[name + _LOOSE] = strict if strict.passed else self.judge(constraint, text, grader=name + _LOOSE)
        for name in self._foreign:
            found |= self._foreign_pair(name, constraint, answer, prompt)
        return found

    def _foreign_pair(
        self, name: str, constraint: Constraint, answer: str, prompt: str
    ) -> dict[str, Verdict | NotGradableError]:
        """The strict and the loose verdict of another project's checkers."""

        def judged(suffix: str) -> Verdict | NotGradableError:
            try:
                return self.judge(constraint, answer, prompt=prompt, grader=name + suffix)
            except NotGradableError as error:
                return error

        strict = judged(_STRICT)
        # A worker that was lost, or a checker that gave up by its own clock, would be so again under the variants,
        # which begin with the answer.
        settled = isinstance(strict, NotGradableError) or strict.passed or strict.observed == _OUT_OF_TIME
        return {name + _STRICT: strict, name + _LOOSE: strict if settled else judged(_LOOSE)}


@cache
def default_graders() -> Graders:
    """Our own graders, and LightEval's where LightEval is installed."""
    source = lighteval_source()
    return Graders({source.name: ForeignCheckers(source)} if source else {})


def verify(
    instruction_id: str, kwargs: Any, response: str | None, *, prompt: str | None = None, grader: str = "proposed"
) -> Verdict:
    """Whether an answer follows one instruction, by one of the graders at hand: see :meth:`Graders.verify`."""
    return default_graders().verify(instruction_id, kwargs, response, prompt=prompt, grader=grader)


def verify_all(
    instruction_id: str, kwargs: Any, answer: str, trimmed: str, *, prompt: str = ""
) -> dict[str, Verdict | NotGradableError]:
    """One constraint under every grader at hand: see :meth:`Graders.verify_all`."""
    return default_graders().verify_all(instruction_id, kwargs, answer, trimmed, prompt=prompt)
