"""Session replay: the messages that are really sent, against a golden file."""

import copy
import json
import logging
from pathlib import Path

import pytest
from fault_server import FaultServer, answer
from hypothesis import given
from hypothesis import strategies as st
from sobhard_docs import docs_of, messages_of, split_rows

from endpoints.model import EndpointModel
from endpoints.model_config import EndpointModelConfig
from tasks.sobhard.dataset import BUILTIN_SMALL
from tasks.sobhard.history import History, Turn, bounded
from tasks.sobhard.sampler import SessionDoc, history_notes

# The three conversations of the small set, each graded turn with its whole history, by difficulty. Written down from
# the committed rows by hand of a formatter that knows nothing of this project: the template's four slots filled in, the
# answers as `outputs` has them.
GOLDEN = json.loads((Path(__file__).parent / "golden_sessions.json").read_text(encoding="utf-8"))
TURNS = {"easy": 3, "medium": 4, "hard": 5}


def sessions(docs):
    """Documents of conversations by difficulty."""
    return {json.loads(doc.specific["labels"])["difficulty"]: doc for doc in docs if doc.turns}


def wanted(difficulty, bound):
    """The golden messages under a bound: whole turns from the end, and the question."""
    messages = GOLDEN[difficulty]
    return messages if bound == 0 else messages[-(2 * bound + 1) :]


def test_the_golden_file_is_what_it_says():
    """Alternating roles, a user at both ends, the document in the first message alone."""
    assert {name: len(messages) for name, messages in GOLDEN.items()} == {name: 2 * n - 1 for name, n in TURNS.items()}
    for messages in GOLDEN.values():
        assert [message["role"] for message in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
        assert all(message["content"].startswith("```") for message in messages[1::2])


@pytest.mark.parametrize("bound", range(9))
def test_lightevals_own_documents_carry_the_golden_messages(bound):
    """The latest N turns, in order; 0 is all; nothing for any other question, though LightEval hands all the same."""
    docs = docs_of(BUILTIN_SMALL, "all", bound)
    assert len(docs) == 33
    found = sessions(docs)
    assert set(found) == set(TURNS)
    for difficulty, doc in found.items():
        assert messages_of(doc) == wanted(difficulty, bound)
    for doc in docs:
        if not doc.turns:
            assert messages_of(doc) == [{"role": "user", "content": doc.query}]


def test_a_system_prompt_stands_in_front():
    """Once, before the history."""
    doc = sessions(docs_of(BUILTIN_SMALL, "session", 1))["hard"]
    assert messages_of(doc, "Молчи.") == [{"role": "system", "content": "Молчи."}, *wanted("hard", 1)]


@pytest.mark.parametrize("bound", [0, 2])
def test_the_server_receives_the_golden_messages(sob, bound):
    """Through the runner, over HTTP, byte for byte; a history that is cut is counted before anything is sent."""
    with FaultServer(answer("```json\n{}\n```")) as server:
        result = sob("--full", task=f"sobhard:session|{bound}", server=server)
        sent = [body["messages"] for body in server.bodies]
    assert result.code == 0, result.err
    assert sorted(map(json.dumps, sent)) == sorted(json.dumps(wanted(difficulty, bound)) for difficulty in TURNS)
    assert all(body["stop"] == ["<|eot_id|>", "<|im_end|>", "</s>"] for body in server.bodies)
    assert ("cuts the history of 2 of 3 conversations" in result.err) == (bound == 2)
    assert ("cuts the history of 2 of 3 conversations" in result.out) == (bound == 2)


def test_copies_and_repeats_keep_their_history():
    """The runner copies documents for repeats; LightEval may deep-copy them."""
    doc = sessions(docs_of(BUILTIN_SMALL, "session", 2))["hard"]
    for again in (copy.copy(doc), copy.deepcopy(doc)):
        assert messages_of(again) == wanted("hard", 2)
    assert json.loads(repr(doc))["fewshot_samples"][0]["query"] == wanted("hard", 2)[0]["content"]


def test_our_model_asks_the_same():
    """EndpointModel reads the history as every backend does; the cap is the task's."""
    model = EndpointModel(EndpointModelConfig(model_name="m", base_url="http://127.0.0.1:9/v1"))
    doc = sessions(docs_of(BUILTIN_SMALL, "session", 3))["hard"]
    request = model.request(doc)
    assert list(request.messages) == wanted("hard", 3)
    assert request.max_tokens == 65_536


@pytest.mark.parametrize(("bound", "cut"), [(0, 0), (1, 3), (2, 2), (3, 1), (4, 0), (8, 0)])
def test_cut_histories_are_counted(bound, cut):
    """Repeats of a question count once; conversations that fit are not named."""
    docs = docs_of(BUILTIN_SMALL, "all", bound)
    notes = history_notes([*docs, *map(copy.copy, docs)], bound)
    assert len(notes) == (cut > 0)
    assert not cut or f"|{bound} cuts the history of {cut} of 3 conversations" in notes[0]


def test_lightevals_own_command_is_told_of_a_cut(caplog):
    """Its logger warns with question and numbers; without a cut it is silent."""
    with caplog.at_level(logging.WARNING, logger="lighteval"):
        docs_of(BUILTIN_SMALL, "hard", 3)
    assert [record.name.partition(".")[0] for record in caplog.records] == ["lighteval"]
    assert "first 1 of 4 earlier turns" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="lighteval"):
        docs_of(BUILTIN_SMALL, "hard", 4)
    assert not caplog.records


def test_lightevals_pool_never_reaches_a_question():
    """Whatever is assigned, a document shows its own turns, and none of its neighbour's."""
    doc = SessionDoc(query="в", choices=[""], gold_index=0)
    doc.task_name = "sobhard:all|2"
    doc.fewshot_samples = [SessionDoc(query="чужое", choices=["да"], gold_index=0)]
    assert doc.fewshot_samples == []
    doc.turns = (Turn("а", "1"), Turn("б", "2"), Turn("в", "3"))
    assert [(sample.query, sample.get_golds()) for sample in doc.fewshot_samples] == [("б", ["2"]), ("в", ["3"])]


@given(st.lists(st.integers(), max_size=9), st.integers(0, 12))
def test_a_bound_keeps_the_end(turns, bound):
    """At most that many, the last ones, in their order; all of them at 0."""
    kept = bounded(turns, bound)
    assert len(kept) == (min(bound, len(turns)) if bound else len(turns))
    assert kept == turns[len(turns) - len(kept) :]


def test_turns_come_by_number_not_by_row():
    """Shuffled shots, other conversations and demonstrations between them: the same history."""
    shots, test = split_rows("shots"), split_rows("test")
    for row in test:
        assert History(reversed(shots)).turns(row) == History(shots).turns(row)


@pytest.mark.parametrize("subset", ["all", "easy", "session", "convert"])
def test_a_subset_is_the_rows_of_its_label(subset):
    """Families and difficulties; LightEval's order is a shuffle of them."""
    labels = [json.loads(doc.specific["labels"]) for doc in docs_of(BUILTIN_SMALL, subset, 0)]
    assert len(labels) == {"all": 33, "easy": 11, "session": 3, "convert": 3}[subset]
    assert all(subset in ("all", label["family"], label["difficulty"]) for label in labels)
