"""The figures of the card are those of the committed data."""

import hashlib
import json
import re
from collections import Counter

import pytest

from builders.ifhard import free_rate
from builders.ifhard.__main__ import main as build
from tasks.ifhard.dataset import BUILTIN as DATA

CARD = DATA.parent / "README.md"


@pytest.fixture(scope="module")
def card():
    return CARD.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report():
    return json.loads((DATA / "build.json").read_text(encoding="utf-8"))


def constraints_of(row):
    return json.loads(row["meta"]["constraints"])


def bar(count, most, width):
    """The bar of a histogram, rounded half up."""
    return "#" * int(count * width / most + 0.5)


def test_the_table_of_the_set(card, report, committed):
    """Types, sizes, backgrounds, conditions, prompts, lengths."""
    test, shots, _ = committed
    uses = Counter(item["category"] for row in test for item in constraints_of(row))
    sizes = Counter(len(constraints_of(row)) for row in test)
    branches = [item["params"]["holds"] for row in test for item in constraints_of(row) if "holds" in item["params"]]
    lengths = [len(line) - len("- ") for row in test for line in row["inputs"]["constraints"].split("\n")]
    prompts = set(report["prompts"].values())
    decoys = report["decoys"]
    for line in (
        f"{len(test):,} questions and {len(shots)} examples",
        f"| requirement types | {len(uses)} of the 64 registered, each used at least {min(uses.values())} times |",
        f"| requirements a question | {min(sizes)} to {max(sizes)}, mean {uses.total() / len(test):.2f}, at least two",
        f"| characters a requirement | {sum(lengths) / len(lengths):.0f} on average |",
        f"| tiers | {len(test) // 4} each",
        f"| with a background paragraph | {sum(bool(row['inputs']['context']) for row in test)}, "
        f"of them {sum(decoys.values())} decoys of {len(decoys)} habits",
        f"| conditional requirements | about {100 * sum(branches) / len(branches):.0f}% with a true condition |",
        f"each with and without a context block; each wording {prompts.pop()} times |",
    ):
        assert line in card
    assert not prompts


def test_the_histograms(card, report, committed):
    """Sizes of the stacks, shapes of the answers."""
    test, _, _ = committed
    sizes = Counter(len(constraints_of(row)) for row in test)
    for size, count in sizes.items():
        assert f" {size} |{bar(count, max(sizes.values()), 24)} " in card
        assert card.split(f" {size} |#")[1].split("\n")[0].lstrip("# ") == str(count)
    frames = Counter(report["frames"])
    lists = frames.pop("bullets") + frames.pop("numbers")
    shapes = {"prose": frames.pop("prose"), "list": lists, "JSON, CSV, table, two parts": frames.total()}
    for name, count in shapes.items():
        line = next(line for line in card.split("\n") if f"{name} |#" in line)
        assert line.split("|")[1].split() == [bar(count, max(shapes.values()), 40), str(count)]


def test_the_numbers_of_the_bank(card, bank):
    """Tasks and sentences, to the next hundred."""
    sentences = sum(len(topic.sentences) for topic in bank.values())
    assert (
        f"({sum(len(topic.tasks) for topic in bank.values())} tasks, about {round(sentences, -2):,} sentences)" in card
    )


def test_the_edition(card):
    """The table of editions ends with the committed bytes."""
    digest = hashlib.sha256((DATA / "test.jsonl").read_bytes()).hexdigest()
    editions = card.split("## Editions")[1].split("\n##")[0]
    assert [line for line in editions.split("\n") if line.startswith("|")][-1].split(" | ")[1] == digest[:12]


@pytest.mark.slow
def test_the_table_of_free_rates(card, capsys):
    """It is what the command prints."""
    assert free_rate.main([]) == 0
    assert capsys.readouterr().out in card


@pytest.mark.slow
def test_the_table_of_the_harder_set(card, tmp_path):
    """It is what the command in the card builds."""
    section = card.split("## Harder sets")[1].split("\n## ")[0]
    options = re.search(r"tasks\.ifhard\.build (.*) --out harder\n", section)[1].split()
    assert build([*options, "--out", str(tmp_path)]) == 0
    report = json.loads((tmp_path / "build.json").read_text(encoding="utf-8"))
    frames, sizes = Counter(report["frames"]), sorted(map(int, report["n_constraints"]))
    lists = frames.pop("bullets") + frames.pop("numbers")
    pulling = ", ".join(f"{name} {count}" for name, count in report["pulling_pairs"].items())
    assert report["test"] == 200
    for line in (
        f"| requirements a question | {sizes[0]} to {sizes[-1]}, mean {report['mean_requirements']} |",
        f"| requirement types | {len(report['categories'])} |",
        f"| pairs a question that pull against each other | {pulling} |",
        f"| answers | {frames.pop('prose')} prose, {lists} lists, {frames.total()} tables and two parts |",
        f"| with a background paragraph | {report['with_context']}, of them {sum(report['decoys'].values())} decoys |",
        f"| conditional requirements | {report['conditions']['true']} true, {report['conditions']['false']} false |",
        f"| tiers | {report['tiers']['hard']} each, ",
        f"| stacks tried | {report['stacks_tried']} for {report['test']} questions |",
    ):
        assert line in section
