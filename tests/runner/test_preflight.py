"""What a run tells before anything is sent, and what ``--dry-run`` tells without sending it."""

import hardmultiqa_servers as servers
import pytest
from fault_server import FaultServer, as_json, body_of, prompt_of
from mini import right, write_responses
from replies import know_all

from runner.exits import Exit

TEMPLATE = ("--chat-template-kwargs", '{"enable_thinking": false, "thinkin": false}')


async def counted(server, request):
    """A token a letter; a template that reads ``enable_thinking``."""
    body = await request.json()
    text = prompt_of(body)
    if body.get("chat_template_kwargs", {}).get("enable_thinking") is False:
        text += "<think></think>"
    return await as_json({"count": len(text), "max_model_len": 8192, "tokens": [ord(letter) for letter in text]})(
        server, request
    )


def lines(text):
    """The preflight's own lines."""
    found = text.split("preflight, before anything is sent:\n")[1].splitlines()
    return [line.strip() for line in found if line.startswith("  ")]


def test_a_dry_run_tells_everything_and_sends_nothing(command, tmp_path):
    """Sizes, cap, window and the longest prompt; a variable of the template that changes nothing is named."""
    with FaultServer(know_all, tokenize=counted) as server:
        result = command("--dry-run", "--full", "--repeats", "2", "--temperature", "1", *TEMPLATE, server=server)
        assert server.bodies == []
    assert result.code == Exit.COMPLETE
    assert result.run_dir is None
    told = lines(result.out)
    assert told[0] == "ifhard:all|0: 80 requests (40 questions, 2 answers each)"
    assert told[1].startswith("cap: ")
    assert told[1].endswith("new tokens an answer (the task's own)")
    assert told[2] == "the server's window: 8192 tokens, learnt from 'max_model_len' in the list of models"
    assert told[3].startswith("longest prompt: ")
    assert "counted by the server (ifhard:all|0 t" in told[3]
    assert "of the window are left for its answer" in told[3]
    assert "answers are capped below the task's size by the window of 8192 tokens" in told[4]
    (warning,) = [line for line in result.err.splitlines() if line.startswith("warning")]
    assert warning.startswith("warning: --chat-template-kwargs: 'thinkin' changes nothing in the prompt")


def test_a_run_tells_it_before_the_first_request(command):
    """On stderr, and the warning once more under the table; without a tokenizer the length is an estimate."""
    counted_before = []

    async def noting(server, request):
        counted_before.append(len(server.tokenized))
        return await know_all(server, request)

    with FaultServer(noting, tokenize=counted) as server:
        result = command("--max-samples", "3", *TEMPLATE, server=server)
        assert counted_before == [len(server.tokenized)] * 3
    assert result.code == Exit.COMPLETE
    assert lines(result.err)[0] == "ifhard:all|0: 3 requests"
    assert "note: --chat-template-kwargs: 'thinkin' changes nothing" in result.out
    assert result.err.count("'thinkin' changes nothing") == 1
    with FaultServer(know_all) as server:
        plain = command("--max-samples", "3", "--max-new-tokens", "50", *TEMPLATE, server=server)
    assert "cap: 50 new tokens an answer (--max-new-tokens)" in plain.err
    assert "estimated from its bytes" in plain.err
    assert "the server does not say (/tokenize)" in plain.err
    assert "changes nothing" not in plain.err + plain.out


def test_questions_that_do_not_fit_are_named_by_a_dry_run(command):
    """As by the run itself; whatever is not known of the window is said too."""
    narrow = {"object": "list", "data": [{"id": "tiny", "max_model_len": 60}]}
    with FaultServer(know_all, models=narrow, tokenize=as_json({"count": 100, "tokens": [1] * 100})) as server:
        result = command("--dry-run", "--max-samples", "3", server=server)
    assert "note: 3 of 3 questions do not fit the server's window of 60 tokens and are not asked: ifhard" in result.out
    assert "longest prompt: 100 tokens, counted by the server" in result.out
    assert "the window has no room for it" in result.out
    with FaultServer(know_all, models={"data": [{"id": "tiny"}]}) as server:
        unknown = command("--dry-run", server=server)
    assert "the server's window: not known" in unknown.out


def test_a_dry_run_of_a_resume_tells_what_is_at_hand(command):
    """Also under a lowered cap; the folder stays as it was, to the byte."""
    with FaultServer(know_all) as server:
        first = command("--max-samples", "12", "--max-new-tokens", "300", server=server)
        files = {path: path.read_bytes() for path in first.files("*") if path.is_file()}
        result = command("--resume", str(first.run_dir), "--full", "--max-new-tokens", "200", "--dry-run")
        assert len(server.bodies) == 12
    assert result.code == Exit.COMPLETE
    assert "12 of 40 answers are at hand; 28 requests to send" in result.out
    assert "12 answers are kept from before the cap was lowered" in result.out
    assert files == {path: path.read_bytes() for path in first.files("*") if path.is_file()}


def test_requests_to_the_judge_are_counted(command):
    """By task; a name that its template does not read is warned about, and neither server is asked a question."""
    count = len(servers.QUESTIONS)
    with FaultServer(servers.model) as model, FaultServer(servers.judge, tokenize=counted) as judge:
        result = command(
            *("--dry-run", "--dataset", "builtin", "--full", "--judge-model", "tiny", "--judge-base-url", judge.url),
            *("--judge-chat-template-kwargs", '{"thinking": false, "enable_thinking": true}'),
            server=model,
            task="hardmultiqa:all:alignment|0",
            data=None,
        )
        assert (model.bodies, judge.bodies) == ([], [])
    assert result.code == Exit.COMPLETE
    told = [line for line in lines(result.out) if "to the judge" in line]
    assert sum(int(line.split(": ")[1].split(" ")[0]) for line in told) == count
    assert "--judge-chat-template-kwargs: 'thinking' changes nothing" in result.err
    assert "'enable_thinking'" not in result.err


def test_saved_answers_are_counted(command, tmp_path):
    """No server, no window, no cap: what the file has, and how many it lacks."""
    saved = write_responses(tmp_path / "answers.jsonl", {number: right(number) for number in range(30)})
    result = command("--dry-run", "--full", "--responses", str(saved))
    assert (result.code, result.run_dir) == (Exit.COMPLETE, None)
    told = lines(result.out)
    assert told[:2] == [
        "ifhard:all|0: 40 answers to score",
        "at hand: 30 of 40 answers, saved; 10 have none and are not asked",
    ]
    assert all(line.startswith("note: ") for line in told[2:])


def test_the_embedded_model_is_not_started(command):
    """Its window and its cap are known without it."""
    result = command("--dry-run", "--model", "embedded")
    assert result.code == Exit.COMPLETE
    told = lines(result.out)
    assert told[1:3] == [
        "cap: 512 new tokens an answer (the embedded model's own)",
        "the server's window: 8192 tokens, learnt from the embedded model",
    ]
    assert "estimated from its bytes" in told[3]


def test_a_dry_run_with_nothing_to_look_at(command):
    """Exit 2 with what to give; a server that is not there is exit 3, as in the run."""
    bare = command("--dry-run", task=None, data=None)
    assert bare.code == Exit.USAGE
    assert "--task" in bare.err
    away = command("--dry-run", "--model", "tiny", "--base-url", "http://127.0.0.1:9/v1")
    assert away.code == Exit.UNAVAILABLE
    assert "http://127.0.0.1:9/v1" in away.err
    assert away.run_dir is None


@pytest.mark.parametrize("task", ["hardmultiqa:all:pretrain|0"])
def test_completions_have_no_template(command, task):
    """The option is said to change nothing, whatever the server has."""
    with FaultServer(as_json(body_of("нет", "completion")), tokenize=counted) as server:
        result = command(
            *("--dry-run", "--dataset", "builtin", "--judge-model", "tiny", "--judge-base-url", server.url),
            *TEMPLATE,
            server=server,
            task=task,
            data=None,
        )
    assert "warning: --chat-template-kwargs changes nothing: no request" in result.err
