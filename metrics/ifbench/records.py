"""From one answer to one record: a single pass, every constraint under every grader at hand."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from metrics.ifbench.foreign import GraderFailedError, NotGradableError
from metrics.ifbench.grading import Constraint, Graders, check_kwargs, default_graders, read_constraint
from metrics.ifbench.quality import is_degenerate, repeat_share
from metrics.ifbench.reasoning import split_reasoning
from metrics.record import (
    Answer,
    Record,
    Sample,
    Status,
    VerdictRecord,
    blank_record,
    pending_verdict,
    verdict_record,
)
from metrics.verdict import Verdict

__all__ = [
    "GRADER_FAILED",
    "MAIN",
    "NOT_GRADABLE",
    "check_scoring",
    "first_tag_name",
    "instruction_level",
    "prompt_level",
    "score",
    "score_names",
    "scoring_key",
    "unanswered",
]

# The four rates that papers and harnesses print, under the proposed readings; the paper's headline stands first.
MAIN: Final[Mapping[str, tuple[str, str]]] = {
    "prompt_level_loose_acc": ("prompt_level", "proposed_loose"),
    "inst_level_loose_acc": ("instruction_level", "proposed_loose"),
    "prompt_level_strict_acc": ("prompt_level", "proposed"),
    "inst_level_strict_acc": ("instruction_level", "proposed"),
}
NOT_GRADABLE: Final = NotGradableError.code
GRADER_FAILED: Final = GraderFailedError.code
_Verdicts = Mapping[str, Sequence[Verdict | NotGradableError]]  # by grader, in the order of the constraints


class _Question(NamedTuple):
    """What an answer is checked against."""

    prompt: str
    constraints: tuple[Constraint, ...]


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


def check_scoring(scoring: str) -> None:
    """Read a text of scoring_key as strictly as the row that it was made of.

    Raises:
        ArgumentsError: an unknown instruction, or arguments that it does not take.
        ValueError: the text has another form.
    """
    try:
        _question(scoring)
    except (KeyError, TypeError) as error:
        raise ValueError(f"the scoring key has another form: {type(error).__name__}: {error}") from None


def prompt_level(grader: str) -> str:
    """Name of the per-sample value: 1.0 if the answer meets every constraint."""
    return f"prompt_level/{grader}"


def instruction_level(grader: str) -> str:
    """Name of the per-sample value: the share of constraints met."""
    return f"instruction_level/{grader}"


def first_tag_name(name: str) -> str:
    """Name of a main value under the letter of the product's reasoning rule."""
    return f"first_tag/{name}"


def score_names(graders: Graders) -> tuple[str, ...]:
    """Keys of a record's scores."""
    levels = [level(grader) for grader in graders.names for level in (prompt_level, instruction_level)]
    return (*MAIN, *levels, *map(first_tag_name, MAIN), "degenerate")


@functools.lru_cache(maxsize=4_096)
def _question(scoring: str) -> _Question:
    read = json.loads(scoring)
    return _Question(
        read["prompt"], tuple(read_constraint(entry["id"], entry["kwargs"]) for entry in read["constraints"])
    )


def _rates(verdicts: Sequence[Verdict | NotGradableError]) -> tuple[float | None, float | None]:
    """Whether all are met, and the share met; a constraint that could not be graded leaves the first undefined."""
    passed = [verdict.passed for verdict in verdicts if isinstance(verdict, Verdict)]
    return (
        float(all(passed)) if len(passed) == len(verdicts) else None,
        sum(passed) / len(passed) if passed else None,
    )


def _main_rates(verdicts: _Verdicts) -> dict[str, float | None]:
    return {
        name: _rates(verdicts[grader])[0 if level == "prompt_level" else 1] for name, (level, grader) in MAIN.items()
    }


def score(sample: Sample, answer: Answer, judgement: Any = None, *, graders: Graders | None = None) -> Record:
    """Verify one answer under every grader.

    Args:
        sample: the question; its ``scoring`` is a key of scoring_key.
        answer: what the model said.
        judgement: not read: no model judges.
        graders: None takes those at hand.

    Returns:
        The record. Its verdicts stand grader by grader, each in the order of the constraints; ``id`` is the
        instruction, ``group`` its family. A constraint that a grader cannot judge here has ``passed`` None and the
        code ``not-gradable``; one whose verdict it failed to give, ``grader-failed``. An answer of
        nothing but unclosed reasoning fails everything and is not called empty.

    Raises:
        ResourceError: a dictionary that a checker needs is not installed.
    """
    graders = graders or default_graders()
    question = _question(sample.scoring)
    reasoning = split_reasoning(answer.text)
    by_constraint = [
        graders.judge_all(constraint, reasoning.answer, reasoning.trimmed, prompt=question.prompt)
        for constraint in question.constraints
    ]
    found: _Verdicts = {grader: [of[grader] for of in by_constraint] for grader in graders.names}
    first_tag = found
    if reasoning.first_tag != reasoning.answer:
        text = reasoning.first_tag.lstrip("\r\n")
        first_tag = {
            grader: [graders.judge(constraint, text, grader=grader) for constraint in question.constraints]
            for grader in ("proposed", "proposed_loose")
        }
    scores = _main_rates(found)
    for grader in graders.names:
        scores[prompt_level(grader)], scores[instruction_level(grader)] = _rates(found[grader])
    scores |= {first_tag_name(name): rate for name, rate in _main_rates(first_tag).items()}
    scores["degenerate"] = float(is_degenerate(repeat_share(answer.text)))
    verdicts = [
        _verdict(constraint.checker.id, grader, place, verdict)
        for grader in graders.names
        for place, (constraint, verdict) in enumerate(zip(question.constraints, found[grader], strict=True))
    ]
    record = blank_record(sample, "answered", "", (), verdicts)
    record["empty"] = reasoning.extraction == "ok" and not reasoning.answer.strip()
    record["truncated"] = answer.truncated
    record["unclosed_reasoning"] = reasoning.unclosed
    record["scores"] = scores
    return record


def unanswered(sample: Sample, outcome: Status, error: str, *, graders: Graders | None = None) -> Record:
    """The record of a sample that has no valid answer or no verdict: how it ended, and one line that says why."""
    # No checking here that could raise: a sample whose scoring failed is recorded through this path.
    graders = graders or default_graders()
    names = [entry["id"] for entry in json.loads(sample.scoring)["constraints"]]
    pending = [
        pending_verdict(name, _family(name), grader, place)
        for grader in graders.names
        for place, name in enumerate(names)
    ]
    return blank_record(sample, outcome, error, score_names(graders), pending)


def _family(name: str) -> str:
    return name.partition(":")[0]


def _verdict(name: str, grader: str, place: int, verdict: Verdict | NotGradableError) -> VerdictRecord:
    if isinstance(verdict, Verdict):
        return verdict_record(name, _family(name), grader, place, verdict)
    pending = pending_verdict(name, _family(name), grader, place)
    pending["code"], pending["reason"] = verdict.code, str(verdict)
    return pending
