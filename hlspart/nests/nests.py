"""Which loops exist in hardware, and how: pipelined, flattened, unrolled or plain.

Meaning of the pragmas as in UG1399: PIPELINE unrolls every loop inside; a perfect nest around a
pipelined loop is flattened unless LOOP_FLATTEN off forbids it; UNROLL factor=u leaves ceil(N/u)
iterations with guarded copies; without pragmas the tool may pipeline small innermost loops itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model import program as c
from hlspart.model.directives import Directive
from hlspart.model.ports import IterationSpace
from hlspart.nests.automatic import is_chosen, without_body
from hlspart.nests.between import continues, resumes
from hlspart.nests.loopfacts import LoopFacts

OriginOfLoop = Literal["pragma", "directive", "auto"]


class Nest(Struct, frozen=True):
    """One loop of the hardware: ``loop`` with the parents flattened into it.

    ``chain``: flattened parents outermost first, then ``loop``. ``outer``: loops around them.
    ``unroll``: copies of the body per iteration. ``before``, ``after``: statements of flattened parents
    that run ahead of and behind the inner loop. ``loop`` None: a function that is pipelined as a whole.
    ``once``: ids of flattened parents of a single iteration, which the tool takes away ahead of its reports.
    """

    function: str
    loop: c.Loop | None
    chain: tuple[c.Loop, ...]
    outer: tuple[c.Loop, ...]
    pipelined: bool
    target_ii: int | None
    origin: OriginOfLoop
    unroll: int
    before: tuple[c.Stmt, ...] = ()
    after: tuple[c.Stmt, ...] = ()
    body: tuple[c.Stmt, ...] = ()
    line: int = 0
    once: frozenset[int] = frozenset()

    @property
    def levels(self) -> tuple[c.Loop, ...]:
        """The flattened loops that iterate, outermost first."""
        return tuple(x for x in self.chain if x.id not in self.once)

    @property
    def name(self) -> str:
        """Name in reports: that of the loop, ``A_B`` for a flattened nest."""
        return "_".join(x.name for x in self.levels) if self.chain else self.function

    @property
    def flattened(self) -> tuple[str, ...]:
        """Names of the flattened loops, () when there is but one."""
        return tuple(x.name for x in self.chain) if len(self.chain) > 1 else ()


class Nests(LoopFacts):
    """The loops of one function that exist in hardware."""

    @cached_property
    def all(self) -> tuple[Nest, ...]:
        """Every loop that exists in hardware, in the order of the text."""
        whole, body = self.on("pipeline", None), self.function.body.body
        if whole is not None and self.kept_from_pipelining(None) is None:
            line = self.program.line(self.function.name_at)
            return (
                Nest(
                    self.function.name,
                    None,
                    (),
                    (),
                    True,
                    self._target_ii(whole),
                    _origin(whole),
                    1,
                    (),
                    (),
                    body,
                    line,
                ),
            )
        return tuple(self._walk(body, ()))

    def kept_from_pipelining(self, loop: c.Loop | None) -> c.Loop | None:
        """The loop that keeps a PIPELINE on the one around it, or on the function (None), from holding."""
        if self.on("pipeline", None if loop is None else loop.id) is None or self.perhaps_flattened(loop) is not None:
            return None
        if loop is not None and self.flattened_below(loop):
            return None
        return self.varying.inside((self.function if loop is None else loop).body.body)

    def arrays(self, nest: Nest) -> frozenset[int]:
        """Arrays accessed in a nest; those of the whole program for a function that is pipelined as a whole."""
        return self.analysis.arrays_in.get(nest.chain[0].id if nest.chain else None, frozenset())

    @cached_property
    def unrolled(self) -> frozenset[int]:
        """Loops that are unrolled completely, by pragma or under a pipelined loop."""
        body = self.function.body
        out = {s.id for s in c.walk_statements(body) if isinstance(s, c.Loop) and self.fully_unrolled(s)}
        inside = (s for n in self.all if n.pipelined for b in n.body for s in c.walk_statements(b))
        return frozenset(out | {s.id for s in inside if isinstance(s, c.Loop)})

    def _walk(self, statements: Sequence[c.Stmt], outer: tuple[c.Loop, ...]) -> Iterator[Nest]:
        for stmt in statements:
            if isinstance(stmt, c.Loop):
                yield from self._loop(stmt, outer)
            else:
                yield from self._walk(c.substatements(stmt), outer)

    def _loop(self, loop: c.Loop, outer: tuple[c.Loop, ...]) -> Iterator[Nest]:
        pipeline = self.on("pipeline", loop.id)
        if self.kept_from_pipelining(loop) is not None:
            pipeline = None
        if self.fully_unrolled(loop) and (pipeline is None or outer or self.disappears(loop)):
            yield from self._walk(loop.body.body, (*outer, loop)) if pipeline is None else ()
            return
        if pipeline is not None:
            *around, last = (loop, *self.flattened_below(loop))
            yield self._pipelined(last, (*outer, *around), self._target_ii(pipeline), _origin(pipeline))
            return
        if is_chosen(self, loop):
            if without_body(self, loop) is None:
                yield self._pipelined(loop, outer, None, "auto")
            else:
                yield self._nest(loop, (loop,), outer, False, None, "auto")
            return
        inner = tuple(self._walk(loop.body.body, (*outer, loop)))
        if inner and self._joins_plain(loop, inner[0]):
            below = inner[0]
            yield self._joined(loop, outer, below)
            inner = inner[1:]
        elif not any(loop in nest.chain for nest in inner):
            yield self._nest(loop, (loop,), outer, False, None, "pragma")
        yield from inner

    def _joins_plain(self, loop: c.Loop, below: Nest) -> bool:
        """Whether a loop and the only one in it become one although the inner one is not pipelined."""
        if below.pipelined or self.target.flatten_over != "any" or loop in below.chain or below.unroll > 1:
            return False
        child = below.chain[0]
        return self.around(loop, child) == ((), ()) and self.may_flatten(loop, below.chain)

    def _pipelined(self, loop: c.Loop, outer: tuple[c.Loop, ...], target: int | None, origin: OriginOfLoop) -> Nest:
        chain, before, after = self._chain(loop, outer)
        return self._nest(loop, chain, outer[: len(outer) - len(chain) + 1], True, target, origin, before, after)

    def _nest(
        self,
        loop: c.Loop,
        chain: tuple[c.Loop, ...],
        outer: tuple[c.Loop, ...],
        pipelined: bool,
        target: int | None,
        origin: OriginOfLoop,
        before: tuple[c.Stmt, ...] = (),
        after: tuple[c.Stmt, ...] = (),
    ) -> Nest:
        once = self._once(chain)
        line = self.program.line(next(x.at for x in chain if x.id not in once))
        body = loop.body.body
        return Nest(
            self.function.name,
            loop,
            chain,
            outer,
            pipelined,
            target,
            origin,
            self.unroll(loop),
            before,
            after,
            body,
            line,
            once,
        )

    def _joined(self, loop: c.Loop, outer: tuple[c.Loop, ...], below: Nest) -> Nest:
        chain = (loop, *below.chain)
        joined = replace(below, chain=chain, outer=outer, once=self._once(chain))
        return replace(joined, line=self.program.line(joined.levels[0].at))

    def _once(self, chain: tuple[c.Loop, ...]) -> frozenset[int]:
        """Parents in ``chain`` of one iteration from a constant on.

        None of 961 loops in reports of 2020.1 to 2023.2 that were counted has one iteration; names of flattened nests
        leave these out, and elements that only they move are registers (S12P/sisyphus-fpga24-artifact).
        """
        facts = [(x.id, self.info(x)) for x in chain[:-1]]
        return frozenset(
            ident
            for ident, info in facts
            if info is not None and info.trip_count.exact == 1 and info.lower is not None and not info.lower.names
        )

    def _is_unrolled_in_part(self, loop: c.Loop) -> bool:
        """Whether a loop that no directive pipelines is unrolled in part."""
        return self.unroll(loop) > 1 and self.on("pipeline", loop.id) is None

    def _target_ii(self, pipeline: Directive) -> int:
        return pipeline.values.get("ii", pipeline.values.get("II", 1)) or 1

    # ------------------------------------------------------------------------------ unrolling

    def unroll(self, loop: c.Loop) -> int:
        """Copies of the body per iteration."""
        d = self.on("unroll", loop.id)
        if d is None:
            return 1
        factor = d.values.get("factor")
        trip = self.trip(loop).exact
        if factor is None:
            return 1
        return min(factor, trip) if trip else factor

    # ----------------------------------------------------------------------------- flattening

    def _chain(
        self, loop: c.Loop, outer: tuple[c.Loop, ...]
    ) -> tuple[tuple[c.Loop, ...], tuple[c.Stmt, ...], tuple[c.Stmt, ...]]:
        """Parents that flatten into ``loop``, and their statements before and after the inner loop."""
        chain: tuple[c.Loop, ...] = (loop,)
        before: tuple[c.Stmt, ...] = ()
        after: tuple[c.Stmt, ...] = ()
        for parent in reversed(outer):
            around = self.around(parent, chain[0])
            if around is None or not self._flattens_over(*around) or not self.may_flatten(parent, chain):
                break
            if any(around) and not (self.is_counted(parent) and all(self.is_counted(x) for x in chain)):
                break
            if any(around) and (self._is_unrolled_in_part(loop) or continues(self.program, around[0], chain[0])):
                break
            unrolls_later = self.on("pipeline", loop.id) is None
            if self.target.keeps_resumed_nests and resumes(self.analysis, parent, chain, unrolls_later):
                break
            chain, before, after = (parent, *chain), (*around[0], *before), (*after, *around[1])
        return chain, before, after

    def _flattens_over(self, before: tuple[c.Stmt, ...], after: tuple[c.Stmt, ...]) -> bool:
        """Whether the tool moves these statements into the inner loop."""
        over = self.target.flatten_over
        if over != "loads":
            return not (before or after) or (over == "any" and all(self._simple(s) for s in (*before, *after)))
        for stmt in before:
            if isinstance(stmt, c.Declare):
                values = [self.program.variable(v).init for v in stmt.variables]
                if any(v is not None and not self._pure(v) for v in values):
                    return False
            elif not (isinstance(stmt, c.PragmaMark | c.Label) or self._moves(stmt)):
                return False
        return not after

    def _simple(self, stmt: c.Stmt) -> bool:
        """A statement without branches and calls (reports: nests with such statements stay apart)."""
        if isinstance(stmt, c.Declare):
            roots = [v for x in stmt.variables if (v := self.program.variable(x).init) is not None]
        elif isinstance(stmt, c.ExprStmt):
            roots = [stmt.expr]
        else:
            return isinstance(stmt, c.PragmaMark | c.Label)
        return not any(isinstance(e, c.Call | c.Conditional) for r in roots for e in c.walk(r))

    def _moves(self, stmt: c.Stmt) -> bool:
        """Assignment of a value without effects to a scalar."""
        match stmt:
            case c.ExprStmt(expr=c.Assign(target=c.Name(), op="=", value=value)):
                return self._pure(value)
        return False

    def _pure(self, expr: c.Expr) -> bool:
        """A value that only loads can give: constants would start a reduction."""
        nodes = list(c.walk(expr))
        return not any(isinstance(e, c.Assign | c.IncDec | c.Call) for e in nodes) and any(
            isinstance(e, c.ArrayRef) for e in nodes
        )

    # ----------------------------------------------------------------------- iteration space

    def space(self, nest: Nest, symbols: tuple[str, ...] = ()) -> IterationSpace:
        """Iterations of a nest with the loops around it, a step per unrolled body.

        ``symbols`` are further names in front, of any value.
        """
        names, steps, conditions = list(symbols), [1] * len(symbols), []
        standing = (x for x in nest.chain if x.id in nest.once)
        loops = (*nest.outer, *standing, *nest.levels)
        counted = [(x, info) for x in loops if (info := self.info(x)) is not None]
        exact = len(counted) == len(loops)
        for loop, info in counted:
            if info.iterator is None or info.step is None or info.lower is None:
                exact = False
                if loop in nest.chain:
                    names.append(turn(loop))
                    steps.append(1)
                    conditions.append(f"{names[-1]} >= 0")
                continue
            step = info.step * (nest.unroll if loop is nest.loop else 1)
            n, low, trip = info.iterator, str(info.lower), info.trip_count.exact
            names.append(n)
            steps.append(step)
            if not set(info.lower.names) <= set(names):
                exact = False
                continue
            conditions += [f"({n} - ({low})) mod {abs(step)} = 0", f"{n} >= {low}" if step > 0 else f"{n} <= {low}"]
            if trip is None:
                exact = False
            else:
                last = f"{low} + {info.step * trip}"
                conditions.append(f"{n} < {last}" if step > 0 else f"{n} > {last}")
        plain = f"{{ [{', '.join(names)}] : {' and '.join(conditions) or 'true'} }}"
        domain = plain if exact else self._domain(nest, tuple(names), tuple(symbols), conditions) or plain
        from hlspart.sets import carried

        return IterationSpace(tuple(names), carried.constrain(domain, tuple(names), ()), tuple(steps))

    def _domain(
        self, nest: Nest, names: tuple[str, ...], symbols: tuple[str, ...], conditions: list[str]
    ) -> str | None:
        """Domain of a nest with bounds that vary, from an access that every iteration performs."""
        from hlspart.sets import carried

        inside, own = {x.id for x in nest.chain}, names[len(symbols) :]
        for access in self.analysis.accesses:
            usable = inside <= set(access.loops) and access.exact and not access.branch
            if usable and set(access.iterators[: len(own)]) == set(own):
                return carried.constrain(
                    carried.instance(access.domain, access.iterators, {}, {}, names), names, conditions
                )
        return None


def turn(loop: c.Loop) -> str:
    """Name of the number of an iteration of a loop without an iterator."""
    return f"turn_{loop.id}"


class Order(Struct, frozen=True):
    """Own iterators of a nest, outermost first: iterations per step of each, its step, its trip count."""

    names: tuple[str, ...]
    weights: tuple[int, ...]
    steps: tuple[int, ...]
    trips: tuple[int | None, ...]


def order(nests: Nests, nest: Nest) -> Order:
    """How the flattened iterations of ``nest`` follow each other."""
    rows: list[tuple[str, int, int, int | None]] = []
    below = 1
    for loop in reversed(nest.levels):
        info = nests.info(loop)
        if info is None or info.iterator is None or info.step is None:
            rows.insert(0, (turn(loop), below, 1, None))
            continue
        copies = nest.unroll if loop is nest.loop else 1
        exact = info.trip_count.exact
        trip = math.ceil(exact / copies) if exact is not None else None
        rows.insert(0, (info.iterator, below, info.step * copies, trip))
        below *= trip or 1
    names, weights, steps, trips = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Order(names, weights, steps, trips)


def _origin(directive: Directive) -> OriginOfLoop:
    return "pragma" if directive.source == "pragma" else "directive"
