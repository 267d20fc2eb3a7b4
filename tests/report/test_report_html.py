"""The page of runs: it says what the runs' files say, whole, the same each time, and nothing in it can act."""

import base64
import hashlib
import html
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from answer_rows import IFBENCH, IFHARD, OPEN, SCORING, answered, judged, made_row
from page_runs import HOSTILE, ifhard_row, page_of, scored
from report_runs import command, ifhard_rows, ifhard_run, list_row

from endpoints.outcome import Outcome
from judges.judgement import Judgement
from report.html.failures import failures
from report.html.heat import grid
from report.html.lengths import length_rates
from report.html.numbers import fine_rates, headlines, looks, outcomes
from report.html.packing import chunks, packed
from report.html.view import views

ROOT = Path(__file__).parents[2]


def task_of(folder):
    """The only task of a run."""
    [run] = views([folder])
    [task] = run.tasks.values()
    return task


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(page):
    """The index, and all that opens behind rows: (index, answers, prompts)."""
    found = {"answers": [], "prompts": []}
    [index] = re.findall(r'<script type="application/octet-stream" id="index">([^<]*)</script>', page)
    for kind, text in re.findall(r'<script type="application/octet-stream" class="(\w+)">([^<]*)</script>', page):
        found[kind] += unpacked(text)
    return unpacked(index), found["answers"], found["prompts"]


def words_of(page):
    """What a reader sees of the page before its script runs."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", body)))


def test_headlines_are_those_of_the_run_file(tmp_path):
    """Value, interval and bounds as run.json has them, to the table's four decimals; coverage counts answers."""
    run = scored(tmp_path / "run", ifhard_rows("++c-w?!"))
    row = json.loads((run / "run.json").read_text(encoding="utf-8"))["tasks"][IFHARD]
    found = {one.told.name: one for one in headlines(task_of(run))}
    assert list(found) == ["sample_pass_rate", "constraint_pass_rate", "balance_score", "empty_share"]
    words = words_of(page_of(run))
    for name, one in found.items():
        ends = (row[f"{name}_ci_low"], row[f"{name}_ci_high"])
        assert one.told.value == row[name]
        assert one.told.interval == (None if None in ends else ends)
        assert one.told.bounds == (row[f"{name}_lower_bound"], row[f"{name}_upper_bound"])
        assert (one.known, one.asked) == (5, 7)
        if one.told.value is not None:
            assert f"{one.told.value:.4f} [{ends[0]:.4f}, {ends[1]:.4f}]" in words
        assert f"INCOMPLETE {one.told.bounds[0]:.4f} to {one.told.bounds[1]:.4f}" in words
    assert "5/7 (71.4%)" in words


@pytest.mark.parametrize(("whole", "said"), [(1260, True), (2, False), (None, False)])
def test_a_sample_says_that_it_is_one(tmp_path, whole, said):
    """Questions asked of the task's, repeats apart; no word of a whole run, or where the run does not say."""
    rows = [one for repeat in (0, 1) for one in ifhard_rows("+-", repeat=repeat)]
    entry = {"scorer_version": "1-1"} | ({} if whole is None else {"questions": {"ifhard:all": whole}})
    run = scored(tmp_path / "run", rows, datasets={"ifhard": entry}, settings={"repeats": 2})
    assert ("ifhard:all|0 a sample, 2 of 1260 questions" in words_of(page_of(run))) == said
    assert ("a sample, " in words_of(page_of(run))) == said


def test_of_saved_answers_no_temperature_is_told(tmp_path):
    """``run.json`` has one even so, and a cap; nobody knows how the answers were generated."""
    for saved in (None, "answers.jsonl"):
        words = words_of(page_of(scored(tmp_path / f"{saved}", ifhard_rows("+"), settings={"responses": saved})))
        assert ("temperature 0 max new tokens the task's own" in words) == (saved is None)
        assert ("generation saved answers: how they were generated is not known" in words) == (saved is not None)
        assert ("temperature" in words) == (saved is None)


def test_an_interval_without_width_is_told(tmp_path):
    """A bootstrap whose resamples agree; other intervals have their method alone."""
    said = "bootstrap: all resamples agree, so that its interval shows none of the doubt that remains"
    for marks, point in (("+" * 9, True), ("+-cw" * 5, False)):
        words = words_of(page_of(scored(tmp_path / marks, ifhard_rows(marks))))
        assert (f"[1.0000, 1.0000] {said}" in words) == point
        assert words.count("all resamples agree") == point


def test_an_undefined_value_says_why(tmp_path):
    """Nothing was answered: no quiet 0."""
    words = words_of(page_of(scored(tmp_path / "run", ifhard_rows("??"))))
    assert "sample_pass_rate n/a no sample has a valid answer" in words


def test_endings_and_looks_are_counted(tmp_path):
    """Shares of empty and cut answers are over those at hand; every outcome is named."""
    rows = [*ifhard_rows("+e?!"), ifhard_row(9, "раз", finish_reason="length")]
    task = task_of(scored(tmp_path / "run", rows))
    assert [(one.name, one.number, one.whole) for one in outcomes(task)] == [
        ("answered", 3, 5),
        ("failed", 1, 5),
        ("blocked", 1, 5),
    ]
    assert [(one.name, one.number, one.whole) for one in looks(task)] == [
        ("empty", 1, 3),
        ("truncated", 1, 3),
        ("unclosed_reasoning", 0, 3),
    ]


def test_the_heat_map_has_family_by_difficulty(tmp_path):
    """Rungs upwards, the sum last; a pair that nobody asked has no cell."""
    rows = [ifhard_row(0, "раз два", "hard"), ifhard_row(1, "раз, два", "easy"), ifhard_row(2, "раз", "easy")]
    found = grid(task_of(scored(tmp_path / "run", rows)))
    assert (found.axis, found.across) == ("family", "tier")
    assert found.columns == ["easy", "hard", "all"]
    assert found.cells["structure", "easy"] == (0.5, 2)
    assert found.cells["style", "easy"] == (0.5, 2)
    assert found.cells["style", "hard"] == (1.0, 1)
    assert found.cells["structure", "all"] == (2 / 3, 3)
    assert grid(task_of(scored(tmp_path / "none", ifhard_rows("?")))) is None


def test_rates_by_requirement_are_those_of_the_run_file(tmp_path):
    """Each requirement type with its rate and number."""
    found = fine_rates(task_of(scored(tmp_path / "run", ifhard_rows("+c--"))))
    assert found == {
        "structure:word_count": {"n": 4, "pass_rate": 0.5},
        "style:no_commas": {"n": 4, "pass_rate": 0.25},
    }


def test_length_bins_hold_every_answer_once(tmp_path):
    """Equal lengths share a bin; empty and missing answers are in none."""
    texts = ["раз два", "раз"] + ["а" * length for length in (5, 5, 5, 5, 5, 5, 9, 12, 300)]
    rows = [ifhard_row(number, text) for number, text in enumerate(texts)]
    found = length_rates(task_of(scored(tmp_path / "run", [*rows, *ifhard_rows("." * 20 + "?e")])))
    for bins in found:
        assert sum(one.answers for one in bins) == len(texts)
        assert all(before.high < after.low for before, after in itertools.pairwise(bins))
        assert all(one.interval.low <= one.rate <= one.interval.high for one in bins)
    assert sum(one.rate * one.answers for one in found.whole) == pytest.approx(1)
    assert length_rates(task_of(scored(tmp_path / "none", ifhard_rows("?")))) == ([], [])


def test_failure_codes_come_with_different_examples(tmp_path):
    """The most frequent first, with the checks that give it and examples that are not all of one kind."""
    found = failures(task_of(scored(tmp_path / "run", ifhard_rows("+cc-w"))))
    assert [(one.code, one.verdicts, one.answers) for one in found] == [
        ("forbidden-comma", 3, 3),
        ("too-many", 2, 2),
    ]
    assert sum(one.share for one in found) == pytest.approx(1)
    assert found[0].checks == [("style:no_commas", 3)]
    assert [shown.name for shown, _, _ in found[0].examples] == ["q001", "q002", "q003"]


def test_every_answer_is_behind_a_row(tmp_path):
    """Prompt, answer, reasoning apart, verdicts, the judge's work, whatever the benchmark."""
    rows = [
        made_row(OPEN, answered("Волга"), judgement=judged(1, "<think>так</think>{}", '{"grade": 1}'), id="a"),
        made_row(IFBENCH, answered("one 1 two 2"), id="b"),
        made_row(IFHARD, answered("думаю</think>раз, два"), id="c"),
        made_row(IFHARD, Outcome("failed", None, error="HTTP 500", error_code="http"), id="d"),
    ]
    index, answers, prompts = data_of(page_of(scored(tmp_path / "run", rows)))
    at = {row["name"]: (row, answer) for row, answer in zip(index["rows"], answers, strict=True)}
    assert set(at) == set("abcd")
    row, answer = at["a"]
    assert answer["judgement"]["replies"] == ["<think>так</think>{}", '{"grade": 1}']
    assert (row["verdict"], prompts[row["prompt"]]) == ("right", [["system", "Кратко."], ["user", "Вопрос a?"]])
    assert {verdict["grader"] for verdict in at["b"][1]["verdicts"]} >= {"proposed", "proposed_loose"}
    assert at["b"][0]["met"][1] == 1  # requirements, not graders
    row, answer = at["c"]
    assert (answer["text"], answer["reasoning"]) == ("раз, два", "думаю")
    assert (row["verdict"], row["failed"], row["looks"]) == ("wrong", ["style:no_commas"], ["with_reasoning"])
    assert (at["d"][0]["verdict"], at["d"][0]["why"], at["d"][1]["error"]) == ("failed", "HTTP 500", "HTTP 500")


def test_categories_sort_answers_into_a_few_kinds(tmp_path):
    """A label of its own for each question is no category."""
    rows = [
        made_row(IFHARD, id=f"q{n}", labels={"tier": "easy", "task": f"Задание {n}", "n": n % 3}) for n in range(50)
    ]
    index, answers, _ = data_of(page_of(scored(tmp_path / "run", rows)))
    assert index["categories"] == ["n", "tier"]
    assert index["rows"][4]["labels"] == ["1", "easy"]
    assert answers[4]["labels"]["task"] == "Задание 4"


def test_a_prompt_is_there_once(tmp_path):
    """Repeats and further runs share it."""
    first, second = (scored(tmp_path / name, ifhard_rows("+-")) for name in ("a", "b"))
    index, answers, prompts = data_of(page_of(first, second))
    assert len(answers) == len(index["rows"]) == 4
    assert len(prompts) == 2


def test_won_and_lost(tmp_path):
    """By question, against the first run; the difference is that of report compare."""
    first, second = scored(tmp_path / "a", ifhard_rows("+-+-?")), scored(tmp_path / "b", ifhard_rows("++---"))
    text = page_of(first, second)
    index, _, _ = data_of(text)
    assert [row.get("against") for row in index["rows"]] == [None] * 5 + ["tied", "won", "lost", "tied", "missing"]
    words = words_of(text)
    assert "Won and lost against a" in words
    assert "1 won 1 lost 2 tied 1 missing" in words
    assert "b against a, 5 questions in both" in words


def test_a_stopped_run_is_shown_and_not_compared(tmp_path):
    """And a run over other questions says why; both keep their numbers, the third run is compared."""
    base = scored(tmp_path / "base", ifhard_rows("+-+-"))
    stopped = scored(
        tmp_path / "stopped", ifhard_rows("+-00"), status="stopped", stopped={"rule": "half width", "after": 2}
    )
    other = scored(tmp_path / "other", [ifhard_row(7, "раз два")])
    good = scored(tmp_path / "good", ifhard_rows("++++"))
    words = words_of(page_of(base, stopped, other, good))
    assert "stopped Not compared." in words
    assert "stopped early by half width after 2 answers" in words
    assert "other Not compared. base and other do not compare: questions: 4 and 1, 0 of them in both" in words
    assert "2 won 0 lost 2 tied 0 missing" in words


def test_a_run_without_scores_is_shown(tmp_path):
    """Rows that hold no references: answers alone."""
    run = ifhard_run(tmp_path / "run", "//")
    assert "The run has no scores of this task." in words_of(page_of(run))


def test_a_union_has_the_answers_of_its_parts(tmp_path):
    """hardmultiqa:all is run part by part."""
    rows = [
        made_row(OPEN, answered("Ока"), judgement=judged(0), id="a"),
        list_row(1, 2),
        made_row(OPEN, answered("Ока"), judgement=Judgement("unjudged", error="unreadable"), id="b"),
    ]
    run = scored(tmp_path / "run", rows, tasks=["hardmultiqa:all:alignment|0"], status="incomplete")
    told = json.loads((run / "run.json").read_text(encoding="utf-8"))
    task = task_of(run)
    assert len(task.answers) == 3
    assert not task.row  # this folder's run.json has the parts alone
    assert set(told["tasks"]) == {OPEN, "hardmultiqa:strict-list:alignment|0"}


@pytest.mark.parametrize(
    ("told", "named"),
    [({"model": "org/one"}, ["org/one"]), ([{"model": "org/one"}, {"model": "org/two"}], ["org/one", "org/two"])],
)
def test_every_judge_is_named(tmp_path, told, named):
    """A run has one judge, or several in a list."""
    page = page_of(scored(tmp_path / "run", [list_row(1, 2)], judge=told))
    assert re.findall(r"<dt>judge</dt><dd><bdi>(.*)</bdi></dd>", page) == named


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(tmp_path, text):
    """Wherever texts of others stand: names, answers, prompts, labels, reasons, errors, files."""
    rows = [
        made_row(IFHARD, answered(text, finish_reason=text), id=f"q{text}", labels={"tier": text, "topic": text}),
        made_row(IFHARD, Outcome("failed", None, error=text, error_code="http"), id="d"),
    ]
    run = scored(tmp_path / "run", rows, settings={"name": text, "model": text}, finish_reasons={IFHARD: {text: 1}})
    (run / "table.txt").write_text(text, encoding="utf-8")
    hostile, harmless = page_of(run), page_of(scored(tmp_path / "other", rows[1:]))
    assert tags(hostile) >= tags(harmless)
    assert {tag for tag in tags(hostile) if re.match(r"<(img|iframe|link|base|object|embed)\b", tag)} == set()
    assert len(re.findall(r"<script\b", hostile)) == hostile.count("</script>") == 4
    assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', hostile.partition("<script")[0]))
    assert not set(re.findall(r"[\u202a-\u202e\u2066-\u2069\u200b\u200f\x00\x1b\ufeff\u00ad]", hostile))
    answers = data_of(hostile)[1]
    assert text in [answer["text"] for answer in answers]


def tags(page):
    return set(re.findall(r"<[a-z]+\b", re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)))


def test_only_the_own_script_may_run_and_nothing_is_asked_for(tmp_path):
    """The policy names the script by its digest and forbids every request; no address is in what a browser loads."""
    text = page_of(scored(tmp_path / "run", ifhard_rows("+-")))
    [policy] = re.findall(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', text)
    [script] = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline';")
    assert not re.search(r"""(src|href)\s*=\s*["']?[^#"']""", text.partition("<script>")[0])
    assert not re.search(r"@import|url\((?!#)", text)
    assert set(re.findall(r"https?://[^\"'\s<]*", text)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in script


def test_packed_values_come_back():
    """Half surrogates and NUL as well; in letters that are no markup."""
    value = {"a": ["\ud800", "\x00</script>", "я" * 1000, None, 1.5]}
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed(value))
    assert unpacked(packed(value)) == value


def test_chunks_hold_every_value_in_order():
    """Each begins where the last one ended."""
    values = ["x" * 400_000, "y" * 1_500_000, "", *map(str, range(10))]
    found, starts = chunks(values)
    assert [one for text in found for one in unpacked(text)] == values
    assert starts == [0, 1, 2]
    assert chunks([]) == ([], [])


def test_the_command_writes_the_page(tmp_path, capsys):
    """Where it was told to; several runs go by their names."""
    runs = [scored(tmp_path / name, ifhard_rows("+-")) for name in ("a", "b")]
    assert command("html", *runs, "-o", tmp_path / "p.html", "--name", "Первый", "--name", "$x_1$") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'p.html'}\n"
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>\n")
    assert "<title>Первый · $x_1$</title>" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["RUN"], "the following arguments are required: -o/--output"),
        (["nowhere", "-o", "page.html"], "nowhere does not exist"),
        (["RUN", "-o", "missing/page.html"], "-o missing/page.html: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    """Exit status 2, and what to change."""
    monkeypatch.chdir(tmp_path)
    scored(tmp_path / "RUN", ifhard_rows("+"))
    assert command("html", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert message in error


@pytest.mark.slow
def test_the_same_runs_give_the_same_bytes(tmp_path):
    """In processes that hash differently, under a user's own settings of the plots, from a copy of the folder."""
    rows = [ifhard_row(n, "раз, два" * (n % 7 + 1), ("easy", "hard", "expert")[n % 3]) for n in range(30)]
    scored(tmp_path / "one" / "run", rows)
    scored(tmp_path / "two" / "run", rows)
    (tmp_path / "two" / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\n", encoding="utf-8")
    for seed, place in (("1", "one"), ("2", "two")):
        subprocess.run(
            [sys.executable, "-m", "report", "html", "run", "-o", "page.html"],
            cwd=tmp_path / place, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}, check=True,
            capture_output=True,
        )  # fmt: skip
    assert (tmp_path / "one" / "page.html").read_bytes() == (tmp_path / "two" / "page.html").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["ifhard:all|0", "sobhard:all|0"])
def test_pages_of_large_runs_are_light_enough(tmp_path, task):
    """1,260 answers within 15 MB; 825 with prompts of 20,000 characters of noise within 30 MB."""
    spec = importlib.util.spec_from_file_location("report_page", ROOT / "speed" / "report_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    rows = list(script.ifhard_rows() if task == IFHARD else script.sobhard_rows())
    assert len(rows) == (1260 if task == IFHARD else 825)
    run = script.write_run(tmp_path / "run", task, rows)
    assert len(page_of(run).encode()) < script.LIMITS[task] * 1_000_000


def test_the_scoring_rows_are_ours():
    """What the made rows are checked against."""
    assert [one["category"] for one in SCORING["ifhard"]] == ["structure:word_count", "style:no_commas"]
