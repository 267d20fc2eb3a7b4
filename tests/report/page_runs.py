"""Runs whose page is made: folders with scores, and texts that want to do harm."""

import json

from answer_rows import IFHARD, answered, made_row
from report_runs import write_run

from metrics.summary import flat
from report.html.page import page
from report.html.view import views
from tasks.names import TaskName
from tasks.registry import benchmark

# Each would set `canary`, ask for a file, or change how what follows looks.
HOSTILE = (
    "</script><script>window.canary = 1</script>",
    "<img src=x onerror=\"window.canary = 1; document.title = 'canary'\">",
    "<svg onload=window.canary=1><iframe src=https://example.org/canary></iframe>",
    "' onmouseover='window.canary=1' autofocus onfocus='window.canary=1",
    "<!-- <script> <style>*{display:none}</style> ]]> {{ 7*7 }} {% for %} ${canary} \\u003c",
    '<a href="javascript:window.canary=1">https://example.org</a><link rel=stylesheet href=//example.org/canary>',
    "\u202eразворот\u202c \u2066слово\u2069 \u200bнуль\u200f a\x00b \ufeff\u00ad\U000e0041 \x1b[31m \u2028 конец",
)


def scored(folder, rows, **content):
    """A run's folder whose ``run.json`` has the scores of its tasks."""
    run = write_run(folder, rows, **content)
    by_task = {}
    for row in rows:
        by_task.setdefault(row["doc"]["task_name"], []).append(row["metric"]["record"])
    told = json.loads((run / "run.json").read_text(encoding="utf-8"))
    told["tasks"] = {
        task: flat(benchmark(TaskName.read(task).benchmark).summarise(records)) for task, records in by_task.items()
    }
    (run / "run.json").write_text(json.dumps(told), encoding="utf-8")
    return run


def ifhard_row(number, text, tier="easy", **more):
    """A question for two words without a comma."""
    labels = {"tier": tier, "topic": "food"}
    return made_row(IFHARD, answered(text, **more), id=f"q{number:03d}", labels=labels)


def page_of(*folders, **more):
    """The page of runs."""
    return page(views(folders), **more)


def write_page(tmp_path, *folders, **more):
    """The same in a file, in a folder of its own."""
    (tmp_path / "shown").mkdir()
    path = tmp_path / "shown" / "page.html"
    path.write_text(page_of(*folders, **more), encoding="utf-8", newline="\n")
    return path
