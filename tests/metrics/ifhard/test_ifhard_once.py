"""What is done once: parameters are read once a question, and a text is taken apart once an answer."""

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifhard_tables import texts, verdict_cases

from metrics import ifhard
from metrics.ifhard import records, scoring_key
from metrics.ifhard.params import ParamsError
from metrics.ifhard.text import Text
from metrics.ifhard.verification import check_params, judge, read_requirement
from metrics.record import Answer, Sample

CASES = [(category, case["params"], case["text"]) for category, case in verdict_cases()]


class Watched(dict):
    """Parameters that count how often they are looked at."""

    looks = 0

    def get(self, *arguments):
        self.looks += 1
        return super().get(*arguments)

    def __getitem__(self, key):
        self.looks += 1
        return super().__getitem__(key)

    def __contains__(self, key):
        self.looks += 1
        return super().__contains__(key)


def test_params_are_looked_at_once_a_question():
    """Every case's parameters, for three answers to its question; a checksum's wait for a marker in the text."""
    for category, params, text in CASES:
        if category == "structure:checksum":
            continue
        watched = Watched(params)
        constraint = ifhard.Constraint(category, category.partition(":")[0], watched)
        first = ifhard.score_constraints([constraint], text)
        looks = watched.looks
        again = [ifhard.score_constraints([constraint], other).verdicts[0] for other in (text, "", "Кот спит.")]
        assert watched.looks == looks
        assert again[0] == first.verdicts[0]
        assert again[1:] == [ifhard.verify(category, params, other) for other in ("", "Кот спит.")]


def test_a_run_reads_a_question_once(monkeypatch):
    """Repeats of a question, and every model's answers to it, share what was read."""
    read = []
    monkeypatch.setattr(scoring_key, "read_requirement", lambda *of: read.append(of) or read_requirement(*of))
    records._constraints.cache_clear()
    scoring = json.dumps(
        [
            {"category": "structure:word_count", "family": "structure", "params": {"value": 2}},
            {"category": "style:no_commas", "family": "style", "params": {}},
        ]
    )
    made = [records.score(Sample("a", repeat, scoring, "{}"), Answer("Кот спит.")) for repeat in range(3)]
    assert [record["scores"]["sample_pass_rate"] for record in made] == [1.0] * 3
    assert len(read) == 2


def test_bad_params_fail_every_answer_with_a_warning_each(caplog):
    """Reading them once makes them no rarer in the counts or in the log."""
    bad = [("no:such", {}), ("structure:word_count", {"op": "eq"}), ("structure:word_count", None)]
    constraints = [ifhard.Constraint(category, "structure", params) for category, params in bad]
    for _ in range(2):
        verdicts = ifhard.score_constraints(constraints, "Кот спит.").verdicts
        assert [verdict.code for verdict in verdicts] == ["unknown-category", "invalid-params", "invalid-params"]
        assert verdicts == [ifhard.verify(category, params, "Кот спит.") for category, params in bad]
    assert len(caplog.records) == 12


def test_a_constraint_that_was_read_is_the_constraint_it_was():
    """Equality, hash, repr, fields and copies are those of what the scoring key states."""
    fresh, read = (ifhard.Constraint("lexical:word_cap", "lexical", (("stem", "кот"), ("cap", 1))) for _ in range(2))
    assert read.requirement is read.requirement
    assert read == fresh == ("lexical:word_cap", "lexical", (("stem", "кот"), ("cap", 1)), False)
    assert hash(read) == hash(fresh)
    assert repr(read) == repr(fresh)
    assert read._replace(category="style:no_commas").requirement[0] == "style:no_commas"
    for made in (copy.copy(read), copy.deepcopy(read), pickle.loads(pickle.dumps(read))):
        assert made == fresh


@given(
    st.lists(st.sampled_from(CASES), min_size=2, max_size=12), st.sampled_from([text for *_, text in CASES]) | texts()
)
def test_shared_parts_change_no_verdict(cases, text):
    """Requirements that share a text get what each gets alone, in whatever order they come."""
    shared = Text(text)
    requirements = [read_requirement(category, params) for category, params, _ in cases]
    alone = [judge(requirement, Text(text)) for requirement in requirements]
    assert [judge(requirement, shared) for requirement in requirements] == alone
    assert [judge(requirement, shared) for requirement in requirements[::-1]] == alone[::-1]


def test_a_checksum_under_an_override_names_its_parameters_as_the_check_at_loading_does():
    """It reads them at the verdict."""
    params = {"winner": {"category": "structure:checksum", "params": {"kind": "letters"}}}
    said = "logic:override: parameter 'winner.params.kind': is none of commas, letter_words, sentences, words"
    assert ifhard.verify("logic:override", params, "Кот. (1)").reason == said
    with pytest.raises(ParamsError) as caught:
        check_params("logic:override", params)
    assert str(caught.value) == said
