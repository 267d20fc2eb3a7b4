"""What a user is told of a journal that a run goes on with: what was repaired, and which lines are not this run's."""

from collections import Counter
from collections.abc import Iterable, Sequence

from endpoints.journal import Journal
from endpoints.request import Request

__all__ = ["journal_notes"]

_NAMED = 3


def journal_notes(
    journal: Journal, asked: Sequence[Request], planned: Iterable[Request], *, all_planned: bool = True
) -> list[str]:
    """Sentences on the lines that the journal held when it was opened.

    Args:
        journal: the open journal.
        asked: every request of the run, whatever its cap.
        planned: those that are sent, under the keys that answers are looked up by.
        all_planned: whether an answer of this run can only be under one of these keys, since no refusal of the server
            lowered a cap.
    """
    name = journal.path.name
    notes = [f"{name}: {journal.repair}"] if journal.repair else []
    if not journal.loaded:
        return notes  # every key is a hash of a whole body
    places = {(request.task, request.sample_id, request.repeat) for request in asked}
    tasks = {request.task for request in asked}
    foreign = Counter(task for task, _, _ in journal.loaded.values() if task not in tasks)
    if foreign:
        named = ", ".join(f"{task} ({count})" for task, count in foreign.most_common(_NAMED))
        more = f" and {len(foreign) - _NAMED} more" if len(foreign) > _NAMED else ""
        notes.append(f"{name}: {_lines(foreign.total())} of tasks that this run does not have, not used: {named}{more}")
    strange = sum(place[0] in tasks and place not in places for place in journal.loaded.values())
    if strange:
        notes.append(f"{name}: {_lines(strange)} of questions that this run does not have, not used")
    keys = {request.key() for request in planned}
    other = sum(place in places and key in journal and key not in keys for key, place in journal.loaded.items())
    if other and all_planned:
        notes.append(
            f"{name}: {_lines(other)} with answers to this run's questions as another run asked them (another model, "
            "prompt, cap or sampling), not used"
        )
    return notes


def _lines(count: int) -> str:
    return f"{count} lines" if count > 1 else "1 line"
