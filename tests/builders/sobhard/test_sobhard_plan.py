"""The plan of a full set: the counts that the benchmark's description gives, for any seed."""

from collections import Counter

import pytest

from builders.sobhard.plan import TIERS, demonstrations, plan, small_plan, tier_of
from metrics.sobhard.question import FAMILIES
from metrics.sobhard.row_checks import DIFFICULTIES
from metrics.sobhard.summary import CELLS
from tasks.sobhard.prompts import STYLES

SEEDS = (1, 20261130)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@each_seed
def test_every_cell_has_25_questions_and_each_register_five_times(seed):
    """33 cells, exactly."""
    slots = plan(seed)
    assert [slot.number for slot in slots] == list(range(825))
    assert Counter(f"{slot.family}/{slot.difficulty}" for slot in slots) == dict.fromkeys(CELLS, 25)
    voices = Counter((slot.family, slot.difficulty, slot.style) for slot in slots)
    assert set(voices.values()) == {5}
    assert len(voices) == 33 * len(STYLES)


@each_seed
def test_tiers_and_targets_are_those_of_the_description(seed):
    """50/145/80, 0/100/175, 0/30/245; six targets."""
    slots = plan(seed)
    tiers = Counter((slot.difficulty, slot.tier) for slot in slots)
    counts = [[tiers[difficulty, tier] for tier in TIERS] for difficulty in DIFFICULTIES]
    assert counts == [[50, 145, 80], [0, 100, 175], [0, 30, 245]]
    targets = Counter(slot.target for slot in slots)
    assert targets == {"yaml": 273, "json": 242, "jsonl": 157, "toml": 113, "sqlinsert": 37, "properties": 3}


@each_seed
def test_targets_are_spread_over_the_difficulties(seed):
    """No family keeps one notation for its easy questions."""
    slots = plan(seed)
    for family in FAMILIES:
        targets = Counter(slot.target for slot in slots if slot.family == family)
        for target, count in targets.items():
            shares = Counter(slot.difficulty for slot in slots if (slot.family, slot.target) == (family, target))
            assert count < 12 or max(shares.values()) < 0.7 * count, (family, target, shares)


@each_seed
def test_conversations_have_the_turns_of_the_description(seed):
    """36 of three, 35 of four, 4 of five; 165 patches, 103 transforms, of the graded ones 44 and 31; undos are last."""
    talks = [slot.turns for slot in plan(seed) if slot.family == "session"]
    assert Counter(map(len, talks)) == {3: 36, 4: 35, 5: 4}
    assert Counter(turn.family for talk in talks for turn in talk) == {"patch": 165, "transform": 103}
    assert Counter(talk[-1].family for talk in talks) == {"patch": 44, "transform": 31}
    assert not any(turn.undo for talk in talks for turn in talk[:-1])
    assert sum(talk[-1].undo for talk in talks) == 10


@each_seed
def test_rules_are_applied_297_times_and_easy_questions_are_one_operation(seed):
    """What the scorer's counts of a full set follow from."""
    slots = plan(seed)
    graded = ("transform", "repair", "extract", "merge", "patch")
    ruled = sum(bool(slot.steps) for slot in slots if slot.family in graded)
    assert ruled + sum(slot.turns[-1].family == "transform" for slot in slots if slot.turns) == 297
    for slot in slots:
        if slot.difficulty == "easy":
            assert slot.steps == (slot.family in ("transform", "repair"))
    assert sum(slot.escape for slot in slots) == 50


def test_another_seed_is_another_order():
    """Same counts, other questions."""
    assert plan(SEEDS[0]) != plan(SEEDS[1])
    assert plan(3) == plan(3)


def test_a_small_plan_has_one_question_of_each_cell():
    """Short where the cell has such questions, in a notation that holds nearly every document."""
    slots = small_plan(1)
    assert Counter(f"{slot.family}/{slot.difficulty}" for slot in slots) == dict.fromkeys(CELLS, 1)
    assert {slot.tier for slot in slots} <= {"short", "medium"}
    assert {slot.target for slot in slots} <= {"json", "jsonl", "yaml"}


def test_demonstrations_are_one_of_each_family_but_session():
    """Ten, easy and short."""
    shown = demonstrations(1)
    assert [slot.family for slot in shown] == [family for family in FAMILIES if family != "session"]
    assert {(slot.difficulty, slot.tier) for slot in shown} == {("easy", "short")}
    assert set(Counter(slot.style for slot in shown).values()) == {2}


@pytest.mark.parametrize(
    ("length", "tier"),
    [(0, "short"), (3_999, "short"), (4_000, "medium"), (9_999, "medium"), (10_000, "long"), (10**6, "long")],
)
def test_a_length_has_one_tier(length, tier):
    """The bounds belong to the longer tier; whatever is longer is long."""
    assert tier_of(length) == tier
