"""The way of a file through hlspart, stage by stage, as ``hlspart trace`` prints it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hlspart.model.options import InferOptions, RewriteOptions
from hlspart.pipeline import Pipeline


class Stage(Struct, frozen=True):
    """One stage: its name for ``hlspart trace``, and the record that it leaves."""

    name: str
    what: str
    record: Callable[[Pipeline], object]


def _looked_at(pipeline: Pipeline) -> object:
    rewriting = pipeline.rewriting(RewriteOptions(infer=True))
    rewriting.run()
    return rewriting.trail


#: The way of a file through hlspart. Each stage is computed once, from those before it.
STAGES = (
    Stage("program", "the files as records, directives resolved", lambda p: p.program),
    Stage("accesses", "loops, array accesses, groups of arrays that calls tie together", lambda p: p.analysis),
    Stage("partitions", "what became of each directive, the layout of each group", lambda p: p.validation),
    Stage("ii", "II, depth, latency and limits of each loop; memories", lambda p: p.figures),
    Stage("inferred", "the least partitions for the target II", lambda p: p.infer(InferOptions())),
    Stage("transformed", "the programs that a rewrite as inferred looked at, and how they follow", _looked_at),
    Stage("rewritten", "fate of each group, banks, lines and text", lambda p: p.rewrite(RewriteOptions(infer=True))),
)
