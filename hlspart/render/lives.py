"""Where arrays live: the regions of each function in the order of its text, and the first and last that touch an array.

A region is an outermost loop, or what stands before, between and after such loops. An array is touched where an
access stands or where a call is handed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import Loop, Program, Stmt, substatements
from hlspart.model.source import Span

Shape = Mapping[str, Any]
_HIDDEN = frozenset({"address-taken", "cast", "opaque"})  # uses that no access and no call shows


class _Region(Struct):
    """Variable ids by how a region touches them."""

    loop: Loop | None
    start: int
    end: int
    touched: dict[str, set[int]] = field(default_factory=lambda: {"reads": set(), "writes": set(), "calls": set()})


def lives(program: Program, analysis: AccessAnalysis, function: str) -> dict[str, list[Shape]]:
    """``{"regions": [..], "lifetimes": [..]}`` of one function.

    A region has ``function``, ``loop`` (its name, None outside of loops), ``line``, ``end_line`` and the names of the
    arrays in ``reads``, ``writes`` and ``calls`` (handed to a call). A lifetime has ``function``, ``array``, ``first``
    and ``last`` (0-based regions; None where the array's address is used otherwise) and ``across_calls``: whether
    the array is there before or after the call (a parameter, static or global).
    """
    in_order = _regions(program, analysis, function)
    source = program.sources[program.functions[function].at.span.path]

    def names(variables: set[int]) -> list[str]:
        return sorted(program.variable(v).name for v in variables)

    regions: list[Shape] = [
        {
            "function": function,
            "loop": analysis.loops[r.loop.id].name if r.loop is not None else None,
            "line": source.line_column(r.start)[0],
            "end_line": source.line_column(r.end)[0],
            **{kind: names(variables) for kind, variables in r.touched.items()},
        }
        for r in in_order
    ]
    hidden = {m for g in analysis.groups for m in g.members if any(f.code in _HIDDEN for f in g.faults)}
    lifetimes: list[Shape] = []
    for variable in sorted(set().union(*(v for r in in_order for v in r.touched.values()))):
        at = [k for k, r in enumerate(in_order) if any(variable in v for v in r.touched.values())]
        known = variable not in hidden
        lifetimes.append(
            {
                "function": function,
                "array": program.variable(variable).name,
                "first": at[0] if known else None,
                "last": at[-1] if known else None,
                "across_calls": program.variable(variable).storage != "local",
            }
        )
    return {"regions": regions, "lifetimes": lifetimes}


def _regions(program: Program, analysis: AccessAnalysis, function: str) -> list[_Region]:
    path = program.functions[function].at.span.path
    loops = _outermost(program.functions[function].body)
    touches: list[tuple[Span, str, int]] = [
        (a.at.span, f"{a.kind}s", a.array) for a in analysis.accesses if a.function == function
    ]
    touches += [(e.at.span, "calls", e.actual) for g in analysis.groups for e in g.edges if e.caller == function]
    regions: list[_Region] = []
    for span, kind, variable in sorted((t for t in touches if t[0].path == path), key=lambda t: t[0].start):
        loop = next((x for x in loops if x.at.span.start <= span.start < x.at.span.end), None)
        if not regions or regions[-1].loop is not loop:
            whole = loop.at.span if loop is not None else span
            regions.append(_Region(loop, whole.start, whole.end))
        regions[-1].end = max(regions[-1].end, span.end)
        regions[-1].touched[kind].add(variable)
    return regions


def _outermost(body: Stmt) -> list[Loop]:
    """Loops around which no other stands."""
    loops: list[Loop] = []
    waiting = [body]
    while waiting:
        stmt = waiting.pop()
        if isinstance(stmt, Loop):
            loops.append(stmt)
        else:
            waiting.extend(substatements(stmt))
    return loops
