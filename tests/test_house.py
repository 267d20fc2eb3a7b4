"""Which room may import which, and that no module imports itself by way of others."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "run_lighteval"
# Room -> the rooms that it may import, besides itself.
MAY_IMPORT = {
    COMMAND: {"runner"},
    "runner": {"tasks", "judges", "metrics", "endpoints", "runs"},
    "tasks": {"judges", "metrics", "endpoints"},
    "judges": {"metrics", "endpoints"},
    "metrics": set(),
    "endpoints": set(),
    "runs": {"metrics", "endpoints"},
    "audit": {"metrics", "endpoints", "runs"},
    "report": {"tasks", "judges", "metrics", "endpoints", "runs"},
    "builders": {"tasks", "metrics"},
    "simulations": {"metrics"},
    "proofs": {"tasks", "judges", "metrics", "endpoints", "runner", "runs", "report", "audit", "builders"},
}
# Any room with a command of its own may let it outlive the reader of its output, and keep what it makes in the cache.
FOR_COMMANDS = {"endpoints.terminal", "endpoints.user_cache"}
BENCHMARKS = {"ifhard", "sobhard", "hardmultiqa", "ifbench"}


@cache
def modules():
    """Dotted name -> file, of every module of every room."""
    files = [ROOT / f"{COMMAND}.py", *(path for room in MAY_IMPORT for path in sorted((ROOT / room).rglob("*.py")))]
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def room_of(name):
    return name.partition(".")[0]


def benchmark_of(name):
    """The benchmark in whose folder a module lies, or None."""
    return next((part for part in name.split(".")[1:2] if part in BENCHMARKS), None)


def statements(tree, deferred):
    """Import statements; ``deferred`` tells whether those that run only when a function is called count as well."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif deferred or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from statements(node, deferred)


def imports(source, known, deferred=True):
    """Dotted names that a module's text imports; of ``from a import b`` it is ``a.b`` if that is a known module.

    Raises:
        AssertionError: an import is relative, which hides the room it comes from.
    """
    for node in statements(ast.parse(source), deferred):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        assert node.level == 0, f"line {node.lineno}: a relative import"
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in known else node.module


def breaches(name, source, known):
    """What a module imports against the order of the rooms: sentences that name both."""
    room, benchmark = room_of(name), benchmark_of(name)
    for other in sorted(set(imports(source, known))):
        if room_of(other) not in MAY_IMPORT or (other in FOR_COMMANDS and room in {COMMAND, "builders"}):
            continue
        if room_of(other) not in MAY_IMPORT[room] | {room}:
            yield f"{name} imports {other}: {room} may not import {room_of(other)}"
        elif benchmark and benchmark_of(other) not in {None, benchmark}:
            yield f"{name} imports {other}: a benchmark may not import another"


def circle(graph):
    """A list of names each of which imports the next one and the last one the first; empty if there is none."""
    done, path = set(), []

    def walk(name):
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        path.append(name)
        for other in graph.get(name, ()):
            if found := walk(other):
                return found
        done.add(path.pop())
        return []

    return next((found for name in graph if (found := walk(name))), [])


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_go_one_way(room):
    """A room imports the rooms below it alone, nothing imports builders, and no benchmark imports another."""
    names = [name for name in modules() if room_of(name) == room]
    assert names
    found = [fault for name in names for fault in breaches(name, modules()[name].read_text("utf-8"), modules())]
    assert not found


def test_no_module_imports_itself_by_way_of_others():
    """Any module can be the first one that is imported."""
    known = modules()
    graph = {
        name: sorted(set(imports(file.read_text(encoding="utf-8"), known, deferred=False)) & known.keys())
        for name, file in known.items()
    }
    assert sum(map(len, graph.values())) > len(graph)
    assert not circle(graph)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("metrics.record", "import builders.ifhard"),
        ("tasks.ifhard.task", "def f():\n    from builders.ifhard import bank"),
        ("endpoints.client", "from tasks import registry"),
        ("metrics.record", "if True:\n    import endpoints.client as client"),
        ("audit.panel", "import tasks"),
        ("runs.folder", "import tasks"),
        ("metrics.record", "import report.cli"),
        ("audit.panel", "from report import cli"),
        ("builders.ifhard.bank", "import runner.cli"),
        ("builders.ifhard.bank", "from endpoints import client"),
        ("tasks.ifhard.task", "from metrics.ifbench import CHECKERS"),
        ("builders.sobhard.small.build", "from builders import ifhard"),
    ],
)
def test_a_breach_is_seen(name, source):
    """The order is broken by one import, wherever in the module it stands."""
    assert list(breaches(name, source, modules()))


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": ["a"]}, ["a"]),
        ({"a": ["b", "d"], "b": ["c"], "c": ["d"], "d": ["b"]}, ["b", "c", "d"]),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, []),
    ],
)
def test_a_circle_is_seen(graph, found):
    """Of any length, and two ways to one module are none."""
    assert circle(graph) == found


def test_a_relative_import_is_refused():
    """It would hide the room that it comes from."""
    with pytest.raises(AssertionError, match="line 2: a relative import"):
        list(imports("import os\nfrom . import bank", {}))
