"""A reviewed round, estimated: the numbers by hand, and what is said where there are none."""

import json

import pytest
from audit_runs import IDS, command, make_round, make_run, review, sample, truth, verdict

from audit.estimates import Case, estimate_round
from audit.round import open_round
from audit.statistics import cohens_kappa
from audit.wording import LOOSE_NOTE
from runs.files import read_json, read_jsonl


def estimated(made, *options):
    """``estimate`` of a round, as it was written."""
    code = command("estimate", made.folder, *options)
    return code, read_json(made.folder / "estimate.json")


def case(number, stratum, leans, verdict, **more):
    return Case(f"c{number}", stratum, "i", tuple(leans), tuple(leans), {"g": verdict}, **more)


def test_the_worked_example_case_by_case():
    """The strata of the notes, 6.5, as cases with leans and verdicts: 0.2725."""
    pf = ("pass", "fail")
    disagree = [pf[:1] * 2, pf[:1] * 2, pf[1:] * 2, pf[1:] * 2, pf]
    cases = [
        case(n, "disagree", leans, verdict)
        for n, (leans, verdict) in enumerate(zip(disagree, [False, True, False, True, True], strict=True))
    ]
    cases += [case(9 + n, "agree", ("pass", "pass"), verdict) for n, verdict in enumerate([True, True, False, True])]
    cases += [case(20, "fixture", ("pass", "pass"), None, fixture="f", expected="fail", shows="AF1")]
    found = estimate_round(1, cases, {"disagree": 90, "agree": 910, "fixture": 0}, ("g",), ("A", "B"))
    (one,) = found.graders
    assert one.error.value == pytest.approx(0.2725)
    assert one.false_pass.value == pytest.approx(90 / 4 / 1000)
    assert one.false_fail.value == pytest.approx((90 / 4 + 910 / 4) / 1000)
    assert one.error.bootstrap.low <= 0.2725 <= one.error.bootstrap.high
    assert one.strata[0] == ("disagree", 90, 5, 4, 1, 0, 1, 1)
    assert found.fixtures == (1, ("f (AF1)",))
    assert (found.cases, found.labelled, found.decided) == (10, 10, 9)


def test_a_reviewer_who_holds_with_one_grader(tmp_path, capsys):
    """Ten of sixty verdicts differ; the truth is the new grader's: 0 and 10/60, all of them false passes."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    review(made, "B", truth)
    code, found = estimated(made)
    assert code == 0
    assert found["graders"]["new"]["error"]["value"] == 0
    assert found["graders"]["old"]["error"]["value"] == pytest.approx(10 / 60)
    assert found["graders"]["old"]["false_pass"]["value"] == pytest.approx(10 / 60)
    assert found["graders"]["old"]["false_fail"]["value"] == 0
    assert found["graders"]["new"]["error"]["bootstrap"] == [0, 0]
    assert found["graders"]["new"]["error"]["score"][1] > 0.1  # ten agreements seen of fifty
    assert found["kappa"]["leans"]["value"] == 1
    assert found["fixtures"] == {"decided": 2, "contradicted": []}
    printed = capsys.readouterr().out
    assert "kappa of leans: 1.000 over 22 cases" in printed
    assert "old     16.67%" in printed


def test_what_reviewers_do_not_share_does_not_enter(tmp_path):
    """B turns each disagreement round: no stratum decided, so no rate is given for either grader."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    review(
        made,
        "B",
        lambda c, s: ("fail" if truth(c, s) == "pass" else "pass") if s["stratum"] == "disagree" else truth(c, s),
    )
    code, found = estimated(made)
    assert code == 0
    for grader in ("old", "new"):
        assert found["graders"][grader]["error"] == {"value": None, "bootstrap": None, "score": None}
        assert found["graders"][grader]["undefined"] == "no decided case in disagree"
    assert found["decided"] == 12


def test_unlabelled_cases_make_it_incomplete(tmp_path, capsys):
    """Exit 4; they count as undecided."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    review(made, "B", lambda c, s: None if c["case_id"] == made.case_ids[0] else truth(c, s))
    code, found = estimated(made)
    assert code == 4
    assert (found["cases"], found["labelled"]) == (22, 21)
    assert "22 cases, 21 labelled" in capsys.readouterr().out


def test_one_reviewer_alone(tmp_path, capsys):
    """Their leans are the consensus, said so; there is no kappa."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    code, found = estimated(made)
    assert code == 0
    assert found["kappa"] == {}
    assert found["graders"]["old"]["error"]["value"] == pytest.approx(10 / 60)
    assert "one reviewer" in capsys.readouterr().out


def test_kappa_says_what_it_compared(tmp_path):
    """Leans with and without fixtures, and verdicts, each with its count; undefined where all labels are equal."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    review(made, "B", lambda c, s: "fail" if s["source"] == "fixture" else truth(c, s))
    _, found = estimated(made)
    pairs = [
        (truth(c, s), "fail" if s["source"] == "fixture" else truth(c, s))
        for c in made.cases
        for s in [made.sealed[c["case_id"]]]
    ]
    by_hand = cohens_kappa(*zip(*pairs, strict=True))
    assert found["kappa"]["leans"]["value"] == pytest.approx(by_hand.value)
    assert found["kappa"]["leans"]["cases"] == 22
    assert found["kappa"]["leans without fixtures"] == {"value": 1.0, "cases": 20, "observed": 1.0} | {
        "expected": found["kappa"]["leans without fixtures"]["expected"]
    }
    assert found["fixtures"] == {"decided": 1, "contradicted": []}
    for name in "AB":
        made.labels_path(name).unlink()
        review(made, name, lambda c, s: "pass")
    _, found = estimated(made)
    assert found["kappa"]["leans"]["value"] is None


def test_contradicted_fixtures_are_named_by_our_ids(tmp_path, capsys):
    """F2 of a fixture file is our AF2."""
    made = make_round(tmp_path)
    for name in "AB":
        review(made, name, lambda c, s: "fail")
    _, found = estimated(made)
    assert found["fixtures"] == {"decided": 2, "contradicted": ["f-1 (AF2)"]}
    assert "contradicts 1 of 2 labels: f-1 (AF2)" in capsys.readouterr().out


def test_seed_and_generator_are_recorded(tmp_path):
    """And change the interval, not the rate."""
    made = make_round(tmp_path)
    review(made, "A", lambda c, s: "pass")
    _, first = estimated(made, "--seed", 1)
    _, second = estimated(made, "--seed", 2, "--resamples", 50)
    assert first["bootstrap"] | {"numpy": ""} == {
        "generator": "numpy PCG64",
        "seed": 1,
        "resamples": 2000,
        "level": 0.95,
        "numpy": "",
    }
    assert first["graders"]["old"]["error"]["value"] == second["graders"]["old"]["error"]["value"]
    assert first["graders"]["old"]["error"]["bootstrap"] != second["graders"]["old"]["error"]["bootstrap"]


def test_the_review_is_written_in_the_published_form(tmp_path, capsys):
    """And estimates to the same numbers from there."""
    made = make_round(tmp_path)
    review(made, "A", truth)
    review(made, "B", lambda c, s: "pass")
    _, found = estimated(made)
    rows = read_jsonl(made.folder / "blind_review.jsonl")
    assert len(rows) == 22
    assert {"case_id", "round", "source", "stratum", "old", "new", "reviewer_b_lean", "consensus"} <= rows[0].keys()
    assert command("estimate", "--published", made.folder, "--json", tmp_path / "again.json") == 0
    again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["1"]
    assert again["graders"] == found["graders"]
    assert again["kappa"] == found["kappa"]
    assert again["fixtures"]["decided"] == found["fixtures"]["decided"]


def test_label_counts_say_how_many_cases_are_decided(tmp_path, capsys):
    """At each taking in of labels, over all that the round has by then; in the estimate by grader too."""
    made = make_round(tmp_path)
    files = tmp_path / "labels"
    files.mkdir()
    review(made, "A", truth).rename(files / "A.jsonl")
    unlike = made.case_ids[:3]
    rule = {"pass": "fail", "fail": "pass"}
    review(
        made,
        "B",
        lambda c, s: (
            None if c["case_id"] == made.case_ids[-1] else rule[truth(c, s)] if c["case_id"] in unlike else truth(c, s)
        ),
    ).rename(files / "B.jsonl")
    assert command("review", made.folder, "--import", files / "A.jsonl") == 0
    printed = capsys.readouterr().out
    assert "22 of 22 cases decided by the labels of A (one reviewer's lean decides)" in printed
    assert command("review", made.folder, "--import", files / "B.jsonl") == 4
    assert "18 of 22 cases decided by the labels of A and B (all lean one way)" in capsys.readouterr().out
    code, found = estimated(made)
    assert (code, found["labelled"], found["decided"]) == (4, 21, 18)
    printed = capsys.readouterr().out
    assert "round 1: 22 cases, 21 labelled by A and B, 18 decided" in printed
    decided = sum(count["decided"] for count in found["graders"]["new"]["strata"] if count["population"])
    rates = [line.split() for line in printed.splitlines() if line.startswith("  new ")]
    assert rates[0][-3:] == [str(decided), "of", "20"]


def test_loose_graders_are_said_to_be_held_to_labels_of_the_whole_response(tmp_path, capsys):
    """At the draw, in the estimate, in its file, and of a published audit; strict graders alone have no such line."""
    rows = [
        sample(
            f"k{number}",
            f"*answer* {number}",
            [
                verdict(name, grader, grader == "mine_loose" or number % 2 == 0, place=place)
                for grader in ("mine_strict", "mine_loose")
                for place, name in enumerate(IDS)
            ],
        )
        for number in range(10)
    ]
    run = make_run(tmp_path, "run", rows)
    assert command("panel", run, "--out", tmp_path / "p.parquet") == 0
    given = ["--graders", "mine_strict", "mine_loose", "--agree", 10, "--seed", 1, "--out", tmp_path / "round"]
    assert command("sample", tmp_path / "p.parquet", *given) == 0
    assert f"  mine_loose: {LOOSE_NOTE}" in capsys.readouterr().out
    made = open_round(tmp_path / "round")
    review(made, "A", lambda c, s: "pass" if s["verdicts"]["mine_strict"] else "fail")
    _, found = estimated(made)
    assert f"  mine_loose: {LOOSE_NOTE}" in capsys.readouterr().out
    assert found["graders"]["mine_loose"]["note"] == LOOSE_NOTE
    assert found["graders"]["mine_strict"]["note"] == ""
    assert found["graders"]["mine_loose"]["false_pass"]["value"] == 0.5
    assert command("estimate", "--published", made.folder) == 0
    assert f"  mine_loose: {LOOSE_NOTE}" in capsys.readouterr().out
    other = make_round(tmp_path / "strict")
    review(other, "A", truth)
    estimated(other)
    assert LOOSE_NOTE not in capsys.readouterr().out


@pytest.mark.parametrize("reviewers", [[], ["A", "B", "C"]])
def test_one_or_two_reviewers(tmp_path, capsys, reviewers):
    """Exit 2 otherwise; of three, two can be named."""
    made = make_round(tmp_path)
    paths = [review(made, name, truth) for name in reviewers]
    assert command("estimate", made.folder) == 2
    if paths:
        assert command("estimate", made.folder, "--labels", *paths[:2]) == 0
        assert command("estimate", made.folder, "--labels", paths[0], paths[0]) == 2


def test_one_grader_alone_is_estimated(tmp_path):
    """Strata of its own verdicts: five of 45 passes and three of 15 fails, all said to fail: 45/60 wrong."""
    make_round(tmp_path, fixtures=False)
    given = ["--graders", "old", "--passed", 5, "--failed", 3, "--seed", 1, "--out", tmp_path / "alone"]
    assert command("sample", tmp_path / "panel.parquet", *given) == 0
    made = open_round(tmp_path / "alone")
    review(made, "A", lambda c, s: "fail")
    _, found = estimated(made)
    assert found["graders"]["old"]["error"]["value"] == pytest.approx(45 / 60)
    assert found["graders"]["old"]["false_pass"]["value"] == pytest.approx(45 / 60)


@pytest.mark.parametrize(
    "arguments", [["estimate"], ["estimate", "x", "--published", "y"], ["estimate", "absent"], ["x"], []]
)
def test_usage(arguments, capsys):
    """Exit 2 and a line that says why."""
    assert command(*arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")
