"""The fixed work that speeds are stated against: it stays the same, knows nothing of the project, and divides right."""

import ast
import sys
from pathlib import Path

import pytest

from speed import proxy

SOURCE = Path(proxy.__file__).read_text(encoding="utf-8")


def test_a_pass_is_always_the_same_work():
    """Its result is a number that any change of the text or of the counting would move."""
    assert [proxy.one_pass() for _ in range(3)] == [206, 206, 206]


def test_imports_the_standard_library_alone():
    """A change of the project cannot move the unit."""
    imports = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name if isinstance(node, ast.Import) else node.module for node in imports for alias in node.names}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_ratio_is_work_by_steps(monkeypatch):
    """Work of 300 units in the time of 200 passes of ten steps: 0.15 units a step, in every round."""
    clock = iter(range(10_000))
    monkeypatch.setattr(proxy.time, "process_time", lambda: next(clock))
    monkeypatch.setattr(proxy, "SECONDS", 10)  # each reading of the clock is a second: ten calls
    found = proxy.ratio(lambda: 30, steps=10.0, rounds=5)
    assert found == pytest.approx((30 / 200, 30 / 200, 30 / 200))
