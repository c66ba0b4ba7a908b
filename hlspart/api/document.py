"""What an editor shows of a file that may not be saved yet: findings, fixes, titles above loops, notes under the
cursor. Knows no protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hlspart.inputs import InputError, open_pipeline
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.options import Options
from hlspart.model.source import SourceText, Span
from hlspart.pipeline import Pipeline
from hlspart.reading import read_file

if TYPE_CHECKING:
    from hlspart.lint import LintConfig
    from hlspart.lint.fixes import Fixed
    from hlspart.model.linting import LintReport
    from hlspart.model.results import ArrayResult, Limit, LoopResult

HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc")


class Title(Struct, frozen=True):
    """One line above a loop; ``line`` is 1-based."""

    line: int
    text: str


class Note(Struct, frozen=True):
    """What the text at ``span`` is about, as Markdown."""

    span: Span
    text: str


class Document:
    """Answers about ``path`` when the files in ``texts`` hold other text than on the disk.

    Everything is computed when first asked for. Raises nothing: what cannot be analysed has no answers.
    """

    def __init__(self, path: str, texts: Mapping[str, str], options: Options) -> None:
        self.path = path
        self.texts = dict(texts)
        self.read: set[str] = set()  # every file that was looked for
        self.problem: str | None = None  # why there is nothing
        self._options = options

    @cached_property
    def pipeline(self) -> Pipeline | None:
        """The file under the nearest settings; None, with a problem, where settings or target cannot be used."""
        from hlspart.targets import TargetError

        options = self._options
        if options.frontend.language is None and self.path.endswith(HEADERS):
            options = replace(options, frontend=replace(options.frontend, language="c++"))
        try:
            given = open_pipeline([self.path], options, None)
            pipeline = Pipeline(given.paths, given.options, self._bytes)
            _ = pipeline.target
        except (InputError, TargetError) as error:
            self.problem = str(error)
            return None
        return pipeline

    def _bytes(self, path: str) -> bytes:
        self.read.add(path)
        text = self.texts.get(path)
        return read_file(path) if text is None else text.encode("utf-8", "surrogateescape")

    @cached_property
    def _config(self) -> LintConfig | None:
        from hlspart.inputs import settings_for
        from hlspart.lint.config import load
        from hlspart.settings import SettingsError

        try:
            return load(settings_for([self.path], None))
        except (InputError, SettingsError) as error:
            self.problem = str(error)
            return None

    @cached_property
    def report(self) -> LintReport | None:
        """All findings; None where there is no pipeline."""
        if self.pipeline is None or self._config is None:
            return None
        return self.pipeline.lint(self._config)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The findings in this file; those of a header that has findings of its own stand in the header."""
        return () if self.report is None else tuple(d for d in self.report.diagnostics if d.place.path == self.path)

    def source(self, path: str) -> SourceText | None:
        """The text that was analysed."""
        return None if self.pipeline is None else self.pipeline.program.sources.get(path)

    def fixed(self, item: Diagnostic) -> Fixed | None:
        """The edits that remove ``item``, proved on the changed text; None where it has no fix."""
        if self.pipeline is None or self.report is None or item.fix is None:
            return None
        return self.pipeline.fix(self.report, self._config, unsafe=not item.fix.safe, only=item)

    # ----------------------------------------------------------------------------- loops, ports, banks

    @cached_property
    def _loops(self) -> dict[int, LoopResult]:
        return {} if self.pipeline is None else {x.loop: x for x in self.pipeline.figures.loops}

    @cached_property
    def _arrays(self) -> dict[int, ArrayResult]:
        return {} if self.pipeline is None else {x.variable: x for x in self.pipeline.figures.arrays}

    @cached_property
    def titles(self) -> tuple[Title, ...]:
        """A line above each loop that the tool schedules: its II, or its cycles where it is not pipelined."""
        return tuple(Title(x.line, _title(x)) for x in self._loops.values() if self._here(x))

    def _here(self, loop: LoopResult) -> bool:
        assert self.pipeline is not None
        node = self.pipeline.program.loops.get(loop.loop)
        at = node.at if node is not None else self.pipeline.program.functions[loop.function].at
        return at.span.path == self.path

    def note_at(self, offset: int) -> Note | None:
        """What is known of the access, or else of the innermost loop's header, at ``offset`` of the file."""
        if self.pipeline is None:
            return None
        inside = [n for n in (*self._accesses(), *self._headers()) if n.span.start <= offset < n.span.end]
        return min(inside, key=lambda n: n.span.end - n.span.start, default=None)

    def _accesses(self) -> Iterator[Note]:
        assert self.pipeline is not None
        for access in self.pipeline.analysis.accesses:
            span = access.at.span
            if span.path == self.path:
                name = self.pipeline.program.variable(access.array).name
                lines = [f"**{access.kind} of `{name}`**"]
                if access.map is None:
                    lines.append(f"not affine: {access.reason}")
                else:
                    reach = [
                        "?" if low is None or high is None else f"{low}..{high}" for low, high in access.range or ()
                    ]
                    lines.append(f"element `{access.map}`" + (f", range {' '.join(reach)}" if reach else ""))
                if access.array in self._arrays:
                    lines.append(_memory(self._arrays[access.array]))
                line = self.pipeline.program.sources[span.path].line_column(span.start)[0]
                loop = next((self._loops[x] for x in reversed(access.loops) if x in self._loops), None)
                if loop is not None:
                    lines += [
                        f"loop `{loop.name}`: {_title(loop)}",
                        *(_limit(x) for x in loop.limits if x.array == name),
                    ]
                    lines += _slots(loop, line, name)
                yield Note(span, "  \n".join(lines))

    def _headers(self) -> Iterator[Note]:
        assert self.pipeline is not None
        for result in self._loops.values():
            loop = self.pipeline.program.loops.get(result.loop)
            if loop is None or loop.header.span.path != self.path:
                continue
            lines = [f"**loop `{result.name}`**: {_title(result)}", *(_limit(x) for x in result.limits)]
            lines += [f"unknown because {result.cause}"] if result.ii is None and result.cause else []
            for use in result.banks:
                ports = "a port each for reads and writes" if use.ports is None else f"{use.ports} ports"
                lines.append(f"`{use.array}` bank {use.bank}: {use.reads} reads, {use.writes} writes, {ports}")
            yield Note(loop.header.span, "  \n".join(lines))


def _title(loop: LoopResult) -> str:
    cycles = loop.latency.exact
    known = [] if loop.depth is None else [f"depth {loop.depth}"]
    known += [] if cycles is None else [f"{cycles} cycles"]
    if not loop.pipelined:
        return ", ".join(["not known to be pipelined" if loop.origin == "auto" else "not pipelined", *known])
    target = "" if loop.target_ii is None or loop.ii == loop.target_ii else f" (target {loop.target_ii})"
    text = ", ".join([f"II {loop.figure}{target}", *known])
    limit = next((x for x in loop.limits if loop.misses), None)
    if limit is not None and limit.array is not None:
        return f"{text}: {limit.array}, {limit.accesses} accesses on {limit.ports} ports"
    if limit is not None and limit.variable is not None:
        return f"{text}: recurrence on {limit.variable}"
    return text + (f": {loop.cause}" if loop.ii is None and loop.cause else "")


def _limit(limit: Limit) -> str:
    return f"II {limit.ii}: {limit.text or limit.kind}" + (f"; {limit.hint}" if limit.hint else "")


def _memory(array: ArrayResult) -> str:
    banks = "1 bank" if array.banks == 1 else f"{array.banks or '?'} banks"
    parts = ", ".join(
        f"{p.type} dim {p.dim}" if p.type == "complete" else f"{p.type} {p.factor} dim {p.dim}" for p in array.partition
    )
    ports = "any number of ports" if array.ports is None else f"{array.ports} ports each"
    return f"{banks}{f' ({parts})' if parts else ''}, {ports}, storage {array.storage}"


def _slots(loop: LoopResult, line: int, array: str) -> list[str]:
    slots = [
        f"slot {s.slot}: {', '.join(s.held)}"
        for s in loop.schedule
        if s.line == line and s.held and s.operation.split()[0] == array
    ]
    return slots[:8]
