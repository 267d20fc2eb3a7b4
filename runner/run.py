"""One run from settings to exit status.

LightEval, and what imports it, is imported where it is first needed: see :mod:`runner.parts`.
"""

import asyncio
import contextlib
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from endpoints.errors import EndpointError
from endpoints.journal import JournalError
from endpoints.outlook import Outlook
from endpoints.saved import ResponsesError
from runner.answer_source import AnswerSource, answers_sha256, source_records
from runner.console import command_name, say
from runner.data import dataset_records
from runner.exits import Exit, UsageError
from runner.folder import filed_name, lock_folder, new_run_dir
from runner.judging import RunJudges
from runner.limits import keep_limits, limits_before, record_window, with_known_window
from runner.load import RunLoads
from runner.looks import look_ahead, make_requests
from runner.parts import RunParts, read_record
from runner.reasoning import ReasoningWatch
from runner.run_file import RunFile
from runner.settings import EMBEDDED, Settings
from runner.signals import sigterm_like_ctrl_c
from runner.unsent import Unsent
from tasks.benchmark import DatasetError, DatasetHandle

__all__ = ["execute"]


def execute(
    settings: Settings,
    *,
    run_dir: Path | None,
    instead: Unsent | None = None,
    command: Sequence[str],
    dry: bool = False,
) -> int:
    """Run, and turn whatever happens into an exit status.

    Args:
        settings: complete settings.
        run_dir: folder of the run to go on with; None makes a new one.
        instead: what is done with the requests instead of sending them; None to send them.
        command: the command line, for the record.
        dry: print what would be sent instead of running.
    """
    run = _Run(settings, run_dir, list(command))
    with sigterm_like_ctrl_c() as terminated:
        try:
            if instead is not None:
                return make_requests(run, instead)
            return look_ahead(run) if dry else run.score()
        except (UsageError, ResponsesError) as error:
            return run.stop("failed", Exit.USAGE, f"error: {error}")
        except (EndpointError, DatasetError) as error:
            return run.stop("failed", Exit.UNAVAILABLE, f"error: {error}")
        except JournalError as error:
            refused = not run.answered_any and not isinstance(error.__cause__, OSError)
            return run.stop("stopped", Exit.USAGE if refused else run.broken, f"error: {error}")
        except OSError as error:
            return run.stop("stopped", run.broken, f"error: {_words(error)}")
        except Exception:
            # Ours to mend: the traceback is for the report, and the status is not that of a missed --fail-under.
            return run.stop("stopped", run.broken, f"internal error, please report it:\n{traceback.format_exc()}")
        except (KeyboardInterrupt, asyncio.CancelledError):
            kept = "stopped; finished answers are kept" if settings.responses is None else "stopped"
            return run.stop("interrupted", Exit.TERMINATED if terminated else Exit.INTERRUPTED, kept)
        finally:
            run.close()


def _words(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)


class _Run(RunParts):
    """The state of one run that an early end must know of."""

    def __init__(self, settings: Settings, run_dir: Path | None, command: list[str]) -> None:
        super().__init__(settings, run_dir)
        self.command = command
        self.file: RunFile | None = None
        self.lock: TextIO | None = None
        self.answered_any = False

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
                say(f"{_words(error)}: run.json does not say how the run ended")
            if exit_status != Exit.USAGE:
                say(f"go on with: {command_name()} --resume {self.run_dir}")
        return exit_status

    def score(self) -> int:
        """Generate, score, write the run folder, print the table."""
        if self.run_dir is not None:
            self.lock = lock_folder(self.run_dir)
            self.recorded = read_record(self.run_dir)  # another process may have ended its session meanwhile
        handles, judges, stopping = self.prepared()
        workers: Mapping[str, Sequence[str]] = {}
        with contextlib.ExitStack() as stack:
            if self.settings.serve is not None:
                from runner.serving import file_of, serving

                file = self._open_folder(filed_name(self.settings.model), handles)  # the servers' logs go into it
                judged = any(bench.judging is not None for bench in self.benchmarks.values())
                asked = self.settings.responses is None and self.settings.model != EMBEDDED
                before = self.recorded.get("settings", {}).get("serve_plan")
                path = file_of(self.settings, file.path.parent, before)
                stack.enter_context(serving(file, path, asked=asked, judged=judged))
                workers = file.content["serving"]["workers"]
            judges.check()  # before anything is generated
            server = self.server(stack, handles, stopping)
            file = self.file or self._open_folder(server.filed_as, handles)
            server = self._record_sources(file, server, judges)
            from runner.live import LiveScores
            from runner.report import reasoning_facts, report

            model = self.model(server, file.path.with_name("responses.jsonl"), file.content.get("earlier_limits", []))
            run = self.pipeline(handles, model, file.path.parent)
            loads = RunLoads(self.settings, server, judges, workers)
            model.gate = loads.model_gate
            model.on_window = lambda tokens: record_window(file, tokens)
            notes = self.notes(run.docs)
            generated = self.settings.responses is None and server.kept is None
            watch = ReasoningWatch(*reasoning_facts(self.settings, file.path.parent), say)
            enough = None if stopping is None else stopping.enough
            caveat = "; --stop-when may end it earlier" if stopping is not None and not self.settings.past_stop else ""
            with LiveScores(self.benchmarks, run.docs, judges, watch, threaded=generated, caveat=caveat) as live:

                def on_answer(doc: Any, outcome: Any) -> Any:
                    self.answered_any = self.answered_any or outcome.status in ("answered", "blocked")
                    return live.on_answer(doc, outcome) if stopping is None else stopping.watch(live, doc, outcome)

                async def on_outlook(outlook: Outlook) -> None:
                    await self.preflight(server).tell(outlook)
                    live.begin(longest_first=model.longest_first)

                model.on_answer, model.on_outlook = on_answer, on_outlook
                if stopping is not None:
                    model.order, model.first, model.enough = stopping.places, stopping.decided, stopping.enough
                model.on_waiting = live.on_waiting
                verdicts = file.path.with_name("judgements.jsonl")
                model.companion = lambda: live.beside(
                    loads.beside(judges.opened(verdicts, live.on_judge_waiting, enough))
                )
                if judges.all:
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
            loads=loads,
            stopping=stopping,
        )

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
        limits = limits_before(self.recorded, settings, server)
        if limits is not None:
            keep_limits(file, *limits)
        file.content |= source_records(settings, server) | {"judge": judges.record()}
        file.write()
        return server
