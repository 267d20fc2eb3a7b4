"""The examples of a dataset: fixed questions with answers written by hand, the same whatever the seed.

A model is shown them, so their answers have to be good ones. The witnesses of test questions are sentences of the bank
put together: they prove that a question can be met, and are no model of an answer.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import yaml

from builders.ifhard.bank import BANK, BankError, Context, Topic
from builders.ifhard.catalogue import Variant
from builders.ifhard.draft import Ask
from builders.ifhard.jobs import Job
from builders.ifhard.question import Question, question_of

__all__ = ["SHOTS", "load_shots"]

SHOTS = BANK / "shots.yaml"


def _context(start: str, topic: Topic) -> Context | None:
    if not start:
        return None
    found = [context for context in topic.contexts if context.text.startswith(start)]
    if len(found) != 1:
        raise BankError(f"{SHOTS.name}: {len(found)} contexts of {topic.id} begin with {start!r}")
    return found[0]


def _shot(number: int, entry: Mapping[str, Any], topic: Topic, catalogue: Mapping[str, Variant]) -> Question:
    context = _context(entry["context"], topic)
    keys = tuple(requirement["rule"] for requirement in entry["requirements"])
    job = Job(
        split="shots",
        number=number,
        topic=topic.id,
        task=entry["task"],
        style=entry["style"],
        wording=entry["wording"],
        frame=entry["frame"],
        size=len(keys),
        with_context=context is not None,
    )
    asks = [
        Ask(catalogue[requirement["rule"].partition("@")[0]], requirement["values"])
        for requirement in entry["requirements"]
    ]
    return question_of(job, entry["frame"], keys, asks, context, entry["answer"], Random(f"shots/{number}"))


def load_shots(
    topics: Mapping[str, Topic], catalogue: Mapping[str, Variant], path: Path = SHOTS
) -> list[tuple[Question, Topic]]:
    """The examples in the order of the file, each with its topic.

    Raises:
        BankError: an example names no context, or several.
    """
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        (_shot(number, entry, topics[entry["topic"]], catalogue), topics[entry["topic"]])
        for number, entry in enumerate(entries)
    ]
