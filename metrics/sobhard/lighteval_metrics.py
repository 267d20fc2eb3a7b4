"""SOBHard metrics in LightEval's terms: one verification pass a sample, one corpus function."""

import math
from typing import Any, NoReturn

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from metrics.record import Record
from metrics.sobhard.samples import score_sample, unanswered_sample
from metrics.sobhard.scoring import METRICS
from metrics.sobhard.summary import HEADLINES, LOWER_IS_BETTER, summarise
from metrics.summary import flat_metrics

__all__ = ["SOBHARD_METRICS", "SOBHardCorpus", "SOBHardSample"]


class SOBHardSample(SampleLevelComputation):
    """Per sample: the record with every verdict, and the five per-sample rates."""

    def compute(self, doc: Doc, model_response: ModelResponse, **kwargs: Any) -> dict[str, Any]:
        """Score the raw text of one response.

        The raw text, not LightEval's stripped one: reasoning is removed here, in one place. A response of our
        endpoint model says how it came about; one of another backend is taken as an answer.

        A fault of the scorer is recorded on the sample instead of ending the run.
        """
        outcome = getattr(model_response, "outcome", "answered")
        if outcome == "answered":
            truncated = getattr(model_response, "truncated", False)
            try:
                record = score_sample(doc.specific, model_response.text[0] if model_response.text else None, truncated)
            except Exception as error:
                record = unanswered_sample(doc.specific, "unscored", f"scorer raised {type(error).__name__}: {error}")
        else:
            record = unanswered_sample(doc.specific, outcome, getattr(model_response, "error", None) or "")
        return {"record": record, **{name: record["scores"][name] for name in METRICS}}


class SOBHardCorpus(CorpusLevelComputation):
    """Over a task: every headline with its interval, as plain floats (NaN where undefined)."""

    def compute_corpus(self, items: list[Record]) -> dict[str, float]:
        """Aggregate the records of one task (contract, 9.2)."""
        row = flat_metrics(summarise(items))
        # LightEval recomputes each per-sample name that this row lacks; an undefined one must be there too.
        return {**dict.fromkeys(METRICS, math.nan), **row}


def answered_by_record(items: list[Any]) -> NoReturn:
    """LightEval wants a function a metric name; the record's function answers for all."""
    raise AssertionError("SOBHardCorpus returns every per-sample metric name")


SOBHARD_METRICS = SampleLevelMetricGrouping(
    metric_name=["record", *METRICS],
    higher_is_better={name: name not in LOWER_IS_BETTER for name in HEADLINES},
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=SOBHardSample(),
    # The record stands first: LightEval asks in this order and skips the names its answer holds.
    corpus_level_fn={"record": SOBHardCorpus(), **dict.fromkeys(METRICS, answered_by_record)},
)
