"""``benchmark.yaml``: nothing in it is unread, and what it says is so."""

import dataclasses
import json
import re
from pathlib import Path

import datasets
import huggingface_hub
import pytest
import yaml

from metrics.ifbench import lexicon
from tasks import facts, loading
from tasks.benchmark import DatasetError, DatasetRequest
from tasks.facts import NEWEST, FactsError, load_facts, read_facts
from tasks.registry import BENCHMARK_NAMES, benchmark

TASKS = Path(facts.__file__).parent
PLAIN = {
    name: yaml.safe_load((TASKS / name / "benchmark.yaml").read_text(encoding="utf-8")) for name in BENCHMARK_NAMES
}


def places(value, place=()):
    """The place of every key."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*place, key)
            yield from places(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*place, number))


FREE = ("shipped", "rows", "answer")  # keys below these are names, which may be any
KEYS = [place for place in places(PLAIN["ifbench"]) if len(place) < 2 or place[-2] not in FREE]
SHOWN = [re.sub(r"\.(\d+)", r"[\1]", ".".join(map(str, place))) for place in KEYS]


def changed(tmp_path, place, value):
    """A file with one value changed, added, or (``...``) taken out."""
    content = json.loads(json.dumps(PLAIN["ifbench"]))
    *outer, last = place
    target = content
    for step in outer:
        target = target[step]
    target[last] = value
    if value is ...:
        del target[last]
    path = tmp_path / "benchmark.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(("place", "shown"), list(zip(KEYS, SHOWN, strict=True)), ids=SHOWN)
def test_a_missing_key_is_named(tmp_path, place, shown):
    """File and key."""
    path = changed(tmp_path, place, ...)
    with pytest.raises(FactsError, match=re.escape(f"{path}: key '{shown}' is missing")):
        load_facts(path)


@pytest.mark.parametrize(("place", "shown"), list(zip(KEYS, SHOWN, strict=True)), ids=SHOWN)
def test_an_unknown_key_is_named(tmp_path, place, shown):
    """A key with a slip of the finger would count for nothing."""
    path = changed(tmp_path, (*place[:-1], "odd"), 1)
    odd = ".".join([*shown.split(".")[:-1], "odd"])
    with pytest.raises(FactsError, match=re.escape(f"{path}: key '{odd}' is unknown")):
        load_facts(path)


@pytest.mark.parametrize(("place", "shown"), list(zip(KEYS, SHOWN, strict=True)), ids=SHOWN)
@pytest.mark.parametrize("value", [None, True, 1.5])
def test_a_value_of_another_kind_is_named(tmp_path, place, shown, value):
    """Also where YAML reads something else than was meant."""
    path = changed(tmp_path, place, value)
    with pytest.raises(FactsError, match=re.escape(f"{path}: key '{shown}' must hold")):
        load_facts(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("measures",), "two\nlines"),
        (("scorer_version",), "1.0"),
        (("official", "revision"), "newest"),
        (("official", "revision"), "db69a6f"),
        (("assets", 0, "sha256"), "0" * 63),
    ],
)
def test_a_value_of_another_form_is_named(tmp_path, place, value):
    """A short hash could be another commit one day."""
    with pytest.raises(FactsError, match=place[-1]):
        load_facts(changed(tmp_path, place, value))


@pytest.mark.parametrize("text", ["", "[]", "title: [", "\x00"])
def test_a_file_that_is_no_list_of_keys_is_named(tmp_path, text):
    """Whatever is in it."""
    (tmp_path / "benchmark.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FactsError, match=r"benchmark\.yaml"):
        load_facts(tmp_path / "benchmark.yaml")
    with pytest.raises(FactsError, match=r"nowhere\.yaml"):
        load_facts(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_the_files_match_the_code(name):
    """Names of datasets are those that the command line offers; smoke runs ask something."""
    found = benchmark(name)
    assert found.facts == read_facts(name)
    assert {*found.facts.shipped, "official"} <= set(found.datasets)
    assert found.default_dataset in found.datasets
    assert found.facts.smoke_samples > 0
    assert bool(found.parts) == (found.facts.part_smoke_samples > 0)
    assert set(found.facts.tokens.answer) == set(found.modes or ("any",))


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_the_shipped_rows_are_counted_right(name, tmp_path):
    """By split, in the files and after loading."""
    for dataset, shipped in benchmark(name).facts.shipped.items():
        if shipped.built is not None:  # counted where it is built: tests/e2e/test_sobhard_first_use.py
            continue
        handle = benchmark(name).load_dataset(DatasetRequest(dataset, tmp_path))
        counted = {}
        for split in shipped.rows:
            text = (handle.folder / f"{split}.jsonl").read_text(encoding="utf-8")
            counted[split] = sum(bool(line.strip()) for line in text.split("\n"))
        assert counted == dict(shipped.rows)
        assert next(iter(handle.questions.values())) == shipped.rows["test"]
        assert handle.note == shipped.note


def test_assets_are_those_that_the_code_reads():
    """Package, release, place and digest of every file that scores rest on; the others' scores rest on none."""
    sources = [value for value in vars(lexicon).values() if isinstance(value, lexicon._Source)]
    assert len(sources) == 2
    assert [dataclasses.astuple(asset) for asset in read_facts("ifbench").assets] == [tuple(entry) for entry in sources]
    assert [name for name in BENCHMARK_NAMES if read_facts(name).assets] == ["ifbench"]


# The official revision


PINNED = "0123456789abcdef" * 2 + "01234567"


@pytest.fixture
def hub(monkeypatch):
    """A Hub whose newest revision is known and whose rows are none; what was asked of it."""
    asked = []

    def info(_, name, timeout):
        asked.append((name, "newest"))
        return type("Info", (), {"sha": "f" * 40})

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", info)
    monkeypatch.setattr(
        datasets, "load_dataset", lambda name, revision: asked.append((name, revision)) or {"test": [], "train": [],
        "shots": [], "fewshot": []},
    )  # fmt: skip
    return asked


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
@pytest.mark.parametrize(
    ("stated", "recorded", "read"),
    [(NEWEST, None, "f" * 40), (NEWEST, "older", "older"), (PINNED, None, PINNED), (PINNED, "older", "older")],
)
def test_the_official_revision_is_the_one_stated(name, stated, recorded, read, hub, monkeypatch, tmp_path):
    """A pinned commit is read without looking for a newer one; a resumed run reads what it recorded."""
    known = read_facts(name)
    official = dataclasses.replace(known.official, revision=stated)
    monkeypatch.setattr(loading, "read_facts", lambda _: dataclasses.replace(known, official=official))
    with pytest.raises(DatasetError, match="official: its test split has no rows"):
        benchmark(name).load_dataset(DatasetRequest("official", tmp_path, recorded))
    looked_up = [(official.dataset, "newest")] if read == "f" * 40 else []
    assert hub == [*looked_up, (official.dataset, read)]


@pytest.mark.parametrize("name", BENCHMARK_NAMES)
def test_every_card_states_the_rule_on_composed_letters(name):
    """The note under a table sends its reader there."""
    text = (TASKS / name / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## Composed letters\n")[2].partition("\n## ")[0]
    assert "NFC" in section
    assert "not_composed" in section
