"""Runs whose answers another model judges: what goes wrong with the judge, and what is kept then."""

import functools
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import hardmultiqa_servers as servers
import pytest
from aiohttp import web
from fault_server import FaultServer, answer, prompt_of, status

import judges.asking
from endpoints.client import Endpoint
from endpoints.retry import RetryPolicy
from judges.hardmultiqa.prompt_files import BUILTIN
from runner.cli import main
from runner.exits import Exit

QUICK = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002, retry_after_cap_s=0.002)
ROOT = Path(__file__).resolve().parents[2]
TASK = "hardmultiqa:all:alignment|0"
COUNT = len(servers.QUESTIONS)


@pytest.fixture
def judged(command, monkeypatch):
    """``judged(model, judge, ...)``: a run over the sample set; retries wait milliseconds."""
    monkeypatch.setattr(judges.asking, "Endpoint", functools.partial(Endpoint, retry=QUICK))

    def run(model, judge, *arguments, task=TASK, size=("--full",)):
        url = judge if isinstance(judge, str) else judge.url
        there = ["--dataset", "builtin", *size, "--judge-model", "tiny", "--judge-base-url", url]
        return command(*arguments, *there, server=model, task=task, data=None)

    return run


def judgements(result):
    path = result.run_dir / "judgements.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def nothing_right(reply):
    """The reply of a judge that finds nothing right in the same answer."""
    if "Оценка" in reply:
        return "Оценка: -1"
    found = json.loads(reply)
    changes = {"matches": []} if "matches" in found else {"chosen": [], "verdict": "incorrect"}
    return json.dumps(found | changes, ensure_ascii=False)


def test_a_judge_that_is_down_stops_the_run_before_it_starts(judged):
    """Exit 3 with one line that names the URL; nothing is generated."""
    with FaultServer(servers.model) as model:
        result = judged(model, "http://127.0.0.1:9/v1")
        assert result.code == Exit.UNAVAILABLE
        assert "http://127.0.0.1:9/v1" in result.err
        assert not model.bodies


def test_a_judge_that_serves_another_model(judged):
    """The models that it serves are named."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge, models={"data": [{"id": "other"}]}) as judge:
        result = judged(model, judge)
        assert result.code == Exit.UNAVAILABLE
        assert "other" in result.err
        assert not model.bodies


def test_a_judge_that_refuses_everything_stops_the_run(judged):
    """Exit 3 with the server's words; what was generated is kept."""
    with FaultServer(servers.model) as model, FaultServer(status(400, "response_format is not supported")) as judge:
        result = judged(model, judge, "--judge-concurrency", "1", "--concurrency", "1")
        assert result.code == Exit.UNAVAILABLE
        assert "response_format is not supported" in result.err
        assert result.journal


def test_a_judge_that_dies_midway(judged, command):
    """Every answer is kept, exit 4; a resume judges the rest only and gives the totals of an unbroken run."""
    with FaultServer(servers.model) as model:
        with FaultServer(servers.judge, dies_after=15) as judge:
            result = judged(model, judge, "--judge-concurrency", "2")
            assert result.code == Exit.INCOMPLETE
            assert len(result.journal) == COUNT
            row = result.row(TASK)
            assert row["n_unjudged"] + row["n_answered"] == COUNT
            assert 0 < row["n_answered"] <= 15
            assert "INCOMPLETE" in result.out
            assert "UNJUDGED" in result.out
        with FaultServer(servers.judge) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert again.code == Exit.COMPLETE
            assert len(judge.bodies) == COUNT - row["n_answered"]
        assert len(model.bodies) == COUNT
    assert again.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_a_storm_of_429_is_weathered(judged):
    """The judge is asked again, and the scores are those of a calm day."""
    turns = Counter()

    async def stormy(server, request):
        key = json.dumps(await request.json(), sort_keys=True)
        turns[key] += 1
        return await (status(429, "busy") if turns[key] == 1 else servers.judge)(server, request)

    with FaultServer(servers.model) as model, FaultServer(stormy) as judge:
        result = judged(model, judge)
    assert result.code == Exit.COMPLETE
    assert result.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_unreadable_replies_are_asked_again_and_then_counted(judged):
    """Attempts with the same answer, then UNJUDGED: no score, bounds, exit 4. After ten in a row it is said, once."""
    with FaultServer(servers.model) as model, FaultServer(answer("Верно, ставлю единицу!")) as judge:
        result = judged(model, judge)
        assert result.code == Exit.INCOMPLETE
        assert COUNT <= len(judge.bodies) <= COUNT + 3 * 10
        assert len(model.bodies) == COUNT
    assert result.err.count("the judge: its last 10 replies do not have the form that was asked for") == 1
    assert "response_format" in result.err
    row = result.row(TASK)
    assert row["hardmultiqa_judge"] is None
    assert (row["hardmultiqa_judge_lower_bound"], row["hardmultiqa_judge_upper_bound"]) == (0.0, 1.0)
    assert row["n_unjudged"] == COUNT
    assert all("attempt" in error["error"] for error in result.run["errors"])


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (answer(None, finish_reason="content_filter"), "finish_reason 'content_filter'"),
        (answer("Оценка: 1", refusal="no"), "refusal: no"),
        (answer(None, tool_calls=[{"function": {"name": "judge"}}]), "tool call: judge"),
    ],
)
def test_a_blocked_reply_of_the_judge_is_no_verdict(judged, command, reply, words):
    """Each is asked once, and unjudged for that reason; a resume asks the judge again, and nothing else."""
    with FaultServer(servers.model) as model:
        with FaultServer(reply) as judge:
            result = judged(model, judge)
            assert len(judge.bodies) == COUNT
        assert result.code == Exit.INCOMPLETE
        row, errors = result.row(TASK), result.run["errors"]
        with FaultServer(servers.judge) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
        assert len(model.bodies) == COUNT
    assert (row["n_unjudged"], row["n_blocked"], row["hardmultiqa_judge"]) == (COUNT, 0, None)
    assert [error["error"] for error in errors] == [f"the judge gave no reply: its server withheld it ({words})"]
    assert again.code == Exit.COMPLETE
    assert again.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_a_blocked_answer_never_comes_to_the_judge(judged):
    """It is blocked, not unjudged, and not wrong."""
    with FaultServer(answer(None, refusal="no")) as model, FaultServer(servers.judge) as judge:
        result = judged(model, judge)
        assert not judge.bodies
    row = result.row(TASK)
    assert (row["n_blocked"], row["n_unjudged"], row["hardmultiqa_judge"], row["empty_share"]) == (COUNT, 0, None, None)
    assert result.code == Exit.INCOMPLETE


def test_another_judge_judges_the_same_answers(judged, command):
    """``--resume`` with another judge generates nothing and replaces the verdicts."""

    async def harsh(server, request):
        honest = json.loads((await servers.judge(server, request)).body)["choices"][0]["message"]["content"]
        return await answer(nothing_right(honest))(server, request)

    two = {"data": [{"id": "tiny"}, {"id": "other"}]}
    with FaultServer(servers.model) as model:
        with FaultServer(servers.judge) as judge:
            result = judged(model, judge)
        with FaultServer(harsh, models=two) as judge:
            more = ["--judge-model", "other", "--judge-base-url", judge.url]
            again = command("--resume", str(result.run_dir), *more)
            assert len(judge.bodies) == COUNT
        assert len(model.bodies) == COUNT
    assert again.code == Exit.COMPLETE
    assert again.run["judge"]["model"] == "other"
    assert again.row(TASK)["hardmultiqa_judge"] == 0.0


def test_further_fields_of_the_judge_judge_anew(judged, command):
    """They reach the judge alone; a resume with others asks the judge again and the model nothing."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        result = judged(model, judge, "--judge-extra-body", '{"top_k": 3}')
        again = command("--resume", str(result.run_dir), "--judge-extra-body", '{"top_k": 4}')
    assert [result.code, again.code] == [Exit.COMPLETE] * 2
    assert [body["top_k"] for body in judge.bodies] == [3] * COUNT + [4] * COUNT
    assert len(model.bodies) == COUNT
    assert not any("top_k" in body for body in model.bodies)
    assert again.run["judge"]["extra_body"] == {"top_k": 4}
    assert again.out.count('extra body {"top_k": 4}') == 1 + again.out.count("comparable with")


def test_judge_options_are_for_judged_tasks(command):
    """Anywhere else they are an error, not an argument that does nothing."""
    result = command("--judge-model", "x", "--model", "tiny")
    assert result.code == Exit.USAGE
    assert "--judge-model is for tasks of hardmultiqa only" in result.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill-9"])
def test_judging_that_was_stopped_goes_on(tmp_path, monkeypatch, number):
    """Every reply of the judge is kept, none is asked for twice."""
    turns = Counter()

    async def slow(server, request):
        import asyncio

        turns[json.dumps(await request.json(), sort_keys=True)] += 1
        await asyncio.sleep(0.02)
        return await servers.judge(server, request)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with FaultServer(servers.model) as model, FaultServer(slow) as judge:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "run_lighteval.py"), "--task", TASK, "--dataset", "builtin", "--full",
             "--output-dir", str(tmp_path / "out"), "--model", "tiny", "--base-url", model.url, "--concurrency", "4",
             "--judge-model", "tiny", "--judge-base-url", judge.url, "--judge-concurrency", "2"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while len(judge.bodies) < 12 and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(number)
        process.wait()
        (run_dir,) = (tmp_path / "out").iterdir()
        done = {json.loads(line)["key"] for line in (run_dir / "judgements.jsonl").read_text("utf-8").splitlines()}
        assert main(["--resume", str(run_dir)]) == Exit.COMPLETE
        assert len(model.bodies) <= COUNT + 4  # what was on the wire when it was killed
        assert sum(turns.values()) <= COUNT + 2
    assert done
    row = json.loads((run_dir / "run.json").read_text("utf-8"))["tasks"][TASK]
    assert row["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_a_judge_that_thinks_is_said_and_its_cap_and_template_can_be_changed(judged, command):
    """A verdict under reasoning is none; the words name both options, and a resume with them judges anew."""

    async def thinks(server, request):
        body = await request.json()
        if body["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}:
            assert body["max_tokens"] == 3_000
            return await servers.judge(server, request)
        message = {"role": "assistant", "content": None, "reasoning": "Верно.\nОценка: 1"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return web.json_response({"choices": [choice], "usage": {}})

    with FaultServer(servers.model) as model, FaultServer(thinks) as judge:
        result = judged(model, judge)
        assert result.code == Exit.INCOMPLETE
        assert COUNT <= len(judge.bodies) <= COUNT + 3 * 10
        assert result.row(TASK)["n_unjudged"] == COUNT
        assert result.err.count("the judge: its last 10 replies hold reasoning and no text") == 1
        assert "--judge-chat-template-kwargs" in result.err
        assert "--judge-max-tokens" in result.err
        assert "reasoning is no verdict" in result.run["errors"][0]["error"]
        options = ("--judge-chat-template-kwargs", '{"thinking": false}', "--judge-max-tokens", "3000")
        again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url, *options)
        assert again.code == Exit.COMPLETE
    assert again.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())
    assert again.run["judge"]["max_tokens"] == 3_000
    assert again.run["judge"]["chat_template_kwargs"] == {"thinking": False}


REFUSALS = {
    "json_object": ("'response_format.type' must be 'json_object' or 'text'", ["json_schema"]),
    "text": ("Structured outputs are not supported by this backend", ["json_schema", "json_object"]),
}


@pytest.mark.parametrize("form", REFUSALS)
def test_a_judge_without_json_schema_is_asked_for_less(judged, command, form):
    """One refused request a form, said once and recorded; the same strict reader, and a resume finds the replies."""
    words, refused = REFUSALS[form]

    async def judge_with(server, request):
        wanted = (await request.json()).get("response_format", {"type": "text"})["type"]
        if wanted in refused:
            return await status(400, words)(server, request)
        return await servers.judge(server, request)

    with FaultServer(servers.model) as model, FaultServer(judge_with) as judge:
        result = judged(model, judge)
        assert result.code == Exit.COMPLETE
        forms = [body.get("response_format", {"type": "text"})["type"] for body in judge.bodies]
        assert [forms.count(name) for name in refused] == [1] * len(refused)
        assert len(judge.bodies) == COUNT + len(refused)
        again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
        assert again.code == Exit.COMPLETE
        assert len(judge.bodies) == COUNT + 2 * len(refused)
    for found in (result, again):
        assert found.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())
        assert found.run["judge"]["structured_output"] == form
        assert f"replies as {form} (no json_schema)" in found.out
        for name in refused:
            assert found.err.count(f"its server refuses response_format {name}; asking for ") == 1


def test_a_refusal_for_another_reason_is_no_reason_to_ask_for_less(judged):
    """The run ends with the server's words, and no other form was tried."""
    with FaultServer(servers.model) as model, FaultServer(status(400, "this key may not use the model")) as judge:
        result = judged(model, judge)
    assert result.code in (Exit.UNAVAILABLE, Exit.INCOMPLETE)
    assert "may not use the model" in result.err + json.dumps(result.run)
    assert {body["response_format"]["type"] for body in judge.bodies if "response_format" in body} <= {"json_schema"}
    assert "refuses response_format" not in result.err


def test_unreadable_replies_are_asked_again_on_a_resume(judged, command):
    """Replies that say nothing are no reason to leave an answer unjudged for good: each resume asks again."""
    nonsense = answer("Верно, ставлю единицу!")
    with FaultServer(servers.model) as model:
        with FaultServer(nonsense) as judge:
            result = judged(model, judge)
        for earlier in (1, 2):
            with FaultServer(nonsense) as judge:
                again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
                assert again.code == Exit.INCOMPLETE
                assert COUNT <= len(judge.bodies) <= COUNT + 3 * 10
            assert all("attempt" in error["error"] for error in again.run["errors"])
            assert len(again.run["errors"]) == len(result.run["errors"]), earlier
        with FaultServer(servers.judge) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert again.code == Exit.COMPLETE
            assert len(judge.bodies) == COUNT
        with FaultServer(nonsense) as judge:
            last = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert not judge.bodies
        assert len(model.bodies) == COUNT
    for found in (again, last):
        assert found.row(TASK)["hardmultiqa_judge"] == pytest.approx(servers.expected())


def test_judging_alone_needs_no_model_server(judged, command):
    """Where every answer is kept, its server may be gone; where one is missing, it is asked for."""

    async def one_is_lost(server, request):
        lost = prompt_of(await request.json()) == servers.QUESTIONS[0].text
        return await (status(500, "lost") if lost else servers.model)(server, request)

    two = {"data": [{"id": "tiny"}, {"id": "other"}]}
    with FaultServer(servers.judge, models=two) as judge:
        with FaultServer(servers.model) as model:
            whole = judged(model, judge)
        with FaultServer(one_is_lost) as model:
            partial = judged(model, judge)
        assert partial.code == Exit.INCOMPLETE
        before = len(judge.bodies)
        again = command("--resume", str(whole.run_dir), "--judge-model", "other")
        assert again.code == Exit.COMPLETE
        assert len(judge.bodies) == before + COUNT
        assert "the run goes on without it" in again.err
        assert command("--resume", str(partial.run_dir)).code == Exit.UNAVAILABLE
    assert again.row(TASK) == whole.row(TASK)
    assert again.run["model"] == whole.run["model"]
    assert len(again.journal) == COUNT


@pytest.mark.parametrize(
    ("refusal", "option"),
    [
        (status(401, "no"), "--judge-api-key-env"),
        (status(404, "no"), "--judge-base-url"),
        (status(404, "The model `tiny` does not exist."), "--judge-model"),
    ],
    ids=["key", "address", "model"],
)
def test_advice_on_the_judge_names_its_own_options(judged, refusal, option):
    """Not those of the model, which would change nothing."""
    with FaultServer(servers.model) as model, FaultServer(refusal) as judge:
        result = judged(model, judge)
    assert result.code == Exit.UNAVAILABLE
    assert option in result.err
    assert not {"--api-key-env", "--base-url", "--model"} & set(result.err.split())


def test_a_set_without_some_types(command, tmp_path):
    """``all`` is then the types that are there; a type that is not is refused by name."""
    kinds = ("open", "mistakes")
    rows = [question.row() for question in servers.QUESTIONS if question.kind in kinds]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        there = ["--full", "--judge-model", "tiny", "--judge-base-url", judge.url]
        result = command(*there, server=model, task=TASK, data=path)
        lacking = command(*there, server=model, task="hardmultiqa:strict-list:alignment|0", data=path)
    assert result.code == Exit.COMPLETE
    assert result.row(TASK)["n_total"] == len(rows)
    assert set(result.run["tasks"]) == {TASK, *(f"hardmultiqa:{kind}:alignment|0" for kind in kinds)}
    assert lacking.code == Exit.UNAVAILABLE
    assert "has no question for it" in lacking.err


def test_two_benchmarks_in_one_run(command, tmp_path):
    """A smoke run has each one's own number; a bound is for the tasks that have its metric; a dataset is for all."""
    answers = tmp_path / "none.jsonl"
    answers.write_text("", encoding="utf-8")
    other = "ifhard:all|0"
    with FaultServer(servers.judge) as judge:
        more = ["--task", TASK, "--judge-model", "tiny", "--judge-base-url", judge.url]
        result = command(
            *("--responses", str(answers), "--dataset", "builtin", *more),
            *("--fail-under", "sample_pass_rate=0.5", "--fail-under", "judge_coverage=0.5"),
            task=other,
            data=None,
        )
        assert result.row(other)["n_total"] == 10
        assert result.row(TASK)["n_total"] == 10
        assert result.row("hardmultiqa:open:alignment|0")["n_total"] == 2
        misses = [line for line in result.err.splitlines() if line.startswith("--fail-under")]
        assert len(misses) == 2
        assert f"sample_pass_rate of {other}" in misses[0]
        assert f"judge_coverage of {TASK}" in misses[1]
        shrunk = command("--resume", str(result.run_dir), "--max-samples", "5")
        assert shrunk.code == Exit.USAGE
        (tmp_path / "x").mkdir()
        foreign = command(*more, "--responses", str(answers), "--dataset", str(tmp_path / "x"), task=other, data=None)
    assert foreign.code == Exit.UNAVAILABLE
    assert "hardmultiqa: --dataset" in foreign.err
    assert "every task of a command" in foreign.err


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_smoke_sample_of_a_task_is_its_own(judged, repeats):
    """Whatever else the command runs: a task has the questions, and the row, that it has alone."""
    part = "hardmultiqa:open:alignment|0"

    def rows(*tasks):
        named = [word for task in tasks for word in ("--task", task)]
        with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
            result = judged(model, judge, *named, "--repeats", str(repeats), size=(), task=None)
        assert result.code == Exit.COMPLETE
        return result.run["tasks"], result.out

    whole, _ = rows(TASK)
    alone, _ = rows(part)
    both, table = rows(TASK, part)
    turned, _ = rows(part, TASK)
    assert whole[TASK]["n_total"] == 10 * repeats
    assert alone[part]["n_total"] == 8 * repeats  # all that the set has
    assert both[TASK] == turned[TASK] == whole[TASK]
    assert both[part] == turned[part] == alone[part]
    assert "SMOKE RUN of 10 of 40 questions" in table
    assert (f"repeat check of {TASK}: of 10 questions" in table) == (repeats == 2)


def test_a_bound_on_a_resume_is_for_a_metric_of_the_run(judged, command):
    """As at the start: one that no task has would never be met."""
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        result = judged(model, judge)
        again = command("--resume", str(result.run_dir), "--fail-under", "sample_pass_rate=0.1")
    assert again.code == Exit.USAGE
    assert "hardmultiqa_judge" in again.err


REFUSED_ONE = [(400, "content policy violation"), (403, "flagged by moderation"), (422, "odd characters"), (413, "big")]


@pytest.mark.parametrize(("code", "words"), REFUSED_ONE)
@pytest.mark.parametrize("alone", [False, True], ids=["among others", "alone"])
def test_a_judge_that_refuses_one_single_question(judged, code, words, alone):
    """Its answer is unjudged, counted with the server's words; the others have their verdicts."""
    first = next(question for question in servers.QUESTIONS if question.kind == "open")

    async def refuses(server, request):
        asked = (await request.json())["messages"][0]["content"]
        refused = alone or first.text in asked
        return await (status(code, words) if refused else servers.judge)(server, request)

    with FaultServer(servers.model) as model, FaultServer(refuses) as judge:
        size = ("--max-samples", "1") if alone else ("--full",)
        result = judged(model, judge, task="hardmultiqa:open:alignment|0", size=size)
    assert result.code == Exit.INCOMPLETE
    row = result.row("hardmultiqa:open:alignment|0")
    assert row["n_unjudged"] == 1
    assert row["n_answered"] == (0 if alone else 7)
    (error,) = result.run["errors"]
    assert (error["outcome"], error["samples"]) == ("unjudged", 1)
    assert error["error"] == f"the judge gave no reply: its server refused this request: HTTP {code}: {words}"
    assert "1 UNJUDGED" in result.out
    assert words in result.err


OPEN = "hardmultiqa:open:alignment|0"


def as_object(line):
    """The verdict of a reply's last line as the object."""
    return json.dumps({"explanation": "Сверил с эталоном.", "grade": int(line.rpartition(" ")[2])}, ensure_ascii=False)


async def applies_schemas(server, request):
    """A judge whose replies have the form that was asked for."""
    body = await request.json()
    found = json.loads((await servers.judge(server, request)).body)
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    message = found["choices"][0]["message"]
    if "grade" in schema.get("properties", {}):
        message["content"] = as_object(message["content"])
    return web.json_response(found)


@pytest.mark.parametrize("judge_with", [applies_schemas, servers.judge], ids=["applied", "ignored"])
def test_open_questions_are_judged_as_objects(judged, command, judge_with):
    """Every question is asked with a schema; a server that ignores it gives the contract's line, which is read too."""
    with FaultServer(servers.model) as model, FaultServer(judge_with) as judge:
        result = judged(model, judge, task=OPEN)
        assert result.code == Exit.COMPLETE
        assert {body["response_format"]["type"] for body in judge.bodies} == {"json_schema"}
        assert all('"grade"' in body["messages"][0]["content"] for body in judge.bodies)
        again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
        assert len(judge.bodies) == 8
    for found in (result, again):
        assert found.row(OPEN)["hardmultiqa_judge"] == pytest.approx(servers.expected("open"))
        assert found.run["judge"]["structured_output"] == "json_schema"


def test_open_questions_are_asked_for_the_contracts_line_where_there_are_no_schemas(judged):
    """The same prompt as before, to the letter; so it is with a folder of five prompts."""

    async def text_only(server, request):
        body = await request.json()
        if "response_format" in body:
            return await status(400, "response_format is not supported")(server, request)
        assert body["messages"][0]["content"].rstrip().endswith("в этой последней строке.")
        return await servers.judge(server, request)

    with FaultServer(servers.model) as model, FaultServer(text_only) as judge:
        result = judged(model, judge, task=OPEN)
    assert result.code == Exit.COMPLETE
    assert result.run["judge"]["structured_output"] == "text"
    assert "replies as text (no json_schema)" in result.out


def test_prompts_of_five_files_ask_for_the_line(judged, tmp_path):
    """A user's own prompts, or the contract's form for every judge."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    for path in BUILTIN.iterdir():
        if path.name != "open-json.txt":
            (folder / path.name).write_bytes(path.read_bytes())
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        result = judged(model, judge, "--judge-prompts", str(folder), task=OPEN)
        assert all("response_format" not in body for body in judge.bodies)
        assert len(judge.bodies) == 8
    assert result.row(OPEN)["hardmultiqa_judge"] == pytest.approx(servers.expected("open"))


def test_lines_in_an_older_journal_are_not_asked_for_again(judged, command):
    """A run whose judge gave lines goes on with them, although its server takes schemas now."""

    async def text_only(server, request):
        refused = "response_format" in await request.json()
        return await (status(400, "response_format is not supported") if refused else servers.judge)(server, request)

    with FaultServer(servers.model) as model:
        with FaultServer(text_only) as judge:
            result = judged(model, judge, task=OPEN)
        with FaultServer(applies_schemas) as judge:
            again = command("--resume", str(result.run_dir), "--judge-base-url", judge.url)
            assert judge.bodies == []
    assert again.row(OPEN)["hardmultiqa_judge"] == pytest.approx(servers.expected("open"))
