"""Choosing one bank unit for every slot: a constraint model solved by OR-tools CP-SAT.

The search is reproducible: one worker, a fixed seed, a deterministic budget instead of the clock, and no linear
relaxation, whose floating-point arithmetic is the one part of the solver that could differ between processors.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any, Final

from ortools.sat.python import cp_model

from builders.ifhard.bank import Unit
from builders.ifhard.draft import Draft, Equal, InfeasibleError, Link, Rising

__all__ = ["BUDGET", "CANDIDATES", "choose_units"]

CANDIDATES: Final = 48
"""Units offered to a slot at most; drawn at random, so that two questions with one stack get different answers."""
BUDGET: Final = 2.0
"""Deterministic time units (about seconds on an idle machine) before an attempt is given up."""


def _sampled(draft: Draft, found: list[Unit]) -> list[Unit]:
    """A random part of the candidates that keeps those which a demand for something rare depends on."""
    if len(found) <= CANDIDATES:
        return draft.rng.sample(found, len(found))
    rare: list[Unit] = []
    for part in draft.sums:
        if part.low >= 1:
            giving = [unit for unit in found if part.weight(unit)]
            if len(giving) * 4 <= len(found):
                rare += [unit for unit in giving if unit not in rare]
    rest = [unit for unit in found if unit not in rare]
    return rare + draft.rng.sample(rest, max(0, min(len(rest), CANDIDATES - len(rare))))


def _offers(draft: Draft) -> list[list[Unit]]:
    """For each slot the units it may take.

    Raises:
        InfeasibleError: a slot has none, or the slots together have fewer units than slots.
    """
    offers = []
    linked = any(isinstance(relation, Link) for relation in draft.relations)
    for slot in range(draft.n):
        found = draft.candidates(slot)
        if not found:
            raise InfeasibleError("a slot without candidates")
        offers.append(draft.rng.sample(found, len(found)) if linked else _sampled(draft, found))
    if len({unit for offer in offers for unit in offer}) < draft.n:
        raise InfeasibleError("fewer candidates than slots")
    return offers


class _Model:
    """The variables of one attempt and the constraints over them."""

    def __init__(self, draft: Draft) -> None:
        self.offers = _offers(draft)
        self.model = cp_model.CpModel()
        self.chosen: list[list[cp_model.IntVar]] = [
            [self.model.new_bool_var(f"{slot}.{place}") for place in range(len(offer))]
            for slot, offer in enumerate(self.offers)
        ]
        for variables in self.chosen:
            self.model.add_exactly_one(variables)
        for variables in self._grouped(range(draft.n), lambda unit: unit.text).values():
            if len(variables) > 1:
                self.model.add_at_most_one(variables)

    def _grouped(self, slots: Any, key: Callable[[Unit], Hashable]) -> dict[Hashable, list[cp_model.IntVar]]:
        groups: dict[Hashable, list[cp_model.IntVar]] = defaultdict(list)
        for slot in slots:
            for unit, variable in zip(self.offers[slot], self.chosen[slot], strict=True):
                groups[key(unit)].append(variable)
        return groups

    def weighed(self, slots: Any, weight: Callable[[Unit], int]) -> Any:
        """The sum of the weights of the chosen units over some slots, as a linear expression."""
        variables, weights = [], []
        for slot in slots:
            for unit, variable in zip(self.offers[slot], self.chosen[slot], strict=True):
                value = weight(unit)
                if value:
                    variables.append(variable)
                    weights.append(value)
        return cp_model.LinearExpr.weighted_sum(variables, weights)

    def initials_differ(self, slots: Any) -> None:
        """No two of the slots start with the same letter."""
        for variables in self._grouped(slots, lambda unit: unit.initial).values():
            self.model.add_at_most_one(variables)

    def rising(self, slots: list[int], relation: Rising) -> None:
        """Weights rise (or fall) strictly along the slots."""
        sums = [self.weighed([slot], relation.weight) for slot in slots]
        for left, right in pairwise(sums):
            self.model.add(left >= right + 1) if relation.falling else self.model.add(right >= left + 1)

    def linked(self, slots: list[int], relation: Link) -> None:
        """Neighbours share a key."""
        for left, right in pairwise(slots):
            ends, starts = self._grouped([left], relation.left), self._grouped([right], relation.right)
            for key in sorted({*ends, *starts}, key=str):
                self.model.add(sum(ends.get(key, [])) == sum(starts.get(key, [])))

    def solve(self) -> list[Unit]:
        """The chosen unit of each slot.

        Raises:
            InfeasibleError: there is no solution, or none within the budget.
        """
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = BUDGET
        solver.parameters.linearization_level = 0
        status = solver.solve(self.model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise InfeasibleError("no solution" if status == cp_model.INFEASIBLE else "no solution within the budget")
        return [
            next(unit for unit, variable in zip(offer, variables, strict=True) if solver.boolean_value(variable))
            for offer, variables in zip(self.offers, self.chosen, strict=True)
        ]


def choose_units(draft: Draft) -> list[Unit]:
    """Solve the draft: one unit for each slot, all different, within every sum and relation.

    Raises:
        InfeasibleError: a slot has no candidate, or the model has no solution within the budget.
    """
    model = _Model(draft)
    everywhere = list(range(draft.n))
    for part in draft.sums:
        slots = everywhere if part.slots is None else part.slots
        model.model.add_linear_constraint(model.weighed(slots, part.weight), part.low, part.high)
    for relation in draft.relations:
        if isinstance(relation, Rising):
            model.rising(everywhere, relation)
        elif isinstance(relation, Equal):
            left, right = (model.weighed([slot], relation.weight) for slot in (relation.left, relation.right))
            model.model.add(left == right)
        else:
            model.linked(everywhere, relation)
    if draft.distinct_initials:
        model.initials_differ(everywhere)
    return model.solve()
