"""Arrays in local buffers for the time of a region: copied in before it, and out behind it if they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hlspart.expand.region import Refusal, Region
from hlspart.model.access import Access
from hlspart.model.program import Program, ScalarType, Variable
from hlspart.rewrite.names import Names


class Staged(Struct, frozen=True):
    """The buffer of one array: ``box`` are the elements that the region touches, per dimension."""

    variable: int
    buffer: str
    type: str
    dims: tuple[int, ...]
    box: tuple[tuple[int, int], ...]
    written: bool

    @property
    def words(self) -> int:
        """Elements of the buffer."""
        total = 1
        for d in self.dims:
            total *= d
        return total

    def to_json(self, elements: int) -> dict[str, Any]:
        """JSON; every element holds its share of the words."""
        return {
            "array": self.buffer.removesuffix("_l1"), "buffer": self.buffer, "words_per_pe": -(-self.words // elements),
            "halo": [[low, d - 1 - high] for (low, high), d in zip(self.box, self.dims, strict=True)],
        }  # fmt: skip


def staged(
    region: Region, accesses: Sequence[Access], wanted: Sequence[str], names: Names, capacity: Mapping[str, int],
    elements: int,
) -> tuple[Staged, ...]:  # fmt: skip
    """The buffers of the arrays called ``wanted``. Raises :class:`Refusal` for what cannot be staged."""
    program = region.program
    arrays = []
    for name in wanted:
        mine = [a for a in accesses if program.variable(a.array).name == name and program.variable(a.array).as_array]
        if not mine:
            raise Refusal("capacity", f"the region touches no array {name}", region.loops[0].at)
        variable = program.variable(mine[0].array)
        arrays.append(_staged(region, variable, mine, names))
    words = sum(s.words * _bits(region, s.variable) // 8 for s in arrays)
    limit = capacity.get("L1")
    if limit is not None and -(-words // elements) > limit:
        text = f"the buffers take {-(-words // elements)} bytes per element, L1 has {limit}"
        raise Refusal("capacity", text, region.loops[0].at)
    return tuple(arrays)


def _staged(region: Region, variable: Variable, accesses: Sequence[Access], names: Names) -> Staged:
    dims = region.analysis.shapes.get(variable.id) or variable.dims
    shape = variable.as_array
    if shape is None or not isinstance(shape.element, ScalarType) or any(d is None for d in dims):
        raise Refusal("capacity", f"the extents of {variable.name} are not known", accesses[0].at)
    ranges: list[tuple[int, int]] = []
    for k, extent in enumerate(dims):
        lows, highs = [], []
        for a in accesses:
            low, high = a.range[k] if a.range is not None else (None, None)
            lows.append(0 if low is None else max(0, low))
            highs.append((extent or 1) - 1 if high is None else min(high, (extent or 1) - 1))
        ranges.append((min(lows), max(highs)))
    return Staged(
        variable.id, names.free(f"{variable.name}_l1"), shape.element.name, tuple(d or 1 for d in dims), tuple(ranges),
        any(a.kind == "write" for a in accesses),
    )  # fmt: skip


def _bits(region: Region, variable: int) -> int:
    shape = region.program.variable(variable).as_array
    return shape.element.bits if shape is not None and isinstance(shape.element, ScalarType) else 0


def copies(
    program: Program, buffers: Sequence[Staged], names: Names, indent: str, pragmas: Sequence[str]
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Buffers of staged arrays with what fills them, and what takes their values back."""
    before, behind = list[str](), list[str]()
    for s in buffers:
        name = program.variable(s.variable).name
        before.append(f"{indent}{s.type} {s.buffer}{''.join(f'[{d}]' for d in s.dims)};")
        before += [line for line in pragmas if f"variable={s.buffer} " in line]
        index = [names.free(f"{name}_i{k}") for k in range(len(s.dims))]
        before += copy_box(s.buffer, name, s.box, index, indent)
        if s.written:
            behind += copy_box(name, s.buffer, s.box, index, indent)
    return before, behind


def copy_box(to: str, source: str, box: Sequence[tuple[int, int]], index: Sequence[str], indent: str) -> list[str]:
    """A copy of a scalar (no box) or of the elements of a box, the innermost loop pipelined."""
    if not box:
        return [f"{indent}{to} = {source};"]
    lines = []
    for k, (low, high) in enumerate(box):
        pad = indent + "    " * k
        lines.append(f"{pad}for (int {index[k]} = {low}; {index[k]} < {high + 1}; {index[k]}++) {{")
    at = "".join(f"[{i}]" for i in index)
    lines.append("#pragma HLS PIPELINE")
    lines.append(f"{indent}{'    ' * len(box)}{to}{at} = {source}{at};")
    return lines + [f"{indent}{'    ' * k}}}" for k in reversed(range(len(box)))]
