"""SOBHard: six target notations, 31 constraints, reasons, and the contract's metrics.

Pure and deterministic; imports neither LightEval nor torch nor numpy, opens no file and no socket. The functions give
the values of the benchmark's scoring contract, and every verdict says why.

Deviations from the official scorer, all on answers that would hang it, exhaust it or make it reach out; each fails
with a code of its own:

- ``too-large``: a body over eight times the reference and 200,000 characters is not parsed; nor is a YAML text of over
  60,000 characters (or 1.25 times the reference) that only the slow pure parser can judge (targets.yaml_text), nor one
  whose merge keys copy over 500,000 entries. A constraint that walks the answer fails where aliases make it endless, or
  where its walk would multiply shared parts beyond 200,000 values or 5,000,000 characters (values).
- ``too-deep``: YAML of over 490 levels, JSON and TOML beyond Python's recursion limit from an empty stack, TOML keys of
  thousands of dotted parts.
- ``invalid-yaml``: a base-60 integer of over 2,400 parts. Of several merged YAML mappings the first wins, and a merge
  key's value must be a plain mapping or a list of those.
- ``foreign-reference``, ``costly-pattern``, ``too-costly``: references that constraint 28 does not follow, patterns
  that it does not match (over 1,000 characters, over 200 of them, or searches that may take over a million steps:
  pattern_costs), schemas that contain themselves, have over 50,000 values or 5,000,000 characters with their aliases
  written out, or take over 100,000 steps or 800 frames to apply (schema_costs).
"""

from metrics.row_error import RowError
from metrics.sobhard.constraints import CONSTRAINTS, LAYERS, Constraint
from metrics.sobhard.row_checks import check_row
from metrics.sobhard.rows import answer_text, is_blanked
from metrics.sobhard.scoring import METRICS, Score, aggregate, balance_score, score

__all__ = [
    "CONSTRAINTS",
    "LAYERS",
    "METRICS",
    "Constraint",
    "RowError",
    "Score",
    "aggregate",
    "answer_text",
    "balance_score",
    "check_row",
    "is_blanked",
    "score",
]
