"""Files of OpenAI's batch API, which other services and vLLM's ``run-batch`` take too: requests, and their results.

A line of a request file is ``{"custom_id", "method", "url", "body"}``; its body is what a server would have been sent.
A line of a result file is ``{"custom_id", "response": {"status_code", "body"} | null, "error"}``; its body is what a
server would have replied, and is read as such. A service may return results in any order, and failures in a file of
their own.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import httpx2

from endpoints.errors import ErrorCode, one_line, server_words
from endpoints.failure import Failure, reply_failure, status_failure
from endpoints.outcome import Outcome
from endpoints.reply import BadReplyError, read_reply
from endpoints.request import Request

__all__ = ["RequestFile", "custom_id", "is_custom_id", "named_model", "request_files", "result_outcome"]

# OpenAI's limits for one file.
MOST_REQUESTS: Final = 50_000
MOST_BYTES: Final = 200_000_000
# OpenAI's limit for an id is 64 characters; the narrowest alphabet that a service allows is [A-Za-z0-9_-].
_FAMILY: Final = 23
_DIGEST: Final = 40
_OURS: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{_FAMILY}}}-[0-9a-f]{{{_DIGEST}}}")
_UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_-]")


def custom_id(task: str, sample_id: str, repeat: int) -> str:
    """The id of a question in batch files: at most 64 letters, digits, hyphens and underscores.

    It is a digest, since task names and ids may be long and in any script. Whoever has the question can tell whether a
    result is its own. Subsets of a benchmark share a question and so its id; modes and numbers of shots do not.

    Args:
        task: full task name (``ifhard:all|0``).
        sample_id: base id of the question.
        repeat: 0-based number of the repeat.
    """
    plain, _, shots = task.partition("|")
    family, *parts = plain.split(":")
    question = json.dumps([family, parts[1:], shots or "0", sample_id, repeat])
    digest = hashlib.sha256(question.encode("ascii")).hexdigest()
    return f"{_UNUSUAL.sub('_', family)[:_FAMILY] or '_'}-{digest[:_DIGEST]}"


def is_custom_id(text: str) -> bool:
    """Whether :func:`custom_id` may have made this id."""
    return _OURS.fullmatch(text) is not None


@dataclass(slots=True)
class RequestFile:
    """The lines of one file of requests.

    Attributes:
        path: the API's path that all of them go to.
        lines: each with its line end; ASCII, as requests are sent, so that no reader splits a line at a rare separator.
        size: number of bytes.
    """

    path: str
    lines: list[bytes] = field(default_factory=list)
    size: int = 0


def request_files(
    requests: Iterable[Request], *, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> list[RequestFile]:
    """The files of some requests: as few as the limits of one file and one path a file allow.

    A question that several subsets have is asked once.

    Raises:
        ValueError: two requests with the same id differ.
    """
    files: list[RequestFile] = []
    latest: dict[str, RequestFile] = {}
    known: dict[str, dict[str, Any]] = {}
    for request in requests:
        name, body = custom_id(request.task, request.sample_id, request.repeat), request.body()
        if known.setdefault(name, body) != body:
            raise ValueError(f"{request.task}, {request.sample_id}: two tasks ask this question in different ways")
        if known[name] is not body:
            continue
        path = f"/v1{request.path}"
        fields = {"custom_id": name, "method": "POST", "url": path, "body": body}
        line = json.dumps(fields, allow_nan=False).encode("ascii") + b"\n"
        file = latest.get(path)
        if file is None or len(file.lines) >= most_requests or file.size + len(line) > most_bytes:
            file = latest[path] = RequestFile(path)
            files.append(file)
        file.lines.append(line)
        file.size += len(line)
    return files


def named_model(result: Mapping[str, Any]) -> str | None:
    """The model that a line of a result file says has answered; None if it names none."""
    response = result.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    name = body.get("model") if isinstance(body, dict) else None
    return name if isinstance(name, str) else None


def result_outcome(result: Mapping[str, Any]) -> Outcome:
    """The outcome in a line of a result file, as a server's reply with this status and body would have it.

    A request that got no reply has failed with the service's words, whatever else is wrong with its line.
    """
    response, error = result.get("response"), result.get("error")
    reply = response if isinstance(response, dict) else {}
    status, body = reply.get("status_code", 200), reply.get("body")
    if not reply or (status == 200 and error):
        return _without_reply(error)
    if status != 200:
        # vLLM puts the body of a refusal beside the response.
        return _refusal(status, body or (error if isinstance(error, dict) else {"error": error})).outcome()
    try:
        return read_reply(_kind(body), json.dumps(body).encode("ascii"))
    except BadReplyError as wrong:
        return reply_failure(wrong).outcome()


def _kind(body: Any) -> Literal["chat", "completion"]:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return "completion" if isinstance(first, dict) and "text" in first and "message" not in first else "chat"


def _refusal(status: Any, said: Any) -> Failure:
    content = json.dumps(said).encode("ascii")
    if isinstance(status, int) and 300 <= status < 600:
        return status_failure(httpx2.Response(status, content=content), 0.0)
    return Failure("bad-body", f"status_code {one_line(repr(status), 100)}: {server_words(content)[0]}", retried=False)


def _without_reply(error: Any) -> Outcome:
    if not error:
        return Outcome.failure("bad-body", "the line has neither a response nor an error", 1)
    words, code = server_words(json.dumps(error).encode("ascii"))
    expired: ErrorCode = "timeout" if "expired" in f"{code} {words}" else "server-error"
    return Outcome.failure(expired, f"{code}: {words}" if code is not None else words, 1)
