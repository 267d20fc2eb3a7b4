"""What sizing has to know of a model, from its ``config.json`` and the size of its weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from endpoints.errors import EndpointError, one_line

__all__ = ["ModelFacts", "facts_of"]

_BYTES: Final[Mapping[str, int]] = {"float32": 4, "bfloat16": 2, "float16": 2}
_SERVED: Final = 2  # bytes of a value in the cache, and of a weight that is not quantized
_STATE_VALUE: Final = 4  # vLLM keeps the states of linear attention in float32 where the config does not say
# Where configs keep the language model of a model for several kinds of input.
_INNER: Final = ("text_config", "language_config", "llm_config")
_KV_HEADS: Final = ("num_key_value_heads", "num_kv_heads", "multi_query_group_num")
_EXPERTS: Final = ("num_experts", "num_local_experts", "n_routed_experts")
_LINEAR_HEADS: Final = {"linear_num_key_heads": "key heads", "linear_num_value_heads": "value heads"}
_LINEAR_SIZES: Final = ("linear_key_head_dim", "linear_value_head_dim", "linear_conv_kernel_dim")
# Keys that a config may lack; some models have a list there, a number for each layer.
_OPTIONAL: Final = (*_KV_HEADS, *_EXPERTS, "head_dim", "qk_rope_head_dim", *_LINEAR_HEADS, *_LINEAR_SIZES)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One model's size and shape.

    Attributes:
        name: the model's name on the Hub, or its folder as the user wrote it.
        weight_bytes: bytes of all weights in the type in which they are served.
        dtype: type in which they are served (of what is not quantized).
        parameters: number of parameters; None where quantized weights hide it.
        quantization: the method and its bits, for people; None for plain weights.
        context: most tokens of a sequence.
        units: what tensor parallelism divides among GPUs, as name -> number of parts that cannot be divided further.
        kv_heads: number of key and value heads; 0 where all GPUs keep the same compressed ones (MLA).
        cache_bytes: bytes that one token takes in the cache, over all layers and key and value heads.
        state_bytes: bytes that one sequence takes whatever its length (linear attention).
        experts: number of experts of a layer; 0 for a dense model.
        multimodal: whether it also takes images or sound.
        own_code: whether its config names Python code that comes with it.
        kind: the config's ``model_type``.
        folder: full path of its folder; None for a name on the Hub.
    """

    name: str
    weight_bytes: int
    dtype: str
    parameters: int | None
    quantization: str | None
    context: int
    units: Mapping[str, int]
    kv_heads: int
    cache_bytes: int
    state_bytes: int = 0
    experts: int = 0
    multimodal: bool = False
    own_code: bool = False
    kind: str = ""
    folder: str | None = None

    def cache_bytes_on(self, gpus: int) -> int:
        """Bytes that one token takes on each of the GPUs that share a layer.

        vLLM divides the heads of keys and values; where there are fewer heads than GPUs each GPU keeps one, and a
        compressed cache (MLA) is kept whole on every GPU.
        """
        return self.cache_bytes // min(gpus, self.kv_heads) if self.kv_heads else self.cache_bytes

    def undivided(self, gpus: int) -> str | None:
        """Why vLLM cannot divide the model's layers among a number of GPUs; None if it can."""
        for what, number in self.units.items():
            if number % gpus:
                return f"{number} {what} do not divide by {gpus}"
        small, large = sorted((gpus, self.kv_heads or gpus))
        return f"{self.kv_heads} key and value heads do not divide by {gpus}" if large % small else None


def facts_of(name: str, config: Mapping[str, Any], stored_bytes: int | None) -> ModelFacts:
    """The facts that a config and the size of the stored weights tell.

    Args:
        name: the model's name or folder.
        config: the content of ``config.json``.
        stored_bytes: bytes of the weights in its files; None if it is not known.

    Raises:
        EndpointError: a number is missing, or is something else, without which nothing can be sized.
    """
    if stored_bytes is None:
        raise EndpointError(f"{name}: the size of its weights is not known")
    inner: Mapping[str, Any] = next((config[key] for key in _INNER if isinstance(config.get(key), dict)), {})
    shape = {**config, **inner}
    heads = _number(name, shape, "num_attention_heads", "n_head")
    layers = _number(name, shape, "num_hidden_layers", "n_layer")
    hidden = _number(name, shape, "hidden_size", "n_embd", "d_model")
    stored = str(shape.get("dtype") or shape.get("torch_dtype") or "bfloat16").removeprefix("torch.")
    quantization = config.get("quantization_config") or shape.get("quantization_config") or {}
    if not isinstance(quantization, dict):
        raise _unsized(name, "holds a quantization_config that is no object")
    for key in _OPTIONAL:
        found = shape.get(key)
        if found is not None and (isinstance(found, bool) or not isinstance(found, int) or found < 0):
            raise _unsized(name, f"gives {one_line(repr(found), 40)} for {key}")
    loaded = stored_bytes if quantization else stored_bytes * _SERVED // max(_SERVED, _BYTES.get(stored, _SERVED))
    attention, linear = _layers(shape, layers)
    kv_heads, per_layer = _cached(shape, heads, hidden)
    return ModelFacts(
        name=name,
        weight_bytes=loaded,
        dtype=stored if stored == "float16" else "bfloat16",
        parameters=None if quantization else loaded // _SERVED,
        quantization=_method(quantization),
        context=_context(name, shape),
        units={"attention heads": heads, **_linear_units(shape, linear), **_feed_forward_units(shape, quantization)},
        kv_heads=kv_heads,
        cache_bytes=attention * per_layer * _SERVED,
        state_bytes=linear * _state(shape) if linear else 0,
        experts=int(_first(shape, *_EXPERTS) or 0),
        multimodal=any(isinstance(config.get(key), dict) for key in ("vision_config", "audio_config")),
        own_code=bool(config.get("auto_map")),
        kind=str(config.get("model_type") or ""),
    )


def _first(shape: Mapping[str, Any], *keys: str) -> Any:
    return next((shape[key] for key in keys if shape.get(key) is not None), None)


def _number(name: str, shape: Mapping[str, Any], *keys: str) -> int:
    found = _first(shape, *keys)
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise _unsized(name, f"gives no number for {' or '.join(keys)}")
    return found


def _unsized(name: str, why: str) -> EndpointError:
    return EndpointError(
        f"{name}: its config.json {why}, so it cannot be sized: "
        "write a serving file (serving/reference.yaml has every key)"
    )


def _context(name: str, shape: Mapping[str, Any]) -> int:
    keys = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length")
    context = _number(name, shape, *keys)
    scaling = _first(shape, "rope_scaling", "rope_parameters")
    if isinstance(scaling, dict) and "yarn" in (scaling.get("rope_type"), scaling.get("type")):
        # As vLLM has it: the length of the training, stretched.
        return int((scaling.get("original_max_position_embeddings") or context) * (scaling.get("factor") or 1))
    return context


def _layers(shape: Mapping[str, Any], layers: int) -> tuple[int, int]:
    """Numbers of layers with a cache for every token, and of those with a state of one size.

    Layers with a sliding window count as if they kept every token: an upper bound.
    """
    kinds = _first(shape, "layer_types", "layers_block_type")
    if isinstance(kinds, list) and kinds:
        full = sum("attention" in str(kind) and "linear" not in str(kind) for kind in kinds)
        return full, len(kinds) - full
    interval = shape.get("full_attention_interval")
    full = layers // interval if isinstance(interval, int) and interval > 0 else layers
    return full, layers - full


def _cached(shape: Mapping[str, Any], heads: int, hidden: int) -> tuple[int, int]:
    """Number of key and value heads (0: a compressed cache that is not divided), and values a token and layer."""
    rank = shape.get("kv_lora_rank")
    if isinstance(rank, int) and rank > 0:
        return 0, rank + int(shape.get("qk_rope_head_dim") or 0)
    kv_heads = _first(shape, *_KV_HEADS)
    if kv_heads is None:
        kv_heads = 1 if shape.get("multi_query") else heads
    return int(kv_heads), 2 * int(kv_heads) * int(shape.get("head_dim") or hidden // heads)


def _linear_units(shape: Mapping[str, Any], linear: int) -> dict[str, int]:
    heads = {what: shape[key] for key, what in _LINEAR_HEADS.items() if linear and shape.get(key)}
    return {f"{what} of linear attention": number for what, number in heads.items()}


def _state(shape: Mapping[str, Any]) -> int:
    """Bytes of a sequence's state in one layer of linear attention (gated delta net); 0 for an unknown kind."""
    keys = int(shape.get("linear_num_key_heads") or 0) * int(shape.get("linear_key_head_dim") or 0)
    values = int(shape.get("linear_num_value_heads") or 0) * int(shape.get("linear_value_head_dim") or 0)
    kernel = int(shape.get("linear_conv_kernel_dim") or 1)
    recurrent = values * int(shape.get("linear_key_head_dim") or 0) * _STATE_VALUE
    return recurrent + (2 * keys + values) * (kernel - 1) * _SERVED


def _feed_forward_units(shape: Mapping[str, Any], quantization: Mapping[str, Any]) -> dict[str, int]:
    """Parts of the feed-forward layers: columns, or the blocks in which they are quantized, which stay whole."""
    block = _block(quantization)
    units = {}
    names = {"intermediate_size": "feed-forward layer", "moe_intermediate_size": "experts' layers"}
    experts = bool(_first(shape, *_EXPERTS))
    for key, what in names.items():
        columns = shape.get(key)
        # Qwen's MoE configs name the width of a dense layer that none of their layers is.
        unused = key == "intermediate_size" and experts and shape.get("moe_intermediate_size")
        if not isinstance(columns, int) or columns < 1 or (unused and not _has_dense(shape)):
            continue
        whole = block > 1 and columns % block == 0
        units[f"blocks of {block} columns of the {what}" if whole else f"columns of the {what}"] = (
            columns // block if whole else columns
        )
    return units


def _has_dense(shape: Mapping[str, Any]) -> bool:
    return bool(shape.get("first_k_dense_replace") or shape.get("mlp_only_layers"))


def _block(quantization: Mapping[str, Any]) -> int:
    """Number of columns that are quantized together; 1 where any number can be split off."""
    block = quantization.get("weight_block_size")
    if isinstance(block, list) and block:
        return block[0] if isinstance(block[0], int) and block[0] > 0 else 1
    groups = quantization.get("config_groups")
    schemes = (
        [group.get("weights") for group in groups.values() if isinstance(group, dict)]
        if isinstance(groups, dict)
        else []
    )
    inner = next((scheme.get("group_size") for scheme in schemes if isinstance(scheme, dict)), None)
    size = quantization.get("group_size") or quantization.get("q_group_size") or inner
    return size if isinstance(size, int) and size > 0 else 1


def _method(quantization: Mapping[str, Any]) -> str | None:
    if not quantization:
        return None
    method = str(quantization.get("quant_method") or quantization.get("quant_algo") or "a method of its own")
    bits = quantization.get("bits") or quantization.get("w_bit")
    return f"{method}, {bits} bits" if bits else method
