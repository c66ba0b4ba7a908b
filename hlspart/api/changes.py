"""Transformations of a kernel, for :meth:`Kernel.transform`."""

from __future__ import annotations

from collections.abc import Callable

from hlspart.inputs import InputError
from hlspart.model.program import Program
from hlspart.pipeline import Pipeline

#: A transformation of a kernel: the program that comes of it. Raises ``transform.Unprintable`` where it is refused.
Change = Callable[[Pipeline], Program]


def transformed(pipeline: Pipeline, change: Change) -> Pipeline:
    """The pipeline of the transformed program. Raises :class:`InputError` where the change is refused."""
    from hlspart.rewrite.places import kept_places
    from hlspart.transform.emit import emit
    from hlspart.transform.printer import Unprintable

    try:
        program, _ = emit(pipeline.program, change(pipeline))
    except Unprintable as refused:
        at = refused.at
        line = "" if at is None else f"{at.span.path}:{pipeline.program.line(at)}: "
        raise InputError(f"{line}{refused.reason}") from None
    _, moved = kept_places(pipeline, {path: source.text for path, source in program.sources.items()})
    if moved:
        raise InputError(str(moved[0]), moved)
    return pipeline.with_program(program)


def unroll(loop: str, factor: int | None = None) -> Change:
    """A loop, by its label or name, written out: ``factor`` copies of its body, or all iterations."""

    def change(pipeline: Pipeline) -> Program:
        from hlspart.rewrite.unroll import words_of
        from hlspart.transform.unroll import Unrolling, unroll

        ident, program = _loop(pipeline, loop), pipeline.program
        return unroll(program, pipeline.proved.loops[ident], Unrolling(ident, factor), words_of(program))[0]

    return change


def reverse(loop: str) -> Change:
    """A loop, by its label or name, that runs from its last iteration to its first."""

    def change(pipeline: Pipeline) -> Program:
        from hlspart.transform.reverse import reverse

        return reverse(pipeline.program, pipeline.proved, _loop(pipeline, loop))[0]

    return change


def _loop(pipeline: Pipeline, name: str) -> int:
    """The number of the one loop of this label or name. Raises :class:`InputError`."""
    matches = [
        x for x in pipeline.program.loops.values() if name in (x.label, x.name) and x.id in pipeline.proved.loops
    ]
    if len(matches) != 1:
        known = ", ".join(sorted({x.name for x in pipeline.program.loops.values()})) or "none"
        raise InputError(f"{len(matches) or 'no'} loops {name!r}; loops are {known}", usage=True)
    return matches[0].id
