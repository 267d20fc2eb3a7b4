"""Fixtures of the end-to-end tests."""

from collections.abc import Iterator

import pytest
from vllm_server import VllmServer, running_vllm


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory) -> Iterator[VllmServer]:
    """One vLLM for the session. A server that cannot be had is a failure, never a skip."""
    with running_vllm(tmp_path_factory.mktemp("vllm")) as server:
        yield server
