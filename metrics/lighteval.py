"""A LightEval metric of any benchmark: the record that a response carries, or one that is made here.

In a run of this package the record is there: an answer is scored once, while others are still generated. Under
LightEval's own command line, or another backend, the answer is scored when LightEval asks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric, SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from metrics.headlines import MetricSpec
from metrics.record import Answer, Judged, Record, Sample, Status
from metrics.summary import Summary, flat

__all__ = ["JudgeAll", "Score", "Summarise", "Unanswered", "record_metric"]

Score = Callable[..., Record]
"""(sample, answer, judgement or None) -> record; may raise on a scorer's bug."""
Unanswered = Callable[[Sample, Status, str], Record]
"""(sample, outcome, error) -> record of a sample without a scored answer."""
Summarise = Callable[[Sequence[Record]], Summary]
"""Records of one task -> summary."""
JudgeAll = Callable[[Sequence[tuple[str, Sample, Answer]]], Sequence[Judged]]
"""(task, sample, answer) of many -> their judgements, in order."""

_ENDS = ("", "_ci_low", "_ci_high")


class _Sample(SampleLevelComputation):
    """Per sample: the record, and the per-sample values.

    A subclass a benchmark fills in the class attributes; instances hold nothing, since LightEval copies them and
    prints them into its caches' keys.

    Attributes:
        score, unanswered: the benchmark's functions.
        names: per-sample metric names, keys of the record's scores.
    """

    # In quotes: staticmethod takes parameters for the type checker only.
    score: "ClassVar[staticmethod[..., Record]]"
    unanswered: "ClassVar[staticmethod[[Sample, Status, str], Record]]"
    names: ClassVar[tuple[str, ...]] = ()

    def compute(self, doc: Doc, model_response: ModelResponse, **kwargs: Any) -> dict[str, Any]:
        """The record of one response, with its per-sample values beside it."""
        record = self.record(doc, model_response)
        return {"record": record, **{name: record["scores"][name] for name in self.names}}

    def record(self, doc: Doc, response: ModelResponse, judgement: Judged | None = None) -> Record:
        """The record that the response carries, else one of its raw text.

        The raw text, not LightEval's stripped one: a benchmark has its own reasoning rule. A response of our endpoint
        model says how it came about; one of another backend is taken as an answer. A fault of the scorer is recorded
        on the sample instead of ending the run.
        """
        carried: Record | None = getattr(response, "record", None)
        if carried is not None:
            return carried
        kind, sample = type(self), Sample.of(doc.specific)
        if not _is_answered(response):
            return kind.unanswered(sample, response.outcome, getattr(response, "error", None) or "")
        try:
            return kind.score(sample, _answer(response), judgement)
        except Exception as error:
            return kind.unanswered(sample, "unscored", f"scorer raised {type(error).__name__}: {error}")


class _JudgedSample(_Sample):
    """Per task: one record an answer, in order; what has no record yet is judged together."""

    judge_all: "ClassVar[staticmethod[[Sequence[tuple[str, Sample, Answer]]], Sequence[Judged]]]"

    def compute(self, docs: Sequence[Doc], responses: Sequence[ModelResponse], **kwargs: Any) -> list[Record]:  # type: ignore[override]  # LightEval's batched form
        """Judge what needs it, then score.

        Raises:
            EndpointError: a judge is needed and cannot be had.
        """
        pairs = list(zip(docs, responses, strict=True))
        open_ones = [
            place
            for place, (_, response) in enumerate(pairs)
            if getattr(response, "record", None) is None and _is_answered(response)
        ]
        asked = [(pairs[i][0].task_name, Sample.of(pairs[i][0].specific), _answer(pairs[i][1])) for i in open_ones]
        judgements = dict(zip(open_ones, type(self).judge_all(asked) if asked else (), strict=True))
        return [self.record(doc, response, judgements.get(place)) for place, (doc, response) in enumerate(pairs)]


class _Corpus(CorpusLevelComputation):
    """Over a task: every headline with its interval, as plain floats.

    LightEval adds and averages whatever stands here, so an undefined value is NaN: None would crash its averages, and a
    name that one task lacks would count as 0.0 there.

    Attributes:
        summarise: the benchmark's function.
        specs: its metrics.
    """

    summarise: "ClassVar[staticmethod[[Sequence[Record]], Summary]]"
    specs: ClassVar[tuple[MetricSpec, ...]]

    def compute_corpus(self, items: list[Record]) -> dict[str, float]:
        """Aggregate the records of one task."""
        summary = type(self).summarise(items)
        row = flat(summary)
        names = dict.fromkeys([*(spec.name for spec in self.specs), *(line.name for line in summary.headlines)])
        wanted = dict.fromkeys([*(f"{name}{end}" for name in names for end in _ENDS), "coverage", "truncated_share"])
        return {name: math.nan if row.get(name) is None else float(row[name]) for name in wanted}


def record_metric(
    title: str,
    specs: tuple[MetricSpec, ...],
    *,
    score: Score,
    unanswered: Unanswered,
    summarise: Summarise,
    judge_all: JudgeAll | None = None,
) -> SampleLevelMetric | SampleLevelMetricGrouping:
    """The metric object of a benchmark's task configs.

    Args:
        title: the benchmark's name, in the names that LightEval prints.
        specs: its metrics; those with ``per_sample`` stand beside each record too, unless a model judges.
        score, unanswered, summarise: the benchmark's functions.
        judge_all: judges answers that come without a record; None where no model judges.
    """
    scoring = {"score": staticmethod(score), "unanswered": staticmethod(unanswered)}
    corpus_type = type(f"{title}Corpus", (_Corpus,), {"summarise": staticmethod(summarise), "specs": specs})
    if judge_all is not None:
        judged = type(f"{title}Sample", (_JudgedSample,), {**scoring, "judge_all": staticmethod(judge_all)})
        # One metric and not a group: LightEval cannot compute a group for all answers at once.
        return SampleLevelMetric(
            metric_name="record",
            higher_is_better=True,
            category=SamplingMethod.GENERATIVE,
            sample_level_fn=judged(),
            corpus_level_fn=corpus_type(),
            batched_compute=True,
        )
    names = tuple(spec.name for spec in specs if spec.per_sample)
    higher_is_better: Mapping[str, bool] = {spec.name: spec.higher_is_better for spec in specs}
    return SampleLevelMetricGrouping(
        metric_name=["record", *names],
        higher_is_better=dict(higher_is_better),
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=type(f"{title}Sample", (_Sample,), {**scoring, "names": names})(),
        # The record stands first: LightEval asks in this order and skips the names its answer holds.
        corpus_level_fn={"record": corpus_type(), **dict.fromkeys(names, _answered_by_record)},
    )


def _is_answered(response: ModelResponse) -> bool:
    return bool(getattr(response, "outcome", "answered") == "answered")


def _answer(response: ModelResponse) -> Answer:
    return Answer(response.text[0] if response.text else None, getattr(response, "truncated", False))


def _answered_by_record(items: list[Any]) -> NoReturn:
    """LightEval wants a function a metric name; the record's function answers for all."""
    raise AssertionError("the record's corpus function returns every per-sample metric name")
