"""IFBench: checkers for 58 instructions, with the graders built on them.

Pure and deterministic; imports neither LightEval nor torch. ``fixes_only`` and ``proposed`` differ in nothing but
the readings in DECISIONS; the name with ``_loose`` behind it grades eight variants of the answer. The checkers of
other projects (``lighteval_strict`` and ``lighteval_loose`` where LightEval is installed) run in processes of their
own.
"""

from typing import Any

from metrics.ifbench.arguments import ArgumentsError
from metrics.ifbench.decisions import DECISIONS, Decision, Readings, readings_of
from metrics.ifbench.foreign import GraderFailedError, NotGradableError, Source
from metrics.ifbench.grading import (
    OWN_GRADERS,
    READINGS,
    Graders,
    check_kwargs,
    default_graders,
    loose_variants,
    verify,
    verify_all,
)
from metrics.ifbench.lexicon import ResourceError, check_resources
from metrics.ifbench.quality import is_degenerate, repeat_share
from metrics.ifbench.reasoning import Reasoning, split_reasoning, strip_reasoning
from metrics.ifbench.registry import CHECKERS, Checker

__all__ = [
    "CHECKERS",
    "DECISIONS",
    "GRADERS",
    "OWN_GRADERS",
    "READINGS",
    "ArgumentsError",
    "Checker",
    "Decision",
    "GraderFailedError",
    "Graders",
    "NotGradableError",
    "Readings",
    "Reasoning",
    "ResourceError",
    "Source",
    "check_kwargs",
    "check_resources",
    "default_graders",
    "is_degenerate",
    "loose_variants",
    "readings_of",
    "repeat_share",
    "split_reasoning",
    "strip_reasoning",
    "verify",
    "verify_all",
]

GRADERS: tuple[str, ...]


def __getattr__(name: str) -> Any:
    """GRADERS, looked up when it is asked for: which graders are at hand depends on the machine, not on the import."""
    if name == "GRADERS":
        return default_graders().names
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
