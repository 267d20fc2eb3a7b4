"""Opens the source of a run's answers: the user's server, the embedded model, or a file of saved answers."""

import asyncio
import contextlib
import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from endpoints.client import Endpoint
from endpoints.defaults import CONCURRENCY
from endpoints.embedded import EmbeddedServer
from endpoints.journal_lines import read_journal
from endpoints.saved import ResponsesError
from endpoints.server_info import ServerInfo
from runner.access import api_key, model_access
from runner.extra_body import extra_body_phrase
from runner.folder import filed_name
from runner.settings import EMBEDDED, Settings

__all__ = [
    "AnswerSource",
    "answers_sha256",
    "generation_phrase",
    "lost_source",
    "open_source",
    "source_records",
    "unstarted_source",
]


_ASKED_NOTE = "null means the task's own cap; the task's stop strings are in config_tasks of the results file"
_SAVED_NOTE = (
    "the answers come from a file (see answers), which does not say how they were generated: "
    "these values are those of the command line"
)


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A source of answers.

    Attributes:
        label: the model's name in the table.
        filed_as: the model's name in LightEval's results.
        served_name: the model's id in requests.
        base_url: URL of the API; None for saved answers.
        concurrency: number of requests in flight if the user names none.
        default_cap: most new tokens of an answer if the user names no number; None means the task's own cap.
        window: context length in tokens that the server reports; None if it reports none.
        window_source: where that was learnt, a phrase; empty if it reports none.
        reported: the server's own entry for the model.
        kept: the journal that holds every answer, if the run goes on without its server; None otherwise.
    """

    label: str
    filed_as: str
    served_name: str
    base_url: str | None = None
    concurrency: int = CONCURRENCY
    default_cap: int | None = None
    window: int | None = None
    window_source: str = ""
    reported: Mapping[str, Any] | None = None
    kept: Path | None = None

    def has_answered(self, docs: Sequence[Any]) -> bool:
        """Whether the journal holds an answer to every document, or the word that it was blocked.

        Raises:
            JournalError: the journal cannot be read.
        """
        lines = read_journal(self.kept) if self.kept is not None and self.kept.exists() else []
        held = {
            (line.task, line.sample_id, line.repeat)
            for line in lines
            if line.outcome.is_answer or line.outcome.status == "blocked"
        }
        return {(doc.task_name, doc.specific["id"], doc.specific["repeat"]) for doc in docs} <= held


_EMBEDDED: Final = AnswerSource(
    label="SmolLM2-135M-Instruct (embedded)",
    filed_as="embedded/SmolLM2-135M-Instruct",
    served_name=EmbeddedServer.model_id,
    concurrency=EmbeddedServer.concurrency,
    default_cap=EmbeddedServer.max_new_tokens,
    window=EmbeddedServer.context_length,
    window_source="the embedded model",
)


@contextlib.contextmanager
def open_source(settings: Settings) -> Iterator[AnswerSource]:
    """Make the source of answers ready: start the embedded model, or check the server.

    Raises:
        EndpointError: the server does not answer within 10 s or does not serve the model, or the embedded model
            cannot be fetched or started.
        UsageError: the key of the server or the value of a header cannot be had.
    """
    if settings.responses is not None:
        yield AnswerSource(
            f"{settings.model} (saved answers: {settings.responses})", filed_name(settings.model), settings.model
        )
    elif settings.model == EMBEDDED:
        with EmbeddedServer() as embedded:
            yield dataclasses.replace(_EMBEDDED, base_url=embedded.base_url)
    else:
        name = filed_name(settings.model)
        server = AnswerSource(f"{settings.model} at {settings.base_url}", name, settings.model, settings.base_url)
        info = asyncio.run(_describe(server, settings))
        yield dataclasses.replace(
            server, window=info.max_model_len, window_source=info.window_source, reported=info.reported
        )


def unstarted_source(settings: Settings) -> AnswerSource | None:
    """The source of a run that would start its own server, while that is not started; None for other runs.

    Raises:
        UsageError: the serving file cannot be used.
    """
    if settings.responses is not None:
        return None
    if settings.model == EMBEDDED:
        return dataclasses.replace(_EMBEDDED, base_url=None)
    if settings.serve is None:
        return None
    from runner.serving import planned_window

    window = planned_window(settings)
    told = "max_model_len in the serving file" if window is not None else ""
    return AnswerSource(settings.model, filed_name(settings.model), settings.model, window=window, window_source=told)


def lost_source(settings: Settings, recorded: Mapping[str, Any], run_dir: Path | None) -> AnswerSource | None:
    """The source of a resumed run whose server cannot be reached any more: the server's record and the journal.

    Args:
        settings: the run's settings.
        recorded: content of the resumed run's ``run.json``; empty for a new run.
        run_dir: the run's folder; None for a new run.

    Returns:
        the source, or None if ``run.json`` records no model or the run has no server.
    """
    before = recorded.get("model")
    if run_dir is None or not before or settings.base_url is None:
        return None
    return AnswerSource(
        label=f"{settings.model} at {settings.base_url}",
        filed_as=filed_name(settings.model),
        served_name=before["served_as"],
        base_url=settings.base_url,
        window=before["max_model_len"],
        window_source=before.get("window_from", ""),
        reported=before["reported"],
        kept=run_dir / "responses.jsonl",
    )


async def _describe(server: AnswerSource, settings: Settings) -> ServerInfo:
    access = model_access(settings)
    async with Endpoint(server.base_url or "", api_key(settings), concurrency=1, **access.options()) as endpoint:
        return await endpoint.describe(server.served_name, must_be_listed=access.listed)


def answers_sha256(settings: Settings) -> str | None:
    """Digest of the file of saved answers, if the run scores one.

    Raises:
        ResponsesError: it cannot be read.
    """
    if settings.responses is None:
        return None
    try:
        return hashlib.sha256(Path(settings.responses).read_bytes()).hexdigest()
    except OSError as error:
        raise ResponsesError(f"--responses {settings.responses}: {error}") from error


def source_records(settings: Settings, server: AnswerSource) -> dict[str, dict[str, Any]]:
    """What ``run.json`` says of what answers, and how: its ``model`` and its ``sampling``."""
    return {
        "model": {
            "requested": settings.model,
            "served_as": server.served_name,
            "base_url": server.base_url,
            "max_model_len": server.window,
            "window_from": server.window_source,
            "reported": dict(server.reported) if server.reported is not None else None,
        },
        "sampling": {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_new_tokens": settings.max_new_tokens or server.default_cap,
            "extra_body": dict(settings.extra_body),
            "note": _SAVED_NOTE if settings.responses is not None else _ASKED_NOTE,
        },
    }


def generation_phrase(settings: Settings, server: AnswerSource) -> str:
    """The words of the table about how answers were generated."""
    if settings.responses is not None:
        return "none, saved answers"
    how = "greedy (temperature 0)" if settings.temperature == 0 else f"temperature {settings.temperature:g}"
    if settings.seed is not None:
        how += f", seed {settings.seed}"
    how += extra_body_phrase(settings.extra_body)
    cap = settings.max_new_tokens or server.default_cap
    if cap is None:
        return f"{how}, answers capped by the task"
    default = (
        "" if settings.max_new_tokens is not None else " (default of the embedded model, --max-new-tokens changes it)"
    )
    return f"{how}, at most {cap} new tokens an answer{default}"
