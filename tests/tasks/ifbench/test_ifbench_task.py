"""The task: prompts as they stand, a run over the built-in set, further graders, LightEval's own command."""

import json
from pathlib import Path

import pytest
from ifbench_cases import write_checkers
from lighteval_command import lighteval_custom, lighteval_results

from metrics import ifbench
from metrics.ifbench.records import MAIN
from metrics.record import Answer, Sample
from runner.cli import main
from tasks import registry
from tasks.benchmark import Options
from tasks.ifbench.benchmark import BENCHMARK, configure
from tasks.ifbench.dataset import BUILTIN
from tasks.ifbench.task import GENERATION_SIZE, TASKS_TABLE, to_doc

ROOT = Path(__file__).resolve().parents[3]
TASK = "ifbench:all|0"
WITNESSES = BUILTIN / "witnesses.jsonl"


def rows():
    return [json.loads(line) for line in (BUILTIN / "test.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def checkout(tmp_path):
    """Checkers of another project: they pass answers of even length."""
    folder = tmp_path / "other"
    folder.mkdir()
    write_checkers(folder, "len(text) % 2 == 0")
    return folder


@pytest.fixture
def no_foreign(monkeypatch):
    """A process without LightEval's checkers; workers of those that are added are ended."""
    added = []

    class Watched(ifbench.Graders):
        def __init__(self, foreign):
            super().__init__(foreign)
            added.extend(foreign.values())

        def adding(self, name, path):
            return Watched(super().adding(name, path)._foreign)

    monkeypatch.setattr(ifbench, "default_graders", lambda: Watched({}))
    yield
    for checkers in added:
        checkers.close()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command line over saved answers, in this process: exit status, printed table, run.json."""
    if "ifbench" not in registry.BENCHMARK_NAMES:
        monkeypatch.setattr(registry, "BENCHMARK_NAMES", (*registry.BENCHMARK_NAMES, "ifbench"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def command(*arguments):
        code = int(main(["--task", TASK, "--output-dir", str(tmp_path / "out"), *arguments]))
        captured = capsys.readouterr()
        out = captured.out + (captured.err if code else "")
        found = sorted((tmp_path / "out").glob("*/run.json"))
        return code, out, json.loads(found[-1].read_text(encoding="utf-8")) if found else {}

    return command


def test_the_prompt_is_the_user_turn_as_it_stands():
    """Nothing is added, no stop string, no answer to leak."""
    for row in rows():
        doc = to_doc(row, "ifbench:all")
        assert doc.query == row["prompt"]
        assert doc.instruction in (None, "")
        assert doc.choices == [""]
        assert (doc.specific["id"], doc.specific["kind"], doc.specific["repeat"]) == (row["key"], "chat", 0)
        assert doc.specific["max_tokens"] == GENERATION_SIZE == 16_384
    (config,) = TASKS_TABLE
    assert (config.name, config.generation_size, list(config.stop_sequence)) == ("ifbench:all", GENERATION_SIZE, [])


def test_rows_as_datasets_gives_them_make_the_same_document():
    """Arguments as JSON text, as a normalised copy has them."""
    row = rows()[0]
    assert to_doc({**row, "kwargs": json.dumps(row["kwargs"])}, "ifbench:all").specific == to_doc(row, "").specific


def test_the_benchmark_is_described():
    """What the command line offers."""
    assert [task.plain for task in BENCHMARK.tasks()] == ["ifbench:all"]
    assert (BENCHMARK.default_dataset, BENCHMARK.datasets, BENCHMARK.fewshots) == (
        "official", ("official", "builtin"), (0,),
    )  # fmt: skip
    assert BENCHMARK.metric_names[0] == "prompt_level_loose_acc"
    assert BENCHMARK.options == {"grader"}


def test_configured_graders_are_the_benchmarks_own(no_foreign, checkout):
    """Two graders a name, their origin for the record; the next configuration starts anew; a taken name is refused."""
    options = Options(graders=(("even", str(checkout)),))
    configured, recorded = configure(BENCHMARK, options)
    assert recorded["graders"] == [*ifbench.OWN_GRADERS, "even_strict", "even_loose"]
    assert recorded["sources"] == [{"name": "even", "identity": f"{checkout} at no commit"}]
    assert recorded["notes"][-1].startswith("--grader even runs code of another project as you")
    assert configure(BENCHMARK, options)[1] == recorded
    plain, own = configure(BENCHMARK, Options())
    assert own == {"graders": list(ifbench.OWN_GRADERS), "sources": []}
    row = rows()[0]
    sample = Sample.of(to_doc(row, "ifbench:all").specific)
    for benchmark, names in ((configured, recorded["graders"]), (plain, own["graders"])):
        for record in (
            benchmark.score(sample, Answer("x"), None),
            benchmark.unanswered(sample, "failed", "503"),
        ):
            assert list(dict.fromkeys(verdict["grader"] for verdict in record["verdicts"])) == names
    with pytest.raises(ValueError, match="already"):
        configure(BENCHMARK, Options(graders=(("proposed", str(checkout)),)))
    with pytest.raises(ValueError, match=r"no instructions_registry\.py"):
        configure(BENCHMARK, Options(graders=(("none", str(checkout / "nowhere")),)))


def test_checkers_that_cannot_be_loaded_stop_the_run_at_its_start(no_foreign, checkout):
    """Not hours later, as a column of n/a."""
    (checkout / "instructions_registry.py").write_text("import a_package_that_is_nowhere\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"--grader odd=.*a_package_that_is_nowhere"):
        configure(BENCHMARK, Options(graders=(("odd", str(checkout)),)))


def test_every_witness_scores_one(run, no_foreign):
    """All built-in prompts can be followed, under both readings, strict and loose."""
    code, out, record = run("--dataset", "builtin", "--full", "--responses", str(WITNESSES))
    assert code == 0, out
    row = record["tasks"][TASK]
    for name in BENCHMARK.metric_names:
        assert row[name] == 1.0, name
    assert row["n_total"] == len(rows())
    assert row["empty_share"] == row["degenerate_share"] == row["unclosed_reasoning_share"] == 0.0
    first_cells = [line.split()[0] for line in out.splitlines() if line.split()]
    assert first_cells[first_cells.index("metric") + 1] == "prompt_level_loose_acc"


def test_a_cut_witness_fails(run, no_foreign, tmp_path):
    """The run's value is the share of whole ones: one in four is cut off inside its reasoning."""
    spoiled = tmp_path / "spoiled.jsonl"
    answers = [json.loads(line) for line in WITNESSES.read_text(encoding="utf-8").splitlines()]
    for answer in answers[::4]:
        answer["response"] = "<think>" + answer["response"]
    spoiled.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    _, _, record = run("--dataset", "builtin", "--full", "--responses", str(spoiled))
    row = record["tasks"][TASK]
    assert row["prompt_level_loose_acc"] == row["prompt_level/fixes_only"] == 0.75
    assert row["unclosed_reasoning_share"] == 0.25
    assert row["empty_share"] == 0.0


def test_further_graders_stand_beside_ours(run, no_foreign, checkout):
    """Both levels of both graders in the results, and where they came from."""
    arguments = ("--dataset", "builtin", "--max-samples", "12", "--responses", str(WITNESSES))
    code, out, record = run(*arguments, "--grader", f"even={checkout}")
    assert code == 0, out
    row = record["tasks"][TASK]
    assert 0.0 < row["prompt_level/even_strict"] <= row["prompt_level/even_loose"] <= 1.0
    assert row["grader/even_strict/crashes"] == 0
    assert "prompt_level/even_loose" in out
    assert "no commit" in json.dumps(record)


@pytest.mark.slow
def test_lighteval_custom_agrees_with_the_runner(run, tmp_path, offline_lighteval):
    """The same values from the same answers through LightEval's own command, its graders included."""
    saved = tmp_path / "answers.jsonl"
    answers = [json.loads(line) for line in WITNESSES.read_text(encoding="utf-8").splitlines()]
    for number, answer in enumerate(answers):
        answer["response"] = "Sure, here it is:\n" + answer["response"] if number % 3 == 0 else answer["response"]
    saved.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    code, out, record = run("--dataset", "builtin", "--max-samples", "30", "--responses", str(saved))
    assert code == 0, out
    expected = record["tasks"][TASK]

    options = ["--max-samples", "30", "--save-details"]
    lighteval_custom(tmp_path, "saved", TASK, *options, ENDPOINT_RESPONSES=str(saved))
    row = lighteval_results(tmp_path, TASK)
    shared = [name for name in row if name in expected]
    assert {*MAIN, "prompt_level/lighteval_loose", "prompt_level_loose_acc_ci_low", "degenerate_share"} <= set(shared)
    for name in shared:
        assert row[name] == expected[name] or (expected[name] is None and row[name] != row[name]), name
    assert row["prompt_level_strict_acc"] < row["prompt_level_loose_acc"]
    assert len(list((tmp_path / "theirs").rglob("details_*.parquet"))) == 1
