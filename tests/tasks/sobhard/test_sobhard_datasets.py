"""Datasets: found, checked, normalised; what cannot be had or is bad is named."""

import copy
import json
import re
import subprocess
import sys

import datasets
import huggingface_hub
import pytest
from sobhard_docs import blanked, docs_of, split_rows, write_rows

import tasks.built
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.folders import config_name
from tasks.sobhard.benchmark import BENCHMARK
from tasks.sobhard.dataset import BUILTIN_SMALL, SUBSETS, SOBHardLoader, load_dataset

OFFICIAL = SOBHardLoader.facts().official.dataset
TEST, SHOTS = split_rows("test"), split_rows("shots")


def load(tmp_path, name):
    """A dataset by name or path, its copies under tmp_path."""
    return load_dataset(DatasetRequest(str(name), tmp_path / "cache"))


def test_the_small_set_needs_no_copy(tmp_path):
    """Counts of every subset; the note says what it is not."""
    handle = load(tmp_path, "builtin-small")
    assert handle.folder == BUILTIN_SMALL
    assert handle.graded
    assert "not the official" in handle.note
    assert (
        set(handle.questions)
        == {f"sobhard:{subset}" for subset in SUBSETS}
        == {task.plain for task in BENCHMARK.tasks()}
    )
    assert [handle.questions[f"sobhard:{subset}"] for subset in ("all", "easy", "session")] == [33, 11, 3]
    assert not (tmp_path / "cache").exists()


def test_a_full_set_that_cannot_be_built_is_said_with_the_command_that_works(tmp_path, monkeypatch):
    """It is the default; nothing takes its place silently."""
    assert BENCHMARK.default_dataset == "builtin"
    monkeypatch.setattr(tasks.built, "run_python", lambda *_, **__: subprocess.CompletedProcess([], 3))
    with pytest.raises(DatasetError, match=r"python -m tasks\.sobhard\.build --out DIR\nand bring the folder here"):
        load(tmp_path, "builtin")


@pytest.mark.parametrize("form", ["folder", "file", "objects", "crlf", "bom", "extra fields", "flat ids"])
def test_a_set_of_ones_own_loads_in_every_usual_form(tmp_path, form):
    """The same questions, history and tasks from each."""
    test, shots = copy.deepcopy(TEST), copy.deepcopy(SHOTS)
    for row in [*test, *shots]:
        if form == "objects":
            for name in ("task_meta", "checks"):
                row["meta"][name] = json.loads(row["meta"][name])
        if form == "extra fields":
            row["meta"]["seen_by"] = [{"x": 1}, "y"]
            del row["meta"]["categories"]["origin"]
        if form == "flat ids":
            del row["meta"]["base_id"]
    folder = write_rows(tmp_path / "own", test, shots)
    path = folder / "test.jsonl"
    text = path.read_text(encoding="utf-8")
    text = text.replace("\n", "\r\n") if form == "crlf" else text
    path.write_bytes(text.encode("utf-8-sig" if form == "bom" else "utf-8"))
    handle = load(tmp_path, path if form == "file" else folder)
    assert handle.questions == load(tmp_path, "builtin-small").questions
    assert handle.note == ""
    docs = docs_of(handle.folder, "session", 0)
    assert sorted(len(doc.turns) for doc in docs) == [2, 3, 4]


def test_the_prompts_digest_covers_the_history(tmp_path):
    """A resumed run over other earlier turns is refused even at |0: they are what it sends."""
    shots = copy.deepcopy(SHOTS)
    shots[-1]["inputs"]["question"] += " Спасибо."
    same = load(tmp_path, write_rows(tmp_path / "same", TEST, SHOTS))
    other = load(tmp_path, write_rows(tmp_path / "other", TEST, shots))
    assert same.sha256 == other.sha256
    assert same.prompts_sha256 == load(tmp_path, "builtin-small").prompts_sha256
    assert same.prompts_sha256 != other.prompts_sha256
    assert same.folder != other.folder


@pytest.mark.parametrize("shots", [None, [], SHOTS], ids=["no file", "empty", "shots of other conversations"])
def test_a_set_without_conversations_loads(tmp_path, shots):
    """Columns without a single value keep their type; any bound may be asked for."""
    singles = [row for row in TEST if row["meta"]["dialogue_id"] is None]
    handle = load(tmp_path, write_rows(tmp_path / "own", singles, shots))
    assert handle.questions["sobhard:session"] == 0
    assert handle.shots == 8
    assert len(docs_of(handle.folder, "all", 8)) == 30


def broken(change):
    """The small set with one row changed."""
    test, shots = copy.deepcopy(TEST), copy.deepcopy(SHOTS)
    change(test, shots)
    return test, shots


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda test, shots: test.clear(), "no rows"),
        (lambda test, shots: test[4].pop("inputs"), "test, row 5, inputs: is missing"),
        (lambda test, shots: test[4]["inputs"].pop("task"), "test, row 5, inputs.task: is missing"),
        (lambda test, shots: test[4]["inputs"].update(task=3), "test, row 5, inputs.task: must be a text"),
        (lambda test, shots: test[4].update(instruction="{task}"), "test, row 5, instruction: .*slots"),
        (lambda test, shots: test[4].update(instruction=12), "test, row 5, instruction: must be a text"),
        (lambda test, shots: test[4]["meta"].update(checks="{"), "test, row 5, meta.checks: "),
        (lambda test, shots: test[4]["meta"].update(reference="{"), "test, row 5, meta.reference: "),
        (lambda test, shots: test[4]["meta"].update(dialogue_id="7"), "test, row 5, meta.dialogue_id: .*integer"),
        (lambda test, shots: test[4]["meta"].update(dialogue_id=7), "test, row 5, meta.dialogue_id: .*together"),
        (
            lambda test, shots: test[4]["meta"].update(categories=None),
            "test, row 5, meta.categories: must be an object",
        ),
        (lambda test, shots: test[4].update(inputs=None), "test, row 5, inputs: must be an object"),
        (lambda test, shots: test[4]["meta"].update(id=2**63), "test, row 5, meta.id: .*64 bits"),
        (lambda test, shots: test[4]["meta"].update(n_turns=-(2**63) - 1), "test, row 5, meta.n_turns: .*64 bits"),
        (
            lambda test, shots: test[4]["meta"].update(dialogue_id=1, turn_index=0),
            "test, row 5, meta.turn_index: counts from 1",
        ),
        (lambda test, shots: shots[4]["meta"].update(turn_index=-1), "shots, row 5, meta.turn_index: counts from 1"),
        (lambda test, shots: test[4]["meta"].update(base_id=True), "test, row 5, meta.base_id: must be a text"),
        (
            lambda test, shots: test[4]["meta"]["categories"].update(origin=7),
            "test, row 5, meta.categories.origin: must be",
        ),
        (
            lambda test, shots: test[4]["meta"]["categories"].update(family="haiku"),
            "test, row 5, meta.categories.family: .*haiku",
        ),
        (
            lambda test, shots: test[4]["meta"].update(base_id=TEST[1]["meta"]["base_id"]),
            "test row 2 and test row 5 share the id",
        ),
        (lambda test, shots: test[4]["meta"].update(base_id="", id=None), "test, row 5, meta.base_id: .*name the row"),
        (lambda test, shots: shots[2].update(instruction="{x}"), "shots, row 3, instruction: .*slots"),
        (
            lambda test, shots: shots[2].update(outputs=" ") or shots[2]["meta"].update(reference=""),
            "shots, row 3, outputs: .*has no answer",
        ),
        (lambda test, shots: shots.append(shots[-1]), "shots, row 12, meta.turn_index: .*turn 4 twice"),
        (lambda test, shots: shots.pop(4), "meta.turn_index: turn 4 of conversation 2: no earlier turn 1"),
        (lambda test, shots: shots.clear(), "turn 3 of conversation 1: no earlier turn 1, 2"),
        (
            lambda test, shots: test[4]["meta"].update(dialogue_id=77, turn_index=10**12),
            "conversation 77: no earlier turn 1, 2, 3, 4, 5, 6, 7, 8, ... in the shots",
        ),
        (
            lambda test, shots: test.__setitem__(slice(2, 9), map(blanked, test[2:9])),
            "7 of 33 .* 3, 4, 5, 6, 7 and 2 more",
        ),
    ],
)
def test_a_bad_row_is_named_before_anything_is_generated(tmp_path, change, says):
    """Split, number and field."""
    with pytest.raises(DatasetError, match=says):
        load(tmp_path, write_rows(tmp_path / "own", *broken(change)))


@pytest.mark.parametrize("split", ["test", "shots"])
@pytest.mark.parametrize(
    "place",
    [("outputs",), ("inputs", "task"), ("meta", "base_id"), ("meta", "checks"), ("meta", "categories", "origin")],
)
def test_half_a_surrogate_pair_is_named(tmp_path, split, place):
    """JSON can write it as an escape; no request and no results file can hold it."""
    rows = {"test": copy.deepcopy(TEST), "shots": copy.deepcopy(SHOTS)}
    where = re.escape(".".join(place))
    *outer, name = place
    target = rows[split][4]
    for step in outer:
        target = target[step]
    target[name] = {**json.loads(target[name]), "x": "\ud83d"} if name == "checks" else "\ud83d"
    for kind, found in rows.items():
        (tmp_path / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    with pytest.raises(DatasetError, match=f"{split}, row 5, {where}: holds half a surrogate pair"):
        load(tmp_path, tmp_path)


@pytest.mark.parametrize(("text", "says"), [("[1]\n", "line 1: a row"), ("{}\n{", "line 2: not JSON")])
def test_a_file_that_is_no_jsonl_is_named(tmp_path, text, says):
    """With the line."""
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=says):
        load(tmp_path, tmp_path / "x.jsonl")


def test_a_path_that_does_not_exist_names_the_sets_there_are(tmp_path):
    """A slip in a name is not taken for anything else."""
    with pytest.raises(DatasetError, match="builtin-small, official"):
        load(tmp_path, tmp_path / "nothing")


def test_a_blanked_set_can_be_asked_and_not_scored(tmp_path):
    """Only the whole of it: the rows do not say which family they are."""
    handle = load(tmp_path, write_rows(tmp_path / "own", [blanked(row) for row in TEST], SHOTS))
    assert not handle.graded
    assert "no score" in handle.note
    assert dict(handle.questions) == {"sobhard:all": 33}
    for subset in ("easy", "session", "convert"):
        with pytest.raises(DatasetError, match=f"sobhard:{subset}.*only sobhard:all"):
            handle.questions[f"sobhard:{subset}"]
    docs = docs_of(handle.folder, "all", 0)
    assert {doc.specific["id"] for doc in docs} == {str(row["meta"]["id"]) for row in TEST}
    assert sorted(len(doc.turns) for doc in docs)[-3:] == [2, 3, 4]


class Hub:
    """The Hub's client as far as it is asked."""

    def dataset_info(self, name, timeout):
        assert name == OFFICIAL
        return type("Info", (), {"sha": "f" * 40})()


def test_the_official_set_comes_from_the_hub_at_one_revision(tmp_path, monkeypatch):
    """The revision is looked up once and recorded; a resumed run asks for the recorded one."""
    asked = []

    def fetch(name, revision):
        asked.append((name, revision))
        return {"test": [blanked(row) for row in TEST], "shots": SHOTS}

    monkeypatch.setattr(huggingface_hub, "HfApi", Hub)
    monkeypatch.setattr(datasets, "load_dataset", fetch)
    handle = load(tmp_path, "official")
    assert (handle.name, handle.revision, handle.graded) == ("official", "f" * 40, False)
    load_dataset(DatasetRequest("official", tmp_path / "cache", "a" * 40))
    assert asked == [(OFFICIAL, "f" * 40), (OFFICIAL, "a" * 40)]


def test_a_hub_that_cannot_be_reached_names_what_works(tmp_path, monkeypatch):
    """Access, network, schema: one line with the Hub's words and the command that would work."""

    class Closed(Hub):
        def dataset_info(self, name, timeout):
            raise ConnectionError("offline\nmore")

    monkeypatch.setattr(huggingface_hub, "HfApi", Closed)
    with pytest.raises(DatasetError, match=r"ConnectionError: offline\).*--dataset builtin-small"):
        load(tmp_path, "official")


def test_the_shipped_card_belongs_to_the_shipped_files():
    """Rebuilt data with an old card would be answered from a cache."""
    splits = {split: (BUILTIN_SMALL / f"{split}.jsonl").read_text(encoding="utf-8") for split in ("test", "shots")}
    assert (BUILTIN_SMALL / "README.md").read_text(encoding="utf-8") == SOBHardLoader.card(splits)
    assert config_name(BUILTIN_SMALL).startswith("sobhard-")
    assert SOBHardLoader.card({"test": "x", "shots": ""}).count("split:") == 1


def test_a_shot_is_not_held_to_what_scoring_needs(tmp_path):
    """It is shown, never scored: the official shots may carry checks of kinds that are not public."""
    test, shots = broken(lambda test, shots: shots[0]["meta"].update(checks="{", task_meta="[]"))
    assert load(tmp_path, write_rows(tmp_path / "own", test, shots)).questions["sobhard:all"] == 33


def test_names_are_known_without_lightevals_long_import():
    """A slip in a task name must not cost ten seconds."""
    code = "import sys, tasks.sobhard.benchmark; sys.exit('lighteval' in sys.modules or 'datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_changed_rows_are_read_again(tmp_path):
    """Another folder of the same name with other rows: not from the datasets library's cache."""
    for parent, family in (("x", "convert"), ("y", "merge")):
        rows = [row for row in TEST if row["meta"]["categories"]["family"] == family]
        handle = load(tmp_path, write_rows(tmp_path / parent / "data", rows))
        assert {json.loads(doc.specific["labels"])["family"] for doc in docs_of(handle.folder, "all", 0)} == {family}
