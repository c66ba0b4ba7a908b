"""DSP blocks, flip-flops and LUTs of scheduled operations, and their sums over a function.

DSP blocks are those of the operator table and of the widths that integer products need. Flip-flops and LUTs are
estimates: operators as reports list them, registers by the states that values live through, multiplexers by accesses
of a port, the controller by states and modules, with constants that one half of a public set of functions decided
(``docs/ii-rules.md`` has the error on the other half).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from hlspart.lowering.graph import Op
from hlspart.predict.blocks import in_blocks
from hlspart.schedule.problem import Problem, Schedule
from hlspart.targets import Target

# (FF, LUT) of one floating-point operator, 32 and 64 bits (public reports, UltraScale+)
_FLOATS: Mapping[str, tuple[int, int]] = {
    "fadd": (227, 214), "fadd.nodsp": (243, 338), "fmul": (128, 135), "fdiv": (394, 802), "fcmp": (66, 66),
    "fsqrt": (254, 463), "fmath": (500, 1200), "dadd": (445, 781), "dmul": (312, 203), "ddiv": (1700, 3200),
    "dcmp": (130, 240), "dsqrt": (1700, 3000), "dmath": (2500, 6000),
}  # fmt: skip


class Datapath(Struct, frozen=True):
    """What the operations of a loop, of straight-line code or of a function are built of.

    ``units``: (number, DSP blocks, FF, LUT) by kind of operators that parts of a function share: floating point and
    products with DSP blocks. ``luts``: of the others; ``registers``: bits that live through a state; ``choices``: bits
    that ports choose among; ``states`` of the controller; ``modules`` that it starts; ``held``: bits that are loaded
    ahead of a loop.
    """

    units: Mapping[str, tuple[int, int, int, int]] = field(default_factory=dict)
    luts: int = 0
    registers: int = 0
    choices: int = 0
    states: int = 0
    modules: int = 0
    held: int = 0

    @property
    def dsp(self) -> int:
        """DSP blocks."""
        return sum(n * each for n, each, _, _ in self.units.values())

    @property
    def ff(self) -> int:
        """Flip-flops, estimated."""
        operators = sum(n * each for n, _, each, _ in self.units.values())
        return round(0.8 * operators + self.registers + self.held + 8 * (self.states + self.modules))

    @property
    def lut(self) -> int:
        """LUTs, estimated; products and sums of floating point are listed with few of theirs."""
        operators = sum(n * each for n, _, _, each in self.units.values())
        steps = 20 * self.states + 25 * self.modules
        return round(0.15 * operators + 0.6 * self.luts + self.registers + 1.25 * self.choices + steps)


def datapath(problem: Problem, schedule: Schedule, target: Target) -> Datapath:
    """What one scheduled graph is built of; shared units once, and single operations each."""
    luts = registers = 0
    once = dict(schedule.units)
    ops = problem.graph.ops
    units: dict[str, tuple[int, int, int, int]] = {}
    products = in_blocks(problem.graph, target).products
    for ident, timing in problem.timing.items():
        op = ops[ident]
        time = target.operator(op.kind, op.bits, op.impl, op.operands)
        copies = 1 if timing.unit is None else once.pop(timing.unit, 0)
        ff, lut = _operator(op, timing.states)
        blocks = 1 if ident in products else time.dsp if time is not None else 0
        if blocks or timing.unit is not None:
            kind = timing.unit or f"{op.kind} {op.operands} {op.bits} {op.impl} {ident in products}"
            units[kind] = (units.get(kind, (0,))[0] + copies, blocks, ff, lut)
        else:
            luts += copies * lut
    last: dict[int, int] = {}
    for edge in problem.graph.edges:
        if edge.kind == "data":
            until = schedule.start[edge.sink] + schedule.ii * edge.distance
            last[edge.source] = max(last.get(edge.source, 0), until)
    for ident, until in last.items():
        alive = until - (schedule.start[ident] + problem.timing[ident].states - 1)
        registers += ops[ident].bits * math.ceil(max(0, alive) / schedule.ii)
    users: dict[str, int] = {}
    for ident, use in problem.ports.items():
        for bank in use.banks:
            users[bank] = users.get(bank, 0) + ops[ident].bits
    choices = sum(users.values()) // 3
    return Datapath(units, luts, registers, choices, schedule.depth, 1)


def _operator(op: Op, states: int) -> tuple[int, int]:
    """(FF, LUT) of one operator."""
    name = f"{op.kind}.{op.impl}" if op.impl else op.kind
    if (known := _FLOATS.get(name) or _FLOATS.get(op.kind)) is not None:
        return known
    if op.kind in ("add", "sub"):
        return 0, op.bits + 7
    if op.kind == "mul":
        return (op.bits if states > 1 else 0), 20 if op.bits > 10 else op.bits * op.bits // 2
    if op.kind in ("div", "rem"):
        return 12 * op.bits, 8 * op.bits
    if op.kind == "cmp":
        return 0, op.bits // 2 + 4
    if op.kind in ("select", "logic", "shift", "mux"):
        return 0, op.bits * (4 if op.kind == "shift" else 1)
    return 0, 0


def shared(parts: Iterable[Datapath]) -> Datapath:
    """Parts of one function, which run one after another: units serve all of them, the rest adds up."""
    datapaths = list(parts)
    units: dict[str, tuple[int, int, int, int]] = {}
    for part in datapaths:
        for kind, unit in part.units.items():
            units[kind] = max(unit, units.get(kind, unit))
    return Datapath(
        units,
        sum(x.luts for x in datapaths),
        sum(x.registers for x in datapaths),
        sum(x.choices for x in datapaths),
        sum(x.states for x in datapaths),
        sum(x.modules for x in datapaths),
        sum(x.held for x in datapaths),
    )
