"""Where the values of a nest live in generated code, and what has to be moved for one tile."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from hlspart.mars import integers
from hlspart.mars.codegen.classes import classes, representatives
from hlspart.mars.codegen.parts import Cell, CellKind, Copy, TileBuffer, TileBurst, TileMemory, TilePart, TilePlan
from hlspart.mars.integers import Vector
from hlspart.mars.layouts import Tiled, of_classes, planes
from hlspart.mars.nest import TileNest
from hlspart.mars.placement import references
from hlspart.model.access import AccessAnalysis, Affine
from hlspart.model.mars import MarsArray, MarsOptions, MarsResult, MarsSet, NestAccess, Transfer
from hlspart.model.program import Block, Loop, PragmaMark, Program, Stmt
from hlspart.sets.dataflow import pieces
from hlspart.sets.tilecode import CodeUnit, TileCode, box, common, condition, is_empty, minus, scan, united
from hlspart.sets.tileorder import TileOrder
from hlspart.sets.tiles import Footprints, TileTouch, listed
from hlspart.transform.printer import Unprintable

MAX_WORDS = 1 << 16  # entries of one table, words of one buffer


class TilePlanner:
    """Builds the :class:`TilePlan` of one nest; raises :class:`Unprintable` for what code cannot hold."""

    def __init__(
        self,
        program: Program,
        analysis: AccessAnalysis,
        nest: TileNest,
        result: MarsResult,
        tile_loops: Sequence[str],
        options: MarsOptions,
    ) -> None:
        self.program, self.analysis, self.nest, self.result = program, analysis, nest, result
        self.options = options
        self.tiled = Tiled(nest.accesses, result.tile, tile_loops)
        self.sizes = self.tiled.sizes
        self.source = nest.sources
        self.order = TileOrder(nest.accesses, [self.tiled.planes(a) for a in nest.accesses], self.sizes)
        self.buffers: list[TileBuffer] = []
        self.cells: dict[int, tuple[Cell, ...]] = {}  # by access id

    def _index(self, a: NestAccess) -> tuple[Affine, ...]:
        source = self.source[a.id]
        if source.index is None or any(i is None for i in source.index):
            raise Unprintable(f"the index of {self.program.text(source.at)} is no plain affine form", source.at)
        return tuple(i for i in source.index if i is not None)

    def plan(self) -> TilePlan:
        """All of it."""
        units = self._units()
        records = [u for u, _ in units.values()]
        for u in records:
            if "->" in u.domain:
                raise Unprintable("a loop bound is no compile-time constant", self.nest.loop.at)
        self.classes = classes(self.tiled, [(u.iterators, u.interior) for u in records])
        self.records = self.result.arrays
        if not self.classes.single:
            self.records = of_classes(self.tiled, self.nest.facts, self.options, self.classes.basis, self.classes.tiles)
        code = TileCode(self.sizes, records)
        memories: list[TileMemory] = []
        fills: list[Copy] = []
        results: list[Copy] = []
        for name in self.nest.facts:
            memories += self._array(name, code)
            fills += self._fills(name, code)
            results += self._results(name, code)
        table = {kind: {} for kind in ("read", "write")}  # type: dict[str, dict[int, tuple[Cell, ...]]]
        for a in self.nest.accesses:
            table[a.kind][self.source[a.id].ref] = self.cells[a.id]
        for read, write in self.nest.kept.items():
            if self.cells[read] != self.cells[write]:
                source = self.source[write]
                what = f"{self.program.text(source.at)} keeps its old value under a condition, which lives elsewhere"
                raise Unprintable(what, source.at)
        table["write"].update({ref: self.cells[access] for ref, access in self.nest.same.items()})
        return TilePlan(
            self.program,
            self.nest,
            self.result,
            self.classes,
            units,
            code.tiles(),
            tuple(code.local(tile) for tile in self.classes.tiles),
            {u.label: code.inside(u) for u in records},
            code.full(),
            tuple(self.buffers),
            tuple(memories),
            tuple(fills),
            tuple(results),
            table["read"],
            table["write"],
            self.analysis.loops,
        )

    # ------------------------------------------------------------------------------------ units

    def _units(self) -> dict[str, tuple[CodeUnit, tuple[Stmt, ...]]]:
        needed = {n for f in self.result.tile for n in f.form.names}
        units: dict[str, tuple[CodeUnit, tuple[Stmt, ...]]] = {}

        def visit(loop: Loop, path: tuple[int, ...]) -> None:
            path = (*path, loop.id)
            names = tuple(self.analysis.loops[k].iterator for k in path)
            if any(n is None for n in names):
                raise Unprintable("a loop without a counted form", loop.at)
            its = tuple(n for n in names if n is not None)
            if needed <= set(its):
                mine = [a for a in self.nest.accesses if self.source[a.id].loops[: len(path)] == path]
                units.update(self._unit(f"S{len(units)}", its, path, mine, loop.body.body))
            else:
                inner(loop.body, path)

        def inner(block: Block, path: tuple[int, ...]) -> None:
            for s in block.body:
                if isinstance(s, Loop):
                    visit(s, path)
                elif isinstance(s, Block):
                    inner(s, path)
                elif not isinstance(s, PragmaMark):
                    refs = references(s)
                    mine = [a for a in self.nest.accesses if self.source[a.id].ref in refs]
                    if not mine or any(self.source[a.id].loops != path or not a.hidden for a in mine):
                        raise Unprintable("a statement stands between the tiled loops", s.at)
                    its = tuple(n for n in mine[0].iterators if n not in dict(mine[0].hidden))
                    units.update(self._unit(f"S{len(units)}", its, path, mine, (s,)))

        visit(self.nest.loop, ())
        return units

    def _unit(
        self,
        label: str,
        its: tuple[str, ...],
        path: tuple[int, ...],
        mine: Sequence[NestAccess],
        body: tuple[Stmt, ...],
    ) -> dict[str, tuple[CodeUnit, tuple[Stmt, ...]]]:
        """The unit of statements ``body`` in loops ``path`` over ``its``, by label; none without accesses."""
        if not mine:
            return {}
        first = mine[0]
        its = (*its, *(n for n, _ in first.hidden))
        if any((a.hidden, a.shift) != (first.hidden, first.shift) for a in mine):
            raise Unprintable("the accesses of one statement are placed differently", self.source[first.id].at)
        face = all(self.tiled.interior[a.id].face for a in mine)
        interiors = [self.tiled.opened(a) for a in mine if face or not self.tiled.interior[a.id].face]
        unit = CodeUnit(
            label,
            its,
            united([a.domain for a in mine], len(its)),
            united(interiors, len(its)),
            planes(self.result.tile, replace(first, iterators=its)),
            (*first.order[: len(path)], min(a.order[-1] for a in mine)),
            tuple((self.analysis.loops[k].step or 1) < 0 for k in path),
            face or bool(first.hidden),
            first.hidden,
        )
        return {label: (unit, body)}

    # ----------------------------------------------------------------------------------- arrays

    def _records(self, name: str) -> tuple[tuple[MarsArray, ...], tuple[MarsArray, ...]]:
        """The input and the flow records of an array, one per class of tiles; empty where there are none."""
        known, copy = self.nest.facts[name].name, self.nest.facts[name].copy
        inner = [r for r in self.records if (r.name, r.copy) == (known, copy) and r.boundary is None]
        for r in inner:
            if not r.accepted:
                raise Unprintable(f"{known}: {r.reason}")
        arrays = []
        for kind in ("input", "flow"):
            mine = [r for r in inner if r.kind == kind]
            if mine and [r.residue for r in mine] != list(self.classes.tiles):
                raise Unprintable(f"{known}: its tiles fall into other classes than those of the nest")
            arrays.append(tuple(mine))
        return arrays[0], arrays[1]

    def _array(self, name: str, code: TileCode) -> list[TileMemory]:
        mine = [a for a in self.nest.accesses if a.array == name]
        writes = [a for a in mine if a.kind == "write"]
        inputs, flow = self._records(name)
        if writes and not self.order.is_carried(name, self.tiled.border, self.tiled.flow):
            raise Unprintable(f"{name}: border tiles take values from other tiles than interior ones")
        if not writes or self._in_place(name, mine):
            shared = self._element_buffer(name, mine, f"{_c_name(name)}_buf")
            for a in mine:
                self.cells[a.id] = (Cell(shared, self._index(a)),)
            home: TileBuffer | None = shared
        else:
            home = self._expanded(name, mine, writes)
        memories = []
        if inputs:
            if home is None:
                raise Unprintable(f"{name}: its values from outside the nest have no buffer")
            memories.append(self._input(name, inputs, home, code))
        if any(r.sets for r in flow):
            memories.append(self._flow(name, flow, code))
        self._apart(name, memories)
        return memories

    def _apart(self, name: str, memories: Sequence[TileMemory]) -> None:
        """No two words that a tile reads may go to one cell: border tiles read words that nobody wrote."""
        for number in range(len(self.classes.tiles)):
            seen: set[tuple[str, Vector]] = set()
            for part in (p for m in memories for b in m.kinds[number].reads for p in b.parts):
                for point in part.points:
                    arguments = {f"a{k}": value for k, value in enumerate(point)}
                    cell = tuple(f.const + sum(c * arguments[n] for n, c in f.terms) for f in part.cell)
                    if (part.buffer.name, cell) in seen:
                        raise Unprintable(f"{name}: a tile reads two values into one cell")
                    seen.add((part.buffer.name, cell))

    def _in_place(self, name: str, mine: Sequence[NestAccess]) -> bool:
        if any(i is None for a in mine for i in self.source[a.id].index or (None,)):
            return False
        shifts = {self._shift(self._index(a)) for a in mine}
        return len(shifts) == 1 and self.order.is_in_place(name, self.tiled.border)

    def _shift(self, place: Sequence[Affine]) -> tuple[Vector, ...]:
        return tuple(self.classes.moved(f) for f in place)

    def _element_buffer(self, name: str, mine: Sequence[NestAccess], text: str) -> TileBuffer:
        touches = [self.tiled.reading(a, self.tiled.opened(a), a.map, 0) for a in mine]
        shifts = {self._shift(self._index(a)) for a in mine}
        if len(shifts) != 1:
            raise Unprintable(f"{name}: its accesses move differently from tile to tile")
        return self._buffer(text, self.nest.key[name], touches, shifts.pop())

    def _buffer(self, text: str, variable: int, touches: Sequence[TileTouch], moves: tuple[Vector, ...]) -> TileBuffer:
        footprints = Footprints(self.sizes, touches)
        spans = [box(points)[1 : 1 + len(moves)] for points, n in map(footprints.footprint, self.classes.tiles) if n]
        if not spans:
            raise Unprintable(f"{text}: no tile lies inside the statements that use it")
        low = tuple(min(s[k][0] for s in spans) for k in range(len(moves)))
        dims = tuple(max(s[k][1] for s in spans) - low[k] + 1 for k in range(len(moves)))
        if prod(dims) > MAX_WORDS:
            raise Unprintable(f"{text} would need {prod(dims)} words on chip: choose smaller tiles")
        made = TileBuffer(text, variable, dims, low, moves)
        self.buffers.append(made)
        return made

    def _expanded(self, name: str, mine: Sequence[NestAccess], writes: Sequence[NestAccess]) -> TileBuffer | None:
        """One cell per write instance: the array is renamed so that no value is overwritten in a tile.

        Returns the buffer of values that no instance of the interior makes, where there are any.
        """
        outside = dict(self.tiled.flow.outside)
        sources: dict[int, list[tuple[int, tuple[Affine, ...], str]]] = {}  # reader -> writer, its instance, where
        functions: list[tuple[int, int, str]] = []
        for d in self.tiled.flow.dependences:
            reader, writer = self.tiled.accesses[d.reader], self.tiled.accesses[d.writer]
            if reader.array != name:
                continue
            for cell, domain in self._instances(reader, d.relation):
                if self._shift(cell) != tuple(self.classes.origin[n] for n in writer.iterators):
                    raise Unprintable(f"{name}: {reader.text} does not move with the tile that makes its values")
                sources.setdefault(reader.id, []).append((writer.id, cell, domain))
            functions.append((d.reader, d.writer, d.relation))
        near = self.order.beside(name, self.tiled.border, functions)
        if not self.order.is_expandable(name, self.tiled.border, [*functions, *near]):
            raise Unprintable(f"{name}: border iterations take values from other places than interior ones")
        made: dict[int, TileBuffer] = {}
        for k, w in enumerate(writes):
            touches = [self.tiled.making(w, self.tiled.opened(w))]
            for reader_id, writer_id, relation in functions:
                if writer_id == w.id:
                    reader = self.tiled.accesses[reader_id]
                    touches.append(self.tiled.reading(reader, self.tiled.interior[reader_id].domain, relation, w.id))
            suffix = "" if len(writes) == 1 else str(k)
            moves = tuple(self.classes.origin[n] for n in w.iterators)
            made[w.id] = self._buffer(f"{_c_name(name)}_val{suffix}", self.nest.key[name], touches, moves)
            self.cells[w.id] = (Cell(made[w.id], tuple(Affine.of({n: 1}) for n in w.iterators)),)
        reads = [a for a in mine if a.kind == "read"]
        plain = [a for a in reads if a.id not in sources or a.id in outside]
        shared = self._element_buffer(name, plain, f"{_c_name(name)}_buf") if plain else None
        for a in reads:
            known = self.tiled.opened(a)
            every = [
                (made[w], cell, domain)
                for reader_id, w, relation in near
                if reader_id == a.id
                for cell, domain in self._instances(a, relation)
            ]
            every += [(made[w], cell, domain) for w, cell, domain in sources.get(a.id, [])]
            if shared is not None and a in plain:
                every.append((shared, self._index(a), outside.get(a.id, known)))
            if len(every) == 1:
                self.cells[a.id] = (Cell(every[0][0], every[0][1]),)
            else:
                self.cells[a.id] = tuple(
                    Cell(buffer, cell, condition(a.iterators, domain, known), domain) for buffer, cell, domain in every
                )
        return shared

    def _instances(self, reader: NestAccess, relation: str) -> list[tuple[tuple[Affine, ...], str]]:
        """The write instances a read takes its values from, over its iterators, each with its domain."""
        functions = pieces(relation)
        if functions is None:
            raise Unprintable(f"{reader.array}: {reader.text} takes its values from no affine place")
        its = reader.iterators
        return [
            (
                tuple(Affine.of(dict(zip(its, row, strict=True)), c) for row, c in zip(matrix, constant, strict=True)),
                domain,
            )
            for (matrix, constant), domain in functions.items()
        ]

    # --------------------------------------------------------------------------------- memories

    def _input(self, name: str, records: Sequence[MarsArray], buffer: TileBuffer, code: TileCode) -> TileMemory:
        cell = tuple(Affine.of({f"a{d + 1}": 1}, -low) for d, low in enumerate(buffer.least))
        kinds = []
        for record in records:
            bursts = []
            for t in record.reads:
                members = sorted((m for m in record.sets if m.id in t.sets), key=lambda m: m.offset)
                parts = tuple(TilePart(buffer, scan(m.points, 0), cell, listed(m.points)) for m in members)
                bursts.append(TileBurst(t.owner, t.offset, t.words, parts))
            home = tuple(
                p[1 : 1 + len(buffer.dims)]
                for m in sorted((m for m in record.sets if not any(m.owner)), key=lambda m: m.offset)
                for p in listed(m.points)
            )
            kinds.append(CellKind(tuple(bursts), (), home))
        return self._memory(name, f"{_c_name(name)}_mars", records[0], (buffer,), kinds, code)

    def _flow(self, name: str, records: Sequence[MarsArray], code: TileCode) -> TileMemory:
        if records[0].still:
            raise Unprintable(f"{name}: one value is read by unboundedly many tiles")
        used: dict[str, TileBuffer] = {}

        def parts(m: MarsSet, shift: Vector) -> list[TilePart]:
            made = []
            every = listed(m.points)
            for space in sorted({p[0] for p in every}):
                writer = self.tiled.accesses[space]
                (home,) = self.cells[space]
                used[home.buffer.name] = home.buffer
                cell = []
                for form, low in zip(home.place, home.buffer.least, strict=True):
                    total = Affine((), form.const - low)
                    for k, n in enumerate(writer.iterators):
                        away = sum(a * b for a, b in zip(self.classes.origin[n], shift, strict=True))
                        total = total + Affine.of({f"a{k + 1}": 1}, away).scaled(form.coefficient(n))
                    cell.append(total)
                mine = tuple(p for p in every if p[0] == space)
                made.append(TilePart(home.buffer, scan(m.points, space), tuple(cell), mine))
            return made

        def burst(t: Transfer, tile: Vector) -> TileBurst:
            kind, shift = self.classes.split(integers.add(tile, t.owner))
            members = sorted((m for m in records[kind].sets if m.id in t.sets), key=lambda m: m.offset)
            return TileBurst(t.owner, t.offset, t.words, tuple(p for m in members for p in parts(m, shift)))

        kinds = [
            CellKind(tuple(burst(t, r.residue) for t in r.reads), tuple(burst(t, r.residue) for t in r.writes), ())
            for r in records
        ]
        return self._memory(name, f"{_c_name(name)}_flow", records[0], tuple(used.values()), kinds, code)

    def _memory(
        self,
        name: str,
        text: str,
        record: MarsArray,
        buffers: tuple[TileBuffer, ...],
        kinds: Sequence[CellKind],
        code: TileCode,
    ) -> TileMemory:
        tiles = len(self.sizes)
        rows, _ = integers.quotient(record.still, tiles)
        if record.still and integers.hermite(integers.kernel(rows, tiles)) != integers.hermite(record.still):
            raise Unprintable(f"{name}: tiles that share data are not told apart by linear coordinates")

        def there(b: TileBurst) -> TileBurst:
            return replace(b, owner=integers.apply(rows, b.owner))

        kinds = [CellKind(tuple(map(there, k.reads)), tuple(map(there, k.writes)), k.home) for k in kinds]
        every = [b for k in kinds for b in (*k.reads, *k.writes)]
        low, count = [], []
        for k, row in enumerate(rows):
            least, most = code.span(row)
            offsets = [0, *(b.owner[k] for b in every)]
            low.append(least + min(offsets))
            count.append(most + max(offsets) - low[-1] + 1)
        if max((b.words for b in every), default=0) > MAX_WORDS:
            raise Unprintable(f"{name}: a tile moves more than {MAX_WORDS} words in one burst: choose smaller tiles")
        basis, units, homes = self._blocks(rows, kinds, buffers[0])
        kinds = [replace(k, home=home) for k, home in zip(kinds, homes, strict=True)]
        return TileMemory(
            text, self.nest.key[name], record.kind, buffers, record.block, rows, basis, units, tuple(low),
            tuple(count), tuple(kinds),
        )  # fmt: skip

    def _blocks(
        self, rows: Sequence[Vector], kinds: Sequence[CellKind], buffer: TileBuffer
    ) -> tuple[tuple[Vector, ...], tuple[Vector, ...], list[tuple[Vector, ...]]]:
        """Classes of blocks: translations of their coordinates, the same along U, and homes by number of the class."""
        width = len(self.classes.basis)
        tall = [
            [*integers.apply(rows, step), *(int(j == k) for j in range(width))]
            for k, step in enumerate(self.classes.basis)
        ]
        form = integers.hermite(tall)[: len(rows)]
        basis = tuple(r[: len(rows)] for r in form)
        units = tuple(r[len(rows) :] for r in form)
        homes: list[tuple[Vector, ...]] = [()] * len(kinds)
        number = {place: k for k, place in enumerate(representatives(basis))}
        for tile, kind in zip(self.classes.tiles, kinds, strict=True):
            at = integers.apply(rows, tile)
            base = integers.reduced(at, basis)
            away = integers.solve(basis, integers.sub(at, base)) or ()
            back = [-sum(v * u[k] for v, u in zip(away, units, strict=True)) for k in range(width)]
            shift = integers.apply(buffer.moves, back)
            homes[number[base]] = tuple(integers.add(p, shift) for p in kind.home)
        return basis, units, homes

    # ------------------------------------------------------------------------ borders and results

    def _copies(self, a: NestAccess, label: str, domain: str, code: TileCode) -> list[Copy]:
        copies = []
        for cell in self.cells[a.id]:
            mine = domain if not cell.domain else common(domain, cell.domain)
            loops = code.within(label, a.iterators, self.tiled.planes(a), mine)
            if loops is not None:
                copies.append(Copy(a, cell, loops))
        return copies

    def _fills(self, name: str, code: TileCode) -> list[Copy]:
        inner = dict(self.tiled.flow.outside)
        fills: list[Copy] = []
        for ident, domain in self.tiled.border.outside:
            a = self.tiled.accesses[ident]
            if a.array == name:
                rest = minus(domain, inner[ident]) if ident in inner else domain
                if not is_empty(rest):
                    fills += self._copies(a, f"R{ident}", rest, code)
        return fills

    def _results(self, name: str, code: TileCode) -> list[Copy]:
        results: list[Copy] = []
        for ident, domain in self.order.last_writes(name):
            results += self._copies(self.tiled.accesses[ident], f"W{ident}", domain, code)
        return results


def _c_name(name: str) -> str:
    return name.replace("#", "_").replace("@", "_copy")
