"""Nests that stay apart, so that what one iteration of an outer loop hands to the next one is no recurrence.

``for (t ..) for (j ..) x[t][j] = f(x[t - 1][..])``: flattened, the last j of a row and the first of the next one follow
each other directly. With LOOP_FLATTEN off the pipeline of a row ends before the next one begins, for the cycles that
filling it takes; the order of all operations stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hlspart.expand.texts import as_many, with_directives
from hlspart.model.program import Loop, Program, walk_statements
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer

OFF = "#pragma HLS LOOP_FLATTEN off"


def kept_apart(program: Program, figures: IIResult) -> Iterator[dict[str, tuple[Edit, ...]]]:
    """For each flattened nest that waits for a recurrence the texts in which loops stay apart, outermost first."""
    for result in figures.loops:
        if result.pipelined and len(result.flattened) > 1 and result.loop >= 0 and _waits(result):
            for loop in _places(program, result):
                if edits := as_many(program, [loop], partial(_edits, program)):
                    yield edits


def _waits(result: LoopResult) -> bool:
    """Whether something that iterations hand on keeps, or may keep, a loop from its II."""
    return result.may_miss and (result.recurrence_ii is None or result.recurrence_ii > (result.aim or 1))


def _places(program: Program, result: LoopResult) -> Iterator[Loop]:
    """The loops that take the directive: it parts a loop from the one around it, and from the one inside."""
    function = program.functions[result.function].body
    around = [x for x in walk_statements(function) if isinstance(x, Loop) and _holds(x, result.loop)]
    chain = around[-len(result.flattened) :]
    if not any(d.kind == "loop_flatten" and d.loop in {x.id for x in chain} for d in program.directives):
        yield from chain[:1] if len(chain) > 2 else ()
        yield chain[-1]


def _holds(loop: Loop, ident: int) -> bool:
    """Whether a loop is this one, or around it."""
    return loop.id == ident or any(isinstance(x, Loop) and x.id == ident for x in walk_statements(loop.body))


def _edits(program: Program, loops: list[Loop], buffer: EditBuffer) -> None:
    for loop in loops:
        with_directives(program, buffer, loop, [OFF])
