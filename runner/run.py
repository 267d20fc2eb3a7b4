"""One run from settings to exit status.

LightEval, and what imports it, is imported where it is first needed: a dataset without rows, a bad row, a server that
is not there or a refused resume is told before that takes its seconds.
"""

import asyncio
import contextlib
import json
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from endpoints.embedded import EmbeddedServer
from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from endpoints.saved import ResponsesError, SavedResponses
from endpoints.window import USUAL
from runner.access import model_access
from runner.answer_source import AnswerSource, answers_sha256, lost_source, open_source, source_records
from runner.console import command_name, say
from runner.data import configure, dataset_records, load_data
from runner.exits import Exit, UsageError
from runner.folder import filed_name, lock_folder, new_run_dir
from runner.judging import RunJudges
from runner.limits import check_lowered, keep_limits, record_window, with_known_window
from runner.reasoning import ReasoningWatch
from runner.run_file import RunFile
from runner.settings import EMBEDDED, Settings
from runner.signals import sigterm_like_ctrl_c
from runner.unsent import Unsent
from tasks.benchmark import Benchmark, DatasetError, DatasetHandle
from tasks.registry import benchmark

if TYPE_CHECKING:
    from endpoints.model import EndpointModel
    from runner.lighteval_run import LightevalRun
    from runner.stopping import Stopping

__all__ = ["execute"]


def execute(settings: Settings, *, run_dir: Path | None, instead: Unsent | None = None, command: Sequence[str]) -> int:
    """Run, and turn whatever happens into an exit status.

    Args:
        settings: complete settings.
        run_dir: folder of the run to go on with; None makes a new one.
        instead: what is done with the requests instead of sending them; None to send them.
        command: the command line, for the record.
    """
    run = _Run(settings, run_dir, list(command))
    with sigterm_like_ctrl_c() as terminated:
        try:
            return run.score() if instead is None else run.make_requests(instead)
        except (UsageError, ResponsesError) as error:
            return run.stop("failed", Exit.USAGE, f"error: {error}")
        except (EndpointError, DatasetError) as error:
            return run.stop("failed", Exit.UNAVAILABLE, f"error: {error}")
        except JournalError as error:
            return run.stop("stopped", Exit.INCOMPLETE if run.answered_any else Exit.USAGE, f"error: {error}")
        except OSError as error:
            return run.stop("stopped", run.broken, f"error: {error}")
        except Exception:
            # Ours to mend: the traceback is for the report, and the status is not that of a missed --fail-under.
            return run.stop("stopped", run.broken, f"internal error, please report it:\n{traceback.format_exc()}")
        except (KeyboardInterrupt, asyncio.CancelledError):
            kept = "stopped; finished answers are kept" if settings.responses is None else "stopped"
            return run.stop("interrupted", Exit.TERMINATED if terminated else Exit.INTERRUPTED, kept)
        finally:
            run.close()


class _Run:
    """The state of one run that an early end must know of."""

    def __init__(self, settings: Settings, run_dir: Path | None, command: list[str]) -> None:
        self.settings = settings
        self.run_dir = run_dir
        self.command = command
        self.recorded: dict[str, Any] = {}  # run.json of a resumed run, as it was
        if run_dir is not None:
            self.recorded = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))
        self.file: RunFile | None = None
        self.lock: TextIO | None = None
        self.answers: dict[str, Any] | None = None  # what run.json says of saved answers
        self.answered_any = False
        self.configured: dict[str, dict[str, Any]] = {}
        names = dict.fromkeys(task.benchmark for task in settings.tasks)
        self.benchmarks: dict[str, Benchmark] = {name: benchmark(name) for name in names}

    def close(self) -> None:
        """Let other processes at the run folder."""
        if self.lock is not None:
            self.lock.close()

    @property
    def broken(self) -> Exit:
        """Status of a run that this machine stopped: nothing could be had, or something is missing."""
        return Exit.INCOMPLETE if self.answered_any else Exit.UNAVAILABLE

    def stop(self, status: str, exit_status: Exit, message: str) -> int:
        """Record and say why the run ended early."""
        say(message)
        if self.file is not None:
            try:
                self.file.finish(status, exit_status)
            except OSError as error:
                say(f"run.json cannot be written: {error}")
            if exit_status != Exit.USAGE:
                say(f"go on with: {command_name()} --resume {self.run_dir}")
        return exit_status

    def make_requests(self, instead: Unsent) -> int:
        """Make the run's requests for another use than sending them; needs no server."""
        handles = self._data()
        cap = EmbeddedServer.max_new_tokens if self.settings.model == EMBEDDED else None
        model = self._model(AnswerSource("none", "none", self.settings.model, default_cap=cap), None)
        docs = self._pipeline(handles, model, Path(self.settings.output_dir)).docs
        self._notes(docs)
        instead(model, docs)
        return Exit.COMPLETE

    def score(self) -> int:
        """Generate, score, write the run folder, print the table."""
        if self.settings.responses is not None:
            saved = SavedResponses(Path(self.settings.responses))  # a bad file is named before a folder is made
            self.answers = {"from": saved.origin, "models": sorted(saved.models)}
        else:
            model_access(self.settings)  # likewise a header without a value
        handles = self._data()
        self._check_cap(handles)
        judges = RunJudges(self.settings, self.benchmarks)
        stopping = self._stopping(handles, judges)
        with contextlib.ExitStack() as stack:
            if self.settings.serve is not None:
                from runner.serving import serving

                file = self._open_folder(filed_name(self.settings.model), handles)  # the servers' logs go there
                judged = any(bench.judging is not None for bench in self.benchmarks.values())
                logs = file.path.with_name("logs")
                asked = self.settings.responses is None and self.settings.model != EMBEDDED
                servers = serving(Path(self.settings.serve), logs, asked=asked, judged=judged)
                file.content["serving"] = stack.enter_context(servers)
            judges.check()  # before anything is generated
            server = self._server(stack, handles, stopping)
            file = self.file or self._open_folder(server.filed_as, handles)
            server = self._record_sources(file, server, judges)
            from runner.live import LiveScores
            from runner.report import reasoning_facts, report

            model = self._model(server, file.path.with_name("responses.jsonl"))
            run = self._pipeline(handles, model, file.path.parent)
            model.on_window = lambda tokens: record_window(file, tokens)
            notes = self._notes(run.docs)
            generated = self.settings.responses is None and server.kept is None
            watch = ReasoningWatch(*reasoning_facts(self.settings, file.path.parent), say)
            enough = None if stopping is None else stopping.enough
            with LiveScores(self.benchmarks, len(run.docs), judges, watch, threaded=generated) as live:

                def on_answer(doc: Any, outcome: Any) -> Any:
                    self.answered_any = self.answered_any or outcome.status in ("answered", "blocked")
                    return live.on_answer(doc, outcome) if stopping is None else stopping.watch(live, doc, outcome)

                model.on_answer = on_answer
                if stopping is not None:
                    model.order, model.enough = stopping.places, stopping.enough
                model.on_waiting = live.on_waiting
                if judges.all:
                    verdicts = file.path.with_name("judgements.jsonl")
                    model.companion = lambda: judges.opened(verdicts, live.on_judge_waiting, enough)
                    model.most_waiting = judges.most_waiting
                records = run.evaluate()
        return report(
            run,
            records,
            settings=self.settings,
            benchmarks=self.benchmarks,
            handles=handles,
            server=server,
            judges=judges,
            file=file,
            notes=[*notes, *model.plan_notes],
            generated=model.generated,
            stopping=stopping,
        )

    def _data(self) -> dict[str, DatasetHandle]:
        """Every dataset of the run, checked, after the benchmarks have read their own options."""
        self.benchmarks, self.configured = configure(self.benchmarks, self.settings)
        return load_data(self.benchmarks, self.settings, self.recorded)

    def _stopping(self, handles: Mapping[str, DatasetHandle], judges: RunJudges) -> "Stopping | None":
        """The rule by which the run may end early; None if it has none.

        Raises:
            UsageError: it cannot be used with this dataset, or with the run that it names.
        """
        if self.settings.stop_when is None:
            return None
        from runner.stopping import open_stopping

        content = {
            "settings": self.settings.to_json(),
            "options": self.configured,
            "datasets": dataset_records(handles, self.benchmarks),
            "judge": judges.record(),
        }
        return open_stopping(self.settings, self._docs(handles), self.benchmarks, handles, content)

    def _server(
        self, stack: contextlib.ExitStack, handles: Mapping[str, DatasetHandle], stopping: "Stopping | None"
    ) -> AnswerSource:
        """What answers, for as long as the stack is open.

        A resumed run that misses no answer goes on without the server: only judging or scoring is left.

        Raises:
            EndpointError: it cannot be had, and it is needed.
        """
        try:
            return stack.enter_context(open_source(self.settings))
        except EndpointError as error:
            server = lost_source(self.settings, self.recorded, self.run_dir)
            if server is None or self.run_dir is None:
                raise
            docs = self._docs(handles)
            if not server.has_answered(docs if stopping is None else stopping.needed(docs, self.recorded)):
                raise
            say(f"warning: {error}; the run goes on without it: every answer is in {server.kept}")
            return server

    def _notes(self, docs: Sequence[Any]) -> list[str]:
        """What the benchmarks warn of before anything is sent."""
        notes = []
        for task in self.settings.tasks:
            bench = self.benchmarks[task.benchmark]
            if bench.notes is not None:
                notes += bench.notes([doc for doc in docs if doc.task_name == str(task)], task.fewshot)
        for note in notes:
            say(f"warning: {note}")
        return notes

    def _open_folder(self, filed_as: str, handles: Mapping[str, DatasetHandle]) -> RunFile:
        """Make or reopen the run folder and record what is about to run."""
        settings = self.settings
        if self.run_dir is None:
            self.run_dir = new_run_dir(
                Path(settings.output_dir), (settings.name or "").replace("/", "-") or filed_as, settings.tasks
            )
        self.lock = lock_folder(self.run_dir)
        answers = answers_sha256(settings)
        if self.recorded.get("answers_sha256", answers) != answers:
            raise UsageError(f"cannot resume {self.run_dir}: {self.settings.responses} has changed")
        self.file = RunFile.start(self.run_dir, settings, self.command)
        self.file.content |= {"answers_sha256": answers, "answers": self.answers}
        self.file.content["options"] = self.configured
        self.file.content["stopped"] = None if settings.past_stop else self.recorded.get("stopped")
        self.file.content["datasets"] = dataset_records(handles, self.benchmarks)
        self.file.write()
        say(f"run folder: {self.run_dir}")
        return self.file

    def _record_sources(self, file: RunFile, server: AnswerSource, judges: RunJudges) -> AnswerSource:
        """Record what answers and what judges.

        Returns:
            the source, with the window that the run learnt before if the source itself does not know it.

        Raises:
            UsageError: another window would cap answers otherwise, and ask for all of them again.
        """
        settings = self.settings
        server = with_known_window(server, self.recorded, self.run_dir)
        if self.recorded.get("model") and "sampling" in self.recorded:
            limits = (self.recorded["sampling"]["max_new_tokens"], self.recorded["model"].get("max_model_len"))
            if limits != (settings.max_new_tokens or server.default_cap, server.window):
                keep_limits(file, *limits)
        if server.window is not None and server.window_source not in ("", USUAL) and settings.model != EMBEDDED:
            say(f"the server's window: {server.window} tokens, learnt from {server.window_source}")
        file.content |= source_records(settings, server) | {"judge": judges.record()}
        file.write()
        return server

    def _check_cap(self, handles: Mapping[str, DatasetHandle]) -> None:
        """Check that a resume which sets a cap lowers it.

        Raises:
            UsageError: it would raise the cap of the run, or of a task if the run had none of its own.
        """
        now, before = self.settings.max_new_tokens, self.recorded.get("sampling")
        if now is None or before is None or self.run_dir is None:
            return
        own = before["max_new_tokens"]
        if own is None:
            docs = self._docs(handles)
            own = min((doc.specific.get("max_tokens") or doc.generation_size or now for doc in docs), default=now)
        check_lowered(now, own, self.run_dir)

    def _model(self, server: AnswerSource, journal: Path | None) -> "EndpointModel":
        from runner.assembly import make_model

        return make_model(self.settings, server, journal, self.file.content if self.file is not None else {})

    def _docs(self, handles: Mapping[str, DatasetHandle]) -> Sequence[Any]:
        """The run's documents, before it is known what answers them."""
        model = self._model(AnswerSource("none", "none", self.settings.model), None)
        return self._pipeline(handles, model, self.run_dir or Path(self.settings.output_dir)).docs

    def _pipeline(
        self, handles: Mapping[str, DatasetHandle], model: "EndpointModel", output_dir: Path
    ) -> "LightevalRun":
        from runner.assembly import make_run

        return make_run(self.settings, self.benchmarks, handles, model, output_dir)
