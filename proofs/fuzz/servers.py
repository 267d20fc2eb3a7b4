"""What servers and files send: bodies of replies, streams, refusals, metrics, lists of models, journals, results."""

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import httpx2

from endpoints.batch_files import is_custom_id
from endpoints.errors import hint_for, is_about_content, is_context_overflow, server_words, stream_hint
from endpoints.event_stream import EventReader, looks_like_events
from endpoints.failure import refuses_usage, reply_failure, status_failure
from endpoints.folding import FoldedStream
from endpoints.journal_lines import JournalError, records, to_line
from endpoints.metrics_text import read_load
from endpoints.outcome import Outcome
from endpoints.reply import BadReplyError, read_reply
from endpoints.request import Request
from endpoints.saved import ResponsesError, SavedResponses
from endpoints.server_info import read_models
from endpoints.template_refusals import conversation_hint, raised_in_template
from endpoints.window import listed_window, named_prompt_tokens, named_window, tokenizer_window
from proofs.fuzz.group import Check, Group, Input, as_bytes
from proofs.fuzz.mutation import edited, long_run
from proofs.fuzz.pieces import RUNS
from proofs.fuzz.prose import sentence
from proofs.fuzz.values import nested, spoiled

__all__ = ["BODIES", "FILES", "METRICS", "STREAMS", "WORDS"]

_NAMES: Final = (
    *(
        "choices",
        "message",
        "content",
        "text",
        "type",
        "finish_reason",
        "usage",
        "error",
        "code",
        "detail",
        "status",
        "refusal",
    ),
    *(
        "reasoning",
        "reasoning_content",
        "thinking",
        "reasoning_details",
        "thinking_blocks",
        "tool_calls",
        "function",
        "name",
    ),
    *(
        "prompt_tokens",
        "completion_tokens",
        "reasoning_tokens",
        "completion_tokens_details",
        "prompt_filter_results",
        "data",
        "id",
    ),
    *(
        "content_filter_results",
        "filtered",
        "promptFeedback",
        "blockReason",
        "amazon-bedrock-guardrailAction",
        "input_sensitive",
    ),
    *(
        "audio",
        "images",
        "delta",
        "index",
        "parent",
        "root",
        "max_model_len",
        "meta",
        "n_ctx",
        "custom_id",
        "response",
        "body",
    ),
    *(
        "status_code",
        "task",
        "repeat",
        "attempts",
        "error_code",
        "key",
        "value",
        "summary",
        "arguments",
        "stop_reason",
        "object",
    ),
)
_REASONS: Final = (
    *(
        "stop",
        "length",
        None,
        "",
        "content_filter",
        "tool_calls",
        "eos",
        "MAX_TOKENS",
        "FINISH_REASON_SAFETY",
        "error",
        "abort",
    ),
    *("repetition", "model_length", "Timeout", {"type": "length"}, {"reason": "SAFETY"}, 1, "\ud83d"),
)
_ERRORS: Final = (
    *(
        "Internal Server Error",
        "Conversation roles must alternate user/assistant",
        "This model's maximum context length is 4,096 tokens",
    ),
    *(
        "chat_template: system role not supported",
        "content management policy",
        "invalid api key",
        "extra fields: stream_options",
    ),
    *("Only user and assistant roles are supported", "jinja2.exceptions.TemplateError: x", "batch expired", ""),
)
_STATUSES: Final = (301, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 599)
_HEADERS: Final = (
    "",
    "1",
    "1.5",
    "-1",
    "1e9",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Mon, 99 Zzz 0000 99:99:99 +9999",
    "٣",
    "9" * 400,
    "Mon, 01 Jan 0001 00:00:00 +2359",
)


def _content(source: Random) -> Any:
    kind = source.random()
    if kind < 0.6:
        return sentence(source)
    if kind < 0.7:
        return None
    types = ("text", "thinking", "output_text", "refusal", "image_url", "reasoning", "tool_use", "redacted_thinking")
    return [
        {"type": source.choice(types), source.choice(("text", "thinking", "content")): sentence(source)}
        for _ in range(source.randrange(3))
    ]


def _choice(source: Random, inside: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _content(source)}
    if source.random() < 0.3:
        message[source.choice(("reasoning", "reasoning_content", "thinking", "reasoning_details"))] = _content(source)
    if source.random() < 0.1:
        message["refusal"] = sentence(source)
    if source.random() < 0.1:
        message["tool_calls"] = [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]
    found: dict[str, Any] = {"index": 0, inside: message, "finish_reason": source.choice(_REASONS)}
    if source.random() < 0.3:
        found["text"] = sentence(source)
        if source.random() < 0.8:
            del found[inside]
    if source.random() < 0.1:
        found["content_filter_results"] = {"hate": {"filtered": source.random() < 0.5, "severity": "high"}}
    return found


def _error(source: Random) -> Any:
    words = source.choice(_ERRORS) if source.random() < 0.8 else sentence(source)
    shapes: tuple[Any, ...] = (
        words,
        {"message": words, "code": 400},
        {"error": {"message": words}},
        [{"msg": words, "loc": ["body"]}],
    )
    return source.choice(shapes)


def _body(source: Random) -> Any:
    """A reply, an error, or a list of models."""
    kind = source.random()
    if kind < 0.15:
        return {source.choice(("error", "message", "detail")): _error(source)}
    if kind < 0.25:
        entries = [
            {
                "id": name,
                "parent": source.choice((None, "a", "b")),
                "root": "a",
                "max_model_len": source.choice((4_096, "8192", None)),
            }
            for name in ("a", "b")
        ]
        return {"object": "list", "data": entries, "max_model_len": 4_096}
    found: dict[str, Any] = {
        "id": "x",
        "choices": [_choice(source, "message")],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5},
    }
    if source.random() < 0.1:
        found["error"] = source.choice((None, {}, _error(source)))
    return found


def _json(source: Random, value: Any) -> str:
    """A value as a body: as it is, spoiled, with a text edited, or nested deeply."""
    kind = source.random()
    if kind > 0.4:
        value = spoiled(source, value, _NAMES)
    text = json.dumps(value, ensure_ascii=kind < 0.2)
    if kind > 0.97:
        return text.replace('"x"', nested(source), 1).replace("null", nested(source), 1)
    return edited(source, text) if kind > 0.8 else text


def _fine(outcome: Outcome) -> str:
    """Hold what must hold for every outcome: it can be stored, and numbers are numbers."""
    for text in (outcome.text, outcome.reasoning, outcome.finish_reason, outcome.error):
        if text is not None:
            text.encode("utf-8")
    if outcome.status != "answered" and not outcome.error:
        raise AssertionError(f"{outcome.status} without a word")
    line = to_line(_REQUEST, "0" * 64, outcome)
    if len(list(records(io.BytesIO(line), _PATH))) != 1:
        raise AssertionError("a line that cannot be read back")
    has = bool(outcome.text), outcome.reasoning is not None, outcome.truncated
    return f"{outcome.status} {outcome.error_code} {has}"


_REQUEST: Final = Request("ifhard:all|0", "1", 0, "completion", "m", None, "x", 1, {}, {})
_PATH: Final = Path("x")


class _Bodies(Group):
    """Bodies of HTTP responses: answers, refusals, lists of models."""

    name = "bodies"
    targets = ("reply.chat", "reply.completion", "failure", "server_info", "window")

    def fresh(self, source: Random) -> Input:
        text = nested(source) if source.random() < 0.01 else _json(source, _body(source))
        return {"text": text, "status": source.choice(_STATUSES), "after": source.choice(_HEADERS)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        body = as_bytes(given["text"])
        yield "reply.chat", lambda: _reply("chat", body)
        yield "reply.completion", lambda: _reply("completion", body)
        yield "failure", lambda: _failed(given, body)
        yield "server_info", lambda: _listed(body)
        yield "window", lambda: f"{tokenizer_window(body) is None}"


def _reply(kind: Any, body: bytes) -> str:
    try:
        return _fine(read_reply(kind, body))
    except BadReplyError as error:
        return f"{type(error).__name__} {_fine(reply_failure(error).outcome())}"


def _failed(given: Input, body: bytes) -> str:
    headers = {"retry-after": given["after"].encode("utf-8"), "location": "x"}
    found = status_failure(httpx2.Response(given["status"], content=body, headers=headers), 0.0)
    if found.retry_after is not None and not 0 <= found.retry_after < math.inf:
        raise AssertionError(f"a wait of {found.retry_after} s")
    usage = refuses_usage(found, gave_before=True)
    return (
        f"{found.code} {found.refuses_all} {found.about_content} {len(found.kind) > 9} {usage} {_fine(found.outcome())}"
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
                "choices": [_choice(source, "delta")],
                "usage": source.choice((None, {"completion_tokens": 2})),
            }
            start = source.choice(
                ("data: ", "data: ", "data: ", "data:", "event: error\ndata: ", "error: ", ": ping\n\ndata: ", "")
            )
            parts.append(start + (_json(source, chunk if source.random() < 0.9 else _body(source))) + ends)
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
        return _fine(status_failure(httpx2.Response(int(status), content=body), 0.0).outcome())
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
    *(
        "vllm:num_requests_running",
        "vllm:num_requests_waiting",
        "vllm:num_requests_running",
        "vllm:kv_cache_usage_perc",
        "up",
    ),
    *(
        "vllm:gpu_cache_usage_perc",
        "vllm:num_preemptions_total",
        "vllm:generation_tokens_total",
        "vllm:prefix_cache_hits_total",
    ),
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
            source.choice((source.choice(_ERRORS), source.choice(_WORDS), sentence(source)))
            for _ in range(source.randrange(1, 6))
        ]
        if source.random() < 0.01:
            parts.append(source.choice((*RUNS, *_WORDS)) * source.choice((100, 2_000)))
        text = source.choice((" ", ", ", ": ", "")).join(parts)
        return {"text": edited(source, text) if source.random() < 0.4 else text, "status": source.choice(_STATUSES)}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        yield (
            "template_refusals",
            lambda: f"{conversation_hint(given['text'])!s:.60} {raised_in_template(given['status'], given['text'])}",
        )
        yield "errors", lambda: _told(given["status"], given["text"])


_WORDS: Final = (
    *(
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
    ),
    *(
        "context length",
        "maximum context length is",
        "4096",
        "1,234 tokens",
        "in your prompt",
        "n_ctx: 512",
        "content filter",
        "policy",
    ),
    *(
        "stream_options",
        "unknown field",
        "max_new_tokens must be <= 16",
        "model not found",
        "api key",
        "optional system message",
        "template",
    ),
)


def _told(status: int, text: str) -> str:
    words, code = server_words(as_bytes(text))
    if "\n" in words or len(words) > 2_000:
        raise AssertionError("words of more than a line")
    facts = (named_window(text), named_prompt_tokens(text), hint_for(status, words), stream_hint(text), code)
    kinds = is_context_overflow(status, text, code), is_about_content(text), *(fact is None for fact in facts)
    return f"{kinds} {facts[2]!s:.40}"


class _Files(Group):
    """Lines of journals, of saved answers and of the results of batches."""

    name = "files"
    targets = ("journal_lines", "saved", "batch_files")

    def fresh(self, source: Random) -> Input:
        rows = [_json(source, _entry(source)).replace("\n", " ") for _ in range(source.choice((1, 1, 2, 3)))]
        text = source.choice(("\n", "\n", "\r\n")).join(rows) + source.choice(("\n", "\n", ""))
        return {"text": edited(source, text) if source.random() < 0.2 else text}

    def checks(self, given: Input) -> Iterator[tuple[str, Check]]:
        body = as_bytes(given["text"])
        yield "journal_lines", lambda: _journal(body)
        lines = {} if '"custom_id"' in given["text"] else {"saved": lambda: _saved(body)}
        yield from (lines or {"batch_files": lambda: _saved(body)}).items()


def _entry(source: Random) -> Any:
    kind = source.random()
    outcome = {
        "response": sentence(source),
        "reasoning": source.choice((None, "a")),
        "finish_reason": source.choice(("stop", "length", None)),
        "prompt_tokens": source.choice((None, 3)),
        "completion_tokens": 5,
        "attempts": 1,
        "error": None,
        "error_code": None,
    }
    name = {
        "task": source.choice(("ifhard:all|0", "ifhard:all", "x", "a|b")),
        "id": source.choice("12"),
        "repeat": source.choice((0, 1)),
    }
    if kind < 0.4:
        return {
            "key": "0" * 64,
            **name,
            "status": source.choice(("answered", "failed", "blocked", "answered")),
            **outcome,
        }
    if kind < 0.6:
        return {**name, "response": sentence(source)}
    response = (
        {"status_code": source.choice((200, 200, *_STATUSES)), "body": _body(source)} if source.random() < 0.9 else None
    )
    made = f"ifhard-{'0' * 40}" if source.random() < 0.8 else "request-1"
    return {"custom_id": made, "response": response, "error": source.choice((None, None, _error(source)))}


def _journal(body: bytes) -> str:
    try:
        found = list(records(io.BytesIO(body), _PATH))
    except JournalError as error:
        return f"broken {str(error).partition(': ')[2][:40]}"
    for line, _, _ in found:
        if line.outcome.status == "answered":
            _ = line.outcome.truncated
    return f"{min(len(found), 2)} {[(line.outcome.status, ended) for line, _, ended in found[:2]]}"


class _Given:
    """Stands in for the path of a file of saved answers."""

    name = "x"

    def __init__(self, body: bytes) -> None:
        self._body = body

    def read_text(self, encoding: str) -> str:
        """The text, as a path's method gives it; line ends become line feeds, as a path's method has them."""
        return io.TextIOWrapper(io.BytesIO(self._body), encoding=encoding).read()

    def __str__(self) -> str:
        return "x"


def _saved(body: bytes) -> str:
    try:
        found = SavedResponses(cast(Path, _Given(body)))
    except ResponsesError as error:
        return f"refused {str(error).partition(': ')[2][:30]}"
    outcomes = [found.outcome("ifhard:all|0", name, 0) for name in "12"]
    kept = [outcome for _, outcome in found._answers.values()]
    for outcome in kept:
        _fine(outcome)
    shown = found.unused, [outcome.status for outcome in outcomes], [outcome.error_code for outcome in kept[:2]]
    return f"{min(len(found), 2)} {shown} {is_custom_id(found.origin)}"


BODIES: Final = _Bodies()
STREAMS: Final = _Streams()
METRICS: Final = _Metrics()
WORDS: Final = _Words()
FILES: Final = _Files()
