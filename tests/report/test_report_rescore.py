"""``report rescore``: a run's answers by the present scorers, of details files."""

import dataclasses
import json
import random

import pytest
from report_runs import CONSTRAINTS, TASK, command, ifhard_rows, row, write_run

import tasks.ifhard.benchmark
from endpoints.journal import Journal
from endpoints.outcome import Outcome
from endpoints.request import Request
from judges.judgement import Judgement
from metrics.hardmultiqa.records import score as score_hardmultiqa
from metrics.ifbench.grading import Graders
from metrics.ifbench.records import score as score_ifbench
from metrics.record import Answer, Sample

OPEN = "hardmultiqa:open:alignment|0"
IFBENCH = "ifbench:all|0"


def rescored(tmp_path, folder):
    """The JSON of ``report rescore``, after the command itself has found nothing to complain of."""
    before = {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}
    assert command("rescore", folder, "--json", tmp_path / "again.json") == 0
    assert {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))} == before
    return json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))


def rows_of(marks, **given):
    """Rows of IFHardBench with the questions stored in them."""
    rows = ifhard_rows(marks, **given)
    for one in rows:
        one["doc"]["specific"]["scoring"] = CONSTRAINTS
    return rows


def verdicts_of(rows):
    """Every verdict of the rows, with its answer."""
    return [(one["metric"]["record"]["id"], verdict) for one in rows for verdict in one["metric"]["record"]["verdicts"]]


def test_the_same_scorer_changes_nothing(tmp_path, capsys):
    """Whatever answers there are, missing ones too, and repeats."""
    folder = write_run(tmp_path / "run", [*rows_of("+cw-e?!0"), *rows_of("wc+-e?!0", repeat=1)])
    found = rescored(tmp_path, folder)["tasks"][TASK]
    assert found["changed"] == {"verdict": 0, "code": 0, "words": 0}
    assert (found["answers"], found["missing"]) == (16, 6)
    assert (found["outcomes"], found["values"], found["unreadable"]) == ([], {}, [])
    for headline in found["headlines"].values():
        assert headline["before"] == headline["after"]
    assert "0 of 32 verdicts changed" in capsys.readouterr().out


def test_an_answer_that_broke_the_scorer_is_scored(tmp_path):
    """It was there, without verdicts."""
    found = rescored(tmp_path, write_run(tmp_path / "run", rows_of("+/")))["tasks"][TASK]
    assert [(one["id"], one["before"], one["after"]) for one in found["outcomes"]] == [("q001", "unscored", "answered")]
    assert {one["before"]["passed"] for one in found["changes"]} == {None}


def test_every_headline_stands_with_its_interval_before_and_after(tmp_path, capsys):
    """And the paired difference, by whose side the exact value is."""
    rows = rows_of("+cw-")
    for verdict in rows[3]["metric"]["record"]["verdicts"]:
        verdict["passed"] = True
    rows[3]["metric"]["record"]["scores"] = {"sample_pass_rate": 1.0, "constraint_pass_rate": 1.0}
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][TASK]["headlines"]
    moved = found["sample_pass_rate"]
    assert (moved["before"]["value"], moved["after"]["value"]) == (0.5, 0.25)
    assert moved["change"]["difference"] == -0.25
    low, high = moved["change"]["interval"]
    assert low < -0.25 < high
    assert all(found[name]["after"]["interval"] for name in ("sample_pass_rate", "constraint_pass_rate", "empty_share"))
    assert "-0.2500" in capsys.readouterr().out


def test_an_interval_without_width_is_told(tmp_path, capsys):
    """As the run's own table tells it."""
    rescored(tmp_path, write_run(tmp_path / "run", rows_of("+" * 9)))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "all resamples agree" in line]
    assert line.startswith("  balance_score: ")


@pytest.mark.parametrize("seed", range(6))
def test_edited_verdicts_are_shown_and_no_others(tmp_path, seed):
    """A verdict turned, a code and a sentence changed: exactly these, each by its kind."""
    drawn = random.Random(seed)
    rows = rows_of("+cw-" * 5)
    verdicts = verdicts_of(rows)
    places = drawn.sample(range(len(verdicts)), 9)
    wanted = {"verdict": set(), "code": set(), "words": set()}
    for number, place in enumerate(places):
        answer, verdict = verdicts[place]
        kind = ("verdict", "code", "words")[number % 3]
        wanted[kind].add((answer, verdict["id"]))
        if kind == "verdict":
            verdict["passed"] = not verdict["passed"]
        verdict.update({"code": {"code": "odd"}, "words": {"reason": "otherwise said"}}.get(kind, {}))
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][TASK]
    shown = {kind: set() for kind in wanted}
    for one in found["changes"]:
        shown[one["kind"]].add((one["id"], one["requirement"]))
        assert one["before"] != one["after"]
    assert shown == wanted
    assert found["changed"] == {kind: len(of) for kind, of in wanted.items()}


def test_changes_are_counted_by_requirement_with_reasons_and_ids(tmp_path, capsys):
    """Old verdict and reason, new verdict and reason."""
    rows = rows_of("++++")
    for one in rows[:3]:
        one["metric"]["record"]["verdicts"][0].update(passed=False, code="too-few", reason="two wanted, one found")
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][TASK]
    assert found["requirements"] == [
        {
            "grader": "ifhard",
            "requirement": "structure:word_count",
            "verdicts": 4,
            "moves": {"failed -> passed": 3},
        }
    ]
    shown = capsys.readouterr().out
    assert "structure:word_count, failed -> passed: 3 (too-few -> ok)" in shown
    assert "q000: two wanted, one found -> exactly 2 words required, 2 found" in shown


@pytest.mark.parametrize(
    "scoring",
    [
        "",
        "{}",
        "not JSON",
        '[{"category": "structure:word_count"}]',
        '[{"category": "structure:word_count", "family": "structure"}]',
        '[{"category": "structure:word_count", "family": "structure", "params": {"op": "eq"}}]',
        '[{"category": "structure:retired", "family": "structure", "params": {}}]',
        None,
    ],
)
def test_a_question_of_an_older_form_is_no_zero(tmp_path, capsys, scoring):
    """What today's scorer cannot read is counted, named and left out of the value, whose bounds allow for it."""
    rows = rows_of("+++w")
    rows[1]["doc"]["specific"]["scoring"] = scoring
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][TASK]
    assert [one["ids"] for one in found["unreadable"]] == [["q001"]]
    assert found["changed"]["verdict"] == 0
    after = found["headlines"]["sample_pass_rate"]["after"]
    assert (after["value"], after["n"], after["bounds"]) == (pytest.approx(2 / 3), 3, [0.5, 0.75])
    shown = capsys.readouterr().out
    assert "not scored: 1 answer whose question" in shown
    assert "INCOMPLETE" in shown


def test_a_scorer_that_raises_is_said(tmp_path, monkeypatch, capsys):
    """Its answer has no verdict now; it is not a failed one."""

    def broken(sample, answer, judgement=None):
        raise ZeroDivisionError("no words")

    bench = dataclasses.replace(tasks.ifhard.benchmark.BENCHMARK, score=broken)
    monkeypatch.setattr(tasks.ifhard.benchmark, "BENCHMARK", bench)
    found = rescored(tmp_path, write_run(tmp_path / "run", rows_of("+")))["tasks"][TASK]
    assert found["outcomes"][0]["after"] == "unscored"
    assert found["changed"]["verdict"] == 0
    assert found["headlines"]["sample_pass_rate"]["after"]["value"] is None
    assert "scorer raised ZeroDivisionError: no words" in capsys.readouterr().out


def test_records_of_version_0_1(tmp_path):
    """Their verdicts have a family in place of group, grader and place."""
    rows = rows_of("+cw-")
    for one in rows:
        record = one["metric"]["record"]
        del record["judging"], record["with_reasoning"], record["marked_reasoning"]
        record["verdicts"] = [
            {name: value for name, value in verdict.items() if name not in ("group", "grader", "place")}
            | {"family": verdict["group"]}
            for verdict in record["verdicts"]
        ]
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][TASK]
    assert found["verdicts"] == 8
    assert found["changed"] == {"verdict": 0, "code": 0, "words": 0}


def test_what_run_json_says_otherwise_is_noted(tmp_path, capsys):
    """The verdicts do not give its value: other formulas made it, or the verdicts were edited."""
    row = {TASK: {"sample_pass_rate": 0.25, "empty_share": 0.0}}
    found = rescored(tmp_path, write_run(tmp_path / "run", rows_of("++w-"), tasks=[TASK]))
    assert found["tasks"][TASK]["recorded"] == {}
    folder = write_run(tmp_path / "other", rows_of("++w-"))
    content = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(content | {"tasks": row, "stopped": {"rule": "above=0.4", "after": 4}}))
    found = rescored(tmp_path, folder)
    assert found["tasks"][TASK]["recorded"] == {"sample_pass_rate": {"run_json": 0.25, "verdicts": 0.5}}
    assert "stopped early by above=0.4" in capsys.readouterr().out


def test_a_task_without_details_is_said(tmp_path):
    """Its file was lost on the way; the other tasks are scored."""
    folder = write_run(tmp_path / "run", rows_of("+w"), tasks=[TASK, "ifhard:hard|0"])
    found = rescored(tmp_path, folder)
    assert list(found["tasks"]) == [TASK]
    assert "there is no answer of ifhard:hard|0 in its details: it is left out" in found["notes"]


def test_half_a_run_is_refused(tmp_path, capsys):
    """``run.json`` says that there was more: a file was lost, or older details lie there alone."""
    folder = write_run(tmp_path / "run", rows_of("+w"), tasks=[TASK, "ifhard:hard|0"])
    content = json.loads((folder / "run.json").read_text())
    for rows, why in (
        ({TASK: {"n_total": 2}, "ifhard:hard|0": {"n_total": 1}}, "details of ifhard:hard|0 are missing"),
        ({TASK: {"n_total": 3}}, "holds 2 of 3 answers"),
    ):
        (folder / "run.json").write_text(json.dumps(content | {"tasks": rows}))
        assert command("rescore", folder) == 2
        assert why in capsys.readouterr().err


def test_what_a_folder_holds_is_shown_harmlessly(tmp_path, capsys):
    """No escape sequence and no mark of direction of a file reaches the terminal as such."""
    rows = rows_of("+")
    rows[0]["metric"]["record"]["id"] = "q\x1b[2J\u202e"
    rows[0]["metric"]["record"]["verdicts"][0].update(passed=False, reason="\x1b]0;title\x07 said")
    rescored(tmp_path, write_run(tmp_path / "run", rows, settings={"name": "run\x1b[31m"}))
    shown = capsys.readouterr().out
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert "title" in shown


# Judged answers


def judged(number, answer, judgement):
    """An open question of HardMultiQA with its stored judgement."""
    scoring = json.dumps({"type": "open", "question": "Где?", "reference": ["Волга"]}, ensure_ascii=False)
    sample = Sample(f"q{number:03d}", 0, scoring, json.dumps({"type": "open", "topic": ""}))
    found = row(score_hardmultiqa(sample, Answer(answer), judgement), OPEN, text=answer)
    found["doc"]["specific"]["scoring"] = scoring
    found["model_response"]["judgement"] = judgement.to_json()
    return found


def reply(grade):
    """A judge's reply about an open question."""
    return json.dumps({"explanation": "так", "grade": grade}, ensure_ascii=False)


def test_the_judges_replies_are_read_again(tmp_path):
    """By the present reading: the first reply that can be read gives the verdict, and no judge is asked."""
    rows = [
        judged(0, "Волга", Judgement("judged", {"grade": 1}, calls=1, replies=(reply(1),))),
        judged(1, "Волга", Judgement("judged", {"grade": -1}, calls=1, replies=(reply(1),))),  # it was misread
        judged(2, "Ока", Judgement("unjudged", error="unreadable", calls=2, replies=("хм", reply(-1)))),
        judged(3, "Ока", Judgement("judged", {"grade": 1}, calls=1, replies=("Верно!",))),
        judged(4, "", Judgement("judged", {"grade": 0}, reason="empty answer")),
        judged(5, "Ока", Judgement("judged", {"grade": -1}, calls=1)),  # a version that kept no replies
        judged(6, "Ока", Judgement("failed", error="the judge gave no reply: HTTP 500")),
    ]
    found = rescored(tmp_path, write_run(tmp_path / "run", rows))["tasks"][OPEN]
    assert {(one["id"], one["before"]["passed"], one["after"]["passed"]) for one in found["changes"]} == {
        ("q001", False, True),
        ("q002", None, False),
        ("q003", True, None),
    }
    assert {(one["id"], one["before"], one["after"]) for one in found["outcomes"]} == {
        ("q002", "unjudged", "answered"),
        ("q003", "answered", "unjudged"),
    }
    assert "no readable verdict in 1 attempt" in found["outcomes"][1]["error"]


def test_a_reply_that_was_cut_is_no_verdict(tmp_path):
    """How it ended stands in the journal of the judge's replies."""
    rows = [judged(0, "Волга", Judgement("judged", {"grade": 1}, calls=1, replies=(reply(1),)))]
    folder = write_run(tmp_path / "run", rows)
    messages = ({"role": "user", "content": "x"},)
    asked = Request(OPEN, "q000", 0, "chat", "judge", messages, None, 8, {"temperature": 0}, {})
    with Journal(folder / "judgements.jsonl") as journal:
        journal.append(asked, Outcome("answered", reply(1), finish_reason="length", attempts=1))
    found = rescored(tmp_path, folder)["tasks"][OPEN]
    assert [one["after"] for one in found["outcomes"]] == ["unjudged"]
    assert "cut at its cap" in found["outcomes"][0]["error"]


def test_other_judge_prompts_are_said(tmp_path):
    """And a folder of prompts that is gone."""
    rows = [judged(0, "Волга", Judgement("judged", {"grade": 1}, calls=1, replies=(reply(1),)))]
    folder = write_run(
        tmp_path / "run",
        rows,
        settings={"judge_prompts": str(tmp_path / "gone")},
        options={"hardmultiqa": {"judge_prompts": "prompts 4"}},
    )
    notes = rescored(tmp_path, folder)["notes"]
    assert any("gone" in note and "scored without it" in note for note in notes)
    assert any("replies are to prompts 4" in note for note in notes)


# Graders


def ifbench_row(number, text, graders):
    """A prompt of IFBench, judged by our own graders and maybe by others."""
    constraints = [{"id": "count:numbers", "kwargs": {"N": 1}}]
    scoring = json.dumps({"prompt": "One number, please.", "constraints": constraints})
    sample = Sample(f"q{number:03d}", 0, scoring, "{}")
    record = score_ifbench(sample, Answer(text), graders=Graders({}))
    strict = record["verdicts"][0]
    record["verdicts"] += [{**strict, "grader": f"{name}_{way}"} for name in graders for way in ("strict", "loose")]
    found = row(record, IFBENCH, text=text)
    found["doc"]["specific"]["scoring"] = scoring
    return found


def test_a_grader_that_is_not_here_is_named_and_left_out(tmp_path):
    """Its verdicts are in neither value; a grader that the run did not have is left out too."""
    rows = [ifbench_row(0, "1", ["vendor"]), ifbench_row(1, "none", ["vendor"])]
    folder = write_run(tmp_path / "run", rows, settings={"graders": [f"vendor={tmp_path / 'gone'}"]})
    found = rescored(tmp_path, folder)
    assert any(note.startswith("ifbench: --grader vendor=") for note in found["notes"])
    assert "grader vendor_strict judged the run and is not here: its verdicts are left out" in found["notes"]
    task = found["tasks"][IFBENCH]
    assert task["changed"] == {"verdict": 0, "code": 0, "words": 0}
    assert task["verdicts"] == 8
    assert not any("vendor" in name or "lighteval" in name for name in task["headlines"])


# Folders


def test_json_alone_on_standard_output(tmp_path, capsys):
    """``--json -`` has no words around it."""
    assert command("rescore", write_run(tmp_path / "run", rows_of("+w")), "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["source"] == "details"


def test_a_task_in_parts_is_shown_whole(tmp_path):
    """HardMultiQA's ``all`` is run as its types."""
    rows = [judged(0, "Волга", Judgement("judged", {"grade": 1}, calls=1, replies=(reply(1),)))]
    folder = write_run(tmp_path / "run", rows, tasks=["hardmultiqa:all:alignment|0"])
    assert list(rescored(tmp_path, folder)["tasks"]) == ["hardmultiqa:all:alignment|0"]


@pytest.mark.parametrize("make", ["empty", "other_tool", "no_details"])
def test_a_folder_that_holds_no_run_is_one_line(tmp_path, capsys, make):
    """And exit status 2."""
    if make == "other_tool":
        (tmp_path / "run.json").write_text("[]")
    if make == "no_details":
        (tmp_path / "run.json").write_text('{"settings": {"tasks": ["ifhard:all|0"]}, "status": "running"}')
    assert command("rescore", tmp_path) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("error: ")
    assert shown.count("\n") == 1
