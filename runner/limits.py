"""The cap and the window of a run's answers: what a resume may change of them, and what is recorded."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endpoints.window import FROM_REFUSAL
from runner.answer_source import AnswerSource
from runner.console import say
from runner.exits import UsageError
from runner.run_file import RunFile
from runner.settings import Settings

__all__ = ["check_lowered", "keep_limits", "limits_before", "record_window", "with_known_window"]


def with_known_window(server: AnswerSource, recorded: Mapping[str, Any], run_dir: Path | None) -> AnswerSource:
    """The source, with the window in tokens that the run learnt before if the source itself does not know it.

    Args:
        server: what answers now.
        recorded: ``run.json`` of the run that is resumed, empty for a new one.
        run_dir: its folder, for messages.

    Raises:
        UsageError: another window would cap answers otherwise, and ask for all of them again.
    """
    before = recorded.get("model", {})
    window = before.get("max_model_len")
    if window is not None and server.window is None:
        server = dataclasses.replace(server, window=window, window_source=before.get("window_from", ""))
    if window is not None and window != server.window:
        raise UsageError(f"cannot resume {run_dir}: the server's window was {window} tokens, now it is {server.window}")
    return server


def check_lowered(cap: int, own: int, run_dir: Path) -> None:
    """Check that a resume which sets a cap lowers it.

    Args:
        cap: new tokens of an answer that the command line asks for.
        own: the cap of the run, or of its tasks if the run had none of its own.
        run_dir: the run's folder, for messages.

    Raises:
        UsageError: it would raise the cap.
    """
    if own < cap:
        raise UsageError(
            f"cannot resume {run_dir}: answers are capped at {own} tokens, --max-new-tokens {cap} is more; "
            "a resume can only lower the cap"
        )


def limits_before(
    recorded: Mapping[str, Any], settings: Settings, server: AnswerSource
) -> tuple[int | None, int | None] | None:
    """The cap and the window, in tokens, of the run's last session; None where there was none, or they are the same.

    Args:
        recorded: ``run.json`` of the run that is resumed, empty for a new one.
        settings: of the run.
        server: what answers now.
    """
    if not recorded.get("model") or "sampling" not in recorded:
        return None
    limits = (recorded["sampling"]["max_new_tokens"], recorded["model"].get("max_model_len"))
    return limits if limits != (settings.max_new_tokens or server.default_cap, server.window) else None


def keep_limits(file: RunFile, cap: int | None, window: int | None) -> None:
    """Record a cap and a window, in tokens, under which answers were asked for before they were lowered."""
    limits = [cap, window]
    earlier: list[list[int | None]] = file.content.setdefault("earlier_limits", [])
    if limits not in earlier:
        earlier.append(limits)


def record_window(file: RunFile, tokens: int) -> None:
    """Record a window in tokens that a refusal has named: a resume starts with it."""
    keep_limits(file, file.content["sampling"]["max_new_tokens"], file.content["model"]["max_model_len"])
    file.content["model"] |= {"max_model_len": tokens, "window_from": FROM_REFUSAL}
    file.write()
    say(f"the server's window: {tokens} tokens, learnt from {FROM_REFUSAL}; further answers are capped by it")
