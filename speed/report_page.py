"""How heavy the page of a large run is, and how soon it opens in a headless Chromium.

    python speed/report_page.py

Two runs are made up: IFHardBench's 1,260 questions with its witnesses and spoiled ones as answers, and 825 questions of
SOBHard whose prompts are 20,000 characters of noise, which compresses worst. Printed for each: seconds to make the
page, its megabytes, and seconds until the table of answers is there, the best of three. The limits are 15 MB and 30 MB,
and 3 s; the exit status is 1 beyond them. Needs Debian's package chromium.
"""

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from metrics.record import Answer, Record, Sample
from metrics.sobhard.rows import labels, row_id, scoring_key
from metrics.summary import flat
from report.html.page import page
from report.html.view import views
from tasks.names import TaskName
from tasks.registry import benchmark

ROOT: Final = Path(__file__).resolve().parents[1]
IFHARD: Final = "ifhard:all|0"
SOBHARD: Final = "sobhard:all|0"
LIMITS: Final = {IFHARD: 15, SOBHARD: 30}  # megabytes
OPENS: Final = 3.0  # seconds
_LETTERS: Final = "абвгдежзиклмнопрстуфхцчшщыэюя     \n.,:;{}[]\"'0123456789abcdefghijklmnopqrstuvwxyzАБВГ"

Row = dict[str, Any]


def ifhard_rows() -> Iterator[Row]:
    """Every question with its witness, every second one spoiled."""
    data = ROOT / "tasks" / "ifhard" / "data"
    witnesses = {line["id"]: line["response"] for line in _lines(data / "witnesses.jsonl")}
    for number, line in enumerate(_lines(data / "test.jsonl")):
        meta = line["meta"]
        told = {**meta["categories"], "task": line["inputs"]["question"]}
        sample = Sample(meta["base_id"], 0, meta["constraints"], json.dumps(told, ensure_ascii=False))
        text = witnesses[sample.id] + (" Впрочем, ЭТО лишнее; 100%, да!" if number % 2 else "")
        yield _row(IFHARD, sample, line["instruction"].format(**line["inputs"]), text)


def sobhard_rows(count: int = 825, characters: int = 20_000) -> Iterator[Row]:
    """Questions of the small set again and again, under ids of their own and with noise for prompts."""
    draw = random.Random(825)
    data = ROOT / "tasks" / "sobhard" / "data"
    lines = _lines(data / "test.jsonl")
    witnesses = {line["id"]: line["response"] for line in _lines(data / "witnesses.jsonl")}
    for number in range(count):
        line = lines[number % len(lines)]
        sample = Sample(f"{row_id(line)}-{number}", 0, scoring_key(line), labels(line))
        yield _row(SOBHARD, sample, "".join(draw.choices(_LETTERS, k=characters)), witnesses[row_id(line)])


def write_run(folder: Path, task: str, rows: Sequence[Row]) -> Path:
    """A run's folder as ``run_lighteval.py`` leaves it, of one task."""
    details = folder / "details" / "made-up"
    details.mkdir(parents=True)
    table = pa.Table.from_pylist(list(rows))
    pq.write_table(table, details / f"details_{task}_2026-01-01T00-00-00.000000.parquet")
    name = TaskName.read(task).benchmark
    records: list[Record] = [row["metric"]["record"] for row in rows]
    content = {
        "status": "complete",
        "settings": {"model": "made-up", "full": True, "tasks": [task]},
        "tasks": {task: flat(benchmark(name).summarise(records))},
    }
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _row(task: str, sample: Sample, prompt: str, text: str) -> Row:
    record = benchmark(TaskName.read(task).benchmark).score(sample, Answer(text), None)
    return {
        "doc": {"query": prompt, "task_name": task, "specific": sample._asdict()},
        "metric": {"record": record},
        "model_response": {
            "text": [text],
            "input": [{"role": "user", "content": prompt}],
            "finish_reasons": ["stop"],
        },
    }


async def opening_time(path: Path) -> float:
    """Seconds from the start of loading until the table of answers is there; the best of three."""
    sys.path.insert(0, str(ROOT / "tests"))
    from devtools import browser  # type: ignore[import-not-found]  # the tests' own, no package

    times = []
    with tempfile.TemporaryDirectory() as folder:
        async with browser(Path(folder)) as chromium:
            for _ in range(3):
                async with chromium.tab() as tab:
                    began = time.perf_counter()
                    await tab.open(path)
                    while not await tab.value("document.querySelectorAll('#rows tbody tr').length > 0"):
                        await asyncio.sleep(0.01)
                    times.append(time.perf_counter() - began)
    return min(times)


def main() -> int:
    """Print the figures of both pages."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for task, rows in ((IFHARD, list(ifhard_rows())), (SOBHARD, list(sobhard_rows()))):
            run = write_run(Path(folder) / task.partition(":")[0], task, rows)
            began = time.perf_counter()
            text = page(views([run]))
            made = time.perf_counter() - began
            path = Path(folder) / f"{task.partition(':')[0]}.html"
            path.write_text(text, encoding="utf-8", newline="\n")
            weight, opened = path.stat().st_size / 1e6, asyncio.run(opening_time(path))
            print(f"{task}: {len(rows)} answers, made in {made:.1f} s, {weight:.1f} MB, there after {opened:.2f} s")
            good = good and weight < LIMITS[task] and opened < OPENS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
