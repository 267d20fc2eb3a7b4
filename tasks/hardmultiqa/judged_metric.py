"""HardMultiQA's metric in LightEval's terms: all answers of a task are judged together.

The runner has judged each answer by the time LightEval asks; a response then carries its judgement. Under LightEval's
own command line none does, and the judge named by environment variables is asked here, many at a time.
"""

import asyncio
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from judges.asking import Judge, open_judge
from judges.hardmultiqa.judging import DEFAULT_MODEL, judge
from judges.judgement import Judgement
from metrics.hardmultiqa.lighteval_metrics import HardMultiQACorpus
from metrics.hardmultiqa.records import score_judged, unanswered_sample
from metrics.hardmultiqa.summary import HEADLINES
from metrics.record import Record

__all__ = ["ENVIRONMENT", "HARDMULTIQA_METRIC", "HardMultiQASample", "JudgeSettings", "SameNamesCorpus"]

_BASE_URL: Final = "http://127.0.0.1:8002/v1"
_CONCURRENCY: Final = 64
ENVIRONMENT: Final[Mapping[str, str]] = {
    "JUDGE_BASE_URL": f"judge's server, default {_BASE_URL}",
    "JUDGE_MODEL": f"name it serves the judge under, default {DEFAULT_MODEL}",
    "JUDGE_API_KEY": "key sent to it, default none",
    "JUDGE_CONCURRENCY": f"answers judged at a time, default {_CONCURRENCY}",
    "JUDGE_JOURNAL": "file that keeps the judge's replies; asked again, they are not asked for again",
}


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The judge of a run under LightEval's own command line."""

    base_url: str
    model: str
    api_key: str | None
    concurrency: int
    journal: Path | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "JudgeSettings":
        """Settings from variables named in ENVIRONMENT; an empty one counts as absent.

        Raises:
            ValueError: a value cannot be read; the variable is named.
        """
        values = {name: environment.get(name) or None for name in ENVIRONMENT}
        concurrency = values["JUDGE_CONCURRENCY"] or str(_CONCURRENCY)
        if not (concurrency.isascii() and concurrency.isdigit() and int(concurrency) > 0):
            raise ValueError(f"environment variable JUDGE_CONCURRENCY={concurrency!r} must be a positive whole number")
        return cls(
            base_url=values["JUDGE_BASE_URL"] or _BASE_URL,
            model=values["JUDGE_MODEL"] or DEFAULT_MODEL,
            api_key=values["JUDGE_API_KEY"],
            concurrency=int(concurrency),
            journal=Path(values["JUDGE_JOURNAL"]) if values["JUDGE_JOURNAL"] else None,
        )


class HardMultiQASample(SampleLevelComputation):
    """Per task: one record an answer, in order."""

    def compute(self, docs: Sequence[Doc], responses: Sequence[ModelResponse], **kwargs: Any) -> list[Record]:
        """Judge what has no judgement yet, then score.

        A response of our endpoint model says how it came about; one of another backend is taken as an answer. A fault
        of the scorer is recorded on the sample instead of ending the run.

        Raises:
            EndpointError: a judge is needed and cannot be had.
        """
        pairs = list(zip(docs, responses, strict=True))
        missing = [place for place, (_, response) in enumerate(pairs) if _answered(response) and not _judged(response)]
        judgements = dict(zip(missing, _judge_all([pairs[place] for place in missing]), strict=True))
        return [_record(doc, response, judgements.get(place)) for place, (doc, response) in enumerate(pairs)]


class SameNamesCorpus(HardMultiQACorpus):
    """Over a task: the headlines with their intervals; those of another type of question are NaN.

    LightEval's own averages over tasks count a name that one task lacks as 0.0.
    """

    def compute_corpus(self, items: list[Record]) -> dict[str, float]:
        """Aggregate the records of one task."""
        names = [f"{name}{end}" for name in HEADLINES for end in ("", "_ci_low", "_ci_high")]
        return {**dict.fromkeys(names, math.nan), **super().compute_corpus(items)}


def _answered(response: ModelResponse) -> bool:
    return getattr(response, "outcome", "answered") == "answered"


def _judged(response: ModelResponse) -> str:
    return getattr(response, "judgement", "") or ""


def _text(response: ModelResponse) -> str | None:
    """The raw text: which part of it is reasoning is our own rule, not LightEval's."""
    return response.text[0] if response.text else None


def _record(doc: Doc, response: ModelResponse, judgement: Judgement | None) -> Record:
    if not _answered(response):
        return unanswered_sample(doc.specific, response.outcome, getattr(response, "error", None) or "")
    try:
        found = judgement or Judgement.from_json(_judged(response))
        return score_judged(doc.specific, _text(response), getattr(response, "truncated", False), found)
    except Exception as error:
        return unanswered_sample(doc.specific, "unscored", f"scorer raised {type(error).__name__}: {error}")


def _judge_all(pairs: Sequence[tuple[Doc, ModelResponse]]) -> list[Judgement]:
    return asyncio.run(_judge_with(JudgeSettings.from_environment(os.environ), pairs)) if pairs else []


async def _judge_with(settings: JudgeSettings, pairs: Sequence[tuple[Doc, ModelResponse]]) -> list[Judgement]:
    async with open_judge(
        settings.base_url, settings.model, settings.api_key, settings.concurrency, settings.journal
    ) as opened:
        return await asyncio.gather(*(_judge_one(opened, doc, response) for doc, response in pairs))


async def _judge_one(opened: Judge, doc: Doc, response: ModelResponse) -> Judgement:
    ask = opened.ask(doc.task_name, doc.specific["id"], doc.specific["repeat"])
    try:
        return await judge(doc.specific, _text(response), ask)
    except Exception as error:
        # A fault of ours on one answer must not cost the verdicts on the others.
        return Judgement("failed", error=f"judging raised {type(error).__name__}: {error}")


# One metric and not a group: LightEval cannot compute a group for all answers at once.
HARDMULTIQA_METRIC = SampleLevelMetric(
    metric_name="record",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=HardMultiQASample(),
    corpus_level_fn=SameNamesCorpus(),
    batched_compute=True,
)
