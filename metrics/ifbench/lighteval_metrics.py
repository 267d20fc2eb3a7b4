"""IFBench metrics in LightEval's terms."""

from metrics.ifbench.records import MAIN, score_sample, unanswered_sample
from metrics.ifbench.summary import LOWER_IS_BETTER, summarise
from metrics.lighteval import RecordCorpus, RecordSample, group_metrics

__all__ = ["IFBENCH_METRICS", "IFBenchCorpus", "IFBenchSample"]


class IFBenchSample(RecordSample):
    """Per sample: the record with every verdict of every grader, and the four main rates."""

    score = staticmethod(score_sample)
    unanswered = staticmethod(unanswered_sample)
    names = tuple(MAIN)


class IFBenchCorpus(RecordCorpus):
    """Over a task: prompt level and instruction level under every grader, and four shares, with their intervals."""

    summarise = staticmethod(summarise)
    names = tuple(MAIN)


IFBENCH_METRICS = group_metrics(
    IFBenchSample(), IFBenchCorpus(), dict.fromkeys(MAIN, True) | dict.fromkeys(LOWER_IS_BETTER, False)
)
