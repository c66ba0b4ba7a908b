"""One invocation of a command: its inputs, messages, outputs and exit code."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hlspart.api import Kernel
from hlspart.cli.files import dependency_rule, encode, say, terminal_width, write_outputs, write_product, write_report
from hlspart.cli.headers import with_users
from hlspart.cli.options import again, options_of, own_options
from hlspart.cli.watch import was_read
from hlspart.inputs import InputError, open_pipeline
from hlspart.model.diagnostics import Diagnostic, Place, Severity
from hlspart.model.options import TargetOptions
from hlspart.model.printable import printable
from hlspart.model.program import Program
from hlspart.model.source import Origin
from hlspart.pipeline import Pipeline
from hlspart.render import shapes
from hlspart.render.screen import Screen, folded, shown_on
from hlspart.semantics.effects import SeveralTopsError, one_top

if TYPE_CHECKING:
    from hlspart.model.inferred import InferResult
    from hlspart.model.results import PragmaStatus

CLEAN, FINDINGS, UNUSABLE = 0, 1, 2
_MANY_REGISTERS = 512  # bits of one array, up to which registers are usual


@contextmanager
def input_errors() -> Iterator[None]:
    """What the library says of unusable input, as the command line says it."""
    try:
        yield
    except InputError as error:
        raise (click.UsageError if error.usage else click.ClickException)(str(error)) from None


MISSING_HEADERS = ("missing-header", "standard-header")
Renderer = Callable[[tuple[str, ...]], str]  # paths of the inputs to show -> text of the report


class Run:
    """Collects messages and outputs of a command and writes them at the end.

    Reports are always written. Products (sources, directives, maps) are written only when the run
    did not fail with exit code 2.
    """

    def __init__(
        self, command: str, shared: Mapping[str, Any], products: bool = False, otherwise: TargetOptions | None = None
    ) -> None:
        """``otherwise``: what to predict for where neither options nor files choose."""
        self.command = command
        self.code = CLEAN
        self.files: tuple[str, ...] = tuple(with_users(shared["files"]) if shared["header_users"] else shared["files"])
        self.output: str | None = shared["output"]
        self.out_dir: str | None = shared["out_dir"]
        self.screen = screen_of(shared)
        if self.output and len(self.files) > 1:
            raise click.UsageError("-o takes one input; use --out-dir DIR for several")
        if self.output and self.out_dir:
            raise click.UsageError("give -o or --out-dir, not both")
        self._formats = shared["formats"]
        self._makes_products = products
        self._products: list[tuple[str, str]] = []
        self._messages: dict[str, None] = {}
        self._missing: set[str] = set()  # headers that were said to be missing
        with input_errors():
            self.pipeline = open_pipeline(self.files, options_of(shared), shared["config_file"], otherwise)
        self.kernel = Kernel(self.pipeline, (self.pipeline,))
        names = [os.path.basename(p) for p in self.pipeline.paths]
        if self.out_dir and len(set(names)) < len(names):
            raise click.UsageError("--out-dir needs inputs with different file names")
        self._inputs = {os.path.realpath(p) for p in self.pipeline.paths}
        for path in [self.output, *(f.partition("=")[2] for f in self._formats)]:
            self._no_input(path)

    # ------------------------------------------------------------------------------ messages

    def say(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print diagnostics, each once; errors are findings."""
        for item in diagnostics:
            if item.name in MISSING_HEADERS:  # wherever it is included: what to do about it is one thing
                if item.message in self._missing:
                    continue
                self._missing.add(item.message)
            self._messages[_message(item)] = None
            if item.severity == "error":
                self.has_findings()

    def has_findings(self) -> None:
        """There is a finding: exit code 1 unless worse."""
        self.code = max(self.code, FINDINGS)

    @property
    def parts(self) -> tuple[Pipeline, ...]:
        """The programs that are looked at."""
        return self.kernel.pipelines

    def load(self) -> Program:
        """The program; unreadable files, usage and configuration errors are said."""
        from hlspart.targets import TargetError

        try:
            _ = self.pipeline.target
        except TargetError as error:
            raise click.ClickException(str(error)) from None
        for part in self.parts:
            for unit in part.program.units:
                if unit.error is not None:
                    self._messages[_message(unit.error)] = None
                    self.code = UNUSABLE
                if unit.halted is not None and self._makes_products:
                    self.code = UNUSABLE  # no compiler takes what would be written
            self.say(part.program.diagnostics)
        top = self.pipeline.options.top
        if top is not None and all(p.program.named(top) is None for p in self.parts) and self.code != UNUSABLE:
            names = ", ".join(name for part in self.parts for name in part.program.functions) or "none"
            raise click.UsageError(f"no function {top!r} in the given files; they define {names}")
        return self.parts[0].program

    def load_programs(self) -> tuple[Pipeline, ...]:
        """The programs that the files make up: files that do not use each other are looked at apart."""
        self.kernel = Kernel.of(self.pipeline)
        self.load()
        return self.parts

    def known_arrays(self, names: Iterable[str]) -> None:
        """Usage error for a name that no array has."""
        known = {v.name for part in self.parts for v in part.program.arrays()}
        for name in names:
            if name not in known and self.code != UNUSABLE:
                raise click.UsageError(f"no array {name!r}; arrays are {', '.join(sorted(known)) or 'none'}")

    def top(self) -> str:
        """The one top function, for commands that need exactly one."""
        try:
            return one_top(self.pipeline.program, self.pipeline.analysis.tops)
        except SeveralTopsError as several:
            raise click.UsageError(str(several)) from None

    def document(self, schema: str, entry: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
        """The JSON object of a command over all inputs."""
        tied = [] if self.code == UNUSABLE else shapes.groups(self.pipeline.program, self.pipeline.analysis)
        return shapes.document(schema, self.pipeline.program, self.pipeline.paths, entry, tied)

    def statuses(self, pipeline: Pipeline, of: Sequence[PragmaStatus] | None = None) -> None:
        """Say what became of faulty directives, what of the others is not as written, and what is not followed."""
        from hlspart.partition import NOT_FOLLOWED

        program, validation = pipeline.program, pipeline.validation
        severities: dict[str, Severity] = {
            **dict.fromkeys(_NOT_AS_WRITTEN, "warning"),
            **dict.fromkeys(NOT_FOLLOWED, "info"),
        }
        all_ = validation.statuses if of is None else of
        own = [s for s in all_ if s.path in program.sources and not s.path.startswith("<")]
        self.say(d for s in own if (d := status_diagnostic(program, s)) is not None)
        for status in own:
            kind = program.directives[status.directive].kind.upper()
            for note in status.notes if status.status == "applied" else ():
                if note.code in severities:
                    place, severity = place_of(program, note.at, status.line), severities[note.code]
                    self.say([Diagnostic(note.code, note.code, severity, place, f"{kind}: {note.message}", note.hint)])

    def many_registers(self, program: Program, result: InferResult) -> None:
        """Say which arrays are to become many registers."""
        for array in result.arrays:
            if array.fresh and array.registers > _MANY_REGISTERS:
                text = f"the partition of {array.name} makes {array.registers} bits of registers"
                place = place_of(program, program.variable(array.variable).at)
                self.say([Diagnostic("many-registers", "many-registers", "warning", place, text)])

    def better_than_directives(self, pipeline: Pipeline) -> None:
        """Name the first way of each loop that misses its target where directives are not what it writes."""
        files = self.screen.arguments or shlex.join(pipeline.paths)
        for advice in pipeline.advice:
            if advice.first is not None and advice.first.kind != "pragma":
                place = Place(advice.path, advice.line, 1, advice.line, 1)
                target = "without a target" if advice.target_ii is None else f"instead of {advice.target_ii}"
                text = f"loop {advice.name}: II {advice.ii or '?'} {target}: {advice.advised(files)}"
                self.say([Diagnostic("advice", "advice", "note", place, text)])

    def out_of_range(self, pipeline: Pipeline) -> None:
        """Say which accesses are proved to leave their array."""
        program, analysis = pipeline.program, pipeline.analysis
        for access in analysis.accesses:
            if access.witness is not None:
                variable = program.variable(access.array)
                where = ", ".join(f"{k} = {v}" for k, v in access.witness.items())
                extents = "".join(f"[{d}]" for d in variable.dims)
                text = f"{access.kind} outside {variable.name}{extents}" + (f" at {where}" if where else "")
                place = place_of(program, access.at)
                self.say([Diagnostic("out-of-range", "out-of-range", "error", place, text)])

    # ------------------------------------------------------------------------------- outputs

    def _no_input(self, path: str | None) -> None:
        if path and os.path.realpath(path) in self._inputs:
            raise click.UsageError(f"the output {path} is an input")

    def product(self, path: str, text: str, replaces: bool = False) -> None:
        """A source, directive or map file to write; with ``replaces`` it may be an input."""
        if not replaces:
            self._no_input(path)
        self._products.append((path, text))

    def dependencies(self, options: Mapping[str, Any], outputs: list[str]) -> None:
        """The make rule that ``-MD``, ``-MF`` and ``-MT`` ask for: ``outputs`` depend on all that was read."""
        if not (options["depend"] or options["depend_file"]):
            if options["depend_target"]:
                raise click.UsageError("-MT names the target of a dependency file; give -MD or -MF, too")
            return
        written = [o for o in outputs if o != "-"]
        if not written:
            raise click.UsageError("-MD and -MF need an output file that depends on the inputs")
        targets = [options["depend_target"]] if options["depend_target"] else written
        name = options["depend_file"] or os.path.splitext(written[0])[0] + ".d"
        self.product(name, dependency_rule(targets, self.read()))

    def read(self) -> list[str]:
        """The files that the answers depend on: sources, headers, directives, settings."""
        given, units = self.pipeline.options, [u for part in self.parts for u in part.program.units]
        inputs = [u.path for u in units] + [h for u in units for h in u.headers]
        inputs += [*given.frontend.directive_files, given.target.target_file or "", given.settings or ""]
        own = given.frontend.stdin_filename
        return list(dict.fromkeys(i for i in inputs if i and not i.startswith("<") and i != own))  # <hlspart>/stdint.h

    def finish(self, renderers: Mapping[str, Renderer], quiet: bool = False) -> int:
        """Render and write the reports, then the products; returns the exit code.

        ``quiet``: no report unless a format was asked for.
        """
        was_read(self.read())
        plan = self._report_plan(renderers) if self._formats or not quiet else []
        reports = [(path, self._rendered(render, paths, path, renderers)) for path, render, paths in plan]
        products = self._products if self.code != UNUSABLE else []
        for line in self._messages:
            say(line)
        to_files = [(path, text) for path, text in reports if path is not None]
        to_files += [(path, text) for path, text in products if path != "-"]
        write_outputs((path, encode(text)) for path, text in to_files)
        for path, text in reports:
            if path is None:
                write_report(text, coloured=True)
        for path, text in products:
            if path == "-":
                write_product(text)
        return self.code

    def _rendered(
        self, render: Renderer, paths: tuple[str, ...], path: str | None, renderers: Mapping[str, Renderer]
    ) -> str:
        """A report that may be printed; text on standard output fits the screen."""
        if path is not None or render is not renderers.get("text"):
            typed = (self.screen.arguments, self.screen.files) if render is renderers.get("json") else (None, ())
            with shown_on(Screen(arguments=typed[0], files=typed[1])):
                return printable(render(paths))
        with shown_on(self.screen):
            return folded(printable(render(paths), self.screen.colour))

    def _report_plan(self, renderers: Mapping[str, Renderer]) -> list[tuple[str | None, Renderer, tuple[str, ...]]]:
        """(file or None for standard output, renderer, inputs it shows) for each report."""
        shared = {"formats": self._formats, "output": None if self._makes_products else self.output}
        to_stdout = sum(1 for path, _ in self._products if path == "-")
        shown = self.pipeline.paths
        plan: list[tuple[str | None, Renderer, tuple[str, ...]]] = []
        if to_stdout and not self._formats:
            return plan
        per_file = self.out_dir is not None and not self._makes_products
        for path, render in reports(self.command, shared, renderers, to_stdout):
            if path is not None or not per_file:
                plan.append((path, render, shown))
                continue
            name = next(n for n, r in renderers.items() if r is render)
            for one in shown:
                stem = os.path.splitext(os.path.basename(one))[0]
                plan.append((os.path.join(self.out_dir or "", f"{stem}.{_ENDINGS.get(name, name)}"), render, (one,)))
        return plan


def screen_of(shared: Mapping[str, Any]) -> Screen:
    """What standard output shows: the width of a terminal, colours as ``--color`` and the environment say."""
    terminal = sys.stdout.isatty()
    choice = shared["color"]
    colour = choice == "always" or (
        choice == "auto" and not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    )
    return Screen(terminal_width(), colour, again(shared), own_options(), tuple(shared["files"]))


_ENDINGS = {"text": "txt", "concise": "txt", "junit": "xml"}
_R = TypeVar("_R")


def reports(
    command: str, shared: Mapping[str, Any], renderers: Mapping[str, _R], to_stdout: int = 0
) -> list[tuple[str | None, _R]]:
    """(file or None for standard output, renderer) for each ``--format``; ``to_stdout`` other outputs go there too."""
    plan: list[tuple[str | None, _R]] = []
    for item in shared["formats"] or ("text",):
        name, _, file = item.partition("=")
        if name not in renderers:
            raise click.UsageError(f"{command} has no format {name!r}; formats are {', '.join(renderers)}")
        plan.append((file or shared["output"], renderers[name]))
    places = [path for path, _ in plan] + [None] * to_stdout
    if len(set(places)) < len(places):
        raise click.UsageError("two outputs go to the same place; use --format F=FILE")
    return plan


def _message(item: Diagnostic) -> str:
    hint = f"; {item.hint}" if item.hint else ""
    p = item.place
    return f"{p.path}:{p.line}:{p.column}: {item.severity}: {item.message}{hint} [{item.rule}]"


def place_of(program: Program, origin: Origin, line: int = 1) -> Place:
    """Line and column of an origin; files that are no C source (directives) have the given line only."""
    source = program.sources.get(origin.span.path)
    if source is None:
        return Place(origin.span.path, line, 1, line, 1)
    return Place(origin.span.path, *source.line_column(origin.span.start), *source.line_column(origin.span.end))


_NOT_AS_WRITTEN = frozenset(("factor-unused", "factor-clamped", "empty-bank"))
_SEVERITY = {"rejected": "error", "conflict": "error", "unmodelled": "info", "redundant": "info", "ignored": "info"}


def status_diagnostic(program: Program, status: PragmaStatus) -> Diagnostic | None:
    """The message about a directive that was not applied as written; None when there is nothing to say.

    What is not read has one message for all that stands in it.
    """
    severity = _SEVERITY.get(status.status)
    if severity is None or status.reason is None or status.code == "unread":
        return None
    directive = program.directives[status.directive]
    code = status.code or status.status
    place = place_of(program, status.at or directive.at, status.line)
    message = f"{directive.kind.upper()} {status.status}: {status.reason}"
    return Diagnostic(code, code, severity, place, message, status.hint)  # type: ignore[arg-type]
