"""A header, or a source of templates, that leaves something open, read where a source of its project includes it.

What a header takes from who includes it (types, constants, values of the parameters of its templates) it does not say
itself. A source around it that includes it, and is no test bench, says it. Only predictions are made of that: who
writes a header writes it for all that include it.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hlspart.around import files_around
from hlspart.includes import SOURCES, IncludeGraph
from hlspart.pipeline import Pipeline
from hlspart.reading import HEADER_SUFFIXES, read_file

if TYPE_CHECKING:
    from hlspart.model.advising import LoopAdvice
    from hlspart.model.program import Program
    from hlspart.model.results import IIResult, Validation

_MOST_FILES = 1000  # that are looked through, the nearest ones
_MOST_BYTES = 64 << 20  # of all of them
_MOST_UP = 3  # folders above that of the header, where no repository begins
_MOST_TRIED = 4  # sources that are read for one header


class _Included(Pipeline):
    """The pipeline of a header whose program is that of a source that includes it."""

    def __init__(self, of: Pipeline, source: str, program: Program) -> None:
        super().__init__(of.paths, of.options, of.reader)
        self.source, self.program = source, program

    def ii_under(self, validation: Validation, hints: bool = False) -> IIResult:
        """The figures of what stands in the header."""
        result, (header,) = super().ii_under(validation, hints), self.paths
        own = {name for name, f in self.program.functions.items() if f.at.span.path == header}
        of = {v.id for v in self.program.variables if v.at.span.path == header}
        return replace(
            result,
            loops=tuple(x for x in result.loops if x.function in own),
            made=tuple(x for x in result.made if x.function in own),
            arrays=tuple(x for x in result.arrays if x.variable in of),
            functions=tuple(x for x in result.functions if x.name in own),
            pragmas=tuple(x for x in result.pragmas if x.path == header),
            resources=(),
            assumptions=(*result.assumptions, f"{header} is read as {self.source} includes it"),
        )

    @cached_property
    def advice(self) -> tuple[LoopAdvice, ...]:
        """None: what is written is written where the header is included."""
        return ()


def where_included(pipeline: Pipeline) -> Pipeline:
    """``pipeline``, or for one file that leaves something open the source with which most of its loops have an II."""
    if len(pipeline.paths) != 1 or not pipeline.paths[0].endswith((*HEADER_SUFFIXES, *SOURCES)):
        return pipeline
    (header,) = pipeline.paths
    if not _is_open(pipeline.program, header):
        return pipeline
    around, read_text = os.path.dirname(header), pipeline.reader or read_file
    graph = IncludeGraph(
        lambda: files_around(around, (*HEADER_SUFFIXES, *SOURCES), _MOST_UP),
        read_text,
        True,
        False,
        _MOST_FILES,
        _MOST_BYTES,
    )
    best, most = pipeline, _known(pipeline)
    for source in _likeliest(graph, header)[:_MOST_TRIED]:
        frontend = pipeline.options.frontend
        folders = tuple(dict.fromkeys((*frontend.include_dirs, *graph.folders(source))))
        options = replace(pipeline.options, frontend=replace(frontend, include_dirs=folders))
        program = Pipeline((source,), options, pipeline.reader).program
        (unit,) = program.units
        if unit.error is not None or header not in unit.headers:
            continue
        headers = (source, *(h for h in unit.headers if h != header))
        own = replace(unit, path=header, source=program.sources[header], headers=headers)
        read = _Included(pipeline, source, replace(program, units=(own,)))
        if len(known := _known(read)) > len(most):
            best, most = read, known
        if known and all(p.unread is None for p in program.pragmas if p.at.span.path == header):
            break  # each of its functions has an instance
    return best


def _is_open(program: Program, header: str) -> bool:
    """Whether a header says less than what includes it does; of a source, its templates."""
    own = [f for f in program.functions.values() if f.at.span.path == header]
    if header.endswith(SOURCES):
        return any(f.open for f in own)
    return (
        any(f.open or f.lacking for f in own)
        or program.units[0].error is not None
        or any(h.at.path == header for h in program.holes)
    )


def _known(pipeline: Pipeline) -> frozenset[int]:
    """Lines of the pipelined loops with an II."""
    if pipeline.program.units[0].error is not None:
        return frozenset()
    return frozenset(x.line for x in pipeline.figures.loops if x.pipelined and x.ii is not None)


def _likeliest(graph: IncludeGraph, path: str) -> list[str]:
    """Sources that include a file, directly or not: the likeliest first."""
    users, stem = graph.users(path), os.path.splitext(os.path.basename(path))[0]

    def rank(source: str) -> tuple[int, bool, int, str]:
        near = len(os.path.commonpath((source, path)))
        return users[source], stem not in os.path.basename(source), -near, source

    return sorted((p for p in users if p.endswith(SOURCES)), key=rank)
