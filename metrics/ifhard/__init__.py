"""IFHardBench: verifiers for 64 requirement types, reasoning removal, scores and aggregates.

Pure and deterministic; imports neither LightEval nor torch nor numpy. The functions give the values of the
benchmark's scoring contract, and every verdict says why.
"""

from metrics.ifhard.params import ParamsError
from metrics.ifhard.reasoning import Reasoning, split_reasoning, strip_reasoning
from metrics.ifhard.registry import CATEGORIES, Category
from metrics.ifhard.scoring import Score, aggregate, score, score_constraints
from metrics.ifhard.scoring_key import Constraint, check_row, parse_constraints
from metrics.ifhard.verification import check_params, verify

__all__ = [
    "CATEGORIES",
    "Category",
    "Constraint",
    "ParamsError",
    "Reasoning",
    "Score",
    "aggregate",
    "check_params",
    "check_row",
    "parse_constraints",
    "score",
    "score_constraints",
    "split_reasoning",
    "strip_reasoning",
    "verify",
]
