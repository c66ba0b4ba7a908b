"""Values that are handed on from iteration to iteration, in variables: their declarations and how they move."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from msgspec import Struct

from hlspart.expand.region import first_value
from hlspart.expand.texts import Texts, names_in
from hlspart.model.access import LoopInfo
from hlspart.model.program import Binary, Cast, Const, Loop, Name, Program, Unary, walk
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects

MOST_VARIABLES = 4  # that hold the values of one array; more of them move through an array in registers
_PLAIN = (Name, Const, Binary, Unary, Cast)  # what a test consists of that may be asked ahead of its loop


class KeptValues(Struct, frozen=True):
    """The last values of one array, the youngest first: in variables, or in ``array`` with the iterator ``step``."""

    kind: str
    values: tuple[str, ...]
    array: str
    step: str

    @staticmethod
    def of(kind: str, stem: str, depth: int, names: Names) -> KeptValues:
        """``depth`` values of the type ``kind``."""
        if depth > MOST_VARIABLES:
            array = names.free(stem)
            return KeptValues(kind, tuple(f"{array}[{k}]" for k in range(depth)), array, names.free("k"))
        values = [names.free(f"{stem}{k if depth > 1 else ''}") for k in range(1, depth + 1)]
        return KeptValues(kind, tuple(values), "", "")

    def declared(self, elements: Sequence[str], tests: Sequence[str] = ()) -> list[str]:
        """Their declarations, where ``elements`` are the first ones; ``tests``: whether each exists."""
        if tests:
            zeros = ["0"] * len(elements)
            lines = self.declared(zeros)
            for test, name, x in zip(tests, self.values, elements, strict=True):
                lines.append(f"if ({test}) {name} = {x};")
            return lines
        if not self.array:
            return [f"{self.kind} {name} = {x};" for name, x in zip(self.values, elements, strict=True)]
        listed = textwrap.wrap(", ".join(elements), 100, break_long_words=False, break_on_hyphens=False)
        lines = [f"{self.kind} {self.array}[{len(elements)}] = {{", *(f"    {line}" for line in listed), "};"]
        return [*lines, f"#pragma HLS ARRAY_PARTITION variable={self.array} type=complete dim=0"]

    def moved(self, new: str) -> list[str]:
        """Statements that make each value one iteration older, and ``new`` the youngest."""
        if self.array:
            head = f"for (int {self.step} = {len(self.values) - 1}; {self.step} > 0; {self.step}--)"
            older = f"{self.array}[{self.step}] = {self.array}[{self.step} - 1];"
            return [f"{head} {older}", f"{self.values[0]} = {new};"]
        pairs = zip(self.values, [new, *self.values], strict=False)
        return [f"{old} = {younger};" for old, younger in reversed(list(pairs))]


def is_known_ahead(program: Program, loop: Loop, info: LoopInfo) -> bool:
    """Whether the test of a loop says ahead of it which iterations there are: of it only the iterator changes."""
    test = loop.test
    if test is None or info.variable is None or not all(isinstance(e, _PLAIN) for e in walk(test)):
        return False
    return not effects(program).modified(loop) & names_in(test) - {info.variable}


def tests_ahead(texts: Texts, loop: Loop, info: LoopInfo, iterations: Sequence[int]) -> list[str]:
    """What tells whether a loop runs each of some iterations, counted from 0; none is asked for behind the last."""
    assert info.variable is not None and info.step is not None and loop.test is not None
    first = texts.text(first_value(texts.program, loop).at.span, {}, {})
    sign, each = "+" if info.step > 0 else "-", list[str]()
    for k in range(max(iterations) + 1):
        if first.isdigit() and int(first) + k * info.step >= 0:
            value = str(int(first) + k * info.step)
        else:
            value = first if first.isidentifier() else f"({first})"
            value = f"({value} {sign} {k * abs(info.step)})" if k else value
        each.append(texts.text(loop.test.at.span, {info.variable: value}, {}))
    return [" && ".join(f"({x})" for x in each[: k + 1]) if k else each[0] for k in iterations]
