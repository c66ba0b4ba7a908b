"""What generated code consists of: buffers on chip, memories with their tables, fills and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from hlspart.mars import integers
from hlspart.mars.codegen.printer import Unprintable
from hlspart.mars.integers import Vector
from hlspart.mars.layouts import Tiled
from hlspart.mars.nest import Nest
from hlspart.model.access import Access, AccessAnalysis, Affine, LoopInfo
from hlspart.model.mars import MarsArray, MarsResult, MarsSet, NestAccess, Transfer
from hlspart.model.program import Block, Loop, PragmaMark, Program, Stmt
from hlspart.poly.dataflow import matrices
from hlspart.poly.tilecode import Node, Order, TileCode, Unit, box, empty, minus, scan, united
from hlspart.poly.tiles import Footprints, Touch, listed

MAX_WORDS = 1 << 16  # entries of one table, words of one buffer


@dataclass(frozen=True, slots=True)
class Buffer:
    """On-chip array ``name`` for one tile; cell of the data point p is ``p - (least + moves T)``."""

    name: str
    variable: int
    dims: tuple[int, ...]
    least: Vector
    moves: tuple[Vector, ...]  # one row per dimension over the tile coordinates


@dataclass(frozen=True, slots=True)
class Part:
    """One MARS of a burst: ``loops`` over its points in memory order; ``cell`` over the call's arguments a0, a1, .."""

    loops: Node
    cell: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Burst:
    """One request: ``words`` from ``offset`` of the block ``owner`` away from that of T, into or out of ``parts``."""

    owner: Vector
    offset: int
    words: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Memory:
    """Off-chip blocks of one array and kind, one block of ``block`` words per owner tile.

    ``rows`` give the owner's coordinates as linear forms of T (directions that share data have none),
    ``units`` a tile for each unit of them, ``low`` and ``count`` their grid; owners of bursts are in these
    coordinates. ``home``: data points of the block of tile 0 in memory order, for pack.
    """

    name: str
    variable: int
    kind: str
    buffer: Buffer
    block: int
    rows: tuple[Vector, ...]
    units: tuple[Vector, ...]
    low: Vector
    count: Vector
    reads: tuple[Burst, ...]
    writes: tuple[Burst, ...]
    home: tuple[Vector, ...]
    record: MarsArray

    @property
    def words(self) -> int:
        """Size of the memory."""
        return self.block * prod(self.count)


@dataclass(frozen=True, slots=True)
class Copy:
    """``access`` at each point of ``loops``: between its cell and the array as the source lays it out."""

    access: NestAccess
    loops: Node


@dataclass(frozen=True)
class Plan:
    """Everything that :mod:`emit` writes down."""

    program: Program
    nest: Nest
    result: MarsResult
    units: Mapping[str, tuple[Unit, tuple[Stmt, ...]]]
    moves: Mapping[str, Vector]  # how an iterator's origin moves with the tile
    tiles: Node
    local: Node
    inside: Mapping[str, str]
    full: str
    buffers: tuple[Buffer, ...]
    memories: tuple[Memory, ...]
    fills: tuple[Copy, ...]
    results: tuple[Copy, ...]
    read_cell: Mapping[int, tuple[Buffer, tuple[Affine, ...]]]  # by ArrayRef id
    write_cell: Mapping[int, tuple[Buffer, tuple[Affine, ...]]]
    index: Mapping[int, tuple[Affine, ...]]  # by access id: the element
    loops: Mapping[int, LoopInfo]


def origins(tiled: Tiled) -> dict[str, Vector]:
    """For each iterator how the origin of a tile moves, one entry per tile coordinate; tiles must be translates."""
    tiles, names = len(tiled.forms), tiled.names
    system: list[Sequence[int]] = []
    for a in tiled.accesses.values():
        for n in tiled.interior[a.id].normals:
            system.append([*(0,) * tiles, *tiled.widened(a, n)])
    for k, f in enumerate(tiled.forms):
        row = [f.form.coefficient(n) for n in names]
        system.append([*(-f.size * int(k == j) for j in range(tiles)), *row])
    basis = integers.hermite(integers.kernel(system, tiles + len(names)))
    found = []
    for k in range(tiles):
        unit = tuple(int(j == k) for j in range(tiles))
        step = next((r for r in basis if r[:tiles] == unit), None)
        if step is None:
            raise Unprintable("tiles are not translates of one another: choose sizes that give one residue class")
        found.append(step[tiles:])
    return {n: tuple(row[k] for row in found) for k, n in enumerate(names)}


def moved(form: Affine, origin: Mapping[str, Vector], tiles: int) -> Vector:
    """How the value of an affine form moves with the tile coordinates."""
    return tuple(sum(c * origin[n][k] for n, c in form.terms if n in origin) for k in range(tiles))


class Planner:
    """Builds the :class:`Plan` of one nest; raises :class:`Unprintable` for what code cannot hold."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, nest: Nest, result: MarsResult, tile_loops: Sequence[str]
    ) -> None:
        self.program, self.analysis, self.nest, self.result = program, analysis, nest, result
        self.tiled = Tiled(nest.accesses, result.tile, tile_loops)
        self.sizes = self.tiled.sizes
        self.tiles = len(self.sizes)
        self.origin = origins(self.tiled)
        self.source: dict[int, Access] = {a.id: a for a in analysis.accesses}
        self.index = {a.id: self._index(self.source[a.id]) for a in nest.accesses}
        self.order = Order(nest.accesses, [self.tiled.rows(a) for a in nest.accesses], self.sizes)
        self.buffers: list[Buffer] = []
        self.read_cell: dict[int, tuple[Buffer, tuple[Affine, ...]]] = {}
        self.write_cell: dict[int, tuple[Buffer, tuple[Affine, ...]]] = {}
        self.cell: dict[int, tuple[Buffer, tuple[Affine, ...]]] = {}  # by access id

    def _index(self, a: Access) -> tuple[Affine, ...]:
        if a.index is None or any(i is None for i in a.index):
            raise Unprintable(f"the index of {self.program.text(a.at)} is no plain affine form", a.at)
        return tuple(i for i in a.index if i is not None)

    def plan(self) -> Plan:
        """All of it."""
        units = self._units()
        records = [u for u, _ in units.values()]
        for u in records:
            if "->" in u.domain:
                raise Unprintable("a loop bound is no compile-time constant", self.nest.loop.at)
        code = TileCode(self.sizes, records)
        memories: list[Memory] = []
        fills: list[Copy] = []
        results: list[Copy] = []
        for name in self.nest.facts:
            memories += self._array(name, code)
            fills += self._fills(name, code)
            results += self._results(name, code)
        return Plan(
            self.program,
            self.nest,
            self.result,
            units,
            self.origin,
            code.tiles(),
            code.local(),
            {u.label: code.inside(u) for u in records},
            code.full(),
            tuple(self.buffers),
            tuple(memories),
            tuple(fills),
            tuple(results),
            self.read_cell,
            self.write_cell,
            self.index,
            self.analysis.loops,
        )

    # ------------------------------------------------------------------------------------ units

    def _units(self) -> dict[str, tuple[Unit, tuple[Stmt, ...]]]:
        needed = {n for f in self.result.tile for n in f.form.names}
        found: dict[str, tuple[Unit, tuple[Stmt, ...]]] = {}

        def visit(loop: Loop, path: tuple[int, ...]) -> None:
            path = (*path, loop.id)
            names = tuple(self.analysis.loops[k].iterator for k in path)
            if any(n is None for n in names):
                raise Unprintable("a loop without a counted form", loop.at)
            its = tuple(n for n in names if n is not None)
            if not needed <= set(its):
                inner(loop.body, path)
                return
            mine = [a for a in self.nest.accesses if self.source[a.id].loops[: len(path)] == path]
            if not mine:
                return
            label = f"S{len(found)}"
            domain = united([a.domain for a in mine], len(its))
            rows = tuple(tuple(f.form.coefficient(n) for n in its) for f in self.result.tile)
            interior = united([self.tiled.interior[a.id].domain for a in mine], len(its))
            down = tuple((self.analysis.loops[k].step or 1) < 0 for k in path)
            order = (*mine[0].order[: len(path)], min(a.order[-1] for a in mine))
            found[label] = (Unit(label, its, domain, interior, rows, order, down), loop.body.body)

        def inner(block: Block, path: tuple[int, ...]) -> None:
            for s in block.body:
                if isinstance(s, Loop):
                    visit(s, path)
                elif isinstance(s, Block):
                    inner(s, path)
                elif not isinstance(s, PragmaMark):
                    raise Unprintable("a statement stands between the tiled loops", s.at)

        visit(self.nest.loop, ())
        return found

    # ----------------------------------------------------------------------------------- arrays

    def _records(self, name: str) -> tuple[MarsArray | None, MarsArray | None]:
        known = self.nest.facts[name].name
        inner = [r for r in self.result.arrays if r.name == known and r.boundary is None]
        for r in inner:
            if not r.accepted:
                raise Unprintable(f"{known}: {r.reason}")
            if r.residue_classes != 1 or any(r.residue):
                raise Unprintable(f"{known}: tiles fall into {r.residue_classes} classes; choose sizes that give one")
        return (
            next((r for r in inner if r.kind == "input"), None),
            next((r for r in inner if r.kind == "flow"), None),
        )

    def _array(self, name: str, code: TileCode) -> list[Memory]:
        mine = [a for a in self.nest.accesses if a.array == name]
        writes = [a for a in mine if a.kind == "write"]
        inputs, flow = self._records(name)
        if not writes or self._in_place(name, mine):
            shared = self._element_buffer(name, mine, f"{_c_name(name)}_buf")
            for a in mine:
                self._bind(a, shared, self.index[a.id])
            found = []
            if inputs is not None:
                found.append(self._input(name, inputs, shared, code))
            if flow is not None and flow.sets:
                found.append(self._flow(name, flow, {w.id: (shared, self.index[w.id]) for w in writes}, code))
            return found
        return self._expanded(name, mine, writes, inputs, flow, code)

    def _bind(self, a: NestAccess, buffer: Buffer, cell: tuple[Affine, ...]) -> None:
        table = self.read_cell if a.kind == "read" else self.write_cell
        table[self.source[a.id].ref] = (buffer, cell)
        self.cell[a.id] = (buffer, cell)

    def _in_place(self, name: str, mine: Sequence[NestAccess]) -> bool:
        shifts = {tuple(moved(f, self.origin, self.tiles) for f in self.index[a.id]) for a in mine}
        return len(shifts) == 1 and self.order.in_place(name, self.tiled.border)

    def _element_buffer(self, name: str, mine: Sequence[NestAccess], text: str) -> Buffer:
        touches = [self.tiled.reading(a, self.tiled.interior[a.id].domain, a.map, 0) for a in mine]
        shifts = {tuple(moved(f, self.origin, self.tiles) for f in self.index[a.id]) for a in mine}
        if len(shifts) != 1:
            raise Unprintable(f"{name}: its accesses move differently from tile to tile")
        return self._buffer(text, self.nest.key[name], touches, shifts.pop())

    def _buffer(self, text: str, variable: int, touches: Sequence[Touch], moves: tuple[Vector, ...]) -> Buffer:
        points, _ = Footprints(self.sizes, touches).footprint((0,) * self.tiles)
        spans = box(points)[1 : 1 + len(moves)]
        dims = tuple(high - low + 1 for low, high in spans)
        if prod(dims) > MAX_WORDS:
            raise Unprintable(f"{text} would need {prod(dims)} words on chip: choose smaller tiles")
        made = Buffer(text, variable, dims, tuple(low for low, _ in spans), moves)
        self.buffers.append(made)
        return made

    def _expanded(
        self,
        name: str,
        mine: Sequence[NestAccess],
        writes: Sequence[NestAccess],
        inputs: MarsArray | None,
        flow: MarsArray | None,
        code: TileCode,
    ) -> list[Memory]:
        """One cell per write instance: the array is renamed so that no value is overwritten in a tile."""
        outside = {ident for ident, _ in self.tiled.flow.outside}
        functions: list[tuple[int, int, str]] = []
        target: dict[int, tuple[int, tuple[Affine, ...]]] = {}
        for d in self.tiled.flow.dependences:
            reader = self.tiled.accesses[d.reader]
            if reader.array != name:
                continue
            pieces = matrices(d.relation)
            writer = self.tiled.accesses[d.writer]
            square = pieces is not None and len(pieces) == 1 and len(reader.iterators) == len(writer.iterators)
            if not square or pieces is None or d.reader in target or d.reader in outside:
                raise Unprintable(f"{name}: {reader.text} takes its values from several statements or places")
            matrix, constant = pieces[0]
            cell = tuple(
                Affine.of(dict(zip(reader.iterators, row, strict=True)), c)
                for row, c in zip(matrix, constant, strict=True)
            )
            if any(
                moved(f, self.origin, self.tiles) != self.origin[n] for f, n in zip(cell, writer.iterators, strict=True)
            ):
                raise Unprintable(f"{name}: {reader.text} does not move with the tile that makes its values")
            target[d.reader] = (d.writer, cell)
            functions.append((d.reader, d.writer, d.relation))
        if not self.order.expandable(name, self.tiled.border, functions):
            raise Unprintable(f"{name}: border iterations take values from other places than interior ones")
        made: dict[int, tuple[Buffer, tuple[Affine, ...]]] = {}
        for k, w in enumerate(writes):
            touches = [self.tiled.making(w, self.tiled.interior[w.id].domain)]
            for reader_id, writer_id, relation in functions:
                if writer_id == w.id:
                    reader = self.tiled.accesses[reader_id]
                    domain = self.tiled.interior[reader_id].domain
                    touches.append(self.tiled.reading(reader, domain, relation, w.id))
            suffix = "" if len(writes) == 1 else str(k)
            moves = tuple(self.origin[n] for n in w.iterators)
            buffer = self._buffer(f"{_c_name(name)}_val{suffix}", self.nest.key[name], touches, moves)
            made[w.id] = (buffer, tuple(Affine.of({n: 1}) for n in w.iterators))
            self._bind(w, *made[w.id])
        for reader_id, (writer_id, cell) in target.items():
            self._bind(self.tiled.accesses[reader_id], made[writer_id][0], cell)
        found: list[Memory] = []
        plain = [a for a in mine if a.kind == "read" and a.id not in target]
        if plain:
            shared = self._element_buffer(name, plain, f"{_c_name(name)}_buf")
            for a in plain:
                self._bind(a, shared, self.index[a.id])
            if inputs is not None:
                found.append(self._input(name, inputs, shared, code))
        if flow is not None and flow.sets:
            found.append(self._flow(name, flow, made, code))
        return found

    # --------------------------------------------------------------------------------- memories

    def _input(self, name: str, record: MarsArray, buffer: Buffer, code: TileCode) -> Memory:
        points = {m.id: [p[1:] for p in listed(m.points)] for m in record.sets}
        cell = tuple(Affine.of({f"a{d + 1}": 1}, -low) for d, low in enumerate(buffer.least))
        bursts = []
        for t in record.reads:
            members = sorted((m for m in record.sets if m.id in t.sets), key=lambda m: m.offset)
            bursts.append(Burst(t.owner, t.offset, t.words, tuple(Part(scan(m.points), cell) for m in members)))
        home = tuple(
            p[: len(buffer.dims)]
            for m in sorted((m for m in record.sets if not any(m.owner)), key=lambda m: m.offset)
            for p in points[m.id]
        )
        return self._memory(name, f"{_c_name(name)}_mars", record, buffer, bursts, (), home, code)

    def _flow(
        self,
        name: str,
        record: MarsArray,
        made: Mapping[int, tuple[Buffer, tuple[Affine, ...]]],
        code: TileCode,
    ) -> Memory:
        if record.still:
            raise Unprintable(f"{name}: one value is read by unboundedly many tiles")
        points = {m.id: listed(m.points) for m in record.sets}
        used = {p[0] for ps in points.values() for p in ps}
        buffers = {made[w][0].name for w in used}
        if len(buffers) != 1:
            raise Unprintable(f"{name}: values of several statements share a block")
        buffer = made[next(iter(used))][0]

        def part(m: MarsSet, owner: Vector) -> Part:
            writer = self.tiled.accesses[points[m.id][0][0]]
            forms = []
            for form, low in zip(made[writer.id][1], buffer.least, strict=True):
                total = Affine((), form.const - low)
                for k, n in enumerate(writer.iterators):
                    shift = sum(a * b for a, b in zip(self.origin[n], owner, strict=True))
                    total = total + Affine.of({f"a{k + 1}": 1}, shift).scaled(form.coefficient(n))
                forms.append(total)
            return Part(scan(m.points), tuple(forms))

        def burst(t: Transfer) -> Burst:
            members = sorted((m for m in record.sets if m.id in t.sets), key=lambda m: m.offset)
            if any(len({p[0] for p in points[m.id]}) > 1 for m in members):
                raise Unprintable(f"{name}: values of several statements share a set")
            return Burst(t.owner, t.offset, t.words, tuple(part(m, t.owner) for m in members))

        reads, writes = [burst(t) for t in record.reads], [burst(t) for t in record.writes]
        return self._memory(name, f"{_c_name(name)}_flow", record, buffer, reads, writes, (), code)

    def _memory(
        self,
        name: str,
        text: str,
        record: MarsArray,
        buffer: Buffer,
        reads: Sequence[Burst],
        writes: Sequence[Burst],
        home: tuple[Vector, ...],
        code: TileCode,
    ) -> Memory:
        rows, units = integers.quotient(record.still, self.tiles)
        reads = [replace(b, owner=integers.apply(rows, b.owner)) for b in reads]
        writes = [replace(b, owner=integers.apply(rows, b.owner)) for b in writes]
        low, count = [], []
        for k, row in enumerate(rows):
            least, most = code.span(row)
            offsets = [0, *(b.owner[k] for b in (*reads, *writes))]
            low.append(least + min(offsets))
            count.append(most + max(offsets) - low[-1] + 1)
        made = Memory(
            text, self.nest.key[name], record.kind, buffer, record.block, rows, units, tuple(low), tuple(count),
            tuple(reads), tuple(writes), home, record,
        )  # fmt: skip
        if max((b.words for b in (*reads, *writes)), default=0) > MAX_WORDS:
            raise Unprintable(f"{name}: a tile moves more than {MAX_WORDS} words in one burst: choose smaller tiles")
        return made

    # ------------------------------------------------------------------------ borders and results

    def _fills(self, name: str, code: TileCode) -> list[Copy]:
        inner = dict(self.tiled.flow.outside)
        found = []
        for ident, domain in self.tiled.border.outside:
            a = self.tiled.accesses[ident]
            if a.array != name:
                continue
            rest = minus(domain, inner[ident]) if ident in inner else domain
            if empty(rest):
                continue
            loops = code.within(f"R{ident}", a.iterators, self.tiled.rows(a), rest)
            if loops is not None:
                found.append(Copy(a, loops))
        for d in self.tiled.border.dependences:
            a = self.tiled.accesses[d.reader]
            if a.array == name and a.id in inner and all(e.reader != a.id for e in self.tiled.flow.dependences):
                raise Unprintable(f"{name}: {a.text} is an input inside and computed at a border")
        return found

    def _results(self, name: str, code: TileCode) -> list[Copy]:
        found = []
        for ident, domain in self.order.last_writes(name):
            a = self.tiled.accesses[ident]
            loops = code.within(f"W{ident}", a.iterators, self.tiled.rows(a), domain)
            if loops is not None:
                found.append(Copy(a, loops))
        return found


def _c_name(name: str) -> str:
    return name.replace("#", "_")
