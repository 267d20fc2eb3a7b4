"""What a reviewed round says of its graders: agreement, error rates, intervals, and where the fixtures stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from audit.errors import AuditError
from audit.labels import consensus
from audit.round import FIXTURE
from audit.statistics import (
    ANY_ERROR,
    FALSE_FAIL,
    FALSE_PASS,
    LEVEL,
    RESAMPLES,
    SEED,
    UNDECIDED,
    Interval,
    Kappa,
    Stratum,
    bootstrap_interval,
    cohens_kappa,
    error_rate,
    outcome,
    score_interval,
)

__all__ = ["GENERATOR", "Case", "Estimate", "GraderEstimate", "Rate", "StratumCount", "estimate_round"]

GENERATOR: Final = "numpy PCG64"


class Case(NamedTuple):
    """A reviewed case.

    Attributes:
        id: of the case.
        stratum: it was drawn from.
        instruction_id: of its constraint.
        leans: one a reviewer, None where one gave none.
        verdicts_given: the reviewers' verdicts, likewise.
        verdicts: by grader, frozen at the draw; None for fixtures, and where a grader has none.
        fixture: id of the fixture, "" for a panel case.
        expected: the fixture's label, "" for a panel case.
        shows: finding and decision of the fixture, "" for none.
        given_consensus: the consensus that a published file states; None to take it from the leans.
    """

    id: str
    stratum: str
    instruction_id: str
    leans: tuple[str | None, ...]
    verdicts_given: tuple[str | None, ...]
    verdicts: Mapping[str, bool | None]
    fixture: str = ""
    expected: str = ""
    shows: str = ""
    given_consensus: str | None = None

    @property
    def consensus(self) -> str:
        """The shared lean, "" without one. A single reviewer agrees with themself."""
        return consensus(self.leans) if self.given_consensus is None else self.given_consensus


class Rate(NamedTuple):
    """A weighted rate with its intervals; None where undefined."""

    value: float | None
    bootstrap: Interval | None
    score: Interval | None


class StratumCount(NamedTuple):
    """One stratum under one grader.

    Attributes:
        name, population: of the stratum.
        cases: drawn; ``decided + undecided + no_verdict``.
        decided: with a consensus and a verdict of the grader.
        undecided: without a consensus (or not labelled by all).
        no_verdict: with a consensus, but the grader has no verdict.
        false_passes, false_fails: decided cases where the consensus contradicts the grader.
    """

    name: str
    population: int
    cases: int
    decided: int
    undecided: int
    no_verdict: int
    false_passes: int
    false_fails: int


class GraderEstimate(NamedTuple):
    """One grader in one round.

    Attributes:
        grader: its name.
        error: rate of wrong verdicts.
        false_pass, false_fail: its two parts; they add up to it.
        strata: counts.
        undefined: why there is no rate, "" where there is one.
    """

    grader: str
    error: Rate
    false_pass: Rate
    false_fail: Rate
    strata: tuple[StratumCount, ...]
    undefined: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """All that is said of a round.

    Attributes:
        round: its number.
        reviewers: their names.
        cases: number of cases, of which ``labelled`` have a lean of every reviewer and ``decided`` a consensus.
        kappas: by what was compared: ``leans`` of all cases (the headline), ``leans without fixtures``, ``verdicts``.
        graders: one estimate each.
        fixtures: fixtures with a consensus, and the ids of those whose label it contradicts.
        seed, resamples, level: of the bootstrap.
    """

    round: int
    reviewers: tuple[str, ...]
    cases: int
    labelled: int
    decided: int
    kappas: Mapping[str, Kappa]
    graders: tuple[GraderEstimate, ...]
    fixtures: tuple[int, tuple[str, ...]]
    seed: int
    resamples: int
    level: float

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; undefined numbers are null."""
        return {
            "round": self.round,
            "reviewers": list(self.reviewers),
            "cases": self.cases,
            "labelled": self.labelled,
            "decided": self.decided,
            "kappa": {name: kappa._asdict() for name, kappa in self.kappas.items()},
            "graders": {found.grader: _grader_json(found) for found in self.graders},
            "fixtures": {"decided": self.fixtures[0], "contradicted": list(self.fixtures[1])},
            "bootstrap": {
                "generator": GENERATOR,
                "seed": self.seed,
                "resamples": self.resamples,
                "level": self.level,
                "numpy": np.__version__,
            },
        }


def _grader_json(found: GraderEstimate) -> dict[str, Any]:
    rates = {"error": found.error, "false_pass": found.false_pass, "false_fail": found.false_fail}
    return {name: rate._asdict() for name, rate in rates.items()} | {
        "strata": [count._asdict() for count in found.strata],
        "undefined": found.undefined,
    }


def estimate_round(
    number: int,
    cases: Sequence[Case],
    populations: Mapping[str, int],
    graders: Sequence[str],
    reviewers: Sequence[str],
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Estimate a round.

    Args:
        number: of the round.
        cases: every case that was drawn, labelled or not.
        populations: of the strata, in the order in which they are resampled.
        graders: names of the graders to estimate.
        reviewers: one or two names, in the order of the cases' leans.
        seed, resamples, level: of the bootstrap; each grader starts from the same seed.

    Raises:
        AuditError: a case of a stratum without a line in the strata, or not one or two reviewers.
    """
    if len(reviewers) not in (1, 2):
        raise AuditError(f"labels of one or two reviewers are needed, got {len(reviewers)}")
    strange = sorted({case.stratum for case in cases} - populations.keys() - {FIXTURE})
    if strange:
        raise AuditError(f"cases of strata without a population: {', '.join(strange)}")
    return Estimate(
        round=number,
        reviewers=tuple(reviewers),
        cases=len(cases),
        labelled=sum(None not in case.leans for case in cases),
        decided=sum(bool(case.consensus) for case in cases),
        kappas=_kappas(cases) if len(reviewers) == 2 else {},
        graders=tuple(_estimate(grader, cases, populations, seed, resamples, level) for grader in graders),
        fixtures=_fixtures(cases),
        seed=seed,
        resamples=resamples,
        level=level,
    )


def _kappas(cases: Sequence[Case]) -> dict[str, Kappa]:
    panel = [case for case in cases if case.stratum != FIXTURE]
    return {
        "leans": _kappa([case.leans for case in cases]),
        "leans without fixtures": _kappa([case.leans for case in panel]),
        "verdicts": _kappa([case.verdicts_given for case in cases]),
    }


def _kappa(pairs: Sequence[tuple[str | None, ...]]) -> Kappa:
    both = [(first, second) for first, second in pairs if first and second]
    return cohens_kappa([first for first, _ in both], [second for _, second in both])


def _fixtures(cases: Sequence[Case]) -> tuple[int, tuple[str, ...]]:
    decided = [case for case in cases if case.stratum == FIXTURE and case.consensus and case.expected]
    against = [case for case in decided if case.consensus != case.expected]
    return len(decided), tuple(f"{case.fixture}{f' ({case.shows})' if case.shows else ''}" for case in against)


def _estimate(
    grader: str, cases: Sequence[Case], populations: Mapping[str, int], seed: int, resamples: int, level: float
) -> GraderEstimate:
    strata, counts = [], []
    for name, population in populations.items():
        members = [case for case in cases if case.stratum == name]
        codes = np.array([outcome(case.verdicts.get(grader), case.consensus) for case in members], dtype=np.int8)
        strata.append(Stratum(name, population, codes))
        undecided = sum(not case.consensus for case in members)
        counts.append(
            StratumCount(
                name=name,
                population=population,
                cases=len(members),
                decided=int((codes != UNDECIDED).sum()),
                undecided=undecided,
                no_verdict=int((codes == UNDECIDED).sum()) - undecided,
                false_passes=int((codes == FALSE_PASS).sum()),
                false_fails=int((codes == FALSE_FAIL).sum()),
            )
        )

    def rate(counted: Sequence[int]) -> Rate:
        return Rate(
            error_rate(strata, counted),
            bootstrap_interval(strata, counted, resamples=resamples, seed=seed, level=level),
            score_interval(strata, counted, level=level),
        )

    empty = [count.name for count in counts if count.population and not count.decided]
    undefined = f"no decided case in {', '.join(empty)}" if empty else ""
    if not any(populations.values()):
        undefined = "no stratum has a population"
    return GraderEstimate(grader, rate(ANY_ERROR), rate((FALSE_PASS,)), rate((FALSE_FAIL,)), tuple(counts), undefined)
