"""Runs that do not compare are refused with the difference named; ``--common`` takes what is common."""

import json

import pytest
from audit_runs import make_run, sample, two_graders
from report_runs import CONSTRAINTS, TASK, command, compared, ifhard_rows, ifhard_run, open_row, row, write_run

from metrics.ifhard.records import score
from metrics.record import Answer, Sample
from metrics.sobhard.records import unanswered as unanswered_sobhard

DATASET = {"name": "builtin", "sha256": "a" * 64, "prompts_sha256": "b" * 64, "scorer_version": "2-1"}
JUDGED = "hardmultiqa:open:alignment|0"


def unlike(kind):
    """What ``run.json`` says of another run, and the words of the refusal."""
    return {
        "dataset": ({"datasets": {"ifhard": DATASET | {"sha256": "f" * 64}}}, "dataset: builtin (sha256 aaaaaaaaaaaa)"),
        "prompts": (
            {"datasets": {"ifhard": DATASET | {"prompts_sha256": "f" * 64}}},
            "prompts: builtin (prompts_sha256 b",
        ),
        "scorer": ({"datasets": {"ifhard": DATASET | {"scorer_version": "3-1"}}}, "scorer: 2-1 and 3-1"),
        "temperature": ({"sampling": {"temperature": 0.7}}, "sampling: temperature 0.0 and 0.7"),
        "cap": ({"sampling": {"max_new_tokens": 512}}, "sampling: max_new_tokens not given and 512"),
        "system": ({"settings": {"system_prompt": "Кратко."}}, "prompts: system_prompt not given and Кратко."),
        "template": (
            {"settings": {"chat_template_kwargs": {"enable_thinking": False}}},
            "prompts: chat_template_kwargs not given and {'enable_thinking': False}",
        ),
        "marks": ({"settings": {"reasoning_marks": "mistral"}}, "reasoning: reasoning_marks not given and mistral"),
        "setting": ({"settings": {"extra_body": {"top_p": 0.9}}}, "sampling: extra_body not given and {'top_p': 0.9}"),
    }[kind]


def test_a_run_that_a_rule_stopped_is_refused(tmp_path, capsys):
    """Beyond the deciding answers it holds those that came first; the message says what completes it."""
    stopped = {"rule": "above=0.4", "after": 3, "interval": [0.5, 1.0], "level": 0.05}
    a, b = ifhard_run(tmp_path / "a", "+w+w"), ifhard_run(tmp_path / "b", "++ww", stopped=stopped)
    assert command("compare", a, b, "--common") == 2
    said = capsys.readouterr().err
    assert "stopped early by above=0.4 after 3 answers" in said
    assert "--resume --full" in said


@pytest.mark.parametrize(
    "kind", ["dataset", "prompts", "scorer", "temperature", "cap", "setting", "system", "template", "marks"]
)
def test_each_difference_is_named(tmp_path, capsys, kind):
    """Exit status 2; what the same questions cure, ``--common`` compares and says."""
    content, words = unlike(kind)
    a, b = ifhard_run(tmp_path / "a", "+w+w"), ifhard_run(tmp_path / "b", "++ww", **content)
    assert command("compare", a, b) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: a and b do not compare: ")
    assert words in said
    assert ("--common" in said) == (kind != "scorer")
    if kind == "scorer":
        assert command("compare", a, b, "--common") == 2
        return
    found = compared(tmp_path, a, b, "--common")
    assert found["common"] == 4
    assert words in found["notes"][0]
    assert "note: compared over the 4 common questions alone" in capsys.readouterr().out


def test_every_difference_is_named_at_once(tmp_path, capsys):
    """One look at the message is enough."""
    content = {"datasets": {"ifhard": DATASET | {"scorer_version": "3-0"}}, "sampling": {"temperature": 1.0}}
    a, b = ifhard_run(tmp_path / "a", "+w+w"), ifhard_run(tmp_path / "b", "++w", **content)
    assert command("compare", a, b) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in ("scorer: 2-1 and 3-0", "temperature 0.0 and 1.0", "questions: 4 and 3"))


def test_what_changes_no_score_is_no_difference(tmp_path):
    """The second part of a scorer's version, seeds, the model, its server."""
    other = {
        "datasets": {"ifhard": DATASET | {"scorer_version": "2-7"}},
        "sampling": {"seed": 7},
        "settings": {"model": "other", "base_url": "http://x", "seed": 7, "concurrency": 3, "system_prompt": ""},
    }
    a, b = ifhard_run(tmp_path / "a", "+w"), ifhard_run(tmp_path / "b", "++", **other)
    assert compared(tmp_path, a, b)["notes"] == []


@pytest.mark.parametrize(
    ("judge", "settings", "words"),
    [
        ({"model": "other"}, {}, "judge: model judge and other"),
        ({"prompts": {"hardmultiqa": "prompts 2"}}, {}, "judge: prompts prompts 1 and prompts 2"),
        ({}, {"judge_chat_template_kwargs": {"enable_thinking": True}}, "judge: judge_chat_template_kwargs"),
    ],
)
def test_another_judge_is_named(tmp_path, capsys, judge, settings, words):
    """Its model, its prompts, what changes its verdicts; not where it was served. Nothing cures that."""
    a = write_run(tmp_path / "a", [open_row(0, 1)], judge={"base_url": "http://a"})
    b = write_run(tmp_path / "b", [open_row(0, 1)], judge={"base_url": "http://b", **judge}, settings=settings)
    assert command("compare", a, b) == 2
    assert words in capsys.readouterr().err
    assert command("compare", a, b, "--common") == 2


def test_a_judge_elsewhere_is_the_same(tmp_path):
    """Another server, another number of requests in flight."""
    a = write_run(tmp_path / "a", [open_row(0, 1)], judge={"base_url": "http://a"})
    b = write_run(tmp_path / "b", [open_row(0, 1)], judge=[{"model": "judge", "prompts": {"hardmultiqa": "prompts 1"}}])
    assert compared(tmp_path, a, b)["common"] == 1


def test_graders_of_another_version_are_named(tmp_path, capsys):
    """IFBench's further checkers are a scorer too."""
    runs = []
    for name in "ab":
        sources = [{"name": "lighteval", "identity": name}]
        runs.append(ifhard_run(tmp_path / name, "+", options={"ifhard": {"sources": sources}}))
    assert command("compare", *runs) == 2
    assert "scorer: grader lighteval is a and b" in capsys.readouterr().err


def test_other_questions(tmp_path, capsys):
    """Three of five are in both: refused, and compared on request."""
    a, b = ifhard_run(tmp_path / "a", "++w+."), ifhard_run(tmp_path / "b", ".+++w")
    assert command("compare", a, b) == 2
    assert "questions: 4 and 4, 3 of them in both (ifhard:all|0)" in capsys.readouterr().err
    found = compared(tmp_path, a, b, "--common")
    assert found["common"] == 3
    assert found["metrics"]["sample_pass_rate"]["values"] == pytest.approx([2 / 3, 1.0])


def test_questions_in_other_words(tmp_path, capsys):
    """Whatever run.json says: the prompts themselves are looked at, and reworded questions are no common ones."""
    a = ifhard_run(tmp_path / "a", "+w+w", prompt=lambda n: f"Вопрос {n}")
    b = ifhard_run(tmp_path / "b", "++++", prompt=lambda n: f"Вопрос {n}" if n else "Иначе")
    assert command("compare", a, b) == 2
    assert "prompts: 1 questions are asked in other words" in capsys.readouterr().err
    assert compared(tmp_path, a, b, "--common")["common"] == 3
    c = ifhard_run(tmp_path / "c", "++++", prompt=lambda n: "Иначе")
    assert command("compare", a, c, "--common") == 2
    assert "no question of ifhard:all|0 is asked in both in the same words" in capsys.readouterr().err


def test_other_tasks(tmp_path, capsys):
    """None in common is nothing to compare; some are, on request."""
    a = ifhard_run(tmp_path / "a", "+w")
    b = write_run(tmp_path / "b", [open_row(0, 1)])
    c = write_run(tmp_path / "c", [*ifhard_rows("++"), open_row(0, 1)])
    for option in ([], ["--common"]):
        assert command("compare", a, b, *option) == 2
        assert f"tasks: {TASK} and {JUDGED}" in capsys.readouterr().err
    assert command("compare", a, c) == 2
    assert f"only one of the runs has {JUDGED}" in compared(tmp_path, a, c, "--common")["notes"]


def test_a_part_and_the_whole(tmp_path, capsys):
    """``ifhard:all`` and ``ifhard:easy`` ask the same questions; few-shot examples make other prompts of them."""
    whole = ifhard_run(tmp_path / "a", "+w+w")
    part = write_run(tmp_path / "b", ifhard_rows("++", task="ifhard:easy|0"))
    assert command("compare", whole, part) == 2
    assert "tasks: ifhard:all|0 and ifhard:easy|0; --common" in capsys.readouterr().err
    found = compared(tmp_path, whole, part, "--common")
    assert found["common"] == 2
    assert found["metrics"]["sample_pass_rate"]["values"] == [0.5, 1.0]
    assert "tasks: ifhard:all|0 and ifhard:easy|0" in found["notes"][0]
    shown = write_run(tmp_path / "c", ifhard_rows("++", task="ifhard:all|5"))
    assert command("compare", whole, shown, "--common") == 2


def test_runs_without_scores(tmp_path, capsys):
    """A dataset without references leaves answers alone."""

    record = unanswered_sobhard(
        Sample("q", 0, "{}", json.dumps({"family": "convert", "difficulty": "easy"})), "unscored", "x"
    )
    run = write_run(tmp_path / "a", [row(record, "sobhard:all|0")])
    assert command("compare", run, run) == 2
    assert "has no scores of sobhard:all|0" in capsys.readouterr().err


def test_two_answers_to_one_question(tmp_path, capsys):
    """Never one of them in silence."""
    run = write_run(tmp_path / "a", ifhard_rows("+") + ifhard_rows("w"))
    for given in (["compare", run, run], ["repeats", run, run], ["repeats", run]):
        assert command(*given) == 2
        assert "two answers to q000" in capsys.readouterr().err


def test_folders_that_are_no_runs(tmp_path, capsys):
    """One line that names the folder and what to do."""
    run = ifhard_run(tmp_path / "a", "+")
    (tmp_path / "empty").mkdir()
    assert command("compare", run, tmp_path / "empty") == 2
    assert "empty is no run folder of run_lighteval.py: it has no run.json" in capsys.readouterr().err
    (tmp_path / "empty" / "run.json").write_text('{"settings": {"full": true}}', encoding="utf-8")
    assert command("compare", run, tmp_path / "empty") == 2
    assert "has no details files: it is unknown; let the run end first" in capsys.readouterr().err
    foreign = make_run(tmp_path, "b", [sample("a", "x", two_graders([True, True], [True, True]))])
    assert command("compare", run, foreign) == 2
    assert "its records hold no scores" in capsys.readouterr().err
    unfinished = ifhard_run(tmp_path / "c", "+", settings={"tasks": [TASK, "ifbench:all|0"]})
    assert command("compare", run, unfinished) == 2
    assert "no details file of ifbench:all|0" in capsys.readouterr().err
    unknown = ifhard_run(tmp_path / "d", "+", settings={"tasks": ["newbench:all|0"]})
    assert command("compare", run, unknown) == 2
    assert "newbench" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["compare"],
        ["compare", "a"],
        ["gate", "a", "--against", "b"],
        ["gate", "a", "--against", "b", "--max-drop", "2"],
        ["power"],
        ["power", "--difference", "x"],
        ["power", "--difference", "0"],
        ["power", "--difference", "0.1", "--questions", "0"],
        ["power", "--difference", "0.1", "--discordance", "0"],
        ["repeats", "a", "b", "c"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_bad_usage(arguments, capsys):
    """Exit status 2 and one line."""
    assert command(*arguments) == 2
    said = capsys.readouterr()
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize("part", ["datasets", "options", "sampling"])
@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_damaged_run_json_is_named(tmp_path, capsys, part, value):
    """Of every command: exit status 2, one line, and no traceback whose status 1 a gate would fail with."""
    a, b = ifhard_run(tmp_path / "a", "+w"), ifhard_run(tmp_path / "b", "+w")
    content = json.loads((b / "run.json").read_text(encoding="utf-8"))
    for damaged in ({part: value}, {"datasets": {"ifhard": value}}):
        (b / "run.json").write_text(json.dumps(content | damaged), encoding="utf-8")
        for arguments in (("compare", a, b), ("gate", b, "--against", a, "--max-drop", 0), ("repeats", a, b)):
            assert command(*arguments) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert "is damaged: its " in line


DAMAGES = {
    "repeats": ({"settings": {"repeats": "many"}}, "settings.repeats is no whole number from 1 on: 'many'"),
    "no-repeats": ({"settings": {"repeats": 0}}, "settings.repeats is no whole number from 1 on: 0"),
    "tasks": ({"settings": {"tasks": None}}, "settings.tasks is no list of texts: null"),
    "one-task": ({"settings": {"tasks": [7]}}, "settings.tasks is no list of texts: [7]"),
    "system": ({"settings": {"system_prompt": 3}}, "settings.system_prompt is no text: 3"),
    "template": ({"settings": {"chat_template_kwargs": ["x"]}}, "settings.chat_template_kwargs is no object: ['x']"),
    "model": ({"model": []}, "model is no object: []"),
    "judge": ({"judge": "org/judge"}, "judge is no judge, nor a list of judges: 'org/judge'"),
    "judges": ({"judge": [None]}, "judge is no object: null"),
    "judge-prompts": ({"judge": {"prompts": None}}, "judge.prompts is no object: null"),
    "stopped": ({"stopped": ["above=0.4"]}, "stopped is no rule with its number of answers: ['above=0.4']"),
    "rows": ({"tasks": ["x"]}, "tasks is no object: ['x']"),
    "row": ({"tasks": {TASK: None}}, f"tasks.{TASK} is no object: null"),
    "total": ({"tasks": {TASK: {"n_total": "2"}}}, f"tasks.{TASK}.n_total is no whole number from 0 on: '2'"),
    "value": (
        {"tasks": {TASK: {"sample_pass_rate": float("nan")}}},
        f"tasks.{TASK}.sample_pass_rate is no number: nan",
    ),
    "huge": ({"sampling": {"temperature": 10**400}}, "sampling.temperature is no number: a huge number"),
    "times": ({"sessions": [{"ended": "soon"}]}, "sessions.0.ended is no time: 'soon'"),
    "long": ({"status": ["x" * 1000]}, "status is no text: ['xxxxxxxxxx"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_each_damaged_part_of_run_json_is_named(tmp_path, capsys, kind):
    """With its path and its value, in one line, by every command that reads runs."""
    damage, words = DAMAGES[kind]
    a, b = ifhard_run(tmp_path / "a", "+w"), ifhard_run(tmp_path / "b", "+w")
    content = json.loads((b / "run.json").read_text(encoding="utf-8"))
    damage = {name: content[name] | part if name == "settings" else part for name, part in damage.items()}
    (b / "run.json").write_text(json.dumps(content | damage), encoding="utf-8")
    out = tmp_path / "out"
    for arguments in (
        ("compare", a, b),
        ("gate", b, "--against", a, "--max-drop", 0),
        ("show", b),
        ("rescore", b),
        ("html", b, "-o", out),
        ("export", b, "--form", "eee", "-o", out),
    ):
        assert command(*arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"run.json is damaged: its {words}" in line
        assert len(line) < 300
    assert not out.exists()
    assert command("runs", tmp_path) == 0
    assert f"broken: run.json is damaged: its {words}" in capsys.readouterr().out


NASTY = "\x1b[31mred\nnext\u202e"


def test_names_of_strangers_steer_no_terminal(tmp_path, capsys):
    """Ids, names of runs and folders, in words and in errors: control characters are spelled out, lines stay whole."""
    a = ifhard_run(tmp_path / "a", "+w", settings={"name": NASTY})
    records = [score(Sample(f"{NASTY}{n}", 0, CONSTRAINTS, "{}"), Answer("x")) for n in "12"]
    b = write_run(tmp_path / "b", [row(record, TASK) for record in records])
    assert command("compare", a, b, "--common") == 2
    assert command("compare", b, b) == 0
    assert command("repeats", b, b) == 0
    assert command("gate", b, "--against", a, "--max-drop", 0) == 2
    assert command("compare", a, a, "--name", NASTY, "--name", "x") == 0
    assert command("show", tmp_path / NASTY) == 2
    assert command("export", b, "--form", "mera", "-o", tmp_path / "out") == 2
    said = capsys.readouterr()
    assert not any(sign in said.out + said.err for sign in "\x1b\u202e")
    assert "<U+001B>[31mred<U+000A>next<U+202E>" in said.out
    assert all(line.startswith("error: ") for line in said.err.splitlines())


def test_null_stands_for_what_an_older_version_did_not_know(tmp_path):
    """Options that were not given are null; of a run that no judge judged and no rule stopped these are too."""
    names = ("name", "responses", "system_prompt", "reasoning_marks", "chat_template_kwargs", "graders", "max_samples")
    nothing = {"settings": dict.fromkeys(names), "judge": None, "stopped": None, "sampling": {"temperature": None}}
    a, b = ifhard_run(tmp_path / "a", "+w"), ifhard_run(tmp_path / "b", "+w", **nothing)
    assert compared(tmp_path, a, b)["common"] == 2


def test_a_command_that_breaks_has_a_status_of_its_own(tmp_path, capsys, monkeypatch):
    """Whatever breaks, a gate does not end with 1 unless a drop is established."""
    monkeypatch.setattr("report.comparison.gating.gate", lambda *_: 1 / 0)
    a, b = ifhard_run(tmp_path / "a", "+w"), ifhard_run(tmp_path / "b", "+w")
    assert command("gate", b, "--against", a, "--max-drop", 0, "--junit", tmp_path / "gate.xml") == 3
    assert 'errors="1"' in (tmp_path / "gate.xml").read_text(encoding="utf-8")
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.endswith("error: the command broke, on a damaged run or by a fault of its own\n")
