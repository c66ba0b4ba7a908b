"""C text, pragmas and directive files to a :class:`hlspart.model.program.Program`.

The only package that imports pycparser. ``load`` never raises for user errors.
"""

from hlspart.frontend.load import load

__all__ = ["load"]
