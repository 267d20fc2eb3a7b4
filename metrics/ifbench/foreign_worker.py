"""The process in which the checkers of another project run; started by :mod:`metrics.ifbench.foreign`.

``python foreign_worker.py lighteval`` or ``python foreign_worker.py FILE``, FILE being an ``instructions_registry.py``
with an ``INSTRUCTION_DICT``. It answers a first line when it is ready, then one line for each line that it reads.
Nothing is downloaded: a checker that asks for data or a package that is not there is reported as not gradable.

It imports nothing of this project, since another project's modules may go by the same names.
"""

import importlib
import json
import os
import re
import sys
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
    crash = ""
    try:
        checker = registry[name](name)
        checker.build_description(**request["kwargs"])
        arguments = checker.get_instruction_args()
        if arguments and "prompt" in arguments:
            checker.build_description(prompt=request["prompt"])
    except (LookupError, ImportError) as error:
        if type(error) in (KeyError, IndexError):
            return {"crash": type(error).__name__}
        return {"missing": _words(error)}
    except Exception as error:
        return {"crash": type(error).__name__}
    for text in request["texts"]:
        try:
            if checker.check_following(text):
                return {"passed": True}
        except (LookupError, ImportError) as error:
            if type(error) not in (KeyError, IndexError):
                return {"missing": _words(error)}
            crash = type(error).__name__
        except Exception as error:
            crash = type(error).__name__
    return {"crash": crash} if crash else {"passed": False}


def _words(error: BaseException) -> str:
    """The first words of an error's message that say something."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip(" *") for line in plain.splitlines() if line.strip(" *")]
    return (lines[0] if lines else type(error).__name__)[:200]


def _serve(lines: Iterator[str], registry: Any, answer: Callable[[dict[str, Any]], None]) -> None:
    answer({"ready": sorted(registry)})
    for line in lines:
        answer(_judge(registry, json.loads(line)))


def main() -> NoReturn:
    """Read requests until the input ends."""
    # The pipes move to descriptors of our own: neither what the checkers and their subprocesses print nor what they
    # read may mix with questions and answers.
    out, questions = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)

    def answer(reply: dict[str, Any]) -> None:
        out.write(json.dumps(reply) + "\n")
        out.flush()

    try:
        _prepare()
        registry = _lighteval_registry() if sys.argv[1] == "lighteval" else _registry_at(Path(sys.argv[1]))
    except (Exception, SystemExit) as error:
        answer({"failed": f"{type(error).__name__}: {_words(error)}"})
        sys.exit(1)
    _serve(questions, registry, answer)
    sys.exit(0)


if __name__ == "__main__":
    main()
