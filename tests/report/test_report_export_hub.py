"""Evaluation results for the Hub: the official library reads them, and no number goes under another set's name."""

import json

import pytest
import yaml
from answer_rows import IFHARD, answered, made_row
from export_runs import OFFICIAL, PLACE, exported, files_of, finished_run, ifhard_rows, run_of
from huggingface_hub import parse_eval_result_entries
from huggingface_hub.utils import validate_repo_id
from report_runs import command

from endpoints.outcome import Outcome

FAILED = Outcome("failed", error="HTTP 500", error_code="http", attempts=2)
OFFICIAL_IDS = {
    "ifhard": "MERA-evaluation/IFHardBench",
    "sobhard": "MERA-evaluation/SOBHard",
    "ifbench": "allenai/IFBench_test",
    "hardmultiqa": "yandex/HardMultiQA",
}


def entries(out):
    """All entries of a folder, as huggingface_hub reads them."""
    found = {}
    for path, data in files_of(out).items():
        assert path.startswith(".eval_results/")
        assert path.endswith(".yaml")
        found[path] = parse_eval_result_entries(yaml.safe_load(data))
    return found


def one_entry(out):
    """The only entry of the only file."""
    ((entry,),) = entries(out).values()
    return entry


@pytest.mark.parametrize("name", OFFICIAL_IDS)
def test_every_benchmark_has_an_entry(tmp_path, name):
    """Half of the answers are right: the value, its interval and its coverage are ``run.json``'s."""
    run = run_of(name, tmp_path / "run", datasets={name: OFFICIAL})
    exported("hub", tmp_path / "out", run)
    entry = one_entry(tmp_path / "out")
    (row,) = json.loads((run / "run.json").read_text(encoding="utf-8"))["tasks"].values()
    assert (entry.dataset_id, entry.dataset_revision, entry.value) == (OFFICIAL_IDS[name], "c" * 40, 0.5)
    metric = entry.notes.partition(",")[0]
    assert row[metric] == 0.5
    low, high = row[f"{metric}_ci_low"], row[f"{metric}_ci_high"]
    assert f"95% interval {low:.4f} to {high:.4f} ({row[f'{metric}_ci_method']})" in entry.notes
    assert "coverage 2/2 answers (100.0%)" in entry.notes
    assert entry.date == "2026-11-29T10:30:00Z"
    assert entry.source_url.startswith("https://")
    assert entry.source_name == "lighteval-hard 0.1.0, LightEval 0.13.0"
    assert ("judge judge, prompts 1" in entry.notes) == (name == "hardmultiqa")


@pytest.mark.parametrize("name", OFFICIAL_IDS)
@pytest.mark.parametrize("dataset", ["builtin", f"{PLACE}/set.jsonl"])
def test_a_set_that_is_not_the_official_one_goes_by_another_name(tmp_path, name, dataset):
    """Its entry cannot appear among the official set's results; the notes, and the command, say which set it was."""
    run = run_of(name, tmp_path / "run", datasets={name: {"name": dataset}})
    made = exported("hub", tmp_path / "out", run)
    entry = one_entry(tmp_path / "out")
    assert entry.dataset_id != OFFICIAL_IDS[name]
    assert entry.dataset_id.startswith(f"lighteval-hard/{name}-")
    validate_repo_id(entry.dataset_id)
    assert entry.dataset_revision is None
    assert OFFICIAL_IDS[name] in entry.notes
    assert "test sha256 abababababab" in entry.notes
    assert any("on no Hub" in note for note in made["notes"])
    assert not any(PLACE.encode() in data or b"10.1.2.3" in data for data in files_of(tmp_path / "out").values())


def test_what_is_missing_and_what_was_not_asked_is_said(tmp_path):
    """An incomplete run's entry has both bounds, a part of the set is called a sample."""
    rows = ifhard_rows(["раз два"] * 4, {3: FAILED})
    run = finished_run(tmp_path / "run", rows, questions={"ifhard:all": 1260}, settings={"max_samples": 4})
    told = exported("hub", tmp_path / "out", run)
    entry = one_entry(tmp_path / "out")
    assert entry.value == 1.0
    assert any("INCOMPLETE, 3 of 4" in note for note in told["notes"])
    assert "coverage 3/4 answers (75.0%), INCOMPLETE: 0.7500 to 1.0000" in entry.notes
    assert "A SAMPLE: 4 of 1260 questions" in entry.notes


def test_how_answers_were_made_is_said(tmp_path):
    """What changes a score: sampling, prompts, repeats."""
    rows = [made_row(IFHARD, answered(), id="q0", repeat=repeat) for repeat in (0, 1)]
    how = {"temperature": 0.6, "seed": 7, "max_new_tokens": 100}
    settings = {"repeats": 2, "system_prompt": "Кратко.", "chat_template_kwargs": {"enable_thinking": False}}
    exported("hub", tmp_path / "out", finished_run(tmp_path / "run", rows, sampling=how, settings=settings))
    notes = one_entry(tmp_path / "out").notes
    for said in (
        *("answers per question: 2", "temperature: 0.6", "seed: 7", "max new tokens: 100", "system prompt: Кратко."),
        *('chat template kwargs: {"enable_thinking": false}', "few shot: 0", "; 1 questions"),
    ):
        assert said in notes


def test_saved_answers_claim_no_sampling(tmp_path):
    """``run.json`` has a temperature even so."""
    run = run_of("ifhard", tmp_path / "run", settings={"responses": f"{PLACE}/saved.jsonl", "name": "saved"})
    exported("hub", tmp_path / "out", run)
    notes = one_entry(tmp_path / "out").notes
    assert "how they were generated is not known" in notes
    assert "temperature" not in notes


def test_tasks_of_one_set_share_a_file(tmp_path):
    """An entry a task; two of one plain name are told apart."""
    rows = [made_row(task, answered(), id="q0") for task in ("ifhard:all|0", "ifhard:easy|0", "ifhard:all|5")]
    exported("hub", tmp_path / "out", finished_run(tmp_path / "run", rows))
    ((path, found),) = entries(tmp_path / "out").items()
    assert path == ".eval_results/ifhard-builtin.yaml"
    assert [entry.task_id for entry in found] == ["ifhard:all|0", "ifhard:easy", "ifhard:all|5"]


def test_a_task_without_a_score_has_no_entry(tmp_path, capsys):
    """Others of the run have theirs; with none the command fails and writes nothing."""
    lost = made_row("ifhard:easy|0", FAILED, id="q0")
    made = exported("hub", tmp_path / "out", finished_run(tmp_path / "run", [made_row(id="q0"), lost]))
    assert [entry.task_id for entry in next(iter(entries(tmp_path / "out").values()))] == ["ifhard:all"]
    undefined = "sample_pass_rate of ifhard:easy|0 is undefined: no sample has a valid answer"
    assert f"no entry: {undefined}" in made["notes"]
    exported("hub", tmp_path / "none", finished_run(tmp_path / "lost", [lost]), code=2)
    assert undefined in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_the_same_run_is_the_same_file_and_no_other_is_replaced(tmp_path, capsys):
    """Exported twice it is as it was; another run's file stays and is named."""
    run, out = run_of("ifhard", tmp_path / "run"), tmp_path / "out"
    exported("hub", out, run)
    before = files_of(out)
    exported("hub", out, run)
    assert files_of(out) == before
    exported("hub", out, finished_run(tmp_path / "other", ifhard_rows(["раз два"])), code=2)
    assert "ifhard-builtin.yaml is there with another content" in capsys.readouterr().err
    assert files_of(out) == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"status": "running"}, "is running: the numbers in run.json may be of an earlier session"),
        ({"status": "interrupted"}, "is interrupted"),
        ({"tasks": {"ifhard:all|0": {}}}, "IndexError"),
        ({"tasks": {"ifhard:all|0": "?"}}, "run.json is damaged: its "),
        ({"stopped": {"rule": "above=0.4", "after": 2}}, "stopped early by above=0.4 after 2 answers"),
        ({"tasks": {}}, "no numbers of ifhard:all|0"),
        ({"tasks": {"ifhard:all|0": {"generated_only": True, "n_total": 2}}}, "generated only"),
    ],
)
@pytest.mark.parametrize("form", ["hub", "eee"])
def test_a_run_without_numbers_of_its_set_is_refused(tmp_path, capsys, content, words, form):
    """One line that says why and what to do, exit status 2, no file."""
    exported(form, tmp_path / "out", run_of("ifhard", tmp_path / "run", **content), code=2)
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert not (tmp_path / "out").exists()


def test_several_runs_and_a_model_are_for_other_forms(tmp_path, capsys):
    """Each refusal names the form that takes them; an unknown form is a usage error, as is no run."""
    a, b = (run_of("ifhard", tmp_path / name) for name in "ab")
    exported("hub", tmp_path / "out", a, b, code=2)
    assert "--form mera takes one of each benchmark" in capsys.readouterr().err
    exported("hub", tmp_path / "out", a, code=2, model_id="org/model")
    assert "--model-id is for --form eee" in capsys.readouterr().err
    assert command("export", a, "--form", "csv", "-o", tmp_path / "out") == 2
    assert command("export", tmp_path, "--form", "hub", "-o", tmp_path / "out") == 2
    assert "no run folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    """A file stands where the folder should be."""
    (tmp_path / "out").write_text("x", encoding="utf-8")
    exported("hub", tmp_path / "out", run_of("ifhard", tmp_path / "run"), code=2)
    assert str(tmp_path / "out") in capsys.readouterr().err
