"""The GPUs of a machine: listed by nvidia-smi, given, named, busy, hidden."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizing_cases import listing

from endpoints.errors import EndpointError
from endpoints.serving.gpus import GIB, Gpu, available, given_gpus, gpu_numbers, parse_gpus, read_gpus

MIXED = parse_gpus(listing("2x24+2x80"))
BUSY = parse_gpus(listing("4x80-busy"))


def numbers(gpus):
    """Their numbers."""
    return [gpu.number for gpu in gpus]


def test_a_listing():
    """Names and memory, in bytes."""
    assert MIXED[2] == Gpu(2, "NVIDIA H100 80GB HBM3", 81_559 * 2**20, 4 * 2**20)
    assert numbers(MIXED) == [0, 1, 2, 3]


def test_a_name_may_hold_a_comma():
    """The first and the last two fields are what they are."""
    assert parse_gpus("0, Maker, Model 5, 1024, 3\n") == (Gpu(0, "Maker, Model 5", 2**30, 3 * 2**20),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lists no GPU"),
        ("No devices were found\n", "'No devices were found', which tells no memory"),
        ("0, NVIDIA GB10, [N/A], [N/A]\n", "[N/A]', which tells no memory"),
        ("0, NVIDIA H100, 81559\n", "tells no memory"),
        ("0, NVIDIA H100, 0, 0\n", "tells no memory"),
    ],
)
def test_a_listing_that_tells_nothing(text, words):
    """It is quoted, with what to give instead."""
    with pytest.raises(EndpointError) as refused:
        parse_gpus(text)
    assert words in str(refused.value)
    assert "--gpu-memory 4x80" in str(refused.value)


def script(folder, text):
    """A program nvidia-smi."""
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def test_the_program_is_asked(tmp_path, monkeypatch):
    """With the query whose output is recorded."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EndpointError, match="no nvidia-smi on this machine; say which GPUs there are"):
        read_gpus()
    script(tmp_path, 'echo "7, $1 $2, 1024, 0"')
    query = "--query-gpu=index,name,memory.total,memory.used --format=csv,noheader,nounits"
    assert read_gpus() == (Gpu(7, query, 2**30),)
    script(tmp_path, "echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9")
    with pytest.raises(EndpointError, match="nvidia-smi fails: NVIDIA-SMI has failed"):
        read_gpus()


@pytest.mark.parametrize(
    ("wanted", "visible", "found"),
    [
        (None, None, [1, 2]),
        ((3, 0), None, [0, 3]),
        ((0,), "1", [0]),
        (None, "2", [2]),
        (None, "2,1", [1, 2]),
        (None, "1,9,2", [1]),
    ],
)
def test_which_are_used(wanted, visible, found):
    """All that are visible and free; those that the user names in any case."""
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert numbers(available(BUSY, wanted, environment)[0]) == found


def test_a_busy_gpu_is_left_alone_and_told():
    """Another program's work, not a screen."""
    assert available(BUSY, None, {})[1] == (
        "GPU 0 is left alone: 68.5 of its 79.6 GiB are in use",
        "GPU 3 is left alone: 59.6 of its 79.6 GiB are in use",
    )
    screen = (Gpu(0, "", 24 * GIB, GIB),)
    assert available(screen, None, {}) == (screen, ())


@pytest.mark.parametrize(
    ("wanted", "visible", "words"),
    [
        ((4, 1), None, "--gpus: there is no GPU 4; there are 0, 1, 2, 3"),
        (None, "", "hides every GPU"),
        (None, "-1", "hides every GPU"),
        (None, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "by something else than numbers"),
        (None, "0,3", "no GPU is free"),
    ],
)
def test_none_is_left(wanted, visible, words):
    """The message names the way out."""
    with pytest.raises(EndpointError, match=words) as refused:
        available(BUSY, wanted, {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible})
    assert "--gpus" in str(refused.value)


def test_given_memory():
    """In GiB, counted from 0."""
    assert given_gpus("2x24,80") == (Gpu(0, "", 24 * GIB), Gpu(1, "", 24 * GIB), Gpu(2, "", 80 * GIB))
    assert given_gpus("79.6")[0].total == int(79.6 * GIB)


@pytest.mark.parametrize("text", ["", "x", "0", "0x80", "4x", "4*80", "4x80,", "-1", "80GB"])
def test_given_memory_of_another_form(text):
    """The form is named."""
    with pytest.raises(ValueError, match="such as 80, 4x80 or 2x24,2x80"):
        given_gpus(text)


def test_numbers():
    """Ranges and single ones."""
    assert gpu_numbers("0-3,6") == (0, 1, 2, 3, 6)
    assert gpu_numbers("2") == (2,)


@pytest.mark.parametrize("text", ["", "a", "3-1", "0,,1", "0-", "-1", "0;1", "0,0", "0-2,1"])
def test_numbers_of_another_form(text):
    """The text is quoted."""
    with pytest.raises(ValueError, match=r"is no list of GPU numbers|names a GPU twice"):
        gpu_numbers(text)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    """Nothing but the two errors."""
    for read in (given_gpus, gpu_numbers):
        with contextlib.suppress(ValueError):
            assert read(text)
    with contextlib.suppress(EndpointError):
        assert parse_gpus(text)
