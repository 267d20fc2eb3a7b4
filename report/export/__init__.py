"""``report export``: a finished run in the forms that others read, as files; nothing is sent anywhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from report.errors import ReportError
from report.export.files import put_all

__all__ = ["FORMS", "export_runs"]

FORMS: Final = ("hub", "eee", "mera")


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
    from runs.folder import open_run

    if form != "mera" and len(folders) > 1:
        raise ReportError(f"--form {form} takes one run at a time; --form mera takes one of each benchmark")
    if form != "eee" and model_id is not None:
        raise ReportError(f"--model-id is for --form eee: --form {form} names no model")
    runs = [open_run(folder) for folder in folders]
    if form == "hub":
        from report.export.hub import hub_export

        made = hub_export(runs[0])
    elif form == "eee":
        from report.export.eee import eee_export

        made = eee_export(runs[0], model_id)
    else:
        from report.export.mera import mera_export

        made = mera_export(runs)
    return {"form": form, "files": [str(path) for path in put_all(out, made)], "notes": list(made.notes)}
