"""What a run says of itself while it works, by a clock that the tests drive."""

import asyncio
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer
from replies import know_all

import runner.progress
from endpoints.outcome import Outcome
from endpoints.waiting import Waited
from metrics.record import Sample
from runner.exits import Exit
from runner.live import LiveScores
from runner.pace import Pace
from runner.progress import Progress
from runner.running_rate import RunningRate
from runner.waits import span
from tasks.registry import benchmark


class Clock:
    """A time that only the test moves."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def said(monkeypatch):
    """The lines written; there is no terminal."""
    lines = []
    monkeypatch.setattr(runner.progress, "say", lines.append)
    monkeypatch.setattr(runner.progress, "on_terminal", lambda: False)
    return lines


def answer(progress, count=1, fresh=True):
    for _ in range(count):
        progress.arrived(fresh=fresh)
        progress.finished()


def test_a_line_a_minute(said, clock):
    """Not one before, none twice, whatever the ticks; a last one at the end."""
    progress = Progress(100, 0, lambda: ["pass rate 0.5", "", "2 without answer"], clock=clock)
    progress.tick()
    progress.begin()
    answer(progress, 10)
    for _ in range(130):
        clock.now += 1
        progress.tick()
    assert said == [
        "answers 10/100; 10.0 answers/min, about 9 min more; pass rate 0.5, 2 without answer",
        "answers 10/100; 5.0 answers/min, about 18 min more; pass rate 0.5, 2 without answer",
    ]
    progress.close()
    assert said[-1].startswith("answers 10/100; 4.6 answers/min")
    assert said[-1].endswith("; 2 min in all")
    progress.close()
    assert len(said) == 3


def test_answers_and_verdicts_are_told_apart(said, clock):
    """With what is with the judge and since when, while no answer is left."""
    progress = Progress(15, 15, clock=clock)
    progress.begin()
    for number in range(15):
        clock.now += 1
        progress.arrived(fresh=True, to_judge=number)
    for number in range(7):
        progress.judged(number, fresh=True)
        progress.finished()
    clock.now += 172
    progress.tick()
    assert said == ["answers 15/15, judged 7, 8 with the judge for 3 min; 2.3 verdicts/min, about 4 min more"]


def test_the_slower_of_answers_and_verdicts_decides_the_time(said, clock):
    """And nothing is foretold before the first verdict."""
    progress = Progress(100, 100, clock=clock)
    progress.begin()
    for number in range(30):
        clock.now += 1
        progress.arrived(fresh=True, to_judge=number)
        progress.finished()
    clock.now += 30
    progress.tick()
    assert said == ["answers 30/100, judged 0, 30 with the judge for 59 s; 30.0 answers/min"]
    progress.judged(0, fresh=True)
    progress.finished()
    assert said[1:] == ["at this rate about 97 min more"]


def test_what_is_left_is_told_once_after_twenty_answers(said, clock):
    """Answers of an earlier session come at once: they count as there, and tell no rate."""
    progress = Progress(200, 0, caveat="; --stop-when may end it earlier", clock=clock)
    progress.begin()
    answer(progress, 100, fresh=False)
    for _ in range(40):
        clock.now += 30
        answer(progress)
    foretold = [line for line in said if line.startswith("at this rate")]
    assert foretold == ["at this rate about 40 min more; --stop-when may end it earlier"]
    progress.tick()
    assert "answers 140/200; 2.0 answers/min, about 30 min more" in said[-1]


@pytest.mark.parametrize("count", [20, 19])
def test_nothing_is_foretold_of_what_is_over(said, clock, count):
    """A run of twenty answers, and a shorter one."""
    progress = Progress(count, 0, clock=clock)
    progress.begin()
    for _ in range(count):
        clock.now += 30
        answer(progress)
    assert said == []


def test_a_lost_answer_needs_no_verdict(said, clock):
    """Where the model failed there is nothing to be judged, and what the judge gives up is not judged; both end."""
    progress = Progress(3, 3, clock=clock)
    progress.begin()
    clock.now += 10
    progress.arrived(fresh=True, to_judge="a")
    progress.arrived(fresh=True, lost_verdict=True)
    progress.finished()
    progress.judged("a", fresh=True, verdict=False)
    progress.finished()
    clock.now += 50
    progress.tick()
    assert said == ["answers 2/3, judged 0; 2.0 answers/min, about 50 s more"]


def test_a_run_that_never_began_says_nothing(said, clock):
    """Its error is said elsewhere."""
    Progress(3, 0, clock=clock).close()
    assert said == []


def test_the_bar_moves_while_a_judge_works(monkeypatch, capsys, clock):
    """After the last answer it speaks of the judge, whose time passes at every tick."""
    monkeypatch.setattr(runner.progress, "on_terminal", lambda: True)
    progress = Progress(15, 15, lambda: ["pass rate 0.5"], clock=clock)
    progress.begin()
    for number in range(14):
        progress.arrived(fresh=True, to_judge=number)
    progress.tick()
    assert "answers 14/15, judged:   0%" in capsys.readouterr().err
    progress.arrived(fresh=True, to_judge=14)
    for number in range(7):
        progress.judged(number, fresh=True)
        progress.finished()
    shown = []
    for _ in range(3):
        clock.now += 60
        progress.tick()
        shown.append(capsys.readouterr().err)
    assert all("judging:  47%" in text and "7/15" in text for text in shown)
    ages = [re.search(r"8 with the judge for (\S+ \S+),", text)[1] for text in shown]
    assert ages == ["60 s", "2 min", "3 min"]
    progress.wait("the judge: ", [Waited("t", "q", 0, 61.0)])
    assert "pass rate 0.5, the judge: waiting for t q (61 s)" in capsys.readouterr().err
    progress.close()


@pytest.mark.parametrize("size", [(110, 0), (0, 40), (0, 0), None])
def test_a_terminal_without_a_size_has_a_bar_too(monkeypatch, capsys, clock, size):
    """Containers and CI have such; tqdm would hide the bar in no rows, and cut it to no columns."""

    def measured(descriptor):
        if size is None:
            raise OSError("not a terminal")
        return size

    monkeypatch.setattr(runner.progress, "on_terminal", lambda: True)
    monkeypatch.setattr("os.get_terminal_size", measured)
    progress = Progress(15, 0, clock=clock)
    progress.begin()
    answer(progress, 3)
    progress.tick()
    progress.close()
    assert "answers:  20%" in capsys.readouterr().err


def test_times_in_words():
    assert [span(s) for s in (0, 61.4, 119, 120, 3599, 7199, 7260, 90_000)] == [
        *("0 s", "61 s", "119 s", "2 min", "60 min", "2 h 0 min", "2 h 1 min", "25 h 0 min")
    ]


def test_a_pace_without_a_beginning_has_no_rate(clock):
    """Nor has one in which nothing has come; what is all there takes no more time."""
    pace = Pace(2, clock)
    assert (pace.per_second, pace.left_s, pace.phrase("answers")) == (None, float("inf"), "")
    pace.add(fresh=True)
    assert pace.per_second is None
    pace.add(fresh=False)
    assert pace.left_s == 0
    pace.start()
    clock.now += 0.25
    assert pace.phrase("answers") == "4.0 answers/s"


def record(name, ident, value, metric="sample_pass_rate"):
    return benchmark(name), {"id": ident, "scores": {metric: value}}


def test_the_running_rate_has_wilsons_interval():
    """Over questions: two equal answers to each tell no more than one. An undefined value is no answer."""
    rate = RunningRate({"ifhard": benchmark("ifhard")})
    assert rate.phrase() == ""
    for number in range(10):
        for _ in range(2):
            rate.add(*record("ifhard", f"q{number}", float(number < 7)))
    rate.add(*record("ifhard", "q10", None))
    assert rate.phrase() == "pass rate 0.700 [0.397, 0.892]"


def test_a_rate_of_long_answers_first_has_its_interval_at_the_end():
    """Until then it is that of the questions that were asked first, and says so."""
    rate = RunningRate({"ifhard": benchmark("ifhard")})
    rate.longest_first = True
    for number in range(10):
        rate.add(*record("ifhard", f"q{number}", float(number < 7)))
    assert rate.phrase() == "pass rate 0.700 (long answers first)"
    assert rate.phrase(whole=True) == "pass rate 0.700 [0.397, 0.892]"


def test_a_rate_of_a_run_whose_server_went_away_has_none():
    """What was not asked is not known; what cannot be asked never will be."""
    docs = [
        SimpleNamespace(task_name="ifhard:all|0", specific=Sample(f"q{i}", 0, "", "{}")._asdict()) for i in range(3)
    ]
    reasoning = SimpleNamespace(saw=lambda outcome: (False, False), postfix="")
    judges = SimpleNamespace(of=lambda name: None)
    made = {**record("ifhard", "q0", 1.0)[1], "outcome": "answered"}
    scored = replace(benchmark("ifhard"), score=lambda *_: made, unanswered=lambda *_: {})
    for code, interval in (("server-gone", False), ("does-not-fit", True)):
        with LiveScores({"ifhard": scored}, docs, judges, reasoning, threaded=False) as live:
            live.begin(longest_first=True)
            for doc, outcome in zip(docs, [Outcome("answered")] + [Outcome.unasked("", code)] * 2, strict=True):
                live.on_answer(doc, outcome)
            assert ("(long answers first)" not in live.progress.line()) == interval


def test_a_forecast_by_the_longest_answers_says_so(said, clock):
    """Both reasons to take less time are named."""
    progress = Progress(100, 0, caveat="; --stop-when may end it earlier", clock=clock)
    progress.begin("; likely less")
    for _ in range(20):
        clock.now += 3
        answer(progress)
    assert said == ["at this rate about 4 min more; --stop-when may end it earlier; likely less"]


def test_a_mean_of_partial_scores_has_no_interval():
    """Wilson's is of shares; one benchmark of the run is enough."""
    rate = RunningRate({name: benchmark(name) for name in ("ifhard", "hardmultiqa")})
    rate.add(*record("hardmultiqa", "q", 0.5, "hardmultiqa_judge"))
    rate.add(*record("ifhard", "q", 1.0))
    assert rate.phrase() == "mean score 0.750"


def test_a_slow_judge_is_told_of_while_it_works(command, monkeypatch):
    """A run into a file: lines, no bar; answers and verdicts apart, and the sum at the end."""
    monkeypatch.setattr(runner.progress, "TICK_S", 0.02)
    monkeypatch.setattr(runner.progress, "LINE_S", 0.05)
    told = []
    real = runner.progress.say
    monkeypatch.setattr(runner.progress, "say", lambda line: (told.append(line), real(line)))
    count = len(servers.QUESTIONS)

    async def slow(server, request):
        while not any(f"answers {count}/{count}, judged 0, {count} with the judge for" in line for line in told):
            await asyncio.sleep(0.01)
        return await servers.judge(server, request)

    with FaultServer(servers.model) as model, FaultServer(slow) as judge:
        there = ("--dataset", "builtin", "--full", "--judge-model", "tiny", "--judge-base-url", judge.url)
        result = command(*there, server=model, task="hardmultiqa:all:alignment|0", data=None)
    assert result.code == Exit.COMPLETE
    assert "\r" not in result.err
    assert re.search(rf"^answers {count}/{count}, judged {count}; .* in all$", result.err, re.MULTILINE)


def test_a_bar_needs_a_terminal(command, monkeypatch):
    """There the bar counts to the end."""
    monkeypatch.setattr(runner.progress, "on_terminal", lambda: True)
    with FaultServer(know_all) as server:
        result = command("--full", server=server)
    assert "answers: 100%" in result.err
    assert "40/40" in result.err
    assert "pass rate 1.000 [0.912, 1.000], 0 without answer" in result.err
    assert json.loads((result.run_dir / "run.json").read_text(encoding="utf-8"))["status"] == "complete"
