"""Checks the further fields that a user wants in the body of every request (``--extra-body``)."""

import json
from collections.abc import Mapping
from typing import Any, Final

from runner.exits import UsageError

__all__ = ["check_extra_body", "extra_body_phrase"]

_CAP: Final = "--max-new-tokens"
_TASKS_OWN: Final = "the task sets it"
_FORM: Final = "answers are free text"
# Fields that a run decides by itself, or that would make a reply unlike what the scorer reads: what to use instead.
_TAKEN: Final[Mapping[str, str]] = {
    "model": "--model",
    "messages": "--system-prompt",
    "prompt": _TASKS_OWN,
    **dict.fromkeys(
        ("max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "n_predict", "num_predict"), _CAP
    ),
    "temperature": "--temperature",
    **dict.fromkeys(("seed", "random_seed"), "--seed"),
    **dict.fromkeys(("n", "num_return_sequences"), "--repeats"),
    "stop": _TASKS_OWN,
    "echo": "the prompt is no part of an answer",
    **dict.fromkeys(("stream", "stream_options"), "--stream"),
    "chat_template_kwargs": "--chat-template-kwargs",
    **dict.fromkeys(
        ("response_format", "structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar"),
        _FORM,
    ),
    # The OpenAI client's own name for what is given here.
    "extra_body": "give its fields themselves",
}
_GREEDY: Final = "a judge is always greedy"
# What stands in place of that for a judge.
_OF_JUDGE: Final[Mapping[str, str]] = {
    "--model": "--judge-model",
    "--system-prompt": "--judge-prompts",
    "--temperature": _GREEDY,
    "--seed": _GREEDY,
    "--repeats": "a judge replies once",
    "--chat-template-kwargs": "--judge-chat-template-kwargs",
    _CAP: "--judge-max-tokens",
    _TASKS_OWN: "the judge's prompts set it",
    _FORM: "the run asks for the form that it reads",
}


def check_extra_body(option: str, fields: Mapping[str, Any], *, judge: bool = False) -> None:
    """Check that no field is one that the run decides by itself.

    Args:
        option: the argument that gave the fields, for messages.
        fields: further fields of a request's body.
        judge: whether the requests go to a judge.

    Raises:
        UsageError: some are; each is named with what to use instead.
    """
    instead = {name: _TAKEN[name] for name in fields if name in _TAKEN}
    if judge:
        instead = {name: _OF_JUDGE.get(what, what) for name, what in instead.items()}
    if instead:
        named = "; ".join(f"{name!r} ({'use ' * what.startswith('--')}{what})" for name, what in instead.items())
        raise UsageError(f"{option}: the run itself decides these fields: {named}")


def extra_body_phrase(fields: Mapping[str, Any]) -> str:
    """The fields as the table shows them, with a comma in front; empty if there are none."""
    return f", extra body {json.dumps(fields, ensure_ascii=False, sort_keys=True)}" if fields else ""
