"""The samples of Every Eval Ever: a line for each answer of a benchmark that has a score."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from report.answers import Shown, shown_answers
from runs.folder import Run
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["Identity", "sample_lines"]

_NO_VALUE: Final = "undefined"


class Identity(NamedTuple):
    """What every line shares with its aggregate.

    Attributes:
        schema_version: of the form.
        evaluation_id: the aggregate's.
        model_id: the model's.
    """

    schema_version: str
    evaluation_id: str
    model_id: str


def sample_lines(
    run: Run, name: str, identity: Identity, result_id: Callable[[TaskName, str], str]
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The lines, in the order of the details files.

    Args:
        run: the run.
        name: of the benchmark.
        identity: what every line says.
        result_id: (task, metric) -> id of the aggregate's result.

    Returns:
        the lines, and the answers that have none by the outcome that they ended in.
    """
    metric = benchmark(name).metrics[0].name
    lines, missing = [], Counter[str]()
    for shown in shown_answers(run):
        if shown.task.benchmark != name:
            continue
        score = shown.record["scores"].get(metric)
        if score is None:
            outcome = shown.record["outcome"]
            missing[_NO_VALUE if outcome == "answered" else outcome] += 1
            continue
        head = {**identity._asdict(), "evaluation_name": str(shown.task)}
        head["evaluation_result_id"] = result_id(shown.task, metric)
        lines.append(head | _line(shown, metric, score))
    return lines, dict(sorted(missing.items()))


def _line(shown: Shown, metric: str, score: float) -> dict[str, Any]:
    texts = [text for role, text in shown.messages if role != "system"]
    talk = any(role == "assistant" for role, _ in shown.messages)
    raw = texts[-1] if texts else ""
    # Without a reference in words, all that the answer is checked against.
    reference = shown.references or [part for part in (shown.scoring,) if part]
    line: dict[str, Any] = {
        "sample_id": str(shown.record["id"]),
        "sample_hash": hashlib.sha256((raw + "".join(reference)).encode("utf-8", "replace")).hexdigest(),
        "interaction_type": "multi_turn" if talk else "single_turn",
        "input": {"raw": raw, "reference": reference},
    }
    line |= _conversation(shown) if talk else _single(shown)
    line["answer_attribution"] = [
        {
            "turn_idx": len(shown.messages) if talk else 0,
            "source": "messages[turn_idx].content" if talk else "output.raw",
            "extracted_value": shown.text,
            "extraction_method": "reasoning removed",
            "is_terminal": True,
        }
    ]
    line["evaluation"] = {"score": float(score), "is_correct": score == 1}
    if talk:
        line["evaluation"]["num_turns"] = len(shown.messages) + 1
    prompt, completion = shown.tokens
    if prompt is not None and completion is not None:
        line["token_usage"] = {
            "input_tokens": prompt,
            "output_tokens": completion,
            "total_tokens": prompt + completion,
        }
    line["metadata"] = _metadata(shown, metric)
    return line


def _single(shown: Shown) -> dict[str, Any]:
    return {"output": {"raw": [shown.raw], "reasoning_trace": [shown.reasoning] if shown.reasoning else None}}


def _conversation(shown: Shown) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {"turn_idx": turn, "role": role, "content": text} for turn, (role, text) in enumerate(shown.messages)
    ]
    last = {"turn_idx": len(messages), "role": "assistant", "content": shown.raw}
    return {"output": None, "messages": [*messages, {**last, "reasoning_trace": shown.reasoning or None}]}


def _metadata(shown: Shown, metric: str) -> dict[str, str]:
    """What else is known of the answer, as texts."""
    record = shown.record
    others = {name: value for name, value in record["scores"].items() if name != metric}
    verdicts = [
        {key: verdict[key] for key in ("id", "grader", "passed", "code", "reason")} for verdict in record["verdicts"]
    ]
    told: dict[str, Any] = {
        "repeat": record["repeat"],
        "finish_reason": shown.finish_reason or None,
        "truncated": record["truncated"],
        "empty": record["empty"],
        "labels": dict(shown.labels),
        "scores": others,
        "verdicts": verdicts,
        "judgement": dict(shown.judgement) or None,
    }
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in told.items()
        if value is not None
    }
