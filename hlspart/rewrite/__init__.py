"""Banked C as edits on the user's text: split, bankdim and bank-centric (crossbar) styles."""

from hlspart.rewrite.engine import rewrite

__all__ = [
    "buffer",
    "declare",
    "driver",
    "engine",
    "initialisers",
    "names",
    "places",
    "plan",
    "pragmas",
    "rewrite",
    "unroll",
    "uses",
]
