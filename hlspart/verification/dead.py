"""Loads whose values nobody uses: every compiler leaves them out, so they ask no memory for anything."""

from __future__ import annotations

from hlspart.model.program import ArrayRef, Program, walk
from hlspart.semantics.unread import live


def dead_loads(program: Program) -> frozenset[int]:
    """ArrayRef.id of loads that only reach local scalars which nothing reads, whatever the order of the statements."""
    positions: set[int] = set()
    for function in program.functions.values():
        used, flows = live(program, function)
        positions.update(
            node.id
            for to, expr in flows
            if to is not None and to not in used
            for node in walk(expr)
            if isinstance(node, ArrayRef) and not program.variable(node.variable).volatile
        )
    return frozenset(positions)
