"""Which loops the directives unroll, so that a bank may be decided in the unrolled copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hlspart.model.program import Call, Declare, Loop, Program, Stmt, expressions, substatements, walk

FULL = 0


def unroll_factors(program: Program) -> Mapping[int, int]:
    """Loop id -> factor by which it is unrolled; FULL when completely. Other loops are absent.

    A loop inside a pipelined loop or function is unrolled completely (UG1399, PIPELINE).
    """
    factors: dict[int, int] = {}
    pipelined: set[int] = set()
    functions: set[str] = set()
    for directive in program.directives:
        if directive.dialect != "vitis" or not directive.usable:
            continue
        if directive.kind == "unroll" and directive.loop is not None and not directive.has("off"):
            factors[directive.loop] = directive.values.get("factor", FULL)
        elif directive.kind == "pipeline" and not directive.has("off"):
            if directive.loop is not None:
                pipelined.add(directive.loop)
            elif directive.function is not None:
                functions.add(directive.function)
    pending = list(program.functions)
    while pending:
        name = pending.pop()
        for called in _unroll_inside(program, name, name in functions, pipelined, factors):
            if called in program.functions and called not in functions:
                functions.add(called)  # what a pipelined region calls is pipelined and unrolled with it
                pending.append(called)
    return factors


def _unroll_inside(
    program: Program, name: str, whole: bool, pipelined: set[int], factors: dict[int, int]
) -> Iterator[str]:
    """Mark the loops of one function that pipelining unrolls; yields the functions called from there."""
    stack: list[tuple[Stmt, bool]] = [(program.functions[name].body, whole)]
    while stack:
        stmt, inside = stack.pop()
        if isinstance(stmt, Loop):
            if inside:
                factors[stmt.id] = FULL
            inside = inside or stmt.id in pipelined
        stack.extend((child, inside) for child in substatements(stmt))
        if inside:
            inits = [program.variable(v).init for v in stmt.variables] if isinstance(stmt, Declare) else []
            for expr in (*expressions(stmt), *(e for e in inits if e is not None)):
                yield from (node.function for node in walk(expr) if isinstance(node, Call) and node.function)


def is_decided(unrolls: tuple[tuple[int, int], ...], factors: Mapping[int, int]) -> bool:
    """Whether the loops are unrolled by multiples of the factors that decide a bank."""
    return all(loop in factors and (factors[loop] == FULL or factors[loop] % u == 0) for loop, u in unrolls)
