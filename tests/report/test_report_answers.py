"""Answers of a run as a person reads them: the text is the scored one, nothing else is lost, nothing raises."""

import contextlib
import json
import re
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answer_rows import IFBENCH, IFHARD, OPEN, PRETRAIN, SCORING, answered, judged, made_row
from audit_runs import sample, two_graders, verdict
from report_runs import command, ifhard_run, list_row, open_row, write_run

from endpoints.outcome import Outcome
from judges.judgement import Judgement
from metrics.headlines import MetricSpec
from report import answers
from report.answers import Shown, failed, shown_answers
from report.errors import ReportError
from report.loading import load_runs
from runs.files import FileError
from runs.folder import open_run
from tasks.names import TaskName
from tasks.registry import benchmark

THOUGHT = "I count.\n</think>\nраз два"
BLOCKED = Outcome("blocked", "раз", finish_reason="content_filter", error="withheld", error_code="blocked")


def read(tmp_path, *rows):
    """What a run of these rows shows."""
    return list(shown_answers(open_run(write_run(tmp_path / "run", rows))))


def one(tmp_path, *arguments, **more):
    (found,) = read(tmp_path, made_row(*arguments, **more))
    return found


def test_all_that_is_known_of_an_answer(tmp_path):
    """Every field, of a judged answer."""
    found = one(tmp_path, OPEN, answered("Волга"), judgement=judged(1, '{"grade": 1}'))
    assert found.task == TaskName("hardmultiqa", "open", "alignment")
    assert (found.name, found.place, found.labels) == ("q0", 0, {"type": "open", "topic": "География"})
    assert found.messages == [("system", "Кратко."), ("user", "Вопрос q0?")]
    assert json.loads(found.scoring) == SCORING["hardmultiqa"]
    assert (found.text, found.reasoning, found.rest) == ("Волга", "", "")
    assert (found.finish_reason, found.tokens) == ("stop", (10, 3))
    assert found.judgement["replies"] == ['{"grade": 1}']
    assert found.record["judging"]["status"] == "judged"
    assert not failed(found)


def test_places_and_repeats(tmp_path):
    """Places count on through the tasks; the second repeat has its number in its name."""
    rows = [made_row(id=name, repeat=repeat) for name in ("a", "b") for repeat in (0, 1)]
    found = read(tmp_path, made_row(OPEN, answered("?"), judgement=judged(0)), *rows)
    assert [shown.name for shown in found] == ["q0", "a", "a#1", "b", "b#1"]
    assert [shown.place for shown in found] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("task", "raw", "text", "reasoning", "rest"),
    [
        (IFHARD, THOUGHT, "раз два", "I count.", ""),
        (IFHARD, "a</think>раз <think>b</think>два<think>c", "раз дваc", "a\nb", ""),
        (IFHARD, " раз два \n", "раз два", "", ""),
        (IFBENCH, THOUGHT, "\nраз два", "I count.", ""),
        (IFBENCH, "a</think>b</think>1 2", "1 2", "ab", ""),
        (IFBENCH, "<think>1 2", "", "1 2", ""),
        (OPEN, THOUGHT, "раз два", "I count.", ""),
        (OPEN, "<think>Волга", "<think>Волга", "", ""),
        (OPEN, "Волга\nВопрос: Где?\nОтвет: Дон", "Волга", "", "Вопрос: Где?\nОтвет: Дон"),
        (OPEN, "a</think>Вопрос: Где?", "", "a", "Вопрос: Где?"),
    ],
)
def test_the_text_is_the_scored_one(tmp_path, task, raw, text, reasoning, rest):
    """Each benchmark parts an answer by its own rule; what is cut stands beside it."""
    found = one(tmp_path, task, answered(raw), judgement=judged(0) if task == OPEN else None)
    assert (found.text, found.reasoning, found.rest) == (text, reasoning, rest)


def test_reasoning_apart_and_in_the_text(tmp_path):
    """The server's comes first."""
    assert one(tmp_path, IFHARD, answered(THOUGHT, reasoning="Apart.")).reasoning == "Apart.\n\nI count."
    assert one(tmp_path / "b", IFHARD, answered(reasoning="Apart.")).text == "раз два"


def test_marks_that_the_run_cut(tmp_path):
    """With ``--reasoning-marks`` what is shown is what was scored; without, the marks were scored too."""
    raw = "[THINK]I count.[/THINK]раз два</s>"
    cut = one(tmp_path, IFHARD, answered(raw), marks="mistral")
    assert (cut.text, cut.reasoning, failed(cut)) == ("раз два", "I count.", False)
    uncut = one(tmp_path / "b", IFHARD, answered(raw))
    assert (uncut.text, uncut.reasoning, failed(uncut)) == (raw, "", True)


def test_what_was_sent(tmp_path):
    """A plain prompt as it went out; the question where nothing is known of it."""
    prompt = "Вопрос: Где?\nОтвет:"
    assert one(tmp_path, PRETRAIN, answered("?"), judgement=judged(0), prompt=prompt).messages == [("prompt", prompt)]
    row = made_row()
    row["model_response"]["input"] = None
    assert read(tmp_path / "b", row)[0].messages == [("prompt", "Вопрос q0?")]
    row = made_row(OPEN, answered("?"), judgement=judged(0), prompt="")
    assert read(tmp_path / "c", row)[0].messages == [("prompt", "Вопрос q0?")]


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (BLOCKED, "раз"),
        (Outcome.failure("server_error", "HTTP 500", attempts=3), ""),
        (Outcome.unasked("does not fit the window"), ""),
    ],
)
def test_answers_that_are_missing(tmp_path, outcome, text):
    """Known by their outcome and its words; they are no failures."""
    found = one(tmp_path, IFHARD, outcome)
    assert (found.record["outcome"], found.record["error"], found.text) == (outcome.status, outcome.error, text)
    assert found.messages[-1] == ("user", "Вопрос q0?")
    assert not failed(found)


def test_an_answer_without_a_verdict_is_no_failure(tmp_path):
    """Unjudged; its replies are kept."""
    found = one(tmp_path, OPEN, answered("?"), judgement=Judgement("unjudged", error="unreadable", replies=("hm",)))
    assert (found.record["outcome"], found.judgement["replies"]) == ("unjudged", ["hm"])
    assert not failed(found)


def test_what_counts_as_failed(tmp_path):
    """Less than full marks: one requirement of two, two of three named, not attempted, wrong, empty."""
    marks = "+cw-e?!0/"
    found = shown_answers(open_run(ifhard_run(tmp_path / "a", marks)))
    assert "".join(mark for mark, shown in zip(marks, found, strict=True) if failed(shown)) == "cw-e"
    rows = [*(open_row(number, grade) for number, grade in enumerate((1, 0, -1, None))), list_row(4, 1), list_row(5, 2)]
    assert [shown.name for shown in read(tmp_path / "b", *rows) if failed(shown)] == ["q001", "q002", "q004"]


def test_ifbench_fails_by_its_headline(tmp_path):
    """The loose grader of the proposed readings; no other grader counts."""

    def row(number, **passed):
        verdicts = [
            verdict("count:numbers", grader, passed.get(grader, True)) for grader in ("fixes", "proposed_loose")
        ]
        scores = {"prompt_level_loose_acc": 1.0}
        made = sample(f"k{number}", "1 2", verdicts)
        made["metric"]["record"] |= {"scores": scores, "labels": "{}"}
        return made

    rows = [row(0), row(1, fixes=False), row(2, proposed_loose=False)]
    assert [failed(shown) for shown in read(tmp_path, *rows)] == [False, False, True]


@pytest.mark.parametrize(
    ("specs", "score", "wanted"),
    [
        ((MetricSpec("m", False),), 0.0, False),
        ((MetricSpec("m", False),), 0.5, True),
        ((MetricSpec("m", unit="balance"), MetricSpec("m")), 1.0, False),
        ((MetricSpec("m", unit="mean"),), 0.99, True),
        ((MetricSpec("m"),), None, False),
        ((MetricSpec("other"),), 0.0, False),
        ((MetricSpec("m", about=lambda record: False),), 0.0, False),
        ((MetricSpec("m", outcomes=("answered", "unjudged")),), 0.0, True),
    ],
)
def test_failed_by_any_kind_of_first_metric(monkeypatch, specs, score, wanted):
    """Lower is better, a mean, a balance before it, undefined, absent, about other questions."""
    monkeypatch.setattr(answers, "benchmark", lambda name: SimpleNamespace(metrics=specs))
    record = {"id": "q", "repeat": 0, "outcome": "answered", "scores": {"m": score}, "verdicts": []}
    assert failed(Shown(TaskName("x", "all"), 0, record, {}, [], "", "", "", "", (None, None), {})) is wanted


def test_records_of_earlier_versions(tmp_path):
    """Verdicts with a family; the judge's work as a verdict; records without the newer fields."""
    row = made_row(OPEN, answered("Ока"), judgement=judged(-1))
    record = row["metric"]["record"]
    effort = record.pop("judging")
    (kept,) = record["verdicts"]
    old = {name: kept[name] for name in ("id", "passed", "code", "reason", "observed", "wanted")}
    record["verdicts"] = [
        old | {"family": "answer"},
        old | {"id": "judge", "family": "x", "observed": json.dumps(effort)},
    ]
    for name in ("with_reasoning", "marked_reasoning"):
        del record[name]
    (found,) = read(tmp_path, row)
    assert [verdict["group"] for verdict in found.record["verdicts"]] == ["open"]
    assert found.record["judging"] == effort
    assert failed(found)
    assert (found.finish_reason, found.tokens) == ("stop", (10, 3))


def test_an_old_response_that_lacks_fields(tmp_path):
    """Unknown is empty, never a guess."""
    row = made_row()
    row["model_response"] = {"text": ["раз два"], "input": row["model_response"]["input"]}
    (found,) = read(tmp_path, row)
    assert (found.finish_reason, found.tokens, found.judgement, found.reasoning) == ("", (None, None), {}, "")
    row["model_response"] = {"text": None, "reasonings": [None]}
    assert read(tmp_path / "b", row)[0].text == ""


def test_half_surrogates(tmp_path):
    """They were replaced before they came into the file."""
    row = made_row(OPEN, answered("Волга"), judgement=judged(1, "\ud83d{}"))
    assert read(tmp_path, row)[0].judgement["replies"] == ["\ufffd{}"]


def change(row, **fields):
    """The row with other fields; ``record_x`` is one of its record."""
    for name, value in fields.items():
        where, _, field = name.partition("_")
        if where == "record":
            row["metric"]["record"][field] = value
        else:
            row["model_response"][field] = value
    return row


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (change(made_row(), record_labels="{"), "question q0: its labels is no JSON object: '{'"),
        (change(made_row(), record_labels="[]"), "its labels is no JSON object: '\\[\\]'"),
        (change(made_row(), record_outcome="x"), "question q0: its outcome is no known outcome: 'x'"),
        (change(made_row(), record_id=7), "question 7: its id is no text: 7"),
        (change(made_row(), record_repeat="x"), "its repeat is no whole number from 0 on: 'x'"),
        (change(made_row(), record_scores=["x"]), "its scores is no object"),
        (change(made_row(), record_scores={"sample_pass_rate": "x"}), "its scores.sample_pass_rate is no number: 'x'"),
        (change(made_row(), record_scores={"x": 1.0}), "question q0: KeyError: 'sample_pass_rate'"),
        (change(made_row(OPEN, judgement=judged(1)), record_verdicts=None), "question q0: IndexError"),
        (change(made_row(), response_text=[7]), "its answer is no list of texts"),
        (change(made_row(), record_labels=None), "its records hold no scores"),
        (change(made_row(), response_judgement="{"), "question q0: JSONDecodeError"),
        (change(made_row(), response_input=[{"content": "x"}]), "question q0: KeyError: 'role'"),
        (sample("k", "x", two_graders([True, True], [True, True])), "its records hold no scores"),
        (sample("k", "x", [], task="gsm8k:all|0"), "unknown benchmark 'gsm8k'"),
        (sample("k", "x", [], task="gsm8k|0"), "expected benchmark:subset"),
    ],
)
def test_rows_that_are_not_ours(tmp_path, row, words):
    """One line that names the file and the question; a comparison, which reads less of it, breaks at no other error."""
    with pytest.raises(ReportError, match=words) as caught:
        read(tmp_path, row)
    assert "\n" not in str(caught.value)
    (folder,) = (path.parent for path in tmp_path.glob("*/run.json"))
    with contextlib.suppress(ReportError):
        load_runs([folder])


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"x": [1]}),
        pa.table({"doc": ["x"], "metric": ["x"], "model_response": ["x"]}),
        pa.table({"doc": [1], "metric": [None], "model_response": [2]}),
        pa.table({"doc": [{"query": "x"}], "metric": [{"extractive_match": 1.0}], "model_response": [{"text": ["x"]}]}),
    ],
)
def test_files_of_other_tools(tmp_path, table):
    """One line."""
    run = open_run(write_run(tmp_path / "run", [made_row()]))
    (path,) = run.details.values()
    pq.write_table(table, path)
    with pytest.raises(FileError, match=r"is no details file of LightEval|has no records") as caught:
        list(shown_answers(run))
    assert "\n" not in str(caught.value)


def test_a_damaged_file(tmp_path):
    """Cut anywhere, or with damage before a whole footer: one line, or the answers."""
    run = open_run(write_run(tmp_path / "run", [made_row(id=f"q{n}") for n in range(20)]))
    (path,) = run.details.values()
    whole = path.read_bytes()
    for size in range(0, len(whole), 997):
        path.write_bytes(whole[:size])
        with pytest.raises(FileError, match="cannot be read"):
            list(shown_answers(run))
    said = []
    for place in range(0, len(whole), 997):
        path.write_bytes(whole[:place] + bytes(16) + whole[place + 16 :])
        try:
            list(shown_answers(run))
        except (FileError, ReportError) as error:
            said.append(str(error))
    assert said
    assert not any("\n" in line for line in said)


def test_sobhard_is_cut_by_the_rule_of_the_package():
    """Its scorer reads all that follows the first closing tag."""
    parted = benchmark("sobhard").part_answer("{}", "a</think>b</think>c")
    assert (parted.answer, parted.trace, parted.rest) == ("b</think>c", "a", "")


@pytest.mark.parametrize("change", ["missing", "older"])
def test_details_that_are_not_of_the_last_table(tmp_path, change):
    """One part's file is gone, or an older one with fewer answers lies there: half a run never passes for the whole."""
    rows = [open_row(1, 1), open_row(2, 1), list_row(3, 2)]
    folder = write_run(tmp_path / "run", rows)
    path = folder / "run.json"
    counts = {OPEN: 2, "hardmultiqa:strict-list:alignment|0": 1, "hardmultiqa:all:alignment|0": 3}
    content = json.loads(path.read_text("utf-8")) | {"tasks": {task: {"n_total": n} for task, n in counts.items()}}
    path.write_text(json.dumps(content), encoding="utf-8")
    assert len(list(shown_answers(open_run(folder)))) == 3
    of_open = open_run(folder).details[OPEN]
    if change == "missing":
        of_open.unlink()
        words = f"the details of {OPEN} are missing: copy the whole folder, or write them again"
    else:
        pq.write_table(pa.Table.from_pylist(rows[:1]), of_open)
        words = "holds 1 of 2 answers: newer details are missing"
    with pytest.raises(ReportError, match=re.escape(words)):
        list(shown_answers(open_run(folder)))
    assert command("compare", folder, folder) == 2
