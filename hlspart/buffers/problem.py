"""MiniMalloc's problem files: CSV with a header of ``id,lower,upper,size`` and perhaps ``alignment``.

As its reader does, ``buffer`` and ``buffer_id`` mean ``id``, ``start`` and ``begin`` mean ``lower``, and ``end`` means
``upper`` with the last step included. Other columns are carried to the output.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.buffers.packing import pack
from hlspart.model.buffers import Buffer, CsvError, MemoryBlock, ProblemFile, Sharing

_SAME = {"buffer": "id", "buffer_id": "id", "begin": "lower", "start": "lower", "end": "upper"}
_NEEDED = ("id", "lower", "upper", "size")
_LARGEST = 2**62  # beyond it other readers of the format fail


def read_problem(path: str, text: str) -> ProblemFile | CsvError:
    """The problem in a CSV text, or what is wrong with it."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or not lines[0].strip():
        return CsvError("no header; MiniMalloc's columns are id,lower,upper,size[,alignment]", 1)
    header = tuple(cell.strip() for cell in lines[0].split(","))
    names = [_SAME.get(cell, cell) for cell in header]
    for name in _NEEDED:
        if name not in names:
            return CsvError(f"no column '{name}'; MiniMalloc's columns are id,lower,upper,size[,alignment]", 1)
    if len(set(names)) < len(names):
        return CsvError("two columns of one meaning", 1)
    extra = 1 if "end" in header else 0
    rows: list[tuple[str, ...]] = []
    blocks: dict[str, MemoryBlock] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = tuple(cell.strip() for cell in line.split(","))
        if len(cells) != len(header):
            return CsvError(f"{len(cells)} fields, the header has {len(header)}", number)
        block = _block(dict(zip(names, cells, strict=True)), extra)
        if isinstance(block, tuple):
            name, message = block
            column = 1 + sum(len(cell) + 1 for cell in line.split(",")[: names.index(name)])
            return CsvError(message, number, column)
        if block.name in blocks:
            return CsvError(f"a second buffer '{block.name}'", number)
        blocks[block.name] = block
        rows.append(cells)
    return ProblemFile(path, header, tuple(rows), tuple(blocks.values()))


def _block(cells: dict[str, str], extra: int) -> MemoryBlock | tuple[str, str]:
    """The block of a row, or the column that is wrong and why."""
    values: dict[str, int] = {"alignment": 1}
    for name in ("lower", "upper", "size", "alignment"):
        if name not in cells:
            continue
        try:
            values[name] = int(cells[name])
        except ValueError:
            return name, f"{name} '{cells[name]}' is no integer"
        if abs(values[name]) > _LARGEST:
            return name, f"{name} {values[name]} is too large"
    upper, align = values["upper"] + extra, values["alignment"]
    if upper <= values["lower"]:
        return "upper", f"the lifetime {values['lower']}..{values['upper']} is empty"
    if values["size"] < 0:
        return "size", f"size {values['size']} is negative"
    if align < 1 or align & (align - 1):
        return "alignment", f"alignment {align} is no power of two"
    return MemoryBlock(cells["id"], values["lower"], upper, values["size"], align)


def solve(problem: ProblemFile, capacity: int | None = None) -> Sharing:
    """Offsets for the blocks of a problem; with ``capacity``, any that do not exceed it will do."""
    packing = pack(problem.blocks, capacity)
    buffers = tuple(
        Buffer(b.name, b.lower, b.upper - 1, b.size, at, b.align)
        for b, at in zip(problem.blocks, packing.offsets, strict=True)
    )
    unshared = sum(b.size for b in problem.blocks)
    return Sharing(buffers, packing.height, packing.bound, unshared, packing.proved, packing.method)


def write_solution(problem: ProblemFile, offsets: Sequence[int]) -> str:
    """The problem's rows with a last column ``offset``, as MiniMalloc writes them; an old such column is replaced."""
    keep = [k for k, name in enumerate(problem.header) if name != "offset"]
    lines = [[*(problem.header[k] for k in keep), "offset"]]
    lines += [[*(row[k] for k in keep), str(at)] for row, at in zip(problem.rows, offsets, strict=True)]
    return "".join(",".join(line) + "\n" for line in lines)
