"""Answers of an ungraded run, in the form that the official harness leaves them in (SOBHard contract, 1.1 and 2.4).

``samples_<task>.jsonl`` holds a line a question as lm-evaluation-harness logs samples: ``doc`` is the dataset row,
``arguments`` the messages, ``resps`` the texts as they came, ``filtered_resps`` the first of them after the official
filter, which drops leading white space and nothing else. ``submission_<task>.json`` is the same for an upload: the
filtered text by ``meta.id``. A sample without an answer stands in neither: an empty text would be scored.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    lines: dict[int, dict[str, Any]] = {}
    for doc, response in samples:
        if getattr(response, "outcome", "answered") != "answered":
            continue
        number = int(doc.id)
        text = response.text[0] if response.text else ""
        if number not in lines:
            lines[number] = {
                "doc_id": number,
                "doc": dict(doc.row),
                "target": "",
                "arguments": [[response.input]],
                "resps": [[]],
                "filtered_resps": [text.lstrip()],
            }
        lines[number]["resps"][0].append(text)
    ordered = [lines[number] for number in sorted(lines)]
    task = re.sub(r"\W", "_", samples[0][0].task_name) if samples else "sobhard"
    path = folder / f"samples_{task}.jsonl"
    path.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in ordered), encoding="utf-8", newline="\n"
    )
    answers = [{"outputs": line["filtered_resps"][0], "meta": {"id": line["doc"]["meta"]["id"]}} for line in ordered]
    submission = json.dumps({"data": {"test": answers}}, ensure_ascii=False, indent=1)
    (folder / f"submission_{task}.json").write_text(submission + "\n", encoding="utf-8", newline="\n")
    return path
