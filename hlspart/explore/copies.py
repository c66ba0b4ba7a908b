"""Functions that fill a buffer from an array, or take its results out."""

from __future__ import annotations

from hlspart.expand.texts import type_text
from hlspart.explore.frame import PAD, RegionFrame, counting
from hlspart.model.exploring import Dim, Operand


class Copies:
    """Load and store functions of a region."""

    def __init__(self, frame: RegionFrame) -> None:
        self.frame = frame

    def copy(self, name: str, operand: Operand, load: bool) -> list[str]:
        """A function that fills a buffer, or one that takes its results out."""
        number = self.frame.nest.operands.index(operand)
        window = self.frame.w.windows[number]
        given = [self.frame.array(operand), f"{self.frame.type(operand)} "]
        given[1] += f"{self.frame.buffer(operand)}{self.frame.extents(operand)}"
        given += [f"{type_text(self.frame.program, v.id)} {v.name}" for v in self.frame.moved(operand)]
        given += self.frame.counts(operand.loops)
        lines = [f"static void {name}({', '.join(given)}) {{", "#pragma HLS INLINE off"]
        lines += self.frame.counted(operand.loops)
        how = self.frame.copying(operand)
        depth = 1
        spread = self.frame.spread_of(operand)
        for k in (k for k in spread if k not in how.beside):
            lines.append(PAD * depth + counting(self.frame.p[k], self.frame.vector.shard[k]))
            depth += 1
        word = [self.frame.word(operand, d) for d in range(len(operand.dims))]
        tests: list[str] = []
        for d, dim in enumerate(operand.dims):
            words = dim.words(self.frame.slices)
            at_once = how.lanes if d == how.dim else 1
            lines.append(PAD * depth + counting(word[d], -(-words // at_once)))
            depth += 1
            if at_once > 1:
                word[d] = f"({word[d]} * {at_once} + {self.frame.lane})"
                tests += [f"{word[d][1:-1]} < {words}"] if words % at_once else []
        lines.append(f"#pragma HLS PIPELINE II={how.interval}")
        if not load and (how.lanes > 1 or how.beside):  # bounds alone keep them apart, which a tool may not see
            name = self.frame.variable(operand).name
            lines.append(f"#pragma HLS DEPENDENCE variable={name} type=inter direction=WAW dependent=false")
        for k in how.beside:
            lines += [PAD * depth + counting(self.frame.p[k], self.frame.vector.shard[k]), "#pragma HLS UNROLL"]
            depth += 1
        if how.lanes > 1:
            lines += [PAD * depth + counting(self.frame.lane, how.lanes), "#pragma HLS UNROLL"]
            depth += 1
        index: list[str] = []
        for d, dim in enumerate(operand.dims):
            place = self._base(dim, window.low[d], word[d])
            place += self.frame.shifted(operand, d)
            index.append(place)
            ends = [end - by for end, by in zip(window.range[d], window.shifts[d], strict=True)]
            reached = self._reached(dim, window.low[d], load)
            tests += [f"{place} >= {window.range[d][0]}"] if reached[0] < ends[0] else []
            tests += [f"{place} <= {window.range[d][1]}"] if reached[1] > ends[1] else []
            if not load:
                tests += [test for k, c in dim.terms for test in self._stored(k, c, dim, word[d])]
        buffer = self.frame.buffer(operand) + "".join(f"[{self.frame.p[k]}]" for k in spread)
        buffer += "".join(f"[{a}]" for a in word)
        array = self.frame.variable(operand).name + "".join(f"[{i}]" for i in index)
        move = f"{buffer} = {array};" if load else f"{array} = {buffer};"
        if tests:
            move = f"if ({' && '.join(tests)}) {move}"
        lines.append(PAD * depth + move)
        lines += [PAD * d + "}" for d in range(depth - 1, 0, -1)]
        return [*lines, "}"]

    def _base(self, dim: Dim, low: int, word: str) -> str:
        """The index of a tile's word in the array."""
        parts = []
        if len(dim.terms) == 1 and (k := dim.terms[0][0]) in self.frame.woven:
            text = self.frame.position(k, word)
            return f"{text} {'-' if low < 0 else '+'} {abs(low)}" if low else text
        for k, c in dim.terms:
            first = self.frame.position(k, None)
            if first != "0":
                wrapped = first if " + " not in first and c == 1 else f"({first})"
                parts.append(wrapped if c == 1 else f"{c} * {wrapped}")
            low += min(0, c) * (self.frame.slices[k] - 1)
        parts.append(word)
        text = " + ".join(parts)
        return f"{text} {'-' if low < 0 else '+'} {abs(low)}" if low else text

    def _reached(self, dim: Dim, const: int, load: bool) -> tuple[int, int]:
        """The least and the greatest place of words in tiles, which may reach beyond what the nest uses."""
        reach = {k: self._reach(k) if load else self.frame.nest.extents[k] for k, _ in dim.terms}
        least = const + sum(min(0, c) * (reach[k] - 1) for k, c in dim.terms)
        most = const + sum(max(0, c) * (reach[k] - 1) for k, c in dim.terms) + dim.width - 1
        return least, most

    def _reach(self, k: int) -> int:
        """Iterations up to the end of the last tile, were it full."""
        if k in self.frame.woven:
            return self.frame.vector.shard[k] * self.frame.vector.split[k] * self.frame.slices[k]
        return (self.frame.vector.shard[k] - 1) * self.frame.own[k] + self.frame.vector.split[k] * self.frame.slices[k]

    def _stored(self, k: int, c: int, dim: Dim, word: str) -> list[str]:
        """Tests that a word belongs to an iteration that exists, and is no gap between two of them."""
        at = word if abs(c) == 1 else f"{word} / {abs(c)}"
        if c < 0:
            at = f"({self.frame.slices[k] - 1} - {at})"
        conditions = self.frame.real(k, at) if self.frame.is_partial(k) else []
        return conditions + ([f"{word} % {abs(c)} < {dim.width}"] if abs(c) > dim.width else [])
