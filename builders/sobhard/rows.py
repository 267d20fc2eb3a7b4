"""From recipes to rows: the reference is computed, written, read back, and scored before it is kept.

A recipe is what is chosen of a question: family, difficulty, document, notations, register, and the parameters of its
family. Words, reference and checks follow from it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from builders.sobhard import sources
from builders.sobhard.documents import Given, document, layout_of, text_of
from builders.sobhard.families import FAMILIES, Asked, Recipe, RecipeError, Work
from builders.sobhard.operations import ORDERING
from builders.sobhard.plan import tier_of
from builders.sobhard.sources import Layout
from builders.sobhard.targets import write_target
from builders.sobhard.wording import NOTATION_NAMES, Words, format_text, words_of
from metrics.sobhard import answer_text, check_row, score
from metrics.sobhard.comparison import compare
from metrics.sobhard.targets import TARGETS, parse
from tasks.sobhard.prompts import EDITIONS, STYLES, template_text

__all__ = ["Row", "complete", "fenced", "session", "single"]

Row = dict[str, Any]

# Families whose answer must equal the source, or what the rules made of it, up to types.
_GATES: Final = {
    "convert": "convert.lossless_vs_source",
    "repair": "repair.data_intact",
    "schema_gen": "schema.validates_source",
}


def fenced(row: Mapping[str, Any], body: str) -> str:
    """A body as an answer to a row: one block of code with the row's tag, and nothing else."""
    return f"```{row['meta']['fence_tag']}\n{body}\n```"


def single(recipe: Recipe, documents: Mapping[str, Any]) -> Row:
    """The row of a recipe of any family but session.

    Raises:
        RecipeError, ValueError, LookupError, TypeError: the recipe does not fit its document.
    """
    family, source, target = recipe["family"], recipe["source"], recipe["target"]
    given, layout = document(recipe["document"], documents), layout_of(recipe, documents)
    words = words_of(recipe)
    work = FAMILIES[family](recipe, Asked(given, documents, layout, words))
    task = f"{_task(words, family, source, target)}\n\n{_conventions(recipe, words, layout)}"
    return _row(recipe, words, work, task, work.input_data, source, target, given.origin)


def session(recipe: Recipe, documents: Mapping[str, Any], dialogue: int) -> list[Row]:
    """The turns of a conversation, the graded one last.

    Raises:
        RecipeError, ValueError, LookupError, TypeError: as ``single``.
    """
    turns, layout = recipe["turns"], layout_of(recipe, documents)
    given, words = document(recipe["document"], documents), words_of(recipe)
    states = [given.value]
    notations = [recipe["source"]]
    rows = []
    shown = text_of(given, recipe["source"], layout)
    for number, turn in enumerate(turns, 1):
        # An undoing turn starts from the state before the last one; both are refused as its answer.
        undo = bool(turn.get("undo"))
        source, shown_as = (states[-2], notations[-2]) if undo else (states[-1], notations[-1])
        work = FAMILIES[turn["family"]](
            {**turn, "source": shown_as}, Asked(Given(source, ""), {}, layout, words, False)
        )
        meta = {
            **work.task_meta,
            "turn_family": turn["family"],
            "session": {"dialogue_id": dialogue, "turn_index": number, "n_turns": len(turns)},
        }
        work = work._replace(task_meta=meta, checks={**work.checks, "prev_state": states[-1]})
        task = _task(words, turn["family"], shown_as, turn["target"])
        if number == 1:
            task += f"\n\n{_conventions(recipe, words, layout)}"
            data = shown
        else:
            data = words.text("tasks.earlier_state" if undo else "tasks.later_state")
        row = _row({**recipe, "family": "session"}, words, work, task, data, shown_as, turn["target"], given.origin)
        row["meta"]["categories"]["length_tier"] = tier_of(len(shown))
        if undo:
            row["inputs"]["question"] = f"{words.text('tasks.undo')} {row['inputs']['question']}"
        row["meta"] |= {"dialogue_id": dialogue, "turn_index": number, "n_turns": len(turns)}
        rows.append(row)
        states.append(work.answer)
        notations.append(turn["target"])
    return rows


def _row(recipe: Recipe, words: Words, work: Work, task: str, data: str, source: str, target: str, origin: str) -> Row:
    reference = write_target(target, work.answer, _ordered(recipe["family"], work))
    checks = dict(work.checks)
    if recipe["family"] in _GATES:
        checks["gates"] = {_GATES[recipe["family"]]: _gate(recipe["family"], target, reference, checks)}
    style = recipe["style"]
    if style not in STYLES:
        raise RecipeError(f"no register: {style}")
    return {
        "instruction": "",
        "inputs": {
            "task": task,
            "input_data": data,
            "format": format_text(words, target),
            "question": work.question,
        },
        "outputs": "",
        "meta": {
            "id": 0,
            "base_id": "",
            "fence_tag": TARGETS[target].tag,
            "reference": reference,
            "reference_sha256": hashlib.sha256(reference.encode("utf-8")).hexdigest(),
            "task_meta": json.dumps(work.task_meta, ensure_ascii=False),
            "checks": json.dumps(checks, ensure_ascii=False),
            "dialogue_id": None,
            "turn_index": None,
            "n_turns": None,
            "categories": {
                "family": recipe["family"],
                "difficulty": recipe["difficulty"],
                "language": "ru",
                "source_format": source,
                "target_format": target,
                "length_tier": tier_of(len(data)),
                "prompt_style": style,
                "origin": origin,
            },
        },
    }


def _ordered(family: str, work: Work) -> bool:
    """Whether the instruction orders the keys of the answer."""
    program = () if family in ("schema_gen", "template") else work.task_meta.get("program", ())
    return family == "diff" or any(step["rule"] in ORDERING for step in program)


def _gate(family: str, target: str, reference: str, checks: Mapping[str, Any]) -> bool:
    """Whether the reference itself meets the gated constraint; a schema always has to."""
    if family == "schema_gen":
        return True
    wanted = checks["source"] if checks.get("derived") is None else checks["derived"]
    return compare(parse(TARGETS[target], reference).value, wanted, True).equal


def _task(words: Words, family: str, source: str, target: str) -> str:
    notations = words.text("tasks.notations", source=NOTATION_NAMES[source], target=NOTATION_NAMES[target])
    return f"{words.text(f'tasks.{family}')} {notations}"


def _conventions(recipe: Recipe, words: Words, layout: Layout) -> str:
    """How the documents of the question are read, each notation once."""
    notations = dict.fromkeys([recipe["source"], recipe.get("source_b", recipe["source"])])
    return "\n".join(
        f"{words.text('tasks.reading', name=NOTATION_NAMES[name])} "
        + sources.convention(name, layout if name == recipe["source"] else Layout())
        for name in notations
    )


# Rows together --------------------------------------------------------------------------------------------------------


def complete(test: Sequence[Row], shots: Sequence[Row]) -> None:
    """Give the rows of a set their templates, ids and shown answers, and prove every reference.

    Raises:
        RecipeError: a reference does not score 1.0 by every metric, or a graded answer stands in a shot.
    """
    rows = [*shots, *test]
    for number, (row, edition) in enumerate(zip(rows, _editions(rows), strict=True), 1):
        row["instruction"] = template_text(row["meta"]["categories"]["prompt_style"], edition)
        _finish(row, number)
    for row in shots:
        row["outputs"] = answer_text(row)
    _check_apart(test, shots)


def _editions(rows: Iterable[Row]) -> list[int]:
    """The template of each row within its register: in turns, one for all of a conversation."""
    taken: Counter[str] = Counter()
    voices: dict[int, int] = {}
    editions = []
    for row in rows:
        style, dialogue = row["meta"]["categories"]["prompt_style"], row["meta"]["dialogue_id"]
        if dialogue in voices:
            edition = voices[dialogue]
        else:
            edition = taken[style] % EDITIONS
            taken[style] += 1
            if dialogue is not None:
                voices[dialogue] = edition
        editions.append(edition)
    return editions


def _finish(row: Row, number: int) -> None:
    """Ids of a row, and the proof that its reference is right."""
    meta = row["meta"]
    meta["id"] = number
    content = json.dumps([row["instruction"], row["inputs"], meta["reference"], meta["task_meta"], meta["checks"]])
    meta["base_id"] = hashlib.sha256(content.encode()).hexdigest()[:16]
    check_row(row)
    result = score(row, answer_text(row))
    if set(result.metrics.values()) != {1.0}:
        failed = {
            name: verdict.reason for name, verdict in result.constraints.items() if verdict and not verdict.passed
        }
        raise RecipeError(f"row {number}, {result.cell}: the reference fails {failed}")


def _check_apart(test: Iterable[Row], shots: Iterable[Row]) -> None:
    """No graded answer stands in a shot, neither in its answer nor in its prompt."""
    shown = [text for row in shots for text in (row["outputs"], *row["inputs"].values())]
    for row in test:
        if any(row["meta"]["reference"] in text for text in shown):
            raise RecipeError(f"the answer of row {row['meta']['id']} stands in a shot")
