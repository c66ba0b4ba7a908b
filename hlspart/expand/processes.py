"""Independent elements as processes of a DATAFLOW region: one function, called once per element on arrays of its own.

Load processes fill the copies of all elements, store processes take out what each element wrote. An array that is
both loaded and stored would have two users in the region: then loading, the region of the elements and storing follow
one after another. The user's loop body stands unchanged in the function. What has no such form is refused
(``dataflow-form``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accesses import Accesses
from hlspart.expand.context import ExpansionContext, marker
from hlspart.expand.counters import constant
from hlspart.expand.legality import Spread, axes
from hlspart.expand.partials import Partials
from hlspart.expand.privates import storage
from hlspart.expand.region import Refusal, Region
from hlspart.expand.runs import Runs
from hlspart.expand.shares import Box, Element, Share, Shares, text_of
from hlspart.expand.staging import copy_box
from hlspart.expand.texts import Piece, indented, known_there_only, pieces, type_text, without_label
from hlspart.expand.union import guard_of
from hlspart.model.expanding import Form, Judgement, Request
from hlspart.model.program import ArrayRef, Declare, Name, PragmaMark, ScalarType, Variable, walk
from hlspart.model.source import Edit, Span
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.places import before
from hlspart.sets.nodes import Node, printed


class Processes(Struct, frozen=True):
    """The lines that stand for the loop, and the functions before the one that holds it."""

    lines: list[str]
    functions: Edit


class _Result(Struct, frozen=True):
    """A value that leaves each element through a pointer, and what is made of all of them behind the region.

    ``inside``: what the variable is called in an element; ``first``: what it starts from, ``start`` the parameter with
    that value; ``out``: the pointer; ``parts``: the variables that the elements write, by element.
    """

    variable: Variable
    type: str
    inside: str
    first: str
    start: str
    out: str
    parts: tuple[str, ...]
    taken: tuple[str, ...]

    def given(self, first: str) -> list[str]:
        """The argument for what partial results start from, where that is no constant."""
        return [] if self.first.isdigit() else [first]


class _Interface(Struct, frozen=True):
    """What the functions hand on: ``values`` from outside, those that only stores need, arrays, and results."""

    values: tuple[Variable, ...]
    around: tuple[Variable, ...]
    arrays: tuple[Share, ...]
    results: tuple[_Result, ...]

    @property
    def in_phases(self) -> bool:
        """Whether an array is loaded and stored, which two processes of one region must not do."""
        return any(a.loaded is not None and a.stores for a in self.arrays)


def processes(
    region: Region, request: Request, space: Sequence[int], judgement: Judgement, names: Names, indent: str,
    top: str | None,
) -> Processes:  # fmt: skip
    """Code of independent elements, ``space`` of them for each loop. Raises :class:`Refusal`."""
    return _Writer(region, request, space, judgement, names, top).write(indent)


class _Writer(Runs):
    def __init__(
        self, region: Region, request: Request, space: Sequence[int], judgement: Judgement, names: Names,
        top: str | None,
    ) -> None:  # fmt: skip
        super().__init__(region, request, space, judgement, names, Form())
        self.facts = Accesses(region, top)
        self.copies: dict[int, tuple[str, ...]] = {}  # by array, a name for each element
        self.elements: list[Element] = list(itertools.product(*map(range, space)))
        self.stem = f"{region.function}_{region.loops[0].name}"

    def _refuse(self, reason: str) -> Refusal:
        return Refusal("dataflow-form", reason, self.region.loops[0].at)

    def write(self, indent: str) -> Processes:
        function = self.program.functions[self.region.function]
        for loop, info in zip(self.region.loops, self.region.infos, strict=True):
            if info.trip_count.exact is None or info.lower is None or info.lower.terms:
                raise self._refuse(f"the trip count of {loop.name} is not constant")
        if not function.signature.editable:
            raise self._refuse(f"a macro makes the head of {function.name}")
        source = self.program.sources[function.signature.span.path]
        start = before(source.text, function.at.span.start)
        if "::" in function.name or re.search(r"\btemplate\b", source.text[start : function.at.span.start]):
            raise self._refuse(f"{function.name} is a template or a method")
        interface = self._interface()
        name, lines = self._functions(interface)
        word = known_there_only(self.program, function, self.region.loops[0].body.at, lines)
        if word is not None:
            raise self._refuse(f"{word} is known in {function.name} only")
        edit = Edit(Span(source.path, start, start), "\n".join([*lines, ""]))
        return Processes(self._called(name, indent, interface), edit)

    # ---------------------------------------------------------------------------------- data

    def _interface(self) -> _Interface:
        spread = axes(self.region, Spread(self.pes, self.request.maps))
        ordered = [spread[loop.id] for loop in self.region.loops]
        sums = partial(Partials, self, ctx=ExpansionContext())
        shares = Shares(self.facts, self.judgement, self.names, sums, ordered, self.elements)
        arrays = shares.all()
        results = [*self._sums(arrays), *self._single(shares)]
        values = self._values(arrays, results)
        stored = " ".join(text_of(x) for a in arrays for x in a.stored)
        around = [v for v in self._around() if v not in values and re.search(rf"\b{v.name}\b", stored)]
        return _Interface(tuple(values), tuple(around), tuple(arrays), tuple(results))

    def _sums(self, arrays: Sequence[Share]) -> Iterator[_Result]:
        """Scalars and single elements that all elements add to."""
        whole = {a.reduction for a in arrays}
        for reduction in (r for r in self.judgement.reductions if r not in whole):
            if reduction.loops[0] != 0:
                raise self._refuse(f"elements need what the others added to {reduction.name}")
            summed = Partials(self, reduction, ExpansionContext())
            inside = reduction.name if summed.variable.as_array is None else self.names.free(f"{reduction.name}_sum")
            parts = self._parts(reduction.name)
            taken = summed.taken(list(parts), summed.target())
            yield self._result(summed.variable, summed.type, inside, summed.first, parts, taken)

    def _single(self, shares: Shares) -> Iterator[_Result]:
        """Scalars of which one element hands on the value: what it alone uses, and last values."""
        kept = {p.variable: p for p in self.judgement.private}
        for ident in sorted({a.array for a in self.facts.inside if a.kind == "write"} - self.reductions.keys()):
            v, private = self.program.variable(ident), kept.get(ident)
            if not isinstance(v.type, ScalarType) or (private is not None and private.kind != "last-value"):
                continue
            writer = shares.writer(v, 0 if private is None else private.loops)
            if writer is not None:
                parts, first = self._parts(v.name), v.name if private is None else "0"
                taken = [f"{v.name} = {parts[writer]};"]
                yield self._result(v, type_text(self.program, ident), v.name, first, parts, taken)

    def _result(
        self, variable: Variable, kind: str, inside: str, first: str, parts: tuple[str, ...], taken: Sequence[str]
    ) -> _Result:  # fmt: skip
        start, out = (self.names.free(f"{variable.name}_{what}") for what in ("first", "out"))
        return _Result(variable, kind, inside, first, start, out, parts, tuple(taken))

    def _parts(self, name: str) -> tuple[str, ...]:
        return tuple(self.names.free(f"{name}_{'_'.join(map(str, e))}") for e in self.elements)

    def _values(self, arrays: Sequence[Share], results: Sequence[_Result]) -> list[Variable]:
        """Scalars that the body needs from outside, in order of their ids."""
        known = self.region.declared_inside() | self.region.iterators | {p.variable for p in self.judgement.private}
        known |= {a.variable.id for a in arrays} | {r.variable.id for r in results}
        values: dict[int, Variable] = {}
        for root in statement_expressions(self.program, self.region.loops[0].body):
            for e in walk(root):
                if isinstance(e, Name | ArrayRef) and e.variable not in known:
                    v = self.program.variable(e.variable)
                    if v.function is None:
                        continue
                    if not isinstance(v.type, ScalarType):
                        raise self._refuse(f"{v.name} is no value and no array, and known in {v.function} only")
                    values[v.id] = v
        return [values[k] for k in sorted(values)]

    # ------------------------------------------------------------------------------ the call

    def _called(self, name: str, indent: str, interface: _Interface) -> list[str]:
        """What stands in the loop's place."""
        given = [v.name for v in (*interface.values, *interface.around)] + [a.name for a in interface.arrays]
        given += [x for r in interface.results for x in (*r.given(r.first), *(f"&{p}" for p in r.parts))]
        lines = [f"{indent}{name}({', '.join(given)});"]
        if interface.results:
            inner = indent + "    "
            declared = [f"{inner}{r.type} {', '.join(r.parts)};" for r in interface.results]
            taken = [f"{inner}{line}" for r in interface.results for line in r.taken]
            lines = [f"{indent}{{", *declared, f"    {lines[0]}", *taken, f"{indent}}}"]
        region = self.region.loops[0].at.span
        for own in self._owned():
            uses = (u.at.span for u in self.texts.uses.get(own.id, ()))
            if all(u.path == region.path and region.start <= u.start < region.end for u in uses):
                lines.append(f"{indent}(void){own.name};")
        for loop, info in zip(self.region.loops, self.region.infos, strict=True):
            if not isinstance(loop.init, Declare):
                assert info.lower is not None and info.variable is not None and info.trip_count.exact is not None
                iterator = self.program.variable(info.variable).name
                read = self.texts.is_read_outside_loops(self.region.analysis, info.variable)
                last = info.lower.const + (info.step or 1) * info.trip_count.exact
                lines.append(f"{indent}{iterator} = {last};" + ("" if read else f" (void){iterator};"))
        return lines

    # ----------------------------------------------------------------------------- functions

    def _functions(self, interface: _Interface) -> tuple[str, list[str]]:
        """The name of the function that does all, and all functions."""
        element, together = self.names.free(f"{self.stem}_pe"), self.names.free(f"{self.stem}_pes")
        lines, loads, stores = self._element(element, interface), list[str](), list[str]()
        for a in interface.arrays:
            if a.loaded is not None:
                name = self.names.free(f"{self.stem}_load_{a.name}")
                lines += self._load(name, a, a.loaded)
                loads.append(f"    {name}({', '.join([a.name, *self._copies(a)])});")
            if a.stores:
                name = self.names.free(f"{self.stem}_store_{a.name}")
                code, given = self._store(name, a)
                lines += code
                stores.append(f"    {name}({', '.join([*given, a.name])});")
        pointers = [
            p for r in interface.results
            for p in (*r.given(f"const {r.type} {r.start}"), *(f"{r.type} *{part}" for part in r.parts))
        ]  # fmt: skip
        calls = [self._call_of(element, k, interface) for k in range(len(self.elements))]
        body = [
            line for a in interface.arrays for copy in self._copies(a)
            for line in (f"    {a.copied} {copy}{a.extents};", *storage(self.program, a.variable, copy, 0))
        ]  # fmt: skip
        if interface.in_phases:
            copies = [f"{a.copied} {copy}{a.extents}" for a in interface.arrays for copy in self._copies(a)]
            run = self.names.free(f"{self.stem}_run")
            head = ", ".join([*self._spelt(interface.values), *copies, *pointers])
            lines += [f"static void {run}({head})", "{", "#pragma HLS DATAFLOW", *calls, "}", ""]
            given = [v.name for v in interface.values]
            given += [copy for a in interface.arrays for copy in self._copies(a)]
            given += [x for r in interface.results for x in (*r.given(r.start), *r.parts)]
            calls = [f"    {run}({', '.join(given)});"]
        else:
            body = ["#pragma HLS DATAFLOW", *body]
        arrays = [f"{'' if a.written else 'const '}{a.type} {a.name}{a.extents}" for a in interface.arrays]
        head = ", ".join([*self._spelt((*interface.values, *interface.around)), *arrays, *pointers])
        lines += [f"static void {together}({head})", "{", *body, *loads, *calls, *stores, "}", ""]
        return together, lines

    def _spelt(self, values: Sequence[Variable]) -> list[str]:
        """Parameters for values."""
        return [f"{type_text(self.program, v.id)} {v.name}" for v in values]

    def _call_of(self, element: str, k: int, interface: _Interface) -> str:
        given = [*map(str, self.elements[k]), *(v.name for v in interface.values)]
        given += [self._copies(a)[k] for a in interface.arrays]
        given += [x for r in interface.results for x in (*r.given(r.start), r.parts[k])]
        return f"    {element}({', '.join(given)});"

    def _copies(self, a: Share) -> tuple[str, ...]:
        if a.variable.id not in self.copies:
            self.copies[a.variable.id] = self._parts(a.name)
        return self.copies[a.variable.id]

    # ------------------------------------------------------------------------------ elements

    def _element(self, name: str, interface: _Interface) -> list[str]:
        """The loops of one element, the body as it is."""
        head = [f"const int {self.element(k)}" for k in range(len(self.pes))] + self._spelt(interface.values)
        head += [f"{a.qualified} {a.name}{a.extents}" for a in interface.arrays]
        head += [x for r in interface.results for x in (*r.given(f"const {r.type} {r.start}"), f"{r.type} *{r.out}")]
        lines = [f"static void {name}({', '.join(head)})", "{"]
        for own in self._owned():
            lines.append(f"    {type_text(self.program, own.id)} {own.name}{''.join(f'[{d}]' for d in own.dims)};")
            lines += storage(self.program, own, own.name, 0)
        for r in interface.results:
            lines.append(f"    {r.type} {r.inside} = {''.join(r.given(r.start)) or r.first};")
        spread = {i.variable for i in self.region.infos}
        for other in sorted(self.region.iterators - spread - self.region.declared_inside()):
            lines.append(f"    {type_text(self.program, other)} {self.program.variable(other).name};")
        for a in interface.arrays:
            if a.first is not None:
                index = self._indices(a)
                set_to = f"{a.name}{''.join(f'[{i}]' for i in index)} = {a.first};"
                lines += _over([(0, d - 1) for d in a.dims], index, [set_to])
        whole = {r.variable.id: r.inside for r in interface.results if r.inside != r.variable.name}
        lines += self._loops(0, whole, "    ")
        return [*lines, *(f"    *{r.out} = {r.inside};" for r in interface.results), "}", ""]

    def _loops(self, position: int, whole: Mapping[int, str], pad: str) -> list[str]:
        """An expanded loop of one element, and what it holds."""
        loop, info = self.region.loops[position], self.region.infos[position]
        assert info.lower is not None and info.variable is not None
        trips, step, pes = info.trip_count.exact or 0, info.step or 1, self.pes[position]
        iterator, steps = self.program.variable(info.variable), -(-trips // pes)
        time, element = self.names.free(f"{iterator.name}_t"), self.element(position)
        cyclic = self.request.maps[position] == "cyclic"
        number = f"{pes} * {time} + {element}" if cyclic else f"{steps} * {element} + {time}"
        value = number if (info.lower.const, step) == (0, 1) else f"{info.lower.const} + {step} * ({number})"
        label = f"{loop.label}: " if loop.label else ""
        lines = [f"{pad}{label}for (int {time} = 0; {time} < {steps}; {time}++) {{"]
        if position == 0:
            lines.append(f"{pad}    {marker(self.request, self.pes)}")
        parts, rest = pieces(self.program, loop.body)
        marks = [p.stmt for p in parts if isinstance(p.stmt, PragmaMark)]
        lines += [self.texts.edited(m.at.span, {}) for m in marks if not self._asks(m)]
        kind = iterator.type.name if isinstance(iterator.type, ScalarType) else "int"
        lines.append(f"{pad}    {constant(self.texts, iterator.name)}{kind} {iterator.name} = {value};")
        guarded = steps * pes != trips
        inner = pad + "    " * (1 + guarded)
        if guarded:
            lines.append(f"{pad}    if ({guard_of(self.texts, loop, iterator.name, info, trips)}) {{")
        stays = [p for p in parts if not isinstance(p.stmt, PragmaMark)]
        if position + 1 < len(self.pes):
            if [p.stmt for p in stays] != [self.region.loops[position + 1]]:
                raise self._refuse(f"statements stand between {loop.name} and {self.region.loops[position + 1].name}")
            lines += [
                f"{inner}{x}" for p in stays for x in without_label(list(p.before), self.region.loops[position + 1])
            ]
            lines += self._loops(position + 1, whole, inner)
        else:
            if not self.texts.mentions(loop.body.at.span, info.variable):
                lines.append(f"{inner}(void){iterator.name};")
            for p in stays:
                lines += self._statement(p, whole, inner)
        lines += [f"{inner}{line}" for line in rest]
        return lines + [f"{pad}    }}"] * guarded + [f"{pad}}}"]

    def _statement(self, piece: Piece, whole: Mapping[int, str], pad: str) -> list[str]:
        span = piece.stmt.at.span
        lines = indented(self.texts.text(span, {}, whole), pad, self._column(piece.stmt))
        lines[-1] += f" {piece.behind}" if piece.behind else ""
        return [*(f"{pad}{line}" for line in piece.before), *lines]

    def _owned(self) -> list[Variable]:
        """Variables from outside that every element has its own of."""
        return [self.program.variable(p.variable) for p in self.judgement.private if p.kind == "privatised"]

    def _asks(self, mark: PragmaMark) -> bool:
        """Whether a pragma is the one that asks for the expansion."""
        return any(
            p.index == mark.pragma and p.expanded.lower().startswith("hlspart") for p in self.program.pragmas
        )  # fmt: skip

    # ------------------------------------------------------------------------ load and store

    def _indices(self, a: Share) -> list[str]:
        return [self.names.free(f"{a.name}_i{k}") for k in range(len(a.dims))]

    def _load(self, name: str, a: Share, box: Box) -> list[str]:
        """Copies of one array for all elements, each element of the array read once."""
        index, value = self._indices(a), self.names.free(f"{a.name}_v")
        at = "".join(f"[{i}]" for i in index)
        copies = self._copies(a)
        head = ", ".join([f"const {a.type} {a.name}{a.extents}", *(f"{a.copied} {c}{a.extents}" for c in copies)])
        body = [f"const {a.type} {value} = {a.name}{at};", *(f"{c}{at} = {value};" for c in copies)]
        return [f"static void {name}({head})", "{", *_over(box, index, body), "}", ""]

    def _store(self, name: str, a: Share) -> tuple[list[str], list[str]]:
        """The array out of what the elements wrote, and the copies that it takes."""
        copies = given = self._copies(a)
        if a.reduction is not None:
            index = self._indices(a)
            at = "".join(f"[{i}]" for i in index)
            body = Partials(self, a.reduction, ExpansionContext()).taken([f"{c}{at}" for c in copies], f"{a.name}{at}")
            lines = _over([(0, d - 1) for d in a.dims], index, body)
        else:
            given = tuple(c for c, loops in zip(copies, a.stored, strict=True) if loops is not None)
            lines = [
                x for c, loops in zip(copies, a.stored, strict=True) if loops is not None
                for x in printed(loops, "    ", partial(_copied, a.name, c))
            ]  # fmt: skip
        around = sorted({v.name for v in self._around() if any(re.search(rf"\b{v.name}\b", x) for x in lines)})
        head = ", ".join([*(f"const int {x}" for x in around), *(f"const {a.copied} {c}{a.extents}" for c in given)])
        code = [f"static void {name}({head}, {a.type} {a.name}{a.extents})", "{", *lines, "}", ""]
        return code, [*around, *given]

    def _around(self) -> list[Variable]:
        """Iterators of the loops around the region."""
        loops = self.facts.inside[0].loops
        before_region = loops[: loops.index(self.region.loops[0].id)]
        iterators = (self.region.analysis.loops[k].variable for k in before_region)
        return [self.program.variable(v) for v in iterators if v is not None]


def _over(box: Box | list[tuple[int, int]], index: Sequence[str], body: Sequence[str]) -> list[str]:
    """Statements for every point of a box, the innermost loop pipelined."""
    lines = copy_box("@", "", box, index, "    ")
    at = next(k for k, line in enumerate(lines) if line.lstrip().startswith("@"))
    pad = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return [*lines[:at], *(pad + line for line in body), *lines[at + 1 :]]


def _copied(to: str, source: str, node: Node, pad: str) -> Iterator[str]:
    """An element of one array as that of another."""
    at = "".join(f"[{i}]" for i in node.args)
    yield f"{pad}{to}{at} = {source}{at};"
