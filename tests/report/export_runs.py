"""Finished runs with the numbers that ``run.json`` holds, and what ``report export`` makes of them."""

import json

from answer_rows import IFBENCH, IFHARD, OPEN, answered, judged, made_row
from report_runs import command, write_run

from metrics.summary import flat
from tasks.registry import benchmark

STARTED, ENDED = "2026-11-29T10:00:00+00:00", "2026-11-29T12:30:00+02:00"
SHA256 = "ab" * 32
OFFICIAL = {"name": "official", "revision": "c" * 40, "sha256": SHA256, "scorer_version": "2-1"}
PLACE = "/home/someone/secret"


def finished_run(folder, rows, *, questions=None, **content):
    """A run's folder with its summary, as the runner writes both.

    Args:
        rows: of the details files.
        questions: number of questions in the dataset by the plain name of a task.
        content: of ``run.json``, further or instead.
    """
    records = {}
    for row in rows:
        records.setdefault(row["doc"]["task_name"], []).append(row["metric"]["record"])
    names = {task.partition(":")[0] for task in records}
    entry = {"name": "builtin", "sha256": SHA256, "revision": None, "scorer_version": "2-1"}
    usual = {
        "datasets": {name: entry | {"questions": questions or {}} for name in names},
        "sessions": [{"started": STARTED, "ended": ENDED, "command": ["run_lighteval.py", PLACE]}],
        "versions": {"lighteval": "0.13.0", "lighteval-hard": "0.1.0", "commit": "abc", "python": "3.11.7"},
        "model": {"requested": "org/model", "base_url": "http://10.1.2.3:8001/v1", "reported": {"owned_by": "vllm"}},
    }
    given = dict(content)
    numbers = {task: flat(benchmark(task.partition(":")[0]).summarise(found)) for task, found in records.items()}
    numbers = given.pop("tasks", numbers)
    datasets = given.pop("datasets", {})
    usual["datasets"] = {name: {**of, **datasets.get(name, {})} for name, of in usual["datasets"].items()}
    settings = {"base_url": "http://10.1.2.3:8001/v1", "output_dir": PLACE, **given.pop("settings", {})}
    path = write_run(folder, rows, settings=settings, **{**usual, **given}) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"tasks": numbers}), encoding="utf-8")
    return path.parent


def ifhard_rows(texts, outcomes=None):
    """A row for each text; ``outcomes`` take the place of answers by their number."""
    return [
        made_row(IFHARD, (outcomes or {}).get(number) or answered(text), id=f"q{number}")
        for number, text in enumerate(texts)
    ]


def run_of(name, folder, **content):
    """A small run of a benchmark, half of it right."""
    rows = {
        "ifhard": lambda: ifhard_rows(["раз два", "раз, два"]),
        "ifbench": lambda: [
            made_row(IFBENCH, answered(text), id=f"q{number}", labels={"x": "y"})
            for number, text in enumerate(["1 2", "1"])
        ],
        "hardmultiqa": lambda: [
            made_row(OPEN, answered("Волга"), id=f"q{grade}", judgement=judged(grade, f'{{"grade": {grade}}}'))
            for grade in (0, 1)
        ],
        "sobhard": sobhard_rows,
    }[name]()
    return finished_run(folder, rows, **content)


def sobhard_rows():
    """Two questions of the small set with right and wrong answers."""
    from sobhard_docs import split_rows, witnesses

    from metrics.record import Answer, Sample
    from metrics.sobhard.rows import labels, scoring_key

    bench, right = benchmark("sobhard"), witnesses()
    made = []
    for row, known in zip(split_rows("test")[:2], (True, False), strict=True):
        name = row["meta"]["base_id"]
        text = right[name] if known else "не знаю"
        sample = Sample(name, 0, scoring_key(row), labels(row))
        doc = {"query": "Вопрос", "task_name": "sobhard:all|0", "specific": sample._asdict()}
        response = {"text": [text], "reasonings": [None], "input": [{"role": "user", "content": "Вопрос"}]}
        made.append({"doc": doc, "metric": {"record": bench.score(sample, Answer(text), None)}})
        made[-1]["model_response"] = response | {"prompt_tokens": None, "completion_tokens": None}
    return made


def exported(form, out, *runs, code=0, **options):
    """What the command writes to its ``--json``; its exit status is as told."""
    told = out.parent / f"{out.name}-{form}.json"
    more = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    assert command("export", *runs, "--form", form, "-o", out, "--json", told, *more) == code
    return json.loads(told.read_text(encoding="utf-8")) if code == 0 else None


def files_of(out):
    """Contents by path below a folder."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
