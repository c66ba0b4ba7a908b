"""The controller of a function: which loops are parts of it, and the states of the code between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import MemoryRef
from hlspart.model import program as c
from hlspart.model.access import Bounds
from hlspart.model.causes import Cause
from hlspart.model.program import Program
from hlspart.nests import bus
from hlspart.nests.loopfacts import flat
from hlspart.nests.nests import Nest, Nests
from hlspart.predict.datapath import Datapath, datapath
from hlspart.predict.depths import UNKNOWN_DEPTH, DepthRange, depth_range
from hlspart.predict.latency import LOADED_AHEAD, UNKNOWN
from hlspart.predict.loops import LoopModel, cautious
from hlspart.predict.parameters import states_differ
from hlspart.predict.touched import Touched
from hlspart.schedule.modulo import modulo_schedule
from hlspart.semantics import folding
from hlspart.semantics.effects import statement_expressions
from hlspart.targets import Target


class Left(Struct, frozen=True):
    """What has left a loop: its loads and stores, the states of its operations, and the variables that these take."""

    loads: tuple[MemoryRef, ...]
    work: DepthRange
    taken: frozenset[str]


#: What is known of straight-line code, by the loop around it (None: none) and the identities of its statements.
Straight = dict[tuple[int | None, ...], tuple[DepthRange, Datapath | None]]


class Controller:
    """One function, with the calls expanded that are no modules; see :class:`controlled.Controlled`."""

    def __init__(
        self,
        nests: Nests,
        storage: Storage,
        target: Target,
        records: Mapping[int, int],
        left: Mapping[int, Left],
        bursts: Mapping[int, int],
        known: Straight,
    ) -> None:
        """``records``: index of the record of a loop, by its id. ``left``: what has left a loop, by its id.

        ``bursts``: most states of m_axi requests and responses around a loop, by its id.

        ``known``: states of straight-line code of this function, which are taken from there and put there.
        """
        self.program, self.nests, self.storage, self.target = nests.program, nests, storage, target
        self._nests = {records[n.loop.id]: n for n in nests.all if n.loop is not None and n.loop.id in records}
        self.parts = {n.chain[0].id: k for k, n in self._nests.items()}
        self._left = {records[loop]: refs for loop, refs in left.items() if loop in records}
        self._bursts = {records[loop]: states for loop, states in bursts.items() if loop in records}
        self._known, self._asked = known, set[tuple[int | None, ...]]()
        self.straight: list[Datapath] = []  # of the straight-line code asked about so far
        self.statements = nests.function.body.body

    @cached_property
    def alone(self) -> bool:
        """Whether one pipelined loop is all of the function that takes states, which then is no module of its own.

        Reports (2023.2): scalars that are set ahead of the loop, results that are handed out behind it, do not count.
        """
        real = [s for s in flat(self.statements) if not isinstance(s, c.PragmaMark | c.Label)]
        own = [n for n in self._nests.values() if n.pipelined and any(n.chain[0] is s for s in real)]
        if len(self._nests) != 1 or not own:
            return False
        if self.worked(next(iter(self._nests))).states.max != 0:
            return False
        at = next(k for k, s in enumerate(real) if s is own[0].chain[0])
        return all(self._is_free(side) for side in (real[:at], real[at + 1 :]))

    def is_register(self, variable: int) -> bool:
        """Whether every element of an array is a register."""
        return variable >= 0 and self.program.variable(variable).is_array and self.storage.memory(variable).registers

    def _is_free(self, statements: Sequence[c.Stmt]) -> bool:
        """Whether statements need no state of their own: no memory, no operator of several states."""
        beside = [s for s in statements if not isinstance(s, c.Declare) or self._initialised(s)]
        if not beside:
            return True
        try:
            model = LoopModel(self.nests, self.storage, self.target)
            item = model.elaborate(self._function(), beside, outliving=self._outliving(beside))
            problem, _ = model.problem(item)
        except Unmodelled:
            return False
        ops = problem.graph.ops
        return not problem.ports and all(t.states == 1 and ops[i].kind != "call" for i, t in problem.timing.items())

    def _initialised(self, stmt: c.Declare) -> bool:
        return any(self.program.variable(v).init is not None for v in stmt.variables)

    def ahead(self, record: int) -> DepthRange:
        """States of the loads that have left a pipelined loop: a bank serves as many at once as it has ports."""
        elements: dict[int, dict[object, MemoryRef]] = {}
        for ref in self._left[record].loads if record in self._left else ():
            if ref.variable >= len(self.program.variables):  # a memory of what was expanded into the loop
                return DepthRange(UNKNOWN_DEPTH.states, (LOADED_AHEAD,))
            if ref.kind == "read" and not self.storage.memory(ref.variable).registers:
                elements.setdefault(ref.variable, {}).setdefault(ref.key, ref)
        loads = [self._loads(v, tuple(refs.values())) for v, refs in elements.items()]
        states = Bounds(max((x for x, _ in loads), default=0), max((x for _, x in loads), default=0))
        return DepthRange(states, () if states.exact is not None else (LOADED_AHEAD,))

    def worked(self, record: int) -> DepthRange:
        """States of the operations that have left a pipelined loop; 0 where they are logic of one state."""
        work = self._left[record].work if record in self._left else DepthRange(Bounds(0, 0))
        return DepthRange(Bounds(0, 0)) if work.states.max is not None and work.states.max <= 1 else work

    def taken(self, record: int, what: Touched) -> Touched:
        """What the operations that have left a pipelined loop, which is ``what``, wait for."""
        names = self._left[record].taken if record in self._left else frozenset[str]()
        reads = frozenset(v for v in what.reads if v >= 0 and self.program.variable(v).name in names)
        return Touched(reads, frozenset(), what.memories)

    def _loads(self, variable: int, refs: Sequence[MemoryRef]) -> tuple[int, int]:
        """Fewest and most states in which different elements of a memory are loaded."""
        memory = self.storage.memory(variable)
        behind = self.target.load_states(memory.storage) - 1
        places = [ref.element for ref in refs]
        if memory.layout.banks > 1 and all(x is not None for x in places):
            busiest = max(Counter(memory.layout.bank(x) for x in places if x is not None).values())
            return (states := memory.ports.interval(busiest, 0) + behind), states
        fewest = math.ceil(len(refs) / memory.layout.banks)
        return memory.ports.interval(fewest, 0) + behind, memory.ports.interval(len(refs), 0) + behind

    def around(self, record: int) -> int:
        """States of m_axi requests ahead of a pipelined loop and of responses behind it, at the most."""
        return self._bursts.get(record, 0)

    def copies(self, loop: c.Loop) -> int | None:
        """How often the body of an unrolled loop is there, at the most."""
        part = self.parts.get(loop.id)
        return self.nests.trip(loop).max if part is None else self._nests[part].unroll

    def filled(self, stmt: c.Stmt) -> int:
        """Words of the memories that a declaration fills with zeros, which the tool does in loops of its own."""
        variables = [v for v in self._initial(stmt) if not self.storage.memory(v.id).registers]
        return sum(math.prod(d or 1 for d in v.dims) for v in variables if _zero(v))

    def fills(self) -> Iterator[tuple[c.Declare, int]]:
        """Declarations that are filled so, in no pipelined loop, and their words."""
        inside = {id(n.chain[0]) for n in self._nests.values() if n.pipelined and n.chain}
        waiting: list[c.Stmt] = list(reversed(self.statements))
        while waiting:
            stmt = waiting.pop()
            if isinstance(stmt, c.Declare) and (words := self.filled(stmt)):
                yield stmt, words
            if id(stmt) not in inside:
                waiting.extend(reversed(c.substatements(stmt)))

    def _initial(self, stmt: c.Stmt) -> list[c.Variable]:
        """Arrays that get initial values each time a declaration is reached."""
        if not isinstance(stmt, c.Declare):
            return []
        variables = (self.program.variable(v) for v in stmt.variables)
        return [
            v for v in variables
            if v.is_array and v.init is not None and v.storage != "static" and v.id not in self.storage.automatic.tables
        ]  # fmt: skip

    def states(self, around: int | None, statements: Sequence[c.Stmt]) -> DepthRange:
        """States of straight-line code in the nest ``around`` (None: in no loop)."""
        if self._differ is not None:
            return DepthRange(UNKNOWN, (self._differ,))
        nest = self._nests[around] if around is not None else self._function()
        # the test of a branch is told by its expression: the statement for it is made anew each time
        parts = (id(s.expr if isinstance(s, c.ExprStmt) else s) for s in statements)
        key = (None if nest.loop is None else nest.loop.id, *parts)
        if key not in self._known:
            try:
                self._known[key] = self._scheduled(nest, statements)
            except Unmodelled as stop:
                self._known[key] = DepthRange(UNKNOWN, (stop.cause,)), None
        depth, path = self._known[key]
        if path is not None and key not in self._asked:
            self.straight.append(path)
        self._asked.add(key)
        return depth

    @cached_property
    def _differ(self) -> Cause | None:
        return states_differ(self.storage, self.nests.function.name)

    def _scheduled(self, nest: Nest, statements: Sequence[c.Stmt]) -> tuple[DepthRange, Datapath | None]:
        for stmt in (s for top in statements for s in c.walk_statements(top)):
            if isinstance(stmt, c.Jump) and stmt.kind == "goto":  # thousands of tests by a macro: none is elaborated
                raise Unmodelled("goto is not modelled", self.program.line(stmt.at))
        statements = [s for s in statements if not self._initial(s) or not self._registers(s)]
        outliving = self._outliving(statements)
        depth, path, slow = self._depths(nest, statements, outliving)
        if not outliving or depth.states.max is None:
            return depth, path
        least = self._depths(nest, statements, frozenset())[0].states
        if least.min is None or least.min >= depth.states.max:
            return depth, path
        if ended := self._ended(statements):
            text = f"whether the tool knows the last value of {', '.join(sorted(ended))} behind its loop is not known"
        elif not slow:
            text = "whether values that are loaded ahead of a loop take a state of their own is not known"
        else:
            return depth, path
        cause = Cause(text, tuple(sorted({self.program.line(s.at) for s in statements})))
        return DepthRange(Bounds(least.min, depth.states.max), (*depth.causes, cause)), path

    def _depths(
        self, nest: Nest, statements: Sequence[c.Stmt], outliving: frozenset[int]
    ) -> tuple[DepthRange, Datapath | None, bool]:
        """States of straight-line code, its datapath, and whether an operator of it takes several states."""
        model = LoopModel(self.nests, self.storage, self.target)
        item = model.elaborate(nest, statements, outliving=outliving)
        if on := {v for v in item.accesses if self.storage.memory(v).storage == BUS}:
            text = bus.unknown(self.storage, on, "they are in no pipelined loop")
            used = [op for op in item.lowered.graph.memory if op.ref is not None and op.ref.variable in on]
            item = replace(item, requests=bus.not_known(text, used))
        problem, doubts = model.problem(item)
        problem = cautious(item, problem)
        if not problem.graph.ops:
            return DepthRange(Bounds(0, 0)), None, False
        inside = tuple(e for e in problem.graph.edges if e.distance == 0)
        problem = replace(problem, graph=replace(problem.graph, edges=inside))
        wide = sum(t.states for t in problem.timing.values()) + sum(e.gap or 0 for e in inside) + 1
        schedule = modulo_schedule(problem, wide, wide, 1)
        if schedule is None:
            return DepthRange(UNKNOWN, (Cause("no schedule of the statements was found"),)), None, False
        ops = problem.graph.ops
        slow = any(t.states > 1 and ops[i].ref is None for i, t in problem.timing.items())
        path = datapath(problem, schedule, self.target)
        return depth_range(problem, (*item.requests.doubts, *doubts), wide, schedule.depth), path, slow

    def _ended(self, statements: Sequence[c.Stmt]) -> set[str]:
        """Scalars used here that the function only counts up or down, from a constant on."""
        used = {v for v in self._named(statements) if v not in folding.declared(statements)}
        return {self.program.variable(v).name for v in used & self._counters}

    @cached_property
    def _counters(self) -> frozenset[int]:
        counted, others = set[int](), set[int]()
        for stmt in self.statements:
            for root in statement_expressions(self.program, stmt):
                for expr in c.walk(root):
                    match expr:
                        case c.IncDec(operand=c.Name(variable=v)):
                            counted.add(v)
                        case c.Assign(target=c.Name(variable=v), op=op, value=c.Const()):
                            if op != "=":
                                counted.add(v)
                        case c.Assign(target=c.Name(variable=v)):
                            others.add(v)
        return frozenset(v for v in counted - others if self.program.variable(v).function is not None)

    def _outliving(self, statements: Sequence[c.Stmt]) -> frozenset[int]:
        """Variables that statements of the function declare and others use."""
        own = folding.declared(statements)
        here = self._named(statements) if own else Counter[int]()
        return frozenset(v for v in own if self._uses[v] > here[v])

    @cached_property
    def _uses(self) -> Counter[int]:
        return self._named(self.statements)

    def _named(self, statements: Sequence[c.Stmt]) -> Counter[int]:
        """At how many places variables stand."""
        return Counter(
            expr.variable
            for stmt in statements
            for root in statement_expressions(self.program, stmt)
            for expr in c.walk(root)
            if isinstance(expr, c.Name | c.ArrayRef) and expr.variable is not None
        )

    def _registers(self, stmt: c.Stmt) -> bool:
        """Whether all arrays that a declaration sets are registers, which takes no state of its own."""
        return all(self.storage.memory(v.id).registers for v in self._initial(stmt))

    def _function(self) -> Nest:
        function = self.nests.function
        line = self.program.line(function.name_at)
        return Nest(function.name, None, (), (), False, None, "pragma", 1, (), (), function.body.body, line)


def _zero(variable: c.Variable) -> bool:
    items = variable.init.items if isinstance(variable.init, c.InitList) else ()
    return all(isinstance(x, c.Const) and not x.value for _, x in items)


def modules(program: Program, functions: Mapping[str, bool]) -> frozenset[str]:
    """Functions that stay modules where they are called, of those with loops in them or below (``functions``)."""
    off = {d.function for d in program.directives if d.usable and d.kind == "inline" and d.has("off") and d.function}
    whole = {d.function for d in program.directives if d.usable and d.kind == "pipeline" and d.loop is None}
    return frozenset(name for name, loops in functions.items() if loops or name in off | whole)
