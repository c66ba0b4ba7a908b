"""Arrays under two names: parameters for which a call gives one array, or one of file scope, local pointers beside it.

Also arrays that a called function, which stays a module, accesses beside the loop that calls it. The text shows that
these pairs meet, which bounds a prediction; whether two names may meet at all, which a change of the text has to ask,
is in ``semantics/overlap.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import combinations

from hlspart.model import program as c
from hlspart.model.code import once_per_code
from hlspart.semantics.effects import effects, statement_values

Names = dict[frozenset[int], tuple[str, int]]


@once_per_code(16)
def shared(program: c.Program) -> Names:
    """Pairs of variables that one function knows and that may name one array: (words for where that is seen, line)."""
    names: Names = {}
    for function in program.functions.values():
        pointers = _pointers(program, function)
        for ident, arrays in pointers.items():
            also = {other for other, theirs in pointers.items() if arrays & theirs}
            for other in (arrays | also) - {ident}:
                where = f"as {program.variable(ident).name} is set"
                names[frozenset((ident, other))] = (where, program.line(program.variable(ident).at))
    calls = [
        (call, program.functions[call.function or ""].params, [_named(program, arg) for arg in call.args])
        for made in effects(program).calls.values()
        for call in made
        if call.function in program.functions
    ]
    wide = {v.id for v in program.variables if v.function is None}
    changed = True
    while changed:
        changed = False
        for call, formals, given in calls:
            for one, mine in zip(formals, given, strict=False):
                also = {v for pair in names if pair & mine for v in pair & wide}
                for pair in (frozenset((one, v)) for v in (mine | also) & wide):
                    if pair not in names:
                        names[pair] = ("in the call", program.line(call.at))
                        changed = True
            for (one, mine), (other, theirs) in combinations(zip(formals, given, strict=False), 2):
                pair = frozenset((one, other))
                if pair in names or not (mine and theirs):
                    continue
                if mine & theirs or any(frozenset((x, y)) in names for x in mine for y in theirs):
                    names[pair] = ("in the call", program.line(call.at))
                    changed = True
    return names


def beside_modules(
    program: c.Program, statements: Collection[c.Stmt], modules: Mapping[str, Collection[int]]
) -> frozenset[int]:
    """Arrays that a call of a module accesses, and another such call or the statements themselves too.

    ``modules``: functions that stay modules, with the arrays of file scope that they access.
    """
    called, direct = Counter[int](), set[int]()
    for root in statements:
        values = [e for s in c.walk_statements(root) for top in statement_values(program, s) for e in c.walk(top)]
        given = set[int]()  # references that only pass an array on
        for call in values:
            if isinstance(call, c.Call) and call.function in modules:
                passed = [a for a in call.args if isinstance(a.type, c.ArrayType | c.PointerType)]
                called.update(frozenset(modules[call.function or ""]).union(*(_named(program, a) for a in passed)))
                given |= {id(e) for a in passed for e in c.walk(a)}
        direct |= {e.variable for e in values if isinstance(e, c.ArrayRef) and id(e) not in given}
    return frozenset(v for v, calls in called.items() if calls > 1 or v in direct)


def _named(program: c.Program, expr: c.Expr) -> frozenset[int]:
    """Arrays and pointers that a value of array or pointer type is made of."""
    if not isinstance(expr.type, c.ArrayType | c.PointerType):
        return frozenset()
    idents = (e.variable for e in c.walk(expr) if isinstance(e, c.Name | c.ArrayRef))
    return frozenset(v for v in idents if isinstance(program.variable(v).type, c.ArrayType | c.PointerType))


def _pointers(program: c.Program, function: c.Function) -> dict[int, frozenset[int]]:
    """What each local pointer of a function may point into, by way of other local pointers too."""
    arrays: dict[int, frozenset[int]] = {}
    for stmt in c.walk_statements(function.body):
        given: list[tuple[int, c.Expr]] = []
        if isinstance(stmt, c.Declare):
            inits = ((v, program.variable(v).init) for v in stmt.variables)
            given = [(v, e) for v, e in inits if e is not None and not isinstance(e, c.InitList)]
        for root in statement_values(program, stmt):
            given += [
                (e.target.variable, e.value)
                for e in c.walk(root)
                if isinstance(e, c.Assign) and isinstance(e.target, c.Name)
            ]
        for variable, value in given:
            if isinstance(program.variable(variable).type, c.PointerType):
                arrays[variable] = arrays.get(variable, frozenset()) | _named(program, value)
    for middle in arrays:  # transitive closure
        for ident in arrays:
            if middle in arrays[ident]:
                arrays[ident] |= arrays[middle]
    return arrays
