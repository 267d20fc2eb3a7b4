"""The bank: what is measured of a sentence, and which files are refused."""

import copy

import pytest
import yaml

from builders.ifhard.bank import TOPICS, BankError, load_topic, measure

TOPIC = {
    "topic": "home",
    "title": "Дом",
    "tasks": {"Опиши дом.": "место свет вещи"},
    "contexts": [{"text": "Вчера шёл дождь.", "decoy": False}],
    "probes": [{"stem": "дожд", "word": "дождь", "mention": "упоминается дождь"}],
    "keywords": [{"word": "плед", "stem": "плед"}],
    "sentences": ["Плед лежит на кресле.", "Кто там?"],
    "phrases": ["чай с мятой, горячий", "тихий вечер"],
}


def write(folder, **changes):
    data = {**copy.deepcopy(TOPIC), **changes}
    (folder / "home.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return folder


def test_a_sentence_is_measured_as_the_scorer_measures_it():
    """Words, characters, commas, first letter and last mark of a bank text are what the verifiers count."""
    unit = measure("Ёлка, кто-то поёт — «тихо»!")
    assert unit.cores == ("елка", "кто-то", "поет", "тихо")
    assert (unit.words, unit.chars, unit.commas, unit.initial, unit.end) == (4, 27, 1, "е", "!")
    assert (unit.first, unit.last, unit.longest) == ("елка", "тихо", 5)
    assert (unit.hits("Ёл"), unit.hits("кто"), unit.hits("лка")) == (1, 1, 0)


def test_a_context_mentions_a_thing_by_its_stem(tmp_path):
    """A condition holds if a word of the background starts with the stem, not if one merely holds it."""
    topic = load_topic("home", write(tmp_path))
    assert topic.mentions(topic.contexts[0], topic.probes[0])
    dry = load_topic("home", write(tmp_path, contexts=[{"text": "Был подождал.", "decoy": False}]))
    assert not dry.mentions(dry.contexts[0], dry.probes[0])


def test_a_decoy_names_its_habit(tmp_path):
    """A plain context has no habit; a decoy's is the one that the bank names."""
    contexts = [{"text": "Пишу коротко.", "decoy": True, "habit": "short"}, {"text": "Пишу.", "decoy": False}]
    topic = load_topic("home", write(tmp_path, contexts=contexts))
    assert [context.habit for context in topic.contexts] == ["short", ""]
    assert [context.text for context in topic.plain] == ["Пишу."]


def test_each_task_has_keys_of_its_own(bank):
    """What a JSON object may say is given for each task: different words, none of them a list for all tasks."""
    topic = bank["hobby"]
    assert topic.keys["Опиши вещи и материалы, которые нужны тебе для хобби."] == (
        "инструмент",
        "хранение",
        "материалы",
    )
    assert tuple(topic.keys) == topic.tasks
    sets = [frozenset(keys) for topic in bank.values() for keys in topic.keys.values()]
    assert len(sets) == 81
    assert len(set(sets)) > 70


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": ["Раз вышел. Два пришёл."]}, "not exactly one sentence"),
        ({"sentences": ["Это я."]}, "not exactly one sentence"),
        ({"sentences": ["Без точки"]}, "not exactly one sentence"),
        ({"phrases": ["тихий вечер."]}, "not a phrase"),
        ({"phrases": ["—"]}, "not a phrase"),
        ({"phrases": ["тихий вечер", "тихий вечер"]}, "occurs twice"),
        ({"probes": [{"stem": "дожд"}]}, "home.yaml"),
        ({"contexts": [{"text": "Пишу.", "decoy": True}]}, "habit"),
        ({"contexts": [{"text": "Пишу.", "decoy": True, "habit": "poems"}]}, "unknown habit 'poems'"),
        ({"tasks": ["Опиши дом."]}, "home.yaml"),
        ({"tasks": {"Опиши дом.": "место"}}, "not two to five different keys.*'Опиши дом.'"),
        ({"tasks": {"Опиши дом.": "место место"}}, "not two to five different keys"),
        ({"tasks": {"Опиши дом.": "место жильё"}}, "each a word without «ё»"),
        ({"tasks": {"Опиши дом.": "место Вещи"}}, "not two to five different keys"),
    ],
)
def test_unusable_files_are_refused_by_name(tmp_path, changes, message):
    """A text that the composer could not use stops the build, with the file and what is wrong."""
    with pytest.raises(BankError, match=message):
        load_topic("home", write(tmp_path, **changes))


def test_a_missing_part_is_refused(tmp_path):
    """A topic without one of its parts is named with the part."""
    write(tmp_path)
    data = yaml.safe_load((tmp_path / "home.yaml").read_text(encoding="utf-8"))
    del data["keywords"]
    (tmp_path / "home.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    with pytest.raises(BankError, match="keywords"):
        load_topic("home", tmp_path)


def test_the_bank_has_nine_topics_of_nine_tasks(bank):
    """The material is as large as the card says: 9 topics, 81 different tasks."""
    assert tuple(bank) == TOPICS
    assert sum(len(topic.tasks) for topic in bank.values()) == 81
    assert len({task for topic in bank.values() for task in topic.tasks}) == 81


def test_about_a_fifth_of_the_contexts_are_decoys(bank):
    """Decoys are neither so rare as to go untested nor so common as to be expected."""
    contexts = [context for topic in bank.values() for context in topic.contexts]
    share = sum(context.decoy for context in contexts) / len(contexts)
    assert 0.15 <= share <= 0.3


def test_every_probe_has_contexts_of_both_kinds(bank):
    """Each condition can be true and can be false."""
    for topic in bank.values():
        plain = [context for context in topic.contexts if not context.decoy]
        for probe in topic.probes:
            found = [topic.mentions(context, probe) for context in plain]
            assert any(found), (topic.id, probe)
            assert not all(found), (topic.id, probe)


def test_every_keyword_is_used_and_no_stem_begins_another(bank):
    """Each demanded word can be met, and meeting one never meets another."""
    for topic in bank.values():
        for keyword in topic.keywords:
            assert sum(unit.hits(keyword.stem) > 0 for unit in topic.sentences) >= 3, (topic.id, keyword)
            others = [other.stem for other in topic.keywords if other != keyword]
            assert not any(other.startswith(keyword.stem) for other in others), (topic.id, keyword)


def test_common_words_are_those_of_several_topics(bank):
    """Words that any topic uses are known as such, a topic's own words are not among them."""
    common = bank["home"].common
    assert "вечером" in common
    assert "торшер" not in common
