"""The package as a whole: light imports, the same verdicts and reasons in every process."""

import subprocess
import sys

import pytest

HEAVY = ("lighteval", "torch", "numpy", "datasets", "transformers", "jsonschema")
IMPORT = f"import sys, metrics.sobhard; print([name for name in {HEAVY!r} if name in sys.modules])"
SCORE = """
from random import Random
from metrics.row_error import RowError
from metrics.sobhard.rows import question
from metrics.sobhard.scoring import score_question
from proofs.fuzz.targets import GROUPS
source = Random(3)
for _ in range(150):
    given = GROUPS["sobhard"].fresh(source)
    try:
        score = score_question(question(given["row"]), given["text"])
    except RowError as error:
        print(ascii(error))
    else:
        print(ascii([(name, verdict) for name, verdict in score.constraints.items()]), dict(score.metrics))
"""


def run(code, *arguments, **environment):
    """Standard output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_importing_it_imports_nothing_heavy():
    """Neither LightEval nor torch nor numpy."""
    assert run(IMPORT).strip() == "[]"


@pytest.mark.parametrize("environment", [{"PYTHONHASHSEED": "2"}, {"LC_ALL": "C"}, {"PYTHONOPTIMIZE": "1"}], ids=str)
def test_one_answer_has_one_verdict(environment):
    """Codes, reasons and numbers do not depend on hash seeds, locale or optimisation."""
    assert run(SCORE, **environment) == run(SCORE, PYTHONHASHSEED="1")
