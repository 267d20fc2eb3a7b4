"""A judged benchmark is a set of values: a second one needs no copy of the first one's files.

The one of this file asks whether a sentence names a colour. Its judge says ``да`` or ``нет``.
"""

import dataclasses
import json
import sys
from pathlib import Path
from types import ModuleType

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, answer, prompt_of
from lighteval.metrics import apply_metric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

import runner.cli
from judges.environment import ENVIRONMENT, judge_all
from judges.hardmultiqa.judging import DEFAULT_MODEL
from judges.judgement import JudgeCall, Judgement, JudgeUnavailable, Judging
from metrics import headlines, judge_statistics
from metrics.lighteval import record_metric
from metrics.record import Answer, Sample, blank_record, judging_of, pending_verdict, verdict_record
from metrics.summary import Summary, count_outcomes, flat, in_order
from metrics.verdict import Verdict
from runner.exits import Exit
from tasks import registry
from tasks.benchmark import Benchmark, DatasetHandle
from tasks.registry import BENCHMARK_NAMES

COLOURS = "colours"
JUDGE = "small-judge"
TASK = "colours:all|0"
OTHER = "hardmultiqa:open:alignment|0"
PROMPT = "Назван ли в предложении цвет?\n{answer}\nОтветь: да или нет."
SCORE = headlines.MetricSpec("colour_share")
METRICS = (SCORE, judge_statistics.COVERAGE, headlines.EMPTY)
SENTENCES = [f"Опиши вещь {number}." for number in range(8)]


def score(sample, given, judgement=None):
    if judgement is None or judgement.status != "judged":
        record = unanswered(sample, "unjudged", judgement.error if judgement else "no judge was asked")
    else:
        named = judgement.verdict["named"]
        verdict = Verdict(named, "ok" if named else "no-colour", "the judge says so")
        record = blank_record(
            sample, "answered", "", (SCORE.name,), [verdict_record("colour", "colour", COLOURS, 0, verdict)]
        )
        record["scores"][SCORE.name] = float(named)
    record["judging"] = judging_of(judgement) if judgement else None
    record["empty"], record["truncated"] = not given.text, given.truncated
    record["unclosed_reasoning"] = False
    return record


def unanswered(sample, outcome, error):
    return blank_record(sample, outcome, error, (SCORE.name,), [pending_verdict("colour", "colour", COLOURS, 0)])


def summarise(records):
    records = in_order(records)
    lines = (
        headlines.ratio(SCORE, records),
        judge_statistics.coverage(records),
        headlines.ratio(headlines.EMPTY, records),
    )
    breakdowns = {"judging": {"all": judge_statistics.effort(records)}}
    return Summary(lines, count_outcomes(records), breakdowns, tuple(judge_statistics.judging_notes(records)))


async def judge(sample, given, ask):
    call = JudgeCall(({"role": "user", "content": PROMPT.format(answer=given.text)},), 4)
    try:
        reply = await ask(call)
    except JudgeUnavailable as error:
        return Judgement("failed", error=str(error))
    if reply.text not in ("да", "нет"):
        return Judgement("unjudged", error="neither yes nor no", calls=1, replies=(reply.text,))
    return Judgement("judged", {"named": reply.text == "да"}, calls=1, replies=(reply.text,))


COLOUR_JUDGING = Judging(JUDGE, judge, "three lines")


def to_doc(line, task_name=TASK):
    specific = {"id": line["id"], "repeat": 0, "kind": "chat", "max_tokens": 16, "scoring": "{}", "labels": "{}"}
    return Doc(query=line["text"], choices=[""], gold_index=0, specific=specific, task_name=task_name)


def make_tasks(folder: Path):
    return [
        LightevalTaskConfig(
            name="colours:all",
            prompt_function=to_doc,
            hf_repo=str(folder),
            hf_subset="default",
            hf_avail_splits=["test"],
            evaluation_splits=["test"],
            metrics=[METRIC],
            generation_size=16,
            stop_sequence=[],
        )
    ]


METRIC = record_metric(
    "Colours",
    METRICS,
    score=score,
    unanswered=unanswered,
    summarise=summarise,
    judge_all=lambda answers: judge_all(COLOUR_JUDGING, answers),
)


@pytest.fixture
def both(tmp_path, monkeypatch, command):
    """``both(model, judge, ...)``: one command over the two judged benchmarks, no judge named."""
    folder = tmp_path / "colours"
    folder.mkdir()
    lines = [{"id": f"c{number}", "text": text} for number, text in enumerate(SENTENCES)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "test.jsonl").write_text(text, encoding="utf-8")

    def load_dataset(request):
        return DatasetHandle(request.name, folder, "0" * 64, "1" * 64, None, {"colours:all": len(lines)}, 0, "2" * 64)

    found = Benchmark(
        name=COLOURS,
        facts=facts(),
        subsets=("all",),
        modes=(),
        fewshots=(0,),
        datasets=("builtin",),
        load_dataset=load_dataset,
        score=score,
        unanswered=unanswered,
        sample_of=lambda line, task: Sample(line["id"], 0, "{}", "{}"),
        check_scoring=json.loads,
        summarise=summarise,
        metrics=METRICS,
        table_axis=("judging", ("calls",)),
        options=frozenset({"judge"}),
        judging=COLOUR_JUDGING,
    )
    for name, content in (("benchmark", {"BENCHMARK": found}), ("task", {"make_tasks": make_tasks})):
        module = ModuleType(f"tasks.{COLOURS}.{name}")
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, f"tasks.{COLOURS}", ModuleType(f"tasks.{COLOURS}"))
        monkeypatch.setitem(sys.modules, module.__name__, module)
    for place in (registry, runner.cli):
        monkeypatch.setattr(place, "BENCHMARK_NAMES", (*BENCHMARK_NAMES, COLOURS))

    def run(model, judge, *arguments):
        there = ["--dataset", "builtin", "--full", "--judge-base-url", judge.url]
        return command("--task", OTHER, *there, *arguments, server=model, task=TASK, data=None)

    return run


def facts():
    """Of any benchmark, under another title."""
    return dataclasses.replace(registry.benchmark("ifbench").facts, title="Colours", smoke_samples=2)


async def model(server, request):
    """Knows HardMultiQA's answers; of every second thing it names the colour."""
    prompt = prompt_of(await request.json())
    if prompt not in SENTENCES:
        return await servers.model(server, request)
    number = SENTENCES.index(prompt)
    return await answer(f"Вещь {number} {'красная' if number % 2 else 'большая'}.")(server, request)


async def judges(server, request):
    """Both judges behind one address; each is asked for its own benchmark's answers."""
    body = await request.json()
    content = body["messages"][0]["content"]
    if body["model"] == DEFAULT_MODEL:
        return await servers.judge(server, request)
    assert body["model"] == JUDGE
    assert content.startswith("Назван ли")
    return await answer("да" if "красная" in content else "нет")(server, request)


SERVED = {"data": [{"id": DEFAULT_MODEL}, {"id": JUDGE}]}
OPEN = [question for question in servers.QUESTIONS if question.kind == "open"]
COUNT = len(SENTENCES) + len(OPEN)


def judged_by(server):
    """Models that were asked, by benchmark."""
    found = {COLOURS: set(), "hardmultiqa": set()}
    for body in server.bodies:
        colours = body["messages"][0]["content"].startswith("Назван ли")
        found[COLOURS if colours else "hardmultiqa"].add(body["model"])
    return found


def test_each_benchmark_has_its_own_judge(both):
    """Its default model; run.json and the table name both; the values are those by hand."""
    with FaultServer(model) as generating, FaultServer(judges, models=SERVED) as judge:
        result = both(generating, judge)
        assert result.code == Exit.COMPLETE, result.err
        assert judged_by(judge) == {COLOURS: {JUDGE}, "hardmultiqa": {DEFAULT_MODEL}}
        assert len(judge.bodies) == COUNT
    assert result.row(TASK)["colour_share"] == 0.5
    assert result.row(OTHER)["hardmultiqa_judge"] == pytest.approx(servers.expected("open"))
    assert result.row(TASK)["judging/all/calls"] == len(SENTENCES)
    assert {entry["model"]: list(entry["prompts"]) for entry in result.run["judge"]} == {
        JUDGE: [COLOURS],
        DEFAULT_MODEL: ["hardmultiqa"],
    }
    assert f"judge {JUDGE}, three lines" in result.out
    assert f"judge {DEFAULT_MODEL}, prompts 6 sha256" in result.out


def test_a_judge_that_is_named_judges_both(both):
    """One entry in run.json, with what it reads for each benchmark."""

    async def one(server, request):
        body = await request.json()
        assert body["model"] == "tiny"
        colours = body["messages"][0]["content"].startswith("Назван ли")
        red = "красная" in body["messages"][0]["content"]
        return await (answer("да" if red else "нет") if colours else servers.judge)(server, request)

    with FaultServer(model) as generating, FaultServer(one) as judge:
        result = both(generating, judge, "--judge-model", "tiny")
    assert result.code == Exit.COMPLETE, result.err
    assert result.run["judge"]["model"] == "tiny"
    assert set(result.run["judge"]["prompts"]) == {COLOURS, "hardmultiqa"}
    assert result.row(TASK)["colour_share"] == 0.5


def test_the_verdicts_of_both_judges_are_kept(both, command):
    """Where they died, a resume asks for the rest only; the totals are those of an unbroken run."""
    with FaultServer(model) as generating:
        with FaultServer(judges, models=SERVED, dies_after=7) as judge:
            result = both(generating, judge, "--judge-concurrency", "1")
            assert result.code == Exit.INCOMPLETE, result.err
        kept = result.row(TASK)["n_answered"] + result.row(OTHER)["n_answered"]
        assert 0 < kept <= 7
        with FaultServer(judges, models=SERVED) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert again.code == Exit.COMPLETE, again.err
            assert len(judge.bodies) == COUNT - kept
        with FaultServer(judges, models=SERVED) as judge:
            last = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert judge.bodies == []
        assert len(generating.bodies) == COUNT
    for found in (again, last):
        assert found.row(TASK)["colour_share"] == 0.5
        assert found.row(OTHER)["hardmultiqa_judge"] == pytest.approx(servers.expected("open"))


def test_under_lighteval_it_is_judged_too(monkeypatch):
    """By its own model, which no variable names; one row of floats over the task."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    docs = [to_doc({"id": f"c{number}", "text": text}) for number, text in enumerate(SENTENCES)]
    texts = [f"Вещь {number} {'красная' if number % 4 == 0 else 'большая'}." for number in range(len(docs))]
    with FaultServer(judges, models=SERVED) as judge:
        monkeypatch.setenv("JUDGE_BASE_URL", judge.url)
        made = apply_metric([ModelResponse(text=[text]) for text in texts], docs, [METRIC])
        assert {body["model"] for body in judge.bodies} == {JUDGE}
        assert len(judge.bodies) == len(docs)
    records = [entry["record"] for entry in made]
    row = METRIC.get_corpus_aggregations()["record"](records)
    assert row["colour_share"] == flat(summarise(records))["colour_share"] == 0.25
    assert row["judge_coverage"] == 1.0
    assert set(row) >= {spec.name for spec in METRICS}


def test_its_samples_are_never_scored_without_a_judge():
    """The functions of this file keep the rule of the house."""
    record = score(Sample("c0", 0, "{}", "{}"), Answer("красная"))
    assert (record["outcome"], record["scores"][SCORE.name]) == ("unjudged", None)
