"""Loops that no tool can unroll completely: their bounds are read while the design runs.

UNROLL without a factor leaves them as they are (messages HLS 214-187 and XFORM 203-503, in logs of ten repositories).
One inside of a PIPELINE keeps the loop or function around it from being pipelined (UG1399, *Function Pipelining* and
*Working with Variable Loop Bounds*; messages HLS 200-936 and XFORM 203-503). A bound that only this package does not
know, such as a parameter of a template, says nothing, and one with a known maximum may still be unrolled.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.semantics.effects import effects, statement_expressions

_DEEPEST = 8  # calls and definitions between a bound and where its value is from


class Varying:
    """Which loops of one function have bounds that are no constants for any tool."""

    def __init__(self, program: c.Program, analysis: AccessAnalysis, function: c.Function) -> None:
        self._program, self._analysis, self._function = program, analysis, function
        self._known = effects(program)
        self._values: dict[str, dict[int, list[c.Expr | None]]] = {}  # by function: what variables are set to

    def inside(self, body: Sequence[c.Stmt]) -> c.Loop | None:
        """The first loop in statements that cannot be unrolled."""
        loops = (s for stmt in body for s in c.walk_statements(stmt) if isinstance(s, c.Loop))
        return next((x for x in loops if self.varies(x)), None)

    def varies(self, loop: c.Loop) -> bool:
        """Whether the iterations of a loop are counted by a value that is read while the design runs."""
        info = self._analysis.loops.get(loop.id)
        if loop.kind != "for" or loop.test is None or info is None or info.cause is not None:
            return False
        if info.trip_count.exact is not None or info.trip_count.max is not None:
            return False
        own = {info.variable}
        names = {e.variable for e in c.walk(loop.test) if isinstance(e, c.Name)} - own
        begins = [] if loop.init is None else list(statement_expressions(self._program, loop.init))
        if any(e.variable in names for top in begins for e in c.walk(top) if isinstance(e, c.Name)):
            return False  # from n to n + 4
        return self._is_read(loop.test, self._function.name, own, _DEEPEST)

    def _is_read(self, expr: c.Expr, function: str, own: set[int | None], depth: int) -> bool:
        """Whether a value depends on what is read while the design runs."""
        for e in c.walk(expr):
            match e:
                case c.Call(function="stream.read"):
                    return True
                case c.Name(variable=v) if v not in own and self._is_set_from_outside(v, function, depth):
                    return True
                case c.ArrayRef(variable=v) if self._comes_from_outside(v, function, depth):
                    return True
        return False

    def _is_set_from_outside(self, variable: int, function: str, depth: int) -> bool:
        """Whether a scalar holds a value that is read, whenever it is set."""
        known = self._program.variable(variable)
        if known.function != function or known.storage == "static" or variable in self._known.addressed or not depth:
            return False
        values = self._set_to(function).get(variable, [])
        if known.storage == "parameter":
            return not values and self._is_handed(variable, function, depth)
        read = (v is not None and self._is_read(v, function, {variable}, depth - 1) for v in values)
        return bool(values) and all(read)

    def _comes_from_outside(self, variable: int, function: str, depth: int) -> bool:
        """Whether what an array holds comes from outside."""
        known = self._program.variable(variable)
        if known.storage != "parameter" or not depth:
            written = any(a.array == variable and a.kind == "write" for a in self._analysis.accesses)
            return written and known.storage == "local" and known.function == function
        return self._is_handed(variable, function, depth)

    def _is_handed(self, variable: int, function: str, depth: int) -> bool:
        """Whether every call hands something on that is read; a function that nothing calls is a top."""
        place = self._program.functions[function].params.index(variable)
        for caller, calls in self._known.calls.items():
            for call in calls:
                if call.function == function and (
                    caller == function
                    or place >= len(call.args)
                    or not self._is_read(call.args[place], caller, set(), depth - 1)
                ):
                    return False
        return function not in self._known.taken

    def _set_to(self, function: str) -> dict[int, list[c.Expr | None]]:
        """What each variable of a function is set to; None: to something that is made of its old value."""
        if function not in self._values:
            values: dict[int, list[c.Expr | None]] = {}
            for variable in self._program.variables:
                if variable.function == function and variable.init is not None:
                    values.setdefault(variable.id, []).append(variable.init)
            for top in statement_expressions(self._program, self._program.functions[function].body):
                for e in c.walk(top):
                    match e:
                        case c.Assign(op=op, target=c.Name(variable=v), value=value):
                            values.setdefault(v, []).append(value if op == "=" else None)
                        case c.IncDec(operand=c.Name(variable=v)):
                            values.setdefault(v, []).append(None)
            self._values[function] = values
        return self._values[function]
