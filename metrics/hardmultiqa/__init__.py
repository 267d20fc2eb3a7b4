"""HardMultiQA: what a judged answer is worth, over five types of factual questions.

Pure and deterministic; imports neither LightEval nor torch nor numpy nor a judge. What a judge found comes in as plain
JSON values that the judge's side has checked against answer and reference (judges/hardmultiqa/replies.py).
"""

from metrics.hardmultiqa.answers import Answer, answer_text, part_answer, split_answer
from metrics.hardmultiqa.folding import fold, occurs, places
from metrics.hardmultiqa.options_rule import decide
from metrics.hardmultiqa.scoring import Scored, empty_verdict, score_verdict
from metrics.hardmultiqa.scoring_key import LIST_TYPES, TYPES, Key, RowError, parse_key, question_options

__all__ = [
    "LIST_TYPES",
    "TYPES",
    "Answer",
    "Key",
    "RowError",
    "Scored",
    "answer_text",
    "decide",
    "empty_verdict",
    "fold",
    "occurs",
    "parse_key",
    "part_answer",
    "places",
    "question_options",
    "score_verdict",
    "split_answer",
]
