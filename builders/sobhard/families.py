"""What each family makes of a recipe: the answer computed from the documents, and the row's data it is checked by."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from builders.sobhard import sources, wording
from builders.sobhard.programs import run_program
from builders.sobhard.sources import Layout, SourceRefused
from builders.sobhard.sources.model import PLAIN
from metrics.sobhard import operations, schemas
from metrics.sobhard.values import PathError, find

__all__ = ["FAMILIES", "Recipe", "RecipeError", "Work"]

Recipe = Mapping[str, Any]
_PAIRS: Final = {"diff": ("Версия 1", "Версия 2"), "merge": ("Записи A", "Записи B")}


class RecipeError(ValueError):
    """A recipe whose question would be broken; the message names the recipe."""


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


def _text(notation: str, value: Any, layout: Layout = PLAIN) -> str:
    return sources.write(notation, value, layout).removesuffix("\n")


def _steps(program: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Steps as rows carry them."""
    return [{"rule": step["rule"], "params": step.get("params", {})} for step in program]


def _then(recipe: Recipe, value: Any, question: str) -> tuple[Any, dict[str, Any], str]:
    """A value after the recipe's rules, the program for the row if there is one, and the question with both parts."""
    program = recipe.get("program")
    if not program:
        return value, {}, question
    steps = _steps(program)
    lead = "Затем примени к результату правила по порядку"
    return run_program(value, steps), {"program": steps}, f"{question}\n\n{wording.program_text(steps, lead)}"


def _first(recipe: Recipe, value: Any) -> tuple[Any, dict[str, Any], str]:
    """A document after the recipe's rules, which the rest of the question starts from, and their words."""
    program = recipe.get("program")
    if not program:
        return value, {}, ""
    steps = _steps(program)
    lead = "Сначала примени к документу правила по порядку"
    return (
        run_program(value, steps),
        {"program": steps},
        f"{wording.program_text(steps, lead)}\n\nЗатем работай с тем, что получилось. ",
    )


def _derived(meta: Mapping[str, Any], value: Any) -> dict[str, Any]:
    return {"derived": value} if "program" in meta else {}


def _second(recipe: Recipe, documents: Mapping[str, Any]) -> Any:
    """The second document: by name, or the first after operations."""
    given = recipe["document_b"]
    if isinstance(given, str):
        return documents[given]
    return operations.apply_ops(documents[given["from"]], given["ops"])


def _convert(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value = documents[recipe["document"]]
    question = "Запиши документ в целевой нотации целиком, ничего не меняя в данных."
    return Work(value, {}, {"source": value}, _text(recipe["source"], value, layout), question)


def _extract(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value, paths = documents[recipe["document"]], recipe["paths"]
    found: dict[str, Any] = {}
    absent = []
    for path in paths:
        try:
            found[path] = find(value, path)
        except PathError:
            found[path] = None
            absent.append(path)
    answer, meta, question = _then(recipe, found, wording.paths_text(paths))
    meta = {**meta, "paths": list(paths), "absent": absent}
    return Work(answer, meta, {"source": value}, _text(recipe["source"], value, layout), question)


def _repair(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value = documents[recipe["document"]]
    text = _text(recipe["source"], value, layout)
    for whole, broken in recipe["breaks"]:
        if text.count(whole) != 1:
            raise RecipeError(f"{whole!r} stands {text.count(whole)} times in the document")
        text = text.replace(whole, broken)
    try:
        sources.read(recipe["source"], text, layout)
    except SourceRefused:
        pass
    else:
        raise RecipeError("the broken document still reads")
    answer, meta, question = _then(recipe, value, wording.REPAIR)
    return Work(answer, meta, {"source": value, "derived": answer}, text, question)


def _transform(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value = documents[recipe["document"]] if state is None else state
    steps = _steps(recipe["program"])
    data = _text(recipe["source"], value, layout) if state is None else ""
    return Work(run_program(value, steps), {"program": steps}, {"source": value}, data, wording.program_text(steps))


def _schema_gen(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value, kind = documents[recipe["document"]], recipe["schema_kind"]
    described, meta, lead = _first(recipe, value)
    checks = {"source": value, **_derived(meta, described)}
    answer = schemas.infer(described, kind)
    data = _text(recipe["source"], value, layout)
    return Work(answer, {**meta, "schema_kind": kind}, checks, data, lead + wording.schema_text(kind))


def _patch(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value = documents[recipe["document"]] if state is None else state
    patched = operations.apply_ops(value, recipe["ops"])
    answer, meta, question = _then(recipe, patched, wording.ops_text(recipe["ops"]))
    data = _text(recipe["source"], value, layout) if state is None else ""
    checks = {"source": value, **_derived(meta, answer)}
    return Work(answer, {**meta, "ops": list(recipe["ops"])}, checks, data, question)


def _diff(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    old, new = documents[recipe["document"]], _second(recipe, documents)
    data = _pair(recipe, old, new, layout)
    checks = {"source": old, "source_b": new}
    return Work(operations.structural_diff(old, new), {}, checks, data, wording.DIFF_FORM)


def _pair(recipe: Recipe, first: Any, second: Any, layout: Layout) -> str:
    labels = _PAIRS[recipe["family"]]
    texts = [_text(recipe["source"], value, layout) for value in (first, second)]
    return "\n\n".join(f"{label}:\n{text}" for label, text in zip(labels, texts, strict=True))


def _apply_diff(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    old, new = documents[recipe["document"]], _second(recipe, documents)
    change = operations.structural_diff(old, new)
    changed = operations.apply_changes(old, change)
    if changed != new:
        raise RecipeError("the change object does not lead from the first document to the second")
    answer, meta, question = _then(recipe, changed, wording.APPLY_DIFF)
    shown, change_text = _text(recipe["source"], old, layout), _text(recipe["source_b"], change)
    data = f"Документ:\n{shown}\n\nОбъект изменений ({wording.NOTATION_NAMES[recipe['source_b']]}):\n{change_text}"
    return Work(answer, meta, {"source": old, "source_b": change, **_derived(meta, answer)}, data, question)


def _merge(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    left, right = documents[recipe["document"]], _second(recipe, documents)
    joined = operations.join_records(left, right, recipe["join"])
    answer, meta, question = _then(recipe, joined, wording.join_text(recipe["join"]))
    checks = {"source": left, "source_b": right, **_derived(meta, answer)}
    data = _pair(recipe, left, right, layout)
    return Work(answer, {**meta, "join": dict(recipe["join"])}, checks, data, question)


def _template(recipe: Recipe, documents: Mapping[str, Any], layout: Layout, state: Any = None) -> Work:
    value, template = documents[recipe["document"]], recipe["template"]
    records, meta, lead = _first(recipe, value)
    checks = {"source": value, "source_b": template, **_derived(meta, records)}
    data = f"Записи:\n{_text(recipe['source'], value, layout)}\n\nШаблон:\n{template}"
    answer = [operations.render(template, record) for record in records]
    return Work(answer, {**meta, "has_escape": "$${" in template}, checks, data, lead + wording.template_text())


FAMILIES: Final[Mapping[str, Callable[..., Work]]] = {
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
