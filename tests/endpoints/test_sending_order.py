"""What begins alike goes out together, long answers first; where neither helps nothing moves."""

import asyncio
import random
from dataclasses import replace

import pytest
from asking import chat, completion, questions
from fault_server import FaultServer
from hypothesis import given
from hypothesis import strategies as st
from lighteval.tasks.requests import Doc

from endpoints.journal import JournalLine, read_journal
from endpoints.model import EndpointModel
from endpoints.model_config import EndpointModelConfig
from endpoints.outcome import Outcome
from endpoints.sending_order import HOT, SHARED, expected_lengths, sending_order

LONG = "д" * SHARED


def order(requests, sizes=None, earlier=()):
    return sending_order(requests, sizes or [None] * len(requests), earlier)


def line(sample_id, tokens, repeat=0, task="ifhard:all"):
    return JournalLine(
        f"{task} {sample_id} {repeat}", task, sample_id, repeat, Outcome("answered", completion_tokens=tokens)
    )


def test_what_is_alike_keeps_its_order():
    assert order([]) == ([], False)
    assert order(questions(50)) == (list(range(50)), False)
    assert order(questions(3), [7, 7, 7]) == ([0, 1, 2], False)


def test_long_answers_go_first():
    assert order(questions(5), [1, 3, 2, 3, None]) == ([4, 1, 3, 2, 0], True)  # without a size: the cap of 64
    assert order(questions(3), [100, 200, None]) == ([0, 1, 2], False)  # no answer passes the cap


@pytest.mark.parametrize("make", [chat, completion])
def test_a_document_is_asked_about_at_once(make):
    """Its questions are pulled up to the first; what is shared for less than SHARED, role included, does not count."""
    texts = ["a", LONG + "1", "b" + LONG, LONG + "2", "c", LONG[:-9] + "3", LONG + "1"]
    assert order([make(text) for text in texts]) == ([0, 1, 3, 6, 2, 4, 5], False)


def test_a_conversation_is_asked_about_at_once():
    """Its turns begin alike by whole messages, whoever wrote them."""

    def talk(*turns):
        roles = ("user", "assistant")
        return chat(
            " ".join(turns)[-9:], messages=tuple({"role": roles[i % 2], "content": t} for i, t in enumerate(turns))
        )

    first, second = "x" * SHARED, "y" * SHARED
    requests = [
        talk(first),
        talk(second),
        talk(first, "1", "2"),
        talk(second, "1", "2"),
        talk(first, "1", "2", "3", "4"),
    ]
    assert order(requests).places == [0, 2, 4, 1, 3]


def test_a_group_goes_with_its_longest():
    requests = [chat(text) for text in ("a", LONG + "1", "b", LONG + "2", "c")]
    assert order(requests, [2, 1, 5, 4, 3]).places == [2, 3, 1, 4, 0]


def test_a_beginning_in_use_all_the_time_holds_nobody_up():
    """Demonstrations of many questions; of these, documents that some share still go out together."""
    many = [chat(f"{LONG}{number:03}") for number in range(HOT + 1)]
    assert order(many).places == list(range(HOT + 1))
    assert order(many[:HOT], list(range(1, HOT + 1))).places == list(range(HOT))[::-1]
    documents = [chat(f"{LONG}{number % 20:02}{LONG}{number // 20}") for number in range(40)]
    assert order(documents).places == [place for first in range(20) for place in (first, first + 20)]


def test_answers_at_hand_tell_how_long_the_next_is():
    """The mean of a question's own; others of the task are stretched alike, other tasks are not."""
    requests = [chat("a", max_tokens=999), chat("b", max_tokens=999), chat("c", max_tokens=999), chat("d", task="t")]
    earlier = [
        line("a", 30),
        line("a", 50, 1),
        line("b", 20),
        line("b", None, 1),
        line("gone", 900),
        line("d", 5, task="u"),
    ]
    assert expected_lengths(requests, [10, 20, 40, None], earlier) == [40.0, 20.0, 80.0, 64]
    assert expected_lengths(requests, [None] * 4, earlier) == [40.0, 20.0, 30.0, 64]


def test_only_open_questions_make_a_difference():
    """A resume whose open questions are alike asks for them in their order, and says nothing of long ones."""
    earlier = [line("q1", 3), line("q4", 60)]
    places, longest_first = order(questions(6), None, earlier)
    assert ([place for place in places if place not in (1, 4)], longest_first) == ([0, 2, 3, 5], False)
    twice = [replace(request, repeat=repeat) for request in questions(2) for repeat in range(2)]
    assert order(twice, None, [line("q0", 3), line("q1", 9)]) == ([2, 3, 0, 1], True)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=60), st.integers(0, 2**32))
def test_an_order_is_one_of_all_and_follows_the_requests(made, seed):
    """Every place once; where no two answers are of one length, the order of arrival decides nothing."""
    requests = [chat(f"{number}" * SHARED + f"{part}" * SHARED + str(i)) for i, (number, part) in enumerate(made)]
    rng = random.Random(seed)
    sizes = rng.sample(range(1, len(made) + 1), len(made))
    places = order(requests, sizes).places
    assert sorted(places) == list(range(len(made)))
    mixed = rng.sample(range(len(made)), len(made))
    again = order([requests[i] for i in mixed], [sizes[i] for i in mixed]).places
    assert [mixed[place] for place in again] == places


def docs(count):
    return [
        Doc(query=f"q{i}", choices=[""], gold_index=0, task_name="t|0", specific={"id": f"q{i}", "max_tokens": 64})
        for i in range(count)
    ]


def asked(tmp_path, set_up=lambda model: None, **settings):
    """The prompts in the order in which the server got them; the model; its responses' texts."""
    path = tmp_path / f"{random.random()}.jsonl"
    with FaultServer() as server:
        config = EndpointModelConfig(
            model_name="tiny", base_url=server.url, concurrency=1, journal_path=str(path), **settings
        )
        model = EndpointModel(config)
        set_up(model)
        responses = asyncio.run(model.greedy_until(docs(6)))
        prompts = [body["messages"][-1]["content"] for body in server.bodies]
    assert sorted(line.key for line in read_journal(path)) == sorted(model.request(doc).key() for doc in docs(6))
    return prompts, model.longest_first, [response.text[0] for response in responses]


def test_a_model_sends_in_this_order_unless_another_is_set(tmp_path):
    """Responses are in the order of the documents, whatever that of sending; a drawn order and a seed win."""

    def sized(model):
        model.size_of = lambda doc: int(doc.query[1:]) + 1

    def drawn(model):
        sized(model)
        model.order = lambda found: [3, 1, 2, 0, 4, 5]

    answers = [f"re: q{i}" for i in range(6)]
    assert asked(tmp_path) == ([f"q{i}" for i in range(6)], False, answers)
    assert asked(tmp_path, sized) == ([f"q{i}" for i in range(6)][::-1], True, answers)
    assert asked(tmp_path, drawn) == ([f"q{i}" for i in (3, 1, 2, 0, 4, 5)], False, answers)
    shuffled = list(range(6))
    random.Random(3).shuffle(shuffled)
    assert asked(tmp_path, sized, shuffle_seed=3) == ([f"q{i}" for i in shuffled], False, answers)
