"""Plans that are chosen for models of 0.1B to 671B on machines of one to eight GPUs, each reasoned by hand."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving_fakes import every_port
from sizing_cases import CONTEXT, INVENTORIES, JUDGE, MODELS, facts, gpus, wants

from endpoints.serving.auto_plan import CannotFit, choose
from endpoints.serving.checks import MOST_SHARED, check_plan
from endpoints.serving.gpus import GIB, Gpu
from endpoints.serving.model_facts import facts_of
from endpoints.serving.reading import read_serving
from endpoints.serving.sizing import ALONE, FEWEST, LEAST_CONTEXT, Want, best, sequence_bytes

# GiB a GPU and what vLLM gets of it alone (0.9): "24": 23.99, 21.59; "80": 79.65, 71.68; "141": 140.40, 126.36.
# On each GPU: weights / tensor + 2, and 1 more where tensor is above 1. The rest is cache.
# GiB of cache that 20,480 tokens take = 2 x layers x key and value heads x width of a head x 2 bytes x 20,480 / 2^30:
#   0.6B 2.19   8B 2.81   32B 5.00   70B 6.25   30B-A3B 1.88   235B 3.67, but 0.92 on each of four or eight (one head)
#   SmolLM2 0.18 for its 8,192   DeepSeek 1.34 whatever the number of GPUs: 61 x (512 + 64) x 2 bytes a token
# A judge's 8,192 tokens take 0.16 (10 of its 40 layers have a cache) and 0.06 for the state of the other 30.
ALONE_TABLE = [
    # machine, model, GPUs, tensor, context, sequences that each replica holds
    ("1x24", "smollm2-135m", [0], 1, 8192, 110),  # 21.59 - 0.25 - 2 = 19.34; / 0.176
    ("1x24", "qwen3-0.6b", [0], 1, CONTEXT, 8),  # 21.59 - 1.40 - 2 = 18.19; / 2.19 = 8.3
    ("1x24", "qwen3-8b", [0], 1, 15_360, 2),  # 21.59 - 15.26 - 2 = 4.33, not 2 x 2.81: 2.17 / 144 KiB = 15,765
    ("1x80", "qwen3-8b", [0], 1, CONTEXT, 19),  # 71.68 - 15.26 - 2 = 54.42; / 2.81 = 19.3
    ("1x80", "qwen3-32b", [0], 1, 17_408, 2),  # 71.68 - 61.02 - 2 = 8.66, not 2 x 5: 4.33 / 256 KiB = 17,736
    ("1x80", "qwen3-32b-awq", [0], 1, CONTEXT, 10),  # 71.68 - 18.00 - 2 = 51.68; / 5
    ("1x80", "qwen3-30b-a3b", [0], 1, CONTEXT, 6),  # 71.68 - 56.87 - 2 = 12.81; / 1.88 = 6.8
    ("1x141", "qwen3-32b", [0], 1, CONTEXT, 12),  # 126.36 - 61.02 - 2 = 63.34; / 5
    ("4x80", "smollm2-135m", [0, 1, 2, 3], 1, 8192, 394),  # 9 heads go on one GPU anyway
    ("4x80", "qwen3-8b", [0, 1, 2, 3], 1, CONTEXT, 19),  # copies, not one model over four
    ("4x80", "qwen3-32b", [0, 1, 2, 3], 2, CONTEXT, 15),  # one GPU is too narrow; 71.68 - 30.51 - 3 = 38.17; / 2.50
    ("4x80", "qwen3-30b-a3b", [0, 1, 2, 3], 2, CONTEXT, 42),  # one holds 6 of 8; 71.68 - 28.44 - 3 = 40.24; / 0.94
    (
        "4x80",
        "llama-3.1-70b",
        [0, 1, 2, 3],
        4,
        CONTEXT,
        22,
    ),  # over two 2.97 are left; 71.68 - 32.85 - 3 = 35.83; / 1.56
    ("4x80", "qwen3-235b-a22b-fp8", [0, 1, 2, 3], 4, CONTEXT, 14),  # 71.68 - 55.04 - 3 = 13.64; / 0.92
    ("8x80", "llama-3.1-70b", list(range(8)), 4, CONTEXT, 22),
    ("8x80", "qwen3-235b-a22b", list(range(8)), 8, CONTEXT, 15),  # 71.68 - 54.74 - 3 = 13.94; / 0.92
    ("8x80", "qwen3-235b-a22b-fp8", list(range(8)), 4, CONTEXT, 14),  # 12 blocks of 128 do not divide by 8
    ("8x141", "qwen3-8b", list(range(8)), 1, CONTEXT, 38),  # 126.36 - 15.26 - 2 = 109.1; / 2.81
    ("8x141", "llama-3.1-70b", list(range(8)), 2, CONTEXT, 18),  # 131.42 is more than one has; 57.65 / 3.13
    ("8x141", "qwen3-235b-a22b", list(range(8)), 4, CONTEXT, 15),  # 126.36 - 109.47 - 3 = 13.89; / 0.92
    ("8x141", "deepseek-v3", list(range(8)), 8, CONTEXT, 32),  # 126.36 - 80.16 - 3 = 43.20; / 1.34
    ("2x24+2x80", "qwen3-0.6b", [2, 3], 1, CONTEXT, 31),  # one kind for all replicas, the larger one
    ("2x24+2x80", "llama-3.1-70b", [2, 3], 2, 9216, 2),  # 71.68 - 65.71 - 3 = 2.97: 1.49 / 160 KiB = 9,730
    ("4x80-busy", "qwen3-8b", [1, 2], 1, CONTEXT, 19),  # another program works on 0 and 3
]


@pytest.mark.parametrize(("machine", "model", "numbers", "tensor", "context", "held"), ALONE_TABLE)
def test_a_model_alone(machine, model, numbers, tensor, context, held):
    """All GPUs of one kind, as many replicas as the weights and a cache of 8 sequences allow."""
    (server,) = best(wants(model), gpus(machine))
    assert [gpu.number for gpu in server.gpus] == numbers
    assert (server.tensor, server.replicas) == (tensor, len(numbers) // tensor)
    assert (server.share, server.context, server.held) == (ALONE, context, held)


JUDGED_TABLE = [
    # machine, model, then for model and judge: GPUs, tensor, share
    # 16 sequences of a judge would take 3.5; on one GPU of 80 it has 71.68 - 66.96 - 2 = 2.7, room for 12.
    ("4x80", "qwen3-8b", ([0, 1], 1, 0.9), ([2, 3], 2, 0.9)),
    ("8x80", "qwen3-8b", ([0, 1, 2, 3], 1, 0.9), ([4, 5, 6, 7], 2, 0.9)),
    ("8x80", "llama-3.1-70b", ([0, 1, 2, 3], 4, 0.9), ([4, 5, 6, 7], 2, 0.9)),
    ("8x141", "qwen3-235b-a22b", ([0, 1, 2, 3], 4, 0.9), ([4, 5, 6, 7], 1, 0.9)),
    ("2x24+2x80", "qwen3-0.6b", ([0, 1], 1, 0.9), ([2, 3], 2, 0.9)),  # each where it fits
    ("2x24+2x80", "qwen3-8b", ([0, 1], 2, 0.9), ([2, 3], 2, 0.9)),  # 21.59 - 7.63 - 3 = 10.96 holds 7 of 1.41
    ("4x80-busy", "qwen3-8b", ([1], 1, 0.9), ([2], 1, 0.9)),
    # One GPU for both: 133.38 - 17.26 - 68.96 = 47.16 for caches, 22.5 and 3.46 are wanted: 40.87 and 6.29 they get.
    ("1x141", "qwen3-8b", ([0], 1, 0.41), ([0], 1, 0.54)),
    # Over four, 70B leaves no GPU: 75.66 - 35.85 - 19.74 = 20.07; 12.5 and 1.5 are wanted.
    ("4x80", "llama-3.1-70b", ([0, 1, 2, 3], 4, 0.67), ([0, 1, 2, 3], 4, 0.28)),
    ("8x80", "qwen3-235b-a22b", (list(range(8)), 8, 0.79), (list(range(8)), 8, 0.16)),
]


@pytest.mark.parametrize(("machine", "model", "of_model", "of_judge"), JUDGED_TABLE)
def test_a_model_and_a_judge(machine, model, of_model, of_judge):
    """GPUs of their own where there are enough, evenly split; otherwise shares of the same ones."""
    found = best(wants(model, JUDGE), gpus(machine))
    assert [([gpu.number for gpu in one.gpus], one.tensor, one.share) for one in found] == [of_model, of_judge]


def test_three_gpus_as_the_description_of_hardmultiqa_has_them():
    """The model on one, the judge on two."""
    model, judge = best(wants("qwen3-8b", JUDGE), gpus("4x80")[:3])
    assert ([gpu.number for gpu in model.gpus], [gpu.number for gpu in judge.gpus]) == ([0], [1, 2])


REFUSED = [
    # machine, model, judge, words
    ("1x24", "qwen3-32b-awq", None, ["18.0 GiB of weights (awq, 4 bits)", "2 such GPUs", "1 x 48 GB"]),
    (
        "1x24",
        "qwen3-32b",
        None,
        ["61.0 GiB of weights (32.8 billion parameters in bfloat16)", "4 such GPUs", "1 x 80 GB"],
    ),
    ("1x80", "llama-3.1-70b", None, ["131.4 GiB", "2 such GPUs", "1 x 180 GB", "a version of 4 bits"]),
    ("4x80", "qwen3-235b-a22b", None, ["437.9 GiB", "4 x 79.6 GiB", "8 such GPUs", "4 x 141 GB", "an FP8 version"]),
    ("8x80", "deepseek-v3", None, ["641.3 GiB of weights (fp8)", "16 such GPUs (on several nodes", "8 x 141 GB"]),
    ("1x24", "deepseek-v3", None, ["Would fit: 8 x 141 GB."]),
    ("1x80", "qwen3-8b", JUDGE, ["2 such GPUs", "1 x 141 GB", "the model here and the judge elsewhere (--judge-base"]),
    ("4x80", "qwen3-235b-a22b-fp8", JUDGE, ["8 such GPUs", "the judge here and the model elsewhere (--base-url)"]),
]


@pytest.mark.parametrize(("machine", "model", "judge", "words"), REFUSED)
def test_what_does_not_fit_is_told_with_what_would(machine, model, judge, words):
    """The size, what there is, and every way out."""
    with pytest.raises(CannotFit) as refused:
        choose(wants(model, judge), gpus(machine))
    for part in words:
        assert part in str(refused.value)


def test_heads_that_do_not_divide_are_told():
    """FP8 weights are split at blocks of 128 columns: twelve of them do not go on eight GPUs."""
    large = dataclasses.replace(facts("qwen3-235b-a22b-fp8"), weight_bytes=400 * GIB)
    with pytest.raises(
        CannotFit, match="not over 8 GPUs: 12 blocks of 128 columns of the experts' layers do not divide"
    ):
        choose([Want("model", large, CONTEXT)], gpus("8x80"))


def test_a_power_of_two_is_preferred_where_as_many_gpus_are_used():
    """12 heads go on 2, 3, 4, 6 or 12 GPUs: twice three use six GPUs, once four leaves two of them idle."""
    config = {"num_attention_heads": 12, "num_key_value_heads": 12, "num_hidden_layers": 10, "hidden_size": 1536}
    config |= {"max_position_embeddings": 4096, "head_dim": 128}

    def tensor(weights, count):
        want = Want("model", facts_of("m", config, weights * GIB), None)
        (server,) = best([want], [Gpu(number, "", 24 * GIB) for number in range(count)])
        return server.tensor

    assert [tensor(10, 12), tensor(20, 12), tensor(40, 12), tensor(80, 12), tensor(120, 12)] == [1, 2, 4, 6, 12]
    assert (tensor(40, 3), tensor(40, 6)) == (3, 3)


@pytest.mark.parametrize("used", [0, 10, 30, 60])
def test_a_busy_gpu_that_is_named_gives_what_is_free(used):
    """vLLM refuses a share that is not free when it starts."""
    (server,) = best(wants("qwen3-0.6b"), [Gpu(0, "", 80 * GIB, used * GIB)])
    assert server.share == {0: 0.9, 10: 0.85, 30: 0.6, 60: 0.23}[used]


def test_reasons_and_notes_are_comments_of_the_file():
    """One line why for each choice, and what is left alone."""
    chosen = choose(wants("llama-3.1-70b"), (*gpus("4x80"), Gpu(9, "small", 24 * GIB)), notes=["GPU 5 is busy"])
    lines = chosen.text.splitlines()
    assert lines[1:4] == [
        "# GPUs: 4 x 79.6 GiB (NVIDIA H100 80GB HBM3) and 1 x 24.0 GiB (small)",
        "# GPU 5 is busy",
        "# Not used: GPU 9",
    ]
    assert "  tensor_parallel_size: 4 # 32.9 GiB of weights on each; 64 heads divide by 4" in lines
    assert chosen.reasons["model"]["max_model_len"] == "the longest question and answer"
    assert set(chosen.reasons["model"]) >= {"model", "gpus", "tensor_parallel_size", "gpu_memory_utilization"}


def test_the_judge_of_hardmultiqa_is_served_as_its_description_says():
    """Text alone, reasoning apart, a bound for sequences that each keep a state."""
    entry = choose(wants("qwen3-8b", JUDGE), gpus("1x141")).plan.judge
    assert (entry.reasoning_parser, entry.extra_args, entry.max_num_seqs) == ("qwen3", ("--language-model-only",), 31)
    assert entry.max_model_len == 8192


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(MODELS),
    st.none() | st.sampled_from(MODELS),
    st.sampled_from(INVENTORIES),
    st.integers(1000, 200_000),
    st.booleans(),
)
def test_every_plan_can_run(tmp_path_factory, model, judge, machine, context, python):
    """It reads as it was made, has no mistake that the checks know, and asks no GPU for more than it has."""
    pair = [dataclasses.replace(want, context=context) for want in wants(model, judge)]
    if best(pair, gpus(machine)) is None:
        with pytest.raises(CannotFit, match="Would fit: "):
            choose(pair, gpus(machine))
        return
    chosen = choose(pair, gpus(machine), python="/bin/sh" if python else None)
    path = tmp_path_factory.mktemp("plan") / "serving.yaml"
    path.write_text(chosen.text, encoding="utf-8")
    assert read_serving(path) == dataclasses.replace(chosen.plan, path=path)
    problems = check_plan(chosen.plan, is_free=every_port, gpu_count=lambda: None)
    assert [problem for problem in problems if "there is no program" not in problem] == []
    taken: dict[int, float] = {}
    for server in best(pair, gpus(machine)):
        assert server.want.facts.undivided(server.tensor) is None
        assert min(LEAST_CONTEXT, server.want.longest) <= server.context <= server.want.longest
        assert server.held >= FEWEST
        size = server.held * sequence_bytes(server.want.facts, server.tensor, server.context)
        assert server.want.facts.weight_bytes / server.tensor + size <= server.share * server.gpus[0].total
        for gpu in server.gpus:
            taken[gpu.number] = taken.get(gpu.number, 0) + server.share
    assert max(taken.values()) <= MOST_SHARED + 1e-9
