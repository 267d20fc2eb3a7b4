"""Verifying one answer against one requirement, and refusing parameters that could not be read."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from metrics.ifhard.params import ParamsError
from metrics.ifhard.registry import CATEGORIES, OVERRIDE, winner_of
from metrics.ifhard.schema import reader_of
from metrics.ifhard.text import Text
from metrics.reasons import clip, failed
from metrics.verdict import Verdict

__all__ = ["Requirement", "check_params", "judge", "read_requirement", "verify"]

# A requirement whose parameters have been read: category id, verifier, and what that takes beside the text.
Requirement = tuple[Any, Callable[..., Verdict], tuple[Any, ...]]

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # nothing is printed where nobody has asked for logs


def check_params(category: str, params: Any) -> None:
    """Refuse parameters that the scorer could not read; for an override, down to the rule that wins.

    It reads what the verifier would read and no more: the branch that ``holds`` picks, the first of alternative
    keys. Extra keys are ignored, and so is a value that makes no answer pass (such as min above max).

    Raises:
        ParamsError: an unknown category, or a parameter that is missing or ill-typed, with both named.
    """
    if not isinstance(category, str) or category not in CATEGORIES:
        raise ParamsError("is not a registered category", category=ascii(category)[:60])
    if not isinstance(params, Mapping):
        raise ParamsError("has no object of parameters", category=category)
    path = ""
    try:
        reader_of(CATEGORIES[category].params)(params)
        if category == OVERRIDE:
            winner, inner, path = winner_of(params)
            reader_of(CATEGORIES[winner].params)(inner)
    except ParamsError as error:
        raise error.within(category=category, parent=path) from None


def read_requirement(category: Any, params: Any) -> Requirement:
    """Read a requirement once, for any number of texts; never raises: bad parameters are a verdict on every text.

    Codes beside the verifiers' own: ``unknown-category``, ``invalid-params`` (contract, section 7: both fail, with
    a warning logged at each verdict).
    """
    entry = CATEGORIES.get(category) if isinstance(category, str) else None
    if entry is None:
        reason = f"no requirement type {clip(str(category))} is registered"
        return category, _refused, (failed("unknown-category", reason),)
    if type(params) is not dict and not isinstance(params, Mapping):  # the first is enough, and takes no time
        return category, _refused, (failed("invalid-params", f"{category}: no object of parameters"),)
    try:
        return category, entry.verify, entry.read(params)
    except ParamsError as error:
        return category, _refused, (_invalid(category, error),)


def judge(requirement: Requirement, text: Text) -> Verdict:
    """One verdict over a text that other requirements may share; never raises."""
    category, verify, values = requirement
    try:
        return verify(text, *values)
    except ParamsError as error:
        return _refused(text, _invalid(category, error))


def _invalid(category: str, error: ParamsError) -> Verdict:
    return failed("invalid-params", str(error.within(category=category)))


def _refused(text: Text, verdict: Verdict) -> Verdict:
    """What bad parameters get, whatever the text."""
    logger.warning("scored as failed: %s", verdict.reason)
    return verdict


def verify(category: str, params: Any, response: str | None, language: str = "ru") -> Verdict:
    """Whether an answer meets one requirement, and why.

    Args:
        category: a key of CATEGORIES.
        params: the requirement's parameters.
        response: the answer as the model's reasoning has left it (see strip_reasoning); it is not trimmed here.
            None is the empty text.
        language: ignored, as by the contract; the rules are the same for every language.

    Returns:
        The verdict. Bad parameters fail with the code ``invalid-params`` or ``unknown-category``; nothing raises.
    """
    return judge(read_requirement(category, params), Text(response or ""))
