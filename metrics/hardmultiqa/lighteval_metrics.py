"""HardMultiQA's corpus metric in LightEval's terms; the sample metric asks a judge and so stands with the task."""

from metrics.hardmultiqa.records import SCORES
from metrics.hardmultiqa.summary import summarise
from metrics.lighteval import RecordCorpus

__all__ = ["HardMultiQACorpus"]


class HardMultiQACorpus(RecordCorpus):
    """Over a task: the judged score and how judging went, with intervals."""

    summarise = staticmethod(summarise)
    names = SCORES
