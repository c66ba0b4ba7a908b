"""Blocked layouts as C: the header of one tensor, and a function whose arrays are laid out and converted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from hlspart.blocked.propagation import Propagator
from hlspart.model.blocked import (
    COMPACT,
    TILE,
    ArrayLayout,
    ChannelLayout,
    Conversion,
    Kind,
    Propagation,
    TileLayout,
)
from hlspart.model.program import ArrayRef, ArrayType, Loop, Name, Program, Variable
from hlspart.model.source import Origin, Span, apply_edits
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.initialisers import Unsupported, elements, initialiser_text
from hlspart.rewrite.names import Names
from hlspart.semantics import places
from hlspart.transform.printer import type_text

Form = ChannelLayout | TileLayout
Place = tuple[int, Kind]  # an array in one of its layouts


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
        self.arrays = {a.variable: a for a in result.arrays if a.forms}
        self.storage: dict[Place, str] = {}  # the array that holds a layout; what is not here keeps its name
        self.at: dict[Place, str] = {}
        self.copies: dict[tuple[Place, Kind], str] = {}
        for v, array in self.arrays.items():
            own = propagator.comes(self.program.variable(v))
            if own != COMPACT:
                self.storage[v, own] = array.name
                if array.layout != own:
                    self.storage[v, COMPACT] = self.names.free(f"{array.name}_compact")
            for k, kind in enumerate(array.forms):
                sizes = f"_{kind.removeprefix(TILE).replace(',', 'x')}" if k else ""
                self.at[v, kind] = self.names.free(f"layout_at_{array.name}{sizes}")
                if kind != own:
                    self.storage[v, kind] = self.names.free(f"{array.name}{sizes}_blocked")
        for c in result.conversions:
            verb = "pack" if c.source == COMPACT else "unpack" if c.target == COMPACT else "repack"
            key = (c.variable, c.source), c.target
            if key not in self.copies:
                self.copies[key] = self.names.free(f"layout_{verb}_{c.name}")

    def files(self) -> dict[str, str] | Origin:
        """The new text of every given file, or what stands in the way."""
        try:
            self._references()
            for variable in self.arrays:
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
        """``A[i][j]`` where it does not lie as it is declared, from the innermost outwards; names handed to calls."""
        found: list[tuple[ArrayRef | Name, Kind]] = []
        for v in self.arrays:
            for use in self.of.uses.by_variable.get(v, ()):
                inside = use.node if isinstance(use.node, ArrayRef) else use.call
                stmt = None if inside is None else self.of.table.owners.get(inside.id)
                if stmt is not None:
                    kind = self.of.kind_of(v, self.result.units[self.of.unit_of[stmt]])
                    if kind != COMPACT or (v, COMPACT) in self.storage:
                        found.append((use.node, kind))
        for node, kind in sorted(found, key=lambda f: f[0].at.span.end - f[0].at.span.start):
            name = node.name.span if isinstance(node, ArrayRef) else node.at.span
            storage = self.storage[node.variable, kind]
            if kind == COMPACT:
                self.buffer.replace(Origin(name), storage)
                continue
            assert isinstance(node, ArrayRef)
            inner = [Span(b.span.path, b.span.start + 1, b.span.end - 1) for b in node.brackets]
            indices = ", ".join(self.buffer.text(span).strip() for span in inner)
            text = f"{storage}[{self.at[node.variable, kind]}({indices})]"
            self.buffer.replace(Origin(Span(node.at.span.path, name.start, node.brackets[-1].span.end)), text)

    def _pragmas(self) -> None:
        """Comments stay of directives whose wish is done."""
        for pragma in self.program.pragmas:
            words = pragma.expanded.split()
            about = self.of.asked.about.get(pragma.index)
            if about is not None and about not in self.of.refused and pragma.function == self.of.function.name:
                self.buffer.replace(pragma.at, f"/* hlspart: {' '.join(words[1:])} */")

    def _element_type(self, variable: Variable) -> str:
        assert isinstance(variable.type, ArrayType)
        return type_text(variable.type.element) or "int"

    def _declare(self, variable: Variable) -> None:
        array, declarator = self.arrays[variable.id], variable.declarations[0]
        element, constant = self._element_type(variable), self.of.constant(variable)
        made: list[tuple[str, str, str]] = []  # declarator, initial values, all of it
        own = self.of.comes(variable)
        for kind, form in array.forms.items():
            if kind == own:
                function = self.of.function
                position = function.params.index(variable.id)
                for d in (declarator, *(p.params[position] for p in function.prototypes if p.params)):
                    before = self.program.text(d.declarator).partition("[")[0]
                    unnamed = d.declarator.span.start == d.statement.span.start  # all of it stands for the name
                    called = before if unnamed else re.findall(r"[A-Za-z_]\w*", before)[-1]
                    self.buffer.replace(d.declarator, f"{called}[{form.elements}]")
                continue
            name = f"{self.storage[variable.id, kind]}[{form.elements}]"
            values = f" = {self._constant(variable, array, form)}" if constant else ""
            static = "static " if constant or variable.storage == "static" else ""
            made.append((name, values, f"{static}{'const ' if constant else ''}{element} {name}{values};"))
        if (variable.id, COMPACT) in self.storage:
            extents = "".join(f"[{d}]" for d in variable.dims)
            made.append(("", "", f"{element} {self.storage[variable.id, COMPACT]}{extents};"))
        texts = " ".join(text for _, _, text in made)
        alone = len(made) == 1 and array.layout != "both"
        if not made:
            return
        if variable.storage == "parameter":
            body = self.of.function.body.at
            if not body.editable:
                raise Conflict(body)
            self._insert(body.span.path, body.span.start + 1, f" {texts}")
        elif alone and constant and declarator.count == 1:
            self.buffer.replace(declarator.statement, texts)
        elif alone and declarator.initialiser is None:
            self.buffer.replace(declarator.declarator, made[0][0])
        else:
            self._insert(declarator.statement.span.path, declarator.statement.span.end, f" {texts}")

    def _insert(self, path: str, offset: int, text: str) -> None:
        if path not in {u.path for u in self.program.units}:
            raise Conflict(Origin(Span(path, offset, offset)))
        self.buffer.insert(path, offset, text)

    def _constant(self, variable: Variable, array: ArrayLayout, form: Form) -> str:
        """The initial values in their new places."""
        assert isinstance(variable.type, ArrayType) and variable.init is not None
        given = elements(variable.type, variable.init, self.buffer.text)
        if isinstance(given, Unsupported):
            raise Conflict(given.expr.at)
        placed = {_place(form, index): text for index, text in given.items()}
        return initialiser_text((form.elements,), lambda index: placed.get(index[0]), "0")

    def _convert(self, conversion: Conversion) -> None:
        places = [(conversion.variable, kind) for kind in (conversion.source, conversion.target)]
        first, second = (self.storage.get(place, conversion.name) for place in places)
        call = f"{self.copies[places[0], conversion.target]}({first}, {second});"
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
        texts = [
            _index_function(name, self.arrays[v].forms[kind], self.arrays[v].rank)
            for (v, kind), name in self.at.items()
        ]
        for ((v, source), target), name in self.copies.items():
            texts.append(self._copy(self.program.variable(v), source, target, name))
        if texts:
            at = self.of.function.at
            if not at.editable:
                raise Conflict(at)
            source = self.program.sources[at.span.path].text
            self._insert(at.span.path, places.before(source, at.span.start), "".join(t + "\n" for t in texts))

    def _copy(self, variable: Variable, source: Kind, target: Kind, name: str) -> str:
        """``layout_pack_A(A, A_blocked)`` and the like."""
        forms, element = self.arrays[variable.id].forms, self._element_type(variable)
        dims = [d or 1 for d in variable.dims]
        its = [f"i{k}" for k in range(len(dims))]
        extents, compact = "".join(f"[{d}]" for d in dims), "".join(f"[{i}]" for i in its)

        def shape(kind: Kind) -> str:
            return extents if kind == COMPACT else f"[{forms[kind].elements}]"

        def place(kind: Kind) -> str:
            return compact if kind == COMPACT else f"[{self.at[variable.id, kind]}({', '.join(its)})]"

        lines = [f"static void {name}(const {element} src{shape(source)}, {element} dst{shape(target)})", "{"]
        if target != COMPACT and forms[target].elements > prod(dims):
            lines += [f"    for (int k = 0; k < {forms[target].elements}; k++)", "        dst[k] = 0;"]
        for k, (i, d) in enumerate(zip(its, dims, strict=True)):
            lines.append(f"{'    ' * (k + 1)}for (int {i} = 0; {i} < {d}; {i}++)")
        lines += [f"{'    ' * (len(dims) + 1)}dst{place(target)} = src{place(source)};", "}"]
        return "\n".join(lines) + "\n"


def _place(form: Form, index: tuple[int, ...]) -> int:
    """Where an element is; leading dimensions of four are batches."""
    if isinstance(form, TileLayout):
        return form.index(index)
    y, x, c = (0, 0, 0, *index)[-3:]
    return form.address(index[0] if len(index) == 4 else 0, y, x, c) // form.element_bytes


def _index_function(name: str, form: Form, rank: int) -> str:
    """``static inline int layout_at_A(int i0, ..)``: the number of an element's place."""
    if isinstance(form, TileLayout):
        its = [f"i{k}" for k in range(len(form.shape))]
        terms = []
        for i, t, (outer, inner) in zip(its, form.tiles, form.strides, strict=True):
            terms.append(f"{i} / {t} * {outer} + {i} % {t} * {inner}")
        text = " + ".join(terms)
    else:
        its = [f"i{k}" for k in range(rank)]
        batch = its[0] if rank == 4 else "0"
        y, x, c = ["0", "0", "0", *(its[1:] if rank == 4 else its)][-3:]
        text = _channel_index(form, (batch, y, x, c))
    parameters = ", ".join(f"int {i}" for i in its)
    return f"static inline int {name}({parameters}) {{ return {text}; }}"
