"""Configs of models and listings of GPUs for the tests of sizing.

They were written down from the published figures of models and cards, with the keys that sizing reads; none was
downloaded or taken from a machine with GPUs. The config of smollm2-135m and the size of its weights are as its folder
has them. The sizes of the FP8, AWQ and Qwen3.5 weights are rounded.
"""

import json
from pathlib import Path

from endpoints.serving.gpus import Gpu, available, parse_gpus
from endpoints.serving.model_facts import ModelFacts, facts_of
from endpoints.serving.sizing import Want

RECORDED = Path(__file__).with_name("serving")
MODELS = sorted(path.stem for path in (RECORDED / "models").glob("*.json"))
INVENTORIES = sorted(path.stem for path in (RECORDED / "gpus").glob("*.csv"))
# IFHardBench: 4,096 tokens for the prompt, 16,384 for the answer.
CONTEXT = 20_480
JUDGE = "qwen3.5-35b-a3b"


def recorded(model: str) -> dict:
    """The keys of a config, and the size that the index of the weights states."""
    return json.loads((RECORDED / "models" / f"{model}.json").read_text(encoding="utf-8"))


def facts(model: str) -> ModelFacts:
    """Facts of a model."""
    found = recorded(model)
    return facts_of(model, found["config"], found["total_size"])


def listing(inventory: str) -> str:
    """What nvidia-smi prints on a machine."""
    return (RECORDED / "gpus" / f"{inventory}.csv").read_text(encoding="utf-8")


def gpus(inventory: str) -> tuple[Gpu, ...]:
    """The GPUs of a machine that are free."""
    return available(parse_gpus(listing(inventory)), None, {})[0]


def wants(model: str, judge: str | None = None) -> list[Want]:
    """A model with the context of IFHardBench, and its judge."""
    return [
        Want("model", facts(model), CONTEXT),
        *([Want("judge", facts(judge), 8192, 16)] if judge is not None else []),
    ]
