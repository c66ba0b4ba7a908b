"""Reuse buffers as inference tells of banks: what each array becomes, and what its loops gain."""

from __future__ import annotations

from collections.abc import Collection

from hlspart.model.inferred import InferredArray, InferredLoop, InferResult
from hlspart.predict.regressions import counterparts
from hlspart.reuse.engine import Reuse
from hlspart.reuse.windows import Window, WindowNest


def proposed(reuse: Reuse, names: Collection[str] = ()) -> InferResult:
    """Arrays that ``rewrite --style reuse`` gives windows, with the II that its text has; ``names``: only these."""
    asked = reuse.asked
    shown = [
        (nest, window)
        for nest in asked.nests
        for window in nest.windows
        if not names or reuse.program.variable(window.variable).name in names
    ]
    after = asked.after if asked.after is not None else reuse.figures
    loops = []
    for old, new in counterparts(reuse.program, reuse.figures, after, asked.result.lines):
        if not old.pipelined or new is None:  # the work of a fill is done where its elements are read
            continue
        inside = {old.name, *old.flattened}
        moved = [w.variable for n, w in shown if n.region.function == old.function and n.loops[-1].name in inside]
        cause = new.cause
        if moved:
            cause = f"needs the rewrite of {', '.join(reuse.program.variable(v).name for v in moved)}"
        span = None if new.ii is not None else new.bounds
        aim = old.target_ii if old.origin != "auto" else None
        loops.append(
            InferredLoop(
                old.function, old.name, aim, old.ii, new.ii, cause, rewritten=tuple(moved),
                span_before=old.bounds if old.ii is None else None, span_after=span, loop=old.loop,
            )
        )  # fmt: skip
    return InferResult(tuple(_array(reuse, nest, window) for nest, window in shown), tuple(loops))


def _array(reuse: Reuse, nest: WindowNest, window: Window) -> InferredArray:
    variable = reuse.program.variable(window.variable)
    names = reuse.asked.buffers.get(window.variable, ())
    made = [a for a in (reuse.asked.after or reuse.figures).arrays if a.name in names]
    there = next((a for a in reuse.figures.arrays if a.variable == window.variable), None)
    size = " x ".join(map(str, window.size))
    return InferredArray(
        variable=window.variable, name=variable.name, function=variable.function,
        line=reuse.program.line(variable.at), accesses=len(window.reads), ports=(there.ports if there else None) or 1,
        lower_bound=1, banks=1, proved_minimal=True, space="windows", absolute=False, kind="reuse", pragmas=(),
        mapping=None, bank_depth=None, needs_rewrite=True, roots=(window.variable,),
        reason=f"a window of {size} over {nest.loops[0].name} takes one element an iteration: {', '.join(names)}",
        bram18k=sum(a.bram18k for a in made), registers=sum(a.registers for a in made),
    )  # fmt: skip
