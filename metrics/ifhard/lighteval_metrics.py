"""IFHardBench metrics in LightEval's terms."""

from metrics.ifhard.records import score_sample, unanswered_sample
from metrics.ifhard.summary import HEADLINES, summarise
from metrics.lighteval import RecordCorpus, RecordSample, group_metrics

__all__ = ["IFHARD_METRICS", "IFHardCorpus", "IFHardSample"]

_NAMES = ("sample_pass_rate", "constraint_pass_rate")


class IFHardSample(RecordSample):
    """Per sample: the record with every verdict, and the two per-sample rates."""

    score = staticmethod(score_sample)
    unanswered = staticmethod(unanswered_sample)
    names = _NAMES


class IFHardCorpus(RecordCorpus):
    """Over a task: the headlines of contract section 8.2 with their intervals."""

    summarise = staticmethod(summarise)
    names = _NAMES


IFHARD_METRICS = group_metrics(IFHardSample(), IFHardCorpus(), {name: name != "empty_share" for name in HEADLINES})
