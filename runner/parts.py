"""What a run is made of, before it is run: data, judges, documents, the model and the pipeline of its settings.

LightEval, and what imports it, is imported where it is first needed: a dataset without rows, a bad row, a server that
is not there or a refused resume is told before that takes its seconds.
"""

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endpoints.errors import EndpointError
from endpoints.saved import SavedResponses
from runner.access import model_access
from runner.answer_source import AnswerSource, lost_source, open_source
from runner.console import say
from runner.data import configure, dataset_records, load_data
from runner.judging import RunJudges
from runner.limits import check_lowered
from runner.preflight import Preflight
from runner.settings import Settings
from tasks.benchmark import Benchmark, DatasetHandle
from tasks.registry import benchmark

if TYPE_CHECKING:
    from endpoints.model import EndpointModel
    from runner.lighteval_run import LightevalRun
    from runner.stopping import Stopping

__all__ = ["RunParts", "read_record"]


def read_record(run_dir: Path) -> dict[str, Any]:
    """The ``run.json`` of a run that is resumed."""
    record: dict[str, Any] = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))
    return record


class RunParts:
    """The parts of a run.

    Args:
        settings: complete settings.
        run_dir: folder of the run to go on with; None for a new one.

    Attributes:
        settings, run_dir: as given; a new run makes its folder later.
        recorded: ``run.json`` of a resumed run, as it was; empty for a new one.
        benchmarks: by name; with their own options once the data was read.
        configured: what they say of these options for ``run.json``, by name.
        answers: what ``run.json`` says of saved answers; None without any.
    """

    def __init__(self, settings: Settings, run_dir: Path | None) -> None:
        self.settings = settings
        self.run_dir = run_dir
        self.recorded: dict[str, Any] = read_record(run_dir) if run_dir is not None else {}
        self.answers: dict[str, Any] | None = None
        self.configured: dict[str, dict[str, Any]] = {}
        names = dict.fromkeys(task.benchmark for task in settings.tasks)
        self.benchmarks: dict[str, Benchmark] = {name: benchmark(name) for name in names}

    def prepared(self) -> tuple[dict[str, DatasetHandle], RunJudges, "Stopping | None"]:
        """What a run needs to be there before any server is asked."""
        if self.settings.responses is not None:
            saved = SavedResponses(Path(self.settings.responses))  # a bad file is named before a folder is made
            self.answers = {"from": saved.origin, "models": sorted(saved.models)}
        else:
            model_access(self.settings)  # likewise a header without a value
        handles = self.data()
        self.check_cap(handles)
        judges = RunJudges(self.settings, self.benchmarks)
        return handles, judges, self.stopping(handles, judges)

    def preflight(self, server: AnswerSource, write: Callable[[str], None] = say) -> Preflight:
        """What tells of the requests before they are sent, line by line."""
        return Preflight(self.settings, self.benchmarks, server, self.run_dir, write)

    def data(self) -> dict[str, DatasetHandle]:
        """Every dataset of the run, checked, after the benchmarks have read their own options."""
        self.benchmarks, self.configured = configure(self.benchmarks, self.settings)
        return load_data(self.benchmarks, self.settings, self.recorded)

    def stopping(self, handles: Mapping[str, DatasetHandle], judges: RunJudges) -> "Stopping | None":
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
        return open_stopping(self.settings, self.docs(handles), self.benchmarks, handles, content, self.recorded)

    def server(
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
            docs = self.docs(handles)
            if not server.has_answered(docs if stopping is None else stopping.needed(docs)):
                raise
            say(f"warning: {error}; the run goes on without it: every answer is in {server.kept}")
            return server

    def notes(self, docs: Sequence[Any]) -> list[str]:
        """What the benchmarks warn of before anything is sent."""
        notes = []
        for task in self.settings.tasks:
            bench = self.benchmarks[task.benchmark]
            if bench.notes is not None:
                notes += bench.notes([doc for doc in docs if doc.task_name == str(task)], task.fewshot)
        for note in notes:
            say(f"warning: {note}")
        return notes

    def check_cap(self, handles: Mapping[str, DatasetHandle]) -> None:
        """Check that a resume which sets a cap lowers it.

        Raises:
            UsageError: it would raise the cap of the run, or of a task if the run had none of its own.
        """
        now, before = self.settings.max_new_tokens, self.recorded.get("sampling")
        if now is None or before is None or self.run_dir is None:
            return
        own = before["max_new_tokens"]
        if own is None:
            docs = self.docs(handles)
            own = min((doc.specific.get("max_tokens") or doc.generation_size or now for doc in docs), default=now)
        check_lowered(now, own, self.run_dir)

    def model(self, server: AnswerSource, journal: Path | None, earlier_limits: Sequence[Any] = ()) -> "EndpointModel":
        """The model of the run; ``earlier_limits`` are caps and windows under which the journal may hold answers."""
        from runner.assembly import make_model

        return make_model(self.settings, self.benchmarks, server, journal, earlier_limits)

    def docs(self, handles: Mapping[str, DatasetHandle]) -> Sequence[Any]:
        """The run's documents, before it is known what answers them."""
        model = self.model(AnswerSource("none", "none", self.settings.model), None)
        return self.pipeline(handles, model, self.run_dir or Path(self.settings.output_dir)).docs

    def pipeline(
        self, handles: Mapping[str, DatasetHandle], model: "EndpointModel", output_dir: Path
    ) -> "LightevalRun":
        """LightEval's pipeline over the run's tasks."""
        from runner.assembly import make_run

        return make_run(self.settings, self.benchmarks, handles, model, output_dir)
