"""Independent elements as processes of a DATAFLOW region: one function, called once per element on arrays of its own.

Load processes copy every array that the region reads to all elements; store processes gather what each element wrote.
The user's loop body stands unchanged in the function. What has no canonical form is refused (``dataflow-form``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hlspart.expand.accesses import Accesses
from hlspart.expand.context import MARKER
from hlspart.expand.region import Refusal, Region
from hlspart.expand.staging import copy_box
from hlspart.expand.texts import Texts, indented, pieces, type_text
from hlspart.expand.union import guard_of
from hlspart.model.access import Access
from hlspart.model.expanding import Judgement, Map
from hlspart.model.program import ArrayRef, Declare, Name, PragmaMark, ScalarType, Stmt, Variable, walk
from hlspart.model.source import Edit, Span
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.places import before
from hlspart.sets.processors import written_box


@dataclass(frozen=True)
class _Array:
    """An array of the region: ``box`` is what is loaded or stored, ``dim`` tells which element writes what."""

    variable: Variable
    type: str
    extents: str
    box: tuple[tuple[int, int], ...]
    dim: int | None = None
    factor: int = 1
    offset: int = 0


@dataclass(frozen=True)
class Processes:
    """The call that stands for the loop, and the functions before the one that holds it."""

    lines: list[str]
    functions: Edit


def processes(
    region: Region, judgement: Judgement, pes: int, spread: Map, names: Names, indent: str, top: str | None
) -> Processes:
    """Code of independent elements. Raises :class:`Refusal`."""
    return _Writer(region, judgement, pes, spread, names, top).write(indent)


class _Writer:
    def __init__(
        self, region: Region, judgement: Judgement, pes: int, spread: Map, names: Names, top: str | None
    ) -> None:  # fmt: skip
        self.region, self.program, self.judgement = region, region.program, judgement
        self.pes, self.map, self.names = pes, spread, names
        self.loop, self.info = region.loops[0], region.infos[0]
        self.facts = Accesses(region, top)
        self.texts = Texts(self.program, self.program.functions[region.function].body)
        self.stem = f"{region.function}_{self.loop.name}"

    def _refuse(self, reason: str) -> Refusal:
        return Refusal("dataflow-form", reason, self.loop.at)

    def write(self, indent: str) -> Processes:
        function = self.program.functions[self.region.function]
        if len(self.region.loops) > 1:
            raise self._refuse("processes are written for one loop")
        if self.judgement.reductions or any(p.kind == "last-value" for p in self.judgement.private):
            raise self._refuse("values that leave the elements other than in arrays have no process that gathers them")
        if self.info.trip_count.exact is None or self.info.lower is None or self.info.lower.terms:
            raise self._refuse(f"the trip count of {self.loop.name} is not constant")
        if not function.signature.editable:
            raise self._refuse(f"a macro makes the head of {function.name}")
        arrays = self._arrays()
        inputs, outputs = [a for a in arrays if a.dim is None], [a for a in arrays if a.dim is not None]
        if not outputs:
            raise self._refuse("the region writes no array")
        scalars = self._scalars({a.variable.id for a in arrays})
        element, together = self.names.free(f"{self.stem}_pe"), self.names.free(f"{self.stem}_pes")
        loads = {a.variable.id: self.names.free(f"{self.stem}_load_{a.variable.name}") for a in inputs}
        stores = {a.variable.id: self.names.free(f"{self.stem}_store_{a.variable.name}") for a in outputs}
        lines = self._element(element, scalars, inputs, outputs)
        for a in inputs:
            lines += self._load(loads[a.variable.id], a)
        for a in outputs:
            lines += self._store(stores[a.variable.id], a)
        lines += self._together(together, element, loads, stores, scalars, inputs, outputs)
        source = self.program.sources[function.signature.span.path]
        start = before(source.text, function.at.span.start)
        given = ", ".join([*(v.name for v in scalars), *(a.variable.name for a in (*inputs, *outputs))])
        call = [f"{indent}{together}({given});"]
        region = self.loop.at.span
        for own in self._owned():
            uses = (u.at.span for u in self.texts.uses.get(own.id, ()))
            if all(u.path == region.path and region.start <= u.start < region.end for u in uses):
                call.append(f"{indent}(void){own.name};")
        if not self._declares():
            last = self.info.lower.const + (self.info.step or 1) * self.info.trip_count.exact
            name = self.program.variable(self.info.variable or 0).name
            read = self.texts.read_outside_loops(self.region.analysis, self.info.variable or 0)
            call.append(f"{indent}{name} = {last};" + ("" if read else f" (void){name};"))
        return Processes(call, Edit(Span(source.path, start, start), "\n".join([*lines, ""])))

    def _declares(self) -> bool:
        return isinstance(self.loop.init, Declare)

    # ---------------------------------------------------------------------------------- data

    def _arrays(self) -> list[_Array]:
        own = {p.variable for p in self.judgement.private}
        by_array: dict[int, list[Access]] = {}
        for a in self.facts.inside:
            variable = self.program.variable(a.array)
            if (
                variable.as_array is not None
                and a.array not in own
                and not (variable.const and variable.function is None)
            ):
                by_array.setdefault(a.array, []).append(a)
        return [self._array(self.program.variable(v), accesses) for v, accesses in by_array.items()]

    def _array(self, variable: Variable, accesses: Sequence[Access]) -> _Array:
        shape = variable.as_array
        dims = self.region.analysis.shapes.get(variable.id) or variable.dims
        if shape is None or not isinstance(shape.element, ScalarType) or any(d is None for d in dims):
            raise self._refuse(f"the extents of {variable.name} are not known")
        extents = "".join(f"[{d}]" for d in dims)
        kind = type_text(self.program, variable.id).rstrip("* ")
        whole = tuple((0, (d or 1) - 1) for d in dims)
        writes = [a for a in accesses if a.kind == "write"]
        if not writes:
            box = []
            for k, (low, high) in enumerate(whole):
                ranges = [a.range[k] if a.range is not None else (None, None) for a in accesses]
                lows = [low if r[0] is None else max(low, r[0]) for r in ranges]
                highs = [high if r[1] is None else min(high, r[1]) for r in ranges]
                box.append((min(lows), max(highs)))
            return _Array(variable, kind, extents, tuple(box))
        certain = [a for a in writes if a.exact and a.affine]
        reads = [a for a in accesses if a.kind == "read"]
        if not all(self.facts.covered(r, certain, self.facts.outer + 1) for r in reads):
            raise self._refuse(f"elements read what was in {variable.name} before")
        inside = self.facts.outer == 0 and all(a.loops[0] == self.loop.id for a in writes)
        box_written = written_box(certain) if inside else None
        if box_written is None or len(certain) < len(writes):
            raise self._refuse(f"elements may leave parts of {variable.name} unwritten")
        for dim in range(len(dims)):
            forms = {a.index[dim] if a.index is not None else None for a in writes}
            form = forms.pop() if len(forms) == 1 else None
            if form is not None and form.names == (self.info.iterator,):
                factor = form.coefficient(self.info.iterator or "")
                return _Array(variable, kind, extents, box_written, dim, factor, form.const)
        raise self._refuse(f"no dimension of {variable.name} tells which element writes it")

    def _scalars(self, arrays: set[int]) -> list[Variable]:
        """Values that the body needs from outside, in order of their ids."""
        declared = self.region.declared_inside() | {p.variable for p in self.judgement.private}
        found: dict[int, Variable] = {}
        for root in statement_expressions(self.program, self.loop.body):
            for e in walk(root):
                if isinstance(e, Name | ArrayRef) and e.variable not in declared and e.variable not in arrays:
                    v = self.program.variable(e.variable)
                    if v.id == self.info.variable or v.function is None:
                        continue
                    if isinstance(v.type, ScalarType) and v.id not in self.region.iterators:
                        found[v.id] = v
        return [found[k] for k in sorted(found)]

    # ----------------------------------------------------------------------------- functions

    def _parameters(
        self, scalars: Sequence[Variable], arrays: Sequence[_Array], outputs: Sequence[_Array]
    ) -> list[str]:
        texts = [f"{type_text(self.program, v.id)} {v.name}" for v in scalars]
        texts += [f"const {a.type} {a.variable.name}{a.extents}" for a in arrays]
        return texts + [f"{a.type} {a.variable.name}{a.extents}" for a in outputs]

    def _element(
        self, name: str, scalars: Sequence[Variable], inputs: Sequence[_Array], outputs: Sequence[_Array]
    ) -> list[str]:  # fmt: skip
        """The loop of one element, the body as it is."""
        trips, step = self.info.trip_count.exact or 0, self.info.step or 1
        assert self.info.lower is not None and self.info.variable is not None
        iterator = self.program.variable(self.info.variable)
        time, element = self.names.free(f"{iterator.name}_t"), self.names.free(f"{iterator.name}_p")
        steps = -(-trips // self.pes)
        number = f"{self.pes} * {time} + {element}" if self.map == "cyclic" else f"{steps} * {element} + {time}"
        lower = self.info.lower.const
        value = number if (lower, step) == (0, 1) else f"{lower} + {step} * ({number})"
        head = ", ".join([f"const int {element}", *self._parameters(scalars, inputs, outputs)])
        lines = [f"static void {name}({head})", "{"]
        for own in self._owned():
            dims = "".join(f"[{d}]" for d in own.dims)
            lines.append(f"    {type_text(self.program, own.id)} {own.name}{dims};")
        kind = iterator.type.name if isinstance(iterator.type, ScalarType) else "int"
        for other in sorted(self.region.iterators - {self.info.variable} - self.region.declared_inside()):
            v = self.program.variable(other)
            lines.append(f"    {type_text(self.program, other)} {v.name};")
        label = f"{self.loop.label}: " if self.loop.label else ""
        lines.append(f"    {label}for (int {time} = 0; {time} < {steps}; {time}++) {{")
        parts, rest = pieces(self.program, self.loop.body)
        marks = [p for p in parts if isinstance(p.stmt, PragmaMark)]
        lines.append(f"        {MARKER} pe={self.pes} order=space-time */")
        lines += [self.texts.edited(p.stmt.at.span, {}) for p in marks if not self._ours(p.stmt)]
        lines.append(f"        const {kind} {iterator.name} = {value};")
        guarded = steps * self.pes != trips
        pad = "            " if guarded else "        "
        if guarded:
            lines.append(f"        if ({guard_of(self.texts, self.loop, iterator.name, self.info, trips)}) {{")
        for p in parts:
            if isinstance(p.stmt, PragmaMark):
                continue
            lines += [f"{pad}{line}" for line in p.before]
            done = indented(self.texts.edited(p.stmt.at.span, {}), pad, self._column(p.stmt.at.span))
            done[-1] += f" {p.behind}" if p.behind else ""
            lines += done
        lines += [f"{pad}{line}" for line in rest]
        return lines + (["        }"] if guarded else []) + ["    }", "}", ""]

    def _owned(self) -> list[Variable]:
        """Variables from outside that every element has its own of."""
        return [self.program.variable(p.variable) for p in self.judgement.private if p.kind == "privatised"]

    def _ours(self, stmt: Stmt) -> bool:
        """Whether a pragma is the one that asks for the expansion."""
        index = stmt.pragma if isinstance(stmt, PragmaMark) else -1
        return any(p.index == index and p.expanded.lower().startswith("hlspart") for p in self.program.pragmas)

    def _column(self, span: Span) -> int:
        source = self.program.sources[span.path]
        line = source.line_text(source.line_column(span.start)[0])
        return len(line) - len(line.lstrip())

    def _copies(self, a: _Array) -> list[str]:
        return [f"{a.variable.name}_{k}" for k in range(self.pes)]

    def _load(self, name: str, a: _Array) -> list[str]:
        """Copies of one array for all elements, each element of the array read once."""
        copies = ", ".join(f"{a.type} {c}{a.extents}" for c in self._copies(a))
        index = [self.names.free(f"{a.variable.name}_i{k}") for k in range(len(a.box))]
        value = self.names.free(f"{a.variable.name}_v")
        at = "".join(f"[{i}]" for i in index)
        lines = copy_box("@", a.variable.name, a.box, index, "    ")
        body = next(k for k, line in enumerate(lines) if "@" in line)
        pad = lines[body][: len(lines[body]) - len(lines[body].lstrip())]
        lines[body : body + 1] = [
            f"{pad}const {a.type} {value} = {a.variable.name}{at};",
            *(f"{pad}{c}{at} = {value};" for c in self._copies(a)),
        ]
        return [f"static void {name}(const {a.type} {a.variable.name}{a.extents}, {copies})", "{", *lines, "}", ""]

    def _store(self, name: str, a: _Array) -> list[str]:
        """One array out of what the elements wrote."""
        assert a.dim is not None and self.info.lower is not None
        trips, step = self.info.trip_count.exact or 0, self.info.step or 1
        count = self.names.free(f"{a.variable.name}_n")
        index = [self.names.free(f"{a.variable.name}_i{k}") for k in range(len(a.box))]
        first, stride = a.factor * self.info.lower.const + a.offset, a.factor * step
        lines = [f"    for (int {count} = 0; {count} < {trips}; {count}++) {{",
                 f"        const int {index[a.dim]} = {first} + {stride} * {count};"]  # fmt: skip
        depth = 2
        for k, (low, high) in enumerate(a.box):
            if k != a.dim:
                head = f"for (int {index[k]} = {low}; {index[k]} < {high + 1}; {index[k]}++) {{"
                lines.append("    " * depth + head)
                depth += 1
        at = "".join(f"[{i}]" for i in index)
        chunk = -(-trips // self.pes)
        owner = f"{count} % {self.pes}" if self.map == "cyclic" else f"{count} / {chunk}"
        chain = f"{self._copies(a)[-1]}{at}"
        for k, copy in reversed(list(enumerate(self._copies(a)[:-1]))):
            chain = f"{owner} == {k} ? {copy}{at} : {chain}"
        lines += ["#pragma HLS PIPELINE", "    " * depth + f"{a.variable.name}{at} = {chain};"]
        lines += ["    " * k + "}" for k in reversed(range(1, depth))]
        copies = ", ".join(f"const {a.type} {c}{a.extents}" for c in self._copies(a))
        return [f"static void {name}({copies}, {a.type} {a.variable.name}{a.extents})", "{", *lines, "}", ""]

    def _together(
        self, name: str, element: str, loads: dict[int, str], stores: dict[int, str], scalars: Sequence[Variable],
        inputs: Sequence[_Array], outputs: Sequence[_Array],
    ) -> list[str]:  # fmt: skip
        """The DATAFLOW region."""
        head = ", ".join(self._parameters(scalars, inputs, outputs))
        lines = [f"static void {name}({head})", "{", "#pragma HLS DATAFLOW"]
        lines += [f"    {a.type} {copy}{a.extents};" for a in (*inputs, *outputs) for copy in self._copies(a)]
        for a in inputs:
            lines.append(f"    {loads[a.variable.id]}({', '.join([a.variable.name, *self._copies(a)])});")
        for k in range(self.pes):
            given = [str(k), *(v.name for v in scalars), *(self._copies(a)[k] for a in (*inputs, *outputs))]
            lines.append(f"    {element}({', '.join(given)});")
        for a in outputs:
            lines.append(f"    {stores[a.variable.id]}({', '.join([*self._copies(a), a.variable.name])});")
        return [*lines, "}", ""]
