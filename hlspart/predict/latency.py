"""Latency of loops that are not pipelined and of functions, in cycles: the states of a controller.

A function is a controller that runs through its states. Straight-line code takes the states of its schedule; a
pipelined loop and a called function are started in one state and awaited in others. Within a basic block what does
not depend on each other runs at once; a plain loop or a branch around loops ends the block. A lower-level figure
is used for a higher one: a plain loop takes its trip count times the states of an iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.access import Bounds
from hlspart.model.causes import Cause
from hlspart.model.parts import FunctionPart
from hlspart.model.program import Program
from hlspart.model.results import LoopResult
from hlspart.model.source import Origin
from hlspart.nests.loopfacts import flat
from hlspart.predict.controlled import Controlled
from hlspart.predict.touched import ANYTHING, Touched, touched
from hlspart.predict.waiting import BasicBlock, BlockItem
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.held import holds_array
from hlspart.targets import Target

Side = Literal["min", "max"]

UNKNOWN = Bounds(None, None)
HANDED_OVER = Cause("the states of accesses to streams and volatile objects in no loop are not known")
WAITING = Cause("states of m_axi requests around its loops")
AT_ONCE = Cause("whether the copies of an unrolled loop run at once or in turn is not known")
LOADED_AHEAD = Cause("which banks have the elements that are loaded ahead of a loop is not known")


def _copies_array(expr: c.Expr) -> bool:
    """Whether a structure with arrays is copied, or put together, in an expression."""
    return any(
        holds_array(e.type)
        for e in c.walk(expr)
        if isinstance(e, c.Comma) or (isinstance(e, c.OpaqueExpr) and e.what == c.MEMBERS)
    )


def pipelined_latency(trip: int | None, ii: int, depth: int) -> int | None:
    """Cycles of a pipelined loop as csynth counts them: states of one iteration less one, but at least its II."""
    if trip is None:
        return None
    return (trip - 1) * ii + max(depth - 1, ii) if trip else 0


class Latencies:
    """Latencies of all loops and functions, from what is known of pipelined loops and straight-line code."""

    def __init__(
        self,
        program: Program,
        loops: Sequence[LoopResult],
        target: Target,
        functions: Mapping[str, Controlled],
    ) -> None:
        self.program, self.target, self.controlled = program, target, functions
        self._whole = {x.function: x for x in loops if x.loop < 0}
        self.loops = list(loops)
        self._functions: dict[str, Bounds] = {}
        # why the latency of a function is not known, or not exactly
        self.causes: dict[str, tuple[Cause, ...]] = {}
        self.parts: dict[str, list[FunctionPart]] = {}  # of functions, when their loops and calls run at the latest
        self._overlapped = {(d.function, d.loop) for d in program.directives if d.kind == "dataflow" and d.usable}
        for name in functions:
            self.of(name)

    def of(self, function: str) -> Bounds:
        """Latency of a function; unknown while it calls itself, and where no loop of it is predicted."""
        if function not in self.controlled:
            return UNKNOWN
        if function not in self._functions:
            self._functions[function] = UNKNOWN
            whole = self._whole.get(function)
            if whole is not None:
                last = None if whole.depth is None else max(0, whole.depth - 1)
                latency = Bounds(last, last)
            else:
                low, high = (_Walk(self, function, side).whole() for side in ("min", "max"))
                latency = Bounds(low, high)
                if high == 0 and self._hands_over(function):
                    self.causes.setdefault(function, (HANDED_OVER,))
                    latency = UNKNOWN
            self._functions[function] = latency
        return self._functions[function]

    def _hands_over(self, function: str) -> bool:
        """Whether a function accesses streams or volatile objects, each access of which takes its turn."""
        program = self.controlled[function].program
        roots = (e for stmt in self.controlled[function].statements for e in statement_expressions(program, stmt))
        return any(
            (isinstance(expr, c.Call) and (expr.function or "").startswith("stream."))
            or (isinstance(expr, c.Name | c.ArrayRef) and program.variable(expr.variable).volatile)
            for root in roots
            for expr in c.walk(root)
        )

    def interval(self, function: str) -> int | None:
        """Cycles from one start of a function to the next, at the most: processes of a DATAFLOW region overlap."""
        most = self.of(function).max
        return None if most is None else most + 1

    def is_dataflow(self, function: str, loop: int | None) -> bool:
        """Whether a function or loop is a DATAFLOW region."""
        return (function, loop) in self._overlapped


class _Walk:
    """The states of one function, each part taking its least or its most cycles."""

    def __init__(self, latencies: Latencies, function: str, side: Side) -> None:
        self.latencies, self.function, self.side = latencies, function, side
        self.controlled = latencies.controlled[function]
        self._parts: list[FunctionPart] = []

    def whole(self) -> int | None:
        """The latency of the function: its last state."""
        if self.latencies.is_dataflow(self.function, None):
            processes = self._parallel(self.controlled.statements)
            return None if processes is None else processes[1]
        last = self._sequence(self.controlled.statements, 0, None)
        if self.side == "max" and last is not None:
            self.latencies.parts[self.function] = self._parts
        return last

    def _ran(self, name: str, at: Origin, around: int | None, first: int, last: int) -> None:
        """A loop or a call of the function itself, not of an iteration."""
        if around is None:
            line = self.controlled.program.sources[at.span.path].line_column(at.span.start)[0]
            self._parts.append(FunctionPart(name, line, first, last))

    def _pick(self, bounds: Bounds) -> int | None:
        return bounds.min if self.side == "min" else bounds.max

    # ------------------------------------------------------------------------------ sequences

    def _sequence(self, statements: Sequence[c.Stmt], first: int, around: int | None) -> int | None:
        """Last state of statements that start in state ``first``; None where it is not known."""
        block, known = BasicBlock(first, first), True
        straight: list[c.Stmt] = []
        for stmt in flat(statements):
            if words := self.controlled.filled(stmt):
                known &= self._straight(block, straight, around)
                self._module(block, words + 2, touched(self.controlled.program, [stmt]))
                straight = []
                continue
            if not self._holds_parts(stmt):
                straight.append(stmt)
                if any(isinstance(x, c.Return | c.Jump) for x in c.walk_statements(stmt)):  # the end of a basic block
                    known &= self._straight(block, straight, around)
                    block, straight = BasicBlock(block.last, block.last), []
                continue
            if isinstance(stmt, c.Loop) and stmt.init is not None and self._holds_parts(stmt.init):
                known &= self._straight(block, straight, around)
                known &= self._calls(block, stmt.init, around)
                straight = [stmt.init]
            part = self.controlled.parts.get(stmt.id) if isinstance(stmt, c.Loop) else None
            if part is not None and self.latencies.loops[part].pipelined:
                known &= self._straight(block, straight, around)
                known &= self._pipeline(block, stmt, part, around)
                straight = []
            elif isinstance(stmt, c.Loop | c.If | c.Switch):
                if not isinstance(stmt, c.Loop):
                    test = c.ExprStmt(stmt.at, stmt.test)
                    if self._holds_parts(test):
                        known &= self._straight(block, straight, around)
                        known &= self._calls(block, test, around)
                        straight = []
                    straight = [*straight, test]
                known &= self._straight(block, straight, around)
                last = self._branch(stmt, block.last, around)
                known &= last is not None
                block, straight = BasicBlock(last or 0, last or 0), []
            else:
                known &= self._straight(block, straight, around)
                known &= self._calls(block, stmt, around)
                straight = [stmt]  # what the statement does with the values that come back
        known &= self._straight(block, straight, around)
        return block.last if known else None

    def _straight(self, block: BasicBlock, statements: Sequence[c.Stmt], around: int | None) -> bool:
        """Schedule straight-line code. False: its states are not known."""
        real = [s for s in statements if not isinstance(s, c.PragmaMark | c.Label)]
        if not any(True for s in real for _ in statement_expressions(self.controlled.program, s)):  # nothing to do
            return True
        copies = [e.at for s in real for e in statement_expressions(self.controlled.program, s) if _copies_array(e)]
        if copies:
            lines = tuple(map(self.latencies.program.line, copies))
            self._doubt(around, Cause("whether the copy of a structure with arrays is a loop is not known", lines))
            return False
        depth = self.controlled.states(around, real)
        self._doubt(around, *depth.causes)
        states = self._pick(depth.states)
        if states is None:
            return False
        what = touched(self.controlled.program, real)
        start, opens = block.behind(what, self.controlled.is_register)
        last = start + max(0, states - 1)
        block.add(BlockItem(last, max(last, opens), what, code=True))
        return True

    def _pipeline(self, block: BasicBlock, loop: c.Stmt, part: int, around: int | None) -> bool:
        """Start a pipelined loop: as a module that is started and awaited, else in the controller itself."""
        cycles = self._pick(self.latencies.loops[part].latency)
        if cycles is None:
            return False
        ahead = self.controlled.ahead(part)  # what has left the loop is loaded ahead of it
        self._doubt(around, *ahead.causes)
        loads = max(0, (self._pick(ahead.states) or 0) - 1)
        worked = self.controlled.worked(part)
        self._doubt(around, *worked.causes)
        states = self._pick(worked.states)
        if states is None:
            return False
        what = touched(self.controlled.program, [loop])
        ready = block.behind(what, self.controlled.is_register)[0] + loads
        if states:
            taken = self.controlled.taken(part, what)
            loads += states
            ready = max(ready, block.behind(taken, self.controlled.is_register)[0] + loads)
        if waits := self.controlled.around(part):
            self._doubt(None, WAITING)
            loads, ready = (loads + waits, ready + waits) if self.side == "max" else (loads, ready)
        if self.latencies.target.outlined_loops and not self.controlled.alone:
            last = self._module(block, cycles + 3, what, ready, True)
        else:  # a state ahead of the pipeline and one behind it
            last = block.last + loads + cycles + 2
            block.floor, block.last, block.items = last, last, []
        self._ran(self.latencies.loops[part].name, loop.at, around, last - cycles, last)
        return True

    def _module(self, block: BasicBlock, cycles: int, what: Touched, ready: int = 0, outlined: bool = False) -> int:
        """Start a module, in state ``ready`` or later, and wait for it: its last state."""
        last = max(block.behind(what, self.controlled.is_register, outlined)[1], ready) + cycles
        block.add(BlockItem(last, last + bool(cycles), what, outlined))
        return last

    def _calls(self, block: BasicBlock, stmt: c.Stmt, around: int | None) -> bool:
        """Start the modules that the expressions of a statement call. False: their states are not known."""
        for root in statement_expressions(self.controlled.program, stmt):
            for call, surely in self._called(root):
                if not surely:
                    self._doubt(around, self._called_at(call, "is called under a condition inside an expression"))
                    return False
                cycles = self._pick(self.latencies.of(call.function or ""))
                if cycles is None:
                    line = self.latencies.program.line(call.at)
                    self._doubt(around, Cause(f"the latency of {call.function} is not known", (line,)))
                    return False
                what = touched(self.controlled.program, [c.ExprStmt(stmt.at, call)])
                last = self._module(block, cycles + bool(cycles), what)
                self._ran(f"{call.function}()", call.at, around, last - cycles, last)
        return True

    def _called(self, expr: c.Expr, surely: bool = True) -> Iterator[tuple[c.Call, bool]]:
        """Calls of modules in an expression, and whether its value always asks for them."""
        if isinstance(expr, c.SizeOf):
            return
        if isinstance(expr, c.Call) and expr.function in self.latencies.program.functions:
            yield expr, surely
        always = c.always(expr)
        for inner in c.children(expr):
            yield from self._called(inner, surely and inner in always)

    def _called_at(self, call: c.Call, what: str) -> Cause:
        return Cause(f"line {self.latencies.program.line(call.at)}: {call.function} {what}")

    def _branch(self, stmt: c.Loop | c.If | c.Switch, last: int, around: int | None) -> int | None:
        """Last state of a plain loop or of a branch with loops in it, behind state ``last``."""
        if isinstance(stmt, c.Loop):
            return self._loop(stmt, last, around)
        if isinstance(stmt, c.If):
            arms = [stmt.then.body, stmt.other.body if stmt.other is not None else ()]
        else:
            arms = [(), stmt.body.body]
        ends = [self._sequence(arm, last, around) for arm in arms]
        known = [e for e in ends if e is not None]
        if len(known) < len(ends):
            return None
        return min(known) if self.side == "min" else max(known)

    def _loop(self, loop: c.Loop, last: int, around: int | None) -> int | None:
        part = self.controlled.parts.get(loop.id)
        for expr in (x for x in (loop.test, loop.step) if x is not None):
            for call, _ in self._called(expr):
                self._doubt(part, self._called_at(call, "is called in the header of a loop"))
                return None
        if part is None:  # unrolled around parts
            once, copies = self._sequence(loop.body.body, last, around), self._in_turn(loop, loop.body.body, around)
            return None if once is None or copies is None else last + copies * (once - last)
        known = self.latencies.loops[part]
        body = self._innermost(loop, known)
        copies = self._in_turn(loop, body, part)
        trip = self._pick(known.trip_count)
        if self.latencies.is_dataflow(self.function, known.loop):
            processes = self._parallel(body)
            states = None if processes is None else processes[1] + 1
            fill = 0 if processes is None or not trip else processes[1] - processes[0]
            total = None if processes is None or trip is None else trip * (processes[0] + 1) + fill
        else:
            end = self._sequence(body, 0, part)
            states = None if end is None or copies is None else copies * end + 1
            total = None if states is None or trip is None else trip * states
        self._record(part, states, total)
        if total is not None:
            self._ran(known.name, loop.at, around, last, last + total)
        return None if total is None else last + total + 1  # and the test that ends it

    def _in_turn(self, loop: c.Loop, body: Sequence[c.Stmt], around: int | None) -> int | None:
        """How many copies of an unrolled body with loops or calls run one behind the other: one, at least."""
        program = self.controlled.program
        inside = [s for stmt in body for s in c.walk_statements(stmt)]
        calls = (call for s in inside for root in statement_expressions(program, s) for call in self._called(root))
        if not any(isinstance(s, c.Loop) and s.id in self.controlled.parts for s in inside) and not any(calls):
            return 1  # straight-line code is scheduled with its copies
        copies = self.controlled.copies(loop)
        self._doubt(around, *(() if copies == 1 else (AT_ONCE,)))
        return copies if self.side == "max" else 1

    def _innermost(self, loop: c.Loop, known: LoopResult) -> Sequence[c.Stmt]:
        """The body of a nest of plain loops that are one."""
        inner = next((s for s in c.walk_statements(loop) if isinstance(s, c.Loop) and s.id == known.loop), loop)
        return inner.body.body

    def _doubt(self, around: int | None, *why: Cause) -> None:
        """Note why the states of the function, or of an iteration of the nest ``around``, are not known."""
        if around is None:
            known = self.latencies.causes.get(self.function, ())
            self.latencies.causes[self.function] = tuple(dict.fromkeys((*known, *why)))
        else:
            nest = self.latencies.loops[around]
            causes = tuple(dict.fromkeys((*nest.depth_causes, *why)))
            self.latencies.loops[around] = replace(nest, depth_causes=causes)

    def _record(self, part: int, states: int | None, total: int | None) -> None:
        known = self.latencies.loops[part]
        if self.side == "min":
            self.latencies.loops[part] = replace(known, depth=states, latency=Bounds(total, None))
        else:
            depth = states if states == known.depth else None
            self.latencies.loops[part] = replace(known, depth=depth, latency=Bounds(known.latency.min, total))

    def _parallel(self, statements: Sequence[c.Stmt]) -> tuple[int, int] | None:
        """Processes of a DATAFLOW region: states of the longest one, and until the last one ends.

        A process waits for the arrays of those before it, which hand them over whole (UG1399, "PIPO"). With a stream it
        may start at once, and at the most waits for all of it.
        """
        ends: list[int] = []
        done: list[tuple[int, int, Touched]] = []  # first state, last state, and what it uses
        for stmt in (s for s in flat(statements) if self._is_process(s)):
            states, what = self._sequence([stmt], 0, None), touched(self.controlled.program, [stmt])
            if states is None:
                return None
            start = 0
            for first, last, earlier in done:
                if what.is_after(earlier):
                    whole = self.side == "max" or self._is_handed_over(earlier.writes & what.reads)
                    start = max(start, last if whole else first)
            ends.append(states)
            done.append((start, start + states, what))
        return max(ends, default=0), max((last for _, last, _ in done), default=0)

    def _is_handed_over(self, variables: frozenset[int]) -> bool:
        """Whether one of the channels between two processes is an array of the function that is no stream."""
        program = self.controlled.program
        streams = {v for d in program.directives if d.kind == "stream" for v in d.variables}
        handed = (program.variable(v) for v in variables - streams - {ANYTHING})
        return any(v.is_array and v.storage == "local" for v in handed)

    # --------------------------------------------------------------------------------- uses

    def _holds_parts(self, stmt: c.Stmt) -> bool:
        """Whether a statement holds a loop of the hardware or the call of a module."""
        for inner in c.walk_statements(stmt):
            if isinstance(inner, c.Loop) and inner.id in self.controlled.parts:
                return True
        return any(name in self.controlled.program.functions for name in self._names(stmt))

    def _is_process(self, stmt: c.Stmt) -> bool:
        """Whether a statement of a DATAFLOW region is a process: one whose body is not given, too."""
        return self._holds_parts(stmt) or any(not name.startswith("stream.") for name in self._names(stmt))

    def _names(self, stmt: c.Stmt) -> Iterator[str]:
        """Functions that it calls."""
        for root in statement_expressions(self.controlled.program, stmt):
            yield from (e.function for e in c.walk(root) if isinstance(e, c.Call) and e.function is not None)
