"""Recipes that would make a broken question stop the build, by name."""

import copy

import pytest
import yaml

from builders.sobhard.families import RecipeError
from builders.sobhard.small.build import RECIPES, build

TABLE = yaml.safe_load((RECIPES / "questions.yaml").read_text(encoding="utf-8"))


def recipe(family, difficulty="easy"):
    """A committed recipe, to be changed."""
    (found,) = [r for r in TABLE["questions"] if (r["family"], r["difficulty"]) == (family, difficulty)]
    return copy.deepcopy(found)


SORT = {"family": "transform", "target": "json", "program": [{"rule": "sort_keys"}]}


def build_one(folder, *recipes):
    """Build from these recipes and the committed documents."""
    folder.joinpath("documents.yaml").write_bytes((RECIPES / "documents.yaml").read_bytes())
    text = yaml.safe_dump({"demonstrations": [], "questions": list(recipes)}, allow_unicode=True)
    folder.joinpath("questions.yaml").write_text(text, encoding="utf-8")
    return build(folder)


def test_one_recipe_is_one_question(tmp_path):
    """Ids start at 1; a conversation's earlier turns come first."""
    test, shots = build_one(tmp_path, recipe("session"))
    assert [row["meta"]["id"] for row in [*shots, *test]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("family", "change", "says"),
    [
        ("repair", {"breaks": [["суп", "борщ"]]}, "repair, easy: the broken document still reads"),
        ("repair", {"breaks": [["нет такого", ""]]}, "stands 0 times"),
        ("convert", {"style": "rude"}, "no register: rude"),
        ("convert", {"document": "shop"}, "convert, easy: not-representable"),
        ("convert", {"target": "properties"}, "convert, easy: not-representable"),
        ("convert", {"document": "nothing"}, "convert, easy: 'nothing'"),
        ("patch", {"ops": [{"op": "delete", "path": "server.nothing"}]}, "operation 1 cannot be applied"),
        (
            "session",
            {"turns": [{"family": "transform", "target": "json", "program": [{"rule": "sort_keys"}]}] * 2},
            "fails",
        ),
        (
            "merge",
            {"join": {"key": "code", "winner": "C", "unmatched_a": "keep", "unmatched_b": "drop", "order": "A"}},
            "winner 'C'",
        ),
        (
            "merge",
            {"join": {"key": "code", "winner": "A", "unmatched_a": "keep", "unmatched_b": "", "order": "A"}},
            "no such rule of a join: ''",
        ),
        ("extract", {"paths": ["shop..name"]}, "no path: 'shop..name'"),
        ("extract", {"paths": ["shop.name[0]"]}, "come to different answers"),
        (
            "transform",
            {
                "program": [
                    {"rule": "renumber", "params": {"field": "n"}},
                    {"rule": "group_records", "params": {"field": "queue"}},
                ]
            },
            "renumber: the scorer",
        ),
        ("diff", {"document_b": "shop"}, "the versions do not differ"),
        (
            "diff",
            {
                "document_b": {
                    "from": "shop",
                    "ops": [
                        {"op": "set", "path": "shop.port", "value": 8080.0},
                        {"op": "set", "path": "shop.open", "value": False},
                    ],
                }
            },
            "does not lead from the first version",
        ),
    ],
)
def test_a_recipe_that_makes_a_broken_question_is_named(tmp_path, family, change, says):
    """No question is kept whose reference would not score 1.0, or that cannot be asked as it is meant."""
    with pytest.raises(ValueError, match=says):
        build_one(tmp_path, {**recipe(family), **change})


def test_a_graded_answer_in_a_shot_is_named(tmp_path):
    """The same work as an earlier turn and as a question."""
    turns = [
        {"family": "patch", "target": "json", "ops": [{"op": "set", "path": "price", "value": 1}]},
        {"family": "patch", "target": "json", "ops": [{"op": "set", "path": "price", "value": 2}]},
    ]
    session = {**recipe("session"), "document": "menu_card", "turns": turns}
    question = {**recipe("session"), **turns[0], "document": "menu_card", "style": "spec"}
    with pytest.raises(RecipeError, match="answer of row 3 stands in a shot"):
        build_one(tmp_path, session, question)
