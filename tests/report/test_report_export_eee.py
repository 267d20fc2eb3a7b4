"""Every Eval Ever: the aggregate and its samples agree with the run and with each other.

That they are of the published form is tests/e2e/test_report_vllm.py's: the schemas come from the package index.
"""

import hashlib
import json
import uuid

import pytest
from answer_rows import IFHARD, OPEN, PRETRAIN, answered, judged, made_row
from export_runs import OFFICIAL, PLACE, exported, files_of, finished_run, ifhard_rows, run_of

from endpoints.outcome import Outcome
from judges.judgement import Judgement
from report.results import public_name

FAILED = Outcome("failed", error="HTTP 500", error_code="http", attempts=2)
BLOCKED = Outcome("blocked", "раз", finish_reason="content_filter", error="withheld", error_code="blocked")


def read(out):
    """Path, aggregate and lines of the only benchmark below a folder."""
    files = files_of(out)
    (path,) = (path for path in files if path.endswith(".json"))
    samples = files[path.replace(".json", "_samples.jsonl")]
    assert len(files) == 2
    return path, json.loads(files[path]), [json.loads(line) for line in samples.decode().splitlines()]


def made(tmp_path, run, **options):
    """The same, of a run."""
    exported("eee", tmp_path / "out", run, **options)
    return read(tmp_path / "out")


@pytest.mark.parametrize("name", ["ifhard", "sobhard", "ifbench", "hardmultiqa"])
def test_the_two_files_and_the_run_agree(tmp_path, name):
    """Paths, ids and counts point at each other; scores are the run's, and their mean is the headline."""
    run = run_of(name, tmp_path / "run")
    path, aggregate, lines = made(tmp_path, run)
    folder, _, file = path.rpartition("/")
    assert folder == f"data/{name}-builtin/org/model"
    assert uuid.UUID(file.removesuffix(".json")).version == 4
    detailed = aggregate["detailed_evaluation_results"]
    assert detailed["file_path"] == path.replace(".json", "_samples.jsonl")
    assert detailed["total_rows"] == len(lines) == 2
    assert detailed["checksum"] == hashlib.sha256((tmp_path / "out" / detailed["file_path"]).read_bytes()).hexdigest()
    assert {line["evaluation_id"] for line in lines} == {aggregate["evaluation_id"]}
    assert {line["model_id"] for line in lines} == {aggregate["model_info"]["id"]} == {"org/model"}
    results = {one["evaluation_result_id"]: one for one in aggregate["evaluation_results"]}
    (joined,) = {line["evaluation_result_id"] for line in lines}
    found = results[joined]["score_details"]
    assert sum(line["evaluation"]["score"] for line in lines) / 2 == found["score"] == 0.5
    assert sorted(line["evaluation"]["is_correct"] for line in lines) == [False, True]
    assert found["uncertainty"]["num_samples"] == 2
    (row,) = json.loads((run / "run.json").read_text(encoding="utf-8"))["tasks"].values()
    for key, one in results.items():
        metric, interval = key.rpartition("|0/")[2], one["score_details"].get("uncertainty", {})
        assert one["score_details"]["score"] == row[metric]
        found = interval.get("confidence_interval", {})
        assert (found.get("lower"), found.get("upper")) == (row[f"{metric}_ci_low"], row[f"{metric}_ci_high"])
        assert one["metric_config"]["lower_is_better"] == metric.endswith("_share")
    undefined = [metric for metric in row if f"{metric}_ci_low" in row and row[metric] is None]
    assert len(results) == sum(f"{metric}_ci_low" in row for metric in row) - len(undefined)


def test_the_same_run_is_the_same_bytes_and_holds_nothing_of_this_machine(tmp_path):
    """No clock, no path, no address; another run has another id."""
    run = run_of("ifhard", tmp_path / "run")
    path, aggregate, _ = made(tmp_path, run)
    exported("eee", tmp_path / "again", run)
    assert files_of(tmp_path / "again") == files_of(tmp_path / "out")
    assert aggregate["retrieved_timestamp"] == aggregate["evaluation_timestamp"] == "1795948200"
    assert not any(PLACE.encode() in data or b"10.1.2.3" in data for data in files_of(tmp_path / "out").values())
    exported("eee", tmp_path / "other", run_of("ifhard", tmp_path / "run2", settings={"seed": 3}))
    assert read(tmp_path / "other")[0] != path


def test_missing_answers_are_counted_and_never_scored(tmp_path):
    """A failure is no zero: it has no line, and the aggregate and the notes say how many there are."""
    rows = ifhard_rows(["раз два"] * 4, {2: FAILED, 3: BLOCKED})
    out = exported("eee", tmp_path / "out", finished_run(tmp_path / "run", rows))
    _, aggregate, lines = read(tmp_path / "out")
    assert [line["sample_id"] for line in lines] == ["q0", "q1"]
    details = aggregate["detailed_evaluation_results"]["additional_details"]
    assert (details["without_a_row_failed"], details["without_a_row_blocked"]) == ("1", "1")
    score = aggregate["evaluation_results"][0]["score_details"]
    assert (score["score"], score["details"]["coverage"]) == (1.0, "0.5")
    assert (score["details"]["lower_bound"], score["details"]["upper_bound"]) == ("0.5", "1.0")
    assert any("1 blocked, 1 failed" in note for note in out["notes"])


def test_an_answer_is_told_whole(tmp_path):
    """Reasoning apart and in the text, tokens, verdicts, labels, the question and what it is checked against."""
    outcome = answered("I count.</think>раз два", reasoning="Hm.")
    _, _, (line,) = made(tmp_path, finished_run(tmp_path / "run", [made_row(IFHARD, outcome, repeat=0)]))
    assert line["interaction_type"] == "single_turn"
    assert line["input"]["raw"] == "Вопрос q0?"
    assert "structure:word_count" in line["input"]["reference"][0]
    assert line["output"] == {"raw": ["I count.</think>раз два"], "reasoning_trace": ["Hm.\n\nI count."]}
    (attribution,) = line["answer_attribution"]
    assert (attribution["turn_idx"], attribution["extracted_value"]) == (0, "раз два")
    assert line["token_usage"] == {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}
    metadata = {name: json.loads(line["metadata"][name]) for name in ("verdicts", "labels", "scores", "repeat")}
    assert [verdict["passed"] for verdict in metadata["verdicts"]] == [True, True]
    assert (metadata["labels"], metadata["repeat"]) == ({"tier": "easy"}, 0)
    assert metadata["scores"] == {"constraint_pass_rate": 1.0}
    assert line["metadata"]["finish_reason"] == "stop"


def test_a_conversation_is_its_messages(tmp_path):
    """Earlier turns, then the question, then the answer; the score is of the last."""
    row = made_row(IFHARD, answered())
    turns = [("user", "а?"), ("assistant", "б"), ("user", "в?")]
    row["model_response"]["input"] = [{"role": role, "content": text} for role, text in turns]
    _, _, (line,) = made(tmp_path, finished_run(tmp_path / "run", [row]))
    assert (line["interaction_type"], line["output"], line["input"]["raw"]) == ("multi_turn", None, "в?")
    assert [(one["turn_idx"], one["role"], one["content"]) for one in line["messages"]] == [
        *((turn, *said) for turn, said in enumerate(turns)),
        (3, "assistant", "раз два"),
    ]
    assert line["answer_attribution"][0]["turn_idx"] == 3
    assert line["evaluation"]["num_turns"] == 4


def test_a_completion_is_one_turn(tmp_path):
    """The whole prompt is its input; what the model went on with is in its output, not in the scored value."""
    row = made_row(PRETRAIN, answered("Волга\nВопрос: Что?"), judgement=judged(1), prompt="Вопрос: Где?\nОтвет:")
    _, _, (line,) = made(tmp_path, finished_run(tmp_path / "run", [row]))
    assert (line["interaction_type"], line["input"]["raw"]) == ("single_turn", "Вопрос: Где?\nОтвет:")
    assert line["input"]["reference"] == ["Волга"]
    assert line["output"]["raw"] == ["Волга\nВопрос: Что?"]
    assert line["answer_attribution"][0]["extracted_value"].strip() == "Волга"


def test_the_judge_is_named(tmp_path):
    """With the prompts it was given, beside every value that rests on it; its own words are in the samples."""
    judge = {
        "model": "/models/judge",
        "prompts": {"hardmultiqa": f"prompts from {PLACE} sha256 abc"},
        "base_url": "http://10.1.2.3:8002/v1",
        "max_tokens": 300,
        "reported": {"owned_by": "vllm"},
    }
    _, aggregate, lines = made(tmp_path, run_of("hardmultiqa", tmp_path / "run", judge=judge))
    configs = {one["metric_config"]["metric_name"]: one["metric_config"] for one in aggregate["evaluation_results"]}
    scoring = configs["hardmultiqa_judge"]["llm_scoring"]
    assert (scoring["judges"][0]["model_info"]["id"], scoring["judges"][0]["temperature"]) == ("judge", 0.0)
    assert scoring["judges"][0]["model_info"]["inference_engine"] == {"name": "vLLM"}
    assert scoring["input_prompt"] == "one a question type: prompts of the evaluator's own, sha256 abc"
    assert scoring["additional_details"] == {"max_tokens": "300"}
    assert "llm_scoring" not in configs["empty_share"]
    assert [json.loads(line["metadata"]["judgement"])["verdict"] for line in lines] == [{"grade": 0}, {"grade": 1}]


def test_an_unjudged_answer_has_no_line(tmp_path):
    """Nothing is known of its score."""
    rows = [
        made_row(OPEN, answered("Волга"), id="q0", judgement=judged(1, "{}")),
        made_row(OPEN, answered("Ока"), id="q1", judgement=Judgement("unjudged", error="unreadable")),
    ]
    _, aggregate, (line,) = made(tmp_path, finished_run(tmp_path / "run", rows))
    assert line["sample_id"] == "q0"
    assert aggregate["detailed_evaluation_results"]["additional_details"]["without_a_row_unjudged"] == "1"


def test_the_official_set_is_the_hubs_and_its_terms_are_pointed_at(tmp_path):
    """The samples hold its questions; a set of this project is no dataset of the Hub."""
    run = run_of("hardmultiqa", tmp_path / "run", datasets={"hardmultiqa": OFFICIAL}, questions={OPEN[:-2]: 670})
    out = exported("eee", tmp_path / "out", run)
    path, aggregate, _ = read(tmp_path / "out")
    assert path.startswith("data/HardMultiQA/org/model/")
    source = aggregate["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["hf_repo"]) == ("hf_dataset", "yandex/HardMultiQA")
    assert (source["samples_number"], source["additional_details"]["revision"]) == (670, "c" * 40)
    assert any("questions and references of yandex/HardMultiQA" in note for note in out["notes"])
    exported("eee", tmp_path / "own", run_of("hardmultiqa", tmp_path / "run2"))
    assert read(tmp_path / "own")[1]["evaluation_results"][0]["source_data"]["source_type"] == "other"


@pytest.mark.parametrize("text", ["a\u2028б\u2029в\x85г\x0bд\x0cе\x1cж", "</script>\n\r\0", "x" * 100_000, ""])
def test_any_answer_is_one_line(tmp_path, text):
    """Whoever splits lines at more than ``\\n`` reads the same lines."""
    row = made_row(IFHARD, answered("раз два"))
    row["model_response"]["text"] = [text]
    _, _, (line,) = made(tmp_path, finished_run(tmp_path / "run", [row]))
    assert line["output"]["raw"] == [text]


@pytest.mark.parametrize(
    ("settings", "model", "wanted", "developer"),
    [
        ({}, "Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "Qwen"),
        ({}, "openai/azure/gpt-4o", "openai/azure/gpt-4o", "openai"),
        ({}, "smollm2", "smollm2", "unspecified"),
        ({}, "/models/of/mine/Qwen3-8B/", "Qwen3-8B", "unspecified"),
        ({"model": "embedded"}, "embedded", "HuggingFaceTB/SmolLM2-135M-Instruct", "HuggingFaceTB"),
        ({"responses": PLACE, "name": "saved"}, "responses", "saved", "unspecified"),
    ],
)
def test_the_models_name(tmp_path, settings, model, wanted, developer):
    """As the run has it, without the folders of this machine."""
    run = run_of("ifhard", tmp_path / "run", settings=settings, model={"requested": model, "reported": None})
    out = exported("eee", tmp_path / "out", run)
    path, aggregate, _ = read(tmp_path / "out")
    assert (aggregate["model_info"]["id"], aggregate["model_info"]["developer"]) == (wanted, developer)
    assert path.split("/")[2] == developer
    assert len(path.split("/")) == 5
    assert any("--model-id" in note for note in out["notes"]) == (developer == "unspecified")


def test_a_models_id_may_be_given(tmp_path, capsys):
    """It is the folder, the aggregate's and every line's; anything but ORG/NAME is refused."""
    run = run_of("ifhard", tmp_path / "run")
    path, aggregate, lines = made(tmp_path, run, model_id="Qwen/Qwen3:8B")
    assert path.startswith("data/ifhard-builtin/Qwen/Qwen3_8B/")
    assert aggregate["model_info"]["id"] == lines[0]["model_id"] == "Qwen/Qwen3:8B"
    for wrong in ("Qwen", "/Qwen3", "Qwen/", "a b/c", ""):
        exported("eee", tmp_path / "no", run, code=2, model_id=wrong)
        assert "ORG/NAME is wanted" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "wanted"), [("./a", "a"), ("~/m/b", "b"), ("/", "model"), ("../..", "model")])
def test_a_path_keeps_its_last_part(name, wanted):
    """Whatever it is made of."""
    assert public_name(name) == wanted


def test_further_fields_of_requests_are_told(tmp_path):
    """Those that the form has a place for stand there, all of them in words."""
    settings = {"extra_body": {"top_k": 20, "reasoning_effort": "low"}}
    run = run_of("ifhard", tmp_path / "run", settings=settings, sampling={"temperature": 0.6, "max_new_tokens": 64})
    _, aggregate, _ = made(tmp_path, run)
    config = aggregate["evaluation_results"][0]["generation_config"]
    assert config["generation_args"] == {"temperature": 0.6, "max_tokens": 64, "top_k": 20}
    assert json.loads(config["additional_details"]["extra_body"]) == settings["extra_body"]


def test_a_benchmark_without_a_score_is_left_out(tmp_path):
    """Its reason is a note; the other benchmark of the run is written."""
    rows = [made_row(id="q0"), made_row(OPEN, FAILED, id="q1")]
    out = exported("eee", tmp_path / "out", finished_run(tmp_path / "run", rows))
    assert read(tmp_path / "out")[0].startswith("data/ifhard-builtin/")
    assert any("hardmultiqa_judge" in note and "undefined" in note for note in out["notes"])
