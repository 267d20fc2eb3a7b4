"""Chooses GPUs, tensor parallelism, replicas, shares of memory and context for a model and its judge.

Everything is arithmetic over what :mod:`endpoints.serving.model_facts` and :mod:`endpoints.serving.gpus` read. On each
GPU of a server lie its part of the weights, :data:`OVERHEAD`, and the cache of keys and values, which takes the rest of
the server's share. Every way to place the servers is tried, and the best one by :meth:`_Placement.rank` is taken.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from endpoints.serving.checks import MOST_SHARED
from endpoints.serving.gpus import GIB, Gpu
from endpoints.serving.model_facts import ModelFacts
from endpoints.serving.plan import Role

__all__ = [
    "ALONE",
    "FEWEST",
    "LEAST_CONTEXT",
    "OVERHEAD",
    "Sized",
    "Want",
    "best",
    "fixed_bytes",
    "kinds",
    "sequence_bytes",
    "usable",
]

# vLLM's own default share for a server that has its GPUs to itself.
ALONE: Final = 0.9
# vLLM refuses a share that is not free when it starts; CUDA's context and what the driver keeps come on top of the
# memory in use that nvidia-smi shows.
_MARGIN: Final = 0.02
# Activations of a prefill of 8,192 tokens, logits and sampling of 256 sequences over the largest vocabularies (0.5 GiB
# as float32, three copies at most), and CUDA graphs: together 1 to 2 GiB for models of 1B to 70B.
OVERHEAD: Final = 2 * GIB
# NCCL's buffers, and those of vLLM's own all-reduce, where several GPUs share a layer.
_OVERHEAD_SHARED_LAYER: Final = GIB
# Sequences of the whole context that a cache has to hold at least: a lower context cuts answers, so it is lowered only
# where one long answer would stop all others.
FEWEST: Final = 2
# A context is lowered to this at most: no task's question leaves room for an answer in less.
LEAST_CONTEXT: Final = 4096
_STEP: Final = 1024  # a lowered context is a multiple of it


@dataclass(frozen=True, slots=True)
class Want:
    """One server that is wanted.

    Attributes:
        role: ``model`` or ``judge``.
        facts: of what it serves.
        context: tokens that its longest request takes, prompt and answer; None for all that the model can.
        sequences: number of sequences of the whole context at which its cache counts as large enough. Most take an
            eighth of it, so that 8 whole ones are room for about 64.
    """

    role: Role
    facts: ModelFacts
    context: int | None
    sequences: int = 8

    @property
    def longest(self) -> int:
        """The context that is wanted, which the model's own bounds."""
        return min(self.context or self.facts.context, self.facts.context)


@dataclass(frozen=True, slots=True)
class Sized:
    """A server's place and size.

    Attributes:
        want: what it serves, and what for.
        gpus: the GPUs of all replicas.
        tensor: number of GPUs that share each layer.
        share: gpu_memory_utilization.
        context: max_model_len.
        held: sequences of that length that the cache of one replica holds.
        together: whether the other server is on these GPUs too.
    """

    want: Want
    gpus: tuple[Gpu, ...]
    tensor: int
    share: float
    context: int
    held: int
    together: bool

    @property
    def replicas(self) -> int:
        """Number of servers."""
        return len(self.gpus) // self.tensor

    @property
    def lowered(self) -> bool:
        """Whether the context is less than what is wanted."""
        return self.context < self.want.longest


@dataclass(frozen=True, slots=True)
class _Placement:
    servers: tuple[Sized, ...]

    def rank(self) -> tuple[float, ...]:
        """The best placement has the greatest: in this order, contexts, a GPU for each, room in the caches, use."""
        used = {gpu.number: gpu.total for server in self.servers for gpu in server.gpus}
        tensors = [server.tensor for server in self.servers]
        return (
            -sum(server.lowered for server in self.servers),
            not any(server.together for server in self.servers),
            sum(server.held >= server.want.sequences for server in self.servers),
            sum(used.values()),
            min(sum(gpu.total for gpu in server.gpus) for server in self.servers),
            -sum(tensor & (tensor - 1) != 0 for tensor in tensors),
            # Copies of a model answer more than one model spread over as many GPUs.
            -sum(tensors),
        )


def best(wants: Sequence[Want], gpus: Sequence[Gpu]) -> tuple[Sized, ...] | None:
    """Place the servers that are wanted on GPUs.

    Args:
        wants: one or two.
        gpus: that may be used; one server's are always of one kind.

    Returns:
        the servers in the order of ``wants``; None if they fit in no way.
    """
    # max keeps the first of equals, and the order of what is tried is always the same.
    found = max(_placements(wants, kinds(gpus)), key=_Placement.rank, default=None)
    return None if found is None else found.servers


def kinds(gpus: Sequence[Gpu]) -> list[tuple[Gpu, ...]]:
    """The GPUs by kind; one server is never spread over two."""
    kinds: dict[tuple[str, int], list[Gpu]] = defaultdict(list)
    for gpu in gpus:
        kinds[gpu.name, round(gpu.total / GIB)].append(gpu)
    return [tuple(kind) for kind in kinds.values()]


def _placements(wants: Sequence[Want], kinds: Sequence[tuple[Gpu, ...]]) -> Iterator[_Placement]:
    if len(wants) == 1:
        for kind in kinds:
            for tensor in _tensors(wants[0].facts, len(kind)):
                for sized in _alone(wants[0], kind[: len(kind) // tensor * tensor], tensor):
                    yield _Placement((sized,))
        return
    first, second = wants
    for one, other in itertools.permutations(kinds, 2):
        for left in _placements([first], [one]):
            for right in _placements([second], [other]):
                yield _Placement(left.servers + right.servers)
    for kind in kinds:
        sizes = itertools.product(_tensors(first.facts, len(kind)), _tensors(second.facts, len(kind)))
        for of_first, of_second in sizes:
            yield from _split(first, second, kind, of_first, of_second)
            yield from _together(first, second, kind, of_first, of_second)


def _tensors(facts: ModelFacts, most: int) -> list[int]:
    return [number for number in range(1, most + 1) if facts.undivided(number) is None]


def _split(first: Want, second: Want, kind: tuple[Gpu, ...], of_first: int, of_second: int) -> Iterator[_Placement]:
    """The GPUs of one kind divided among two servers."""
    for end in range(of_first, len(kind) - of_second + 1, of_first):
        rest = kind[end:]
        for left in _alone(first, kind[:end], of_first):
            for right in _alone(second, rest[: len(rest) // of_second * of_second], of_second):
                yield _Placement((left, right))


def _together(first: Want, second: Want, kind: tuple[Gpu, ...], of_first: int, of_second: int) -> Iterator[_Placement]:
    """Both servers on the same GPUs, each with a share of their memory."""
    total = min(gpu.total for gpu in kind)
    tensors = (of_first, of_second)
    fixed = [fixed_bytes(want.facts, tensor) for want, tensor in zip((first, second), tensors, strict=True)]
    needs = [
        want.sequences * sequence_bytes(want.facts, tensor, want.longest)
        for want, tensor in zip((first, second), tensors, strict=True)
    ]
    room = usable(kind, MOST_SHARED) * total
    rest = room - sum(fixed)
    if rest <= 0:
        return
    # What the caches get goes by what they need, whether that is more than there is or less.
    first_share = _floor((fixed[0] + rest * needs[0] / sum(needs)) / total)
    shares = (first_share, _floor(room / total - first_share))
    sized = [
        _sized(want, kind[: len(kind) // tensor * tensor], tensor, share, together=True)
        for want, tensor, share in zip((first, second), tensors, shares, strict=True)
    ]
    if sized[0] is not None and sized[1] is not None:
        yield _Placement((sized[0], sized[1]))


def _alone(want: Want, gpus: tuple[Gpu, ...], tensor: int) -> Iterator[Sized]:
    sized = _sized(want, gpus, tensor, usable(gpus, ALONE), together=False)
    if sized is not None:
        yield sized


def usable(gpus: Sequence[Gpu], most: float) -> float:
    """The share of each GPU's memory that servers may use: ``most``, or what is free on the fullest, less a margin."""
    free = min((gpu.total - gpu.used) / gpu.total for gpu in gpus)
    return _floor(min(most, free - _MARGIN))


def _floor(share: float) -> float:
    """The share with two decimals, so that shares never come to more than they may."""
    return int(share * 100 + 1e-6) / 100


def fixed_bytes(facts: ModelFacts, tensor: int) -> float:
    """Bytes on each GPU that are no cache."""
    return facts.weight_bytes / tensor + OVERHEAD + (_OVERHEAD_SHARED_LAYER if tensor > 1 else 0)


def sequence_bytes(facts: ModelFacts, tensor: int, tokens: int) -> int:
    """Bytes of cache that a sequence of so many tokens takes on each of ``tensor`` GPUs."""
    return facts.cache_bytes_on(tensor) * tokens + facts.state_bytes // tensor


def _sized(want: Want, gpus: tuple[Gpu, ...], tensor: int, share: float, *, together: bool) -> Sized | None:
    """A server with so much memory; None if that is too little."""
    facts = want.facts
    cache = share * min(gpu.total for gpu in gpus) - fixed_bytes(facts, tensor)
    context = want.longest
    if cache < FEWEST * sequence_bytes(facts, tensor, context):
        left = cache / FEWEST - facts.state_bytes // tensor
        context = int(left // facts.cache_bytes_on(tensor)) // _STEP * _STEP if facts.cache_bytes else 0
        if context < min(LEAST_CONTEXT, want.longest):
            return None
    held = int(cache // max(1, sequence_bytes(facts, tensor, context)))
    return Sized(want, gpus, tensor, share, context, held, together)
