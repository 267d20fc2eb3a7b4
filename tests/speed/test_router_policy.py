"""The arithmetic of the script that measures prefix-cache hits, and its documents. No server is started."""

import json

from endpoints.metrics_text import Reading


def test_hits_of_two_servers(script):
    """300 of 1,000 tokens were found, 600 of them went to one server; without any question nothing is divided."""
    module = script("router_policy")
    before = [Reading(0, 0, prefix_queries=100, prefix_hits=50), Reading(0, 0, prefix_queries=0, prefix_hits=0)]
    after = [Reading(0, 0, prefix_queries=500, prefix_hits=150), Reading(0, 0, prefix_queries=600, prefix_hits=200)]
    assert module.hits(before, after) == (0.3, 0.6)
    assert module.hits(before, before) == (0.0, 0.0)


def test_questions_of_a_document_begin_alike(script, tmp_path):
    """Four questions a document, far from each other; they share the document, which no other has."""
    module = script("router_policy")
    module.write_documents(tmp_path)
    lines = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == module.WORKLOADS["documents"].questions
    same = rows[:: module.DOCUMENTS]
    beginnings = [row["question"][:1_000] for row in rows]
    assert len({row["question"][:1_000] for row in same}) == 1
    assert len(set(beginnings)) == module.DOCUMENTS
    assert len({row["question"] for row in rows}) == len(rows)


def test_table_of_hits(script):
    """The median with its spread and the number of trials."""
    line = script("router_policy").table({("round_robin", "own"): [0.5, 0.25, 0.3]})
    assert line == ["  round_robin          own        30.0%  (25.0% to 50.0%, 3)"]
