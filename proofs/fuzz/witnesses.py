"""The right answers that the generator of IFHardBench has made, with the requirements that each meets."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import tasks.ifhard

__all__ = ["witnesses"]


@cache
def witnesses() -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
    """Texts, each with categories and parameters, in the order of the committed questions."""
    folder = Path(tasks.ifhard.__path__[0]) / "data"
    read = {name: (folder / name).read_text("utf-8").splitlines() for name in ("test.jsonl", "witnesses.jsonl")}
    texts = {line["id"]: line["response"] for line in map(json.loads, read["witnesses.jsonl"])}
    rows = (json.loads(line)["meta"] for line in read["test.jsonl"])
    return tuple(
        (texts[row["base_id"]], tuple((c["category"], c["params"]) for c in json.loads(row["constraints"])))
        for row in rows
    )
