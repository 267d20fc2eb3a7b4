"""The package as a whole: light imports, the same verdicts and reasons in every process."""

import subprocess
import sys

import pytest

HEAVY = ("lighteval", "torch", "numpy", "datasets", "transformers", "jsonschema")
IMPORT = f"import sys, metrics.sobhard; print([name for name in {HEAVY!r} if name in sys.modules])"
SCORE = """
import sys
sys.path.insert(0, sys.argv[1])
from sobhard_fuzz import cases
from metrics import sobhard
for row, response in cases(150, 3, long_share=0.0):
    score = sobhard.score(row, response)
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
def test_one_answer_has_one_verdict(environment, request):
    """Codes, reasons and numbers do not depend on hash seeds, locale or optimisation."""
    folder = str(request.path.parent)
    assert run(SCORE, folder, **environment) == run(SCORE, folder, PYTHONHASHSEED="1")
