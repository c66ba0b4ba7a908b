"""What calls may do besides working out a value of their arguments."""

from __future__ import annotations

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import ArrayRef, Call, Loop, Name, OpaqueExpr, Program, ScalarType, Variable, walk
from hlspart.model.pure_functions import is_pure
from hlspart.semantics.effects import effects, statement_expressions

#: Operations of channels that do the same whenever they run, as long as their order stays.
BLOCKING = frozenset(("stream.read", "stream.write"))

#: Calls that iterations in their old order may hold.
IN_ORDER = BLOCKING | {"printf", "puts", "putchar"}


def impure(program: Program, name: str, above: frozenset[str]) -> str | None:
    """Why a function is more than a value of its arguments; None where it is no more."""
    if name in above:
        return "calls itself"
    function = program.functions[name]
    params = frozenset(function.params)
    for ident in function.params:
        variable = program.variable(ident)
        if not isinstance(variable.type, ScalarType) or variable.reference:
            return f"takes {variable.name}, which is no plain value"
    for root in statement_expressions(program, function.body):
        for expr in walk(root):
            if isinstance(expr, OpaqueExpr):
                return "holds what is not analysed"
            if isinstance(expr, Call):
                if expr.function is None:
                    return "calls through a pointer"
                if expr.function in program.functions:
                    why = impure(program, expr.function, above | {name})
                    if why is not None:
                        return f"calls {expr.function}, which {why}"
                elif not is_pure(expr.function) and effects(program).extremum(expr) is None:
                    return f"calls {expr.function}, which is not known"
            if isinstance(expr, Name | ArrayRef) and expr.variable not in params and _lives_on(program, expr.variable):
                return f"uses {program.variable(expr.variable).name}, which lives on"
    return None


def used_by_calls(program: Program, analysis: AccessAnalysis, loop: Loop, kinds: str = "read write") -> frozenset[int]:
    """Arrays that functions called in a loop access, under any name: these accesses are none of the loop's own."""
    known = effects(program)
    called = known.reachable(tuple(c.function for c in known.calls_in(loop) if c.function is not None))
    arrays = {a.array for a in analysis.accesses if a.function in called and a.kind in kinds.split()}
    groups = {analysis.group_of[v] for v in arrays if v in analysis.group_of}
    groups |= {g.id for g in analysis.groups if called and any(x.code == "address-taken" for x in g.faults)}
    return frozenset(arrays | {v for v, group in analysis.group_of.items() if group in groups})


def hidden_effects(program: Program, name: str) -> str | None:
    """Why a function may do what its text does not show; None where it does not."""
    known = effects(program)
    for called in sorted(known.reachable((name,))):
        for expr in (e for root in statement_expressions(program, program.functions[called].body) for e in walk(root)):
            if isinstance(expr, OpaqueExpr):
                return "holds what is not analysed"
            if not isinstance(expr, Call) or known.extremum(expr) is not None:
                continue
            if expr.function is None:
                return "calls through a pointer"
            if expr.function not in program.functions and not (is_pure(expr.function) or expr.function in IN_ORDER):
                return f"calls {expr.function}, which is not known"
    return None


def _lives_on(program: Program, ident: int) -> bool:
    variable: Variable = program.variable(ident)
    return not variable.const and (variable.storage in ("static", "global"))
