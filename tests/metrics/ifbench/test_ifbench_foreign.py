"""Graders from the checkers of other projects: isolated, counted, and never a verdict where there is none."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ifbench_cases import RUNS_ITS_TEXT, own_fixtures

from metrics import ifbench
from metrics.ifbench import foreign
from metrics.ifbench.foreign import (
    ForeignCheckers,
    GraderFailedError,
    NotGradableError,
    Source,
    lighteval_source,
    source_at,
)

REGISTRY = """
import os
import time


class Checker:
    def __init__(self, instruction_id):
        self.id = instruction_id
        self.sep = None
        print("noise on standard output")

    def build_description(self, *, sep=None, prompt=None):
        self.sep = sep or self.sep
        self.prompt = prompt

    def get_instruction_args(self):
        return {"sep": self.sep, "prompt": self.prompt}

    def check_following(self, text):
        if text == "crash":
            raise IndexError("oops")
        if text == "stop":
            os._exit(3)
        if text == "hang":
            time.sleep(60)
        if text == "data":
            raise LookupError("the tagger is not there")
        if text == "prompt":
            return self.prompt == "asked"
        return text.startswith(self.sep)


INSTRUCTION_DICT = {"format:list": Checker}
"""


@pytest.fixture
def checkout(tmp_path):
    """A checkout of another project's checkers, with one commit."""
    folder = tmp_path / "checkout" / "eval" / "chat_benchmarks" / "IFBench"
    folder.mkdir(parents=True)
    (folder / "instructions_registry.py").write_text(REGISTRY, encoding="utf-8")
    root = tmp_path / "checkout"
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
    return root


@pytest.fixture
def checkers(checkout):
    """Its checkers, in a process that ends with the test."""
    found = ForeignCheckers(source_at("other", checkout), seconds=5)
    yield found
    found.close()


def _judge(checkers, *texts, instruction_id="format:list"):
    return checkers.judge(instruction_id, {"sep": "-"}, texts, "asked")


def test_verdicts_come_from_the_other_project(checkers):
    """The first text that passes decides; prints of the checkers do not disturb; the prompt reaches them."""
    assert _judge(checkers, "- a").passed
    assert _judge(checkers, "a").code == "not-followed"
    assert _judge(checkers, "a", "- a").passed
    assert _judge(checkers, "prompt").passed


def test_a_crash_is_an_outcome(checkers):
    """An exception fails the constraint under its own code, and does not hide a variant that passes."""
    verdict = _judge(checkers, "crash")
    assert (verdict.passed, verdict.code, verdict.observed) == (False, "crash", "IndexError")
    assert _judge(checkers, "crash", "- a").passed
    assert _judge(checkers, "crash", "a").code == "crash"


def test_missing_data_is_no_verdict(checkers):
    """A checker without its data, or no checker at all, is reported as not gradable."""
    with pytest.raises(NotGradableError, match="the tagger is not there"):
        _judge(checkers, "data")
    with pytest.raises(NotGradableError, match="no checker for words:vowel"):
        _judge(checkers, "a", instruction_id="words:vowel")
    assert _judge(checkers, "- a").passed


def test_a_dead_or_hanging_process_is_replaced(checkout):
    """The verdict under which the worker died or stalled was not given; the next question is answered."""
    checkers = ForeignCheckers(source_at("other", checkout), seconds=1)
    try:
        for text, why in (("stop", "ended its process with status 3"), ("hang", "gave no answer within 1 seconds")):
            with pytest.raises(GraderFailedError, match=f"other: format:list: grader failed: it {why}"):
                _judge(checkers, text)
            assert _judge(checkers, "- a").passed
    finally:
        checkers.close()


def test_the_commit_is_recorded(checkout):
    """A clean checkout is known by its commit; a changed one says so; a loose file has none."""
    head = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert source_at("other", checkout).identity.endswith(f"at {head}")
    (checkout / "more").write_text("x", encoding="utf-8")
    assert source_at("other", checkout).identity.endswith(f"at {head}+changes")
    loose = checkout / "installed"
    loose.mkdir()
    (loose / "instructions_registry.py").write_text(REGISTRY, encoding="utf-8")
    assert source_at("other", loose).identity.endswith("no commit")


def _checkers_of(tmp_path, source, **limits):
    (tmp_path / "instructions_registry.py").write_text(source, encoding="utf-8")
    return ForeignCheckers(source_at("other", tmp_path), **{"seconds": 5, **limits})


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Checkers whose verdict on a program is what it leaves in ``passes``; one process for the tests of this file."""
    found = _checkers_of(tmp_path_factory.mktemp("running"), RUNS_ITS_TEXT)
    yield found
    found.close()


def test_no_module_of_ours_takes_the_place_of_theirs(running):
    """``import emoji`` is the package of that name, not the file beside the worker; so for each of our files."""
    folder = Path(foreign.__file__).parent
    for module in sorted(file.stem for file in folder.glob("[a-z]*.py")):
        program = f"""import importlib.util
found = importlib.util.find_spec({module!r})
passes = found is None or {str(folder)!r} not in str(found.origin)"""
        assert _judge(running, program).passed, module


@pytest.mark.parametrize(
    "program",
    [
        "import os; os.write(1, b'3\\n')",
        "import os; os.write(1, b'half a line')",
        "import subprocess; subprocess.run(['echo', '{}'])",
        "import sys; sys.__stdout__.write('[]\\n'); sys.__stdout__.flush()",
        "import sys; passes = sys.stdin.read() == '' and sys.__stdin__.read() == ''",
        "import subprocess; passes = subprocess.run(['cat'], capture_output=True).stdout == b''",
    ],
)
def test_what_checkers_print_and_read_stays_apart(running, program):
    """Below Python's own streams too, and in their subprocesses: no answer is mistaken, no question taken away."""
    assert [_judge(running, text).code for text in (program, "passes = False", program)] == ["ok", "not-followed", "ok"]


def test_checkers_that_exit_when_loaded_are_not_gradable(tmp_path):
    """A script that means to be run, say; the reason is its own."""
    checkers = _checkers_of(tmp_path, "import sys; sys.exit('usage: check FILE')")
    with pytest.raises(NotGradableError, match="SystemExit: usage: check FILE"):
        _judge(checkers, "a")


def test_a_package_is_loaded_as_one(tmp_path):
    """Modules of a package that import each other by relative names work."""
    folder = tmp_path / "ifbench"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "instructions.py").write_text(REGISTRY, encoding="utf-8")
    (folder / "instructions_registry.py").write_text(
        "from .instructions import Checker\nINSTRUCTION_DICT = {'format:list': Checker}\n", encoding="utf-8"
    )
    source = source_at("other", tmp_path)
    assert source.identity.endswith("no commit")
    checkers = ForeignCheckers(source)
    try:
        assert _judge(checkers, "- a").passed
    finally:
        checkers.close()


RELATIVE = "from .instructions import Checker\nINSTRUCTION_DICT = {'format:list': Checker}\n"
PARENT = "from ..common.base import Checker\nINSTRUCTION_DICT = {'format:list': Checker}\n"
MIXED = "import instructions\nfrom .instructions import Checker\nINSTRUCTION_DICT = {'format:list': Checker}\n"


@pytest.mark.parametrize(
    ("registry", "module", "folder", "package"),
    [
        (RELATIVE, "{}/instructions.py", "ifbench", False),
        (RELATIVE, "{}/instructions.py", "IFBench-1.0", True),
        (MIXED, "{}/instructions.py", "json", False),
        (PARENT, "common/base.py", "my checkers", False),
        (PARENT, "common/base.py", "ifbench", True),
    ],
)
def test_relative_imports_need_no_package(tmp_path, registry, module, folder, package):
    """With ``__init__.py`` and without; from the folder around too; whatever the folder is called."""
    home = tmp_path / "checkout" / folder
    for file, text in (
        (tmp_path / "checkout" / module.format(folder), REGISTRY),
        (home / "instructions_registry.py", registry),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    if package:
        (home / "__init__.py").touch()
    checkers = ForeignCheckers(source_at("other", home))
    try:
        assert _judge(checkers, "- a").passed
        assert not _judge(checkers, "a").passed
    finally:
        checkers.close()


def test_a_package_that_is_missing_is_named(tmp_path):
    """An import error of another kind is no reason to try packages."""
    checkers = _checkers_of(tmp_path, "from nowhere_to_be_found import Checker\n")
    with pytest.raises(NotGradableError, match="nowhere_to_be_found"):
        _judge(checkers, "a")


def test_what_cannot_be_loaded_is_said(tmp_path):
    """A path without checkers is refused at once; checkers that do not import are not gradable."""
    with pytest.raises(ValueError, match=r"no instructions_registry\.py"):
        source_at("other", tmp_path)
    for name in ("no-name", "other_strict", "lighteval_strict", "other_loose", "", "a b"):
        with pytest.raises(ValueError, match="no name for a grader"):
            source_at(name, tmp_path)
    file = tmp_path / "instructions_registry.py"
    file.write_text("import no_such_module_here", encoding="utf-8")
    checkers = ForeignCheckers(source_at("other", tmp_path))
    with pytest.raises(NotGradableError, match="ModuleNotFoundError"):
        _judge(checkers, "a")
    file.write_text("INSTRUCTION_DICT = {}", encoding="utf-8")
    with pytest.raises(NotGradableError, match="ModuleNotFoundError"):
        _judge(checkers, "a")  # not tried once for every constraint of a run


def test_threads_take_turns(checkers):
    """Answers of one worker do not reach the wrong question."""
    with ThreadPoolExecutor(8) as pool:
        texts = ["- a", "a"] * 100
        assert [verdict.passed for verdict in pool.map(lambda text: _judge(checkers, text), texts)] == [
            True,
            False,
        ] * 100


def test_added_graders_are_strict_and_loose(checkout):
    """NAME=PATH gives two graders beside the others, which stay as they are; a name is given once."""
    own = ifbench.Graders({})
    graders = own.adding("other", checkout)
    try:
        assert graders.names == (*ifbench.OWN_GRADERS, "other_strict", "other_loose")
        assert (own.names, own.sources) == (ifbench.OWN_GRADERS, [])
        assert graders.sources == [source_at("other", checkout)]
        strict, loose = (
            graders.verify("format:list", {"sep": "-"}, "Sure:\n- a", prompt="asked", grader=f"other_{kind}").passed
            for kind in ("strict", "loose")
        )
        assert (strict, loose) == (False, True)
        assert graders.verify("format:list", {"sep": "-"}, " ", grader="other_loose").code == "blank-answer"
        for taken in ("other", "proposed"):
            with pytest.raises(ValueError, match="already"):
                graders.adding(taken, checkout)
    finally:
        graders._foreign["other"].close()


def test_without_lighteval_its_graders_are_absent(monkeypatch):
    """What is not installed is not offered."""
    monkeypatch.setattr(foreign, "find_spec", lambda name: None)
    assert lighteval_source() is None


@pytest.mark.skipif(lighteval_source() is None, reason="LightEval is not installed")
def test_lighteval_checkers_are_wrong_where_the_findings_say():
    """The shipped checkers run isolated: right on plain answers, wrong on findings, crashes counted, no download."""
    checkers = ForeignCheckers(lighteval_source() or Source("", "", ""))
    outcomes = {}
    try:
        for row in own_fixtures():
            if row["instruction_id"] in ("format:sub-bullets", "words:alphabet", "count:numbers"):
                kwargs = ifbench.check_kwargs(row["instruction_id"], json.loads(row["kwargs_json"]))
                outcomes[row["name"]] = checkers.judge(row["instruction_id"], kwargs, [row["response"]])
        with pytest.raises(NotGradableError, match=r"averaged_perceptron_tagger_eng|punkt_tab"):
            checkers.judge("words:start_verb", {}, ["Run!"])
    finally:
        checkers.close()
    assert outcomes["sub-bullets/right"].passed
    assert outcomes["sub-bullets/none"].passed, "AF63: no bullet at all passes there"
    assert not outcomes["numbers/hyphen_range"].passed, "AF5: a range is one number there"
    assert outcomes["alphabet/marks_only"].code == "crash"
