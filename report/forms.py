"""The JSON of the commands; its field names are a promise to scripts."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metrics.stats import Interval
from report.errors import ReportError
from runs.files import write_json

__all__ = ["ends_form", "write_form"]


def ends_form(interval: Interval | None) -> list[float] | None:
    """An interval's ends; None for none."""
    return None if interval is None else [interval.low, interval.high]


def write_form(form: Mapping[str, Any], where: str) -> None:
    """Write a form to a file, or to standard output for ``-``.

    Raises:
        ReportError: the file cannot be written.
    """
    if where == "-":
        sys.stdout.write(json.dumps(form, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
        return
    try:
        write_json(Path(where), form)
    except OSError as error:
        raise ReportError(f"--json {where}: {error.strerror or error}") from None
