"""A nest's accesses and a tiling -> the MARS of every array: the story from dataflow to records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.mars.decompose import Refused, along, describe, invariance, reads_match, rejection, translations
from hlspart.mars.integers import Vector
from hlspart.model.mars import ActualSet, MarsArray, MarsOptions, NestAccess, TileForm
from hlspart.sets.dataflow import (
    Dataflow,
    Interior,
    convex_pieces,
    dataflow,
    has_common_interior,
    matrices,
    opened,
    relaxed,
    violation,
)
from hlspart.sets.region import TooHard
from hlspart.sets.tiles import Footprints, TileTouch


class ArrayFacts(Struct, frozen=True):
    """What the nest's declarations say of an array; ``fault``: why it cannot be analysed at all."""

    name: str
    line: int
    element_bits: int
    dims: tuple[int | None, ...] = ()
    fault: str | None = None
    copy: int = 0  # which of several copies of the array, from 1; 0: the only one


class Violation(Struct, frozen=True):
    """A dependence that a hyperplane turns round."""

    form: TileForm
    array: str
    reader: NestAccess
    writer: NestAccess
    distance: int  # form(reader) - form(writer), negative
    iterations: tuple[Vector, Vector]  # of reader and writer

    def __str__(self) -> str:
        w, r = self.iterations[1], self.iterations[0]
        return (
            f"tiling is not legal: hyperplane {self.form.text} decreases by {-self.distance} along the flow of "
            f"{self.array} from iteration ({', '.join(map(str, w))}) (line {self.writer.line}) to iteration "
            f"({', '.join(map(str, r))}) (line {self.reader.line})"
        )


class Layouts(Struct, frozen=True):
    """All records, what makes the tiling illegal, and what else should be said."""

    arrays: tuple[MarsArray, ...]
    violations: tuple[Violation, ...]
    actual: tuple[ActualSet, ...]
    notes: tuple[str, ...]
    flow: Dataflow  # of the interior
    border: Dataflow  # of the nest as it is
    apart: bool = False  # no tile lies inside all statements


def planes(forms: Sequence[TileForm], a: NestAccess) -> tuple[Vector, ...]:
    """The hyperplanes over the iterators of one access, each with its constant."""
    shift = a.shift or (0,) * len(forms)
    return tuple(
        (*(f.form.coefficient(n) for n in a.iterators), f.form.const + c) for f, c in zip(forms, shift, strict=True)
    )


class Tiled:
    """A nest under a tiling: its interior, dataflow, and questions about rows and lattices."""

    def __init__(
        self, accesses: Sequence[NestAccess], forms: Sequence[TileForm], tile_loops: Sequence[str] = ()
    ) -> None:
        self.accesses = {a.id: a for a in accesses}
        self.forms = tuple(forms)
        self.sizes = tuple(f.size for f in forms)
        self.names = tuple(dict.fromkeys(n for a in accesses for n in a.iterators))
        self._free = frozenset(tile_loops)
        self.interior: dict[int, Interior] = {a.id: relaxed(a.domain, self.tiled_directions(a)) for a in accesses}
        inner = [replace(a, domain=self.interior[a.id].domain) for a in accesses if not self.interior[a.id].face]
        self.flow = dataflow(inner)
        self.border = dataflow(accesses)

    def rows(self, a: NestAccess) -> tuple[Vector, ...]:
        """The hyperplanes over the iterators of one access."""
        return tuple(plane[:-1] for plane in planes(self.forms, a))

    def opened(self, a: NestAccess) -> str:
        """The interior of an access, or what its face bounds when only border tiles have it."""
        inside = self.interior[a.id]
        return opened(a.domain, self.tiled_directions(a)) if inside.face else inside.domain

    def planes(self, a: NestAccess) -> tuple[Vector, ...]:
        """The hyperplanes over the iterators of one access, each with its constant."""
        return planes(self.forms, a)

    def tiled_directions(self, a: NestAccess) -> tuple[Vector, ...]:
        """Normals of borders that an interior tile does not see: the hyperplanes and the source's tile loops."""
        loops = [tuple(int(n == m) for m in a.iterators) for n in a.iterators if n in self._free]
        return (*self.rows(a), *loops)

    def widened(self, a: NestAccess, normal: Vector) -> Vector:
        """A normal over the iterators of ``a`` as one over all names."""
        known = dict(zip(a.iterators, normal, strict=True))
        return tuple(known.get(n, 0) for n in self.names)

    def lattice(self, members: Sequence[tuple[NestAccess, Interior]]) -> tuple[Vector, ...]:
        """Tile translations that keep the interiors of ``members``."""
        normals = [self.widened(a, n) for a, inside in members for n in inside.normals]
        rows = [tuple(f.form.coefficient(n) for n in self.names) for f in self.forms]
        return translations(rows, self.sizes, list(dict.fromkeys(normals)), len(self.names))

    def reading(self, a: NestAccess, domain: str, relation: str, space: int) -> TileTouch:
        """A touch of data by ``a``."""
        return TileTouch(a.iterators, domain, relation, space, self.planes(a))

    def making(self, a: NestAccess, domain: str) -> TileTouch:
        """The instances of a write as data points."""
        its = ", ".join(a.iterators)
        return TileTouch(a.iterators, domain, f"{{ [{its}] -> [{its}] }}", a.id, self.planes(a))


def layouts(
    accesses: Sequence[NestAccess],
    forms: Sequence[TileForm],
    facts: Mapping[str, ArrayFacts],
    options: MarsOptions | None = None,
    tile_loops: Sequence[str] = (),
    advise: bool = True,
) -> Layouts:
    """MARS of all arrays of a nest. ``accesses`` leave out arrays whose facts name a fault.

    ``tile_loops``: iterators of the source's own tile loops, whose borders the interior does not see.

    Raises TooHard when dataflow itself is out of reach.
    """
    options = options or MarsOptions()
    tiled = Tiled(accesses, forms, tile_loops)
    notes: list[str] = []
    violations = _violations(tiled)
    apart = not has_common_interior([(a.domain, tiled.planes(a)) for a in accesses if not tiled.interior[a.id].face])
    records: list[MarsArray] = []
    for name, known in facts.items():
        if known.fault is not None:
            blank = _blank(known, "flow" if _written(accesses, name) else "input")
            records.append(replace(blank, accepted=False, reason=known.fault))
            continue
        if apart:
            blank = _blank(known, "input")
            reason = "guards split the nest so that no tile lies inside all of its statements"
            records.append(replace(blank, accepted=False, reason=reason))
            continue
        records += _inputs(tiled, name, known, options)
        records += _flows(tiled, name, known, options, violations)
        records += _faces(tiled, name, known, options, notes)
    actual = _actual(tiled, facts, notes) if options.enumerate else ()
    if advise:
        notes += _advice(accesses, forms, facts, tile_loops, records)
    return Layouts(
        tuple(records), tuple(violations), actual, tuple(dict.fromkeys(notes)), tiled.flow, tiled.border, apart
    )


def of_classes(
    tiled: Tiled,
    facts: Mapping[str, ArrayFacts],
    options: MarsOptions,
    basis: tuple[Vector, ...],
    classes: tuple[Vector, ...],
) -> tuple[MarsArray, ...]:
    """Records for each of the given residue classes of tiles, the same classes for all arrays."""
    records: list[MarsArray] = []
    for name, known in facts.items():
        records += _inputs(tiled, name, known, options, (basis, classes))
        records += _flows(tiled, name, known, options, (), (basis, classes))
    return tuple(records)


def _advice(
    accesses: Sequence[NestAccess],
    forms: Sequence[TileForm],
    facts: Mapping[str, ArrayFacts],
    tile_loops: Sequence[str],
    records: Sequence[MarsArray],
) -> list[str]:
    """Sizes that give larger sets, where the given ones cut the data into crumbs or into several classes."""
    inner = [r for r in records if r.accepted and r.boundary is None]
    crumbs = [r for r in inner if len(r.sets) > 3 and r.footprint and sum(m.size for m in r.sets) < 2 * len(r.sets)]
    split = [r for r in inner if r.residue_classes > 1]
    if not crumbs and not split:
        return []
    sizes = [f.size for f in forms]
    even = [s + s % 2 for s in sizes]
    tried = [[max(sizes)] * len(sizes), [min(sizes)] * len(sizes), even, [max(even)] * len(even)]
    for other in dict.fromkeys(tuple(t) for t in tried if t != sizes):
        changed = [replace(f, size=s) for f, s in zip(forms, other, strict=True)]
        arrays = layouts(accesses, changed, facts, MarsOptions(exact=False), tile_loops, advise=False).arrays
        said = []
        for r in crumbs or split:
            same = [x for x in arrays if (x.name, x.kind, x.boundary) == (r.name, r.kind, None) and x.accepted]
            if same and len(same[0].sets) < len(r.sets) and same[0].residue_classes <= r.residue_classes:
                said.append(f"{r.name} {len(same[0].sets)} MARS instead of {len(r.sets)}")
            elif same and same[0].residue_classes < r.residue_classes:
                said.append(f"{r.name} one class of tiles instead of {r.residue_classes}")
        if said:
            text = ",".join(f"{f.text}:{s}" for f, s in zip(forms, other, strict=True))
            gain = ", ".join(dict.fromkeys(said))
            return [f"the sizes cut the data into small sets or several classes of tiles; {text} gives {gain}"]
    return []


def _written(accesses: Sequence[NestAccess], name: str) -> bool:
    return any(a.array == name and a.kind == "write" for a in accesses)


def _blank(known: ArrayFacts, kind: str, cls: str = "unknown") -> MarsArray:
    return MarsArray(known.name, True, None, kind, cls, known.line, element_bits=known.element_bits, copy=known.copy)  # type: ignore[arg-type]


def _violations(tiled: Tiled) -> list[Violation]:
    violations = []
    for d in tiled.border.dependences:
        reader, writer = tiled.accesses[d.reader], tiled.accesses[d.writer]
        for form, at_reader, at_writer in zip(tiled.forms, tiled.planes(reader), tiled.planes(writer), strict=True):
            bad = violation(d, at_reader, at_writer)
            if bad is not None:
                where = (bad[1]["reader"], bad[1]["writer"])
                violations.append(Violation(form, reader.array, reader, writer, bad[0], where))
    return violations


def _class(functions: Sequence[tuple[tuple[Vector, ...], Vector]] | None) -> str:
    """uniform, uniformly-intersecting or affine (requirements of Definition 3.2)."""
    if not functions:
        return "affine"
    parts = {a for a, _ in functions}
    if len(parts) > 1:
        return "affine"
    (matrix,) = parts
    square = all(len(row) == len(matrix) for row in matrix)
    identity = square and all(row[j] == int(i == j) for i, row in enumerate(matrix) for j in range(len(row)))
    return "uniform" if identity else "uniformly-intersecting"


_Use = tuple[NestAccess, Interior, str, str, int]  # access, its interior, domain, relation, space
_Classes = tuple[tuple[Vector, ...], tuple[Vector, ...]]  # translations and one tile of each class


def _inputs(
    tiled: Tiled, name: str, known: ArrayFacts, options: MarsOptions, given: _Classes | None = None
) -> list[MarsArray]:
    uses: list[_Use] = []
    for ident, domain in tiled.flow.outside:
        a = tiled.accesses[ident]
        if a.array == name:
            uses.append((a, tiled.interior[ident], domain, a.map, 0))
    if not uses:
        return []
    return _decomposed(tiled, _blank(known, "input"), uses, (), {}, options, given)


def _flows(
    tiled: Tiled,
    name: str,
    known: ArrayFacts,
    options: MarsOptions,
    violations: Sequence[Violation],
    given: _Classes | None = None,
) -> list[MarsArray]:
    uses: list[_Use] = []
    writers: dict[int, NestAccess] = {}
    for d in tiled.flow.dependences:
        a = tiled.accesses[d.reader]
        if a.array == name:
            uses.append((a, tiled.interior[d.reader], tiled.interior[d.reader].domain, d.relation, d.writer))
            writers[d.writer] = tiled.accesses[d.writer]
    if not uses:
        return []
    blank = _blank(known, "flow")
    wrong = next((v for v in violations if v.array == name), None)
    if wrong is not None:
        return [replace(blank, accepted=False, reason=str(wrong))]
    makes = tuple(tiled.making(w, tiled.interior[w.id].domain) for w in writers.values())
    images = {w.id: w.map for w in writers.values()}
    return _decomposed(tiled, blank, uses, makes, images, options, given)


def _faces(tiled: Tiled, name: str, known: ArrayFacts, options: MarsOptions, notes: list[str]) -> list[MarsArray]:
    """Values from outside the nest that only tiles at a border read: the face where most reads find them."""
    interior = {ident for ident, _ in tiled.flow.outside}
    faces: dict[str, list[_Use]] = {}
    for ident, domain in tiled.border.outside:
        a = tiled.accesses[ident]
        if a.array != name or ident in interior:
            continue
        for piece in convex_pieces(domain):
            whole = relaxed(piece, tiled.rows(a))
            inside = relaxed(piece, tiled.rows(a), along=True)
            if not whole.face:
                notes.append(
                    f"{known.name}: values from outside the nest are read in a border layer that is not described"
                )
            elif not inside.parameters:
                faces.setdefault(inside.domain, []).append((a, inside, inside.domain, a.map, 0))
    if not faces:
        return []
    main = max(faces, key=lambda face: len(faces[face]))
    others = [_equalities(face) for face in faces if face != main]
    if others:
        notes.append(f"{known.name}: border tiles read values from outside the nest at {', '.join(others)} too")
    blank = replace(_blank(known, "input"), boundary=_equalities(main))
    arrays = _decomposed(tiled, blank, faces[main], (), {}, options)
    if not all(r.accepted for r in arrays):
        notes.append(f"{known.name}: no layout for its values from outside at {blank.boundary}: {arrays[0].reason}")
        return []
    return arrays


def _equalities(face: str) -> str:
    inner = face[face.index("[") + 1 : face.rindex("]")]
    fixed = [part.strip() for part in inner.split(",") if "=" in part]
    return " and ".join(fixed) or face


def _decomposed(
    tiled: Tiled,
    blank: MarsArray,
    uses: Sequence[_Use],
    makes: Sequence[TileTouch],
    images: Mapping[int, str],
    options: MarsOptions,
    given: _Classes | None = None,
) -> list[MarsArray]:
    functions = [(u, matrices(u[3])) for u in uses]
    known = [f for _, fs in functions for f in fs or ()]
    blank = replace(blank, cls=_class(known if all(fs is not None for _, fs in functions) else None))
    loose = sorted({p for _, inside, _, _, _ in uses for p in inside.parameters})
    if loose:
        reason = f"the size of its footprint depends on {', '.join(loose)}: tile the loops that they bound"
        return [replace(blank, accepted=False, reason=reason)]
    try:
        footprints = Footprints(
            tiled.sizes, [tiled.reading(a, domain, relation, space) for a, _, domain, relation, space in uses], makes
        )
        if footprints.is_empty():
            return []
        if given is None:
            basis = tiled.lattice([(a, inside) for a, inside, _, _, _ in uses])
            inv = invariance(footprints, basis, bool(makes), len(tiled.sizes))
        else:
            inv = along(footprints, *given, bool(makes))
        if isinstance(inv, Refused):
            return [_refused(blank, inv, functions)]
        if makes:
            problem = reads_match(inv)
            if problem is not None:
                return [replace(blank, accepted=False, reason=problem)]
        return list(describe(blank, footprints, inv, images, options))
    except TooHard as error:
        return [replace(blank, accepted=False, reason=f"not decided within the effort limit ({error})")]


def _refused(
    blank: MarsArray,
    refused: Refused,
    functions: Sequence[tuple[_Use, tuple[tuple[tuple[Vector, ...], Vector], ...] | None]],
) -> MarsArray:
    """The refusal with the two accesses that move differently, and their null spaces."""
    shown: list[tuple[int, str, tuple[Vector, ...], int]] = []
    for (a, _, _, _, _), fs in functions:
        for matrix, _ in fs or ():
            if all(matrix != m for _, _, m, _ in shown):
                shown.append((a.line, a.text or a.array, matrix, len(a.iterators)))
    shown = shown[:2]
    evidence = rejection(refused, shown)
    text = refused.reason
    if len(shown) == 2:
        nulls = [_space(s) for s in evidence.null_spaces]
        first, second = shown
        text = (
            f"not position independent: {first[1]} (line {first[0]}, null space {nulls[0]}) and {second[1]} "
            f"(line {second[0]}, null space {nulls[1]}) move differently from tile to tile"
        )
    elif len(shown) == 1:
        text += f" ({shown[0][1]}, line {shown[0][0]}, null space {_space(evidence.null_spaces[0])})"
    if refused.tiles:
        first_tile, other_tile = refused.tiles
        here, there = refused.footprints
        text += f"; tile {_vector(first_tile)} touches {here} elements, tile {_vector(other_tile)} {there}"
        if here == there:
            text += " of another shape"
    return replace(blank, accepted=False, reason=text, rejection=evidence)


def _vector(v: Sequence[int]) -> str:
    return f"({', '.join(map(str, v))})"


def _space(basis: Sequence[Vector]) -> str:
    return "{0}" if not basis else "span{" + ", ".join(_vector(v) for v in basis) + "}"


def _actual(tiled: Tiled, facts: Mapping[str, ArrayFacts], notes: list[str]) -> tuple[ActualSet, ...]:
    """The actual tiles, borders included, whether or not a position-independent answer exists."""
    actual: list[ActualSet] = []
    for name, known in facts.items():
        if known.fault is not None:
            continue
        reads = [
            tiled.reading(tiled.accesses[i], domain, tiled.accesses[i].map, 0)
            for i, domain in tiled.border.outside
            if tiled.accesses[i].array == name
        ]
        flows: list[TileTouch] = []
        writers: dict[int, TileTouch] = {}
        for d in tiled.border.dependences:
            reader, writer = tiled.accesses[d.reader], tiled.accesses[d.writer]
            if reader.array == name:
                flows.append(tiled.reading(reader, reader.domain, d.relation, d.writer))
                writers[d.writer] = tiled.making(writer, writer.domain)
        for kind, touches, makes in (("input", reads, []), ("flow", flows, list(writers.values()))):
            if not touches:
                continue
            try:
                sets = Footprints(tiled.sizes, touches, makes).actual()
            except TooHard as error:
                notes.append(f"{name}: the actual tiles were not enumerated ({error})")
                continue
            if sets is None:
                notes.append(f"{name}: the actual tiles are unknown (a bound is no constant) or too many to enumerate")
                continue
            for producer, b in sets:
                actual.append(ActualSet(name, kind, b.size, b.consumers, producer))  # type: ignore[arg-type]
    return tuple(actual)
