"""``python -m audit review``: a model labels a round, a page is written for a person, or a file of labels is read."""

import asyncio
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Final

from audit.errors import AuditError
from audit.labels import consensus, read_labels, write_labels
from audit.model_reviewer import PROMPT_VERSION, Reviewed, Reviewer, label_round
from audit.page import render_page
from audit.round import Round, check_reviewer
from endpoints.client import Endpoint
from endpoints.journal import Journal
from runs.files import read_json, sha256_of, write_json

__all__ = ["decided_line", "import_labels", "review_by_model", "write_page"]

_SHOWN: Final = 5

Say = Callable[[str], None]


def write_page(round_: Round, reviewer: str, path: Path, say: Say) -> None:
    """Write the review page of one person.

    Args:
        round_: the round.
        reviewer: the person's name in the round.
        path: the HTML file.
        say: prints one line.

    Raises:
        AuditError: the reviewer's name is not allowed, or the file cannot be written.
    """
    check_reviewer(reviewer)
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(render_page(round_, reviewer))
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error.strerror or error}") from error
    say(f"{path}: {len(round_.cases)} cases for reviewer {reviewer}; open it in any browser, no network needed")
    say("it keeps labels in the browser; save them to a file at the end, and take that in by --import")


def import_labels(round_: Round, path: Path, reviewer: str | None, *, replace: bool, say: Say) -> int:
    """Copy the labels of a file into the round's folder.

    Args:
        round_: the round.
        path: the file of labels.
        reviewer: the name that the labels must bear; None for any.
        replace: whether labels that the same reviewer gave before may change.
        say: prints one line.

    Returns:
        the number of cases without a label.

    Raises:
        FileError: the file of labels cannot be read.
        AuditError: a label is not allowed, the labels are another reviewer's, or earlier labels would change or be
            dropped and ``replace`` is false.
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
    say(f"  {decided_line(round_)}")
    return left


def decided_line(round_: Round) -> str:
    """How many cases of a round are decided by the labels that are in its folder.

    Raises:
        FileError: a file of labels cannot be read.
        AuditError: its labels are none of the round's.
    """
    found = [
        read_labels(path, round_.case_ids, round_.cases_sha256) for path in sorted(round_.folder.glob("labels_*.jsonl"))
    ]
    leans = [[labels[case].lean if case in labels else None for _, labels in found] for case in round_.case_ids]
    whose = " and ".join(name for name, _ in found)
    how = "all lean one way" if len(found) > 1 else "one reviewer's lean decides"
    return f"{sum(map(bool, map(consensus, leans)))} of {len(leans)} cases decided by the labels of {whose} ({how})"


def review_by_model(round_: Round, arguments: Namespace, api_key: str | None, say: Say) -> int:
    """Let a model label the round.

    Every reply is written to ``review_<reviewer>.journal.jsonl`` when it arrives. If the review is interrupted, the
    same command asks only for the replies that are missing.

    Args:
        round_: the round.
        arguments: those of ``python -m audit review``.
        api_key: key of the server; None for none.
        say: prints one line.

    Returns:
        the number of cases without a label.

    Raises:
        EndpointError, JournalError: see :meth:`endpoints.client.Endpoint.run`.
        FileError: what an earlier review left in the round cannot be read.
        AuditError: the round holds labels that a person or another model gave under the reviewer's name.
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
    say(f"  {decided_line(round_)}")
    say(f"  {done.unreadable} unreadable replies, {done.asked_again} cases labelled after being asked again")
    for case in [case for case in round_.case_ids if case in done.without_label][:_SHOWN]:
        say(f"  {case} has no label: {done.without_label[case]}")
    if len(done.without_label) > _SHOWN:
        say(f"  and {len(done.without_label) - _SHOWN} more, in {record}")
    return len(done.without_label)
