"""Templates: twenty of them, filled in one pass."""

import pytest

from tasks.sobhard.prompts import EDITIONS, STYLES, render, template_text

INPUTS = {"task": "з", "input_data": "{question} {0} {{", "format": "ф", "question": "и {task}"}


def row(template):
    """A row with documents full of braces."""
    return {"instruction": template, "inputs": INPUTS}


def test_there_are_twenty_openings():
    """Five registers by four, no two alike."""
    openings = {template_text(style, edition).partition("\n")[0] for style in STYLES for edition in range(EDITIONS)}
    assert len(openings) == 20
    assert all(opening.strip() == opening and opening for opening in openings)


@pytest.mark.parametrize("style", STYLES)
def test_blocks_stand_in_the_contracts_order_and_braces_are_safe(style):
    """One opening line, four labelled blocks, blank lines between, no trailing trigger."""
    text = render(row(template_text(style, 1)))
    opening, rest = text.split("\n\n", 1)
    assert "\n" not in opening
    assert rest == ("Задача:\nз\n\nВходные данные:\n{question} {0} {{\n\nФормат ответа:\nф\n\nИнструкция:\nи {task}")


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (7, "text"),
        ("{task} {input_data} {format}", "question"),
        ("{task} {input_data} {format} {question} {extra}", "extra"),
        ("{task} {input_data} {format} {question} {}", "slots"),
        ("{task!r} {input_data} {format} {question}", "conversion"),
        ("{task:>900000} {input_data} {format} {question}", "format"),
        ("{task} {input_data} {format} {question", "expected"),
    ],
)
def test_a_template_that_is_none_is_refused(template, says):
    """A row like that is named when the dataset is loaded."""
    with pytest.raises(ValueError, match=says):
        render(row(template))


def test_there_is_no_twenty_first_template():
    """Neither a register nor an edition is guessed."""
    with pytest.raises(KeyError):
        template_text("rude", 0)
    with pytest.raises(IndexError):
        template_text("spec", 4)
