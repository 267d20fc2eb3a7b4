"""Answers with reasoning in a run: marks that nobody cut, and thinking that was to be off."""

import json
from types import SimpleNamespace

import pytest
from fault_server import FaultServer, answer, as_json, body_of, prompt_of
from mini import right, write_responses
from replies import know_all, number_of

from runner.exits import Exit
from runner.reasoning import ReasoningCounts, ReasoningWatch, asked_for_none, text_for_false
from tasks.ifhard.dataset import BUILTIN

HARMONY = "<|channel|>analysis<|message|>хм, 1, 2<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>"
ALL = "ifhard:all|0"


def wrapped(form, **message):
    """Right answers behind marks."""

    async def reply(server, request):
        text = form.format(right(number_of(prompt_of(await request.json()))))
        return await answer(text, **message)(server, request)

    return reply


def test_marks_that_nobody_cut_are_said_after_ten_answers_and_under_the_table(command):
    """The score is that of the text as it stands; the same answers, cut, score one."""
    with FaultServer(wrapped(HARMONY)) as server:
        result = command("--full", server=server)
    row = result.row()
    assert result.code == Exit.COMPLETE
    assert (row["sample_pass_rate"], row["n_marked_reasoning"], row["n_with_reasoning"]) == (0.0, 40, 40)
    assert result.run["marked_reasoning"] == {ALL: {"openai_gptoss": 40}}
    early = "warning: 10 of 10 answers hold reasoning in the marks of openai_gptoss, which nobody cut"
    assert result.err.count(early) == 1
    assert "40 with reasoning marks (openai_gptoss)" in result.err
    journal = result.run_dir / "responses.jsonl"
    assert "  reasoning: 40 of 40 answers have it\n  warning: 40 of 40 answers hold" in result.out
    assert (
        "start the server with --reasoning-parser openai_gptoss, or score these again with "
        f"--responses {journal} --reasoning-marks openai_gptoss\n"
    ) in result.out

    cut = command("--full", "--responses", str(journal), "--reasoning-marks", "gpt-oss")
    row = cut.row()
    assert (row["sample_pass_rate"], row["n_marked_reasoning"], row["n_with_reasoning"]) == (1.0, 0, 40)
    assert "warning" not in cut.out + cut.err
    assert "scorer 1-1; reasoning in the marks of openai_gptoss cut\n" in cut.out
    assert cut.run["settings"]["reasoning_marks"] == "openai_gptoss"


def test_marks_are_cut_as_answers_arrive_and_the_journal_keeps_them(command):
    """A resume goes on with the same marks; others are another run."""
    with FaultServer(wrapped(HARMONY)) as server:
        result = command("--max-samples", "4", "--reasoning-marks", "harmony", server=server)
        more = command("--resume", str(result.run_dir), "--full")
        other = command("--resume", str(result.run_dir), "--reasoning-marks", "mistral")
        same = command("--resume", str(result.run_dir), "--reasoning-marks", "harmony")
        assert len(server.bodies) == 40
    assert more.code == same.code == Exit.COMPLETE
    assert same.row()["sample_pass_rate"] == 1.0
    assert "pass rate 1.000" in result.err
    assert {line["response"].startswith("<|channel|>") for line in same.journal} == {True}
    assert other.code == Exit.USAGE
    assert "--reasoning-marks: the run has 'openai_gptoss', the command line says 'mistral'" in other.err


def test_a_run_of_an_older_version_resumes_without_marks(command):
    """Its run.json has no such setting."""
    with FaultServer(know_all) as server:
        result = command("--max-samples", "4", server=server)
        path = result.run_dir / "run.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        del content["settings"]["reasoning_marks"]
        path.write_text(json.dumps(content), encoding="utf-8")
        again = command("--resume", str(result.run_dir), "--full")
    assert again.code == Exit.COMPLETE
    assert again.run["settings"]["reasoning_marks"] is None


def test_reasoning_whose_end_is_missing_is_counted_though_its_marks_are_cut(command, tmp_path):
    """It is scored as it stands."""
    texts = {number: HARMONY.format(right(number)) for number in range(40)}
    texts[3] = texts[3].partition("<|end|>")[0]
    answers = write_responses(tmp_path / "a.jsonl", texts)
    result = command("--full", "--responses", str(answers), "--reasoning-marks", "openai_gptoss")
    row = result.row()
    assert (row["sample_pass_rate"], row["n_marked_reasoning"]) == (39 / 40, 1)
    assert "warning: 1 of 40 answers hold reasoning in the marks of openai_gptoss that has no end" in result.out


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("openai_gptoss", "analysisПодумаю, хм.assistantfinal{}"),
        ("mistral", "[THINK]Подумаю, хм.[/THINK]{}"),
        ("gemma4", "<|channel>thought\nПодумаю, хм.\n<channel|>{}"),
        ("ernie45", "<think>\nПодумаю, хм.\n</think>\n\n<response>\n{}\n</response>\n"),
    ],
)
def test_witnesses_behind_marks_score_one_once_these_are_cut(command, tmp_path, name, form):
    """The shipped set's own answers: next to nothing before, everything after."""
    lines = [json.loads(line) for line in (BUILTIN / "witnesses.jsonl").read_text(encoding="utf-8").splitlines()[:60]]
    path = tmp_path / "marked.jsonl"
    marked = [json.dumps(line | {"response": form.replace("{}", line["response"])}) + "\n" for line in lines]
    path.write_text("".join(marked), encoding="utf-8")
    before = command("--full", "--responses", str(path), data=None).row()
    after = command("--full", "--responses", str(path), "--reasoning-marks", name, data=None).row()
    assert (before["n_answered"], before["n_marked_reasoning"], after["n_marked_reasoning"]) == (60, 60, 0)
    assert before["sample_pass_rate"] < 0.3
    assert after["sample_pass_rate"] == after["constraint_pass_rate"] == 1.0


def test_unknown_marks_are_bad_usage(command):
    """The names are listed, and nothing is started."""
    result = command("--reasoning-marks", "qwen", server="http://127.0.0.1:9/v1")
    assert result.code == Exit.USAGE
    assert "--reasoning-marks: no marks are called 'qwen'; there are openai_gptoss, mistral, gemma4" in result.err
    assert result.run_dir is None


@pytest.mark.parametrize(
    ("kwargs", "off"),
    [
        ({"enable_thinking": False}, "enable_thinking False"),
        ({"enable_thinking": "false"}, "enable_thinking 'false'"),
        ({"thinking": False}, "thinking False"),
        ({"thinking": "OFF"}, "thinking 'OFF'"),
        ({"reasoning": 0}, "reasoning 0"),
        ({"reasoning_effort": "none"}, "reasoning_effort 'none'"),
        ({"reasoning_effort": "no_think"}, "reasoning_effort 'no_think'"),
        ({"thinking_budget": 0, "x": 1}, "thinking_budget 0"),
        ({"thinking": {"type": "disabled"}}, "thinking {'type': 'disabled'}"),
        ({"thinking_mode": "chat"}, "thinking_mode 'chat'"),
        ({"disable_thinking": True}, "disable_thinking True"),
        ({"enable_thinking": False, "thinking": False}, "enable_thinking False, thinking False"),
        ({"enable_thinking": True}, ""),
        ({"enable_thinking": "true"}, ""),
        ({"enable_thinking": None}, ""),
        ({"disable_thinking": False}, ""),
        ({"reasoning_effort": "low"}, ""),
        ({"thinking": {"type": "enabled", "budget_tokens": 0}}, ""),
        ({"add_vision_id": False}, ""),
        ({}, ""),
    ],
)
def test_what_asks_for_no_reasoning(kwargs, off):
    """Under every usual name, and as a text too."""
    asked = f"--chat-template-kwargs asked for none ({off})" if off else ""
    assert asked_for_none({"--chat-template-kwargs": kwargs, "--other": {"top_k": 1}}) == asked


def test_false_as_a_text_is_warned_about_at_once(command):
    """Jinja takes it for true; the judge's variables are looked at too."""
    assert text_for_false({"a": False, "enable_thinking": " False"}) == "enable_thinking"
    assert text_for_false({"a": False, "b": "true"}) == ""
    with FaultServer(know_all) as server:
        result = command("--chat-template-kwargs", '{"enable_thinking": "false"}', server=server)
        fine = command("--chat-template-kwargs", '{"enable_thinking": false}', server=server)
    assert 'warning: --chat-template-kwargs: enable_thinking is the text "false"' in result.err
    assert "warning" not in fine.err


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{}", {"reasoning": "хм"}),
        ("{}", {"reasoning_content": "хм"}),
        ("<think>\nхм\n</think>\n{}", {}),
        ("хм</think>{}", {}),
    ],
)
def test_thinking_that_is_on_although_it_was_switched_off(command, form, message):
    """Counted wherever the reasoning stands; warned about after ten answers and under the table."""
    with FaultServer(wrapped(form, **message)) as server:
        asked = command("--chat-template-kwargs", '{"thinking": false}', "--max-samples", "12", server=server)
        plain = command("--max-samples", "12", server=server)
    for result in (asked, plain):
        assert (result.row()["n_with_reasoning"], result.row()["n_marked_reasoning"]) == (12, 0)
        assert result.row()["sample_pass_rate"] == 1.0
        assert "  reasoning: 12 of 12 answers have it\n" in result.out
    said = "answers have reasoning, although --chat-template-kwargs asked for none (thinking False)"
    assert f"warning: 10 of 10 {said}" in asked.err
    assert f"warning: 12 of 12 {said}" in asked.out
    assert "warning" not in plain.out + plain.err


def test_thinking_that_is_off_is_not_mentioned(command):
    """Qwen3's empty block is no reasoning."""
    with FaultServer(wrapped("<think>\n\n</think>\n\n{}", reasoning=" ")) as server:
        result = command("--chat-template-kwargs", '{"enable_thinking": false}', "--full", server=server)
    assert result.row()["n_with_reasoning"] == 0
    assert "reasoning:" not in result.out
    assert "warning" not in result.out + result.err


def test_thinking_that_another_field_switched_off(command):
    """A field of the request itself."""
    with FaultServer(wrapped("{}", reasoning="хм")) as server:
        result = command("--extra-body", '{"reasoning_effort": "none"}', server=server)
    said = "warning: 10 of 10 answers have reasoning, although --extra-body asked for none (reasoning_effort 'none')"
    assert said in result.err
    assert said in result.out


def test_reasoning_that_the_server_only_counts(command):
    """Hosted models hide it and bill it."""
    body = body_of("да")
    body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 5}
    with FaultServer(as_json(body)) as server:
        result = command("--chat-template-kwargs", '{"reasoning_effort": "none"}', server=server)
    assert result.row()["n_with_reasoning"] == 10
    assert "although --chat-template-kwargs asked for none (reasoning_effort 'none')" in result.out


def test_the_watch_speaks_once_after_ten_answers():
    """Nine say nothing; what comes later is counted."""
    said = []
    watch = ReasoningWatch(None, "", "J", said.append)
    for number in range(12):
        assert bool(said) == (number >= 10)
        watch.saw(
            SimpleNamespace(text="[THINK]хм[/THINK]да" if number > 7 else "да", reasoning=None, reasoning_tokens=None)
        )
    assert len(said) == 1
    assert said[0].startswith("warning: 2 of 10 answers hold reasoning in the marks of mistral")
    assert watch.postfix == "4 with reasoning marks (mistral)"


def test_counts_look_at_answers_alone():
    """A blocked reply's reasoning is nobody's; a response of another backend has fewer fields."""
    blocked = SimpleNamespace(outcome="blocked", text=["[THINK]x"], reasonings=["хм"], reasoning_tokens=3)
    foreign = SimpleNamespace(text=["◁think▷хм"], reasonings=[])
    counts = ReasoningCounts.of([blocked, foreign])
    assert (counts.answers, counts.reasoned, dict(counts.marked)) == (1, 1, {"kimi_vl": 1})
