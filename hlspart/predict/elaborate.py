"""One loop brought down to operations: statements, orders, memories and requests of an iteration."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.counting import PortProblem
from hlspart.hardware.memory import BUS
from hlspart.hardware.reshape import Words
from hlspart.hardware.storage import Storage
from hlspart.lowering import directed
from hlspart.lowering.addresses import with_addresses
from hlspart.lowering.balance import FLOATS, balance
from hlspart.lowering.dependence import Carriers
from hlspart.lowering.distances import Iterations
from hlspart.lowering.dividers import Dividers, with_dividers
from hlspart.lowering.exits import after_exits
from hlspart.lowering.graph import Op
from hlspart.lowering.handshakes import behind_test, refuse_tested_room, registered
from hlspart.lowering.history import Index
from hlspart.lowering.lower import Lowered, lower
from hlspart.lowering.open_loops import alone
from hlspart.lowering.operations import Body, Frame
from hlspart.lowering.statements import Control, Iteration, elaborate
from hlspart.model import program as c
from hlspart.model.access import Affine
from hlspart.model.directives import Directive
from hlspart.model.ports import IterationSpace, PortAccess
from hlspart.nests import bus
from hlspart.nests.bus import NO_REQUESTS, BusRequests
from hlspart.nests.counters import steady
from hlspart.nests.inplace import behind_responses
from hlspart.nests.loopfacts import flat
from hlspart.nests.nests import Nest, Nests, Order, order
from hlspart.predict.port_accesses import port_access
from hlspart.semantics import folding
from hlspart.targets import Target


class Elaborated(Struct, frozen=True):
    """A nest as operations, ready to be counted and scheduled. ``accesses``/``members`` by variable."""

    nest: Nest
    space: IterationSpace
    order: Order
    lowered: Lowered
    carriers: Carriers
    accesses: Mapping[int, tuple[PortAccess, ...]]
    members: Mapping[int, tuple[int, ...]]  # operation ids of `accesses`
    problems: Mapping[int, PortProblem]
    storage: Storage
    dividers: Dividers
    balanced: bool = False  # sums may be balanced
    joined: bool = False  # a carried value is an operand of a balanced tree
    requests: BusRequests = NO_REQUESTS  # of m_axi accesses
    symbols: Mapping[str, str] = {}  # names in `space` of scalars that stay, with their names in the text
    settled: frozenset[int] = frozenset()  # sums of balanced trees whose order is known

    def apart(self, variable: int) -> tuple[tuple[int, ...], ...] | None:
        """Remainders that tell accesses of an array apart for the tool, though no bank is fixed.

        Accesses under conditions are not seen (reports of Vitis HLS 2023.2: 53 loops have the II of all banks).
        """
        if self.storage.target.distances_tell_banks != "yes" or any(a.branch for a in self.accesses[variable]):
            return None
        return self.problems[variable].apart(self.storage.memory(variable).layout)


class _Reach:
    """The banks that an operation may reach; the accesses of an array are one problem, stated when first needed."""

    def __init__(self, body: Body, space: IterationSpace, storage: Storage) -> None:
        self.ops, self.space, self.storage = body.ops, space, storage
        self.places: dict[int, tuple[PortProblem, int]] = {}
        self.reached: dict[int, frozenset[int]] = {}

    def __call__(self, op: Op) -> frozenset[int]:
        if op.id not in self.reached:
            assert op.ref is not None
            layout = self.storage.memory(op.ref.variable).layout
            problem, k = (None, 0) if layout.banks == 1 else self._place(op, op.ref.variable)
            self.reached[op.id] = frozenset((0,)) if problem is None else problem.reach(k, layout)
        return self.reached[op.id]

    def _place(self, op: Op, variable: int) -> tuple[PortProblem, int]:
        if op.id not in self.places:
            ops = [o for o in self.ops.values() if o.ref is not None and o.ref.variable == variable]
            problem = PortProblem(self.space, [port_access(o.ref, o.line) for o in ops if o.ref])
            self.places.update((o.id, (problem, k)) for k, o in enumerate(ops))
        return self.places[op.id]


_NO_NAME = re.compile(r"\W", re.ASCII)  # what isl has not in names


class Elaboration:
    """Brings the nests of one function down to operations."""

    def __init__(self, nests: Nests, storage: Storage, target: Target) -> None:
        self.nests, self.storage, self.target = nests, storage, target
        self.program, self.analysis = nests.program, nests.analysis

    def elaborate(
        self,
        nest: Nest,
        statements: Sequence[c.Stmt] | None = None,
        early: bool = False,
        outliving: frozenset[int] = frozenset(),
    ) -> Elaborated:
        """Operations and orders of one iteration, or of ``statements``. Raises :class:`Unmodelled`.

        ``outliving``: variables that ``statements`` declare and others use.
        ``early``: see :func:`hlspart.lowering.balance.balance`.
        """
        how = order(self.nests, nest)
        body = list(nest.body if statements is None else statements)
        moved = self._counters(nest, how) if statements is None else {}
        control = self._control(nest) if statements is None else None
        symbols = self._symbols(nest, [*nest.before, *body, *nest.after], moved, control)
        space = self.nests.space(nest, tuple(symbols.values()))
        frame = self._frame(nest, how, body, space, symbols, moved, statements is not None, outliving)
        step = how.steps[-1] // nest.unroll if how.steps else 1
        shifts = tuple(((how.names[-1], k * step),) if k and how.names else () for k in range(nest.unroll))
        elaborated = elaborate(frame, Iteration(nest.before, tuple(body), nest.after, shifts, control))
        joined, settled = False, frozenset[int]()
        if not self._is_outlined(nest):
            quick = self._chosen(elaborated) if self.target.outlined_loops else frozenset()
            carried = [replace(x, scalar=x.scalar and x.phi in quick) for x in elaborated.carried]
            elaborated = replace(elaborated, carried=carried)
        balanced = directed.are_balanced(self.program, nest.function, self._around(nest))
        if balanced:
            trees = balance(elaborated, self._delay, self.target.unsafe_math, early)
            elaborated, joined, settled = trees.body, trees.joined, trees.settled
        iterations = Iterations(
            space, len(how.names), how.weights, how.steps, how.trips, self._relaxed(nest, space),
            self._is_outlined(nest),
            self.target.unrelated_rows, frozenset(symbols.values()), self._is_moving(nest),
            frozenset(symbols[v] for v in moved if v in symbols) if len(how.names) > 1 else frozenset(),
        )  # fmt: skip
        reach = _Reach(elaborated, space, self.storage)
        carriers = Carriers(
            iterations, self._dependence_pragmas(nest), reach,
            lambda v: self.program.variable(v).name, self.target.store_states, self._preset(nest),
            control is not None and bool(folding.modified(control.statements) & folding.indexing(body, self.program)),
            self.nests.starts((*nest.outer, *nest.chain)),
        )  # fmt: skip
        dividers = Dividers(how.names, self._ranges(nest), self.storage, reach)
        lowered = self._lowered(nest, how, elaborated, carriers, dividers)
        own = nest.pipelined and nest.loop is not None
        stored = {op.ref.variable for op in elaborated.ops.values() if op.ref is not None and op.kind == "store"}
        accesses: dict[int, list[PortAccess]] = {}
        members: dict[int, list[int]] = {}
        for op in lowered.graph.memory:
            assert op.ref is not None
            leaves = how.names if own and op.ref.variable not in stored else ()
            layout = self.storage.memory(op.ref.variable).layout
            accesses.setdefault(op.ref.variable, []).append(port_access(op.ref, op.line, leaves, layout))
            members.setdefault(op.ref.variable, []).append(op.id)
        counted = {v: PortProblem(space, a, self.target.exclusive_arms) for v, a in accesses.items()}
        banks = {
            op: counted[v].reach(k, self.storage.memory(v).layout)
            for v, ops in members.items() for k, op in enumerate(ops) if self.storage.memory(v).storage == BUS
        }  # fmt: skip
        requests = bus.requests(self.nests, nest, how, lowered.graph, self.storage, banks, alone=self._is_alone(nest))
        return Elaborated(
            nest, space, how, behind_responses(lowered, requests, how, self.storage, carriers), carriers,
            {v: tuple(a) for v, a in accesses.items()},
            {v: tuple(m) for v, m in members.items()},
            counted, self.storage, dividers, balanced, joined, requests,
            {name: self.program.variable(v).name for v, name in symbols.items()}, settled,
        )  # fmt: skip

    def _frame(
        self,
        nest: Nest,
        how: Order,
        body: Sequence[c.Stmt],
        space: IterationSpace,
        symbols: Mapping[int, str],
        moved: Mapping[int, Affine],
        part: bool,
        outliving: frozenset[int],
    ) -> Frame:
        """What is known of the iterators and arrays around ``body``, a ``part`` of the nest or all of it."""
        uneven = nest.unroll > 1 and self._trip_of(nest) % nest.unroll != 0
        around = {i.variable: i.iterator for x in nest.outer if (i := self.nests.info(x)) is not None}
        fixed = dict(symbols) | {v: n for v, n in around.items() if v is not None and n in space.names}
        forms = {v: Affine.of({n: 1}) + moved.get(v, Affine((), 0)) for v, n in fixed.items()}
        return Frame(
            self.program, self.analysis, tuple(x.id for x in nest.chain), space.names, space.domain, forms, uneven,
            directed.bindings(self.program, nest.function), self._words(nest, space.names),
            self.storage.automatic.tables, part, abs(how.steps[-1]) if how.steps else 1,
            self._reset(body), self.target.reciprocals, outliving, self._divided,
            alone(self.storage, nest.function, body),
        )  # fmt: skip

    def _lowered(self, nest: Nest, how: Order, elaborated: Body, carriers: Carriers, dividers: Dividers) -> Lowered:
        """The graph of an iteration, with what its loop adds: addresses, handshakes, exits."""
        own = nest.pipelined and nest.loop is not None
        lowered = lower(
            elaborated,
            how.names,
            self.storage,
            carriers,
            own,
            self.target.alias_gap,
            self._ends(nest),
            unrolls_later=nest.origin == "auto",
        )
        if nest.pipelined:
            lowered = with_addresses(lowered, how.names, self.storage, self._is_outlined(nest) and not self._asks(nest))
            lowered = with_dividers(lowered, dividers)
        if self._is_registered(nest):
            refuse_tested_room(nest.body, self.storage)
            lowered = registered(lowered, self.storage)
        if nest.loop is not None and nest.pipelined and nest.loop.test is not None and not elaborated.exits:
            lowered = behind_test(lowered, self.storage)
        if elaborated.exits and nest.loop is not None:
            lowered = after_exits(lowered, elaborated.exits, nest.loop.name)
        return lowered

    def _around(self, nest: Nest) -> frozenset[int | None]:
        """The loops that hold a nest, its own and those inside, and None for its function."""
        inside = {s.id for b in nest.body for s in c.walk_statements(b) if isinstance(s, c.Loop)}
        return frozenset({x.id for x in (*nest.outer, *nest.chain)} | inside | {None})

    def _words(self, nest: Nest, names: tuple[str, ...]) -> Words:
        starts = {}
        for loop in (*nest.outer, *nest.chain):
            info = self.nests.info(loop)
            if info is not None and info.iterator and info.lower is not None and not info.lower.terms and info.step:
                copies = nest.unroll if loop is nest.loop else 1
                starts[info.iterator] = (info.lower.const, info.step * copies)
        return Words(self.storage.packings, names, starts)

    def _delay(self, op: Op) -> float:
        """ns from the start of an operation to its result, nearly."""
        if op.ref is not None:
            return self.target.effective_ns
        time = self.target.operator(op.kind, op.bits, op.impl, op.operands)
        if time is None:
            return 0.0
        return time.in_ns if time.states == 1 else time.states * self.target.effective_ns

    def _control(self, nest: Nest) -> Control | None:
        """What decides whether a loop goes on, when data has a say in it."""
        info = self.nests.info(nest.loop) if nest.loop is not None else None
        if info is None or nest.loop is None or not (info.exits or info.cause is not None or info.iterator is None):
            return None
        return Control(nest.loop.test, nest.loop.step if info.iterator is None else None, nest.loop.kind == "do")

    def _ends(self, nest: Nest) -> tuple[int, int] | None:
        """First and last value of the inner iterator of a nest flattened over statements."""
        info = self.nests.info(nest.loop) if nest.loop is not None and (nest.before or nest.after) else None
        trip = info.trip_count.exact if info is not None else None
        if info is None or info.lower is None or info.lower.terms or info.step is None or not trip or nest.unroll > 1:
            return None
        return info.lower.const, info.lower.const + info.step * (trip - 1)

    def _relaxed(self, nest: Nest, space: IterationSpace) -> str | None:
        """The iteration space without its bounds, when those of the nest's own loops vary."""
        infos = [self.nests.info(x) for x in nest.chain]
        if all(i is not None and i.lower is not None and not i.lower.terms and i.trip_count.exact for i in infos):
            return None
        return f"{{ [{', '.join(space.names)}] }}"

    def _reset(self, statements: Sequence[c.Stmt]) -> frozenset[int]:
        """Arrays of registers that statements declare."""
        arrays = (v for v in folding.declared(statements) if isinstance(self.program.variable(v).type, c.ArrayType))
        return frozenset(v for v in arrays if self.storage.memory(v).registers)

    @cached_property
    def _divided(self) -> Mapping[int, tuple[int, ...]]:
        """Completely partitioned dimensions of arrays whose elements are chosen while loops run."""
        dims = {v: self.storage.memory(v).layout.dims for v in self.analysis.followed_nowhere}
        return {v: at for v, d in dims.items() if (at := tuple(k for k, x in enumerate(d) if not x.has_local))}

    def _is_moving(self, nest: Nest) -> bool:
        """Whether a loop with others unrolled in it has a first value that varies with other iterators."""
        info = self.nests.info(nest.loop) if nest.loop is not None else None
        inside = any(isinstance(s, c.Loop) for b in nest.body for s in c.walk_statements(b))
        return inside and info is not None and info.lower is not None and bool(info.lower.terms)

    def _counters(self, nest: Nest, how: Order) -> dict[int, Affine]:
        """Scalars that a loop moves by as much in each iteration, by what its own iterator says of them.

        What a row of the nest starts from may be any value.
        """
        if not how.names or nest.before or nest.after or nest.loop is None:
            return {}
        step, moves = how.steps[-1] // nest.unroll, steady(self.program, nest.chain)
        return {v: Affine.of({how.names[-1]: by // step}) for v, by in moves.items() if by % step == 0}

    def _symbols(
        self, nest: Nest, statements: Sequence[c.Stmt], moved: Collection[int], control: Control | None
    ) -> dict[int, str]:
        """Scalars that the loop uses for indices and never changes but for ``moved``, as names of the space.

        Each is a dimension without bounds, which makes every question about the space harder: no others.
        """
        fixed = {info.variable for x in (*nest.outer, *nest.chain) if (info := self.nests.info(x)) is not None}
        used = folding.indexing(statements, self.program)
        header = control.statements if control is not None else ()
        used -= (folding.modified([*statements, *header]) - set(moved)) | folding.declared(statements) | fixed
        variables = (self.program.variable(v) for v in sorted(used))
        kept = (v for v in variables if not (v.const and isinstance(v.init, c.Const)))
        return {v.id: f"{_NO_NAME.sub('_', v.name)}_at_{v.id}" for v in kept}

    def _asks(self, nest: Nest) -> bool:
        """Whether the directive that pipelines a nest names an II."""
        places: list[int | None] = [x.id for x in nest.chain] or [None]
        asked = (self.nests.on("pipeline", place) for place in places)
        return any(d is not None and {"ii", "II"} & set(d.values) for d in asked)

    @staticmethod
    def _chosen(body: Body) -> frozenset[int]:
        """Variables that a loop which is all of its function reads in the state that writes them.

        Reports of merges and an automaton (2022.2, 2023.2; 10 ns) show it of selections of the next place or state.
        """

        def maker(ident: int) -> Op:
            op = body.ops[ident]
            return maker(op.args[0]) if op.free and op.kind != "phi" and len(op.args) == 1 else op

        summed = {arg for op in body.ops.values() if op.kind in FLOATS for arg in op.args}
        return frozenset(x.phi for x in body.carried if maker(x.value).kind == "select" and x.phi not in summed)

    def _is_outlined(self, nest: Nest) -> bool:
        """Whether the loop becomes a module of its own: not when it is all that its function does.

        A loop of a DATAFLOW region is all of the process that it is (Taise228/topk_sort, UCLA-VAST/Prometheus).
        """
        if not self.target.outlined_loops or nest.loop is None:
            return False
        if not nest.outer and self.nests.directive("dataflow", None) is not None:
            return False
        real = (s for s in flat(self.nests.function.body.body) if not isinstance(s, c.Declare | c.PragmaMark | c.Label))
        return bool(nest.outer) or any(s is not nest.chain[0] for s in real)

    def _is_alone(self, nest: Nest) -> bool | None:
        """Whether the loop is all of a function that would be another module; None: not known.

        A process that gets its bound through a channel takes a state to read it, so the loop is a module.
        """
        if not self.target.outlined_loops or nest.loop is None or self._is_outlined(nest):
            return False
        counted = all(self.nests.trip(x).exact is not None for x in nest.levels)
        regions = any(d.kind == "dataflow" and d.usable for d in self.program.directives)
        return True if counted or not regions else None

    def _is_registered(self, nest: Nest) -> bool:
        """Whether writes at axis ports fill the registers of the ports, which a module of its own has not."""
        return self.target.axis_write_states > 1 and not self._is_outlined(nest)

    def _preset(self, nest: Nest) -> frozenset[tuple[int, Index]]:
        """Elements that are stored ahead of a loop, beside it."""
        if nest.loop is None:
            return frozenset()
        around, inside = tuple(x.id for x in nest.outer), nest.chain[0].id
        first = min((a.order for a in self.analysis.accesses if inside in a.loops), default=0)
        return frozenset(
            (a.array, a.index)
            for a in self.analysis.accesses
            if a.kind == "write" and a.function == nest.function and a.loops == around and a.order < first
        )

    def _ranges(self, nest: Nest) -> dict[str, tuple[int, int]]:
        """First value of iterators and the one that ends their loop, where they are constant."""
        infos = [i for x in (*nest.outer, *nest.chain) if (i := self.nests.info(x)) is not None]
        return {
            i.iterator: (i.lower.const, i.lower.const + i.step * i.trip_count.exact)
            for i in infos
            if i.iterator and i.step and i.lower is not None and not i.lower.terms and i.trip_count.exact is not None
        }

    def _trip_of(self, nest: Nest) -> int:
        trip = self.nests.trip(nest.loop).exact if nest.loop is not None else None
        return trip if trip is not None else 1

    def _dependence_pragmas(self, nest: Nest) -> tuple[Directive, ...]:
        inner = {s.id for x in nest.chain for s in c.walk_statements(x) if isinstance(s, c.Loop)}
        scope = inner | {x.id for x in nest.outer} | {None}
        return tuple(
            d for d in self.program.usable.get(nest.function, ()) if d.kind == "dependence" and d.loop in scope
        )
