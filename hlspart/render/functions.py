"""The JSON of a function as predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

if TYPE_CHECKING:
    from hlspart.model.parts import FunctionResult


def function(item: FunctionResult) -> dict[str, Any]:
    """An entry of ``functions`` of ``hlspart.ii/1``; ``parts``: when its loops and calls run, in states."""
    return {
        "name": item.name,
        "line": item.line,
        "latency": {"min": item.latency.min, "max": item.latency.max},
        "interval": item.interval,
        "cause": item.cause,
        "resources": asdict(item.resources),
        "parts": [asdict(part) for part in item.parts],
    }
