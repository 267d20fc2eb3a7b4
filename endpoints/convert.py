"""Turns a GGUF file into the model folder that servers read, in a process of its own.

The command is ``python -m endpoints.convert FILE.gguf FOLDER DTYPE``. The process imports torch and takes over a
gigabyte of memory; both are gone when it ends, and a run that only scores saved answers never starts it.
"""

import sys
from pathlib import Path

__all__ = ["convert"]


def convert(gguf: Path, folder: Path, dtype: str) -> None:
    """Write configuration, tokenizer, chat template and dequantized weights.

    Args:
        gguf: the GGUF file, in any quantization that transformers reads.
        folder: the folder to write, made if it does not exist.
        dtype: name of the weights' torch type, such as ``bfloat16``.

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
