"""Variables of the function that only nests used: what is written names them, lest a compiler warn of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hlspart.explore.records import ReadNest
from hlspart.model.program import ArrayRef, Name, Program, walk
from hlspart.model.source import Edit, SourceText, Span, apply_edits
from hlspart.semantics.effects import statement_expressions

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def unnamed(program: Program, nests: Sequence[ReadNest], blocks: Sequence[str]) -> list[tuple[str, ...]]:
    """Per nest, with the block that stands for it: variables from around it that nothing names any more.

    Their declarations are the user's, and stay.
    """
    places = [n.loops[0].at.span for n in nests]
    bodies = {n.function.name: n.function.body.at.span for n in nests}
    written = "\n".join(blocks)
    texts = {name: _without(program, body, places) + written for name, body in bodies.items()}
    seen: set[int] = set()
    done: list[tuple[str, ...]] = []
    for nest, place in zip(nests, places, strict=True):
        roots = statement_expressions(program, nest.loops[0])
        used = dict.fromkeys(e.variable for r in roots for e in walk(r) if isinstance(e, Name | ArrayRef))
        mine = []
        for v in (program.variable(u) for u in used if u not in seen):
            seen.add(v.id)
            outside = v.storage == "local" and v.function == nest.function.name and not _inside(v.at.span, place)
            if outside and not v.volatile and len(re.findall(rf"\b{v.name}\b", texts[nest.function.name])) == 1:
                mine.append(v.name)
        done.append(tuple(mine))
    return done


def _without(program: Program, at: Span, places: Collection[Span]) -> str:
    """The text of a function without some of its pieces and comments."""
    source = SourceText(at.path, program.sources[at.path].slice(at))
    cut = [Edit(Span(at.path, p.start - at.start, p.end - at.start), "") for p in places if _inside(p, at)]
    return _COMMENT.sub(" ", apply_edits(source, cut))


def _inside(at: Span, place: Span) -> bool:
    return place.path == at.path and place.start <= at.start and at.end <= place.end
