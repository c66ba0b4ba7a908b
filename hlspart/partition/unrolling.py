"""Which loops the directives unroll, so that a bank may be decided in the unrolled copies."""

from __future__ import annotations

from collections.abc import Mapping

from hlspart.model.program import Loop, Program, Stmt, substatements

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
    for function in program.functions.values():
        stack: list[tuple[Stmt, bool]] = [(function.body, function.name in functions)]
        while stack:
            stmt, inside = stack.pop()
            if isinstance(stmt, Loop):
                if inside:
                    factors[stmt.id] = FULL
                inside = inside or stmt.id in pipelined
            stack.extend((child, inside) for child in substatements(stmt))
    return factors


def decided(unrolls: tuple[tuple[int, int], ...], factors: Mapping[int, int]) -> bool:
    """Whether the loops are unrolled by multiples of the factors that decide a bank."""
    return all(loop in factors and (factors[loop] == FULL or factors[loop] % u == 0) for loop, u in unrolls)
