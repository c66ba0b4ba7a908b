"""Which loops the tool pipelines without being asked (UG1399, config_compile -pipeline_loops)."""

from __future__ import annotations

from hlspart.lowering.functions import has_model
from hlspart.lowering.history import is_different
from hlspart.model import program as c
from hlspart.model.access import Access
from hlspart.nests.loopfacts import LoopFacts
from hlspart.semantics.effects import effects


def without_body(nests: LoopFacts, loop: c.Loop) -> str | None:
    """A function that a loop calls and that has no body here: it may hold a loop, or be expanded."""
    known = effects(nests.program)
    within: tuple[c.Stmt, ...] = (loop, *(nests.program.functions[f].body for f in sorted(nests.called[loop.id])))
    names = (call.function for stmt in within for call in known.calls_in(stmt))
    return next((n for n in names if n and n not in nests.program.functions and not has_model(n)), None)


def is_chosen(nests: LoopFacts, loop: c.Loop) -> bool:
    """Whether the tool pipelines this loop by itself, if all that it calls is here; it stands in no loop that is.

    Innermost loops are, whatever UNROLL leaves of them and of the loops in them (seen in public reports); others
    if all loops inside that UNROLL leaves, unrolled, make at most ``threshold`` copies. Perfect nests are flattened.
    Loops that the tool makes of calls are pipelined whatever the version.
    """
    if loop.made:
        return not any(isinstance(s, c.Loop) for s in c.walk_statements(loop.body))
    threshold, asked = nests.target.auto_pipeline, _asks(nests, loop)
    if threshold == 0 or not asked <= {"unroll"} or nests.called[loop.id] & nests.looped:
        return False
    if not _is_left(nests, loop.body):
        return True
    inner = [s for s in c.walk_statements(loop.body) if isinstance(s, c.Loop)]
    if asked or any(_asks(nests, x) for x in inner if not nests.disappears(x)) or nests.called[loop.id] & nests.kept:
        return False
    copies = _copies(nests, loop.body)
    return copies is not None and copies <= threshold and not _is_perfect(nests, loop)


def _asks(nests: LoopFacts, loop: c.Loop) -> set[str]:
    return {kind for kind in ("pipeline", "unroll", "dataflow") if nests.directive(kind, loop.id) is not None}


def _is_left(nests: LoopFacts, stmt: c.Stmt) -> bool:
    """Whether directives leave loops inside a statement."""
    if not isinstance(stmt, c.Loop):
        return any(_is_left(nests, s) for s in c.substatements(stmt))
    whole = nests.fully_unrolled(stmt)
    return not whole or (nests.on("pipeline", stmt.id) is None and _is_left(nests, stmt.body))


def _copies(nests: LoopFacts, body: c.Stmt) -> int | None:
    """Copies of the innermost statements when all loops in ``body`` are unrolled; None where not possible."""
    most = 1
    for stmt in c.substatements(body):
        inner = _copies(nests, stmt.body if isinstance(stmt, c.Loop) else stmt)
        trip = nests.trip(stmt).exact if isinstance(stmt, c.Loop) and not nests.disappears(stmt) else 1
        if inner is None or trip is None:
            return None
        most = max(most, trip * inner)
    return most


def _is_perfect(nests: LoopFacts, parent: c.Loop) -> bool:
    """Whether a loop holds nothing but a loop that it flattens with, once invariant accesses have left that."""
    inner = next((s for s in c.walk_statements(parent.body) if isinstance(s, c.Loop)), None)
    if inner is None or nests.around(parent, inner) != ((), ()) or not nests.may_flatten(parent, (inner,)):
        return False
    return not any(_stays(nests, access, parent, inner) for access in nests.analysis.accesses)


def _stays(nests: LoopFacts, access: Access, parent: c.Loop, inner: c.Loop) -> bool:
    """Whether an element stays in ``inner`` but changes in ``parent``, so that it is accessed between the two."""
    if inner.id not in access.loops or access.index is None or access.branch:
        return False
    own = access.loops[access.loops.index(inner.id) :]
    names = [nests.analysis.loops[x].iterator or "" for x in own]
    around = nests.info(parent)
    if any(f is None or any(f.coefficient(n) for n in names) for f in access.index) or around is None:
        return False
    if not any(f.coefficient(around.iterator or "") for f in access.index if f is not None):
        return False
    beside = [a for a in nests.analysis.accesses if a.array == access.array and inner.id in a.loops]
    stored = any(a.kind == "write" and a.index == access.index for a in beside)
    others = (a for a in beside if a.index != access.index and (stored or a.kind == "write"))
    return all(is_different(a.index, access.index) for a in others)
