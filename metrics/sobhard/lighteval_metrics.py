"""SOBHard metrics in LightEval's terms."""

from metrics.lighteval import RecordCorpus, RecordSample, group_metrics
from metrics.sobhard.records import score_sample, unanswered_sample
from metrics.sobhard.scoring import METRICS
from metrics.sobhard.summary import HEADLINES, LOWER_IS_BETTER, summarise

__all__ = ["SOBHARD_METRICS", "SOBHardCorpus", "SOBHardSample"]


class SOBHardSample(RecordSample):
    """Per sample: the record with every verdict, and the five per-sample rates."""

    score = staticmethod(score_sample)
    unanswered = staticmethod(unanswered_sample)
    names = tuple(METRICS)


class SOBHardCorpus(RecordCorpus):
    """Over a task: the headlines of contract section 9.2 with their intervals."""

    summarise = staticmethod(summarise)
    names = tuple(METRICS)


SOBHARD_METRICS = group_metrics(
    SOBHardSample(), SOBHardCorpus(), {name: name not in LOWER_IS_BETTER for name in HEADLINES}
)
