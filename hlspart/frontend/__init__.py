"""C text, pragmas and directive files to a :class:`hlspart.model.program.Program`.

The only package that imports pycparser. ``load`` never raises for user errors;
``hidden_uses`` tells which arrays occur in text that is not compiled now, ``unfolded`` writes out macro uses.
"""

from hlspart.frontend.hidden import hidden_uses
from hlspart.frontend.load import load
from hlspart.frontend.unfold import unfolded

__all__ = [
    "directives",
    "hidden",
    "hidden_uses",
    "load",
    "types",
    "unfolded",
]
