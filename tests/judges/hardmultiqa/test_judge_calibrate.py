"""Calibrating a judge: the labelled set, error rates by hand, exit statuses."""

import asyncio
import contextlib
import json
import re
from collections import Counter

import pytest
from closed_pipe import run_unread
from fault_server import FaultServer, answer

from endpoints.errors import EndpointError
from judges.asking import JudgeRequest
from judges.hardmultiqa import calibrate as command
from judges.hardmultiqa.calibration import calibrate, load_cases, render
from judges.judgement import JudgeReply, JudgeUnavailable
from metrics.hardmultiqa import TYPES, decide, fold, parse_key

CASES = load_cases()
KINDS = {"right", "wrong", "partly right", "refusing", "paraphrased", "other script", "extra elements", "duplicates"}


def scripted(wrong=(), silent=(), unreadable=()):
    """ask_for of a judge that knows the labels, but for some cases."""
    by_id = {case.id: case for case in CASES}

    def ask_for(case_id):
        async def ask(call):
            case = by_id[case_id]
            if case_id in silent:
                raise JudgeUnavailable("connection refused")
            if case_id in unreadable:
                return JudgeReply("не знаю", 10, 1)
            if case.type == "open":
                return JudgeReply(f"Оценка: {0 if case_id in wrong else case.label.observed}", 10, 1)
            key = parse_key(case.sample.scoring)
            if case.type == "one-option-many-options":
                chosen = [2] if case_id in wrong and case.label.observed != [2] else case.label.observed
                if case_id in wrong and chosen == case.label.observed:
                    chosen = []
                verdict = "correct" if frozenset(chosen) == key.right_options else "incorrect"
                return JudgeReply(json.dumps({"chosen": chosen, "verdict": verdict}), 10, 1)
            return JudgeReply(list_reply(case, case_id in wrong), 10, 1)

        return ask

    return ask_for


def list_reply(case, wrong):
    """Words of the answer as elements: as many as the label counts, or none at all for a wrong verdict."""
    counts = case.label.observed if not wrong else {"elements": 0, "matches": 0}
    words = list({fold(word): word for word in re.findall(r"[^\W_]+", case.answer)}.values())[: counts["elements"]]
    assert len(words) == counts["elements"], case.id
    if case.type == "mistakes":
        elements = [{"i": n, "quote": first_word(case), "correction": word} for n, word in enumerate(words, 1)]
    else:
        elements = [{"i": n, "quote": word} for n, word in enumerate(words, 1)]
    matches = [{"element": n, "reference": n} for n in range(1, counts["matches"] + 1)]
    return json.dumps({"elements": elements, "matches": matches}, ensure_ascii=False)


def first_word(case):
    """A word of the question's text."""
    return parse_key(case.sample.scoring).question.split()[0]


def test_the_set_covers_types_and_kinds():
    """At least sixty pairs; right, wrong, partly right, refusing, paraphrased, other script, extra, duplicates each."""
    assert len(CASES) >= 60
    for kind in TYPES:
        assert {case.kind for case in CASES if case.type == kind} >= KINDS
    assert min(Counter(case.type for case in CASES).values()) >= 12


def test_labels_agree_with_their_kinds():
    """Right answers have full marks, wrong and refusing ones none; the options' labels agree with the rule."""
    for case in CASES:
        if case.kind == "right":
            assert case.label.score == 1.0, case.id
        if case.kind in ("wrong", "refusing"):
            assert case.label.score == 0.0, case.id
        if case.type == "one-option-many-options":
            chosen = decide(case.answer, parse_key(case.sample.scoring).options)
            assert chosen is None or sorted(chosen) == case.label.observed, case.id


def rows_of(text):
    return {line.split("  ")[0].strip(): line.split() for line in text.splitlines() if line}


def test_a_judge_that_knows_the_labels_is_never_wrong():
    """Every type at 0 of 13, one call a case, no shift."""
    findings = asyncio.run(calibrate(CASES, scripted()))
    assert not any(finding.wrong for finding in findings)
    rows = rows_of(render(findings))
    for kind in TYPES:
        assert rows[kind] == [kind, "13", "13", "0", "0.0%", "[0.0%,", "22.8%]", "+0.000", "0.0%", "13"]
    assert rows["all"][:4] == ["all", "65", "65", "0"]


def test_error_rates_by_hand():
    """Two wrong open verdicts (a shift of -2/13), one case without reply, one unreadable (three calls)."""
    findings = asyncio.run(
        calibrate(
            CASES,
            scripted(
                wrong={"open-oblomov-right", "open-nystad-right"},
                silent={"strict-giants-right"},
                unreadable={"mist-gagarin-right"},
            ),
        )
    )
    text = render(findings)
    rows = rows_of(text)
    assert rows["open"][:5] == ["open", "13", "13", "2", "15.4%"]
    assert rows["open"][7:] == ["-0.154", "0.0%", "13"]
    assert rows["strict-list"] == [
        "strict-list", "13", "12", "0", "0.0%", "[0.0%,", "24.2%]", "+0.000", "7.7%", "12",
    ]  # fmt: skip
    assert rows["mistakes"][8:] == ["7.7%", "15"]
    assert "wrong: open-oblomov-right (right): labelled 1.00 (the judge found the answer right), judged 0.00" in text
    assert "unjudged: strict-giants-right (right): the judge gave no reply: connection refused" in text
    assert "unjudged: mist-gagarin-right (right): no readable verdict in 3 attempts" in text


def test_not_attempted_for_wrong_is_an_error_too():
    """The score is 0 either way, but the run's shares would be wrong."""
    findings = asyncio.run(calibrate(CASES, scripted(wrong={"open-oblomov-wrong"})))
    assert [finding.case.id for finding in findings if finding.wrong] == ["open-oblomov-wrong"]


def test_no_verdict_at_all_is_not_available():
    """Not a rate of zero."""
    findings = asyncio.run(calibrate(CASES, scripted(silent={case.id for case in CASES})))
    assert rows_of(render(findings))["all"] == ["all", "65", "0", "0", "n/a", "n/a", "n/a", "100.0%", "0"]


class FakeJudge:
    def __init__(self, ask_for):
        self._ask_for = ask_for

    def ask(self, task, sample_id, repeat):
        assert (task, repeat) == ("hardmultiqa:calibration", 0)
        return self._ask_for(sample_id)


def run_command(monkeypatch, ask_for, *arguments):
    opened = []

    @contextlib.asynccontextmanager
    async def open_fake(base_url, model, api_key, concurrency, journal_path, request):
        opened.append((base_url, model, api_key, concurrency, journal_path, request))
        yield FakeJudge(ask_for)

    monkeypatch.setattr(command, "open_judge", open_fake)
    return command.main(list(arguments)), opened


def test_the_command_prints_the_table(monkeypatch, capsys):
    """Exit 0 with every verdict there, wrong ones included; the judge and the prompts are named."""
    monkeypatch.setenv("JUDGE_KEY", "secret")
    status, opened = run_command(
        monkeypatch, scripted(wrong={"open-oblomov-right"}), "--judge-base-url", "http://h:1/v1", "--judge-model", "m",
        "--judge-concurrency", "3", "--api-key-env", "JUDGE_KEY",
        "--judge-max-tokens", "3000", "--judge-chat-template-kwargs", '{"thinking": false}',
    )  # fmt: skip
    assert status == 0
    assert opened == [("http://h:1/v1", "m", "secret", 3, None, JudgeRequest(3_000, {"thinking": False}))]
    printed = capsys.readouterr().out
    assert printed.startswith("Judge: m at http://h:1/v1; prompts 6 sha256 ")
    assert "secret" not in printed
    assert rows_of(printed)["open"][3] == "1"


def test_the_command_says_when_verdicts_are_missing(monkeypatch, capsys):
    """Exit 4."""
    status, opened = run_command(monkeypatch, scripted(unreadable={"open-oblomov-right"}))
    assert status == 4
    assert opened[0][:2] == ("http://127.0.0.1:8002/v1", "Qwen/Qwen3.5-35B-A3B")
    assert "unjudged: open-oblomov-right" in capsys.readouterr().out


def test_the_command_says_when_there_is_no_judge(monkeypatch, capsys):
    """Exit 3: not reachable at the start, or no reply to anything."""
    status, _ = run_command(monkeypatch, scripted(silent={case.id for case in CASES}))
    assert status == 3
    assert "connection refused" in capsys.readouterr().err

    @contextlib.asynccontextmanager
    async def unreachable(*_):
        raise EndpointError("http://h:1/v1: no list of models: connection refused")
        yield

    monkeypatch.setattr(command, "open_judge", unreachable)
    assert command.main([]) == 3
    assert "no list of models" in capsys.readouterr().err


def test_a_closed_port_is_exit_three(capsys):
    """The real endpoint code, against a port where nothing listens."""
    assert command.main(["--judge-base-url", "http://127.0.0.1:9/v1"]) == 3
    assert "127.0.0.1:9" in capsys.readouterr().err


def test_bad_arguments_are_exit_two(monkeypatch, capsys, tmp_path):
    """Prompts that cannot be used, a concurrency of zero."""
    status, opened = run_command(monkeypatch, scripted(), "--judge-prompts", str(tmp_path))
    assert (status, opened) == (2, [])
    assert "--judge-prompts" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        command.main(["--judge-concurrency", "0"])
    assert caught.value.code == 2
    with pytest.raises(SystemExit) as caught:
        command.main(["--judge-chat-template-kwargs", "[1]"])
    assert caught.value.code == 2


@pytest.mark.parametrize("key", ["ключ", "a\nb", "a\x01b"], ids=["cyrillic", "line feed", "control"])
def test_a_key_that_no_header_can_carry(monkeypatch, capsys, key):
    """It is named before anything is asked."""
    monkeypatch.setenv("MY_KEY", key)
    assert command.main(["--api-key-env", "MY_KEY"]) == 2
    assert "MY_KEY" in capsys.readouterr().err


def test_a_key_variable_that_is_not_set(monkeypatch, capsys):
    """One that was named must be there."""
    monkeypatch.delenv("MY_KEY", raising=False)
    assert command.main(["--api-key-env", "MY_KEY"]) == 2
    assert "MY_KEY is not set" in capsys.readouterr().err


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "both streams"])
def test_a_reader_that_goes_away(both):
    """``... | head``: no trace, and the exit status of the work: 4, since no reply can be read; 0 for help."""
    with FaultServer(default=answer("не знаю")) as server:
        for arguments, expected in ((["--help"], 0), (["--judge-base-url", server.url, "--judge-model", "tiny"], 4)):
            status, said = run_unread("-m", "judges.hardmultiqa.calibrate", *arguments, both=both)
            assert status == expected, said
            assert "Traceback" not in said
            assert "BrokenPipeError" not in said
