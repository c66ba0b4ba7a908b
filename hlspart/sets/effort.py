"""Questions to isl in its default context, given up behind a number of operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import islpy as isl


class EffortError(ArithmeticError):
    """A question beyond the effort limit."""


@contextmanager
def limited(operations: int) -> Iterator[None]:
    """What is asked inside may take so many operations; beyond them isl.Error becomes :class:`EffortError`."""
    context = isl.DEFAULT_CONTEXT
    context.set_max_operations(operations)
    context.reset_operations()
    try:
        yield
    except isl.Error as error:
        raise EffortError(str(error)) from error
    finally:
        context.set_max_operations(0)
