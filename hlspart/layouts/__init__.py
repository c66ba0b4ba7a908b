"""One record per kind of layout; ``layout.py`` lists the questions that each answers."""

__all__ = [
    "blockcyclic",
    "dimension",
    "lattice",
    "layout",
    "mapping",
    "perdim",
    "table",
]
