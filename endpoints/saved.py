"""Reads saved answers from a file, for ``--responses``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endpoints.batch_files import custom_id, is_custom_id, named_model, result_outcome
from endpoints.errors import one_line
from endpoints.finish import ending
from endpoints.outcome import MOST_TOKENS, Outcome, storable
from endpoints.shallow_json import read_json
from endpoints.withheld import withheld

__all__ = ["ResponsesError", "SavedResponses"]


_OPTIONAL: Mapping[str, Any] = {
    "finish_reason": str | None,
    "reasoning": str | None,
    "reasoning_content": str | None,
    "prompt_tokens": int | None,
    "completion_tokens": int | None,
    "reasoning_tokens": int | None,
}


_PACKED = (b"\x1f\x8b", b"PK", b"BZ", b"\xfd7", b"(\xb5")  # gzip, zip, bzip2, xz, zstd

# Task, question id and repeat of a saved answer; the custom_id of a batch's result.
_Name = tuple[str, str, int] | str


class ResponsesError(ValueError):
    """The file of saved answers cannot be used; the message names the line."""


class SavedResponses:
    """Saved answers, by task and question id.

    Each line is ``{"task": "ifhard:all", "id": ..., "response": ...}``, with ``repeat``, ``reasoning``,
    ``finish_reason``, ``refusal`` and ``tool_calls`` if there are any. A run's ``responses.jsonl`` is such a file; its
    failed lines are skipped, and so are blocked ones and fragments where another line has the answer. An
    answer serves every subset of its benchmark and mode, since a question has the same id in all of them. If the task
    names its number of shots (``ifhard:all|2``), the answer serves that task alone.

    A line may also be one of a batch's result file (:mod:`endpoints.batch_files`). One that holds a failure gives way
    to one with an answer, so that a second try's results can stand in the same file.

    Args:
        path: file in JSON Lines, UTF-8.

    Raises:
        ResponsesError: a line is no such object, or two lines answer the same question.

    Attributes:
        path: the file.
        models: names of the models that results of a batch say have answered.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.models: set[str] = set()
        self._answers: dict[_Name, tuple[int, Outcome]] = {}  # with the number of the line
        self._used: set[_Name] = set()
        self._tasks: dict[str, None] = {}  # in the order of the file
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ResponsesError(f"--responses {path}: {error}") from error
        except UnicodeDecodeError as error:
            packed = ", but packed: unpack it first" if error.object[:2] in _PACKED else ""
            raise ResponsesError(f"--responses {path} is no UTF-8 text{packed} ({error})") from error
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                self._add(number, line)

    def _add(self, number: int, line: str) -> None:
        where = f"--responses {self.path}, line {number}"
        try:
            entry = read_json(line)
        except ValueError as error:
            raise ResponsesError(f"{where}: not JSON ({error})") from error
        if isinstance(entry, dict) and isinstance(entry.get("custom_id"), str):
            self._add_result(number, entry, where)
            return
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("task", "id")):
            raise ResponsesError(
                f'{where}: expected an object with the strings "task", "id" and "response", or a result of a batch'
            )
        status = entry.get("status", "answered")
        if status not in ("answered", "blocked", "failed", "not_asked"):
            raise ResponsesError(f'{where}: "status" cannot be {one_line(repr(status), 100)}')
        if status in ("failed", "not_asked"):
            return
        if not isinstance(entry.get("response"), str | None) or "response" not in entry:
            raise ResponsesError(f'{where}: "response" must be a string or null')
        repeat = entry.get("repeat", 0)
        if not isinstance(repeat, int) or isinstance(repeat, bool):
            raise ResponsesError(f'{where}: "repeat" must be an integer')
        for name, kinds in _OPTIONAL.items():
            if not isinstance(entry.get(name), kinds) or isinstance(entry.get(name), bool):
                raise ResponsesError(f'{where}: "{name}" cannot be {one_line(repr(entry[name]), 100)}')
            if isinstance(entry.get(name), int) and not 0 <= entry[name] <= MOST_TOKENS:
                raise ResponsesError(f'{where}: "{name}" is no number of tokens')
        self._keep((entry["task"], entry["id"], repeat), number, _outcome(entry), where)
        self._tasks.setdefault(entry["task"])

    def _add_result(self, number: int, entry: Mapping[str, Any], where: str) -> None:
        name: str = entry["custom_id"]
        if "url" in entry and "response" not in entry:
            raise ResponsesError(f"{where}: this is a request of a batch; the file of its results is needed")
        if not is_custom_id(name):
            raise ResponsesError(f"{where}: custom_id {one_line(repr(name), 100)} is none that --emit-requests writes")
        model = named_model(entry)
        if model is not None:
            self.models.add(model)
        self._keep(name, number, result_outcome(entry), where)

    def _keep(self, name: _Name, number: int, outcome: Outcome, where: str) -> None:
        known = self._answers.get(name)
        # A journal may hold a blocked reply, of an older version also a fragment, and behind it the answer.
        if known is not None and outcome.status != "answered":
            return
        if known is not None and known[1].status == "answered":
            shown = f"custom_id {name}" if isinstance(name, str) else f"task {name[0]}, id {name[1]}"
            raise ResponsesError(f"{where}: {shown} was answered on line {known[0]} already")
        self._answers[name] = (number, outcome)

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def unused(self) -> int:
        """Number of answers that no sample has asked for so far."""
        return len(self._answers) - len(self._used)

    @property
    def origin(self) -> str:
        """What the answers are: ``saved answers``, ``batch results``, or both."""
        kinds = {isinstance(name, str) for name in self._answers}
        return " and ".join(["saved answers"] * (kinds != {True}) + ["batch results"] * (True in kinds))

    def outcome(self, task: str, sample_id: str, repeat: int) -> Outcome:
        """The saved answer to a request.

        The outcome is ``not_asked`` if the file has none, ``blocked`` if its text was withheld
        (:mod:`endpoints.withheld`), and ``failed`` if its finish reason is not known to end an answer
        (:mod:`endpoints.finish`), or if a batch got no answer.
        """
        plain, _, shots = task.partition("|")
        family, shots = plain.partition(":")[0], shots or "0"
        others = [name for name in self._tasks if name.partition(":")[0] == family]
        mode = plain.split(":")[2:]  # another subset has the same questions, another mode asks them otherwise
        suitable = [
            name
            for name in others
            if name.partition("|")[2] in ("", shots) and name.partition("|")[0].split(":")[2:] == mode
        ]
        names: list[_Name] = [
            (name, sample_id, repeat) for name in dict.fromkeys([f"{plain}|{shots}", plain, *suitable])
        ]
        for name in (*names, custom_id(task, sample_id, repeat)):
            found = self._answers.get(name)
            if found is not None:
                self._used.add(name)
                return found[1]
        return Outcome.unasked(f"{self.path.name} holds no answer for this sample")


def _outcome(entry: Mapping[str, Any]) -> Outcome:
    text = entry["response"] or ""
    blocked = withheld({**entry, "message": entry}, text)
    if entry.get("status") == "blocked":
        blocked = entry.get("error") or blocked or "the line does not say why"
    if blocked is None and ending(entry.get("finish_reason")) == "broken":
        word = one_line(entry["finish_reason"], 100)
        return Outcome.failure("aborted", f"the saved text broke off (finish_reason {word!r}): it is no answer")
    reasoning = entry.get("reasoning") or entry.get("reasoning_content")
    return Outcome(
        status="answered" if blocked is None else "blocked",
        text=storable(text),
        reasoning=storable(reasoning) if isinstance(reasoning, str) else None,
        finish_reason=entry.get("finish_reason"),
        prompt_tokens=entry.get("prompt_tokens"),
        completion_tokens=entry.get("completion_tokens"),
        reasoning_tokens=entry.get("reasoning_tokens"),
        error=None if blocked is None else storable(str(blocked)),
        error_code=None if blocked is None else "blocked",
    )
