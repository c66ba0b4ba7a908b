"""Functions that a tool certainly makes part of their callers."""

from __future__ import annotations

from hlspart.model import program as c
from hlspart.model.program import Program
from hlspart.semantics.effects import statement_expressions
from hlspart.transform.returns import only_expression

_FEW = 20  # values of the text (operators, names, constants) in a function that is certainly no module


def inlined(program: Program, by_itself: int) -> frozenset[str]:
    """Functions with INLINE, and those that no tool keeps as modules: of one expression, or of few operations.

    Those of few operations without loops where the tool does so ``by_itself`` (not 0), as Vitis HLS. All functions
    that they call are such, too. No report of 49 repositories has a module for one expression, none of 12 for so few
    operations; the smallest module of a function that calls no other has 24.
    """
    asked = [d for d in program.directives if d.usable and d.kind == "inline" and d.function]
    off = {d.function for d in asked if d.has("off")}
    out: dict[str, set[str | None]] = {}
    for name, function in program.functions.items():
        statements = list(c.walk_statements(function.body))
        values = [e for top in statement_expressions(program, function.body) for e in c.walk(top)]
        few = len(values) <= _FEW and not any(isinstance(s, c.Loop) for s in statements)
        if name not in off and (only_expression(function) is not None or (few and by_itself)):
            out[name] = {e.function for e in values if isinstance(e, c.Call)}
    while more := {n for n in out if not out[n] <= out.keys()}:
        out = {n: calls for n, calls in out.items() if n not in more}
    return frozenset(out) | {d.function for d in asked if d.function and not d.has("off")}
