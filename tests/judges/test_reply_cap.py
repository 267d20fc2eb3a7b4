"""The cap on a judge's reply: long lists fit, ordinary requests stay what they are, and an overflow is named."""

import asyncio
import functools
import json

import pytest
from aiohttp import web
from fault_server import FaultServer, body_of, status

from endpoints.client import Endpoint
from endpoints.journal import Journal
from endpoints.retry import RetryPolicy
from judges.asking import JudgeRequest, open_judge
from judges.hardmultiqa.judging import judge
from judges.hardmultiqa.replies import MAX_TOKENS
from judges.hardmultiqa.reply_size import longest_reply
from metrics.hardmultiqa import parse_key
from metrics.record import Answer, Sample

RIVERS = [f"Река-{number}" for number in range(1, 121)]
LISTS = ("strict-list", "not-strict-list")


def sample(kind, reference, question="Какие реки?"):
    scoring = {"type": kind, "question": question, "reference": list(reference)}
    return Sample("q", 0, json.dumps(scoring, ensure_ascii=False), "{}")


def tokens(text):
    """A tokenizer's count: three characters a token."""
    return -(-len(text) // 3)


def windowed(length):
    return {"data": [{"id": "tiny", "max_model_len": length}]}


async def count(server, request):
    """``/tokenize``."""
    body = await request.json()
    text = body["prompt"] if "prompt" in body else "".join(turn["content"] for turn in body["messages"])
    return web.json_response({"count": tokens(text), "max_model_len": 1})


def says(reply, window=10**9, words="maximum context length is {w} tokens, your prompt contains {p} input tokens"):
    """A judge that has this to say, is cut at its cap, and refuses what exceeds its window."""

    async def answered(server, request):
        body = await request.json()
        prompt = sum(tokens(turn["content"]) for turn in body["messages"])
        if prompt + body["max_tokens"] > window:
            return await status(400, words.format(w=window, p=prompt))(server, request)
        cut = tokens(reply) > body["max_tokens"]
        found = body_of(reply[: 3 * body["max_tokens"]], finish_reason="length" if cut else "stop")
        found["usage"] = {"prompt_tokens": prompt, "completion_tokens": min(tokens(reply), body["max_tokens"])}
        return web.json_response(found)

    return answered


def judged(server, asked, text, request=None, journal=None):
    """The judgement under a judge behind this server."""

    async def main():
        kept = Journal(journal) if journal else None
        try:
            async with open_judge(server.url, "tiny", None, 4, kept, request, say=lambda line: None) as opened:
                return await judge(asked, Answer(text), opened.ask("hardmultiqa:all", asked.id, 0))
        finally:
            if kept is not None:
                kept.close()

    return asyncio.run(main())


def verdict(elements, matches):
    return json.dumps(
        {
            "elements": [{"i": i, "quote": name} for i, name in enumerate(elements, 1)],
            "matches": [{"element": i, "reference": i} for i in range(1, matches + 1)],
        },
        ensure_ascii=False,
    )


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("between", ["\n", ", ", "; ", "\n- ", " / ", " и ", " "])
@pytest.mark.parametrize("tokenize", [count, None], ids=["counted", "estimated"])
def test_a_list_of_120_elements_fits(kind, between, tokenize):
    """Whatever parts its elements, with the judge's tokenizer or by an estimate; one call."""
    reply = verdict(RIVERS, 120)
    assert tokens(reply) > MAX_TOKENS[kind]
    with FaultServer(says(reply), tokenize=tokenize, models=windowed(32_768)) as server:
        found = judged(server, sample(kind, RIVERS), between.join(RIVERS))
        assert (found.status, found.calls) == ("judged", 1), found.error
        assert len(found.verdict["matches"]) == 120
        assert len(server.bodies) == 1


def test_corrections_and_options_fit_too():
    """A hundred corrections; a hundred and twenty options of which all are chosen."""
    pairs = [(f"ошибка {number}", f"правка {number}") for number in range(100)]
    elements = [{"i": i, "quote": wrong, "correction": right} for i, (wrong, right) in enumerate(pairs, 1)]
    reply = json.dumps({"elements": elements, "matches": []}, ensure_ascii=False)
    question = "\n".join(f"Тут {wrong}." for wrong, _ in pairs)
    with FaultServer(says(reply)) as server:
        asked = sample("mistakes", [right for _, right in pairs], question)
        assert judged(server, asked, "\n".join(f"{wrong} → {right}" for wrong, right in pairs)).status == "judged"
    options = "\n".join(f"{number}) Река {number}" for number in range(1, 121))
    chosen = json.dumps({"chosen": list(range(1, 121)), "verdict": "correct"}, indent=1)
    assert tokens(chosen) > MAX_TOKENS["one-option-many-options"]
    with FaultServer(says(chosen), models=windowed(32_768)) as server:
        asked = sample("one-option-many-options", map(str, range(1, 121)), options)
        assert judged(server, asked, "Все 120").status == "judged"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("strict-list", "; ".join(RIVERS[:20])),
        ("not-strict-list", "\n".join(f"{i}. {name}, приток Оби" for i, name in enumerate(RIVERS[:15], 1))),
        ("mistakes", "Пушкин родился в 1799 году, а умер в 1837-м; дуэль была на Чёрной речке."),
        ("open", "Слово " * 3_000),
        ("one-option-many-options", "1, 3"),
    ],
)
def test_ordinary_requests_stay_what_they_were(kind, text):
    """The cap is the type's, and nothing is counted for it: old replies are found again."""
    reference = ["1"] if kind == "one-option-many-options" else RIVERS[:10]
    with FaultServer(says("нет"), models=windowed(131_072), tokenize=count) as server:
        judged(server, sample(kind, reference, "Какие? 1) Обь 2) Дон 3) Ока"), text)
        assert {body["max_tokens"] for body in server.bodies} == {MAX_TOKENS[kind]}
        assert server.tokenized == []


def test_replies_kept_under_the_lower_cap_are_found(tmp_path):
    """A journal of a version without raised caps: what was not cut is used, what was cut is asked for again."""
    text, asked = "\n".join(RIVERS), sample("strict-list", RIVERS)
    low = JudgeRequest(max_tokens=2_048)
    with FaultServer(says(verdict(RIVERS[:9], 9))) as server:
        assert judged(server, asked, text, low, tmp_path / "short").status == "judged"
        assert judged(server, asked, text, None, tmp_path / "short").status == "judged"
        assert [body["max_tokens"] for body in server.bodies] == [2_048]
    with FaultServer(says(verdict(RIVERS, 120))) as server:
        cut = judged(server, asked, text, low, tmp_path / "long")
        assert cut.status == "unjudged"
        assert judged(server, asked, text, None, tmp_path / "long").status == "judged"
        assert [body["max_tokens"] for body in server.bodies] == [2_048] * 3 + [8_192]
        assert judged(server, asked, text, None, tmp_path / "long").status == "judged"
        assert len(server.bodies) == 4


def test_a_reply_cut_at_its_cap_is_named_with_the_option():
    """The user's own cap is not raised."""
    with FaultServer(says(verdict(RIVERS, 120))) as server:
        found = judged(server, sample("strict-list", RIVERS), "\n".join(RIVERS), JudgeRequest(max_tokens=1_000))
        assert {body["max_tokens"] for body in server.bodies} == {1_000}
    assert found.status == "unjudged"
    assert "cut at its cap of 1000 tokens: --judge-max-tokens raises it" in found.error


WINDOWS = {
    "listed": (windowed(6_000), count),
    "no tokenizer": (windowed(6_000), None),
    "only a refusal": ({"data": [{"id": "tiny"}]}, None),
}


@pytest.mark.parametrize("known", WINDOWS)
def test_the_window_is_respected(known):
    """The cap is what the prompt leaves; a reply that fits it is read, one that does not is named so."""
    models, tokenize = WINDOWS[known]
    asked, text = sample("strict-list", RIVERS), "\n".join(RIVERS)
    with FaultServer(says(verdict(RIVERS[:60], 60), 6_000), models=models, tokenize=tokenize) as server:
        found = judged(server, asked, text)
        assert (found.status, found.calls) == ("judged", 1), found.error
        assert server.bodies[-1]["max_tokens"] < 6_000
        assert len(server.bodies) == (1 if known == "listed" else 2)
    with FaultServer(says(verdict(RIVERS, 120) + " " * 9_000, 6_000), models=models, tokenize=tokenize) as server:
        found = judged(server, asked, text)
    assert found.status == "unjudged"
    assert "cut at the end of the judge's window: serve the judge with a larger window" in found.error
    assert "--judge-model" in found.error


@pytest.mark.parametrize("known", WINDOWS)
def test_a_prompt_beyond_the_window_is_named(known):
    """Not sent where the tokens can be counted; otherwise with the server's words."""
    models, tokenize = WINDOWS[known]
    with FaultServer(says(verdict(RIVERS, 120), 6_000), models=models, tokenize=tokenize) as server:
        found = judged(server, sample("strict-list", RIVERS), "Река " * 9_000)
        assert (server.bodies == []) is (known == "listed")
    assert found.status == "failed"
    assert "fit the judge's window: " in found.error
    assert "6000" in found.error
    assert "vLLM: --max-model-len" in found.error


def test_a_refusal_without_numbers_falls_back_to_the_ordinary_cap():
    """A raised cap must not cost a verdict that the ordinary one would give."""
    words = "the context window is exceeded"
    with FaultServer(says(verdict(RIVERS[:9], 9), 5_000, words), models={"data": [{"id": "tiny"}]}) as server:
        found = judged(server, sample("strict-list", RIVERS), "\n".join(RIVERS))
        assert [body["max_tokens"] for body in server.bodies] == [8_192, 2_048]
    assert found.status == "judged"


def test_a_tokenizer_that_fails_is_asked_no_more(monkeypatch):
    """Its retries would delay every verdict; the estimate serves."""
    quick = RetryPolicy(max_attempts=2, base_s=0.001, cap_s=0.002)
    monkeypatch.setattr("judges.asking.Endpoint", functools.partial(Endpoint, retry=quick))
    with FaultServer(says(verdict(RIVERS, 120)), tokenize=status(500), models=windowed(20_000)) as server:
        assert judged(server, sample("strict-list", RIVERS), "\n".join(RIVERS)).status == "judged"
        assert len(server.tokenized) == 2


@pytest.mark.parametrize("text", ["Река " * 200_000, "Ока, " * 200_000, "\n" * 10**6, "," * 10**6, "я" * 10**6])
@pytest.mark.parametrize("kind", ["strict-list", "mistakes", "one-option-many-options", "open"])
@pytest.mark.timeout(20)
def test_the_longest_reply_is_bounded(kind, text):
    """A runaway answer costs neither time nor memory."""
    asked = sample(kind, ["1"], "Какие? 1) Обь 2) Дон 3) Ока")
    assert len(longest_reply(parse_key(asked.scoring), text)) < 2_000_000


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("length", "--judge-max-tokens"),
        ("MAX_TOKENS", "--judge-max-tokens"),
        ("model_length", "--max-model-len"),
        ("model_context_window_exceeded", "--max-model-len"),
        ("repetition", "a limit of its own"),
    ],
)
def test_the_limit_that_cut_a_reply_is_told_from_the_finish_reason(reason, words):
    """Each has another remedy."""

    async def cut(server, request):
        return web.json_response(body_of("{", finish_reason=reason))

    with FaultServer(cut) as server:
        found = judged(server, sample("strict-list", RIVERS[:3]), "Обь")
    assert words in found.error


def test_reasoning_without_text_names_both_options():
    """A judge that thinks has used its cap up, or its server files the reply there."""

    async def thinks(server, request):
        return web.json_response(body_of(None, reasoning="Хм."))

    with FaultServer(thinks) as server:
        found = judged(server, sample("open", ["Обь"]), "Обь")
    assert "reasoning is no verdict" in found.error
    assert "--judge-chat-template-kwargs" in found.error
    assert "--judge-max-tokens" in found.error


@pytest.mark.parametrize(
    ("code", "words"), [(400, "content policy violation"), (403, "flagged by moderation"), (422, "odd characters")]
)
def test_a_refusal_of_one_single_question_is_named(code, words):
    """The answer is unjudged with the server's words; nothing is raised."""
    with FaultServer(status(code, words)) as server:
        found = judged(server, sample("open", ["Обь"]), "Обь")
    assert found.status == "failed"
    assert found.error == f"the judge gave no reply: its server refused this request: HTTP {code}: {words}"
