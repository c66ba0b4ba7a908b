"""Directives that only give operations more or other states: LATENCY with a least number, BIND_OP of an operator.

An operation on no cycle of dependences may wait as long as it likes: the II stays, only the depth is not known.
"""

from __future__ import annotations

from collections.abc import Collection

from hlspart.lowering.directed import binding_of
from hlspart.lowering.graph import Graph
from hlspart.model.directives import Directive
from hlspart.model.program import Program


def only_delays(d: Directive) -> bool:
    """Whether a directive that the model has no rule for can do nothing but delay operations."""
    if d.kind == "latency":
        return "min" in d.values and d.option("max") is None
    return not d.modelled and binding_of(d) is not None


def is_delayed(d: Directive, program: Program, graph: Graph, below: Collection[str]) -> bool:
    """Whether it may delay an operation that recurs; ``below``: the functions whose code its function holds.

    LATENCY concerns what stands in its function, or in one that this calls: the lines of these.
    """
    around = [graph.ops[i] for i in graph.recurring]
    bound = binding_of(d)
    if bound is not None:
        return any(op.kind in (bound.kind, "open") for op in around)
    texts = (program.functions[name].body.at.span for name in below if name in program.functions)
    lines = [[program.sources[s.path].line_column(x)[0] for x in (s.start, s.end)] for s in texts]
    return any(first <= op.line <= last for op in around for first, last in lines)
