"""Blocked layouts as C: the header of one tensor, and a function whose arrays are laid out and converted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from hlspart.blocked.forms import is_spelled_out
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
        self.buffer = EditBuffer(self.program.sources, self.program.given)
        self.arrays = {a.variable: a for a in result.arrays if a.forms}
        self.storage: dict[Place, str] = {}  # the array that holds a layout; what is not here keeps its name
        self.at: dict[Place, str] = {}
        self.formals: dict[int, Place] = {}  # what parameters of other functions stand for
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

        for k, kind in enumerate(result.units):
            if kind != COMPACT:
                self._follow(k, kind)

    def _follow(self, unit: int, kind: Kind) -> None:
        """Parameters of the functions that a statement hands arrays to lie as these do."""
        table, calls = self.of.table, self.of.calls
        open_ = [(e.actual, e.formal) for e in table.edges() if self.of.unit_of.get(table.owners[e.call]) == unit]
        while open_:
            actual, formal = open_.pop()
            if formal not in self.formals:
                self.formals[formal] = actual, kind
                self.storage[formal, kind] = self.program.variable(formal).name
                open_ += [(actual, e.formal) for e in calls.edges if e.actual == formal]

    def files(self) -> dict[str, str] | Origin:
        """The new text of every given file, or what stands in the way."""
        try:
            self._references()
            for variable in self.arrays:
                self._declare(self.program.variable(variable))
            for formal, (variable, kind) in self.formals.items():
                self._declare_parameter(self.program.variable(formal), self.arrays[variable].forms[kind])
            for conversion in self.result.conversions:
                self._convert(conversion)
            self._functions()
            self._pragmas()
        except Conflict as conflict:
            return conflict.origin
        paths = sorted(self.program.given)
        return {path: apply_edits(self.program.sources[path], self.buffer.edits(path)) for path in paths}

    # ------------------------------------------------------------------------------- edits

    def _references(self) -> None:
        """``A[i][j]`` where it does not lie as it is declared, from the innermost outwards; names handed to calls."""
        references: list[tuple[ArrayRef | Name, Kind]] = []
        for v in self.arrays:
            for use in self.of.uses.by_variable.get(v, ()):
                inside = use.node if isinstance(use.node, ArrayRef) else use.call
                stmt = None if inside is None else self.of.table.owners.get(inside.id)
                if stmt is not None:
                    kind = self.of.kind_of(v, self.result.units[self.of.unit_of[stmt]])
                    if kind != COMPACT or (v, COMPACT) in self.storage:
                        references.append((use.node, kind))
        for v, (_, kind) in self.formals.items():
            references += [(use.node, kind) for use in self.of.uses.by_variable.get(v, ())]
        for node, kind in sorted(references, key=lambda f: f[0].at.span.end - f[0].at.span.start):
            name = node.name.span if isinstance(node, ArrayRef) else node.at.span
            storage = self.storage[node.variable, kind]
            if isinstance(node, Name) or kind == COMPACT:
                self.buffer.replace(Origin(name), storage)
                continue
            inner = [Span(b.span.path, b.span.start + 1, b.span.end - 1) for b in node.brackets]
            indices = ", ".join(self.buffer.text(span).strip() for span in inner)
            place = self.formals.get(node.variable, (node.variable, kind))
            text = f"{storage}[{self.at[place]}({indices})]"
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
        element, constant = self._element_type(variable), self.of.is_constant(variable)
        made: list[tuple[str, str, str]] = []  # declarator, initial values, all of it
        own = self.of.comes(variable)
        for kind, form in array.forms.items():
            if kind == own:
                self._declare_parameter(variable, form)
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
        elif alone and declarator.count == 1 and (constant or not is_spelled_out(declarator, array.rank)):
            self.buffer.replace(declarator.statement, texts)
        elif alone and declarator.initialiser is None:
            self.buffer.replace(declarator.declarator, made[0][0])
        else:
            self._insert(declarator.statement.span.path, declarator.statement.span.end, f" {texts}")

    def _declare_parameter(self, variable: Variable, form: Form) -> None:
        """One row of elements, in prototypes, too."""
        function = self.program.functions[variable.function or ""]
        position = function.params.index(variable.id)
        for d in (variable.declarations[0], *(p.params[position] for p in function.prototypes if p.params)):
            if is_spelled_out(d, len(variable.dims)):
                brackets = Span(d.name.span.path, d.brackets[0].span.start, d.brackets[-1].span.end)
                self.buffer.replace(Origin(brackets), f"[{form.elements}]")
                continue
            unnamed = d.declarator.span.start == d.statement.span.start  # all of it stands for the name
            name = "" if unnamed else self.program.text(d.name)
            end = ";" if self.program.text(d.statement).endswith(";") else ""
            const = "const " if variable.const else ""
            self.buffer.replace(d.statement, f"{const}{self._element_type(variable)} {name}[{form.elements}]{end}")

    def _insert(self, path: str, offset: int, text: str) -> None:
        if path not in self.program.given:
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
        if conversion.after:
            self._insert(stmt.span.path, stmt.span.end, f"\n{indent}{call}")
        else:
            self._insert(stmt.span.path, start, f"{call}\n{indent}")

    def _start(self, unit: int) -> int:
        """Where a statement begins, its label included."""
        stmt = self.of.statements[unit]
        text = self.program.sources[stmt.at.span.path].text
        start = stmt.at.span.start
        if isinstance(stmt, Loop) and stmt.label is not None and not text.startswith(stmt.label, start):
            start = text.rindex(stmt.label, 0, start)
        return start

    def _functions(self) -> None:
        """Index functions before the first function that uses them, copy functions before the own one."""
        top = self.of.function.at
        users = (self.program.functions[self.program.variable(v).function or ""].at for v in self.formals)
        if self.at:
            first = min((top, *users), key=lambda at: at.span.start)
            self._before(first, (self._index_function(place) for place in self.at))
        if self.copies:
            copies = (self._copy(v, source, target, name) for ((v, source), target), name in self.copies.items())
            self._before(top, copies)

    def _before(self, function: Origin, texts: Iterable[str]) -> None:
        if not function.editable:
            raise Conflict(function)
        path, start = function.span.path, function.span.start
        self._insert(path, places.before(self.program.sources[path].text, start), "".join(f"{t}\n" for t in texts))

    def _index_function(self, place: Place) -> str:
        array = self.arrays[place[0]]
        return _index_function(self.at[place], array.forms[place[1]], array.rank)

    def _copy(self, v: int, source: Kind, target: Kind, name: str) -> str:
        """``layout_pack_A(A, A_blocked)`` and the like."""
        variable = self.program.variable(v)
        forms, element = self.arrays[v].forms, self._element_type(variable)
        dims = [d or 1 for d in variable.dims]
        its = [f"i{k}" for k in range(len(dims))]
        extents, compact = "".join(f"[{d}]" for d in dims), "".join(f"[{i}]" for i in its)

        def shape(kind: Kind) -> str:
            return extents if kind == COMPACT else f"[{forms[kind].elements}]"

        def place(kind: Kind) -> str:
            return compact if kind == COMPACT else f"[{self.at[v, kind]}({', '.join(its)})]"

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
