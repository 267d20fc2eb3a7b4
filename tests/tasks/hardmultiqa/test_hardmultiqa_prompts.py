"""What a model is shown, to the letter: texts to continue, chats, demonstrations through LightEval's sampling."""

import copy
import dataclasses
import json

import datasets
import pytest
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import PromptManager

from tasks.hardmultiqa.dataset import BUILTIN
from tasks.hardmultiqa.names import MODES, SUBSETS, TYPES
from tasks.hardmultiqa.prompts import CUT, STOP, answer_text, completion_prompt
from tasks.hardmultiqa.rows import read_question
from tasks.hardmultiqa.task import TASKS_TABLE

CONFIGS = {config.name: config for config in TASKS_TABLE}
PROMPTS = PromptManager(use_chat_template=True, tokenizer=None)


def stored(split):
    lines = (BUILTIN / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [read_question(json.loads(line)) for line in lines]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """LightEval reads the folder through ``datasets``, which would use the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.mktemp("cache"))
        yield


def docs(name, fewshot, samples=None):
    """Documents as LightEval makes them for ``name|fewshot``."""
    task = LightevalTask(dataclasses.replace(CONFIGS[name], num_fewshots=fewshot))
    task.dataset = LightevalTask.download_dataset_worker(task)
    return task.get_docs(samples)


GOLDEN = {
    TYPES[0]: (["1", "3"], "1, 3"),
    "open": (["Кёнигсберг", "Калининград"], "Кёнигсберг"),
    "strict-list": (["Ока", "Кама"], "Ока; Кама"),
    "not-strict-list": (["Ока", "Кама"], "Ока; Кама"),
    "mistakes": (["1840 → 1837", "Петербург → Москва"], "1840 → 1837\nПетербург → Москва"),
}


@pytest.mark.parametrize(("kind", "reference", "wanted"), [(k, *v) for k, v in GOLDEN.items()], ids=GOLDEN)
def test_references_as_answers(kind, reference, wanted):
    """Numbers with commas, one open answer, lists with semicolons, corrections line by line."""
    assert answer_text(kind, reference) == wanted


def test_a_text_to_continue():
    """No space at the end: a model's tokens begin with one."""
    assert completion_prompt("Кто?", ()) == "Вопрос: Кто?\nОтвет:"


def test_a_text_with_demonstrations():
    """Blank lines between; the demonstrations' answers follow a space."""
    shown = [("Кто?", "он"), ("Что?\n1) а\n2) б", "1, 2")]
    assert completion_prompt("Где?", shown) == (
        "Вопрос: Кто?\nОтвет: он\n\nВопрос: Что?\n1) а\n2) б\nОтвет: 1, 2\n\nВопрос: Где?\nОтвет:"
    )


GOLDEN_OPEN = """\
Вопрос: Какое озеро Африки самое глубокое? Дай короткий однозначный ответ.
Ответ: Танганьика

Вопрос: Кто написал роман «Обрыв»? Дай короткий однозначный ответ.
Ответ: Иван Гончаров

Вопрос: Какой чистый металл лучше всех остальных проводит электрический ток при комнатной температуре? Дай короткий \
однозначный ответ.
Ответ: Серебро

Вопрос: В каком году произошло восстание декабристов на Сенатской площади? Дай короткий однозначный ответ.
Ответ: 1825

Вопрос: Какой город был столицей Византийской империи, пока его не взяли турки в 1453 году? Дай короткий однозначный \
ответ.
Ответ: Константинополь

Вопрос: В каком году был подписан Нерчинский договор между Россией и империей Цин? Дай короткий однозначный ответ.
Ответ:"""


@pytest.mark.parametrize("subset", ["open", "all"])
def test_the_whole_prompt_by_letter(subset):
    """The same in a task of one type and in the task of all."""
    texts = [doc.query for doc in docs(f"hardmultiqa:{subset}:pretrain", 5)]
    assert GOLDEN_OPEN in texts


@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fewshot", [0, 5])
def test_demonstrations_are_of_the_questions_own_type(subset, mode, fewshot):
    """In file order, once, and exactly as many as asked for, through LightEval's own sampling."""
    shots = {
        kind: [(q.text, answer_text(kind, q.reference)) for q in stored("fewshot") if q.kind == kind] for kind in TYPES
    }
    asked = {q.id: q for q in stored("test") if subset in ("all", q.kind)}
    found = docs(f"hardmultiqa:{subset}:{mode}", fewshot)
    assert {doc.specific["id"] for doc in found} == set(asked)
    assert len(found) == len(asked)
    for doc in found:
        question = asked[doc.specific["id"]]
        shown = shots[question.kind][:fewshot]
        assert len(shown) == fewshot
        if mode == "pretrain":
            assert doc.query == completion_prompt(question.text, shown)
            assert doc.fewshot_samples == []
        else:
            turns = [turn for pair in shown for turn in zip(("user", "assistant"), pair, strict=True)]
            wanted = [{"role": role, "content": text} for role, text in [*turns, ("user", question.text)]]
            assert PROMPTS.prepare_prompt_api(doc) == wanted


@pytest.mark.parametrize("mode", MODES)
def test_documents_survive_copies(mode):
    """The runner copies a document for each repeat, LightEval writes its fields into the details."""
    (doc,) = docs(f"hardmultiqa:mistakes:{mode}", 5, samples=1)
    for other in (copy.copy(doc), copy.deepcopy(doc)):
        assert other.query == doc.query
        assert PROMPTS.prepare_prompt_api(other) == PROMPTS.prepare_prompt_api(doc)
    fields = dataclasses.asdict(doc)
    assert fields["query"] == doc.query
    assert len(fields["fewshot_samples"]) == (0 if mode == "pretrain" else 5)


def test_too_few_demonstrations_are_an_error():
    """Never silently fewer."""
    (doc,) = docs("hardmultiqa:open:pretrain", 5, samples=1)
    doc.task_name = "hardmultiqa:open:pretrain|6"
    with pytest.raises(ValueError, match="6 demonstrations wanted, the dataset has 5"):
        _ = doc.query


def test_what_a_document_says_of_itself():
    """Kind, cap, stop strings, scoring key and labels of both modes."""
    wanted = {
        "pretrain": ("completion", 256, ["\nВопрос:"], {"cut": ["Вопрос:"]}),
        "alignment": ("chat", 4096, [], {}),
    }
    for mode, (kind, cap, stop, cut) in wanted.items():
        found = docs(f"hardmultiqa:strict-list:{mode}", 0)
        (doc,) = (doc for doc in found if "Швейцария" in doc.query)
        question = (
            "Перечисли все государства, с которыми граничит Швейцария. "
            "Ответ дай списком; лишние элементы считаются ошибкой."
        )
        assert doc.specific | {"scoring": json.loads(doc.specific["scoring"])} == {
            "id": next(q.id for q in stored("test") if q.text == question),
            "repeat": 0,
            "kind": kind,
            "max_tokens": cap,
            "scoring": {
                "type": "strict-list",
                "question": question,
                "reference": ["Германия", "Франция", "Италия", "Австрия", "Лихтенштейн"],
                **cut,
            },
            "labels": '{"topic": "география", "type": "strict-list"}',
        }
        assert (doc.generation_size, list(doc.stop_sequences)) == (cap, stop)
        assert doc.get_golds() == ["Германия; Франция; Италия; Австрия; Лихтенштейн"]


def test_server_and_cut_agree():
    """A server that stops where told ends an answer where our own cut ends it."""
    assert tuple(f"\n{mark}" for mark in CUT) == STOP


def test_smoke_samples_are_lightevals_own_choice():
    """A smaller run is a part of a larger one."""
    few = [doc.specific["id"] for doc in docs("hardmultiqa:open:pretrain", 0, samples=2)]
    many = [doc.specific["id"] for doc in docs("hardmultiqa:open:pretrain", 0)]
    assert many[:2] == few
