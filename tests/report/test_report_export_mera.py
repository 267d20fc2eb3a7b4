"""MERA's zip files: whole sets under MERA's names, or a refusal that says what is missing."""

import copy
import io
import json
import zipfile

import pytest
from answer_rows import IFHARD, answered, made_row
from export_runs import OFFICIAL, exported, files_of, finished_run, ifhard_rows, run_of, sobhard_rows
from mini import right, write_dataset, write_responses
from sobhard_docs import blanked, split_rows, write_rows

from endpoints.outcome import Outcome
from report.export import mera
from runner.cli import main

FAILED = Outcome("failed", error="HTTP 500", error_code="http", attempts=2)
BLOCKED = Outcome("blocked", "раз", finish_reason="content_filter", error="withheld", error_code="blocked")
SMALL = {"ifhard": 3, "sobhard": 2}


def numbered(rows, first=6):
    """The rows with the numbers that their questions have in the dataset."""
    for number, row in enumerate(rows, start=first):
        row["doc"]["specific"]["number"] = number
    return rows


def whole_set(row, count, first):
    """As many rows as a set has, each of a question of its own with a text of its own."""
    made = []
    for number in range(count):
        one = copy.deepcopy(row)
        for part in (one["doc"]["specific"], one["metric"]["record"]):
            part["id"] = f"q{number:04d}"
        one["model_response"]["text"] = [f" \n ответ {number} "]
        made.append(one)
    return numbered(made, first)


def zips(out):
    """Names and contents of both zip files."""
    files = files_of(out)
    assert sorted(files) == ["logs.zip", "submission.zip"]
    found = {}
    for name, data in files.items():
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            found[name] = {entry: archive.read(entry) for entry in archive.namelist()}
    return found["submission.zip"], found["logs.zip"]


@pytest.fixture
def small_sets(monkeypatch):
    """MERA's sets with as many questions as the tests have."""
    sets = {name: one._replace(questions=SMALL[name]) for name, one in mera._SETS.items()}
    monkeypatch.setattr(mera, "_SETS", sets)


def test_whole_sets_under_meras_names(tmp_path):
    """1,260 and 825 questions, each once, the answers as the official filter leaves them."""
    a = finished_run(tmp_path / "a", whole_set(made_row(IFHARD, answered()), 1260, 6), datasets={"ifhard": OFFICIAL})
    b = finished_run(tmp_path / "b", whole_set(sobhard_rows()[0], 825, 204), datasets={"sobhard": OFFICIAL})
    told = exported("mera", tmp_path / "out", b, a)
    assert told["notes"] == []
    submitted, logs = zips(tmp_path / "out")
    assert sorted(submitted) == ["IFHardBench.json", "SOB-Hard.json"]
    for file, count, first in (("IFHardBench.json", 1260, 6), ("SOB-Hard.json", 825, 204)):
        content = json.loads(submitted[file])
        assert list(content) == ["data"]
        assert list(content["data"]) == ["test"]
        assert content["data"]["test"] == [
            {"outputs": f"ответ {number} ", "meta": {"id": first + number}} for number in range(count)
        ]
    assert sorted(logs) == [
        *("ifhard/run.json", "ifhard/samples_IFHardBench.jsonl"),
        *("sobhard/run.json", "sobhard/samples_SOB-Hard.jsonl"),
    ]
    line = json.loads(logs["ifhard/samples_IFHardBench.jsonl"].splitlines()[0])
    assert (line["resps"], line["doc"]["meta"]) == ([[" \n ответ 0 "]], {"id": 6, "base_id": "q0000"})
    assert line["arguments"][0][0][-1]["role"] == "user"
    exported("mera", tmp_path / "again", a, b)
    assert files_of(tmp_path / "again") == files_of(tmp_path / "out")


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ({1: FAILED}, "2 of 3 questions of ifhard have an answer (1 failed)"),
        ({0: BLOCKED, 2: FAILED}, "1 of 3 questions of ifhard have an answer (1 blocked, 1 failed)"),
    ],
)
def test_a_missing_answer_is_a_refusal(tmp_path, small_sets, capsys, outcomes, words):
    """An empty text in its place would be scored."""
    rows = numbered(ifhard_rows(["раз два"] * 3, outcomes))
    exported("mera", tmp_path / "out", finished_run(tmp_path / "run", rows), code=2)
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("count", "words"),
    [
        (2, "2 of 3 questions of ifhard have an answer: MERA takes the whole set; python run_lighteval.py --resume "),
        (4, "4 questions of ifhard have an answer, and MERA's set has 3: --dataset official asks those"),
    ],
)
def test_a_part_or_more_than_the_set_is_a_refusal(tmp_path, small_sets, capsys, count, words, known):
    """Another set's number of questions is not MERA's, whether they are numbered or not."""
    rows = ifhard_rows(["а"] * count)
    exported("mera", tmp_path / "out", finished_run(tmp_path / "r", numbered(rows) if known else rows), code=2)
    assert words in capsys.readouterr().err


def test_the_runs_of_both_benchmarks_go_in_one_command(tmp_path, small_sets, capsys):
    """A second submission into the same folder would replace the first one; it is said how both get into one."""
    a = finished_run(tmp_path / "a", numbered(ifhard_rows(["а"] * 3)))
    b = finished_run(tmp_path / "b", numbered(sobhard_rows(), first=204))
    exported("mera", tmp_path / "out", a)
    exported("mera", tmp_path / "out", b, code=2)
    assert "; the runs of both benchmarks go into one submission: name them in one command" in capsys.readouterr().err
    exported("mera", tmp_path / "both", a, b)
    assert sorted(zips(tmp_path / "both")[0]) == ["IFHardBench.json", "SOB-Hard.json"]


def test_an_empty_answer_is_an_answer(tmp_path, small_sets):
    """The model said nothing, which is scored as nothing; reasoning is the official scorer's to remove."""
    rows = numbered(ifhard_rows(["", "<think>а</think> б", "раз два"]))
    exported("mera", tmp_path / "out", finished_run(tmp_path / "run", rows))
    submitted, _ = zips(tmp_path / "out")
    outputs = [one["outputs"] for one in json.loads(submitted["IFHardBench.json"])["data"]["test"]]
    assert outputs == ["", "<think>а</think> б", "раз два"]


def test_the_first_of_several_answers_counts(tmp_path, small_sets, capsys):
    """The others are in the logs; a first one that is missing is no answer, whatever came later."""
    rows = [
        made_row(IFHARD, answered(f"{repeat}"), id=f"q{number}", repeat=repeat)
        for repeat in (1, 0)
        for number in range(3)
    ]
    for row in rows:
        row["doc"]["specific"]["number"] = int(row["metric"]["record"]["id"][1:])
    run = finished_run(tmp_path / "run", rows, settings={"repeats": 2})
    exported("mera", tmp_path / "out", run)
    submitted, logs = zips(tmp_path / "out")
    assert [one["outputs"] for one in json.loads(submitted["IFHardBench.json"])["data"]["test"]] == ["0"] * 3
    assert json.loads(logs["ifhard/samples_IFHardBench.jsonl"].splitlines()[0])["resps"] == [["0", "1"]]
    rows[3] = made_row(IFHARD, FAILED, id="q0", repeat=0)
    rows[3]["doc"]["specific"]["number"] = 0
    exported("mera", tmp_path / "no", finished_run(tmp_path / "lost", rows), code=2)
    assert "2 of 3 questions of ifhard have an answer (1 failed)" in capsys.readouterr().err


def test_parts_of_a_set_make_a_whole(tmp_path, small_sets, capsys):
    """Tiers that were run one by one; a question in two of the run's tasks is one too many."""
    tasks = ["ifhard:easy|0", "ifhard:hard|0", "ifhard:expert|0"]
    rows = numbered([made_row(task, answered(task), id=f"q{at}") for at, task in enumerate(tasks)])
    exported("mera", tmp_path / "out", finished_run(tmp_path / "run", rows))
    submitted, _ = zips(tmp_path / "out")
    assert len(json.loads(submitted["IFHardBench.json"])["data"]["test"]) == 3
    twice = made_row("ifhard:all|0", answered(), id="q0")
    twice["doc"]["specific"]["number"] = 6
    exported("mera", tmp_path / "no", finished_run(tmp_path / "twice", [*rows, twice]), code=2)
    assert "question 6 is answered by ifhard:all|0 q0 and by ifhard:easy|0 q0" in capsys.readouterr().err


def test_answers_to_another_set_are_warned_about(tmp_path, small_sets):
    """MERA scores them against its own questions, and says nothing."""
    told = exported("mera", tmp_path / "out", finished_run(tmp_path / "run", numbered(ifhard_rows(["а"] * 3))))
    (note,) = told["notes"]
    assert "WARNING" in note
    assert "MERA-evaluation/IFHardBench" in note


def test_what_mera_does_not_have_is_refused_by_name(tmp_path, small_sets, capsys):
    """A run that has one of MERA's besides is taken, and the rest named."""
    for name in ("ifbench", "hardmultiqa"):
        exported("mera", tmp_path / "out", run_of(name, tmp_path / name), code=2)
        assert f"MERA has no {name}: it takes ifhard, sobhard" in capsys.readouterr().err
    rows = numbered(ifhard_rows(["а"] * 3))
    both = finished_run(tmp_path / "both", [*rows, made_row("ifbench:all|0", answered("1 2"), id="q9")])
    assert "ifbench is left out: MERA has none" in exported("mera", tmp_path / "out", both)["notes"]


def test_two_runs_of_one_benchmark_are_refused(tmp_path, small_sets, capsys):
    """Nobody but the user knows which one counts."""
    runs = [finished_run(tmp_path / name, numbered(ifhard_rows(["а"] * 3))) for name in "ab"]
    exported("mera", tmp_path / "out", *runs, code=2)
    assert "ifhard is in" in capsys.readouterr().err


def test_a_run_of_an_earlier_version_has_no_numbers(tmp_path, small_sets, capsys):
    """The message says how it gets them."""
    exported("mera", tmp_path / "out", finished_run(tmp_path / "run", ifhard_rows(["а"] * 3)), code=2)
    assert "has no number (meta.id)" in capsys.readouterr().err


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """The folder of a run of saved answers over a dataset of the user's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(task, data, saved):
        given = ["--task", task, "--dataset", data, "--responses", saved, "--full", "--output-dir", tmp_path / "runs"]
        assert main([*map(str, given)]) == 0
        (folder,) = (tmp_path / "runs").iterdir()
        return folder

    return run


def test_a_run_of_the_command_itself(tmp_path, small_sets, scored):
    """From a dataset's ``meta.id`` to the submission's; the folder may lie elsewhere by then."""
    data = write_dataset(tmp_path / "data", 3)
    saved = write_responses(tmp_path / "saved.jsonl", {number: f"\n{right(number)}" for number in range(3)})
    run = scored(IFHARD, data, saved).rename(tmp_path / "elsewhere")
    for form in ("mera", "hub", "eee"):
        exported(form, tmp_path / form, run)
    submitted, logs = zips(tmp_path / "mera")
    assert json.loads(submitted["IFHardBench.json"])["data"]["test"] == [
        {"outputs": right(number), "meta": {"id": number}} for number in range(3)
    ]
    assert {"ifhard/run.json", "ifhard/table.txt"} <= logs.keys()
    assert not any(
        str(tmp_path).encode() in text for out in ("hub", "eee") for text in files_of(tmp_path / out).values()
    )


def test_a_run_without_references_is_submitted(tmp_path, small_sets, scored):
    """The public copy of SOBHard has none: its answers have no score here and are MERA's to score."""
    rows = split_rows("test")[:2]
    folder = write_rows(tmp_path / "public", [blanked(row) for row in rows], split_rows("shots"))
    saved = tmp_path / "saved.jsonl"
    lines = [{"task": "sobhard:all", "id": str(row["meta"]["id"]), "response": "ответ"} for row in rows]
    saved.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run = scored("sobhard:all|0", folder, saved)
    exported("mera", tmp_path / "mera", run)
    submitted, _ = zips(tmp_path / "mera")
    assert json.loads(submitted["SOB-Hard.json"])["data"]["test"] == [
        {"outputs": "ответ", "meta": {"id": row["meta"]["id"]}} for row in rows
    ]
    for form in ("hub", "eee"):
        exported(form, tmp_path / form, run, code=2)
