"""The judge under LightEval's own command line, which has no options for it: environment variables name it."""

import asyncio
import contextlib
import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from endpoints.defaults import CONCURRENCY, JUDGE_BASE_URL
from endpoints.journal import Journal
from judges.asking import Judge, open_judge
from judges.judgement import Judgement, Judging
from metrics.record import Answer, Sample

__all__ = ["ENVIRONMENT", "JudgeSettings", "judge_all"]

ENVIRONMENT: Final[Mapping[str, str]] = {
    "JUDGE_BASE_URL": f"judge's server, default {JUDGE_BASE_URL}",
    "JUDGE_MODEL": "name it serves the judge under, default the benchmark's own",
    "JUDGE_API_KEY": "key sent to it, default none",
    "JUDGE_CONCURRENCY": f"answers judged at a time, default {CONCURRENCY}",
    "JUDGE_JOURNAL": "file that keeps the judge's replies; asked again, they are not asked for again",
}


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The judge of a run under LightEval's own command line."""

    base_url: str
    model: str
    api_key: str | None
    concurrency: int
    journal: Path | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], default_model: str) -> "JudgeSettings":
        """Settings from variables named in ENVIRONMENT; an empty one counts as absent.

        Raises:
            ValueError: a value cannot be read; the variable is named.
        """
        values = {name: environment.get(name) or None for name in ENVIRONMENT}
        concurrency = values["JUDGE_CONCURRENCY"] or str(CONCURRENCY)
        if not (concurrency.isascii() and concurrency.isdigit() and int(concurrency) > 0):
            raise ValueError(f"environment variable JUDGE_CONCURRENCY={concurrency!r} must be a positive whole number")
        return cls(
            base_url=values["JUDGE_BASE_URL"] or JUDGE_BASE_URL,
            model=values["JUDGE_MODEL"] or default_model,
            api_key=values["JUDGE_API_KEY"],
            concurrency=int(concurrency),
            journal=Path(values["JUDGE_JOURNAL"]) if values["JUDGE_JOURNAL"] else None,
        )


def judge_all(judging: Judging, answers: Sequence[tuple[str, Sample, Answer]]) -> list[Judgement]:
    """Judge many answers at a time.

    Args:
        judging: how the benchmark is judged.
        answers: task, sample and answer of each.

    Raises:
        EndpointError: the judge cannot be had.
        JournalError: its journal cannot be used.
        ValueError: an environment variable cannot be read.
    """
    settings = JudgeSettings.from_environment(os.environ, judging.default_model)
    return asyncio.run(_judge_with(settings, judging, answers))


async def _judge_with(
    settings: JudgeSettings, judging: Judging, answers: Sequence[tuple[str, Sample, Answer]]
) -> list[Judgement]:
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(contextlib.closing(Journal(settings.journal))) if settings.journal else None
        async with open_judge(
            settings.base_url, settings.model, settings.api_key, settings.concurrency, journal
        ) as opened:
            one = functools.partial(_judge_one, opened, judging)
            return await asyncio.gather(*(one(task, sample, answer) for task, sample, answer in answers))


async def _judge_one(opened: Judge, judging: Judging, task: str, sample: Sample, answer: Answer) -> Judgement:
    try:
        return await judging.judge(sample, answer, opened.ask(task, sample.id, sample.repeat))
    except Exception as error:
        # A fault of ours on one answer must not cost the verdicts on the others.
        return Judgement("failed", error=f"judging raised {type(error).__name__}: {error}")
