"""Arguments: what is refused, with which words, before anything heavy starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import mini
import pytest

from runner.cli import main, read_arguments
from runner.exits import Exit
from runner.parser import build_parser
from runner.settings import Settings
from tasks.benchmark import DatasetRequest
from tasks.names import TaskName
from tasks.registry import BENCHMARK_NAMES, benchmark

ROOT = Path(__file__).resolve().parents[2]


def test_a_resume_warns_as_a_new_run_does(tmp_path):
    """Of a text where a truth value is meant, and of what changes nothing."""
    settings = Settings(tasks=(TaskName("hardmultiqa", "all", "alignment"),), model="m", responses="a.jsonl")
    run_json = {"settings": settings.to_json(), "sessions": [], "datasets": {}}
    (tmp_path / "run.json").write_text(json.dumps(run_json), encoding="utf-8")
    options = ["--judge-chat-template-kwargs", '{"enable_thinking": "false"}', "--concurrency", "8", "--header", "A=B"]
    arguments = build_parser().parse_args(["--resume", str(tmp_path), *options])
    _, _, warnings = read_arguments(arguments)
    assert len(warnings) == 2
    assert '--judge-chat-template-kwargs: enable_thinking is the text "false"' in warnings[0]
    assert warnings[1] == "answers come from a.jsonl: --header, --concurrency changes nothing"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--task is needed"),
        (["--task", "ifhard:all|0"], "--model is needed"),
        (["--task", "ifhard:al|0", "--model", "m"], "ifhard:all"),
        (["--task", "", "--model", "m"], "--task is empty"),
        (["--task", "ifhard:all|0", "--task", "ifhard|0", "--model", "m"], "twice"),
        (["--task", "ifhard:all|0,ifhard:all|0", "--model", "m"], "twice"),
        (["--task", "ifhard:all|0", "--model", "m", "--max-samples", "0"], "at least 1"),
        (["--task", "ifhard:all|0", "--model", "m", "--max-samples", "2", "--full"], "exclude each other"),
        (["--task", "ifhard:all|0", "--model", "m", "--temperature", "-1"], "0 or more"),
        (["--task", "ifhard:all|0", "--model", "m", "--temperature", "nan"], "0 or more"),
        (["--task", "ifhard:all|0", "--model", "m", "--chat-template-kwargs", "[]"], "JSON object"),
        (["--task", "ifhard:all|0", "--model", "m", "--chat-template-kwargs", "{"], "not JSON"),
        (["--task", "ifhard:all|0", "--model", "m", "--fail-under", "sample_pas_rate=0.5"], "sample_pass_rate"),
        (["--task", "ifhard:all|0", "--model", "m", "--fail-under", "sample_pass_rate"], "METRIC=VALUE"),
        (["--task", "ifhard:all|0", "--model", "embedded", "--base-url", "http://127.0.0.1:1/v1"], "drop --base-url"),
        (["--task", "ifhard:all|0", "--model", "embedded", "--temperature", "0.7"], "greedily"),
        (["--task", "ifhard:all|0", "--model", "m", "--no-such-flag"], "unrecognized"),
        (["--task", "ifhard:all|0", "--mod", "m"], "unrecognized"),
        (["--resume", "no-such-folder"], "--resume no-such-folder: no such folder"),
        (["--resume", __file__], "no folder"),
        (["--resume", str(ROOT)], f"--resume {ROOT}: there is no run.json"),
        (["--task", "hardmultiqa:all|0", "--model", "m"], "the mode is missing; write hardmultiqa:all:pretrain|0 or"),
        (["--task", "hardmultiqa:strict list|5", "--model", "m"], "hardmultiqa:strict-list:alignment|5"),
        *(
            (["--task", "ifhard:all|0", "--model", "m", option, "ten"], f"argument {option}: 'ten' is no whole number")
            for option in ("--max-samples", "--repeats", "--concurrency", "--max-new-tokens", "--judge-concurrency")
        ),
        (["--task", "ifhard:all|0", "--model", "m", "--seed", "1.5"], "argument --seed: '1.5' is no whole number"),
        (["--task", "ifhard:all|0", "--model", "m", "--temperature", "warm"], "--temperature: 'warm' is no number"),
        (["--task", "ifhard:all|0", "--model", "m", "--show-prompt", "few"], "--show-prompt: 'few' is no whole number"),
    ],
)
def test_bad_usage_exits_2_and_says_why(arguments, says, capsys):
    """Nothing is started, and the message names the remedy."""
    assert main(arguments) == Exit.USAGE
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "says", "status"),
    [
        (["--output-dir", "FILE"], "--output-dir FILE: FILE is no folder", Exit.USAGE),
        (["--output-dir", "FILE/deep/er"], "--output-dir FILE/deep/er: FILE is no folder", Exit.USAGE),
        (["--base-url", "127.0.0.1:8001/v1"], "--base-url: '127.0.0.1:8001/v1' ", Exit.USAGE),
        (["--base-url", "http:///v1"], "--base-url: 'http:///v1' is not", Exit.USAGE),
        (["--base-url", "http://[::1/v1"], "--base-url: 'http://[::1/v1' is not", Exit.USAGE),
        (["--base-url", "http://h:99999/v1"], "--base-url: 'http://h:99999/v1' is not", Exit.USAGE),
        (["--dataset", "NOWHERE"], "--dataset NOWHERE: no such file or folder; names: builtin", Exit.UNAVAILABLE),
        (["--responses", "NOWHERE"], "--responses NOWHERE: no such file", Exit.USAGE),
        (["--serve", "NOWHERE"], "--serve NOWHERE: no such file", Exit.USAGE),
        (["--serve", "FOLDER"], "--serve FOLDER: no such file", Exit.USAGE),
        (["--responses", "FOLDER"], "--responses FOLDER: no such file", Exit.USAGE),
        (["--task", "ifbench|0", "--grader", "mine=NOWHERE"], "--grader mine=PATH: NOWHERE: no such", Exit.USAGE),
        (["--task", "hardmultiqa|0", "--judge-prompts", "NOWHERE"], "--judge-prompts NOWHERE: no such", Exit.USAGE),
        (["--task", "hardmultiqa|0", "--judge-base-url", "host"], "--judge-base-url: 'host' is not", Exit.USAGE),
    ],
)
def test_a_wrong_place_is_named_before_anything_slow_is_imported(arguments, says, status, tmp_path):
    """Of every option that takes a path or a URL: the option, the value, the cause, and no LightEval yet."""
    file, nowhere = tmp_path / "file", tmp_path / "nowhere"
    file.write_text("", encoding="utf-8")

    def placed(text):
        return text.replace("FILE", str(file)).replace("NOWHERE", str(nowhere)).replace("FOLDER", str(tmp_path))

    given = [*([] if "--task" in arguments else ["--task", "ifhard:all|0"]), "--model", "m", *map(placed, arguments)]
    given = [text.replace("hardmultiqa|0", "hardmultiqa:all:pretrain|0") for text in given]
    probe = f"""
import sys
from runner.cli import main
code = main({given!r})
print(int(code), [name for name in ("lighteval", "torch", "transformers", "datasets", "openai") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{int(status)} []"
    assert placed(says) in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says", "status"),
    [
        (["--base-url", "http://127.0.0.1:9/v1"], "http://127.0.0.1:9/v1: no list of models", Exit.UNAVAILABLE),
        (["--task", "ifbench:all|0", "--grader", "mine=FOLDER"], "--grader mine=FOLDER: ", Exit.USAGE),
        (
            ["--task", "hardmultiqa:open:pretrain|0", "--judge-prompts", "FOLDER"],
            "--judge-prompts FOLDER: ",
            Exit.USAGE,
        ),
    ],
)
def test_what_is_not_there_is_told_before_lighteval_is_imported(arguments, says, status, tmp_path):
    """A server, the checkers of a folder, the prompts of one: the option or the URL, and the cause."""
    folder = tmp_path / "empty"
    folder.mkdir()
    arguments, says = [text.replace("FOLDER", str(folder)) for text in arguments], says.replace("FOLDER", str(folder))
    task = [] if "--task" in arguments else ["--task", "ifhard:all|0"]
    given = [*task, "--model", "m", "--dataset", "builtin", "--output-dir", str(tmp_path / "out"), *arguments]
    probe = f"""
import sys
from runner.cli import main
code = main({given!r})
print(int(code), [name for name in ("lighteval", "torch", "transformers", "datasets") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{int(status)} []"
    assert says in done.stderr


TEST = "test{.jsonl,.csv,.parquet}"


@pytest.mark.parametrize(
    ("files", "task", "says"),
    [
        ({}, "ifhard:all|0", f"no {TEST} in it or its data folder; it is empty"),
        ({}, "ifbench:all|0", f"no {TEST} in it or its data folder; it is empty"),
        ({"a.txt": ""}, "sobhard:all|0", f"no {TEST} in it or its data folder; it holds a.txt"),
        ({"data/a.txt": ""}, "hardmultiqa:open:pretrain|0", f"no {TEST} in it or its data folder; it holds data"),
        ({f"{letter}.md": "" for letter in "fedcba"}, "ifhard:all|0", "it holds a.md, b.md, c.md, d.md, e.md, ..."),
        ({"shots.jsonl": "{}"}, "ifhard:all|0", f"no {TEST} in it or its data folder; it holds shots.jsonl"),
        ({"test.jsonl": ""}, "ifhard:all|0", f"its test split has no rows; {TEST} holds one a question"),
        ({"data/test.jsonl": "\n \n"}, "ifbench:all|0", f"its test split has no rows; {TEST} holds one a question"),
        ({"any.csv": "task,question,answer\n"}, "hardmultiqa:open:pretrain|0", "its test split has no rows"),
        (
            {"test.jsonl": "ROW"},
            "ifhard:all|2",
            "has only 0 few-shot examples in its shots{.jsonl,.csv,.parquet}",
        ),
        ({"test.jsonl": "ROW", "shots.jsonl": ""}, "ifhard:all|2", "has only 0 few-shot examples"),
        ({"test.jsonl": "ROW"}, "ifhard:hard|0", "has no question for it"),
        ({"test.jsonl": "{}"}, "ifhard:all|0", "test, row 1, meta: is missing"),
    ],
)
def test_a_dataset_without_rows_is_named_before_lighteval_is_imported(tmp_path, files, task, says):
    """A folder without a split, a split without a row, few-shot examples that are not there, a bad row: exit 3."""
    folder = tmp_path / "set"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.replace("ROW", json.dumps(mini.row(0))), encoding="utf-8")
    given = ["--task", task, "--model", "m", "--dataset", str(folder), "--output-dir", str(tmp_path / "out")]
    probe = f"""
import sys
from runner.cli import main
code = main({given!r})
print(int(code), [name for name in ("lighteval", "torch", "transformers", "datasets") if name in sys.modules])
"""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == f"{int(Exit.UNAVAILABLE)} []"
    assert str(folder) in done.stderr
    assert says in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_resumed_run_is_told_where_its_dataset_went(tmp_path, capsys):
    """The path stands in run.json, not on the command line."""
    from runner.settings import Settings

    settings = Settings(tasks=(TaskName("ifhard", "all"),), model="m", dataset=str(tmp_path / "gone"))
    (tmp_path / "run.json").write_text(json.dumps({"settings": settings.to_json(), "sessions": []}), encoding="utf-8")
    assert main(["--resume", str(tmp_path)]) == Exit.UNAVAILABLE
    assert f"--dataset {tmp_path / 'gone'}: no such file" in capsys.readouterr().err


def test_list_tasks_needs_no_server(capsys):
    """Every legal name is printed."""
    assert main(["--list-tasks"]) == Exit.COMPLETE
    text = capsys.readouterr().out
    assert [line.partition(": few-shot ")[0] for line in text.splitlines() if not line.startswith(" ")] == [
        *("IFHardBench", "SOBHard", "HardMultiQA", "IFBench"),
    ]
    printed = text.split()
    assert {"ifhard:all", "ifhard:easy", "ifhard:medium", "ifhard:hard", "ifhard:expert"} <= set(printed)


def test_what_is_listed_can_be_had(tmp_path, capsys):
    """No name of a dataset ends in exit 3. What is built at its first use, or needs the Hub, has tests of its own."""
    assert main(["--list-tasks"]) == Exit.COMPLETE
    heads = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    for name, head in zip(BENCHMARK_NAMES, heads, strict=True):
        bench = benchmark(name)
        offered = head.partition("datasets ")[2].partition(" or a path")[0].split(", ")
        built = {dataset for dataset, shipped in bench.facts.shipped.items() if shipped.built is not None}
        for dataset in set(offered) - {"official"} - built:
            assert bench.load_dataset(DatasetRequest(dataset, tmp_path)).questions
        assert bench.default_dataset in offered
        assert main(["--task", name if not bench.modes else f"{name}:all:{bench.modes[0]}", "--model", "m",
                     "--dataset", str(tmp_path / "x")]) == Exit.UNAVAILABLE  # fmt: skip
        assert f"names: {', '.join(offered)}\n" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "sobhard: built at the first use" in " ".join(capsys.readouterr().out.split())


def test_help_and_bad_usage_do_not_import_lighteval_or_torch():
    """The slow imports come after the arguments are known to be good."""
    probe = """
import sys
from runner.cli import main
code = main(["--task", "nope|0", "--model", "m"])
print(code, [name for name in ("lighteval", "torch", "transformers", "datasets", "openai") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2 []"


@pytest.mark.parametrize(
    "module", ["metrics.ifhard", "metrics.verdict", "tasks.registry", "endpoints.request", "endpoints.process"]
)
def test_light_modules_import_without_lighteval_and_torch(module):
    """Verifiers and names are usable where LightEval is not installed."""
    heavy = ("lighteval", "torch", "transformers", "datasets")
    probe = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_import_touches_nothing(tmp_path):
    """No folder, no network, no environment read, no randomness when the modules are imported."""
    probe = f"""
import os, pathlib, random, socket, sys
before = random.getstate()
def refuse(*args, **kwargs): raise AssertionError("network or folder at import")
socket.socket.connect = refuse
pathlib.Path.mkdir = refuse
os.makedirs = refuse
import metrics.ifhard, metrics.stats, metrics.ifhard.summary, tasks.registry, tasks.ifhard.benchmark
import endpoints.client, endpoints.journal, endpoints.saved, endpoints.process, endpoints.embedded, runner.cli
assert random.getstate() == before
print(sorted(os.listdir({str(tmp_path)!r})))
"""
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_resume_refuses_what_differs_and_names_it(tmp_path, capsys):
    """A resumed run is the same run; only how much and how fast may change."""
    from runner.settings import Settings

    settings = Settings(tasks=(TaskName("ifhard", "all"),), model="m", base_url="http://127.0.0.1:9/v1")
    (tmp_path / "run.json").write_text(json.dumps({"settings": settings.to_json(), "sessions": []}), encoding="utf-8")
    code = main(["--resume", str(tmp_path), "--model", "other", "--temperature", "0.7", "--concurrency", "3"])
    assert code == Exit.USAGE
    said = capsys.readouterr().err
    assert "--model: the run has 'm', the command line says 'other'" in said
    assert "--temperature" in said
    assert "--concurrency" not in said


@pytest.mark.parametrize("name", ["ifhard:all|3", "hardmultiqa:one-option-many-options:alignment|5", "sobhard:easy|8"])
def test_run_json_keeps_task_names_as_text(name):
    """Runs of earlier versions resume: the record holds names as the command line spells them, in full."""
    from runner.settings import Settings

    settings = Settings(tasks=(TaskName.read(name), TaskName("ifbench", "all")), model="m")
    written = settings.to_json()
    assert written["tasks"] == [name, "ifbench:all|0"]
    assert Settings.from_json(json.loads(json.dumps(written))) == settings


def test_a_recorded_task_that_is_no_more_is_named(tmp_path, capsys):
    """A run of another version is refused, not run as something else."""
    from runner.settings import Settings

    settings = Settings(tasks=(TaskName("ifhard", "gone"),), model="m")
    (tmp_path / "run.json").write_text(json.dumps({"settings": settings.to_json(), "sessions": []}), encoding="utf-8")
    assert main(["--resume", str(tmp_path)]) == Exit.USAGE
    assert "unknown task 'ifhard:gone|0'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[]", '{"settings": {}}', '{"settings": {"tasks": []}}'])
def test_a_broken_run_json_is_refused(tmp_path, text, capsys):
    """A damaged record never becomes a different run."""
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    assert main(["--resume", str(tmp_path)]) == Exit.USAGE
    assert "run.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"sampling": None}, "its sampling is no object: null"),
        ({"sampling": {"max_new_tokens": "x"}}, "its sampling.max_new_tokens is no number: 'x'"),
        ({"datasets": {"ifhard": 3}}, "its datasets.ifhard is no object: 3"),
        ({"model": {"max_model_len": "x"}}, "its model.max_model_len is no whole number from 0 on: 'x'"),
        ({"stopped": ["x"]}, "its stopped is no rule with its number of answers: ['x']"),
        ({"sessions": [1]}, "its sessions.0 is no object: 1"),
    ],
)
def test_a_part_of_a_wrong_type_is_named(tmp_path, capsys, damage, words):
    """Before anything is asked: it would break the run in the middle."""
    from runner.settings import Settings

    settings = Settings(tasks=(TaskName("ifhard", "all"),), model="m").to_json()
    content = {"settings": settings, "sessions": [], **damage}
    (tmp_path / "run.json").write_text(json.dumps(content), encoding="utf-8")
    assert main(["--resume", str(tmp_path)]) == Exit.USAGE
    assert words in capsys.readouterr().err
