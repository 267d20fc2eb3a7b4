"""What is read of a model's config and weights."""

import json
import struct

import pytest
from sizing_cases import MODELS, facts, recorded

from endpoints.errors import EndpointError
from endpoints.serving.model_facts import facts_of
from endpoints.serving.model_files import read_model

LLAMA = {
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 10,
    "hidden_size": 4096,
    "max_position_embeddings": 8192,
}

# Bytes of cache a token: 2 x layers x key and value heads x width of a head x 2 bytes.
CACHE = {
    "smollm2-135m": 2 * 30 * 3 * 64 * 2,
    "qwen3-8b": 2 * 36 * 8 * 128 * 2,
    "llama-3.1-70b": 2 * 80 * 8 * (8192 // 64) * 2,
    "qwen3-235b-a22b": 2 * 94 * 4 * 128 * 2,
    "qwen3.5-35b-a3b": 2 * 10 * 2 * 256 * 2,  # three of four layers keep a state instead
    "deepseek-v3": 61 * (512 + 64) * 2,  # one compressed vector and its positions
}


@pytest.mark.parametrize("model", CACHE)
def test_the_cache_of_a_token(model):
    """By the config's own numbers."""
    assert facts(model).cache_bytes == CACHE[model]


def test_the_cache_on_each_gpu():
    """Heads are divided; with fewer heads than GPUs each keeps one; a compressed cache is kept whole."""
    large = facts("qwen3-235b-a22b")
    assert [CACHE["qwen3-235b-a22b"] / large.cache_bytes_on(gpus) for gpus in (1, 2, 4, 8)] == [1, 2, 4, 4]
    assert facts("deepseek-v3").cache_bytes_on(8) == CACHE["deepseek-v3"]


@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        ("smollm2-135m", [1, 3]),  # 9 heads, 3 of keys and values: 9 would need 3 GPUs to share a head
        ("qwen3-8b", [1, 2, 4, 8]),
        ("llama-3.1-70b", [1, 2, 4, 8]),
        ("qwen3-235b-a22b", [1, 2, 4, 8]),
        ("qwen3-235b-a22b-fp8", [1, 2, 4]),  # 1536 columns are 12 blocks of 128
        ("qwen3.5-35b-a3b", [1, 2, 4, 8]),
        ("deepseek-v3", [1, 2, 4, 8]),
    ],
)
def test_over_how_many_gpus_a_layer_goes(model, sizes):
    """As vLLM has it."""
    found = facts(model)
    assert [number for number in range(1, 9) if found.undivided(number) is None] == sizes


def test_why_it_does_not():
    """In numbers."""
    assert facts("smollm2-135m").undivided(2) == "9 attention heads do not divide by 2"
    uneven = facts_of("m", {**LLAMA, "num_attention_heads": 36, "num_key_value_heads": 6}, 1)
    assert uneven.undivided(4) == "6 key and value heads do not divide by 4"
    group = {"quant_method": "gptq", "bits": 4, "group_size": 128}
    odd = facts_of("m", {**LLAMA, "intermediate_size": 29_568, "quantization_config": group}, 1)
    assert odd.undivided(2) == "231 blocks of 128 columns of the feed-forward layer do not divide by 2"


def test_sizes():
    """What is stored in float32 is served in two bytes; what is quantized as it is."""
    assert (facts("qwen3-8b").parameters, facts("qwen3-8b").dtype) == (8_190_735_360, "bfloat16")
    single = facts_of("m", {**LLAMA, "torch_dtype": "float32"}, 400)
    assert (single.weight_bytes, single.parameters, single.dtype) == (200, 100, "bfloat16")
    awq = facts("qwen3-32b-awq")
    assert (awq.parameters, awq.quantization, awq.dtype) == (None, "awq, 4 bits", "float16")
    assert facts("deepseek-v3").quantization == "fp8"


def test_the_state_of_linear_attention():
    """30 layers: 32 heads of 128 x 128 float32, and three columns of a convolution over 8,192 channels."""
    assert facts("qwen3.5-35b-a3b").state_bytes == 30 * (32 * 128 * 128 * 4 + 8192 * 3 * 2)
    assert facts("qwen3-8b").state_bytes == 0


def test_experts_images_and_code():
    """Of several kinds of config."""
    judge = facts("qwen3.5-35b-a3b")
    assert (judge.experts, judge.multimodal, judge.own_code, judge.kind) == (256, True, False, "qwen3_5_moe")
    assert facts("deepseek-v3").own_code
    assert facts("qwen3-8b").experts == 0


@pytest.mark.parametrize(
    ("keys", "context"),
    [
        ({}, 8192),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 8192),
        ({"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768}}, 131_072),
        ({"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, 16_384),
        ({"rope_scaling": None}, 8192),
    ],
)
def test_the_context(keys, context):
    """YaRN stretches the length of the training; other kinds are in the config's number already."""
    assert facts_of("m", {**LLAMA, **keys}, 1).context == context


def test_other_names_of_the_numbers():
    """GPT-2's config, and Falcon's with its single head of keys."""
    old = {"n_head": 12, "n_layer": 12, "n_embd": 768, "n_positions": 1024}
    assert (facts_of("m", old, 1).kv_heads, facts_of("m", old, 1).cache_bytes) == (12, 2 * 12 * 768 * 2)
    assert facts_of("m", {**old, "multi_query": True}, 1).kv_heads == 1


@pytest.mark.parametrize("key", ["num_attention_heads", "num_hidden_layers", "hidden_size", "max_position_embeddings"])
@pytest.mark.parametrize("value", [None, 0, "8", True, 1.5])
def test_a_number_that_is_missing(key, value):
    """It is named; the serving file by hand is the way out."""
    with pytest.raises(EndpointError, match=f"{key}.*write a serving file"):
        facts_of("m", {**LLAMA, key: value}, 1)


@pytest.mark.parametrize(
    "key",
    [
        "num_key_value_heads",
        "num_kv_heads",
        "head_dim",
        "num_experts",
        "linear_num_key_heads",
        "linear_conv_kernel_dim",
    ],
)
@pytest.mark.parametrize("value", [[4, 8], "8", {}, True, 1.5, -1])
def test_a_number_that_is_something_else(key, value):
    """Such as a number for each layer."""
    with pytest.raises(EndpointError, match=f"gives .* for {key}.*write a serving file"):
        facts_of("m", {**LLAMA, key: value}, 1)


@pytest.mark.parametrize("value", ["fp8", [8], True])
def test_a_quantization_that_is_something_else(value):
    with pytest.raises(EndpointError, match=r"quantization_config that is no object.*write a serving file"):
        facts_of("m", {**LLAMA, "quantization_config": value}, 1)


def folder(path, config=LLAMA, **files):
    """A model's folder."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    for name, content in files.items():
        (path / name.replace("__", ".")).write_bytes(content)
    return path


@pytest.mark.parametrize("model", MODELS)
def test_a_folder_with_an_index(tmp_path, model):
    """The index has the size; the folder is what vLLM is given."""
    index = json.dumps({"metadata": {"total_size": recorded(model)["total_size"]}}).encode()
    made = folder(tmp_path / "m", recorded(model)["config"], model__safetensors__index__json=index)
    found = read_model(str(made))
    assert (found.weight_bytes, found.folder) == (facts(model).weight_bytes, str(made))


@pytest.mark.parametrize(
    ("files", "size"),
    [
        ({"model__safetensors": 100, "consolidated__safetensors": 100}, 100),
        ({"model-00001-of-00002__safetensors": 60, "model-00002-of-00002__safetensors": 40}, 100),
        ({"weights__safetensors": 100, "pytorch_model__bin": 100}, 100),
        ({"pytorch_model__bin": 100, "optimizer__bin": 7}, 100),
    ],
)
def test_a_folder_without_an_index(tmp_path, files, size):
    """One set of weights counts, as vLLM loads one."""
    made = folder(tmp_path, **{name: bytes(length) for name, length in files.items()})
    assert read_model(str(made)).weight_bytes == size


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no weights there"),
        ({"config__json": b"[]"}, "holds no JSON object"),
        ({"config__json": b"{"}, "is no JSON"),
        ({"model__safetensors__index__json": b"{}"}, "does not tell the size"),
    ],
)
def test_a_folder_that_cannot_be_read(tmp_path, files, words):
    """The file is named."""
    with pytest.raises(EndpointError, match=words):
        read_model(str(folder(tmp_path, **files)))


def test_no_such_folder():
    """A path is not looked for on the Hub; a folder without config.json is told."""
    with pytest.raises(EndpointError, match="no such folder"):
        read_model("/no/such/folder")


def test_a_folder_without_config(tmp_path):
    """What a model's folder has."""
    with pytest.raises(EndpointError, match=r"config\.json.*a model's folder has a config\.json"):
        read_model(str(tmp_path))


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """A cache of the Hub with one model in it, and no network."""
    revision = "0" * 40
    base = tmp_path / "models--org--name"
    (base / "refs").mkdir(parents=True)
    (base / "refs" / "main").write_text(revision, encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return base / "snapshots" / revision


def test_a_model_in_the_hubs_cache(hub_cache):
    """Nothing is asked of the Hub; the name stays a name."""
    header = json.dumps({"__metadata__": {}}).encode()
    folder(hub_cache, model__safetensors=struct.pack("<Q", len(header)) + header)
    found = read_model("org/name")
    assert (found.name, found.folder, found.weight_bytes) == ("org/name", None, 8 + len(header))


@pytest.mark.parametrize("name", ["org/name", "org/other", "not a name", "a/b/c"])
def test_a_model_that_cannot_be_had(hub_cache, name):
    """The config without weights, another model, and what is no name: the reason and the ways out."""
    folder(hub_cache)
    with pytest.raises(EndpointError, match=r"cannot be had from the Hugging Face Hub.*or name the model's folder"):
        read_model(name)
