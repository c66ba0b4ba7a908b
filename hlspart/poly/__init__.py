"""Questions about loops and arrays, answered with isl (imported by no other package).

The answers are plain records and strings: no isl object leaves this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlspart.model.access import Access, AccessAnalysis
    from hlspart.model.program import Program


def analyse(program: Program, top: str | None = None) -> AccessAnalysis:
    """See :func:`hlspart.poly.analysis.analyse`; isl is loaded only when this is called."""
    from hlspart.poly.analysis import analyse as run

    return run(program, top)


def through_rows(program: Program, analysis: AccessAnalysis) -> AccessAnalysis:
    """See :func:`hlspart.poly.rows.through_rows`."""
    from hlspart.poly.rows import through_rows as run

    return run(program, analysis)


def with_scalars(
    program: Program, function: str, scalars: frozenset[int], top: str | None = None
) -> tuple[Access, ...]:
    """See :func:`hlspart.poly.analysis.with_scalars`."""
    from hlspart.poly.analysis import with_scalars as run

    return run(program, function, scalars, top)


__all__ = [
    "analyse",
    "carried",
    "conversions",
    "dataflow",
    "effects",
    "inline",
    "lifetimes",
    "members",
    "processors",
    "region",
    "reorder",
    "structures",
    "through_rows",
    "tilecode",
    "tileorder",
    "tiles",
    "with_scalars",
]
