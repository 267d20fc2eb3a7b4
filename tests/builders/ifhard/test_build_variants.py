"""Every rule of the policy can be composed: a question with it exists, and keeps all guarantees."""

from random import Random

import pytest

from builders.ifhard.draft import InfeasibleError
from builders.ifhard.jobs import Job
from builders.ifhard.question import make_question
from builders.ifhard.stack import category_of, family_of
from builders.ifhard.type_tables import RULES, compatible
from builders.ifhard.validate import check_question

ATTEMPTS = 60
# Easy company for the rule under test; what does not fit is left out.
COMPANY = [
    "format:bullet_list/strict", "format:numbered_list/strict", "format:json_object/plain", "format:csv_line/plain",
    "format:json_array/plain", "format:json_list_value/plain", "format:markdown_table/plain", "format:two_parts/plain",
    "structure:word_count/exact", "structure:paragraph_count/exact", "style:no_caps/plain", "style:comma_count/exact",
    "lexical:exclude_word/words", "lexical:starts_with/plain", "style:forbid_letter/one", "structure:char_count/exact",
    "lexical:include_keyword/stem", "style:question_count/exact",
]  # fmt: skip


def stacks(key, frame):
    """Stacks of three around a rule: the first company that fits, then the next, and so on."""
    for start in range(len(COMPANY)):
        keys = [key]
        for other in COMPANY[start:] + COMPANY[:start]:
            rule = RULES[other]
            if (
                len(keys) < 3
                and frame in rule.frames
                and category_of(other) not in map(category_of, keys)
                and all(compatible(rule, RULES[one]) for one in keys)
            ):
                keys.append(other)
        shaped = frame in {"prose", "bullets", "numbers"} or any("shape" in RULES[one].groups for one in keys)
        if len(keys) == 3 and shaped and len(set(map(family_of, keys))) >= 2:
            yield keys


@pytest.mark.parametrize("key", RULES)
def test_a_question_with_this_rule_exists_and_has_no_fault(key, bank, catalogue):
    """No rule is dead: each can be composed in easy company, and the question keeps every guarantee."""
    made = 0
    for attempt in range(ATTEMPTS):
        rng = Random(f"{key}/{attempt}")
        frame = rng.choice(sorted(RULES[key].frames))
        options = list(stacks(key, frame))
        if not options:
            continue
        topic = rng.choice(list(bank.values()))
        job = Job("test", attempt, topic.id, rng.choice(topic.tasks), "spec", 0, frame, 3, True)
        try:
            question = make_question(job, frame, rng.choice(options), topic, catalogue, rng)
        except InfeasibleError:
            continue
        assert check_question(question, topic) == [], question
        assert key in question.keys
        made += 1
        if made == 2:
            return
    assert made, f"no question with {key} in {ATTEMPTS} attempts"
