"""Reading what a vLLM server says of its load."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.metrics_text import Reading, read_load, samples, together
from endpoints.reply import BadReplyError

# As vLLM 0.11 writes it, shortened.
TEXT = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="tiny"} 12.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="tiny"} 3.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="tiny",reason="capacity"} 3.0
vllm:kv_cache_usage_perc{engine="0",model_name="tiny"} 0.25
vllm:prefix_cache_queries_total{engine="0",model_name="tiny"} 1000.0
vllm:prefix_cache_queries_created{engine="0",model_name="tiny"} 1.7e+09
vllm:prefix_cache_hits_total{engine="0",model_name="tiny"} 250.0
vllm:num_preemptions_total{engine="0",model_name="tiny"} 2.0
vllm:generation_tokens_total{engine="0",model_name="tiny"} 1.2345e+04
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="tiny"} 7.0
"""
READ = Reading(12, 3, 0.25, 2, 12_345, 1000, 250)


def test_a_server_of_one_engine():
    assert read_load(TEXT.encode()) == READ


def test_engines_are_added():
    """Counts of all engines; of shares of a cache the largest."""
    second = TEXT.replace('engine="0"', 'engine="1"').replace(" 0.25", " 0.75")
    assert read_load((TEXT + second).encode()) == Reading(24, 6, 0.75, 4, 24_690, 2000, 500)


def test_the_earlier_names():
    text = TEXT.replace("vllm:kv_cache", "vllm:gpu_cache").replace("vllm:prefix_cache", "vllm:gpu_prefix_cache")
    assert read_load(text.encode()) == READ


def test_what_is_not_told_is_not_zero():
    text = "vllm:num_requests_running 1\nvllm:num_requests_waiting 0\n"
    assert read_load(text.encode()) == Reading(1, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><title>It works</title>",
        b'{"vllm:num_requests_running": 1, "vllm:num_requests_waiting": 2}',
        b"sglang:num_running_reqs 1\n",
        b"vllm:num_requests_running 1\n",
        b'vllm:num_requests_running 1\nvllm:num_requests_waiting_by_reason{reason="capacity"} 1\n',
        b"vllm:num_requests_running NaN\nvllm:num_requests_waiting 0\n",
        b"vllm:num_requests_running -1\nvllm:num_requests_waiting 0\n",
        b"vllm:num_requests_running one\nvllm:num_requests_waiting 0\n",
        b"vllm:num_requests_running 1e308\nvllm:num_requests_running 1e308\nvllm:num_requests_waiting 0\n",
        b"\xff\xfe\x00",
    ],
)
def test_no_such_metrics(body):
    with pytest.raises(BadReplyError, match="how many requests run and wait"):
        read_load(body)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a 1", [("a", 1.0)]),
        ('a{b="}"} 2', [("a", 2.0)]),
        (r'a{b="\"}",c="{"} 3 1700000000000', [("a", 3.0)]),
        ('a{} 4 # {trace="x"} 0.5', [("a", 4.0)]),
        ("  a\t5  ", [("a", 5.0)]),
        ("a +Inf", []),
        ("a", []),
        ("# a 1", []),
        ("a{b=1 2", []),
        ("1a 1", []),
        ("a 1 2 3", []),
    ],
)
def test_lines(line, found):
    """Labels may hold anything in quotes; what is no sample is passed over."""
    assert list(samples(line)) == found


@given(st.binary(max_size=200))
def test_any_bytes(body):
    """A reading or the one error, whatever comes."""
    with contextlib.suppress(BadReplyError):
        assert read_load(body).running >= 0


@pytest.mark.timeout(30)
@pytest.mark.parametrize("piece", [" ", "\t", "{", '{"', '{a="b",', "1", " 1", " #", "\\", '\\"'])
@pytest.mark.parametrize(
    "start", ["vllm:num_requests_running", 'vllm:num_requests_running{a="', "vllm:num_requests_running 1"]
)
def test_long_lines(start, piece):
    """One line of half a million characters is looked at once."""
    with contextlib.suppress(BadReplyError):
        read_load((start + piece * (500_000 // len(piece))).encode())


def test_servers_together():
    """Sums, the fullest cache; what one server does not tell is told of none."""
    assert together([READ, READ]) == Reading(24, 6, 0.25, 4, 24_690, 2000, 500)
    assert together([READ, Reading(1, 1, 0.5)]) == Reading(13, 4, 0.5)
