"""Arrays that calls tie together, and what forbids to change their form.

Union-find over variables, one edge per array argument of a call, in both directions at once and over
all functions of the program, so a second caller joins the same group. A function named as the
explicit top is the boundary of the design: calls of it come from a test bench and tie nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hlspart.model.access import Access, ArrayGroup, GroupEdge, GroupFault
from hlspart.model.program import (
    MEMBERS,
    ArrayRef,
    ArrayType,
    Assign,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    Declare,
    Expr,
    Function,
    IncDec,
    Name,
    OpaqueExpr,
    PointerType,
    Program,
    Return,
    ScalarType,
    SizeOf,
    StructType,
    Unary,
    Variable,
    VoidType,
    children,
    expressions,
    is_open,
    places,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin
from hlspart.semantics.conversions import are_alike, element, extents
from hlspart.semantics.effects import Effects

Shape = tuple[int | None, ...]


def tops(program: Program, effects: Effects, top: str | None) -> tuple[str, ...]:
    """The named top function, else every function that no other one calls."""
    if top is not None:
        named = program.named(top)
        return (named,) if named is not None else ()
    called = {c.function for name, calls in effects.calls.items() for c in calls if c.function != name}
    return tuple(name for name in program.functions if name not in called)


def like_array(variable: Variable) -> bool:
    """Arrays, and pointers to values (which may be arrays of unknown extent)."""
    of = element(variable.type)
    if isinstance(variable.type, ArrayType) and is_open(of):
        return True
    return isinstance(variable.type, (ArrayType, PointerType)) and isinstance(of, (ScalarType, StructType))


@dataclass
class Grouping:
    """Collects edges and faults of a program, then forms the groups."""

    program: Program
    effects: Effects
    boundary: str | None  # explicit top: calls of it are not edges
    edges: list[GroupEdge] = field(default_factory=list)
    faults: list[GroupFault] = field(default_factory=list)
    leaders: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for function in self.program.functions.values():
            for stmt in walk_statements(function.body):
                for expr in expressions(stmt):
                    self._scan(expr, function.name)
                if isinstance(stmt, Declare):
                    for ident in stmt.variables:
                        init = self.program.variable(ident).init
                        if init is not None:
                            self._scan(init, function.name)
                            if self.program.variable(ident).reference:
                                self._bound(init, f"the reference `{self.program.variable(ident).name}` is bound to it")
                if isinstance(stmt, Return) and stmt.value is not None and self._returns_reference(function):
                    self._bound(stmt.value, f"{function.name} returns a reference to it")
        self._recursion()
        self._function_pointers()
        for variable in self.program.variables:
            if not like_array(variable):
                continue
            if variable.volatile:
                self._fault("volatile", f"`{variable.name}` is volatile", variable.at, variable.id)
            if is_open(element(variable.type)):
                reason = f"the type of the elements of `{variable.name}` is not known"
                self._fault("unknown-element", reason, variable.at, variable.id)
            if variable.extern and variable.is_array:
                reason = f"`{variable.name}` is defined in a file that is not given"
                self._fault("opaque", reason, variable.at, variable.id)
        self.shapes = self._shapes()

    # ------------------------------------------------------------------------------ uses

    def _fault(self, code: str, reason: str, at: Origin, variable: int, expression: str = "") -> None:
        self.faults.append(GroupFault(code, reason, at, variable, expression))  # type: ignore[arg-type]

    def _bound(self, expr: Expr, reason: str) -> None:
        """Elements that may be used under another name from here on."""
        for ref in places(expr):
            if like_array(self.program.variable(ref.variable)):
                self._fault("opaque", f"`{self._text(ref)}`: {reason}", ref.at, ref.variable, self._text(ref))

    def _returns_reference(self, function: Function) -> bool:
        at = function.signature.span
        return "&" in self.program.sources[at.path].text[at.start : function.name_at.span.start]

    def _text(self, expr: Expr) -> str:
        return " ".join(self.program.text(expr.at).split())

    def _array_of(self, expr: Expr) -> Variable | None:
        """The array that an expression of array or pointer type names as a whole or in part."""
        while isinstance(expr, Cast):
            expr = expr.operand
        if isinstance(expr, Unary) and expr.op == "&":
            expr = expr.operand
        if isinstance(expr, (Name, ArrayRef)):
            variable = self.program.variable(expr.variable)
            return variable if like_array(variable) else None
        return None

    def _scan(self, expr: Expr, function: str) -> None:
        """Note every use of an array other than a subscript down to an element."""
        match expr:
            case Call():
                for k, arg in enumerate(expr.args):
                    if isinstance(arg.type, (ArrayType, PointerType)) and self._array_of(arg) is not None:
                        self._argument(expr, k, arg, function)
                        for sub in self._subscripts(arg):
                            self._scan(sub, function)
                    else:
                        self._scan(arg, function)
                return
            case Name(variable=ident):
                variable = self.program.variable(ident)
                if like_array(variable):
                    self._taken(variable, expr, expr)
                return
            case ArrayRef():
                variable = self.program.variable(expr.variable)
                if like_array(variable) and len(expr.indices) < len(extents(variable.type)):
                    reason = f"address taken: `{self._text(expr)}` is a part of `{variable.name}`, not an element"
                    self._fault("partial-subscript", reason, expr.at, variable.id, self._text(expr))
            case Unary(op="&", operand=ArrayRef() as ref):
                variable = self.program.variable(ref.variable)
                if like_array(variable):
                    self._taken(variable, expr, expr)
                for sub in ref.indices:
                    self._scan(sub, function)
                return
            case Cast(type=VoidType(), operand=Name()):
                return
            case Cast(operand=operand) if isinstance(operand, Name) and not isinstance(expr.type, ScalarType):
                array = self._array_of(operand)
                if array is not None:
                    reason = f"`{self._text(expr)}` casts the array: address taken"
                    self._fault("cast", reason, expr.at, array.id, self._text(expr))
                    return
            case SizeOf():
                return  # nothing is evaluated: a constant
            case IncDec(operand=Name(variable=ident)) | Assign(target=Name(variable=ident)):
                variable = self.program.variable(ident)
                if like_array(variable):
                    reason = f"the pointer `{variable.name}` is moved"
                    self._fault("address-taken", reason, expr.at, ident, self._text(expr))
                if isinstance(expr, Assign):
                    self._scan(expr.value, function)
                return
            case (
                Assign(target=Conditional() | Comma() | Assign() | IncDec() as inner)
                | IncDec(operand=Conditional() | Comma() | Assign() | IncDec() as inner)
            ):
                self._bound(inner, "it is changed as the value of another expression")
            case OpaqueExpr(what=what) if what != MEMBERS:
                for sub in walk(expr):
                    if isinstance(sub, (Name, ArrayRef)) and like_array(self.program.variable(sub.variable)):
                        reason = f"it is used in {expr.what}, which is not analysed"
                        self._fault("opaque", reason, expr.at, sub.variable, self._text(expr))
                return
        for child in children(expr):
            self._scan(child, function)

    def _subscripts(self, expr: Expr) -> Iterator[Expr]:
        while isinstance(expr, (Cast, Unary)):
            expr = expr.operand
        if isinstance(expr, ArrayRef):
            yield from expr.indices

    def _taken(self, variable: Variable, expr: Expr, at: Expr) -> None:
        text = self._text(expr)
        self._fault("address-taken", f"address taken: `{text}` is used as a pointer", at.at, variable.id, text)

    # ------------------------------------------------------------------------------ calls

    def _argument(self, call: Call, k: int, arg: Expr, caller: str) -> None:
        """An array in argument ``k`` of a call."""
        actual = self._array_of(arg)
        assert actual is not None
        text = self._text(arg)
        callee = self.program.functions.get(call.function or "")
        if call.function is not None and call.function.startswith("stream."):
            return
        if call.function is None:
            reason = f"address taken: `{text}` is passed through a function pointer"
            self._fault("function-pointer", reason, arg.at, actual.id, text)
            return
        if callee is None or k >= len(callee.params):
            lacks = "whose body is not given" if callee is None else "which has no parameter for it"
            reason = f"address taken: `{text}` is passed to {call.function}, {lacks}"
            self._fault("extern-callee", reason, arg.at, actual.id, text)
            return
        formal = self.program.variable(callee.params[k])
        if callee.name == self.boundary and caller != callee.name:
            return
        if not like_array(formal):
            reason = f"address taken: `{text}` becomes the parameter `{formal.name}` of another type"
            self._fault("cast", reason, arg.at, actual.id, text)
            return
        whole = self._whole(arg)
        if whole is None:
            reason = f"address taken: `{text}` passes a part of `{actual.name}` to {call.function}"
            code = {ArrayRef: "partial-subscript", Cast: "cast"}.get(type(arg), "address-taken")
            self._fault(code, reason, arg.at, actual.id, text)
            self._fault(code, f"its argument in `{self._text(call)}` is a part of an array", arg.at, formal.id, text)
            return
        self.edges.append(GroupEdge(call.id, caller, callee.name, k, actual.id, formal.id, arg.at))
        self._unite(actual.id, formal.id)
        if not are_alike(element(actual.type), element(formal.type)):
            reason = f"`{actual.name}` and the parameter `{formal.name}` have elements of different types"
            self._fault("cast", reason, arg.at, actual.id, text)
        a, b = extents(actual.type), extents(formal.type)
        if len(a) != len(b) or any(x is not None and y is not None and x != y for x, y in zip(a, b, strict=True)):
            reason = f"`{actual.name}`{_brackets(a)} is passed as `{formal.name}`{_brackets(b)}"
            self._fault("shape-mismatch", reason, arg.at, actual.id, text)

    def _whole(self, arg: Expr) -> Variable | None:
        """The array that is handed on whole: ``A``, ``&A[0]`` or a cast to the same type."""
        while isinstance(arg, Cast) and element(arg.type) == element(arg.operand.type):
            arg = arg.operand
        if isinstance(arg, Name):
            return self.program.variable(arg.variable)
        if isinstance(arg, Unary) and isinstance(arg.operand, ArrayRef):
            ref = arg.operand
            variable = self.program.variable(ref.variable)
            first = len(ref.indices) == 1 and isinstance(ref.indices[0], Const) and ref.indices[0].value == 0
            return variable if first else None
        return None

    def _recursion(self) -> None:
        """Functions on a cycle of calls cannot have their arrays changed one call at a time."""
        for name, function in self.program.functions.items():
            cycle = self._cycle(name)
            if cycle is None:
                continue
            at = next(c.at for c in self.effects.calls[name] if c.function == cycle[1])
            text = " -> ".join(cycle)
            arrays = [v.id for v in self.program.variables if v.function == name and like_array(v)]
            passed = {e.actual for e in self.edges if e.caller == name or e.callee == name} | set(function.params)
            for ident in sorted({*arrays, *passed}):
                variable = self.program.variable(ident)
                if like_array(variable):
                    self._fault("recursion", f"`{variable.name}` meets the recursion {text}", at, ident, text)

    def _cycle(self, start: str) -> tuple[str, ...] | None:
        """Shortest cycle of calls through a function."""
        before: dict[str, str] = {}
        queue = [start]
        for name in queue:
            for call in self.effects.calls[name]:
                callee = call.function
                if callee == start:
                    path = [name]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return (*reversed(path), start)
                if callee is not None and callee in self.program.functions and callee not in before:
                    before[callee] = name
                    queue.append(callee)
        return None

    def _function_pointers(self) -> None:
        for name, use in self.effects.taken.items():
            function = self.program.functions.get(name)
            for ident in function.params if function is not None else ():
                if like_array(self.program.variable(ident)):
                    reason = f"{name} is called through a function pointer"
                    self._fault("function-pointer", reason, use.at, ident, name)

    # ------------------------------------------------------------------------------ groups

    def _find(self, ident: int) -> int:
        while self.leaders.get(ident, ident) != ident:
            ident = self.leaders[ident]
        return ident

    def _unite(self, a: int, b: int) -> None:
        a, b = self._find(a), self._find(b)
        self.leaders[max(a, b)] = min(a, b)

    def _classes(self) -> list[tuple[int, ...]]:
        classes: dict[int, list[int]] = {}
        for variable in self.program.variables:
            if like_array(variable):
                classes.setdefault(self._find(variable.id), []).append(variable.id)
        return [tuple(members) for _, members in sorted(classes.items())]

    def _shapes(self) -> Mapping[int, Shape]:
        """Extents of every array, with those that only callers or ``INTERFACE depth=`` tell."""
        depths = {
            v: d.values["depth"]
            for d in self.program.directives
            if d.kind == "interface" and d.usable and "depth" in d.values
            for v in d.variables
        }
        shapes: dict[int, Shape] = {}
        for members in self._classes():
            own = {m: extents(self.program.variable(m).type) for m in members}
            for m, shape in own.items():
                if m in depths and len(shape) == 1 and shape[0] is None:
                    own[m] = (depths[m],)
            known = sorted({s for s in own.values() if None not in s}, key=str)
            for m, shape in own.items():
                if None in shape and len(known) == 1 and _agree(shape, known[0]):
                    shape = known[0]
                shapes[m] = shape
        for edge in self.edges:
            if shapes[edge.actual] != shapes[edge.formal]:
                actual, formal = (self.program.variable(v) for v in (edge.actual, edge.formal))
                reason = (
                    f"`{actual.name}`{_brackets(shapes[actual.id])} and others become the parameter `{formal.name}`"
                )
                if not any(f.code == "shape-mismatch" and f.at == edge.at for f in self.faults):
                    self._fault("shape-mismatch", reason, edge.at, actual.id)
        return shapes

    def groups(self, roots: Sequence[str], accesses: Sequence[Access]) -> tuple[ArrayGroup, ...]:
        """The groups, with faults that follow from shapes and accesses added."""
        outer = {p for name in roots for p in self.program.functions[name].params}
        faults: dict[int, list[GroupFault]] = {}
        for fault in self.faults:
            if fault not in faults.setdefault(fault.variable, []):
                faults[fault.variable].append(fault)
        for ident, shape in self.shapes.items():
            if None in shape or 0 in shape:
                variable = self.program.variable(ident)
                reason = f"an extent of `{variable.name}` is not a constant"
                faults.setdefault(ident, []).append(GroupFault("unknown-extent", reason, variable.at, ident))
        for access in accesses:
            if access.witness is not None:
                where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
                text = " ".join(self.program.text(access.at).split())
                reason = f"`{text}` leaves the array" + (f" at {where}" if where else "")
                faults.setdefault(access.array, []).append(
                    GroupFault("out-of-range", reason, access.at, access.array, text)
                )
        result = []
        for number, members in enumerate(self._classes()):
            inside = set(members)
            result.append(
                ArrayGroup(
                    number,
                    members,
                    tuple(e for e in self.edges if e.formal in inside),
                    tuple(f for m in members for f in faults.get(m, ())),
                    any(m in outer for m in members),
                )
            )
        return tuple(result)


def _agree(shape: Shape, known: Shape) -> bool:
    return len(shape) == len(known) and all(x is None or x == y for x, y in zip(shape, known, strict=True))


def _brackets(shape: Shape) -> str:
    return "".join(f"[{'' if n is None else n}]" for n in shape)
