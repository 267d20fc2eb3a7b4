"""Has an installed vLLM's or vllm-router's own parser check options. It runs in that environment and starts no engine.

The file is run by its path and needs the standard library and that package alone. It reads a JSON object from standard
input, ``{"kind": "vllm" | "router", "commands": [[argument, ...], ...]}``. The last line that it prints is a JSON
object: ``{"missing": package}`` if the package is not installed, otherwise ``{"version": text, "answers": [null, or why
the parser refuses the command, ...]}``.
"""

import argparse
import contextlib
import importlib
import importlib.util
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# The folder of this file comes first on the module path: nothing there is meant for that environment.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

# Where vLLM has kept its server's parser, newest first.
_PARSER_MODULES = ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")
_FLEXIBLE_MODULES = ("vllm.utils.argparse_utils", "vllm.utils")


def _first_module(names: tuple[str, ...], attribute: str) -> Any:
    for name in names:
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            if hasattr(module, attribute):
                return module
    raise ImportError(f"none of {', '.join(names)} has {attribute}")


def _vllm_parse() -> Callable[[list[str]], None]:
    arguments = _first_module(_PARSER_MODULES, "make_arg_parser")
    flexible = _first_module(_FLEXIBLE_MODULES, "FlexibleArgumentParser")
    parser = arguments.make_arg_parser(flexible.FlexibleArgumentParser(prog="vllm serve"))
    known: list[str] | None = None
    with contextlib.suppress(Exception):  # only some versions can list them
        known = sorted(importlib.import_module("vllm.reasoning").ReasoningParserManager.list_registered())

    def parse(command: list[str]) -> None:
        parsed = parser.parse_args(command)
        arguments.validate_parsed_serve_args(parsed)
        wanted = getattr(parsed, "reasoning_parser", None)
        if wanted and known and wanted not in known and not getattr(parsed, "reasoning_parser_plugin", None):
            raise ValueError(f"--reasoning-parser: invalid choice: {wanted!r} (choose from {', '.join(known)})")

    return parse


def _router_parse() -> Callable[[list[str]], None]:
    launch = importlib.import_module("vllm_router.launch_router")

    def parse(command: list[str]) -> None:
        launch.parse_router_args(command)

    return parse


def _refusal(parse: Callable[[list[str]], None], command: list[str]) -> str | None:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parse(command)
    except (SystemExit, argparse.ArgumentError):
        # The last line is "program: error: why"; what comes before is the usage.
        return said.getvalue().strip().rpartition("error: ")[2].strip() or "refused without a reason"
    except Exception as error:  # whatever its checks raise is its answer
        return f"{error}".strip() or type(error).__name__
    return None


def main() -> int:
    """Read the commands and print the answers."""
    question = json.load(sys.stdin)
    package = {"vllm": "vllm", "router": "vllm_router"}[question["kind"]]
    if importlib.util.find_spec(package) is None:
        answer: dict[str, Any] = {"missing": package}
    else:
        parse = {"vllm": _vllm_parse, "router": _router_parse}[question["kind"]]()
        version = str(getattr(importlib.import_module(package), "__version__", ""))
        answer = {"version": version, "answers": [_refusal(parse, command) for command in question["commands"]]}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
