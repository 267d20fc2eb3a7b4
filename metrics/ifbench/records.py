"""From one answer to one record: a single pass, every constraint under every grader at hand."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifbench.arguments import Arguments
from metrics.ifbench.foreign import NotGradableError
from metrics.ifbench.grading import check_kwargs, graders, verify, verify_all
from metrics.ifbench.quality import is_degenerate, repeat_share
from metrics.ifbench.reasoning import Reasoning, split_reasoning
from metrics.record import Record, VerdictRecord, blank_record, pending_verdict, verdict_record
from metrics.verdict import Verdict

__all__ = [
    "MAIN",
    "NOT_GRADABLE",
    "first_tag_name",
    "instruction_level",
    "prompt_level",
    "score_names",
    "score_sample",
    "scoring_key",
    "unanswered_sample",
]

# The four rates that papers and harnesses print, under the proposed readings; the paper's headline stands first.
MAIN: Final[Mapping[str, tuple[str, str]]] = {
    "prompt_level_loose_acc": ("prompt_level", "proposed_loose"),
    "inst_level_loose_acc": ("instruction_level", "proposed_loose"),
    "prompt_level_strict_acc": ("prompt_level", "proposed"),
    "inst_level_strict_acc": ("instruction_level", "proposed"),
}
NOT_GRADABLE: Final = "not-gradable"
_KEPT: Final = 32_768


class _Question(NamedTuple):
    """What an answer is checked against."""

    prompt: str
    constraints: tuple[tuple[str, Arguments], ...]


class _Graded(NamedTuple):
    """An answer's verdicts: for each grader, for each constraint in order."""

    reasoning: Reasoning
    verdicts: Mapping[str, tuple[Verdict | NotGradableError, ...]]
    first_tag: Mapping[str, float | None]
    degenerate: bool


def scoring_key(row: Mapping[str, Any]) -> str:
    """What scoring needs of a dataset row, as one JSON text.

    Args:
        row: in the official schema: ``key``, ``prompt``, ``instruction_id_list``, ``kwargs`` (maybe as JSON text).

    Raises:
        ArgumentsError: an unknown instruction, or arguments that it does not take; the row is named.
        ValueError: not as many kwargs as instructions.
    """
    kwargs = json.loads(row["kwargs"]) if isinstance(row["kwargs"], str) else row["kwargs"]
    if len(kwargs) != len(row["instruction_id_list"]):
        raise ValueError(f"row {row['key']}: {len(row['instruction_id_list'])} instructions, {len(kwargs)} kwargs")
    constraints = [
        {"id": name, "kwargs": dict(check_kwargs(name, given, key=row["key"]))}
        for name, given in zip(row["instruction_id_list"], kwargs, strict=True)
    ]
    return json.dumps({"prompt": row["prompt"], "constraints": constraints}, ensure_ascii=False)


def prompt_level(grader: str) -> str:
    """Name of the per-sample value: 1.0 if the answer meets every constraint."""
    return f"prompt_level/{grader}"


def instruction_level(grader: str) -> str:
    """Name of the per-sample value: the share of constraints met."""
    return f"instruction_level/{grader}"


def first_tag_name(name: str) -> str:
    """Name of a main value under the letter of the product's reasoning rule."""
    return f"first_tag/{name}"


def score_names() -> tuple[str, ...]:
    """Keys of a record's scores with the graders that are at hand now."""
    levels = [level(grader) for grader in graders() for level in (prompt_level, instruction_level)]
    return (*MAIN, *levels, *map(first_tag_name, MAIN), "degenerate")


@functools.lru_cache(maxsize=4_096)
def _question(scoring: str) -> _Question:
    read = json.loads(scoring)
    return _Question(read["prompt"], tuple((entry["id"], entry["kwargs"]) for entry in read["constraints"]))


def _rates(verdicts: Sequence[Verdict | NotGradableError]) -> tuple[float | None, float | None]:
    """Whether all are met, and the share met; a constraint that could not be graded leaves the first undefined."""
    passed = [verdict.passed for verdict in verdicts if isinstance(verdict, Verdict)]
    return (
        float(all(passed)) if len(passed) == len(verdicts) else None,
        sum(passed) / len(passed) if passed else None,
    )


def _main_rates(verdicts: Mapping[str, Sequence[Verdict | NotGradableError]]) -> dict[str, float | None]:
    return {
        name: _rates(verdicts[grader])[0 if level == "prompt_level" else 1] for name, (level, grader) in MAIN.items()
    }


@functools.lru_cache(maxsize=_KEPT)
def _grade(scoring: str, response: str | None, names: tuple[str, ...]) -> _Graded:
    """Pure while the graders stay the same (``names``): the live pass rate and the metrics share one pass an answer."""
    question = _question(scoring)
    reasoning = split_reasoning(response)
    by_constraint = [
        verify_all(name, arguments, reasoning.answer, reasoning.trimmed, prompt=question.prompt)
        for name, arguments in question.constraints
    ]
    verdicts = {grader: tuple(found[grader] for found in by_constraint) for grader in names}
    first_tag = _main_rates(verdicts)
    if reasoning.first_tag != reasoning.answer:
        text = reasoning.first_tag.lstrip("\r\n")
        first_tag = _main_rates(
            {
                grader: [verify(name, arguments, text, grader=grader) for name, arguments in question.constraints]
                for grader in ("proposed", "proposed_loose")
            }
        )
    return _Graded(reasoning, verdicts, first_tag, is_degenerate(repeat_share(response)))


def _record_of(name: str, grader: str, verdict: Verdict | NotGradableError) -> VerdictRecord:
    if isinstance(verdict, Verdict):
        return verdict_record(name, grader, verdict)
    return {**pending_verdict(name, grader), "code": NOT_GRADABLE, "reason": str(verdict)}


def score_sample(specific: Mapping[str, Any], response: str | None, truncated: bool) -> Record:
    """Verify one answer under every grader.

    Args:
        specific: of the document: ``id``, ``repeat``, ``scoring`` (scoring_key), ``labels``.
        response: raw model text, reasoning included; None counts as empty.
        truncated: whether generation ended at the token cap.

    Returns:
        The record. Its verdicts stand grader by grader, each in the order of the constraints; ``id`` is the
        instruction, ``family`` the grader. A constraint that a grader cannot judge here has ``passed`` None and the
        code ``not-gradable``. An answer of nothing but unclosed reasoning fails everything and is not called empty.

    Raises:
        ResourceError: a dictionary that a checker needs is not installed.
    """
    names = graders()
    constraints = _question(specific["scoring"]).constraints
    graded = _grade(specific["scoring"], response, names)
    scores = _main_rates(graded.verdicts)
    for grader in names:
        scores[prompt_level(grader)], scores[instruction_level(grader)] = _rates(graded.verdicts[grader])
    scores |= {first_tag_name(name): value for name, value in graded.first_tag.items()}
    scores["degenerate"] = float(graded.degenerate)
    verdicts = [
        _record_of(name, grader, verdict)
        for grader in names
        for (name, _), verdict in zip(constraints, graded.verdicts[grader], strict=True)
    ]
    return blank_record(specific, "answered", "", (), verdicts) | {
        "empty": graded.reasoning.extraction == "ok" and not graded.reasoning.answer.strip(),
        "truncated": truncated,
        "unclosed_reasoning": graded.reasoning.unclosed,
        "scores": scores,
    }


def unanswered_sample(specific: Mapping[str, Any], outcome: str, error: str) -> Record:
    """The record of a sample that has no valid answer or no verdict.

    Args:
        specific: of the document, as for score_sample.
        outcome: ``failed``, ``not_asked`` or ``unscored``.
        error: one line that says why.
    """
    # No checking here that could raise: a sample whose scoring failed is recorded through this path.
    names = [entry["id"] for entry in json.loads(specific["scoring"])["constraints"]]
    pending = [pending_verdict(name, grader) for grader in graders() for name in names]
    return blank_record(specific, outcome, error, score_names(), pending)
