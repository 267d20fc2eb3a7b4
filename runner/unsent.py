"""Requests that are made and not sent: shown as prompts, or written as a batch that another program sends."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endpoints.batch_files import RequestFile, request_files
from endpoints.request import Request
from endpoints.saved import SavedResponses
from runner.console import command_name, show
from runner.exits import UsageError
from runner.places import check_emitted
from runner.settings import Settings
from tasks.registry import benchmark

if TYPE_CHECKING:
    from endpoints.model import EndpointModel

__all__ = ["Unsent", "show_prompts", "write_batch"]

Unsent = Callable[["EndpointModel", Sequence[Any]], None]  # a model that sends nothing, and its documents

_OPENAI = "https://api.openai.com/v1"
_KEY = '-H "Authorization: Bearer $OPENAI_API_KEY"'


def show_prompts(model: "EndpointModel", docs: Sequence[Any], count: int) -> None:
    """Print the first ``count`` prompts of each task as the model would get them."""
    shown = dict.fromkeys((doc.task_name for doc in docs), 0)
    for doc in docs:
        shown[doc.task_name] += 1
        if shown[doc.task_name] <= count:
            request = model.request(doc)
            stops = f", stop at {list(doc.stop_sequences)}" if doc.stop_sequences else ""
            size = f"at most {request.max_tokens} new tokens{stops}"
            show(f"=== {doc.task_name}, id {request.sample_id}, {size}\n")
            for message in request.messages or ({"role": "prompt", "content": request.prompt or ""},):
                show(f"[{message['role']}]\n{message['content']}\n")


def write_batch(
    model: "EndpointModel", docs: Sequence[Any], *, settings: Settings, path: Path, command: Sequence[str]
) -> None:
    """Write the requests of a run as a batch, and print the commands that go on from there.

    Args:
        model: makes the requests.
        docs: every document of the run.
        settings: of the run. Questions that its saved answers answer are left out.
        path: the file; where one file cannot hold them, its name gets a number.
        command: the command line.

    Raises:
        UsageError: a file is there already, or two tasks ask a question in different ways.
        ResponsesError: the file of saved answers cannot be used.
        OSError: a file cannot be written; none is left then.
    """
    rest = requests = [model.request(doc) for doc in docs]
    if settings.responses is not None:
        saved = SavedResponses(Path(settings.responses))
        rest = [r for r in requests if saved.outcome(r.task, r.sample_id, r.repeat).status != "answered"]
        show(f"{len(requests) - len(rest)} of {len(requests)} answers are in {settings.responses}\n")
    if not rest:
        show("nothing is left to be asked: no file is written\n")
        return
    try:
        files = request_files(rest)
    except ValueError as error:
        raise UsageError(f"--emit-requests: {error}; emit them apart") from None
    paths = [path]
    if len(files) > 1:
        paths = [path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(1, len(files) + 1)]
    _write(dict(zip(paths, files, strict=True)))
    for place, file in zip(paths, files, strict=True):
        show(f"{place}: {len(file.lines)} requests to {file.path}, {file.size:,} bytes, model {settings.model}\n")
    if len(files) > 1:
        show("a batch takes one path, 50,000 requests and 200 MB a file: send each\n")
    show(_caps(settings, rest))
    show("".join(f"{line}\n" for line in _next_steps(settings, path, dict(zip(paths, files, strict=True)), command)))


def _write(files: dict[Path, RequestFile]) -> None:
    """Write all files or none: each beside its place first, renamed when all are whole.

    Raises:
        UsageError: a file is there already.
        OSError: a file cannot be written.
    """
    for path in files:
        check_emitted(path)
    beside = {path.with_name(f"{path.name}.tmp"): path for path in files}
    try:
        for part, path in beside.items():
            part.write_bytes(b"".join(files[path].lines))
        for part, path in beside.items():
            part.rename(path)
    finally:
        for part in beside:
            part.unlink(missing_ok=True)


def _caps(settings: Settings, requests: Sequence[Request]) -> str:
    """Which cap the answers have, in a line: no server was asked how long its window is."""
    least, most = (pick(request.max_tokens for request in requests) for pick in (min, max))
    size = f"{most}" if least == most else f"{least} to {most}"
    whose = "--max-new-tokens" if settings.max_new_tokens is not None else "the tasks' own cap"
    return (
        f"answers are capped at {size} new tokens ({whose}); no server was asked for its window: where prompt and cap "
        "exceed it, requests are refused, and --max-new-tokens N helps\n"
    )


def _next_steps(settings: Settings, path: Path, files: Mapping[Path, RequestFile], command: Sequence[str]) -> list[str]:
    first, file = next(iter(files.items()))
    results = _results(path)
    chats = [part for part, made in files.items() if made.path.endswith("chat/completions")]
    lines = ["", "OpenAI's batch API, and services like it:"]
    lines += [
        f"  curl {_OPENAI}/files {_KEY} -F purpose=batch -F file=@{shlex.quote(str(first))}",
        f'  curl {_OPENAI}/batches {_KEY} -H "Content-Type: application/json" -d \'{{"input_file_id": "FILE_ID", '
        f'"endpoint": "{file.path}", "completion_window": "24h"}}\'',
        f"  curl {_OPENAI}/batches/BATCH_ID {_KEY}    # until its status is completed: output_file_id, error_file_id",
        f"  curl {_OPENAI}/files/OUTPUT_FILE_ID/content {_KEY} >> {results}    # error_file_id likewise",
    ]
    if chats:
        lines += ["or vLLM on this machine:"]
        lines += [
            f"  vllm run-batch -i {shlex.quote(str(part))} -o {_results(part)} --model {shlex.quote(settings.model)}"
            for part in chats
        ]
    if len(chats) < len(files):
        lines += ["vLLM's run-batch takes no requests to /v1/completions"]
    if len(files) > 1:
        lines += [f"put the results of all files into {results}, in any order"]
    again = shlex.join(_without(command, "--emit-requests", "--responses"))
    lines += ["then the verdicts:", f"  {command_name()} {again} --responses {results}"]
    if any("judge" in benchmark(task.benchmark).options for task in settings.tasks):
        lines += ["the judge is asked then, by its server: no batch is written of its requests"]
    lines += [
        "what has failed or is missing: the same with --emit-requests FILE besides writes it as a further batch; add "
        "its results to the first ones"
    ]
    return lines


def _results(path: Path) -> str:
    """Where the results of a file of requests may go, quoted for a shell."""
    return shlex.quote(str(path.with_name(f"{path.stem}-results.jsonl")))


def _without(command: Sequence[str], *options: str) -> list[str]:
    """A command line without some options and their values."""
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word in options:
            next(words, None)
        elif word.partition("=")[0] not in options:
            kept.append(word)
    return kept
