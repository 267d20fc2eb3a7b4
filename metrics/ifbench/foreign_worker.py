"""The process in which the checkers of another project run; started by :mod:`metrics.ifbench.foreign`.

``python foreign_worker.py MEMORY SECONDS``: MEMORY is the most bytes of address space, SECONDS the most processor time
of one answer. It leaves the network and limits itself, and says in a first line what of it the system does not allow.
Then it answers one line for each line that it reads: the first names what to load, ``lighteval`` or an
``instructions_registry.py`` with an ``INSTRUCTION_DICT``. Nothing is downloaded: a checker that asks for data or a
package that is not there is reported as not gradable.

It imports nothing of this project, since another project's modules may go by the same names.
"""

import ctypes
import errno
import importlib
import json
import os
import re
import resource
import socket
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

# Packages that some checkers import and that need not be there for the others to work.
OPTIONAL = ("spacy", "syllapy", "emoji", "langdetect")
# Folders around a registry that its relative imports may reach, its own included.
DEPTH = 4
# Where a pinned wheel carries NLTK's sentence model and stop words.
NLTK_FOLDER = Path("llama_index", "core", "_static", "nltk_cache")
LOAD_SECONDS = 180  # of processor time
# Of Linux's unshare: a network without interfaces, and a user namespace, in which any user may make one.
NEW_NETWORK, NEW_USER = 0x40000000, 0x10000000


def _unshare(flags: int) -> str:
    """Enter namespaces of our own; why not, or nothing."""
    try:
        # os.unshare came with Python 3.12.
        library = ctypes.CDLL(None, use_errno=True)
        return "" if library.unshare(flags) == 0 else os.strerror(ctypes.get_errno())
    except (AttributeError, OSError):
        return "it has no namespaces"


def _leave_network() -> str:
    """Give up the network for this process and its children; why not, or nothing."""
    user, group = os.geteuid(), os.getegid()
    # In a user namespace a root user too gives up the right to go back; containers may allow the other one alone.
    if not (why := _unshare(NEW_USER | NEW_NETWORK)):
        try:
            # Else everything seems to belong to nobody.
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        except OSError:
            pass
        return ""
    return why if _unshare(NEW_NETWORK) else ""


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, within the one that is there; the hard one stays as it is unless it is given."""
    most = resource.getrlimit(kind)[1]
    within = [value if most == resource.RLIM_INFINITY else min(value, most) for value in (soft, hard or soft)]
    resource.setrlimit(kind, (within[0], most if hard is None else within[1]))


def _limit_processor(seconds: int) -> None:
    """End this process once it has taken so many seconds more of processor time."""
    _limit(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds)


def _guard(memory: int) -> dict[str, str]:
    """Leave the network, and limit memory and time, before code of others is loaded; what could not be set, and why."""
    absent = {}
    if why := _leave_network():
        absent["network"] = why
    try:
        _limit(resource.RLIMIT_AS, memory, memory)
    except (OSError, ValueError) as error:
        absent["memory"] = str(error)
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit_processor(LOAD_SECONDS)
    return absent


class _Absent(types.ModuleType):
    """A stand-in for a package that is not installed; only its use is an error."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(f"{self.__name__} is not installed")


class _Spacy(types.ModuleType):
    """A stand-in for spaCy, whose model LightEval's checkers load and never use."""

    def load(self, *_: Any, **__: Any) -> None:
        """Load nothing."""


def _prepare() -> None:
    """Put stand-ins where packages are missing, and keep NLTK from downloading."""
    for name in OPTIONAL:
        try:
            if name != "spacy":
                importlib.import_module(name)
        except ImportError:
            sys.modules[name] = _Absent(name)
    sys.modules["spacy"] = _Spacy("spacy")
    nltk = importlib.import_module("nltk")
    folders = [str(Path(folder) / NLTK_FOLDER) for folder in sys.path if (Path(folder) / NLTK_FOLDER).is_dir()]
    nltk.data.path[:0] = folders
    vars(nltk)["download"] = lambda *_, **__: False


def _lighteval_registry() -> Any:
    """LightEval's table of checkers; its own tests for packages see the stand-ins as installed."""
    imports = importlib.import_module("lighteval.utils.imports")
    # All 58 classes say that they need two packages, of which one of them uses one.
    vars(imports)["requires"] = lambda *_, **__: lambda decorated: decorated
    available = imports.is_package_available
    vars(imports)["is_package_available"] = lambda package: package in OPTIONAL or available(package)
    return importlib.import_module("lighteval.tasks.tasks.ifbench.instructions_registry").INSTRUCTION_DICT


def _registry_at(file: Path) -> Any:
    """The table of a checkout, as a module of its package, by itself, or of a package that is made for its folders."""
    folder = file.parent
    if (folder / "__init__.py").is_file():
        sys.path[:0] = [str(folder.parent), str(folder)]
        try:
            return importlib.import_module(f"{folder.name}.{file.stem}").INSTRUCTION_DICT
        except ImportError:
            pass  # modules that import each other by their bare names
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(file.stem).INSTRUCTION_DICT
    except ImportError as error:
        if "relative import" not in str(error):
            raise
    # Relative imports where no __init__.py makes a package, or beyond it: one package for the folder, in one for the
    # folder around it, and so on. The names are our own: a folder may be called as no package can be.
    name = ""
    for place in reversed([folder, *folder.parents][:DEPTH]):
        name = f"{name}.checkout".lstrip(".")
        package = types.ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules[name] = package
    return importlib.import_module(f"{name}.{file.stem}").INSTRUCTION_DICT


def _judge(registry: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One verdict: the first text that passes decides; one object checks them all."""
    name = request["id"]
    if name not in registry:
        return {"missing": f"there is no checker for {name}"}
    try:
        checker = registry[name](name)
        checker.build_description(**request["kwargs"])
        arguments = checker.get_instruction_args()
        if arguments and "prompt" in arguments:
            checker.build_description(prompt=request["prompt"])
    except Exception as error:
        return _failure(error)
    crash = {}
    for text in request["texts"]:
        try:
            if checker.check_following(text):
                return {"passed": True}
        except Exception as error:
            crash = _failure(error)
            if "crash" not in crash:
                return crash
    return crash or {"passed": False}


def _failure(error: BaseException) -> dict[str, Any]:
    """What an exception is: this process of no further use, something missing here, or a crash of the checker."""
    if isinstance(error, MemoryError):
        return {"lost": "asked for more memory than it may have"}
    lacks = isinstance(error, LookupError | ImportError) and type(error) not in (KeyError, IndexError)
    return {"missing": _explained(error)} if lacks or _wants_network(error) else {"crash": type(error).__name__}


def _wants_network(error: BaseException) -> bool:
    """Whether an exception comes of there being no network, however it was passed on."""
    seen: list[BaseException] = []
    waiting: list[Any] = [error]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, BaseException) or any(one is other for other in seen):
            continue
        seen.append(one)
        unreachable = isinstance(one, OSError) and one.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH)
        refused = isinstance(one, ConnectionError) and not isinstance(one, BrokenPipeError)
        if unreachable or refused or isinstance(one, socket.gaierror):
            return True
        # URLError keeps what happened as its reason alone.
        waiting += [one.__cause__, one.__context__, getattr(one, "reason", None)]
    return False


def _explained(error: BaseException) -> str:
    """The words of an error; where it asks for the network or a download, that there is none."""
    if _wants_network(error):
        return f"it asks for the network, and checkers run without network ({_words(error)})"
    # NLTK's own advice is to download.
    return (
        f"{_words(error)}{' (nothing is downloaded: checkers run without network)' if 'ownload' in str(error) else ''}"
    )


def _words(error: BaseException) -> str:
    """The first words of an error's message that say something."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip(" *") for line in plain.splitlines() if line.strip(" *")]
    return (lines[0] if lines else type(error).__name__)[:200]


def _serve(lines: Iterator[str], registry: Any, answer: Callable[[dict[str, Any]], None], seconds: int) -> None:
    process = os.getpid()
    answer({"ready": sorted(registry)})
    for line in lines:
        _limit_processor(seconds)
        reply = _judge(registry, json.loads(line))
        if os.getpid() != process:
            os._exit(0)  # a copy that a checker made of this process has no say
        answer(reply)


def main() -> NoReturn:
    """Read requests until the input ends."""
    memory, seconds = map(int, sys.argv[1:])
    # The pipes move to descriptors of our own: neither what the checkers and their subprocesses print nor what they
    # read may mix with questions and answers.
    out, questions = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)

    def answer(reply: dict[str, Any]) -> None:
        out.write(json.dumps(reply) + "\n")
        out.flush()

    answer(_guard(memory))
    target = json.loads(next(questions, "{}")).get("load")
    if target is None:
        sys.exit(0)
    try:
        _prepare()
        registry = _lighteval_registry() if target == "lighteval" else _registry_at(Path(target))
    except MemoryError:
        answer({"failed": "their code asked for more memory than it may have"})
        sys.exit(1)
    except (Exception, SystemExit) as error:
        answer({"failed": f"{type(error).__name__}: {_explained(error)}"})
        sys.exit(1)
    _serve(questions, registry, answer, seconds)
    sys.exit(0)


if __name__ == "__main__":
    main()
