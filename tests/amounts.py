"""How much the tests try: enough to see a fault by default, all of it under ``make test-long``."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

LONG = os.environ.get("HLSPART_TESTS") == "long"


def amount(usual: T, long: T) -> T:
    """A number of random programs, the rows of a table: ``usual``, or ``long`` where everything is asked for."""
    return long if LONG else usual
