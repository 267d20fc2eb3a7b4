"""``report export``: a finished run in the forms that others read, as files; nothing is sent anywhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report.errors import ReportError
from report.export.eee import eee_export
from report.export.files import Export, put_all
from report.export.hub import hub_export
from report.export.mera import mera_export
from runs.folder import Run, open_run

__all__ = ["export_runs"]


def export_runs(form: str, folders: Sequence[Path], out: Path, model_id: str | None = None) -> dict[str, Any]:
    """Write runs in one of the forms.

    Args:
        form: one of FORMS.
        folders: the runs' folders: one, for ``mera`` one a benchmark.
        out: where the files go; made where it is not.
        model_id: the model as ``ORG/NAME``, for ``eee``; None for the name that the run has.

    Returns:
        ``{"form", "files", "notes"}``: paths of the files, and what a reader must know.

    Raises:
        FileError: a folder holds no readable run.
        ReportError: a run cannot be put in that form, or a file cannot be written.
    """
    if form != "mera" and len(folders) > 1:
        raise ReportError(f"--form {form} takes one run at a time; --form mera takes one of each benchmark")
    if form != "eee" and model_id is not None:
        raise ReportError(f"--model-id is for --form eee: --form {form} names no model")
    runs = [open_run(folder) for folder in folders]
    try:
        made = _made(form, runs, model_id)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        where = ", ".join(str(run.folder) for run in runs)
        raise ReportError(f"{where}: {what}; run.json was changed, or is of another version") from error
    advice = "; the runs of both benchmarks go into one submission: name them in one command" if form == "mera" else ""
    return {"form": form, "files": [str(path) for path in put_all(out, made, advice)], "notes": list(made.notes)}


def _made(form: str, runs: Sequence[Run], model_id: str | None) -> Export:
    if form == "hub":
        return hub_export(runs[0])
    return eee_export(runs[0], model_id) if form == "eee" else mera_export(runs)
