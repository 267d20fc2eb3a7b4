"""Computes the estimates of a reviewed round: reviewers' agreement, each grader's error rates with intervals.

It reads and writes no files; :mod:`audit.estimate_command` does.
"""

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
from audit.wording import LOOSE_NOTE, is_loose

__all__ = ["GENERATOR", "Case", "Estimate", "GraderEstimate", "Rate", "StratumCount", "estimate_round"]

GENERATOR: Final = "numpy PCG64"


class Case(NamedTuple):
    """A reviewed case.

    Attributes:
        id: the case's id.
        stratum: name of the stratum from which the case was drawn.
        instruction_id: id of the constraint that was judged.
        leans: each reviewer's lean (``pass`` or ``fail``), in the order of the reviewers; None for a reviewer who gave
            no label.
        verdicts_given: each reviewer's verdict (``pass``, ``fail`` or ``unclear``), in the same order; None likewise.
        verdicts: each grader's verdict by the grader's name, as it was when the case was drawn; None where the grader
            has no verdict. Fixtures have only None.
        fixture: the fixture's id; "" for a case from the panel.
        expected: the fixture's label (``pass`` or ``fail``); "" for a case from the panel.
        shows: ids of the finding and the decision that the fixture demonstrates, joined by ", "; "" for none.
        given_consensus: the consensus that a published file states; None means that the leans decide.
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
        """The lean that all reviewers share, or "" if there is none; a single reviewer's lean is the consensus."""
        return consensus(self.leans) if self.given_consensus is None else self.given_consensus


class Rate(NamedTuple):
    """A weighted rate with its intervals; each is None where it is undefined.

    Attributes:
        value: the rate, from 0 to 1.
        bootstrap: its percentile interval, see :func:`audit.statistics.bootstrap_interval`.
        score: its score interval, see :func:`audit.statistics.score_interval`.
    """

    value: float | None
    bootstrap: Interval | None
    score: Interval | None


class StratumCount(NamedTuple):
    """Counts of one stratum's cases for one grader.

    Attributes:
        name: the stratum's name.
        population: number of verdicts in the panel that the stratum stands for.
        cases: number of cases drawn; the sum of ``decided``, ``undecided`` and ``no_verdict``.
        decided: number of cases with a consensus and a verdict of the grader.
        undecided: number of cases without a consensus, those that a reviewer has not labelled among them.
        no_verdict: number of cases with a consensus but no verdict of the grader.
        false_passes: number of decided cases that the grader passed and the consensus fails.
        false_fails: number of decided cases that the grader failed and the consensus passes.
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
    """The error rates of one grader in one round.

    Attributes:
        grader: the grader's name.
        error: rate of wrong verdicts.
        false_pass: rate of verdicts that pass what fails.
        false_fail: rate of verdicts that fail what passes; the two rates add up to ``error``.
        strata: counts of each stratum.
        undefined: why there is no rate; "" if there is one.
    """

    grader: str
    error: Rate
    false_pass: Rate
    false_fail: Rate
    strata: tuple[StratumCount, ...]
    undefined: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimates of one round.

    Attributes:
        round: the round's number.
        reviewers: the reviewers' names.
        cases: number of cases.
        labelled: number of cases with a lean of every reviewer.
        decided: number of cases with a consensus.
        kappas: Cohen's kappa of two reviewers, by what was compared: ``leans`` (of all cases, the headline),
            ``leans without fixtures``, ``verdicts``. Empty with one reviewer.
        graders: the estimate of each grader.
        fixtures: number of fixtures with a consensus, and the ids of those whose label the consensus contradicts.
        seed: seed of the bootstrap's random generator.
        resamples: number of bootstrap resamples.
        level: confidence level of the intervals, from 0 to 1.
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
        """The estimates as a JSON object; undefined numbers are null."""
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
        "note": LOOSE_NOTE if is_loose(found.grader) else "",
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
        number: the round's number.
        cases: every case that was drawn, labelled or not.
        populations: number of verdicts of each stratum, by name, in the order in which strata are resampled.
        graders: names of the graders to estimate.
        reviewers: one or two names, in the order of the cases' leans.
        seed: seed of the bootstrap's random generator; each grader starts from the same one.
        resamples: number of bootstrap resamples.
        level: confidence level of the intervals, from 0 to 1.

    Raises:
        AuditError: a case is of a stratum that ``populations`` lacks, or there are not one or two reviewers.
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
