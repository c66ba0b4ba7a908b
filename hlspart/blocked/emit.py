"""Blocked layouts as C: the header of one tensor, and a function whose arrays are laid out and converted."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.blocked.propagation import Propagator
from hlspart.model.blocked import BLOCKED, COMPACT, ArrayLayout, ChannelLayout, Conversion, Propagation, TileLayout
from hlspart.model.program import ArrayRef, ArrayType, Loop, Program, Variable
from hlspart.model.source import Origin, Span, apply_edits
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.initialisers import Unsupported, elements, initialiser_text
from hlspart.rewrite.names import Names
from hlspart.transform.printer import type_text


def header(layout: ChannelLayout) -> str:
    """A C header: where an element is in bytes, and copies from and to logical order (N, H, W, C, row-major)."""
    n, h, w, c = layout.shape
    size = layout.element_bytes
    return f"""/* Layout {layout.name} of {n} x {h} x {w} x {c} (N, H, W, C), {layout.dtype}; written by hlspart. */
#ifndef HLSPART_LAYOUT_H
#define HLSPART_LAYOUT_H

#define LAYOUT_ELEMENT_BYTES {size}
#define LAYOUT_BATCH_STRIDE {layout.batch_stride}
#define LAYOUT_BYTES {layout.total_bytes} /* up to the end of the last batch */
#define LAYOUT_PADDED_BYTES {layout.total_padded}

/* First byte of an element. */
static inline long layout_at(long n, long y, long x, long c)
{{
    return {size}L * ({_channel_index(layout, ("n", "y", "x", "c"))});
}}

/* From logical order to LAYOUT_BYTES bytes; padding becomes 0. */
static inline void layout_pack(const void *src, void *dst)
{{
    const unsigned char *from = (const unsigned char *)src;
    unsigned char *to = (unsigned char *)dst;
    for (long k = 0; k < LAYOUT_BYTES; k++)
        to[k] = 0;
    for (long n = 0; n < {n}; n++)
        for (long y = 0; y < {h}; y++)
            for (long x = 0; x < {w}; x++)
                for (long c = 0; c < {c}; c++)
                    for (long b = 0; b < {size}; b++)
                        to[layout_at(n, y, x, c) + b] = from[(((n * {h} + y) * {w} + x) * {c} + c) * {size} + b];
}}

/* Back to logical order; padding is not read. */
static inline void layout_unpack(const void *src, void *dst)
{{
    const unsigned char *from = (const unsigned char *)src;
    unsigned char *to = (unsigned char *)dst;
    for (long n = 0; n < {n}; n++)
        for (long y = 0; y < {h}; y++)
            for (long x = 0; x < {w}; x++)
                for (long c = 0; c < {c}; c++)
                    for (long b = 0; b < {size}; b++)
                        to[(((n * {h} + y) * {w} + x) * {c} + c) * {size} + b] = from[layout_at(n, y, x, c) + b];
}}

#endif
"""


def _channel_index(layout: ChannelLayout, names: Sequence[str]) -> str:
    """The element's number as C, from names of indices; names that are "0" vanish."""
    n, y, x, c = names
    _, h, w, _ = layout.shape
    terms = [*([f"{y} * {w}" if w != 1 else y] if y != "0" else []), *([x] if x != "0" else [])]
    point = " + ".join(terms) or "0"
    point = f"({point})" if len(terms) > 1 else point
    planes, area = layout.cx * layout.block, h * w
    parts = []
    if layout.cx:
        parts.append(f"({c} / {layout.block} * {area} + {point}) * {layout.block} + {c} % {layout.block}")
    if layout.c0:
        tail = f"{point} * {layout.c0} + {c}"
        parts.append(tail if not layout.cx else f"{area * planes} + {tail} - {planes}")
    inside = parts[0] if len(parts) == 1 else f"({c} < {planes} ? {parts[0]} : {parts[1]})"
    return inside if n == "0" else f"{n} * {layout.batch_stride // layout.element_bytes} + {inside}"


class LayoutWriter:
    """The text of one function with its layouts. ``refused``: the first place that could not be edited."""

    def __init__(self, propagator: Propagator, result: Propagation) -> None:
        self.of, self.result = propagator, result
        self.program: Program = propagator.program
        self.names = Names(source.text for source in self.program.sources.values())
        self.buffer = EditBuffer(self.program.sources, frozenset(u.path for u in self.program.units))
        self.blocked = {a.variable: a for a in result.arrays if a.layout != COMPACT and a.form is not None}
        self.storage = {v: self.names.free(f"{a.name}_blocked") for v, a in self.blocked.items()}
        self.at = {v: self.names.free(f"layout_at_{a.name}") for v, a in self.blocked.items()}
        self.copies: dict[tuple[int, str], str] = {}
        for c in result.conversions:
            kind = "pack" if c.target == BLOCKED else "unpack"
            self.copies.setdefault((c.variable, kind), self.names.free(f"layout_{kind}_{c.name}"))

    def files(self) -> dict[str, str] | Origin:
        """The new text of every given file, or what stands in the way."""
        try:
            self._references()
            for variable in self.blocked:
                self._declare(self.program.variable(variable))
            for conversion in self.result.conversions:
                self._convert(conversion)
            self._functions()
            self._pragmas()
        except Conflict as conflict:
            return conflict.origin
        paths = sorted(u.path for u in self.program.units)
        return {path: apply_edits(self.program.sources[path], self.buffer.edits(path)) for path in paths}

    # ------------------------------------------------------------------------------- edits

    def _references(self) -> None:
        """``A[i][j]`` in blocked statements, from the innermost outwards."""
        found = []
        for v in self.blocked:
            for use in self.of.uses.by_variable.get(v, ()):
                stmt = self.of.table.owners.get(use.node.id) if isinstance(use.node, ArrayRef) else None
                tiled = v in self.of.asked.tiles
                if stmt is not None and (tiled or self.result.units[self.of.unit_of[stmt]] == BLOCKED):
                    assert isinstance(use.node, ArrayRef)
                    found.append(use.node)
        for node in sorted(found, key=lambda n: n.at.span.end - n.at.span.start):
            inner = [Span(b.span.path, b.span.start + 1, b.span.end - 1) for b in node.brackets]
            indices = ", ".join(self.buffer.text(span).strip() for span in inner)
            span = Span(node.at.span.path, node.name.span.start, node.brackets[-1].span.end)
            text = f"{self.storage[node.variable]}[{self.at[node.variable]}({indices})]"
            self.buffer.replace(Origin(span), text)

    def _pragmas(self) -> None:
        """What the directives asked for is done: comments stay of them."""
        for pragma in self.program.pragmas:
            words = pragma.expanded.split()
            if [w.lower() for w in words[:2]] == ["hlspart", "layout"] and pragma.function == self.of.function.name:
                self.buffer.replace(pragma.at, f"/* hlspart: {' '.join(words[1:])} */")

    def _elements(self, array: ArrayLayout) -> int:
        if isinstance(array.form, ChannelLayout):
            return array.form.total_bytes // array.form.element_bytes
        assert array.form is not None
        return array.form.elements

    def _element_type(self, variable: Variable) -> str:
        assert isinstance(variable.type, ArrayType)
        return type_text(variable.type.element) or "int"

    def _declare(self, variable: Variable) -> None:
        array, declarator = self.blocked[variable.id], variable.declarations[0]
        name, count = self.storage[variable.id], self._elements(array)
        kind = self._element_type(variable)
        if self.of.constant(variable):
            text = f"static const {kind} {name}[{count}] = {self._constant(variable, array, count)};"
            if array.layout == BLOCKED and declarator.count == 1:
                self.buffer.replace(declarator.statement, text)
            else:
                self._insert(declarator.statement.span.path, declarator.statement.span.end, f" {text}")
        elif variable.storage == "parameter":
            body = self.of.function.body.at
            if not body.editable:
                raise Conflict(body)
            self._insert(body.span.path, body.span.start + 1, f" {kind} {name}[{count}];")
        elif array.layout == BLOCKED and declarator.initialiser is None:
            self.buffer.replace(declarator.declarator, f"{name}[{count}]")
        else:
            static = "static " if variable.storage == "static" else ""
            self._insert(
                declarator.statement.span.path, declarator.statement.span.end, f" {static}{kind} {name}[{count}];"
            )

    def _insert(self, path: str, offset: int, text: str) -> None:
        if path not in {u.path for u in self.program.units}:
            raise Conflict(Origin(Span(path, offset, offset)))
        self.buffer.insert(path, offset, text)

    def _constant(self, variable: Variable, array: ArrayLayout, count: int) -> str:
        """The initial values in their new places."""
        assert isinstance(variable.type, ArrayType) and variable.init is not None
        given = elements(variable.type, variable.init, self.buffer.text)
        if isinstance(given, Unsupported):
            raise Conflict(given.expr.at)
        placed = {self._place(array, index): text for index, text in given.items()}
        return initialiser_text((count,), lambda index: placed.get(index[0]), "0")

    @staticmethod
    def _place(array: ArrayLayout, index: tuple[int, ...]) -> int:
        form = array.form
        if isinstance(form, TileLayout):
            return form.index(index)
        assert form is not None
        n, y, x, c = _four(index, form)
        return form.address(n, y, x, c) // form.element_bytes

    def _convert(self, conversion: Conversion) -> None:
        kind = "pack" if conversion.target == BLOCKED else "unpack"
        old, new = conversion.name, self.storage[conversion.variable]
        first, second = (old, new) if kind == "pack" else (new, old)
        call = f"{self.copies[conversion.variable, kind]}({first}, {second});"
        stmt = self.of.statements[conversion.unit].at
        if not stmt.editable:
            raise Conflict(stmt)
        source = self.program.sources[stmt.span.path]
        start = self._start(conversion.unit)
        line, column = source.line_column(start)
        indent = "".join(c if c in " \t" else " " for c in source.line_text(line)[: column - 1])
        end = "\r\n" if source.text[: source.text.find("\n") + 1].endswith("\r\n") else "\n"
        if conversion.after:
            self._insert(stmt.span.path, stmt.span.end, f"{end}{indent}{call}")
        else:
            self._insert(stmt.span.path, start, f"{call}{end}{indent}")

    def _start(self, unit: int) -> int:
        """Where a statement begins, its label included."""
        stmt = self.of.statements[unit]
        text = self.program.sources[stmt.at.span.path].text
        start = stmt.at.span.start
        if isinstance(stmt, Loop) and stmt.label is not None and not text.startswith(stmt.label, start):
            start = text.rindex(stmt.label, 0, start)
        return start

    def _functions(self) -> None:
        """Index and copy functions before the function that uses them."""
        texts = [_index_function(self.at[v], a) for v, a in self.blocked.items()]
        for (v, kind), name in self.copies.items():
            texts.append(self._copy(self.program.variable(v), kind, name))
        if texts:
            at = self.of.function.at
            if not at.editable:
                raise Conflict(at)
            self._insert(at.span.path, at.span.start, "".join(t + "\n" for t in texts))

    def _copy(self, variable: Variable, kind: str, name: str) -> str:
        """``layout_pack_A(A, A_blocked)`` or ``layout_unpack_A(A_blocked, A)``."""
        array = self.blocked[variable.id]
        count, element = self._elements(array), self._element_type(variable)
        dims = [d or 1 for d in variable.dims]
        its = [f"i{k}" for k in range(len(dims))]
        extents = "".join(f"[{d}]" for d in dims)
        place = f"[{self.at[variable.id]}({', '.join(its)})]"
        compact = "".join(f"[{i}]" for i in its)
        logical = 1
        for d in dims:
            logical *= d
        if kind == "pack":
            head = f"static void {name}(const {element} src{extents}, {element} dst[{count}])"
            move, zero = f"dst{place} = src{compact};", count > logical
        else:
            head = f"static void {name}(const {element} src[{count}], {element} dst{extents})"
            move, zero = f"dst{compact} = src{place};", False
        lines = [head, "{"]
        if zero:
            lines += [f"    for (int k = 0; k < {count}; k++)", "        dst[k] = 0;"]
        for k, (i, d) in enumerate(zip(its, dims, strict=True)):
            lines.append(f"{'    ' * (k + 1)}for (int {i} = 0; {i} < {d}; {i}++)")
        lines += [f"{'    ' * (len(dims) + 1)}{move}", "}"]
        return "\n".join(lines) + "\n"


def _four(index: Sequence[int], form: ChannelLayout) -> tuple[int, int, int, int]:
    """(n, y, x, c) of an index of any rank: leading dimensions are batches."""
    y, x, c = (0, 0, 0, *index)[-3:]
    return (index[0] if len(index) == 4 else 0), y, x, c


def _index_function(name: str, array: ArrayLayout) -> str:
    """``static inline int layout_at_A(int i0, ..)``: the number of an element's place."""
    form = array.form
    if isinstance(form, TileLayout):
        its = [f"i{k}" for k in range(len(form.shape))]
        terms = []
        for i, t, (outer, inner) in zip(its, form.tiles, form.strides, strict=True):
            terms.append(f"{i} / {t} * {outer} + {i} % {t} * {inner}")
        text = " + ".join(terms)
    else:
        assert form is not None
        rank = array.rank
        its = [f"i{k}" for k in range(rank)]
        batch = its[0] if rank == 4 else "0"
        y, x, c = ["0", "0", "0", *(its[1:] if rank == 4 else its)][-3:]
        text = _channel_index(form, (batch, y, x, c))
    parameters = ", ".join(f"int {i}" for i in its)
    return f"static inline int {name}({parameters}) {{ return {text}; }}"
