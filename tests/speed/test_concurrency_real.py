"""The arithmetic of the script that holds auto against fixed numbers, and its questions. No server is started."""

import pytest


def test_auto_against_the_better_of_two(script):
    """The medians are 10, 12 and 10.4: auto takes 1.04 of the best, whatever a single trial says."""
    module = script("concurrency_real")
    assert module.best_two({8: 30.0, 16: 12.0, 32: 11.0, 64: 11.0, 128: 11.5}) == [32, 64]
    ratio, shown = module.verdict({32: [9.0, 10.0, 20.0], 64: [12.0, 12.0, 12.0], module.AUTO: [10.4, 10.3, 30.0]})
    assert ratio == pytest.approx(1.04)
    assert shown == "32: 10.0 s (9.0 to 20.0); 64: 12.0 s (12.0 to 12.0); auto: 10.4 s (10.3 to 30.0)"


def test_turns_begin_with_another_each_round(script):
    """Three numbers, four rounds: every round has each of them, the fourth is as the first."""
    turns = script("concurrency_real").in_turn([64, 128, "auto"], 4)
    assert turns[:9] == [64, 128, "auto", 128, "auto", 64, "auto", 64, 128]
    assert turns[9:] == turns[:3]


def test_the_shortest_questions_keep_their_order(script):
    """Ties go to the earlier one; more than there are is an error."""
    module = script("concurrency_real")
    rows = [{"n": n} for n in (5, 3, 9, 3, 3)]
    assert module.shortest(rows, lambda row: row["n"], 2) == [rows[1], rows[3]]
    with pytest.raises(SystemExit, match="6 questions are wanted, there are 5"):
        module.shortest(rows, lambda row: row["n"], 6)


def test_workloads_ask_both_roles(script, tmp_path):
    """Every run has answers of a fixed length; the judged one says the same of its judge."""
    module = script("concurrency_real")
    plain, judged = (module.WORKLOADS[name].arguments(tmp_path, "auto") for name in ("short", "judged"))
    assert "--judge-concurrency" not in plain
    assert judged[judged.index("--judge-concurrency") + 1] == "auto"
    assert judged.count('{"ignore_eos": true}') == 2
    module.short_questions(tmp_path, 3)
    assert len(module.rows_of(tmp_path / "test.jsonl")) == 3
