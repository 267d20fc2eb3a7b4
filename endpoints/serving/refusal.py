"""Says why servers do not fit on the GPUs there are, and what would: more or larger GPUs, or a quantized version."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from endpoints.serving.gpus import GIB, Gpu
from endpoints.serving.model_facts import ModelFacts
from endpoints.serving.sizing import (
    ALONE,
    FEWEST,
    LEAST_CONTEXT,
    Want,
    best,
    fixed_bytes,
    kinds,
    sequence_bytes,
    usable,
)

__all__ = ["kind_words", "refusal", "weights_words"]

# Bytes of a weight in versions that many models have: of 8 bits, and of 4 bits, each with its scales.
_VERSIONS: Final[Mapping[str, float]] = {"an FP8 version": 1.03, "a version of 4 bits (AWQ or GPTQ)": 0.58}
_COUNTS: Final = (2, 4, 8, 16, 32)
_NODE: Final = 8
_IDLE: Final = 0.02  # of a GPU's memory in use: no program works there
_SIZES: Final = (24, 48, 80, 141, 180)


def refusal(wants: Sequence[Want], gpus: Sequence[Gpu]) -> str:
    """Why the servers fit on these GPUs in no way, and what would fit; several lines."""
    heaviest = max(wants, key=lambda want: want.facts.weight_bytes)
    lines = [f"--serve auto: {' and '.join(want.facts.name for want in wants)} cannot be served on {_words(gpus)}."]
    alone = [want.role for want in wants if best([want], gpus) is not None]
    for want in wants:
        need = "" if want.role in alone else f"; {_need(want, gpus)}"
        lines.append(f"  {want.role}: {weights_words(want.facts)}{need}")
        widest = 0 if want.role in alone else max(map(len, kinds(gpus)))
        for number in (number for number in _COUNTS if number <= widest):
            why = want.facts.undivided(number)
            if why is not None:
                lines.append(f"  {want.role}: not over {number} GPUs: {why}")
    would = [*_other_gpus(wants, gpus), *_other_versions(wants, heaviest, gpus)]
    if len(wants) > 1:
        elsewhere = {"model": "the judge elsewhere (--judge-base-url)", "judge": "the model elsewhere (--base-url)"}
        would += [f"the {role} here and {elsewhere[role]}" for role in alone]
    lines.append(f"  Would fit: {'; '.join(would)}." if would else "  A smaller or quantized model is needed.")
    return "\n".join(lines)


def _need(want: Want, gpus: Sequence[Gpu]) -> str:
    """What the server needs on each GPU when it is spread as widely as can be, and what there is."""
    kind = max(kinds(gpus), key=lambda kind: (sum(gpu.total for gpu in kind), kind[0].total))
    tensor = max(number for number in range(1, len(kind) + 1) if want.facts.undivided(number) is None)
    cache = FEWEST * sequence_bytes(want.facts, tensor, min(want.longest, LEAST_CONTEXT))
    part = (fixed_bytes(want.facts, tensor) + cache) / GIB
    over = f"on each of {tensor} GPUs" if tensor > 1 else "on one GPU"
    room = usable(kind, ALONE) * kind[0].total / GIB
    return f"{over} it takes {part:.1f} GiB at least, and vLLM may use {room:.1f}"


def _words(gpus: Sequence[Gpu]) -> str:
    return " and ".join(kind_words(kind) for kind in kinds(gpus))


def kind_words(kind: Sequence[Gpu]) -> str:
    """Number, memory and name of GPUs of one kind."""
    name = f" ({kind[0].name})" if kind[0].name else ""
    return f"{len(kind)} x {kind[0].total / GIB:.1f} GiB{name}"


def weights_words(facts: ModelFacts) -> str:
    """The size of a model's weights, and why it is that."""
    size = f"{facts.weight_bytes / GIB:.1f} GiB of weights"
    if facts.parameters is None:
        return f"{size} ({facts.quantization})"
    small = facts.parameters < 1e9
    number = f"{facts.parameters / 1e6:.0f} million" if small else f"{facts.parameters / 1e9:.1f} billion"
    return f"{size} ({number} parameters in {facts.dtype})"


def _other_gpus(wants: Sequence[Want], gpus: Sequence[Gpu]) -> Iterator[str]:
    """The least number of the largest GPUs there are, and the least memory of as many, on which all would fit."""
    largest = max(kinds(gpus), key=lambda kind: kind[0].total)
    total = largest[0].total
    if any(gpu.used > _IDLE * gpu.total for gpu in gpus) and _fits(wants, len(gpus), total):
        yield "these GPUs with nothing else on them"
        return
    more = next((count for count in _COUNTS if count > len(largest) and _fits(wants, count, total)), None)
    if more is not None:
        yield f"{more} such GPUs" + " (on several nodes: serving/ray-nodes.yaml)" * (more > _NODE)
    larger = next((size for size in _SIZES if size * GIB > total and _fits(wants, len(largest), size * GIB)), None)
    if larger is not None:
        yield f"{len(largest)} x {larger} GB"
    if more is None and larger is None:
        nodes = sorted(itertools.product((1, *_COUNTS), _SIZES), key=math.prod)
        yield from [f"{n} x {size} GB" for n, size in nodes if n <= _NODE and _fits(wants, n, size * GIB)][:1]


def _fits(wants: Sequence[Want], count: int, total: int) -> bool:
    return best(wants, [Gpu(number, "", total) for number in range(count)]) is not None


def _other_versions(wants: Sequence[Want], heaviest: Want, gpus: Sequence[Gpu]) -> Iterator[str]:
    """Quantized versions of the heaviest model that would fit."""
    facts = heaviest.facts
    if facts.parameters is None:
        return
    for what, size in _VERSIONS.items():
        smaller = dataclasses.replace(facts, weight_bytes=int(facts.parameters * size), parameters=None)
        others = [dataclasses.replace(want, facts=smaller) if want is heaviest else want for want in wants]
        if best(others, gpus) is not None:
            yield f"{what} of {facts.name} ({smaller.weight_bytes / GIB:.0f} GiB)"
            return
