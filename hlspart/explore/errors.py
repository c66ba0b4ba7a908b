"""Why a search ends without a result."""

from __future__ import annotations

from hlspart.model.diagnostics import Diagnostic


class ExploreError(Exception):
    """A search that cannot be, or not go on."""


class FixError(ExploreError):
    """What the user asks for cannot hold."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))


class LateError(FixError):
    """The time that the user gives is too short for any answer."""


class RequestFileError(ExploreError):
    """A file of requests or of patterns that cannot be read."""


class StateError(ExploreError):
    """A folder of records that belongs to another search, or cannot be used."""


class FarmError(ExploreError):
    """Workers that cannot be used."""
