"""Arguments that several nests of a region use: one copy in before the first of them, one out behind the last."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from hlspart.expand.texts import type_text
from hlspart.explore.frame import PAD, counting
from hlspart.explore.records import HeldArray, ReadNest, named_otherwise
from hlspart.model.exploring import ExternalMemory
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    Declare,
    ExprStmt,
    Function,
    Loop,
    PragmaMark,
    Program,
    Stmt,
    Unary,
    Variable,
    walk,
    walk_statements,
)
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions


def held(
    program: Program, members: Sequence[ReadNest], lanes: Mapping[int, int],
    moving: Collection[str],
) -> tuple[HeldArray, ...]:  # fmt: skip
    """Arguments that several nests of a region use; ``lanes``: words of each that a copy may move at once.

    ``moving``: names of those that are to move with the steps of each nest. None where something between the nests may
    use them, or leave the region.
    """
    if not _is_one_run(program, members[0].function, [n.loops[0] for n in members]):
        return ()
    users: dict[int, list[ReadNest]] = {}
    for nest in members:
        for array in sorted(nest.arrays):
            users.setdefault(array, []).append(nest)
    otherwise = {i for n in members for i in named_otherwise(program, n)}
    done = []
    for array, nests in users.items():
        variable = program.variable(array)
        shape = variable.as_array
        outside = variable.storage not in ("local", "static") and not variable.volatile
        if (
            len(nests) < 2
            or array in otherwise
            or not outside
            or shape is None
            or None in shape.dims
            or variable.name in moving
        ):
            continue
        uses = [
            (o, w)
            for n in nests
            for o, w in zip(n.nest.operands, n.windows, strict=True)
            if not o.private and w.variable.id == array
        ]
        last = shape.dims[-1] or 1
        loaded = not _writes_all(nests[0], array)
        stored = any(o.written for o, _ in uses)
        wide = 1 << (min(lanes.get(array, 1), last).bit_length() - 1)
        done.append(HeldArray(variable, uses[0][0].element_bytes, loaded, stored, wide))
    return tuple(done)


def _is_one_run(program: Program, function: Function, loops: Sequence[Loop]) -> bool:
    """Whether loops stand in one block with nothing between them that uses memory, or leads elsewhere."""
    blocks = [s for s in walk_statements(function.body) if isinstance(s, Block)]
    for body in (b.body for b in (function.body, *blocks)):
        places = [k for k, s in enumerate(body) if s in loops]
        if len(places) == len(loops):
            between = [s for s in body[places[0] : places[-1]] if s not in loops]
            return all(_leaves_memory(program, s) for s in between)
    return False


def _leaves_memory(program: Program, stmt: Stmt) -> bool:
    if isinstance(stmt, PragmaMark):
        return True
    nodes = [e for root in statement_expressions(program, stmt) for e in walk(root)]
    works = any(isinstance(e, Call | ArrayRef) or (isinstance(e, Unary) and e.op == "*") for e in nodes)
    return isinstance(stmt, Declare | ExprStmt) and not works


def _writes_all(nest: ReadNest, array: int) -> bool:
    """Whether a nest writes every element of an array, and needs none of them before."""
    pairs = zip(nest.nest.operands, nest.windows, strict=True)
    uses = [(o, w) for o, w in pairs if not o.private and w.variable.id == array]
    if any(o.read for o, _ in uses):
        return False
    for operand, window in uses:
        every = all(
            len(d.terms) == 1 and d.terms[0][1] == 1 and low == 0 and nest.nest.extents[d.terms[0][0]] == n and exact
            for d, low, n, exact in zip(
                operand.dims, window.low, window.variable.dims, window.exact, strict=True
            )
        )  # fmt: skip
        if every and not any(window.moved):
            return True
    return False


def cycles(arrays: Sequence[HeldArray], off_chip: ExternalMemory) -> int:
    """What their copies take at least."""
    total = 0
    for a in arrays:
        rounds = -(-a.words // a.lanes) if a.lanes > 1 else a.words
        once = max(off_chip.latency + -(-a.words * a.element_bytes // off_chip.width), rounds)
        total += once * (a.loaded + a.stored)
    return total


class HeldMoves(NamedTuple):
    """Calls at a border of a region, with the functions that they call, and their names."""

    calls: list[str]
    functions: list[str]
    names: list[str]


class HeldCopies:
    """Names and functions of the copies of one region's arrays."""

    def __init__(self, program: Program, nest: ReadNest, names: Names) -> None:
        self.program, self.function, self._names = program, nest.function, names
        self.known: dict[int, str] = {}

    def around(self, nest: ReadNest, lanes: dict[tuple[int, int], int]) -> tuple[HeldMoves, HeldMoves]:
        """What stands before a nest of the region, and behind it; ``lanes`` takes words that are moved at once."""
        ahead, behind = HeldMoves([], [], []), HeldMoves([], [], [])
        if nest.first:
            ahead.calls.extend([";"] if nest.held and nest.loops[0].label is not None else [])  # C labels statements
            ahead.calls.extend(self.declared(a) for a in nest.held)
        for array in nest.held:
            for moves, load, here in ((ahead, True, nest.first), (behind, False, nest.last)):
                if here and (array.loaded if load else array.stored):
                    name, text = self.copy(array, load)
                    moves.calls.append(f"{name}({array.variable.name}, {self.name(array)});")
                    moves.functions.extend(text)
                    moves.names.append(name)
                    at = nest.roots.get(array.variable.id, array.variable.id), len(array.dims) - 1
                    if array.lanes > 1:
                        lanes[at] = math.lcm(array.lanes, lanes.get(at, 1))
        return ahead, behind

    def name(self, held: HeldArray) -> str:
        """What the copy on the chip is called."""
        variable = held.variable
        if variable.id not in self.known:
            self.known[variable.id] = self._names.free(f"{variable.name}_held")
        return self.known[variable.id]

    def declared(self, held: HeldArray) -> str:
        """Its declaration."""
        return f"{self._type(held.variable)} {self.name(held)}{_extents(held)};"

    def copy(self, held: HeldArray, load: bool) -> tuple[str, list[str]]:
        """The name of a function that fills it, or that takes its results out, and its text."""
        variable, kind = held.variable, self._type(held.variable)
        name = self._names.free(f"{self.function.name}_{'load' if load else 'store'}_{variable.name}")
        inside, lane = f"{variable.name}_t", self._names.free("lane")
        given = ("const " if load and variable.const else "") + f"{kind} {variable.name}{_extents(held)}"
        lines = [f"static void {name}({given}, {kind} {inside}{_extents(held)}) {{", "#pragma HLS INLINE off"]
        index = [self._names.free(f"d{d}") for d in range(len(held.dims))]
        words = list(index)
        for d, n in enumerate(held.dims):
            last = d == len(held.dims) - 1
            at_once = held.lanes if last else 1
            lines.append(PAD * (d + 1) + counting(index[d], -(-n // at_once)))
            words[d] = f"{index[d]} * {at_once} + {lane}" if at_once > 1 else index[d]
        depth = len(held.dims) + 1
        lines.append("#pragma HLS PIPELINE II=1")
        if held.lanes > 1:
            lines += [PAD * depth + counting(lane, held.lanes), "#pragma HLS UNROLL"]
            depth += 1
        at = "".join(f"[{w}]" for w in words)
        move = f"{inside}{at} = {variable.name}{at};" if load else f"{variable.name}{at} = {inside}{at};"
        test = f"if ({words[-1]} < {held.dims[-1]}) " if held.dims[-1] % held.lanes else ""
        lines += [PAD * depth + test + move, *(PAD * d + "}" for d in range(depth - 1, 0, -1)), "}"]
        return name, lines

    def _type(self, variable: Variable) -> str:
        return type_text(self.program, variable.id).rstrip("* ")


def _extents(held: HeldArray) -> str:
    return "".join(f"[{n}]" for n in held.dims)
