"""A command leaves nothing behind in its process: the next one has the defaults again."""

import shutil

import hardmultiqa_servers as servers
from fault_server import FaultServer
from ifbench_cases import write_checkers

from judges.hardmultiqa import builtin_prompts
from judges.hardmultiqa.prompt_files import BUILTIN as PROMPTS
from metrics.ifbench import default_graders
from runner.exits import Exit
from tasks.ifbench.dataset import BUILTIN as IFBENCH

TASK = "ifbench:all|0"
JUDGED = "hardmultiqa:open:alignment|0"


def test_graders_of_one_run_are_not_those_of_the_next(command, tmp_path):
    """Neither its columns nor its options; not even the list of graders at hand."""
    write_checkers(tmp_path, "True")
    saved = ["--dataset", "builtin", "--max-samples", "2", "--responses", str(IFBENCH / "witnesses.jsonl")]
    names = default_graders().names
    before = command(*saved, task=TASK, data=None)
    with_more = command(*saved, "--grader", f"kind={tmp_path}", task=TASK, data=None)
    after = command(*saved, task=TASK, data=None)
    assert [run.code for run in (before, with_more, after)] == [Exit.COMPLETE] * 3
    assert with_more.row(TASK)["prompt_level/kind_strict"] == 1.0
    assert with_more.run["options"]["ifbench"]["graders"] == [*names, "kind_strict", "kind_loose"]
    said = with_more.run["options"]["ifbench"]["notes"]
    assert said[-1].startswith("--grader kind runs code of another project as you")
    assert all(line in with_more.err.splitlines() for line in said)
    assert after.row(TASK) == before.row(TASK)
    assert not [name for name in after.row(TASK) if "kind" in name]
    assert after.run["options"] == before.run["options"]
    assert default_graders().names == names


def test_judge_prompts_of_one_run_are_not_those_of_the_next(command, tmp_path):
    """What the judge reads is again this project's own, and run.json says so."""
    folder = tmp_path / "prompts"
    shutil.copytree(PROMPTS, folder)
    with (folder / "open.txt").open("a", encoding="utf-8", newline="\n") as file:
        file.write("Ещё одно правило.\n")
    with FaultServer(servers.model) as model, FaultServer(servers.judge) as judge:
        there = ["--dataset", "builtin", "--max-samples", "2", "--judge-model", "tiny", "--judge-base-url", judge.url]
        runs = []
        asked = []
        for more in ([], ["--judge-prompts", str(folder)], []):
            judge.bodies.clear()
            runs.append(command(*there, *more, server=model, task=JUDGED, data=None))
            asked.append([body["messages"][0]["content"] for body in judge.bodies])
    before, other, after = (run.run for run in runs)
    assert [run.code for run in runs] == [Exit.COMPLETE] * 3
    assert all("Ещё одно правило." in text for text in asked[1])
    assert len(asked[1]) == 2
    assert sorted(asked[0]) == sorted(asked[2]) != sorted(asked[1])
    own = builtin_prompts().identity
    assert before["options"] == after["options"] == {"hardmultiqa": {"judge_prompts": own}}
    assert before["judge"]["prompts"] == after["judge"]["prompts"] == {"hardmultiqa": own}
    assert other["judge"]["prompts"]["hardmultiqa"] == other["options"]["hardmultiqa"]["judge_prompts"]
    assert str(folder) in other["judge"]["prompts"]["hardmultiqa"]
