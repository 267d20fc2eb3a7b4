"""Whole runs through LightEval against a server that does as the test says."""

import json
import unicodedata

import pyarrow.parquet as parquet
import pytest
from fault_server import FaultServer, answer, as_json, prompt_of, status
from mini import right, write_dataset, write_responses, wrong
from replies import know_all, number_of
from sobhard_docs import split_rows

import metrics.ifhard.records
from metrics.sobhard.rows import answer_size, scoring_key
from runner.exits import Exit
from tasks.sobhard.prompts import render


def ids(numbers):
    return {f"t{number:03d}" for number in numbers}


def by_number(replies, default=know_all):
    """A reply that picks another reply by the question's number."""

    async def reply(server, request):
        chosen = replies.get(number_of(prompt_of(await request.json())), default)
        return await chosen(server, request)

    return reply


def test_a_full_run_leaves_everything_a_person_needs(command):
    """Table, LightEval's results and details with reasons, run.json, journal."""
    with FaultServer(by_number({4: answer(wrong(4)), 5: answer("раз, два", finish_reason="length")})) as server:
        result = command("--full", server=server)
    assert result.code == Exit.COMPLETE
    assert "answers 40/40; " in result.err
    assert "pass rate 0.950 [0.835, 0.986], 0 without answer" in result.err
    row = result.row()
    assert row["sample_pass_rate"] == 38 / 40
    assert row["sample_pass_rate_ci_low"] <= 38 / 40 <= row["sample_pass_rate_ci_high"]
    assert row["constraint_pass_rate"] == pytest.approx((38 + 2 / 3 + 0) / 40)
    assert row["type/structure:word_count/n"] == 40
    assert row["type/structure:word_count/passed"] == 38
    assert row["family/style/passed"] == 78
    assert row["tier/medium/n"] == 10
    assert row["n_truncated"] == 1
    assert row["coverage"] == 1.0
    assert "0.9500" in result.out
    assert "SMOKE" not in result.out
    assert "1 truncated" in result.out

    saved = json.loads(result.files("results_*.json")[0].read_text(encoding="utf-8"))
    assert saved["results"] == {"ifhard:all|0": row}
    assert "api_key" not in json.dumps(saved)
    details = parquet.read_table(result.files("details_*.parquet")[0]).to_pylist()
    assert len(details) == 40
    four = next(d for d in details if d["doc"]["specific"]["id"] == "t004")
    verdict = four["metric"]["record"]["verdicts"][0]
    assert verdict["passed"] is False
    assert json.loads(verdict["wanted"]) == 6
    assert json.loads(verdict["observed"]) == 7
    assert "6" in verdict["reason"]
    assert "7" in verdict["reason"]
    assert {line["id"] for line in result.journal} == ids(range(40))
    assert result.run["status"] == "complete"
    assert result.run["model"]["max_model_len"] == 8192
    assert result.run["versions"]["lighteval"] == "0.13.0"
    assert (result.run_dir / "table.txt").read_text(encoding="utf-8") in result.out


def test_cut_answers_are_named_in_the_servers_words(command):
    """A limit other than the cap is not called the token cap; run.json counts every word."""
    script = {4: answer("раз", finish_reason="model_length"), 5: answer("раз", finish_reason="MAX_TOKENS")}
    with FaultServer(by_number(script)) as server:
        result = command("--full", server=server)
    assert result.row()["n_truncated"] == 2
    assert "2 truncated (the server's words: 1 MAX_TOKENS, 1 model_length) (5.0%)" in result.out
    assert result.run["finish_reasons"] == {"ifhard:all|0": {"stop": 38, "MAX_TOKENS": 1, "model_length": 1}}


def test_a_generation_that_breaks_off_is_a_failed_request(command):
    """The fragment is not scored: the sample fails under the word that the server sent."""
    with FaultServer(by_number({4: answer(right(4), finish_reason="network_error")})) as server:
        result = command("--full", server=server)
    assert result.code == Exit.INCOMPLETE
    assert result.row()["n_failed"] == 1
    assert result.row()["n_answered"] == 39
    assert "network_error" in result.err


BLOCKED = {
    4: answer(None, finish_reason="content_filter"),
    5: answer(right(5), finish_reason="content_filter"),
    6: answer(None, refusal="I cannot help with that."),
    7: answer(None, finish_reason="tool_calls", tool_calls=[{"function": {"name": "get_thing"}}]),
}


def test_blocked_replies_are_an_outcome_of_their_own(command):
    """No verdict, not even for a partial text that would pass; the server's words stand beside the count."""
    with FaultServer(by_number(BLOCKED)) as server:
        result = command("--full", "--repeats", "2", server=server)
        assert len(server.bodies) == 80
    assert result.code == Exit.INCOMPLETE
    row = result.row()
    assert (row["n_blocked"], row["n_failed"], row["n_empty"], row["n_answered"]) == (8, 0, 0, 72)
    assert (row["sample_pass_rate"], row["coverage"]) == (1.0, 0.9)
    assert (row["sample_pass_rate_lower_bound"], row["sample_pass_rate_upper_bound"]) == (0.9, 1.0)
    words = {
        "finish_reason 'content_filter'": 4,
        "refusal: I cannot help with that.": 2,
        "tool call: get_thing": 2,
    }
    assert result.run["blocked"] == {"ifhard:all|0": words}
    assert "0 without answer, 8 blocked" in result.err
    assert "0 failed, 0 not asked, 0 not scored, 8 blocked" in result.out
    assert (
        "blocked, in the server's words: 4 finish_reason 'content_filter'; 2 refusal: I cannot help with that.; "
        "2 tool call: get_thing\n"
    ) in result.out
    assert "INCOMPLETE" in result.out
    assert "hint" not in result.out
    assert "4 blocked: finish_reason 'content_filter' (ifhard:all|0 t004" in result.err
    details = parquet.read_table(result.files("details_*.parquet")[0]).to_pylist()
    five = next(d for d in details if d["doc"]["specific"]["id"] == "t005")
    assert five["metric"]["record"]["outcome"] == five["model_response"]["outcome"] == "blocked"
    assert five["metric"]["record"]["scores"] == {"sample_pass_rate": None, "constraint_pass_rate": None}


def test_a_resume_asks_again_for_blocked_replies(command):
    """As for everything that is missing: the filter may have been changed."""
    script = dict(BLOCKED)
    with FaultServer(by_number(script)) as server:
        result = command("--full", server=server)
        script.clear()
        again = command("--resume", str(result.run_dir))
        assert len(server.bodies) == 44
    assert again.code == Exit.COMPLETE
    assert again.row()["n_blocked"] == 0
    assert again.run["blocked"] == {"ifhard:all|0": {}}
    assert "blocked" not in again.out


def test_blocked_replies_stay_blocked_without_the_server(command):
    """A journal as saved answers gives the same row; so does a resume whose server is gone."""
    with FaultServer(by_number(BLOCKED)) as server:
        result = command("--full", server=server)
    row, words = result.row(), result.run["blocked"]
    saved = command("--full", "--responses", str(result.run_dir / "responses.jsonl"))
    alone = command("--resume", str(result.run_dir))
    assert saved.code == alone.code == Exit.INCOMPLETE
    assert saved.row() == alone.row() == row
    assert saved.run["blocked"] == alone.run["blocked"] == words


def test_the_token_budget_is_suspected_only_of_answers_that_are_empty_and_truncated(command):
    """An empty answer and a truncated one are two answers; then one that is both."""
    script = {4: answer(""), 5: answer("раз", finish_reason="length")}
    with FaultServer(by_number(script)) as server:
        assert "hint" not in command("--full", server=server).out
        script[6] = answer("", finish_reason="length")
        assert "hint: 1 answer both empty and truncated" in command("--full", server=server).out


def test_a_run_without_a_number_is_a_smoke_run(command):
    """Ten samples, LightEval's own choice, and the table says so."""
    with FaultServer(know_all) as server:
        result = command(server=server)
        again = command("--max-samples", "10", server=server)
    assert result.code == Exit.COMPLETE
    assert "SMOKE RUN of 10 of 40 questions" in result.out
    assert "SMOKE" not in again.out
    assert [line["id"] for line in sorted(result.journal, key=lambda e: e["id"])] == sorted(
        e["id"] for e in again.journal
    )


def test_failed_requests_are_no_zeros_and_a_resume_asks_only_for_them(command):
    """503 to the end: FAILED, listed, exit 4; then the same run is completed."""
    broken = {7: status(503, "busy"), 9: status(503, "busy")}
    with FaultServer(by_number(broken)) as server:
        result = command("--full", server=server)
        assert result.code == Exit.INCOMPLETE
        assert "INCOMPLETE: 0.9500 to 1.0000, missing samples taken as 0 and as 1" in result.out
        assert "38/40 (95.0%)" in result.out
        assert result.row()["sample_pass_rate"] == 1.0
        assert result.row()["n_failed"] == 2
        assert "busy" in result.err
        assert "t007" in result.err
        broken.clear()
        asked = len(server.bodies)
        resumed = command("--resume", str(result.run_dir))
        assert len(server.bodies) - asked == 2
    assert resumed.code == Exit.COMPLETE
    assert resumed.row()["sample_pass_rate"] == 1.0
    assert resumed.row()["n_total"] == 40
    assert len(resumed.run["sessions"]) == 2


def test_max_samples_then_full_asks_exactly_the_rest(command):
    """The same run grows; nothing is asked twice."""
    with FaultServer(know_all) as server:
        result = command("--max-samples", "5", server=server)
        resumed = command("--resume", str(result.run_dir), "--full")
        assert len(server.bodies) == 40
        assert set(server.asked.values()) == {1}
    assert resumed.code == Exit.COMPLETE
    assert resumed.row()["n_total"] == 40
    assert len(resumed.journal) == 40


def test_a_resume_with_changed_questions_is_refused(command, tmp_path):
    """Another dataset behind the same path is another run."""
    data = write_dataset(tmp_path / "changing", 6)
    with FaultServer(know_all) as server:
        result = command("--full", server=server, data=data)
        write_dataset(data, 7)
        resumed = command("--resume", str(result.run_dir))
    assert resumed.code == Exit.USAGE
    assert "questions of ifhard have changed" in resumed.err


@pytest.mark.parametrize(
    ("models", "says"),
    [
        ({"object": "list", "data": [{"id": "other"}, {"id": "third"}]}, "third"),
        (status(500, "boom"), "500"),
        (as_json([1, 2]), "models"),
    ],
)
def test_a_server_that_is_not_the_one_meant_stops_the_run_at_once(command, models, says):
    """One line, exit 3, no run folder, nothing generated."""
    with FaultServer(know_all, models=models) as server:
        result = command(server=server)
        assert server.bodies == []
        assert server.url.rstrip("/") in result.err
    assert result.code == Exit.UNAVAILABLE
    assert says in result.err
    assert result.run_dir is None


def test_a_server_that_is_down_is_named(command):
    """Wrong port: the URL stands in the message."""
    result = command(server="http://127.0.0.1:9/v1")
    assert result.code == Exit.UNAVAILABLE
    assert "http://127.0.0.1:9/v1" in result.err
    assert result.run_dir is None


def test_the_first_refusal_stops_the_run_with_a_hint(command):
    """A template without a system role refuses all; the user learns it once."""
    refuse = status(400, "Conversation roles must alternate user/assistant/user/assistant/...")
    with FaultServer(refuse) as server:
        result = command("--full", "--system-prompt", "Будь краток.", "--concurrency", "4", server=server)
        assert len(server.bodies) <= 8
    assert result.code == Exit.UNAVAILABLE
    assert "alternate" in result.err
    assert "--system-prompt" in result.err


def test_context_overflow_is_a_failure_with_the_servers_numbers(command):
    """Never graded, never retried."""
    words = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."
    with FaultServer(by_number({3: status(400, words)})) as server:
        result = command("--full", server=server)
        assert sum(number_of(prompt_of(body)) == 3 for body in server.bodies) == 1
    assert result.code == Exit.INCOMPLETE
    assert "9000 tokens" in result.err
    assert result.row()["n_failed"] == 1


def test_questions_that_cannot_fit_are_named_before_anything_is_sent(command):
    """A window of 60 tokens; the server counts 100 for every prompt."""
    models = {"object": "list", "data": [{"id": "tiny", "max_model_len": 60}]}
    with FaultServer(know_all, models=models, tokenize=as_json({"count": 100, "max_model_len": 60})) as server:
        result = command("--max-samples", "3", server=server)
        assert server.bodies == []
    assert result.code == Exit.INCOMPLETE
    assert "3 of 3 questions do not fit the server's window of 60 tokens" in result.out
    assert result.row()["n_not_asked"] == 3
    assert result.row()["sample_pass_rate"] is None
    assert "n/a" in result.out


def test_generation_arguments_reach_the_server(command):
    """No flag silently does nothing."""
    with FaultServer(know_all) as server:
        command(
            *("--max-samples", "1", "--temperature", "0.5", "--seed", "11", "--max-new-tokens", "77"),
            *("--system-prompt", "Кратко.", "--chat-template-kwargs", '{"enable_thinking": false}'),
            server=server,
        )
        (body,) = server.bodies
    assert body["temperature"] == 0.5
    assert body["seed"] == 11
    assert body["max_tokens"] == 77
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["messages"][0] == {"role": "system", "content": "Кратко."}
    assert body["stop"] == ["<|eot_id|>", "<|im_end|>", "</s>"]


def test_the_api_key_comes_from_the_named_variable(command, monkeypatch):
    """And is written nowhere."""
    monkeypatch.setenv("MY_KEY", "sk-secret-1")
    with FaultServer(know_all) as server:
        result = command("--max-samples", "1", "--api-key-env", "MY_KEY", server=server)
        assert server.headers[0]["Authorization"] == "Bearer sk-secret-1"
        missing = command("--max-samples", "1", "--api-key-env", "NO_SUCH_KEY", server=server)
    assert missing.code == Exit.USAGE
    assert "NO_SUCH_KEY" in missing.err
    for path in result.files("*"):
        assert path.is_dir() or b"sk-secret-1" not in path.read_bytes()


def test_few_shot_turns_are_the_first_shots_with_their_full_template(command):
    """Two shots as chat turns, the evaluated question whole behind them."""
    with FaultServer(know_all) as server:
        command("--max-samples", "1", server=server, task="ifhard:all|2")
        (body,) = server.bodies
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant"] * 2 + ["user"]
    assert [number_of(body["messages"][i]["content"]) for i in (0, 2)] == [900, 901]
    assert body["messages"][1]["content"] == right(900)
    assert body["messages"][-1]["content"].startswith("Требования к ответу:\n")


def test_two_tasks_in_one_run_do_not_mix(command):
    """Each task its rows, its journal lines, its details."""
    with FaultServer(by_number({4: answer(wrong(4))})) as server:
        result = command("--full", server=server, task="ifhard:easy|0,ifhard:medium|1")
    assert result.row("ifhard:easy|0")["sample_pass_rate"] == 0.9
    assert result.row("ifhard:medium|1")["sample_pass_rate"] == 1.0
    assert {line["task"] for line in result.journal} == {"ifhard:easy|0", "ifhard:medium|1"}
    assert len(result.files("details_*.parquet")) == 2
    assert list(result.run["tasks"]) == ["ifhard:easy|0", "ifhard:medium|1"]
    saved = json.loads(result.files("results_*.json")[0].read_text(encoding="utf-8"))
    assert sorted(saved["results"]) == ["ifhard:easy|0", "ifhard:medium|1"]  # no macro rows


def test_repeats_are_asked_separately_and_scored_together(command):
    """Two answers a question; one right and one wrong make half."""
    turns = {}

    async def alternate(server, request):
        number = number_of(prompt_of(await request.json()))
        turns[number] = turns.get(number, 0) + 1
        return await answer(right(number) if turns[number] % 2 else wrong(number))(server, request)

    with FaultServer(alternate) as server:
        result = command("--max-samples", "6", "--repeats", "2", server=server)
    assert result.row()["sample_pass_rate"] == 0.5
    assert result.row()["n_total"] == 12
    assert "2 answers a question" in result.out
    assert "of 6 questions answered more than once, 6 got unlike answers and 6 unlike scores" in result.out
    assert sorted({line["repeat"] for line in result.journal}) == [0, 1]


def test_shuffling_changes_the_order_and_nothing_else(command):
    """One at a time, so that the order of arrival is the order of sending."""
    with FaultServer(by_number({4: answer(wrong(4))})) as server:
        plain = command("--full", "--concurrency", "1", server=server)
        mixed = command("--full", "--concurrency", "1", "--shuffle-seed", "3", server=server)
        order = [number_of(prompt_of(body)) for body in server.bodies]
    assert order[:40] != order[40:]
    assert sorted(order[:40]) == sorted(order[40:])
    assert plain.row() == mixed.row()


def test_long_references_are_asked_for_first(command):
    """SOBHard knows how long an answer has to be; results are those of any other order, interval and all."""
    rows = split_rows("test")
    size = {render(row): answer_size(scoring_key(row)) for row in rows}
    with FaultServer(answer("нет")) as server:
        given = {"task": "sobhard:all|0", "data": "builtin-small", "server": server}
        sorted_ = command("--full", "--concurrency", "1", **given)
        sizes = [size[prompt_of(body)] for body in server.bodies]
        mixed = command("--full", "--concurrency", "1", "--shuffle-seed", "3", **given)
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    assert sorted_.row("sobhard:all|0") == mixed.row("sobhard:all|0")
    assert [line["key"] for line in sorted_.journal] != [line["key"] for line in mixed.journal]
    assert {line["key"] for line in sorted_.journal} == {line["key"] for line in mixed.journal}
    assert "pass rate 0.000 [0.000, " in sorted_.err


def test_a_fault_of_the_scorer_names_the_sample_and_spares_the_rest(command, monkeypatch):
    """Answers are on disk, the others are scored, exit 4."""
    genuine = metrics.ifhard.records.score_constraints

    def faulty(constraints, response):
        if response == right(3):
            raise ZeroDivisionError("a bug of ours")
        return genuine(constraints, response)

    monkeypatch.setattr(metrics.ifhard.records, "score_constraints", faulty)
    with FaultServer(know_all) as server:
        result = command("--full", server=server)
    sick = [f"t{n:03d}" for n in range(40) if right(n) == right(3)]
    assert result.code == Exit.INCOMPLETE
    assert result.row()["n_unscored"] == len(sick)
    assert sorted(result.row()["unscored_ids"]) == sick
    assert "a bug of ours" in result.err
    assert len(result.journal) == 40


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_both_names_of_the_reasoning_field_score_alike(command, field):
    """The trace is stored apart and not scored."""

    async def thoughtful(server, request):
        number = number_of(prompt_of(await request.json()))
        return await answer(right(number), **{field: "думаю, думаю"})(server, request)

    with FaultServer(thoughtful) as server:
        result = command("--max-samples", "3", server=server)
    assert result.row()["sample_pass_rate"] == 1.0
    assert {line["reasoning"] for line in result.journal} == {"думаю, думаю"}


def test_null_content_is_an_empty_answer_with_a_hint(command):
    """Counted, shown, no crash."""
    with FaultServer(answer(None, reasoning="всё ушло сюда", finish_reason="length")) as server:
        result = command("--max-samples", "3", server=server)
    assert result.code == Exit.COMPLETE
    assert result.row()["empty_share"] == 1.0
    assert result.row()["constraint_pass_rate"] is None
    assert "no answer with text" in result.row()["constraint_pass_rate_undefined_because"]
    assert "3 empty (100.0%)" in result.out
    assert "token budget" in result.out


def test_a_trace_cut_by_the_cap_counts_as_truncated_and_unclosed(command):
    """And is not right for holding the answer somewhere."""

    async def cut(server, request):
        number = number_of(prompt_of(await request.json()))
        return await answer("<think>" + right(number) + " потом, ", finish_reason="length")(server, request)

    with FaultServer(cut) as server:
        result = command("--max-samples", "3", server=server)
    assert result.row()["n_truncated"] == 3
    assert result.row()["n_unclosed_reasoning"] == 3
    assert result.row()["sample_pass_rate"] == 0.0


@pytest.mark.parametrize(
    "text", ["x\ud800\udfff\ud800y", "\x00\x01", "а" * 1_000_000, "[" * 100_000, "1" * 5_000, "\u2028\ufeff"]
)
def test_no_answer_breaks_the_files(command, text):
    """A verdict, and results that can be read back."""
    with FaultServer(answer(text)) as server:
        result = command("--max-samples", "2", server=server)
    assert result.code == Exit.COMPLETE
    assert result.row()["n_answered"] == 2
    assert len(parquet.read_table(result.files("details_*.parquet")[0]).to_pylist()) == 2


def test_fail_under(command, tmp_path):
    """Exit 1 with the metric named; an undefined metric meets no bound."""
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) if n % 2 else wrong(n) for n in range(40)})
    low = command("--full", "--responses", str(answers), "--fail-under", "sample_pass_rate=0.6")
    assert low.code == Exit.FAIL_UNDER
    assert "sample_pass_rate of ifhard:all|0 is 0.5000, 0.6 was asked for" in low.err
    assert command("--full", "--responses", str(answers), "--fail-under", "sample_pass_rate=0.5").code == Exit.COMPLETE
    undefined = command("--max-samples", "2", "--responses", str(answers), "--fail-under", "balance_score=0.0")
    assert undefined.code == Exit.FAIL_UNDER
    assert "undefined" in undefined.err


def test_saved_answers_score_without_a_model(command, tmp_path):
    """Right ones pass; what the file lacks is not asked, not zero."""
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) for n in range(30)})
    result = command("--full", "--responses", str(answers))
    assert result.code == Exit.INCOMPLETE
    assert result.row()["sample_pass_rate"] == 1.0
    assert result.row()["n_not_asked"] == 10
    assert "30/40 (75.0%)" in result.out


def test_a_journal_scores_like_the_run_that_wrote_it(command):
    """The same questions and answers, the same row."""
    with FaultServer(by_number({n: answer(wrong(n)) for n in range(0, 40, 3)})) as server:
        first = command("--full", server=server)
    second = command("--full", "--responses", str(first.run_dir / "responses.jsonl"))
    assert second.row() == first.row()


def test_flags_that_cannot_matter_are_said_to_change_nothing(command, tmp_path):
    """Saved answers and a temperature: a warning, not silence."""
    answers = write_responses(tmp_path / "r.jsonl", {n: right(n) for n in range(40)})
    result = command("--full", "--responses", str(answers), "--temperature", "0.7")
    assert result.code == Exit.COMPLETE
    assert "--temperature changes nothing" in result.err


def test_a_bad_responses_file_is_bad_usage(command, tmp_path):
    """The line is named."""
    path = tmp_path / "r.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    result = command("--full", "--responses", str(path))
    assert result.code == Exit.USAGE
    assert "line 1" in result.err


def test_show_prompt_needs_no_server(command):
    """The prompts as the model would get them."""
    result = command("--show-prompt", "2")
    assert result.code == Exit.COMPLETE
    assert result.out.count("=== ifhard:all|0") == 2
    assert "Требования к ответу:" in result.out
    assert result.run_dir is None


def test_a_bad_row_stops_the_run_before_a_token_is_generated(command, tmp_path):
    """The row and the parameter are named; exit 3."""
    data = write_dataset(tmp_path / "bad", 5)
    lines = (data / "test.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2] = lines[2].replace('\\"value\\": 4', '\\"value\\": \\"four\\"')
    (data / "test.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with FaultServer(know_all) as server:
        result = command(server=server, data=data)
        assert server.bodies == []
    assert result.code == Exit.UNAVAILABLE
    assert "row 3" in result.err
    assert "value" in result.err


def test_a_missing_dataset_is_no_silent_fallback(command, tmp_path):
    """Exit 3 and the names that would work."""
    with FaultServer(know_all) as server:
        result = command(server=server, data=tmp_path / "nowhere")
    assert result.code == Exit.UNAVAILABLE
    assert "builtin" in result.err


def test_a_run_goes_by_the_name_it_was_given(command, tmp_path):
    """Saved answers have no model's name: folder, table, files and run.json have this one. A resume may change it."""
    answers = write_responses(tmp_path / "r.jsonl", {number: right(number) for number in range(40)})
    first = command("--full", "--responses", str(answers), "--name", "Qwen3 warm/2")
    assert first.code == Exit.COMPLETE
    assert first.out.count("Run: Qwen3 warm/2\n") == 1
    assert "Model: Qwen3 warm/2 (saved answers: " in first.out
    assert first.run["settings"]["name"] == "Qwen3 warm/2"
    assert first.run_dir.name.endswith("_Qwen3-warm-2_ifhard")
    again = command("--resume", str(first.run_dir), "--name", "other")
    assert again.code == Exit.COMPLETE
    assert again.run["settings"]["name"] == "other"


def test_a_run_of_a_server_keeps_its_models_name_beside_its_own(command):
    """And a run without a name has no line of it."""
    with FaultServer(know_all) as server:
        named = command("--max-samples", "2", "--name", "warm", server=server)
        plain = command("--max-samples", "2", server=server)
    assert named.out.strip().startswith("Run: warm\nModel: tiny at ")
    assert "_warm_ifhard" in named.run_dir.name
    assert "Run: " not in plain.out
    assert plain.run["settings"]["name"] is None


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x1b[0m"])
def test_a_name_is_one_visible_line(command, name, tmp_path):
    """It stands in tables."""
    answers = write_responses(tmp_path / "r.jsonl", {1: right(1)})
    result = command("--responses", str(answers), "--name", name)
    assert result.code == Exit.USAGE
    assert "--name" in result.err


def test_answers_in_decomposed_letters_are_counted(command):
    """In run.json and under the table, with where the card says what becomes of them; answers in NFC get no line."""
    decomposed = unicodedata.normalize("NFD", "Тёплый чай.")
    with FaultServer(by_number({4: answer(decomposed), 5: answer("Тёплый чай.")})) as server:
        result = command("--full", server=server)
        plain = command("--max-samples", "1", server=server)
    assert result.run["not_composed"] == {"ifhard:all|0": 1}
    assert "note: ifhard:all|0: 1 of 40 answers are not in Unicode's composed form (NFC)" in result.out
    assert "tasks/ifhard/README.md, Composed letters" in result.out
    assert plain.run["not_composed"] == {"ifhard:all|0": 0}
    assert "NFC" not in plain.out
