"""What statements read and write, as far as the text tells; what a called function does stands at its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.code import once_per_code
from hlspart.model.source import Origin

Kind = Literal["read", "write"]
Path = tuple[int | str, ...]

#: Calls that are no task: they make no hardware, or only look at a channel.
_SILENT = "printf fprintf puts putchar assert __assert_fail exit __builtin_assume stream.empty stream.full stream.size"
SILENT = frozenset(_SILENT.split())


class VariableUse(Struct, frozen=True):
    """A read or write of a variable, or of the part of it that ``path`` (constant indices, member names) names.

    ``exact``: the path says all; else an index is not constant, or code that is not given has the variable.
    ``by_value``: read for an argument that is a value, which the caller reads and not the task.
    """

    variable: int
    path: Path
    kind: Kind
    at: Origin
    exact: bool = True
    by_value: bool = False

    def meets(self, other: VariableUse) -> bool:
        """Whether both are surely about one object or one about a part of the other's."""
        if self.variable != other.variable or not (self.exact and other.exact):
            return False
        return all(a == b for a, b in zip(self.path, other.path, strict=False))


def own_expressions(program: c.Program, root: c.Stmt) -> Iterator[c.Expr]:
    """Every expression below ``root``, initial values included."""
    for stmt in c.walk_statements(root):
        yield from c.expressions(stmt)
        if isinstance(stmt, c.Declare):
            for ident in stmt.variables:
                init = program.variable(ident).init
                if init is not None:
                    yield init


@once_per_code(2)
def nodes(program: c.Program) -> dict[str, tuple[c.Expr, ...]]:
    """All expressions of each function, initial values included."""
    return {
        name: tuple(node for top in own_expressions(program, function.body) for node in c.walk(top))
        for name, function in program.functions.items()
    }


@once_per_code(2)
def calls(program: c.Program) -> dict[str, tuple[c.Call, ...]]:
    """All calls of each function."""
    return {name: tuple(e for e in own if isinstance(e, c.Call)) for name, own in nodes(program).items()}


class Summary(Struct, frozen=True):
    """What calling a function reads and writes: of its parameters by position, and of shared and static variables.

    Of a parameter: (path, kind, exact), as a :class:`VariableUse` has them.
    """

    parameters: Mapping[int, frozenset[tuple[Path, Kind, bool]]]
    shared: frozenset[tuple[int, Kind]]


_NOTHING = Summary({}, frozenset())


class Sets:
    """Read and write sets of the statements of a program; those of a called function stand at its call."""

    def __init__(self, program: c.Program) -> None:
        self.program = program
        self.summaries: dict[str, Summary] = dict.fromkeys(program.functions, _NOTHING)
        called = {
            name: {
                e.function if isinstance(e, c.Call) else e.name for e in own if isinstance(e, (c.Call, c.FunctionName))
            }
            for name, own in nodes(program).items()
        }
        waiting = list(program.functions)
        for _ in range(8):  # a chain of calls needs a round per call; what is deeper or recursive stays as it is then
            summaries = {name: self._summary(program.functions[name]) for name in waiting}
            changed = {name for name, summary in summaries.items() if summary != self.summaries[name]}
            self.summaries |= summaries
            waiting = [name for name, below in called.items() if below & changed]

    def below(self, root: c.Stmt) -> Iterator[VariableUse]:
        """Reads and writes below ``root``."""
        for stmt in c.walk_statements(root):
            for expr in c.expressions(stmt):
                yield from self.of(expr)
            if isinstance(stmt, c.Declare):
                for ident in stmt.variables:
                    init = self.program.variable(ident).init
                    if init is not None and (task := task_call(self.program, ident)) is not None:
                        yield from self.of(task)
                    elif init is not None:
                        yield VariableUse(ident, (), "write", init.at)
                        lock = self.program.variable(ident).type
                        filled = isinstance(lock, c.OtherType) and lock.name.startswith("write_lock<")
                        yield from self._object(init, ("write",)) if filled else self.of(init)

    def of(self, expr: c.Expr) -> Iterator[VariableUse]:
        """Reads and writes of an expression."""
        match expr:
            case c.IncDec(operand=c.Name(type=c.PointerType())):
                return  # the pointer goes on, what it points to stays
            case c.Assign(op="+=" | "-=", target=c.Name(type=c.PointerType()), value=value):
                yield from self.of(value)
            case c.Assign(op=op, target=target, value=value):
                yield from self.of(value)
                yield from self._object(target, ("write",) if op == "=" else ("read", "write"))
            case c.IncDec(operand=target):
                yield from self._object(target, ("read", "write"))
            case c.Call():
                yield from self._call(expr)
            case c.Name() | c.ArrayRef() | c.Member() | c.Subscript():
                yield from self._object(expr, ("read",))
            case c.Unary(op="*", operand=inner) if not isinstance(inner, c.Binary):
                yield from self._object(inner, ("read",))
            case c.SizeOf():
                return
            case _:
                for child in c.children(expr):
                    yield from self.of(child)

    def _summary(self, function: c.Function) -> Summary:
        positions = {ident: k for k, ident in enumerate(function.params)}
        parameters: dict[int, set[tuple[Path, Kind, bool]]] = {}
        shared: set[tuple[int, Kind]] = set()
        for use in self.below(function.body):
            variable = self.program.variable(use.variable)
            if use.variable in positions:
                parameters.setdefault(positions[use.variable], set()).add((use.path, use.kind, use.exact))
            elif variable.function is None or variable.storage == "static":
                shared.add((use.variable, use.kind))
        return Summary({k: frozenset(v) for k, v in parameters.items()}, frozenset(shared))

    def _object(self, expr: c.Expr, kinds: tuple[Kind, ...]) -> Iterator[VariableUse]:
        root = root_of(expr)
        if root is None:
            for child in c.children(expr):
                yield from self.of(child)
            return
        yield from self._indices(expr)
        variable, path, exact = root
        channels = self.program.variable(variable).type
        several = isinstance(channels, c.ArrayType) and isinstance(channels.element, c.StreamType)
        # an element of an array is a part of the one memory; a member or one of several channels is an object
        part = path if several else tuple(p for p in path[:1] if isinstance(p, str))
        for kind in kinds:
            yield VariableUse(variable, part, kind, expr.at, exact or not several)

    def _indices(self, expr: c.Expr) -> Iterator[VariableUse]:
        node: c.Expr | None = expr
        while node is not None:
            if isinstance(node, c.ArrayRef):
                for index in node.indices:
                    yield from self.of(index)
            if isinstance(node, c.Subscript):
                yield from self.of(node.index)
            match node:
                case c.Member(base=below) | c.Subscript(base=below) | c.Cast(operand=below) | c.Unary(operand=below):
                    node = below
                case _:
                    node = None

    def _call(self, call: c.Call) -> Iterator[VariableUse]:
        name = call.function or ""
        if name in ("stream.read", "stream.write", "stream.read_nb", "stream.read_if", "stream.write_nb"):
            kind: Kind = "write" if name.startswith("stream.write") else "read"
            root = root_of(call.args[0]) if call.args else None
            if root is not None:
                yield VariableUse(root[0], root[1], kind, call.at, root[2])
            for k, arg in enumerate(call.args[1:]):
                taken = name in ("stream.read_nb", "stream.read_if") and k == 0
                yield from self._object(arg, ("write",)) if taken else self.of(arg)
            return
        if name in SILENT:
            return
        summary = self.summaries.get(name)
        for k, arg in enumerate(call.args):
            yield from self._argument(call, k, arg, summary)
        for variable, kind in sorted(summary.shared) if summary is not None else ():
            yield VariableUse(variable, (), kind, call.at)

    def _argument(self, call: c.Call, k: int, arg: c.Expr, summary: Summary | None) -> Iterator[VariableUse]:
        shared = isinstance(arg.type, (c.ArrayType, c.PointerType, c.StreamType)) or self._by_reference(call, k)
        shared = shared or (summary is None and isinstance(arg.type, c.StructType))  # a method's object is handed over
        root = root_of(arg) if shared else None
        if root is None:
            yield from (replace(use, by_value=True) for use in self.of(arg))
            return
        yield from self._indices(arg)
        if summary is None:
            yield VariableUse(root[0], root[1], "read", arg.at, False)
            yield VariableUse(root[0], root[1], "write", arg.at, False)
            return
        channels = self.program.variable(root[0]).type
        # a pointer into an array gives a part of the one memory
        part = isinstance(channels, c.ArrayType) and not isinstance(channels.element, c.StreamType)
        for path, kind, exact in sorted(summary.parameters.get(k, ()), key=str):
            whole = (*root[1], *path) if root[2] else () if part else root[1]
            yield VariableUse(root[0], whole, kind, arg.at, (root[2] or part) and exact)

    def _by_reference(self, call: c.Call, k: int) -> bool:
        function = self.program.functions.get(call.function or "")
        return function is not None and k < len(function.params) and self.program.variable(function.params[k]).reference


@lru_cache(maxsize=8)
def sets(program: c.Program) -> Sets:
    """The sets of a program, kept for the last few programs."""
    return Sets(program)


def task_call(program: c.Program, ident: int) -> c.Call | None:
    """The call that a variable ``hls::task name(function, ...)`` makes."""
    variable = program.variable(ident)
    made = variable.init if isinstance(variable.type, c.OtherType) and variable.type.name == "task" else None
    items = [value for _, value in made.items] if isinstance(made, c.InitList) else []
    if not items or not isinstance(items[0], c.FunctionName):
        return None
    return c.Call(-1, items[0].at, c.VoidType(), items[0].name, tuple(items[1:]), items[0].at)


def root_of(expr: c.Expr) -> tuple[int, Path, bool] | None:
    """(variable, path, exact) of the object that an lvalue, address or array expression means."""
    match expr:
        case c.Name(variable=ident):
            return ident, (), True
        case c.ArrayRef(variable=ident, indices=indices):
            path: list[int | str] = []
            for index in indices:
                if not isinstance(index, c.Const) or not isinstance(index.value, int):
                    return ident, tuple(path), False
                path.append(index.value)
            return ident, tuple(path), True
        case c.Member(base=base, field=name):
            root = root_of(base)
            return (root[0], (*root[1], name), True) if root is not None and root[2] else root
        case c.Subscript(base=base, index=index):
            root = root_of(base)
            if root is None or not root[2]:
                return root
            if not isinstance(index, c.Const) or not isinstance(index.value, int):
                return root[0], root[1], False
            return root[0], (*root[1], index.value), True
        case c.Cast(operand=inner) | c.Unary(op="&" | "*", operand=inner):
            return root_of(inner)
        case c.Binary(left=left) if isinstance(left.type, (c.PointerType, c.ArrayType)):
            root = root_of(left)
            return None if root is None else (root[0], root[1], False)
    return None
