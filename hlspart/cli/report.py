"""``hlspart report``."""

from __future__ import annotations

from itertools import product
from typing import Any

import click

from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.model.options import InferOptions
from hlspart.pipeline import Pipeline
from hlspart.render import html, json, shapes

_LARGEST = 128  # rows and columns of a bank map; beyond that, one corner is shown


@click.command("report")
@shared_options
def command(**shared: Any) -> int:
    """Write one self-contained HTML page about FILE: loops, ports, banks, source with heat, findings."""
    from hlspart.lint import LintConfig

    run = Run("report", shared)
    program = run.load()
    run.statuses(run.pipeline.validation)
    pipeline = run.pipeline
    inferred = pipeline.infer(InferOptions())
    linted = pipeline.lint(LintConfig())

    def page(paths: tuple[str, ...]) -> str:
        findings: dict[str, list[tuple[int, str, str]]] = {}
        for s in pipeline.validation.statuses:
            text = s.text + (f": {s.reason}" if s.reason else "")
            findings.setdefault(s.path, []).append((s.line, s.status, text))
        for d in linted.diagnostics:
            findings.setdefault(d.place.path, []).append((d.place.line, d.severity, f"{d.message} [{d.rule}]"))
        return html.render(
            shapes.ii(program, pipeline.analysis, pipeline.ii, paths),
            shapes.infer(program, pipeline.analysis, inferred, paths),
            {(x.function, x.name): x for x in pipeline.ii.loops},
            _pictures(pipeline),
            {u.path: _source(pipeline, u.path) for u in program.units if u.source is not None},
            {p: sorted(f) for p, f in findings.items()},
        )

    return run.finish(
        {
            "html": page,
            "text": page,
            "json": lambda paths: json.render(shapes.ii(program, pipeline.analysis, pipeline.ii, paths)),
        }
    )


def _pictures(pipeline: Pipeline) -> list[html.BankPicture]:
    """Bank maps of all partitioned arrays: the last two dimensions, the others at 0."""
    from hlspart.partition import layout_of

    owner = shapes.Owner(pipeline.program)
    found = []
    for variable in pipeline.program.arrays():
        layout = layout_of(pipeline.validation, pipeline.analysis, pipeline.program, variable.id)
        if layout is None or layout.banks < 2:
            continue
        shape = layout.shape
        lead = len(shape) - 2
        rows, columns = (1, shape[0]) if lead < 0 else (shape[-2], shape[-1])
        shown = min(rows, _LARGEST), min(columns, _LARGEST)
        cells = tuple(
            tuple(layout.bank((x,) if lead < 0 else (*([0] * lead), y, x)) for x in range(shown[1]))
            for y in range(shown[0])
        )
        extents = "".join(f"[{s}]" for s in shape)
        note = f"{variable.name}{extents}: {layout.banks} banks"
        if shown != (rows, columns):
            note += f", the first {shown[0]} x {shown[1]} elements"
        if lead > 0:
            note += ", leading indices 0"
        found.append(html.BankPicture(owner.variable(variable), variable.name, cells, note))
    return found


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
