"""Two runs and more over the same questions: differences, intervals, who won what."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from made_records import records_of
from report_runs import MISSING, TASK, command, compared, ifhard_rows, ifhard_run, list_row, open_row, row, write_run

from report.comparison.comparing import level_of
from tasks.registry import BENCHMARK_NAMES
from tasks.registry import benchmark as named

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {"values", "difference", "interval", "interval_clustered", "p_mid", "p_exact"}
MAIN = "sample_pass_rate"


def made_records_of(benchmark, shift=0):
    """Thirty questions of a benchmark with all kinds of answers, none missing; every fourth is another one's shift."""
    answers = 2 if benchmark == "hardmultiqa" else 3  # that are judged
    plan = [(number % 3, [((number + shift * (number % 4 == 0)) % answers, False)]) for number in range(30)]
    records = records_of(benchmark, plan)
    assert {record["outcome"] for record in records} == {"answered"}
    return records


def made_run(folder, benchmark, shift=0):
    """The run of these records."""
    task = {"hardmultiqa": "hardmultiqa:all:alignment|0"}.get(benchmark, f"{benchmark}:all|0")
    rows = []
    for record in made_records_of(benchmark, shift):
        part = f"hardmultiqa:{record['verdicts'][0]['id']}:alignment|0" if benchmark == "hardmultiqa" else task
        rows.append(row(record, part))
    return write_run(folder, rows, tasks=[task])


def test_by_hand(tmp_path):
    """Ten questions: five won, two lost. p: of 7 fair coins at most 2 heads in 29 of 128 cases, just 2 in 21."""
    a = ifhard_run(tmp_path / "a", "++++wcww-w")
    b = ifhard_run(tmp_path / "b", "++cw+++++-")
    found = compared(tmp_path, a, b)
    assert found["runs"] == ["a", "b"]
    assert found["common"] == 10
    moved = found["metrics"][MAIN]
    assert moved.keys() >= FIELDS
    assert moved["values"] == [0.4, 0.7]
    assert moved["difference"] == pytest.approx(0.3)
    low, high = moved["interval"]
    assert -1 <= low < 0.3 < high <= 1
    assert moved["interval_clustered"] is None
    assert moved["p_exact"] == pytest.approx(2 * 29 / 128)
    assert moved["p_mid"] == pytest.approx(2 * 29 / 128 - 21 / 128)
    counts = {kind: found["questions"][kind] for kind in ("won", "lost", "tied", "missing")}
    assert counts == {"won": 5, "lost": 2, "tied": 3, "missing": 0}
    assert found["questions"]["won_ids"] == ["q004", "q005", "q006", "q007", "q008"]
    assert found["questions"]["lost_ids"] == ["q002", "q003"]
    # Two words: A in q000-q003 and q005; B in q000-q002 and q004-q008. B wins 4 and loses 1: 2 * 6 / 32.
    words = found["groups"]["type/structure:word_count"]
    assert words["difference"] == pytest.approx(0.3)
    assert words["p"] == pytest.approx(2 * 6 / 32)
    assert words["questions"] == 10
    assert found["metrics"]["constraint_pass_rate"]["p_mid"] is None
    assert found["power"][TASK]["discordance"] == pytest.approx(0.7)
    assert found["power"][TASK]["smallest_difference"] == pytest.approx(2.8016 * (0.7 / 10) ** 0.5, abs=1e-4)


@pytest.mark.parametrize("benchmark", BENCHMARK_NAMES)
def test_a_run_and_itself_do_not_differ(tmp_path, benchmark, capsys):
    """Of each benchmark: every difference is 0 and inside its interval, every p is 1, every question is tied."""
    run = made_run(tmp_path / "run", benchmark)
    found = compared(tmp_path, run, run)
    assert found["runs"] == ["run", "run (2)"]
    assert found["metrics"]
    for name, moved in found["metrics"].items():
        if moved["difference"] is None:
            assert None in moved["values"], name
            continue
        assert moved["difference"] == 0
        assert moved["interval"][0] <= 0 <= moved["interval"][1]
        assert moved["p_mid"] in (None, 1.0)
        assert moved["bounds"] is None
    assert (found["questions"]["won"], found["questions"]["lost"], found["questions"]["missing"]) == (0, 0, 0)
    assert found["questions"]["tied"] == found["common"] == 30
    assert found["groups"]
    assert all((one["difference"], one["p"], one["p_holm"]) == (0, 1, 1) for one in found["groups"].values())
    assert "every group is as it was" in capsys.readouterr().out


@pytest.mark.parametrize("benchmark", BENCHMARK_NAMES)
def test_the_other_way_round_signs_change(tmp_path, benchmark):
    """Values swap, differences and intervals turn, p values stay, who won lost."""
    first, second = made_run(tmp_path / "a", benchmark), made_run(tmp_path / "b", benchmark, shift=1)
    there, back = compared(tmp_path, first, second), compared(tmp_path, second, first)
    assert there["questions"]["won_ids"] == back["questions"]["lost_ids"]
    assert there["questions"]["won"] + there["questions"]["lost"] > 0
    for name, moved in there["metrics"].items():
        turned = back["metrics"][name]
        assert moved["values"] == turned["values"][::-1]
        if moved["difference"] is not None:
            assert moved["difference"] == pytest.approx(-turned["difference"], abs=1e-12)
            assert moved["interval"] == pytest.approx([-end for end in turned["interval"][::-1]], abs=1e-9)
            assert moved["p_exact"] == turned["p_exact"]
    for name, group in there["groups"].items():
        assert group["difference"] == pytest.approx(-back["groups"][name]["difference"], abs=1e-12)
        assert group["p_holm"] >= group["p"] == back["groups"][name]["p"]


@pytest.mark.parametrize("benchmark", BENCHMARK_NAMES)
def test_values_are_those_of_the_tables(tmp_path, benchmark):
    """Over complete runs each value is the headline of the run itself; a balance may be over fewer groups."""
    found = compared(tmp_path, made_run(tmp_path / "a", benchmark), made_run(tmp_path / "b", benchmark, shift=1))
    for place in (0, 1):
        headlines = named(benchmark).summarise(made_records_of(benchmark, place)).headlines
        for headline in headlines:
            value = found["metrics"][headline.name]["values"][place]
            if headline.name != "balance_score" and value is not None:
                assert value == pytest.approx(headline.value), headline.name
        assert {headline.name for headline in headlines} <= found["metrics"].keys()


def test_clusters_widen_where_questions_move_together(tmp_path, capsys):
    """Twelve task texts of ten questions, won or lost as a whole; labels that tell nothing cluster nothing."""
    before = "".join(mark * 10 for mark in "w+w+w+wwww++")
    after = "".join(mark * 10 for mark in "+++w++++w+++")

    def shared(number):
        return {"task": f"text {number // 10}"}

    a, b = ifhard_run(tmp_path / "a", before, labels=shared), ifhard_run(tmp_path / "b", after, labels=shared)
    moved = compared(tmp_path, a, b)["metrics"][MAIN]
    plain, clustered = (high - low for low, high in (moved["interval"], moved["interval_clustered"]))
    assert clustered > 1.5 * plain
    said = capsys.readouterr().out
    assert "clustered by task text (12 of them for 120 questions)" in said
    assert "sample_pass_rate if every question stood for itself: [" in said
    for name, labels in (("x", None), ("y", lambda n: {"task": f"text {n}"}), ("z", lambda n: {"task": ""})):
        run = ifhard_run(tmp_path / name, before, labels=labels)
        assert compared(tmp_path, run, run)["metrics"][MAIN]["interval_clustered"] is None


def test_p_values_of_whole_clusters(tmp_path, capsys):
    """Of six task texts B wins five as a whole, 20 questions, and loses one: 14 outcomes of 64 are as far apart."""
    a, b = (
        ifhard_run(tmp_path / name, marks, labels=lambda number: {"task": f"text {number // 4}"})
        for name, marks in (("a", "w" * 20 + "+" * 4), ("b", "+" * 20 + "w" * 4))
    )
    found = compared(tmp_path, a, b)
    moved = found["metrics"][MAIN]
    assert moved["p_exact"] < 0.002
    assert moved["p_exact_clustered"] == pytest.approx(14 / 64)
    assert moved["p_mid_clustered"] == pytest.approx(8 / 64)
    type_ = found["groups"]["type/structure:word_count"]
    assert type_["p"] == moved["p_exact"]
    assert type_["p_clustered"] == pytest.approx(14 / 64)
    assert type_["p_clustered_holm"] >= type_["p_clustered"]
    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if line.split()[:1] == [MAIN])
    assert row.split()[-1] == f"{14 / 64:.4f}"
    assert "groups: none moved for sure (sign tests by task text, Holm's correction for" in said
    three = compared(tmp_path, a, b, b)["comparisons"][0]["metrics"][MAIN]
    assert three["p_exact_clustered_holm"] == pytest.approx(28 / 64)
    # Without clusters there is no such value, and a group's is the sign test's.
    alone = compared(tmp_path, ifhard_run(tmp_path / "c", "www++"), ifhard_run(tmp_path / "d", "+++w+"))
    assert alone["metrics"][MAIN]["p_exact_clustered"] is None
    assert all(group["p_clustered"] == group["p"] for group in alone["groups"].values())


def test_empty_answers_have_no_requirements(tmp_path):
    """Their share is undefined in constraint_pass_rate: a run with itself, with another, and with clusters."""
    shared = {"labels": lambda number: {"task": f"text {number // 2}"}}
    a, b = ifhard_run(tmp_path / "a", "+e+cce", **shared), ifhard_run(tmp_path / "b", "++ecce", **shared)
    same = compared(tmp_path, a, a)["metrics"]["constraint_pass_rate"]
    assert (same["values"], same["difference"]) == ([0.75, 0.75], 0)
    assert same["interval"][0] < 0 < same["interval"][1]
    assert same["interval_clustered"] is not None
    moved = compared(tmp_path, a, b)["metrics"]["constraint_pass_rate"]
    assert moved["values"] == [0.75, 0.75]
    assert moved["method"] == "paired bootstrap"


@pytest.mark.parametrize("mark", MISSING)
def test_missing_answers_are_both_bounds(tmp_path, capsys, mark):
    """Of ten questions A lacks one, B two: the pairs are seven; what is missing counts as 0 and as 1."""
    a = ifhard_run(tmp_path / "a", f"{mark}+++++wwww", status="incomplete")
    b = ifhard_run(tmp_path / "b", f"+{mark}?+++++ww", status="incomplete")
    found = compared(tmp_path, a, b)
    moved = found["metrics"][MAIN]
    assert moved["values"] == pytest.approx([3 / 7, 5 / 7])
    # A passes 5 or 6 of 10; B 6, 7 or 8 of 10.
    assert moved["bounds"] == pytest.approx([0.6 - 0.6, 0.8 - 0.5])
    low, high = moved["interval_at_bounds"]
    assert low < 0
    assert high > 0.3
    assert found["questions"]["missing_ids"] == ["q000", "q001", "q002"]
    assert found["questions"]["missing"] == 3
    said = capsys.readouterr().out
    assert "INCOMPLETE" in said
    assert "note: a: its run is incomplete" in said


def test_missing_answers_weigh_what_they_would(tmp_path):
    """IFBench's instruction level counts constraints: a failed question of two weighs two, also where both lack it."""
    pool = records_of("ifbench", [(0, [(0, False)]), (0, [(5, False)]), (1, [(0, False)])])
    assert [record["outcome"] for record in pool] == ["answered", "failed", "answered"]
    run = write_run(tmp_path / "a", [row(record, "ifbench:all|0") for record in pool])
    moved = compared(tmp_path, run, run)["metrics"]["inst_level_loose_acc"]
    assert moved["values"] == [1.0, 1.0]
    assert moved["bounds"] == pytest.approx([-2 / 5, 2 / 5])


def test_a_balance_with_missing_answers(tmp_path):
    """SOBHard's cells: those of missing answers alone count in the bounds, as they do in a run's own table."""
    runs = []
    for name, variants in (("a", (0, 0, 0, 0)), ("b", (0, 5, 1, 5))):
        pool = records_of("sobhard", [(number % 2, [(variant, False)]) for number, variant in enumerate(variants)])
        runs.append(write_run(tmp_path / name, [row(record, "sobhard:all|0") for record in pool]))
    moved = compared(tmp_path, *runs)["metrics"]["balance_score"]
    # Of two cells B has one right and one wrong answer in the first, no answer in the second.
    assert moved["values"] == pytest.approx([1.0, 0.5])
    headline = named("sobhard").summarise(pool).headline("balance_score")
    assert moved["bounds"] == pytest.approx([end - 1.0 for end in headline.bounds])


def test_nothing_answered_is_no_zero(tmp_path):
    """A run without an answer has no difference, and the bounds are everything."""
    a, b = ifhard_run(tmp_path / "a", "++w"), ifhard_run(tmp_path / "b", "???")
    moved = compared(tmp_path, a, b)["metrics"][MAIN]
    assert moved["difference"] is None
    assert moved["values"] == [None, None]
    assert moved["bounds"] == pytest.approx([-2 / 3, 1 / 3])


def test_unjudged_answers_are_missing(tmp_path):
    """HardMultiQA: a reply that nobody can read is neither right nor wrong; coverage itself is compared."""
    a = write_run(tmp_path / "a", [open_row(i, grade) for i, grade in enumerate([1, 1, -1, None])])
    b = write_run(tmp_path / "b", [open_row(i, grade) for i, grade in enumerate([1, -1, -1, 1])])
    found = compared(tmp_path, a, b)
    moved = found["metrics"]["hardmultiqa_judge"]
    assert moved["values"] == pytest.approx([2 / 3, 1 / 3])
    assert moved["bounds"] == pytest.approx([2 / 4 - 3 / 4, 2 / 4 - 2 / 4])
    assert found["questions"] == {
        "won": 0,
        "lost": 1,
        "tied": 2,
        "missing": 1,
        "metric": "hardmultiqa_judge",
        "won_ids": [],
        "lost_ids": ["open/q001"],
        "missing_ids": ["open/q003"],
    }
    assert found["metrics"]["judge_coverage"]["values"] == [0.75, 1.0]


def test_partial_scores_are_won_by_the_better_one(tmp_path):
    """A task of lists has no all-or-nothing metric: who scored higher won; there is no McNemar."""
    task = "hardmultiqa:all:alignment|0"
    for name, counts in (("a", (0, 1, 2, 1)), ("b", (1, 2, 2, 0))):
        rows = [list_row(i, count) for i, count in enumerate(counts)] + [open_row(0, 1)]
        write_run(tmp_path / name, rows, tasks=[task])
    found = compared(tmp_path, tmp_path / "a", tmp_path / "b")
    assert found["common"] == 5
    assert found["questions"]["metric"] == "hardmultiqa_judge"
    assert found["questions"]["won_ids"] == ["strict-list/q000", "strict-list/q001"]
    assert found["questions"]["lost_ids"] == ["strict-list/q003"]
    assert found["metrics"]["hardmultiqa_judge"]["p_mid"] is None
    assert found["groups"]["type/open"]["difference"] == 0


def test_repeats_are_averaged(tmp_path, capsys):
    """Two answers a question: no McNemar, the question is the unit, and the variance is split."""
    a = ifhard_run(tmp_path / "a", ["+w+w++ww", "+w+ww+ww"])
    b = ifhard_run(tmp_path / "b", ["++++++ww", "+w+++ww+"])
    found = compared(tmp_path, a, b)
    moved = found["metrics"][MAIN]
    assert found["common"] == moved["questions"] == 8
    assert moved["values"] == pytest.approx([7 / 16, 11 / 16])
    assert moved["p_mid"] is None
    assert found["questions"]["won_ids"] == ["q001", "q003", "q004", "q007"]
    assert found["questions"]["lost_ids"] == ["q005"]
    # One question of A has unlike answers: its variance is 1/2, the mean over 8 questions 1/16.
    assert found["variance"]["a"]["within"] == pytest.approx(1 / 16)
    assert "of the variance of its sample_pass_rate is between answers to one question" in capsys.readouterr().out


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("times", [1, 2])
def test_the_table_has_no_empty_columns(tmp_path, capsys, times, shared):
    """Averaged answers have no p values: neither a column of them, nor a word on how they are clustered."""
    a, b = (
        ifhard_run(tmp_path / name, [marks] * times, labels=lambda n: {"task": f"text {n // 2 if shared else n}"})
        for name, marks in (("a", "+w+w++ww"), ("b", "++++++ww"))
    )
    assert command("compare", a, b) == 0
    said = capsys.readouterr().out
    ps = ["p (mid-p)", "p (exact)", *(["p (clusters)"] if shared else [])] if times == 1 else []
    (titles,) = [line for line in said.splitlines() if line.startswith("  metric ")]
    assert re.split(r"\s{2,}", titles.strip())[5:] == ps
    assert ("p (clusters) are clustered by task text" in said) == (shared and times == 1)
    assert ("intervals are clustered by task text (4 of them for 8 questions)\n" in said) == (shared and times == 2)


def test_repeats_that_never_differ_split_nothing(tmp_path, capsys):
    """There is no share of a variance of 0."""
    runs = [ifhard_run(tmp_path / name, ["--", "--"]) for name in "ab"]
    assert compared(tmp_path, *runs)["variance"]["a"]["share_within"] is None
    said = capsys.readouterr().out
    assert "repeats of a: every answer has the same sample_pass_rate, so that they say nothing of its variance" in said
    assert "n/a of the variance" not in said


def test_an_interval_without_doubt_says_so(tmp_path, capsys):
    """Equal runs leave a bootstrap no spread: the point that it gives is named, where it is one."""
    a, b = (ifhard_run(tmp_path / name, marks) for name, marks in (("a", "+w-c" * 5), ("b", "+w-c" * 4 + "++++")))
    words = "balance_score: all resamples agree, so that its interval shows none of the doubt that remains"
    assert compared(tmp_path, a, a)["metrics"]["balance_score"]["interval"] == [0, 0]
    assert words in capsys.readouterr().out
    low, high = compared(tmp_path, a, b)["metrics"]["balance_score"]["interval"]
    assert low < high
    assert words not in capsys.readouterr().out


def test_unlike_numbers_of_repeats_compare(tmp_path):
    """Questions are paired, not answers."""
    a, b = ifhard_run(tmp_path / "a", "+w+w"), ifhard_run(tmp_path / "b", ["+w++", "++w+"])
    assert compared(tmp_path, a, b)["metrics"][MAIN]["values"] == pytest.approx([0.5, 0.75])


def test_three_runs_are_corrected(tmp_path, capsys):
    """Each against the first: intervals hold together, p values and groups are Holm's over both."""
    a = ifhard_run(tmp_path / "a", "w" * 20)
    b = ifhard_run(tmp_path / "b", "+" * 6 + "w" * 14)
    c = ifhard_run(tmp_path / "c", "+" * 9 + "w" * 11)
    found = compared(tmp_path, a, b, c)
    said = capsys.readouterr().out
    assert found["runs"] == ["a", "b", "c"]
    first, second = found["comparisons"]
    assert (first["runs"], second["runs"]) == (["a", "b"], ["a", "c"])
    alone = compared(tmp_path, a, b)["metrics"][MAIN]
    with_other = first["metrics"][MAIN]
    assert with_other["interval"][0] < alone["interval"][0]
    assert with_other["p_exact"] == alone["p_exact"] == pytest.approx(2 / 64)
    # The smaller p, 2/512, counts twice; the larger once.
    assert second["metrics"][MAIN]["p_exact_holm"] == pytest.approx(4 / 512)
    assert with_other["p_exact_holm"] == pytest.approx(2 / 64)
    assert "97.5% interval" in said
    assert "2 runs against one baseline" in said
    assert level_of(2) == pytest.approx(0.975)


def test_runs_of_several_tasks(tmp_path):
    """Names bear their task's; counts add up."""
    for name, marks in (("a", "+w+"), ("b", "+++")):
        write_run(tmp_path / name, ifhard_rows(marks) + [open_row(i, 1) for i in range(2)])
    found = compared(tmp_path, tmp_path / "a", tmp_path / "b")
    assert found["tasks"] == [TASK, "hardmultiqa:open:alignment|0"]
    assert found["questions"]["metric"] == f"{TASK} {MAIN}, hardmultiqa:open:alignment|0 hardmultiqa_judge"
    assert found["common"] == 5
    assert found["metrics"][f"{TASK} {MAIN}"]["difference"] == pytest.approx(1 / 3)
    assert found["questions"]["won_ids"] == [f"{TASK} q001"]
    assert found["questions"]["tied"] == 4


def test_a_part_of_a_smoke_run_is_not_the_whole(tmp_path):
    """A part that stands alone has more questions than it has in ``all``, which takes the first two of each."""
    rows = [open_row(i, 1 if i < 2 else -1) for i in range(10)] + [list_row(i, 2) for i in range(2)]
    tasks = ["hardmultiqa:all:alignment|0", "hardmultiqa:open:alignment|0"]
    run = write_run(tmp_path / "a", rows, tasks=tasks, settings={"full": False, "max_samples": None})
    found = compared(tmp_path, run, run)
    assert found["metrics"][f"{tasks[0]} hardmultiqa_judge"]["values"] == [1.0, 1.0]
    assert found["metrics"][f"{tasks[1]} hardmultiqa_judge"]["values"] == [0.2, 0.2]


def old_form(record):
    """An ifhard record as versions up to 0.1 wrote it."""
    verdicts = [
        {**{k: v for k, v in one.items() if k not in ("group", "grader", "place")}, "family": one["group"]}
        for one in record["verdicts"]
    ]
    return {**{k: v for k, v in record.items() if k != "judging"}, "verdicts": verdicts}


def test_an_old_run_still_reads(tmp_path):
    """Records of versions up to 0.1, and a run.json that tells less."""
    rows = ifhard_rows("+w+w")
    for one in rows:
        one["metric"]["record"] = old_form(one["metric"]["record"])
    old = write_run(tmp_path / "old", rows)
    told = {"settings": {"tasks": [TASK], "full": True}, "status": "complete", "judge": None}
    (old / "run.json").write_text(json.dumps(told), encoding="utf-8")
    found = compared(tmp_path, old, ifhard_run(tmp_path / "new", "++++"))
    assert found["metrics"][MAIN]["values"] == [0.5, 1.0]
    assert found["groups"]["family/structure"]["difference"] == pytest.approx(0.5)


def test_json_alone_on_standard_output(tmp_path, capsys):
    """For pipes: nothing but the object."""
    run = ifhard_run(tmp_path / "a", "+w")
    assert command("compare", run, run, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["common"] == 2
    assert command("compare", run, run, "--json", tmp_path / "absent" / "x.json") == 2
    assert "--json" in capsys.readouterr().err


def test_names_of_the_tables(tmp_path):
    """Those of ``--name``, here or of the run."""
    a, b = ifhard_run(tmp_path / "a", "+w", settings={"name": "greedy"}), ifhard_run(tmp_path / "b", "ww")
    assert compared(tmp_path, a, b)["runs"] == ["greedy", "b"]
    assert compared(tmp_path, a, b, "--name", "x", "--name", "y")["runs"] == ["x", "y"]
    assert command("compare", a, b, "--name", "x") == 2


def test_the_command_starts_without_lighteval():
    """Help comes at once, and so do comparisons."""
    heavy = "{'lighteval', 'torch', 'datasets'}"
    code = f"import sys, report.comparison.comparing as _; assert not {heavy} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "report", "--help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "exit status:" in done.stdout
