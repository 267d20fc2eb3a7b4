"""Mutants: a few of them from end to end, the draw of the sample, and the list of those that nobody can tell."""

import json
import subprocess
import sys
from collections import Counter

import pytest

from proofs.mutation import equivalent, rooms
from proofs.mutation.__main__ import score
from proofs.mutation.mutants import mutants_of, sample

SUMS, SWAPS, ORDER = "tests/proofs/mutated_sums.py", "metrics/decision/swaps.py", "metrics/decision/order.py"
SHARE = [
    (SUMS, "total", "> 0", ">= 0", "killed"),
    (SUMS, "total", "left -= 1", "left = 1", "out of time"),
    (SUMS, "total", "found += numbers[left]", "found = numbers[left]", "killed"),
    (SUMS, "clipped", "> LIMIT", ">= LIMIT", "survived"),
    (SUMS, "limit", "10", "11", "killed"),
    (SUMS, "unasked", "number + 1", "number - 1", "not reached"),
    (SWAPS, "mcnemar_clustered", "!= len(clusters)", "== len(clusters)", "killed"),
    (SWAPS, "mcnemar_clustered", "not signs", "signs", "killed"),
    (SWAPS, "mcnemar_clustered", "len(chances) + size", "len(chances) - size", "killed"),
    (SWAPS, "mcnemar_clustered", "chances / 2", "chances * 2", "killed"),
    (SWAPS, "mcnemar_clustered", "len(chances) - 1", "len(chances) + 1", "killed"),
    (SWAPS, "mcnemar_clustered", "2", "3", "killed"),
    (ORDER, "even_order", "(j + generator.random())", "(j - generator.random())", "killed"),
    (ORDER, "even_order", "random.Random(seed)", "random.Random(None)", "killed"),
]

# Tried in a process of its own: the session collects tests, and this one is collected already.
SCRIPT = """
import json, sys
from pathlib import Path
from proofs.mutation import mutants, rooms, work
modules, tests, asked = json.loads(sys.argv[1])
named = {(m.module, m.function, m.before, m.after): m for name in modules for m in reversed(mutants.mutants_of(name))}
room = rooms.Room("share", tuple(modules), tuple(tests))
work.tried(room, [named[tuple(one)] for one in asked], Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_share_of_mutants_from_end_to_end(tmp_path):
    """Tests that see a fault kill it; one that they miss survives, an endless one ends, one that none runs is told."""
    tests = ["tests/proofs/test_mutated_sums.py", "tests/metrics/decision/test_swaps.py"]
    tests.append("tests/metrics/decision/test_even_order.py")
    given = json.dumps([[SUMS, SWAPS, ORDER], tests, [row[:4] for row in SHARE]])
    subprocess.run([sys.executable, "-c", SCRIPT, given, str(tmp_path)], cwd=rooms.TOP, check=True, timeout=600)
    results = [json.loads(line) for line in (tmp_path / "share.jsonl").read_text("utf-8").splitlines()]
    assert [one["outcome"] for one in results] == [row[4] for row in SHARE]
    assert all(one["test"].startswith("tests/") for one in results if one["outcome"] == "killed")


TWICE = "def a(x):\n    return x + 1 if x < 2 else x\n\n\nclass C:\n    def b(self, y):\n        return y + 1, y + 1\n"


def test_mutants_of_a_text():
    """Each has a name of its own, its lines, and a text in which it alone is changed."""
    found = mutants_of("a.py", TWICE)
    assert len({one.key for one in found}) == len(found)
    sums = [one for one in found if one.before == "y + 1"]
    assert [(one.function, one.after, one.count, one.lines) for one in sums] == [
        ("C.b", "y - 1", 0, (7, 7)),
        ("C.b", "y - 1", 1, (7, 7)),
    ]
    assert [one.change() for one in sums] == [
        ("return y + 1, y + 1", "return y - 1, y + 1"),
        ("return y + 1, y + 1", "return y + 1, y - 1"),
    ]


def test_what_runs_once_at_import_is_not_mutated():
    """Annotations, decorators, defaults, a module's own level, and texts in triple quotes."""
    text = 'A = 1 + 1\n\n\n@cache(1)\ndef f(x: "int" = 1) -> "int":\n    """Text."""\n    return x\n'
    assert mutants_of("a.py", text) == []


def test_the_sample_is_its_seeds():
    """The same again, each module's share, another with another seed; what changes elsewhere leaves it as it is."""
    mutants = [one for name in rooms.read()["statistics"].modules for one in mutants_of(name)]
    drawn = sample(mutants, 200, 1)
    assert sample(list(reversed(mutants)), 200, 1) == drawn
    assert len({one.key for one in drawn}) == 200
    whole = Counter(one.module for one in mutants)
    for module, count in Counter(one.module for one in drawn).items():
        assert abs(count - 200 * whole[module] / len(mutants)) < 1
    assert len({one.key for one in drawn} & {one.key for one in sample(mutants, 200, 2)}) < 60
    assert sample(mutants, len(mutants), 1) == mutants


def test_the_sample_stays_when_lines_move():
    """Keys hold no line."""
    before, after = mutants_of("a.py", TWICE), mutants_of("a.py", "B = 1\n\n\n" + TWICE)
    assert [one.key for one in sample(before, 4, 1)] == [one.key for one in sample(after, 4, 1)]


def test_rooms_hold_the_modules_that_are_to_be_proved():
    """Every pattern matches something, and no module is in two rooms."""
    table = rooms.read()
    modules = [module for room in table.values() for module in room.modules]
    assert len(modules) == len(set(modules))
    assert {"metrics/stats.py", "judges/hardmultiqa/replies.py", "endpoints/journal.py"} <= set(modules)
    with pytest.raises(ValueError, match=r"no file matches 'metrics/none\.py'"):
        rooms.files(["metrics/none.py"])


LISTED = {"before": "return y + 1, y + 1", "after": "return y - 1, y + 1", "reason": "nobody ever reads the first"}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ""),
        ({"after": "return y - 2, y + 1"}, "no mutant is a.py C.b"),
        ({"reason": "no"}, "has no reason"),
    ],
)
def test_an_equivalent_mutant_is_one_of_the_code_with_a_reason(tmp_path, changes, error):
    """An entry of code that is gone is an error, and so is one without a reason."""
    path = tmp_path / "list.yaml"
    path.write_text(json.dumps({"a.py": {"C.b": [LISTED | changes]}}), encoding="utf-8")
    mutants = mutants_of("a.py", TWICE)
    if error:
        with pytest.raises(ValueError, match=error):
            equivalent.matched(equivalent.read(path), mutants)
    else:
        matched = equivalent.matched(equivalent.read(path), mutants)
        assert [next(one for one in mutants if one.key == key).count for key in matched] == [0]


def test_the_list_of_equivalent_mutants_is_of_this_code():
    """Each entry names a change that can be made."""
    entries = equivalent.read()
    modules = sorted({entry.module for entry in entries})
    assert len(equivalent.matched(entries, [one for name in modules for one in mutants_of(name)])) >= len(entries)


def test_the_score_counts_what_nobody_asked_about():
    """Not reached is not seen; equivalent ones and those that could not be put in are not counted."""
    outcomes = ["killed", "out of time", "survived", "not reached", "not applied", "survived"]
    results = [{"key": str(number), "outcome": outcome} for number, outcome in enumerate(outcomes)]
    assert score(results, {"5"}) == 0.5
    assert score([], set()) == 0.0
