"""Answers of an ungraded run, in the form that the official harness leaves them in (SOBHard contract, 1.1 and 2.4).

``samples_<task>.jsonl`` holds a line a question as lm-evaluation-harness logs samples: ``doc`` is the dataset row,
``arguments`` the messages, ``resps`` the texts as they came, ``filtered_resps`` the first of them after the official
filter. ``submission_<task>.json`` is the same for an upload: the filtered text by ``meta.id``. A sample without an
answer stands in neither: an empty text would be scored.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.submission import harness_line, jsonl, submission

__all__ = ["export_answers"]


def export_answers(folder: Path, samples: Sequence[tuple[Any, Any]]) -> Path:
    """Write both files.

    Args:
        folder: the run's folder.
        samples: documents (sampler.SessionDoc) of one task with their LightEval responses; repeats of a question are
            further ``resps`` of its line.

    Returns:
        Path of the samples file.
    """
    answered: dict[int, tuple[Any, Any, list[str]]] = {}
    for doc, response in samples:
        if getattr(response, "outcome", "answered") == "answered":
            _, _, texts = answered.setdefault(int(doc.id), (doc.row, response.input, []))
            texts.append(response.text[0] if response.text else "")
    lines = [harness_line(number, *answered[number]) for number in sorted(answered)]
    task = re.sub(r"\W", "_", samples[0][0].task_name) if samples else "sobhard"
    path = folder / f"samples_{task}.jsonl"
    path.write_text(jsonl(lines), encoding="utf-8", newline="\n")
    (folder / f"submission_{task}.json").write_text(submission(lines), encoding="utf-8", newline="\n")
    return path
