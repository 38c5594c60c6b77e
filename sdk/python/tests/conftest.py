from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Iterator

import pytest
from real_node import BINARY, RealNode

from holdfast import Holdfast


@pytest.fixture(scope="module")
def node() -> Iterator[RealNode]:
    """A node that serves requests, one for the tests of a module."""
    if not BINARY:
        pytest.skip("HOLDFAST_BINARY does not name the program `holdfast`")
    if not pathlib.Path(BINARY).is_file():
        pytest.skip(f"HOLDFAST_BINARY names {BINARY}, which is not there")
    with tempfile.TemporaryDirectory(prefix="holdfast-sdk-") as scratch:
        os.chmod(scratch, 0o711)  # for the user of the private database, where this one is root
        running = RealNode(pathlib.Path(scratch) / "data", "webhooks.allowed_networks=127.0.0.0/8")
        try:
            running.start()
            yield running
        finally:
            running.stop()


@pytest.fixture
def client(node: RealNode) -> Iterator[Holdfast]:
    with node.client() as made:
        yield made


@pytest.fixture
def queue(request: pytest.FixtureRequest) -> str:
    """A name for a queue of the test alone."""
    return request.node.name.replace("[", ".").replace("]", "")[-64:].strip("_.")
