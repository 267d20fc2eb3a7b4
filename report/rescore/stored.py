"""The answers that a run's folder holds, ready to be scored again: of its details files, else of its journal."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from endpoints.journal import JournalError, JournalLine
from endpoints.journal_lines import read_whole_lines
from endpoints.outcome import Outcome
from endpoints.reasoning_marks import marks_named, without_marks
from endpoints.user_cache import default_cache
from judges.judgement import Judgement, JudgeReply
from metrics.reasons import nouns
from metrics.record import Answer, Record, Sample
from report.errors import ReportError
from report.loading import asked_tasks, each_sample
from runs.folder import Run
from runs.folder import Sample as Details
from tasks.benchmark import Benchmark, DatasetError, DatasetRequest
from tasks.names import TaskName
from tasks.registry import benchmark
from tasks.rows import read_rows

__all__ = ["Stored", "details_answers", "journal_answers", "note_of_journal"]

_AT_HAND: Final = ("answered", "unjudged", "unscored")  # outcomes of which there is an answer
# Options of a judge that change no reply.
_JUDGES_PLACE: Final = re.compile(r"--judge-(?:base-url|api-key-env|header|concurrency)\b")
_Place = tuple[str, str, int]  # task, id, repeat


class Stored(NamedTuple):
    """An answer of a run, or what stands for a missing one.

    Attributes:
        task: the task that it was asked for, a part where the task is run in parts.
        sample: the question.
        answer: what the model said, reasoning marks cut as the run cut them; None without an answer.
        record: as the run scored it; None where it has not scored it.
        outcome: the response of a missing answer that has no record.
        judgement: as the run stored it; None without one.
        replies: the judge's, in the order in which they came.
    """

    task: TaskName
    sample: Sample
    answer: Answer | None
    record: Record | None
    outcome: Outcome | None = None
    judgement: Judgement | None = None
    replies: Sequence[JudgeReply] = ()


def details_answers(run: Run) -> Iterator[Stored]:
    """The answers of the details files, with the questions as they were stored there.

    Raises:
        FileError, ReportError: see :func:`report.loading.each_sample`.
    """
    lines = _judges_lines(run)[0]
    plain = _plain_replies(run)
    return each_sample(run, lambda task, found: _of_details(task, found, lines, plain))


def _of_details(task: TaskName, found: Details, lines: Mapping[_Place, Sequence[JournalLine]], plain: bool) -> Stored:
    record = cast(Record, found.record)
    scoring = (found.doc.get("specific") or {}).get("scoring")
    sample = Sample(str(record["id"]), record["repeat"], str(scoring or ""), record["labels"])
    answer = None
    if record["outcome"] in _AT_HAND:
        texts = found.response.get("text") or [""]
        answer = Answer(str(texts[0] or ""), bool(record["truncated"]))
    told = json.loads(found.response.get("judgement") or "{}")
    judgement = Judgement.of(told) if told else None
    replies: list[JudgeReply] = []
    if judgement is not None:
        known = {line.outcome.text: line.outcome for line in lines.get((str(task), sample.id, sample.repeat), ())}
        replies = [_reply(known.get(text) or Outcome("answered", text), plain) for text in judgement.replies]
    return Stored(task, sample, answer, record, None, judgement, replies)


def _reply(outcome: Outcome, plain: bool) -> JudgeReply:
    return JudgeReply(
        outcome.text,
        outcome.prompt_tokens or 0,
        outcome.completion_tokens or 0,
        truncated=outcome.truncated,
        reasoned=outcome.reasoning is not None,
        plain=plain,
    )


def _plain_replies(run: Run) -> bool:
    """Whether the judge was asked for texts, because its server takes no structured output."""
    return any(judge.get("structured_output") == "text" for judge in run.judges)


def _judges_lines(run: Run) -> tuple[Mapping[_Place, list[JournalLine]], int]:
    """The judges' replies, by the answer that they are about, and the bytes of a torn last line."""
    found: dict[_Place, list[JournalLine]] = defaultdict(list)
    path = run.folder / "judgements.jsonl"
    if not path.is_file():
        return found, 0
    lines, torn = _read(path)
    for line in lines:
        if line.outcome.status == "answered":
            found[line.task, line.sample_id, line.repeat].append(line)
    return found, torn


def _read(path: Path) -> tuple[list[JournalLine], int]:
    try:
        return read_whole_lines(path)
    except JournalError as error:
        raise ReportError(str(error)) from None


def note_of_journal(run: Run, seen: Sequence[Stored]) -> list[str]:
    """What the journal holds beyond the details files, which an earlier session may have written."""
    path = run.folder / "responses.jsonl"
    if not path.is_file():
        return []
    lines, torn = _read(path)
    known = {(str(one.task), one.sample.id, one.sample.repeat) for one in seen if one.answer is not None}
    late = {(line.task, line.sample_id, line.repeat) for line in lines if line.outcome.is_answer} - known
    notes = [_torn(path, torn)] if torn else []
    if late:
        notes.append(
            f"{nouns(len(late), 'answer')} of {path.name} left out, for no details file has them: they came later, or "
            "belong to other questions; run_lighteval.py --resume lets the run end"
        )
    return notes


def _torn(path: Path, size: int) -> str:
    return f"{path.name}: an unfinished last line of {size} bytes is passed over"


# Of a run that has not ended


def journal_answers(run: Run) -> tuple[list[Stored], list[str]]:
    """The answers of the journal, with the questions of the run's dataset, which must still be the same.

    Returns:
        The answers, and what the reader must know.

    Raises:
        ReportError: there is no journal, the dataset cannot be had or is another one now, or the replies of two judges
            cannot be told apart.
    """
    path = run.folder / "responses.jsonl"
    if run.settings.get("responses"):
        raise ReportError(
            f"{run.folder} has no details files, and a run of saved answers keeps no journal: score "
            f"{run.settings['responses']} again by --responses"
        )
    if not path.is_file():
        raise ReportError(f"{run.folder} has neither details files nor a journal: there is no answer to score")
    lines, torn = _read(path)
    samples, planned = _questions(run)
    judged, judge_torn = _judges_lines(run)
    if judged and _rejudged(run):
        raise ReportError(
            f"{run.folder} has no details files, and several judges have replied: which reply is whose cannot be told. "
            "Let the run end first (run_lighteval.py --resume)"
        )
    plain, marks = _plain_replies(run), _marks(run)
    found: dict[_Place, Stored] = {}
    strange = 0
    for line in lines:
        place = (line.task, line.sample_id, line.repeat)
        asked = samples.get(line.task, {}).get(line.sample_id)
        if asked is None:
            strange += 1
            continue
        if place in found and found[place].answer is not None and not line.outcome.is_answer:
            continue
        outcome = without_marks(line.outcome, marks)
        task, sample = TaskName.read(line.task), asked._replace(repeat=line.repeat)
        if line.outcome.is_answer:
            replies = [_reply(one.outcome, plain) for one in judged[place]]
            found[place] = Stored(task, sample, Answer(outcome.text, outcome.truncated), None, None, None, replies)
        else:
            found[place] = Stored(task, sample, None, None, _no_answer(outcome))
    answers = list(found.values())
    at_hand = sum(one.answer is not None for one in answers)
    notes = [
        f"the run has no details files (its status is {run.status}): {nouns(at_hand, 'answer')} of {path.name} scored, "
        f"of {planned} that were to be asked, over the same dataset as then; the rest is left out"
    ]
    notes += [_torn(path, torn)] if torn else []
    notes += [_torn(run.folder / "judgements.jsonl", judge_torn)] if judge_torn else []
    notes += [f"{strange} lines of {path.name} are of no question of the run"] if strange else []
    return answers, notes


def _no_answer(outcome: Outcome) -> Outcome:
    """An outcome without a whole answer: a fragment that an older version took for one has failed."""
    if outcome.status != "answered":
        return outcome
    return Outcome.failure("aborted", f"the text broke off (finish_reason {outcome.finish_reason!r}): it is no answer")


def _marks(run: Run) -> str | None:
    name = run.settings.get("reasoning_marks")
    try:
        return None if name is None else marks_named(name)
    except ValueError as error:
        raise ReportError(f"{run.folder}: its --reasoning-marks: {error}") from None


def _rejudged(run: Run) -> bool:
    """Whether a later session named another judge, or asked it otherwise."""
    later = [word for session in run.content.get("sessions", [])[1:] for word in session.get("command", [])]
    return any(word.startswith("--judge-") and not _JUDGES_PLACE.match(word) for word in later)


def _questions(run: Run) -> tuple[dict[str, dict[str, Sample]], int]:
    """The questions of each task by id, and how many answers the run was to have.

    Raises:
        ReportError: the dataset cannot be had, or is another one now.
    """
    sizes: dict[TaskName, list[int | None]] = defaultdict(list)
    for parts in asked_tasks(run).values():
        for part, size in parts.items():
            sizes[part].append(size)
    found: dict[str, dict[str, Sample]] = {}
    planned, repeats = 0, int(run.settings.get("repeats") or 1)
    for name in dict.fromkeys(part.benchmark for part in sizes):
        bench = benchmark(name)
        rows, questions = _rows(run, bench)
        for part in (part for part in sizes if part.benchmark == name):
            asked = (bench.sample_of(row, part) for row in rows)
            found[str(part)] = {sample.id: sample for sample in asked if sample is not None}
            smoke = [size for size in sizes[part] if size is not None]
            most = max(smoke) if smoke else repeats * (run.settings.get("max_samples") or questions[part.plain])
            planned += min(most, repeats * questions[part.plain])
    return found, planned


def _rows(run: Run, bench: Benchmark) -> tuple[Sequence[Mapping[str, Any]], Mapping[str, int]]:
    then = run.content.get("datasets", {}).get(bench.name, {})
    advice = "let the run end by the version that began it (run_lighteval.py --resume)"
    if "sha256" not in then:
        raise ReportError(f"{run.folder}: run.json does not say which dataset of {bench.name} was asked; {advice}")
    settings = run.settings
    request = DatasetRequest(
        settings.get("dataset") or bench.default_dataset,
        default_cache(),
        then.get("revision"),
        settings.get("column_map") or {},
    )
    try:
        handle = bench.load_dataset(request)
    except DatasetError as error:
        raise ReportError(f"{run.folder}: no details files, and its dataset cannot be had: {error}; {advice}") from None
    if handle.sha256 != then["sha256"]:
        raise ReportError(
            f"{run.folder}: no details files, and the questions of {handle.name} have changed since (sha256 "
            f"{then['sha256'][:12]} then, {handle.sha256[:12]} now), so its answers cannot be scored: {advice}"
        )
    return read_rows(handle.folder / "test.jsonl"), handle.questions
