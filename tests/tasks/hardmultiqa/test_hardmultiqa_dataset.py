"""Datasets from everywhere: what is found, what is refused and with which words."""

import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import datasets
import huggingface_hub
import pyarrow
import pytest
from pyarrow import parquet

from tasks.benchmark import DatasetError, DatasetRequest
from tasks.hardmultiqa.dataset import BUILTIN, demonstrations, load_dataset
from tasks.hardmultiqa.names import TASK_VALUES, TYPES
from tasks.hardmultiqa.rows import Question

KINDS = dict(zip(TYPES, TASK_VALUES.values(), strict=True))


def row(kind, number, answer=None, **more):
    """A small row of a type."""
    options = "\n1) да\n2) нет" if kind == TYPES[0] else ""
    usual = {TYPES[0]: ["2"], "open": ["ответ"]}.get(kind, ["первое", "второе"])
    return {
        "task": TASK_VALUES[kind],
        "question": f"Вопрос номер {number}?{options}",
        "answer": usual if answer is None else answer,
        **more,
    }


def rows(start=0, each=2, **more):
    return [row(kind, start + 10 * place + i, **more) for place, kind in enumerate(TYPES) for i in range(each)]


def write(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(found), path)
    elif path.suffix == ".csv":
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, found[0])
            writer.writeheader()
            writer.writerows(found)
    else:
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in found)
        path.write_text(text, encoding="utf-8", newline="\n")
    return path


def load(tmp_path, source, **columns):
    return load_dataset(DatasetRequest(str(source), tmp_path / "cache", columns=columns))


def refused(tmp_path, found, *words, **columns):
    """The dataset is refused in these words."""
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, write(tmp_path / "set" / "test.jsonl", found), **columns)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("layout", ["{}{}", "data/{}-00000-of-00001{}"])
def test_folders_of_every_form(tmp_path, suffix, layout):
    """JSON Lines, CSV and Parquet, plain or as the Hub lays them out, give the same set."""
    text_rows = [entry | {"answer": "\n".join(entry["answer"])} for entry in rows()]
    shots = [entry | {"answer": "\n".join(entry["answer"])} for entry in rows(100, each=5)]
    write(tmp_path / "set" / layout.format("test", suffix), text_rows)
    write(tmp_path / "set" / layout.format("fewshot", suffix), shots)
    handle = load(tmp_path, tmp_path / "set")
    assert handle.questions["hardmultiqa:all:pretrain"] == 10
    assert handle.questions["hardmultiqa:mistakes:alignment"] == 2
    assert handle.shots == 5
    kept = [json.loads(line) for line in (handle.folder / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    assert kept == [entry | {"topic": ""} for entry in rows()]


def test_shards_are_read_in_order(tmp_path):
    """Two Parquet files of one split."""
    for number, part in enumerate((rows(), rows(1000))):
        write(tmp_path / "set" / f"test-{number:05d}-of-00002.parquet", part)
    handle = load(tmp_path, tmp_path / "set")
    kept = [json.loads(line)["question"] for line in (handle.folder / "test.jsonl").read_text("utf-8").splitlines()]
    assert kept == [entry["question"] for entry in rows() + rows(1000)]
    assert handle.shots == 0


def test_a_file_takes_the_demonstrations_beside_it(tmp_path):
    """Whatever the file is called."""
    write(tmp_path / "fewshot.csv", [entry | {"answer": entry["answer"][0]} for entry in rows(100, each=5)])
    assert load(tmp_path, write(tmp_path / "mine.jsonl", rows())).shots == 5


def test_the_same_content_is_one_folder(tmp_path):
    """Copies are named after their content; the spelling of a type does not change it."""
    first = load(tmp_path, write(tmp_path / "a" / "test.jsonl", rows()))
    hyphens = [entry | {"task": TYPES[place // 2]} for place, entry in enumerate(rows())]
    second = load(tmp_path, write(tmp_path / "b" / "test.jsonl", hyphens))
    assert first.folder == second.folder
    assert first.sha256 == second.sha256
    other = load(tmp_path, write(tmp_path / "c" / "test.jsonl", rows(500)))
    assert other.folder != first.folder
    assert other.prompts_sha256 != first.prompts_sha256


@pytest.mark.parametrize("kind", TYPES)
def test_ids(kind):
    """First 12 hex digits of SHA-256 over task, line feed, question, in UTF-8."""
    text = f"{TASK_VALUES[kind]}\nКто?".encode()
    assert Question(kind, "Кто?", ("он",)).id == hashlib.sha256(text).hexdigest()[:12]


def test_an_id_by_hand():
    """Fixed for good: saved answers refer to it."""
    # printf 'open\nКто?' | sha256sum | cut -c1-12
    assert Question("open", "Кто?", ("он",)).id == "e108063fb1bb"


@pytest.mark.parametrize(
    "column", ["answer", "answers", "Reference", "gold", "target", "correct answer", "ответ", "Эталон"]
)
def test_usual_names_of_the_reference(tmp_path, column):
    """Found whatever the case; spaces count as underscores."""
    found = [{column if key == "answer" else key: value for key, value in entry.items()} for entry in rows()]
    assert load(tmp_path, write(tmp_path / "test.jsonl", found)).questions["hardmultiqa:open:pretrain"] == 2


def test_columns_given_by_name(tmp_path):
    """Every field can be named; a named column is no candidate for another field."""
    names = {"task": "тип", "question": "answer", "answer": "ключ", "topic": "раздел"}
    found = [{names[key]: value for key, value in entry.items()} for entry in rows(topic="реки")]
    handle = load(tmp_path, write(tmp_path / "test.jsonl", found), **names)
    assert json.loads((handle.folder / "test.jsonl").read_text("utf-8").splitlines()[0])["topic"] == "реки"


def test_unknown_schema(tmp_path):
    """The columns are listed, and the option that helps."""
    found = [{"task": "open", "question": "Кто?", "правда": "он", "id": 1}]
    refused(tmp_path, found, "no column looks like the answer", "'правда'", "'id'", "--column-map answer=COLUMN")


def test_several_candidates(tmp_path):
    """Never chosen between."""
    refused(tmp_path, rows(target="x"), "several columns", "'answer', 'target'", "--column-map answer=")


def test_several_candidates_and_a_choice(tmp_path):
    """The user chooses."""
    write(tmp_path / "set" / "test.jsonl", rows(target="x"))
    assert load(tmp_path, tmp_path / "set", answer="answer").questions["hardmultiqa:all:pretrain"] == 10


def test_a_named_column_that_is_not_there(tmp_path):
    """Columns are listed."""
    refused(tmp_path, rows(), "answer=ключ", "no such column", "'question'", answer="ключ")


def test_an_unknown_field(tmp_path):
    """Fields are listed."""
    refused(tmp_path, rows(), "no field 'reply'", "task, question, answer, topic", reply="answer")


def test_formless_references(tmp_path):
    """The first one with its row, the numbers of the others, and the option that helps."""
    found = [row("open", 9), *(row("open", i, {"а": i}) for i in range(7))]
    words = "test, row 2, answer: holds {'а': 0}: a value of type dict, neither a list of texts"
    refused(tmp_path, found, words, "(7 of 8 rows are bad: 2, 3, 4, 5, 6 and 2 more)", "--column-map answer=COLUMN")


def test_long_values_are_shortened(tmp_path):
    """An error is read by people."""
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, write(tmp_path / "test.jsonl", [row("open", 1, {"а": "б" * 10_000})]))
    assert len(str(caught.value)) < 700


BAD_ROWS = {
    "unknown type": (row("open", 1) | {"task": "closed"}, ("test, row 2, task: ", "'closed'", "not strict list")),
    "no type": (row("open", 1) | {"task": None}, ("test, row 2, task: ", "None")),
    "blank question": (row("open", 1) | {"question": " "}, ("test, row 2, question: ", "must be text")),
    "question is a number": (row("open", 1) | {"question": 5}, ("test, row 2, question: ", "must be text")),
    "options that are not there": (row(TYPES[0], 1, "5"), ("test, row 2, answer: ", "option 5")),
    "no options": (row(TYPES[0], 1, "1") | {"question": "Кто?"}, ("test, row 2, answer: ", "no numbered options")),
    "half a surrogate pair": (row("open", 1, "\ud800"), ("test, row 2, answer[0]: holds half a surrogate pair",)),
}


@pytest.mark.parametrize(("bad", "words"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_named(tmp_path, bad, words):
    """By number, before anything is asked."""
    path = tmp_path / "set" / "test.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(entry) + "\n" for entry in (row("open", 7), bad)), encoding="utf-8")
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, path)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", ["strict-list", "not-strict-list"])
def test_lists_in_one_line_are_refused(tmp_path, kind):
    """They would count as one element, and right answers as wrong."""
    found = [row(kind, i, "Ока, Кама, Сура") for i in range(4)]
    refused(tmp_path, found, TASK_VALUES[kind], "would count as a single element", "'Ока, Кама, Сура'")


def test_a_mistake_may_hold_a_comma(tmp_path):
    """Corrections are sentences."""
    found = [row("mistakes", i, "в 1840 году, в Москве → в 1837 году, в Петербурге") for i in range(3)]
    assert load(tmp_path, write(tmp_path / "test.jsonl", found)).questions["hardmultiqa:mistakes:pretrain"] == 3


def test_the_same_question_twice(tmp_path):
    """Rows are named."""
    refused(tmp_path, [row("open", 1), row("open", 2), row("open", 1)], "test row 1 and test row 3 share the id")


def test_the_same_words_in_two_types_are_two_questions(tmp_path):
    """The type is part of the id."""
    found = [row("strict-list", 1), row("not-strict-list", 1)]
    assert load(tmp_path, write(tmp_path / "test.jsonl", found)).questions["hardmultiqa:all:pretrain"] == 2


def test_a_question_that_is_its_own_demonstration(tmp_path):
    """A model would copy the answer."""
    write(tmp_path / "set" / "fewshot.jsonl", [row("open", 1)])
    refused(tmp_path, [row("open", 1)], "test row 1 and fewshot row 1")


def test_demonstrations_are_counted_by_the_rarest_type(tmp_path):
    """Five demonstrations of a question's own type, or the run does not start."""
    write(tmp_path / "set" / "fewshot.jsonl", rows(100, each=5)[:-1])
    write(tmp_path / "set" / "test.jsonl", rows())
    assert load(tmp_path, tmp_path / "set").shots == 4


def test_demonstrations_of_types_that_are_not_asked(tmp_path):
    """Only types with questions count."""
    write(tmp_path / "set" / "fewshot.jsonl", [row("open", i) for i in range(100, 105)])
    write(tmp_path / "set" / "test.jsonl", [row("open", 1)])
    handle = load(tmp_path, tmp_path / "set")
    assert handle.shots == 5
    assert handle.questions["hardmultiqa:mistakes:pretrain"] == 0


def test_demonstrations_in_file_order(tmp_path):
    """By type, as the file has them."""
    shots = [row(kind, 100 + i) for i in (4, 2, 3, 1, 5) for kind in reversed(TYPES)]
    write(tmp_path / "set" / "fewshot.jsonl", shots)
    write(tmp_path / "set" / "test.jsonl", rows())
    shown = demonstrations(load(tmp_path, tmp_path / "set").folder)
    assert [question for question, _ in shown["open"]] == [f"Вопрос номер {100 + i}?" for i in (4, 2, 3, 1, 5)]


FILE_ERRORS = {
    "not JSON": ("test.jsonl", "{\n", "line 1: not JSON"),
    "not an object": ("test.jsonl", "[1]\n", "line 1: a row must be a JSON object"),
    "deep JSON": ("test.jsonl", "[" * 100_000, "line 1: not JSON"),
    "empty": ("test.jsonl", "", "no rows"),
    "short CSV row": ("test.csv", "task,question,answer\nopen,Кто?\n", "line 2: not as many values"),
    "long CSV row": ("test.csv", "task,question,answer\nopen,Кто?,он,она\n", "line 2: not as many values"),
    "a CSV column twice": ("test.csv", "task,question,answer,answer\nopen,Кто?,он,она\n", "two columns have one name"),
    "open quote": ("test.csv", 'task,question,answer\nopen,"Кто?,он\n', "not CSV with commas"),
    "not Parquet": ("test.parquet", "PAR1", "not Parquet"),
}


@pytest.mark.parametrize(("name", "text", "words"), FILE_ERRORS.values(), ids=FILE_ERRORS)
def test_unreadable_files(tmp_path, name, text, words):
    """File and line are named."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=words):
        load(tmp_path, tmp_path)


def test_bytes_that_are_not_utf8(tmp_path):
    """The file is named."""
    (tmp_path / "test.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DatasetError, match=r"test\.jsonl"):
        load(tmp_path, tmp_path)


def test_no_such_place(tmp_path):
    """The names that work are named."""
    with pytest.raises(DatasetError, match="builtin, official"):
        load(tmp_path, tmp_path / "nowhere")
    with pytest.raises(DatasetError, match=r"no test\{\.jsonl,\.csv,\.parquet\}"):
        load(tmp_path, tmp_path)
    (tmp_path / "set.xlsx").touch()
    with pytest.raises(DatasetError, match="must end in"):
        load(tmp_path, tmp_path / "set.xlsx")


def test_two_files_for_one_split(tmp_path):
    """Never chosen between."""
    write(tmp_path / "test.jsonl", rows())
    write(tmp_path / "data" / "test.parquet", rows(100))
    with pytest.raises(DatasetError, match="several files could be the test split"):
        load(tmp_path, tmp_path)


def test_nothing_is_written_for_the_shipped_set(tmp_path):
    """It is used where it lies."""
    handle = load(tmp_path, "builtin")
    assert handle.folder == BUILTIN
    assert not (tmp_path / "cache").exists()
    assert "not the official questions" in handle.note


class Hub:
    """The Hub with one dataset, whose reference column is called ``reference``."""

    def __init__(self, monkeypatch, splits):
        self.asked = []
        monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *_, **__: SimpleNamespace(sha="c0ffee" * 7))

        def load(name, revision):
            self.asked.append((name, revision))
            return splits

        monkeypatch.setattr(datasets, "load_dataset", load)


def official(start, each):
    return [{"reference": entry.pop("answer"), **entry} for entry in [dict(entry) for entry in rows(start, each=each)]]


def test_the_official_set(tmp_path, monkeypatch):
    """One revision, looked up once; rows end up in the cache alone."""
    hub = Hub(monkeypatch, {"test": official(0, 3), "fewshot": official(100, 5)})
    handle = load(tmp_path, "official")
    assert hub.asked == [("yandex/HardMultiQA", "c0ffee" * 7)]
    assert handle.revision == "c0ffee" * 7
    assert (handle.questions["hardmultiqa:all:alignment"], handle.shots, handle.note) == (15, 5, "")
    assert handle.folder.is_relative_to(tmp_path / "cache")


def test_a_resumed_run_reads_its_own_revision(tmp_path, monkeypatch):
    """Not the newest."""
    hub = Hub(monkeypatch, {"test": official(0, 3), "fewshot": []})
    load_dataset(DatasetRequest("official", tmp_path, revision="old"))
    assert hub.asked == [("yandex/HardMultiQA", "old")]


def test_the_official_set_out_of_reach(tmp_path, monkeypatch):
    """The Hub's first line, and what works instead."""

    def unreachable(*_, **__):
        raise OSError("no route to host\nsecond line")

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", unreachable)
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, "official")
    assert "OSError: no route to host)" in str(caught.value)
    assert "--dataset builtin" in str(caught.value)
    assert "second line" not in str(caught.value)


def test_the_official_set_in_an_unknown_schema(tmp_path, monkeypatch):
    """Its columns are listed."""
    Hub(monkeypatch, {"test": [{"task": "open", "question": "Кто?", "secret": "он"}], "fewshot": []})
    with pytest.raises(DatasetError, match=r"official test.*'secret'.*--column-map answer=COLUMN"):
        load(tmp_path, "official")


def test_the_hub_names_no_revision(tmp_path, monkeypatch):
    """A score that cannot say what it is over is none."""
    Hub(monkeypatch, {})
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *_, **__: SimpleNamespace(sha=None))
    with pytest.raises(DatasetError, match="no revision"):
        load(tmp_path, "official")


def test_two_runs_that_copy_at_once(tmp_path, monkeypatch):
    """The second finds the first one's folder, which has the same content, and leaves nothing behind."""
    write(tmp_path / "set" / "test.jsonl", rows())
    rename = Path.rename

    def lose(self, target):
        shutil.copytree(self, target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", lose)
    handle = load(tmp_path, tmp_path / "set")
    assert [path.name for path in (tmp_path / "cache" / "datasets").iterdir()] == [handle.folder.name]


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    """Is an error, and leaves nothing behind."""
    write(tmp_path / "set" / "test.jsonl", rows())

    def fail(self, target):
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(PermissionError):
        load(tmp_path, tmp_path / "set")
    assert list((tmp_path / "cache" / "datasets").iterdir()) == []
