"""Footprints -> MARS: partition by consumers, owners, order, and the transfers of one tile.

The construction follows Ferry et al. with these corrections: tiles move by the dual basis of the
hyperplanes, whole tile translations are found as a lattice (residue classes where they are not all
of Z^t), translation is proved on the relation tile -> data instead of from null spaces, and blocks
are found by refinement instead of over all subsets of consumers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from hlspart.mars import integers
from hlspart.mars.integers import Vector
from hlspart.mars.order import SetOrder, order
from hlspart.mars.traffic import most_transactions, padded
from hlspart.model.mars import Bursts, MarsArray, MarsOptions, MarsSet, Rejection, Transfer, Volume
from hlspart.sets.tiles import Footprints, TileBlock, cube, is_injective, shape

MAX_PERIOD = 12  # multiples of a tile translation that are tried when strides break it
MAX_CLASSES = 64

Shift = Mapping[int, Vector]


class Invariance(Struct, frozen=True):
    """Tile translations ``basis`` (Hermite rows) under which all data moves along, and how far it does.

    ``classes``: one tile of each class modulo ``basis``; ``shown``: one of each residue class of tiles,
    which are finer where the data repeats although the tiles are no translates of each other.
    """

    basis: tuple[Vector, ...]
    reads: tuple[Shift, ...]
    makes: tuple[Shift, ...]
    still: tuple[Vector, ...]  # Hermite rows: translations that leave the footprint where it is
    classes: tuple[Vector, ...]
    shown: tuple[Vector, ...]

    def combined(self, moves: Sequence[Shift], step: Vector) -> dict[int, Vector] | None:
        """Movement of the data under ``step``, None when it is not in the lattice."""
        coordinates = integers.solve(self.basis, step)
        if coordinates is None:
            return None
        total: dict[int, Vector] = {}
        for factor, move in zip(coordinates, moves, strict=True):
            for space, vector in move.items():
                scaled = tuple(factor * v for v in vector)
                total[space] = integers.add(total[space], scaled) if space in total else scaled
        return total

    def class_of(self, tile: Vector) -> tuple[Vector, Vector]:
        """The representative of the residue class of ``tile`` and the translation from it."""
        base = integers.reduced(tile, self.basis)
        return base, integers.sub(tile, base)


def translations(
    rows: Sequence[Vector], sizes: Sequence[int], normals: Sequence[Vector], width: int
) -> tuple[Vector, ...]:
    """Tile translations that whole iterations realise without leaving the kept constraints: Hermite rows.

    All integer ``d`` with ``rows v = sizes * d`` and ``normals v = 0`` for some integer ``v``
    (``width`` long): the dual basis N = H^-1 diag(s) restricted to where it is integral.
    """
    tiles = len(sizes)
    system = [[*n, *(0,) * tiles] for n in normals]
    for k, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        system.append([*row, *(-size * int(k == j) for j in range(tiles))])
    solutions = integers.kernel(system, width + tiles)
    return integers.hermite([s[width:] for s in solutions])


class Refused(Struct, frozen=True):
    """No position-independent answer: why, and two tiles that show it."""

    reason: str
    tiles: tuple[Vector, ...] = ()
    footprints: tuple[int, ...] = ()


def invariance(footprints: Footprints, basis: Sequence[Vector], flow: bool, tiles: int) -> Invariance | Refused:
    """Prove that footprints move with tiles, and find under which translations."""
    box = integers.pivots(basis)
    firsts = footprints.first_tiles(box)
    if not firsts:
        return Refused("the tiles that use it are not translates of finitely many tiles")
    base = firsts[0]
    if not footprints.is_bounded(base):
        return Refused("one tile touches unboundedly many elements: tile the remaining loops too")
    kept: list[Vector] = []
    for step in basis:
        multiple = next(
            (k for k in range(1, MAX_PERIOD + 1) if _moves(footprints, base, tuple(k * s for s in step), flow)), None
        )
        if multiple is None:
            return _unlike(footprints, base, tiles, step)
        kept.append(tuple(multiple * s for s in step))
    own = integers.hermite(kept)
    every = list(own)
    if prod(modulus for _, modulus in integers.pivots(own)) <= MAX_CLASSES and len(own) == tiles:
        for step in itertools.product(*(range(modulus) for _, modulus in integers.pivots(own))):
            known = integers.solve(integers.hermite(every), step) is not None
            if not known and _moves(footprints, base, step, flow):
                every = list(integers.hermite([*every, step]))
                if integers.solve(basis, step) is not None:
                    own = integers.hermite([*own, step])
    final = integers.hermite(every)
    reads = [footprints.translation(base, s) for s in final]
    makes = [footprints.translation(base, s, makes=True) for s in final] if flow else []
    if any(m is None for m in (*reads, *makes)):
        return _unlike(footprints, base, tiles, final[0])
    classes = footprints.first_tiles(integers.pivots(final))
    shown = footprints.first_tiles(integers.pivots(own))
    if classes is None or shown is None or len(shown) > MAX_CLASSES:
        return Refused(f"tiles fall into more than {MAX_CLASSES} classes of different footprints")
    return _invariance(footprints, final, reads, makes, classes, shown)


def along(
    footprints: Footprints, basis: Sequence[Vector], classes: tuple[Vector, ...], flow: bool
) -> Invariance | Refused:
    """The same under translations that are given: footprints must move along ``basis``, ``classes`` are its classes."""
    base = next((c for c in classes if not footprints.is_bounded(c) or footprints.footprint(c)[1]), classes[0])
    reads = [footprints.translation(base, s) for s in basis]
    makes = [footprints.translation(base, s, makes=True) for s in basis] if flow else []
    if any(m is None for m in (*reads, *makes)):
        return Refused("the footprints of tiles do not move with the tiles by a constant")
    return _invariance(footprints, tuple(basis), reads, makes, classes, classes)


def _invariance(
    footprints: Footprints,
    basis: tuple[Vector, ...],
    reads: Sequence[Shift | None],
    makes: Sequence[Shift | None],
    classes: tuple[Vector, ...],
    shown: tuple[Vector, ...],
) -> Invariance:
    moves = tuple(m for m in reads if m is not None)
    matrix = [[m[s][d] for m in moves] for s in footprints.spaces for d in range(len(moves[0][s]))] if moves else []
    fixed = integers.kernel(matrix, len(basis)) if basis else ()
    still = integers.hermite([_combine(basis, c) for c in fixed])
    return Invariance(basis, moves, tuple(m for m in makes if m is not None), still, classes, shown)


def _combine(basis: Sequence[Vector], factors: Sequence[int]) -> Vector:
    return tuple(sum(f * row[j] for f, row in zip(factors, basis, strict=True)) for j in range(len(basis[0])))


def _moves(footprints: Footprints, base: Vector, step: Vector, flow: bool) -> bool:
    return footprints.translation(base, step) is not None and (
        not flow or footprints.translation(base, step, makes=True) is not None
    )


def _unlike(footprints: Footprints, base: Vector, tiles: int, step: Vector) -> Refused:
    steps = [step, tuple(-s for s in step), *cube(tiles, 2 if tiles <= 3 else 1)]
    difference = footprints.unlike(base, steps[:130])
    if difference is None:
        return Refused("the footprints of tiles do not move with the tiles by a constant")
    here, there, words, other = difference
    return Refused("the footprints of tiles are not translates of each other", (here, there), (words, other))


def reads_match(inv: Invariance) -> str | None:
    """For a tiled producer: whether consumers and producers move together (corrected Proposition 4.3).

    Every translation of producers must be one of consumers (D = A N M with an integer M), and consumers
    must land on whole producer tiles (A N in D Z).
    """
    if list(inv.reads) == list(inv.makes):
        return None
    spaces = sorted({s for m in (*inv.reads, *inv.makes) for s in m})

    def flat(move: Shift) -> Vector:
        return tuple(v for s in spaces for v in move[s])

    read_lattice = integers.hermite([flat(m) for m in inv.reads])
    make_lattice = integers.hermite([flat(m) for m in inv.makes])
    if any(integers.solve(read_lattice, flat(m)) is None for m in inv.makes):
        return "a move by one producer tile is no whole number of consumer tiles: producers differ in their MARS"
    if any(integers.solve(make_lattice, flat(m)) is None for m in inv.reads):
        return "a move by one consumer tile is no whole number of producer tiles: reads would depend on the position"
    return None


# --------------------------------------------------------------------------------------- layout


class _Owned(Struct, frozen=True):
    """The block of one residue class of owners: MARS in memory order, identified by relative consumers."""

    users: tuple[tuple[Vector, ...], ...]
    sizes: tuple[int, ...]
    points: tuple[str, ...]
    offsets: tuple[int, ...]
    order: SetOrder

    @property
    def words(self) -> int:
        return sum(self.sizes)


def describe(
    blank: MarsArray,
    footprints: Footprints,
    inv: Invariance,
    images: Mapping[int, str],
    options: MarsOptions,
) -> tuple[MarsArray, ...]:
    """One record per residue class. ``blank`` holds name, kind, class, line, element_bits and boundary."""
    flow = blank.kind == "flow"
    tables = _flow_tables(footprints, inv, options) if flow else _input_tables(footprints, inv, options)
    if isinstance(tables, str):
        return (replace(blank, accepted=False, reason=tables),)
    owned, seen = tables
    block = max((t.words for t in owned.values()), default=0)
    whole = padded(block, blank.element_bits, options.align)
    arrays = []
    for base in inv.shown:
        record = _record(blank, footprints, inv, base, owned, seen[base], images, options, whole)
        arrays.append(replace(record, residue_classes=len(inv.shown), block=whole, padding=whole - block))
    return tuple(arrays)


def _relative(tile: Vector, owner: Vector, still: Sequence[Vector]) -> Vector:
    return integers.reduced(integers.sub(tile, owner), still)


def _ordered(blocks: Sequence[TileBlock], users: Sequence[tuple[Vector, ...]], options: MarsOptions) -> _Owned:
    best = order([frozenset(u) for u in users], options.exact)
    offsets, at = [], 0
    for k in best.sequence:
        offsets.append(at)
        at += blocks[k].size
    pick = best.sequence
    return _Owned(
        tuple(users[k] for k in pick),
        tuple(blocks[k].size for k in pick),
        tuple(blocks[k].points for k in pick),
        tuple(offsets),
        best,
    )


_Seen = dict[Vector, tuple[tuple[TileBlock, ...], tuple[Vector, ...]]]


def _input_tables(
    footprints: Footprints, inv: Invariance, options: MarsOptions
) -> tuple[dict[Vector, _Owned], _Seen] | str:
    owned: dict[Vector, _Owned] = {}
    seen: _Seen = {}
    for base in dict.fromkeys((*inv.classes, *inv.shown)):
        users = footprints.consumers(base, integers.pivots(inv.still))
        if users is None:
            return "the tiles that share data with one tile are not finitely many classes"
        blocks = footprints.blocks(base, users)
        seen[base] = (blocks, users)
        if base not in inv.classes:
            continue
        home = integers.reduced(base, inv.still)
        mine = [b for b in blocks if integers.reduced(_owner(b, inv), inv.still) == home]
        owned[base] = _ordered(
            mine, [tuple(sorted(_relative(c, base, inv.still) for c in b.consumers)) for b in mine], options
        )
    return owned, seen


def _owner(block: TileBlock, inv: Invariance) -> Vector:
    """The consumer that keeps the block: the least one, in an order that translations preserve."""
    return min(block.consumers, key=lambda c: (integers.projected(c, inv.still), inv.class_of(c)[0]))


def _flow_tables(
    footprints: Footprints, inv: Invariance, options: MarsOptions
) -> tuple[dict[Vector, _Owned], _Seen] | str:
    owned: dict[Vector, _Owned] = {}
    seen: _Seen = {}
    for base in dict.fromkeys((*inv.classes, *inv.shown)):
        users = footprints.consumers(base, integers.pivots(inv.still))
        if users is None:
            return "the tiles that read what one tile makes are not finitely many classes"
        others = tuple(u for u in users if u != base)
        if inv.still and base in users:
            # others of the tile's own class read the same data: one of them stands for the class
            others = tuple(sorted((*others, integers.add(base, inv.still[0]))))
        blocks = footprints.blocks(base, others)
        seen[base] = (blocks, others)
        owned[base] = _ordered(
            blocks, [tuple(sorted(integers.sub(c, base) for c in b.consumers)) for b in blocks], options
        )
    return owned, seen


def _record(
    blank: MarsArray,
    footprints: Footprints,
    inv: Invariance,
    base: Vector,
    owned: Mapping[Vector, _Owned],
    seen: tuple[tuple[TileBlock, ...], tuple[Vector, ...]],
    images: Mapping[int, str],
    options: MarsOptions,
    block: int,
) -> MarsArray:
    flow = blank.kind == "flow"
    points, words = footprints.footprint(base)
    if flow:
        own = owned[inv.class_of(base)[0]]
        sets = _own_sets(own)
        runs = _flow_runs(footprints, inv, base, owned)
        out = Volume(len(sets), sum(m.size for m in sets))
        writes = _transfers(((0,) * len(base), own, range(len(sets))), blank, options, block)
    else:
        blocks, _ = seen
        placed = _input_sets(blocks, inv, base, owned)
        if isinstance(placed, str):
            return replace(blank, accepted=False, reason=placed)
        sets, runs = placed
        out, writes = Volume(0, 0), ()
    reads: list[Transfer] = []
    for owner, table, positions in runs:
        reads += _transfers((owner, table, positions), blank, options, block)
    if not flow:
        reads = _with_sets(reads, sets)
    incoming = Volume(sum(len(p) for _, _, p in runs), sum(t.words for t in reads))
    arriving = footprints.arriving(base)
    memory = images if not flow or (is_injective(arriving, images) and _all_injective(sets, images)) else {}
    row_read = shape(arriving, memory)
    row_write = _union_rows(sets, memory) if flow else 0
    tables = [table for table in owned.values() if table.sizes]
    slack = sum(t.order.bursts - t.order.bound for t in tables)
    users = {c for m in sets for c in m.consumers}
    tiles = len(users)
    if len(inv.classes) > 1:  # tiles of two classes may happen to use the same data
        tiles = footprints.distinct([integers.add(base, c) for c in sorted(users)])
    return replace(
        blank,
        consumers=tiles,
        sets=sets,
        footprint=words,
        footprint_points=points,
        tile_points=footprints.made(base),
        flow_out=out,
        flow_in=incoming,
        bursts=Bursts(
            read=len(reads),
            write=len(writes),
            row_major_read=row_read.rows,
            row_major_write=row_write,
            box_read=row_read.box_rows,
            box_read_words=row_read.box_words,
            read_bound=max(0, len(reads) - slack),
            read_transactions=sum(t.transactions for t in reads),
            write_transactions=sum(t.transactions for t in writes),
        ),
        reads=tuple(reads),
        writes=tuple(writes),
        optimal=slack == 0,
        method=", ".join(sorted({t.order.method for t in tables})),
        residue=base,
        still=inv.still,
        checks=tuple(_checks(footprints, base, seen, options).items()),
    )


def _with_sets(reads: Sequence[Transfer], sets: Sequence[MarsSet]) -> list[Transfer]:
    """``reads`` with the numbers of the sets that each brings."""
    number = {(m.owner, m.offset): m.id for m in sets}
    return [
        replace(t, sets=tuple(i for (o, at), i in number.items() if o == t.owner and 0 <= at - t.offset < t.words))
        for t in reads
    ]


def _checks(
    footprints: Footprints, base: Vector, seen: tuple[tuple[TileBlock, ...], tuple[Vector, ...]], options: MarsOptions
) -> dict[str, bool]:
    return footprints.checks(base, *seen) if options.check else {}


def _own_sets(table: _Owned) -> tuple[MarsSet, ...]:
    home = (0,) * (len(table.users[0][0]) if table.users else 0)
    return tuple(
        MarsSet(k, size, users, home, at, points)
        for k, (size, users, at, points) in enumerate(
            zip(table.sizes, table.users, table.offsets, table.points, strict=True)
        )
    )


_Run = tuple[Vector, _Owned, Sequence[int]]


def _flow_runs(footprints: Footprints, inv: Invariance, base: Vector, owned: Mapping[Vector, _Owned]) -> list[_Run]:
    """Blocks that ``base`` reads from each producer tile, as positions in the producer's table."""
    runs: list[_Run] = []
    simple = not inv.still and list(inv.reads) == list(inv.makes)
    for producer in footprints.producers(base):
        home, step = inv.class_of(producer)
        if home not in owned:
            continue
        table = owned[home]
        if simple:
            back = integers.sub(base, producer)
            used = [k for k, users in enumerate(table.users) if back in users]
        else:
            shift = inv.combined(inv.makes, step) or {}
            used = [k for k, points in enumerate(table.points) if footprints.reads_block(base, points, shift)]
        if used:
            runs.append((integers.sub(producer, base), table, used))
    return runs


def _input_sets(
    blocks: Sequence[TileBlock], inv: Invariance, base: Vector, owned: Mapping[Vector, _Owned]
) -> tuple[tuple[MarsSet, ...], list[_Run]] | str:
    """The footprint's MARS with their places in their owners' blocks."""
    placed: list[tuple[Vector, int, TileBlock, _Owned]] = []
    for b in blocks:
        owner = _owner(b, inv)
        table = owned.get(inv.class_of(owner)[0])
        users = tuple(sorted(_relative(c, owner, inv.still) for c in b.consumers))
        if table is None or users not in table.users:
            return "the owner of a set of elements cannot be told apart by its position"
        placed.append((_relative(owner, base, inv.still), table.users.index(users), b, table))
    placed.sort(key=lambda p: (p[0], p[1]))
    sets: list[MarsSet] = []
    runs: list[_Run] = []
    for owner, group in itertools.groupby(placed, key=lambda p: p[0]):
        members = list(group)
        table = members[0][3]
        runs.append((owner, table, [m[1] for m in members]))
        for _, position, b, _ in members:
            users = tuple(sorted(_relative(c, base, inv.still) for c in b.consumers))
            sets.append(MarsSet(len(sets), b.size, users, owner, table.offsets[position], b.points))
    return tuple(sets), runs


def _transfers(run: _Run, blank: MarsArray, options: MarsOptions, block: int) -> tuple[Transfer, ...]:
    owner, table, positions = run
    runs: list[list[int]] = []
    for k in sorted(positions):
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    transfers = []
    for group in runs:
        at, words = table.offsets[group[0]], sum(table.sizes[k] for k in group)
        cost = most_transactions(at, words, block, blank.element_bits, options)
        transfers.append(Transfer(owner, at, words, tuple(group), cost))
    return tuple(transfers)


def _covered(sets: Sequence[MarsSet], t: Transfer) -> tuple[int, ...]:
    return tuple(m.id for m in sets if m.owner == t.owner and t.offset <= m.offset < t.offset + t.words)


def _all_injective(sets: Sequence[MarsSet], images: Mapping[int, str]) -> bool:
    return not sets or is_injective(_joined(sets), images)


def _union_rows(sets: Sequence[MarsSet], images: Mapping[int, str]) -> int:
    return shape(_joined(sets), images).rows if sets else 0


def _joined(sets: Sequence[MarsSet]) -> str:
    inner = [m.points.strip() for m in sets]
    return "{ " + "; ".join(text[1:-1].strip() for text in inner) + " }"


def rejection(refused: Refused, accesses: Sequence[tuple[int, str, Sequence[Vector], int]]) -> Rejection:
    """The evidence of a refusal: ``accesses`` are (line, text, matrix, iterators), the two that differ first."""
    return Rejection(
        tuple(a[0] for a in accesses),
        tuple(a[1] for a in accesses),
        tuple(integers.kernel(matrix, width) for _, _, matrix, width in accesses),
        refused.tiles,
        refused.footprints,
    )
