"""Operations that another text of the same values may do without, or build as quicker ones."""

from __future__ import annotations

import math
from collections.abc import Callable

from hlspart.lowering.graph import Graph, Op
from hlspart.model.program import Assign, Binary, Cast, CType, Declare, ScalarType, walk, walk_statements
from hlspart.predict.loops import Prediction
from hlspart.semantics.effects import statement_expressions

_CONVERSIONS = frozenset({"itof", "itod", "ftoi", "fext"})
_SCALING = frozenset({"fmul", "dmul", "fdiv", "ddiv"})
_INT = 32  # bits of what narrower operands become


def avoidable(p: Prediction) -> frozenset[int]:
    """Conversions, scalings and quotients whose states prove nothing."""
    graph = p.problem.graph
    tests: tuple[Callable[[Graph, Op], bool], ...] = (_converts, _scales, _divides_by_constant)
    free = {i for i, op in graph.ops.items() if any(test(graph, op) for test in tests)}
    if _divides_narrow(p):
        free |= {i for i, op in graph.ops.items() if op.kind == "div"}
    return frozenset(free)


def _converts(graph: Graph, op: Op) -> bool:
    """Whether this converts, or computes in double what was converted: the way there and back may change nothing."""
    return op.kind in _CONVERSIONS or (
        op.kind.startswith("d") and any(x.kind in _CONVERSIONS for x in _args(graph, op))
    )


def _scales(graph: Graph, op: Op) -> bool:
    """Whether a float is multiplied or divided by a power of two, which changes its sign or exponent alone."""
    if op.kind not in _SCALING:
        return False
    numbers = (_number(x) for x in _args(graph, op))
    return any(n is not None and n != 0 and abs(math.frexp(n)[0]) == 0.5 for n in numbers)


def _divides_by_constant(graph: Graph, op: Op) -> bool:
    """Whether a product with a rounded reciprocal may take the place of a quotient."""
    return op.kind == "div" and any(x.kind == "const" for x in _args(graph, op)[1:])


def _divides_narrow(p: Prediction) -> bool:
    """Whether the loop divides integers of fewer bits than the divider has, or what may be made of such."""
    program = p.elaborated.storage.program
    inside = [e for loop in p.elaborated.nest.chain for r in statement_expressions(program, loop) for e in walk(r)]
    quotients = [e for e in inside if isinstance(e, Binary) and e.op in ("/", "%")]
    bits = max([_INT, *(_bits(e.left.type) for e in quotients)])
    divisors = {id(x) for e in quotients for x in walk(e.right)}
    widened = [(e.operand.type, e.type) for e in inside if isinstance(e, Cast) and id(e) not in divisors]
    widened += [(e.value.type, e.target.type) for e in inside if isinstance(e, Assign)]
    made = (s for loop in p.elaborated.nest.chain for s in walk_statements(loop) if isinstance(s, Declare))
    records = (program.variable(v) for s in made for v in s.variables)
    widened += [(v.init.type, v.type) for v in records if v.init is not None]
    narrow = [_bits(value) for value, kind in widened if _bits(value) < _bits(kind)]
    return any(0 < n < bits for n in (*narrow, *(_bits(e.left.type) for e in quotients)))


def _bits(kind: CType) -> int:
    """Of a type of integers; 0 of any other."""
    return kind.bits if isinstance(kind, ScalarType) and kind.kind in ("int", "bool") else 0


def _args(graph: Graph, op: Op) -> list[Op]:
    known = (graph.ops.get(a) or graph.outside.get(a) for a in op.args)
    return [x for x in known if x is not None]


def _number(op: Op) -> float | None:
    try:
        return float(op.text) if op.kind == "const" else None
    except ValueError:
        return None
