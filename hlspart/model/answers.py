"""Answers to questions that programs ask again, kept by what is asked and not by what works them out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Answers(Generic[T]):
    """The last ``size`` answers; an answer must follow from its key alone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def of(self, key: Hashable, find: Callable[[], T]) -> T:
        """The answer for ``key``, found by ``find`` where it is not known."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        answer = find()
        with self._lock:
            self._known[key] = answer
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return answer
