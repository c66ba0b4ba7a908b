"""C of a chosen candidate: load, compute and store of neighbouring steps at once, on two sets of buffers in turn.

One loop runs over the phases. In phase k step k is loaded, step k-1 computed and step k-2 stored; what moves every p
steps has its turn every p phases. Which of the two buffers of an operand is computed on is the parity of the tile in
use; it is tested outside of the calls, so that each of them names its buffers. Stores stand before loads: a tile that
leaves unfinished and comes back is in memory before it is read again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hlspart.expand.region import Refusal
from hlspart.explore.compute import Compute
from hlspart.explore.copies import Copies
from hlspart.explore.frame import PAD, RegionFrame, counting
from hlspart.explore.nests import ReadNest
from hlspart.model.exploring import ExternalMemory, Operand, Vector
from hlspart.model.program import (
    Declare,
    Program,
)
from hlspart.model.source import Edit, Span, apply_edits
from hlspart.rewrite.names import Names


@dataclass(frozen=True)
class Emitted:
    """A region's functions and the block that stands for its nest; names of the functions, by operand."""

    functions: tuple[str, ...]
    block: tuple[str, ...]
    loads: Mapping[str, str]
    stores: Mapping[str, str]
    compute: str


def write(
    program: Program, chosen: Sequence[tuple[ReadNest, Vector]], off_chip: ExternalMemory
) -> tuple[dict[str, str], list[Emitted]]:
    """The files that change, with each nest in its steps, and what was written.

    Raises :class:`Refusal` where a text cannot be moved.
    """
    regions = []
    names = Names.of(program)
    edits: dict[str, list[Edit]] = {}
    for written, vector in chosen:
        source = program.sources[written.loops[0].at.span.path]
        done = _Writer(program, written, vector, off_chip, names).write()
        regions.append(done)
        at = written.loops[0].at.span
        line = source.line_text(source.line_column(at.start)[0])
        indent = line[: len(line) - len(line.lstrip())]
        block = ("\n" + indent).join(done.block)
        before = source.line_span(source.line_column(written.function.at.span.start)[0]).start
        newline = "\r\n" if "\r\n" in source.text else "\n"
        edits.setdefault(source.path, []).extend((
            Edit(Span(source.path, before, before), "\n".join([*done.functions, "", ""]).replace("\n", newline)),
            Edit(at, block.replace("\n", newline)),
        ))  # fmt: skip
    return {path: apply_edits(program.sources[path], found) for path, found in edits.items()}, regions


class _Writer:
    def __init__(
        self, program: Program, written: ReadNest, vector: Vector, off_chip: ExternalMemory, names: Names
    ) -> None:  # fmt: skip
        self.frame = RegionFrame(program, written, vector, off_chip, names)

    # ---------------------------------------------------------------------------------- parts

    def write(self) -> Emitted:
        """The functions of the region, and its block."""
        if not self.frame.w.function.signature.editable:
            raise Refusal("macro", f"a macro makes the head of {self.frame.w.function.name}", self.frame.w.loops[0].at)
        functions: list[str] = []
        loads, stores = {}, {}
        for operand, move in zip(self.frame.nest.operands, self.frame.cost.moves, strict=True):
            if move.loaded:
                loads[operand.name] = name = self.frame.names.free(f"{self.frame.stem}_load_{operand.name}")
                functions += Copies(self.frame).copy(name, operand, True)
            if move.stored:
                stores[operand.name] = name = self.frame.names.free(f"{self.frame.stem}_store_{operand.name}")
                functions += Copies(self.frame).copy(name, operand, False)
        compute = self.frame.names.free(f"{self.frame.stem}_compute")
        functions += Compute(self.frame).function(compute)
        block = tuple(self._block(loads, stores, compute))
        return Emitted(tuple(functions), block, loads, stores, compute)

    def _block(self, loads: dict[str, str], stores: dict[str, str], compute: str) -> list[str]:
        n = self.frame.cost.steps
        pairs = list(zip(self.frame.nest.operands, self.frame.cost.moves, strict=True))
        lines = ["{"]
        buffers: dict[str, tuple[str, ...]] = {}
        for operand, move in pairs:
            wanted = [self.frame.names.free(f"{operand.name}_{c}") for c in "ab"[: move.copies]]
            buffers[operand.name] = tuple(wanted)
            for name in wanted:
                lines.append(f"{PAD}{self.frame.type(operand)} {name}{self.frame.extents(operand)};")
                for d in range(len(self.frame.spread_of(operand))):
                    lines.append(f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={d + 1}")
        periods = sorted({m.period for _, m in pairs if m.copies == 2})
        turn = {p: self.frame.names.free(f"turn{i}") for i, p in enumerate(periods)}
        lines.append(PAD + counting(self.frame.phase, n + 2))
        for p in periods:  # the parity of the tile in use
            over = f"({self.frame.phase} + {2 * p - 1}) / {p}" if p > 1 else f"({self.frame.phase} + 1)"
            lines.append(f"{PAD * 2}const int {turn[p]} = {over} % 2;")
        for parities in itertools.product((0, 1), repeat=len(periods)):
            now = dict(zip(periods, parities, strict=True))
            tests = " && ".join(f"{turn[p]} == {q}" for p, q in now.items())
            calls = list(self._calls(pairs, buffers, now, loads, stores, compute))
            depth = 3 if tests else 2
            if tests:
                lines.append(f"{PAD * 2}if ({tests}) {{")
            lines += [PAD * depth + c for c in calls]
            if tests:
                lines.append(PAD * 2 + "}")
        lines.append(PAD + "}")
        for loop in self.frame.w.loops:
            if not isinstance(loop.init, Declare) and (v := self.frame.counter(loop)) is not None:
                k = self.frame.w.loops.index(loop)
                lines.append(
                    f"{PAD}{v.name} = {self.frame.w.starts[k] + self.frame.w.strides[k] * self.frame.nest.extents[k]};"
                )
        return [*lines, "}"]

    def _calls(
        self, pairs: Sequence[tuple[Operand, object]], buffers: dict[str, tuple[str, ...]], now: dict[int, int],
        loads: dict[str, str], stores: dict[str, str], compute: str,
    ) -> Iterator[str]:  # fmt: skip
        n, phase = self.frame.cost.steps, self.frame.phase

        def buffer(operand: Operand, used: bool) -> str:
            move = self.frame.cost.moves[self.frame.nest.operands.index(operand)]
            if move.copies == 1:
                return buffers[operand.name][0]
            return buffers[operand.name][now[move.period] if used else 1 - now[move.period]]

        for operand, move in zip(self.frame.nest.operands, self.frame.cost.moves, strict=True):
            if operand.name in stores:
                every = f" && ({phase} - 1) % {move.period} == 0" if move.period > 1 else ""
                given = f"{self.frame.variable(operand).name}, {buffer(operand, False)}, {phase} - 2"
                yield f"if ({phase} >= 2{every}) {stores[operand.name]}({given});"
        for operand, move in zip(self.frame.nest.operands, self.frame.cost.moves, strict=True):
            if operand.name in loads:
                test = f"{phase} < {n}" + (f" && {phase} % {move.period} == 0" if move.period > 1 else "")
                given = f"{self.frame.variable(operand).name}, {buffer(operand, False)}, {phase}"
                yield f"if ({test}) {loads[operand.name]}({given});"
        values = [v.name for v in self.frame.w.scalars] + [buffer(o, True) for o in self.frame.nest.operands]
        yield f"if ({phase} >= 1 && {phase} <= {n}) {compute}({', '.join([*values, f'{phase} - 1'])});"
