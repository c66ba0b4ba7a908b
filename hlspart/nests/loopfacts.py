"""What the text, its directives and access analysis say of the loops of one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis, Bounds, LoopInfo
from hlspart.model.directives import Directive
from hlspart.nests.between import hands_on
from hlspart.nests.varying import Varying
from hlspart.semantics.effects import effects
from hlspart.semantics.folding import modified
from hlspart.targets import Target


class LoopFacts:
    """The loops of one function as they are written."""

    def __init__(self, program: c.Program, analysis: AccessAnalysis, target: Target, function: str) -> None:
        self.program, self.analysis, self.target = program, analysis, target
        self.function = program.functions[function]
        self.directives: dict[int | None, list[Directive]] = {}
        for d in program.usable.get(function, ()):
            self.directives.setdefault(d.loop, []).append(d)

    @cached_property
    def called(self) -> Mapping[int, frozenset[str]]:
        """Functions of the program that the iterations of each loop call, directly or not, by the loop's id."""
        known = effects(self.program)

        def below(loop: c.Loop) -> frozenset[str]:
            first = () if loop.init is None else known.calls_in(loop.init)
            calls = (call for call in known.calls_in(loop) if call not in first)
            return known.reachable(tuple(call.function for call in calls if call.function is not None))

        return {s.id: below(s) for s in c.walk_statements(self.function.body) if isinstance(s, c.Loop)}

    @cached_property
    def looped(self) -> frozenset[str]:
        """Functions of the program with loops in them that UNROLL does not unroll completely."""
        asked = {d.loop for ds in self.program.usable.values() for d in ds if d.kind == "unroll" and self._is_of_all(d)}
        return frozenset(loop.function for loop in self.program.loops.values() if loop.id not in asked)

    def _is_of_all(self, unroll: Directive) -> bool:
        """Whether UNROLL leaves nothing of its loop, which may be another function's."""
        info = self.analysis.loops.get(unroll.loop) if unroll.loop is not None else None
        factor, trip = unroll.values.get("factor"), None if info is None else info.trip_count.exact
        return unroll.modelled and not is_off(unroll) and trip is not None and (factor is None or factor >= trip)

    @cached_property
    def kept(self) -> frozenset[str]:
        """Functions that INLINE off keeps from being expanded."""
        own = (d for d in self.program.directives if d.usable and d.kind == "inline" and d.has("off"))
        return frozenset(d.function for d in own if d.function is not None)

    def directive(self, kind: str, loop: int | None) -> Directive | None:
        """The last usable directive of a kind on a loop (None: on the function)."""
        matching = [d for d in self.directives.get(loop, []) if d.kind == kind]
        return matching[-1] if matching else None

    def on(self, kind: str, loop: int | None) -> Directive | None:
        """Like :meth:`directive`, but not when it says ``off``."""
        d = self.directive(kind, loop)
        return None if d is None or is_off(d) else d

    def fully_unrolled(self, loop: c.Loop) -> bool:
        """UNROLL without a factor, or with one that covers all iterations."""
        d = self.on("unroll", loop.id)
        if d is None:
            return False
        factor, trip = d.values.get("factor"), self.trip(loop).exact
        if factor is None:
            return not self.is_left_over(loop)
        return trip is not None and factor >= trip

    def is_left_over(self, loop: c.Loop) -> bool:
        """Whether UNROLL asks for all copies of a loop whose iterations nothing counts before the design runs."""
        d = self.on("unroll", loop.id)
        return d is not None and d.values.get("factor") is None and self.varying.varies(loop)

    @cached_property
    def varying(self) -> Varying:
        """Loops that no tool unrolls, and that keep those around them from being pipelined."""
        return Varying(self.program, self.analysis, self.function)

    def disappears(self, loop: c.Loop) -> bool:
        """Whether UNROLL is known to leave nothing of a loop: its iterations are counted, its factor has a value."""
        d = self.on("unroll", loop.id)
        return d is not None and d.modelled and self.fully_unrolled(loop) and self.trip(loop).exact is not None

    def info(self, loop: c.Loop) -> LoopInfo | None:
        """What access analysis knows of a loop."""
        return self.analysis.loops.get(loop.id)

    def starts(self, loops: Sequence[c.Loop]) -> Mapping[str, int]:
        """First values of iterators, as far as they are constant."""
        known = (i for x in loops if (i := self.info(x)) is not None and i.lower is not None and not i.lower.terms)
        return {i.iterator: i.lower.const for i in known if i.iterator is not None and i.lower is not None}

    def trip(self, loop: c.Loop) -> Bounds:
        """Trip count: exact, else what LOOP_TRIPCOUNT says."""
        info = self.info(loop)
        if info is not None and info.trip_count.exact is not None:
            return info.trip_count
        d = self.directive("loop_tripcount", loop.id)
        known = info.trip_count if info is not None else Bounds(None, None)
        if d is None:
            return known
        return Bounds(d.values.get("min", known.min), d.values.get("max", known.max))

    def may_flatten(self, parent: c.Loop, chain: tuple[c.Loop, ...]) -> bool:
        """Whether no directive and no bound keeps ``parent`` apart from ``chain``, the loops inside."""
        inner = chain[0]
        if self._is_apart(parent) or self._is_apart(inner):
            return False
        kinds = ("unroll", "dataflow") if self.flattened_below(parent) else ("pipeline", "unroll", "dataflow")
        blocked = any(self.directive(kind, parent.id) is not None for kind in kinds)
        if blocked or not all(self._stands(x, parent) for x in chain):
            return False
        return not (self.target.keeps_chained_nests and hands_on(self.analysis, inner))

    def _is_apart(self, loop: c.Loop) -> bool:
        """Whether a loop is no part of a flattened nest, whatever is around it or inside."""
        d, info = self.directive("loop_flatten", loop.id), self.info(loop)
        if info is None or info.cause is not None or info.exits or info.iterator is None or loop.kind != "for":
            return True
        return d is not None and is_off(d)

    def perhaps_flattened(self, loop: c.Loop | None) -> c.Loop | None:
        """The loop without constant bounds that the pipelined one around it may be flattened with, not kept back by.

        Of a tool that nothing is known of, any such loop inside.
        """
        if loop is None or self.flattened_below(loop):
            return None
        return self._varying_below(loop)

    def _varying_below(self, loop: c.Loop) -> c.Loop | None:
        """The loop without constant bounds that may be part of the pipelined one around it."""
        profile = self.target.profile["pipeline"]
        never = profile["keeps_varying"] and not profile["flattens_varying"]
        if never or self.on("pipeline", loop.id) is None:
            return None
        kept, inner = self.varying.inside(loop.body.body), loop
        if not profile["keeps_varying"]:
            return kept
        while kept is not None and inner is not kept:
            below = self._only_loop(inner)
            if below is None or self.around(inner, below) != ((), ()):
                return None
            inner = below
        return kept

    def _only_loop(self, loop: c.Loop) -> c.Loop | None:
        return next((s for s in flat(loop.body.body) if isinstance(s, c.Loop)), None)

    def flattened_below(self, loop: c.Loop) -> tuple[c.Loop, ...]:
        """The loops that a pipelined one around them is flattened with, since none of them can be unrolled.

        Down to the innermost one, whose bounds are read at run time, but stay; not past other directives. 13 loops in
        reports of Vivado HLS: jaybharat29/ECE527 (2018.2), aPocholle/PFE (2019.2); of an earlier one the bounds are not
        known.
        """
        last = self._varying_below(loop) if self.target.profile["pipeline"]["keeps_varying"] else None
        if last is None or any(isinstance(s, c.Loop) for s in c.walk_statements(last.body)):
            return ()
        levels = [loop]
        while levels[-1] is not last and (below := self._only_loop(levels[-1])) is not None:
            levels.append(below)
        if any(map(self._is_apart, levels)) or self.on("unroll", loop.id) or self.on("dataflow", loop.id):
            return ()
        if any(self.directive(kind, x.id) for x in levels[1:] for kind in ("pipeline", "unroll", "dataflow")):
            return ()
        stay = all(self._stands(x, parent) for n, parent in enumerate(levels) for x in levels[n + 1 :])
        return tuple(levels[1:]) if stay else ()

    def runs_to_its_end(self, loop: c.Loop) -> bool:
        """Whether no jump leaves a loop before its iterator has come to a bound that stays, of whatever form."""
        info = self.info(loop)
        if info is None or not info.exits:
            return info is not None
        jumps = (s for s in c.walk_statements(loop.body) if isinstance(s, c.Jump | c.Return))
        if any(not isinstance(s, c.Jump) or s.kind != "continue" for s in jumps):
            return False
        match loop.test:
            case c.Binary(op="<" | "<=" | ">" | ">=" | "!=", left=c.Name(variable=v), right=bound) if (
                v == info.variable
            ):
                used = list(c.walk(bound))
                plain = all(isinstance(e, c.Name | c.Const | c.Binary | c.Unary | c.Cast) for e in used)
                return plain and not {e.variable for e in used if isinstance(e, c.Name)} & set(
                    effects(self.program).modified(loop)
                )
        return False

    def is_counted(self, loop: c.Loop) -> bool:
        """Whether the bounds of a loop are constants."""
        info = self.info(loop)
        return info is not None and info.trip_count.exact is not None and not (info.lower and info.lower.terms)

    def _stands(self, loop: c.Loop, parent: c.Loop) -> bool:
        """Whether the bounds of a loop stay while ``parent`` runs (reports: they need not be constants)."""
        info, around = self.info(loop), self.info(parent)
        if info is None or info.lower is None or around is None or self.is_counted(loop):
            return self.is_counted(loop)
        used = list(c.walk(loop.test)) if loop.test is not None else []
        plain = all(isinstance(e, c.Name | c.Const | c.Binary | c.Unary | c.Cast) for e in used)
        names = {e.variable for e in used if isinstance(e, c.Name)} - {info.variable}
        return plain and around.iterator not in info.lower.names and not names & {around.variable, *modified([parent])}

    def around(self, parent: c.Loop, inner: c.Loop) -> tuple[tuple[c.Stmt, ...], tuple[c.Stmt, ...]] | None:
        """Statements before and after ``inner`` in ``parent``; None when another loop or a jump is there."""
        real = [s for s in flat(parent.body.body) if s is inner or not self._empty(s)]
        if not any(s is inner for s in real):
            return None
        at = next(k for k, s in enumerate(real) if s is inner)
        beside = (*real[:at], *real[at + 1 :])
        if any(isinstance(x, c.Loop | c.Return | c.Jump) for s in beside for x in c.walk_statements(s)):
            return None
        return tuple(real[:at]), tuple(real[at + 1 :])

    def _empty(self, stmt: c.Stmt) -> bool:
        if isinstance(stmt, c.Declare):
            return all(self.program.variable(v).init is None for v in stmt.variables)
        return isinstance(stmt, c.PragmaMark | c.Label)


def flat(statements: Sequence[c.Stmt]) -> Iterator[c.Stmt]:
    """Statements with plain blocks opened."""
    for stmt in statements:
        if isinstance(stmt, c.Block):
            yield from flat(stmt.body)
        else:
            yield stmt


def is_off(directive: Directive) -> bool:
    """Whether a directive switches its kind off."""
    value = directive.option("off")
    return value is not None and value.lower() in ("", "true", "1")
