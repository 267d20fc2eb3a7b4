"""The table of everything that is fuzzed: parsers and verifiers, in groups that share their inputs."""

from collections.abc import Mapping
from typing import Final

from proofs.fuzz.answer_files import FILES
from proofs.fuzz.group import Group
from proofs.fuzz.ifbench import IFBENCH
from proofs.fuzz.ifhard import IFHARD
from proofs.fuzz.judges import REPLIES
from proofs.fuzz.servers import BODIES, METRICS, STREAMS, WORDS
from proofs.fuzz.sobhard import NOTATION_TEXTS, SCHEMAS, SOBHARD
from proofs.fuzz.texts import TEXTS

__all__ = ["GROUPS", "TARGETS"]

GROUPS: Final[Mapping[str, Group]] = {
    group.name: group
    for group in (
        IFHARD,  # text and parameters -> a verdict of each requirement type
        IFBENCH,  # text and arguments -> verdicts of each checker, four graders each
        SOBHARD,  # row and answer -> a verdict of each constraint that applies; rows are taken or refused
        NOTATION_TEXTS,  # text -> a value or a refusal of its notation's strict parser
        SCHEMAS,  # schema and value -> accepted, or why the schema cannot be used
        TEXTS,  # generation -> answer and reasoning, fenced block
        REPLIES,  # question, answer and judge's reply -> a verdict or why it is unreadable
        BODIES,  # HTTP body -> an outcome, a failure, a list of models, a window
        STREAMS,  # bytes in pieces -> events, one body
        METRICS,  # body of /metrics -> a server's load
        WORDS,  # a server's words -> what they mean
        FILES,  # lines of journals, saved answers and batch results -> outcomes
    )
}
TARGETS: Final = tuple(f"{group.name}/{target}" for group in GROUPS.values() for target in group.targets)
