"""Whether elements may run a region side by side, by integer sets (docs/expand.md, "What is legal").

Lock-step (time-space): every dependence between different elements must go strictly forward in time. Independent
elements (space-time): no dependence may join two elements. Variables of which each element can have its own, and
variables that elements only add to, are taken out first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from hlspart.expand import reductions
from hlspart.expand.accesses import Accesses
from hlspart.expand.region import Guarded, Inner, Leaf, LoopBlock, Node, Refusal, Region
from hlspart.model.access import Access
from hlspart.model.expanding import End, Judgement, Map, Order, Private, Reduction
from hlspart.model.program import ArrayRef, Declare, Loop, Name, ScalarType, Stmt, is_same, walk, walk_statements
from hlspart.semantics.named import mentions
from hlspart.sets.effort import EffortError
from hlspart.sets.processors import (
    Axis,
    Pair,
    are_joined,
    depends,
    is_same_elements,
    joining,
    out_of_step,
    written_box,
)


class Spread(Struct, frozen=True):
    """How the loops of a region are spread: elements and map of each, and the order of time and space."""

    pes: tuple[int, ...]
    maps: tuple[Map, ...]
    order: Order = "time-space"
    reassoc: bool = False


def judge(region: Region, spread: Spread, top: str | None = None) -> Judgement:
    """The verdict on a region; refusals and effort limits are verdicts too."""
    try:
        return _Judge(region, top, spread).verdict()
    except _Illegal as illegal:
        c = illegal.culprit
        ends = _end(region, c.source, c.here), _end(region, c.sink, c.there)
        return Judgement("illegal", "dependence", illegal.reason, illegal.at, ends)
    except Refusal as refusal:
        code, at = refusal.code, refusal.at
        verdict = "illegal" if code in ("dependence", "reassociation") else "refused"
        return Judgement(verdict, code, refusal.reason, at)  # type: ignore[arg-type]
    except EffortError:
        return Judgement("refused", "non-affine", "the dependences are beyond the effort limit", region.loops[0].at)


def axes(region: Region, spread: Spread) -> Mapping[int, Axis]:
    """How each expanded loop is spread, by id. Raises :class:`Refusal`."""
    axes = {}
    for loop, info, pes, kind in zip(region.loops, region.infos, spread.pes, spread.maps, strict=True):
        if info.lower is None or info.step is None:
            raise Refusal("trip-count", f"the first value of {loop.name}'s iterator is not affine", loop.header)
        block = None
        if kind == "block":
            trips = info.trip_count.exact
            if trips is None:
                raise Refusal("trip-count", f"blocks need a constant trip count of {loop.name}", loop.header)
            block = max(1, -(-trips // pes))
        axes[loop.id] = Axis(info.lower, info.step, pes, block)
    return axes


@dataclass
class _Judge(Accesses):
    spread: Spread
    across: int = 0
    dependences: int = 0
    apart: set[tuple[int, int]] = field(default_factory=set)
    private: list[Private] = field(default_factory=list)
    reduced: list[Reduction] = field(default_factory=list)

    # ------------------------------------------------------------------------------- accesses

    @cached_property
    def axes(self) -> Mapping[int, Axis]:
        """By loop."""
        return axes(self.region, self.spread)

    # -------------------------------------------------------------------------------- verdict

    def verdict(self) -> Judgement:
        by_variable: dict[int, list[Access]] = {}
        for access in self.inside:
            by_variable.setdefault(access.array, []).append(access)
        _ = self.axes
        for variable, accesses in by_variable.items():
            self._variable(variable, accesses)
        self._locals()
        return Judgement(
            "reduction" if self.reduced else "parallel", None, None, None, None, self.dependences, self.across,
            tuple(self.private), tuple(self.reduced), frozenset(self.apart),
        )  # fmt: skip

    def _variable(self, variable: int, accesses: Sequence[Access]) -> None:
        if not any(a.kind == "write" for a in accesses):
            return
        scope = self._scope(variable)
        odd = next((a for a in accesses if not a.affine), None)
        if odd is None:
            culprit = self._violation(accesses, scope, note=False)
            if culprit is None:
                self._violation(accesses, scope, note=True)
                return
        else:
            culprit = None
        if variable not in self.region.declared_inside():
            private = self._privatised(variable, accesses, scope)
            if private is not None:
                self.private.append(private)
                scope = scope | frozenset(range(private.loops))
                rest = None if odd is not None else self._violation(accesses, scope, note=True)
                if rest is None:
                    return
                culprit = rest
        if self._reduction(variable, accesses, scope):
            return
        name = self.region.program.variable(variable).name
        if odd is not None:
            reason = f"the index of {name} is not analysable: {odd.reason}"
            raise Refusal("non-affine", reason, odd.reason_at or odd.at)
        assert culprit is not None
        raise _Illegal(self._illegal(name, culprit), culprit)

    def _illegal(self, name: str, culprit: _Culprit) -> str:
        exact = culprit.source.exact and culprit.sink.exact
        kind = {("write", "read"): "reads what", ("read", "write"): "overwrites what"}.get(
            (culprit.source.kind, culprit.sink.kind), "overwrites what"
        )
        did = "reads" if culprit.source.kind == "read" else "writes"
        may = "" if exact else "may "
        order = "in another order" if self.spread.order == "time-space" else "at any time"
        verb = kind if exact else kind.replace("reads", "read").replace("overwrites", "overwrite")
        return (
            f"{name}: {_iteration(culprit.there)} {may}{verb} {_iteration(culprit.here)} {did}; "
            f"they are on different elements, which run {order}"
        )

    def _scope(self, variable: int) -> frozenset[int]:
        """Positions of region loops whose every iteration has this variable anew."""
        variables = set()
        for k, loop in enumerate(self.region.loops):
            inside = (s for s in walk_statements(loop.body) if isinstance(s, Declare))
            static = self.region.program.variable(variable).storage == "static"
            if not static and any(variable in s.variables for s in inside):
                variables.add(k)
        return frozenset(variables)

    def _pairs(self, accesses: Sequence[Access], same: frozenset[int]) -> Iterator[Pair]:
        for source in accesses:
            for sink in accesses:
                if source.kind == "read" and sink.kind == "read":
                    continue
                yield self._pair(source, sink, same)

    def _pair(self, source: Access, sink: Access, same: frozenset[int]) -> Pair:
        ours, theirs = self.counted(source), self.counted(sink)
        common = 0
        while common < min(len(ours), len(theirs)) and ours[common] == theirs[common]:
            common += 1
        around = ours[:common]
        steps = tuple(1 if (self.region.analysis.loops[k].step or 1) > 0 else -1 for k in around)
        place = {loop.id: around.index(loop.id) for loop in self.region.loops if loop.id in around}
        return Pair(
            source, sink, steps, self.outer, source.order < sink.order,
            self.region.place_of(source.at) < self.region.place_of(sink.at),
            tuple((place[ident], axis) for ident, axis in self.axes.items() if ident in place),
            tuple(sorted(place[self.region.loops[k].id] for k in same if self.region.loops[k].id in place)),
        )  # fmt: skip

    def _violation(self, accesses: Sequence[Access], same: frozenset[int], note: bool) -> _Culprit | None:
        for pair in self._pairs(accesses, same):
            instances = out_of_step(pair) if self.spread.order == "time-space" else joining(pair)
            if instances is not None:
                return _Culprit(pair.source, pair.sink, *instances)
            if not note or not depends(pair):
                continue
            self.dependences += 1
            if are_joined(pair):
                self.across += 1
                one, other = self.region.place_of(pair.source.at), self.region.place_of(pair.sink.at)
                self.apart.add((min(one, other), max(one, other)))
        return None

    # ------------------------------------------------------------------------- own copies

    def _privatised(self, variable: int, accesses: Sequence[Access], scope: frozenset[int]) -> Private | None:
        """A copy for each element, where every read finds what its own iteration wrote."""
        record = self.region.program.variable(variable)
        if not record.dims and not isinstance(record.type, ScalarType):
            return None
        if any(not a.affine for a in accesses) or any(d is None for d in record.dims):
            return None
        for count in range(1, len(self.region.loops) + 1):
            if not self._own(accesses, self.outer + count, self.region.loops[count - 1].id):
                return None if count == 1 else self._kind(variable, accesses, count - 1)
            scoped = scope | frozenset(range(count))
            if self._violation(accesses, scoped, note=False) is None:
                return self._kind(variable, accesses, count)
        return self._kind(variable, accesses, len(self.region.loops))

    def _own(self, accesses: Sequence[Access], inside: int, loop: int) -> bool:
        if any(loop not in a.loops for a in accesses):
            return False
        writes = [a for a in accesses if a.kind == "write" and a.exact]
        return all(self.is_covered(a, writes, inside) for a in accesses if a.kind == "read")

    def _kind(self, variable: int, accesses: Sequence[Access], count: int) -> Private | None:
        record = self.region.program.variable(variable)
        line = self.region.program.line(record.at)
        if not self.is_live(variable):
            return Private(variable, record.name, "privatised", line, count)
        writes = [a for a in accesses if a.kind == "write"]
        certain = [a for a in writes if a.exact]
        for k, loop in enumerate(self.region.loops[:count]):
            info = self.region.info(loop)
            trips = info.trip_count.exact
            if trips is None or info.lower is None or info.lower.terms or not trips:
                return None
            last = info.lower.const + (info.step or 1) * (trips - 1)
            if not is_same_elements(certain, writes, self.outer + k, f"x = {last}"):
                return None
        alone = all(a.loops[0] == self.region.loops[0].id for a in accesses)
        return Private(variable, record.name, "last-value", line, count, written_box(writes) if alone else None)

    # --------------------------------------------------------------------------- reductions

    def _reduction(self, variable: int, accesses: Sequence[Access], scope: frozenset[int]) -> bool:
        """Take the variable as one that elements only add to; False where it is not."""
        region, program = self.region, self.region.program
        record = program.variable(variable)
        for first in range(len(region.loops)):
            updates = self._updates(region.loops[first], variable)
            if updates is None or len({u.op for u in updates}) != 1:
                continue
            others = frozenset[int]().union(*(u.others for u in updates))
            loops = self._reduced_loops(accesses, scope, first, others)
            if loops is None or any(region.loops[loops[0]].id not in a.loops for a in accesses if loops[0]):
                continue
            kind = updates[0].target.type
            values = [v for u in updates for v in u.values]
            if not isinstance(kind, ScalarType) or kind.kind not in ("int", "float"):
                return False
            if not reductions.is_associative(kind, values, updates[0].op):
                if kind.kind == "int":
                    continue  # truncated to an integer after each step: not even nearly the same
                if not self.spread.reassoc:
                    text = (
                        f"{record.name} is a floating-point {_WORDS[updates[0].op]}: its result depends on the order; "
                        "--allow-reassoc (or the key reassoc) consents"
                    )
                    raise Refusal("reassociation", text, updates[0].target.at)
            whole = isinstance(updates[0].target, ArrayRef) and not self._is_one_element(updates, loops)
            if whole and others:
                continue
            if whole and any(d is None for d in record.dims):
                raise Refusal("non-affine", f"the extents of {record.name} are not known", updates[0].target.at)
            self.reduced.append(Reduction(variable, record.name, updates[0].op, loops, whole, others))
            return True
        return False

    def _reduced_loops(
        self, accesses: Sequence[Access], scope: frozenset[int], first: int, others: frozenset[int]
    ) -> tuple[int, ...] | None:  # fmt: skip
        """The fewest region loops over which partials free the variable from other dependences.

        None where there are none, and where one of the ``others`` may read what is added to.
        """
        count = len(self.region.loops)
        if any(not a.affine for a in accesses):
            return None if others else tuple(range(first, count))
        reads = [a for a in accesses if a.ref in others]
        accesses = [a for a in accesses if a.ref not in others]
        if any(depends(self._pair(*ends, scope)) for r in reads for a in accesses for ends in ((r, a), (a, r))):
            return None
        choices = [(k,) for k in range(first, count)] + [tuple(range(first, count))]
        for loops in choices:
            if self._violation(accesses, scope | frozenset(loops), note=False) is None:
                self._violation(accesses, scope | frozenset(loops), note=True)
                return loops
        return None

    def _updates(self, loop: Loop, variable: int) -> list[reductions.Update] | None:
        """All statements in the loop that use the variable, as updates of it; None where one is no update."""
        program = self.region.program
        updates: list[reductions.Update] = []
        for node in self._nodes(loop):
            match node:
                case Leaf(stmt=stmt):
                    more = reductions.guarded_updates(program, stmt, variable)
                    if more is None:
                        return None
                    updates += more
                case Inner(loop=inner):
                    parts: list[Stmt] = [inner.init] if inner.init is not None else []
                    if any(mentions(program, p, variable) for p in parts) or _in_header(inner, variable):
                        return None
                case Guarded(stmt=stmt):
                    if any(isinstance(e, Name | ArrayRef) and e.variable == variable for e in walk(stmt.test)):
                        return None
        return updates or None

    def _nodes(self, loop: Loop) -> Iterator[Node]:
        """All nodes below a region loop."""

        def below(nodes: Sequence[Node], on: bool) -> Iterator[Node]:
            for node in nodes:
                if on:
                    yield node
                if isinstance(node, Inner):
                    yield from below(node.body, on or node.loop is loop)
                elif isinstance(node, Guarded):
                    yield from below((*node.then, *node.other), on)
                elif isinstance(node, LoopBlock):
                    yield from below(node.body, on)

        yield from below(self.region.body, loop is self.region.loops[0])

    def _is_one_element(self, updates: Sequence[reductions.Update], loops: tuple[int, ...]) -> bool:
        """Whether all updates are of one element, the same in all iterations from the first reduced loop inwards."""
        moving = {self.region.info(loop).variable for loop in self.region.loops[loops[0] :]}
        start = self.region.loops[loops[0]]
        for stmt in walk_statements(start.body):
            if isinstance(stmt, Declare):
                moving |= set(stmt.variables)
            if isinstance(stmt, Loop):
                moving.add(self.region.info(stmt).variable)
        moving |= {a.array for a in self.inside if a.kind == "write"}
        for update in updates:
            if not is_same(update.target, updates[0].target):
                return False
            for e in walk(update.target):
                if e is not update.target and isinstance(e, Name | ArrayRef) and e.variable in moving:
                    return False
        return True

    # ------------------------------------------------------------------------------- locals

    def _locals(self) -> None:
        """Variables declared in the region: every element has its own."""
        program = self.region.program
        for stmt in walk_statements(self.region.loops[0].body):
            if isinstance(stmt, Declare):
                for ident in stmt.variables:
                    if ident not in self.region.iterators:
                        v = program.variable(ident)
                        count = len(self._scope(ident))
                        self.private.append(Private(ident, v.name, "local", program.line(v.at), count))


_WORDS = {"+": "sum", "*": "product", "min": "minimum", "max": "maximum", "&": "and", "|": "or", "^": "xor"}


class _Culprit(Struct, frozen=True):
    source: Access
    sink: Access
    here: Mapping[str, int]
    there: Mapping[str, int]


class _Illegal(Refusal):
    """A dependence between elements, with its two iterations."""

    def __init__(self, reason: str, culprit: _Culprit) -> None:
        super().__init__("dependence", reason, culprit.sink.at)
        self.culprit = culprit


def _iteration(values: Mapping[str, int]) -> str:
    return "iteration " + ", ".join(f"{k} = {v}" for k, v in values.items())


def _in_header(loop: Loop, variable: int) -> bool:
    parts = [e for e in (loop.test, loop.step) if e is not None]
    return any(isinstance(e, Name | ArrayRef) and e.variable == variable for p in parts for e in walk(p))


def _end(region: Region, access: Access, iteration: Mapping[str, int]) -> End:
    line, column = region.program.sources[access.at.span.path].line_column(access.at.span.start)
    return End(region.program.variable(access.array).name, line, column, access.kind, iteration)
