"""``hlspart report``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from hlspart.api import bank_map
from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.model.expanding import ExpandOptions
from hlspart.model.inferred import InferResult
from hlspart.model.options import BufferOptions, InferOptions, RewriteOptions
from hlspart.model.parts import FunctionResult
from hlspart.model.program import Program, Variable
from hlspart.pipeline import Pipeline
from hlspart.render import html, json, shapes
from hlspart.render.cards import ShownAccess
from hlspart.render.lives import lives

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout

_DIFF = 200  # lines of a diff that are shown


@click.command("report", cls=CommandWithExample, example="report kernel.c -o report.html")
@shared_options
def command(**shared: Any) -> int:
    """Write one self-contained HTML page about FILE: loops, ports, banks, source with heat, findings."""
    run = Run("report", shared)
    parts = run.load_programs()
    for part in parts:
        run.statuses(part)
    stories = [_story(part) for part in parts]

    def page(paths: tuple[str, ...]) -> str:
        return html.render(stories, paths)

    return run.finish(
        {
            "html": page,
            "text": page,
            "json": lambda paths: json.render(shapes.joined([_with_lives(part, paths) for part in parts], paths)),
        }
    )


def _story(pipeline: Pipeline) -> html.Story:
    """All that the page says of one program."""
    from hlspart.lint import LintConfig

    program = pipeline.program
    inferred = pipeline.infer(InferOptions())
    return html.Story(
        _with_lives(pipeline, pipeline.paths),
        shapes.infer(program, pipeline.analysis, inferred, pipeline.paths),
        {(x.function, x.name): x for x in pipeline.ii.loops},
        [*_written(pipeline), *_inferred(pipeline, inferred)],
        {u.path: _source(pipeline, u.path) for u in program.units if u.source is not None},
        pipeline.lint(LintConfig()).diagnostics,
        frozenset((v.function, v.name) for v in _formals(pipeline)),
        _expansions(pipeline),
        _touches(pipeline),
        {path: _functions(pipeline, path) for path in pipeline.paths},
        _elsewhere(pipeline),
        _changes(pipeline),
    )


def _touches(pipeline: Pipeline) -> dict[int, ShownAccess]:
    """Every access, as the page shows it."""
    program = pipeline.program
    out: dict[int, ShownAccess] = {}
    infos = pipeline.analysis.loops
    for access in pipeline.analysis.accesses:
        around = [infos[x] for x in access.loops if x in infos]
        start = {x.iterator: x.lower.const for x in around if x.iterator and x.lower is not None and not x.lower.terms}
        span = access.at.span
        source = program.sources.get(span.path)
        if source is not None:
            (line, first), (end, last) = source.line_column(span.start), source.line_column(span.end)
            columns = (first, last) if line == end and access.at.editable else None
            text = program.text(access.at)
            name = program.variable(access.array).name
            out[access.id] = ShownAccess(access.id, text, name, span.path, line, columns, start)
    return out


def _functions(pipeline: Pipeline, path: str) -> list[FunctionResult]:
    owner = shapes.Owner(pipeline.program)
    return [f for f in pipeline.ii.functions if owner.function(f.name) == path]


def _elsewhere(pipeline: Pipeline) -> dict[tuple[str, str], str]:
    """Loops that stand in a header."""
    program, out = pipeline.program, {}
    owner = shapes.Owner(program)
    for result in pipeline.ii.loops:
        loop = program.loops.get(result.loop)
        at = loop.at if loop is not None else program.functions[result.function].at
        if at.span.path != owner.function(result.function):
            out[result.function, result.name] = at.span.path
    return out


def _changes(pipeline: Pipeline) -> dict[str, str]:
    """What ``rewrite --infer`` changes in each file where a loop is late, clipped."""
    if not any(x.misses for x in pipeline.ii.loops):
        return {}
    out = {}
    for path, new in pipeline.rewrite(RewriteOptions(infer=True)).files.items():
        old = pipeline.program.sources[path].text
        lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), path, "NEW", n=2, lineterm=""))
        if lines:
            rest = len(lines) - _DIFF
            out[path] = "\n".join([*lines[:_DIFF], *([f"... {rest} more lines"] if rest > 0 else [])])
    return out


def _with_lives(pipeline: Pipeline, paths: tuple[str, ...]) -> shapes.Shape:
    """``hlspart.ii/1`` with ``regions``, ``lifetimes`` and ``memory`` (see ``hlspart.buffers/1``) in every file."""
    program, analysis = pipeline.program, pipeline.analysis
    shape = shapes.ii(program, analysis, pipeline.ii, paths, pipeline.advice)
    owner = shapes.Owner(program)
    memory = shapes.buffers(program, analysis, pipeline.sharing(BufferOptions()), paths)
    by_path = {f["path"]: f for f in memory["files"]}
    for file in (f for f in shape["files"] if "error" not in f):
        file["memory"] = {k: v for k, v in by_path[file["path"]].items() if k not in ("path", "steps")}
        parts = [lives(program, analysis, name) for name in program.functions if owner.function(name) == file["path"]]
        file["regions"] = [x for item in parts for x in item["regions"]]
        file["lifetimes"] = [x for item in parts for x in item["lifetimes"]]
    return shape


def _expansions(pipeline: Pipeline) -> list[shapes.Shape]:
    """Regions that pragmas want on several elements."""
    if not any(p.expanded.lower().startswith("hlspart") for p in pipeline.program.pragmas):
        return []
    from hlspart.render.expand import region_shape

    regions = pipeline.expand(ExpandOptions(), plan_only=True).regions
    return [{"path": r.path, **region_shape(r)} for r in regions if r.request.origin == "pragma"]


def _formals(pipeline: Pipeline) -> list[Variable]:
    """Array parameters that stand for an array of a caller."""
    tops = pipeline.analysis.tops
    return [v for v in pipeline.program.arrays() if v.storage == "parameter" and v.function not in tops]


def _written(pipeline: Pipeline) -> Iterator[html.BankPicture]:
    """Bank maps of all partitioned arrays."""
    from hlspart.partition import layout_of

    formals = {v.id for v in _formals(pipeline)}
    for variable in (v for v in pipeline.program.arrays() if v.id not in formals):
        layout = layout_of(pipeline.validation, pipeline.analysis, pipeline.program, variable.id)
        if layout is not None and layout.banks > 1:
            yield _picture(pipeline.program, variable, layout, "as written")


def _inferred(pipeline: Pipeline, inferred: InferResult) -> Iterator[html.BankPicture]:
    """Bank maps of the inferred partitions that are not there yet."""
    from hlspart.partition import chosen_layout

    for array in inferred.arrays:
        variable = pipeline.program.variable(array.variable)
        shape = tuple(d for d in variable.dims if d is not None)
        if array.banks < 2 or len(shape) < len(variable.dims) or not (array.fresh or array.needs_rewrite):
            continue
        layout = chosen_layout(pipeline.program, array)
        if layout is not None:
            yield _picture(pipeline.program, variable, layout, "as inferred")


def _picture(program: Program, variable: Variable, layout: Layout, which: str) -> html.BankPicture:
    owner, picture = shapes.Owner(program).variable(variable), bank_map(variable.name, layout, which)
    return html.BankPicture(owner, variable.name, picture.rows, picture.note, picture.wrapped)


def _source(pipeline: Pipeline, path: str) -> html.SourceLines:
    """Lines of a file, each with the smallest predicted loop around it."""
    program = pipeline.program
    source = program.sources[path]
    spans = []
    for result in pipeline.ii.loops:
        loop = program.loops.get(result.loop)
        span = loop.at.span if loop is not None else program.functions[result.function].at.span
        if span.path == path:
            first, last = source.line_column(span.start)[0], source.line_column(span.end)[0]
            spans.append((last - first, first, last, (result.function, result.name)))
    loops: dict[int, tuple[str, str]] = {}
    for _, first, last, name in sorted(spans, reverse=True):
        loops |= dict(product(range(first, last + 1), [name]))
    return html.SourceLines(tuple(source.text.split("\n")), loops)
