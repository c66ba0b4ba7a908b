"""What of a function the model does not cover, so that a prediction of its loops would be a guess."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.shared import beside_modules
from hlspart.hardware.storage import Storage
from hlspart.lowering.directed import is_unit_of, limited
from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.model.causes import Cause
from hlspart.model.directives import Directive
from hlspart.model.program import Program
from hlspart.model.results import PragmaStatus
from hlspart.nests.automatic import without_body
from hlspart.nests.nests import Nest, Nests
from hlspart.predict.aliased import is_in_registers, one_memory
from hlspart.predict.delays import is_delayed, only_delays
from hlspart.predict.inlined import inlined
from hlspart.predict.loops import Prediction
from hlspart.predict.parameters import of_parameters, states_differ
from hlspart.schedule.recurrence import critical_cycle
from hlspart.semantics.effects import effects, statement_expressions

_BANKS = frozenset({"array_partition", "array_reshape"})
# directives about a whole function, which do not follow its statements into an expanded call
_WHOLE = frozenset({"allocation", "expression_balance"})


class Uncovered(Struct, frozen=True, dict=True):
    """Why loops of one function have no model."""

    nests: Nests
    storage: Storage

    @property
    def program(self) -> Program:
        """The program of the function."""
        return self.nests.program

    @property
    def analysis(self) -> AccessAnalysis:
        """Its accesses."""
        return self.nests.analysis

    def causes(self, nest: Nest) -> Iterator[Cause]:
        """Valid directives without a model that touch the loop, or a function that it calls; memories without one."""
        around = _around(nest)
        called = self.reached(nest)
        for d in self._usable_in(called):
            text = self._unmodelled(d, nest, around, called)
            if text is not None:
                yield Cause(text)
        yield from self._of_variables(nest)
        yield from map(Cause, self._one_memory(nest))
        if nest.loop is not None and nest.origin == "auto" and not nest.pipelined:
            missing = without_body(self.nests, nest.loop)
            yield Cause(f"whether the tool pipelines the loop is not known: the body of {missing} is not given")
        if (inner := self.nests.perhaps_flattened(nest.loop)) is not None:
            yield Cause(perhaps_flattened(self.program, inner), (self.program.line(inner.at),))
        if (
            nest.loop is not None
            and nest.origin == "auto"
            and len(nest.levels) > 1
            and self.nests.is_left_over(nest.loop)
        ):
            yield Cause(
                "whether the tool pipelines a nest around a loop that it cannot unroll is not known", (nest.line,)
            )

    def _of_variables(self, nest: Nest) -> Iterator[Cause]:
        """Partitions whose factors are variables, which some tools take the constants of."""
        if not self.nests.target.takes_variables:
            return
        touched = self.nests.arrays(nest)
        for d in self._faulty:
            if any(touched & set(self.storage.arrays.members(v)) for v in d.variables):
                text = f"whether the tool takes the values of variables in {d.kind.upper()} is not known"
                yield Cause(text, (self.program.line(d.at),))

    @cached_property
    def _faulty(self) -> tuple[Directive, ...]:
        banks = (d for d in self.program.directives if d.kind in _BANKS)
        return tuple(d for d in banks if any(p.code == "bad-value" for p in d.problems))

    def _usable_in(self, called: frozenset[str]) -> Iterator[Directive]:
        """Usable directives of the function, then of those that it calls."""
        for name in (self.nests.function.name, *sorted(called - {self.nests.function.name})):
            yield from self.program.usable.get(name, ())

    def _unmodelled(self, d: Directive, nest: Nest, around: set[int], called: frozenset[str]) -> str | None:
        line = self.program.line(d.at)
        if d.asks_open_banks:
            return None  # how many banks there are matters where ports do
        if d.kind == "allocation" and (d.option("instances") or "") in called:
            return f"ALLOCATION of function {d.option('instances')} (line {line}) is not modelled"
        if d.kind == "occurrence" or self._is_of_the_body(d, nest) or (nest.pipelined and only_delays(d)):
            return None  # `against` has the schedule that tells
        if d.kind == "disaggregate" and not self._is_of_ports(d):
            return None  # structures inside are taken apart anyway
        if d.kind == "loop_merge" and not self._merges(d):
            return None  # there is one loop, or none
        if self._asks_for_one(d, nest):
            return None  # `against` sees whether that needs more
        if d.function != self.nests.function.name:
            if d.kind == "dataflow" and d.loop is None and nest.pipelined:
                return f"PIPELINE gives way to DATAFLOW in {d.function} (line {line})"  # HLS 200-993
            if limited(d) and d.function not in self._apart:
                return None  # `_limits_beside` counts the operations
            if d.kind == "interface":
                return None  # synthesis ignores that of a function that is called (HLP417)
            if not d.modelled or d.kind in _WHOLE:
                return f"{d.kind.upper()} in {d.function} (line {line}) is not modelled in an expanded call"
        elif not d.modelled and (d.loop in around or (d.loop is None and self._concerns(d, nest))):
            return f"{d.kind.upper()} (line {line}) is not modelled"
        elif d.kind == "pipeline" and d.pragma in self._in_arms and (d.loop in around or nest.loop is None):
            return f"PIPELINE (line {line}) stands under a condition, not in the loop or function itself"
        return None

    def _is_of_the_body(self, d: Directive, nest: Nest) -> bool:
        """Whether a directive is LATENCY of the pipelined body itself, not of a region in it."""
        if not nest.pipelined or d.kind != "latency" or d.pragma is None:
            return False
        root = self.nests.function.body if nest.loop is None else nest.loop.body
        marks = (s.pragma for s in (root.body if isinstance(root, c.Block) else ()) if isinstance(s, c.PragmaMark))
        return d.pragma in set(marks)

    def _asks_for_one(self, d: Directive, nest: Nest) -> bool:
        """Whether PERFORMANCE asks a pipelined loop for an II of one: its target is the II times the trip count."""
        if d.kind != "performance" or nest.loop is None or d.loop != nest.loop.id or not nest.pipelined:
            return False
        target, most = d.option("target_ti") or "", self.nests.trip(nest.loop).max
        others = any(d.option(x) is not None for x in ("target_tl", "assume_ti", "assume_tl", "unit", "scope"))
        alone = len(nest.levels) == 1 and not others and target.isdigit()
        return alone and most is not None and most <= int(target) < 2 * most

    def against(self, nest: Nest, p: Prediction, floor: int) -> Iterator[Cause]:
        """Directives that a schedule of the loop does not keep, and instances of a template that may have another.

        OCCURRENCE gives a region more cycles than an iteration has: where the II is that asked for, it lowers nothing.
        LATENCY of the body that the schedule keeps, or that states behind its end would keep, moves no operation.
        """
        assert p.schedule is not None
        yield from of_parameters(self.program, nest, p, floor)
        yield from self._limits_beside(nest, p)
        called = self.reached(nest)
        for d in self._usable_in(called):
            line = self.program.line(d.at)
            if d.kind == "occurrence" and p.schedule.ii > p.target and self._is_inside(d, nest, called):
                yield Cause(f"OCCURRENCE (line {line}) is not modelled", (line,))
            within = d.loop is not None or nest.loop is None or d.kind != "latency" or d.function in called
            below = self._held_by(d) if within and self._only_delays(d, nest, called) else frozenset[str]()
            if below and is_delayed(d, self.program, p.problem.graph, below):
                yield Cause(f"what {d.kind.upper()} (line {line}) adds to a recurrence is not known", (line,))
            if self._asks_for_one(d, nest) and p.schedule.ii > 1:
                yield Cause(f"what PERFORMANCE (line {line}) makes of the loop is not known", (line,))
            most = d.values.get("max")
            if self._is_of_the_body(d, nest) and most is not None and p.schedule.depth > most:
                yield Cause(f"how LATENCY (line {line}) is kept is not known", (line,))

    @cached_property
    def _apart(self) -> frozenset[str | None]:
        """Functions that stay modules of their own."""
        off = (d for d in self.program.directives if d.usable and d.kind == "inline" and d.has("off"))
        return frozenset(d.function for d in off)

    def _limits_beside(self, nest: Nest, p: Prediction) -> Iterator[Cause]:
        """ALLOCATION of another region whose code may be in the same module.

        A report (2019.1, MohammadJavadN/CNN-Accelerator) has II 3 in a loop for the limit in another expanded function.
        """
        assert p.schedule is not None
        own, most = self.nests.function.name, p.schedule.ii
        called = self.reached(nest)
        near = {own} | called if own in self._apart else self.program.functions.keys()
        used = Counter(x for op in p.problem.graph.ops.values() for x in (op.kind, f"{op.kind} {op.text}"))
        inside = sorted(near - (self._apart - {own}))
        for d in (d for name in inside for d in self.program.usable.get(name, ()) if d.kind == "allocation"):
            if d.function == own and (d.loop is None or d.loop in _around(nest)):
                continue
            limit = d.values.get("limit") or int(d.function in called)  # at least, where the number is not known
            if limit and any(n > limit * most and is_unit_of(d, unit) for unit, n in used.items()):
                line = self.program.line(d.at)
                yield Cause(f"whether ALLOCATION (line {line}) limits this loop's operations too is not known", (line,))

    def of_depth(self, nest: Nest, p: Prediction) -> tuple[Cause, ...]:
        """Why the states of an iteration are not those of its schedule."""
        assert p.schedule is not None
        called, causes = self.reached(nest), list[Cause]()
        for d in self._usable_in(called):
            few = self._is_of_the_body(d, nest) and d.values.get("min", 0) > p.schedule.depth
            if (
                few
                or self._only_delays(d, nest, called)
                or (d.kind == "occurrence" and self._is_inside(d, nest, called))
            ):
                line = self.program.line(d.at)
                causes.append(Cause(f"how many states {d.kind.upper()} (line {line}) makes is not known", (line,)))
        differ = states_differ(self.storage, self.nests.function.name)
        return tuple(causes) if differ is None else (*causes, differ)

    def _only_delays(self, d: Directive, nest: Nest, called: frozenset[str]) -> bool:
        """Whether a directive delays operations of a nest, but not the whole body."""
        if not only_delays(d) or self._is_of_the_body(d, nest):
            return False
        return d.function in called or (d.function == self.nests.function.name and d.loop in {None, *_around(nest)})

    def _held_by(self, d: Directive) -> frozenset[str]:
        """The function of a directive and those that it calls."""
        function = self.program.functions.get(d.function or "")
        return self._below([function.body]) | {function.name} if function is not None else frozenset()

    def _merges(self, d: Directive) -> bool:
        """Whether there may be loops that LOOP_MERGE makes one: several side by side, or copies of one."""
        function = self.program.functions[d.function or self.nests.function.name]
        body = function.body if d.loop is None else self.program.loops[d.loop].body
        below = (self.program.functions[name].body for name in self._below([body]))
        copied = d.loop is not None and self.nests.directive("unroll", d.loop) is not None
        return copied or len(_outermost(body)) > 1 or any(map(_outermost, below))

    def _is_of_ports(self, d: Directive) -> bool:
        """Whether a directive is about arguments of a top, or about what it names nothing is known."""
        variables = [self.program.variable(v) for v in d.variables]
        return not variables or any(v.storage == "parameter" and v.function in self.analysis.tops for v in variables)

    def _is_inside(self, d: Directive, nest: Nest, called: frozenset[str]) -> bool:
        """Whether a directive stands in a nest, or in what that calls."""
        if d.function in called:
            return True
        within = {s.id for b in nest.body for s in c.walk_statements(b) if isinstance(s, c.Loop)}
        return d.function == self.nests.function.name and (
            nest.loop is None or d.loop in within | {x.id for x in (*nest.outer, *nest.chain)}
        )

    @cached_property
    def _in_arms(self) -> frozenset[int]:
        """Pragmas under a condition in their loop or function, where no document says what they do."""
        body = self.program.functions[self.nests.function.name].body
        arms = (s for s in c.walk_statements(body) if isinstance(s, c.If | c.Switch))
        return frozenset(pragma for arm in arms for pragma in _marks(arm))

    @cached_property
    def _stored(self) -> frozenset[int]:
        """Arrays that the program stores to by these names."""
        return frozenset(a.array for a in self.analysis.accesses if a.kind == "write")

    def _one_memory(self, nest: Nest) -> Iterator[str]:
        """Two names of one array that the loop accesses as memories of their own, or an array of too many banks."""
        touched = self.nests.arrays(nest)
        for pair, text in one_memory(self.storage, touched):
            passed_on = is_in_registers(self.storage, pair) and pair & self._stored
            if not nest.pipelined or passed_on:  # else `of_one_memory` has bounds
                yield text
        here = touched & self.analysis.arrays_of.get(self.nests.function.name, frozenset())
        for ident in self._of_several:
            if ident in here:
                variable = self.program.variable(ident)
                yield f"calls of {variable.function} hand over arrays of several partitions as {variable.name}"
        for status in self._too_many:
            members = self.storage.arrays.members(status.variable) if status.variable is not None else ()
            if not touched.isdisjoint(members):
                yield f"{status.reason} (line {status.line})"

    @cached_property
    def _of_several(self) -> tuple[int, ...]:
        """Parameters that stand for arrays of several partitions."""
        groups = self.storage.validation.groups.values()
        return tuple(v for g in groups for v in sorted(v for v, dims in g.divided.items() if dims is None))

    @cached_property
    def _too_many(self) -> tuple[PragmaStatus, ...]:
        return tuple(s for s in self.storage.validation.statuses if s.code == "too-many-banks")

    def of_modules(self, nest: Nest, p: Prediction) -> Iterator[Cause]:
        """A recurrence through the memory accesses of a called function, which may stay a module of its own.

        The module's latency would count, which the expanded call does not show (a report has II 5 where it has 3).
        """
        reached = self.reached(nest)
        yield from map(Cause, self._ports_of_modules(nest, reached))
        if p.recurrence_ii < p.resource_ii or not reached:
            return
        graph = p.problem.graph
        least = int(p.recurrence_ii == 1)  # nothing waits for a register that the next iteration reads
        around = (e.sink for e in critical_cycle(p.problem, p.recurrence_ii) if p.problem.timing[e.sink].states > least)
        on = {graph.ops[i].line for i in around if graph.ops[i].ref}
        for name in sorted(reached - inlined(self.program, self.nests.target.auto_pipeline)):
            body = self.program.functions[name].body
            values = (e for top in statement_expressions(self.program, body) for e in c.walk(top))
            if on & {self.program.line(e.at) for e in values}:
                text = f"whether {name} is inlined is not known: as a module of its own it takes part with its latency"
                yield Cause(text, (self.program.line(self.program.functions[name].name_at),))

    def _ports_of_modules(self, nest: Nest, reached: frozenset[str]) -> Iterator[str]:
        """A memory that a called function which stays a module accesses, and the loop or another call as well.

        Each has ports of its own into the memory, so equal elements are loaded twice, unlike in the expanded calls.
        """
        from hlspart.transform.inline import inline

        below = (d for d in self._usable_in(reached) if d.function in reached)
        off = [d for d in below if d.kind == "inline" and d.has("off")]
        if not off:
            return
        modules = {
            d.function: {a.array for a in self.analysis.accesses if a.function == d.function} for d in off if d.function
        }
        outside = {v.id for v in self.program.variables if v.function is None}
        program, forward = inline(self.program, self.nests.function.name, frozenset(modules))
        body = program.functions[self.nests.function.name].body
        loops = [s for s in c.walk_statements(body) if isinstance(s, c.Loop) and nest.loop and s.id == nest.loop.id]
        for variable in sorted(beside_modules(program, loops or [body], {f: v & outside for f, v in modules.items()})):
            if variable in forward.variables or not self.storage.memory(variable).registers:
                names = ", ".join(sorted(modules))
                array = program.variable(variable).name
                yield f"{names} with INLINE off: which accesses of {array} a module shares with the loop is not known"

    def reached(self, nest: Nest) -> frozenset[str]:
        """Functions that a nest calls, directly or not."""
        return self._below([*nest.before, *nest.body, *nest.after, *nest.chain])

    def _below(self, statements: Sequence[c.Stmt]) -> frozenset[str]:
        functions: set[str] = set()
        waiting = [*statements]
        while waiting:
            for call in effects(self.program).calls_in(waiting.pop()):
                name = call.function
                if name is not None and name in self.program.functions and name not in functions:
                    functions.add(name)
                    waiting.append(self.program.functions[name].body)
        return frozenset(functions)

    def _concerns(self, d: Directive, nest: Nest) -> bool:
        if not d.variables:
            return True
        inside = {x.id for x in nest.chain}
        return any(a.array in d.variables and inside & set(a.loops) for a in self.analysis.accesses)

    @property
    def calls_loops(self) -> bool:
        """Whether functions with loops are called, directly or not."""
        below = (self.program.functions[name].body for name in self._below([self.nests.function.body]))
        return any(isinstance(s, c.Loop) for body in below for s in c.walk_statements(body))


def perhaps_flattened(program: Program, inner: c.Loop) -> str:
    """What is not known of a pipelined loop around ``inner``, whose bound is read at run time."""
    where = f"loop {inner.name} (line {program.line(inner.at)}), whose bound is read at run time"
    return f"whether the tool flattens it with {where}, or ignores PIPELINE, is not known"


def _around(nest: Nest) -> set[int]:
    """The loops that hold a nest, its own and those inside."""
    inside = {s.id for b in nest.body for s in c.walk_statements(b) if isinstance(s, c.Loop)}
    return inside | {x.id for x in (*nest.outer, *nest.chain)}


def _outermost(stmt: c.Stmt) -> tuple[c.Loop, ...]:
    """The loops in a statement that stand in no other of its loops."""
    inner = c.substatements(stmt)
    return tuple(loop for s in inner for loop in ((s,) if isinstance(s, c.Loop) else _outermost(s)))


def _marks(stmt: c.Stmt) -> Iterator[int]:
    """Pragmas inside of a statement, but not inside of its loops."""
    for inner in c.substatements(stmt):
        if isinstance(inner, c.PragmaMark):
            yield inner.pragma
        elif not isinstance(inner, c.Loop):
            yield from _marks(inner)
