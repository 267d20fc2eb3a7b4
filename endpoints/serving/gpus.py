"""The GPUs of this machine and what is free on them, from ``nvidia-smi`` or as the user gives them."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from endpoints.errors import EndpointError, one_line

__all__ = ["GIB", "QUERY", "Gpu", "available", "given_gpus", "gpu_numbers", "parse_gpus", "read_gpus"]

GIB: Final = 2**30
_MIB: Final = 2**20
QUERY: Final = (
    "nvidia-smi",
    "--query-gpu=index,name,memory.total,memory.used",
    "--format=csv,noheader,nounits",
)
_QUERY_S: Final = 60.0  # the driver needs many seconds where it does not stay loaded
# Screens and resting contexts take less. What takes more is another program's work.
_BUSY: Final = 0.1
_ADVICE: Final = (
    "say which GPUs there are with --gpu-memory, in GiB (--gpu-memory 4x80), give a serving file to --serve, "
    "or the URL of a running server to --base-url"
)
_KIND: Final = re.compile(r"(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,2})?)")
_RANGE: Final = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU.

    Attributes:
        number: its number, counted as nvidia-smi counts (in the order of the PCI bus).
        name: its maker's name for it; empty if it is not known.
        total: bytes of memory.
        used: bytes of them that are in use.
    """

    number: int
    name: str
    total: int
    used: int = 0

    @property
    def busy(self) -> bool:
        """Whether another program seems to work on it."""
        return self.used > _BUSY * self.total


def read_gpus() -> tuple[Gpu, ...]:
    """The GPUs that ``nvidia-smi`` lists.

    Raises:
        EndpointError: it is not there, fails, or lists none; the message says what to give instead.
    """
    try:
        done = subprocess.run(
            QUERY, capture_output=True, encoding="utf-8", errors="replace", timeout=_QUERY_S, check=False
        )
    except FileNotFoundError:
        raise EndpointError(f"--serve auto found no GPU: there is no nvidia-smi on this machine; {_ADVICE}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EndpointError(f"--serve auto: nvidia-smi cannot be asked ({one_line(str(error))}); {_ADVICE}") from error
    if done.returncode:
        said = one_line(done.stdout.strip() or done.stderr.strip()) or f"exit status {done.returncode}"
        raise EndpointError(f"--serve auto: nvidia-smi fails: {said}; {_ADVICE}")
    return parse_gpus(done.stdout)


def parse_gpus(text: str) -> tuple[Gpu, ...]:
    """Read what :data:`QUERY` prints: a line a GPU, memory in MiB.

    Raises:
        EndpointError: a line is something else, or there is none.
    """
    gpus = []
    for line in filter(str.strip, text.splitlines()):
        # A name may hold a comma.
        first, _, rest = line.partition(",")
        name, *memory = (part.strip() for part in rest.rsplit(",", 2))
        told = len(memory) == 2 and all(part.isascii() and part.isdecimal() for part in (first.strip(), *memory))
        if not told or not int(memory[0]):
            raise EndpointError(f"--serve auto: nvidia-smi says {one_line(line)!r}, which tells no memory; {_ADVICE}")
        gpus.append(Gpu(int(first), name, int(memory[0]) * _MIB, int(memory[1]) * _MIB))
    if not gpus:
        raise EndpointError(f"--serve auto: nvidia-smi lists no GPU; {_ADVICE}")
    return tuple(gpus)


def given_gpus(text: str) -> tuple[Gpu, ...]:
    """The GPUs of ``--gpu-memory``: ``80`` or ``4x80``, several with commas between them; counted from 0.

    Raises:
        ValueError: the text has another form.
    """
    gpus: list[Gpu] = []
    for part in text.split(","):
        found = _KIND.fullmatch(part.strip())
        count, size = (int(found[1] or 1), float(found[2])) if found else (0, 0.0)
        if not count or not size:
            raise ValueError(f"{text!r} is not the memory of GPUs in GiB, such as 80, 4x80 or 2x24,2x80")
        gpus += [Gpu(len(gpus) + place, "", int(size * GIB)) for place in range(count)]
    return tuple(gpus)


def gpu_numbers(text: str) -> tuple[int, ...]:
    """The numbers in a list such as ``0-3,6``.

    Raises:
        ValueError: the text has another form, or names a GPU twice.
    """
    numbers: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            raise ValueError(f"{text!r} is no list of GPU numbers, such as 0-7 or 0,2")
        numbers += range(first, last + 1)
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"{text!r} names a GPU twice")
    return tuple(numbers)


def available(
    gpus: Sequence[Gpu], wanted: Sequence[int] | None, environment: Mapping[str, str] = os.environ
) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """The GPUs that a plan may use, and a sentence for each that it leaves alone.

    Args:
        gpus: those of the machine.
        wanted: numbers of those that the user names, which are taken even if they are busy; None for all that
            CUDA_VISIBLE_DEVICES allows and no other program works on.
        environment: holds CUDA_VISIBLE_DEVICES, which a cluster's scheduler sets.

    Raises:
        EndpointError: none is left, or one that is named is not there.
    """
    by_number = {gpu.number: gpu for gpu in gpus}
    if wanted is None:
        numbers, notes = _visible(by_number, environment.get("CUDA_VISIBLE_DEVICES")), []
        for number in (number for number in numbers if by_number[number].busy):
            gpu = by_number[number]
            notes.append(
                f"GPU {number} is left alone: {gpu.used / GIB:.1f} of its {gpu.total / GIB:.1f} GiB are in use"
            )
        free = tuple(by_number[number] for number in numbers if not by_number[number].busy)
        if not free:
            raise EndpointError(
                f"--serve auto: no GPU is free ({'; '.join(notes)}): end what works there, or name GPUs with --gpus to "
                "use what is left of their memory"
            )
        return free, tuple(notes)
    absent = [number for number in wanted if number not in by_number]
    if absent:
        there = ", ".join(map(str, sorted(by_number)))
        raise EndpointError(f"--gpus: there is no GPU {', '.join(map(str, absent))}; there are {there}")
    return tuple(by_number[number] for number in sorted(wanted)), ()


def _visible(by_number: Mapping[int, Gpu], text: str | None) -> list[int]:
    """Numbers of the GPUs that CUDA_VISIBLE_DEVICES allows."""
    if text is None:
        return sorted(by_number)
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        what = "hides every GPU" if text.strip() in ("", "NoDevFiles") else "names GPUs by something else than numbers"
        raise EndpointError(
            f"--serve auto: CUDA_VISIBLE_DEVICES={text} {what}: name those to use with --gpus"
        ) from None
    # As CUDA has it: what comes after a number that is not there does not count.
    good = next((place for place, number in enumerate(numbers) if number not in by_number), len(numbers))
    if not good:
        raise EndpointError(f"--serve auto: CUDA_VISIBLE_DEVICES={text} hides every GPU: name those to use with --gpus")
    return sorted(numbers[:good])
