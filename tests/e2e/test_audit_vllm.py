"""The audit on a real model: a panel of two runs, disagreements drawn, two LLM reviews, error rates."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = 60
REPEATS = 2
GRADERS = ("lighteval_strict", "proposed")


def command(tmp_path, *arguments, program="run_lighteval.py"):
    """A command of the checkout, run elsewhere."""
    start = [str(ROOT / "run_lighteval.py")] if program == "run_lighteval.py" else ["-m", program]
    return subprocess.run(
        [sys.executable, *start, *(str(argument) for argument in arguments)],
        cwd=tmp_path if program == "run_lighteval.py" else ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


def audit(tmp_path, *arguments):
    """``python -m audit``; what it printed and how it ended."""
    done = command(tmp_path, *arguments, program="audit")
    assert done.returncode in (0, 4), done.stderr
    return done


@pytest.fixture(scope="module")
def runs(vllm_server, tmp_path_factory):
    """Sixty built-in prompts answered greedily, and twice at a temperature."""
    folder = tmp_path_factory.mktemp("panel")
    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url, "--max-new-tokens", "80"]
    common = ["--task", "ifbench:all|0", "--dataset", "builtin", "--max-samples", str(PROMPTS), *server]
    found = []
    for name, options in (
        ("greedy", []),
        ("sampled", ["--temperature", "0.7", "--seed", "1", "--repeats", str(REPEATS), "--shuffle-seed", "3"]),
    ):
        done = command(folder, *common, *options, "--output-dir", folder / name)
        assert done.returncode == 0, done.stderr
        (run,) = (folder / name).iterdir()
        found.append(run)
    return found


def test_from_runs_to_error_rates(runs, vllm_server, tmp_path):
    """Each command of the method, in order, on what the one before it left."""
    panel = tmp_path / "panel.parquet"
    done = audit(tmp_path, "panel", *runs, "--out", panel)
    assert f"{PROMPTS * (1 + REPEATS)} responses" in done.stdout

    round_ = tmp_path / "round1"
    fixtures = ["--fixtures", ROOT / "tasks" / "ifbench" / "fixtures", "--fixture-sample", 4]
    sizes = ["--disagree", 12, "--agree", 8, "--seed", 7]
    done = audit(tmp_path, "sample", panel, "--graders", *GRADERS, *sizes, *fixtures, "--out", round_)
    assert "SHA-256 of the case list" in done.stdout
    cases = (round_ / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    strata = [json.loads(line) for line in (round_ / "strata.jsonl").read_text(encoding="utf-8").splitlines()]
    populations = {row["stratum"]: row["population"] for row in strata}
    assert populations["disagree"] > 0
    assert sum(row["sampled"] for row in strata) == len(cases)

    server = ["--model", vllm_server.model, "--base-url", vllm_server.base_url, "--max-tokens", 400]
    for reviewer, options in (("A", []), ("B", ["--temperature", 0.7, "--seed", 2])):
        audit(tmp_path, "review", round_, "--reviewer", reviewer, *server, *options)
        record = json.loads((round_ / f"review_{reviewer}.json").read_text(encoding="utf-8"))
        assert record["labelled"] + len(record["without_label"]) == len(cases)
        assert record["labelled"] >= len(cases) / 2

    printed = audit(tmp_path, "estimate", round_).stdout
    found = json.loads((round_ / "estimate.json").read_text(encoding="utf-8"))
    assert set(GRADERS) <= found["graders"].keys()
    for grader in GRADERS:
        estimate = found["graders"][grader]
        strata_of = {row["name"]: row for row in estimate["strata"]}
        assert {name: row["population"] for name, row in strata_of.items()} == populations
        if estimate["undefined"]:
            assert estimate["error"]["value"] is None
        else:
            low, high = estimate["error"]["bootstrap"]
            assert 0 <= low <= estimate["error"]["value"] <= high <= 1
        assert grader in printed
    assert found["kappa"]["leans"]["cases"] == found["labelled"]


def test_two_temperatures_are_compared(runs, tmp_path):
    """The repeat check counts unlike answers; a comparison is refused for the temperature, and made on request."""
    greedy, sampled = runs
    for folders in ((greedy, sampled), (sampled,)):  # second repeats against first ones
        done = command(tmp_path, "repeats", *folders, program="report")
        assert done.returncode == 0, done.stderr
        assert f"of {PROMPTS} answers differ" in done.stdout
    refused = command(tmp_path, "compare", greedy, sampled, program="report")
    assert refused.returncode == 2
    assert "sampling: temperature 0.0 and 0.7" in refused.stderr
    done = command(tmp_path, "compare", greedy, sampled, "--common", "--json", tmp_path / "c.json", program="report")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert found["common"] == PROMPTS
    assert sum(found["questions"][kind] for kind in ("won", "lost", "tied", "missing")) == PROMPTS
    for moved in found["metrics"].values():
        low, high = moved["interval"]
        assert low <= moved["difference"] <= high
