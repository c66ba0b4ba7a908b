"""What the functions of a region have in common: names, tiles, positions, and which iterations exist."""

from __future__ import annotations

import math
from collections.abc import Collection

from hlspart.expand.texts import Texts, type_text
from hlspart.explore.records import ReadNest
from hlspart.explore.steps import cost
from hlspart.explore.widths import Copying, copying
from hlspart.model.exploring import ExternalMemory, Operand, StepCost, Vector
from hlspart.model.program import (
    CType,
    Declare,
    ExprStmt,
    Loop,
    Name,
    PointerType,
    Program,
    Variable,
    walk_statements,
)
from hlspart.rewrite.names import Names

PAD = "    "


def counting(name: str, times: int) -> str:
    """The head of a loop."""
    return f"for (int {name} = 0; {name} < {times}; {name}++) {{"


def buffer_name(operand: str) -> str:
    """What functions call the tile of an operand."""
    return f"{operand}_t"


class RegionFrame:
    """Names, types, buffers and positions of one region: what all of its functions speak of."""

    def __init__(
        self, program: Program, written: ReadNest, vector: Vector, off_chip: ExternalMemory, names: Names
    ) -> None:  # fmt: skip
        self.program, self.w, self.vector, self.names = program, written, vector, names
        self.nest, self.off_chip = written.nest, off_chip
        self.slices = vector.slices(self.nest.extents)
        self.cost: StepCost = cost(self.nest, vector, off_chip)
        self.texts = Texts(program, written.function.body)
        self.own = [-(-n // s) for n, s in zip(self.nest.extents, vector.shard, strict=True)]
        self.spread = [k for k, s in enumerate(vector.shard) if s > 1]
        self.woven = self.nest.woven.intersection(self.spread)
        labels = [name for name, _ in self.nest.loops]
        self.x = [names.free(f"{n}_x") for n in labels]  # iteration within a tile
        self.p = [names.free(f"{n}_pe") for n in labels]  # element
        self.t = [names.free(f"{n}_t") for n in labels]  # step
        self.lane, self.phase = names.free("lane"), names.free("step" if self.nest.streams else "phase")
        self.timed = [k for k in vector.order if vector.split[k] > 1]
        self.stem = f"{written.function.name}_{labels[0]}"
        self.inside: list[str] = []

    def variable(self, operand: Operand) -> Variable:
        """The array of an operand."""
        return self.w.windows[self.nest.operands.index(operand)].variable

    def moved(self, operand: Operand) -> list[Variable]:
        """The counters of loops around the nest that its window moves with."""
        dims = self.w.windows[self.nest.operands.index(operand)].moved
        return list({n: self.w.moved[n] for dim in dims for n, _ in dim}.values())

    def shifted(self, operand: Operand, d: int) -> str:
        """What they add to an index."""
        terms = self.w.windows[self.nest.operands.index(operand)].moved[d]
        signed = ((" + " if c > 0 else " - ", abs(c), self.w.moved[n].name) for n, c in terms)
        return "".join(sign + (name if c == 1 else f"{c} * {name}") for sign, c, name in signed)

    def type(self, operand: Operand) -> str:
        """Type of its elements."""
        return type_text(self.program, self.variable(operand).id).rstrip("* ")

    def element(self, operand: Operand) -> CType:
        """What its elements are."""
        array = self.variable(operand).as_array
        return self.variable(operand).type if array is None else array.element

    def array(self, operand: Operand) -> str:
        """The parameter through which a function sees the whole array."""
        v = self.variable(operand)
        kind = ("const " if v.const else "") + self.type(operand)
        if isinstance(v.type, PointerType):
            rows = "".join(f"[{d}]" for d in (v.as_array.dims[1:] if v.as_array is not None else ()))
            return f"{kind} (*{v.name}){rows}" if rows else f"{kind} *{v.name}"
        return f"{kind} {v.name}{''.join('[' + ('' if d is None else str(d)) + ']' for d in v.dims)}"

    def spread_of(self, operand: Operand) -> list[int]:
        """Loops in space that choose its tile."""
        return [k for k in self.spread if k in operand.loops]

    def extents(self, operand: Operand) -> str:
        """Extents of a buffer: the elements that hold tiles of their own, then the tile."""
        sizes = [self.vector.shard[k] for k in self.spread_of(operand)]
        return "".join(f"[{n}]" for n in (*sizes, *(d.words(self.slices) for d in operand.dims)))

    def buffer(self, operand: Operand) -> str:
        """Its parameter in the functions."""
        return buffer_name(operand.name)

    def parameter(self, operand: Operand) -> str:
        """Its declaration in their heads."""
        if operand.in_place:
            return self.array(operand)
        return f"{self.type(operand)} {self.buffer(operand)}{self.extents(operand)}"

    def position(self, k: int, inside: str | None) -> str:
        """First iteration of an element's tile along a loop, or one of its iterations, from 0."""
        if k in self.woven:
            return self._in_turn(k, inside)
        parts = []
        if k in self.spread:
            parts.append(f"{self.p[k]} * {self.own[k]}")
        if self.vector.split[k] > 1:
            parts.append(f"{self.t[k]} * {self.slices[k]}" if self.slices[k] > 1 else self.t[k])
        if inside is not None and self.slices[k] > 1:
            parts.append(inside)
        return " + ".join(parts) or "0"

    def _in_turn(self, k: int, inside: str | None) -> str:
        """The same where elements take iterations in turn."""
        parts = []
        if self.vector.split[k] > 1:
            parts.append(f"{self.t[k]} * {self.slices[k]}" if self.slices[k] > 1 else self.t[k])
        if inside is not None and self.slices[k] > 1:
            parts.append(inside)
        if not parts:
            return self.p[k]
        alone = len(parts) == 1 and (" " not in parts[0] or parts[0].startswith("("))
        text = parts[0] if alone else f"({' + '.join(parts)})"
        return f"{text} * {self.vector.shard[k]} + {self.p[k]}"

    def at(self, k: int, place: int) -> tuple[list[str], list[str]]:
        """Tests for one iteration of a loop: of its element, which unrolled loops decide; of its step and its word."""
        shard = self.vector.shard[k]
        element, own = (place % shard, place // shard) if k in self.woven else divmod(place, self.own[k])
        step, word = divmod(own, self.slices[k])
        inner = ((self.t[k], step, self.vector.split[k]), (self.x[k], word, self.slices[k]))
        first = [f"{self.p[k]} == {element}"] if shard > 1 else []
        return first, [f"{name} == {n}" for name, n, several in inner if several > 1]

    def counts(self, used: Collection[int]) -> list[str]:
        """Parameters that say which slice of each loop a step works on; in a DATAFLOW region they are its number."""
        if self.nest.streams:
            return [f"int {self.phase}"] if any(k in used for k in self.timed) else []
        return [f"int {self.t[k]}" for k in self.timed if k in used]

    def counted(self, used: Collection[int]) -> list[str]:
        """What a function makes of the number of a step."""
        if not self.nest.streams:
            return []
        lines, inner = [], 1
        for at, k in reversed(list(enumerate(self.timed))):
            place = self.phase if inner == 1 else f"{self.phase} / {inner}"
            text = f"{place} % {self.vector.split[k]}" if at else place
            lines += [f"{PAD}const int {self.t[k]} = {text};"] if k in used else []
            inner *= self.vector.split[k]
        return lines

    @property
    def bound(self) -> frozenset[str]:
        """Names that the functions declare themselves, parameters included."""
        names = {*self.x, *self.p, *self.t, *self.inside, self.lane, self.phase}
        for operand in self.nest.operands:
            names |= {self.variable(operand).name, self.buffer(operand), f"{self.buffer(operand)}_part"}
        declared = (v for s in walk_statements(self.w.loops[0]) if isinstance(s, Declare) for v in s.variables)
        iterators = (c.id for loop in self.w.loops if (c := self.counter(loop)) is not None)
        scalars = (v.id for v in (*self.w.scalars, *self.w.moved.values()))
        return frozenset(names | {self.program.variable(v).name for v in (*declared, *iterators, *scalars)})

    def within(self, period: int) -> list[int]:
        """The time loops inside the one that brings a tile every ``period`` steps."""
        axes: list[int] = []
        for k in reversed(self.timed):
            if math.prod(self.vector.split[x] for x in axes) == period:
                break
            axes.append(k)
        return axes

    def copying(self, operand: Operand) -> Copying:
        """How its tiles are copied."""
        size = operand.words(self.slices) * operand.element_bytes
        size *= math.prod(self.vector.shard[k] for k in operand.loops)
        cycles = self.off_chip.latency + -(-size // self.off_chip.width)
        return copying(self.nest, operand, self.vector, self.slices, cycles)

    def is_partial(self, k: int) -> bool:
        """Whether some tile along a loop is not full."""
        return self.own[k] * self.vector.shard[k] != self.nest.extents[k] or (
            self.slices[k] * self.vector.split[k] != self.own[k]
        )

    def real(self, k: int, inside: str) -> list[str]:
        """Conditions under which an iteration of a tile exists and is this element's."""
        if k in self.woven:
            return [f"{self.position(k, inside)} < {self.nest.extents[k]}"] if self.is_partial(k) else []
        conditions = []
        if self.slices[k] * self.vector.split[k] != self.own[k]:
            local = [f"{self.t[k]} * {self.slices[k]}" if self.slices[k] > 1 else self.t[k]]
            local += [inside] if self.slices[k] > 1 else []
            conditions.append(f"{' + '.join(local)} < {self.own[k]}")
        if self.own[k] * self.vector.shard[k] != self.nest.extents[k]:
            conditions.append(f"{self.position(k, inside)} < {self.nest.extents[k]}")
        return conditions

    def word(self, operand: Operand, d: int) -> str:
        """Name of the index along a dimension of a tile."""
        while len(self.inside) <= d:
            self.inside.append(self.names.free(f"d{len(self.inside)}"))
        return self.inside[d]

    def counter(self, loop: Loop) -> Variable | None:
        """The variable that a loop counts with."""
        stmt = loop.init
        if isinstance(stmt, Declare) and stmt.variables:
            return self.program.variable(stmt.variables[0])
        if isinstance(stmt, ExprStmt):
            target = getattr(stmt.expr, "target", None)
            if isinstance(target, Name):
                return self.program.variable(target.variable)
        return None
