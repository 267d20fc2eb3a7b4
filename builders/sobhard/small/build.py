"""From documents and recipes to rows: the reference is computed, written, read back, and scored before it is kept."""

from pathlib import Path
from typing import Final

import yaml

from builders.sobhard.families import RecipeError
from builders.sobhard.rows import Row, complete, session, single

__all__ = ["RECIPES", "build"]

RECIPES: Final = Path(__file__).parent


def build(folder: Path = RECIPES) -> tuple[list[Row], list[Row]]:
    """The graded rows and the shots, checked: each reference scores 1.0 by every metric.

    Args:
        folder: holds ``questions.yaml`` and ``documents.yaml``.

    Raises:
        RecipeError: with the recipe.
    """
    recipes = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))
    documents = yaml.safe_load((folder / "documents.yaml").read_text(encoding="utf-8"))
    shots = [single(recipe, documents) for recipe in recipes["demonstrations"]]
    test: list[Row] = []
    dialogues = 0
    for recipe in recipes["questions"]:
        try:
            if recipe["family"] == "session":
                dialogues += 1
                *earlier, graded = session(recipe, documents, dialogues)
                shots += earlier
                test.append(graded)
            else:
                test.append(single(recipe, documents))
        except (ValueError, LookupError, TypeError) as error:
            raise RecipeError(f"{recipe['family']}, {recipe['difficulty']}: {error}") from error
    complete(test, shots)
    return test, shots
