"""The repeat check: unlike answers and flipped verdicts, by type."""

import json

from audit_runs import two_graders
from made_records import records_of
from report_runs import TASK, command, ifhard_rows, ifhard_run, row, write_run

from runs.records import in_present_form


def checked(tmp_path, *arguments):
    """The JSON of ``report repeats``."""
    assert command("repeats", *arguments, "--json", tmp_path / "checked.json") == 0
    return json.loads((tmp_path / "checked.json").read_text(encoding="utf-8"))


def test_two_runs(tmp_path, capsys):
    """Seven questions: one failed in A, one is in B alone; of five pairs three differ in text, two in the score."""
    a = ifhard_run(tmp_path / "a", "+wcw?+.")
    b = ifhard_run(tmp_path / "b", "+-++++w", sampling={"temperature": 0.7, "seed": 4})
    found = checked(tmp_path, a, b)
    assert found["runs"] == ["a", "b"]
    one = found["tasks"][TASK]
    assert one["answers"] == {"compared": 5, "differ": 3, "scores_differ": 2}
    assert one["verdicts"] == {"compared": 10, "flipped": 3}
    assert one["types"]["ifhard"] == {
        "structure:word_count": {"verdicts": 5, "flipped": 1},
        "style:no_commas": {"verdicts": 5, "flipped": 2},
    }
    assert (one["missing"], one["only_first"], one["only_second"]) == (1, 0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{TASK}, a and b: 3 of 5 answers differ, 2 differ in sample_pass_rate"
    assert "  ifhard: 3 of 10 verdicts flip" in lines
    (first,) = (line for line in lines if line.split()[0] == "style:no_commas")
    assert first.split() == ["style:no_commas", "2", "of", "5"]
    assert lines.index(first) < next(i for i, line in enumerate(lines) if "structure:word_count" in line)


def test_repeats_of_one_run(tmp_path, capsys):
    """Every later answer against the first."""
    run = ifhard_run(tmp_path / "a", ["+w+", "+++", "+w+"])
    one = checked(tmp_path, run)["tasks"][TASK]
    assert one["answers"] == {"compared": 6, "differ": 1, "scores_differ": 1}
    assert "repeats of a: 1 of 6 answers differ" in capsys.readouterr().out
    assert command("repeats", ifhard_run(tmp_path / "b", "+w")) == 2
    assert "has no repeats" in capsys.readouterr().err


def test_reasoning_is_no_answer(tmp_path):
    """Texts are compared behind the first closing tag."""
    rows = ifhard_rows("+") + ifhard_rows("+", repeat=1)
    rows[0]["model_response"]["text"] = ["<think>так</think>раз два"]
    run = write_run(tmp_path / "a", rows, settings={"repeats": 2})
    assert checked(tmp_path, run)["tasks"][TASK]["answers"]["differ"] == 0


def test_reworded_questions_are_not_compared(tmp_path, capsys):
    """They are counted."""
    a = ifhard_run(tmp_path / "a", "+w", prompt=lambda n: "так")
    b = ifhard_run(tmp_path / "b", "ww", prompt=lambda n: "так" if n else "иначе")
    one = checked(tmp_path, a, b)["tasks"][TASK]
    assert (one["answers"]["compared"], one["unlike_prompts"]) == (1, 1)
    assert "1 questions were asked in other words and are not compared" in capsys.readouterr().out


def test_several_graders_and_nothing_in_common(tmp_path, capsys):
    """IFBench: each grader has its own count; a verdict that is missing on one side is not compared."""
    (record,) = records_of("ifbench", [(0, [(0, False)])])
    runs = []
    for name, old in (("a", [True, None]), ("b", [False, True])):
        made = in_present_form({**record, "verdicts": two_graders(old, [True, True])}, "ifbench")
        runs.append(write_run(tmp_path / name, [row(made, "ifbench:all|0")]))
    types = checked(tmp_path, *runs)["tasks"]["ifbench:all|0"]["types"]
    assert types["old"] == {"count:numbers": {"verdicts": 1, "flipped": 1}}
    assert types["new"]["format:no_whitespace"] == {"verdicts": 1, "flipped": 0}
    assert command("repeats", runs[0], ifhard_run(tmp_path / "c", "+")) == 2
    assert "no task in common" in capsys.readouterr().err


def test_what_differs_besides_the_answers_is_named(tmp_path, capsys):
    """Another scorer or temperature flips verdicts too; the same folder twice never does."""
    a = ifhard_run(tmp_path / "a", "+w")
    warm = ifhard_run(tmp_path / "b", "+w", sampling={"temperature": 0.7})
    scorer = ifhard_run(tmp_path / "c", "ww", datasets={"ifhard": {"scorer_version": "3-0"}})
    for other, words in (
        (warm, "the runs differ in sampling: temperature 0.0 and 0.7"),
        (scorer, "the runs differ in scorer:"),
        (a, "both are the same folder"),
    ):
        (note,) = checked(tmp_path, a, other)["tasks"][TASK]["notes"]
        assert words in note
        assert f"  note: {note}" in capsys.readouterr().out.splitlines()
    same = ifhard_run(tmp_path / "d", "+w", sampling={"seed": 4})
    assert checked(tmp_path, a, same)["tasks"][TASK]["notes"] == []
