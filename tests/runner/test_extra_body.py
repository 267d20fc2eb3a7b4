"""Further fields of every request: what is refused, what reaches the server, what a resume keeps."""

import json

import pytest
from fault_server import FaultServer
from replies import know_all

from runner.cli import main
from runner.exits import Exit

FIELDS = {"top_k": 20, "reasoning_effort": "низкий", "nested": {"a": [1, None, True]}}
GIVEN = ("--extra-body", json.dumps(FIELDS))
JUDGED = ["--task", "hardmultiqa:all:alignment|0", "--model", "m"]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("model", "--model"),
        ("messages", "--system-prompt"),
        ("prompt", "the task"),
        ("max_tokens", "--max-new-tokens"),
        ("max_completion_tokens", "--max-new-tokens"),
        ("temperature", "--temperature"),
        ("seed", "--seed"),
        ("random_seed", "--seed"),
        ("n", "--repeats"),
        ("stop", "the task"),
        ("echo", "no part of an answer"),
        ("stream", "--stream"),
        ("stream_options", "--stream"),
        ("chat_template_kwargs", "--chat-template-kwargs"),
        ("response_format", "free text"),
        ("guided_json", "free text"),
        ("extra_body", "give its fields"),
    ],
)
def test_a_field_of_the_run_is_refused_with_what_to_use_instead(name, instead, capsys):
    """Alone or beside fields that are fine."""
    body = json.dumps({"top_k": 1, name: 1})
    assert main(["--task", "ifhard:all|0", "--model", "m", "--extra-body", body]) == Exit.USAGE
    said = capsys.readouterr().err
    assert f"--extra-body: the run itself decides these fields: {name!r} (" in said
    assert instead in said
    assert "top_k" not in said


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("model", "--judge-model"),
        ("max_tokens", "--judge-max-tokens"),
        ("temperature", "greedy"),
        ("random_seed", "greedy"),
        ("stream", "use --stream"),
        ("chat_template_kwargs", "--judge-chat-template-kwargs"),
        ("response_format", "the form"),
    ],
)
def test_a_judge_has_options_of_its_own(name, instead, capsys):
    """The judge's field is refused with the judge's option."""
    assert main([*JUDGED, "--judge-extra-body", json.dumps({name: 1})]) == Exit.USAGE
    said = capsys.readouterr().err
    assert f"--judge-extra-body: the run itself decides these fields: {name!r} (" in said
    assert instead in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "must be a JSON object"),
        ('"top_k"', "must be a JSON object"),
        ("{", "not JSON"),
        ("", "not JSON"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1e999}', "1e999 is too large"),
        ('{"a": 1, "a": 2}', "'a' is given twice"),
        ('{"a": {"b": 1, "b": 1}}', "'b' is given twice"),
        ('{"a": "\\ud83d"}', "not JSON"),
    ],
)
@pytest.mark.parametrize("option", ["--extra-body", "--chat-template-kwargs"])
def test_what_no_request_can_hold_is_refused(option, text, words, capsys):
    """Before anything starts."""
    assert main(["--task", "ifhard:all|0", "--model", "m", option, text]) == Exit.USAGE
    assert words in capsys.readouterr().err


def test_the_embedded_model_takes_none(capsys):
    """Its server would refuse them or ignore them."""
    assert main(["--task", "ifhard:all|0", "--model", "embedded", *GIVEN]) == Exit.USAGE
    assert "drop --extra-body" in capsys.readouterr().err


def test_the_fields_reach_every_request_and_the_record(command):
    """The body has them beside the run's own; table and run.json say so."""
    with FaultServer(know_all) as server:
        result = command(*GIVEN, "--chat-template-kwargs", '{"x": 1}', server=server)
    assert result.code == Exit.COMPLETE
    assert all({name: body[name] for name in FIELDS} == FIELDS for body in server.bodies)
    assert all(body["chat_template_kwargs"] == {"x": 1} for body in server.bodies)
    assert result.run["settings"]["extra_body"] == result.run["sampling"]["extra_body"] == FIELDS
    shown = 'extra body {"nested": {"a": [1, null, true]}, "reasoning_effort": "низкий", "top_k": 20}'
    assert f"Generation: greedy (temperature 0), {shown}" in result.out
    assert f"scorer 1-1, {shown}" in result.out


def test_a_resume_keeps_the_fields_and_refuses_others(command):
    """They need not be repeated; another value is named."""
    with FaultServer(know_all) as server:
        first = command(*GIVEN, "--max-samples", "3", server=server)
        before = len(server.bodies)
        other = command("--resume", str(first.run_dir), "--extra-body", '{"top_k": 21}')
        same = command("--resume", str(first.run_dir), *GIVEN)
        more = command("--resume", str(first.run_dir), "--max-samples", "5")
    assert [r.code for r in (first, other, same, more)] == [Exit.COMPLETE, Exit.USAGE, Exit.COMPLETE, Exit.COMPLETE]
    assert "--extra-body: the run has" in other.err
    assert len(server.bodies) == before + 2
    assert all(body["top_k"] == 20 for body in server.bodies)


def test_a_run_of_before_the_option_goes_on(command):
    """Its run.json has no such setting; its answers are found again under their old keys."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "3", server=server)
        path = first.run_dir / "run.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        del (
            content["settings"]["extra_body"],
            content["settings"]["judge_extra_body"],
            content["sampling"]["extra_body"],
        )
        path.write_text(json.dumps(content), encoding="utf-8")
        again = command("--resume", str(first.run_dir))
        other = command("--resume", str(first.run_dir), *GIVEN)
    assert [again.code, other.code] == [Exit.COMPLETE, Exit.USAGE]
    assert len(server.bodies) == 3


def test_saved_answers_are_not_changed_by_them(command, tmp_path):
    """They are said to change nothing, and the table does not claim them."""
    with FaultServer(know_all) as server:
        first = command(server=server)
    saved = str(first.run_dir / "responses.jsonl")
    result = command("--model", "m", "--responses", saved, *GIVEN)
    assert result.code == Exit.COMPLETE
    assert "--extra-body changes nothing" in result.err
    assert "extra body" not in result.out
