"""The dry run: commands, problems, and the answer of the installed server's own parser.

The vLLM here is a folder with two modules of its names; tests/e2e asks the real one.
"""

import sys
from pathlib import Path

import pytest
from serving_fakes import fakes

from endpoints.serving.__main__ import main
from endpoints.serving.commands import plan_launches
from endpoints.serving.dry_run import ask_parsers, dry_run, interpreter_of

PARSER = """
import argparse

def make_arg_parser(parser):
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--dtype", choices=["auto", "bfloat16"])
    parser.add_argument("--reasoning-parser")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--log-level", dest="level")
    return parser

def validate_parsed_serve_args(args):
    if args.seed == 13:
        raise ValueError("no seed 13")
"""
FLEXIBLE = """
import argparse

class FlexibleArgumentParser(argparse.ArgumentParser):
    pass
"""
REASONING = """
class ReasoningParserManager:
    @classmethod
    def list_registered(cls):
        return ["qwen3", "deepseek_r1"]
"""
ROUTER = """
import argparse

def parse_router_args(args):
    parser = argparse.ArgumentParser(prog="vllm-router")
    for option in ("--host", "--port", "--policy", "--request-timeout-secs", "--prometheus-port"):
        parser.add_argument(option)
    parser.add_argument("--worker-urls", nargs="*")
    return parser.parse_args(args)
"""


def install(folder: Path, parser_module: str = "vllm/entrypoints/launchers/cli_args.py") -> Path:
    """A folder to import a vLLM and a router from."""
    files = {
        "vllm/__init__.py": '__version__ = "9.9.9"\nprint("INFO imported")\n',
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/launchers/__init__.py": "",
        "vllm/entrypoints/openai/__init__.py": "",
        "vllm/utils/__init__.py": "",
        "vllm/utils/argparse_utils.py": FLEXIBLE,
        "vllm/reasoning.py": REASONING,
        "vllm_router/__init__.py": "",
        "vllm_router/launch_router.py": ROUTER,
        parser_module: PARSER,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def made(tmp_path):
    """Stand-ins for servers."""
    with fakes(tmp_path) as found:
        yield found


def answers(made, **keys):
    """What is said of an entry's options."""
    plan = made.plan(model=made.entry(0, **keys))
    return [(answer.refused, answer.sentence) for answer in ask_parsers(plan_launches(plan))]


class TestParser:
    """Options are accepted, refused with the parser's words, or said to be unchecked."""

    @pytest.fixture
    def env(self, tmp_path):
        return {"PYTHONPATH": str(install(tmp_path / "site"))}

    def test_accepted(self, made, env):
        """The version that accepts them is named."""
        accepted = answers(made, env=env, dtype="bfloat16", reasoning_parser="qwen3", extra_args=["--seed", 7])
        assert accepted == [(False, "model: options accepted by vLLM 9.9.9")]

    @pytest.mark.parametrize(
        ("keys", "why"),
        [
            ({"extra_args": ["--sede=7"]}, "unrecognized arguments: --sede=7"),
            ({"dtype": "bf16"}, "argument --dtype: invalid choice: 'bf16' (choose from 'auto', 'bfloat16')"),
            ({"extra_args": ["--seed", "x"]}, "argument --seed: invalid int value: 'x'"),
            ({"extra_args": ["--seed=13"]}, "no seed 13"),
            (
                {"reasoning_parser": "qwen4"},
                "--reasoning-parser: invalid choice: 'qwen4' (choose from deepseek_r1, qwen3)",
            ),
        ],
    )
    def test_refused(self, made, env, keys, why):
        """An unknown option, a value, and what vLLM checks after parsing."""
        ((refused, sentence),) = answers(made, env=env, **keys)
        assert refused
        assert sentence == f"model: vLLM 9.9.9 refuses its options: {why}"

    def test_older_place_of_the_parser(self, made, tmp_path):
        """vLLM has moved it; both places are known."""
        env = {"PYTHONPATH": str(install(tmp_path / "old", "vllm/entrypoints/openai/cli_args.py"))}
        assert answers(made, env=env, dtype="bf16")[0][0]

    def test_router(self, made, env):
        """The router's options are asked of its own parser, each server's refusal told apart."""
        router = {"command": made.command(), "extra_args": ["--polcy"]}
        said = answers(made, env=env, replicas=2, router=router)
        assert said == [
            (False, "model replica 1, model replica 2: options accepted by vLLM 9.9.9"),
            (True, "model router: vllm-router refuses its options: unrecognized arguments: --polcy"),
        ]

    def test_not_installed(self, made):
        """One line, and no problem: it may be installed where the run will be."""
        ((refused, sentence),) = answers(made)
        assert not refused
        assert sentence == f"model: vLLM is not installed beside {sys.executable}, so its options were not checked"

    def test_broken_vllm(self, made, tmp_path):
        """A vLLM that cannot be imported is no refusal; its last words are shown."""
        site = install(tmp_path / "site2")
        (site / "vllm/entrypoints/launchers/cli_args.py").write_text("raise OSError('no libcuda')", encoding="utf-8")
        ((refused, sentence),) = answers(made, env={"PYTHONPATH": str(site)})
        assert not refused
        assert sentence == "model: the parser of vLLM could not be asked (OSError: no libcuda)"


class TestInterpreter:
    """In which environment a program is installed."""

    def launch(self, made, command):
        return plan_launches(made.plan(model=made.entry(0, command=command)))[0]

    def test_python_itself(self, made):
        """The command's own interpreter."""
        assert interpreter_of(self.launch(made, [sys.executable, "-m", "x"])) == sys.executable

    def test_script(self, made, tmp_path):
        """The interpreter in an installed script's first line."""
        script = tmp_path / "vllm"
        script.write_text(f"#!{sys.executable}\n", encoding="utf-8")
        script.chmod(0o755)
        assert interpreter_of(self.launch(made, [str(script), "serve"])) == sys.executable

    def test_beside_a_linked_program(self, made, tmp_path):
        """A link into an environment: the interpreter there."""
        (tmp_path / "bin").mkdir()
        for name in ("vllm", "python"):
            (tmp_path / "bin" / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (tmp_path / "bin" / name).chmod(0o755)
        (tmp_path / "vllm").symlink_to(tmp_path / "bin" / "vllm")
        assert interpreter_of(self.launch(made, [str(tmp_path / "vllm")])) == str(tmp_path / "bin" / "python")

    @pytest.mark.parametrize("command", [["/bin/sh", "-c", "x"], ["/nowhere/vllm"]])
    def test_unknown(self, made, command):
        """A launcher of another kind, or none."""
        assert interpreter_of(self.launch(made, command)) is None


class TestDryRun:
    """Printed for people, and an exit status for scripts; nothing is started."""

    def test_all_is_well(self, made, tmp_path, capsys):
        """Commands, the parser's answer, status 0."""
        env = {"PYTHONPATH": str(install(tmp_path / "site")), "HF_TOKEN": "hf_secret"}
        path = made.write(model=made.entry(0, env=env, gpus=[0, 1]), judge=made.entry(1, env=env))
        assert main([str(path), "--dry-run"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("model: CUDA_VISIBLE_DEVICES=0,1 HF_TOKEN=*** ")
        assert lines[1].startswith("judge: CUDA_VISIBLE_DEVICES='' ")
        assert lines[2].startswith("note: model: of the 2 GPUs of each server only 1")
        assert lines[3:] == ["model, judge: options accepted by vLLM 9.9.9"]
        assert made.started() == []

    def test_all_is_wrong(self, made, tmp_path, capsys):
        """Problems of the plan and of the options together, status 3."""
        env = {"PYTHONPATH": str(install(tmp_path / "site"))}
        entry = made.entry(0, env=env, gpus=[0], tensor_parallel_size=2, dtype="int1")
        assert main([str(made.write(model=entry)), "--dry-run"]) == 3
        problems = [line for line in capsys.readouterr().out.splitlines() if line.startswith("problem: ")]
        assert len(problems) == 2
        assert "refuses its options" in problems[1]

    def test_no_ports_left(self, made):
        """A plan without commands is still answered."""
        lines = []
        plan = made.plan(model=made.entry(0, port=65535, replicas=2, router={"command": made.command()}))
        assert not dry_run(plan, lines.append)
        assert lines == ["problem: no free ports from 65535 up"]

    def test_unusable_file(self, tmp_path, capsys):
        """Status 2 and the reason."""
        assert main([str(tmp_path / "none.yaml"), "--dry-run"]) == 2
        assert "none.yaml: No such file" in capsys.readouterr().err
