"""The examples: fixed, written by hand, and as good as any question."""

import pytest
import yaml

from builders.ifhard.bank import BankError
from builders.ifhard.pipeline import build_questions
from builders.ifhard.shots import SHOTS, load_shots
from builders.ifhard.type_tables import RULES, compatible
from builders.ifhard.validate import check_question
from metrics.ifhard.text import cores_of, sentences_of


@pytest.fixture(scope="module")
def shots(bank, catalogue):
    return load_shots(bank, catalogue)


def test_five_examples_of_five_tones_topics_and_stacks(shots):
    """They show each tone, several shapes, and a background that must and one that must not be followed."""
    questions = [question for question, _ in shots]
    assert {question.job.style for question in questions} == {"request", "order", "spec", "casual", "strict"}
    assert len({question.job.topic for question in questions}) == 5
    assert len({frozenset(question.keys) for question in questions}) == 5
    assert {question.frame for question in questions} == {"prose", "bullets", "json"}
    assert [question.decoy for question in questions].count("solid") == 1
    assert [len(question.keys) for question in questions] == [4, 5, 3, 4, 5]


def test_every_guarantee_of_a_question_holds_of_them(shots):
    """Answer, corruption, wording, condition, decoy: all that is proven of a test question."""
    assert [check_question(question, topic) for question, topic in shots] == [[]] * 5


def test_their_requirements_may_stand_beside_each_other(shots):
    """No example asks for a stack that the builder would not draw."""
    for question, _ in shots:
        rules = [RULES[key] for key in question.keys]
        assert all(question.frame in rule.frames for rule in rules)
        assert all(one is other or compatible(one, other) for one in rules for other in rules)
        assert any(rule.pins for rule in rules)


def test_their_answers_are_written_for_them(shots, bank):
    """No sentence of an example is one of the bank, which answers no task in particular."""
    for question, topic in shots:
        known = {tuple(unit.cores) for unit in (*topic.sentences, *topic.phrases)}
        pieces = [piece for line in question.witness.splitlines() for piece in sentences_of(line)]
        assert not {tuple(cores_of(piece)) for piece in pieces} & known


def test_they_are_the_same_for_every_seed_and_no_test_question_has_their_stack(built):
    """A private set of another seed shows the same examples."""
    other = build_questions(6, 12)
    assert other.shots == built.shots
    shown = {frozenset(item["category"] for item in question.constraints) for question in built.shots}
    for question in (*built.test, *other.test):
        assert frozenset(item["category"] for item in question.constraints) not in shown


def test_a_context_that_is_not_there_is_named(tmp_path, bank, catalogue):
    """An example says which background it has."""
    entries = yaml.safe_load(SHOTS.read_text(encoding="utf-8"))
    entries[0]["context"] = "Такого текста"
    path = tmp_path / "shots.yaml"
    path.write_text(yaml.safe_dump(entries, allow_unicode=True), encoding="utf-8")
    with pytest.raises(BankError, match="0 contexts of home begin with 'Такого текста'"):
        load_shots(bank, catalogue, path)


def test_an_example_that_fails_its_requirements_is_found(tmp_path, bank, catalogue):
    """An edited answer is checked like a composed one."""
    entries = yaml.safe_load(SHOTS.read_text(encoding="utf-8"))
    entries[0]["answer"] += " Вот и всё."
    path = tmp_path / "shots.yaml"
    path.write_text(yaml.safe_dump(entries, allow_unicode=True), encoding="utf-8")
    question, topic = load_shots(bank, catalogue, path)[0]
    assert "structure:paragraph_sentences: the witness fails" in " ".join(check_question(question, topic))
