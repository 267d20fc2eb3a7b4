"""Drawing a round: strata, opaque ids, nothing for reviewers but the case."""

import itertools
import json
from pathlib import Path

import pytest
from audit_runs import MODEL, command, make_round, make_run, sample, two_graders, verdict

from audit.errors import AuditError
from audit.fixtures import own_id, read_fixtures
from audit.panel import build_panel
from audit.round import open_round, reviewer_order
from audit.sampling import Plan, draw_round, population
from runs.files import read_jsonl, sha256_of


def test_every_disagreement_and_some_agreements(tmp_path):
    """Thirty answers with two constraints: ten disagreements, all drawn; fifty agreements, ten drawn; two fixtures."""
    made = make_round(tmp_path)
    assert made.strata == [
        {"round": 1, "stratum": "disagree", "population": 10, "sampled": 10},
        {"round": 1, "stratum": "agree", "population": 50, "sampled": 10},
        {"round": 1, "stratum": "fixture", "population": 0, "sampled": 2},
    ]
    for row in made.sealed.values():
        verdicts = set(row["verdicts"].values())
        assert (len(verdicts) == 2) == (row["stratum"] == "disagree")
        assert (verdicts == {None}) == (row["stratum"] == "fixture")


def test_a_case_is_the_verdict_it_says(tmp_path):
    """Sealed rows point at the very response and constraint that the shown row holds."""
    made = make_round(tmp_path)
    rows = {row.prompt_key: row for row in build_panel([tmp_path / "greedy-run"]).rows}
    for case in made.cases:
        hidden = made.sealed[case["case_id"]]
        if hidden["source"] == "panel":
            row = rows[hidden["prompt_key"]]
            graded = row.constraints[hidden["position"]]
            assert (case["response"], case["prompt"]) == (row.response, row.prompt)
            assert (case["instruction_id"], case["instruction"]) == (graded.instruction_id, graded.instruction)
            assert hidden["verdicts"] == graded.verdicts
            assert hidden["response_sha256"] == row.response_sha256


def test_reviewers_see_no_model_verdict_or_stratum(tmp_path):
    """The case file has these six fields and no others, and no value of the sealed file but the instruction's."""
    made = make_round(tmp_path)
    text = (made.folder / "cases.jsonl").read_text(encoding="utf-8")
    for case in made.cases:
        assert list(case) == ["case_id", "round", "instruction_id", "instruction", "prompt", "response"]
    for hidden in (MODEL, "secret", "greedy-run", "disagree", "fixture", "f-1", "AF2", "because", '"old"', "verdict"):
        assert hidden not in text, hidden
    assert "true" not in text
    assert "false" not in text


def test_ids_do_not_tell_the_strata(tmp_path):
    """Cases of all strata are shuffled before they are numbered."""
    made = make_round(tmp_path)
    strata = [made.sealed[name]["stratum"] for name in made.case_ids]
    assert made.case_ids == [f"R1-{number:02d}" for number in range(1, 23)]
    changes = sum(a != b for a, b in itertools.pairwise(strata))
    assert changes > 4  # one block a stratum would change twice


def test_the_same_seed_draws_the_same_round(tmp_path, capsys):
    """Byte for byte, and its SHA-256 is printed; another seed draws another."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = make_round(tmp_path / "a")
    printed = capsys.readouterr().out
    second = make_round(tmp_path / "b")
    assert f"SHA-256 of the case list: {sha256_of(first.folder / 'cases.jsonl')}" in printed
    assert (first.cases_sha256, first.about["sealed_sha256"]) == (second.cases_sha256, second.about["sealed_sha256"])
    (tmp_path / "c").mkdir()
    assert make_round(tmp_path / "c", "--seed", 6).cases_sha256 != first.cases_sha256


def test_each_reviewer_has_an_own_order(tmp_path):
    """The same twice, all cases, and not the order of the other."""
    made = make_round(tmp_path)
    orders = {name: [case["case_id"] for case in reviewer_order(made, name)] for name in ("A", "B")}
    assert orders["A"] != orders["B"]
    for name, order in orders.items():
        assert sorted(order) == made.case_ids
        assert order == [case["case_id"] for case in reviewer_order(open_round(made.folder), name)]


def test_caps_runs_and_benchmarks(tmp_path):
    """--disagree caps the first stratum but not its population; --run and --benchmark narrow the population."""
    made = make_round(tmp_path, "--disagree", 4, "--run", "greedy-run", "--benchmark", "ifbench", fixtures=False)
    assert [(row["population"], row["sampled"]) for row in made.strata] == [(10, 4), (50, 10), (0, 0)]


def test_fixtures_can_be_sampled(tmp_path):
    """One of two."""
    made = make_round(tmp_path, "--fixture-sample", 1)
    assert [row["sampled"] for row in made.strata] == [10, 10, 1]


def test_one_grader_alone_is_drawn_by_its_own_verdicts(tmp_path):
    """For checkers with no rival: strata of passes and fails."""
    make_round(tmp_path, fixtures=False)
    given = ["--graders", "old", "--passed", 5, "--failed", 3, "--seed", 1, "--out", tmp_path / "alone"]
    assert command("sample", tmp_path / "panel.parquet", *given) == 0
    made = open_round(tmp_path / "alone")
    counts = {row["stratum"]: (row["population"], row["sampled"]) for row in made.strata}
    assert counts == {"failed": (15, 3), "passed": (45, 5), "fixture": (0, 0)}
    for row in made.sealed.values():
        assert row["verdicts"]["old"] == (row["stratum"] == "passed")


def test_what_has_no_verdict_is_in_no_population(tmp_path):
    """Broken answers and constraints that a grader cannot judge are counted apart."""
    run = make_run(
        tmp_path,
        "run",
        [
            sample("a", "x", two_graders([True, None], [False, True])),
            sample("b", "", two_graders([None, None], [None, None]), outcome="failed"),
        ],
    )
    strata, left_out = population(build_panel([run]), Plan(("old", "new"), {}, 0))
    assert {name: len(places) for name, places in strata.items()} == {"disagree": 1, "agree": 0}
    assert left_out == {"no answer or no verdict": 2, "no verdict of a compared grader": 1}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--graders", "old", "newer", "--agree", 1], "no grader newer; it has old, new"),
        (["--graders", "old", "old", "--agree", 1], "two different"),
        (["--graders", "old", "new"], "--agree N"),
        (["--graders", "old", "new", "--agree", 1, "--passed", 1], "--agree N"),
        (["--graders", "old", "--passed", 1], "--passed N and --failed N"),
        (["--graders", "old", "new", "--agree", 1, "--run", "x"], "no run x"),
        (["--graders", "old", "new", "--agree", -1], "below 0"),
        (["--graders", "old", "new", "--agree", "ten"], "argument --agree: 'ten' is no whole number"),
    ],
)
def test_draws_that_cannot_be(tmp_path, capsys, options, words):
    """Exit 2 and the reason."""
    make_round(tmp_path, fixtures=False)
    code = command("sample", tmp_path / "panel.parquet", *options, "--seed", 1, "--out", tmp_path / "other")
    assert code == 2
    assert words in capsys.readouterr().err


def test_a_round_is_never_drawn_over(tmp_path, capsys):
    """Its cases may be under review."""
    made = make_round(tmp_path, fixtures=False)
    given = ["--graders", "old", "new", "--agree", 1, "--seed", 1, "--out", made.folder]
    assert command("sample", tmp_path / "panel.parquet", *given) == 2
    assert "holds a round already" in capsys.readouterr().err


def test_nothing_to_draw_from(tmp_path):
    """An error, not a round without cases."""
    run = make_run(tmp_path, "run", [sample("b", "", [verdict("i", "z", None)], task="z:all|0", outcome="failed")])
    with pytest.raises(AuditError, match="nothing to draw from"):
        draw_round(build_panel([run]), Plan(("z",), {}, 0))


@pytest.mark.parametrize(
    ("name", "of", "to"),
    [
        ("cases.jsonl", "answer", "reply"),
        ("sealed.jsonl", "true", "false"),
        ("strata.jsonl", "50", "51"),
    ],
)
def test_a_changed_round_is_refused(tmp_path, name, of, to):
    """Cases, frozen verdicts and populations are those of the draw."""
    made = make_round(tmp_path, fixtures=False)
    path = made.folder / name
    path.write_text(path.read_text(encoding="utf-8").replace(of, to), encoding="utf-8")
    with pytest.raises(AuditError, match="changed since the draw"):
        open_round(made.folder)


def test_the_projects_fixtures_can_be_mixed_in():
    """Every fixture of IFBench here has an instruction in words, and findings that begin with A."""
    found = read_fixtures(Path(__file__).resolve().parents[2] / "tasks" / "ifbench" / "fixtures")
    assert len(found) >= 143
    assert all(one.instruction for one in found)
    assert all(one.finding.startswith("AF") for one in found if one.finding)


@pytest.mark.parametrize(
    ("found", "own"), [("F2", "AF2"), ("D1", "AD1"), ("G1", "AG1"), ("AF2", "AF2"), ("", ""), (None, "")]
)
def test_our_ids_begin_with_a(found, own):
    """The published audit numbers other findings F1 and other decisions D1."""
    assert own_id(found) == own


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expected": "maybe"}, "neither pass nor fail"),
        ({"response": None}, "has no response"),
        ({"instruction_id": "no:such"}, "has no instruction"),
        ({"kwargs_json": "{"}, "kwargs_json is not JSON"),
    ],
)
def test_bad_fixtures_are_refused(tmp_path, change, words):
    """With file and number."""
    row = {"id": "a", "instruction_id": "format:no_whitespace", "kwargs_json": "{}", "response": "", "expected": "pass"}
    (tmp_path / "f.jsonl").write_text(json.dumps(row | change) + "\n", encoding="utf-8")
    with pytest.raises(AuditError, match=words):
        read_fixtures(tmp_path / "f.jsonl")


def test_a_fixture_may_bring_its_own_words(tmp_path):
    """For checkers other than IFBench's; ids given twice are refused."""
    row = {"id": "a", "instruction_id": "x", "instruction": "Be kind.", "response": "", "expected": "pass"}
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert read_fixtures(tmp_path / "f.jsonl")[0].instruction == "Be kind."
    (tmp_path / "g.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(AuditError, match="there twice"):
        read_fixtures(tmp_path)
    assert read_jsonl(tmp_path / "f.jsonl") == [row]
