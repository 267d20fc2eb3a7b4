"""What is proven of every question before a dataset is written.

Each witness scores 1.0 with the shipped scorer; each requirement rejects a targeted corruption of its own witness;
each condition is derived anew from the context it is shipped with; parameters are accepted by the scorer and are
those that the wording says; no requirement is implied by another, and no answer in the form that a decoy describes can
meet all of them; nothing occurs twice, and the splits share nothing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from builders.ifhard.bank import Topic, measure
from builders.ifhard.corrupt import corrupt
from builders.ifhard.habits import overruling
from builders.ifhard.implied import implied
from builders.ifhard.question import Question
from builders.ifhard.readback import readback
from metrics.ifhard import ParamsError, check_params, check_row, score, verify
from tasks.ifhard.prompts import render

__all__ = ["BuildError", "check_dataset", "check_question", "stack_of"]


class BuildError(Exception):
    """A question that breaks a guarantee: the build stops, nothing is written; the message names the row."""


def _check_requirement(question: Question, place: int) -> list[str]:
    constraint = question.constraints[place]
    category, params = constraint["category"], constraint["params"]
    try:
        check_params(category, params)
    except ParamsError as error:
        return [str(error)]
    faults = [f"{category}: {fault}" for fault in _wording_faults(question, place)]
    verdict = verify(category, params, question.witness)
    if not verdict.passed:
        faults.append(f"{category}: the witness fails: {verdict.reason}")
    elif verify(category, params, corrupt(category, params, question.witness)).passed:
        faults.append(f"{category}: the corruption passes")
    return faults


def _wording_faults(question: Question, place: int) -> list[str]:
    constraint = question.constraints[place]
    return readback(
        constraint["category"], constraint["params"], question.lines[place], question.job.task, question.shown[place]
    )


def _check_condition(question: Question, topic: Topic) -> list[str]:
    """The branch in the key is the one that the shipped context picks, found again from the clause in the wording."""
    faults = []
    for constraint, line in zip(question.constraints, question.lines, strict=True):
        if "holds" not in constraint["params"]:
            continue
        if not question.context:
            faults.append(f"{constraint['category']}: no context to look at")
            continue
        probes = [probe for probe in topic.probes if probe.mention in line]
        if not probes:
            faults.append(f"{constraint['category']}: no known condition in the wording")
            continue
        probe = max(probes, key=lambda probe: len(probe.mention))
        if (measure(question.context).hits(probe.stem) > 0) != constraint["params"]["holds"]:
            faults.append(f"{constraint['category']}: the context picks the other branch ({probe.mention})")
    return faults


def check_question(question: Question, topic: Topic) -> list[str]:
    """Everything that is wrong with one question, one sentence each; empty if nothing is."""
    count = len(question.constraints)
    faults = [fault for place in range(count) for fault in _check_requirement(question, place)]
    faults += _check_condition(question, topic)
    # What requirements mean together is asked of good ones only.
    if not faults:
        faults += implied(question.constraints)
        if question.decoy and not overruling(question.decoy, question.constraints):
            faults.append(f"an answer in the form of the decoy ({question.decoy}) may meet all requirements")
    if count != question.job.size:
        faults.append(f"{count} requirements where {question.job.size} were dealt")
    if len({constraint["family"] for constraint in question.constraints}) < min(2, question.job.size):
        faults.append("requirements of one family only")
    if bool(question.context) != question.job.with_context:
        faults.append("the context is not as dealt")
    return faults


def stack_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The types of a row's requirements, sorted: what two rows share if they have the same stack."""
    return tuple(sorted(constraint["category"] for constraint in json.loads(row["meta"]["constraints"])))


def check_dataset(
    test: Sequence[Mapping[str, Any]], shots: Sequence[Mapping[str, Any]], witnesses: Mapping[str, str]
) -> None:
    """Check the finished rows as a reader of the files would.

    Args:
        test, shots: rows.
        witnesses: base id to witness, for the rows of both splits.

    Raises:
        BuildError: naming the row.
    """
    seen: dict[Any, int] = {}
    for row in (*test, *shots):
        number = row["meta"]["id"]
        where = f"row {number} ({row['meta']['base_id']})"
        try:
            check_row(row)
            render(row)
        except (KeyError, ValueError) as error:
            raise BuildError(f"{where}: {error}") from error
        result = score(row, witnesses[row["meta"]["base_id"]])
        if result.sample_pass_rate != 1.0:
            raise BuildError(f"{where}: the witness scores {result.sample_pass_rate}")
        question = (row["inputs"]["question"], row["inputs"]["constraints"], row["inputs"]["context"])
        for what, key in (("id", number), ("base id", row["meta"]["base_id"]), ("question", question)):
            if (what, key) in seen:
                raise BuildError(f"{where}: same {what} as row {seen[what, key]}")
            seen[what, key] = number
    shared = {stack_of(row) for row in test} & {stack_of(row) for row in shots}
    if shared:
        raise BuildError(f"test and shots share the stack {', '.join(min(shared))}")
