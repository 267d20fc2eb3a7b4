"""``python -m audit estimate``: reads a round or a published audit, prints its estimates, writes its files."""

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from audit import published
from audit.errors import AuditError
from audit.estimates import Case, Estimate, estimate_round
from audit.labels import Label, read_labels
from audit.report import estimate_lines
from audit.round import Round, open_round
from endpoints.errors import EndpointError
from runs.files import write_json, write_jsonl

__all__ = ["cases_of", "estimate_published", "estimate_reviewed"]

Say = Callable[[str], None]


def estimate_reviewed(arguments: Namespace, say: Say) -> tuple[dict[str, Any], bool]:
    """Estimate a round, print the report, and write it beside the round in the published form.

    Args:
        arguments: ``round`` (folder), ``labels`` (files, or None for all in the folder), ``seed``, ``resamples``.
        say: prints one line.

    Returns:
        the estimates as a JSON object, and whether every case has a label of every reviewer.

    Raises:
        FileError: a file of the round or of labels cannot be read.
        AuditError: the folder holds no round or no labels, or they are none of the round's.
    """
    round_ = open_round(arguments.round)
    paths = arguments.labels or sorted(round_.folder.glob("labels_*.jsonl"))
    if not paths:
        raise AuditError(f"{round_.folder} has no labels_*.jsonl: review it first")
    labels: dict[str, Mapping[str, Label]] = {}
    for path in paths:
        reviewer, found = read_labels(path, round_.case_ids, round_.cases_sha256)
        if reviewer in labels:
            raise AuditError(f"two files of labels are reviewer {reviewer}'s")
        labels[reviewer] = found
    if len(labels) > 2:
        raise AuditError(f"labels of {', '.join(labels)}: name those of two reviewers by --labels")
    graders = list(next(iter(round_.sealed.values()))["verdicts"])
    cases = cases_of(round_, labels)
    # A grader that never judged a drawn case has nothing to estimate.
    graders = [grader for grader in graders if any(case.verdicts.get(grader) is not None for case in cases)]
    estimate = estimate_round(
        int(round_.about["round"]),
        cases,
        {row["stratum"]: row["population"] for row in round_.strata},
        graders,
        tuple(labels),
        seed=arguments.seed,
        resamples=arguments.resamples,
    )
    for line in estimate_lines(estimate, title=f"round {estimate.round}"):
        say(line)
    write_json(round_.folder / "estimate.json", estimate.to_json())
    write_jsonl(round_.folder / "blind_review.jsonl", _published_rows(round_, labels, cases))
    write_jsonl(round_.folder / "blind_review_strata.jsonl", round_.strata)
    return estimate.to_json(), estimate.labelled == estimate.cases


def cases_of(round_: Round, labels: Mapping[str, Mapping[str, Label]]) -> list[Case]:
    """The cases of a round with the labels of its reviewers, in the order of the case list."""
    found = []
    for shown in round_.cases:
        name = shown["case_id"]
        hidden = round_.sealed[name]
        given = [of.get(name) for of in labels.values()]
        found.append(
            Case(
                id=name,
                stratum=hidden["stratum"],
                instruction_id=shown["instruction_id"],
                leans=tuple(label.lean if label else None for label in given),
                verdicts_given=tuple(label.verdict if label else None for label in given),
                verdicts=hidden["verdicts"],
                fixture=hidden["fixture_name"] or "",
                expected=hidden["fixture_expected"] or "",
                shows=", ".join(hidden[name] for name in ("finding", "decision") if hidden[name]),
            )
        )
    return found


def _published_rows(
    round_: Round, labels: Mapping[str, Mapping[str, Label]], cases: Sequence[Case]
) -> Iterator[dict[str, Any]]:
    """The rows of ``blind_review`` in the published form, which calls the reviewers a and b."""
    for shown, case in zip(round_.cases, cases, strict=True):
        hidden = round_.sealed[case.id]
        row = {name: shown[name] for name in ("case_id", "round")}
        row |= {name: hidden[name] for name in ("source", "stratum", "config", "prompt_key")}
        row |= {name: hidden[name] for name in ("fixture_name", "fixture_expected", "finding", "decision")}
        row |= {name: shown[name] for name in ("instruction_id", "instruction", "prompt", "response")}
        row |= hidden["verdicts"]
        for letter, of in zip("ab", labels.values(), strict=False):
            label = of.get(case.id)
            row |= {
                f"reviewer_{letter}_{name}": getattr(label, name) if label else ""
                for name in ("verdict", "lean", "confidence", "reason")
            }
        yield row | {"consensus": case.consensus}


def estimate_published(arguments: Namespace, say: Say, warn: Say) -> tuple[dict[str, Any], bool]:
    """Estimate the rounds of a published audit and print the report.

    Args:
        arguments: ``published`` (folder or id on the Hub), ``revision``, ``graders`` (names of columns, or None for the
            documented ones), ``round_number`` (None for every round), ``seed``, ``resamples``.
        say: prints one line of the report.
        warn: prints one warning.

    Returns:
        the estimates of each round by its number, and True: a published review is complete.

    Raises:
        FileError: a table in JSON Lines, or the ``round.json`` beside the tables, cannot be read.
        AuditError: a table is missing, or its values cannot be read.
        EndpointError: the Hub did not give the tables.
    """
    tables = _tables(arguments.published, arguments.revision)
    for warning in published.warnings_of(tables):
        warn(f"warning: {warning}")
    graders = _graders(arguments, tables)
    for table, names in published.ignored_columns(tables, graders).items():
        warn(f"warning: {table}: no grader's and ignored: {', '.join(names)} (--graders takes them)")
    for line in _contents(tables, graders):
        say(line)
    results: dict[str, Any] = {}
    for one in published.rounds(tables, arguments.round_number, graders):
        for warning in one.warnings:
            warn(f"warning: {warning}")
        estimate: Estimate = estimate_round(
            one.number,
            one.cases,
            one.populations,
            one.graders,
            ("a", "b"),
            seed=arguments.seed,
            resamples=arguments.resamples,
        )
        for line in estimate_lines(estimate, title=f"published round {one.number}"):
            say(line)
        results[str(one.number)] = estimate.to_json()
    say("the ids of findings and decisions are the published audit's; this project's begin with A")
    return results, True


def _tables(where: str, revision: str | None) -> published.Tables:
    folder = Path(where)
    if folder.exists() or where.count("/") != 1 or where.startswith((".", "/")):
        return published.read_folder(folder)
    try:
        return published.read_hub(where, revision)
    except (OSError, ValueError) as error:
        raise EndpointError(f"the Hub gave no {where}: {type(error).__name__}: {error}") from error


def _graders(arguments: Namespace, tables: published.Tables) -> tuple[str, ...]:
    """Names of the columns that hold graders' verdicts: those named, or the documented ones."""
    if arguments.graders is None:
        return published.graders_beside(Path(arguments.published)) or published.GRADERS
    there = {name for row in tables["blind_review"] for name in row}
    missing = [name for name in arguments.graders if name not in there]
    if missing:
        raise AuditError(f"blind_review has no column {', '.join(missing)}")
    return tuple(arguments.graders)


def _contents(tables: published.Tables, graders: Sequence[str]) -> Iterator[str]:
    for name, rows in tables.items():
        yield f"{name}: {len(rows)} rows"
    judged, passed = Counter[str](), Counter[str]()
    crashes = 0
    for row in tables.get("panel_verdicts", ()):
        for constraint in published.constraints_of(row):
            crashes += bool(constraint.get("crash"))
            for grader in graders:
                if isinstance(constraint.get(grader), bool):
                    judged[grader] += 1
                    passed[grader] += constraint[grader]
    for grader, count in judged.items():
        yield f"  {grader}: {passed[grader]} of {count} verdicts of the panel are passes"
    if judged:
        yield f"  {crashes} constraints of the panel with a crash"
