"""HiGHS without a word on standard output, where answers are printed."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

import highspy  # type: ignore[import-not-found,import-untyped,unused-ignore]


def quiet_model() -> Any:
    """An empty model that prints nothing."""
    _greeted()
    model = highspy.Highs()  # type: ignore[no-untyped-call,unused-ignore]
    model.setOptionValue("output_flag", False)
    return model


@cache
def _greeted() -> None:
    """Let the first model of the process be made: from HiGHS 1.16 on it prints a banner before options can be set."""
    try:
        kept = os.dup(1)
    except OSError:  # closed: nothing can be printed
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _flush()
    os.dup2(nowhere, 1)
    try:
        highspy.Highs()  # type: ignore[no-untyped-call,unused-ignore]
        _flush()
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _flush() -> None:
    """What C keeps back because it goes to no terminal."""
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
