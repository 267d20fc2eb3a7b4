"""What each family makes of a recipe: the answer computed from the documents, and the row's data it is checked by."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from builders.sobhard import reconciled, sources, wording
from builders.sobhard.documents import Given, document, text_of
from builders.sobhard.operations import ABSENT, resolve, slots
from builders.sobhard.reconciled import RecipeError
from builders.sobhard.sources import Layout, SourceRefused
from builders.sobhard.wording import Words

__all__ = ["FAMILIES", "Asked", "Recipe", "RecipeError", "Work"]

Recipe = Mapping[str, Any]


class Work(NamedTuple):
    """What a family makes of a recipe.

    Attributes:
        answer: the value of the reference.
        task_meta, checks: of the row, without the gate.
        input_data: the block with the documents.
        question: the instruction.
    """

    answer: Any
    task_meta: dict[str, Any]
    checks: dict[str, Any]
    input_data: str
    question: str


class Asked(NamedTuple):
    """What a recipe is carried out on.

    Attributes:
        given: the first document, or the state of a conversation.
        documents: all, by name.
        layout: of the documents of the question.
        words: of the question.
        shown: whether the prompt shows the document, as later turns of a conversation do not.
    """

    given: Given
    documents: Mapping[str, Any]
    layout: Layout
    words: Words
    shown: bool = True


def _steps(program: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Steps as rows carry them."""
    return [{"rule": step["rule"], "params": step.get("params", {})} for step in program]


def _then(recipe: Recipe, words: Words, value: Any, question: str) -> tuple[Any, dict[str, Any], str]:
    """A value after the recipe's rules, the program for the row if there is one, and the question with both parts."""
    program = recipe.get("program")
    if not program:
        return value, {}, question
    steps = _steps(program)
    answer = reconciled.transformed(value, steps)
    return answer, {"program": steps}, f"{question}\n\n{wording.program_text(words, steps, 'then')}"


def _first(recipe: Recipe, words: Words, value: Any) -> tuple[Any, dict[str, Any], str]:
    """A document after the recipe's rules, which the rest of the question starts from, and their words."""
    program = recipe.get("program")
    if not program:
        return value, {}, ""
    steps = _steps(program)
    derived = reconciled.transformed(value, steps, graded=False)
    lead = f"{wording.program_text(words, steps, 'first')}\n\n{words.text('rules.first_then')} "
    return derived, {"program": steps}, lead


def _derived(meta: Mapping[str, Any], value: Any) -> dict[str, Any]:
    return {"derived": value} if "program" in meta else {}


def _text(recipe: Recipe, asked: Asked) -> str:
    return text_of(asked.given, recipe["source"], asked.layout) if asked.shown else ""


def _second(recipe: Recipe, asked: Asked) -> Given:
    """The second document: by name, or the first after operations."""
    given = recipe["document_b"]
    if isinstance(given, str):
        return document(given, asked.documents)
    first = document(given["from"], asked.documents)
    return Given(reconciled.patched(first.value, given["ops"]), first.origin)


def _convert(recipe: Recipe, asked: Asked) -> Work:
    value = asked.given.value
    return Work(value, {}, {"source": value}, _text(recipe, asked), asked.words.text("tasks.whole"))


def _extract(recipe: Recipe, asked: Asked) -> Work:
    value, paths = asked.given.value, list(recipe["paths"])
    entries = {path: reconciled.found(value, path) for path in paths}
    absent = [path for path, entry in entries.items() if entry is ABSENT]
    found = {path: None if entry is ABSENT else entry for path, entry in entries.items()}
    answer, meta, question = _then(recipe, asked.words, found, wording.paths_text(asked.words, paths))
    return Work(answer, {**meta, "paths": paths, "absent": absent}, {"source": value}, _text(recipe, asked), question)


def _repair(recipe: Recipe, asked: Asked) -> Work:
    value, notation = asked.given.value, recipe["source"]
    broken = recipe["broken"] if "broken" in recipe else _broken(_text(recipe, asked), recipe["breaks"])
    try:
        sources.read(notation, broken, asked.layout)
    except SourceRefused:
        pass
    else:
        raise RecipeError("the broken document still reads")
    answer, meta, question = _then(recipe, asked.words, value, asked.words.text("tasks.broken"))
    if "kinds" in recipe:
        meta = {**meta, "breaks": list(recipe["kinds"])}
    return Work(answer, meta, {"source": value, "derived": answer}, broken, question)


def _broken(text: str, breaks: Sequence[tuple[str, str]]) -> str:
    """A document with each whole part, which stands once, in its broken form."""
    for whole, broken in breaks:
        if text.count(whole) != 1:
            raise RecipeError(f"{whole!r} stands {text.count(whole)} times in the document")
        text = text.replace(whole, broken)
    return text


def _transform(recipe: Recipe, asked: Asked) -> Work:
    value, steps = asked.given.value, _steps(recipe["program"])
    answer = reconciled.transformed(value, steps)
    return Work(
        answer, {"program": steps}, {"source": value}, _text(recipe, asked), wording.program_text(asked.words, steps)
    )


def _schema_gen(recipe: Recipe, asked: Asked) -> Work:
    value, kind = asked.given.value, recipe["schema_kind"]
    described, meta, lead = _first(recipe, asked.words, value)
    checks = {"source": value, **_derived(meta, described)}
    answer = reconciled.schema(described, kind)
    question = lead + wording.schema_text(asked.words, kind, _has_empty_list(answer))
    return Work(answer, {**meta, "schema_kind": kind}, checks, _text(recipe, asked), question)


def _has_empty_list(schema: Any) -> bool:
    """Whether a schema bounds an empty list, which the prompt says nothing of otherwise."""
    if not isinstance(schema, dict):
        return False
    inner = [*schema.get("properties", {}).values(), schema.get("items")]
    return schema.get("maxItems") == 0 or any(map(_has_empty_list, inner))


def _patch(recipe: Recipe, asked: Asked) -> Work:
    value, ops = asked.given.value, list(recipe["ops"])
    answer, meta, question = _then(
        recipe, asked.words, reconciled.patched(value, ops), wording.ops_text(asked.words, ops)
    )
    checks = {"source": value, **_derived(meta, answer)}
    return Work(answer, {**meta, "ops": ops}, checks, _text(recipe, asked), question)


def _diff(recipe: Recipe, asked: Asked) -> Work:
    old, new = asked.given, _second(recipe, asked)
    change = reconciled.difference(old.value, new.value)
    checks = {"source": old.value, "source_b": new.value}
    return Work(change, {}, checks, _pair(recipe, asked, new), wording.diff_text(asked.words))


def _pair(recipe: Recipe, asked: Asked, second: Given) -> str:
    labels = (
        [asked.words.text("tasks.version", number=number) for number in (1, 2)]
        if recipe["family"] == "diff"
        else [asked.words.text("tasks.side", side=side) for side in "AB"]
    )
    texts = [text_of(given, recipe["source"], asked.layout) for given in (asked.given, second)]
    return "\n\n".join(f"{label}\n{text}" for label, text in zip(labels, texts, strict=True))


def _apply_diff(recipe: Recipe, asked: Asked) -> Work:
    old, new, notation = asked.given.value, _second(recipe, asked).value, recipe["source_b"]
    change = reconciled.difference(old, new)
    changed = reconciled.applied(old, change)
    answer, meta, question = _then(recipe, asked.words, changed, wording.apply_diff_text(asked.words))
    change_text = text_of(Given(change, ""), notation)
    base, label = (
        asked.words.text("tasks.base"),
        asked.words.text("tasks.change", name=wording.NOTATION_NAMES[notation]),
    )
    data = f"{base}\n{_text(recipe, asked)}\n\n{label}\n{change_text}"
    return Work(answer, meta, {"source": old, "source_b": change, **_derived(meta, answer)}, data, question)


def _merge(recipe: Recipe, asked: Asked) -> Work:
    right, join = _second(recipe, asked), dict(recipe["join"])
    joined = reconciled.joined(asked.given.value, right.value, join)
    answer, meta, question = _then(recipe, asked.words, joined, wording.join_text(asked.words, join))
    checks = {"source": asked.given.value, "source_b": right.value, **_derived(meta, answer)}
    return Work(answer, {**meta, "join": join}, checks, _pair(recipe, asked, right), question)


def _template(recipe: Recipe, asked: Asked) -> Work:
    value, template = asked.given.value, recipe["template"]
    records, meta, lead = _first(recipe, asked.words, value)
    text = _text(recipe, asked)
    _check_numbers(template, records, text)
    checks = {"source": value, "source_b": template, **_derived(meta, records)}
    answer = [reconciled.filled(template, record) for record in records]
    data = f"{asked.words.text('tasks.records')}\n{text}\n\n{asked.words.text('tasks.pattern')}\n{template}"
    question = lead + wording.template_text(asked.words)
    return Work(answer, {**meta, "has_escape": "$${" in template}, checks, data, question)


def _check_numbers(template: str, records: Any, text: str) -> None:
    """The prompt says that numbers stand as they are: none may be written in the document in another way (``1.10``).

    An integer that a rule made is written nowhere.
    """
    for path in slots(template):
        for record in records:
            value = resolve(record, path)
            if isinstance(value, float) and not re.search(rf"(?<![\w.+-]){re.escape(repr(value))}(?![\w.])", text):
                raise RecipeError(
                    f"the number {value!r} of the slot {path!r} is written in the document in another way"
                )


FAMILIES: Final[Mapping[str, Callable[[Recipe, Asked], Work]]] = {
    "convert": _convert,
    "extract": _extract,
    "repair": _repair,
    "transform": _transform,
    "schema_gen": _schema_gen,
    "patch": _patch,
    "diff": _diff,
    "apply_diff": _apply_diff,
    "merge": _merge,
    "template": _template,
}
