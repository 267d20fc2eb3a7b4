"""Turn a GGUF file into the plain model folder that servers read, in a process of its own.

Run as ``python -m endpoints.convert FILE.gguf FOLDER DTYPE``: torch and over a gigabyte of memory come and go with this
process, and a run that only scores saved answers never pays for them.
"""

import sys
from pathlib import Path

__all__ = ["convert"]


def convert(gguf: Path, folder: Path, dtype: str) -> None:
    """Write configuration, tokenizer, chat template and dequantized weights.

    Args:
        gguf: the file, any quantization that transformers reads.
        folder: where to write; made if absent.
        dtype: name of a torch type for the weights, such as ``bfloat16``.

    Raises:
        OSError, ValueError: transformers cannot read the file.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=getattr(torch, dtype),
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
