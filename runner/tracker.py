"""LightEval's results file and details of a run: dated, whole or not there at all."""

import contextlib
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lighteval.logging.evaluation_tracker import EnhancedJSONEncoder, EvaluationTracker
from lighteval.logging.info_loggers import MetricsLogger

from runner.details import write_details
from runs.files import write_text

__all__ = ["PlainMetricsLogger", "Tracker"]

_DATE: Final = "%Y-%m-%dT%H-%M-%S.%f"


class PlainMetricsLogger(MetricsLogger):
    """Holds the rows that it is given; it collects and aggregates nothing.

    LightEval's own aggregation adds macro averages over unlike tasks, fills metrics that a
    task lacks with 0.0, and cannot hold an undefined value.
    """

    def log(self, task_name: str, metrics: Any) -> None:
        """Collect nothing."""

    def aggregate(self, task_dict: Any, bootstrap_iters: int = 0) -> None:
        """Aggregate nothing."""


class Tracker(EvaluationTracker):
    """Writes LightEval's files, the details piece by piece; LightEval itself would hold them three times."""

    def save(self) -> None:
        """Write the results file and the details of each task, under one date."""
        folder = Path(self.output_dir)
        _remove_unfinished(folder)
        date_id = _next_date(folder)
        self.save_results(date_id, self.results)
        details = Path(self._get_details_sub_folder(date_id))
        details.mkdir(parents=True, exist_ok=True)
        for task, found in self.details_logger.details.items():
            write_details(details / f"details_{task}_{date_id}.parquet", found)

    def save_results(self, date_id: str, results_dict: dict[str, Any]) -> None:
        """Write the results file. LightEval itself would leave a part of it where the disk is full or a kill comes."""
        folder = Path(self.output_dir) / "results" / self.general_config_logger.model_name.strip("/")
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(results_dict, cls=EnhancedJSONEncoder, indent=2, ensure_ascii=False)
        write_text(folder / f"results_{date_id}.json", text)


def _next_date(folder: Path) -> str:
    """Now, in the names of LightEval's files, but after every date in a run's folder.

    The newest files are a run's results, and a clock may go back: it is set, an hour of summer time ends, or another
    machine with another time zone goes on with the run.
    """
    now = datetime.now()
    dates = map(_date_of, folder.glob("results/**/results_*.json"))
    newest = max((date for date in dates if date is not None), default=datetime.min)
    return (now if newest < now else newest + timedelta(microseconds=1)).strftime(_DATE)


def _date_of(results: Path) -> datetime | None:
    """The date in the name of a results file; None for a file that somebody has put beside them."""
    try:
        return datetime.strptime(results.stem.removeprefix("results_"), _DATE)
    except ValueError:
        return None


def _remove_unfinished(folder: Path) -> None:
    """Remove what a killed session had begun to write, and its folder where that is then empty."""
    for path in (*folder.glob("results/**/*.tmp"), *folder.glob("details/**/*.tmp")):
        with contextlib.suppress(OSError):
            path.unlink()
            path.parent.rmdir()
