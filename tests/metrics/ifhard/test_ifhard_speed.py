"""The speed script runs on the project's own tables and on a file of cases."""

import importlib.util
import json
import logging
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "speed" / "scoring_speed.py"


@pytest.fixture
def script(monkeypatch):
    """The script as a module, doing one short round; it silences warnings, which is undone here."""
    spec = importlib.util.spec_from_file_location("scoring_speed", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROUNDS", 1)
    monkeypatch.setattr(module, "SECONDS", 1e-6)
    monkeypatch.setattr(module, "RATIO_ROUNDS", 2)
    monkeypatch.setattr(module, "ANSWERS", 5)
    monkeypatch.setattr(sys.modules["proxy"], "SECONDS", 1e-6)
    yield module
    logging.disable(logging.NOTSET)


def test_own_tables(script, capsys):
    """Without a file every category is measured."""
    script.main([])
    printed = capsys.readouterr().out
    assert "of 64 categories" in printed
    assert "verdicts per second on one core" in printed
    settings = script.settings(script.own_cases())
    assert all(f")  {name}\n" in printed for name in settings)


def test_settings_count_their_verdicts(script):
    """One a case, or one a requirement of each answer; the answers of the dataset all stand beside their questions."""
    cases = script.own_cases()
    answers = script.whole_answers()
    assert len(answers) == 5
    requirements = sum(len(json.loads(sample.scoring)) for sample, _ in answers)
    counts = [work() for work in script.settings(cases).values()]
    assert counts == [len(cases)] * 3 + [requirements] * 2


def test_a_file(script, capsys, tmp_path):
    """Lines of other kinds are skipped."""
    rows = [
        {"kind": "verdict", "category": "style:no_commas", "params": {}, "response": "кот"},
        {"kind": "strip", "raw": "кот", "expected": "кот"},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    script.main([str(path)])
    assert "cases: 1 of 1 categories, 3 characters each" in capsys.readouterr().out


def test_a_file_without_cases(script, capsys, tmp_path):
    """Nothing to measure is a usage error."""
    path = tmp_path / "none.jsonl"
    path.write_text("", encoding="utf-8")
    with pytest.raises(SystemExit):
        script.main([str(path)])
    assert "no verdict cases" in capsys.readouterr().err
