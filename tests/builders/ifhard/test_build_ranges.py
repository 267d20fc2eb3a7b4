"""Sets with a range of requirements of their own: the same proofs as the shipped set's, and one more."""

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from builders.ifhard import __main__ as command
from builders.ifhard import stack
from builders.ifhard.corrupt import corrupt
from builders.ifhard.dataset_files import make_files
from builders.ifhard.free_rate import BAR, above_bar, free_answers, free_rates
from builders.ifhard.implied import implied
from builders.ifhard.jobs import MOST, ROOM, Job, Span, deal_jobs
from builders.ifhard.pipeline import build_questions
from builders.ifhard.stack import Quotas, category_of, plan_stack
from builders.ifhard.type_tables import LEFT_OUT, RULES, compatible, pulls
from builders.ifhard.validate import check_question, stack_of
from metrics.ifhard import score, verify

ROOT = Path(__file__).parents[3]
RANGES = ("1-1", "7-12", "12-12")
SIZE = 12
SEED = 4


@pytest.mark.parametrize(
    ("text", "low", "high"), [("7-12", 7, 12), ("1-1", 1, 1), ("1-12", 1, 12), ("9", 9, 9), ("12", 12, 12)]
)
def test_a_range_is_two_numbers_or_one(text, low, high):
    """One number is the range from it to itself."""
    span = Span.read(text)
    assert (span.low, span.high) == (low, high)
    assert str(span) == f"{low}-{high}"


@pytest.mark.parametrize(
    "text", ["", "0-3", "0", "7-13", "13", "12-7", "7-", "-7", "7-12-3", "a-b", "7–12", "٧-9", " 7"]
)
def test_other_ranges_are_refused_by_the_command(text, tmp_path, capsys):
    """Status 2, the option and the text in one line, and no file."""
    with pytest.raises(SystemExit) as stopped:
        command.main([f"--requirements={text}", "--out", str(tmp_path / "set")])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert f"argument --requirements: must be a range within 1-{MOST}" in error
    assert f"got {text!r}" in error
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("span", [Span(7, 12), Span(1, 12), Span(1, 1), Span(12, 12), Span(6, 9)])
@pytest.mark.parametrize("count", [5, 12, 400])
def test_sizes_are_even_and_within_the_room_of_their_frames(bank, span, count):
    """Each number of requirements is dealt equally often; no frame gets more than it has room for."""
    jobs = deal_jobs(count, list(bank.values()), Random("r"), span)
    sizes = Counter(job.size for job in jobs)
    assert sizes.total() == count
    assert set(sizes) <= set(range(span.low, span.high + 1))
    assert max(sizes.values()) - min(sizes[n] for n in range(span.low, span.high + 1)) <= 1
    assert all(job.frame is not None and job.size <= ROOM[job.frame] for job in jobs)
    assert all(job.spanned and job.stratum == "core" for job in jobs)


@pytest.fixture(scope="module", params=RANGES)
def ranged(request):
    """Twelve questions of each range, and their files."""
    span = Span.read(request.param)
    built = build_questions(SEED, SIZE, span=span)
    return span, built, make_files(built, SEED, span)


def rows_of(files, name):
    return [json.loads(line) for line in files[name].splitlines()]


def test_the_numbers_of_requirements_are_those_asked_for(ranged):
    """In the key, in the prompt and in the report."""
    span, _, files = ranged
    rows = rows_of(files, "test.jsonl")
    assert len(rows) == SIZE
    for row in rows:
        count = len(json.loads(row["meta"]["constraints"]))
        assert span.low <= count <= span.high
        assert row["meta"]["categories"]["n_constraints"] == count
        assert len(row["inputs"]["constraints"].split("\n- ")) == count
    report = json.loads(files["build.json"])
    assert report["range"] == str(span)
    assert report["test"] == SIZE
    assert report["requirements"] == sum(int(n) * uses for n, uses in report["n_constraints"].items())


def test_no_two_requirements_contradict_or_double_each_other(ranged):
    """No type twice, no pair that the rules keep apart, none that others imply."""
    _, built, _ = ranged
    for question in built.test:
        assert len({category_of(key) for key in question.keys}) == len(question.keys)
        assert all(compatible(RULES[one], RULES[other]) for one, other in combinations(question.keys, 2))
        assert implied(question.constraints) == []


def test_the_proofs_of_the_shipped_set_hold(ranged, bank):
    """Wording, witness, corruption, branch of the context: nothing is wrong with any question."""
    _, built, files = ranged
    assert [check_question(question, bank[question.job.topic]) for question in built.test] == [[]] * SIZE
    answers = {line["id"]: line["response"] for line in rows_of(files, "witnesses.jsonl")}
    for row in rows_of(files, "test.jsonl"):
        witness = answers[row["meta"]["base_id"]]
        assert score(row, witness).sample_pass_rate == 1.0
        for item in json.loads(row["meta"]["constraints"]):
            spoiled = corrupt(item["category"], item["params"], witness)
            assert not verify(item["category"], item["params"], spoiled).passed, item


def test_no_requirement_is_met_by_chance(ranged):
    """Not only on average over a type: each single one lies below the bar."""
    _, _, files = ranged
    rates = free_rates(rows_of(files, "test.jsonl"), free_answers())
    assert [line for line in rates if line.worst > BAR and not line.is_control] == []


def test_tiers_are_quarters_of_difficulty(ranged):
    """Three questions each, and none of an easier tier is harder."""
    _, built, files = ranged
    tiers = [row["meta"]["categories"]["tier"] for row in rows_of(files, "test.jsonl")]
    order = ["easy", "medium", "hard", "expert"]
    assert Counter(tiers) == dict.fromkeys(order, SIZE // 4)
    levels = sorted((question.difficulty, order.index(tier)) for question, tier in zip(built.test, tiers, strict=True))
    by_tier = [place for _, place in levels]
    assert by_tier == sorted(by_tier)


def test_the_examples_are_those_of_the_shipped_set(ranged, committed):
    """They are written by hand; their tiers are those that they would have in this set."""
    _, _, files = ranged
    shots = rows_of(files, "shots.jsonl")
    assert [row["inputs"] for row in shots] == [row["inputs"] for row in committed[1]]
    assert not {stack_of(row) for row in shots} & {stack_of(row) for row in rows_of(files, "test.jsonl")}


def test_a_set_of_single_requirements_has_most_types():
    """Nothing is asked for beside the one, not even an amount of text."""
    test = build_questions(1, 100, span=Span(1, 1)).test
    assert len({question.keys for question in test}) > 40
    assert any(question.keys == ("style:no_commas/plain",) for question in test)


def job_of(size, spanned=True, frame="prose"):
    return Job("test", 0, "home", "Опиши дом.", "spec", 0, frame, size, True, spanned)


def pulling(keys):
    return sum(bool(pulls(RULES[one], RULES[other])) for one, other in combinations(keys, 2))


def test_requirements_that_pull_against_each_other_are_preferred(monkeypatch):
    """Stacks of nine have a third more of such pairs than without the preference."""
    quotas = Quotas(400, LEFT_OUT, stack.FLOOR_SPANNED)
    preferred = sum(pulling(plan_stack(job_of(9), quotas, Random(seed))[1]) for seed in range(80))
    monkeypatch.setattr(stack, "_PREFERENCE", 0.0)
    plain = sum(pulling(plan_stack(job_of(9), quotas, Random(seed))[1]) for seed in range(80))
    assert preferred > 1.33 * plain


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("structure:word_count/exact", "structure:sentence_count/exact", ["counts at two levels"]),
        ("structure:char_count/exact", "structure:item_words/exact", ["counts at two levels"]),
        ("style:comma_count/exact", "structure:paragraph_count/exact", ["counts at two levels"]),
        ("lexical:nth_word/plain", "structure:sentence_words/exact", ["placed words in bounded sentences"]),
        ("lexical:ends_with/plain", "style:max_word_length/plain", ["placed words in bounded sentences"]),
        ("lexical:alpha_items/plain", "format:line_length/max", ["placed words in bounded sentences"]),
        ("style:forbid_letter/one", "lexical:include_all/words", ["banned letters and demanded words"]),
        ("lexical:exclude_phrases/anywhere", "lexical:word_exact_count/stem", ["banned letters and demanded words"]),
        ("lexical:word_cap/prefix", "logic:conditional_include/plain@true", ["banned letters and demanded words"]),
        ("style:no_caps/plain", "structure:word_count/exact", []),
        ("lexical:include_keyword/stem", "lexical:starts_with/plain", []),
        ("style:forbid_letter/one", "logic:conditional_include/plain@false", []),
    ],
)
def test_what_pulls_against_what(one, other, names):
    """Counts at two levels, placed words in bounded sentences, banned letters with demanded words; both ways round."""
    assert pulls(RULES[one], RULES[other]) == pulls(RULES[other], RULES[one]) == names


def test_a_single_requirement_met_by_chance_is_named():
    """The worst of a type counts, not its mean; the false branch of a condition is a control."""
    answers = ["Дом и сад."] * 9 + ["кот"]
    caps = {"category": "style:no_caps", "params": {}}
    short = {"category": "structure:word_count", "params": {"op": "le", "value": 9}}
    long = {"category": "structure:word_count", "params": {"op": "eq", "value": 90}}
    false = {"category": "logic:conditional_include", "params": {"holds": False, "stem": "бульвар"}}
    assert above_bar([caps, long, false], answers) == []
    assert above_bar([caps, long, long, long, long, long, long, short], answers) == ["structure:word_count"]


def test_a_question_with_a_requirement_met_by_chance_is_dropped(monkeypatch):
    """In these sets another stack is tried, and the report counts it."""
    seen = []
    monkeypatch.setattr(
        "builders.ifhard.pipeline.above_bar", lambda constraints, answers: seen.append(1) or ["x"] * (len(seen) <= 3)
    )
    built = build_questions(2, 1, span=Span(2, 2))
    assert built.tally.discarded["a requirement is met by chance"] == 1
    assert len(built.test) == 1


@pytest.mark.slow
def test_the_bytes_of_a_range_are_those_of_its_seed(ranged, tmp_path):
    """The command, in another locale, with another hash seed and two processes, writes what one process made here."""
    span, _, files = ranged
    arguments = ["--seed", str(SEED), "--size", str(SIZE), "--requirements", str(span), "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "builders.ifhard", *arguments, "--out", str(tmp_path / "set")],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "2", "LC_ALL": "C"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    written = {path.name: path.read_bytes() for path in (tmp_path / "set").iterdir()}
    assert written == {name: text.encode() for name, text in files.items()}
    assert len(written) == 6
