"""C of a chosen candidate: load, compute and store of neighbouring steps at once, on two sets of buffers in turn.

One loop runs over the phases. In phase k step k is loaded, step k-1 computed and step k-2 stored; what moves every p
steps has its turn every p phases. Which of the two buffers of an operand is computed on is the parity of the tile in
use; it is tested outside of the calls, so that each of them names its buffers. Stores stand before loads: a tile that
leaves unfinished and comes back is in memory before it is read again.

A nest that streams has a loop over its steps instead, each a DATAFLOW region of one call of every function; the tool
doubles the buffers between them. What stays on the chip is loaded before.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.expand.texts import known_there_only, type_text
from hlspart.explore.compute import Compute
from hlspart.explore.copies import Copies
from hlspart.explore.frame import PAD, RegionFrame, counting
from hlspart.explore.held import HeldCopies, HeldMoves
from hlspart.explore.leftover import unnamed
from hlspart.explore.records import ReadNest
from hlspart.explore.sums import given_before, named_outside
from hlspart.model.exploring import ExternalMemory, Operand, Vector
from hlspart.model.program import (
    Declare,
    Function,
    Program,
    Variable,
)
from hlspart.model.source import Edit, Span, apply_edits
from hlspart.rewrite.names import Names
from hlspart.semantics.places import before

_NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")


class Emitted(Struct, frozen=True):
    """A region's functions and the block that stands for its nest; names of the functions, by operand.

    ``whole``: name of the one that has all steps, where the block calls it. ``held``: names of those that copy what its
    region keeps on the chip.
    """

    functions: tuple[str, ...]
    block: tuple[str, ...]
    loads: Mapping[str, str]
    stores: Mapping[str, str]
    compute: str
    whole: str | None = None
    held: tuple[str, ...] = ()


def write(
    program: Program, chosen: Sequence[tuple[ReadNest, Vector]], off_chip: ExternalMemory, share: bool = False,
    beside: Collection[int] = (), apart: Collection[int] = (), moves: bool = True,
) -> tuple[dict[str, str], list[Emitted]]:  # fmt: skip
    """The files that change, with each nest in its steps, and what was written.

    ``share``: nests call the functions of an earlier one that are theirs but for the names of variables. ``beside``:
    numbers of those that run at once with a neighbour: functions, since a tool starts calls at once, not loops.
    ``apart``: variables whose copies move no words at once that lie side by side in a tile. ``moves``: with loads and
    stores; without them, and with one copy of each buffer, the text is good for figures of an iteration alone.

    Raises :class:`Refusal` where a text cannot be moved.
    """
    regions: list[Emitted] = []
    known: dict[tuple[str, ...], Emitted] = {}
    lanes: dict[tuple[int, int], int] = {}  # variable, dimension -> words that are moved at once
    names, holding = Names.of(program), dict[int, HeldCopies]()  # by their arrays, which nests of a region share
    edits: dict[str, list[Edit]] = {}
    blocks: list[list[str]] = []
    borders: list[tuple[HeldMoves | None, HeldMoves | None]] = []
    for number, (written, vector) in enumerate(chosen):
        if apart:
            written = _apart(written, apart)
        copies = holding.setdefault(id(written.held), HeldCopies(program, written, names))
        writer = _Writer(program, written, vector, off_chip, names, lanes, copies, moves)
        done = writer.write(known if share else {}, number in beside)
        ahead, behind = copies.around(written, lanes) if moves else (None, None)
        if ahead is not None and behind is not None:
            texts = (*done.functions, *ahead.functions, *behind.functions)
            done = replace(done, functions=texts, held=(*ahead.names, *behind.names))
        borders.append((ahead, behind))
        regions.append(done)
        blocks.append(list(done.block))
    unused = unnamed(program, [w for w, _ in chosen], ["\n".join(b) for b in blocks]) if moves else ()
    for lines, variables in zip(blocks, unused, strict=False):
        lines[1:1] = [PAD + " ".join(f"(void){name};" for name in variables)] if variables else []
    for lines, (ahead, behind) in zip(blocks, borders, strict=True):
        lines[:] = [*(ahead.calls if ahead else ()), *lines, *(behind.calls if behind else ())]
    for (written, _), done, lines in zip(chosen, regions, blocks, strict=True):
        source = program.sources[written.loops[0].at.span.path]
        at = written.loops[0].at.span
        line = source.line_text(source.line_column(at.start)[0])
        indent = line[: len(line) - len(line.lstrip())]
        block = ("\n" + indent).join(lines)
        head = before(source.text, written.function.at.span.start)
        first = "" if source.text[:head].rstrip(" \t")[-1:] in ("", "\n") else "\n"
        edits.setdefault(source.path, []).extend((
            *([Edit(Span(source.path, head, head),
                    first + "\n".join([*done.functions, "", ""]))] if done.functions else []),
            Edit(at, block),
        ))  # fmt: skip
    for (array, dim), n in lanes.items():
        function = program.functions.get(program.variable(array).function or "", chosen[0][0].function)
        _interface(program, function, array, dim, n, edits)
    return {path: apply_edits(program.sources[path], changes) for path, changes in edits.items()}, regions


def _apart(written: ReadNest, variables: Collection[int]) -> ReadNest:
    pairs = zip(written.nest.operands, written.windows, strict=True)
    operands = tuple(replace(o, apart=w.variable.id in variables) for o, w in pairs)
    return replace(written, nest=replace(written.nest, operands=operands))


def are_alike(program: Program, one: ReadNest, other: ReadNest, off_chip: ExternalMemory) -> bool:
    """Whether nests of one space have the same functions, names of variables aside. May raise :class:`Refusal`."""
    loops = range(len(one.loops))
    halves = Vector(tuple(1 for _ in loops), tuple(-(-n // -(-n // 2)) for n in one.nest.extents), tuple(loops))
    _, (_, written) = write(program, [(one, halves), (other, halves)], off_chip, share=True)
    return not written.functions


def _interface(
    program: Program, function: Function, array: int, dim: int, lanes: int, edits: dict[str, list[Edit]]
) -> None:
    """Banks of an array of the function, so that a copy may move several words at once."""
    source = program.sources[function.at.span.path]
    start = function.body.at.span.start + 1
    line = (
        f"#pragma HLS ARRAY_PARTITION variable={program.variable(array).name} type=cyclic factor={lanes} dim={dim + 1}"
    )
    rest = source.text[start:].split("\n", 1)[0].strip()  # a pragma takes its whole line
    text = "\n" + line + ("\n" if rest else "")
    edits.setdefault(source.path, []).append(Edit(Span(source.path, start, start), text))


class _Writer:
    def __init__(
        self, program: Program, written: ReadNest, vector: Vector, off_chip: ExternalMemory, names: Names,
        lanes: dict[tuple[int, int], int], copies: HeldCopies, moves: bool = True,
    ) -> None:  # fmt: skip
        self.lanes, self.copies = lanes, copies
        self.counts: dict[int, list[str]] = {}
        self.used: list[int] = []
        self.scalars: list[Variable] = []
        self.frame = RegionFrame(program, written, vector, off_chip, names)
        planned = self.frame.cost.moves
        self.bare = not moves
        self.moves = planned if moves else [replace(m, copies=1, loaded=False, stored=False) for m in planned]

    # ---------------------------------------------------------------------------------- parts

    def write(self, known: dict[tuple[str, ...], Emitted], alone: bool = False) -> Emitted:
        """The functions of the region, and its block; ``known``: functions that it may call in their place.

        ``alone``: the block calls one function.
        """
        if not self.frame.w.function.signature.editable:
            raise Refusal("macro", f"a macro makes the head of {self.frame.w.function.name}", self.frame.w.loops[0].at)
        functions: list[str] = []
        loads, stores = {}, {}
        for operand, move in zip(self.frame.nest.operands, self.moves, strict=True):
            if move.loaded:
                loads[operand.name] = name = self.frame.names.free(f"{self.frame.stem}_load_{operand.name}")
                functions += Copies(self.frame).copy(name, operand, True)
            if move.stored:
                stores[operand.name] = name = self.frame.names.free(f"{self.frame.stem}_store_{operand.name}")
                functions += Copies(self.frame).copy(name, operand, False)
        compute = self.frame.names.free(f"{self.frame.stem}_compute")
        writer = Compute(self.frame)
        functions += writer.function(compute)
        self.used, self.scalars = writer.used, writer.scalars
        function, outer = self.frame.w.function, self.frame.w.loops[0]
        word = known_there_only(self.frame.program, function, outer.at, functions)
        if word is not None:
            raise Refusal("condition", f"{word} is known in {function.name} only", outer.at)
        normal = self._normal(functions, (*loads.values(), *stores.values(), compute))
        there = known.get(normal)
        if there is not None:
            loads = dict(zip(loads, there.loads.values(), strict=True))
            stores = dict(zip(stores, there.stores.values(), strict=True))
            compute, functions = there.compute, []
        block = list((self._stream if self.frame.nest.streams else self._block)(loads, stores, compute))
        whole = self.frame.names.free(f"{self.frame.stem}_nest") if alone else None
        if whole is not None:
            values = (*self.frame.w.scalars, *self.frame.w.moved.values())
            given = {v.name: f"{type_text(self.frame.program, v.id)} {v.name}" for v in values}
            operands = (o for o in self.frame.nest.operands if not o.private)
            given |= {self.frame.variable(o).name: self.frame.array(o) for o in operands}
            head = [f"static void {whole}({', '.join(given.values())}) {{", "#pragma HLS INLINE off"]
            functions += [*head, *block[1:]]
            block = ["{", f"{PAD}{whole}({', '.join(given)});", "}"]
        block[-1:-1] = self._left()
        done = Emitted(tuple(functions), tuple(block), loads, stores, compute, whole)
        known.setdefault(normal, done)
        return done

    def _normal(self, functions: Sequence[str], called: Collection[str]) -> tuple[str, ...]:
        """Functions with their own names, and those of what they declare, as numbers; equal ones do the same."""
        own = self.frame.bound | {*called}
        numbers: dict[str, str] = {}

        def numbered(match: re.Match[str]) -> str:
            word = match[0]
            return numbers.setdefault(word, f"@{len(numbers)}") if word in own else word

        return tuple(_NAME.sub(numbered, line) for line in functions)

    def _stream(self, loads: dict[str, str], stores: dict[str, str], compute: str) -> Iterator[str]:
        """The block of a nest whose steps are DATAFLOW regions."""
        pairs = list(zip(self.frame.nest.operands, self.moves, strict=True))
        moving = [o for o, m in pairs if not o.in_place and m.copies > 1]
        staying = [o for o, m in pairs if not o.in_place and m.copies == 1]
        buffers = {o.name: self.frame.names.free(f"{o.name}_a") for o in (*staying, *moving)}
        buffers |= {o.name: self._place(o) for o, _ in pairs if o.in_place}

        def call(name: str, operand: Operand) -> str:
            given = [v.name for v in self.frame.moved(operand)]
            given += [self.frame.phase] if self.frame.counts(operand.loops) else []
            return f"{name}({', '.join([self.frame.variable(operand).name, buffers[operand.name], *given])});"

        yield "{"
        for o in staying:
            self._widen(o)
            yield from self._buffer(o, buffers[o.name], PAD)
            yield PAD + call(loads[o.name], o)
        yield PAD + counting(self.frame.phase, self.frame.cost.steps)
        yield "#pragma HLS DATAFLOW"
        for o in moving:
            self._widen(o)
            yield from self._buffer(o, buffers[o.name], PAD * 2)
        yield from (PAD * 2 + call(loads[o.name], o) for o in moving if o.name in loads)
        values = [v.name for v in self.scalars]
        values += dict.fromkeys(buffers[o.name] for o in self.frame.nest.operands)
        values += [self.frame.phase] if self.frame.counts(self.used) else []
        yield f"{PAD * 2}{compute}({', '.join(values)});"
        yield from (PAD * 2 + call(stores[o.name], o) for o in moving if o.name in stores)
        yield PAD + "}"
        yield "}"

    def _widen(self, operand: Operand) -> None:
        """Note how many words at once the copies of an array of the interface move."""
        how, variable = self.frame.copying(operand), self.frame.variable(operand)
        wide = {}
        for d, dim in enumerate(operand.dims):
            lanes = how.lanes if d == how.dim else 1
            woven = [k for k, _ in dim.terms if k in self.frame.woven and (k in how.beside or lanes > 1)]
            wide[d] = lanes * math.prod(self.frame.vector.shard[k] for k in woven)
        if variable.storage not in ("local", "static"):
            for d, n in wide.items():
                if n > 1:
                    array = self.frame.w.roots.get(variable.id, variable.id)
                    self.lanes[array, d] = math.lcm(n, self.lanes.get((array, d), 1))

    def _buffer(self, operand: Operand, name: str, indent: str) -> Iterator[str]:
        """A buffer with a bank for each element, and as many as its copies move words at once."""
        how, spread = self.frame.copying(operand), len(self.frame.spread_of(operand))
        yield f"{indent}{self.frame.type(operand)} {name}{self.frame.extents(operand)};"
        for d in range(spread):
            yield f"#pragma HLS ARRAY_PARTITION variable={name} type=complete dim={d + 1}"
        if how.banks > 1:
            at = f"factor={how.banks} dim={spread + how.dim + 1}"
            yield f"#pragma HLS ARRAY_PARTITION variable={name} type=cyclic {at}"

    def _left(self) -> Iterator[str]:
        """What the counters of the loops hold behind the nest."""
        for k, loop in enumerate(self.frame.w.loops):
            if not isinstance(loop.init, Declare) and (v := self.frame.counter(loop)) is not None:
                if v.id in self.frame.w.lost:
                    continue
                of = self.frame.w.boxes[k]
                value = of.last + of.stride
                yield f"{PAD}{v.name} = {value};"

    def _block(self, loads: dict[str, str], stores: dict[str, str], compute: str) -> list[str]:
        n = self.frame.cost.steps
        pairs = list(zip(self.frame.nest.operands, self.moves, strict=True))
        lines = ["{"]
        if self.bare:
            lines += [PAD + self.copies.declared(a) for a in self.frame.w.held]
        for operand, move in pairs:
            if move.loaded or move.stored:
                self._widen(operand)
        buffers: dict[str, tuple[str, ...]] = {}
        for operand, move in pairs:
            if operand.in_place:
                buffers[operand.name] = (self._place(operand),)
                continue
            wanted = [self.frame.names.free(f"{operand.name}_{c}") for c in "ab"[: move.copies]]
            buffers[operand.name] = tuple(wanted)
            for name in wanted:
                lines += self._buffer(operand, name, PAD)
        carried = [(self.frame.variable(o), f"{buffers[o.name][0]}[0]") for o, _ in pairs if o.private and not o.loops]
        lines += [f"{PAD}{word} = {self._first(v)};" for v, word in carried]
        periods = sorted({m.period for _, m in pairs if m.copies == 2})
        turn = {p: self.frame.names.free(f"turn{i}") for i, p in enumerate(periods)}
        lines += [f"{PAD}int {turn[p]} = 1;" for p in periods]  # the parity of the tile in use
        self.counts = {
            k: [self.frame.names.free(f"{self.frame.t[k]}{at}") for at in range(3)] for k in self.frame.timed
        }
        body = ["#pragma HLS PIPELINE off"] if self.bare else []  # with loops of copies beside it is none either
        for parities in itertools.product((0, 1), repeat=len(periods)):
            now = dict(zip(periods, parities, strict=True))
            tests = " && ".join(f"{turn[p]} == {q}" for p, q in now.items())
            calls = list(self._calls(pairs, buffers, now, loads, stores, compute))
            depth = 3 if tests else 2
            if tests:
                body.append(f"{PAD * 2}if ({tests}) {{")
            body += [PAD * depth + c for c in calls]
            if tests:
                body.append(PAD * 2 + "}")
        turns = [PAD * 2 + line for line in self._turns(turn)]
        words = set(_NAME.findall("\n".join((*body, *turns))))
        for k, names in self.counts.items():  # of what is stored, or computed, where something asks for it
            self.counts[k] = names[: max([at + 1 for at, name in enumerate(names) if name in words], default=1)]
        lines += [PAD + "int " + ", ".join(f"{c} = 0" for c in self.counts[k]) + ";" for k in self.frame.timed]
        lines.append(PAD + counting(self.frame.phase, n + 2))
        lines += [*body, *(PAD * 2 + line for line in self._next()), *turns, PAD + "}"]
        return [*lines, *(f"{PAD}{v.name} = {word};" for v, word in carried if self._lives_on(v)), "}"]

    def _place(self, operand: Operand) -> str:
        """What an array that is used where it lies is called there."""
        variable = self.frame.variable(operand)
        return next((self.copies.name(a) for a in self.frame.w.held if a.variable is variable), variable.name)

    def _first(self, variable: Variable) -> str:
        """What a carried scalar holds before the nest; it may not be read where it has no value."""
        if given_before(self.frame.program, self.frame.w.function, self.frame.w.loops[0], variable):
            return variable.name
        return f"({type_text(self.frame.program, variable.id)})0"

    def _lives_on(self, variable: Variable) -> bool:
        """Whether what a carried scalar holds behind the nest may be read."""
        nest = self.frame.program, self.frame.w.function, self.frame.w.loops[0], variable
        return bool(given_before(*nest) or named_outside(*nest))

    def _calls(
        self, pairs: Sequence[tuple[Operand, object]], buffers: dict[str, tuple[str, ...]], now: dict[int, int],
        loads: dict[str, str], stores: dict[str, str], compute: str,
    ) -> Iterator[str]:  # fmt: skip
        n, phase = self.frame.cost.steps, self.frame.phase

        def buffer(operand: Operand, used: bool) -> str:
            move = self.moves[self.frame.nest.operands.index(operand)]
            if move.copies == 1:
                return buffers[operand.name][0]
            return buffers[operand.name][now[move.period] if used else 1 - now[move.period]]

        def call(name: str, operand: Operand, step: int) -> str:
            given = [self.frame.variable(operand).name, buffer(operand, False)]
            given += [v.name for v in self.frame.moved(operand)]
            given += self._at(step, operand.loops)
            return f"{name}({', '.join(given)});"

        for operand, move in zip(self.frame.nest.operands, self.moves, strict=True):
            if operand.name in stores:
                tests = [f"{phase} >= 2", *self._begins(move.period, 1)]
                yield f"if ({' && '.join(tests)}) {call(stores[operand.name], operand, 2)}"
        for operand, move in zip(self.frame.nest.operands, self.moves, strict=True):
            if operand.name in loads:
                tests = [f"{phase} < {n}", *self._begins(move.period, 0)]
                yield f"if ({' && '.join(tests)}) {call(loads[operand.name], operand, 0)}"
        values = [v.name for v in self.scalars]
        values += dict.fromkeys(buffer(o, True) for o in self.frame.nest.operands)
        values += self._at(1, self.used)
        yield f"if ({phase} >= 1 && {phase} <= {n}) {compute}({', '.join(values)});"

    def _at(self, step: int, used: Collection[int]) -> list[str]:
        """Counters of the step that is loaded (0), computed (1) or stored (2)."""
        return [self.counts[k][step] for k in self.frame.timed if k in used]

    def _begins(self, period: int, step: int) -> list[str]:
        """Tests that a step begins a tile that stays ``period`` steps."""
        return [f"{self.counts[k][step]} == 0" for k in reversed(self.frame.within(period))]

    def _next(self) -> Iterator[str]:
        """What makes the next phase of this one."""
        for k in self.frame.timed:
            for step in reversed(range(1, len(self.counts[k]))):
                yield f"{self.counts[k][step]} = {self.counts[k][step - 1]};"
        for depth, k in enumerate(reversed(self.frame.timed)):
            count = self.counts[k][0]
            yield f"{PAD * depth}if (++{count} == {self.frame.vector.split[k]}) {{"
            yield f"{PAD * (depth + 1)}{count} = 0;"
        yield from (PAD * depth + "}" for depth in reversed(range(len(self.frame.timed))))

    def _turns(self, turn: Mapping[int, str]) -> Iterator[str]:
        """Which buffers come next."""
        for period, name in turn.items():
            tests = self._begins(period, 1)
            yield (f"if ({' && '.join(tests)}) " if tests else "") + f"{name} = 1 - {name};"
