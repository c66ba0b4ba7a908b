"""The records that all others exchange: standard library only."""

__all__ = [
    "access",
    "advising",
    "blocked",
    "buffers",
    "comparing",
    "diagnostics",
    "directives",
    "expanding",
    "linting",
    "mars",
    "options",
    "ports",
    "printable",
    "program",
    "project",
    "rebuild",
    "results",
    "rewriting",
    "source",
    "verifying",
]
