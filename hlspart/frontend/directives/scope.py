"""What names in directives mean: variables by scope and position, loops by label."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hlspart.model import program as ir
from hlspart.model.source import Origin


class Lookup(Struct, frozen=True):
    """The variable a name means at a place; else the ones it might have been meant for."""

    variable: ir.Variable | None
    later: ir.Variable | None = None  # declared below the place, in a scope around it
    elsewhere: tuple[ir.Variable, ...] = ()


class Scopes:
    """Names of one program."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self._parent: dict[int, int | None] = {}
        self._labels: dict[str, set[str]] = {}
        for function in program.functions.values():
            self._enter(function.body, None, function.name)
        self._by_name: dict[str, list[ir.Variable]] = {}
        for variable in program.variables:
            self._by_name.setdefault(variable.name, []).append(variable)

    def _enter(self, body: ir.Block, parent: int | None, function: str) -> None:
        stack: list[tuple[ir.Stmt, int | None]] = [(body, parent)]
        while stack:
            stmt, above = stack.pop()
            if isinstance(stmt, (ir.Block, ir.Loop)):
                self._parent[stmt.id] = above
                above = stmt.id
            elif isinstance(stmt, ir.Label):
                self._labels.setdefault(function, set()).add(stmt.name)
            stack.extend((child, above) for child in ir.substatements(stmt))

    def _around(self, function: str | None, block: int | None) -> Iterator[int | None]:
        """Scopes from the innermost outwards; None is file scope."""
        if function is not None and function in self.program.functions:
            scope: int | None = block if block is not None else self.program.functions[function].body.id
            while scope is not None:
                yield scope
                scope = self._parent.get(scope)
        yield None

    def find(self, name: str, function: str | None, block: int | None, at: Origin) -> Lookup:
        """The variable ``name`` at a place: the innermost one whose declaration stands above it."""
        candidates = [v for v in self._by_name.get(name, ()) if v.function in (None, function)]
        later = None
        for scope in self._around(function, block):
            for variable in candidates:
                if variable.scope == scope or (scope is None and variable.function is None):
                    if _declared_before(variable, at):
                        return Lookup(variable)
                    later = later or variable
        others = tuple(v for v in self._by_name.get(name, ()) if v is not later)
        return Lookup(None, later, others)

    def find_in_function(self, name: str, function: str | None) -> Lookup:
        """The variable that a directive file means by ``name`` in ``function``: the outermost one."""
        candidates = [v for v in self._by_name.get(name, ()) if v.function == function and function is not None]
        if candidates:
            depths = [(self._depth(v.scope), v.id, v) for v in candidates]
            least = min(d for d, _, _ in depths)
            best = [v for d, _, v in depths if d == least]
            return Lookup(best[0]) if len(best) == 1 else Lookup(None, None, tuple(best))
        globals_ = [v for v in self._by_name.get(name, ()) if v.function is None]
        if globals_:
            return Lookup(globals_[0])
        return Lookup(None, None, tuple(self._by_name.get(name, ())))

    def _depth(self, scope: int | None) -> int:
        depth = 0
        while scope is not None:
            depth, scope = depth + 1, self._parent.get(scope)
        return depth

    def functions(self, name: str) -> tuple[str, ...]:
        """The functions that ``name`` means, overloads included.

        A qualified name matches by its last part, that of a template its instances.
        """
        known = self.program.functions
        overloads = tuple(f for f in known if f.startswith(f"{name}("))
        if name in known:
            return (name, *overloads)
        base, angle, arguments = name.partition("<")
        short = base.rsplit("::", 1)[-1].strip()
        written = short + (angle + arguments).replace(" ", "")
        if written in known:
            return (written,)
        if short in known:
            return (short,)
        return () if angle else tuple(f for f in known if f.startswith(f"{short}<"))

    def loop(self, function: str, label: str) -> int | None:
        """The loop of ``function`` with this label or name."""
        for loop in self.program.loops.values():
            if loop.function == function and label in (loop.label, loop.name):
                return loop.id
        return None

    def loop_names(self, function: str) -> tuple[str, ...]:
        """Names of all loops of ``function``."""
        return tuple(loop.name for loop in self.program.loops.values() if loop.function == function)

    def has_label(self, function: str, label: str) -> bool:
        """Whether ``label`` stands before something that is no loop."""
        return label in self._labels.get(function, ())


def _declared_before(variable: ir.Variable, at: Origin) -> bool:
    of = variable.type.element if isinstance(variable.type, ir.ArrayType) else variable.type
    if variable.storage == "parameter" or (isinstance(of, ir.StructType) and at.macro == of.name):
        return True  # a constructor's pragma, which stands in the class, is one of the object
    return any(d.name.span.path != at.span.path or d.name.span.start < at.span.start for d in variable.declarations)
