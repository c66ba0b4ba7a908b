"""Loops that are unrolled as often as a parameter says that nothing here gives a value.

One copy stands for all of them: what goes out of it is made by one operation of all that comes in, of unknown latency
unless the body only moves values. So whatever leads from one copy to another, and from one iteration of the pipeline to
the next, leads through that operation, and an II that it does not lengthen is that of every number of copies. Ports are
those of one copy, so memories are registers, or have one for each value of the iterator.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy

from msgspec.structs import replace

from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.counting import CopyIndices, counted, multiples
from hlspart.lowering.graph import COPIES, Op
from hlspart.lowering.history import History
from hlspart.lowering.parts import Key
from hlspart.lowering.values import Values
from hlspart.model import program as c
from hlspart.model.access import LoopInfo
from hlspart.model.causes import NOT_CONSTANT
from hlspart.model.directives import PARTITION_TYPES
from hlspart.semantics import folding
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.parameters import open_parts

_MOVES = frozenset(("load", "store", "wire", "const", "input", "index", "phi"))
_FIXED = frozenset(("const", "input", "index"))  # the same in all iterations, or known ahead of each
Cyclic = tuple[int, str, frozenset[int]]
"""A dimension of an array, the factor without a value that splits it, and iterators that stay multiples of it."""
_EXITS = (c.Jump, c.Return, c.Label, c.Switch)


def alone(storage: Storage, function: str, statements: Sequence[c.Stmt]) -> Mapping[int, tuple[int, ...] | None] | None:
    """The dimensions of arrays of which each index is a memory of its own, None for registers; none whose ports are
    shared by all elements, or whose words hold several.

    Only for a function with parameters that nothing gives a value.
    """
    if function not in open_parts(storage.program):
        return None
    memories: dict[int, tuple[int, ...] | None] = {}
    for expr in (e for s in statements for e in _expressions(storage.program, s)):
        if isinstance(expr, c.ArrayRef) and expr.variable not in memories:
            memory = storage.memory(expr.variable)
            split = tuple(k for k, d in enumerate(memory.layout.dims) if not d.has_local)
            if memory.storage != BUS and expr.variable not in storage.packings:
                memories[expr.variable] = None if memory.registers else split
    return memories


class OpenLoops(Values):
    """Elaborates them; ``inside``: unrolled loops that the current statement stands in."""

    inside: int

    def _is_open(self, loop: c.Loop, info: LoopInfo) -> bool:
        """Whether a parameter alone decides how often a loop runs, and one copy of it can stand for all."""
        if self.frame.alone is None or loop.kind != "for" or info.step is None:
            return False
        first, iterator = _first(loop, self.program), info.variable
        if first is None or iterator is None or loop.test is None:
            return False
        leaves = [*self._leaves_of(loop.test, iterator), *self._leaves_of(first, iterator)]
        if "data" in leaves or "parameter" not in leaves:
            return False
        inside = list(c.walk_statements(loop.body))
        own = folding.declared(inside)
        if any(isinstance(s, _EXITS) for s in inside) or (own | folding.modified(inside)) & self.frame.bound.keys():
            return False
        indices = counted(self.program, loop, own)
        cyclic = {v: tuple(self._cyclic(v, loop.function)) for v in self.frame.alone}
        tops = _expressions(self.program, loop.body)
        return all(self._stands_alone(e, iterator, indices, cyclic) for e in tops)

    def _leaves_of(self, expr: c.Expr, iterator: int) -> Iterator[str]:
        """What the names of an expression are: "parameter", "number" (also the iterator), or "data"."""
        match expr:
            case c.OpaqueExpr(what=c.OPEN_PARAMETER):
                yield "parameter"
            case c.Const() | c.SizeOf():
                yield "number"
            case c.Name():
                known = self.program.variable(expr.variable)
                if expr.variable == iterator:
                    yield "number"
                elif known.const and known.init is not None and not isinstance(known.init, c.InitList):
                    yield from self._leaves_of(known.init, iterator)
                else:
                    yield "data"
            case c.Binary():
                yield from self._leaves_of(expr.left, iterator)
                yield from self._leaves_of(expr.right, iterator)
            case c.Unary() | c.Cast():
                yield from self._leaves_of(expr.operand, iterator)
            case _:
                yield "data"

    def _stands_alone(
        self, expr: c.Expr, iterator: int, counted: CopyIndices, cyclic: Mapping[int, Sequence[Cyclic]]
    ) -> bool:
        """Whether an expression asks for no port, or in each copy for another one."""
        alone = self.frame.alone or {}
        if isinstance(expr, c.ArrayRef):
            if expr.variable in self.frame.tables:  # a number in each copy
                return all(isinstance(i, c.Const) or _counts(i, iterator) for i in expr.indices)
            if expr.variable not in alone:
                return False  # one port for all
            dims = alone[expr.variable]
            if dims is None or any(
                _counts(expr.indices[k], iterator) or counted.is_another(expr.indices[k], iterator)
                for k in dims
                if k < len(expr.indices)
            ):
                return True
            return any(
                k < len(expr.indices) and counted.is_in_another_bank(expr.indices[k], iterator, factor, every)
                for k, factor, every in cyclic[expr.variable]
            )
        if isinstance(expr, c.Call) and (expr.function or "").startswith("stream."):
            stream: c.Expr = expr.args[0]
            apart = False
            while isinstance(stream, c.Subscript):
                apart |= _counts(stream.index, iterator) or counted.is_another(stream.index, iterator)
                stream = stream.base
            return apart and isinstance(stream, c.Name)
        return True

    def _cyclic(self, array: int, function: str) -> Iterator[Cyclic]:
        """How directives of a function split dimensions, each once, by a parameter of it."""
        split = [d for d in self.program.directives if d.kind == "array_partition" and array in d.variables]
        times = Counter(d.values.get("dim", 1) for d in split)
        own = self.program.functions[function].at.span  # not that of another one, expanded here
        for d in split:
            factor, dim = d.option("factor"), d.values.get("dim", 1)
            if not d.asks_open_banks or factor is None or d.has("off") or not own.holds(d.at.span):
                continue
            if d.choice("type", PARTITION_TYPES) == "cyclic" and dim > 0 and times[dim] == 1 and not times[0]:
                loops = (self.program.loops[x] for x in self.frame.own if x in self.program.loops)
                yield dim - 1, factor, multiples(self.program, loops, factor)

    def _stand_in(self, loop: c.Loop, info: LoopInfo, line: int) -> None:
        """One copy of the body for all."""
        assert info.variable is not None
        first, before, outer = len(self.body.ops), dict(self.env), (self.branch, self.guards)
        events, earliest = self.events, self.earliest
        self.events, self.earliest = deepcopy(events), first
        iterator = self.make("index", 32, (), 0, ("copies", loop.id, first), info.iterator or loop.name)
        self.env[info.variable] = iterator
        if info.iterator is not None:
            self.fixed.pop(info.iterator, None)
        self.inside += 1
        self._statements(loop.body.body)
        self.inside -= 1
        self.events, self.earliest = events, earliest
        made = [op for ident, op in self.body.ops.items() if ident >= first]
        if any(op.kind == "call" or (op.ref is None and op.kind in ("load", "store")) for op in made):
            raise Unmodelled(f"{loop.name} (line {line}) {NOT_CONSTANT}", line)
        taken = self._taken(made, first, outer[1])
        moves = all(op.kind in _MOVES and not self._is_chosen(op, outer[1]) for op in made)
        all_ = self.make("wire" if moves else "open", 32, taken, line, ("copies", first), f"{COPIES} {loop.name}")
        for op in made:
            if op.ref is None:
                continue
            args = tuple(a for a in op.args if a < first)
            key = op.ref.key if op.ref.key[0] == "stream" else ("copies", op.id)
            ref = replace(op.ref, key=key, branch=outer[0], guarded=True)
            if ref.index is None and any(f is not None for f in ref.columns):
                ref = replace(ref, index=ref.columns)
            self.body.ops[op.id] = replace(op, args=args if op.kind == "load" else (all_, *args), ref=ref)
            self.events.setdefault(ref.variable, History()).add(op.id, ref.kind, ref.key, ref.index)
        self._hand_on(loop, before, all_, line)

    @abstractmethod
    def _statements(self, statements: Sequence[c.Stmt]) -> str | None: ...

    def _taken(self, made: Sequence[Op], first: int, guards: tuple[int, ...]) -> tuple[int, ...]:
        """What comes into the copies: loads, values of the iteration before, and values made ahead of them."""
        taken = dict.fromkeys(op.id for op in made if op.kind in ("load", "phi"))
        for op in made:
            args = list(op.args)
            for guard in guards if op.ref is not None else ():
                if guard in args:
                    args.reverse()
                    args.remove(guard)  # the last one: it is no value
                    args.reverse()
            taken.update(dict.fromkeys(a for a in args if a < first and self.body.ops[a].kind not in _FIXED))
        return tuple(taken)

    def _is_chosen(self, op: Op, guards: tuple[int, ...]) -> bool:
        """Whether data choose the element of an access, among no one knows how many."""
        if op.ref is None:
            return False
        place = op.args[op.kind == "store" :]
        return any(self.body.ops[a].kind not in _FIXED and a not in guards for a in place)

    def _hand_on(self, loop: c.Loop, before: Mapping[Key, int], all_: int, line: int) -> None:
        """Scalars that the copies set: what they make of them, or what they were where there are no copies."""
        own = folding.declared([loop])
        after, self.env = self.env, dict(before)
        for key, value in after.items():
            ident = key if isinstance(key, int) else key[0]
            if ident in own:
                self.env.pop(key, None)
            elif before.get(key) != value and value != self.phis.get(key):
                unset = key not in before and ident in self.declared
                old = all_ if unset else self._before(key, before, line)
                self.env[key] = self.make("wire", 32, (all_, old), line, ("copies",), f"{COPIES} {loop.name}")
            else:
                self.env[key] = value

    def _before(self, key: Key, before: Mapping[Key, int], line: int) -> int:
        """The value of a scalar, or of a part of one, ahead of the copies."""
        if key in before:
            return before[key]
        if isinstance(key, tuple) and key[0] in before:
            return self._part(before[key[0]], key[1], line)
        return self._read(key) if isinstance(key, int) else self._phi(key)


def _first(loop: c.Loop, program: c.Program) -> c.Expr | None:
    """The first value of the iterator."""
    match loop.init:
        case c.ExprStmt(expr=c.Assign(op="=", value=value)):
            return value
        case c.Declare(variables=(variable,)):
            init = program.variable(variable).init
            return None if isinstance(init, c.InitList) else init
        case _:
            return None


def _expressions(program: c.Program, body: c.Stmt) -> Iterator[c.Expr]:
    """All expressions in a statement."""
    for top in statement_expressions(program, body):
        yield from c.walk(top)


def _counts(index: c.Expr, iterator: int) -> bool:
    """Whether an index is the iterator, but for a constant: another one in each copy."""
    match index:
        case c.Name():
            return index.variable == iterator
        case c.Cast():
            return _counts(index.operand, iterator)
        case c.Binary(op="+" | "-", left=left, right=c.Const()):
            return _counts(left, iterator)
        case c.Binary(op="+", left=c.Const(), right=right):
            return _counts(right, iterator)
        case _:
            return False
