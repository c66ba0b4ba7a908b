"""What the model has no answer for."""

from __future__ import annotations


class Unmodelled(Exception):
    """Elaboration met something it has no model of; becomes the ``cause`` of an unknown II."""

    def __init__(self, cause: str, line: int) -> None:
        super().__init__(cause)
        self.cause, self.line = cause, line
