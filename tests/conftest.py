"""The tests' own use of memory: what is imported and collected is kept, so the collector need not look at it again."""

from __future__ import annotations

import gc

import pytest


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)  # as the command has it
