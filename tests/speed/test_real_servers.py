"""What the scripts share that measure real servers, and the one beside vLLM's benchmark. No server is started."""

import json
import os

import pytest

from endpoints.serving import read_serving


def run_folder(folder, *, completion, rate, verdicts_after=None):
    """A run folder with what the figures are read from; verdicts end so many seconds after the answers."""
    tokens = {"completion": completion, "counted": 3, "completion_per_second": rate}
    load = {
        "model": {"concurrency": {"auto": True, "limit": 80}},
        "judge": {"concurrency": {"auto": False, "limit": 8}},
    }
    (folder / "run.json").write_text(json.dumps({"tokens": tokens, "server_load": load}), encoding="utf-8")
    for name, at in (("responses.jsonl", 0.0), ("judgements.jsonl", verdicts_after)):
        if at is not None:
            (folder / name).write_text("", encoding="utf-8")
            os.utime(folder / name, (1_000_000 + at, 1_000_000 + at))
    return folder


def test_figures_of_a_run(script, tmp_path):
    """300 tokens at 20 a second are 15 s; the command took 25 s."""
    found = script("real_servers").figures(run_folder(tmp_path, completion=300, rate=20.0), 25.0)
    assert (found.answers, found.tokens, found.active_s, found.whole_s) == (3, 300, 15.0, 25.0)
    assert (found.rate, found.whole_rate) == (20.0, 12.0)
    assert found.settled() == "80/8"


@pytest.mark.parametrize(("after", "active"), [(2.5, 17.5), (-4.0, 15.0)], ids=["verdicts last", "answers last"])
def test_verdicts_belong_to_the_active_time(script, tmp_path, after, active):
    """The last verdict after the last answer counts; one before it adds nothing."""
    folder = run_folder(tmp_path, completion=300, rate=20.0, verdicts_after=after)
    assert script("real_servers").figures(folder, 25.0).active_s == active


def test_a_plan_is_changed_in_every_entry(script):
    """Options and variables are added, keys replaced, the judge left out; the file's own stay."""
    module = script("real_servers")
    plan = module.changed(read_serving(module.FILE), args=["--x=1"], env={"A": "1"}, max_num_seqs=256)
    for entry in (plan.model, plan.judge):
        assert entry.extra_args == ("--enforce-eager", "--x=1")
        assert entry.env["A"] == "1"
        assert entry.env["HF_HUB_OFFLINE"] == "1"
        assert entry.max_num_seqs == 256
    assert module.changed(plan, judge=False).judge is None


def test_pairs_beside_the_benchmark(script):
    """Ratios of 0.9, 1.0 and 1.2 have the median 1.0; of 0.9, 0.9 and 1.2 it is too low."""
    module = script("against_bench")
    pairs = [module.Pair(module.Rates(40, 20), module.Rates(40 * ratio, 18)) for ratio in (1.2, 0.9, 1.0)]
    lines, kept = module.summary(pairs)
    assert kept
    assert len(lines) == 5
    assert lines[1].split() == ["1", "40.00", "48.00", "1.200", "20.00", "18.00", "0.900"]
    assert lines[-1].startswith("median ratio: active 1.000 (0.900 to 1.200; at least 0.95): ok; whole command 0.900")
    lines, kept = module.summary([pairs[0], pairs[1], pairs[1]])
    assert not kept
    assert "active 0.900" in lines[-1]
    assert "MISSED" in lines[-1]


def test_the_benchmark_without_pandas(script, tmp_path):
    """What stands in for pandas gives each line's fields, as the benchmark asks for them."""
    code = script("against_bench").BENCH
    names = {}
    exec(code[code.index("def read_json") : code.index("try:")], {"json": json, "types": __import__("types")}, names)
    (tmp_path / "p.jsonl").write_text('{"prompt": "a"}\n{"prompt": "б"}\n', encoding="utf-8")
    found = names["read_json"](path_or_buf=str(tmp_path / "p.jsonl"), lines=True)
    assert "prompt" in found.columns
    assert [row.to_dict() for _, row in found.iterrows()] == [{"prompt": "a"}, {"prompt": "б"}]
