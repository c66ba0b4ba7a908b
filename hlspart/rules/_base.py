"""What a rule is given and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.around import Around
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Fix, Place, Related, Severity
from hlspart.model.directives import Directive, Fault
from hlspart.model.inferred import InferResult
from hlspart.model.program import Loop, Program, Stmt, Variable, substatements
from hlspart.model.results import IIResult, LoopResult, PragmaStatus, Validation
from hlspart.model.source import Edit, Origin, SourceText, Span
from hlspart.rules._dialects import foreign
from hlspart.rules._nests import inlined

MOST_OPERATIONS = 300  # scheduled once more for each question about the least partition, over all questions

#: Where the ways to a faster loop are found; finding them takes longer than all of lint.
WAYS = "hlspart advise ranks the ways"


def ways(loop: LoopResult) -> str:
    """Where the ways to a faster loop stand, and why none goes below an II, where the prediction has proved that."""
    return WAYS if loop.proof is None else f"{WAYS}; {loop.proof.text}"


class Rule(Struct, frozen=True):
    """Code, kebab-case name and default severity of a rule.

    ``names``: what it finds is proved only where every name is known; in a file with a header that was
    not found it is for information. ``limit``: it tells what is not known rather than what is wrong; one finding
    stands for all of its kind. ``each``: two of it in one file are never reported as one. ``hint``: what to do where a
    finding says nothing better.
    """

    code: str
    name: str
    severity: Severity
    names: bool = False
    hint: str | None = None
    limit: bool = False
    each: bool = False


class Remark(Struct, frozen=True):
    """One remark of the validation about one directive."""

    status: PragmaStatus
    directive: Directive
    problem: Fault


class Witness(Struct, frozen=True):
    """Two accesses that meet in one element ``distance`` iterations apart, 0: in one iteration.

    Not ``sure``: the first one stands under a condition that the analysis does not decide.
    """

    source: Origin
    sink: Origin
    distance: int
    sure: bool = True


class FifoViolation(Struct, frozen=True):
    """An access, told by place and iteration, that a FIFO could not serve in this order.

    ``backwards``: ``at`` touches ``element`` after ``first`` has touched a later one; ``again``: after it has been
    touched; ``skipped``: no access touches it, although ``at`` touches a later one.
    """

    kind: str
    at: Origin
    iteration: Mapping[str, int]
    element: int
    first: Origin | None
    first_iteration: Mapping[str, int]
    first_element: int


class Facts(Struct, frozen=True, dict=True):
    """The records of all analyses, as a rule may read them.

    ``tool`` is the target tool (``vitis-2022.1``). ``ii`` is None when it was not computed; ``infer`` is
    run when a rule asks :meth:`inferred`, ``insert`` gives the edits that write its pragmas.
    ``least``: the nearest two iterations of a loop of which the later reads from an array what the other has written.
    ``unwritten``: whether some iteration of a read, and whether each, takes an element before any write reaches it.
    ``never_meet``: whether no two iterations of a loop touch one element of an array.
    ``fifo_violation``: what keeps accesses of one kind to one array from being those of a FIFO. ``kernels``: whether
    the flow makes kernels, which a host starts.
    ``recheck`` predicts the II of the same program under another validation; ``carried`` finds a true
    dependence that a DEPENDENCE directive denies. ``unrolled``: loop id -> factor by which directives
    unroll it, 0 for completely.
    """

    program: Program
    analysis: AccessAnalysis
    validation: Validation
    ii: IIResult | None = None
    infer: Callable[[tuple[str, ...]], InferResult | None] | None = None
    tool: str = ""
    recheck: Callable[[Validation], IIResult] | None = None
    insert: Callable[[InferResult], tuple[Edit, ...]] | None = None
    carried: Callable[[Directive], Witness | None] | None = None
    fifo_violation: Callable[[Sequence[Access]], FifoViolation | None] | None = None
    unwritten: Callable[[Access], tuple[bool, bool] | None] | None = None
    proved: Callable[[], AccessAnalysis] | None = None  # without what LOOP_TRIPCOUNT says
    least: Callable[[int, int], Witness | None] | None = None
    never_meet: Callable[[int, int], bool] | None = None
    kernels: bool = False
    unrolled: Mapping[int, int] = field(default_factory=dict)
    small: int = 0  # local arrays of fewer elements become registers without a directive
    expansions: Callable[[], Sequence[Diagnostic]] | None = None  # what is wrong with `#pragma hlspart expand`
    large: int = 1024  # banks above which a complete partition is large
    control_bundle: str = ""  # of s_axilite ports that name none; "" where that is not known
    bare_types: bool = False  # the tool takes the type of a partition as a bare word only
    deprecated: frozenset[str] = frozenset()  # directives, options and headers that the tool calls deprecated
    counts_freely: bool = False  # a DATAFLOW loop may start at any constant, and count by any
    fills_uram: bool | None = False  # UltraRAMs of the device take initial values; None: no device is named
    cycles: Mapping[str, int] = field(default_factory=dict)  # that an operator of floats takes at least: "fdiv"
    defined: frozenset[str] = frozenset()  # macros that no file but the command line defines
    around: Around | None = None  # the files around; None: the texts stand for themselves

    def inferred(self, *arrays: str) -> InferResult | None:
        """The least partition that reaches the targets, of these arrays (none named: of all).

        None where it was not found at once, or not looked for because it would take long.
        """
        if arrays not in self._answers:
            cheap = self.operations * (len(self._answers) + 1) <= MOST_OPERATIONS
            asked = cheap and any(True for _ in self.pipelined())  # else no loop has an II to reach
            self._answers[arrays] = self.infer(arrays) if self.infer is not None and asked else None
        return self._answers[arrays]

    @cached_property
    def _answers(self) -> dict[tuple[str, ...], InferResult | None]:
        return {}

    @cached_property
    def operations(self) -> int:
        """Operations of all loops: what another prediction takes."""
        return sum(loop.work for loop in self.ii.loops) if self.ii is not None else 0

    # ----------------------------------------------------------------------------- reporting

    def place(self, at: Origin) -> Place:
        """Line and column of an origin."""
        span, source = at.span, self.program.sources.get(at.span.path)
        if source is None:
            return Place(span.path, 1, 1, 1, 1)
        return Place(span.path, *source.line_column(span.start), *source.line_column(max(span.start, span.end)))

    def report(
        self,
        rule: Rule,
        at: Origin,
        message: str,
        hint: str | None = None,
        related: Sequence[tuple[Origin, str]] = (),
        fix: Fix | None = None,
        severity: Severity | None = None,
    ) -> Diagnostic:
        """A finding of ``rule``."""
        if severity is None:
            severity = "info" if rule.names and self.lacks_header(at.span.path) else rule.severity
        places = tuple(Related(self.place(origin), text) for origin, text in related)
        return Diagnostic(rule.code, rule.name, severity, self.place(at), message, hint or rule.hint, places, fix)

    def pragma_text(self, directive: Directive) -> str:
        """Name of the directive in messages."""
        return directive.kind.upper() or "pragma"

    # ------------------------------------------------------------------------------- queries

    @cached_property
    def _without_header(self) -> frozenset[str]:
        """Files of the units in which a header was not found."""
        return self.program.without_header()

    @cached_property
    def given(self) -> Mapping[str, SourceText]:
        """Texts of the files that were given and of their headers, by path."""
        paths = {p for unit in self.program.units for p in (unit.path, *unit.headers)}
        return {path: text for path, text in sorted(self.program.sources.items()) if path in paths}

    def lacks_header(self, path: str) -> bool:
        """Whether names in a file may come from a header that was not found; a directive file is about all files."""
        return path in self._without_header or (path not in self.program.sources and bool(self._without_header))

    @cached_property
    def templates(self) -> tuple[Span, ...]:
        """Functions that are read as templates, their parameters open, for nothing in the file gives arguments."""
        return tuple(f.at.span for f in self.program.functions.values() if f.open)

    def is_in_template(self, place: Place) -> bool:
        """Whether a place is in such a template."""
        return self.is_within(place, self.templates)

    def is_within(self, place: Place, spans: Iterable[Span]) -> bool:
        """Whether the line of a place is one of some spans."""
        here = [s for s in spans if s.path == place.path]
        source = self.program.sources[place.path] if here else None
        lines = [(source.line_column(s.start)[0], source.line_column(s.end)[0]) for s in here] if source else []
        return any(first <= place.line <= last for first, last in lines)

    def remarks(self, *codes: str) -> Iterator[Remark]:
        """Remarks with one of ``codes``, in the order of the directives."""
        for status in self.validation.statuses:
            directive = self.program.directives[status.directive]
            for problem in status.notes:
                if problem.code in codes:
                    yield Remark(status, directive, problem)

    def by_frontend(self, rule: Rule) -> Iterator[Diagnostic]:
        """Diagnostics that reading the files gave under the code of ``rule``."""
        errors = [unit.error for unit in self.program.units if unit.error is not None]
        for item in (*errors, *self.program.diagnostics):
            if item.rule == rule.code:
                open_name = rule.names and self.lacks_header(item.place.path)
                severity: Severity = "info" if item.severity == "note" or open_name else item.severity
                yield replace(item, severity=severity, hint=item.hint or rule.hint)

    def plain(
        self, rule: Rule, *codes: str, severity: Severity | None = None, hint: str | None = None
    ) -> Iterator[Diagnostic]:
        """A finding for every remark with one of ``codes``; ``hint`` where the remark has none."""
        for remark in self.remarks(*codes):
            name = self.pragma_text(remark.directive)
            message = remark.problem.message
            if name.lower() not in message.lower():
                message = f"{name}: {message}"
            related = []
            if remark.status.other is not None:
                related.append((self.program.directives[remark.status.other].at, "the other directive"))
            yield self.report(rule, remark.problem.at, message, remark.problem.hint or hint, related, None, severity)

    def everywhere(self, reports: Iterable[tuple[Directive, Diagnostic]]) -> Iterator[Diagnostic]:
        """Findings that call a directive needless, as far as it is so in every instance of its template."""
        listed = list(reports)
        needless = {(d.at.span, d.function) for d, _ in listed}
        needed = {d.at.span for d in self.program.directives if (d.at.span, d.function) not in needless}
        yield from (item for d, item in listed if d.at.span not in needed)

    def partitions(self) -> Iterator[tuple[PragmaStatus, Directive, Variable]]:
        """ARRAY_PARTITION directives that are in effect, with each variable they name."""
        for status in self.validation.statuses:
            directive = self.program.directives[status.directive]
            if directive.kind != "array_partition" or directive.dialect != "vitis":
                continue
            if status.status in ("applied", "redundant"):
                for variable in directive.variables:
                    yield status, directive, self.program.variable(variable)

    def pipelined(self) -> Iterator[LoopResult]:
        """Loops that the tool pipelines, asked or not, of whose II something is known."""
        if self.ii is not None:
            for loop in self.ii.loops:
                if loop.pipelined and (loop.ii is not None or loop.bounds is not None):
                    yield loop

    def missed(self) -> Iterator[tuple[LoopResult, str, Severity]]:
        """Loops above the II to reach, with words for that; information where nobody asked the tool to pipeline."""
        for loop in self.pipelined():
            if loop.misses and (loop.loop in self.program.loops or loop.function not in inlined(self.program)):
                unasked = ", which the tool pipelines by itself" if loop.origin == "auto" else ""
                words = f"loop {loop.name}{unasked}: II {loop.figure} instead of {loop.aim}"
                yield loop, words, "info" if unasked else "warning"

    def banks(self, variable: int) -> int | None:
        """Banks of an array in the prediction."""
        if self.ii is not None:
            for array in self.ii.arrays:
                if array.variable == variable:
                    return array.banks
        return None

    def storage(self, variable: int) -> str | None:
        """What an array is built of in the prediction."""
        known = self.ii.arrays if self.ii is not None else ()
        return next((array.storage for array in known if array.variable == variable), None)

    def limit_array(self, loop: LoopResult) -> Variable | None:
        """The array whose ports limit a loop."""
        limited = loop.binding and loop.binding[0].kind == "memory-port"
        return self._array_of(loop, loop.binding[0].array) if limited else None

    def short_of_ports(self, loop: LoopResult) -> tuple[Variable, ...]:
        """All arrays whose ports alone keep a loop from its target."""
        missing = [x for x in loop.limits if x.kind == "memory-port" and x.ii > (loop.aim or 1)]
        variables = (self._array_of(loop, name) for name in dict.fromkeys(x.array for x in missing))
        return tuple(v for v in variables if v is not None)

    def _array_of(self, loop: LoopResult, name: str | None) -> Variable | None:
        arrays = self._arrays.get(name or "", ())
        own = (v for v in arrays if v.function == loop.function)
        return next(own, next((v for v in arrays if v.function is None), None))

    @cached_property
    def _arrays(self) -> Mapping[str, Sequence[Variable]]:
        """Arrays by name, in order of declaration."""
        arrays: dict[str, list[Variable]] = {}
        for v in self.program.arrays():
            arrays.setdefault(v.name, []).append(v)
        return arrays

    def loop_at(self, loop: LoopResult) -> Origin:
        """Header of a loop; the name of the function where the function itself is pipelined."""
        node = self.program.loops.get(loop.loop)
        return node.header if node is not None else self.program.functions[loop.function].name_at

    def loops_inside(self, loop: int) -> tuple[Loop, ...]:
        """Loops in the body of a loop, at any depth."""
        loops: list[Loop] = []
        stack: list[Stmt] = [self.program.loops[loop].body]
        while stack:
            stmt = stack.pop()
            if isinstance(stmt, Loop):
                loops.append(stmt)
            stack.extend(reversed(substatements(stmt)))
        return tuple(loops)

    @cached_property
    def foreign(self) -> Mapping[str, tuple[str, Origin]]:
        """Files for another tool: its name, and the first place that says so."""
        return foreign(self.program)

    @cached_property
    def trips(self) -> Mapping[int, int]:
        """Trip counts of the loops that always run as often."""
        known = ((ident, info.trip_count.exact) for ident, info in self.analysis.loops.items() if not info.exits)
        return {ident: count for ident, count in known if count is not None}

    @property
    def version(self) -> tuple[int, int] | None:
        """Year and number of a Vivado or Vitis HLS release."""
        match = re.search(r"(\d{4})\.(\d)$", self.tool)
        return (int(match.group(1)), int(match.group(2))) if match else None

    # --------------------------------------------------------------------------------- fixes

    def option_span(self, directive: Directive, name: str) -> Span | None:
        """``name=value`` (or the bare word) of a plain pragma, for an edit; None where it cannot be edited."""
        option = next((o for o in directive.options if o.name == name), None)
        if option is None or not self.is_editable(directive) or option.at == directive.at:
            return None
        text = self.program.sources[option.at.span.path].text
        if option.value is None:
            return option.at.span
        limit = directive.at.span.end
        match = re.compile(r"\w+\s*=\s*(?:\([^()]*\)|\"[^\"]*\"|[^\s()]+)").match(text, option.at.span.start, limit)
        return Span(option.at.span.path, match.start(), match.end()) if match else None

    def is_editable(self, directive: Directive) -> bool:
        """Whether the directive is a plain ``#pragma`` line."""
        if directive.pragma is None or directive.at.kind != "plain":
            return False
        return self.program.pragmas[directive.pragma].spelling == "#pragma"

    def removal(self, span: Span) -> Edit:
        """Remove an option with the blanks before it."""
        text = self.program.sources[span.path].text
        start = span.start
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        return Edit(Span(span.path, start, span.end), "")

    def line_removal(self, directive: Directive) -> Edit | None:
        """Remove a pragma that stands alone on its lines; None where something else stands there."""
        if not self.is_editable(directive):
            return None
        span, source = directive.at.span, self.program.sources[directive.at.span.path]
        start = source.text.rfind("\n", 0, span.start) + 1
        end = source.text.find("\n", span.end)
        end = len(source.text) if end < 0 else end + 1
        around = source.text[start : span.start] + source.text[span.end : end]
        return Edit(Span(span.path, start, end), "") if not around.strip() else None
