"""The text by one way, where it gains: sums in partials, loops in another order, values in variables, directives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.expand import shifting, updates
from hlspart.expand.accumulators import Accumulator, accumulators, at_most, slowest
from hlspart.expand.ahead import ahead_of_tests, tested_loads
from hlspart.expand.bundles import sharing, with_bundles
from hlspart.expand.dependences import claims, provable
from hlspart.expand.element_sums import ElementSums, element_sums, in_tables
from hlspart.expand.interchange import NestedLoops, pairs
from hlspart.expand.interchange import interchanged as in_new_order
from hlspart.expand.interleave import MOST_MORE, split
from hlspart.expand.scalars import handed_on, in_variables
from hlspart.expand.signs import signed_sums, with_signs_in_sums
from hlspart.expand.standing import held_in_variables, standing
from hlspart.model.program import walk_statements
from hlspart.model.results import IIResult
from hlspart.readback import Predicted
from hlspart.reuse import Reused, changed, unchanged


def interleaved(pipeline: Predicted) -> Reused | None:
    """The text in which sums of floats that hold up a loop are taken in partials; None where nothing gains.

    Where all of them together make something slower, as a few iterations of a sum may, each loop is asked alone.
    """
    known = pipeline.program, pipeline.proved, pipeline.figures
    sums, tables = accumulators(*known), element_sums(*known)
    others = [t for t in tables if not any(a.loop is s for a in sums for s in walk_statements(t.nest))]
    first: list[Accumulator | ElementSums] = [*sums, *others]
    for chosen in (first, tables if len(others) < len(tables) else ()):
        best = _gaining(pipeline, chosen)
        if best is not None:
            return best
    return None


def _gaining(pipeline: Predicted, sums: Sequence[Accumulator | ElementSums]) -> Reused | None:
    """All of them together, or those of the loops that gain alone."""
    together = _in_partials(pipeline, sums)
    loops = list(dict.fromkeys(a.loop for a in sums)) if together is None else []
    if len(loops) < 2:
        return together
    gaining = [loop for loop in loops if _in_partials(pipeline, [a for a in sums if a.loop is loop]) is not None]
    return _in_partials(pipeline, [a for a in sums if a.loop in gaining])


def _in_partials(pipeline: Predicted, sums: Sequence[Accumulator | ElementSums]) -> Reused | None:
    program, analysis, figures = pipeline.program, pipeline.proved, pipeline.figures
    best = None
    for more in range(MOST_MORE if sums else 0):  # a condition is a state of the recurrence, too
        deeper = [replace(a, partials=a.partials + more * (a.partials > 1)) for a in sums]
        edits = dict(split(program, analysis, [a for a in deeper if isinstance(a, Accumulator)]))
        for path, more_edits in in_tables(program, analysis, [a for a in deeper if isinstance(a, ElementSums)]).items():
            edits[path] = (*edits.get(path, ()), *more_edits)
        text = changed(program, figures, pipeline.predict, edits) if edits else None
        if text is not None and text.after is not None:
            if best is None or slowest(text.after) < slowest(best.after or text.after):
                best = text
            if slowest(text.after) == slowest(figures, aimed=True):
                break
        elif all(isinstance(a, Accumulator) for a in sums):  # elements in turn may miss the tables but for one more
            break
    return best


def interchanged(pipeline: Predicted) -> Reused:
    """The text in which loops around one that a recurrence holds up have become the innermost."""
    program, figures = pipeline.program, pipeline.figures
    taken: tuple[NestedLoops, ...] = ()
    best = unchanged(program)
    for nest in pairs(program, pipeline.proved, figures):
        chosen = (*(x for x in taken if x.inner is not nest.inner), nest)
        text = changed(program, figures, pipeline.predict, in_new_order(program, chosen))
        if text is not None and slowest(text.after or figures) < slowest(best.after or figures):
            taken, best = chosen, text
        if slowest(best.after or figures) == slowest(figures, aimed=True):
            break
    return best


def scalar_replaced(pipeline: Predicted) -> Reused:
    """The text in which values of the iterations before are in variables, where a recurrence waits for the memory."""
    program, analysis, figures = pipeline.program, pipeline.proved, pipeline.figures
    edits = in_variables(program, analysis, handed_on(program, analysis, figures))
    text = changed(program, figures, pipeline.predict, edits) if edits else None
    if text is not None and text.after is not None and slowest(text.after) < slowest(figures):
        return text
    edits = shifting.in_registers(program, analysis, shifting.shifted(program, analysis, figures))
    text = changed(program, figures, pipeline.predict, edits) if edits else None
    if text is not None and text.after is not None and slowest(text.after) < slowest(figures):
        return text
    edits = held_in_variables(program, standing(program, analysis, figures))
    text = changed(program, figures, pipeline.predict, edits) if edits else None
    if text is not None and text.after is not None and slowest(text.after) < slowest(figures):
        return text
    edits = ahead_of_tests(program, tested_loads(program, analysis, figures))
    text = changed(program, figures, pipeline.predict, edits) if edits else None
    if text is not None and text.after is not None and slowest(text.after) < slowest(figures):
        return text
    edits = with_signs_in_sums(program, signed_sums(program, figures))
    text = changed(program, figures, pipeline.predict, edits) if edits else None
    if text is not None and text.after is not None and slowest(text.after) < slowest(figures):
        return text
    taken, best = tuple[updates.ElementUpdate, ...](), unchanged(program)
    for some in _by_loop(updates.by_data(program, analysis, figures)):
        edits = updates.in_variables(program, analysis, (*taken, *some))
        text = changed(program, figures, pipeline.predict, edits) if edits else None
        if text is not None and text.after is not None and _ends(text.after) < _ends(best.after or figures):
            taken, best = (*taken, *some), text
    return best


def _by_loop(element_updates: Sequence[updates.ElementUpdate]) -> Iterator[tuple[updates.ElementUpdate, ...]]:
    """All updates of each loop."""
    for loop in dict.fromkeys(x.loop for x in element_updates):
        yield tuple(x for x in element_updates if x.loop is loop)


def _ends(figures: IIResult) -> tuple[int, int]:
    """The II of all pipelined loops together, the least and the most that it may be."""
    return slowest(figures), at_most(figures)


def dependences_stated(pipeline: Predicted) -> Reused:
    """The text with directives on how far apart iterations meet, where that makes a loop faster or its II known."""
    program, figures = pipeline.program, pipeline.figures
    chosen = provable(program, pipeline.proved, figures)
    text = changed(program, figures, pipeline.predict, claims(program, chosen)) if chosen else None
    if text is None or text.after is None or at_most(text.after) >= at_most(figures):
        return unchanged(program)
    for one in chosen if len(chosen) > 1 else ():  # without those that change nothing
        fewer = tuple(x for x in chosen if x is not one)
        other = changed(program, figures, pipeline.predict, claims(program, fewer)) if fewer else None
        if other is not None and other.after is not None and at_most(other.after) == at_most(text.after):
            chosen, text = fewer, other
    return text


def bundled(pipeline: Predicted) -> Reused:
    """The text with bundles of their own for arguments, the fewest that make its loops as fast as all would."""
    program, figures = pipeline.program, pipeline.figures
    chosen = sharing(program, pipeline.proved, pipeline.validation, pipeline.target, figures)
    text = changed(program, figures, pipeline.predict, with_bundles(program, chosen)) if chosen else None
    if text is None or text.after is None or slowest(text.after) >= slowest(figures):
        return unchanged(program)
    for one in reversed(chosen):
        fewer = tuple(x for x in chosen if x is not one)
        other = changed(program, figures, pipeline.predict, with_bundles(program, fewer)) if fewer else None
        if other is not None and other.after is not None and slowest(other.after) == slowest(text.after or figures):
            chosen, text = fewer, other
    return text
