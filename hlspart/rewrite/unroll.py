"""Unrolling in the text, where banks are decided only then (``--unroll``) or bank-centric code needs it.

``unroll_plan`` says which loops; ``unrolled`` writes them out: copies of the body, the iterator
replaced by its value in a full unroll and by ``(i + k)`` in a partial one, with its own type where C can see it;
where its name alone matters (macros, addresses) each copy declares it instead. What is left of it follows as
copies of its own; where a pipeline is unrolled, copies stand under the loop's test instead, as the tool
has them. The result is a text to be analysed anew.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hlspart.model.access import AccessAnalysis, LoopInfo
from hlspart.model.program import (
    Assign,
    Binary,
    Block,
    Call,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    SizeOf,
    Stmt,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, Validation
from hlspart.model.source import Edit, SourceText, Span, apply_edits
from hlspart.partition.unrolling import unroll_factors
from hlspart.rewrite.declare import BASIC, STANDARD, element_text
from hlspart.rewrite.names import Names

_SUFFIXES = ("", "l", "ll")

#: Copies of a loop body that are still worth reading.
MOST_COPIES = 256


@dataclass(frozen=True, slots=True)
class Unrolling:
    """``factor`` copies of the loop's body; None: all iterations.

    ``tested``: copies that may lie behind the last iteration stand under the loop's test.
    """

    loop: int
    factor: int | None
    tested: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    """What an iterator is in a copy of a loop's body.

    ``text`` has its value and, promoted, its type; ``typed`` its type as well.
    """

    text: str
    typed: str


class _Cannot(Exception):
    """This loop cannot be unrolled in the text; it is left as it is."""


def decided_by_unrolling(
    analysis: AccessAnalysis, validation: Validation, groups: Iterable[int]
) -> tuple[Unrolling, ...]:
    """Loops whose unrolling decides the banks of ``groups`` (A-14: u = f / gcd(f, |c * step|))."""
    wanted: dict[int, int | None] = {}
    for group in groups:
        for verdict in validation.groups[group].verdicts.values():
            if verdict.kind != "const-after-unroll" or math.prod(u for _, u in verdict.unrolls) > MOST_COPIES:
                continue
            for ident, u in verdict.unrolls:
                factor, trips = math.lcm(wanted.get(ident) or 1, u), analysis.loops[ident].trip_count.exact
                whole = trips is not None and factor >= trips
                wanted[ident] = None if whole or wanted.get(ident, 1) is None else factor
    return tuple(Unrolling(loop, factor) for loop, factor in sorted(wanted.items()))


def inside_pipelines(
    program: Program, analysis: AccessAnalysis, ii: IIResult, groups: frozenset[int]
) -> tuple[Unrolling, ...]:
    """Loops around accesses to ``groups`` that the tool unrolls into a pipeline, as the text must then.

    That is every loop inside a pipelined one, and the pipelined one itself by the factor of its UNROLL.
    """
    pipelined = {loop.loop for loop in ii.loops if loop.pipelined}
    factors = unroll_factors(program)
    found: dict[int, Unrolling] = {}
    for access in analysis.accesses:
        if analysis.group_of.get(access.array) not in groups:
            continue
        outer = next((k for k, ident in enumerate(access.loops) if ident in pipelined), None)
        if outer is not None:
            found.update((ident, Unrolling(ident, None)) for ident in access.loops[outer + 1 :])
            factor = factors.get(access.loops[outer], 1)
            if factor > 1:
                found[access.loops[outer]] = Unrolling(access.loops[outer], factor, tested=True)
    return tuple(found.values())


def unrolled(program: Program, analysis: AccessAnalysis, plan: tuple[Unrolling, ...]) -> dict[str, str]:
    """New texts of the files in which a loop of ``plan`` was written out."""
    writer = _Writer(program, analysis, {u.loop: u.factor for u in plan}, frozenset(u.loop for u in plan if u.tested))
    edits: dict[str, list[Edit]] = {}
    given = {unit.path for unit in program.units}
    for function in program.functions.values():
        for loop in writer.outermost(function.body):
            span = loop.at.span
            if not loop.at.editable or span.path not in given:
                continue
            try:
                if writer.factors[loop.id] is None:  # the loop is gone, and its label with it
                    span = writer.label_span(loop) or span
                edits.setdefault(span.path, []).append(Edit(span, writer.loop(loop, {})))
            except _Cannot:
                continue
    return {path: apply_edits(program.sources[path], found) for path, found in edits.items() if found}


@dataclass(frozen=True)
class _Writer:
    program: Program
    analysis: AccessAnalysis
    factors: Mapping[int, int | None]
    tested: frozenset[int]
    names: dict[int, dict[int, list[tuple[Name, bool]]]] = field(default_factory=dict)  # by function body and variable

    @cached_property
    def declared(self) -> frozenset[Span]:
        """Places of names in declarations."""
        return frozenset(d.name.span for v in self.program.variables for d in v.declarations)

    @cached_property
    def fresh(self) -> Names:
        """Names that no text says."""
        return Names.of(self.program)

    def outermost(self, stmt: Stmt) -> Iterator[Loop]:
        """Planned loops that stand in no other planned loop."""
        covered: list[Span] = []
        for inner in walk_statements(stmt):
            if isinstance(inner, Loop) and inner.id in self.factors:
                span = inner.at.span
                if not any(c.path == span.path and c.start <= span.start and span.end <= c.end for c in covered):
                    covered.append(span)
                    yield inner

    def label_span(self, loop: Loop) -> Span | None:
        """From the label of a loop to the loop's end; None where it has none."""
        if loop.label is None:
            return None
        at = loop.at.span
        before = self.program.sources[at.path].text[: at.start]
        match = re.search(rf"\b{re.escape(loop.label)}\s*:(?:\s|/\*(?:(?!\*/).)*\*/|//[^\n]*\n)*\Z", before, re.S)
        if match is None:
            raise _Cannot
        return Span(at.path, match.start(), at.end)

    def loop(self, loop: Loop, values: Mapping[int, _Value]) -> str:
        """The text of ``loop`` unrolled, with iterators of outer copies replaced."""
        info = self.analysis.loops[loop.id]
        if loop.kind != "for" or info.variable is None or info.step is None or info.exits:
            raise _Cannot
        self._check_body(loop)
        declared = isinstance(loop.init, Declare)
        self._check_header(loop, info)
        trips = info.trip_count.exact
        factor = self.factors[loop.id]
        if factor is None:
            return self._full(loop, info, trips, values, declared)
        if loop.id in self.tested and (trips is None or trips % factor):
            return self._under_test(loop, info, factor, values)
        return self._partial(loop, info, trips, factor, values)

    def _check_header(self, loop: Loop, info: LoopInfo) -> None:
        """Only the iterator is set and stepped in the header."""
        if isinstance(loop.init, Declare):
            good = loop.init.variables == (info.variable,)
        else:
            good = isinstance(loop.init, ExprStmt) and isinstance(loop.init.expr, Assign)
            good = good and isinstance(loop.init.expr.target, Name) and loop.init.expr.target.variable == info.variable  # type: ignore[union-attr]
        changes = [] if loop.step is None else [e for e in walk(loop.step) if isinstance(e, Assign | IncDec)]
        if not good or len(changes) != 1:
            raise _Cannot

    def _check_body(self, loop: Loop) -> None:
        """The body may stand several times: no jumps, one object for each thing that lasts, no number of its place."""
        for stmt in walk_statements(loop.body):
            if isinstance(stmt, Jump | Label | Return):
                raise _Cannot
            if isinstance(stmt, Declare) and any(self._lasts(v) for v in stmt.variables):
                raise _Cannot
            for expr in expressions(stmt):
                if any(isinstance(n, OpaqueExpr) and n.what == "statement expression" for n in walk(expr)):
                    raise _Cannot
        if any(_within(at, loop.at.span) for at, _ in self.program.counted):
            raise _Cannot

    def _lasts(self, variable: int) -> bool:
        found = self.program.variable(variable)
        return found.storage == "static" and not (found.const and isinstance(found.type, ScalarType))

    def _value(self, info: LoopInfo, number: int | None, text: str) -> _Value:
        """The iterator where its value is ``number`` or that of the expression ``text``."""
        assert info.variable is not None
        variable = self.program.variable(info.variable)
        kind, spelled = variable.type, element_text(self.program, variable)
        if not isinstance(kind, ScalarType) or kind.kind != "int" or spelled is None:
            raise _Cannot
        low, high = (-(1 << kind.bits - 1), 1 << kind.bits - 1) if kind.signed else (0, 1 << kind.bits)
        if number is not None and not low <= number < high:
            raise _Cannot
        typed = f"(({spelled}){text})"
        if not set(spelled.split()) <= BASIC and spelled not in STANDARD:
            return _Value(typed, typed)
        if kind.bits < 32:
            return _Value(text, typed)
        if number is not None:
            longs = spelled.split().count("long") or int(kind.bits == 64)
            digits = f"{abs(number)}{_SUFFIXES[longs]}{'' if kind.signed else 'u'}"
            text = digits if number >= 0 else f"(-{digits})"
        return _Value(text, text)

    def _first(self, info: LoopInfo) -> int:
        if info.lower is None or info.lower.terms:
            raise _Cannot
        return info.lower.const

    def _full(self, loop: Loop, info: LoopInfo, trips: int | None, values: Mapping[int, _Value], declared: bool) -> str:
        if trips is None or trips > MOST_COPIES:
            raise _Cannot
        assert info.variable is not None and info.step is not None
        first = self._first(info)
        at = [first + k * info.step for k in range(trips)]
        copies = [self._copy(loop, {**values, info.variable: self._value(info, x, _number(x))}) for x in at]
        if not declared:
            copies.append(f"{self.program.variable(info.variable).name} = {first + trips * info.step};")
        return "{ " + self._newline(loop).join(copies) + " }" if copies else ";"

    def _partial(self, loop: Loop, info: LoopInfo, trips: int | None, factor: int, values: Mapping[int, _Value]) -> str:
        assert info.variable is not None and info.step is not None and loop.step is not None
        name = self.program.variable(info.variable).name
        if trips is None or factor > MOST_COPIES or not loop.header.editable or loop.test is None:
            raise _Cannot
        rest = trips % factor
        first = self._first(info) if rest else 0
        newline = self._newline(loop)
        step = factor * info.step
        changed = {loop.step.at.span: f"{name} {'+' if step > 0 else '-'}= {abs(step)}"}
        if rest:
            limit = first + (trips - rest) * info.step
            changed[loop.test.at.span] = f"{name} {'<' if info.step > 0 else '>'} {limit}"
        header = self._replaced(loop.header.span, values, changed)
        copies = []
        for k in range(factor):
            offset = k * info.step
            text = f"({name} {'+' if offset > 0 else '-'} {abs(offset)})"
            moved = {info.variable: self._value(info, None, text)} if k else {}
            copies.append(self._copy(loop, {**values, **moved}))
        text = self._with_pragmas(loop, header, copies)
        left = [first + (trips - rest + k) * info.step for k in range(rest)]
        tail = [self._copy(loop, {**values, info.variable: self._value(info, x, _number(x))}) for x in left]
        if not isinstance(loop.init, Declare) and rest:
            tail.append(f"{name} = {first + trips * info.step};")
        if not tail:
            return text
        together = text + newline + newline.join(tail)
        return together if self._among_statements(loop) else "{ " + together + " }"

    def _under_test(self, loop: Loop, info: LoopInfo, factor: int, values: Mapping[int, _Value]) -> str:
        """Copies after the first under the loop's test, which ends the loop as well once it has failed."""
        assert info.variable is not None and info.step is not None
        if loop.step is None or factor > MOST_COPIES or not loop.header.editable or not self._overshoots(loop, info):
            raise _Cannot
        assert loop.test is not None
        name = self.program.variable(info.variable).name
        sign, step = ("+", info.step) if info.step > 0 else ("-", -info.step)
        header = self._replaced(loop.header.span, values, {loop.step.at.span: f"{name} {sign}= {factor * step}"})
        copies = [self._copy(loop, values)]
        for k in range(1, factor):
            moved = {**values, info.variable: self._value(info, None, f"({name} {sign} {k * step})")}
            copies.append(f"if ({self._replaced(loop.test.at.span, moved, {})}) {self._copy(loop, moved)}")
        return self._with_pragmas(loop, header, copies)

    def _overshoots(self, loop: Loop, info: LoopInfo) -> bool:
        """Whether the iterator may go beyond the value at which the loop ended.

        The test is an order that stays false, the type wide enough, and each use of the iterator stands in a
        loop that sets it first.
        """
        variable, test = self.program.variable(info.variable or 0), loop.test
        wide = isinstance(variable.type, ScalarType) and variable.type.kind == "int" and variable.type.bits >= 32
        if not wide or not variable.type.signed or info.trip_count.max is None:  # type: ignore[union-attr]
            return False
        if not isinstance(test, Binary) or test.op not in ("<", "<=", ">", ">=") or variable.storage == "static":
            return False
        on_left = isinstance(test.left, Name) and test.left.variable == variable.id
        side, bound = (test.left, test.right) if on_left else (test.right, test.left)
        falling = (test.op[0] == ">") == on_left
        if not isinstance(side, Name) or side.variable != variable.id or falling != ((info.step or 0) < 0):
            return False
        if any(isinstance(e, Assign | IncDec | Call) or _names(e, variable.id) for e in walk(bound)):
            return False
        setting = [s for s in walk_statements(self.program.functions[loop.function].body) if _sets(s, variable.id)]
        uses = self._names(self._function(loop.at.span), (variable.id,))
        return all(any(_within(use.at.span, s.at.span) for s in setting) for use, _ in uses)

    def _with_pragmas(self, loop: Loop, header: str, copies: Sequence[str]) -> str:
        """A loop of ``copies`` with the pragmas that stay true of it."""
        newline = self._newline(loop)
        texts = (self.program.text(s.at) for s in loop.body.body if isinstance(s, PragmaMark))
        kept = "".join(f"\n{text}" for text in texts if not re.search(r"\bunroll\b", text, re.I))
        return f"{header} {{{kept}{newline}{newline.join(copies)} }}"

    def _among_statements(self, loop: Loop) -> bool:
        """Whether more than one statement may stand where the loop stands (its label then stays on the loop)."""
        body = self.program.functions[loop.function].body
        return any(isinstance(s, Block) and s.braces and loop in s.body for s in walk_statements(body))

    def _copy(self, loop: Loop, values: Mapping[int, _Value]) -> str:
        """One copy of the body, as a block without the pragmas that speak of the loop."""
        body = loop.body.at.span  # without braces, the pragmas stand before it
        removed = {s.at.span: "" for s in loop.body.body if isinstance(s, PragmaMark) and _within(s.at.span, body)}
        declared = [v for v in values if self._by_name(v, body)]
        text = self._replaced(body, {v: value for v, value in values.items() if v not in declared}, removed)
        text = re.sub(r"\n\s*\n", "\n", text) if removed else text
        for variable in declared:
            iterator, value = self.program.variable(variable), values[variable].text
            name, kind = iterator.name, element_text(self.program, iterator)
            outer = self.fresh.free(f"{name}_at") if re.search(rf"\b{name}\b", value) else None
            text = f"{{ const {kind} {name} = {outer or value}; (void){name}; {text} }}"
            text = text if outer is None else f"{{ const {kind} {outer} = {value}; {text} }}"
        return text if loop.body.braces or declared else "{ " + text + " }"

    def _by_name(self, variable: int, span: Span) -> bool:
        """Whether a macro, or text that no record explains, says the iterator's name in ``span``."""
        name, body = self.program.variable(variable).name, self._function(span)
        uses = [use for use, _ in self._names(body, (variable,)) if _within(use.at.span, span)]
        evaluated = {(use.at.span.path, use.at.span.end) for found in self.names[id(body)].values() for use, _ in found}
        said = (at for at in self.program.mentions.get(name, ()) if _within(at, span) and at not in self.declared)
        return any(use.at.kind != "plain" for use in uses) or any((at.path, at.end) not in evaluated for at in said)

    def _replaced(self, span: Span, values: Mapping[int, _Value], fixed: Mapping[Span, str]) -> str:
        """The text of ``span`` with iterators, inner planned loops and fixed spans replaced."""
        edits: dict[Span, str] = dict(fixed)
        function = self._function(span)
        for inner in walk_statements(function):
            at = inner.at.span
            if not isinstance(inner, Loop) or not _within(at, span) or any(_within(at, other) for other in edits):
                continue
            labelled = self.label_span(inner) or at  # a label stands once in a function, and there are copies
            if not _within(labelled, span):
                raise _Cannot
            if inner.id in self.factors:
                edits[labelled] = self.loop(inner, values)
            elif inner.label is not None:
                edits[Span(at.path, labelled.start, at.start)] = ""
        cxx = self.program.cxx(span.path)
        for use, exact in self._names(function, values):
            at = use.at.span
            if not _within(at, span) or any(_within(at, other) for other in edits if other != at):
                continue
            if use.at.kind != "plain":
                raise _Cannot
            edits[at] = values[use.variable].typed if exact or cxx else values[use.variable].text
        source = self.program.sources[span.path]
        moved = [Edit(Span(span.path, s.start - span.start, s.end - span.start), t) for s, t in edits.items()]
        return apply_edits(SourceText(span.path, source.slice(span)), moved)

    def _function(self, span: Span) -> Stmt:
        for function in self.program.functions.values():
            if _within(span, function.at.span):
                return function.body
        raise _Cannot

    def _names(self, body: Stmt, variables: Iterable[int]) -> Iterator[tuple[Name, bool]]:
        """Uses of ``variables`` and whether their exact type can be seen there."""
        if id(body) not in self.names:
            roots: list[Expr] = []
            for stmt in walk_statements(body):
                if isinstance(stmt, Declare):
                    inits = (self.program.variable(v).init for v in stmt.variables)
                    roots += [i for i in inits if i is not None]
                else:
                    roots += expressions(stmt)
            found = self.names[id(body)] = {}
            for name, exact in (pair for root in roots for pair in _uses(root, False)):
                found.setdefault(name.variable, []).append((name, exact))
        for variable in variables:
            yield from self.names[id(body)].get(variable, ())

    def _newline(self, loop: Loop) -> str:
        source = self.program.sources[loop.at.span.path]
        line = source.line_text(source.line_column(loop.at.span.start)[0])
        return "\n" + line[: len(line) - len(line.lstrip())]


def _uses(expr: Expr, exact: bool) -> Iterator[tuple[Name, bool]]:
    """Names in ``expr``; ``exact``: in something that depends on their very type."""
    if isinstance(expr, Name):
        yield expr, exact
    for child in children(expr):
        yield from _uses(child, exact or isinstance(expr, SizeOf | OpaqueExpr))


def _within(inner: Span, outer: Span) -> bool:
    return inner.path == outer.path and outer.start <= inner.start and inner.end <= outer.end


def _sets(stmt: Stmt, variable: int) -> bool:
    """Whether ``stmt`` is a loop that begins by setting ``variable``."""
    if not isinstance(stmt, Loop):
        return False
    if isinstance(stmt.init, Declare):
        return variable in stmt.init.variables
    first = stmt.init.expr if isinstance(stmt.init, ExprStmt) else None
    return isinstance(first, Assign) and first.op == "=" and _names(first.target, variable)


def _names(expr: Expr, variable: int) -> bool:
    return isinstance(expr, Name) and expr.variable == variable


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"
