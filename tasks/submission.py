"""Answers in the form that MERA takes and its harness, lm-evaluation-harness, logs.

A submission names questions by their number, ``meta.id`` of the row, and scores the filtered text: the official filter
drops leading white space and nothing else (IFHardBench contract, section 3; SOBHard contract, 2.4). Reasoning that
stands in a text is the official scorer's to remove.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["harness_line", "jsonl", "submission", "submission_number"]


def submission_number(meta: Mapping[str, Any]) -> int | None:
    """The ``meta.id`` of a row; None where it has none, or one that is no integer."""
    number = meta.get("id")
    return number if type(number) is int else None


def harness_line(doc_id: int, doc: Mapping[str, Any], sent: Any, texts: Sequence[str]) -> dict[str, Any]:
    """A question as lm-evaluation-harness logs it.

    Args:
        doc_id: place of its row in the split.
        doc: its row, with ``meta.id``.
        sent: the messages.
        texts: its answers as they came, one a repeat; the first is the one that counts.
    """
    return {
        "doc_id": doc_id,
        "doc": dict(doc),
        "target": "",
        "arguments": [[sent]],
        "resps": [list(texts)],
        "filtered_resps": [texts[0].lstrip()],
    }


def submission(lines: Iterable[Mapping[str, Any]]) -> str:
    """The text of a submission's file, of lines as :func:`harness_line` makes them."""
    answers = [{"outputs": line["filtered_resps"][0], "meta": {"id": line["doc"]["meta"]["id"]}} for line in lines]
    return json.dumps({"data": {"test": answers}}, ensure_ascii=False, indent=1) + "\n"


def jsonl(lines: Iterable[Mapping[str, Any]]) -> str:
    """The lines as JSON Lines."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
