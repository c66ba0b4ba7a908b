"""A :class:`TilePlan` as C: the template ``mars.c.j2`` filled with loops, tables and statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import prod

from jinja2 import Environment, PackageLoader, StrictUndefined

from hlspart.mars.analysis import expanded
from hlspart.mars.codegen.classes import coordinates
from hlspart.mars.codegen.parts import Cell, CellKind, Copy, TileBurst, TileMemory, TilePart, TilePlan
from hlspart.mars.codegen.plan import TilePlanner
from hlspart.mars.codegen.printer import NestPrinter, c_type, holds_loop, new_names
from hlspart.mars.codegen.rest import Rest
from hlspart.mars.copies import apart
from hlspart.mars.integers import Vector
from hlspart.mars.nest import error, nests
from hlspart.mars.placement import placed
from hlspart.model.access import AccessAnalysis, Affine
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.mars import MarsOptions, MarsResult
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    CType,
    Declare,
    Expr,
    IncDec,
    Loop,
    Name,
    Program,
    ScalarType,
    Stmt,
    Variable,
    VoidType,
    expressions,
    walk,
    walk_statements,
)
from hlspart.sets.nodes import Node, printed
from hlspart.sets.region import TooHard
from hlspart.transform.printer import Unprintable

REFUSED = "mars-code"
HOST = "/* ---- host: packs, runs all tiles ---- */"  # what stands before it is for the accelerator


def code(
    program: Program, analysis: AccessAnalysis, result: MarsResult, options: MarsOptions | None = None
) -> str | Diagnostic:
    """The C of a layout, or why there is none. ``program`` and ``analysis`` are those given to ``analyse``."""
    options = options or MarsOptions()
    program, analysis = expanded(program, analysis, result.function)
    function = program.functions[result.function]
    every = nests(program, analysis, result.function, result.opaque)
    nest = next((n for n in every if n.loop.id == result.loop), None)
    if nest is None or result.unusable:
        return error(program, function.name_at, REFUSED, "no code: the tiling does not apply to a nest")
    try:
        if nest.fault is not None or not result.legal:
            raise Unprintable(nest.fault or "the tiling is not legal", nest.loop.at)
        rest = Rest(program, function, nest.loop)
        if result.placed:
            placement = placed(nest, analysis, result.tile)
            if isinstance(placement, str):
                raise Unprintable(placement, nest.loop.at)
            nest, _ = placement
        nest = apart(nest, result.copies)
        tile_loops = nest.tile_loops if result.tile == nest.source_tiling else ()
        plan = TilePlanner(program, analysis, nest, result, tile_loops, options).plan()
        return _Writer(plan, rest, options).text()
    except Unprintable as problem:
        return error(program, problem.at or nest.loop.at, REFUSED, f"no code: {problem.reason}")
    except TooHard as problem:
        return error(program, nest.loop.at, REFUSED, f"no code: not decided within the effort limit ({problem})")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("hlspart", "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    made.filters["burst_length"] = lambda lines: min(256, max([2, *(line["words"] for line in lines)]))
    return made


def linear(form: Affine) -> str:
    """An affine form as C."""
    text = ""
    for name, c in form.terms:
        sign = "-" if c < 0 else "+"
        text += f" {sign} {name}" if abs(c) == 1 else f" {sign} {abs(c)} * {name}"
    if form.const or not text:
        text += f" {'-' if form.const < 0 else '+'} {abs(form.const)}"
    text = text.strip()
    return text[2:] if text.startswith("+ ") else f"-{text[2:]}"


def _form(name: str, coefficients: Sequence[int], const: int = 0) -> Affine:
    return Affine.of({f"{name}{k}": c for k, c in enumerate(coefficients)}, const)


class _Writer:
    def __init__(self, plan: TilePlan, rest: Rest, options: MarsOptions) -> None:
        self.plan, self.rest, self.options = plan, rest, options
        self.program = plan.program
        self.function = plan.program.functions[plan.result.function]
        inside = {s.id for s in walk_statements(plan.nest.loop) if isinstance(s, Loop)}
        counters = {
            info.variable: info.iterator
            for k, info in plan.loops.items()
            if k in inside and info.variable is not None and info.iterator is not None
        }
        taken = [plan.program.variable(v).name for v in self.function.params]
        taken += [b.name for b in plan.buffers]
        names = new_names(plan.program, plan.nest.loop, counters, taken)
        arrays = list(dict.fromkeys(plan.nest.key.values()))
        needed = [m.name for m in plan.memories]
        needed += [f"{plan.program.variable(v).name}_first" for v in arrays]
        self._before, self._after, self._names = rest.lines(arrays, [*taken[: len(self.function.params)], *needed])
        here = {name for unit, _ in plan.units.values() for name in (*unit.iterators, *(k for k, _ in unit.hidden))}
        points = frozenset(v for v, iterator in counters.items() if iterator in here)
        self.printer = NestPrinter(plan.program, self._reference, names, points)
        self.tiles = [f"T{k}" for k in range(len(plan.result.tile))]
        self.moved = "T" if plan.classes.single else "U"
        self._written = {v for v, _ in self._copies(plan.results)}
        self._filled = {v for v, _ in self._copies(plan.fills)}

    def _copies(self, copies: Sequence[Copy]) -> Iterator[tuple[int, Copy]]:
        for c in copies:
            yield self.plan.nest.key[c.access.array], c

    # -------------------------------------------------------------------------------- references

    def _reference(self, ref: ArrayRef, write: bool) -> str:
        table = self.plan.write_cell if write else self.plan.read_cell
        if ref.id not in table:
            return self.printer.name(ref.variable) + self._indices(ref)
        *guarded, last = table[ref.id]
        text = self._cell(last)
        for cell in reversed(guarded):
            text = f"(({cell.condition}) ? {self._cell(cell)} : {text})"
        return text

    def _indices(self, ref: ArrayRef) -> str:
        return "".join(f"[{self.printer.text(i)}]" for i in ref.indices)

    def _cell(self, cell: Cell) -> str:
        buffer = cell.buffer
        text = buffer.name
        for form, least, moves in zip(cell.place, buffer.least, buffer.moves, strict=True):
            text += f"[{linear(form - _form(self.moved, moves, least))}]"
        return text

    def _type(self, variable: int) -> str:
        v = self.program.variable(variable)
        kind: CType = v.type
        while isinstance(kind, ArrayType):
            kind = kind.element
        if not isinstance(kind, ScalarType):
            raise Unprintable(f"{v.name} is no array of numbers", v.at)
        return c_type(kind, v.at)

    # ------------------------------------------------------------------------------------- loops

    def _execute(self) -> list[list[str]]:
        deep = any(holds_loop(body) for _, body in self.plan.units.values())
        indent = "    " if self.plan.classes.single else "        "
        return [list(printed(node, indent, self._unit, pipeline=not deep)) for node in self.plan.local]

    def _unit(self, node: Node, indent: str) -> Iterator[str]:
        unit, body = self.plan.units[node.text]
        yield f"{indent}{{"
        deeper = indent + "    "
        for name, value in zip(unit.iterators, node.args, strict=False):
            origin = _form(self.moved, self.plan.classes.origin[name])
            start = "" if not origin.terms else f"{linear(origin)} + "
            yield f"{deeper}const int {name} = {start}({value});"
        for name, place in unit.hidden:
            yield f"{deeper}const int {name} = {linear(place)};"
            yield f"{deeper}(void){name};"
        for v in self._outer_scalars(body):
            yield f"{deeper}{c_type(v.type, v.at)} {self.printer.name(v.id)};"
        condition = self.plan.inside[unit.label]
        innermost = "#pragma HLS PIPELINE II=1" if holds_loop(body) else ""
        if condition == "1" or (self.plan.full == "1" and not unit.face):
            yield from self.printer.lines(body, deeper, innermost)
        else:
            yield f"{deeper}if ({'' if unit.face else 'full || '}({condition})) {{"
            yield from self.printer.lines(body, deeper + "    ", innermost)
            yield f"{deeper}}}"
        yield f"{indent}}}"

    def _outer_scalars(self, body: Sequence[Stmt]) -> list[Variable]:
        """Scalars declared outside the nest that each iteration assigns anew."""
        declared: set[int] = set()
        assigned: dict[int, Variable] = {}
        for s in body:
            for x in walk_statements(s):
                if isinstance(x, Declare):
                    declared.update(x.variables)
                if isinstance(x, Loop) and x.init is not None:
                    declared.update(v for e in expressions(x.init) for v in _assigned(e))
                for e in expressions(x):
                    for v in _assigned(e):
                        assigned[v] = self.program.variable(v)
        return [v for ident, v in assigned.items() if ident not in declared]

    def _copy(self, copy: Copy, out: bool) -> list[str]:
        a = copy.access
        ref = self._ref(a.id)
        variable = self.program.variable(self.plan.nest.key[a.array])

        def call(node: Node, indent: str) -> Iterator[str]:
            yield f"{indent}{{"
            for name, value in zip(a.iterators, node.args, strict=True):
                yield f"{indent}    const int {name} = {value};"
                yield f"{indent}    (void){name};"
            cell, element = self._cell(copy.cell), self._indices(ref)
            if out:
                yield f"{indent}    {self._host_name(variable.id)}{element} = {cell};"
            else:
                yield f"{indent}    {cell} = {self._host_name(variable.id)}_first{element};"
            yield f"{indent}}}"

        return list(printed(copy.loops, "    ", call))

    def _ref(self, access: int) -> ArrayRef:
        """The reference of an access."""
        wanted = self.plan.nest.sources[access].ref
        return next(
            x
            for s in walk_statements(self.plan.nest.loop)
            for e in (*expressions(s), *self._initial(s))
            for x in walk(e)
            if isinstance(x, ArrayRef) and x.id == wanted
        )

    def _initial(self, s: Stmt) -> Iterator[Expr]:
        """Initial values of the variables that a statement declares."""
        for v in s.variables if isinstance(s, Declare) else ():
            init = self.program.variable(v).init
            if init is not None:
                yield init

    # ------------------------------------------------------------------------------------ pieces

    def _address(self, memory: TileMemory, owner: Vector | None) -> str:
        """C of the first word of the block ``owner`` away from that of T; None: of the block C0, C1, .."""
        total = Affine((), 0)
        stride = memory.block
        for k in reversed(range(len(memory.rows))):
            at = Affine.of({f"C{k}": 1}) if owner is None else _form("T", memory.rows[k], owner[k])
            total = total + (at - Affine((), memory.low[k])).scaled(stride)
            stride *= memory.count[k]
        return linear(total)

    def _burst(self, memory: TileMemory, kind: int, number: int, burst: TileBurst, write: bool) -> dict[str, object]:
        offset = f" + {burst.offset}" if burst.offset else ""
        suffix = "" if self.plan.classes.single else f"_{kind}"
        line = f"{memory.name}_{'out' if write else 'in'}{number}"
        return {
            "label": f"{'write' if write else 'read'}_{memory.name}_{number}{suffix}",
            "line": line,
            "words": burst.words,
            "address": self._address(memory, burst.owner) + offset,
            "cells": [text for part in burst.parts for text in self._cells(part, line, write)],
        }

    def _cells(self, part: TilePart, line: str, write: bool) -> Iterator[str]:
        """Between the line of a burst and the cells of one of its MARS."""

        def call(node: Node, indent: str) -> Iterator[str]:
            text = part.buffer.name
            for form in part.cell:
                terms = [f"{c} * ({node.args[int(n[1:])]})" for n, c in form.terms]
                text += f"[{' + '.join([*terms, str(form.const)])}]"
            yield f"{indent}{line}[p++] = {text};" if write else f"{indent}{text} = {line}[p++];"

        return printed(part.loops, "            ", call)

    def _memory(self, memory: TileMemory) -> dict[str, object]:
        v = self.program.variable(memory.variable)
        kinds = [
            {
                "reads": [self._burst(memory, k, n, burst, False) for n, burst in enumerate(kind.reads)],
                "writes": [self._burst(memory, k, n, burst, True) for n, burst in enumerate(kind.writes)],
            }
            for k, kind in enumerate(memory.kinds)
        ]
        homes, starts = [p for kind in memory.kinds for p in kind.home], [0]
        for kind in memory.kinds:
            starts.append(starts[-1] + len(kind.home))
        single = self.plan.classes.single
        return {
            "name": memory.name,
            "type": self._type(memory.variable),
            "array": self._host_name(memory.variable),
            "label": memory.name.removesuffix("_mars"),
            "parameter": memory.variable in self.function.params,
            "input": memory.kind == "input",
            "words": memory.words,
            "block": memory.block,
            "kinds": kinds,
            "in": _longest([kind.reads for kind in memory.kinds], f"{memory.name}_in"),
            "out": _longest([kind.writes for kind in memory.kinds], f"{memory.name}_out"),
            "home_table": _table(homes),
            "home_starts": starts,
            "class": [] if single else coordinates(memory.basis, "C", "V"),
            "rank": len(memory.buffers[0].dims),
            "buffers": [b.name for b in memory.buffers],
            "low": memory.low,
            "count": memory.count,
            "dims": list(v.dims),
            "elements": self._owned_elements(memory),
            "address": self._address(memory, None),
            "blocks": [f"C{k}" for k in range(len(memory.rows))],
        }

    def _owned_elements(self, memory: TileMemory) -> list[str]:
        """Element k of the home table, moved to the block C0, C1, .."""
        name = "C" if self.plan.classes.single else "V"
        lines = []
        for d, moves in enumerate(memory.buffers[0].moves):
            step = [sum(a * b for a, b in zip(moves, u, strict=True)) for u in memory.units]
            lines.append(f"{memory.name}_home[k][{d}]" + _plus(linear(_form(name, step))))
        return lines

    def _dimensions(self, v: Variable) -> str:
        if any(d is None for d in v.dims):
            raise Unprintable(f"the extent of {v.name} is not known", v.at)
        return "".join(f"[{d}]" for d in v.dims)

    def _parameters(self) -> list[dict[str, object]]:
        """Parameters of the function: the host's and the test bench's."""
        return [self._operand(self.program.variable(v), v) for v in self.function.params]

    def _operands(self) -> list[dict[str, object]]:
        """What a tile may be handed: the parameters, then arrays and scalars of the function itself."""
        own = dict.fromkeys(v for v in self.plan.nest.key.values() if v not in self.function.params)
        more = [*own, *(v.id for v in self.rest.scalars())]
        return [*self._parameters(), *(self._operand(self.program.variable(v), v) for v in more)]

    def _operand(self, v: Variable, ident: int) -> dict[str, object]:
        if not v.is_array:
            kind = c_type(v.type, v.at)
            return {
                "array": False, "name": self._host_name(ident), "type": kind, "declaration": f"{kind} {v.name}",
                "float": kind in ("float", "double"),
            }  # fmt: skip
        kind, name = self._type(ident), self._host_name(ident)
        const = "const " if v.const else ""
        return {
            "array": True, "name": name, "type": kind, "const": v.const,
            "declaration": f"{const}{kind} {name}{self._dimensions(v)}",
            "dims": self._dimensions(v), "size": prod(d or 0 for d in v.dims),
            "written": ident in self._written, "first": ident in self._filled,
            "float": kind in ("float", "double"),
        }  # fmt: skip

    def _host_name(self, variable: int) -> str:
        return self._names.get(variable, self.program.variable(variable).name)

    def text(self) -> str:
        """The whole file."""
        memories = [self._memory(m) for m in self.plan.memories]
        if not isinstance(self.function.return_type, VoidType):
            raise Unprintable("the function returns a value", self.function.name_at)
        values: Mapping[str, object] = {
            "name": self.function.name,
            "host": HOST,
            "tiling": ", ".join(f"{f.text}:{f.size}" for f in self.plan.result.tile),
            "tiles": self.tiles,
            "memories": memories,
            "buffers": [
                {"name": b.name, "type": self._type(b.variable), "dims": "".join(f"[{d}]" for d in b.dims)}
                for b in self.plan.buffers
            ],
            "parameters": self._parameters(),
            "operands": self._operands(),
            "before": self._before,
            "after": self._after,
            "full": self.plan.full,
            "execute": self._execute(),
            "lines": any(m["in"] or m["out"] for m in memories),
            "filled": {c.cell.buffer.name for c in self.plan.fills},
            "stored": {c.cell.buffer.name for c in self.plan.results},
            "fills": [line for c in self.plan.fills for line in self._copy(c, out=False)],
            "results": [line for c in self.plan.results for line in self._copy(c, out=True)],
            "drive": list(printed(self.plan.tiles, "    ", self._drive, pipeline=False)),
            "count": list(printed(self.plan.tiles, "    ", _count, pipeline=False)),
            "classes": self.plan.classes.text(),
            "reads_per_tile": self._per_tile(lambda kind: len(kind.reads)),
            "writes_per_tile": self._per_tile(lambda kind: len(kind.writes)),
            "port_bits": self.options.port_bits,
            "align": self.options.align,
        }
        return _environment().get_template("mars.c.j2").render(**values)

    def _per_tile(self, number: Callable[[CellKind], int]) -> list[int]:
        """Bursts of a tile, by class."""
        return [sum(number(m.kinds[k]) for m in self.plan.memories) for k in range(len(self.plan.classes.tiles))]

    def _drive(self, node: Node, indent: str) -> Iterator[str]:
        arguments = [f"{m.name}" for m in self.plan.memories]
        for p in self._operands():
            if p["array"]:
                if p["first"]:
                    arguments.append(f"(const {p['type']} (*)" + _tail(str(p["dims"])) + f"){p['name']}_first")
                if p["written"]:
                    arguments.append(str(p["name"]))
            else:
                arguments.append(str(p["name"]))
        yield f"{indent}{self.function.name}_tile({', '.join([*arguments, *node.args])});"


def _assigned(e: Expr) -> Iterator[int]:
    for x in walk(e):
        target = x.target if isinstance(x, Assign) else x.operand if isinstance(x, IncDec) else None
        if isinstance(target, Name):
            yield target.variable


def _tail(dims: str) -> str:
    return dims[dims.index("]") + 1 :]


def _count(node: Node, indent: str) -> Iterator[str]:
    yield f"{indent}count_tile({', '.join(node.args)}, planned);"


def _longest(kinds: Sequence[Sequence[TileBurst]], name: str) -> list[dict[str, object]]:
    """The lines on chip that the bursts of a tile go through, long enough for each class."""
    number = max((len(bursts) for bursts in kinds), default=0)
    return [
        {"name": f"{name}{n}", "words": max(bursts[n].words for bursts in kinds if n < len(bursts))}
        for n in range(number)
    ]


def _plus(text: str) -> str:
    return "" if text == "0" else f" - {text[1:]}" if text.startswith("-") else f" + {text}"


def _table(rows: Sequence[Vector]) -> list[str]:
    """Initialiser lines of a table of vectors."""
    cells = ["{" + ", ".join(map(str, r)) + "}" for r in rows]
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) > 100:
            lines.append(line.rstrip(", "))
            line = ""
        line += cell + ", "
    return [*lines, line.rstrip(", ")] if cells else []
