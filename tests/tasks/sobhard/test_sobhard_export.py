"""Answers of an ungraded run in the official form."""

import json

from sobhard_docs import blanked, docs_of, messages_of, split_rows, witnesses, write_rows

from endpoints.lighteval_response import EndpointResponse
from tasks.benchmark import DatasetRequest
from tasks.sobhard.dataset import BUILTIN_SMALL, load_dataset
from tasks.sobhard.export import export_answers


def response(doc, text, outcome="answered"):
    """A response of our model."""
    return EndpointResponse(input=messages_of(doc), text=[text], outcome=outcome)


def test_lines_are_the_harnesss_samples(tmp_path):
    """In the dataset's order, with row, messages, raw and filtered text; a failed sample stands nowhere."""
    docs = docs_of(BUILTIN_SMALL, "session", 0)
    failed, *answered = docs
    pairs = [(failed, response(failed, "", "failed")), *((doc, response(doc, f" \n{doc.id}")) for doc in answered)]
    path = export_answers(tmp_path, pairs)
    assert path.name == "samples_sobhard_session_0.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["doc_id"] for line in lines] == sorted(int(doc.id) for doc in answered)
    rows = split_rows("test")
    for line in lines:
        assert line["doc"] == rows[line["doc_id"]]
        assert line["resps"] == [[f" \n{line['doc_id']}"]]
        assert line["filtered_resps"] == [str(line["doc_id"])]
        assert line["arguments"][0][0][-1]["role"] == "user"
    submission = json.loads((tmp_path / "submission_sobhard_session_0.json").read_text(encoding="utf-8"))
    assert submission["data"]["test"] == [
        {"outputs": str(line["doc_id"]), "meta": {"id": line["doc"]["meta"]["id"]}} for line in lines
    ]


def test_repeats_are_further_responses_of_one_line(tmp_path):
    """The first is the one that is filtered."""
    doc = docs_of(BUILTIN_SMALL, "session", 0)[0]
    path = export_answers(tmp_path, [(doc, response(doc, "а")), (doc, response(doc, "б"))])
    (line,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (line["resps"], line["filtered_resps"]) == ([["а", "б"]], ["а"])


def test_nothing_answered_is_an_empty_file(tmp_path):
    """Not a crash after hours of waiting."""
    assert export_answers(tmp_path, []).read_text(encoding="utf-8") == ""


def test_a_run_over_blanked_rows_generates_and_prints_no_score(sob, tmp_path):
    """Files for the official scorer, no metric anywhere, exit 0; a family of it is refused."""
    rows, right = split_rows("test"), witnesses()
    folder = write_rows(tmp_path / "public", [blanked(row) for row in rows], split_rows("shots"))
    saved = tmp_path / "saved.jsonl"
    lines = [
        {"task": "sobhard:all", "id": str(row["meta"]["id"]), "response": right[row["meta"]["base_id"]]} for row in rows
    ]
    saved.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    result = sob("--full", "--responses", str(saved), data=folder)
    assert result.code == 0, result.err
    assert "pass_rate" not in result.out
    assert "no score" in result.out
    (written,) = result.run_dir.glob("samples_*.jsonl")
    assert len(written.read_text(encoding="utf-8").splitlines()) == 33
    assert written.name in result.out
    refused = sob("--responses", str(saved), task="sobhard:hard|0", data=folder)
    assert refused.code == 3
    assert "only sobhard:all" in refused.err


def test_a_run_over_blanked_rows_says_what_it_says_of_scored_ones(sob, tmp_path):
    """Blocked replies are in no file for the official scorer; marks that nobody cut are warned about."""
    rows = split_rows("test")
    folder = write_rows(tmp_path / "public", [blanked(row) for row in rows], split_rows("shots"))
    lines = [{"task": "sobhard:all", "id": str(row["meta"]["id"]), "response": "[THINK]a[/THINK]b"} for row in rows]
    lines[3] |= {"response": None, "refusal": "no"}
    saved = tmp_path / "saved.jsonl"
    saved.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    result = sob("--full", "--responses", str(saved), data=folder)
    assert result.code == 4
    (written,) = result.run_dir.glob("samples_*.jsonl")
    assert len(written.read_text(encoding="utf-8").splitlines()) == len(rows) - 1
    assert (result.row("sobhard:all|0")["n_blocked"], result.row("sobhard:all|0")["n_generated"]) == (1, len(rows) - 1)
    assert "blocked, in the server's words: 1 refusal: no\n" in result.out
    assert f"warning: {len(rows) - 1} of {len(rows) - 1} answers hold reasoning in the marks of mistral" in result.out
    cut = sob("--full", "--responses", str(saved), "--reasoning-marks", "mistral", data=folder)
    (written,) = cut.run_dir.glob("samples_*.jsonl")
    assert {tuple(json.loads(line)["resps"][0]) for line in written.read_text(encoding="utf-8").splitlines()} == {
        ("b",)
    }
    assert "warning" not in cut.out


def test_its_answers_can_be_scored_once_references_are_there(tmp_path):
    """The exported row's id leads back to the full row."""
    folder = write_rows(tmp_path / "own", [blanked(row) for row in split_rows("test")], split_rows("shots"))
    handle = load_dataset(DatasetRequest(str(folder), tmp_path / "cache"))
    doc = docs_of(handle.folder, "all", 0)[0]
    path = export_answers(tmp_path, [(doc, response(doc, "x"))])
    line = json.loads(path.read_text(encoding="utf-8"))
    assert blanked(split_rows("test")[line["doc_id"]]) == line["doc"]
