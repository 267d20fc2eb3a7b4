"""A benchmark's records as LightEval metrics: one verification pass a sample, one corpus function for all of them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from metrics.record import Record
from metrics.summary import Summary, flat_metrics

__all__ = ["RecordCorpus", "RecordSample", "group_metrics"]


class RecordSample(SampleLevelComputation):
    """Per sample: the record with every verdict, and the per-sample values.

    A benchmark fills in the class attributes; instances hold nothing, since LightEval copies them and prints them
    into its caches' keys.

    Attributes:
        score: (specific of a doc, raw text or None, truncated) -> record; may raise on a scorer's bug.
        unanswered: (specific, outcome, error) -> record of a sample without a scored answer.
        names: per-sample metric names, keys of the record's scores.
    """

    # In quotes: staticmethod takes parameters for the type checker only.
    score: "ClassVar[staticmethod[[Mapping[str, Any], str | None, bool], Record]]"
    unanswered: "ClassVar[staticmethod[[Mapping[str, Any], str, str], Record]]"
    names: ClassVar[tuple[str, ...]]

    def compute(self, doc: Doc, model_response: ModelResponse, **kwargs: Any) -> dict[str, Any]:
        """Score the raw text of one response.

        The raw text, not LightEval's stripped one: a benchmark has its own reasoning rule. A response of our endpoint
        model says how it came about; one of another backend is taken as an answer. A fault of the scorer is recorded
        on the sample instead of ending the run.
        """
        kind = type(self)
        outcome = getattr(model_response, "outcome", "answered")
        if outcome == "answered":
            truncated = getattr(model_response, "truncated", False)
            try:
                record = kind.score(doc.specific, model_response.text[0] if model_response.text else None, truncated)
            except Exception as error:
                record = kind.unanswered(doc.specific, "unscored", f"scorer raised {type(error).__name__}: {error}")
        else:
            record = kind.unanswered(doc.specific, outcome, getattr(model_response, "error", None) or "")
        return {"record": record, **{name: record["scores"][name] for name in self.names}}


class RecordCorpus(CorpusLevelComputation):
    """Over a task: every headline with its interval, as plain floats (NaN where undefined).

    Attributes:
        summarise: records of one task -> summary.
        names: per-sample metric names.
    """

    summarise: "ClassVar[staticmethod[[Sequence[Record]], Summary]]"
    names: ClassVar[tuple[str, ...]]

    def compute_corpus(self, items: list[Record]) -> dict[str, float]:
        """Aggregate the records of one task."""
        row = flat_metrics(type(self).summarise(items))
        # LightEval recomputes each per-sample name that this row lacks; an undefined one must be there too.
        return {**dict.fromkeys(self.names, math.nan), **row}


def answered_by_record(items: list[Any]) -> NoReturn:
    """LightEval wants a function a metric name; the record's function answers for all."""
    raise AssertionError("the record's corpus function returns every per-sample metric name")


def group_metrics(
    sample: RecordSample, corpus: RecordCorpus, higher_is_better: Mapping[str, bool]
) -> SampleLevelMetricGrouping:
    """The metric object of a task config.

    Args:
        sample, corpus: of the benchmark, with equal names.
        higher_is_better: by headline name.
    """
    return SampleLevelMetricGrouping(
        metric_name=["record", *sample.names],
        higher_is_better=dict(higher_is_better),
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=sample,
        # The record stands first: LightEval asks in this order and skips the names its answer holds.
        corpus_level_fn={"record": corpus, **dict.fromkeys(sample.names, answered_by_record)},
    )
