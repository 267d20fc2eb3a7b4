"""``report show``: the answers that are wanted, with all there is to know of each."""

import json
import shutil

import pytest
from answer_rows import IFHARD, OPEN, answered, judged, made_row
from audit_runs import sample, verdict
from report_runs import command, ifhard_run, write_run

from endpoints.outcome import Outcome
from judges.judgement import Judgement
from report.show.showing import shortened

ONE = """\
run: org/model, run complete
hardmultiqa:open:alignment|0: 1 answer: 1 wrong

── 1 of 1 · hardmultiqa:open:alignment|0 · q0 · WRONG
labels: type open · topic География
scores: hardmultiqa_judge 0 · open_wrong_share 1 · open_not_attempted_share 0
system
│ Кратко.
user
│ Вопрос q0?
reference
│ Волга
reasoning: 8 characters (--reasoning shows them)
answer (3 characters, finish reason stop, 10 prompt tokens and 3 completion tokens)
│ Ока
not scored: what follows the answer (12 characters)
│ Вопрос: Где?
verdicts
  FAIL  open  [wrong] the judge found the answer wrong
judge: judged, 1 call, 9 prompt tokens and 0 completion tokens, the judge says wrong
  reason: stated
the judge's verdict
│ {"grade": -1}
reply 1
│ {"grade": -1}

"""


def shown(capsys, *arguments):
    """What ``report show`` prints."""
    assert command("show", *arguments) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    """The one line of an error."""
    assert command("show", *arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def names(text):
    """The answers of a page, in order."""
    return [line.split(" · ")[2] for line in text.splitlines() if line.startswith("── ")]


def test_all_of_one_answer(tmp_path, capsys):
    """Prompt, answer, verdict with its reason, folded reasoning, finish reason, tokens, the judge's work."""
    raw = "I guess.</think>Ока\nВопрос: Где?"
    row = made_row(OPEN, answered(raw), judgement=judged(-1, '{"grade": -1}'))
    assert shown(capsys, write_run(tmp_path / "run", [row])) == ONE


def test_reasoning_unfolds(tmp_path, capsys):
    """On demand."""
    run = write_run(tmp_path / "run", [made_row(outcome=answered("I count.\nTwice.</think>раз два"))])
    assert "reasoning: 15 characters (--reasoning shows them)\n" in shown(capsys, run)
    assert "reasoning (15 characters)\n│ I count.\n│ Twice.\nanswer" in shown(capsys, run, "--reasoning")


@pytest.mark.parametrize(
    ("outcome", "word", "lines"),
    [
        (
            Outcome.failure("server_error", "HTTP 500: gone"),
            "NO ANSWER",
            ["why: HTTP 500: gone", "answer (0 characters)"],
        ),
        (Outcome.unasked("too long"), "NOT ASKED", ["why: too long"]),
        (Outcome("blocked", "раз", finish_reason="content_filter", error="x"), "BLOCKED", ["why: x", "│ раз"]),
        (
            answered(""),
            "WRONG",
            ["answer (0 characters, finish reason stop, 10 prompt tokens and 3 completion tokens, empty)"],
        ),
        (
            answered("раз", finish_reason="length", prompt_tokens=None),
            "WRONG",
            ["answer (3 characters, finish reason length, 3 completion tokens, truncated)"],
        ),
        (answered("раз два"), "right", ["  pass  style:no_commas       no comma allowed, 0 found"]),
    ],
)
def test_how_an_answer_ended(tmp_path, capsys, outcome, word, lines):
    """In the title, and why."""
    text = shown(capsys, write_run(tmp_path / "run", [made_row(outcome=outcome)])).splitlines()
    assert f"── 1 of 1 · {IFHARD} · q0 · {word}" in text
    assert set(lines) <= set(text)


def test_an_answer_without_a_value_is_not_right(tmp_path, capsys):
    """Scored, but its first metric says nothing of it: nobody knows."""
    row = made_row()
    row["metric"]["record"]["scores"]["sample_pass_rate"] = None
    text = shown(capsys, write_run(tmp_path / "run", [row]))
    assert f"{IFHARD}: 1 answer: 1 no verdict\n" in text
    assert f"{IFHARD} · q0 · NO VERDICT\n" in text


def test_a_first_page(tmp_path, capsys):
    """Without a wish the first five, how many there are, and what to add."""
    text = shown(capsys, ifhard_run(tmp_path / "run", "+cw-+c?!"))
    assert names(text) == ["q000", "q001", "q002", "q003", "q004"]
    assert f"{IFHARD}: 8 answers: 1 blocked, 1 no answer, 4 wrong, 2 right\n" in text
    assert "  least often met: style:no_commas 3 of 6, structure:word_count 4 of 6\n" in text
    assert text.endswith("--whole and --reasoning show more of each\n")
    assert "5 of 8 answers shown; choose by --failed [N], --category X" in text


def test_the_failed_ones(tmp_path, capsys):
    """All of them, or the first; missing answers are none of them."""
    run = ifhard_run(tmp_path / "run", "+cw-+c?!cccc")
    assert len(names(shown(capsys, run, "--failed"))) == 8
    text = shown(capsys, run, "--failed", 2)
    assert names(text) == ["q001", "q002"]
    assert "── 2 of 8 · " in text
    assert "2 of 8 answers shown" in text
    assert "'many' is no number of answers (RUN stands before --failed)" in refused(capsys, run, "--failed", "many")


def categorised(tmp_path):
    """Six questions: two tiers, labels with lists and numbers, an answer without text, one that was not given."""
    labels = [
        {"tier": "hard", "families": "style,logic", "n": 3, "topic": ""},
        {"tier": "hard", "length": "hard", "topic": "Домашние дела"},
        {"tier": "easy", "topics": ["a b", "c"], "nothing": None},
    ]
    return ifhard_run(tmp_path / "run", "+cwe!/", labels=lambda n: labels[n // 2])


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ("hard", "0123"),
        ("HARD", "0123"),
        ("tier=hard", "0123"),
        ("length=hard", "23"),
        ("logic", "01"),
        ("families=style", "01"),
        ("style,logic", "01"),
        ("n=3", "01"),
        ("3", "01"),
        ("a b", "45"),
        ("домашние-дела", "23"),
        ("structure:word_count", "012345"),
        ("word-count", "012345"),
        ("requirement=no_commas", "012345"),
        ("structure", "012345"),
        ("too-many", "2"),
        ("empty", "3"),
        ("blocked", "4"),
        ("unscored", "5"),
        ("outcome=blocked", "4"),
        (IFHARD, "012345"),
    ],
)
def test_categories(tmp_path, capsys, wanted, places):
    """Labels of the question, its requirements and their families, codes of failure, how the answer ended."""
    assert names(shown(capsys, categorised(tmp_path), "--category", wanted)) == [f"q00{place}" for place in places]


def test_a_category_that_there_is_not(tmp_path, capsys):
    """One line with the nearest names and what there is."""
    said = refused(capsys, categorised(tmp_path), "--category", "word_cuont")
    assert "nearest: structure:word_count; there are: code " in said
    assert "families logic, style; group structure, style" in said
    assert "tier easy, hard" in said
    assert "requirement structure:word_count, style:no_commas" in said
    assert "the category 'tier=medium'" in refused(capsys, tmp_path / "run", "--category", "tier=medium")
    assert "the category 'x=y'" in refused(capsys, tmp_path / "run", "--category", "x=y")


def test_an_ending_that_no_answer_has(tmp_path, capsys):
    """That nothing was blocked or truncated is an answer, no wrong name; a label has no such value."""
    labelled, run = categorised(tmp_path), write_run(tmp_path / "right", [made_row()])
    for category in ("unjudged", "not-asked", "outcome=unscored", "look=empty", "unclosed_reasoning"):
        out = shown(capsys, run, "--category", category)
        assert out.endswith(f"no answer matches: of 1, 0 match --category {category}\n")
    out = shown(capsys, run, "--category", "failed")
    assert out.endswith("; it means failed requests, --failed means answers that are not right\n")
    assert "the category 'tier=blocked'" in refused(capsys, labelled, "--category", "tier=blocked")
    assert "the category 'answered'" in refused(capsys, run, "--category", "answered")


def test_missing_answers_are_no_failed_ones(tmp_path, capsys):
    """When nothing failed, how to see what has no score is said."""
    judgement = Judgement("unjudged", error="no JSON", calls=2)
    out = shown(capsys, write_run(tmp_path / "run", [made_row(OPEN, answered("?"), judgement=judgement)]), "--failed")
    assert out.endswith("no answer matches: of 1, 0 match --failed; 1 unjudged: --category unjudged\n")


def test_texts_are_not_listed(tmp_path, capsys):
    """A label of many texts is counted; names of many values are listed in part."""
    run = ifhard_run(tmp_path / "run", "+" * 12, labels=lambda n: {"task": f"Напиши {n}.", "origin": f"doc/{n:02}"})
    said = refused(capsys, run, "--category", "x")
    assert "origin doc/00, doc/01, doc/02, doc/03... (12)" in said
    assert "task (12 texts)" in said


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(["q001"], ["q001", "q001#1"]), (["q001#1"], ["q001#1"]), (["q001#1", "q000"], ["q000", "q000#1", "q001#1"])],
)
def test_ids(tmp_path, capsys, wanted, found):
    """All repeats of a question, or one."""
    run = ifhard_run(tmp_path / "run", ["+c", "cc"])
    text = shown(capsys, run, *(part for one in wanted for part in ("--id", one)))
    assert sorted(names(text)) == found


def test_the_beginning_of_an_id(tmp_path, capsys):
    """Where only one begins so; else the nearest are named."""
    rows = [made_row(id=name) for name in ("abc1", "abd2", "abd2x")]
    run = write_run(tmp_path / "run", rows)
    assert names(shown(capsys, run, "--id", "abc")) == ["abc1"]
    assert names(shown(capsys, run, "--id", "abd2")) == ["abd2"]
    assert "2 ids begin with 'abd': abd2, abd2x" in refused(capsys, run, "--id", "abd")
    assert "no answer has the id 'abc2'; nearest: abd2, abc1, abd2x" in refused(capsys, run, "--id", "abc2")
    assert "no answer has the id 'zzz'; the first of 3 is abc1" in refused(capsys, run, "--id", "zzz")


def test_ids_as_compare_names_them(tmp_path, capsys):
    """HardMultiQA's ids are told apart within a type only."""
    run = write_run(tmp_path / "run", [made_row(OPEN, answered("?"), judgement=judged(0))])
    assert names(shown(capsys, run, "--id", "open/q0")) == ["q0"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("ВОЛГА", "answer"),
        ("вопрос Q0", "prompt"),
        ("i guess", "reasoning"),
        ("где", "answer"),
        ("grade", "judge"),
        ("не указ", ""),
    ],
)
def test_search(tmp_path, capsys, text, places):
    """Anywhere in what is shown, whatever the case; where it was found is said."""
    row = made_row(OPEN, answered("I guess.</think>Волга\nВопрос: Где?"), judgement=judged(1, '{"grade": 1}'))
    out = shown(capsys, write_run(tmp_path / "run", [row]), "--search", text)
    if places:
        assert f"found in: {places}\n" in out
    else:
        assert f"no answer matches: of 1, 0 match --search {text}\n" in out


def test_search_knows_composed_letters(tmp_path, capsys):
    """The same letter in two spellings is one."""
    run = write_run(tmp_path / "run", [made_row(outcome=answered("чаи\u0306"))])
    assert names(shown(capsys, run, "--search", "ЧАЙ")) == ["q0"]


def test_wishes_combine(tmp_path, capsys):
    """All must hold; when they leave nothing, it is said what each alone leaves."""
    run = ifhard_run(tmp_path / "run", "+cw-", labels=lambda n: {"tier": "hard" if n > 1 else "easy"})
    assert names(shown(capsys, run, "--failed", "--category", "hard", "--search", "раз, два")) == ["q003"]
    assert names(shown(capsys, run, "--category", "hard", "--category", "too-many")) == ["q002", "q003"]
    out = shown(capsys, run, "--failed", "--category", "easy", "--search", "три")
    assert out.endswith("no answer matches: of 4, 3 match --failed, 2 match --category easy, 2 match --search три\n")


def test_verdicts_of_several_graders(tmp_path, capsys):
    """Those that say the same share a line; where they part, each is named."""
    verdicts = [verdict("count:numbers", grader, grader != "old", place=0) for grader in ("new", "newer", "old")]
    verdicts += [verdict("format:line", grader, None, "not-gradable", "unknown", place=1) for grader in ("new", "old")]
    row = sample("k", "1 2", verdicts)
    row["metric"]["record"] |= {"scores": {"prompt_level_loose_acc": 0.0}, "labels": "{}"}
    lines = shown(capsys, write_run(tmp_path / "run", [row])).splitlines()
    assert lines[-4:-1] == [
        "  pass  count:numbers  because (new, newer)",
        "  FAIL  count:numbers  [ok] because (old)",
        "   n/a  format:line    [not-gradable] unknown (new, old)",
    ]


def test_an_unjudged_answer(tmp_path, capsys):
    """The judge's words, though nobody can read them."""
    judgement = Judgement("unjudged", error="no JSON", calls=2, replies=("hm\nhm", "well"))
    text = shown(capsys, write_run(tmp_path / "run", [made_row(OPEN, answered("?"), judgement=judgement)]))
    assert " · UNJUDGED\nwhy: no JSON\n" in text
    assert "  error: no JSON\nreply 1\n│ hm\n│ hm\nreply 2\n│ well\n" in text


def test_judging_of_an_earlier_version(tmp_path, capsys):
    """It knew no tokens."""
    row = made_row(OPEN, answered("?"), judgement=judged(0))
    row["metric"]["record"]["judging"] = {"status": "judged", "calls": 2, "rule": None, "judge": "wrong"}
    assert "judge: judged, 2 calls, the judge says wrong\n" in shown(capsys, write_run(tmp_path / "run", [row]))


def test_long_texts_are_shortened(tmp_path, capsys):
    """In the middle, and what is left out is counted; with an id or --whole nothing is."""
    raw = "а" * 10_000 + "конец"
    run = write_run(tmp_path / "run", [made_row(outcome=answered(raw), id="one"), made_row(id="two")])
    text = shown(capsys, run)
    assert f"│ {'а' * 2_400}\n│ … 6405 characters left out (--whole shows them) …\n│ {'а' * 1_195}конец\n" in text
    assert f"│ {raw}\n" in shown(capsys, run, "--whole")
    assert f"│ {raw}\n" in shown(capsys, run, "--id", "one")


def test_what_was_searched_is_not_left_out():
    """The text around the first match stays."""
    text = "a" * 5_000 + "Needle" + "b" * 5_000
    found = shortened(text, "needle")
    assert "a" * 400 + "Needle" + "b" * 400 in found
    assert found.count("left out") == 2
    assert shortened(text).count("left out") == 1


@pytest.mark.parametrize(
    ("held", "wanted"), [("и\u0306од", "йод"), ("йод", "и\u0306од"), ("ЙОД", "йод"), ("е\u0308ж", "Ёж")]
)
def test_what_was_searched_is_not_left_out_however_it_is_written(held, wanted):
    """Composed or decomposed, large or small: whatever the search itself finds."""
    assert held in shortened("x" * 3_000 + held + "x" * 3_000, wanted)


def test_short_texts_are_whole():
    """Up to the limit."""
    assert shortened("x" * 4_000) == "x" * 4_000


def test_long_conversations_are_folded(tmp_path, capsys):
    """Earlier turns in one line; --whole shows them."""
    row = made_row()
    turns = [("system", "s"), ("user", "u1"), ("assistant", "a1"), ("user", "u2")]
    row["model_response"]["input"] = [{"role": role, "content": text} for role, text in turns]
    run = write_run(tmp_path / "run", [row])
    folded = "system\n│ s\n2 messages before the last (4 characters; --whole shows them)\nuser\n│ u2\n"
    assert folded in shown(capsys, run)
    assert "user\n│ u1\nassistant\n│ a1\nuser\n│ u2\n" in shown(capsys, run, "--whole")


def test_a_copied_run_reads_the_same(tmp_path, capsys):
    """Nothing in a folder names where it lay."""
    run = ifhard_run(tmp_path / "here" / "run", "+cw-")
    before = shown(capsys, run)
    shutil.copytree(run, tmp_path / "there [1]" / "run")
    shutil.rmtree(run)
    assert shown(capsys, tmp_path / "there [1]" / "run") == before


def test_runs_that_cannot_be_shown(tmp_path, capsys):
    """One line that says what to do."""
    run = ifhard_run(tmp_path / "run", "+")
    (run / "responses.jsonl").write_text("{", encoding="utf-8")  # a cut journal is not read
    assert names(shown(capsys, run)) == ["q000"]
    assert "has no run.json, but holds folders that have (1 of them)" in refused(capsys, tmp_path)
    assert "absent does not exist" in refused(capsys, tmp_path / "absent")
    assert "is no folder" in refused(capsys, run / "run.json")
    (path,) = (run / "details").glob("**/*.parquet")
    path.write_bytes(path.read_bytes()[:-9])
    assert f"{path} cannot be read" in refused(capsys, run)
    path.unlink()
    assert "has no details files: copy the whole folder, or write them again" in refused(capsys, run)
    content = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(content | {"status": "interrupted"}), encoding="utf-8")
    said = refused(capsys, run)
    assert f"it is interrupted; let the run end first (python run_lighteval.py --resume {run})" in said
    (run / "run.json").write_text('{"name": "wandb"}', encoding="utf-8")
    assert "its run.json is another tool's" in refused(capsys, run)
    (run / "run.json").unlink()
    assert "has no run.json beside its other files" in refused(capsys, run)


def test_a_run_that_was_resumed_and_stopped(tmp_path, capsys):
    """Its answers are those of its last table, and that is said."""
    run = ifhard_run(tmp_path / "run", "+", status="interrupted")
    assert "note: the run went on after its last table; these are the answers of that table\n" in shown(capsys, run)
