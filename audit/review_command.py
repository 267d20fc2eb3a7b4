"""The three ways to label a round: a model, a page for a person, labels taken in from a file."""

import asyncio
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Final

from audit.errors import AuditError
from audit.jsonl import read_json, sha256_of, write_json
from audit.labels import read_labels, write_labels
from audit.model_reviewer import PROMPT_VERSION, Reviewed, Reviewer, label_round
from audit.page import render_page
from audit.round import Round, check_reviewer
from endpoints.client import Endpoint
from endpoints.journal import Journal

__all__ = ["import_labels", "review_by_model", "write_page"]

_SHOWN: Final = 5

Say = Callable[[str], None]


def write_page(round_: Round, reviewer: str, path: Path, say: Say) -> None:
    """Write the review page of one person."""
    check_reviewer(reviewer)
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(render_page(round_, reviewer))
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error.strerror or error}") from error
    say(f"{path}: {len(round_.cases)} cases for reviewer {reviewer}; open it in any browser, no network needed")
    say("it keeps labels in the browser; save them to a file at the end, and take that in by --import")


def import_labels(round_: Round, path: Path, reviewer: str | None, *, replace: bool, say: Say) -> int:
    """Take labels into the round; returns how many cases they leave without one.

    Raises:
        AuditError: labels that cannot stand, of another reviewer than named, or that would change or drop labels of
            the same reviewer without ``replace``.
    """
    found, labels = read_labels(path, round_.case_ids, round_.cases_sha256)
    name = check_reviewer(found)
    if reviewer not in (None, name):
        raise AuditError(f"{path} holds labels of reviewer {name}, not {reviewer}")
    target = round_.labels_path(name)
    if target.exists() and not replace:
        _, before = read_labels(target, round_.case_ids, round_.cases_sha256)
        changed = sum(labels.get(case) != label for case, label in before.items())
        if changed:
            raise AuditError(f"{changed} labels of {target} would change or go; --replace if they should")
    write_labels(target, name, labels, round_.case_ids, round_.cases_sha256)
    left = len(round_.cases) - len(labels)
    say(f"{target}: {len(labels)} of {len(round_.cases)} cases labelled{f', {left} open' if left else ''}")
    return left


def review_by_model(round_: Round, arguments: Namespace, api_key: str | None, say: Say) -> int:
    """Have a model label the round; returns how many cases it leaves without a label.

    Every reply is in ``review_<reviewer>.journal.jsonl`` as it arrives: after an interruption the same command asks
    only for the rest.

    Raises:
        EndpointError, JournalError: see :meth:`endpoints.client.Endpoint.run`.
        AuditError: the reviewer's labels there are a person's, or another model's.
    """
    name = check_reviewer(arguments.reviewer)
    target = round_.labels_path(name)
    record = round_.folder / f"review_{name}.json"
    if target.exists() and not record.exists():
        raise AuditError(f"{target} holds the labels of a person; name another reviewer")
    before = read_json(record) if record.exists() else {"model": arguments.model, "prompt": PROMPT_VERSION}
    if (before.get("model"), before.get("prompt")) != (arguments.model, PROMPT_VERSION):
        raise AuditError(
            f"{target} holds the labels of {before.get('model')} (prompt {before.get('prompt')}); name another reviewer"
        )
    sampling = {"temperature": arguments.temperature} | ({"seed": arguments.seed} if arguments.seed is not None else {})
    template = {"chat_template_kwargs": arguments.chat_template_kwargs} if arguments.chat_template_kwargs else {}
    reviewer = Reviewer(
        name=name,
        model=arguments.model,
        max_tokens=arguments.max_tokens,
        attempts=arguments.attempts,
        sampling=sampling,
        extra_body=template,
        structured=not arguments.no_schema,
    )

    async def ask() -> Reviewed:
        async with Endpoint(arguments.base_url, api_key, concurrency=arguments.concurrency) as endpoint:
            await endpoint.describe(reviewer.model)
            with Journal(round_.folder / f"review_{name}.journal.jsonl") as journal:
                return await label_round(round_, reviewer, endpoint, journal)

    done = asyncio.run(ask())
    write_labels(target, name, done.labels, round_.case_ids, round_.cases_sha256)
    write_json(
        record,
        {
            "reviewer": name,
            "model": reviewer.model,
            "prompt": PROMPT_VERSION,
            "max_tokens": reviewer.max_tokens,
            "sampling": dict(reviewer.sampling),
            "extra_body": dict(reviewer.extra_body),
            "structured": reviewer.structured,
            "labelled": len(done.labels),
            "asked_again": done.asked_again,
            "unreadable_replies": done.unreadable,
            "without_label": done.without_label,
            "labels_sha256": sha256_of(target),
        },
    )
    say(f"{target}: {len(done.labels)} of {len(round_.cases)} cases labelled by {reviewer.model}")
    say(f"  {done.unreadable} unreadable replies, {done.asked_again} cases labelled after being asked again")
    for case in [case for case in round_.case_ids if case in done.without_label][:_SHOWN]:
        say(f"  {case} has no label: {done.without_label[case]}")
    if len(done.without_label) > _SHOWN:
        say(f"  and {len(done.without_label) - _SHOWN} more, in {record}")
    return len(done.without_label)
