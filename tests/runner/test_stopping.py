"""``--stop-when``: a run that ends as soon as its answer is certain, and what it says then."""

import asyncio
import functools
import json
import shutil
from collections import Counter

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, answer, prompt_of, status
from mini import right, write_dataset, write_responses, wrong
from replies import know_all, number_of

import judges.asking
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from metrics.decision.sequences import ShareOfSet
from runner.exits import Exit

COUNT = 120
QUICK = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)
TASK = "hardmultiqa:all:alignment|0"
RATE = "sample_pass_rate"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A hundred and twenty questions, thirty a tier."""
    return write_dataset(tmp_path_factory.mktemp("data") / "many", COUNT)


def passes(number):
    """Two questions of three, in every tier."""
    return number % 3 != 0


def half_right(delay=lambda number: 0.0, failing=()):
    """A model that is right on some questions, each after its delay, and has no answer to others."""

    async def reply(server, request):
        number = number_of(prompt_of(await request.json()))
        await asyncio.sleep(delay(number))
        if number in failing:
            return await status(503, "busy")(server, request)
        return await answer(right(number) if passes(number) else wrong(number))(server, request)

    return reply


def stop_of(result):
    return result.run["stopped"], result.run["stop_rule"]


def test_a_run_stops_when_its_score_is_known(command, many):
    """The table names rule, answers and interval; run.json has them; exit 0, nothing sent but what was under way."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "halfwidth=0.12", "--concurrency", "1", server=server, data=many)
        asked = len(server.bodies)
    stopped, told = stop_of(result)
    assert result.code == Exit.COMPLETE
    assert set(stopped) == {"rule", "after", "interval", "level"}
    assert (stopped["rule"], stopped["level"]) == ("halfwidth=0.12", 0.05)
    assert asked == stopped["after"] == told["questions"] == told["met_after"] < COUNT
    low, high = stopped["interval"]
    assert (high - low) / 2 <= 0.12
    assert low <= 2 / 3 <= high
    assert (told["order_seed"], told["of"], told["metric"]) == (0, COUNT, RATE)
    row = result.row()
    assert row["n_total"] == row["n_answered"] == asked
    assert low <= row[RATE] <= high
    assert f"STOPPED EARLY, {asked} of {COUNT} questions" in result.out
    assert "--stop-when halfwidth=0.12 (order of questions: seed 0)" in result.out
    assert f"{RATE} of all {COUNT} questions [{low:.4f}, {high:.4f}]" in result.out
    assert "SMOKE" not in result.out
    assert "not asked" not in result.err
    assert result.run["status"] == "stopped early"
    assert result.run["errors"] == []


def test_the_interval_is_the_one_of_the_prefix(command, many):
    """Recomputed by hand from the journal of a run that sends one request at a time."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "above=0.5", "--concurrency", "1", server=server, data=many)
    sequence = ShareOfSet(COUNT)
    for number, line in enumerate(result.journal, start=1):
        assert sequence.interval.low <= 0.5
        sequence.add(passes(int(line["id"][1:])))
        assert number == sequence.answered
    assert result.run["stopped"]["interval"] == list(sequence.interval)
    assert sequence.interval.low > 0.5
    assert f"{RATE} is above 0.5, by the answers to" in result.out


def test_passing_answers_that_arrive_first_change_nothing(command, many):
    """Neither decision nor interval nor score, whatever the order of arrival; only more answers are kept."""
    found = []
    for delay in (lambda n: 0.0, lambda n: 0.0 if passes(n) else 0.05, lambda n: 0.05 if passes(n) else 0.0):
        with FaultServer(half_right(delay)) as server:
            result = command("--stop-when", "halfwidth=0.12", "--concurrency", "16", server=server, data=many)
            assert len(server.bodies) == len(result.journal) < COUNT
        row = {name: value for name, value in result.row().items() if "share" not in name}
        found.append((*stop_of(result), row))
        assert result.code == Exit.COMPLETE
    assert found[0] == found[1] == found[2]


def test_what_was_under_way_is_kept_and_nothing_is_sent_again(command, many):
    """Answers that were under way are in the journal, and a resume has nothing to do."""
    with FaultServer(half_right(lambda number: 0.002 * (number % 5))) as server:
        result = command("--stop-when", "halfwidth=0.12", "--concurrency", "8", server=server, data=many)
        asked = len(server.bodies)
        assert stop_of(result)[0]["after"] < asked < COUNT
        assert len(result.journal) == asked
        found = stop_of(result), result.row()
        again = command("--resume", str(result.run_dir))
        assert len(server.bodies) == asked
    assert (stop_of(again), again.row()) == found
    assert again.code == Exit.COMPLETE


def test_a_full_resume_comes_to_the_score_of_an_unbroken_run(command, many):
    """Every value of the row; the always-valid interval stands beside the fixed one, and nothing is stopped."""
    with FaultServer(half_right()) as server:
        stopped = command("--stop-when", "halfwidth=0.12", "--concurrency", "4", server=server, data=many)
        whole = command("--full", server=server, data=many)
        kept, before, after = len(stopped.journal), len(server.bodies), stopped.run["stopped"]["after"]
        resumed = command("--resume", str(stopped.run_dir), "--full")
        assert kept + len(server.bodies) - before == len(resumed.journal) == COUNT
    assert resumed.code == Exit.COMPLETE
    assert resumed.row() == whole.row()
    assert whole.run["stopped"] is None
    assert resumed.run["stopped"] is None
    assert resumed.run["status"] == "complete"
    assert resumed.run["stop_rule"]["met_after"] == after
    assert resumed.run["stop_rule"]["interval"] == [pytest.approx(2 / 3), pytest.approx(2 / 3)]
    assert "STOPPED" not in resumed.out
    assert "valid at every look, level 5%" in resumed.out
    assert "--stop-when may end" in stopped.err
    assert "--stop-when may end" not in resumed.err
    again = command("--resume", str(stopped.run_dir), server=None)
    assert again.row() == whole.row()


def test_failed_questions_stay_as_both_bounds(command, many):
    """They are looked at when their turn comes, and count as missed and as met."""
    failing = frozenset(range(0, COUNT, 7))
    with FaultServer(half_right(failing=failing)) as server:
        result = command("--stop-when", "above=0.3", "--concurrency", "2", server=server, data=many)
    stopped, told = stop_of(result)
    sequence = ShareOfSet(COUNT)
    last = {line["id"]: line for line in result.journal}
    ids = list(dict.fromkeys(line["id"] for line in result.journal))
    assert told["questions"] <= len(ids) <= told["questions"] + 2
    prefix = {line["id"] for line in result.journal}
    assert len(prefix) == len(last)
    row = result.row()
    assert row["n_failed"] > 0
    for value in [True] * round(row[RATE] * row["n_answered"]) + [None] * row["n_failed"]:
        sequence.add(value)
    for _ in range(row["n_total"] - sequence.answered):
        sequence.add(False)
    assert stopped["interval"] == list(sequence.interval)
    assert result.code == Exit.INCOMPLETE
    assert "STOPPED EARLY" in result.out
    assert "INCOMPLETE" in result.out


def test_a_resume_asks_only_what_failed_of_the_questions_that_decided(command, many):
    """However many may be in flight, and not the others either while that fails again."""
    failing = frozenset(range(0, COUNT, 4))
    with FaultServer(half_right(failing=failing)) as server:
        port = server.port
        result = command("--stop-when", "above=0.3", "--concurrency", "16", server=server, data=many)
    stop, failed = stop_of(result), result.row()["n_failed"]
    assert failed > 2
    with FaultServer(half_right(failing=failing), port=port) as server:
        again = command("--resume", str(result.run_dir))
        assert len(server.asked) == failed
    assert (again.code, stop_of(again)) == (Exit.INCOMPLETE, stop)
    with FaultServer(half_right(lambda number: 0.01), port=port) as server:
        again = command("--resume", str(result.run_dir))
        assert len(server.bodies) == failed
    assert again.code == Exit.COMPLETE
    assert stop_of(again)[0]["after"] <= stop[0]["after"]


def test_a_resume_that_does_not_decide_by_the_same_questions_goes_on(command, many):
    """As after another judge's verdicts: here fewer questions are said to have decided than did."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "halfwidth=0.12", "--concurrency", "1", server=server, data=many)
        asked = len(server.bodies)
        fewer = changed(result.run_dir, lambda run: run["stop_rule"].update(questions=3))
        lines = (fewer / "responses.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (fewer / "responses.jsonl").write_text("".join(lines[:3] + lines[5:7]), encoding="utf-8")
        again = command("--resume", str(fewer))
        assert len(server.bodies) - asked == asked - 5
    assert again.code == Exit.COMPLETE
    assert (stop_of(again), again.row()) == (stop_of(result), result.row())


def test_a_resume_whose_server_dies_leaves_the_others_alone(command, many):
    """It ends, though answers that decided are missing; the next one comes to a stop again."""
    failing = frozenset(range(0, COUNT, 4))
    with FaultServer(half_right(failing=failing)) as server:
        port = server.port
        result = command("--stop-when", "above=0.3", "--concurrency", "16", server=server, data=many)
    with FaultServer(half_right(), port=port, dies_after=0) as server:
        again = command("--resume", str(result.run_dir), "--concurrency", "1")
        assert len(server.asked) == 1
    assert again.code == Exit.INCOMPLETE
    assert again.run["stopped"] is None
    with FaultServer(half_right(), port=port):
        again = command("--resume", str(result.run_dir))
    assert again.code == Exit.COMPLETE
    assert stop_of(again)[0]["after"] <= stop_of(result)[0]["after"]


def test_a_server_that_dies_leaves_the_rule_open(command, many):
    """What was not asked is no part of the prefix: a resume goes on, and comes to the stop of an unbroken run."""
    rule = ("--stop-when", "halfwidth=0.12", "--concurrency", "1")
    with FaultServer(half_right()) as server:
        unbroken = command(*rule, server=server, data=many)
    with FaultServer(half_right(), dies_after=20) as server:
        port = server.port
        result = command(*rule, server=server, data=many)
    assert result.code == Exit.INCOMPLETE
    assert result.run["stopped"] is None
    assert result.run["stop_rule"]["questions"] < COUNT
    with FaultServer(half_right(), port=port):
        again = command("--resume", str(result.run_dir))
    assert again.code == Exit.COMPLETE
    assert stop_of(again) == stop_of(unbroken)
    assert again.row() == unbroken.row()


def test_questions_that_do_not_fit_or_were_not_saved_are_both_bounds(command, many, tmp_path):
    """They have no answer, and never will: the order goes on behind them."""
    texts = {number: right(number) for number in range(COUNT) if number % 10}
    saved = write_responses(tmp_path / "answers.jsonl", texts)
    result = command("--stop-when", "above=0.6", "--responses", str(saved), data=many)
    assert result.run["stopped"] is not None
    assert result.row()["n_not_asked"] > 0
    assert result.code == Exit.INCOMPLETE


def test_a_run_that_goes_to_its_end_says_so(command, many):
    """Without an answer that is certain earlier nothing is stopped; both intervals are there."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "halfwidth=0.001", server=server, data=many)
    assert result.code == Exit.COMPLETE
    assert result.run["stopped"] is None
    assert result.row()["n_total"] == COUNT
    assert "STOPPED" not in result.out
    assert f"valid at every look, level 5%: {RATE} of all {COUNT} questions [0.6667, 0.6667]" in result.out


@pytest.mark.parametrize(
    ("rule", "words"),
    [("above=0.9", "is not above 0.9"), ("below=0.9", "is below 0.9"), ("below=0.4", "is not below 0.4")],
)
def test_a_gate_is_decided_either_way(command, many, rule, words):
    """The claim may be found wrong, which is an answer too."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", rule, server=server, data=many)
    assert result.code == Exit.COMPLETE
    assert words in result.out
    assert "STOPPED EARLY" in result.out


def test_another_metric_and_another_seed(command, many):
    """A mean of partial scores has a sequence of its own; the seed of the order is the user's."""
    with FaultServer(half_right()) as server:
        given = ("--stop-when", "above=0.5:constraint_pass_rate", "--shuffle-seed", "7")
        result = command(*given, server=server, data=many)
    stopped, told = stop_of(result)
    assert (told["metric"], told["order_seed"]) == ("constraint_pass_rate", 7)
    assert stopped["interval"][0] > 0.5
    assert result.run["settings"]["shuffle_seed"] == 7


def test_repeats_count_once_a_question(command, many):
    """A question's value is the mean over its answers, and it enters when the last of them is there."""
    with FaultServer(half_right()) as server:
        result = command(
            *("--stop-when", "above=0.4", "--repeats", "2", "--temperature", "1", "--seed", "1"),
            *("--concurrency", "1"),
            server=server,
            data=many,
        )
    stopped, told = stop_of(result)
    assert stopped["after"] == 2 * told["questions"] == len(result.journal)
    assert f"{stopped['after']} answers to {told['questions']} of {COUNT} questions" in result.out
    assert set(Counter(line["id"] for line in result.journal).values()) == {2}


def test_saved_answers_may_be_stopped_too(command, many, tmp_path):
    """The file is read in the drawn order: the same stop as with a server."""
    texts = {number: right(number) if passes(number) else wrong(number) for number in range(COUNT)}
    saved = write_responses(tmp_path / "answers.jsonl", texts)
    result = command("--stop-when", "halfwidth=0.12", "--responses", str(saved), "--shuffle-seed", "3", data=many)
    with FaultServer(half_right()) as server:
        asked = command("--stop-when", "halfwidth=0.12", "--shuffle-seed", "3", server=server, data=many)
    assert stop_of(result) == stop_of(asked)
    assert "shuffle-seed changes nothing" not in result.err
    assert result.code == Exit.COMPLETE
    full = command("--resume", str(result.run_dir), "--full")
    assert full.row()["n_total"] == COUNT


def test_a_resume_of_a_stopped_run_needs_no_server(command, many):
    """What decided is in the journal."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "halfwidth=0.12", "--concurrency", "4", server=server, data=many)
    found = stop_of(result), result.row()
    again = command("--resume", str(result.run_dir))
    assert again.code == Exit.COMPLETE
    assert (stop_of(again), again.row()) == found
    gone = command("--resume", str(result.run_dir), "--full")
    assert gone.code == Exit.UNAVAILABLE


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Where finished runs are kept for the tests that compare with one."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def baseline(command, many, finished):
    """A finished run whose model is wrong on most questions."""
    folder = finished / "weak"
    if not folder.exists():
        texts = {number: right(number) if number % 5 == 0 else wrong(number) for number in range(COUNT)}
        saved = write_responses(finished / "weak.jsonl", texts)
        made = command("--full", "--responses", str(saved), data=many)
        shutil.copytree(made.run_dir, folder)
    return folder


@pytest.mark.parametrize("rule", ["beats", "differs"])
def test_a_better_model_is_found_better(command, many, baseline, rule):
    """Paired over the same questions; the claim about others and the one about these are both given."""
    with FaultServer(know_all) as server:
        result = command("--stop-when", f"{rule}={baseline}", "--concurrency", "1", server=server, data=many)
        assert len(server.bodies) < 20
    stopped, told = stop_of(result)
    assert result.code == Exit.COMPLETE
    assert stopped["rule"] == f"{rule}={baseline}"
    assert stopped["interval"][0] > 0
    assert told["found"] == f"{RATE} is better than that of {baseline}"
    assert "over questions like these, as if no two shared a task text," in result.out
    assert f"over these {COUNT} questions alone" in result.out


def test_a_worse_model_differs_and_does_not_beat(command, many, baseline):
    """The one-sided claim is never decided by evidence against it."""
    texts = {number: wrong(number) for number in range(COUNT)}
    saved = write_responses(baseline.parent / "hopeless.jsonl", texts)
    result = command("--stop-when", f"differs={baseline}", "--responses", str(saved), data=many)
    assert "is worse than that of" in result.out
    assert result.run["stopped"]["interval"][1] < 0
    result = command("--stop-when", f"beats={baseline}", "--responses", str(saved), data=many)
    assert result.run["stopped"] is None
    assert "not certain by" in result.out


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("halfwidth", "expected halfwidth="),
        ("wider=0.1", "expected halfwidth="),
        ("halfwidth=5", "5 points are 0.05"),
        ("halfwidth=0", "between 0 and 0.5"),
        ("halfwidth=nan", "between 0 and 0.5"),
        ("halfwidth=x", "between 0 and 0.5"),
        ("above=40", "40% is 0.4"),
        ("above=:sample_pass_rate", "between 0 and 1"),
        ("above=1", "no score is above 1"),
        ("below=0", "no score is below 0"),
        ("above=0.4:", "no metric ''"),
        ("above=0.4:nothing", "no metric 'nothing'; there are sample_pass_rate, constraint_pass_rate"),
        ("halfwidth=0.05:balance_score", "balance_score is a geometric mean over groups"),
        ("beats=", "folder of a finished run is missing"),
        ("beats=/nowhere/at/all", "/nowhere/at/all"),
    ],
)
def test_rules_that_cannot_be_used(command, rule, words):
    """Exit 2 before anything is sent, and no run folder."""
    with FaultServer(know_all) as server:
        result = command("--stop-when", rule, server=server)
        assert not server.bodies
    assert result.code == Exit.USAGE
    assert words in result.err
    assert result.run_dir is None


@pytest.mark.parametrize(
    ("task", "metric", "words"),
    [
        ("ifbench:all|0", "inst_level_loose_acc", "no mean over the questions"),
        ("sobhard:all|0", "balance_score", "geometric mean"),
        ("hardmultiqa:open:alignment|0", "open_wrong_share", "no mean over the questions"),
        ("hardmultiqa:open:alignment|0", "judge_coverage", "no mean over the questions"),
    ],
)
def test_metrics_without_a_formula_are_refused_by_name(command, task, metric, words):
    """Of every benchmark."""
    result = command("--stop-when", f"above=0.4:{metric}", "--model", "m", task=task, data=None)
    assert result.code == Exit.USAGE
    assert metric in result.err
    assert words in result.err


def test_a_rule_is_for_one_task(command):
    """Of two it would be unclear which one is to stop."""
    result = command("--stop-when", "above=0.4", "--model", "m", "--task", "ifhard:easy|0")
    assert result.code == Exit.USAGE
    assert "one task" in result.err


def changed(folder, change):
    """A copy of a run whose run.json is another one."""
    copy = folder.parent / "changed"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    content = json.loads((copy / "run.json").read_text(encoding="utf-8"))
    change(content)
    (copy / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: run["datasets"]["ifhard"].update(sha256="0"), "dataset: "),
        (lambda run: run["datasets"]["ifhard"].update(prompts_sha256="0"), "prompts: "),
        (lambda run: run["datasets"]["ifhard"].update(scorer_version="9-0"), "scorer: 9-0 and "),
        (lambda run: run.update(status="running"), "has not ended (running)"),
        (lambda run: run.update(stopped={"rule": "x"}), "was stopped early itself"),
    ],
)
def test_a_run_that_does_not_compare_is_refused(command, many, baseline, change, words):
    """What differs is named, before anything is sent."""
    with FaultServer(know_all) as server:
        result = command("--stop-when", f"beats={changed(baseline, change)}", server=server, data=many)
        assert not server.bodies
    assert result.code == Exit.USAGE
    assert words in result.err
    assert result.run_dir is None


def test_a_run_over_fewer_questions_or_another_task_is_refused(command, many, baseline):
    """Every question of this run must have been asked there; that one may have had more."""
    with FaultServer(know_all) as server:
        small = command("--max-samples", "10", server=server, data=many)
        result = command("--stop-when", f"beats={small.run_dir}", server=server, data=many)
        assert result.code == Exit.USAGE
        assert f"not asked {COUNT - 10} of the {COUNT} questions" in result.err
        result = command("--stop-when", f"beats={baseline}", server=server, data=many, task="ifhard:easy|0")
        assert result.code == Exit.USAGE
        assert "it has no task ifhard:easy|0, it has ifhard:all|0" in result.err
        result = command("--stop-when", f"beats={baseline}", "--max-samples", "60", server=server, data=many)
        assert result.code == Exit.COMPLETE


def test_what_a_resume_may_change(command, many):
    """Neither the rule nor the number of questions: both were chosen before the first look."""
    with FaultServer(half_right()) as server:
        result = command("--stop-when", "halfwidth=0.3", "--max-samples", "60", server=server, data=many)
        run = str(result.run_dir)
        assert result.run["stopped"] is not None
        assert command("--resume", run, "--stop-when", "halfwidth=0.1").code == Exit.USAGE
        assert command("--resume", run, "--max-samples", "80").code == Exit.USAGE
        assert command("--resume", run, "--stop-when", "halfwidth=0.3").code == Exit.COMPLETE
        plain = command(server=server, data=many)
        refused = command("--resume", str(plain.run_dir), "--stop-when", "halfwidth=0.3")
        assert refused.code == Exit.USAGE
        assert "--stop-when" in refused.err
        full = command("--resume", run, "--full")
        assert full.row()["n_total"] == COUNT


def judged(judge, concurrency):
    rule = ("--stop-when", "halfwidth=0.3", "--concurrency", str(concurrency))
    return ("--dataset", "builtin", "--judge-model", "tiny", "--judge-base-url", judge.url, *rule)


def test_late_verdicts_change_nothing(command, monkeypatch):
    """The prefix is one of verdicts: a judge that takes its time over some answers decides as a quick one does."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    found = []
    for delay_s in (0.0, 0.1):

        async def judge_late(server, request, delay_s=delay_s):
            await asyncio.sleep(delay_s * (len(server.bodies) % 2))
            return await servers.judge(server, request)

        with FaultServer(servers.model) as model, FaultServer(judge_late) as judge:
            result = command(*judged(judge, 8), server=model, task=TASK, data=None)
        assert result.code == Exit.COMPLETE
        found.append(stop_of(result))
    assert found[0] == found[1]


def test_a_run_of_another_judge_does_not_compare(command, monkeypatch):
    """Its verdicts are others; the same judge's run compares, and equal answers never differ."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        there = ("--dataset", "builtin", "--judge-model", "tiny", "--judge-base-url", judge.url)
        first = command(*there, "--full", server=model, task=TASK, data=None)
        asked = len(model.bodies)
        other = changed(first.run_dir, lambda run: run["judge"].update(model="other"))
        refused = command(*there, "--stop-when", f"differs={other}", server=model, task=TASK, data=None)
        assert len(model.bodies) == asked
        equal = command(*there, "--stop-when", f"differs={first.run_dir}", server=model, task=TASK, data=None)
    assert refused.code == Exit.USAGE
    assert "judge: model other and tiny" in refused.err
    assert equal.code == Exit.COMPLETE
    assert equal.run["stopped"] is None
    low, high = equal.run["stop_rule"]["interval"]
    assert low < 0 < high


def without(path, wanted):
    """Take lines out of a journal."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not wanted(json.loads(line)["id"])), encoding="utf-8")


@pytest.mark.parametrize("answered", [True, False])
def test_a_resume_asks_no_judge_about_answers_that_overtook_the_stop(command, monkeypatch, answered):
    """Though a verdict that decided has to be asked for again, or its answer too, while they are at hand."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    count = len(servers.QUESTIONS)

    async def judge_after_all(server, request):
        while len(model.bodies) < count:  # so that each answer is under way when the run stops
            await asyncio.sleep(0.002)
        return await servers.judge(server, request)

    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        in_order = command(*judged(judge, 1), server=model, task=TASK, data=None)
    decided = [line["id"] for line in in_order.journal][: in_order.run["stop_rule"]["questions"]]
    with FaultServer(servers.model) as model, FaultServer(judge_after_all) as judge:
        result = command(*judged(judge, count), server=model, task=TASK, data=None)
        stop = stop_of(result)
        assert len(decided) < len(result.journal) == count
        without(result.run_dir / "judgements.jsonl", lambda ident: ident == decided[0] or ident not in decided)
        if not answered:
            without(result.run_dir / "responses.jsonl", lambda ident: ident == decided[0])
        before = len(judge.bodies)
        again = command("--resume", str(result.run_dir))
        assert len(model.bodies) == count + (not answered)
        assert len(judge.bodies) == before + 1
    assert again.code == Exit.COMPLETE
    assert stop_of(again) == stop == stop_of(in_order)


def test_judged_answers_enter_by_their_verdicts(command, monkeypatch):
    """After the stop neither the model nor the judge is asked; --full judges the rest."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        result = command(*judged(judge, 1), server=model, task=TASK, data=None)
        stopped, told = stop_of(result)
        asked = len(model.bodies), len(judge.bodies)
        assert told["of"] == len(servers.QUESTIONS)
        assert told["questions"] <= asked[0] < told["of"]
        again = command("--resume", str(result.run_dir))
        assert (len(model.bodies), len(judge.bodies)) == asked
        assert stop_of(again) == (stopped, told)
        full = command("--resume", str(result.run_dir), "--full")
    assert result.code == again.code == full.code == Exit.COMPLETE
    assert full.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())
