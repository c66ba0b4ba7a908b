"""Lint over many files: which belong together, in parallel, with a cache of what has been looked at before."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from hlspart.around import Around
from hlspart.cli.cache import Cache
from hlspart.cli.progress import PROGRESS
from hlspart.includes import SOURCES
from hlspart.lint import LintConfig, engine
from hlspart.lint.catalogue import entries
from hlspart.lint.changes import Changes
from hlspart.model.diagnostics import Diagnostic, Fix, Place, Related
from hlspart.model.linting import LintReport
from hlspart.model.options import Options
from hlspart.model.source import Edit, SourceText, Span
from hlspart.pipeline import Pipeline, Reader
from hlspart.programs import programs
from hlspart.reading import names_in, read_file
from hlspart.version import __version__

CACHE = ".hlspart-cache"


def expanded(paths: Sequence[str]) -> list[str]:
    """Folders replaced by the C and C++ files below them, in order of name; a folder without any stays."""
    sources: list[str] = []
    for path in paths:
        count = len(sources)
        if os.path.isdir(path):
            for folder, names, files in os.walk(path):
                names[:] = sorted(n for n in names if not n.startswith("."))
                sources += [os.path.join(folder, f) for f in sorted(files) if f.endswith(SOURCES)]
        if len(sources) == count:
            sources.append(path)
    return list(dict.fromkeys(sources))


class Job(Struct, frozen=True):
    """Files that are looked at as one program."""

    paths: tuple[str, ...]
    options: Options
    config: LintConfig
    cache: str | None  # folder


def lint(
    paths: Sequence[str], options: Options, config: LintConfig, jobs: int, cache: str | None, read: Reader | None
) -> LintReport:
    """Findings about all ``paths``; files that call each other are looked at together."""
    if read is not None:
        return Pipeline(paths, options, read).lint(config)
    work = [Job(g, options, config, cache) for g in programs(paths, options)]
    reports: list[LintReport] = []
    if jobs > 1 and len(work) > 1:
        with ProcessPoolExecutor(min(jobs, len(work))) as pool:
            for done in pool.map(_run, work, chunksize=max(1, min(8, len(work) // (4 * jobs)))):
                reports.append(done)
                PROGRESS.note(f"{len(reports)} of {len(work)} programs")
    else:
        for job in work:
            reports.append(_run(job))
            PROGRESS.note(f"{len(reports)} of {len(work)} programs")
    return merged(paths, reports)


def lint_before(
    paths: Sequence[str], options: Options, config: LintConfig, changes: Changes, headers: bool
) -> LintReport:
    """What was found before a change in those of ``paths`` where it can matter, which are the ``files`` of the report.

    These are the files that call a changed one; all of them when other files have changed too, or when
    there are findings in ``headers``.
    """
    touched = [
        g for g in programs(paths, options) if changes.elsewhere or headers or any(changes.lines.get(p) for p in g)
    ]
    return merged([p for g in touched for p in g], [Pipeline(g, options, changes.before).lint(config) for g in touched])


def merged(paths: Sequence[str], reports: Sequence[LintReport]) -> LintReport:
    """One report; a header that several programs include is reported once."""
    report = engine.merged(paths, reports)
    sources = dict(report.sources)
    for path in {d.place.path for d in report.diagnostics} - sources.keys():
        text = _text(path)
        if text is not None:
            sources[path] = SourceText(path, text)
    return replace(report, sources=sources)


def _run(job: Job) -> LintReport:
    """Never raises: a failure inside is a finding about its files, so that it hides no other."""
    try:
        known = _cached(job)
        if known is not None:
            return known
        looked: dict[str, str] = {}

        def read(path: str) -> bytes:
            looked[path] = ""  # where a header is not found now, one may stand later
            data = read_file(path)
            looked[path] = hashlib.sha256(data).hexdigest()
            return data

        pipeline = Pipeline(job.paths, job.options, read)
        report = replace(pipeline.lint(job.config), rules=())
        program = pipeline.program
        calls = bool(program.undefined) or any(unit.beside for unit in program.units)
        folders = {os.path.dirname(path) for path, digest in looked.items() if digest} if calls else set[str]()
        listed = {folder: _sources(folder) for folder in folders}
        _remember(job, report, looked, listed, _names(pipeline.around.files) if pipeline.around.asked else None)
        return replace(report, sources={})
    except Exception as error:
        if os.environ.get("HLSPART_DEBUG"):
            raise
        text = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:200]}; please report it"
        said = [Diagnostic("HLP000", "internal-error", "error", Place(p, 1, 1, 1, 1), text) for p in job.paths]
        return LintReport(job.paths, tuple(said), 0, (), {}, job.paths)


def _text(path: str) -> str | None:
    try:
        return read_file(path).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None


# ------------------------------------------------------------------------------------ the cache


def _cached(job: Job) -> LintReport | None:
    cached = Cache(job.cache).get(_key(job)) if job.cache is not None else None
    if cached is None:
        return None
    try:
        data = json.loads(cached)
        if any(_digest(path) != digest for path, digest in data["read"].items()):
            return None
        if any(_sources(folder) != names for folder, names in data["listed"].items()):
            return None
        if data["around"] is not None and data["around"] != _names(Around(job.paths, frozenset(), read_file).files):
            return None
        return LintReport(
            job.paths, tuple(_diagnostic(d) for d in data["diagnostics"]), data["suppressed"], (), {},
            tuple(data["broken"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return None


def _remember(
    job: Job, report: LintReport, read: Mapping[str, str], listed: Mapping[str, str], around: str | None
) -> None:
    """``read``: every path that was looked for -> digest of its bytes, "" where there is none.

    ``listed``: every folder in whose sources a body may stand that the files call -> digest of their names.
    ``around``: that of the names of the files around, where these were looked at.
    """
    if job.cache is None:
        return
    shape = {
        "read": dict(sorted(read.items())),
        "listed": dict(sorted(listed.items())),
        "around": around,
        "diagnostics": [_shape(d) for d in report.diagnostics],
        "suppressed": report.suppressed,
        "broken": list(report.broken),
    }
    Cache(job.cache).put(_key(job), json.dumps(shape).encode("utf-8", "replace"))


def _key(job: Job) -> str:
    """Everything that the report depends on, headers apart."""
    texts = [(p, _digest(p)) for p in (*job.paths, *_settings(job.options))]
    config = job.config
    rules = (config.select, config.ignore, sorted(config.severity.items()), sorted(config.per_file_ignores.items()))
    return repr((_package(), texts, job.options, rules, config.large_complete, config.ways, config.root))


def _settings(options: Options) -> list[str]:
    return [*options.frontend.directive_files, *([options.target.target_file] if options.target.target_file else [])]


def _digest(path: str) -> str:
    try:
        return hashlib.sha256(read_file(path)).hexdigest()
    except (OSError, ValueError):
        return ""


def _sources(folder: str) -> str:
    return _names(names_in(folder, (".c", ".cpp", ".cc", ".cxx")))


def _names(names: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


@cache
def _package() -> str:
    """Changes with every change of hlspart itself and of the packages that bring rules."""
    brought = {e.source.partition(".")[0] for e in entries() if e.source is not None}
    files = [getattr(m, "__file__", None) for name, m in sys.modules.items() if name.partition(".")[0] in brought]
    theirs = {Path(file) for file in files if file}
    modules = sorted({*Path(__file__).parents[1].rglob("*.py"), *theirs})
    state = [(str(p), s.st_size, s.st_mtime_ns) for p in modules for s in [p.stat()]]
    return f"{__version__} {hashlib.sha256(repr(state).encode()).hexdigest()}"


def _shape(item: Diagnostic) -> Mapping[str, object]:
    def place(p: Place) -> list[object]:
        return [p.path, p.line, p.column, p.end_line, p.end_column]

    fix = item.fix
    return {
        "rule": item.rule, "name": item.name, "severity": item.severity, "place": place(item.place),
        "message": item.message, "hint": item.hint,
        "related": [[place(r.place), r.message] for r in item.related],
        "fix": None if fix is None else [
            fix.message, fix.safe, [[e.span.path, e.span.start, e.span.end, e.text] for e in fix.edits]
        ],
    }  # fmt: skip


def _diagnostic(data: Mapping[str, object]) -> Diagnostic:
    fix: object = data["fix"]
    related: object = data["related"]
    assert isinstance(related, list)
    made = None
    if isinstance(fix, list):
        made = Fix(fix[0], tuple(Edit(Span(p, a, b), text) for p, a, b, text in fix[2]), fix[1])
    place: object = data["place"]
    assert isinstance(place, list)
    hint = data["hint"]
    return Diagnostic(
        str(data["rule"]), str(data["name"]), data["severity"], Place(*place), str(data["message"]),  # type: ignore[arg-type]
        None if hint is None else str(hint), tuple(Related(Place(*p), m) for p, m in related), made,
    )  # fmt: skip
