"""Which elements of arrays a program accesses, by a symbolic walk over its functions.

The answers are plain records: no isl object leaves this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlspart.model.access import Access, AccessAnalysis, LoopInfo
    from hlspart.model.program import Program


def analyse(program: Program, top: str | None = None) -> AccessAnalysis:
    """See :func:`hlspart.accesses.analysis.analyse`; isl is loaded only when this is called."""
    from hlspart.accesses.analysis import analyse as run

    return run(program, top)


def of_top(program: Program, top: str) -> tuple[tuple[Access, ...], dict[int, LoopInfo]]:
    """See :func:`hlspart.accesses.analysis.of_top`."""
    from hlspart.accesses.analysis import of_top as run

    return run(program, top)


def proved(program: Program, top: str | None = None) -> AccessAnalysis:
    """See :func:`hlspart.accesses.analysis.proved`."""
    from hlspart.accesses.analysis import proved as run

    return run(program, top)


def through_rows(program: Program, analysis: AccessAnalysis) -> AccessAnalysis:
    """See :func:`hlspart.accesses.rows.through_rows`."""
    from hlspart.accesses.rows import through_rows as run

    return run(program, analysis)


def with_scalars(
    program: Program, function: str, scalars: frozenset[int], top: str | None = None
) -> tuple[Access, ...]:
    """See :func:`hlspart.accesses.analysis.with_scalars`."""
    from hlspart.accesses.analysis import with_scalars as run

    return run(program, function, scalars, top)


__all__ = [
    "analyse",
    "of_top",
    "proved",
    "through_rows",
    "with_scalars",
]
