"""Arguments with letters outside ASCII, in a locale that knows ASCII alone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mini import right, write_dataset

from runner.cli import main
from runner.exits import Exit

ROOT = Path(__file__).resolve().parents[2]
LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0"}


def run(*arguments, **environment):
    """A command of this checkout; arguments are bytes or text."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, check=False)


def test_a_run_in_the_c_locale_is_made_and_resumed(tmp_path):
    """Folders, names and prompts in Russian end in the same run.json as anywhere; the folder can be resumed."""
    data = write_dataset(tmp_path / "вопросы", 4)
    answers = tmp_path / "ответы.jsonl"
    lines = [{"task": "ifhard:all", "id": f"t{number:03d}", "response": right(number)} for number in range(4)]
    answers.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "итоги"
    given = ["--task", "ifhard:all|0", "--dataset", data, "--responses", answers, "--output-dir", out, "--full"]
    done = run("run_lighteval.py", *given, "--model", "модель", XDG_CACHE_HOME=str(tmp_path), **LOCALE)
    assert done.returncode == Exit.COMPLETE, done.stderr.decode()
    (folder,) = out.iterdir()
    kept = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert kept["settings"]["model"] == "модель"
    assert kept["settings"]["dataset"] == str(data)
    assert "модель" in (folder / "table.txt").read_text(encoding="utf-8")
    again = run("run_lighteval.py", "--resume", folder, XDG_CACHE_HOME=str(tmp_path), **LOCALE)
    assert again.returncode == Exit.COMPLETE, again.stderr.decode()
    assert again.stdout == done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("run_lighteval.py", "--task", "ифхард|0", "--model", "m"),
        ("-m", "audit", "panel", "прогон", "--out", "таблица.parquet"),
        ("-m", "report", "compare", "прогон", "другой"),
        ("-m", "judges.hardmultiqa.calibrate", "--judge-prompts", "подсказки"),
        ("-m", "tasks.ifhard.build.damage", "--dataset", "вопросы", "--share", "1", "--out", "x"),
        ("-m", "tasks.ifhard.build", "--out", "x", "--size", "десять"),
        ("-m", "tasks.sobhard.small", "--out", "x", "--папка", "x"),
        ("-m", "endpoints.serving", "файл.yaml"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_each_command_reads_letters_in_the_c_locale(command):
    """What it refuses, it names as it was typed; nothing breaks inside."""
    done = run(*command, **LOCALE)
    assert done.returncode == 2
    assert re.search("[а-я]{4}", done.stderr.decode("utf-8"))
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--system-prompt", "--model", "--output-dir", "--dataset", "--task"])
def test_bytes_that_are_no_text_are_refused(option, capsys):
    """They could be neither stored nor sent."""
    assert main(["--task", "ifhard:all|0", option, os.fsdecode(b"a\xff")]) == Exit.USAGE
    assert f"{option}: 'a\\udcff' is not UTF-8" in capsys.readouterr().err
