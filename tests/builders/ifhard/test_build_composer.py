"""The composer: it selects, and nothing but selects; totals are exact; the same draft gives the same witness."""

import json
import re
from random import Random

import pytest

from builders.ifhard.bank import Topic, measure
from builders.ifhard.draft import Draft, Equal, InfeasibleError, Link, Rising, Sum
from builders.ifhard.frames import framing, render
from builders.ifhard.solver import choose_units
from metrics.ifhard.text import fold, items_of, sentences_of

SENTENCES = [
    "Дом стоит тихо.", "Кот спит у окна.", "Вечером я читаю.", "Окно выходит в сад.", "Как тихо в доме!",
    "Люблю старый сад.", "Плед лежит на кресле.", "Сад цветёт.", "Утром, пока все спят, я пью чай.", "Где мой плед?",
    "Чай остыл, а я читаю.", "Мою окно.", "Сад очень стар.",
]  # fmt: skip


def make_draft(slots, **changes):
    topic = Topic(
        id="home",
        title="Дом",
        keys={"Опиши дом.": ("место", "вещи")},
        contexts=(),
        probes=(),
        keywords=(),
        sentences=tuple(map(measure, SENTENCES)),
        phrases=tuple(map(measure, ("чай с мятой", "тихий вечер", "плед, мягкий"))),
    )
    draft = Draft(topic=topic, task="Опиши дом.", rng=Random(1), frame="prose", asks=[])
    draft.kinds = ["sentence"] * slots
    draft.paragraphs = [slots]
    for name, value in changes.items():
        setattr(draft, name, value)
    return draft


def words(unit):
    return unit.words


def test_exact_totals_of_words_characters_and_commas_at_once():
    """Three totals demanded together are all met exactly, by different texts."""
    draft = make_draft(4)
    draft.sums = [Sum(words, 15, 15), Sum(lambda unit: unit.chars, 71, 71), Sum(lambda unit: unit.commas, 2, 2)]
    chosen = choose_units(draft)
    assert len({unit.text for unit in chosen}) == 4
    assert [sum(map(weight, chosen)) for weight in (words, lambda u: u.chars, lambda u: u.commas)] == [15, 71, 2]


def test_rising_and_falling_lengths():
    """Lengths rise, or fall, strictly from text to text."""
    for falling in (False, True):
        chosen = choose_units(make_draft(3, relations=[Rising(words, falling)]))
        counts = [unit.words for unit in chosen]
        assert counts == sorted(set(counts), reverse=falling)


def test_equal_ends_and_linked_neighbours():
    """Two relations between the same texts hold together."""
    draft = make_draft(2, relations=[Equal(words, 0, 1), Link(lambda unit: unit.last, lambda unit: unit.first)])
    first, second = choose_units(draft)
    assert first.words == second.words
    assert first.last == second.first


def test_distinct_initials():
    """No two texts start with one letter where that is demanded."""
    chosen = choose_units(make_draft(5, distinct_initials=True))
    assert len({unit.initial for unit in chosen}) == 5


def test_places_and_global_tests_are_kept():
    """What is demanded of one place holds there, and what is demanded of all holds everywhere."""
    draft = make_draft(3, tests=[lambda unit: unit.commas == 0])
    draft.at(0, lambda unit: unit.first == "окно")
    draft.at(-1, lambda unit: unit.end == "?")
    chosen = choose_units(draft)
    assert chosen[0].text == "Окно выходит в сад."
    assert chosen[-1].text == "Где мой плед?"
    assert not any(unit.commas for unit in chosen)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tests": [lambda unit: unit.words > 50]}, "without candidates"),
        ({"tests": [lambda unit: unit.first == "дом"]}, "fewer candidates"),
        ({"sums": [Sum(words, 1, 3)]}, "no solution"),
    ],
)
def test_what_cannot_be_is_told_with_its_reason(changes, reason):
    """A stack without a witness ends in a reason that the build counts, never in a wrong witness."""
    with pytest.raises(InfeasibleError, match=reason):
        choose_units(make_draft(3, **changes))


def test_the_same_draft_gives_the_same_choice_and_another_stream_another():
    """The choice depends on the random stream alone."""
    choices = [[unit.text for unit in choose_units(make_draft(4))] for _ in range(2)]
    others = [[unit.text for unit in choose_units(make_draft(4, rng=Random(seed)))] for seed in range(2, 6)]
    assert choices[0] == choices[1]
    assert any(other != choices[0] for other in others)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"paragraphs": [1, 2]}, "Раз.\n\nДва. Три."),
        ({"lines": True}, "Раз.\nДва.\nТри."),
        ({"head": "Опиши дом."}, "Опиши дом.\nРаз. Два. Три."),
        ({"tags": ["чай", "плед"]}, "Раз. Два. Три.\n#чай #плед"),
        ({"mark": "3"}, "Раз. Два. Три. (3)"),
        ({"frame": "bullets"}, "- Раз.\n- Два.\n- Три."),
        ({"frame": "numbers"}, "1. Раз.\n2. Два.\n3. Три."),
        ({"frame": "parts"}, "- Раз.\n- Два.\n\nТри."),
        ({"frame": "csv"}, "Раз., Два., Три."),
        ({"frame": "json", "extra": {"keys": ["а", "б", "в"]}}, '{\n  "а": "Раз.",\n  "б": "Два.",\n  "в": "Три."\n}'),
        (
            {"frame": "jsonlist", "extra": {"keys": ["а", "б"], "list_key": "а", "list_items": 2}},
            '{\n  "а": "- Два.\\n- Три.",\n  "б": "Раз."\n}',
        ),
        ({"frame": "table", "extra": {"cols": 1}}, "| Раз. |\n|---|\n| Два. |\n| Три. |"),
    ],
)
def test_frames(changes, text):
    """Each shape of an answer is written exactly so, with each thing that may stand around it."""
    assert render(make_draft(3, **changes), ["Раз.", "Два.", "Три."]) == text


def test_a_field_with_a_comma_is_quoted():
    """A CSV field with a comma stays one field."""
    assert render(make_draft(2, frame="csv"), ["чай", "плед, мягкий"]) == 'чай, "плед, мягкий"'


def test_framing_is_what_the_units_do_not_bring():
    """Markers, marks and quoted texts are counted once, apart from the chosen texts."""
    frame = framing(make_draft(3, frame="numbers", mark="0", tags=[]))
    assert (frame.words, frame.chars, frame.commas) == (4, 3 * 3 + 2 + 4, 0)
    quoted = framing(make_draft(2, head="Опиши дом, сад."))
    assert (quoted.words, quoted.commas, quoted.cores) == (3, 1, ("опиши", "дом", "сад"))


def pieces(question):
    """The slot texts of a witness, found by taking the framing off again."""
    text = question.witness
    categories = {constraint["category"] for constraint in question.constraints}
    if categories & {"lexical:quote_task", "structure:first_line_count"}:
        text = text.split("\n", 1)[1]
    if "format:hashtags" in categories:
        text = text.rsplit("\n", 1)[0]
    text = re.sub(r" \(\d+\)$", "", text).replace("**", "")
    if question.frame in {"bullets", "numbers"}:
        return [payload for _, payload in items_of(text)]
    if question.frame == "prose":
        return sentences_of(text)
    if question.frame == "parts":
        head, tail = text.split("\n\n")
        return [*(payload for _, payload in items_of(head)), tail]
    if question.frame == "csv":
        return [field.strip('"') for field in re.split(r', (?=(?:[^"]*"[^"]*")*[^"]*$)', text)]
    if question.frame == "table":
        rows = [line for line in text.splitlines() if "---" not in line]
        return [cell.strip() for row in rows for cell in row.strip("|").split("|")]
    values = json.loads(text)
    texts = [entry["пункт"] for entry in values] if isinstance(values, list) else list(values.values())
    return [line.removeprefix("- ") for value in texts for line in value.splitlines()]


def test_a_witness_holds_whole_bank_texts_of_its_topic_each_once(built, bank):
    """The composer writes nothing of its own: every piece of a witness is a text of the bank."""
    for question in built.test:
        topic = bank[question.job.topic]
        texts = {fold(unit.text) for unit in (*topic.sentences, *topic.phrases)}
        found = [fold(piece) for piece in pieces(question)]
        assert found, question
        assert set(found) <= texts, question
        assert len(found) == len(set(found)), question
