"""What a script of ours says when the serving environment's interpreter runs it: one JSON object."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from endpoints.errors import one_line

__all__ = ["script_answer"]


def script_answer(
    command: Sequence[str], env: Mapping[str, str | None], limit_s: float, question: Any = None
) -> dict[str, Any] | str:
    """The object that the last line of a script's output is, or a phrase that says why there is none.

    Args:
        command: the interpreter, the script and its arguments.
        env: variables to set, or to remove (None), over this process's own.
        limit_s: most seconds until its end.
        question: what it reads as JSON on standard input; None for nothing.
    """
    merged = {**os.environ, **env}
    try:
        done = subprocess.run(
            command,
            input="" if question is None else json.dumps(question),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={name: value for name, value in merged.items() if value is not None},
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {limit_s:g} s"
    except OSError as error:
        return str(error)
    try:
        answer = json.loads(done.stdout.strip().rpartition("\n")[2])
    except ValueError:
        answer = None
    if done.returncode or not isinstance(answer, dict):
        return one_line(done.stderr.strip().rpartition("\n")[2]) or f"exit status {done.returncode}"
    return answer
