"""Lock-step code: the loops stay where they are and take one step for all elements; at every leaf stands a fully
unrolled loop over the elements (unroll and jam). The user's statements keep their bytes: the iterator is declared
again inside, with the value of its element (docs/expand.md, "What is written").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.expand.context import ExpandedLoop, ExpansionContext, Written, marker, whole_box
from hlspart.expand.partials import Partials
from hlspart.expand.region import Guarded, Inner, Leaf, LoopBlock, Mark, Node, Refusal, first_value, target_of
from hlspart.expand.runs import Runs
from hlspart.expand.staging import copies, copy_box
from hlspart.expand.texts import Piece, declared_in, names_in, pieces, without_label
from hlspart.expand.union import guard_of, united
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Block,
    Call,
    Declare,
    If,
    Loop,
    Name,
    PragmaMark,
    ScalarType,
    walk,
    walk_statements,
)
from hlspart.semantics.conversions import limits
from hlspart.semantics.effects import statement_expressions


class Emitter(Runs):
    """Writes one region. Raises :class:`Refusal` where it cannot."""

    def region_text(self, indent: str, buffers: Sequence[str] = ()) -> Written:
        """The lines that stand for the outermost loop, label included; ``buffers``: pragmas of staged arrays."""
        inner = indent + "    "
        names = {s.variable: s.buffer for s in self.staged}
        ctx = ExpansionContext(indent=inner, names=names)
        body = self._loop(self.region.loops[0], ctx, label=self._label(self.region.loops[0]))
        before, behind = copies(self.program, self.staged, self.names, inner, buffers)
        lines = [*self._constants(inner), *before, *self._privates(inner), *body, *behind]
        lines += [f"{inner}(void){name};" for name in self._unused()]
        if len(lines) == len(body):
            lines = [line.removeprefix("    ") if line.startswith(inner) else line for line in lines]
        else:
            lines = [f"{indent}{{", *lines, f"{indent}}}"]
        return Written(lines, self.remainder, tuple(self.steps), self.hoisted, self.constants)

    def _unused(self) -> Iterator[str]:
        """Variables that only the region used, and uses no more: compilers would warn."""
        region = self.region.loops[0].at.span
        for p in self.judgement.private:
            uses = [u.at.span for u in self.texts.uses.get(p.variable, ())]
            alone = all(u.path == region.path and region.start <= u.start < region.end for u in uses)
            if p.kind == "privatised" and alone and self.program.variable(p.variable).storage == "local":
                yield p.name

    def _constants(self, indent: str) -> list[str]:
        if not self.constants:
            return []
        return [f"{indent}enum {{ {', '.join(f'{n} = {v}' for n, v in self.constants)} }};"]

    def _privates(self, indent: str) -> list[str]:
        """Declarations of what every element has its own of although the region does not declare it."""
        lines = []
        for private in self.judgement.private:
            if private.kind != "local":
                lines += self._own(private.variable, self.own[private.variable], private.loops, indent)
            v = self.program.variable(private.variable)
            if private.kind == "last-value" and v.dims and private.box is None:  # what no iteration writes stays
                elements = [f"{self.names.free(v.name + '_q')}" for _ in range(private.loops)]
                into = self.own[private.variable] + "".join(f"[{e}]" for e in elements)
                heads = [f"for (int {e} = 0; {e} < {self.count(k)}; {e}++) {{" for k, e in enumerate(elements)]
                lines += [f"{indent}{'    ' * k}{head}" for k, head in enumerate(heads)]
                lines += self._copied(into, v.name, whole_box(v.dims), indent + "    " * len(heads))
                lines += [f"{indent}{'    ' * k}}}" for k in reversed(range(len(heads)))]
        return lines

    def _loop(self, loop: Loop, ctx: ExpansionContext, label: str) -> list[str]:
        """An expanded loop, with partials before and behind it and the last value of what every element owns."""
        position = self.region.loops.index(loop)
        here = [r for r in self.judgement.reductions if (0 if r.whole else r.loops[0]) == position]
        partials = [Partials(self, r, ctx) for r in here]
        inner = ctx
        for part in partials:
            inner = part.context(inner)
        axis = self._axis(loop, position)
        lines: list[str] = []
        for part in partials:
            lines += part.before()
        nodes, block = self._nodes_of(loop)
        for each, head in self._stages(axis, label):
            names = {**inner.names}
            for p in self.judgement.private:
                if p.kind != "local" and p.loops == position + 1:
                    names[p.variable] = self.own[p.variable] + "".join(f"[{a.element}]" for a in (*inner.axes, each))
            guards = inner.guards
            if each.guard is not None:
                guards = (*guards, (each.guard, names_in(loop.test)))
            within = replace(inner, axes=(*inner.axes, each), guards=guards, names=names)
            if head is None:
                lines += self._body(nodes, block, within, loop)
                continue
            mark = [f"{inner.indent}    {marker(self.request, self.pes)}"] if position == 0 else []
            mark += self._pipelined(loop)
            body = self._body(nodes, block, within.deeper(), loop)
            lines += [inner.indent + head, *mark, *body, inner.indent + "}"]
        if position == 0:
            lines += self._last_values(inner.indent)
        for part in partials:
            lines += part.behind()
        return lines + self._final(loop, axis, ctx)

    def _pipelined(self, loop: Loop) -> list[str]:
        ii = self.form.pipelined.get(loop.id)
        return [] if ii is None else [f"#pragma HLS PIPELINE II={ii}"]

    def _nodes_of(self, loop: Loop) -> tuple[tuple[Node, ...], Block]:
        def find(nodes: Sequence[Node]) -> tuple[Node, ...] | None:
            for node in nodes:
                if isinstance(node, Inner):
                    if node.loop is loop:
                        return node.body
                    inner = find(node.body)
                elif isinstance(node, Guarded):
                    inner = find((*node.then, *node.other))
                elif isinstance(node, LoopBlock):
                    inner = find(node.body)
                else:
                    inner = None
                if inner is not None:
                    return inner
            return None

        if loop is self.region.loops[0]:
            return self.region.body, loop.body
        return find(self.region.body) or (), loop.body

    def _axis(self, loop: Loop, position: int) -> ExpandedLoop:
        info = self.region.infos[position]
        assert info.variable is not None and info.step is not None and info.lower is not None
        variable = self.program.variable(info.variable)
        if not isinstance(variable.type, ScalarType) or not loop.header.editable:
            raise Refusal("condition", f"a macro makes the header of {loop.name}", loop.header)
        lower = str(info.lower.const) if not info.lower.terms else f"({self._first(loop)})"
        pes, trips, kind = self.pes[position], info.trip_count.exact, self.request.maps[position]
        block = None
        assert loop.test is not None
        guard: str | None = None
        if trips is None:
            if trips is None and kind == "block":
                raise Refusal("trip-count", f"blocks need a constant trip count of {loop.name}", loop.header)
            guard = self.texts.edited(loop.test.at.span, {})
            steps = None
        else:
            steps = -(-trips // pes) if trips else 0
            block = steps if kind == "block" else None
            if steps * pes != trips:
                guard = guard_of(self.texts, loop, variable.name, info, trips)
                last = info.lower.const + info.step * (steps * pes - 1)
                span = limits(variable.type)
                if span is not None and not info.lower.terms and not span[0] <= last <= span[1] and not self.form.peel:
                    text = f"{variable.name} would leave the range of {variable.type.name} in the last step"
                    raise Refusal("uneven", text, loop.header)
        if guard is not None and self.request.remainder == "refuse":
            raise Refusal(
                "uneven", f"{self.pes[position]} elements do not divide the iterations of {loop.name}", loop.at
            )
        mixed = (names_in(loop.test) | names_in(first_value(self.program, loop))) & self._expanded_iterators(loop)
        if mixed:
            other = self.program.variable(min(mixed)).name
            raise Refusal(
                "trip-count", f"the bounds of {loop.name} depend on {other}, which is expanded, too", loop.header
            )
        name = variable.name
        self.steps.append(steps)
        return ExpandedLoop(
            loop, position, info.variable, name, variable.type.name, pes, self.count(position),
            self.element(position), self.names.free(f"{name}_t"), kind, block, lower, info.step, guard, steps == 1,
        )  # fmt: skip

    def _expanded_iterators(self, but: Loop) -> frozenset[int]:
        """Iterators of the other expanded loops."""
        pairs = zip(self.region.loops, self.region.infos, strict=True)
        return frozenset(i.variable for loop, i in pairs if loop is not but and i.variable is not None)

    def _first(self, loop: Loop) -> str:
        """The text of the iterator's first value."""
        return self.texts.edited(first_value(self.program, loop).at.span, {})

    def _stages(self, axis: ExpandedLoop, label: str) -> Iterator[tuple[ExpandedLoop, str | None]]:
        """The loop over time (and, with peeling, a tail of one step) as (axis, head of its loop or None)."""
        trips = self.region.infos[axis.position].trip_count.exact
        if trips is not None and axis.guard is not None and self.form.peel and axis.map == "cyclic":
            self.remainder = "peel"
            whole, rest = divmod(trips, axis.pes)
            if whole:
                yield replace(axis, guard=None), self._head(axis, label, str(whole))
            tail = replace(
                axis, guard=None, step=None, base=whole * axis.pes, pes=rest, count=str(rest), map="cyclic", block=None
            )
            self.labels = {k: self.names.free(f"{k}_tail") for k in self._inner_labels(axis.loop)}
            yield tail, None
            self.labels = {}
            return
        if axis.guard is not None:
            self.remainder = "guard"
        if trips is not None:
            yield axis, self._head(axis, label, str(-(-trips // axis.pes)))
        else:
            yield axis, self._head(axis, label, self._run_time_steps(axis))

    def _head(self, axis: ExpandedLoop, label: str, steps: str) -> str:
        return f"{label}for (int {axis.step} = 0; {axis.step} < {steps}; {axis.step}++) {{"

    def _run_time_steps(self, axis: ExpandedLoop) -> str:
        """Number of steps of a loop whose trip count is known at run time only."""
        test = axis.loop.test
        known = isinstance(test, Binary) and test.op in ("<", "<=", ">", ">=") and test.at.editable
        if not isinstance(test, Binary) or not known or test.right.at.kind not in ("plain", "macro"):
            raise Refusal("trip-count", f"the steps of {axis.loop.name} cannot be counted", axis.loop.header)
        left = test.left
        if not isinstance(left, Name) or left.variable != axis.iterator:
            raise Refusal("trip-count", f"the steps of {axis.loop.name} cannot be counted", axis.loop.header)
        if axis.iterator in names_in(test.right) or names_in(test.right) & self.written:
            raise Refusal("trip-count", f"the bound of {axis.loop.name} changes in the loop", axis.loop.header)
        end = self.texts.edited(test.right.at.span, {})
        end = end if re.fullmatch(r"\w+", end) else f"({end})"
        up = axis.stride > 0
        if (test.op[0] == "<") != up:
            raise Refusal("trip-count", f"the steps of {axis.loop.name} cannot be counted", axis.loop.header)
        first = axis.lower
        span = end if first == "0" and up else f"({end} - {first})" if up else f"({first} - {end})"
        if test.op in ("<=", ">="):
            span = f"({span} + 1)"
        per = axis.pes * abs(axis.stride)
        per_text = axis.count if abs(axis.stride) == 1 else str(per)
        return f"({span} + {per_text} - 1) / {per_text}"

    def _inner_labels(self, loop: Loop) -> set[str]:
        return {s.label for s in walk_statements(loop.body) if isinstance(s, Loop) and s.label is not None}

    def _label(self, loop: Loop) -> str:
        if loop.label is None:
            return ""
        return f"{self.labels.get(loop.label, loop.label)}: "

    def _final(self, loop: Loop, axis: ExpandedLoop, ctx: ExpansionContext) -> list[str]:
        """An iterator that is declared before the loop has its last value behind it."""
        if isinstance(loop.init, Declare):
            return []
        info = self.region.infos[axis.position]
        trips = info.trip_count.exact
        read = self.texts.is_read_outside_loops(self.region.analysis, axis.iterator)
        if trips is None or info.lower is None or info.lower.terms:
            if read:
                raise Refusal("trip-count", f"{axis.name} is read behind the loop", loop.header)
            return [f"{ctx.indent}(void){axis.name};"]
        value = info.lower.const + axis.stride * trips
        return [f"{ctx.indent}{axis.name} = {value};" + ("" if read else f" (void){axis.name};")]

    def _last_values(self, indent: str) -> list[str]:
        """What the last iteration left in variables that live on."""
        lines: list[str] = []
        for p in self.judgement.private:
            if p.kind == "last-value":
                v = self.program.variable(p.variable)
                copy = self.own[p.variable] + "".join(f"[{self._last_owner(k)}]" for k in range(p.loops))
                lines += self._copied(v.name, copy, p.box or whole_box(v.dims), indent)
        return lines

    def _last_owner(self, position: int) -> int:
        """The element with the last iteration of a loop."""
        trips, pes = self.region.infos[position].trip_count.exact, self.pes[position]
        assert trips is not None
        return (trips - 1) % pes if self.request.maps[position] == "cyclic" else (trips - 1) // (-(-trips // pes))

    def _copied(self, to: str, source: str, box: Sequence[tuple[int, int]], indent: str) -> list[str]:
        """Copy a scalar, or the elements of a box."""
        stem = re.split(r"\W", to)[0]
        return copy_box(to, source, box, [self.names.free(f"{stem}_i{k}") for k in range(len(box))], indent)

    # -------------------------------------------------------------------------------- bodies

    def _body(self, nodes: Sequence[Node], block: Block, ctx: ExpansionContext, loop: Loop | None) -> list[str]:
        """The statements of a block, runs of leaves in loops over the elements."""
        parts, rest = pieces(self.program, block)
        by_stmt = {id(p.stmt): p for p in parts}
        runs = self._runs(nodes)
        names, lines = dict(ctx.names), list[str]()
        ctx = replace(ctx, names=names)
        for run in runs:
            lead = [] if isinstance(run[0], Leaf) else self._comments(run[0], by_stmt, ctx)
            first = run[0]
            if isinstance(first, Mark):
                lines += [f"{ctx.indent}{x}" for x in by_stmt[id(first.stmt)].before]
                lines += self._mark(first.stmt, ctx, loop)
            elif isinstance(first, Inner):
                lines += without_label(lead, first.loop)
                lines += self._inner(first, ctx)
            elif isinstance(first, Guarded):
                lines += [*lead, *self._guarded(first, ctx)]
            elif isinstance(first, LoopBlock):
                lines += [*lead, *self._body(first.body, first.stmt, ctx, None)]
            else:
                lines += self._run([n for n in run if isinstance(n, Leaf | Mark)], by_stmt, ctx, names, nodes)
        return lines + [f"{ctx.indent}{line}" for line in rest]

    def _comments(
        self, node: Inner | Guarded | LoopBlock | Mark, by_stmt: Mapping[int, Piece], ctx: ExpansionContext
    ) -> list[str]:
        """The lines that stand before a node."""
        stmt = node.loop if isinstance(node, Inner) else node.stmt
        return [f"{ctx.indent}{line}" for line in by_stmt[id(stmt)].before]

    def _runs(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """Nodes in groups that stand in one loop over the elements; others alone."""
        runs: list[list[Node]] = []
        local = declared_in(Block(-1, self.region.loops[0].at, tuple(n.stmt for n in nodes if isinstance(n, Leaf))))
        for node in nodes:
            joins = isinstance(node, Leaf) or (isinstance(node, Mark) and self._about(node.stmt) & local)
            last = runs[-1] if runs else []
            if joins and last and isinstance(last[0], Leaf) and not self._apart(last, node):
                last.append(node)
            else:
                runs.append([node])
        return runs

    def _apart(self, run: Sequence[Node], node: Node) -> bool:
        if not isinstance(node, Leaf):
            return False
        numbers = [n.number for n in run if isinstance(n, Leaf)]
        return any((min(k, node.number), max(k, node.number)) in self.judgement.apart for k in numbers)

    def _mark(self, mark: PragmaMark, ctx: ExpansionContext, loop: Loop | None) -> list[str]:
        if mark.pragma in self.request.pragmas:
            return []  # the comment that stands for it is written with the loop
        directive = next((d for d in self.program.directives if d.pragma == mark.pragma), None)
        text = self.texts.edited(mark.at.span, {})
        if (
            directive is not None
            and directive.kind == "loop_tripcount"
            and loop is not None
            and loop in self.region.loops
        ):
            position = self.region.loops.index(loop)
            values = ((k, v) for k, v in directive.values.items() if k in ("min", "max", "avg"))
            numbers = " ".join(f"{k}={-(-v // self.pes[position])}" for k, v in values)
            text = f"#pragma HLS LOOP_TRIPCOUNT {numbers}"
        elif directive is not None and set(directive.variables) & set(ctx.names):
            name = self.program.variable(next(iter(set(directive.variables) & set(ctx.names)))).name
            raise Refusal("condition", f"the pragma names {name}, of which every element gets its own", mark.at)
        return [text]

    def _inner(self, node: Inner, ctx: ExpansionContext) -> list[str]:
        if node.loop in self.region.loops:
            return self._loop(node.loop, ctx, self._label(node.loop))
        loop = node.loop
        if not loop.header.editable:
            raise Refusal("condition", f"a macro makes the header of {loop.name}", loop.header)
        info = self.region.info(loop)
        head, guards = united(self, loop, info, ctx)
        within = replace(ctx.deeper(), guards=(*ctx.guards, *guards))
        return [
            f"{ctx.indent}{self._label(loop)}{head} {{",
            *self._pipelined(loop),
            *self._body(node.body, loop.body, within, loop),
            f"{ctx.indent}}}",
        ]

    def _guarded(self, node: Guarded, ctx: ExpansionContext) -> list[str]:
        stmt = node.stmt
        self._pure(stmt)
        test = self.texts.text(stmt.test.at.span, ctx.names, ctx.whole)
        named = names_in(stmt.test)
        lines = self._body(node.then, stmt.then, replace(ctx, guards=(*ctx.guards, (f"({test})", named))), None)
        if stmt.other is not None:
            lines += self._body(node.other, stmt.other, replace(ctx, guards=(*ctx.guards, (f"!({test})", named))), None)
        return lines

    def _pure(self, stmt: If) -> None:
        """Raise unless the test around loops has one value through all of them."""
        if any(isinstance(e, Call) for e in walk(stmt.test)):
            raise Refusal("condition", "a condition around a loop calls a function", stmt.test.at)
        arms = [stmt.then] if stmt.other is None else [stmt.then, stmt.other]
        for e in (e for arm in arms for root in statement_expressions(self.program, arm) for e in walk(root)):
            target = target_of(e)
            if isinstance(target, Name | ArrayRef) and target.variable in names_in(stmt.test):
                name = self.program.variable(target.variable).name
                raise Refusal("condition", f"{name} decides over the loop and changes in it", stmt.test.at)

    # ---------------------------------------------------------------------------------- runs
