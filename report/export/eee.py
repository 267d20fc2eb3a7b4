"""Every Eval Ever 0.3.0: an aggregate JSON and a JSON Lines file of its samples for each benchmark of a run.

The shapes are those of ``eval.schema.json`` and ``instance_level_eval.schema.json`` in the wheel of
``every-eval-ever``; the paths are its datastore's, ``data/<collection>/<developer>/<model>/<uuid>.json``. What a run
cannot know (who ran it, whether the weights are open) is said to be unknown. Addresses and paths of this machine are in
neither file.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from endpoints.outcome import storable
from report.errors import ReportError
from report.export.eee_model import UNSPECIFIED, judge_info, model_info, model_name
from report.export.eee_samples import Identity, sample_lines
from report.export.files import Export
from report.results import (
    Questions,
    Value,
    asked_of,
    ended,
    finished_tasks,
    generation_facts,
    judge_of,
    questions_of,
    reported_tasks,
    row_of,
    values,
    why_no_score,
)
from runs.folder import Run
from tasks.benchmark import Benchmark
from tasks.names import TaskName
from tasks.registry import benchmark

__all__ = ["VERSION", "eee_export"]

VERSION: Final = "0.3.0"
_BREAKS: Final = re.compile(r"[\x85\u2028\u2029]")  # JSON escapes the others itself
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
# Values that need no judge in a benchmark that has one.
_UNJUDGED: Final = frozenset({"empty_share"})


def eee_export(run: Run, model_id: str | None = None) -> Export:
    """Two files a benchmark.

    Args:
        run: the run.
        model_id: the model as ``ORG/NAME``; None for the name that the run has.

    A benchmark without a score has none, and a note says so.

    Raises:
        ReportError: no benchmark has a score, the run does not say when it ended, or ``model_id`` is none.
        FileError: its details cannot be read.
    """
    files: dict[str, bytes] = {}
    notes: list[str] = []
    model = model_name(run, model_id)
    for name in dict.fromkeys(task.benchmark for task in finished_tasks(run)):
        made = _benchmark_files(run, name, model)
        files |= made.files
        notes += made.notes
    if not files:
        raise ReportError(f"{run.folder}: {'; '.join(notes)}")
    if "/" not in model:
        notes.append(f"the model's name {model} names no organisation: --model-id ORG/NAME gives the one on the Hub")
    notes.append("who ran this is not in a run: fill in source_metadata before you hand the files on")
    return Export(files, tuple(notes))


def _benchmark_files(run: Run, name: str, model: str) -> Export:
    """The aggregate and its samples; no file where no answer has a score."""
    found, when = questions_of(run, name), ended(run)
    if when is None:
        raise ReportError(f"{run.folder}: run.json does not say when the run ended")
    epoch = str(int(when.timestamp()))
    identity = Identity(VERSION, f"{found.label}/{model.replace('/', '_')}/{epoch}", model)
    results, notes = _results(run, name, found)
    lines, missing = sample_lines(run, name, identity, result_id)
    if not results or not lines:
        notes += [why for task in reported_tasks(run, name) if (why := why_no_score(run, task)) not in ("", *notes)]
        return Export({}, tuple(notes))
    samples = b"".join(map(_line, lines))
    stem = _stem(run, found, model)
    detailed = {
        "format": "jsonl",
        "file_path": f"{stem}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(samples).hexdigest(),
        "total_rows": len(lines),
        "additional_details": {
            "rows": "one for each answer with a score, that of the task's first metric; the others are in metadata",
            **{f"without_a_row_{outcome}": str(count) for outcome, count in missing.items()},
        },
    }
    aggregate = {
        "schema_version": VERSION,
        "evaluation_id": identity.evaluation_id,
        "evaluation_timestamp": epoch,
        "retrieved_timestamp": epoch,  # when the run ended: a second export is the same file
        "source_metadata": {
            "source_name": "lighteval-hard",
            "source_type": "evaluation_run",
            "source_organization_name": UNSPECIFIED,
            "evaluator_relationship": "other",
        },
        "eval_library": _library(run),
        "model_info": model_info(run, model),
        "evaluation_results": results,
        "detailed_evaluation_results": detailed,
    }
    text = storable(json.dumps(aggregate, ensure_ascii=False, indent=2)) + "\n"
    if missing:
        told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in missing.items())
        notes.append(f"{name}: answers without a score are in the counts, not among the samples: {told}")
    if found.official is not None:
        notes.append(f"{name}: the samples hold questions and references of {found.official}; mind its licence")
    return Export({f"{stem}_samples.jsonl": samples, f"{stem}.json": text.encode()}, tuple(notes))


def _line(content: Mapping[str, Any]) -> bytes:
    """A line of JSON Lines that is one by every reader's count: some break lines at more than ``\\n``."""
    text = storable(json.dumps(content, ensure_ascii=False))
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


def result_id(task: TaskName, metric: str) -> str:
    """What joins a sample to the result that it is part of."""
    return f"{task}/{metric}"


def _stem(run: Run, found: Questions, model: str) -> str:
    """Path of both files without their endings: the datastore's, with an id drawn from what the run is."""
    told = json.dumps([found.label, model, run.content], sort_keys=True).encode()
    name = uuid.UUID(bytes=hashlib.sha256(told).digest()[:16], version=4)
    developer, _, rest = model.rpartition("/") if "/" not in model else model.partition("/")
    return str(PurePosixPath("data", *map(_component, (found.label, developer or UNSPECIFIED, rest)), str(name)))


def _component(text: str) -> str:
    """A name for a folder on any system."""
    safe = _UNSAFE.sub("_", text).rstrip(". ")
    return safe if safe and safe != "data" else f"_{safe}"


def _library(run: Run) -> dict[str, Any]:
    versions = run.content.get("versions", {})
    more = {name: str(versions[name]) for name in ("lighteval-hard", "commit", "python") if versions.get(name)}
    return {"name": "lighteval", "version": str(versions.get("lighteval") or "unknown"), "additional_details": more}


def _results(run: Run, name: str, found: Questions) -> tuple[list[dict[str, Any]], list[str]]:
    """A result for each metric with a value, of the tasks and of the parts they were run in; and what has none."""
    bench = benchmark(name)
    results, undefined = [], []
    for task in reported_tasks(run, name):
        for value in values(row_of(run, task), bench):
            if value.value is None:
                undefined.append(f"{value.name} of {task} is undefined: {value.why_none}")
                continue
            results.append(
                {
                    "evaluation_result_id": result_id(task, value.name),
                    "evaluation_name": str(task),
                    "source_data": _source_data(run, task, found),
                    "metric_config": _metric(run, bench, value),
                    "score_details": _score(row_of(run, task), value, value.name == bench.metrics[0].name),
                    "generation_config": _generation(run, task),
                }
            )
    return results, undefined


def _source_data(run: Run, task: TaskName, found: Questions) -> dict[str, Any]:
    held = asked_of(run, task)[1]
    details = {"test_sha256": found.sha256, "questions": found.words}
    if held is not None:
        details["questions_of_the_task"] = str(held)
    if found.official is None:
        return {"dataset_name": found.label, "source_type": "other", "additional_details": details}
    if found.revision is not None:
        details["revision"] = found.revision
    hub: dict[str, Any] = {"dataset_name": found.label, "source_type": "hf_dataset", "hf_repo": found.official}
    count = {} if held is None else {"samples_number": held}
    return {**hub, "hf_split": "test", **count, "additional_details": details}


def _metric(run: Run, bench: Benchmark, value: Value) -> dict[str, Any]:
    metric: dict[str, Any] = {
        "evaluation_description": f"{bench.facts.title}: {bench.facts.measures}",
        "metric_id": f"{bench.name}.{value.name}",
        "metric_name": value.name,
        "metric_unit": "proportion",
        "lower_is_better": not value.higher_is_better,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
        "additional_details": {"scorer_version": _scorer(run, bench)},
    }
    judge = judge_of(run, bench.name)
    if judge is not None and value.name not in _UNJUDGED:
        metric["llm_scoring"] = {
            "judges": [{"model_info": judge_info(judge), "temperature": 0.0}],
            "input_prompt": f"one a question type: {judge.prompts}",
            "additional_details": _strings(
                {
                    key: judge.entry.get(key)
                    for key in ("structured_output", "max_tokens", "chat_template_kwargs", "extra_body")
                }
            ),
        }
    return metric


def _scorer(run: Run, bench: Benchmark) -> str:
    return str(run.content.get("datasets", {}).get(bench.name, {}).get("scorer_version", "unknown"))


def _score(row: Mapping[str, Any], value: Value, of_all: bool) -> dict[str, Any]:
    """A value with what is not certain of it.

    Args:
        row: the flat form of its task.
        value: the value.
        of_all: whether it is over all valid answers, as a benchmark's first metric is.
    """
    counts = {name: count for name, count in row.items() if re.fullmatch(r"n_\w+", name)}
    details = {"coverage": row.get("coverage"), **counts}
    if value.bounds is not None:
        low, high = value.bounds
        details |= {"INCOMPLETE": "the bounds are the value by what the missing answers would be"}
        details |= {"lower_bound": low, "upper_bound": high}
    score: dict[str, Any] = {"score": value.value, "details": _strings(details)}
    if value.interval is not None:
        low, high = value.interval
        interval = {"lower": low, "upper": high, "confidence_level": 0.95, "method": value.method or "unknown"}
        score["uncertainty"] = {"confidence_interval": interval}
        if of_all:
            score["uncertainty"]["num_samples"] = row["n_answered"]
    return score


def _generation(run: Run, task: TaskName) -> dict[str, Any]:
    facts = {"few_shot": str(task.fewshot), **dict(generation_facts(run))}
    arguments: dict[str, Any] = {}
    if "temperature" in facts:
        arguments["temperature"] = float(facts.pop("temperature"))
    if facts.get("max_new_tokens", "").isdigit():
        arguments["max_tokens"] = int(facts.pop("max_new_tokens"))
    body = json.loads(facts.get("extra_body", "{}"))
    arguments |= {name: body[name] for name in ("top_p", "top_k") if isinstance(body.get(name), int | float)}
    return {"generation_args": arguments, "additional_details": facts}


def _strings(found: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> dict[str, str]:
    """As the schemas' free fields want them: texts, and nothing where nothing is known."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        for name, value in dict(found).items()
        if value is not None and value != {}
    }
