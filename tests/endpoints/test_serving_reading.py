"""Serving files: what is read, and that nothing wrong in one is passed over."""

import re
from pathlib import Path

import pytest
import yaml

from endpoints.serving.plan import RouterPlan, ServerPlan
from endpoints.serving.reading import LEGAL_KEYS, ROUTER_KEYS, ServingFileError, find_serving, read_serving


@pytest.fixture
def read(tmp_path):
    """Reads a text as a serving file."""

    def reader(text: str):
        path = tmp_path / "serving.yaml"
        path.write_text(text, encoding="utf-8")
        return read_serving(path)

    return reader


class TestFind:
    """Where a named file is looked for."""

    READY = Path(__file__).resolve().parents[2] / "serving"

    @pytest.mark.parametrize("name", ["serving/one-gpu.yaml", "./serving/one-gpu.yaml"])
    def test_a_ready_file(self, tmp_path, monkeypatch, name):
        """From any folder."""
        monkeypatch.chdir(tmp_path)
        assert find_serving(Path(name)) == self.READY / "one-gpu.yaml"

    def test_the_users_own_file_comes_first(self, tmp_path, monkeypatch):
        """Of the same name in a folder of the same name."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "serving").mkdir()
        (tmp_path / "serving" / "one-gpu.yaml").write_text("model: {model: m}\n", encoding="utf-8")
        assert find_serving(Path("serving/one-gpu.yaml")) == Path("serving/one-gpu.yaml")
        assert find_serving(Path("serving/cpu.yaml")) == self.READY / "cpu.yaml"

    @pytest.mark.parametrize(
        "name",
        ["one-gpu.yaml", "serving", "serving/none.yaml", "other/one-gpu.yaml", "serving/../pyproject.toml",
         "/serving/one-gpu.yaml", "x/serving/one-gpu.yaml"],
    )  # fmt: skip
    def test_other_paths_stay(self, tmp_path, monkeypatch, name):
        """They are read, or named as missing, as they were given."""
        monkeypatch.chdir(tmp_path)
        assert find_serving(Path(name)) == Path(name)


class TestRead:
    """What is in the file arrives, what is not is left to vLLM."""

    def test_the_shortest_file(self, read):
        """A model's name is enough; ports are the benchmarks' own."""
        plan = read("model: {model: org/a}\njudge: {model: org/b}\n")
        assert plan.model == ServerPlan(role="model", model="org/a", port=8001)
        assert plan.judge == ServerPlan(role="judge", model="org/b", port=8002)
        assert plan.model.served_name == "org/a"

    @pytest.mark.parametrize("role", ["model", "judge"])
    def test_either_entry_may_be_absent(self, read, role):
        """A task without a judge needs no judge; a model that is served elsewhere needs no model."""
        plan = read(f"{role}: {{model: org/a}}\n")
        assert [entry.role for entry in plan.entries()] == [role]

    def test_every_key(self, read):
        """All keys at once, each in its attribute."""
        plan = read("""
            judge:
              model: org/b
              served_model_name: [judge, другое имя]
              port: 9000
              host: 0.0.0.0
              gpus: [3, 1]
              tensor_parallel_size: 2
              pipeline_parallel_size: 3
              data_parallel_size: 4
              max_model_len: 8192
              max_num_seqs: 16
              dtype: bfloat16
              gpu_memory_utilization: 0.5
              reasoning_parser: qwen3
              distributed_executor_backend: mp
              trust_remote_code: true
              extra_args: [--seed, 7, --no-enable-prefix-caching]
              env: {HF_HUB_OFFLINE: 1, HF_TOKEN: null, PATH_: x}
              python: /venv/bin/python
              command: [srun, vllm, serve]
              replicas: 2
              deadline_s: 60
              restarts: 0
              restart_wait_s: 0.5
              hung_after_s: 30
              placement: ray
              resources: {gpu_slot: 1, CPU: 0.5}
              ray_address: 10.0.0.1:6379
              router: {port: 9100, command: [balancer], policy: random, extra_args: [--log-level, debug]}
        """)
        assert plan.judge == ServerPlan(
            role="judge",
            model="org/b",
            served_model_name=("judge", "другое имя"),
            port=9000,
            host="0.0.0.0",
            gpus=(3, 1),
            tensor_parallel_size=2,
            pipeline_parallel_size=3,
            data_parallel_size=4,
            max_model_len=8192,
            max_num_seqs=16,
            dtype="bfloat16",
            gpu_memory_utilization=0.5,
            reasoning_parser="qwen3",
            distributed_executor_backend="mp",
            trust_remote_code=True,
            extra_args=("--seed", "7", "--no-enable-prefix-caching"),
            env={"HF_HUB_OFFLINE": "1", "HF_TOKEN": None, "PATH_": "x"},
            python="/venv/bin/python",
            command=("srun", "vllm", "serve"),
            replicas=2,
            deadline_s=60.0,
            restarts=0,
            restart_wait_s=0.5,
            hung_after_s=30.0,
            placement="ray",
            resources={"gpu_slot": 1.0, "CPU": 0.5},
            ray_address="10.0.0.1:6379",
            router=RouterPlan(9100, ("balancer",), "random", ("--log-level", "debug")),
        )
        assert plan.judge.served_name == "judge"
        assert plan.judge.front_port == 9100
        assert plan.judge.gpus_needed == 24

    def test_every_key_is_in_the_test_above(self):
        """A key that is added must be read there too."""
        fields = set(ServerPlan.__dataclass_fields__) - {"role"}
        assert set(LEGAL_KEYS) == fields
        assert set(ROUTER_KEYS) == set(RouterPlan.__dataclass_fields__)

    def test_home_is_filled_in(self, read, monkeypatch):
        """``~`` at the start of a model, an interpreter or a program."""
        monkeypatch.setenv("HOME", "/home/u")
        entry = read("model: {model: ~/m, python: ~/v/bin/python, command: [~/run, ~/kept]}\n").model
        assert entry.model == "/home/u/m"
        assert entry.python == "/home/u/v/bin/python"
        assert entry.command == ("/home/u/run", "~/kept")

    def test_shared_settings(self, read):
        """YAML's anchors and merges work."""
        plan = read("model: &m {model: a, env: {A: 1}}\njudge: {<<: *m, model: b}\n")
        assert plan.judge.model == "b"
        assert plan.judge.env == {"A": "1"}


WRONG = {
    "model": [None, 5, "", " ", ["a"], "a\0b"],
    "served_model_name": [None, [], [""], 5, [5]],
    "port": [0, 65536, "8001", 8001.0, True, None],
    "host": ["", 5, None],
    "gpus": [0, "0,1", [0, 0], [-1], ["0"], [True], [0.0], None],
    "tensor_parallel_size": [0, -1, "2", 2.0, True, None],
    "pipeline_parallel_size": [0, True],
    "data_parallel_size": [0, "4"],
    "max_model_len": [0, "8k", 8192.0],
    "max_num_seqs": [0, None],
    "dtype": [16, None, ""],
    "gpu_memory_utilization": [0, 1.01, "0.9", True, float("nan"), -0.1],
    "reasoning_parser": [True, 3, None],
    "distributed_executor_backend": [1, None],
    "trust_remote_code": ["true", 1, None],
    "extra_args": ["--seed 7", [None], [True], [["a"]], {"a": 1}],
    "env": [["A=1"], {"A": True}, {"1A": "x"}, {"A": [1]}, {5: "x"}, "A=1"],
    "python": [None, 3.11, ""],
    "command": [[], "vllm serve", [""], [None]],
    "replicas": [0, "2", 1.5, 257],
    "deadline_s": [0, -1, "60", float("inf"), float("nan"), True],
    "restarts": [-1, 1.5, "3", True, None],
    "restart_wait_s": [0, -1, "5", True],
    "hung_after_s": [0, "120", float("inf"), None],
    "placement": ["Ray", "local", True, None, ["ray"]],
    "resources": [None, [], {}, {"a": 0}, {"a": -1}, {"a": True}, {"a": "1"}, {1: 1}, {" ": 1}, {"a=b": 1}, "gpu_slot"],
    "ray_address": [None, 6379, ""],
    "router": [None, [], "round_robin", {"port": 0}, {"command": []}, {"policy": 5}, {"extra_args": "x"}, {"rank": 1}],
}


class TestWrong:
    """Each mistake is an error that names the key."""

    @pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
    def test_wrong_value(self, read, key, value):
        """A value of another type or outside its range."""
        with pytest.raises(ServingFileError, match=f"model: {key}"):
            read(yaml.safe_dump({"model": {"model": "org/a", key: value}}))

    def test_wrong_values_cover_every_key(self):
        """The table above leaves none out."""
        assert set(WRONG) == set(LEGAL_KEYS)

    def test_unknown_key(self, read):
        """The key, the nearest legal one, and all legal ones."""
        with pytest.raises(ServingFileError) as caught:
            read("model: {model: a, tensor_paralel_size: 2}\n")
        message = str(caught.value)
        assert "model: unknown key 'tensor_paralel_size' (did you mean 'tensor_parallel_size'?)" in message
        assert all(key in message for key in LEGAL_KEYS)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "the file must be a mapping with keys among model, judge, not nothing"),
            ("- model\n", "the file must be a mapping"),
            ("{}\n", "neither an entry 'model' nor an entry 'judge'"),
            ("modell: {model: a}\n", r"unknown key 'modell' \(did you mean 'model'\?\); legal keys: model, judge"),
            ("model: org/a\n", "model must be a mapping with keys among model, served_model_name"),
            ("model: {port: 8001}\n", "model: the key 'model' .* is missing"),
            ("model: {model: a, model: b}\n", "key 'model' is given twice"),
            ("model: {model: a}\nmodel: {model: b}\n", "key 'model' is given twice"),
            ("model: {model: a, env: {A: 1, A: 2}}\n", "key 'A' is given twice"),
            ("model: {model: a, router: {port: 1, prot: 2}}\n", "model: router: unknown key 'prot'"),
            ("model: {model: a\n", "is not a YAML file"),
            ("model: !!python/object/apply:os.getcwd []\n", "is not a YAML file"),
            ("model: {[a]: b}\n", "is not a YAML file"),
        ],
    )
    def test_wrong_shape(self, read, text, words):
        """What is no mapping, has no entry, gives a key twice, or is no YAML."""
        with pytest.raises(ServingFileError, match=words):
            read(text)

    def test_everything_at_once(self, read):
        """One error lists all mistakes of both entries."""
        with pytest.raises(ServingFileError) as caught:
            read("model: {modle: a, port: x}\njudge: {model: b, gpus: 0, router: {policy: 1}}\n")
        lines = str(caught.value).splitlines()
        assert len(lines) == 1 + 5
        assert lines[0].endswith("serving.yaml cannot be used:")

    def test_no_such_file(self, tmp_path):
        """The file's name is in the message."""
        with pytest.raises(ServingFileError, match=r"none\.yaml: No such file"):
            read_serving(tmp_path / "none.yaml")

    def test_not_text(self, tmp_path):
        """A binary file is no serving file."""
        (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ServingFileError, match="is not a YAML file"):
            read_serving(tmp_path / "b.yaml")


def test_ready_files_are_read():
    """Every file in serving/ can be read."""
    folder = Path(__file__).resolve().parents[2] / "serving"
    names = {path.stem: read_serving(path) for path in sorted(folder.glob("*.yaml"))}
    assert set(names) == {"one-gpu", "three-gpus", "eight-gpus", "ray-nodes", "ray-replicas", "cpu", "reference"}
    assert all(plan.model and plan.judge for plan in names.values())


def test_reference_names_every_key():
    """The annotated file shows each legal key, as a setting or within a comment."""
    text = (Path(__file__).resolve().parents[2] / "serving" / "reference.yaml").read_text(encoding="utf-8")
    shown = set(re.findall(r"^[ #]*([a-z_]+):", text, re.MULTILINE))
    assert shown >= {*LEGAL_KEYS, *ROUTER_KEYS}
