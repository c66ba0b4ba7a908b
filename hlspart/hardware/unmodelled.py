"""What the model has no answer for."""

from __future__ import annotations

from hlspart.model.causes import Cause


class Unmodelled(Exception):
    """Elaboration met something it has no model of; becomes the ``cause`` of an unknown II.

    ``operations``: those that were made before, where their number is the reason.
    """

    def __init__(self, text: str, line: int, operations: int = 0) -> None:
        super().__init__(text)
        self.cause = Cause(text, (line,))
        self.operations = operations
