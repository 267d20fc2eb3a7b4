"""The dataset in the repository keeps every promise of its card."""

import hashlib
import json
from collections import Counter

import pytest

from builders.ifhard.free_rate import BAR, free_rates
from builders.ifhard.type_tables import LEFT_OUT, MINIMUM
from builders.ifhard.validate import check_dataset, stack_of
from metrics.ifhard import score
from tasks.ifhard.dataset import BUILTIN as DATA


def constraints_of(row):
    return json.loads(row["meta"]["constraints"])


def test_the_checksums_are_those_of_the_files():
    """Nobody edited the committed files by hand."""
    for line in (DATA / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest, name


def test_every_guarantee_holds_of_the_committed_rows(committed):
    """The committed rows pass every check of the build, read as files."""
    test, shots, witnesses = committed
    check_dataset(test, shots, {**witnesses, **{row["meta"]["base_id"]: row["outputs"] for row in shots}})


def test_shots_answer_themselves(committed):
    """Every example shows an answer that scores 1."""
    _, shots, _ = committed
    assert [score(row, row["outputs"]).sample_pass_rate for row in shots] == [1.0] * 5


def test_sizes_and_tiers(committed):
    """1260 questions and 5 examples, four equal tiers, 3 to 6 requirements, 4.43 on average."""
    test, shots, _ = committed
    assert (len(test), len(shots)) == (1260, 5)
    assert Counter(row["meta"]["categories"]["tier"] for row in test) == dict.fromkeys(
        ("easy", "medium", "hard", "expert"), 315
    )
    sizes = [len(constraints_of(row)) for row in test]
    assert set(sizes) == {3, 4, 5, 6}
    assert sum(sizes) / len(sizes) == pytest.approx(4.43, abs=0.1)


def test_sixty_one_types_with_at_least_fourteen_uses_each(committed):
    """Every type that is built is asked often enough to be measured."""
    test, _, _ = committed
    uses = Counter(item["category"] for row in test for item in constraints_of(row))
    assert len(uses) == 61
    assert min(uses.values()) >= MINIMUM, uses.most_common()[-3:]
    assert not LEFT_OUT & set(uses)


def test_contexts_templates_and_wordings(committed):
    """57% of the questions have a background, and all forty prompt templates occur."""
    test, _, _ = committed
    assert sum(bool(row["inputs"]["context"]) for row in test) == pytest.approx(717, abs=30)
    assert len({row["instruction"] for row in test}) == 40
    spec = {row["instruction"] for row in test if row["meta"]["categories"]["prompt_style"] == "spec"}
    assert all(text.startswith(("Контекст:", "Требования к ответу:")) for text in spec)


def test_true_branches_are_about_69_percent(committed):
    """Of the questions with a condition it holds in about 69%."""
    test, _, _ = committed
    branches = [item["params"]["holds"] for row in test for item in constraints_of(row) if "holds" in item["params"]]
    assert len(branches) > 200
    assert sum(branches) / len(branches) == pytest.approx(0.69, abs=0.05)


def test_fixed_shapes_are_marked_and_alone(committed):
    """A question has at most one fixed shape, and a sixth of the questions have one."""
    test, _, _ = committed
    terminal = [sum(item["is_terminal"] for item in constraints_of(row)) for row in test]
    assert sum(terminal) == pytest.approx(210, abs=10)
    assert max(terminal) == 1


def test_splits_share_neither_question_nor_stack(committed):
    """An example gives away no test question and no combination of types."""
    test, shots, _ = committed
    assert not {stack_of(row) for row in test} & {stack_of(row) for row in shots}
    assert not {json.dumps(row["inputs"]) for row in test} & {json.dumps(row["inputs"]) for row in shots}


@pytest.mark.slow
def test_no_type_lies_above_the_bar(committed):
    """No type is met by chance in more than 15% of free answers."""
    test, _, _ = committed
    path = DATA.parents[2] / "builders" / "ifhard" / "unconstrained" / "answers.jsonl"
    answers = [json.loads(line)["answer"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(answers) >= 162
    above = [line for line in free_rates(test, answers) if line.rate > BAR and not line.is_control]
    assert above == []
