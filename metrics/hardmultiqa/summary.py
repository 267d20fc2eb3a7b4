"""HardMultiQA over a run: the judged score with interval and bounds, how judging went, and where the failures sit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from metrics.hardmultiqa.scoring_key import TYPES
from metrics.headlines import EMPTY, MetricSpec, Tally, answered, grouped, ratio, value
from metrics.judge_statistics import COVERAGE, JUDGEABLE, agreement, coverage, effort, judging_notes
from metrics.record import Record, labels_of
from metrics.summary import Summary, count_outcomes, in_order

__all__ = ["GROUPS", "METRICS", "summarise"]

_PROMPTS_NOTE: Final = (
    "the judge's prompts are not the benchmark authors', so scores do not compare with published ones"
)


def _type(record: Record) -> str:
    return record["verdicts"][0]["id"]


def _question(record: Record) -> tuple[str, str]:
    """Ids are told apart within a type only."""
    return _type(record), record["id"]


def _open(record: Record) -> bool:
    return _type(record) == "open"


_WHY: Final = "no sample has a valid answer and verdict"
_SCORE: Final = MetricSpec("hardmultiqa_judge", unit="mean", why_none=_WHY, question=_question)
_OPEN: Final = tuple(
    MetricSpec(name, False, about=_open, why_none=_WHY, question=_question)
    for name in ("open_wrong_share", "open_not_attempted_share")
)
# Whether an answer is empty needs no judge.
_EMPTY: Final = replace(EMPTY, outcomes=JUDGEABLE, why_none=_WHY, question=_question)
METRICS: Final = (_SCORE, *_OPEN, COVERAGE, _EMPTY)
GROUPS: Final[Mapping[str, Tally]] = {
    "type": lambda record: [(_type(record), record["scores"][_SCORE.name])],
    "topic": lambda record: [
        (topic, record["scores"][_SCORE.name]) for topic in [labels_of(record).get("topic")] if topic
    ],
}


def summarise(records: Sequence[Record]) -> Summary:
    """Headline values over the judged samples, with intervals, bounds and breakdowns.

    The two shares of open questions are there only where open questions are.

    Args:
        records: of one task, in any order; for ``all`` the union over the five types.
    """
    records = in_order(records)
    headlines = (
        ratio(_SCORE, records),
        *(ratio(spec, records) for spec in _OPEN if any(map(_open, records))),
        coverage(records),
        ratio(_EMPTY, records),
    )
    return Summary(headlines, count_outcomes(records), _breakdowns(records), (*judging_notes(records), _PROMPTS_NOTE))


def _breakdowns(records: Sequence[Record]) -> dict[str, dict[str, dict[str, Any]]]:
    """Values by type (and topic, where rows have one), what judging took, and the judge against the rule."""
    by_type = grouped(records, _type, TYPES)
    by_topic = grouped(records, lambda record: labels_of(record).get("topic") or None)
    breakdowns = {
        "type": {kind: _rates(of) for kind, of in by_type.items()},
        "judging": {kind: effort(of) for kind, of in by_type.items()},
    }
    if by_topic:
        breakdowns["topic"] = {topic: _rates(of) for topic, of in by_topic.items()}
    if table := agreement(records):
        breakdowns["agreement"] = table
    return breakdowns


def _rates(records: Sequence[Record]) -> dict[str, Any]:
    valid = answered(records)
    full = MetricSpec("full_marks", part=lambda record: (float(_SCORE.of(record)[0] == 1.0), 1.0))
    return {
        "n": len(valid),
        # Under the headline's own name, so that the table can show it.
        _SCORE.name: value(_SCORE, valid),
        full.name: value(full, valid),
        "unjudged": sum(record["outcome"] == "unjudged" for record in records),
    }
