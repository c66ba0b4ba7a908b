"""What all tests share: a fast linker, and memory that the collector leaves alone."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def fast_linker() -> Iterator[None]:
    """Let compilers link with gold where it is there: of a small program with sanitizers, bfd takes half the time."""
    gold = shutil.which("ld.gold")
    if gold is None:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="hlspart-linker-") as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder, "ld").symlink_to(gold)
        patch.setenv("COMPILER_PATH", folder, prepend=os.pathsep)
        yield


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(1_000_000, 50, 100)
