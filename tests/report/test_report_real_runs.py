"""Folders that ``run_lighteval.py`` itself left: saved answers of a small set."""

import json

from mini import right, write_dataset, write_responses, wrong
from report_runs import TASK, command, compared

from runner.cli import main


def test_saved_answers_compared_and_gated(tmp_path, monkeypatch, capsys):
    """Forty questions: A has the even ones right, B all but the first four, of which two fail in A too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = write_dataset(tmp_path / "data")
    says = {
        "a": {n: right(n) if n % 2 == 0 else wrong(n) for n in range(40)},
        "b": {n: wrong(n) if n < 4 else right(n) for n in range(40)},
    }
    for name, answers in says.items():
        saved = write_responses(tmp_path / f"{name}.jsonl", answers)
        given = ["--task", TASK, "--dataset", data, "--responses", saved, "--full", "--name", name]
        assert main([*map(str, given), "--output-dir", str(tmp_path / "out")]) == 0
    assert "two runs over 40 questions show at 80%: 24.3 points (30% discordance)" in capsys.readouterr().out
    a, b = (next((tmp_path / "out").glob(f"*_{name}_*")) for name in says)
    found = compared(tmp_path, a, b)
    assert found["runs"] == ["a", "b"]
    assert found["notes"] == []
    assert found["metrics"]["sample_pass_rate"]["values"] == [0.5, 0.9]
    # The even ones from 4 on tie, as 1 and 3 do; the odd ones from 5 on are won, 0 and 2 are lost.
    counts = {kind: found["questions"][kind] for kind in ("won", "lost", "tied", "missing")}
    assert counts == {"won": 18, "lost": 2, "tied": 20, "missing": 0}
    assert found["questions"]["lost_ids"] == ["t000", "t002"]
    assert found["groups"]["type/style:no_commas"]["difference"] == 0
    # The cluster is the text of the task, which each of these questions has to itself.
    assert found["metrics"]["sample_pass_rate"]["interval_clustered"] is None
    assert command("gate", a, "--against", b, "--max-drop", 0.02) == 1
    assert command("gate", b, "--against", a, "--max-drop", 0.02) == 0
    assert command("repeats", a, b, "--json", tmp_path / "r.json") == 0
    repeats = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["tasks"][TASK]
    assert repeats["answers"] == {"compared": 40, "differ": 20, "scores_differ": 20}
    assert repeats["types"]["ifhard"]["structure:word_count"] == {"verdicts": 40, "flipped": 20}
