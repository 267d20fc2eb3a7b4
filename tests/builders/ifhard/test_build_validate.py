"""The build's own proofs: a planted fault of every kind is found and named."""

import copy
import json
from dataclasses import replace

import pytest

from builders.ifhard.dataset_files import make_files, tiers_of
from builders.ifhard.habits import HABITS, overruling
from builders.ifhard.pipeline import Built
from builders.ifhard.question import row_of
from builders.ifhard.validate import BuildError, check_dataset, check_question, stack_of


def find(built, category):
    """A question with a requirement of this type, and the requirement's place."""
    for question in built.test:
        for place, constraint in enumerate(question.constraints):
            if constraint["category"] == category:
                return question, place
    raise AssertionError(f"the small build holds no {category}")


def with_params(question, place, **params):
    constraints = list(copy.deepcopy(question.constraints))
    constraints[place]["params"].update(params)
    return replace(question, constraints=tuple(constraints))


def faults(question, bank):
    return " | ".join(check_question(question, bank[question.job.topic]))


def test_no_question_of_the_build_has_a_fault(built, bank):
    """The checks let good questions through."""
    assert [faults(question, bank) for question in (*built.test, *built.shots) if faults(question, bank)] == []


def test_a_witness_that_fails_is_found(built, bank):
    """A question without a passing answer is not shipped."""
    question, _ = find(built, "structure:word_count")
    assert "structure:word_count: the witness fails" in faults(replace(question, witness="Вот. " * 300), bank)


def test_params_unlike_the_wording_are_found(built, bank):
    """A scorer that checks something else than the wording says is found."""
    question, place = find(built, "style:forbid_letter")
    assert "letter = 'ъ' is not in the wording" in faults(with_params(question, place, letter="ъ"), bank)


def test_a_wording_unlike_the_params_is_found(built, bank):
    """A wording that asks for something else than the scorer checks is found."""
    question, place = find(built, "structure:sentence_count")
    lines = list(question.lines)
    lines[place] = "Мне нужно ровно 99 предложений."
    assert "number 99 is no parameter" in faults(replace(question, lines=tuple(lines)), bank)


def test_a_requirement_that_its_corruption_passes_is_found(built, bank):
    """A requirement that cannot be failed is not shipped."""
    question, place = find(built, "lexical:include_keyword")
    constraints = list(copy.deepcopy(question.constraints))
    # An empty stem hits every word: nothing can be taken out of the answer that would break the rule.
    constraints[place]["params"] = {"stem": ""}
    assert "the corruption passes" in faults(replace(question, constraints=tuple(constraints)), bank)


def test_params_that_the_scorer_refuses_are_found(built, bank):
    """Parameters that make no rule are a fault of the question, not of the answer."""
    question, place = find(built, "style:forbid_letter")
    constraints = list(copy.deepcopy(question.constraints))
    constraints[place]["params"] = {}
    assert "letter" in faults(replace(question, constraints=tuple(constraints)), bank)


def test_a_branch_that_the_context_does_not_pick_is_found(built, bank):
    """The scorer's branch is the one that the background picks."""
    question, place = find(built, "logic:conditional_include")
    holds = question.constraints[place]["params"]["holds"]
    assert "picks the other branch" in faults(with_params(question, place, holds=not holds), bank)


def test_a_context_exchanged_for_another_is_found(built, bank):
    """A condition is derived from the background that the question shows."""
    question, place = find(built, "logic:conditional_include")
    topic = bank[question.job.topic]
    probe = next(probe for probe in topic.probes if probe.mention in question.lines[place])
    holds = question.constraints[place]["params"]["holds"]
    other = next(c for c in topic.contexts if not c.decoy and topic.mentions(c, probe) != holds)
    assert "picks the other branch" in faults(replace(question, context=other.text), bank)


def test_a_condition_without_a_context_is_found(built, bank):
    """A condition needs a background to look at."""
    question, _ = find(built, "logic:conditional_include")
    found = faults(replace(question, context=""), bank)
    assert "no context to look at" in found
    assert "the context is not as dealt" in found


def test_a_condition_that_no_probe_names_is_found(built, bank):
    """A condition that cannot be checked is not shipped."""
    question, place = find(built, "logic:conditional_include")
    lines = list(question.lines)
    lines[place] = "Если идёт снег, напиши слово."
    assert "no known condition" in faults(replace(question, lines=tuple(lines)), bank)


def test_too_few_requirements_and_one_family_are_found(built, bank):
    """A stack that is too small or of one family is not shipped."""
    question = built.test[0]
    one = replace(question, constraints=question.constraints[:1], lines=question.lines[:1], shown=question.shown[:1])
    assert "1 requirements" in faults(one, bank)
    assert "one family only" in faults(one, bank)


def test_a_decoy_that_an_answer_may_follow_is_found(built, bank):
    """A background whose habit no requirement excludes is no trap but a second instruction."""
    question, _ = find(built, "structure:word_count")
    followed = next(habit for habit in HABITS if not overruling(habit, question.constraints))
    assert f"in the form of the decoy ({followed}) may meet all" in faults(replace(question, decoy=followed), bank)


def test_a_requirement_that_another_implies_is_found(built, bank):
    """Each requirement of a question asks for something of its own."""
    question, place = find(built, "lexical:starts_with")
    word = question.constraints[place]["params"]["phrase"].split()[0].lower()
    item = {"category": "lexical:include_keyword", "family": "lexical", "params": {"word": word}, "is_terminal": False}
    doubled = replace(
        question,
        constraints=(*question.constraints, item),
        lines=(*question.lines, f"В ответе должно быть слово «{word}»."),
        shown=(*question.shown, frozenset({word})),
    )
    assert "lexical:include_keyword: another requirement brings" in faults(doubled, bank)


@pytest.fixture
def rows(built):
    tiers = tiers_of(built.test)
    test = [row_of(question, place + 6, tiers[place], "") for place, question in enumerate(built.test)]
    shots = [row_of(question, place + 1, "easy", question.witness) for place, question in enumerate(built.shots)]
    witnesses = {question.base_id: question.witness for question in (*built.test, *built.shots)}
    return test, shots, witnesses


def test_good_rows_pass(rows):
    """The checks of finished rows let good ones through."""
    check_dataset(*rows)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda test, shots: test[3]["meta"].update(id=test[4]["meta"]["id"]), "row 10 .*: same id as row 10"),
        (lambda test, shots: test[3]["meta"].update(constraints="[]"), "row 9 .*: the witness scores 0.0"),
        (lambda test, shots: test[3]["meta"].update(constraints=""), "row 9 "),
        (lambda test, shots: test[3]["meta"].update(constraints='[{"category": "style:x"}]'), "row 9 "),
        (lambda test, shots: test[3].update(instruction="{answer}"), "row 9 .*slots"),
        (lambda test, shots: test[4].update(inputs=test[3]["inputs"], instruction=test[3]["instruction"],
            meta={**test[4]["meta"], "constraints": "[]"}), "row 10 "),
        (lambda test, shots: shots.append({**test[3], "meta": {**test[3]["meta"], "id": 999}}), "row 999 .*base id"),
    ],
)  # fmt: skip
def test_spoiled_rows_are_refused_by_name(rows, spoil, message):
    """A row that a reader could not use stops the build, with the row's number."""
    test, shots, witnesses = copy.deepcopy(rows)
    spoil(test, shots)
    with pytest.raises(BuildError, match=message):
        check_dataset(test, shots, witnesses)


def test_the_same_question_under_another_id_is_refused(rows):
    """No question occurs twice."""
    test, shots, witnesses = copy.deepcopy(rows)
    twin = copy.deepcopy(test[3])
    twin["meta"].update(id=999, base_id="0123456789ab")
    with pytest.raises(BuildError, match=r"row 999 .*same question as row 9"):
        check_dataset([*test, twin], shots, {**witnesses, "0123456789ab": witnesses[test[3]["meta"]["base_id"]]})


def test_a_stack_shared_by_the_splits_is_refused(rows):
    """No example shows a test question's combination of types."""
    test, shots, witnesses = copy.deepcopy(rows)
    twin = copy.deepcopy(test[3])
    twin["inputs"]["question"] += " "
    twin["meta"].update(id=999, base_id="0123456789ab")
    with pytest.raises(BuildError, match="share the stack"):
        check_dataset(test, [*shots, twin], {**witnesses, "0123456789ab": witnesses[test[3]["meta"]["base_id"]]})


def test_a_witness_for_another_question_is_refused(rows):
    """A witness has to answer its own question."""
    test, shots, witnesses = rows
    first, second = (row["meta"]["base_id"] for row in test[:2])
    with pytest.raises(BuildError, match=r"row 6 .*the witness scores 0.0"):
        check_dataset(test, shots, {**witnesses, first: witnesses[second]})


def test_nothing_comes_out_of_a_build_that_fails(built):
    """One bad question means no files at all."""
    spoiled = replace(built.test[0], witness="Вот.")
    with pytest.raises(BuildError, match="row 6 "):
        make_files(Built([spoiled, *built.test[1:]], built.shots, built.tally), 5)


def test_the_stack_of_a_row_is_its_types(rows):
    """Two rows with the same types in another order have the same stack."""
    row = rows[0][0]
    assert stack_of(row) == tuple(sorted(item["category"] for item in json.loads(row["meta"]["constraints"])))
