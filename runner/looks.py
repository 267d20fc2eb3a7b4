"""What stands in for a run: its requests made for another use, or only told of (``--dry-run``)."""

import asyncio
import contextlib
from pathlib import Path

from endpoints.embedded import EmbeddedServer
from runner.answer_source import AnswerSource, unstarted_source
from runner.console import show
from runner.exits import Exit
from runner.limits import limits_before, with_known_window
from runner.parts import RunParts
from runner.settings import EMBEDDED
from runner.unsent import Unsent

__all__ = ["look_ahead", "make_requests"]


def make_requests(run: RunParts, instead: Unsent) -> Exit:
    """Make the run's requests for another use than sending them; needs no server."""
    handles = run.data()
    cap = EmbeddedServer.max_new_tokens if run.settings.model == EMBEDDED else None
    model = run.model(AnswerSource("none", "none", run.settings.model, default_cap=cap), None)
    docs = run.pipeline(handles, model, Path(run.settings.output_dir)).docs
    run.notes(docs)
    instead(model, docs)
    return Exit.COMPLETE


def look_ahead(run: RunParts) -> Exit:
    """Print what the run would send and whether it fits. No question is sent, nothing is started or written.

    The servers of the model and the judge have to be there, unless the run would start them itself.
    """
    handles, judges, stopping = run.prepared()
    with contextlib.ExitStack() as stack:
        server = unstarted_source(run.settings)
        if run.settings.serve is None:
            judges.check()
        server = with_known_window(server or run.server(stack, handles, stopping), run.recorded, run.run_dir)
        limits = limits_before(run.recorded, run.settings, server)
        earlier = [*run.recorded.get("earlier_limits", []), *([limits] if limits is not None else [])]
        journal = None if run.run_dir is None else run.run_dir / "responses.jsonl"
        model = run.model(server, journal, earlier)
        docs = run.pipeline(handles, model, run.run_dir or Path(run.settings.output_dir)).docs
        run.notes(docs)
        model.order = None if stopping is None else stopping.places
        model.on_outlook = run.preflight(server, lambda line: show(line + "\n")).tell
        asyncio.run(model.look_ahead(docs))
    return Exit.COMPLETE
