"""Draws the cases of a review round from a panel (IFBench notes, 6.5)."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from audit.errors import AuditError
from audit.fixtures import Fixture
from audit.panel import Graded, Panel, Row
from audit.round import AGREE, DISAGREE, FAILED, FIXTURE, PASSED

__all__ = ["Draw", "Plan", "draw_round", "population"]

GENERATOR: Final = "numpy PCG64"


class Plan(NamedTuple):
    """Which cases to draw.

    Attributes:
        graders: names of the two graders that are compared, or of the one that is audited alone.
        sizes: number of cases wanted of each stratum, by the stratum's name; None for all of them.
        seed: seed of the random generator.
        number: the round's number.
        runs: names of the runs to draw from; empty for all.
        benchmarks: names of the benchmarks to draw from; empty for all.
        fixtures: number of fixtures to mix in; None for all of them.
    """

    graders: tuple[str, ...]
    sizes: dict[str, int | None]
    seed: int
    number: int = 1
    runs: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    fixtures: int | None = None


class Place(NamedTuple):
    """One constraint of one response: a row of the panel, and the constraint's 0-based position in it."""

    row: Row
    position: int

    @property
    def graded(self) -> Graded:
        """The constraint with its verdicts."""
        return self.row.constraints[self.position]


class Draw(NamedTuple):
    """The cases that were drawn, as rows of a round's files.

    Attributes:
        cases, sealed, strata: rows of the files of these names, see :mod:`audit.round`.
        left_out: number of the panel's verdicts that are in no stratum, by the reason.
    """

    cases: list[dict[str, Any]]
    sealed: list[dict[str, Any]]
    strata: list[dict[str, Any]]
    left_out: dict[str, int]


def strata_of(graders: Sequence[str]) -> tuple[str, ...]:
    """Names of the strata: by agreement for two graders, by verdict for one."""
    return (DISAGREE, AGREE) if len(graders) == 2 else (FAILED, PASSED)


def population(panel: Panel, plan: Plan) -> tuple[dict[str, list[Place]], dict[str, int]]:
    """Divide the panel's verdicts into strata.

    Returns:
        the verdicts of each stratum, in the panel's order, by the stratum's name; and the number of verdicts that are
        in no stratum, by the reason.

    Raises:
        AuditError: the plan names a grader, run or benchmark that the panel lacks, or does not name one grader or two
            different ones.
    """
    if len(set(plan.graders)) != len(plan.graders) or len(plan.graders) not in (1, 2):
        raise AuditError("one grader, or two different ones, are needed")
    _check_names("grader", plan.graders, panel.graders)
    _check_names("run", plan.runs, sorted({row.run for row in panel.rows}))
    _check_names("benchmark", plan.benchmarks, sorted({row.benchmark for row in panel.rows}))
    strata: dict[str, list[Place]] = {name: [] for name in strata_of(plan.graders)}
    left_out = {"no answer or no verdict": 0, "no verdict of a compared grader": 0}
    for row in panel.rows:
        if (plan.runs and row.run not in plan.runs) or (plan.benchmarks and row.benchmark not in plan.benchmarks):
            continue
        if row.infrastructure:
            left_out["no answer or no verdict"] += len(row.constraints)
            continue
        for position, graded in enumerate(row.constraints):
            verdicts = [graded.verdicts.get(grader) for grader in plan.graders]
            if None in verdicts:
                left_out["no verdict of a compared grader"] += 1
            else:
                strata[_stratum(verdicts)].append(Place(row, position))
    return strata, left_out


def _check_names(kind: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    unknown = [name for name in wanted if name not in there]
    if unknown:
        raise AuditError(f"the panel has no {kind} {', '.join(unknown)}; it has {', '.join(there)}")


def _stratum(verdicts: Sequence[bool | None]) -> str:
    if len(verdicts) == 1:
        return PASSED if verdicts[0] else FAILED
    return AGREE if verdicts[0] == verdicts[1] else DISAGREE


def draw_round(panel: Panel, plan: Plan, fixtures: Sequence[Fixture] = ()) -> Draw:
    """Draw the cases; the same panel, plan and fixtures give the same round.

    Cases are shuffled over all strata before they are numbered, so that an id does not reveal the case's stratum.

    Raises:
        AuditError: no stratum holds a verdict; or see :func:`population`.
    """
    strata, left_out = population(panel, plan)
    if not any(strata.values()):
        raise AuditError("no verdict of the panel is in any stratum: there is nothing to draw from")
    generator = np.random.default_rng(plan.seed)
    drawn: list[tuple[dict[str, Any], dict[str, Any]]] = []
    rows = []
    for name, places in strata.items():
        chosen = _choose(generator, len(places), plan.sizes.get(name))
        drawn += [_panel_case(places[index], name, panel.graders) for index in chosen]
        rows.append({"round": plan.number, "stratum": name, "population": len(places), "sampled": len(chosen)})
    chosen = _choose(generator, len(fixtures), plan.fixtures)
    drawn += [_fixture_case(fixtures[index], panel.graders) for index in chosen]
    rows.append({"round": plan.number, "stratum": FIXTURE, "population": 0, "sampled": len(chosen)})
    cases, sealed = [], []
    width = len(str(len(drawn)))
    for number, index in enumerate(generator.permutation(len(drawn)), start=1):
        shown, hidden = drawn[index]
        name = f"R{plan.number}-{number:0{width}d}"
        cases.append({"case_id": name, "round": plan.number, **shown})
        sealed.append({"case_id": name, "round": plan.number, **hidden})
    return Draw(cases, sealed, rows, left_out)


def _choose(generator: np.random.Generator, there: int, wanted: int | None) -> list[int]:
    """Draw ``wanted`` of ``there`` positions without replacement, sorted; None or too large a number means all."""
    if wanted is None or wanted >= there:
        return list(range(there))
    return sorted(int(index) for index in generator.choice(there, size=wanted, replace=False))


def _panel_case(place: Place, stratum: str, graders: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    row, graded = place.row, place.graded
    shown = {
        "instruction_id": graded.instruction_id,
        "instruction": graded.instruction,
        "prompt": row.prompt,
        "response": row.response,
    }
    hidden = {
        "source": "panel",
        "stratum": stratum,
        "benchmark": row.benchmark,
        "config": row.config,
        "run": row.run,
        "repeat": row.repeat,
        "prompt_key": row.prompt_key,
        "position": place.position,
        "kwargs_json": graded.kwargs_json,
        "response_sha256": row.response_sha256,
        "fixture_name": None,
        "fixture_expected": None,
        "finding": None,
        "decision": None,
        "verdicts": {grader: graded.verdicts.get(grader) for grader in graders},
        "reasons": {grader: reason for grader, reason in graded.reasons.items() if reason},
    }
    return shown, hidden


def _fixture_case(fixture: Fixture, graders: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    shown = {
        "instruction_id": fixture.instruction_id,
        "instruction": fixture.instruction,
        "prompt": "",
        "response": fixture.response,
    }
    hidden = {
        "source": "fixture",
        "stratum": FIXTURE,
        "config": None,
        "prompt_key": None,
        "fixture_name": fixture.id,
        "fixture_expected": fixture.expected,
        "finding": fixture.finding,
        "decision": fixture.decision,
        "note": fixture.note,
        "verdicts": dict.fromkeys(graders),
    }
    return shown, hidden
