"""Nests with reuse buffers in the user's text.

The loops run over all points that a window needs, in their old order; each iteration loads one new element of every
windowed array. Behind it the window holds what the body of that iteration reads, so that the body itself keeps its
text but for the names of those elements. A value that leaves a row of the window waits in a line buffer for the
next row, and in three dimensions one that leaves a plane in a plane buffer.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from hlspart.expand.region import Refusal, first_value
from hlspart.expand.texts import Texts, affine_text, braced, in_front, indent_of, padded, type_text
from hlspart.model.access import Affine
from hlspart.model.program import ArrayRef, Declare, PragmaMark, Program, ScalarType
from hlspart.model.source import Span
from hlspart.reuse.axes import ScanAxis
from hlspart.reuse.fills import Fill
from hlspart.reuse.forms import Offset
from hlspart.reuse.windows import Window, WindowNest, counts_from, elements_in, is_int
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.declare import BASIC
from hlspart.rewrite.names import Names
from hlspart.semantics.conversions import element

SPELLED_OUT = 3  # moves of one row, up to which each is a statement

Row = tuple[int, ...]  # position in all dimensions of a window but the last


class WindowEmitter(Struct):
    """Writes nests of one program into an edit buffer. ``fills``: by variable, the loop that fills a frame buffer."""

    program: Program
    names: Names
    fills: Mapping[int, Fill]
    buffer: EditBuffer
    made: dict[int, tuple[str, ...]] = field(default_factory=dict)  # variable -> names of its buffers

    def nest(self, nest: WindowNest, pipeline: bool) -> None:
        """``pipeline``: ask for the pipeline, which the tool made by itself so far. Raises Refusal or Conflict."""
        axes = self._axes(nest)
        writers = [_Writer(self, nest, axes, window, k) for k, window in enumerate(nest.windows)]
        for writer in writers:
            writer.reads()
        for axis in axes:
            self._header(axis)
        self._body(nest, axes, [line for w in writers for line in w.loads()], pipeline)
        in_front(self.program, self.buffer, nest.loops[0], [line for w in writers for line in w.declared()])
        braced(self.program, self.buffer, nest.loops[:1])

    def texts(self, function: str) -> Texts:
        """The text of a function."""
        return Texts(self.program, self.program.functions[function].body)

    def _axes(self, nest: WindowNest) -> tuple[ScanAxis, ...]:
        texts = self.texts(nest.region.function)
        axes = []
        for d, (loop, info) in enumerate(zip(nest.loops, nest.region.infos, strict=True)):
            assert info.lower is not None and info.step is not None and info.variable is not None
            scale, trips = nest.windows[0].scale[d], info.trip_count.exact
            first = scale * info.lower.const
            last = scale * (info.lower.const + info.step * ((trips or 0) - 1))
            if trips is None:
                last = min(w.hull[d][1] - w.high[d] for w in nest.windows)
            start = min([first, *(w.hull[d][0] - w.high[d] for w in nest.windows)])
            variable = self.program.variable(info.variable)
            kind = variable.type
            counts, name = counts_from(self.program, variable, start), variable.name
            exact = isinstance(kind, ScalarType) and kind.kind == "int" and (kind.bits < 32 or is_int(kind))
            if trips is None and texts.is_read_outside_loops(nest.region.analysis, info.variable):
                raise Refusal("trip-count", f"{name} is read behind the loop {loop.name}", loop.header)
            if trips is None and not counts:
                raise Refusal("trip-count", f"{name} cannot count from {start}", loop.header)
            if scale * info.step > 1 or (start != first and not counts):
                if texts.is_read_outside_loops(nest.region.analysis, info.variable):
                    raise Refusal("trip-count", f"{name} is read behind the loop {loop.name}", loop.header)
                if start < -(1 << 31) or last + 1 >= 1 << 31:
                    raise Refusal("trip-count", f"{name} counts beyond the range of int", loop.header)
                name = self.names.free(f"{name}_scan")
            every, exact = scale * info.step, exact or name != variable.name
            axes.append(ScanAxis(loop, variable.name, name, start, first, last, every, scale, trips is None, exact))
        return tuple(axes)

    def _header(self, axis: ScanAxis) -> None:
        if not axis.kept:
            text = f"for (int {axis.name} = {axis.start}; {axis.name} <= {axis.last}; {axis.name}++)"
            self.buffer.replace(axis.loop.header, text)
        elif axis.start != axis.first:
            self.buffer.replace(first_value(self.program, axis.loop).at, str(axis.start))

    def _body(self, nest: WindowNest, axes: Sequence[ScanAxis], loads: Sequence[str], pipeline: bool) -> None:
        """The loads in front of the old body, and that under the condition that it is not too early for it."""
        loop = nest.loops[-1]
        body, path = loop.body, loop.at.span.path
        source = self.program.sources[path]
        stmts = [s for s in body.body if not isinstance(s, PragmaMark)]
        if not stmts:
            raise Refusal("condition", f"the loop {loop.name} is empty", loop.at)
        first = stmts[0].at.span.start
        line = source.text.rfind("\n", 0, first) + 1
        alone = line > loop.header.span.end and not source.text[line:first].strip()
        outer = indent_of(self.program, loop.at)
        pad = source.text[line:first] if alone else outer + "    "
        pragmas = ["#pragma HLS PIPELINE II=1"] if pipeline else []
        for mark in (s for s in body.body if isinstance(s, PragmaMark) and s.at.span.start > first):
            if mark.at.kind != "plain":
                raise Refusal("macro", "a macro makes the pragma", mark.at)
            pragmas.append(self.program.text(mark.at).strip())
            self.buffer.replace(mark.at, "")
        own = [self._iterator(nest, a) for a in axes if not a.kept]
        guard = [g for a in axes for g in a.guard]
        conditional = bool(guard or own)
        head = [padded(pad, x) for x in (*pragmas, *loads)]
        if conditional:
            head.append(padded(pad, f"if ({' && '.join(guard)}) {{" if guard else "{"))
            head += [padded(pad + "    ", x) for x in own]
        if not body.braces:
            self.buffer.insert(path, loop.header.span.end, " {")
        above = "".join("\n" + x for x in head)
        if alone:
            self.buffer.insert(path, source.above(line), above)
        else:
            self.buffer.insert(path, first, f"{above}\n{pad}{'    ' * conditional}")
        end = body.at.span.end - 1 if body.braces else body.at.span.end
        close = source.text.rfind("\n", 0, end) + 1
        apart = body.braces and close > first and not source.text[close:end].strip()
        below = f"\n{pad}}}" * conditional
        if conditional and alone:
            self._indented(Span(path, line, source.above(close) if apart else end))
        if apart:
            self.buffer.insert(path, source.above(close), below)
        else:
            self.buffer.insert(path, end, f"{below}\n{outer}" + "}" * (not body.braces))

    def _iterator(self, nest: WindowNest, axis: ScanAxis) -> str:
        """The old iterator of the body, where the body or a header in it still says it."""
        info = next(i for i, x in zip(nest.region.infos, nest.loops, strict=True) if x is axis.loop)
        assert info.variable is not None
        if isinstance(axis.loop.init, Declare):
            return f"const {type_text(self.program, info.variable)} {axis.iterator} = {axis.value};"
        return f"{axis.iterator} = {axis.value};"

    def _indented(self, span: Span) -> None:
        """Move the lines of a span to the right; those that go on from the line before keep their place."""
        text = self.program.sources[span.path].text
        at = span.start
        while at < span.end:
            end = text.find("\n", at)
            end = span.end if end < 0 else end
            line = text[at:end]
            behind = text[max(0, at - 3) : at].rstrip("\r\n")
            edited = any(e.span.start < at < e.span.end for e in self.buffer.edits(span.path))
            if line.strip() and not line.lstrip().startswith("#") and not behind.endswith("\\") and not edited:
                self.buffer.insert(span.path, at, "    ")
            at = end + 1


class _Writer:
    """The buffers of one window."""

    def __init__(
        self, emitter: WindowEmitter, nest: WindowNest, axes: Sequence[ScanAxis], window: Window, number: int
    ) -> None:
        self.emitter, self.program, self.nest, self.axes, self.window = emitter, emitter.program, nest, axes, window
        self.variable = self.program.variable(window.variable)
        names = emitter.names
        self.name = names.free(f"{self.variable.name}_window")
        self.last = window.size[len(axes) - 1] - 1
        self.planes = [names.free("plane") for _ in window.planes]
        self.moved = names.free("k") if self.last > SPELLED_OUT else ""
        kinds = {1: ("lines",), 2: ("planes", "lines")}.get(len(axes) - 1, ())
        self.kinds = [f"{self.variable.name}_{kind}" for kind in kinds]
        self.rows = self._rows()
        self.buffers = [[r for r in self.rows if self._level(r) == level] for level in range(len(axes) - 1)]
        self.kinds = [names.free(k) if rows else k for k, rows in zip(self.kinds, self.buffers, strict=True)]
        used = [k for k, rows in zip(self.kinds, self.buffers, strict=True) if rows]
        emitter.made[window.variable] = (*emitter.made.get(window.variable, ()), self.name, *used)

    @cached_property
    def newest(self) -> Row:
        """The row that takes the new element."""
        return tuple(n - 1 for n in self.window.size[: len(self.axes) - 1])

    def _level(self, row: Row) -> int | None:
        """Which buffer holds the values of a row: that of the last dimension in which it is not the newest."""
        older = [d for d, (at, top) in enumerate(zip(row, self.newest, strict=True)) if at < top]
        return older[-1] if older else None

    def _source(self, row: Row) -> Row:
        """The row whose values a row takes one step of its buffer's dimension later."""
        level = self._level(row)
        assert level is not None
        return (*row[:level], row[level] + 1, *self.newest[level + 1 :])

    def _rows(self) -> list[Row]:
        """Rows that are read, and those that their values come from."""
        needed = {self.newest}
        window = self.window
        ids = set(window.reads)
        for access in self.nest.region.analysis.accesses:
            if access.id not in ids:
                continue
            forms = window.reads[access.id][: len(self.newest)]
            ranges = []
            for form, low, top in zip(forms, window.low, self.newest, strict=False):
                fixed = form.const - low if isinstance(form, Affine) and not form.terms else None
                ranges.append(tuple(range(top + 1)) if fixed is None else (fixed,))
            needed |= set(itertools.product(*ranges))
        waiting = list(needed)
        while waiting:
            row = waiting.pop()
            if self._level(row) is not None and (source := self._source(row)) not in needed:
                needed.add(source)
                waiting.append(source)
        return sorted(needed)

    # ------------------------------------------------------------------------------------ text

    def declared(self) -> list[str]:
        """Declarations with their pragmas."""
        kind = type_text(self.program, self.window.variable)
        lines, planes = [], "".join(f"[{n}]" for n in self.window.planes)
        for level, (name, rows) in enumerate(zip(self.kinds, self.buffers, strict=True)):
            if rows:
                extents = "".join(f"[{a.points}]" for a in self.axes[level + 1 :])
                lines.append(f"{kind} {name}[{len(rows)}]{extents}{planes}{self._initial};")
                behind = 2 + len(self.axes[level + 1 :])
                apart = [1] * (len(rows) > 1) + [behind + k for k, n in enumerate(self.window.planes) if n > 1]
                lines += [f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={dim}" for dim in apart]
        lines.append(f"{kind} {self.name}{''.join(f'[{n}]' for n in self.window.size)}{self._initial};")
        lines.append(f"#pragma HLS ARRAY_PARTITION variable={self.name} type=complete dim=0")
        return lines

    @property
    def _initial(self) -> str:
        """Values move before the buffers are full: of a type that has few, no others may be read."""
        kind = element(self.variable.type)
        if not isinstance(kind, ScalarType):
            return ""
        if kind.kind == "bool":
            return " = {0}"
        return " = {}" if kind.kind == "int" and kind.library is None and self._may_be_enumeration else ""

    @property
    def _may_be_enumeration(self) -> bool:
        """Whether the elements are of an enumeration of C++, for all that their type's name says."""
        program, path = self.program, self.variable.at.span.path
        words = re.findall(r"\w+", type_text(program, self.variable.id))
        if not program.is_cxx(path) or BASIC.issuperset(words):
            return False
        return any(re.search(r"\benum\b", source.text) for source in program.sources.values())

    def loads(self) -> list[str]:
        """Statements that move the window by one point."""
        lines = []
        for row in self.rows:
            if self.last > SPELLED_OUT:
                k = self.moved
                move = f"{self._at(row, k)} = {self._at(row, f'{k} + 1')};"
                lines.append(f"for (int {k} = 0; {k} < {self.last}; {k}++) {move}")
            else:
                lines += [f"{self._at(row, k)} = {self._at(row, k + 1)};" for k in range(self.last)]
        for row in self.rows:
            if self._level(row) is not None:
                lines.append(f"{self._at(row, self.last)} = {self._waiting(row)};")
        guard = []
        for axis, high, (low_end, high_end) in zip(self.axes, self.window.high, self.window.hull, strict=False):
            if axis.start + high < low_end:
                guard.append(f"{axis.name} >= {low_end - high}")
            if axis.last + high > high_end:
                guard.append(f"{axis.name} <= {high_end - high}")
        guard += self._inside()
        new = self._newest(self._at(self.newest, self.last))
        test = f"if ({' && '.join(guard)}) " if guard else ""
        lines += [test + new[0]] if len(new) == 1 else [test + "{", *(padded("    ", x) for x in new), "}"]
        for row in self.rows:
            if self._level(row) is not None:
                lines.append(f"{self._waiting(row)} = {self._at(self._source(row), self.last)};")
        for name, count in reversed(list(zip(self.planes, self.window.planes, strict=True))):
            head = f"for (int {name} = 0; {name} < {count}; {name}++) {{"
            lines = [head, *(padded("    ", x) for x in lines), "}"]
        ends = [f"{axis.name} <= {axis.last}" for axis in self.axes if axis.open]
        return [f"if ({' && '.join(ends)}) {{", *(padded("    ", x) for x in lines), "}"] if ends else lines

    def _at(self, row: Row, column: int | str) -> str:
        return self.name + "".join(f"[{k}]" for k in (*row, column, *self.planes))

    def _waiting(self, row: Row) -> str:
        """The place of a row's next value in its buffer."""
        level = self._level(row)
        assert level is not None
        number = self.buffers[level].index(row)
        points = [a.index for a in self.axes[level + 1 :]]
        return f"{self.kinds[level]}[{number}]" + "".join(f"[{p}]" for p in (*points, *self.planes))

    def _newest(self, register: str) -> list[str]:
        """Lines that load the newest element of the array, or make what would be stored there."""
        fill = self.emitter.fills.get(self.window.variable)
        if fill is not None and fill.alike:
            moved = zip(self.axes, self.window.high, fill.offsets, strict=True)
            return fill.statements([a.at(high - own) for a, high, own in moved], register, self._plain)
        indices = []
        for base, moving in self.window.template.parts:
            fixed = [self._form(base)] if base.terms or base.const or not moving else []
            indices.append(" + ".join([*self._moving(moving), *fixed]))
        if fill is not None:
            moved_by = [
                f"{i} - {own}" if own > 0 else f"{i} + {-own}" if own else i
                for i, own in zip(indices, fill.offsets, strict=True)
            ]
            return fill.statements(moved_by, register, self._plain)
        return [f"{register} = {self.variable.name}{''.join(f'[{i}]' for i in indices)};"]

    @property
    def _exact(self) -> bool:
        """Whether sums of points and numbers are of the type ``int``."""
        return all(axis.exact for axis in self.axes)

    @property
    def _plain(self) -> bool:
        """Whether the name of a point is of the type ``int``, too."""
        variables = [self.nest.region.analysis.loops[axis.loop.id].variable for axis in self.axes]
        kept = [v for v, axis in zip(variables, self.axes, strict=True) if axis.kept]
        return self._exact and all(v is not None and is_int(self.program.variable(v).type) for v in kept)

    def _moving(self, moving: Sequence[tuple[int, int]]) -> list[str]:
        """The terms of the newest element's subscript that the loops move."""
        terms = []
        for d, pitch in moving:
            if d >= len(self.axes):
                low, name = self.window.low[d], self.planes[d - len(self.axes)]
                terms.append(name if not low else f"{name} {'+' if low > 0 else '-'} {abs(low)}")
                continue
            point = self.axes[d].at(self.window.high[d])
            point = f"({point})" if pitch != 1 and " " in point else point
            terms.append(point if pitch == 1 else f"{point} * {pitch}")
        return terms

    def _inside(self) -> list[str]:
        """Conditions under which the newest element is there, where the loops go past what is read."""
        conditions = []
        for (_, moving), span in zip(self.window.template.parts, self.window.inside, strict=True):
            if span is not None:
                text, hull = " + ".join(self._moving(moving)), self.window.hull
                text = text if self._exact else f"(int)({text})"  # what is unsigned has no side below 0
                low, high = (sum(p * hull[d][k] for d, p in moving) for k in (0, 1))
                conditions += [f"{text} >= {span[0]}"] if low < span[0] else []
                conditions += [f"{text} <= {span[1]}"] if high > span[1] else []
        return conditions

    def _form(self, form: Affine) -> str:
        """An affine form with the names of the source."""
        return affine_text(self.program, self.nest.region.analysis, self.nest.region.function, form)

    def reads(self) -> None:
        """Each read of the body by its place in the window."""
        records = {a.ref: a for a in self.nest.region.analysis.accesses if a.id in self.window.reads}
        nodes = elements_in(self.program, self.nest.loops[-1]).values()
        kept = {node.at.span for node in nodes if node.id not in records}  # in a macro's argument: text of both
        for node in nodes:
            if node.id in records:
                if not (node.at.editable or (node.at.kind == "argument" and node.at.span not in kept)):
                    raise Conflict(node.at)
                forms = self.window.reads[records[node.id].id]
                places = [self._place(node, d, g) for d, g in enumerate(forms)]
                self.emitter.buffer.replace(node.at, self.name + "".join(f"[{p}]" for p in places))

    def _place(self, node: ArrayRef, dimension: int, offset: Offset) -> str:
        """Where a read finds its element in one dimension of the window."""
        low = self.window.low[dimension]
        if isinstance(offset, Affine):
            return self._form(offset - Affine((), low))
        at = node.indices[offset.subscript].at
        if at.kind == "mixed":
            raise Conflict(at)
        text = self.program.text(at)
        text = text if re.fullmatch(r"\w+", text) else f"({text})"
        return f"{text} - {self.axes[dimension].iterator}" + (f" {'-' if low > 0 else '+'} {abs(low)}" if low else "")
