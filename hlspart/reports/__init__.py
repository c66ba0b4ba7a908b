"""Reports of synthesis tools: read, and compared with the prediction loop by loop."""

__all__ = [
    "compare",
    "reports",
]
