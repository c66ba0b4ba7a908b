"""``hlspart compare``."""

from __future__ import annotations

import os
from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.model.comparing import Comparison, Report
from hlspart.model.options import TargetOptions
from hlspart.reading import MAX_REPORT, read_file
from hlspart.render import json
from hlspart.render.table import table

SCHEMA = "hlspart.compare/1"
_KINDS = (".rpt", ".xml", ".log")


@click.command("compare", cls=CommandWithExample, example="compare kernel.c --report csynth.rpt")
@shared_options
@click.option(
    "--report", "reports", multiple=True, metavar="PATH", help="csynth .rpt or .xml, or a solution folder; repeatable."
)
@click.option(
    "--log", "logs", multiple=True, metavar="FILE", help="Synthesis log (vitis_hls.log, v++ log); repeatable."
)
def command(reports: tuple[str, ...], logs: tuple[str, ...], **shared: Any) -> int:
    """Compare the prediction of FILE with a synthesis report, loop by loop. FILE may be followed by a solution folder.

    Tool, part, clock and flow target are those of the report unless options, a project or a settings file choose.
    Exit code 1 when II, trip count, pipelining or depth (by more than 1 state and 10 %) drift apart.
    """
    folders = tuple(f for f in shared["files"] if os.path.isdir(f))
    shared["files"] = tuple(f for f in shared["files"] if f not in folders)
    if not shared["files"]:
        raise click.UsageError("give the C source too")
    report = _read((*reports, *logs, *folders))
    run = Run("compare", shared, otherwise=_target(report))
    run.load()
    p = run.pipeline
    comparison = p.compared(report)
    if comparison.drift:
        run.has_findings()
    return run.finish(
        {
            "text": lambda _: _text(comparison),
            "json": lambda _: json.render({"schema": SCHEMA, **_shape(comparison, p.paths)}),
        }
    )


def _read(paths: tuple[str, ...]) -> Report:
    from hlspart.reports.reports import ReportError, merged, read

    if not paths:
        raise click.UsageError("give --report, --log or a solution folder")
    files = [f for path in paths for f in _files(path)]
    if not files:
        raise click.UsageError(f"no report or log in {', '.join(paths)}")
    reports = []
    for path in files:
        try:
            reports.append(read(path, read_file(path, MAX_REPORT).decode("utf-8", "replace")))
        except OSError as error:
            raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
        except ReportError as error:
            if path in paths:
                raise click.UsageError(str(error)) from None
    return merged(reports)


def _target(report: Report) -> TargetOptions:
    """What a report says that it is for."""
    from hlspart.targets import reported

    tool, part = reported(report.tool, report.part)
    spare = report.uncertainty_ns if report.clock_ns is not None else None
    return TargetOptions(part, tool, report.clock_ns, None if spare is None else f"{spare:g}ns", report.flow)


def _files(path: str) -> list[str]:
    """A file itself; of a folder its reports and logs, tables ahead of logs."""
    if not os.path.isdir(path):
        return [path]
    out = []
    for folder, _, names in sorted(os.walk(path)):
        out += [os.path.join(folder, n) for n in sorted(names) if n.endswith(_KINDS) and ("csynth" in n or "hls" in n)]
    return sorted(out, key=lambda f: (f.endswith(".log"), f))


def _text(comparison: Comparison) -> str:
    rows = []
    for x in comparison.loops:
        r = x.reported
        guess = "-" if x.predicted_bounds is None else "{}..{}".format(*x.predicted_bounds)
        cells = (
            f"{x.function}/{x.name}",
            _dash(x.predicted_ii, guess),
            _dash(r.ii if r else None),
            _dash(x.predicted_depth),
            _dash(r.depth if r else None),
            _trip(x.predicted_trip),
            _trip(r.trip_count if r else None),
            ", ".join(x.drift) or "-",
        )
        rows.append(cells)
    out = "".join(f"note: {m}\n" for m in comparison.mismatches)
    out += table(("loop", "II", "reported", "depth", "reported", "trips", "reported", "drift"), rows)
    out += "".join(f"  {x.function}/{x.name}: {x.why}\n" for x in comparison.loops if x.why)
    for p in comparison.partitions:
        factor = f" factor={p.factor}" if p.factor else ""
        at = f"line {p.line}: " if p.line else ""
        out += f"  {at}array_partition {p.variable} {p.type}{factor} dim={p.dim}: {p.fate}\n"
    return out


def _dash(value: int | None, other: str = "-") -> str:
    return other if value is None else str(value)


def _trip(value: Any) -> str:
    if not value or value.max is None:
        return "-"
    return str(value.max) if value.min == value.max else f"{value.min}..{value.max}"


def _shape(comparison: Comparison, paths: tuple[str, ...]) -> dict[str, Any]:
    def bounds(value: Any) -> dict[str, int | None] | None:
        return None if value is None else {"min": value.min, "max": value.max}

    loops = []
    for x in comparison.loops:
        r = x.reported
        loops.append(
            {
                "function": x.function,
                "name": x.name,
                "predicted": {
                    "ii": x.predicted_ii,
                    "bounds": list(x.predicted_bounds) if x.predicted_bounds else None,
                    "depth": x.predicted_depth,
                    "trip_count": bounds(x.predicted_trip),
                    "latency": bounds(x.predicted_latency),
                },
                "reported": None
                if r is None
                else {
                    "ii": r.ii,
                    "target_ii": r.target_ii,
                    "depth": r.depth,
                    "trip_count": bounds(r.trip_count),
                    "latency": bounds(r.latency),
                    "pipelined": r.pipelined,
                    "module": r.module,
                    "name": r.name,
                },
                "drift": list(x.drift),
                "why": x.why,
            }
        )
    partitions = [
        {"variable": p.variable, "type": p.type, "factor": p.factor, "dim": p.dim, "fate": p.fate, "line": p.line}
        for p in comparison.partitions
    ]
    messages = [{"code": m.code, "line": m.line, "loop": m.loop, "text": m.text} for m in comparison.report.messages]
    return {
        "files": [{"path": path} for path in paths],
        "tool": comparison.report.tool,
        "part": comparison.report.part,
        "clock_ns": comparison.report.clock_ns,
        "mismatches": list(comparison.mismatches),
        "loops": loops,
        "partitions": partitions,
        "messages": messages,
        "drift": comparison.drift,
    }
