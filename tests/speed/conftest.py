"""Scripts are files, not modules of a package."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """Loads a script by its name; those beside it can be imported from it."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "speed"), *sys.path])

    def load(name):
        spec = importlib.util.spec_from_file_location(name, ROOT / "speed" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load
