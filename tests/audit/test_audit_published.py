"""The published form of an audit, on synthetic files of its shape: the numbers of its own formula come out."""

import json
import random

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from audit_runs import command

from audit.errors import AuditError
from audit.published import read_folder, rounds, warnings_of
from runs.files import read_json

GRADERS = ("marin_strict", "fixes_only", "proposed")
STRATA = [
    {"round": 1, "stratum": "disagree", "population": 300, "sampled": 60},
    {"round": 1, "stratum": "agree", "population": 5204, "sampled": 40},
    {"round": 1, "stratum": "fixture", "population": 0, "sampled": 12},
    {"round": 2, "stratum": "disagree", "population": 281, "sampled": 50},
    {"round": 2, "stratum": "agree", "population": 5223, "sampled": 40},
    {"round": 2, "stratum": "fixture", "population": 0, "sampled": 10},
]


def review_rows():
    """Two rounds of cases with labels drawn from a fixed seed; fixtures have no verdicts."""
    chance = random.Random(20_261_129)
    rows = []
    for line in STRATA:
        fixture = line["stratum"] == "fixture"
        for _ in range(line["sampled"]):
            leans = [chance.choice(["pass", "fail"])] * 2
            if chance.random() < 0.06:
                leans[1] = {"pass": "fail", "fail": "pass"}[leans[0]]
            right = [chance.random() > (0.3 if line["stratum"] == "disagree" else 0.03) for _ in GRADERS]
            verdicts = [(leans[0] == "pass") == good for good in right]
            rows.append(
                {
                    "case_id": f"case-{len(rows):03d}",
                    "round": line["round"],
                    "source": "fixture" if fixture else "panel",
                    "stratum": line["stratum"],
                    "config": None if fixture else "Qwen3-8B",
                    "prompt_key": None if fixture else "17",
                    "fixture_name": "f/x" if fixture else None,
                    "fixture_expected": "pass" if fixture else None,
                    "finding": "F3" if fixture else None,
                    "decision": None,
                    "instruction_id": "count:numbers",
                    "instruction": "Two numbers.",
                    "prompt": "p",
                    "response": "r",
                    **dict(zip(GRADERS, [None] * 3 if fixture else verdicts, strict=True)),
                    **{
                        f"reviewer_{letter}_{name}": value
                        for letter, lean in zip("ab", leans, strict=True)
                        for name, value in (("verdict", lean), ("lean", lean), ("confidence", 0.9), ("reason", ""))
                    },
                    "consensus": leans[0] if leans[0] == leans[1] else "",
                }
            )
    return rows


def by_their_formula(rows, strata, round_, grader):
    """The function in the audit's description, over rows instead of a dataset."""
    sizes = {s["stratum"]: s["population"] for s in strata if s["round"] == round_ and s["population"]}
    rate = 0.0
    for stratum, size in sizes.items():
        decided = [r for r in rows if r["round"] == round_ and r["stratum"] == stratum and r["consensus"]]
        wrong = sum((r["consensus"] == "pass") != r[grader] for r in decided)
        rate += size * wrong / len(decided)
    return rate / sum(sizes.values())


def write_table(folder, name, rows, form):
    """One table in one of the layouts in which a dataset can lie on a disk."""
    if form == "jsonl":
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif form == "parquet":
        (folder / name).mkdir()
        pq.write_table(pa.Table.from_pylist(rows), folder / name / "train-00000-of-00001.parquet")
    elif form == "data":
        (folder / "data" / name).mkdir(parents=True)
        half = len(rows) // 2
        for number, part in enumerate((rows[:half], rows[half:])):
            path = folder / "data" / name / f"train-0000{number}-of-00002.parquet"
            pq.write_table(pa.Table.from_pylist(rows).slice(number * half, len(part)), path)
    else:
        pacsv.write_csv(pa.Table.from_pylist(rows), folder / f"{name}.csv")


@pytest.fixture
def folder(tmp_path):
    """The two tables that rates need, as JSON Lines."""
    write_table(tmp_path, "blind_review", review_rows(), "jsonl")
    write_table(tmp_path, "blind_review_strata", STRATA, "jsonl")
    return tmp_path


@pytest.mark.parametrize("form", ["jsonl", "parquet", "data", "csv"])
def test_the_numbers_of_the_published_formula(tmp_path, form, capsys):
    """Both rounds, all three graders, to the last digit, from any layout."""
    rows = review_rows()
    write_table(tmp_path, "blind_review", rows, form)
    write_table(tmp_path, "blind_review_strata", STRATA, form)
    assert command("estimate", "--published", tmp_path, "--resamples", 50, "--json", tmp_path / "found.json") == 0
    found = read_json(tmp_path / "found.json")
    for number in (1, 2):
        for grader in GRADERS:
            rate = found[str(number)]["graders"][grader]["error"]["value"]
            assert rate == pytest.approx(by_their_formula(rows, STRATA, number, grader), abs=1e-15)
    assert found["1"]["kappa"]["leans"]["cases"] == 112
    assert "published round 2: 100 cases" in capsys.readouterr().out


def test_one_round_alone(folder):
    """Or an error that says which there are."""
    assert command("estimate", "--published", folder, "--round-number", 2, "--resamples", 10) == 0
    assert [one.number for one in rounds(read_folder(folder), 2)] == [2]
    with pytest.raises(AuditError, match="no round 3, only 1, 2"):
        rounds(read_folder(folder), 3)


def test_all_six_tables_are_read(folder, capsys):
    """Fixtures, findings, decisions and the panel are counted; the panel's verdicts by grader."""
    constraint = {
        "instruction_id": "i",
        "marin_strict": True,
        "fixes_only": False,
        "proposed_reason": "",
        "crash": True,
    }
    panel = [{"config": "c", "run": "greedy", "prompt_key": "1", "infrastructure": False, "constraints": [constraint]}]
    write_table(folder, "panel_verdicts", panel * 3, "parquet")
    write_table(folder, "fixtures", [{"id": "a", "expected": "pass"}], "jsonl")
    write_table(folder, "findings", [{"id": "F1"}, {"id": "G1"}], "jsonl")
    write_table(folder, "decisions", [{"id": "D1", "question": "?", "official_reading": "", "proposal": ""}], "jsonl")
    assert command("estimate", "--published", folder, "--resamples", 10) == 0
    printed = capsys.readouterr()
    for line in ("panel_verdicts: 3 rows", "findings: 2 rows", "decisions: 1 rows", "fixtures: 1 rows"):
        assert line in printed.out
    assert "marin_strict: 3 of 3 verdicts of the panel are passes" in printed.out
    assert "fixes_only: 0 of 3 verdicts" in printed.out
    assert "3 constraints of the panel with a crash" in printed.out
    assert "warning: panel_verdicts has no column response_sha256" in printed.err
    assert "decisions has no" not in printed.err
    assert "F3" not in printed.err
    assert "this project's begin with A" in printed.out


def extended(**columns):
    """The review with further columns; a function makes the value of each row from its number."""
    return [row | {name: make(n) for name, make in columns.items()} for n, row in enumerate(review_rows())]


STRANGE = {
    "needs_second_look": lambda n: n % 2 == 0,
    "is_duplicate": lambda n: "false",
    "author_label": lambda n: "pass",
    "fixes_only_crashed": lambda n: False,
    "judge": lambda n: None if n else True,
    "note": lambda n: "text",
}


@pytest.mark.parametrize("form", ["jsonl", "parquet", "csv"])
def test_only_documented_columns_are_graders(tmp_path, form, capsys):
    """Other columns of true and false, in whatever spelling, are named and change nothing."""
    write_table(tmp_path, "blind_review", extended(**STRANGE), form)
    write_table(tmp_path, "blind_review_strata", STRATA, form)
    assert command("estimate", "--published", tmp_path, "--resamples", 10, "--json", tmp_path / "found.json") == 0
    printed = capsys.readouterr()
    assert f"blind_review: no grader's and ignored: {', '.join(STRANGE)} (--graders" in printed.err
    for number in "12":
        assert set(read_json(tmp_path / "found.json")[number]["graders"]) == set(GRADERS)
    assert "is_duplicate" not in printed.out


def test_the_panel_counts_documented_graders_alone(folder, capsys):
    """Also where the constraints are JSON in a text, as in CSV."""
    constraint = {"instruction_id": "i", "marin_loose": True, "flagged": True, "proposed_reason": "", "crash": False}
    texts = (json.dumps([constraint]), "[", "3", "[3]", "")
    panel = [{"run": "greedy", "constraints": constraints} for constraints in texts]
    write_table(folder, "panel_verdicts", panel, "csv")
    assert command("estimate", "--published", folder, "--resamples", 10) == 0
    printed = capsys.readouterr()
    assert "marin_loose: 1 of 1 verdicts of the panel are passes" in printed.out
    assert "panel_verdicts.constraints: no grader's and ignored: flagged" in printed.err
    assert "panel_verdicts: constraints of 3 rows cannot be read and are left out" in printed.err
    assert "flagged" not in printed.out


def test_other_columns_are_graders_when_named(folder, capsys):
    """An audit of other checkers; a name that is no column is exit 2."""
    write_table(folder, "blind_review", extended(mine=lambda n: n % 3 == 0), "jsonl")
    given = ["estimate", "--published", folder, "--resamples", 10, "--json", folder / "found.json"]
    assert command(*given, "--graders", "mine", "proposed") == 0
    assert set(read_json(folder / "found.json")["1"]["graders"]) == {"mine", "proposed"}
    assert "ignored: marin_strict, fixes_only" in capsys.readouterr().err
    assert command(*given, "--graders", "mine", "yours") == 2
    assert "blind_review has no column yours" in capsys.readouterr().err


@pytest.mark.parametrize("value", [1, 0.5, "yes", "PASS", ["pass"]])
def test_a_grader_with_other_values_than_verdicts_is_refused(folder, value, capsys):
    """It was left out in silence."""
    write_table(folder, "blind_review", extended(proposed=lambda n: value if n == 3 else True), "jsonl")
    assert command("estimate", "--published", folder) == 2
    assert f"blind_review: proposed has {value!r}, which is no verdict" in capsys.readouterr().err


def test_absent_tables_and_columns_are_loud(folder, capsys):
    """What no rate needs is a warning by name."""
    assert command("estimate", "--published", folder, "--resamples", 10) == 0
    errors = capsys.readouterr().err
    for name in ("fixtures", "findings", "decisions", "panel_verdicts"):
        assert f"warning: no table {name}" in errors
    rows = [{name: value for name, value in row.items() if name != "reviewer_a_reason"} for row in review_rows()]
    write_table(folder, "blind_review", rows, "jsonl")
    assert "blind_review has no column reviewer_a_reason" in warnings_of(read_folder(folder))


@pytest.mark.parametrize("column", ["round", "stratum", "consensus"])
def test_a_column_that_rates_need_stops_it(folder, column, capsys):
    """Exit 2 and its name."""
    rows = [{name: value for name, value in row.items() if name != column} for row in review_rows()]
    write_table(folder, "blind_review", rows, "jsonl")
    assert command("estimate", "--published", folder) == 2
    assert f"blind_review has no {column}" in capsys.readouterr().err


def test_a_folder_without_the_review(tmp_path, capsys):
    """Exit 2; a name that is no folder and no id on the Hub likewise."""
    assert command("estimate", "--published", tmp_path) == 2
    assert "no blind_review and no blind_review_strata" in capsys.readouterr().err
    assert command("estimate", "--published", tmp_path / "absent") == 2


def test_a_consensus_against_its_leans_is_loud(folder, capsys):
    """The column is used, as in the published formula, and the difference is counted."""
    rows = review_rows()
    changed = next(row for row in rows if row["round"] == 2 and row["stratum"] == "agree" and row["consensus"])
    changed["consensus"] = {"pass": "fail", "fail": "pass"}[changed["consensus"]]
    write_table(folder, "blind_review", rows, "jsonl")
    assert command("estimate", "--published", folder, "--resamples", 10, "--json", folder / "found.json") == 0
    assert "round 2: of 1 cases the consensus is not that of the leans" in capsys.readouterr().err
    rate = read_json(folder / "found.json")["2"]["graders"]["fixes_only"]["error"]["value"]
    assert rate == pytest.approx(by_their_formula(rows, STRATA, 2, "fixes_only"), abs=1e-15)


def test_a_review_without_leans_says_so(folder, capsys):
    """Its consensus decides, and no label is said to be missing."""
    lean = ("reviewer_a_lean", "reviewer_b_lean")
    rows = [{name: value for name, value in row.items() if name not in lean} for row in review_rows()]
    write_table(folder, "blind_review", rows, "jsonl")
    assert command("estimate", "--published", folder, "--resamples", 10) == 0
    decided = sum(bool(row["consensus"]) for row in rows if row["round"] == 2)
    said = f"published round 2: 100 cases, {decided} decided; the reviewers' leans are not given"
    assert said in capsys.readouterr().out


def test_cases_that_are_missing_are_loud(folder, capsys):
    """A file cut short does not pass for the whole review."""
    write_table(folder, "blind_review", review_rows()[:-1], "jsonl")
    assert command("estimate", "--published", folder, "--resamples", 10) == 0
    assert "round 2: 9 cases of fixture, but 10 were sampled" in capsys.readouterr().err


def test_a_review_without_graders_is_refused(folder):
    """There would be nothing to estimate."""
    rows = [{name: value for name, value in row.items() if name not in GRADERS} for row in review_rows()]
    write_table(folder, "blind_review", rows, "jsonl")
    with pytest.raises(AuditError, match="no column of a grader"):
        rounds(read_folder(folder))


def test_the_hub_is_asked_where_there_is_no_folder(monkeypatch, capsys):
    """The configs that are there, split train, at the revision; what it cannot give is exit 3."""
    import datasets

    tables = {"blind_review": review_rows(), "blind_review_strata": STRATA}
    asked = []

    def load(name, config, split, revision):
        asked.append((name, config, split, revision))
        return tables[config]

    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda name, revision: list(tables))
    monkeypatch.setattr(datasets, "load_dataset", load)
    given = ["--published", "someone/an-audit", "--revision", "abc", "--resamples", 10]
    assert command("estimate", *given) == 0
    assert asked == [("someone/an-audit", name, "train", "abc") for name in tables]

    def refuse(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "get_dataset_config_names", refuse)
    assert command("estimate", *given) == 3
    assert "the Hub gave no someone/an-audit" in capsys.readouterr().err
