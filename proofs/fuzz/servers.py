"""What servers send: bodies of replies, streams, refusals, metrics, lists of models."""

import io
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx2

from endpoints.errors import hint_for, is_about_content, is_context_overflow, server_words, stream_hint
from endpoints.event_stream import EventReader, looks_like_events
from endpoints.failure import refuses_usage, reply_failure, status_failure
from endpoints.folding import FoldedStream
from endpoints.journal_lines import records, to_line
from endpoints.metrics_text import read_load
from endpoints.outcome import Outcome
from endpoints.reply import BadReplyError, read_reply
from endpoints.request import Request
from endpoints.server_info import read_models
from endpoints.template_refusals import conversation_hint, raised_in_template
from endpoints.window import listed_window, named_prompt_tokens, named_window, tokenizer_window
from proofs.fuzz.group import Check, Group, Input, as_bytes
from proofs.fuzz.mutation import edited, long_run
from proofs.fuzz.pieces import RUNS
from proofs.fuzz.prose import sentence
from proofs.fuzz.server_json import ERRORS, HEADERS, STATUSES, as_text, drawn_body, drawn_choice
from proofs.fuzz.values import nested

__all__ = ["BODIES", "METRICS", "PATH", "STREAMS", "WORDS", "fine"]


def fine(outcome: Outcome) -> str:
    """Hold what must hold for every outcome: it can be stored, and numbers are numbers."""
    for text in (outcome.text, outcome.reasoning, outcome.finish_reason, outcome.error):
        if text is not None:
            text.encode("utf-8")
    if outcome.status != "answered" and not outcome.error:
        raise AssertionError(f"{outcome.status} without a word")
    line = to_line(_REQUEST, "0" * 64, outcome)
    if len(list(records(io.BytesIO(line), PATH))) != 1:
        raise AssertionError("a line that cannot be read back")
    has = bool(outcome.text), outcome.reasoning is not None, outcome.truncated
    return f"{outcome.status} {outcome.error_code} {has}"


_REQUEST: Final = Request("ifhard:all|0", "1", 0, "completion", "m", None, "x", 1, {}, {})
PATH: Final = Path("x")


class _Bodies(Group):
    """Bodies of HTTP responses: answers, refusals, lists of models."""

    name = "bodies"
    targets = ("reply.chat", "reply.completion", "failure", "server_info", "window")

    def fresh(self, source: Random) -> Input:
        text = nested(source) if source.random() < 0.01 else as_text(source, drawn_body(source))
        return {"text": text, "status": source.choice(STATUSES), "after": source.choice(HEADERS)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        body = as_bytes(given["text"])
        yield "reply.chat", lambda: _reply("chat", body)
        yield "reply.completion", lambda: _reply("completion", body)
        yield "failure", lambda: _failed(given, body)
        yield "server_info", lambda: _listed(body)
        yield "window", lambda: f"{tokenizer_window(body) is None}"


def _reply(kind: Any, body: bytes) -> str:
    try:
        return fine(read_reply(kind, body))
    except BadReplyError as error:
        return f"{type(error).__name__} {fine(reply_failure(error).outcome())}"


def _failed(given: Input, body: bytes) -> str:
    headers = {"retry-after": given["after"].encode("utf-8"), "location": "x"}
    found = status_failure(httpx2.Response(given["status"], content=body, headers=headers), 0.0)
    if found.retry_after is not None and not 0 <= found.retry_after < math.inf:
        raise AssertionError(f"a wait of {found.retry_after} s")
    usage = refuses_usage(found, gave_before=True)
    return (
        f"{found.code} {found.refuses_all} {found.about_content} {len(found.kind) > 9} {usage} {fine(found.outcome())}"
    )


def _listed(body: bytes) -> str:
    try:
        listing = read_models(body)
    except BadReplyError:
        return "no list"
    return f"{len(listing)} {listed_window(listing, 'a') is None} {listed_window(listing, 'b') is None}"


class _Streams(Group):
    """Streamed answers in pieces, cut anywhere."""

    name = "streams"
    targets = ("event_stream", "folding")

    def fresh(self, source: Random) -> Input:
        ends = source.choice(("\n\n", "\n\n", "\r\n\r\n", "\r\r", "\n"))
        parts = []
        for _ in range(source.randrange(1, 6)):
            chunk = {
                "id": "x",
                "choices": [drawn_choice(source, "delta")],
                "usage": source.choice((None, {"completion_tokens": 2})),
            }
            start = source.choice(
                ("data: ", "data: ", "data: ", "data:", "event: error\ndata: ", "error: ", ": ping\n\ndata: ", "")
            )
            parts.append(start + (as_text(source, chunk if source.random() < 0.9 else drawn_body(source))) + ends)
        text = "".join(parts) + source.choice(("data: [DONE]\n\n", "data: [DONE]", "", ""))
        if source.random() < 0.003:
            text += long_run(source)
        return {"text": edited(source, text) if source.random() < 0.2 else text, "cut": source.randrange(1, 60)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        body = as_bytes(given["text"])
        step = given["cut"] if len(body) < 20_000 else 4_096
        pieces = [body[at : at + step] for at in range(0, len(body), step)]
        yield "event_stream", lambda: _events(body, pieces)
        yield "folding", lambda: _folded(pieces)


def _events(body: bytes, pieces: list[bytes]) -> str:
    """The events are the same wherever the bytes were cut."""
    whole, cut = EventReader(), EventReader()
    at_once = [*whole.feed(body), *whole.end()]
    if [*(event for piece in pieces for event in cut.feed(piece)), *cut.end()] != at_once:
        raise AssertionError("events depend on where the stream was cut")
    return f"{looks_like_events(body)} {min(len(at_once), 3)} {len({event.kind for event in at_once})}"


def _folded(pieces: list[bytes]) -> str:
    folded = FoldedStream()
    for piece in pieces:
        folded.feed(piece)
    status, body = folded.finish()
    if status != 200:
        return fine(status_failure(httpx2.Response(int(status), content=body), 0.0).outcome())
    return _reply("chat", body) + _reply("completion", body)


class _Metrics(Group):
    """Bodies of ``/metrics``."""

    name = "metrics"
    targets = ("metrics_text",)

    def fresh(self, source: Random) -> Input:
        rows = [
            f"# TYPE {name} gauge" if source.random() < 0.2 else f"{name}{_labels(source)} {_sample(source)}"
            for name in _SERIES
            if source.random() < 0.8
        ]
        text = source.choice(("\n", "\n", "\r\n", "\x85")).join(rows)
        return {"text": edited(source, text) if source.random() < 0.4 else text}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        yield "metrics_text", lambda: _load(as_bytes(given["text"]))


_SERIES: Final = (
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
    "vllm:num_requests_running",
    "vllm:kv_cache_usage_perc",
    "up",
    "vllm:gpu_cache_usage_perc",
    "vllm:num_preemptions_total",
    "vllm:generation_tokens_total",
    "vllm:prefix_cache_hits_total",
)


def _labels(source: Random) -> str:
    return source.choice(("", '{model="a"}', '{a="b",c="d\\"e"}', "{", '{a="}"}', '{a="\\\\"}', "{a=b}", '{a="x" }'))


def _sample(source: Random) -> str:
    return source.choice(
        (
            "1",
            "0.0",
            "12.5",
            "1e308",
            "1e999",
            "-3",
            "NaN",
            "+Inf",
            "1 1700000000",
            '1 # {a="b"} 1',
            "٣",
            "0x1",
            "1_0",
            "",
        )
    )


def _load(body: bytes) -> str:
    try:
        found = read_load(body)
    except BadReplyError:
        return "no load"
    values = (
        found.running,
        found.waiting,
        found.kv_use,
        found.preempted,
        found.generated,
        found.prefix_queries,
        found.prefix_hits,
    )
    if not all(value is None or math.isfinite(value) for value in values):
        raise AssertionError("a load that is not finite")
    return f"{found.kv_use is None} {found.preempted is None} {found.generated is None} {found.prefix_hits is None}"


class _Words(Group):
    """What a server says of a refusal."""

    name = "words"
    targets = ("template_refusals", "errors")

    def fresh(self, source: Random) -> Input:
        parts = [
            source.choice((source.choice(ERRORS), source.choice(_WORDS), sentence(source)))
            for _ in range(source.randrange(1, 6))
        ]
        if source.random() < 0.01:
            parts.append(source.choice((*RUNS, *_WORDS)) * source.choice((100, 2_000)))
        text = source.choice((" ", ", ", ": ", "")).join(parts)
        return {"text": edited(source, text) if source.random() < 0.4 else text, "status": source.choice(STATUSES)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        yield (
            "template_refusals",
            lambda: f"{conversation_hint(given['text'])!s:.60} {raised_in_template(given['status'], given['text'])}",
        )
        yield "errors", lambda: _told(given["status"], given["text"])


_WORDS: Final = (
    "role",
    "system",
    "'user'",
    "assistant",
    "not",
    "without",
    "message",
    "alternate",
    "only",
    "or",
    "after the role",
    "starts with",
    "context length",
    "maximum context length is",
    "4096",
    "1,234 tokens",
    "in your prompt",
    "n_ctx: 512",
    "content filter",
    "policy",
    "stream_options",
    "unknown field",
    "max_new_tokens must be <= 16",
    "model not found",
    "api key",
    "optional system message",
    "template",
)


def _told(status: int, text: str) -> str:
    words, code = server_words(as_bytes(text))
    if "\n" in words or len(words) > 2_000:
        raise AssertionError("words of more than a line")
    facts = (named_window(text), named_prompt_tokens(text), hint_for(status, words), stream_hint(text), code)
    kinds = is_context_overflow(status, text, code), is_about_content(text), *(fact is None for fact in facts)
    return f"{kinds} {facts[2]!s:.40}"


BODIES: Final = _Bodies()
STREAMS: Final = _Streams()
METRICS: Final = _Metrics()
WORDS: Final = _Words()
