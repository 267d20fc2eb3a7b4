"""Documents with a text of their own: shown in their own notation, written in any other."""

import pytest

from builders.sobhard.corpus import Document
from builders.sobhard.reconciled import RecipeError
from builders.sobhard.rows import complete, session, single
from builders.sobhard.sources import Layout, SourceRefused

LINES = [{"time": "10:00", "level": "WARN", "text": "нет связи"}, {"time": "10:05", "level": "INFO", "text": "есть"}]
LOG = Document(
    "1",
    "pkg/app.log",
    "logline",
    LINES,
    Layout(pattern="<time> [<level>] <text>", comment="#"),
    "\ufeff# журнал\r\n10:00 [WARN] нет связи\r\n10:05 [INFO] есть\r\n",
    False,
)
JSON = Document("2", "pkg/a.json", "json", {"b": 1.1, "a": [1]}, Layout(), '{"b":1.10,\n  "a":[1]}\n', False)
DOCUMENTS = {"log": LOG, "json": JSON, "plain": {"b": 2.5, "a": [1]}}
BASE = {"difficulty": "easy", "style": "casual"}


def test_its_own_text_is_shown_with_its_own_layout():
    """Line ends as they are compared; the convention states the pattern; the origin is the file's."""
    row = single({**BASE, "family": "convert", "document": "log", "source": "logline", "target": "json"}, DOCUMENTS)
    assert row["inputs"]["input_data"] == "# журнал\n10:00 [WARN] нет связи\n10:05 [INFO] есть"
    assert "<time> [<level>] <text>" in row["inputs"]["task"]
    assert row["meta"]["categories"]["origin"] == "pkg/app.log"
    complete([row], [])


def test_a_line_feed_that_belongs_to_a_value_is_shown():
    """The last line of a text block of YAML."""
    block = JSON._replace(notation="yaml", value={"a": "x\ny\n"}, text="a: |\n  x\n  y\n")
    recipe = {**BASE, "family": "convert", "document": "d", "source": "yaml", "target": "json"}
    assert single(recipe, {"d": block})["inputs"]["input_data"] == block.text


def test_in_another_notation_it_is_written_with_the_recipes_layout():
    """The text's own layout says nothing of another notation."""
    row = single({**BASE, "family": "convert", "document": "log", "source": "csv", "target": "json"}, DOCUMENTS)
    assert row["inputs"]["input_data"].startswith("time,level,text\n10:00,WARN,")
    given = {"pattern": "<time>|<level>|<text>"}
    recipe = {**BASE, "family": "convert", "document": "log", "source": "logline", "target": "json", "layout": given}
    plain = single(recipe, {"log": LINES})
    assert plain["inputs"]["input_data"] == "10:00|WARN|нет связи\n10:05|INFO|есть"
    assert plain["meta"]["categories"]["origin"] == "small/log"


def test_a_second_document_and_a_conversation_show_their_texts():
    """A version made by operations is written; the other is shown as it is."""
    ops = [{"op": "set", "path": "b", "value": 3}]
    diff = {**BASE, "family": "diff", "document": "json", "source": "json", "target": "json"}
    made = single({**diff, "document_b": {"from": "json", "ops": ops}}, DOCUMENTS)
    assert made["inputs"]["input_data"].split("\n\n")[0] == 'Версия 1:\n{"b":1.10,\n  "a":[1]}'
    named = single({**diff, "document": "plain", "document_b": "json"}, DOCUMENTS)
    assert named["inputs"]["input_data"].endswith('Версия 2:\n{"b":1.10,\n  "a":[1]}')
    turn = {"family": "patch", "target": "yaml", "ops": ops}
    recipe = {**BASE, "family": "session", "document": "json", "source": "json", "turns": [turn, turn]}
    first, _ = session(recipe, DOCUMENTS, 1)
    assert first["inputs"]["input_data"] == '{"b":1.10,\n  "a":[1]}'
    assert first["meta"]["categories"]["origin"] == "pkg/a.json"


def test_a_text_that_reads_as_another_value_stops_the_build():
    """The corpus and the reader must agree."""
    recipe = {**BASE, "family": "convert", "document": "json", "source": "json", "target": "json"}
    with pytest.raises(RecipeError, match=r"pkg/a\.json: the text does not read"):
        single(recipe, {"json": JSON._replace(value={"b": 1.1, "a": [True]})})
    with pytest.raises(SourceRefused):
        single(recipe, {"json": JSON._replace(text="{")})


@pytest.mark.parametrize(("value", "written"), [(1.1, "1.10"), (1e16, "1e16")])
def test_a_template_shows_no_number_that_is_written_in_two_ways(value, written):
    """``1.10`` in the document, ``1.1`` in the line: the prompt says that numbers stand as they are."""
    document = JSON._replace(value=[{"b": value}], text=f'[{{"b": {written}}}]')
    recipe = {**BASE, "family": "template", "document": "d", "source": "json", "target": "json", "template": "${b}"}
    with pytest.raises(ValueError, match=r"another way|other ways"):
        single(recipe, {"d": document})


def test_a_broken_text_comes_with_the_recipe():
    """Kept as it is, with its kinds in the row; a text that still reads is refused."""
    recipe = {**BASE, "family": "repair", "document": "json", "source": "json", "target": "json"}
    recipe |= {"program": [{"rule": "sort_keys"}], "kinds": ["json.single-quotes"]}
    row = single({**recipe, "broken": "{'b':1.10,\n  \"a\":[1]}"}, DOCUMENTS)
    assert row["inputs"]["input_data"] == "{'b':1.10,\n  \"a\":[1]}"
    assert '"breaks": ["json.single-quotes"]' in row["meta"]["task_meta"]
    complete([row], [])
    with pytest.raises(RecipeError, match="still reads"):
        single({**recipe, "broken": JSON.text}, DOCUMENTS)
