"""Work that ends at a given time, whatever it does then: it runs in a process of its own and hands over what it has.

How long the prediction of a large text takes cannot be told beforehand, and it has no place where it could stop.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from msgspec import Struct

from hlspart.explore.farm import end_with_driver

_T = TypeVar("_T")


class Latest(Struct, Generic[_T], frozen=True):
    """The last value that came, None where none did; ``complete``: no other one would have come."""

    value: _T | None
    complete: bool


def is_over(until: float | None) -> bool:
    """Whether it is past a time of the monotonic clock."""
    return until is not None and time.monotonic() >= until


def latest(values: Callable[[], Iterator[_T]], until: float | None) -> Latest[_T]:
    """The last of the values, each better than the one before, that comes before a time of the monotonic clock.

    Without that time, and where a process cannot be parted in two, they are made in this process. An exception is
    raised here as it was there.
    """
    if until is None or "fork" not in multiprocessing.get_all_start_methods():
        value = None
        for value in values():
            if is_over(until):
                return Latest(value, False)
        return Latest(value, True)
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe(duplex=False)
    process = forked.Process(target=_send, args=(values, there), daemon=True)
    process.start()
    there.close()
    try:
        return _received(here, until)
    finally:
        process.kill()
        process.join()
        here.close()


def _send(values: Callable[[], Iterator[_T]], to: Connection) -> None:
    """Each value, the exception that ended them if any, and None."""
    end_with_driver()
    try:
        for value in values():
            to.send((value, None))
    except Exception as error:  # told in the process that waits
        to.send((None, error))
    to.send(None)


def _received(source: Connection, until: float) -> Latest[_T]:
    value = None
    while source.poll(max(0.0, until - time.monotonic())):
        try:
            message = source.recv()
        except EOFError:  # the process died, as for want of memory
            break
        if message is None:
            return Latest(value, True)
        value, error = message
        if error is not None:
            raise error
    return Latest(value, False)
