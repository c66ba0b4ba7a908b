"""``hlspart lint``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from hlspart.cli.files import encode, say, write_output, write_product, write_report
from hlspart.cli.headers import with_users
from hlspart.cli.help import CommandWithExample, grouped
from hlspart.cli.options import options_of, shared_options
from hlspart.cli.run import CLEAN, FINDINGS, UNUSABLE, input_errors, reports, screen_of
from hlspart.inputs import open_pipeline, settings_for, target_settings
from hlspart.model.linting import LintReport
from hlspart.model.printable import in_diff
from hlspart.pipeline import Pipeline
from hlspart.programs import programs
from hlspart.reading import MAX_REPORT, read_file
from hlspart.render.lint import FORMATS, text

if TYPE_CHECKING:
    from hlspart.lint import LintConfig

_known, _fixes, _running = map(grouped, ("Known findings", "Fixes", "Running"))
_RANK = {"note": 0, "info": 1, "warning": 2, "error": 3}


@click.command("lint", cls=CommandWithExample, example="lint src --fail-on warning --format github")
@shared_options
@click.option("--select", multiple=True, metavar="RULE", help="Only these rules (code, prefix or name); repeatable.")
@click.option("--disable", "--ignore", "ignore", multiple=True, metavar="RULE", help="Not these rules; repeatable.")
@click.option("--fail-on", type=click.Choice(["error", "warning", "info"]), help="Least severity for exit code 1.")
@click.option("--ways", is_flag=True, help="Name the way to take for each late loop, as advise does; takes longer.")
@click.option("--show-config", is_flag=True, help="Print the settings with their origin, and stop.")
@_known("--baseline", metavar="FILE", help="Leave out the findings of a baseline.")
@_known("--write-baseline", metavar="FILE", help="Write the findings as a baseline, and succeed.")
@_known("--diff-base", metavar="REV", help="Only findings on, or caused by, lines changed since REV (git).")
@_fixes("--fix", "fix", is_flag=True, help="Apply the safe fixes.")
@_fixes("--unsafe-fixes", is_flag=True, help="Apply the others too.")
@_fixes("--diff", "diff", is_flag=True, help="Print what --fix would change instead of changing it.")
@_running("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes. Default: one per processor.")
@_running("--no-cache", is_flag=True, help="Look at everything again; keep no .hlspart-cache.")
def command(
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    ways: bool,
    show_config: bool,
    baseline: str | None,
    write_baseline: str | None,
    diff_base: str | None,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    jobs: int | None,
    no_cache: bool,
    **shared: Any,
) -> int:
    """Check the HLS pragmas of FILE (or of all C and C++ files below a folder) and what they achieve."""
    from hlspart.cli import tree
    from hlspart.lint.config import load, with_options
    from hlspart.lint.engine import in_order
    from hlspart.settings import SettingsError
    from hlspart.targets import TargetError

    with input_errors():
        files = with_users(shared["files"]) if shared["header_users"] else shared["files"]
        pipeline = open_pipeline(tree.expanded(files), options_of(shared), shared["config_file"])
        said = settings_for(pipeline.paths, shared["config_file"])
    try:
        config = with_options(load(said), select=select, ignore=ignore, fail_on=fail_on, ways=ways or None)
        _ = pipeline.target
    except (SettingsError, TargetError) as error:
        raise click.ClickException(str(error)) from None
    if show_config:
        write_report(config.show() + target_settings(pipeline.options, said))
        return CLEAN
    cache = None if no_cache else tree.CACHE
    count = jobs or os.cpu_count() or 1
    report = tree.lint(pipeline.paths, pipeline.options, config, count, cache, pipeline.reader)
    shown = reports("lint", shared, FORMATS)
    if diff or write_baseline or not _is_beside_the_messages([render for path, render in shown if path is None]):
        for item in in_order(d for d in report.diagnostics if d.place.path in report.broken and d.severity == "error"):
            say(str(item))
    if fix or unsafe_fixes or diff:
        report = _fixed(pipeline, report, config, unsafe_fixes, diff)
        if diff:
            return UNUSABLE if report.broken else CLEAN
    report = _reduced(pipeline, config, report, baseline, diff_base)
    if write_baseline:
        from hlspart.lint.baseline import write

        write_output(write_baseline, encode(write(report)))
        return UNUSABLE if report.broken else CLEAN
    colour = screen_of(shared).colour
    for path, render in shown:
        painted = colour and path is None and render is FORMATS["text"]
        write_report(text.render(report, True) if painted else render(report), path, painted)
    if report.broken:
        return UNUSABLE
    return FINDINGS if any(_RANK[d.severity] >= _RANK[config.fail_on] for d in report.diagnostics) else CLEAN


def _reduced(
    pipeline: Pipeline, config: LintConfig, report: LintReport, baseline: str | None, diff_base: str | None
) -> LintReport:
    """Without known findings and those that a change does not bring."""
    from msgspec.structs import replace

    from hlspart.cli import tree
    from hlspart.lint.baseline import BaselineError, read, without
    from hlspart.lint.changes import GitError, brought, changes

    try:
        if baseline is not None:
            report = without(report, read(read_file(baseline, MAX_REPORT).decode(), baseline))
        if diff_base is not None:
            places = {p.path for d in report.diagnostics for p in (d.place, *(r.place for r in d.related))}
            changed = changes(diff_base, sorted({*report.files, *places} - {pipeline.options.frontend.stdin_filename}))
            stdin = pipeline.reader is not None
            headers = any(d.place.path not in report.files for d in report.diagnostics)
            before = None if stdin else tree.lint_before(pipeline.paths, pipeline.options, config, changed, headers)
            report = replace(report, diagnostics=tuple(brought(report, changed, before)))
    except OSError as error:
        raise click.ClickException(f"cannot read {baseline}: {error.strerror}") from None
    except (BaselineError, GitError, UnicodeDecodeError) as error:
        raise click.ClickException(str(error)) from None
    return report


def _fixed(pipeline: Pipeline, report: LintReport, config: Any, unsafe: bool, diff: bool) -> LintReport:
    """The report after the fixes that stand the check; changed files are written, or shown as a diff."""
    import difflib

    from hlspart.cli import tree

    after: list[LintReport] = []
    groups = programs(pipeline.paths, pipeline.options) if pipeline.reader is None else [pipeline.paths]
    written: set[str] = set()
    for group in groups:
        part = Pipeline(group, pipeline.options, pipeline.reader)
        remaining = part.lint(config)
        fixed = part.fix(remaining, config, unsafe)
        for item, reason in fixed.refused:
            say(f"{item.place.path}:{item.place.line}: not fixed [{item.rule}]: {reason}")
        texts = {path: new for path, new in fixed.texts.items() if path not in written}  # a header only once
        written |= texts.keys()
        for path, new in texts.items():
            old = remaining.sources[path].text
            if diff:
                names = in_diff(f"a/{path}"), in_diff(f"b/{path}")
                lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), *names)
                write_product("".join(x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines))
            else:
                write_output(path, encode(new))
        after.append(part.with_texts(texts).lint(config) if texts else remaining)
    if not written:
        kind, count = "" if unsafe else "safe ", len(report.diagnostics)
        say("nothing to change: " + (f"no {kind}fix for any of {count} findings" if count else "no findings"))
    return tree.merged(report.files, after)


def _is_beside_the_messages(renders: list[Any]) -> bool:
    """Whether a report for people goes where the messages go, so that the reader has the errors once already."""
    try:
        same = os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return same and any(render in (FORMATS["text"], FORMATS["concise"]) for render in renders)
